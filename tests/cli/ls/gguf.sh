# Quantised blocks: their type in the table, and what a block is in JSON.
cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
tenon ls t.gguf
tenon ls --layout table t.gguf
tenon ls --json t.gguf b | sed 's/"version": "[^"]*"/"version": "N"/'
