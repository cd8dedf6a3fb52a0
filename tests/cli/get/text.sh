tenon get tiny.onnx filters --slice 0:2,0
