#!/usr/bin/python3
"""Seeds for st_header_fuzz: small safetensors files and an index."""
import json
import os
import struct

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "st_header_fuzz")


def write(name, header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(
        header, separators=(",", ":")).encode()
    size = len(text) if length is None else length
    with open(os.path.join(here, name), "wb") as out:
        out.write(struct.pack("<Q", size) + text + data)


def tensor(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


os.makedirs(here, exist_ok=True)
write("empty", {})
write("one", {"a": tensor("F32", [2, 2], 0, 16)}, bytes(16))
write("metadata", {"__metadata__": {"format": "pt"},
                   "w": tensor("BF16", [3], 0, 6)}, bytes(6))
write("four-bits", {"q": tensor("F4", [2, 4], 0, 4),
                    "s": tensor("F8_E8M0", [1], 4, 5)}, bytes(5))
write("hole", {"a": tensor("U8", [1], 0, 1),
               "b": tensor("U8", [1], 2, 3)}, bytes(3))
write("overlap", {"a": tensor("I64", [1], 0, 8),
                  "b": tensor("I32", [2], 4, 12)}, bytes(12))
write("six-bits", {"a": tensor("F6_E3M2", [4], 0, 3)}, bytes(3))
write("too-long", b"{}", length=1 << 40)
with open(os.path.join(here, "index"), "w", encoding="utf-8") as out:
    json.dump({"metadata": {"total_size": 3},
               "weight_map": {"a": "m-00001-of-00002.safetensors",
                              "b": "m-00002-of-00002.safetensors"}}, out)
