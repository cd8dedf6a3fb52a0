# Another opset; texts about the model stay.
tenon edit -q tiny.onnx -o old.onnx --opset 13
tenon info old.onnx | sed -n '/^Properties/,/^$/p'
tenon check old.onnx
tenon edit tiny.onnx -o no.onnx --opset 5
echo $?
tenon convert -q tiny.onnx -o tiny.safetensors
tenon edit tiny.safetensors -o no.safetensors --opset 17
echo $?
ls
