# New graphs, functions and strings are actions, not a copy of the model.
cat > a.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 } opset_import { domain: "f" version: 1 }
graph { name: "g"
  node { input: "x" output: "y" name: "r" op_type: "Relu" }
  initializer { dims: 2 data_type: 8 name: "words" string_data: "a" string_data: "b" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "c" type { tensor_type { elem_type: 9 shape { } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } }
END
cat > b.pbtxt <<'END'
ir_version: 8 opset_import { version: 17 } opset_import { domain: "f" version: 1 }
graph { name: "g"
  node { input: "x" output: "t" name: "call" op_type: "Twice" domain: "f" }
  node { input: "c" output: "y" name: "if" op_type: "If"
    attribute { name: "then_branch" type: GRAPH g { name: "then"
      node { input: "t" input: "w" output: "p" name: "n" op_type: "Mul" }
      initializer { dims: 1 data_type: 1 name: "w" float_data: 4 }
      output { name: "p" type { tensor_type { elem_type: 1 } } } } }
    attribute { name: "else_branch" type: GRAPH g { name: "else"
      node { input: "t" output: "q" op_type: "Softmax" attribute { name: "axis" type: INT i: 0 } }
      output { name: "q" type { tensor_type { elem_type: 1 } } } } } }
  initializer { dims: 3 data_type: 8 name: "words" string_data: "a" string_data: "b\000c" string_data: "" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  input { name: "c" type { tensor_type { elem_type: 9 shape { } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } }
functions { name: "Twice" domain: "f" input: "i" output: "o" opset_import { version: 17 }
  node { input: "i" input: "i" output: "o" op_type: "Add" doc_string: "kept" } }
END
for m in a b; do tenon undump -q $m.pbtxt -o $m.onnx --from onnx; done
tenon diff -q --stat --patch fix.patch a.onnx b.onnx
cat fix.patch; ls fix.patch*
tenon apply -q a.onnx fix.patch -o c.onnx
tenon diff c.onnx b.onnx && echo same
tenon dump c.onnx | grep -c kept
tenon check c.onnx && echo valid
tenon diff -q --stat --patch back.patch b.onnx a.onnx > /dev/null
sed 1,2d back.patch; ls back.patch*
tenon apply -q c.onnx back.patch -o d.onnx
tenon diff d.onnx a.onnx && echo same
# A change inside of a graph, and another name of the main graph.
sed 's/^graph { name: "g"/graph { name: "h"/; s/i: 0/i: -1/' b.pbtxt > renamed.pbtxt
tenon undump -q renamed.pbtxt -o renamed.onnx --from onnx
tenon diff -q --stat --patch name.patch b.onnx renamed.onnx
sed 1,2d name.patch
tenon apply -q b.onnx name.patch -o f.onnx && tenon diff f.onnx renamed.onnx && echo same
# Words that lead nowhere.
for line in 'add-graph none then_branch g' 'add-graph r then_branch g other' 'in @7' 'in @-1' 'add-function a.onnx Twice' \
    'add-function none.onnx Twice' 'put words fix.patch.safetensors:0:string[1]' 'set-attr r graph graph @9'; do
    echo "$line" > bad.patch
    tenon apply a.onnx bad.patch -o e.onnx; echo $?
done
digest=$(tenon ls fix.patch.safetensors | grep -o '[0-9a-f]\{64\}' | tail -1)
for type in 'string[2]' 'string[3' 'string' 'float32[1]' 'nonsense[3]' 'q4_0[32]' 'string[99999999999999999999]'; do
    echo "put words fix.patch.safetensors:$digest:$type" > bad.patch
    tenon apply a.onnx bad.patch -o e.onnx; echo $?
done
ls e.onnx 2>&1
