tenon undump "$root/examples/tiny.onnx.textproto" -o tiny.onnx
