"""wire.py - protobuf by hand, for files that no decent writer makes"""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def part(field, body):
    """A message, a text or bytes."""
    if isinstance(body, str):
        body = body.encode()
    return varint(field << 3 | 2) + varint(len(body)) + body


def many(count, make):
    return b"".join(make(i) for i in range(count))


def nest(depth, make, inmost=b""):
    """Each level is made around the one before; linear in what comes out."""
    for _ in range(depth):
        inmost = make(inmost)
    return inmost


def onnx(graph, *more):
    """A model of IR version 8 that imports operator set 17."""
    head = number(1, 8) + part(8, number(2, 17))
    return head + part(7, part(2, "g") + graph) + b"".join(more)


def node(name, op="NoOp", *more):
    """A TensorFlow node of a GraphDef."""
    return part(1, part(1, name) + part(2, op) + b"".join(more))


def block(index, parent, body):
    """A block of a Paddle program."""
    return part(1, number(1, index) + number(2, parent) + body)


def colliding(bits):
    """2^bits names that a hash of low products could not tell apart."""
    top, fold = 1 << 63, 1 << 63 | 1 << 34 | 1 << 31
    for i in range(1 << bits):
        words = []
        for k in range(bits):
            flip = i >> k & 1
            words += [0x6161616161616161 ^ top * flip,
                      0x6161616161616161 ^ fold * flip]
        yield b"".join(w.to_bytes(8, "little") for w in words)
