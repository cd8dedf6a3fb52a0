#!/usr/bin/env python3
"""GGUF files that ggml and gguf-py wrote, against what these programs make of them.

    gguf_files.py TENON [DATA]

DATA (../shared/data without it) has a folder gguf: files with the elements that
ggml's own code decodes, what its quantisers make of given floats, and damaged
files with the verdict of its reader.  All are compared bit by bit.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

TENON = os.path.abspath(sys.argv[1])
DATA = os.path.join(sys.argv[2] if len(sys.argv) > 2 else "../shared/data", "gguf")
failures = []


def run(*words):
    return subprocess.run((TENON,) + words, capture_output=True)


def must(*words):
    done = run(*words)
    if done.returncode:
        failures.append("%s: %s" % (" ".join(words), done.stderr.decode()))
    return done.stdout


def listing(path):
    rows = must("ls", path).decode().splitlines()
    return {row.split("\t")[0]: row.split("\t") for row in rows}


def elements(numpy, path, name):
    array = numpy.load(path, allow_pickle=False)
    if array.dtype.kind == "V":  # bfloat16
        array = (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
    return array


def compare_elements(numpy, folder):
    for stem, model in (("all-types", "all-types"), ("meta", "meta"), ("meta", "meta-be"), ("v1", "v1"), ("v2", "v2"),
                        ("split", "split-00001-of-00003")):
        path = os.path.join(DATA, model + ".gguf")
        expected = numpy.load(os.path.join(DATA, stem + ".npz"))
        names = listing(path)
        if set(names) != set(expected.files):
            failures.append("%s: other tensors" % model)
        for name in expected.files:
            out = os.path.join(folder, "out.npy")
            must("get", path, name, "-o", out, "--force")
            found, wanted = elements(numpy, out, name), expected[name]
            if found.dtype != wanted.dtype:
                found = found.astype(wanted.dtype)
            if found.shape != wanted.shape or found.tobytes() != wanted.tobytes():
                failures.append("%s: %s differs" % (model, name))


def compare_quantised(numpy, folder):
    values = numpy.load(os.path.join(DATA, "quantize.npz"))
    x = values["x"]
    header = json.dumps({"x": {"dtype": "F32", "shape": x.shape, "data_offsets": [0, x.nbytes]}}).encode()
    source, out = os.path.join(folder, "x.safetensors"), os.path.join(folder, "x.gguf")
    with open(source, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + x.tobytes())
    for kind in ("q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "f16", "bf16"):
        must("convert", source, "-o", out, "--force", "--quantize", kind)
        row = listing(out)["x"]
        with open(out, "rb") as file:
            file.seek(int(row[5]))
            found = file.read(int(row[6]))
        if kind.upper() in values:
            wanted = values[kind.upper()].tobytes()
        else:
            wanted = x.astype(numpy.float16).tobytes()
        if found != wanted:
            failures.append("%s: other blocks than ggml's" % kind)


def compare_copies(folder):
    out = os.path.join(folder, "copy.gguf")
    for name in ("all-types", "meta", "meta-be", "v2", "ggml-vocab-bert-bge", "ggml-vocab-llama-spm"):
        path = os.path.join(DATA, name + ".gguf")
        must("convert", path, "-o", out, "--force")
        with open(path, "rb") as a, open(out, "rb") as b:
            if a.read() != b.read():
                failures.append("%s: a copy differs" % name)
    must("convert", os.path.join(DATA, "meta.gguf"), "-o", out, "--force", "--byte-order", "big")
    with open(os.path.join(DATA, "meta-be.gguf"), "rb") as a, open(out, "rb") as b:
        if a.read() != b.read():
            failures.append("meta: big-endian differs from gguf-py's")


def compare_verdicts():
    """What ggml refuses has a finding of `check`."""
    folder = os.path.join(DATA, "malformed")
    for line in open(os.path.join(folder, "expected.tsv"), encoding="utf-8").read().splitlines()[1:]:
        name, verdict, _ = line.split("\t")
        path = os.path.join(folder, name)
        opened, checked = run("info", path).returncode, run("check", path).returncode
        if verdict == "accept" and opened:
            failures.append("%s: refused" % name)
        # Big-endian files are refused by ggml on little-endian machines only.
        if verdict == "reject" and checked != 1 and name != "endian-mixed.gguf":
            failures.append("%s: no finding" % name)


def main():
    if not os.path.isdir(DATA):
        print("skipped: wants real models: gguf")
        sys.exit(77)
    try:
        import numpy
    except ImportError:
        print("skipped: wants numpy")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        compare_elements(numpy, folder)
        compare_quantised(numpy, folder)
        compare_copies(folder)
    compare_verdicts()
    for failure in failures:
        print(failure)
    print("gguf: %d failures" % len(failures))
    sys.exit(1 if failures else 0)


main()
