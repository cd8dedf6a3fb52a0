# Tensors in attributes do not take the names of weights; each tensor that is
# renamed or loses something is told.
cat >clash.textproto <<'END'
ir_version: 8
graph {
  name: "g"
  node {
    op_type: "Constant" output: "c"
    attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 name: "w" float_data: 1 } }
  }
  node { op_type: "Add" input: "c" input: "w" output: "y" }
  node {
    op_type: "Constant" output: "d"
    attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 name: "value" float_data: 3 } }
  }
  node {
    op_type: "Constant" output: "e"
    attribute { name: "value" type: TENSOR t { dims: 1 data_type: 1 name: "value" float_data: 4 } }
  }
  initializer { dims: 1 data_type: 1 name: "w" float_data: 2 }
  initializer { dims: 2 data_type: 16 name: "half" int32_data: 16256 int32_data: 16384 }
  sparse_initializer {
    values { dims: 1 data_type: 1 name: "thin" float_data: 5 }
    indices { dims: 1 data_type: 7 name: "places" int64_data: 4 }
    dims: 2 dims: 3
  }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } } } } }
}
opset_import { version: 17 }
END
tenon undump clash.textproto -o clash.onnx
tenon get clash.onnx w
tenon get clash.onnx value
for to in npz safetensors; do
    tenon convert clash.onnx -o "c.$to"
    tenon get "c.$to" w
    tenon ls "c.$to" | cut -f 1-3 | sort
done
tenon convert --json clash.onnx -o json.npz | grep -o '"kind": "[a-z]*"'
tenon convert --strict clash.onnx -o strict.npz 2>/dev/null || echo "strict: $?"
