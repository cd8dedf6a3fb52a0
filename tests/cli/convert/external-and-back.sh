tenon convert tiny.onnx -o big.onnx --external big.bin --threshold 64
tenon ls big.onnx | cut -f 1,5,8
tenon convert big.onnx -o one.onnx --inline
tenon ls one.onnx | cut -f 1,5,8
