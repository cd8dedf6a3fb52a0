: >empty.onnx
mkdir folder
echo '<!DOCTYPE html><html><body>404</body></html>' >page.onnx
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 9\n' 0 \
    >pointer.onnx
printf '\037\213\010\000\000\000\000\000\000\003' >model.onnx.gz
mkdir -p net.mlpackage/Data net.mlmodelc
echo '{}' >net.mlpackage/Manifest.json
echo x >net.mlmodelc/coremldata.bin
echo 'All of it has dims: 3' >prose
for file in empty.onnx folder page.onnx pointer.onnx model.onnx.gz net.mlpackage net.mlmodelc prose; do
    tenon info $file
    echo $?
done
