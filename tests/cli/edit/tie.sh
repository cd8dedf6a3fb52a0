# Equal weights become one, and a node gets its own again.
tenon edit -q tiny.onnx -o apart.onnx --untie 'look 2=own.bias'
tenon ls --ops apart.onnx | head -1
tenon edit -q apart.onnx -o tied.onnx --tie 'filters.bias own.bias'
cmp tiny.onnx tied.onnx
tenon edit tiny.onnx -o bad.onnx --tie 'filters compete'; echo $?
tenon edit tiny.onnx -o bad.onnx --untie 'look 9=x'; echo $?
tenon edit tiny.onnx -o bad.onnx --untie 'look 0=x'; echo $?
ls bad.onnx
