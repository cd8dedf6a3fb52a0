tenon dump tiny.onnx -o tiny.txt && tenon undump tiny.txt -o text.onnx
tenon dump --json tiny.onnx -o tiny.json && tenon undump tiny.json -o json.onnx
tenon dump --json-names tiny.onnx | tenon undump - -o names.onnx
cmp tiny.onnx text.onnx && cmp tiny.onnx json.onnx && cmp tiny.onnx names.onnx
