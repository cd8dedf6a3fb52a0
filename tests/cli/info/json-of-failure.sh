tenon info --json missing.onnx | sed 's/"version": "[^"]*"/"version": "N"/'
tenon info --json missing.onnx >/dev/null 2>&1
