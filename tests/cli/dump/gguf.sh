cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
tenon dump t.gguf
tenon dump --strict t.gguf
