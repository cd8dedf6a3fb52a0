# lists without items, and an attribute that has no value at all
tenon undump - --type tensorflow.GraphDef -o empty.pb <<'END'
node { name: "a" op: "Conv2D" input: "x" input: "k"
  attr { key: "explicit_paddings" value { list { } } }
  attr { key: "nothing" value { } } }
END
tenon ls --ops --long empty.pb
tenon ls --ops --long --json empty.pb
tenon undump - --type onnx.ModelProto -o empty.onnx <<'END'
ir_version: 8 opset_import { version: 12 }
graph { name: "g" node { op_type: "ReduceMean" input: "x" output: "y"
  attribute { name: "axes" type: INTS } attribute { name: "untyped" } } }
END
tenon ls --ops --long empty.onnx
tenon ls --ops --long --json empty.onnx
