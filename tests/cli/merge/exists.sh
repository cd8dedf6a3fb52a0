tenon split -q tiny.onnx -o tiny -m 200
tenon merge tiny.cpb -t onnx.ModelProto -o tiny.onnx
