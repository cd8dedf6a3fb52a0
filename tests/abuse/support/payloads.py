"""payloads.py - a payload that contradicts its type and shape is refused by every verb

Each file has one tensor `w`, [2,2] of float32, so 16 bytes.  Every verb that reads elements
must give the same answer as `check`: all go on, or all refuse with the same two numbers.
"""
import json
import os
import struct
import subprocess
import sys
import zipfile

VERBS = (("check",), ("get", "w", "--text"), ("get", "w", "--slice", "0", "--text"), ("hash",),
         ("convert", "-f", "-o", "out.npz"), ("convert", "-f", "-o", "out.safetensors"))
OF_ONNX = (("convert", "-f", "-o", "out.onnx"), ("convert", "-f", "--inline", "-o", "out.onnx"),
           ("convert", "-f", "--external", "out.bin", "--threshold", "0", "-o", "out.onnx"),
           ("convert", "-f", "--to", "samediff-fb", "-o", "out.fb"))
VALUES = struct.pack("<8f", *range(8))


def varint(value):
    low = value & 127
    return bytes([low]) if value < 128 else bytes([low | 128]) + varint(value >> 7)


def field(number, data):
    if isinstance(data, int):
        return varint(number << 3) + varint(data)
    return varint(number << 3 | 2) + varint(len(data)) + data


def onnx(name, data):
    value = field(2, field(1, field(1, 1) + field(2, field(1, field(1, 2)) * 2)))
    weight = field(1, 2) * 2 + field(2, 1) + field(8, b"w") + data
    node = field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, b"Add")
    graph = (field(1, node) + field(2, b"g") + field(5, weight) + field(11, field(1, b"x") + value) +
             field(12, field(1, b"y") + value))
    with open(name, "wb") as f:
        f.write(field(1, 8) + field(8, field(2, 13)) + field(7, graph))
    return name, OF_ONNX


def external(name, **entries):
    data = b"".join(field(13, field(1, key.encode()) + field(2, value.encode()))
                    for key, value in {"location": "w.bin", **entries}.items())
    return onnx(name, data + field(14, 1))


def safetensors(name, size):
    head = json.dumps({"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, size]}}).encode()
    with open(name, "wb") as f:
        f.write(struct.pack("<Q", len(head)) + head + VALUES[:size])
    return name, ()


def npz(name, size):
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }".ljust(117) + b"\n"
    with zipfile.ZipFile(name, "w") as archive:
        archive.writestr("w.npy", b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head + VALUES[:size])
    return name, ()


def tensorflow(name, values):
    with open(name, "w") as f:
        f.write('''node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT %s
    tensor_shape { dim { size: 2 } dim { size: 2 } } } } } }''' % values)
    return name, (("convert", "-f", "-o", "out.pb"),)


def samediff(name, size):
    """A variable, whose elements are big-endian, and what is made of it."""
    graph = {"variables": [{"id": {"first": 1}, "name": "w", "dtype": "FLOAT", "device": -1, "ndarray": {
        "shape": [2, 2, 2, 2, 1, 8192, 1, 99], "dtype": "FLOAT", "byteOrder": "BE",
        "buffer": list(struct.unpack("%db" % size, struct.pack(">8f", *range(8))[:size]))}},
        {"id": {"first": 2}, "name": "y", "dtype": "FLOAT", "variabletype": "ARRAY", "device": -1}],
             "nodes": [{"id": 2, "name": "y", "opType": "CUSTOM", "opName": "identity",
                        "inputPaired": [{"first": 1}], "outputNames": ["y"], "outputTypes": ["FLOAT"]}]}
    with open(name + ".json", "w") as f:
        json.dump(graph, f)
    subprocess.run(["tenon", "undump", name + ".json", "-t", "sd.graph.FlatGraph", "-f", "-o", name], check=True)
    return name, (("convert", "-f", "-o", "out.sdz"), ("convert", "-f", "--to", "samediff-fb", "-o", "out.fb"))


def paddle(name, size, combined):
    """A program with a parameter, which is in a file of its own, or of all."""
    os.makedirs(name, exist_ok=True)
    path = os.path.join(name, "__model__.txt")
    with open(path, "w") as f:
        f.write("""blocks { idx: 0 parent_idx: -1
  vars { name: 'feed' type { type: FEED_MINIBATCH } persistable: true }
  vars { name: 'fetch' type { type: FETCH_LIST } persistable: true }
  vars { name: 'x' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 dims: 2 } } } }
  vars { name: 'y' type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 dims: 2 } } } }
  vars { name: 'w' persistable: true type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 dims: 2 } } } }
  ops { inputs { parameter: 'X' arguments: 'feed' } outputs { parameter: 'Out' arguments: 'x' } type: 'feed'
    attrs { name: 'col' type: INT i: 0 } }
  ops { inputs { parameter: 'X' arguments: 'x' } inputs { parameter: 'Y' arguments: 'w' }
    outputs { parameter: 'Out' arguments: 'y' } type: 'elementwise_add' attrs { name: 'axis' type: INT i: -1 } }
  ops { inputs { parameter: 'X' arguments: 'y' } outputs { parameter: 'Out' arguments: 'fetch' } type: 'fetch'
    attrs { name: 'col' type: INT i: 0 } } }""")
    desc = field(1, 5) + field(2, 2) * 2
    with open(os.path.join(name, "__params__" if combined else "w"), "wb") as f:
        f.write(struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + VALUES[:size])
    return path, (("convert", "-f", "-o", "out.onnx"),)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82f63b78 * (crc & 1)
    crc ^= 0xffffffff
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff)


def block(rows):
    """A block of LevelDB's tables: each row stands whole, and none is compressed."""
    body = b"".join(b"\0" + varint(len(key)) + varint(len(value)) + key + value for key, value in rows)
    places, at = [], 0
    for key, value in rows:
        places.append(at)
        at += 1 + len(varint(len(key)) + varint(len(value))) + len(key) + len(value)
    body += b"".join(struct.pack("<I", at) for at in places or [0]) + struct.pack("<I", len(places) or 1)
    return body + b"\0" + crc32c(body + b"\0")


def checkpoint(name, size):
    """An entry that says the size, and so much data."""
    entry = (field(1, 1) + field(2, field(2, field(1, 2)) * 2) + field(5, size) + b"\x35" + crc32c(VALUES[:size]))
    data, meta = block([(b"", field(1, 1) + field(3, field(1, 1))), (b"w", entry)]), block([])
    index = block([(b"w", varint(0) + varint(len(data) - 5))])
    foot = (varint(len(data)) + varint(len(meta) - 5) + varint(len(data) + len(meta)) + varint(len(index) - 5))
    with open(name + ".index", "wb") as f:
        f.write(data + meta + index + foot.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db"))
    with open(name + ".data-00000-of-00001", "wb") as f:
        f.write(VALUES[:size])
    return name + ".index", ()


def cases():
    """(file, verbs of its own), the two numbers of the complaint or None"""
    yield external("no-length.onnx"), None  # as ONNX Runtime reads it
    yield external("no-length-at.onnx", offset="16"), None
    yield external("no-length-short.onnx", offset="24"), ("24 + 16", "32")
    yield external("length-long.onnx", length="20"), ("16", "20")
    yield external("length-short.onnx", length="12"), ("16", "12")
    yield external("length.onnx", offset="4", length="16"), None
    yield onnx("raw.onnx", field(9, VALUES[:16])), None
    yield onnx("raw-long.onnx", field(9, VALUES[:20])), ("16", "20")
    yield onnx("raw-short.onnx", field(9, VALUES[:12])), ("16", "12")
    yield onnx("packed-long.onnx", field(4, VALUES[:20])), ("16", "20")
    yield onnx("packed-short.onnx", field(4, VALUES[:12])), ("16", "12")
    yield onnx("single-long.onnx", b"".join(b"\x25" + VALUES[:4] for _ in range(5))), ("4", "5")
    yield safetensors("right.safetensors", 16), None
    yield safetensors("long.safetensors", 20), ("16", "20")
    yield safetensors("short.safetensors", 12), ("16", "12")
    yield npz("right.npz", 16), None
    yield npz("long.npz", 20), ("4 bytes after",)
    yield npz("short.npz", 12), ("16", "12")
    yield tensorflow("content-long.pbtxt", 'tensor_content: "%s"' % ("a" * 20)), ("16", "20")
    yield tensorflow("content-short.pbtxt", 'tensor_content: "%s"' % ("a" * 12)), ("16", "12")
    yield tensorflow("values-long.pbtxt", "float_val: [0, 1, 2, 3, 4]"), ("4", "5")
    yield samediff("right.fb", 16), None
    yield samediff("long.fb", 20), ("16", "20")
    yield samediff("short.fb", 12), ("16", "12")
    for combined in (False, True):
        folder = "combined-" if combined else "apart-"
        yield paddle(folder + "right", 16, combined), None
        yield paddle(folder + "long", 20, combined), ("4 bytes",)
        yield paddle(folder + "short", 12, combined), ("16", "12")
    yield checkpoint("right", 16), None
    yield checkpoint("long", 20), ("16", "20")
    yield checkpoint("short", 12), ("16", "12")
    yield tensorflow("values-fill.pbtxt", "float_val: [0, 1, 2]"), None  # the last fills up


def complaint(verb, path, words):
    done = subprocess.run(["tenon", verb[0], path, *verb[1:]], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if words is None and done.returncode != 0:
        return "refused: " + said
    if words is not None and done.returncode == 0:
        return "goes on"
    if words is not None and not all(word in said for word in words):
        return "does not say %s: %s" % (words, said)
    if verb == VERBS[1] and words is None and not said.replace("\n", " ").startswith("0 1 2") \
            and path in ("no-length.onnx", "raw.onnx", "right.npz", "values-fill.pbtxt"):
        return "reads something else: " + said
    return None


def main():
    failed = 0
    with open("w.bin", "wb") as f:
        f.write(VALUES)
    for (path, own), words in cases():
        for verb in VERBS + own:
            what = complaint(verb, path, words)
            if what:
                failed += 1
                print("payloads: %s %s: %s" % (" ".join(verb), path, what), file=sys.stderr)
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
