tenon info -q --max-mem 1KiB tiny.onnx
