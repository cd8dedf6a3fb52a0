#!/bin/sh
# custom_rules.sh NATIVE_RULE CUSTOM_FUNCTION TENON: rules call functions of the
# examples, in our language and in Deeplearning4j's.
set -eu
native=$1 custom=$2 tenon=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# 4 + 3 x + 2 x^2 as (2 x + 3) x + 4
cat >model.textproto <<'END'
ir_version: 8
opset_import { version: 17 }
opset_import { domain: "com.example" version: 1 }
graph {
  node {
    input: "x" output: "y" op_type: "Polynomial" domain: "com.example"
    attribute { name: "coefficients" type: FLOATS floats: 4 floats: 3 floats: 2 }
  }
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 5 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 } } }
}
END
cat >my.rules <<'END'
rules onnx -> nd4j 1
com.example::Polynomial(X; coefficients) => native horner
END
"$tenon" undump model.textproto -o model.onnx
if "$tenon" convert model.onnx -o no.fb --rules my.rules 2>err; then
    echo "a function that nobody has was called"
    exit 1
fi
grep -q "no function in C is called 'horner'" err
"$native" model.onnx my.rules out.fb
"$tenon" check out.fb
"$tenon" convert out.fb -o back.onnx
"$tenon" dump back.onnx >text
sed -n 's/.*op_type: "\(.*\)"/\1/p' text >ops
printf 'Mul\nAdd\nMul\nAdd\n' | diff - ops
sed -n 's/.*raw_data: "\(.*\)"/\1/p' text >values # 2, 3 and 4
printf '%s\n' '\000\000\000@' '\000\000@@' '\000\000\200@' | diff - values

cat >ops.pbtxt <<'END'
opList {
  name: "lrelu"
  argDescriptor { name: "input" argType: INPUT_TENSOR argIndex: 0 }
  argDescriptor { name: "alpha" argType: DOUBLE argIndex: 0 }
  argDescriptor { name: "output" argType: OUTPUT_TENSOR argIndex: 0 }
  opDeclarationType: OP_IMPL
}
END
cat >rules.pbtxt <<'END'
mappings {
  frameworkName: "tensorflow"
  opName: "lrelu"
  inputFrameworkOpName: "LeakyRelu"
  rule { ruleName: "percent" inputToOutput { key: "alpha" value: "slope" } }
}
END
printf 'name: "n" op: "LeakyRelu" input: "x" attr { key: "slope" value { i: 25 } }' |
    protoc -I"$root/schemas" --encode=tensorflow.NodeDef tensorflow.proto >node
"$custom" ops.pbtxt rules.pbtxt node >out
printf 'lrelu\nalpha = 0.25\n' | diff - out
