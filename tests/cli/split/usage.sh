tenon split tiny.onnx
tenon split tiny.onnx -o -
tenon split tiny.onnx -o x --schema types.pb
mkdir folder
cp tiny.onnx folder/a.onnx
cp tiny.onnx folder/b.onnx
tenon split folder -t onnx.ModelProto -o x
