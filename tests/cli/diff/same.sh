# The same model in other containers is the same.
tenon diff tiny.onnx tiny.onnx && echo same
cp tiny.onnx copy.onnx; tenon diff tiny.onnx copy.onnx && echo same
tenon convert -q tiny.onnx -o moved.onnx --external moved.bin --threshold 1
tenon diff tiny.onnx moved.onnx && echo same
tenon dump tiny.onnx > tiny.textproto
tenon diff tiny.onnx tiny.textproto && echo same
tenon diff --json tiny.onnx moved.onnx
