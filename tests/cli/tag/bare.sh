# tensors without a graph stand for those of their names
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q m.samediff a dense.fb
tenon convert -q dense.fb -o all.safetensors
tenon tag add m.samediff b all.safetensors
tenon convert -q tiny.onnx -o other.npz
tenon tag add m.samediff c other.npz; echo $?
tenon tag add --dry-run m.samediff c all.safetensors
tenon tag export m.samediff b -o - --to samediff-fb | tenon ls -
