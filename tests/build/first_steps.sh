#!/bin/sh
# first_steps.sh FIRST_STEPS TENON: the example says what the command says, and
# a failure is told.
set -eu
steps=$1 tenon=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$tenon" undump "$root/examples/tiny.onnx.textproto" -o tiny.onnx
"$steps" tiny.onnx filters.bias out.safetensors >said
"$tenon" ls -1 tiny.onnx >names
sed -n 's/  .* elements$//p' said | cmp - names
"$tenon" get tiny.onnx filters.bias | tr ' ' '\n' >values
grep -x '[-0-9.]*' said | cmp - values
"$tenon" hash tiny.onnx >manifest
"$tenon" hash -q out.safetensors -c manifest
for bad in "nosuch.onnx filters" "tiny.onnx nosuch" "tiny.onnx filters"; do
    # the last: OUT exists, and nobody said that it may be replaced
    if "$steps" $bad out.safetensors >said 2>err || ! [ -s err ]; then
        echo "no failure, or none that was told: $bad"
        exit 1
    fi
done
