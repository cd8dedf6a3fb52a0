# The receipt and the model appear together or not at all.
echo mine >there.json
tenon convert tiny.onnx -o one.fb --receipt there.json
tenon convert tiny.onnx -o two.fb --receipt nowhere/r.json
ls *.fb
tenon convert -q tiny.onnx -o three.fb --receipt r.json && grep -o '"source": "[^,]*' r.json
tenon convert -q tiny.onnx -o four.fb --receipt r.json --force
# Where no rules are at work there is nothing to tell.
tenon convert tiny.onnx -o five.onnx --receipt five.json
tenon convert -q tiny.onnx -o six.fb --receipt - | cmp - r.json
tenon convert tiny.onnx -o - --to samediff-fb --receipt -
tenon convert tiny.onnx -o seven.fb --json --receipt -
tenon convert tiny.onnx -o eight.npz --outputs scores
ls
