tenon info tiny.onnx --quiet -- --json
