# a rule whose left side is a graph takes its nodes together, and nodes that others use stay
cat >net.rules <<'END'
rules onnx -> nd4j 1
Mul{x, once Sigmoid(x)} => swish(x)
    example Mul(Sigmoid(x:float32[2]), x) => swish(x)
    example Mul(Sigmoid(x:float32[2]), y) => swish(x)
Add{MatMul(A, B), C} when rank(A) == 2 and rank(C) == 1 => xw_plus_b(A, B, C)
END
tenon rules check net.rules
tenon rules test net.rules
tenon rules explain Mul --rules net.rules | head -6
cat >model.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 }
graph { name: "g"
  node { op_type: "Sigmoid" input: "x" output: "s" name: "s" }
  node { op_type: "Mul" input: "s" input: "x" output: "m" name: "m" }
  node { op_type: "MatMul" input: "m" input: "w" output: "p" name: "p" }
  node { op_type: "Add" input: "b" input: "p" output: "y" name: "y" }
  node { op_type: "Sigmoid" input: "y" output: "t" name: "t" }
  node { op_type: "Mul" input: "y" input: "t" output: "z" name: "z" }
  initializer { name: "w" data_type: 1 dims: 2 dims: 1 float_data: 1 float_data: 2 }
  initializer { name: "b" data_type: 1 dims: 1 float_data: 1 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 2 } } } } }
  output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 1 } } } } }
  output { name: "t" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 1 } } } } } }
END
tenon undump model.pbtxt -o model.onnx >undump.log 2>&1 || cat undump.log
tenon convert model.onnx -o out.fb --rules net.rules --plan | tail -8 |
    sed 's,\(onnx_nd4j.rules\):[0-9]*,\1:N,' # which line is none of this test
tenon convert model.onnx -o out.fb --rules net.rules >convert.log 2>&1 || cat convert.log
tenon ls --ops out.fb | cut -f1-4
