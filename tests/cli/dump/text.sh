tenon dump tiny.onnx | head -n 8
