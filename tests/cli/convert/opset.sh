# A graph in another opset, or why not.
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 }
graph {
  node { input: "x" input: "a" output: "y" op_type: "Unsqueeze" name: "wider" }
  node { input: "y" output: "z" op_type: "Trilu" name: "act" }
  name: "g"
  initializer { dims: 1 data_type: 7 int64_data: 0 name: "a" }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "z" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } }
}
END
tenon undump m.txt -o m.onnx --type onnx.ModelProto -q
opset() { tenon convert m.onnx -o out.onnx --force "$@" && tenon info out.onnx | grep -E 'ir_version|opset'; }
opset --opset 21
opset --opset 14
opset --opset 13
opset --outputs y --opset 12 && tenon ls out.onnx --ops
sed 's/Trilu/Bernoulli/' m.txt >chance.txt
tenon undump chance.txt -o chance.onnx --type onnx.ModelProto -q
tenon convert chance.onnx -o out.onnx --force --opset 14
opset --opset 10
opset --opset 99
# The domain of ONNX's own operators has two names.
sed 's/op_type/domain: "ai.onnx" op_type/; s/Trilu/Relu/; s/version: 17/domain: "ai.onnx" &/' m.txt >own.txt
tenon undump own.txt -o own.onnx --type onnx.ModelProto -q
tenon convert own.onnx -o out.onnx --force -q --opset 12 && tenon info out.onnx | grep opset
tenon convert own.onnx -o out.onnx --force -q --simplify yes && tenon check out.onnx
tenon convert m.onnx -o out.fb --opset 17
