# A file whose name begins with a dash, and options where a verb should be.
cp tiny.onnx ./-tiny.onnx
tenon check -tiny.onnx
echo $?
tenon check ./-tiny.onnx
tenon check -- -tiny.onnx
tenon --jsn
echo $?
tenon info ''
echo $?
