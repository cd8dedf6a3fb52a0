# The rules to fill in are a file that can be read; a dialect that stays needs
# none; a mistake in a file of rules is not blamed on the model.
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 } opset_import { domain: "my.ops" version: 1 }
graph {
  node { input: "x" output: "a" op_type: "Mystery" domain: "my.ops" }
  node { input: "a" output: "y" op_type: "Riddle" domain: "my.ops" attribute { name: "k" type: INT i: 1 } }
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
END
tenon undump m.txt -t onnx.ModelProto -o m.onnx
tenon convert --plan m.onnx -o m.fb >plan
echo $?
sed -n '/^# to fill in/,/^onnx -> nd4j/p' plan | sed '$d' >own.rules
cat own.rules
tenon rules explain my.ops::Riddle own.rules
tenon convert m.onnx -o m.fb --rules own.rules
tenon convert --plan m.onnx -o other.onnx
echo $?
echo 'rules onnx => nd4j' >bad.rules
tenon convert m.onnx -o m.fb --rules bad.rules
tenon convert m.onnx -o m.fb --rules bad.rules --plan
tenon rules coverage m.onnx --rules bad.rules
tenon convert m.onnx -o m.fb --rules nosuch.rules
