tenon undump "$root/examples/tiny.onnx.textproto" -o - | cmp - tiny.onnx
