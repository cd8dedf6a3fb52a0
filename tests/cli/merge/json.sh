tenon split -q tiny.onnx -o tiny -m 200
tenon merge tiny -o again.onnx --json |
    sed 's/"version": "[^"]*"/"version": "N"/'
cmp tiny.onnx again.onnx
tenon merge tiny -o - --json
echo $?
