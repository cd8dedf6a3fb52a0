tenon ls --stats --ops tiny.onnx
echo $?
tenon ls --stats -1 tiny.onnx
echo $?
tenon ls --stats missing.onnx
echo $?
tenon ls --stats --max-expand 10 tiny.onnx
echo $?
