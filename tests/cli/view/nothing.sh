# Files with nothing to draw: no tensors at all, a graph without nodes.
printf 'GGUF\003\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000' > none.gguf
printf '\002\000\000\000\000\000\000\000{}' > none.safetensors
printf 'ir_version: 8 opset_import { version: 17 } graph { name: "g" }' > none.pbtxt
tenon undump -q none.pbtxt -o none.onnx --from onnx
for file in none.gguf none.safetensors none.onnx; do
    for form in html svg; do tenon view --stats -q $file -o out.$form --force && echo $file $form; done
    tenon diff $file $file && echo same
done
tenon diff none.gguf none.onnx --html out.html --force
