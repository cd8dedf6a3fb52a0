#!/usr/bin/env python3
"""make_metadata.py: choices for metadata_fuzz, some of every format it builds.

The first byte is the format to write (0: all of them), the second the one to
build, the rest chooses texts.
"""
import os
import random

FORMATS, BUILT = 20, 8
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "metadata_fuzz")


def main():
    dice = random.Random(14)
    os.makedirs(HERE, exist_ok=True)
    for i in range(40):
        wanted = 0 if i % 13 == 0 else 1 + i % FORMATS
        choices = bytes([wanted, i % BUILT]) + \
            bytes(dice.randrange(256) for _ in range(70))
        with open(os.path.join(HERE, "choices%02d" % i), "wb") as to:
            to.write(choices)


if __name__ == "__main__":
    main()
