tenon get tiny.onnx filters --slice 1,0,-1,1
