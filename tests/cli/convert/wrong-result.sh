# What rules make is held against the operators of the target before it is
# written: nothing is written whose types or ranks do not fit.  And a writer that
# lays a graph out anew asks the same of the graph that it is given.
model() { # nodes, then what else the graph has
    cat <<END_OF_MODEL
ir_version: 8
graph {
  name: "g"
  $1
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  $2
}
opset_import { domain: "" version: 13 }
END_OF_MODEL
}
model 'node { op_type: "Relu" input: "x" output: "y" }' >relu
tenon undump relu -o relu.onnx
printf 'rules onnx -> nd4j 1\nRelu(X) => gather_nd(X, X)\n' >types.rules
printf 'rules onnx -> nd4j 1\nRelu(X) => conv2d(X, X; kH: 1, kW: 1, sH: 1, sW: 1, pH: 0, pW: 0, dH: 1, dW: 1, isSameMode: 0)\n' >ranks.rules
for name in types ranks; do
    tenon convert -q relu.onnx -o out.fb --rules "$name.rules"
    echo "$name: $?"
done
ls out.* 2>/dev/null
tenon convert -q relu.onnx -o wrong.fb --rules types.rules --force-invalid
tenon convert -q wrong.fb -o out.sdz
echo "another container: $?"
tenon convert -q wrong.fb -o copy.fb # the same one: nothing is read from it
cat >two.pdmodel.txt <<'END_OF_PROGRAM'
blocks { idx: 0 parent_idx: -1
  vars { name: "feed" type { type: FEED_MINIBATCH } persistable: true }
  vars { name: "fetch" type { type: FETCH_LIST } persistable: true }
  vars { name: "x" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 } } } }
  vars { name: "i" type { type: LOD_TENSOR lod_tensor { tensor { data_type: INT64 dims: 2 } } } }
  vars { name: "y" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 } } } }
  ops { inputs { parameter: "X" arguments: "feed" } outputs { parameter: "Out" arguments: "x" } type: "feed" attrs { name: "col" type: INT i: 0 } }
  ops { inputs { parameter: "X" arguments: "feed" } outputs { parameter: "Out" arguments: "i" } type: "feed" attrs { name: "col" type: INT i: 1 } }
  ops { inputs { parameter: "Y" arguments: "i" } inputs { parameter: "X" arguments: "x" } outputs { parameter: "Out" arguments: "y" } type: "elementwise_add" }
  ops { inputs { parameter: "X" arguments: "y" } outputs { parameter: "Out" arguments: "fetch" } type: "fetch" attrs { name: "col" type: INT i: 0 } }
}
END_OF_PROGRAM
for to in out.onnx out.fb out.json; do
    tenon convert -q two.pdmodel.txt -o "$to"
    echo "two.pdmodel.txt to $to: $?"
done
# Weights are not read for it: those of this model are not there at all.
model 'node { op_type: "Add" input: "x" input: "w" output: "y" }' \
    'initializer { name: "w" data_type: 7 dims: 3 data_location: EXTERNAL external_data { key: "location" value: "gone.bin" } }' >gone
tenon undump gone -o gone.onnx
tenon convert -q gone.onnx -o out.fb
echo "gone: $?"
# Ranks, where they are known.
model 'node { op_type: "Relu" input: "x" output: "a" } node { op_type: "Gemm" input: "a" input: "a" output: "y" }' >gemm
tenon undump gemm -o gemm.onnx
tenon convert -q gemm.onnx -o out.fb
echo "gemm: $?"
cat >image.pbtxt <<'END_OF_GRAPH'
node { name: "y" op: "AvgPool" input: "r" attr { key: "T" value { type: DT_FLOAT } } attr { key: "ksize" value { list { i: 1 i: 2 i: 2 i: 1 } } }
  attr { key: "strides" value { list { i: 1 i: 2 i: 2 i: 1 } } } attr { key: "padding" value { s: "SAME" } } }
node { name: "r" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 8 } dim { size: 8 } dim { size: 3 } } } } }
END_OF_GRAPH
tenon convert -q image.pbtxt -o out.onnx
echo "image: $?"
ls out.* 2>/dev/null
true
