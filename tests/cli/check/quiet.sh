tenon check -q tiny.onnx && echo good
sed 's/input: "scores"/input: "scoers"/' "$root/examples/tiny.onnx.textproto" |
    tenon undump - -o bad.onnx
tenon check -q bad.onnx || echo bad
