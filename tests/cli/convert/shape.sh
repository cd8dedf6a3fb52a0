# --shape: sizes that the model leaves open.
cat >open.textproto <<'END'
ir_version: 8
opset_import { version: 17 }
graph {
  name: "g"
  node { op_type: "Relu" input: "x" output: "e" }
  node { op_type: "Add" input: "e" input: "s" output: "y" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_value: 3 } } } } }
  input { name: "s" type { tensor_type { elem_type: 1 } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
END
tenon undump open.textproto -o open.onnx
ends() { tenon info "$1" | sed -n '/Inputs/,/Operators/p' | grep '\['; }
tenon convert -q open.onnx -o told.onnx --shape x=2,3,s= && ends told.onnx
tenon convert -q open.onnx -o told.fb --shape 's=?,1,x=?,3' && ends told.fb
# of an input that is chosen
tenon convert -q open.onnx -o part.onnx --inputs e,s --outputs y --shape e=7,3,s=1 && ends part.onnx
# of TensorFlow, by either name
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert -q graph.pbtxt -o graph.onnx --shape x=4,5 && ends graph.onnx
# names of open dimensions
tenon convert -q graph.pbtxt -o named.onnx --shape x=batch,?,5,n_2 && ends named.onnx
tenon convert -q open.onnx -o renamed.onnx --shape x=rows,3 && ends renamed.onnx
# what contradicts the model, or is no shape
for shape in x=2,n-1 x=2,4 x=2 q=1 2,3 x=2,-3 x=2,3x x=,3 =3 x=99999999999999999999 ''; do
    tenon convert -q open.onnx -o no.fb --shape "$shape"
    echo "$shape: $?"
done
# what contradicts an operator, behind others, of a model that says nothing
cat >deep.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { unknown_rank: true } } } }
node { name: "r" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "MatMul" input: "r" input: "r" attr { key: "T" value { type: DT_FLOAT } } attr { key: "transpose_b" value { b: true } } }
END
tenon convert -q deep.pbtxt -o deep.onnx --shape x=1,2,2,2
echo "$?"
tenon convert -q deep.pbtxt -o deep.onnx --shape x=4,2 && ends deep.onnx
tenon convert -q open.onnx -o no.npz --shape x=2,3
echo "$?"
