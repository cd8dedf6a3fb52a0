# Subgraphs, signatures, sparse tensors, data after the FlatBuffer.
for seed in flow sparse outside; do
    cp "$root/tests/corpus/fuzz/tfl_fuzz/$seed" $seed.tflite
    tenon info $seed.tflite
done
tenon ls sparse.tflite
