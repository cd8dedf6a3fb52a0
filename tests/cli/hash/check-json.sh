tenon hash tiny.onnx flat compete >manifest
tenon hash --json tiny.onnx -c manifest |
    sed 's/"version": "[^"]*"/"version": "N"/'
