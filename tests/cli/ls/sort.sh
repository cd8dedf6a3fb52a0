tenon ls --sort size --names tiny.onnx
echo
tenon ls --sort name -r1 tiny.onnx
