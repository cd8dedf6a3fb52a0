#!/usr/bin/python3
"""Makes train.pdiparams: the parameters of train.pdmodel.txt, by name."""
import os
import struct

def record(dtype, dims, data):
    desc = bytes([8, dtype]) + b"".join(bytes([0x10, d]) for d in dims)
    return (struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + data)

def floats(*values):
    return struct.pack("<%df" % len(values), *values)

records = {
    "layer/b": record(5, [3], floats(0.5, -0.5, 0)),
    "lr": record(5, [1], floats(0.1)),
    "n": record(3, [1], struct.pack("<q", -7)),
    "w": record(5, [2, 3], floats(1, 2, 3, 4, 5, 6)),
    "w_moment": record(5, [2, 3], floats(*[0] * 6)),
}
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "train.pdiparams"), "wb") as out:
    out.write(b"".join(records[name] for name in sorted(records)))
