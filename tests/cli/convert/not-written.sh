# A name that says a format which is only read is no unknown name.
tenon convert tiny.onnx -o tiny.npy
echo $?
tenon convert tiny.onnx -o tiny.cpb
echo $?
tenon convert tiny.onnx -o tiny.onnx --to nosuch
echo $?
