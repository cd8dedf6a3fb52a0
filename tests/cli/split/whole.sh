tenon split tiny.onnx -o whole && cmp whole.pb tiny.onnx && ls
