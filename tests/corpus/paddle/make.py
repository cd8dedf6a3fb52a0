#!/usr/bin/python3
"""Makes the files beside it: the parameters of train.pdmodel.txt in the order of
their names, states as pickles and in the container of 1.6, and a model of 0.11,
whose program is in a pickle of Python 2.

Run it anywhere; numpy is Debian's."""
import collections
import os
import pickle
import struct

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


def save(name, data):
    path = os.path.join(HERE, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def desc(dtype, dims):
    return bytes([8, dtype]) + b"".join(bytes([0x10, d]) for d in dims)


def record(dtype, dims, data):
    d = desc(dtype, dims)
    return struct.pack("<IQIi", 0, 0, 0, len(d)) + d + data


def seed_record(dtype, dims, data):
    d = desc(dtype, dims)
    return struct.pack("<II", 0, len(d)) + d + data + struct.pack("<Q", 0)


def floats(*values):
    return struct.pack("<%df" % len(values), *values)


# ---- train.pdiparams --------------------------------------------------------

records = {
    "layer/b": record(5, [3], floats(0.5, -0.5, 0)),
    "lr": record(5, [1], floats(0.1)),
    "n": record(3, [1], struct.pack("<q", -7)),
    "w": record(5, [2, 3], floats(1, 2, 3, 4, 5, 6)),
    "w_moment": record(5, [2, 3], floats(*[0] * 6)),
}
save("train.pdiparams", b"".join(records[name] for name in sorted(records)))

# ---- states -----------------------------------------------------------------

state = collections.OrderedDict()
state["fc.weight"] = numpy.arange(6, dtype="f4").reshape(2, 3) - 2.5
state["fortran"] = numpy.asfortranarray(
    numpy.arange(6, dtype="i2").reshape(2, 3))
state["big"] = numpy.asfortranarray(
    numpy.arange(6, dtype=">i4").reshape(2, 3) * 1000)
state["scalar"] = numpy.array(7, dtype="i8")
state["empty"] = numpy.zeros((0, 3), dtype="f8")
state["StructuredToParameterName@@"] = {"fc.weight": "w"}
save("protocol2.pdparams", pickle.dumps(state, 2))
save("protocol4.pdopt", pickle.dumps({
    "w_moment1_0": numpy.ones(2, "f4"),
    "master_weights": {"w": numpy.full(3, 0.5, "f4")},
    "LR_Scheduler": {"last_lr": 0.125, "last_epoch": 3, "verbose": False,
                     "milestones": [1, 2], "name": "step", "best": None},
}, 4))
save("sliced.pdparams", pickle.dumps({
    "w@@.0": numpy.arange(4, dtype="f4"),
    "w@@.1": numpy.arange(4, 6, dtype="f4"),
    "b": numpy.array([9], "f4"),
    "UnpackBigParamInfor@@": {
        "w": {"OriginShape": (2, 3), "slices": ["w@@.0", "w@@.1"]}},
}, 2))

container = b"\xaa" * 256 + b"TNUM" + struct.pack("<Q", 2)
for name, dims, data in (("b", [2], floats(0.5, -0.5)),
                         ("w", [2, 2], floats(1, 2, 3, 4))):
    d = desc(5, dims)
    container += b"NAME" + struct.pack("<Q", len(name)) + name.encode()
    container += struct.pack("<Ii", 0, len(d)) + d + data
save("container.pdparams", container)

# ---- a model of 0.11 --------------------------------------------------------


def field(number, body):
    return bytes([number << 3 | 2, len(body)]) + body


def slot(name, *arguments):
    return field(1, name) + b"".join(field(2, a) for a in arguments)


def old_var(name, dims, is_stored):
    tensor = field(1, b"\x08\x05" + b"".join(bytes([0x10, d]) for d in dims))
    return (field(1, name) + b"\x10\x01" + field(3, tensor)
            + (b"\x28\x01" if is_stored else b""))


op = (field(1, slot(b"X", b"x", b"w")) + field(2, slot(b"Out", b"y"))
      + field(3, b"mul"))
block = (b"\x08\x00\x10" + b"\xff" * 9 + b"\x01"
         + field(3, old_var(b"x", [2], False))
         + field(3, old_var(b"w", [2, 2], True))
         + field(3, old_var(b"y", [2], False)) + field(4, op))
program = b"\x0a" + bytes([len(block) & 0x7f | 0x80, len(block) >> 7]) + block


def text(value):
    return b"U" + bytes([len(value)]) + value


save("old/__model__",
     b"\x80\x02}q\x00(" + text(b"program_desc_str") + b"T"
     + struct.pack("<i", len(program)) + program
     + text(b"feed_var_names") + b"](" + text(b"x") + b"e"
     + text(b"fetch_var_names") + b"](" + text(b"y") + b"e" + b"u.")
save("old/w", seed_record(5, [2, 2], floats(1, 2, 3, 4)))

# ---- SelectedRows -----------------------------------------------------------

d = desc(5, [2, 2])
save("rows.tensor", struct.pack("<IQqqqIi", 0, 2, 4, 9, 10, 0, len(d)) + d
     + floats(1, 2, 3, 4))
