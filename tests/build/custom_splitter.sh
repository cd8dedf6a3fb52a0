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

cp "$root/examples/model_config.textproto" config.text
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
"$example" types empty.pb whole out.pb >said
[ "$(head -n 1 said)" = whole.pb ]
cmp empty.pb out.pb

fails() { # fails WORDS IN PREFIX
    if "$example" types "$2" "$3" new.pb 2>said; then
        echo "$2 was split"
        exit 1
    fi
    grep -q "$1" said
    [ ! -e "$3.cpb" ] && [ ! -e new.pb ]
}
printf '\032\177' >cut.pb # layers of 127 bytes that are not there
fails 'need 127 bytes, 0 left' cut.pb chunks
cp config.pb same.pb # beside same.cpb it would be stale: not without asking
fails 'would replace the input' same.pb same
cmp config.pb same.pb
