tenon apply tiny.onnx
tenon apply tiny.onnx no.patch; echo $?
tenon apply tiny.onnx no.patch -o out.onnx; echo $?
echo 'remove-op nothing' > bad.patch
tenon apply tiny.onnx bad.patch -o out.onnx; echo $?
echo 'take it from there' > bad.patch
tenon apply tiny.onnx bad.patch -o out.onnx; echo $?
printf 'move-op flat -\nadd-op n Relu - flat ->\n' > bad.patch
tenon apply -q tiny.onnx bad.patch -o out.onnx; echo $?
tenon diff --patch p.patch --tolerance 1 tiny.onnx tiny.onnx; echo $?
tenon diff --patch - tiny.onnx tiny.onnx; echo $?
cp tiny.onnx old; tenon diff --patch old tiny.onnx tiny.onnx; echo $?
cmp tiny.onnx old && ls
