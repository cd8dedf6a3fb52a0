# Names alone: what reads a renamed input, in a graph inside or in a function, is no changed operator.
model() {
    cat <<END
ir_version: 8 opset_import { version: 17 } opset_import { domain: "f" version: 1 }
graph { name: "g"
  node { input: "$1" output: "$3" name: "first" op_type: "Relu" }
  node { input: "$2" output: "y" name: "if" op_type: "If"
    attribute { name: "then_branch" type: GRAPH g { name: "t"
      node { input: "$1" input: "$3" output: "p" name: "sum" op_type: "Add" }
      output { name: "p" type { tensor_type { elem_type: 1 } } } } }
    attribute { name: "else_branch" type: GRAPH g { name: "e"
      node { input: "$3" output: "q" name: "call" op_type: "Twice" domain: "f" }
      output { name: "q" type { tensor_type { elem_type: 1 } } } } } }
  input { name: "$1" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "$2" type { tensor_type { elem_type: 9 shape { } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}
functions { name: "Twice" domain: "f" input: "$4" output: "o" opset_import { version: 17 }
  node { input: "$4" input: "$4" output: "o" name: "add" op_type: "Add" } }
END
}
model x c h i > a.pbtxt; model tokens mask h i > b.pbtxt; model x c hidden j > c.pbtxt
for m in a b c; do tenon undump -q $m.pbtxt -o $m.onnx --from onnx; done
tenon diff a.onnx b.onnx
tenon diff a.onnx c.onnx
# An operator of TensorFlow that was renamed, and the attribute that names it.
graph() {
    cat <<END
node { name: "$1" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "r" op: "Relu" input: "$1" attr { key: "T" value { type: DT_FLOAT } }
  attr { key: "_class" value { list { s: "loc:@$1" } } } }
versions { producer: 1087 }
END
}
graph x > a.pbtxt; graph tokens > b.pbtxt
for m in a b; do tenon undump -q $m.pbtxt -o $m.pb --from tf-graph; done
tenon diff a.pb b.pb
