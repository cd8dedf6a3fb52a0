# Weights behind a link may lie anywhere: what to do is said.
mkdir blobs
tenon convert -q tiny.onnx -o blobs/a.onnx --external a.bin --threshold 1
ln -s blobs/a.onnx linked.onnx
ln -s blobs/a.bin a.bin
tenon hash linked.onnx
mkdir whole && cp -rL linked.onnx a.bin whole && tenon hash -q whole/linked.onnx filters
