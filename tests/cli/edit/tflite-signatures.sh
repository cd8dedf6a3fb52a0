# A signature is of the subgraph that it was of, wherever that is now.
cat > a.json <<'END'
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 118, "builtin_code": "IF"}], "buffers": [{}], "subgraphs": [
{"name": "main", "tensors": [{"name": "c", "shape": [1], "type": "BOOL"}, {"name": "x", "shape": [1]}, {"name": "y", "shape": [1]}], "inputs": [0, 1], "outputs": [2], "operators": [
 {"inputs": [0, 1], "outputs": [2], "builtin_options_type": "IfOptions", "builtin_options": {"then_subgraph_index": 1, "else_subgraph_index": 2}}]},
{"name": "t", "tensors": [{"name": "x1", "shape": [1]}], "inputs": [0], "outputs": [0]},
{"name": "e", "tensors": [{"name": "x2", "shape": [1]}], "inputs": [0], "outputs": [0]},
{"name": "other", "tensors": [{"name": "x3", "shape": [1]}], "inputs": [0], "outputs": [0]}],
"signature_defs": [{"signature_key": "b", "subgraph_index": 3, "inputs": [{"name": "i", "tensor_index": 0}], "outputs": [{"name": "o", "tensor_index": 0}]}]}
END
tenon undump -q a.json -o a.tflite
tenon edit -q a.tflite --remove-function t --remove-function e --set-signature 'b "" i=x3 float32 1 -> o2=x3 float32 1' -o b.tflite
tenon dump b.tflite | grep -A 1 -E '"(subgraph_index|name)": ("o2"|1)'
tenon edit -q a.tflite --remove-function other --set-signature 'b "" i=x3 float32 1 -> o2=x3 float32 1' -o c.tflite
