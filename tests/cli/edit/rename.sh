# Names change wherever they are used; what is not touched stays the same bytes.
tenon edit tiny.onnx -o out.onnx --rename image=picture --rename-output probabilities=answer --rename-node look=first \
    --rename-tensors 'compete*=dense*'
tenon info out.onnx | sed 1d
tenon ls out.onnx
tenon ls --ops out.onnx
tenon check out.onnx
# Back again: the same model.
tenon edit -q out.onnx -o back.onnx --rename picture=image --rename-output answer=probabilities --rename-node first=look \
    --rename-tensors 'dense*=compete*'
cmp tiny.onnx back.onnx
# Two change places.
tenon edit -q tiny.onnx -o swapped.onnx --rename 'filters compete compete filters'
tenon ls swapped.onnx
printf 'image\tpicture\nseen sight\n' >names
tenon edit -q tiny.onnx -o listed.onnx --rename-from names --json
tenon ls --ops listed.onnx | head -3
