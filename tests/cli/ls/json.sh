tenon ls --json tiny.onnx compete | sed 's/"version": "[^"]*"/"version": "N"/'
