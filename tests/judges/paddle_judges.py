#!/usr/bin/python3
"""paddle_judges.py TENON SCHEMAS [DATA]: protoc and numpy judge PaddlePaddle's files.

- Our text of a program is what protoc prints, and protoc's bytes of our text are
  the program.
- Python's own pickle reads the states that we write, and we read those that it
  writes under each protocol; numpy compares the elements.
- Parameters arrive in .npz as numpy sees them in the file.
"""
import os
import pickle
import struct
import subprocess
import sys
import tempfile

import numpy

TENON, SCHEMAS = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
DATA = os.path.realpath(sys.argv[3]) if len(sys.argv) > 3 else ""
CORPUS = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                      "../corpus/paddle")
MESSAGE = "paddle.framework.proto.ProgramDesc"


def tenon(*arguments):
    subprocess.run([TENON, *arguments, "-q"], check=True)


def protoc(how, data):
    return subprocess.run(
        ["protoc", "-I", SCHEMAS, f"--{how}={MESSAGE}", "paddle.proto"],
        input=data, stdout=subprocess.PIPE, check=True, cwd=SCHEMAS).stdout


def load(name):
    with open(name, "rb") as file:
        return file.read()


def judge_text(program):
    tenon("convert", program, "-o", "a.pdmodel", "--force")
    tenon("convert", "a.pdmodel", "-o", "a.pdmodel.txt", "--force")
    binary, text = load("a.pdmodel"), load("a.pdmodel.txt")
    assert protoc("decode", binary) == text, f"{program}: text is not protoc's"
    assert protoc("encode", text) == binary, f"{program}: not protoc's bytes"


def same(ours, theirs, what):
    assert sorted(ours) == sorted(theirs), f"{what}: {sorted(ours)}"
    for name, array in theirs.items():
        assert ours[name].dtype == array.dtype.newbyteorder("<"), (what, name)
        assert ours[name].shape == array.shape, (what, name)
        assert (ours[name] == array).all(), (what, name)


def judge_states():
    rng = numpy.random.RandomState(1)
    arrays = {
        "a": rng.randn(3, 5).astype("f4"),
        "b": numpy.asfortranarray(rng.randn(4, 3, 2)),
        "c": rng.randint(-9, 9, (2, 2)).astype(">i2"),
        "d": rng.rand(7) > 0.5,
        "e": numpy.frombuffer(rng.bytes(200000), "u1"),
        "f": (rng.randn(3) + 1j * rng.randn(3)).astype("c8"),
        "g": numpy.float16(rng.randn(2, 0, 3)),
    }
    for protocol in (2, 3, 4, 5):
        with open("s.pdparams", "wb") as out:
            pickle.dump(arrays, out, protocol)
        tenon("convert", "s.pdparams", "-o", "s.npz", "--force")
        same(numpy.load("s.npz"), arrays, f"protocol {protocol}")
        tenon("convert", "s.npz", "-o", "t.pdparams", "--force")
        with open("t.pdparams", "rb") as file:
            same(pickle.load(file), arrays, "written")


def records(path):
    """Shapes and elements of a combined file, by hand."""
    data, at = load(path), 0
    types = {5: "f4", 3: "i8", 2: "i4"}
    while at < len(data):
        version, levels, inner, size = struct.unpack_from("<IQIi", data, at)
        assert (version, levels, inner) == (0, 0, 0)
        at += 20
        desc = protoc_desc(data[at:at + size])
        at += size
        dtype = numpy.dtype(types[desc[0]])
        count = int(numpy.prod(desc[1], dtype="i8"))
        yield numpy.frombuffer(data, dtype, count, at).reshape(desc[1])
        at += count * dtype.itemsize


def protoc_desc(data):
    values, at = [], 0
    while at < len(data):
        tag, value, shift = data[at], 0, 0
        at += 1
        while True:
            value |= (data[at] & 0x7f) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                break
        values.append((tag >> 3, value))
    return (dict(values)[1], [v for number, v in values if number == 2])


def judge_arrays(program, params):
    tenon("convert", program, "-o", "p.npz", "--force")
    ours = numpy.load("p.npz")
    for name, array in zip(sorted(ours, key=str.encode), records(params)):
        assert ours[name].shape == array.shape and ours[name].dtype == array.dtype
        assert ours[name].tobytes() == array.tobytes(), name


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    programs = [f"{CORPUS}/train.pdmodel.txt"]
    pairs = [(programs[0], f"{CORPUS}/train.pdiparams")]
    if os.path.isdir(f"{DATA}/paddle"):
        base = f"{DATA}/paddle/"
        programs += [base + "mlp-mnist/__model__", base + "text-cnn/__model__",
                     base + "ocr-det-db/model", base + "face-detect/model.pdmodel",
                     base + "image-enhance/model.pdmodel"]
        pairs += [(base + "ocr-det-db/model", base + "ocr-det-db/params"),
                  (base + "face-detect", base + "face-detect/model.pdiparams")]
    else:
        print("skipped: wants real models")
    for program in programs:
        judge_text(program)
    judge_states()
    for program, params in pairs:
        judge_arrays(program, params)
    print(f"{len(programs)} programs, {len(pairs)} files of parameters, "
          "4 protocols: agreed")
