# Paths from a list; a path that is named twice counts once.
cp tiny.onnx b.onnx
printf 'tiny.onnx\nb.onnx\n\ntiny.onnx\n' |
    tenon catalog -q -T - | sed -n 's/.*"row": "file", "file": "\([^"]*\)".*/\1/p'
