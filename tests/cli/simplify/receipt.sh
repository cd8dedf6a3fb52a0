# weights that were multiplied, and reals that were computed, are told
cat >model.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 }
graph { name: "g"
  node { op_type: "Conv" input: "x" input: "w" output: "v" name: "v" }
  node { op_type: "Mul" input: "v" input: "c" output: "u" name: "u" }
  node { op_type: "Sqrt" input: "c" output: "e" name: "e" }
  node { op_type: "Max" input: "u" input: "e" output: "y" name: "y" }
  initializer { name: "w" data_type: 1 dims: 2 dims: 1 dims: 1 dims: 1 float_data: 1 float_data: 2 }
  initializer { name: "c" data_type: 1 dims: 2 dims: 1 dims: 1 float_data: 0.25 float_data: 4 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 1 } dim { dim_value: 4 } dim { dim_value: 4 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } dim { dim_value: 4 } dim { dim_value: 4 } } } } } }
END
tenon undump -q model.pbtxt -o model.onnx
tenon simplify -q model.onnx -o small.onnx --receipt receipt
sed 's/rules:[0-9]*/rules:N/' receipt
tenon get small.onnx w
