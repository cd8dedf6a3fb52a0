#!/bin/sh
# demo.sh TENON: makes a small model and does the main job on it.
set -eu
PATH=$(cd "$(dirname "$1")" && pwd):$PATH
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$here/tiny.onnx.textproto" .

show() {
    printf '\n$ %s\n' "$*"
    "$@"
}

echo "A model in protobuf's text format becomes a binary ONNX file:"
show tenon undump tiny.onnx.textproto -o tiny.onnx
echo
echo "What is inside?"
show tenon info tiny.onnx
show tenon ls tiny.onnx
show tenon get tiny.onnx filters --slice 0,0
echo
echo "Is it sound?  And what if one name in it is misspelt?"
show tenon check tiny.onnx
sed 's/input: "scores"/input: "scoers"/' tiny.onnx.textproto |
    tenon undump - -o broken.onnx
show tenon check broken.onnx || echo "(exit code $?)"
echo
echo "Move its weights into a file of their own; nothing is lost:"
show tenon convert tiny.onnx -o moved.onnx --external weights.bin --threshold 1
show tenon hash moved.onnx
tenon hash tiny.onnx >before
tenon hash moved.onnx | cmp - before && echo "(the same before and after)"

echo
echo "The same model for Deeplearning4j, and back:"
show tenon convert tiny.onnx -o tiny.samediff
show tenon convert tiny.samediff -o again.onnx
show tenon ls again.onnx --ops
