tenon get tiny.onnx something-else-entirely
