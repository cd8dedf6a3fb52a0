tenon get tiny.onnx flat --slice 0:1:0
