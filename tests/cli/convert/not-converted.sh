# Why something is not converted: one whole reason, and the way out.
model() { # NODES INPUTS: a graph from x to y
    cat <<END
ir_version: 8
graph {
  name: "g"
  $1
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_param: "m" } } } } }
  input { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_param: "m" } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_param: "m" } } } } }
}
opset_import { version: $2 }
END
}
refused() {
    tenon undump "$1.textproto" -o "$1.onnx" && shift
    tenon convert "$@"
    echo "$?"
}
# several rules, none for this form of the operator
model 'node { op_type: "Hardmax" input: "x" output: "y" }' 11 >open.textproto
refused open open.onnx -o open.fb 2>lines # the number of a line of ours is not the point
sed 's/rules:[0-9]*/rules:N/' lines
# a rule that needs a number of the shape: the same way out
sed 's/dim { dim_param: "m" }/dim { dim_value: 1 } dim { dim_value: 1 }/' >steps.textproto <<END
$(model 'initializer { dims: 1 dims: 1 dims: 1 data_type: 1 name: "w" float_data: 2 }
         node { op_type: "RNN" input: "x" input: "w" input: "w" output: "" output: "y" attribute { name: "clip" type: FLOAT f: 3 } attribute { name: "hidden_size" type: INT i: 1 } }' 17)
END
refused steps steps.onnx -o steps.fb 2>lines
sed 's/rules:[0-9]*/rules:N/' lines
# inputs that leave out one that is needed
model 'node { op_type: "Relu" input: "x" output: "e" } node { op_type: "Add" input: "e" input: "z" output: "y" }' 17 >cut.textproto
refused cut cut.onnx -o part.onnx --inputs e --outputs y
tenon convert cut.onnx -o part.fb --inputs e --outputs y
echo "$?"
# weights that are not there
model 'initializer { dims: 2 data_type: 7 name: "s" data_location: EXTERNAL
         external_data { key: "location" value: "gone.bin" } external_data { key: "length" value: "16" } }
       node { op_type: "Reshape" input: "x" input: "s" output: "r" } node { op_type: "Hardmax" input: "r" output: "y" }' 11 >gone.textproto
refused gone gone.onnx -o gone.fb
# variables without their values
cat >variable.pbtxt <<'END'
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "r" op: "ReadVariableOp" input: "v" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "Relu" input: "r" attr { key: "T" value { type: DT_FLOAT } } }
END
tenon convert variable.pbtxt -o v.onnx
echo "$?"
# texts, where there are none
model 'initializer { dims: 1 data_type: 8 name: "s" string_data: "a" } node { op_type: "Relu" input: "x" output: "y" }' 17 >texts.textproto
refused texts texts.onnx -o texts.safetensors
# a node whose last outputs are for training
cat >norm.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 1 } dim { size: 1 } dim { size: 1 } dim { size: 1 } } } } }
node { name: "s" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 2 } } } }
node { name: "y" op: "FusedBatchNormV3" input: "x" input: "s" input: "s" input: "s" input: "s" attr { key: "T" value { type: DT_FLOAT } } attr { key: "U" value { type: DT_FLOAT } } attr { key: "is_training" value { b: false } } }
END
tenon convert norm.pbtxt -o norm.onnx --outputs y:3 2>lines
echo "$?"
sed 's/rules:[0-9]*/rules:N/' lines
tenon convert -q norm.pbtxt -o norm.onnx --outputs y
echo "$?"
# which are no outputs of a graph that names none
tenon convert -qf norm.pbtxt -o norm.onnx && tenon info norm.onnx | sed -n '/^Outputs/,/^$/p'
