tenon check tiny.onnx
