# ONNX in the words of nd4j and back: plan, rules of one's own, receipt, ends
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 } opset_import { domain: "my.ops" version: 1 }
graph {
  node { input: "x" input: "w" output: "a" op_type: "Add" }
  node { input: "a" output: "r" op_type: "Relu" }
  node { input: "r" output: "y" op_type: "Mystery" domain: "my.ops" }
  name: "g"
  initializer { dims: 2 data_type: 1 name: "w" float_data: 1 float_data: 2 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
END
cat >own.rules <<'END'
rules onnx -> nd4j 1
my.ops::Mystery(x0) => identity(x0)
END
tenon undump m.txt -t onnx.ModelProto -o m.onnx
plain() { sed 's/rules:[0-9]*/rules:N/'; }
tenon convert --plan m.onnx -o m.fb >plan; echo $?; plain <plan
tenon convert --plan --json m.onnx -o m.fb | plain
tenon convert --plan m.onnx -o m.fb --rules own.rules | plain
tenon convert m.onnx -o m.fb; echo $?
tenon convert m.onnx -o m.fb --allow Mystery; tenon ls --ops m.fb
tenon convert m.onnx -o own.fb --rules own.rules --receipt r; tenon ls --ops own.fb; cat r
tenon convert own.fb -o back.onnx; tenon ls --ops back.onnx; tenon check back.onnx
tenon convert m.onnx -o cut.onnx --inputs a --outputs r; tenon ls --ops cut.onnx; tenon check cut.onnx
tenon convert m.onnx -o folder/; echo $?
tenon convert m.onnx -o m.pb; echo $?
tenon convert m.onnx -o n.fb --outputs nobody; echo $?
