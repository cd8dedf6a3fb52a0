tenon inof tiny.onnx
test $? -eq 2 || exit 9
tenon frobnicate
