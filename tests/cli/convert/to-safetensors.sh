# The tensors of any model, and back into containers that hold tensors; what is
# left behind is said.
tenon convert tiny.onnx -o w.safetensors
tenon ls w.safetensors
tenon convert -q w.safetensors -o m.safetensors.index.json --shard-size 100
ls
tenon check m.safetensors.index.json
tenon convert -q m.safetensors.index.json -o w.index
tenon convert -q w.index -o again.safetensors
tenon hash w.safetensors >before.txt && tenon hash again.safetensors >after.txt && cmp before.txt after.txt
tenon convert --json -q tiny.onnx -o v.safetensors | grep losses
tenon convert w.safetensors -o back.onnx
echo $?
tenon convert w.safetensors -o big.safetensors --shard-size 1M
echo $?
