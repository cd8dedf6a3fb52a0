# what a mapper reads, drops, gives and leaves unset
cat >ops <<'END'
opList {
  name: "softmax"
  argDescriptor { name: "input" argType: INPUT_TENSOR }
  argDescriptor { name: "dimension" argType: INT64 }
  argDescriptor { name: "inPlace" argType: BOOL }
}
END
cat >rules <<'END'
mappings {
  frameworkName: "tensorflow"
  opName: "softmax"
  inputFrameworkOpName: "Softmax"
  rule {
    ruleName: "argdescriptorconstant"
    ruleType: "attribute"
    transformerArgs {
      key: "value"
      transformerArgs { name: "dimension" int64Value: 1 argType: INT64 }
    }
  }
  rule {
    ruleName: "ndarraymapping"
    ruleType: "tensor"
    inputToOutput { key: "input" value: "logits" }
  }
}
END
tenon rules ls ops
tenon rules ls ops rules
tenon rules explain Softmax --vocabulary ops --rules rules
tenon rules explain --json softmax ops rules
tenon rules export ops rules
