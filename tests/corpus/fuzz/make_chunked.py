#!/usr/bin/python3
"""Makes the seeds of chunked_fuzz that are records: chunks of small models and
the metadata that say how they belong together, written field by field."""
import pathlib
import struct

from wire import block, number, tag

HERE = pathlib.Path(__file__).parent


def at(tags, message):
    return block(2, b"".join(tag(*t) for t in tags) + block(3, message))


def chunk(index):
    return number(1, index)


def metadata(chunks, message, version=b"\x08\x01"):
    """MESSAGE chunks are bytes, BYTES chunks are a tuple of one."""
    infos = b""
    for i, one in enumerate(chunks):
        is_bytes = isinstance(one, tuple)
        size = len(one[0] if is_bytes else one)
        infos += block(2, number(1, 2 if is_bytes else 1) + number(2, size) +
                       number(3, 64 + i))
    return block(1, version) + infos + block(3, message)


def seed(name, kind, chunks, message, **how):
    out = bytes([kind])
    records = [c[0] if isinstance(c, tuple) else c for c in chunks]
    for one in records + [metadata(chunks, message, **how)]:
        out += struct.pack("<H", len(one)) + one
    (HERE / "chunked_fuzz" / name).write_bytes(out)


def shape(count):
    return block(2, block(2, number(1, count)))


CONTENT = (struct.pack("<2f", 1, 2),)
PATH = [("f", 1), ("i", 0), ("f", 5), ("s", b"value"), ("f", 8), ("f", 4)]

# tensorflow.GraphDef: a constant without its bytes, and nodes of all kinds
tensor = number(1, 1) + shape(2)
const = (block(1, b"a") + block(2, b"Const") +
         block(5, block(1, b"dtype") + block(2, number(6, 1))) +
         block(5, block(1, b"value") + block(2, block(8, tensor))))
graph = block(1, const)
other = block(1, block(1, b"b") + block(2, b"NoOp") + block(3, b"^a"))
function = block(1, block(1, b"f")) + block(3, const)
library = block(1, function)

seed("graph", 0, [graph, CONTENT, other],
     chunk(0) + at(PATH, chunk(1)) + at([], chunk(2)))
seed("graph-transposed", 1, [graph, CONTENT, other],
     chunk(0) + at(PATH, chunk(1)) + at([], chunk(2)))
seed("library", 3, [graph, library, CONTENT],
     chunk(0) + at([("f", 2), ("f", 1), ("i", 0), ("f", 3)] + PATH[1:],
                   chunk(2)) + at([("f", 2)], chunk(1)))

# tensorflow.SavedModel
saved = number(1, 1) + block(2, block(1, block(4, b"serve")) + block(2, graph))
seed("saved-model", 0, [saved, CONTENT],
     chunk(0) + at([("f", 2), ("i", 0), ("f", 2)] + PATH, chunk(1)))

# onnx.ModelProto: a weight, and nodes that come later
weight = number(1, 2) + number(2, 1) + block(8, b"w") + block(9, b"")
model = (number(1, 8) + block(7, block(2, b"g") + block(5, weight)) +
         block(8, number(2, 13)))
nodes = block(1, block(1, b"w") + block(2, b"y") + block(4, b"Relu"))
seed("onnx", 0, [model, CONTENT, nodes],
     chunk(0) + at([("f", 7), ("f", 5), ("i", 0), ("f", 9)], chunk(1)) +
     at([("f", 7)], chunk(2)))

# a tree, and what is wrong with metadata
seed("tree", 2, [number(1, 8), block(2, b"g"), nodes],
     chunk(0) + at([("f", 7)], chunk(1) + at([("f", 1), ("i", 0)], chunk(2))))
seed("no-such-chunk", 0, [graph], chunk(0) + at(PATH, chunk(7)))
seed("no-such-path", 0, [graph, CONTENT], chunk(0) + at([("f", 99)], chunk(1)))
seed("twice", 0, [graph, CONTENT], chunk(0) + at([], chunk(0)))
seed("later-version", 0, [graph, CONTENT], chunk(0) + at(PATH, chunk(1)),
     version=number(1, 3) + number(2, 2))
