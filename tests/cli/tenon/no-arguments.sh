rm tiny.onnx
tenon
