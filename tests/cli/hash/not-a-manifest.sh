echo 'hello world' >manifest
tenon hash tiny.onnx -c manifest
