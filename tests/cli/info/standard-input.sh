tenon info - <tiny.onnx | head -n 3
tenon info - <.
tenon info - <&-
tenon convert -q tiny.onnx -o apart.onnx --external apart.bin --threshold 0
tenon hash - <apart.onnx
