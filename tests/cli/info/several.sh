# One that cannot be read does not hide the others; its code is the answer.
: >empty.onnx
tenon info tiny.onnx missing.onnx empty.onnx tiny.onnx | grep onnx
tenon info tiny.onnx missing.onnx >/dev/null 2>&1
