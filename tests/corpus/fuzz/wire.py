"""wire.py - protobuf messages written field by field, for the scripts here."""


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def block(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def tag(kind, value):
    """One FieldIndex of a ChunkedField."""
    body = {"f": lambda: number(1, value), "i": lambda: number(3, value),
            "s": lambda: block(2, block(1, value))}[kind]()
    return block(1, body)
