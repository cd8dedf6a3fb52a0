#!/usr/bin/env python3
"""make_block_grids.py GRIDS.tsv - writes src/ir/block_grids.c

The rows of the table are: name of the grid, type, index, value; the bytes of a
value are the elements of an entry, lowest first.  They are written as codes:
the index of each element among the values of its grid, two or three bits each.
"""
import sys

GRIDS = {  # name: (elements, bits, values)
    "iq2xxs_grid": (8, 2, [8, 25, 43]),
    "iq2xs_grid": (8, 2, [8, 25, 43]),
    "iq2s_grid": (8, 2, [8, 25, 43]),
    "iq3xxs_grid": (4, 3, [4, 12, 20, 28, 36, 44, 52, 62]),
    "iq3s_grid": (4, 3, [1, 3, 5, 7, 9, 11, 13, 15]),
    "iq1s_grid": (8, 2, [255, 0, 1]),
}


def main():
    entries = {name: {} for name in GRIDS}
    for line in open(sys.argv[1], encoding="ascii").read().splitlines()[1:]:
        name, _, index, value = line.split("\t")
        if name in entries:
            entries[name][int(index)] = int(value, 0)
    print("/* block_grids.c - made by tools/make_block_grids.py */")
    print('#include "ir/block_grids.h"')
    print("\n/* clang-format off */")
    for name, (elements, bits, values) in GRIDS.items():
        rows = entries[name]
        print(f"\nconst uint16_t tn_{name}[{len(rows)}] = {{")
        codes = []
        for index in range(len(rows)):
            code = 0
            for k in range(elements):
                code |= values.index(rows[index] >> 8 * k & 255) << bits * k
            codes.append(f"0x{code:04x},")
        for i in range(0, len(codes), 12):
            print("    " + " ".join(codes[i:i + 12]))
        print("};")
    print("/* clang-format on */")


main()
