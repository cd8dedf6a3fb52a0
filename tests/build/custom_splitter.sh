#!/bin/sh
# custom_splitter.sh EXAMPLE: the splitter of docs/splitting.md takes a message
# apart as the tutorial says, and protoc finds the merged one unchanged.
set -eu
example=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

config() {
    protoc -I"$root/examples" --"$1"=ModelConfig model_config.proto
}
protoc -I"$root/examples" --descriptor_set_out=types model_config.proto

cat >config.text <<'TEXT'
model_name: "digits"
input_shape: 784
hidden_layers {
  name: "first"
  num_units: 300
  activation_function: TANH
}
hidden_layers {
  name: "second"
  num_units: 100
}
output_units: 10
output_activation: SIGMOID
hyperparameters {
  key: "dropout"
  value: 0.5
}
hyperparameters {
  key: "rate"
  value: 0.001
}
TEXT
config encode <config.text >config.pb
"$example" types config.pb digits merged.pb >said
# The base keeps the name and the shape, and an empty place for each layer.
cat >expected <<'TEXT'
digits.cpb
chunk 0: 19 bytes
chunk 1: 12 bytes
chunk 2: 10 bytes
chunk 3: 29 bytes
TEXT
diff expected said
config decode <merged.pb | diff config.text -

echo 'model_name: "empty"' >empty.text
config encode <empty.text >empty.pb
"$example" types empty.pb empty merged.pb >said
[ "$(head -n 1 said)" = empty.pb ]
cmp empty.pb merged.pb

printf '\032\177' >cut.pb # layers of 127 bytes that are not there
if "$example" types cut.pb cut merged.pb 2>said; then
    echo "a cut message was split"
    exit 1
fi
grep -q 'need 127 bytes, 0 left' said
[ ! -e cut.cpb ]
