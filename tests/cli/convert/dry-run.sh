tenon convert -n tiny.onnx -o big.onnx --external big.bin
ls
