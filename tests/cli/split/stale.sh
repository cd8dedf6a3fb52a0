tenon split -q tiny.onnx -o tiny
tenon split tiny.onnx -o tiny -m 200
tenon split -q tiny.onnx -o tiny -m 200 --force && ls
