tenon ls -1 tiny.onnx '*.bias' flat
