#!/usr/bin/python3
"""Makes the seeds of chunk_fuzz again: chunks of small messages and how they
belong together, written field by field."""
import pathlib
import struct

from wire import block, number, tag

HERE = pathlib.Path(__file__).parent


def field(tags, message):
    return block(2, b"".join(tag(*t) for t in tags) + block(3, message))


def chunk(index):
    return number(1, index)


def seed(name, which, most, chunks, chunked):
    out = bytes([which]) + struct.pack("<H", most) + bytes([len(chunks)])
    for one in chunks:
        out += struct.pack("<H", len(one)) + one
    folder = HERE / "chunk_fuzz"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(out + chunked)


tensor = number(1, 1) + block(4, b"")
node = block(1, b"c") + block(2, b"Const")
const = node + block(5, block(1, b"value") + block(2, block(8, tensor)))
graph = block(1, b"") + block(1, const) + block(1, b"")
path = [("f", 1), ("i", 1), ("f", 5), ("s", b"value"), ("f", 8), ("f", 4)]

seed("base", 0, 10, [graph], chunk(0))
seed("content", 0, 20, [graph, b"0123456789" * 4],
     chunk(0) + field(path, chunk(1)))
seed("elements", 0, 30, [graph, node, node],
     chunk(0) + field([("f", 1), ("i", 2)], chunk(2)) +
     field([("f", 1), ("i", 0)], chunk(1)))
seed("parts", 0, 16, [graph, graph], field([], chunk(1)) + field([], chunk(0)))
seed("new_entry", 0, 8, [graph, number(3, 7)],
     chunk(0) + field([("f", 1), ("i", 0), ("f", 5), ("s", b"T")], chunk(1)))
seed("tree", 0, 40, [graph, node],
     field([("f", 2)], field([("f", 1), ("i", 0)],
                             field([("f", 3), ("i", 0)], chunk(1)))))
seed("numbers", 1, 9, [b"12", block(7, block(5, number(1, 3) * 3))],
     chunk(1) + field([("f", 1)], chunk(0)) +
     field([("f", 7), ("f", 5), ("i", 0), ("f", 1), ("i", 1)], chunk(0)))
seed("oneof", 3, 12, [b"abc", block(3, block(2, block(1, number(1, 9))))],
     chunk(1) + field([("f", 3), ("f", 2), ("i", 0), ("f", 1), ("i", 0),
                       ("f", 3)], chunk(0)))

# weights of ONNX, whose places were left empty, and nodes that come later
weight = number(1, 2) + block(8, b"w") + block(9, b"") + block(12, b"after")
model = (number(1, 8) + block(7, block(2, b"g") + block(5, weight) * 2) +
         block(8, number(2, 13)))
raw = [("f", 7), ("f", 5), ("i", 1), ("f", 9)]
seed("weights", 1, 40, [model, b"0123456789" * 6,
                        block(1, block(4, b"Relu")) * 9],
     chunk(0) + field(raw, chunk(1)) + field([("f", 7)], chunk(2)))
# a singular message in pieces, and content that comes again
seed("pieces", 1, 20,
     [block(7, block(5, block(9, b"a" * 30) * 2)) * 2, b"b" * 40],
     chunk(0) + field([("f", 7), ("f", 5), ("i", 1), ("f", 9)], chunk(1)))
# entries of a map: two with one key, one without a value
attr = block(5, block(1, b"T") + block(2, number(6, 1)))
seed("entries", 0, 24,
     [block(1, node + attr * 2 + block(5, block(1, b"U"))), number(6, 3)],
     chunk(0) + field([("f", 1), ("i", 0), ("f", 5), ("s", b"U")], chunk(1)))
# the same bytes twice, elements with a gap, a path into a number
seed("twice", 0, 9, [graph, b"first", b"second"],
     chunk(0) + field(path, chunk(1)) + field(path, chunk(2)))
seed("gap", 0, 9, [graph, node],
     chunk(0) + field([("f", 1), ("i", 7)], chunk(1)))
seed("into_a_number", 1, 9, [model, b"1"],
     chunk(0) + field([("f", 1), ("f", 1)], chunk(1)))
