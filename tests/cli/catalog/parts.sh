# Catalogs that were made apart become one, in the order of the paths.
mkdir models
cp tiny.onnx models/a.onnx
cp tiny.onnx models/b.onnx
tenon catalog -q models/b.onnx -o b.ndjson
tenon catalog -q models/a.onnx -o a.ndjson
tenon catalog -q b.ndjson a.ndjson -o both.ndjson
tenon catalog -q models/a.onnx models/b.onnx -o direct.ndjson
cmp both.ndjson direct.ndjson && echo equal
cat a.ndjson b.ndjson >joined.ndjson
tenon catalog -q joined.ndjson -o c.ndjson
cat b.ndjson a.ndjson >joined.ndjson
tenon catalog -q joined.ndjson -o d.ndjson
echo $?
printf '{"row": "file", "file": "a", "tensors": 1}\n' >bad.ndjson
printf '{"row": "tensor", "file": "a", "tensor": "first"}\n' >>bad.ndjson
tenon catalog -q bad.ndjson -o e.ndjson
echo $?
