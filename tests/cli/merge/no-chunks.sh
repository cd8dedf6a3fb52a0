tenon merge nothing.cpb -t onnx.ModelProto -o out
tenon merge tiny.onnx -t no.Such -o out
