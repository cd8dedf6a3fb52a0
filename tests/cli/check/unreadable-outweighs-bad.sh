: >empty.onnx
tenon check empty.onnx missing.onnx >/dev/null
