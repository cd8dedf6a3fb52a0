#!/bin/sh
# copy_function.sh EXAMPLE TENON: the example program does what it says, in
# both dialects: the result is clean, and judged by protoc.
set -eu
example=$1 tenon=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >from.textproto <<'END'
ir_version: 8
opset_import { version: 17 }
opset_import { domain: "local" version: 1 }
graph {
  node { input: "x" output: "y" name: "call" op_type: "Twice" domain: "local" }
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { } } } }
}
functions {
  name: "Twice" input: "a" output: "b"
  node { input: "a" input: "a" output: "b" op_type: "Add" }
  opset_import { version: 17 }
  domain: "local"
}
END
"$tenon" undump from.textproto -o from.onnx
"$tenon" undump "$root/examples/tiny.onnx.textproto" -o to.onnx
"$example" from.onnx Twice to.onnx out.onnx
"$tenon" dump out.onnx >out.text
protoc -I"$root/schemas" --decode=onnx.ModelProto onnx.proto <out.onnx |
    diff - out.text
grep -q 'op_type: "Twice"' out.text
grep -q 'name: "Twice"' out.text
"$tenon" hash to.onnx >before
"$tenon" hash out.onnx >after
cmp before after

cat >from.pbtxt <<'END'
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "twice" input: "x" }
library {
  function {
    signature {
      name: "twice"
      input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_FLOAT }
    }
    node_def {
      name: "sum" op: "AddV2" input: "a" input: "a"
      attr { key: "T" value { type: DT_FLOAT } }
    }
    ret { key: "b" value: "sum:z:0" }
  }
}
versions { producer: 1087 min_consumer: 12 }
END
cat >to.pbtxt <<'END'
node { name: "in" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "out" op: "Neg" input: "in" attr { key: "T" value { type: DT_FLOAT } } }
versions { producer: 1087 min_consumer: 12 }
END
"$tenon" undump from.pbtxt -o from.pb
"$tenon" undump to.pbtxt -o to.pb
"$example" from.pb twice to.pb out.pb
"$tenon" check out.pb
"$tenon" dump out.pb >out.text
protoc -I"$root/schemas" --decode=tensorflow.GraphDef tensorflow.proto <out.pb |
    diff - out.text
grep -q 'op: "twice"' out.text
grep -q 'input: "inserted_call"' out.text
