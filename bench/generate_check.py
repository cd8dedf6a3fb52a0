#!/usr/bin/python3
"""Check what `generate` writes against readers that are not ours.

usage: generate_check.py GENERATE [FOLDER-OF-SCHEMAS]

ONNX files go through onnx.checker with strict shape inference, GraphDefs
through protoc; each list of tensors is compared with the bytes at the offsets
it claims, the large sparse ones by reading their ends alone.
"""
import os
import subprocess
import sys
import tempfile

import onnx
from onnx import numpy_helper

GENERATE = sys.argv[1]
SCHEMAS = sys.argv[2] if len(sys.argv) > 2 else None

ONNX_RAW_DATA = (7, 5, 9)  # graph, initializer, raw_data
TF_CONTENT = (1, 5, 2, 8, 4)  # node, attr, value, tensor, tensor_content


def generate(kind, path, *options):
    """Writes the file; returns its list, which must not depend on it."""
    command = [GENERATE, kind, "--list", *options]
    written = subprocess.check_output(command + ["-o", path], text=True)
    assert written == subprocess.check_output(command, text=True), kind
    rows = [line.split("\t") for line in written.splitlines()]
    return [(name, dtype, [int(d) for d in dims.split(",")], int(at), int(n))
            for name, dtype, dims, at, n in rows]


def read_at(path, offset, size):
    with open(path, "rb") as f:
        f.seek(offset)
        return f.read(size)


def check_onnx(path, rows, nodes, data=None):
    """`data` is the file that holds the tensors, the model by default."""
    onnx.checker.check_model(path, full_check=data is None)
    model = onnx.load(path, load_external_data=False)
    assert len(model.graph.node) == nodes, len(model.graph.node)
    tensors = model.graph.initializer
    assert [t.name for t in tensors] == [row[0] for row in rows]
    for tensor, (_, dtype, dims, offset, size) in zip(tensors, rows):
        assert onnx.TensorProto.DataType.Name(tensor.data_type) == dtype
        assert list(tensor.dims) == dims
        if data is not None:
            entries = {e.key: e.value for e in tensor.external_data}
            assert (int(entries["offset"]), int(entries["length"])) == (
                offset, size)
        elif read_at(path, offset, size) != tensor.raw_data:
            raise AssertionError(f"{tensor.name} is not at {offset}")
        else:
            assert numpy_helper.to_array(tensor).all() or b"begins" in (
                tensor.raw_data[:16])
    return model


def check_markers(path, rows):
    for index, (_, _, _, offset, size) in enumerate(rows):
        begin = read_at(path, offset, 16)
        end = read_at(path, offset + size - 16, 16)
        assert begin == b"tensor %d begins\n" % index, begin
        assert end == b"tensor %d ends..\n" % index, end


def check_is_sparse(path, least):
    info = os.stat(path)
    assert info.st_size >= least, info.st_size
    assert info.st_blocks * 512 < 1 << 20, info.st_blocks


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def read_varint(f):
    value = shift = 0
    while True:
        byte = f.read(1)[0]
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value


def fields(f, begin, end):
    """(number, offset, length) of each length-delimited field; seeks over
    what is inside, and insists that the last one ends where it should."""
    f.seek(begin)
    while f.tell() < end:
        tag = read_varint(f)
        size = read_varint(f)
        if tag & 7 == 2:
            at = f.tell()
            yield tag >> 3, at, size
            f.seek(at + size)
        else:
            assert tag >> 3 > 0 and tag & 7 == 0, tag
    assert f.tell() == end, (f.tell(), end)


def find(f, begin, size, route):
    """Offset and length of every field at the end of a route of numbers."""
    for number, at, length in list(fields(f, begin, begin + size)):
        if number == route[0] and len(route) == 1:
            yield at, length
        elif number == route[0]:
            yield from find(f, at, length, route[1:])


def check_route(path, rows, route):
    """The lengths of a file too large for protobuf lead to its tensors."""
    with open(path, "rb") as f:
        found = list(find(f, 0, os.path.getsize(path), route))
    assert found == [(row[3], row[4]) for row in rows], found


def check_contents(path, rows):
    """In front of each tensor stands tensor_content, field 4, its length."""
    for name, _, _, offset, size in rows:
        head = b"\x22" + varint(size)
        assert read_at(path, offset - len(head), len(head)) == head, name


def check_protoc(path, nodes, rows):
    """protoc has no mercy on lengths that do not add up."""
    check_contents(path, rows)
    command = ["protoc", "--decode_raw"]
    top = "1 {"
    if SCHEMAS is not None:
        command = ["protoc", f"-I{SCHEMAS}", "--decode=tensorflow.GraphDef",
                   os.path.join(SCHEMAS, "tensorflow.proto")]
        top = "node {"
    with open(path, "rb") as f:
        text = subprocess.check_output(command, stdin=f).decode("latin-1")
    lines = text.splitlines()
    assert lines.count(top) == nodes, lines.count(top)
    if SCHEMAS is not None:
        unknown = [x for x in lines if x.strip()[:1].isdigit()]
        assert not unknown, unknown[:3]


def check_small_ones(folder):
    path = os.path.join(folder, "model")
    rows = generate("big", path, "--scale", "1/60")
    assert len(rows) == 5 and all(row[4] == 5000000 for row in rows)
    check_onnx(path, rows, 20)
    for scale, nodes in ("1/1000", 1000), ("1/999", 1001), ("3/1000000", 3):
        assert generate("small", path, "--scale", scale) == []
        check_onnx(path, [], nodes)
    for scale, nodes in ("1/1000", 1000), ("2/1000000", 2):
        rows = generate("graph", path, "--scale", scale)
        assert len(rows) == (nodes - 1) // 10 * 3
        check_protoc(path, nodes, rows)
    rows = generate("sparse-onnx", path, "--size", "1MiB")
    check_onnx(path, rows, 4)
    check_markers(path, rows)
    rows = generate("sparse-graph", path, "--size", "1MiB")
    check_protoc(path, 9, rows)
    os.unlink(path)


def check_large_ones(folder):
    path = os.path.join(folder, "model")
    for kind, size, route in (
            ("sparse-onnx", 6 << 30, ONNX_RAW_DATA),
            ("sparse-onnx", 40 << 30, ONNX_RAW_DATA),
            ("sparse-graph", 5 << 29, TF_CONTENT),
            ("sparse-graph", 6 << 30, TF_CONTENT)):
        rows = generate(kind, path, "--size", str(size))
        check_route(path, rows, route)
        check_is_sparse(path, size)
        check_markers(path, rows)
        os.unlink(path)
    rows = generate("sparse-external", path)
    weights = os.path.join(path, "weights.bin")
    check_is_sparse(weights, 5 << 30)
    check_markers(weights, rows)
    assert max(row[4] for row in rows) > 4 << 30
    check_onnx(os.path.join(path, "model.onnx"), rows, 4, weights)


with tempfile.TemporaryDirectory() as scratch:
    check_small_ones(scratch)
    check_large_ones(scratch)
print("generate: all kinds are what they claim to be")
