# a node alone, as text, file and whole model, becomes op descriptors
tenon rules interpret 'op_type: "Relu" input: "x" output: "y"'
tenon rules interpret --json 'op: "Neg" input: "a:1" attr { key: "T" value { type: DT_FLOAT } }'
echo 'op_type: "SequenceLength" input: "s" output: "n"' >node.pbtxt
tenon rules interpret node.pbtxt
tenon rules interpret node.pbtxt >one
tenon rules interpret - <node.pbtxt | cmp - one && echo same
tenon rules interpret --list --binary 'op_type: "Relu" input: "x" output: "y"' -o relu.pb
tenon rules interpret --list 'op_type: "Relu" input: "x" output: "y"' -o relu.pbtxt
tenon rules interpret --list --binary 'op_type: "Relu" input: "x" output: "y"' | cmp - relu.pb && echo piped
tenon undump relu.pbtxt -t org.nd4j.ir.OpDescriptorList -o again.pb
cmp relu.pb again.pb && echo the same message
tenon rules ls relu.pbtxt
tenon rules interpret tiny.onnx | grep '^  name: '
# what is not known, and how to tell it
tenon rules interpret --strict 'op_type: "Conv" input: "X" input: "W" output: "Y"' 2>&1 | sed 's/rules:[0-9]*/rules:N/'
tenon rules interpret 'op_type: "Conv" input: "X" input: "W" output: "Y"' 2>&1 | grep -e assumed -e ^name -e hint
tenon rules interpret --json 'op_type: "MatMul" input: "a" input: "b"' 2>&1 | grep assumed
tenon rules interpret 'op_type: "MatMul" input: "a" input: "b"' 2>/dev/null >told.pbtxt
tenon undump told.pbtxt -t org.nd4j.ir.OpDescriptor -o told.pb && echo a comment
tenon rules interpret 'op_type: "MatMul" input: "a" input: "b"' --inputs 'c:float32'
tenon rules interpret 'op_type: "Relu" input: "x"' --opset 0
tenon rules interpret tiny.onnx --inputs 'x:float32'
# an op of Paddle, and inputs that are none
tenon rules interpret 'type: "softmax" inputs { parameter: "X" arguments: "x" } outputs { parameter: "Out" arguments: "y" }' | grep ^name
tenon rules interpret 'op: "Neg" input: "x:-1"'
tenon rules interpret 'op: "Neg" input: "x:99999999999"'
tenon rules interpret 'op_type: "Constant" output: "c" attribute { name: "value" type: TENSOR t { dims: 3 data_type: 99 float_data: 1 } }'
tenon rules interpret 'op_type: "Constant" output: "c" attribute { name: "value" type: TENSOR t { dims: 3 data_type: 1 float_data: 1 } }'
tenon rules interpret --strict 'op: "Floor" input: "x"'
tenon rules interpret 'op: "Pack" input: "x" input: "y"' 2>&1 | grep -e ^name -e assumed
tenon rules interpret 'op_type: "Conv" input: "X" input: "W" output: "Y"' --inputs 'W:float32[4,3,5,5]' | grep -c int64Value
# a NodeDef that leaves out which type its inputs have
tenon rules interpret 'op: "MatMul" input: "a" input: "b"' 2>&1 | grep -e ^name -e assumed -e FLOAT
tenon rules interpret --strict 'op: "Floor" input: "x"' --inputs 'x:float64' | grep -e ^name -e DOUBLE
tenon rules interpret 'op: "Cast" input: "x"'
# a kernel tells how many axes the image has, and no shape is needed
for node in Conv ConvTranspose ConvInteger MaxPool AveragePool LpPool; do
    echo "op_type: \"$node\" input: \"X\" input: \"W\" output: \"Y\" attribute { name: \"kernel_shape\" type: INTS ints: 3 ints: 2 }" \
        | sed '/Pool/s/input: "W"//' | tenon rules interpret --list - 2>&1 | sed -n 's/^  name: //p' | tr '\n' ' '
    echo
done
tenon rules interpret 'op_type: "SequenceConstruct" input: "a"' | grep -c opList
tenon rules interpret --strict 'op_type: "SequenceConstruct" input: "a"' 2>&1 | sed 's/rules:[0-9]*/rules:N/'
tenon rules interpret 'op_type: "Relu" input: "x"' --inputs 'x:flot'
tenon rules interpret 'op_type: "Swirl" input: "x"'
tenon rules interpret
tenon rules interpret nowhere.pb
tenon rules interpret --list 'op_type: "Relu"' -o relu.pbtxt
