sed 's/input: "scores"/input: "scoers"/' "$root/examples/tiny.onnx.textproto" |
    tenon undump - -o bad.onnx
tenon check tiny.onnx bad.onnx
