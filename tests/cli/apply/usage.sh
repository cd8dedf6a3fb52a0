tenon apply tiny.onnx
tenon apply tiny.onnx no.patch; echo $?
tenon apply tiny.onnx no.patch -o out.onnx; echo $?
echo 'remove-op nothing' > bad.patch
tenon apply tiny.onnx bad.patch -o out.onnx; echo $?
echo 'take it from there' > bad.patch
tenon apply tiny.onnx bad.patch -o out.onnx; echo $?
for line in 'take http://127.0.0.1:9/x' 'add-function hf://a/b/c f' 'put w s3://a/b:c'; do
    echo "$line" > bad.patch
    tenon apply tiny.onnx bad.patch -o out.onnx; echo $?
done
printf 'move-op flat -\nadd-op n Relu - flat ->\n' > bad.patch
tenon apply -q tiny.onnx bad.patch -o out.onnx; echo $?
tenon diff --patch p.patch --tolerance 1 tiny.onnx tiny.onnx; echo $?
tenon diff --patch - tiny.onnx tiny.onnx; echo $?
cp tiny.onnx old; tenon diff --patch old tiny.onnx tiny.onnx; echo $?
cmp tiny.onnx old && ls
