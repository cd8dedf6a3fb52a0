# what becomes ONNX is simplified, what was ONNX stays
cat >m.txt <<'END'
ir_version: 8 opset_import { version: 17 }
graph {
  node { input: "x" output: "s" op_type: "Shape" }
  node { input: "x" input: "s" output: "r" op_type: "Reshape" }
  node { input: "c" input: "c" output: "d" op_type: "Add" }
  node { input: "r" input: "d" output: "y" op_type: "Sub" }
  name: "g"
  initializer { dims: 2 data_type: 1 name: "c" float_data: 1 float_data: 2 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}
END
tenon undump -q m.txt -t onnx.ModelProto -o m.onnx
ops() { echo "$*"; tenon convert -q "$@"; tenon ls --ops out.onnx | cut -f2 | paste -sd' '; rm out.onnx; }
tenon convert -q m.onnx -o m.fb
ops m.fb -o out.onnx
ops m.fb -o out.onnx --fold shapes
ops m.fb -o out.onnx --simplify no
ops m.onnx -o out.onnx
ops m.onnx -o out.onnx --simplify yes
ops m.onnx -o out.onnx --simplify yes --fold shapes
tenon convert m.onnx -o n.fb --simplify yes; echo $?
