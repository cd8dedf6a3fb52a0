# Every part of a report: interface, versions, operators, tensors, metadata.
cat > a.pbtxt <<'END'
ir_version: 8 producer_name: "one" opset_import { version: 13 }
graph { name: "g"
  node { input: "x" input: "w" output: "h" name: "first" op_type: "MatMul" }
  node { input: "h" output: "r" name: "act" op_type: "LeakyRelu" attribute { name: "alpha" f: 0.1 type: FLOAT } }
  node { input: "r" output: "d" name: "drop" op_type: "Dropout" }
  node { input: "d" input: "b" output: "y" name: "last" op_type: "Add" }
  initializer { dims: 2 dims: 2 data_type: 1 name: "w" float_data: [1, 2, 3, 4] }
  initializer { dims: 2 data_type: 1 name: "b" float_data: [1, 2] }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
}
END
cat > b.pbtxt <<'END'
ir_version: 8 producer_name: "two" opset_import { version: 17 }
graph { name: "g"
  node { input: "x" input: "w" output: "h" name: "first" op_type: "MatMul" }
  node { input: "h" output: "r" name: "act" op_type: "LeakyRelu" attribute { name: "alpha" f: 0.2 type: FLOAT } }
  node { input: "r" input: "bias" output: "s" name: "last" op_type: "Add" }
  node { input: "s" output: "y" name: "end" op_type: "Sigmoid" }
  initializer { dims: 2 dims: 2 data_type: 1 name: "w" float_data: [1, 2, 3, 4.5] }
  initializer { dims: 2 data_type: 1 name: "bias" float_data: [1, 2] }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } }
}
END
tenon undump -q a.pbtxt -o a.onnx --from onnx; tenon undump -q b.pbtxt -o b.onnx --from onnx
tenon diff a.onnx b.onnx; echo $?
tenon diff --stat a.onnx b.onnx
tenon diff --tensors a.onnx b.onnx
tenon diff --tensors --tolerance 0.2 a.onnx b.onnx
tenon diff --no-values a.onnx b.onnx | grep -A9 tensors
tenon diff --json b.onnx a.onnx
