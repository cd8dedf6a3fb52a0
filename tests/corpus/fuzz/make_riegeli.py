#!/usr/bin/python3
"""Writes the seeds of riegeli_fuzz: chunk data after a count and a size.

Each is a chunk by hand, as docs and tests of the format describe them: one
simple chunk per compression, and transposed ones that use every kind of state.
"""
import os
import sys

SEEDS = {
    "simple-plain": "01 03 00 01 03 61 62 63",
    "simple-brotli": "01 03 62 06 01 0b 00 80 03 03 03 0b 01 80 61 62 63 03",
    "simple-zstd": "01 03 7a 0b 01 28 b5 2f fd 20 01 09 00 00 03 03"
                   "28 b5 2f fd 20 03 19 00 00 61 62 63",
    "simple-snappy": "01 03 73 04 01 01 00 03 03 03 08 61 62 63",
    "two-messages": "02 16 00 21 02 03 04 07 01 03 07 08"
                    "1e 08 08 12 08 08 03 02 04 0e 0e 01 0f 0f 00 0b"
                    "01 00 0b 00 01 01 02 00 00 07 05 16 01"
                    "02 7a 7a 03 61 62 63 04 07",
    "no-message": "02 06 00 09 01 02 08 06 02 01 01 00 00 00"
                  "64 65 66 61 62 63 03 03 00",
    "nothing": "00 00 00 06 00 00 01 00 00 00",
    "fixed-and-groups": "01 10 00 15 01 02 0c 04 08 05"
                        "0d 11 0b 0c 03 08 06 00 07 04 00 01 00"
                        "01 02 03 04 05 06 07 08 09 0a 0b 0c",
}

SIGNATURE = ("83af70d10d884a3f00000000000000004000000000000000"
             "91bac23c9287e1a90000000000000000e19f13c0e9b1c372"
             "73" + "00" * 15)
ABC = ("113d3d6c0b1deb360600000000000000f634c5aa8c802fe8"
       "72010000000000000300000000000000000103616263")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in SEEDS.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(bytes.fromhex(text))
    for name, text in (("file", SIGNATURE + ABC), ("empty-file", SIGNATURE)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(bytes.fromhex(text))


main(sys.argv[1] if len(sys.argv) > 1
     else os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "riegeli_fuzz"))
