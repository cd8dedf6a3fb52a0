# Sets of tensors, by name and by content: renamed, transposed, in another type.
python=/usr/bin/python3
cat > make.py <<'END'
import json, struct, sys
def save(name, tensors):
    head, body = {}, b""
    for key, (dtype, shape, data) in tensors.items():
        head[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    head = json.dumps(head).encode()
    open(name, "wb").write(struct.pack("<Q", len(head)) + head + body)
f = lambda *v: struct.pack("<%df" % len(v), *v)
h = lambda *v: struct.pack("<%de" % len(v), *v)
save("a.safetensors", {
    "same": ("F32", [2], f(1, 2)), "old.name": ("F32", [3], f(3, 4, 5)),
    "kernel": ("F32", [2, 3], f(1, 2, 3, 4, 5, 6)), "half": ("F32", [3], f(0.5, 1.5, 2.5)),
    "square": ("F32", [2, 2], f(1, 2, 3, 4)), "gone": ("F32", [1], f(9)), "other": ("F32", [4], f(1, 1, 1, 1)),
    "type": ("F32", [2], f(7, 8))})
save("b.safetensors", {
    "same": ("F32", [2], f(1, 2)), "new.name": ("F32", [3], f(3, 4, 5)),
    "weight": ("F32", [3, 2], f(1, 4, 2, 5, 3, 6)), "float16": ("F16", [3], h(0.5, 1.5, 2.5)),
    "square": ("F32", [2, 2], f(1, 3, 2, 4)), "more": ("F32", [5], f(1, 2, 3, 4, 5)), "other": ("F32", [4], f(1, 1, 1.5, 1)),
    "type": ("F16", [2], h(7, 8))})
END
$python make.py
tenon diff a.safetensors b.safetensors
tenon convert -q a.safetensors -o a.npz
tenon diff a.safetensors a.npz && echo same
tenon convert -q a.safetensors -o ck.index --to tf-checkpoint
tenon diff a.safetensors ck.index && echo same
