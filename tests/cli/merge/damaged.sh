tenon split -q tiny.onnx -o tiny -m 200 -c none
head -c 300 tiny.cpb >cut.cpb
tenon merge cut.cpb -t onnx.ModelProto -o out.onnx
ls
