# Half the bits inside; inputs and outputs keep their type.
tenon edit -q tiny.onnx -o half.onnx --float16
tenon ls --ops half.onnx
tenon ls half.onnx | cut -f1-3
tenon check half.onnx
tenon edit -q tiny.onnx -o all.onnx --keep-float32 Softmax,compete --bfloat16-io
tenon ls --ops all.onnx
tenon info all.onnx | sed -n '/^Inputs/,/^Parameters/p'
tenon check all.onnx
# What does not fit is told.
cat >big.txt <<END
ir_version: 8 opset_import { version: 17 }
graph { name: "g"
  node { input: "x" input: "w" output: "y" op_type: "Add" }
  initializer { dims: 8 data_type: 1 name: "w" float_data: 1e6 float_data: -1e30
    float_data: 1e-9 float_data: 1 float_data: 0 float_data: 2 float_data: 3 float_data: 4 }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 8 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 8 } } } } }
}
END
tenon undump -q big.txt -o big.onnx
tenon edit big.onnx -o small.onnx --float16
tenon get small.onnx w --text
tenon convert -q tiny.onnx -o tiny.safetensors
# A set of tensors, too.
tenon edit -q tiny.safetensors -o half.safetensors --keep-float32 compete --float16
tenon ls half.safetensors | cut -f1-3
tenon edit -q tiny.safetensors -o half.npz --bfloat16
echo $?
ls
# A TensorFlow graph: types are attributes, and an output keeps its own.
cat >graph.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 2 } dim { size: 4 } } } } }
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: [0.5, 2, 99999, 1] } } } }
node { name: "axis" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
       attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
node { name: "sum" op: "AddV2" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "parts" op: "Split" input: "axis" input: "sum" attr { key: "T" value { type: DT_FLOAT } } attr { key: "num_split" value { i: 2 } } }
node { name: "log" op: "Log" input: "parts:1" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "y" op: "ConcatV2" input: "parts" input: "log" input: "axis" attr { key: "N" value { i: 2 } }
       attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tidx" value { type: DT_INT32 } } }
END
tenon convert -q graph.pbtxt -o graph.pb
tenon edit -q graph.pb -o half.pb --keep-float32 Log --float16 --patch-out undo.patch
tenon check half.pb
tenon ls --ops --long half.pb | cut -f1,2,4,8
tenon ls --long half.pb | cut -f1-3
tenon apply -q half.pb undo.patch -o back.pb
tenon diff back.pb graph.pb
tenon edit -q graph.pb -o io.pb --bfloat16-io
tenon ls --ops --long io.pb | cut -f1,2,4,8
tenon convert -q tiny.onnx -o tiny.fb
tenon edit tiny.fb -o no.fb --float16
echo $?
