cp tiny.onnx other.onnx
tenon convert tiny.onnx -o other.onnx
echo $?
tenon convert -f tiny.onnx -o other.onnx
