tenon convert tiny.onnx --to onnx -o - | tenon check -
