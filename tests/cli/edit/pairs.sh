# Nodes that change nothing or little: put in, and taken out again.
tenon edit -q tiny.onnx -o in.onnx --insert-identity seen --insert-casts votes=float16 --insert-qdq 'strokes 0.5 3 uint8'
tenon ls --ops in.onnx | cut -f1-5
tenon check in.onnx
tenon edit -q in.onnx -o out.onnx --remove-identities --remove-qdq --remove-casts
tenon ls --ops out.onnx | cut -f1-5
tenon diff --stat out.onnx tiny.onnx
tenon check out.onnx
# To a type that holds all values, and back: no change.
tenon edit -q tiny.onnx -o wide.onnx --insert-casts votes=float64
tenon edit -q wide.onnx -o same.onnx --remove-casts
tenon ls --ops same.onnx | cut -f1-5
# An output keeps its name.
tenon edit -q tiny.onnx -o copy.onnx --add-op 'copy Identity - probabilities -> result' --outputs result
tenon edit -q copy.onnx -o direct.onnx --remove-identities
tenon ls --ops direct.onnx | cut -f1-5
tenon check direct.onnx
tenon edit tiny.onnx -o no.onnx --insert-qdq 'flat 1'
echo $?
tenon edit tiny.onnx -o no.onnx --insert-casts 'votes=float17'
echo $?
tenon edit tiny.onnx -o no.onnx --insert-identity nothing
echo $?
ls
