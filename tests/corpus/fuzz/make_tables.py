#!/usr/bin/python3
"""Seeds for sstable_fuzz (whole tables, and single blocks plain and packed) and
for tf_bundle_fuzz (checkpoints as tables, and as lists of entries).

Run in this folder; the files it makes are kept beside it.
"""
import os
import struct

from wire import varint

MAGIC = bytes.fromhex("57fb808b247547db")


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def mask(crc):
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def contents(entries, interval=16):
    out, restarts, last = b"", [0], b""
    for i, (key, value) in enumerate(entries):
        shared = len(os.path.commonprefix([last, key]))
        if i and i % interval == 0:
            restarts.append(len(out))
            shared = 0
        out += varint(shared) + varint(len(key) - shared) + varint(len(value))
        out += key[shared:] + value
        last = key
    return out + b"".join(struct.pack("<I", r) for r in restarts + [len(restarts)])


def table(blocks):
    out, index = b"", []

    def put(body):
        nonlocal out
        at = len(out)
        out += body + b"\0" + struct.pack("<I", mask(crc32c(body + b"\0")))
        return varint(at) + varint(len(body))

    for entries in blocks:
        index.append((entries[-1][0], put(contents(entries))))
    handles = put(contents([]))
    handles += put(contents(index, 1))
    return out + handles.ljust(40, b"\0") + MAGIC


def literal(body):
    """Snappy without compression."""
    assert len(body) <= 256
    return varint(len(body)) + bytes([60 << 2, len(body) - 1]) + body


def save(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def tables():
    keys = [b"layer/%d/kernel" % i for i in range(20)]
    entries = [(b"", b"\x08\x01\x1a\x02\x08\x01")]
    entries += [(k, b"\x08\x01") for k in sorted(keys)]
    save("sstable_fuzz", "one-block", table([entries]))
    save("sstable_fuzz", "three-blocks", table([entries[:7], entries[7:9], entries[9:]]))
    save("sstable_fuzz", "empty-block", contents([]))
    save("sstable_fuzz", "block", contents(entries, 4))
    save("sstable_fuzz", "packed-block", literal(contents(entries[:8], 4)))


def hexes(text):
    return bytes.fromhex(text)


def listed(entries):
    return b"".join(bytes([len(k), len(v)]) + k + v for k, v in entries)


def checkpoints():
    header, big = hexes("0801 1a020801"), hexes("0802 1001")
    crc = b"\x35" + struct.pack("<I", mask(crc32c(bytes([1, 2, 3] + [0] * 4 + [1]))))
    f32_2 = hexes("0801 1204 12020802")
    plain = [(b"", header), (b"n", f32_2 + hexes("2808") + crc),
             (b"s", hexes("0807 1204 12020803 280d")),
             (b"v", hexes("0815 1200 280c"))]
    halves = [(b"", big),
              (hexes("00 77 00 01 0101 80 81"), hexes("0801 1204 12020801 2804")),
              (hexes("00 77 00 01 0101 81 81"), hexes("0801 1204 12020801 1801 2804")),
              (b"w", f32_2 + hexes("3a040a021001 3a060a0408011001"))]
    old = [(b"", hexes("0a13 0a11 0a0177 1204 12020802 1801 2204 0a021002")),
           (hexes("00 77 00 01 0101 80 82"), hexes("120c 1a0a 2a08 00000000 0000803f"))]
    for name, entries in (("plain", plain), ("slices", halves), ("version-1", old)):
        save("tf_bundle_fuzz", name, listed(entries))
        save("tf_bundle_fuzz", name + ".index", table([entries]))


if __name__ == "__main__":
    tables()
    checkpoints()
