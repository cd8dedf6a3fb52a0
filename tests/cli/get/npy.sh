tenon get tiny.onnx flat --npy | od -An -c
