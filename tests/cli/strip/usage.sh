tenon strip tiny.onnx -o out.onnx
echo $?
tenon strip tiny.onnx -c
echo $?
tenon convert -q tiny.onnx -o tiny.safetensors
tenon strip tiny.safetensors -o out.safetensors -c
echo $?
tenon strip tiny.onnx -o out.onnx --callstack
tenon dump tiny.onnx | grep -c doc_string
tenon dump out.onnx | grep -c doc_string
