tenon split tiny.onnx -o tiny -m 200 --json |
    sed 's/"version": "[^"]*"/"version": "N"/'
