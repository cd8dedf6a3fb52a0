# A model whose axes, lists or sizes do not go together is not converted into a
# file that nothing runs, unless somebody says so.
model() { # a node of x, and an initializer
    cat <<END_OF_MODEL
ir_version: 8
graph {
  name: "g"
  node { op_type: "$1" input: "x" $2 output: "y" }
  $3
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { dim_value: 4 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_param: "n" } dim { } } } } }
}
opset_import { domain: "" version: 13 }
END_OF_MODEL
}
weights='initializer { name: "w" data_type: 1 dims: 5 dims: 4 raw_data: "01234567890123456789012345678901234567890123456789012345678901234567890123456789" }'
model MatMul 'input: "w"' "$weights" >sizes
model Softmax 'attribute { name: "axis" type: INT i: -3 }' >axis
model Transpose 'attribute { name: "perm" type: INTS ints: 0 ints: 0 }' >perm
model Tile 'input: "r"' 'initializer { name: "r" data_type: 7 dims: 3 int64_data: 1 int64_data: 1 int64_data: 2 }' >length
model Cast 'attribute { name: "to" type: INT i: 99 }' >type
for name in sizes axis perm length type; do
    tenon undump "$name" -o "$name.onnx"
    tenon check "$name.onnx"
    tenon convert -q "$name.onnx" -o "$name.fb"
    echo "$name: $?"
done
ls ./*.fb 2>/dev/null
tenon convert -q sizes.onnx -o sizes.fb --force-invalid
echo "forced: $?"
ls ./*.fb
