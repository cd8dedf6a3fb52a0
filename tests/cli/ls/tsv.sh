tenon ls tiny.onnx
