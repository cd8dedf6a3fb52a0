# What is as it was is not read again; what is gone goes.
mkdir models
cp tiny.onnx models/a.onnx
cp tiny.onnx models/b.onnx
for form in sqlite ndjson; do
    tenon catalog models -o all.$form 2>&1 | sed 's/; [0-9.]* s,.*//'
    cp tiny.onnx models/c.onnx
    tenon catalog models -o all.$form 2>&1 | sed 's/; [0-9.]* s,.*//'
    rm models/c.onnx
    tenon catalog models -o all.$form 2>&1 | sed 's/; [0-9.]* s,.*//'
done
tenon catalog models -o all.arrow 2>&1 | sed 's/; [0-9.]* s,.*//'
tenon catalog models -o all.arrow
echo $?
tenon catalog -q --force models -o all.arrow
ls
