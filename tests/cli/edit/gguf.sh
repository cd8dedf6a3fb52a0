# Metadata: in place where one page changes and data stay, else a new file.
cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
printf 'metadata general.name "a name of some length that does not fit"\nmetadata general.file_type=7\n' >script
tenon edit t.gguf --script script -o a.gguf
tenon info a.gguf | grep general
ls -i a.gguf | cut -d ' ' -f 1 >before
tenon edit a.gguf --metadata general.file_type=1 -o a.gguf --force
ls -i a.gguf | cut -d ' ' -f 1 | cmp - before && echo in place
tenon info a.gguf | grep general
tenon hash t.gguf >manifest
tenon hash a.gguf -c manifest | grep -c OK
tenon edit a.gguf --remove-metadata general.name --rename-tensor a=z -o a.gguf --force
ls -i a.gguf | cut -d ' ' -f 1 | cmp -s - before || echo a new file
tenon info a.gguf | grep general
tenon edit a.gguf --metadata general.file_type=x -o b.gguf
tenon edit a.gguf --metadata general.alignment=64 -o b.gguf
tenon edit a.gguf --remove-metadata none -o b.gguf
tenon edit a.gguf --metadata llama.rope.freq_base=1e39 -o b.gguf
tenon edit a.gguf --metadata =x -o b.gguf
