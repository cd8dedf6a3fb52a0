# A set of tensors has no chunks, but files.
cp "$root/tests/corpus/fuzz/gguf_fuzz/tensors" t.gguf
tenon split t.gguf -o s --max-size 400
ls s*
tenon merge s-00001-of-00004.gguf -o m.gguf
tenon merge s -o p.gguf && cmp m.gguf p.gguf
tenon hash t.gguf >manifest
tenon hash m.gguf -c manifest | grep -c OK
tenon convert -q t.gguf -o t.safetensors
tenon split t.safetensors -o u --max-size 1KiB
tenon merge u.safetensors.index.json -o v.safetensors
tenon merge u -o w.safetensors && cmp v.safetensors w.safetensors
cmp t.safetensors v.safetensors && echo same
