#!/usr/bin/python3
"""Rewrites the seeds of tagged_fuzz.c and tag_text_fuzz.c in src/format/samediff.

    make_tagged.py TENON
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "../../../examples/dense.samediff.json")
NAMES = ("tags.txt", "t/graph.fb", "t/params.txt", "t/trainingConfig.fb",
         "t/updater.txt", "t/params/0.fb", "t/params/1.fb", "t/updater/0.fb")

TEXTS = {
    "tags": b"fp32\nint8\r\n",
    "params": b"dense/W 0\ndense/b fp32/1\nmy%20map 2 MAP\n",
    "updater": b"\xef\xbb\xbfw 0 1\n\nb x/2 3\n50%x 4 5",
    # Found by fuzzing: written as the first line the mark was one of the file.
    "mark": b"\n\xef\xbb\xbfw - 1\n`  x\n%x i",
}


def write(folder, seeds):
    folder = os.path.join(HERE, folder)
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, seed in seeds.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(seed)


def container(tenon):
    """The entries of the little model, by name."""
    work = tempfile.mkdtemp()
    graph, out = os.path.join(work, "g.fb"), os.path.join(work, "c.samediff")
    subprocess.run([tenon, "undump", MODEL, "-t", "sd.graph.FlatGraph", "-o",
                    graph], check=True)
    subprocess.run([tenon, "tag", "add", "--quiet", out, "t", graph],
                   check=True)
    with zipfile.ZipFile(out) as zip_:
        entries = {name: zip_.read(name) for name in zip_.namelist()}
    shutil.rmtree(work)
    return entries


def pack(entries):
    """As tagged_fuzz.c takes them: a length and the bytes of each."""
    seed = b""
    for name in NAMES:
        data = entries.get(name, b"")
        seed += struct.pack("<H", len(data)) + data
    return seed


def main():
    dense = container(sys.argv[1])
    params, states = dense["t/params.txt"], dense["t/updater.txt"]
    assert set(dense) == set(NAMES), sorted(dense)
    write("tag_text_fuzz", TEXTS)
    write("tagged_fuzz", {
        "dense": pack(dense),
        "map": pack(dict(dense, **{
            "t/params.txt": params.splitlines()[0] + b" MAP\n" +
                            params.splitlines()[1] + b"\n"})),
        "columns": pack(dict(dense, **{
            "t/updater.txt": states.splitlines()[0] + b" 0\n"})),
        "no_training": pack({name: data for name, data in dense.items()
                             if name != "t/trainingConfig.fb"}),
    })


if __name__ == "__main__":
    main()
