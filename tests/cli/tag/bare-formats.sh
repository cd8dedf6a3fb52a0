# bare tensors of every kind stand for the parameters that they are called
tenon undump "$root/examples/dense.samediff.json" -t sd.graph.FlatGraph -o dense.fb
tenon tag add -q m.samediff a dense.fb
tenon convert -q dense.fb -o all.npz
tenon convert -q dense.fb -o all.safetensors
tenon convert -q dense.fb -o all.index; ls
tenon tag add m.samediff npz all.npz
tenon tag add m.samediff safetensors all.safetensors
tenon tag add m.samediff checkpoint all.index
tenon tag log m.samediff
/usr/bin/python3 -c "import numpy, sys
old = dict(numpy.load('all.npz'))
name = sorted(old)[0]
numpy.savez('new.npz', **{name: old[name] + 1})"
tenon tag add m.samediff trained new.npz
tenon tag diff m.samediff a trained
tenon convert -q new.npz -o new.index
tenon tag add m.samediff again new.index; tenon tag diff m.samediff trained again && echo same
tenon convert -q new.npz -o new.safetensors
tenon tag add m.samediff third new.safetensors; tenon tag diff m.samediff again third && echo same
