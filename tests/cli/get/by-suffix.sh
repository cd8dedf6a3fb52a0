tenon get tiny.onnx compete.bias -o bias.npy && head -c 6 bias.npy | od -An -c
tenon get tiny.onnx compete.bias -o bias.txt && cat bias.txt
tenon get tiny.onnx compete.bias -o bias.bin && wc -c <bias.bin
