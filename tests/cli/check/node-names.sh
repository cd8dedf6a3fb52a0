# Two nodes of one name: allowed by the definition, refused by ONNX Runtime.
cat >names.textproto <<'END'
ir_version: 8
graph {
  name: "g"
  node { name: "n" op_type: "Relu" input: "x" output: "a" }
  node { name: "n" op_type: "Relu" input: "a" output: "b" }
  node { op_type: "Relu" input: "b" output: "c" }
  node { op_type: "Relu" input: "c" output: "y" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}
opset_import { version: 17 }
END
tenon undump names.textproto -o names.onnx
tenon check names.onnx

# A name that TensorFlow does not take is found in the binary form, too.
echo 'node { name: "größe 1" op: "NoOp" } node { name: "b" op: "NoOp" input: "^größe 1" }' >odd.pbtxt
tenon undump odd.pbtxt -t tensorflow.GraphDef -o odd.pb
tenon check odd.pb
