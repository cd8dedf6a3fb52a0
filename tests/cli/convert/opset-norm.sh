# A batch normalization has three outputs if it trains, else one, also where nobody uses the others;
# its mean and variance have a type of their own.
norm() { # NAME OUTPUTS ATTRIBUTES TYPE
    cat >"$1.txt" <<TEXT
ir_version: 8 opset_import { version: 15 }
graph {
  node { input: "x" input: "s" input: "b" input: "m" input: "v" $2 op_type: "BatchNormalization" name: "norm" $3 }
  name: "g"
  input { name: "x" type { tensor_type { elem_type: $4 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
  input { name: "s" type { tensor_type { elem_type: $4 shape { dim { dim_value: 3 } } } } }
  input { name: "b" type { tensor_type { elem_type: $4 shape { dim { dim_value: 3 } } } } }
  input { name: "m" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  input { name: "v" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } } } } }
  output { name: "y" type { tensor_type { elem_type: $4 shape { dim { dim_value: 2 } dim { dim_value: 3 } } } } }
}
TEXT
    tenon undump "$1.txt" -o "$1.onnx" --type onnx.ModelProto -q
    for opset in 14 13; do
        echo "$1 $opset"
        tenon convert "$1.onnx" -o out.onnx --force -q --opset $opset && tenon ls out.onnx --ops
    done
}
train='attribute { name: "training_mode" type: INT i: 1 }'
norm used 'output: "y"' '' 1
norm unused 'output: "y" output: "p" output: "q"' '' 1
norm trains 'output: "y" output: "p" output: "q"' "$train" 1
norm half 'output: "y"' '' 10
