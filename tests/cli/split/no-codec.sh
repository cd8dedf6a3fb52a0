tenon split tiny.onnx -o tiny -m 200 -c lzma
