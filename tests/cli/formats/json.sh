tenon formats --json | grep -o '"name": "onnx"'
