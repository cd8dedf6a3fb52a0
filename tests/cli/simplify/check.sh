# --check: types and shapes, and what is said where there is no ONNX Runtime
TENON_ONNXRUNTIME=/nowhere/libonnxruntime.so
export TENON_ONNXRUNTIME
tenon simplify --check tiny.onnx -o small.onnx
tenon simplify --check --json tiny.onnx -o small.onnx --force | grep '"check"'
tenon simplify --check -q tiny.onnx -o small.onnx --force; echo $?
tenon simplify --check tiny.onnx -o - 2>&1 >/dev/null; echo $?
tenon simplify --check tiny.onnx -o small.onnx --force --dry-run; echo $?
