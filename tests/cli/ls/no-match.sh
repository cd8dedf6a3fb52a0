tenon ls tiny.onnx '*.kernel'
