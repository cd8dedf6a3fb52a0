tenon info tiny.onnx >mapped
tenon info --unmapped tiny.onnx | cmp - mapped
