# More outputs, with the types that inference finds, and fewer.
tenon edit -q tiny.onnx -o more.onnx --add-output seen --add-output votes
tenon info more.onnx | sed -n '/^Outputs/,/^$/p'
tenon check more.onnx
tenon edit -q more.onnx -o back.onnx --drop-output seen --drop-output votes
cmp tiny.onnx back.onnx
tenon edit tiny.onnx -o bad.onnx --add-output nothing; echo $?
tenon edit tiny.onnx -o bad.onnx --add-output probabilities; echo $?
tenon edit tiny.onnx -o bad.onnx --drop-output probabilities; echo $?
tenon convert -q tiny.onnx -o tiny.safetensors
tenon edit tiny.safetensors -o bad.safetensors --add-output filters; echo $?
ls bad.onnx
# A SameDiff file need not list outputs; one whose outputs were chosen does.
outputs() { tenon info "$1" | sed -n '/^Outputs/,/^$/p'; }
tenon convert -q tiny.onnx -o listed.fb
tenon dump -q --json listed.fb | sed '/^  "outputs": \[/,/^  \],/d' | tenon undump -q - -o tiny.fb
outputs tiny.fb
tenon edit -q tiny.fb -o more.fb --add-output seen
outputs more.fb
tenon edit -q more.fb -o fewer.fb --drop-output probabilities
outputs fewer.fb
tenon edit -q tiny.fb -o part.fb --outputs seen,strongest
outputs part.fb
