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
