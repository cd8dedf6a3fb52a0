tenon info --max-mem 1KiB tiny.onnx
