tenon split tiny.onnx -o tiny -m 200 --dry-run && ls
