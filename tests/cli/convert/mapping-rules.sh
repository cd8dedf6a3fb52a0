# mapping rules of Deeplearning4j's language carry the nodes that they name
cat >relu.pbtxt <<'END'
mappings {
  frameworkName: "onnx"
  opName: "relu6"
  inputFrameworkOpName: "Relu"
  rule {
    ruleName: "ndarraymapping"
    functionName: "ndarraymapping"
    inputToOutput { key: "input" value: "X" }
    ruleType: "tensor"
  }
  rule {
    ruleName: "argdescriptorconstant"
    functionName: "argdescriptorconstant"
    ruleType: "attribute"
    transformerArgs {
      key: "value"
      transformerArgs { name: "cutoff" doubleValue: 0.5 argType: DOUBLE }
    }
  }
}
mappings {
  frameworkName: "onnx" opName: "noop" inputFrameworkOpName: "Conv"
}
mappings {
  frameworkName: "onnx" opName: "softmax" inputFrameworkOpName: "Softmax"
  rule { ruleName: "ndarraymapping" inputToOutput { key: "input" value: "input" } ruleType: "tensor" }
  rule { ruleName: "valuemapping" inputToOutput { key: "dimension" value: "axis" } ruleType: "attribute" }
}
END
tenon convert --plan tiny.onnx -o t.fb --rules relu.pbtxt | sed 's/rules:[0-9]*/rules:N/'
tenon convert tiny.onnx -o t.fb --rules relu.pbtxt && tenon ls t.fb --ops --long | grep -e relu -e softmax
# gzip, and beside rules of our own language
gzip <relu.pbtxt >relu.gz
printf 'rules onnx -> nd4j 1\nSoftmax@13..(input; axis) => softmax(input; dimension: axis)\n' >own.rules
tenon convert --plan tiny.onnx -o u.fb --rules own.rules,relu.gz | grep -e Relu -e Softmax
# ours not at all
tenon convert tiny.onnx -o v.fb --rules relu.pbtxt --only-rules 2>&1 | sed 's/rules:[0-9]*/rules:N/'
tenon convert --plan tiny.onnx -o v.fb --rules relu.pbtxt --only-rules | sed '1,/^$/d' | head -6
# a mistake that is known of a mapper is told, and too much for --strict
printf 'mappings { frameworkName: "onnx" opName: "softmax" inputFrameworkOpName: "Relu" }\nmappings { frameworkName: "onnx" opName: "maxpool2d" inputFrameworkOpName: "MaxPool" }\n' >odd.pbtxt
tenon convert tiny.onnx -o w.fb --rules odd.pbtxt --plan | grep -c odd
printf 'mappings { frameworkName: "onnx" opName: "softmax" }\n' >broken.pbtxt
tenon convert tiny.onnx -o w.fb --rules broken.pbtxt
printf 'opList { name: "relu" }\n' >ops.pbtxt
tenon convert tiny.onnx -o w.fb --rules ops.pbtxt
tenon convert tiny.onnx -o w.fb --rules tiny.onnx
