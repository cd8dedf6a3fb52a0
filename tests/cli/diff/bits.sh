# Other bits of equal values (-0.0, another NaN) are a difference, which a patch removes; not with a tolerance.
cat > make.py <<'END'
import json, struct
def save(name, **tensors):
    body = b"".join(tensors.values())
    head, at = {}, 0
    for key, data in tensors.items():
        head[key] = {"dtype": "F32", "shape": [len(data) // 4], "data_offsets": [at, at + len(data)]}
        at += len(data)
    head = json.dumps(head).encode()
    open(name, "wb").write(struct.pack("<Q", len(head)) + head + body)
f = lambda *v: struct.pack("<%df" % len(v), *v)
i = lambda *v: struct.pack("<%dI" % len(v), *v)
save("a.safetensors", both=f(0, 3), none=i(0x7fc00000, 1), zero=f(0, 1, 2))
save("b.safetensors", both=f(-0.0, 4), none=i(0x7fc00001, 1), zero=f(-0.0, 1, 2))
END
/usr/bin/python3 make.py
tenon diff a.safetensors b.safetensors
tenon diff --tolerance 1e-9 a.safetensors b.safetensors
tenon diff -q a.safetensors b.safetensors --patch p > patched
tenon apply -q a.safetensors p -o made.safetensors
tenon hash b.safetensors > wanted
tenon hash made.safetensors | cmp - wanted && echo same
