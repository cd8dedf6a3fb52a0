# Undo is a patch.
tenon get -q tiny.onnx compete.bias -o bias.npy
tenon edit -q tiny.onnx -o out.onnx --rename image=picture --put filters.bias=bias.npy --put more=bias.npy \
    --remove-attr 'look pads' --rename-node look=watch --add-output scores \
    --drop-output probabilities --remove-op decide --patch-out undo.patch
cat undo.patch
tenon apply -q out.onnx undo.patch -o back.onnx
tenon diff back.onnx tiny.onnx && echo the same
tenon edit -q out.onnx -o again.onnx --script undo.patch
cmp back.onnx again.onnx
tenon edit tiny.onnx -o other.onnx --rename image=picture --patch-out undo.patch; echo $?
tenon edit tiny.onnx -o - --rename image=picture --patch-out x.patch; echo $?
ls other.onnx
echo "what the new file has no place for does not come back"
tenon convert -q tiny.onnx -o tiny.safetensors
tenon edit tiny.safetensors -o fewer.npz --remove-tensor filters --patch-out weights.patch
echo "an opset is undone by a copy: its action would convert operators"
tenon edit -q tiny.onnx -o older.onnx --opset 13 --patch-out opset.patch
cat opset.patch
tenon apply -q older.onnx opset.patch -o newer.onnx && tenon diff newer.onnx tiny.onnx && echo same
tenon info older.onnx newer.onnx | grep opset
