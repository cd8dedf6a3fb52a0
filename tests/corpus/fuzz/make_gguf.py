#!/usr/bin/env python3
"""make_gguf.py FOLDER - seeds for gguf_fuzz: versions, byte orders, all types of
values, some types of tensors, arrays in arrays"""
import os
import struct
import sys

SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B",
         10: "Q", 11: "q", 12: "d"}
TYPES = {0: (1, 4), 1: (1, 2), 8: (32, 34), 12: (256, 144), 16: (256, 66),
         29: (256, 56), 34: (256, 54), 39: (32, 17), 24: (1, 1)}


class Making:
    def __init__(self, version=3, order="<"):
        self.version, self.order, self.out = version, order, b"GGUF"
        self.number("I", version)

    def number(self, code, value):
        self.out += struct.pack(self.order + code, value)

    def size(self, value):
        self.number("I" if self.version == 1 else "Q", value)

    def text(self, value):
        self.size(len(value))
        self.out += value.encode()

    def value(self, kind, value):
        if kind == 8:
            self.text(value)
        elif kind == 9:
            element, items = value
            self.number("I", element)
            self.size(len(items))
            for item in items:
                self.value(element, item)
        else:
            self.number(SIZES[kind], value)

    def file(self, pairs, tensors):
        self.size(len(tensors))
        self.size(len(pairs))
        for key, kind, value in pairs:
            self.text(key)
            self.number("I", kind)
            self.value(kind, value)
        data, offset = b"", 0
        for name, dims, kind in tensors:
            count = 1
            for dim in dims:
                count *= dim
            block, size = TYPES[kind]
            length = count // block * size
            self.text(name)
            self.number("I", len(dims))
            for dim in dims:
                self.size(dim)
            self.number("I", kind)
            self.number("Q", offset)
            data += bytes((i * 7 + 3) % 256 for i in range(length))
            data += bytes(-len(data) % 32)
            offset = len(data)
        self.out += bytes(-len(self.out) % 32) + data
        return self.out


VALUES = [("general.architecture", 8, "llama"), ("u8", 0, 1), ("i8", 1, -1),
          ("u16", 2, 2), ("i16", 3, -2), ("u32", 4, 3), ("i32", 5, -3),
          ("f32", 6, 1.5), ("bool", 7, 1), ("u64", 10, 4), ("i64", 11, -4),
          ("f64", 12, 2.5), ("tokens", 9, (8, ["a", "", "bc"])),
          ("numbers", 9, (5, [1, -2, 3]))]
MIXED = [("a", [4, 2], 0), ("b", [32, 3], 8), ("c", [256], 12), ("d", [], 0),
         ("e", [0, 3], 0)]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    seeds = {
        "values": Making().file(VALUES, []),
        "tensors": Making().file(VALUES[:1], MIXED),
        "version-1": Making(1).file(VALUES, MIXED),
        "big": Making(3, ">").file(VALUES, MIXED),
        "nested": Making(2).file([("n", 9, (9, [(4, [1, 2]), (8, ["z"])]))],
                                 []),
        "blocks": Making().file([], [(str(k), [256, 1], k) for k in TYPES]),
        "split": Making().file([("split.no", 2, 0), ("split.count", 2, 2),
                                ("split.tensors.count", 5, 1)], MIXED[:1]),
    }
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)


main()
