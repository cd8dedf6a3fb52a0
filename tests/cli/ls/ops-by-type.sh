tenon ls --ops -1 tiny.onnx 'G*'
