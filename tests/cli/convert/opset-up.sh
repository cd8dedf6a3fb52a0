# What a newer opset cannot say: the refusal names the last one that can.
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 18 }
graph {
  node {
    input: "x" input: "s" input: "b" output: "y" op_type: "GroupNormalization" name: "norm"
    attribute { name: "num_groups" type: INT i: 2 }
  }
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 4 } } } } }
  input { name: "s" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "b" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 4 } } } } }
}
END
tenon undump m.txt -o m.onnx --type onnx.ModelProto -q
tenon convert m.onnx -o out.onnx --force -q --opset 20 && tenon info out.onnx | grep opset
tenon convert m.onnx -o out.onnx --force -q --opset 23
