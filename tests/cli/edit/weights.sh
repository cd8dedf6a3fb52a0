# Values of tensors, from files of their own and from other models.
tenon get -q tiny.onnx compete.bias -o bias.npy
tenon get -q tiny.onnx compete.bias --raw -o bias.raw
tenon convert -q tiny.onnx -o w.safetensors
tenon edit tiny.onnx -o out.onnx --put filters.bias=bias.npy --put fresh=w.safetensors:filters \
    --put-raw 'more=bias.raw float32 4'
tenon ls out.onnx
tenon get --text out.onnx filters.bias
tenon edit tiny.onnx -o again.onnx --weights-from w.safetensors
tenon hash tiny.onnx >before; tenon hash again.onnx | diff before -
# Sets of tensors.
tenon edit w.safetensors -o v.safetensors --rename-tensor filters=f --put fresh=bias.npy --remove-tensor compete.bias
tenon ls v.safetensors
tenon convert -q tiny.onnx -o w.npz
tenon edit w.npz -o v.npz --rename-all '*=p.*'
tenon ls v.npz
tenon convert -q tiny.onnx -o w.index
tenon edit w.index -o v.index --rename-all '*=p.*' --put new=bias.npy
tenon ls v.index
# By position and by map.
tenon edit -q tiny.onnx -o p.onnx --weights-by-position again.onnx
cmp again.onnx p.onnx
echo 'filters.bias compete.bias' >map
tenon edit -q tiny.onnx -o m.onnx --weights-by-map 'tiny.onnx map'
tenon get --text m.onnx filters.bias
# Of other shapes they are refused.
echo 'filters compete.bias' >map
tenon edit tiny.onnx -o bad.onnx --weights-by-map 'tiny.onnx map'; echo $?
tenon edit -q tiny.onnx -o partial.onnx --weights-from v.safetensors
tenon edit tiny.onnx -o bad.onnx --weights-by-position v.safetensors; echo $?
ls bad.onnx
