tenon ls --layout table --long tiny.onnx
