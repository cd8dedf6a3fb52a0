tenon ls -0 tiny.onnx 'f*' | tr '\0' '!'
