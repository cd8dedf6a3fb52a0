# Nothing is printed into a file that happened to get descriptor 1.
cp tiny.onnx before.onnx
tenon info tiny.onnx >&-
cmp tiny.onnx before.onnx
