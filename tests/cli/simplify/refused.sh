# an input with a default value is told; opsets before 7 mean other things by the same words
cat >model.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 }
graph { name: "g"
  node { op_type: "Mul" input: "x" input: "k" output: "y" name: "m" }
  initializer { name: "k" data_type: 1 dims: 1 float_data: 1 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  input { name: "k" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } } }
END
tenon undump -q model.pbtxt -o model.onnx
tenon simplify model.onnx -o small.onnx
tenon simplify --strict model.onnx -o strict.onnx
sed 's/ir_version: 8/ir_version: 3/' model.pbtxt | tenon undump -q - -o three.onnx
tenon simplify --strict three.onnx -o strict.onnx
sed 's/version: 17/version: 6/' model.pbtxt | tenon undump -q - -o old.onnx
tenon simplify old.onnx -o new.onnx
