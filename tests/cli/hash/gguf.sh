# The blocks, or the elements that they stand for, which other formats have.
cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
tenon hash t.gguf b
tenon hash --decoded t.gguf b
tenon convert -q t.gguf -o t.npz 2>/dev/null
tenon hash t.npz b
