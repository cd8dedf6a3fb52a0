tenon ls --ops tiny.onnx
