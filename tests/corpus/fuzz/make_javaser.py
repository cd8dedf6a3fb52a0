#!/usr/bin/python3
"""Seeds for javaser_fuzz: Java object streams of a map of pairs of numbers."""
import os
import struct

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "javaser_fuzz")


def name(text):
    return struct.pack(">H", len(text)) + text.encode()


def described(title, uid, flags, fields):
    return (b"\x72" + name(title) + struct.pack(">QBH", uid, flags, len(fields))
            + b"".join(fields) + b"\x78")


def handle(number):
    return b"\x71" + struct.pack(">I", 0x7E0000 + number)


MAP = (described("java.util.LinkedHashMap", 0x34C04E5C106CC0FB, 2,
                 [b"Z" + name("accessOrder")])
       + described("java.util.HashMap", 0x0507DAC1C31660D1, 3,
                   [b"F" + name("loadFactor"), b"I" + name("threshold")])
       + b"\x70")
PAIR = described("org.nd4j.common.primitives.Pair", 0x77, 2,
                 [b"L" + name("key") + b"\x74" + name("Ljava/lang/Object;"),
                  b"L" + name("value") + handle(5)]) + b"\x70"
LONG = (described("java.lang.Long", 0x3B8BE490CC8F23DF, 2,
                  [b"J" + name("value")])
        + described("java.lang.Number", 0x86AC951D0B94E08B, 2, []) + b"\x70")


def stream(count, entries):
    return (bytes.fromhex("aced000573") + MAP
            + bytes.fromhex("3f4000000000000c770800000010")
            + struct.pack(">I", count) + entries + b"\x78\x00")


def number(value, first=False):
    return b"\x73" + (LONG if first else handle(7)) + struct.pack(">q", value)


FIRST = (b"\x74" + name("w0") + b"\x73" + PAIR + number(32, True)
         + number(1 << 40))
seeds = {
    "empty": stream(0, b""),
    "one": stream(1, FIRST),
    "shared": stream(2, FIRST + b"\x74" + name("b") + b"\x73" + handle(4)
                     + handle(9) + handle(10)),
    "same-pair": stream(2, FIRST + b"\x74" + name("b") + handle(6)),
    "long-string": stream(2, FIRST + b"\x7c" + struct.pack(">Q", 8)
                          + b"\xc0\x80\xed\xa0\xbd\xed\xb8\x80" + handle(6)),
    "other-class": bytes.fromhex("aced00057372") + name("java.util.ArrayList"),
}
os.makedirs(here, exist_ok=True)
for title, data in seeds.items():
    with open(os.path.join(here, title), "wb") as out:
        out.write(data)
