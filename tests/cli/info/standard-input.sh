tenon info - <tiny.onnx | head -n 3
