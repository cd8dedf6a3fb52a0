tenon get tiny.onnx 'graph.initializer[2]'
