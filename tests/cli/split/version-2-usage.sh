tenon split tiny.onnx -o two --max-file 2KiB
