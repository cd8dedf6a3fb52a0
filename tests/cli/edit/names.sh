# Names that scripts have other uses for: '=', '#', '@7', '-', blanks, quotes, ends of lines.
cat > odd.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 } graph { name: "g"
  node { input: "in put=1" input: "w[0],a" output: "a\nb" name: "n=1" op_type: "Add" }
  node { input: "a\nb" output: "\303\274n\303\257" name: "a,b" op_type: "Relu" }
  node { input: "\303\274n\303\257" output: "-" name: "@7" op_type: "Relu" }
  node { input: "-" output: "->" name: "-" op_type: "Relu" }
  node { input: "->" output: "#y" name: "dup" op_type: "Relu" }
  node { input: "#y" output: "\"q\"" name: "dup" op_type: "Relu" }
  node { input: "\"q\"" output: "y z" op_type: "Relu" }
  initializer { dims: 2 data_type: 1 name: "w[0],a" float_data: 1 float_data: 2 }
  input { name: "in put=1" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
  output { name: "y z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } } }
END
tenon undump -q odd.pbtxt -o odd.onnx --from onnx
edit() { tenon edit -q odd.onnx "$@" --patch-out undo.patch -o out.onnx --force && tenon apply -q out.onnx undo.patch -o back.onnx --force && tenon diff back.onnx odd.onnx && echo same; }
edit --float16
edit --set-dim 'in put=1[0]=4'
edit --rename-input '"in put=1" x'
edit --rename "$(printf 'a\nb=c')"
edit --outputs '#y'
edit --outputs 'ünï'
edit --add-output '-'
edit --insert-identity '->'
edit --rename-all '*=p/*'
edit --rename-node '"graph.node[2]" new'
edit --remove-tensor 'w[0],a' --put-raw "w[0],a=/dev/null float32 0" --force-invalid
tenon edit odd.onnx --rename-input 'in put=1=x' -o no.onnx
tenon edit odd.onnx --rename-node dup=x -o no.onnx
ls no.onnx 2>&1 || true
