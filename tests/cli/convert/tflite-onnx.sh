# scales become operators, weights stay int8; what has no rule is refused
cat >m.json <<'END'
{ "version": 3,
  "operator_codes": [ { "builtin_code": "CONV_2D" }, { "builtin_code": "RESHAPE", "deprecated_builtin_code": 22 } ],
  "subgraphs": [ { "name": "main", "inputs": [0], "outputs": [4],
    "tensors": [
      { "name": "x", "shape": [1, 2, 2, 1], "type": "INT8", "quantization": { "scale": [0.5], "zero_point": [3] } },
      { "name": "w", "shape": [2, 1, 1, 1], "type": "INT8", "buffer": 1,
        "quantization": { "scale": [0.25, 0.5], "zero_point": [0, 0] } },
      { "name": "b", "shape": [2], "type": "INT32", "buffer": 2,
        "quantization": { "scale": [0.125, 0.25], "zero_point": [0, 0] } },
      { "name": "c", "shape": [1, 2, 2, 2], "type": "INT8", "quantization": { "scale": [1.0], "zero_point": [-4] } },
      { "name": "y", "shape": [8], "type": "INT8", "quantization": { "scale": [1.0], "zero_point": [-4] } },
      { "name": "s", "shape": [1], "type": "INT32", "buffer": 3 } ],
    "operators": [
      { "inputs": [0, 1, 2], "outputs": [3], "builtin_options_type": "Conv2DOptions",
        "builtin_options": { "stride_w": 1, "stride_h": 1, "fused_activation_function": "RELU" } },
      { "opcode_index": 1, "inputs": [3, 5], "outputs": [4] } ] } ],
  "buffers": [ {}, { "data": [4, 252] }, { "data": [8, 0, 0, 0, 248, 255, 255, 255] }, { "data": [8, 0, 0, 0] } ] }
END
tenon undump -q m.json -t tflite.Model -o m.tflite
tenon convert m.tflite -o m.onnx
tenon ls --ops m.onnx | cut -f2
tenon ls m.onnx | awk '/int8|int32/ && !/zero/'
tenon convert --plan m.tflite -o n.onnx | sed -n 2,4p
sed 's/"builtin_code": "CONV_2D"/"builtin_code": "CUSTOM", "custom_code": "Mine", "deprecated_builtin_code": 32/; s/"builtin_options_type.*//; s/"builtin_options".*/"custom_options": [0] },/' m.json >u.json
tenon undump -q u.json -t tflite.Model -o u.tflite
tenon convert u.tflite -o u.onnx
