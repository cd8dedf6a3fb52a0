# a graph that several threads work on: names of nodes stay apart, fields that are left behind are told
awk 'BEGIN {
  print "ir_version: 8 opset_import { version: 17 } producer_name: \"awk\" graph { name: \"g\" doc_string: \"many\""
  for (i = 0; i < 11000; i++) {
    name = i % 4000 == 7 ? "twice" : i == 9001 ? "twice_1" : i == 300 ? "z" : "n" i
    printf "node { op_type: \"%s\" input: \"%s\" output: \"v%d\" name: \"%s\" %s }\n", i % 2 ? "Sin" : "Cos", i ? "v" i - 1 : "x", i, name, i % 5000 ? "" : "doc_string: \"a\""
  }
  print "node { op_type: \"Transpose\" input: \"v10999\" output: \"t\" name: \"twice\" attribute { name: \"perm\" type: INTS ints: 1 ints: 0 } }"
  print "node { op_type: \"Tanh\" input: \"t\" output: \"h\" name: \"h\" }"
  print "node { op_type: \"Transpose\" input: \"h\" output: \"y\" name: \"back\" attribute { name: \"perm\" type: INTS ints: 1 ints: 0 } }"
  print "node { op_type: \"Identity\" input: \"x\" output: \"z\" name: \"same\" }"
  split("input x output y output z", io, " ")
  for (i = 1; i < 6; i += 2)
    print io[i] " { name: \"" io[i + 1] "\" type { tensor_type { elem_type: 1 shape { dim { dim_value: 3 } dim { dim_value: 2 } } } } }"
  print "}" }' </dev/null >model.pbtxt
tenon undump -q model.pbtxt -o model.onnx --from onnx
tenon simplify model.onnx -o small.onnx
tenon simplify -q --workers 1 model.onnx -o alone.onnx
cmp small.onnx alone.onnx
tenon ls --ops small.onnx | cut -f1,2,4,5 | grep -e twice -e '^z' -e same -e back -e Tanh
tenon ls --ops small.onnx | cut -f1 | sort | uniq -d
tenon info small.onnx | grep -e awk -e many
