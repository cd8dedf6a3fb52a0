#!/usr/bin/python3
"""Seeds for lod_fuzz (tensor records in every layout), for pickle_fuzz (what
Paddle saves: state dicts of numpy arrays, under each protocol) and for
paddle_fuzz (programs, parameters and states; a byte before them chooses).

Run in this folder; the files it makes are kept beside it.
"""
import collections
import os
import pickle
import struct
import subprocess

import numpy


def words(*values):
    return b"".join(struct.pack("<Q", value) for value in values)


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


ZERO = bytes(4)
TENSOR = struct.pack("<I", 6) + bytes.fromhex("080510021001") + bytes(range(8))

save("lod_fuzz", "shipped",
     ZERO + words(0) + ZERO + TENSOR + ZERO + words(1, 8, 3) + ZERO + TENSOR)
save("lod_fuzz", "seed", ZERO + TENSOR + words(1, 8, 2))
save("lod_fuzz", "bare", ZERO + TENSOR)
save("lod_fuzz", "rows", ZERO + words(2, 4, 9) + words(10) + ZERO + TENSOR)

state = collections.OrderedDict()
state["fc.weight"] = numpy.arange(6, dtype="f4").reshape(2, 3)
state["fc.bias"] = numpy.asfortranarray(numpy.ones((2, 2), ">f8"))
state["scalar"] = numpy.float64(0.5)
state["tied"] = state["fc.weight"]
state["StructuredToParameterName@@"] = {"fc.weight": "linear_0.w_0"}
state["LR_Scheduler"] = {"last_lr": 0.1, "steps": [1, 2 ** 40], "t": (1, None)}
for protocol in (2, 3, 4):
    save("pickle_fuzz", f"protocol{protocol}", pickle.dumps(state, protocol))
save("pickle_fuzz", "eval",
     b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x04data}\x8c\x04data"
     + pickle.dumps(state["fc.weight"], 4)[11:-1] + b"s\x86R.")

# protoc makes the program out of the text of tests/corpus/paddle.
PADDLE = "../paddle/"
with open(PADDLE + "train.pdmodel.txt", "rb") as text:
    old_names = (text.read().replace(b"dense_tensor", b"lod_tensor")
                 .replace(b"legacy_lod_level", b"lod_level"))
program = subprocess.run(
    ["protoc", "-I", "../../../schemas",
     "--encode=paddle.framework.proto.ProgramDesc",
     "../../../schemas/paddle.proto"],
    input=old_names, stdout=subprocess.PIPE, check=True).stdout
save("paddle_fuzz", "program", bytes([0]) + program)
for kind, name in ((0, "old/__model__"), (1, "train.pdiparams"),
                   (1, "rows.tensor"), (1, "old/w"), (2, "protocol2.pdparams"),
                   (2, "protocol4.pdopt"), (2, "sliced.pdparams"),
                   (2, "container.pdparams")):
    with open(PADDLE + name, "rb") as file:
        save("paddle_fuzz", name.replace("/", "_"), bytes([kind]) + file.read())
