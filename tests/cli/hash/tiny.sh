tenon hash tiny.onnx
