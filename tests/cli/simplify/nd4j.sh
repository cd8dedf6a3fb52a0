# A graph of nd4j loses copies and equal nodes; one with a branch is refused, and nothing is written.
cat >in.textproto <<'TEXT'
ir_version: 8
graph {
  name: "g"
  node { op_type: "Identity" input: "x" output: "i" }
  node { op_type: "Transpose" input: "i" output: "a" attribute { name: "perm" type: INTS ints: 1 ints: 0 } }
  node { op_type: "Transpose" input: "x" output: "b" attribute { name: "perm" type: INTS ints: 1 ints: 0 } }
  node { op_type: "Mul" input: "a" input: "b" output: "y" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 2 } } } } }
}
opset_import { version: 17 }
TEXT
tenon undump in.textproto -o in.onnx
tenon convert --quiet --simplify no in.onnx -o in.fb
tenon simplify --check in.fb -o out.fb
tenon check out.fb
cat >if.textproto <<'TEXT'
ir_version: 8
graph {
  name: "g"
  node { op_type: "If" input: "c" output: "y"
    attribute { name: "then_branch" type: GRAPH g { name: "t" node { op_type: "Relu" input: "x" output: "p" } output { name: "p" } } }
    attribute { name: "else_branch" type: GRAPH g { name: "e" node { op_type: "Neg" input: "x" output: "q" } output { name: "q" } } } }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "c" type { tensor_type { elem_type: 9 shape { } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}
opset_import { version: 17 }
TEXT
tenon undump if.textproto -o if.onnx
tenon convert --quiet if.onnx -o if.fb
tenon simplify if.fb -o small.fb
echo "$?"
ls small.fb 2>/dev/null || echo "nothing written"
