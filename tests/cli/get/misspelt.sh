tenon get tiny.onnx compete.bais
