tenon strip tiny.onnx -c -o folder
echo hello >words
tenon strip words -c -o out.onnx
