# fewer nodes, the same inputs and outputs; what a graph must keep, it keeps
cat >model.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 } metadata_props { key: "licence" value: "free" }
graph { name: "g"
  node { op_type: "Identity" input: "x" output: "i" name: "i" }
  node { op_type: "Shape" input: "i" output: "s" name: "s" }
  node { op_type: "Reshape" input: "i" input: "s" output: "r" name: "r" }
  node { op_type: "MatMul" input: "r" input: "w" output: "p" name: "p" }
  node { op_type: "Add" input: "b" input: "p" output: "q" name: "q" }
  node { op_type: "Relu" input: "q" output: "u" name: "u" }
  node { op_type: "Relu" input: "q" output: "v" name: "v" }
  node { op_type: "Mul" input: "u" input: "v" output: "m" name: "m" }
  node { op_type: "RandomNormalLike" input: "m" output: "n1" name: "n1" }
  node { op_type: "RandomNormalLike" input: "m" output: "n2" name: "n2" }
  node { op_type: "Sub" input: "n1" input: "n2" output: "y" name: "y" }
  node { op_type: "Identity" input: "x" output: "z" name: "z" }
  initializer { name: "w" data_type: 1 dims: 2 dims: 1 float_data: 1 float_data: 2 }
  initializer { name: "b" data_type: 1 dims: 1 float_data: 1 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 1 } } } } }
  output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 2 } } } } } }
END
tenon undump model.pbtxt -o model.onnx
tenon simplify model.onnx -o small.onnx
tenon ls --ops small.onnx | cut -f1-5
tenon info small.onnx | grep -e opset -e licence -e '^  [xyz] '
tenon check small.onnx
tenon simplify small.onnx -o again.onnx
cmp small.onnx again.onnx
tenon simplify --fold none -q model.onnx -o plain.onnx
tenon ls --ops plain.onnx | cut -f2
tenon simplify --json model.onnx -o small.onnx --force
tenon simplify -q model.onnx -o small.onnx --force --receipt receipt; grep -c '"node"' receipt
tenon simplify model.onnx -o dry.onnx --dry-run
tenon simplify model.onnx -o out.pdmodel
tenon simplify model.onnx
