# What `check` finds wrong with a graph is not converted, between dialects and
# between containers of one; --force-invalid goes on, and says so.
model() { # OPSET, then nodes
    cat <<END_OF_MODEL
ir_version: 8
graph {
  name: "g"
  $2
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  input { name: "i" type { tensor_type { elem_type: 7 shape { dim { dim_value: 3 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
}
opset_import { domain: "" version: $1 }
END_OF_MODEL
}
model 9 'node { op_type: "ThresholdedRelu" input: "x" output: "y" }' >came-later
model 9 'node { op_type: "Shrink" input: "x" output: "y" attribute { name: "slope" f: 1 type: FLOAT } }' >no-such-attribute
model 13 'node { op_type: "Concat" input: "x" input: "x" output: "y" }' >no-axis
model 13 'node { op_type: "Relu" input: "x" output: "y" } node { op_type: "Abs" input: "x" output: "y" }' >made-twice
model 13 'node { op_type: "Add" input: "x" input: "i" output: "y" }' >two-types
model 13 'node { op_type: "Relu" input: "i" output: "y" }' >not-its-type
model 13 'node { op_type: "Cast" input: "i" output: "y" attribute { name: "to" i: 10 type: INT } }' >declared-otherwise
for name in came-later no-such-attribute no-axis made-twice two-types \
    not-its-type declared-otherwise; do
    tenon undump "$name" -o "$name.onnx"
    tenon convert -q "$name.onnx" -o out.fb
    echo "$name: $?"
    tenon convert -q --plan "$name.onnx" -o out.fb >plan 2>&1
    echo "$name, planned: $?, $(grep -o '\[[a-z-]*\]$' plan)"
done
tenon convert -q --plan --force-invalid two-types.onnx -o out.fb | tail -1
cat >half.pbtxt <<'END_OF_GRAPH'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_HALF } } }
END_OF_GRAPH
tenon convert half.pbtxt -o out.onnx
echo "half: $?"
ls out.* 2>/dev/null
tenon convert came-later.onnx -o copied.onnx # nothing is read from the graph
tenon convert two-types.onnx -o out.fb --force-invalid
tenon convert out.fb -o out.onnx
echo "what became of it: $?"
tenon convert --json --force-invalid half.pbtxt -o out.fb --force | grep findings
