#!/usr/bin/python3
"""Rewrites the seeds of src/format/samediff/sd_fuzz.c, with flatc."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "../../../schemas/samediff_classic.fbs")
OUT = os.path.join(HERE, "sd_fuzz")
FLAGS = {"FLOAT": 8192, "INT32": 131072, "UTF8": 1048576, "BOOL": 524288}
SIZES = {"FLOAT": 4, "INT32": 4, "BOOL": 1}


def signed(data):
    return [b - 256 if b > 127 else b for b in data]


def strides(dims, order):
    step, out = 1, [0] * len(dims)
    for i in range(len(dims)) if order == "f" else reversed(range(len(dims))):
        out[i] = step
        step *= dims[i]
    return out


def record(dims, dtype, data, order="c", empty=False):
    """An array with a shape record, big-endian."""
    shape = [len(dims), *dims, *strides(dims, order),
             FLAGS[dtype] | (8 if empty else 0), 1, ord(order)]
    array = {"shape": shape, "dtype": dtype, "byteOrder": "BE"}
    if not empty:
        array["buffer"] = signed(data)
    return array


def plain(dims, dtype, data, order="c"):
    return {"shape": dims, "dtype": dtype, "buffer": signed(data),
            "byteOrder": "BE" if order == "f" else "LE"}


def floats(mark, *values):
    return struct.pack(mark + "%df" % len(values), *values)


def variable(number, name, kind, dtype="FLOAT", **rest):
    return {"id": {"first": number}, "name": name, "dtype": dtype,
            "device": -1, "variabletype": kind, **rest}


def graph(array, mark, **rest):
    """out = (x @ w) * 2, with an updater and arguments of all kinds."""
    two = array([2, 1], "FLOAT", floats(mark, 1, 2))
    scalar = array([], "FLOAT", floats(mark, 2))
    return {
        "variables": [
            variable(1, "x", "PLACEHOLDER", shape=[-1, 2]),
            variable(2, "w", "VARIABLE", ndarray=two),
            variable(3, "f", "CONSTANT", ndarray=array(
                [2, 2], "FLOAT", floats(mark, 1, 2, 3, 4), "f")),
            variable(4, "mmul", "ARRAY", controlDepForOp=["mul"]),
            variable(5, "out", "ARRAY")],
        "nodes": [
            {"id": 4, "name": "mmul", "opType": "CUSTOM",
             "opNum": -273014250715117663, "opName": "matmul",
             "inputPaired": [{"first": 1}, {"first": 2}],
             "outputNames": ["mmul"], "outputTypes": ["FLOAT"],
             "extraInteger": [0, -1], "extraParams": [0.5],
             "extraBools": [True], "extraTypes": ["INT64"],
             "extraStrings": ["s"], "dimensions": [2147483647],
             "properties": [{"name": "p", "i": [7], "l": [8], "d": [1.5],
                             "b": [True], "s": ["q"], "a": [scalar],
                             "shape": [1]}]},
            {"id": 5, "name": "mul", "opType": "SCALAR", "opNum": 2,
             "opName": "mul_scalar", "inputPaired": [{"first": 4}],
             "outputNames": ["out"], "outputTypes": ["FLOAT"],
             "scalar": scalar, "controlDeps": ["mmul"]}],
        "configuration": {"id": -1, "outputMode": "VARIABLE_SPACE",
                          "timestats": True},
        "placeholders": ["x"], "lossVariables": ["out"],
        "trainingConfig": '{"updater": {"@class": "a.Adam", '
                          '"learningRate": 0.001}, "regularization": '
                          '[{"@class": "a.L2", "l2": {"value": 1e-4}}]}',
        "updaterState": [{"paramName": "w", "updaterStateKeys": ["V", "M"],
                          "updaterStateValues": [two, two]}], **rest}


def flat(content, work):
    path = os.path.join(work, "seed.json")
    with open(path, "w") as to:
        json.dump(content, to)
    subprocess.run(["flatc", "--no-warnings", "-b", "-o", work, SCHEMA, path],
                   check=True)
    with open(os.path.join(work, "seed.fb"), "rb") as made:
        return made.read()


def text(word):
    return struct.pack(">H", len(word)) + word.encode()


def manifest(entries):
    """Java's stream of a LinkedHashMap<String, Pair<Long, Long>>."""
    out = (b"\xac\xed\0\5sr" + text("java.util.LinkedHashMap") +
           bytes.fromhex("34c04e5c106cc0fb020001") + b"Z" +
           text("accessOrder") + b"xr" + text("java.util.HashMap") +
           bytes.fromhex("0507dac1c31660d1030002") + b"F" +
           text("loadFactor") + b"I" + text("threshold") + b"xp")
    out += bytes.fromhex("3f400000") + struct.pack(
        ">i", 12 if entries else 0) + b"w\x08" + struct.pack(
            ">ii", 16, len(entries))
    for i, (name, first, second) in enumerate(entries):
        out += b"t" + text(name)
        if i == 0:
            out += (b"sr" + text("org.nd4j.common.primitives.Pair") +
                    bytes.fromhex("0000000000000077020002") + b"L" +
                    text("key") + b"t" + text("Ljava/lang/Object;") + b"L" +
                    text("value") + b"q\0\x7e\0\x05xp" + b"sr" +
                    text("java.lang.Long") +
                    bytes.fromhex("3b8be490cc8f23df020001") + b"J" +
                    text("value") + b"xr" + text("java.lang.Number") +
                    bytes.fromhex("86ac951d0b94e08b020000") + b"xp")
        else:
            out += b"sq\0\x7e\0\x04sq\0\x7e\0\x07"
        out += struct.pack(">q", first) + b"sq\0\x7e\0\x07" + struct.pack(
            ">q", second)
    return out + b"x\0"


def sdnb(buffer, blobs=()):
    at, entries = 32 + len(buffer), []
    for name, data in blobs:
        entries.append((name, at, len(data)))
        at += len(data)
    tail = manifest(entries)
    return (b"SDNB" + struct.pack(">iqqq", 1, at, len(tail), 32) + buffer +
            b"".join(data for _, data in blobs) + tail)


def write(name, data):
    with open(os.path.join(OUT, name), "wb") as to:
        to.write(data)


def write_zip(name, entries, method):
    with zipfile.ZipFile(os.path.join(OUT, name), "w", method) as to:
        for entry, data in entries:
            to.writestr(zipfile.ZipInfo(entry), data, method)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    os.mkdir(OUT)
    work = tempfile.mkdtemp()
    classic = graph(record, ">")
    write("classic", flat(classic, work))
    classic["variables"][2]["ndarray"] = record(
        [1], "UTF8", struct.pack("<qq", 0, 3) + b"abc")
    classic["variables"][2]["dtype"] = "UTF8"
    write("strings", flat(classic, work))
    classic["variables"][2]["ndarray"] = record(
        [2], "UTF8", struct.pack(">qqqq", 2, 0, 1, 3) + b"abc")
    write("old_strings", flat(classic, work))
    classic["variables"][2]["ndarray"] = record([0], "INT32", b"", empty=True)
    classic["variables"][2]["dtype"] = "INT32"
    write("empty_array", flat(classic, work))
    write("empty", flat({"variables": [], "nodes": []}, work))
    meta = {"metadataKeys": ["nd4j.format.version"], "metadataValues": ["1"]}
    inner = {"variables": [variable(1, "y", "PLACEHOLDER")], "nodes": []}
    sub = {"subInstances": [{"name": "body", "serializedData": inner}]}
    inline = graph(plain, "<", **meta, **sub)
    write("inline.sdnb", sdnb(flat(inline, work)))
    inline["variables"][1].pop("ndarray")
    inline["variables"][1]["shape"] = [2, 1]
    blob = ("w", floats("<", 1, 2))
    appended = sdnb(flat(inline, work), [blob])
    write("appended.sdnb", appended)
    write_zip("stored.sdz", [("model", appended)], zipfile.ZIP_STORED)
    write_zip("deflated.sdz", [("model", appended), ("config.json", b"{}")],
              zipfile.ZIP_DEFLATED)
    states = inline.pop("updaterState")
    data = {"variables": [variable(1, "w", "VARIABLE", shape=[2, 1])],
            "updaterState": states, **meta}
    write_zip("shards.sdz",
              [("model.shard0-of-2.sdnb", sdnb(flat(inline, work))),
               ("model.shard1-of-2.sdnb", sdnb(flat(data, work), [blob]))],
              zipfile.ZIP_STORED)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
