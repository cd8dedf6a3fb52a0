# Weights as a set of tensors; scales are lost and told.
cp "$root/tests/corpus/fuzz/tfl_fuzz/blocks" a.tflite
tenon convert a.tflite -o a.safetensors
tenon ls a.safetensors
cp "$root/tests/corpus/fuzz/tfl_fuzz/sparse" s.tflite
tenon convert s.tflite -o s.npz
tenon hash s.npz
tenon convert a.tflite -o b.tflite
cmp a.tflite b.tflite
