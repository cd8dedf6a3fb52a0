# The format is that of the model, unless --to names another.
tenon convert tiny.onnx -o - | cmp - tiny.onnx
tenon convert tiny.onnx --to onnx -o - | tenon check -
