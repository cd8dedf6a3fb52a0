# A FlatBuffer that is known needs no --type.
tenon convert -q tiny.onnx -o tiny.fb
tenon dump tiny.fb >tiny.json
head -n 4 tiny.json
tenon undump tiny.json --type sd.graph.FlatGraph -o again.fb
tenon hash again.fb >again
tenon hash tiny.fb | cmp - again
tenon undump tiny.json -o more.fb
tenon dump tiny.onnx --type onnx.TensorProto
