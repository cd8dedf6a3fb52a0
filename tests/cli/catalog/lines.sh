# A row per file and per tensor; what changes with the machine is taken out.
mkdir -p models/deep
cp tiny.onnx models/deep
printf 'half a model' >models/broken.onnx
echo words >models/README
tenon catalog models 2>/dev/null | sed 's/"etag": "[^"]*"/"etag": "E"/'
