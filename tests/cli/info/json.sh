tenon info --json tiny.onnx | sed 's/"version": "[^"]*"/"version": "N"/'
