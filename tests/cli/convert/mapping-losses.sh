# what a mapper leaves out of a node is a loss, which node it refuses a note
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 }
graph { name: "g"
  node { op_type: "Conv" name: "c" input: "x" input: "w" output: "c"
    attribute { name: "group" i: 2 type: INT }
    attribute { name: "kernel_shape" ints: [1, 1] type: INTS }
    attribute { name: "strides" ints: [1, 1] type: INTS }
    attribute { name: "dilations" ints: [1, 1] type: INTS }
    attribute { name: "pads" ints: [1, 1, 0, 2] type: INTS } }
  node { op_type: "Selu" name: "s" input: "c" output: "s"
    attribute { name: "alpha" f: 2 type: FLOAT } }
  node { op_type: "Selu" name: "t" input: "s" output: "t" }
  node { op_type: "Shape" name: "y" input: "t" output: "y"
    attribute { name: "start" i: 1 type: INT } }
  node { op_type: "Relu" name: "r" input: "t" output: "r" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_value: 4 } dim { dim_param: "h" } dim { dim_param: "k" } } } } }
  initializer { name: "w" data_type: 1 dims: [2, 2, 1, 1] float_data: [1, 2, 3, 4] }
  output { name: "y" type { tensor_type { elem_type: 7 shape { dim { dim_value: 3 } } } } }
  output { name: "r" type { tensor_type { elem_type: 1 shape { dim { dim_param: "a" } dim { dim_param: "b" } dim { dim_param: "d" } dim { dim_param: "e" } } } } }
}
END
tenon undump m.txt -t onnx.ModelProto -o m.onnx
lookup() {
    printf 'rule { ruleName: "listattributevaluelookuptoindex" ruleType: "attribute" '
    printf 'inputToOutput { key: "%s" value: "%s" } transformerArgs { key: "%s" transformerArgs { int64Value: %s } } }\n' "$1" "$2" "$1" "$3"
}
inputs() {
    printf 'rule { ruleName: "ndarraymapping" ruleType: "tensor" inputToOutput { key: "input" value: "%s" } }\n' "$1"
}
{
    echo 'mappings { frameworkName: "onnx" opName: "conv2d" inputFrameworkOpName: "Conv"'
    inputs X
    lookup kH kernel_shape 0; lookup kW kernel_shape 1
    lookup sH strides 0; lookup sW strides 1
    lookup pH pads 0; lookup pW pads 1
    lookup dH dilations 0; lookup dW dilations 1
    echo 'rule { ruleName: "argdescriptorconstant" ruleType: "attribute" transformerArgs { key: "value"'
    echo 'transformerArgs { name: "isSameMode" argType: INT64 argIndex: 8 } transformerArgs { name: "isNCHW" argType: INT64 argIndex: 9 }'
    echo 'transformerArgs { name: "wFormat" int64Value: 1 argType: INT64 argIndex: 10 } } }'
    echo '} mappings { frameworkName: "onnx" opName: "selu" inputFrameworkOpName: "Selu"'
    inputs X
    echo '} mappings { frameworkName: "onnx" opName: "shape_of" inputFrameworkOpName: "Shape"'
    inputs data
    echo '} mappings { frameworkName: "onnx" opName: "noop" inputFrameworkOpName: "Relu" }'
} >theirs.pbtxt
tenon convert m.onnx -o m.fb --rules theirs.pbtxt
tenon convert --json --force m.onnx -o m.fb --rules theirs.pbtxt 2>/dev/null | grep -e '"rule"' -e notes
tenon convert m.onnx -o n.fb --rules theirs.pbtxt --strict || echo "exit $?"
tenon convert m.onnx -o n.fb --rules theirs.pbtxt --only-rules || echo "exit $?"
