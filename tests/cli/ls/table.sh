tenon ls --layout table tiny.onnx
