# What trains a model is not among its operators.
cat >train.textproto <<'END'
ir_version: 8
graph {
  name: "g"
  node { op_type: "Relu" input: "x" output: "y" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}
training_info { algorithm { name: "t" node { op_type: "Neg" input: "y" output: "l" } output { name: "l" } } }
opset_import { version: 17 }
END
tenon undump train.textproto -o train.onnx
tenon info train.onnx
