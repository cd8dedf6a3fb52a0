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
tenon rules interpret 'op_type: "Conv" input: "X" input: "W" output: "Y"' 2>&1 | sed 's/rules:[0-9]*/rules:N/'
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
