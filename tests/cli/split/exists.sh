tenon split -q tiny.onnx -o tiny -m 200
tenon split tiny.onnx -o tiny -m 200
