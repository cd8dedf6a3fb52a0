# Debug information of operators and subgraphs goes; a model without it stays.
cat >a.json <<'END'
{"version": 3, "operator_codes": [{"deprecated_builtin_code": 101}],
 "buffers": [{}, {"data": [47, 104, 111, 109, 101]}],
 "metadata": [{"name": "debug_metadata", "buffer": 1}],
 "subgraphs": [{"tensors": [{"shape": [1], "name": "x"}, {"shape": [1], "name": "y"}],
                "inputs": [0], "outputs": [1], "debug_metadata_index": 0,
                "operators": [{"inputs": [0], "outputs": [1], "debug_metadata_index": 1}]}]}
END
tenon undump a.json -o a.tflite
tenon strip a.tflite --callstack -o b.tflite
tenon dump b.tflite | grep debug
tenon check b.tflite
tenon strip b.tflite --callstack -o c.tflite
cmp b.tflite c.tflite && echo the same
tenon strip a.tflite --training -o d.tflite
