#!/bin/sh
# make_view.sh - the seeds of view_fuzz, into view_fuzz/: graphs, functions,
# subgraphs and tensors of other seeds
set -eu
cd "$(dirname "$0")"
mkdir -p view_fuzz
for name in call.onnx dense.onnx dense.pb frames.pb functions.pb if.fb if.onnx loop.onnx scan.onnx; do
    cp "convert_fuzz/$name" view_fuzz/
done
cp onnx_fuzz/everything view_fuzz/everything.onnx
