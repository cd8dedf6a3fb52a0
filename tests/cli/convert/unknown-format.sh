tenon convert tiny.onnx -o tiny.xyz
