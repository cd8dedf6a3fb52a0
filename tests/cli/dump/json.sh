tenon dump --json tiny.onnx | head -c 200
