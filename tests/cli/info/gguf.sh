# Metadata of all types, in a file without tensors and in a big-endian one.
cp "$root/tests/corpus/fuzz/gguf_fuzz/values" values.gguf
cp "$root/tests/corpus/fuzz/gguf_fuzz/big" big.gguf
tenon info --all values.gguf
tenon info big.gguf
