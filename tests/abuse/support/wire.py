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


def of_floats(count=None):
    """The attributes of a TensorFlow node: T, and N."""
    found = part(5, part(1, "T") + part(2, number(6, 1)))
    if count is not None:
        found += part(5, part(1, "N") + part(2, number(3, count)))
    return found


def function(name, nodes, result):
    """A TensorFlow function of one argument, a, and one result, o."""
    ends = part(2, part(1, "a") + number(3, 1)) + \
        part(3, part(1, "o") + number(3, 1))
    return part(1, part(1, part(1, name) + ends) + nodes +
                part(4, part(1, "o") + part(2, result)))


def inner(name, op, inputs, attributes=b""):
    """A node of such a function."""
    return part(3, part(1, name) + part(2, op) +
                b"".join(part(3, i) for i in inputs) + attributes)


def of_types(key, count):
    """An attribute of a TensorFlow node: so many floats."""
    return part(5, part(1, key) + part(2, part(1, part(6, b"\1" * count))))


def of_function(key, name):
    return part(5, part(1, key) + part(2, part(10, part(1, name))))


def wide_function(count):
    """A float x, an int32 i, and a function f that gives all that it takes."""
    def placeholder(name, dtype):
        return node(name, "Placeholder",
                    part(5, part(1, "dtype") + part(2, number(6, dtype))))
    ends = many(count, lambda i: part(2, part(1, "a%d" % i) + number(3, 1)))
    ends += many(count, lambda i: part(3, part(1, "o%d" % i) + number(3, 1)))
    return placeholder("x", 1) + placeholder("i", 3) + part(2, part(
        1, part(1, part(1, "f") + ends) + many(count, lambda i: part(
            4, part(1, "o%d" % i) + part(2, "a%d" % i)))))


def doubling(depth, leaf=b"", result="a", more=b""):
    """A graph y = f0(x), where f0 calls f1 twice, and so on: 2^depth calls."""
    dtype = part(5, part(1, "dtype") + part(2, number(6, 1)))
    calls = many(depth, lambda i: function(
        "f%d" % i, inner("b", "f%d" % (i + 1), ["a"]) +
        inner("c", "f%d" % (i + 1), ["b:o:0"]), "c:o:0"))
    return node("x", "Placeholder", dtype) + node("y", "f0", part(3, "x")) + \
        more + part(2, calls + function("f%d" % depth, leaf, result))


def conditions(depth, name=""):
    """A value that passes a Switch at each level, and the Merges behind."""
    kind = lambda number_: part(5, part(1, "dtype") + part(2, number(6, number_)))
    out = node(name + "v", "Placeholder", kind(1))
    for i in range(depth):
        from_ = name + ("s%d:1" % (i - 1) if i else "v")
        out += node(name + "p%d" % i, "Placeholder", kind(10))
        out += node(name + "s%d" % i, "Switch", part(3, from_),
                    part(3, name + "p%d" % i), of_floats())
    for i in reversed(range(depth)):
        last = name + ("m%d" % (i + 1) if i + 1 < depth else "s%d:1" % i)
        out += node(name + "m%d" % i, "Merge", part(3, name + "s%d" % i),
                    part(3, last), of_floats(2))
    return out


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
