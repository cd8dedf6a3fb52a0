# What llama.cpp asks for and the file does not have.
cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
tenon check t.gguf
cp "$root/tests/corpus/fuzz/gguf_fuzz/split" s.gguf
tenon check s.gguf
