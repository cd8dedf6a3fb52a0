# A report that did not arrive is a failure.
tenon info tiny.onnx >/dev/full
echo $?
tenon ls tiny.onnx >/dev/full
echo $?
tenon hash tiny.onnx >&-
echo $?
