# raw_data, float_data and an external file hold the same tensor.
tenon hash tiny.onnx >manifest
tenon convert -q tiny.onnx -o moved.onnx --external moved.bin --threshold 1
tenon hash moved.onnx -c manifest
