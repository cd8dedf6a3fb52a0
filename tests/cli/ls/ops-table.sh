tenon ls --ops --long --layout table tiny.onnx
