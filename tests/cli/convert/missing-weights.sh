# The model is to blame, not the name of the output.
tenon convert -q tiny.onnx -o big.onnx --external big.bin --threshold 64
rm big.bin
tenon convert big.onnx -o one.onnx --inline
echo $?
tenon hash big.onnx
echo $?
ls
