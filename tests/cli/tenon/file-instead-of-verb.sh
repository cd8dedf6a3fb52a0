tenon tiny.onnx
