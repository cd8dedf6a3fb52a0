tenon formats | head -n 1
tenon formats | grep -c '^onnx  *yes'
