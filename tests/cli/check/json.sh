sed 's/input: "scores"/input: "scoers"/' "$root/examples/tiny.onnx.textproto" |
    tenon undump - -o bad.onnx
tenon check --json tiny.onnx bad.onnx missing.onnx |
    sed 's/"version": "[^"]*"/"version": "N"/'
