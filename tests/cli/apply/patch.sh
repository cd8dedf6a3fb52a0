# A patch makes one model of another: nodes, names, attributes, weights.
cat > a.pbtxt <<'END'
ir_version: 8 producer_name: "one" metadata_props { key: "old" value: "1" } opset_import { version: 17 }
graph { name: "g"
  node { input: "x" input: "w" output: "h" name: "first" op_type: "MatMul" }
  node { input: "h" output: "r" name: "act" op_type: "LeakyRelu" attribute { name: "alpha" f: 0.1 type: FLOAT } }
  node { input: "r" output: "d" name: "drop" op_type: "Dropout" }
  node { input: "d" input: "b" output: "y" name: "last" op_type: "Add" }
  initializer { dims: 2 dims: 2 data_type: 1 name: "w" float_data: [1, 2, 3, 4] }
  initializer { dims: 2 data_type: 1 name: "b" float_data: [1, 2] }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
}
END
cat > b.pbtxt <<'END'
ir_version: 8 producer_name: "two" metadata_props { key: "new" value: "a b" } opset_import { version: 17 }
graph { name: "g"
  node { input: "x" input: "w" output: "h" name: "first" op_type: "MatMul" }
  node { input: "h" output: "r" name: "act" op_type: "LeakyRelu" attribute { name: "alpha" f: 0.2 type: FLOAT } }
  node { input: "r" input: "bias" output: "s" name: "last" op_type: "Add" }
  node { input: "s" output: "y" name: "end" op_type: "Sigmoid" }
  initializer { dims: 2 dims: 2 data_type: 1 name: "w" float_data: [1, 2, 3, 4.5] }
  initializer { dims: 2 data_type: 1 name: "bias" float_data: [1, 2] }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "N" } dim { dim_value: 2 } } } } }
}
END
tenon undump -q a.pbtxt -o a.onnx --from onnx; tenon undump -q b.pbtxt -o b.onnx --from onnx
tenon diff --stat --patch fix.patch a.onnx b.onnx; echo $?
cat fix.patch
tenon apply a.onnx fix.patch -o c.onnx
tenon diff c.onnx b.onnx && echo same
tenon ls fix.patch.safetensors
# And back.
tenon diff -q --stat --patch back.patch b.onnx a.onnx > /dev/null
tenon apply -q c.onnx back.patch -o d.onnx
tenon diff d.onnx a.onnx && echo same
tenon apply --json a.onnx fix.patch -o e.onnx
# Sets of tensors.
tenon convert -q a.onnx -o a.safetensors --to safetensors; tenon convert -q b.onnx -o b.safetensors --to safetensors
tenon diff -q --stat --patch set.patch a.safetensors b.safetensors
sed 1,2d set.patch
tenon apply -q a.safetensors set.patch -o c.safetensors
tenon diff c.safetensors b.safetensors && echo same
