tenon scan tiny.onnx
