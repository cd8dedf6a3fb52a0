# Quantised, renamed by a table, in shards, and back.
tenon convert tiny.onnx -q -o a.safetensors 2>/dev/null
tenon ls a.safetensors | cut -f 1-3
printf 'compete.* blk.0.*\n# a comment\nnothing something\n' >table
tenon convert a.safetensors -o a.gguf --quantize f16 --names table
tenon ls a.gguf | cut -f 1-3
tenon convert a.gguf -o s.gguf --shard-size 64 --byte-order big --gguf-version 2
ls s*.gguf
tenon convert "$(ls s*.gguf | head -n 1)" -q -o b.gguf --byte-order little --gguf-version 3
cmp a.gguf b.gguf && echo same
tenon convert a.gguf -o c.gguf --alignment 48
tenon convert a.gguf -o c.gguf --quantize q9
printf 'a b c\n' >bad
tenon convert a.gguf -o c.gguf --names bad
