# a graph that cannot be smaller is written as it is: producer, types of inner
# values and all; a Transpose that could only be elsewhere stays where it is
cat >model.pbtxt <<'END'
ir_version: 8 producer_name: "somebody" opset_import { version: 17 }
graph { name: "g"
  node { op_type: "Conv" input: "x" input: "w" output: "c" name: "c" }
  node { op_type: "Transpose" input: "c" output: "t" name: "t"
    attribute { name: "perm" type: INTS ints: 0 ints: 2 ints: 3 ints: 1 } }
  node { op_type: "Softmax" input: "t" output: "s" name: "s" attribute { name: "axis" type: INT i: 3 } }
  node { op_type: "Reshape" input: "s" input: "dims" output: "y" name: "r" }
  initializer { name: "w" data_type: 1 dims: 2 dims: 1 dims: 1 dims: 1 float_data: 1 float_data: 2 }
  initializer { name: "dims" data_type: 7 dims: 1 int64_data: -1 }
  value_info { name: "c" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } dim { dim_value: 3 } dim { dim_value: 4 } } } } }
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 1 } dim { dim_value: 3 } dim { dim_value: 4 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 24 } } } } } }
END
tenon undump model.pbtxt -o model.onnx
tenon simplify model.onnx -o same.onnx
cmp model.onnx same.onnx && echo the same bytes
# but weights that nothing uses go, and weights outside come in
sed 's/  initializer { name: "dims"/  initializer { name: "u" data_type: 1 dims: 1 float_data: 1 }\n&/' model.pbtxt >more.pbtxt
tenon undump more.pbtxt -o more.onnx
tenon simplify -q more.onnx -o less.onnx
tenon ls less.onnx | cut -f1
tenon convert -q model.onnx -o outside.onnx --external weights.bin --threshold 1
mkdir out
tenon simplify -q outside.onnx -o out/inside.onnx
ls out
# a receipt lists tensors, so the graph is made again
tenon simplify -q model.onnx -o made.onnx --receipt receipt
cmp -s model.onnx made.onnx || echo made again
