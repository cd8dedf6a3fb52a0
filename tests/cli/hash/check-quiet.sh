tenon hash tiny.onnx | sed 's/^./f/' | tenon hash -q tiny.onnx flat -c -
