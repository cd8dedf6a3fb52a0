tenon split tiny.onnx
tenon split tiny.onnx -o -
tenon split tiny.onnx -o x --schema types.pb
tenon split . -t onnx.ModelProto -o x
