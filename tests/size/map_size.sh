#!/bin/sh
# map_size.sh GENERATE TENON: 50,000 nodes are mapped in so many bytes a node.
#
# All memory of a conversion is counted, so that any build can be held to it.
# Rules and vocabularies take some 6 MiB, however many nodes there are.
set -eu
generate=$(realpath "$1")
tenon=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$generate" small -o many.onnx --scale 1/20
"$tenon" convert --plan many.onnx -o many.fb --max-mem 40MiB > plan ||
    { echo "FAILED: 50,000 nodes take more than 40 MiB" >&2; exit 1; }
grep -q HardSigmoid plan || { echo "FAILED: no plan" >&2; exit 1; }

# The limit is one.
if "$tenon" convert --plan many.onnx -o many.fb --max-mem 10MiB 2> /dev/null; then
    echo "FAILED: 50,000 nodes in 10 MiB" >&2
    exit 1
fi > /dev/null
