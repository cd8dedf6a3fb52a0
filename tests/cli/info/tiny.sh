tenon info tiny.onnx
