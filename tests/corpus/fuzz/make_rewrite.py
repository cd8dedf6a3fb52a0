#!/usr/bin/python3
"""make_rewrite.py TENON - the seeds of rewrite_fuzz, into rewrite_fuzz/: a model
of every family, with weights, in one file or in several, as rewrite_fuzz.c has
it; and of paddle_program_fuzz and paddle_pir_program_fuzz: bytes that choose.
"""
import io
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "rewrite_fuzz")
CORPUS = os.path.dirname(HERE)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def save(name, data):
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(data)


def pack(name, files, is_folder=False):
    """Several files; the first is what is opened, or the folder is."""
    head = "TENON FILES\n" + (".\n" if is_folder else "")
    head += "".join(f"{inside} {len(data)}\n" for inside, data in files)
    save(name, head.encode() + b"\n" + b"".join(data for _, data in files))


def tree(folder):
    for at, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(at, name)
            yield os.path.relpath(path, folder), read(path)


def single_files():
    for name in ("call.onnx", "dense.onnx", "dense.pb", "frames.pb", "if.fb",
                 "functions.pb", "if.onnx", "loop.onnx", "scan.onnx"):
        save(name, read(os.path.join(HERE, "convert_fuzz", name)))
    for name in ("dtypes-raw.onnx", "dtypes-typed.onnx", "everything.onnx"):
        save(name, read(os.path.join(CORPUS, "onnx", name)))
    for name in ("classic", "deflated.sdz", "inline.sdnb", "strings"):
        save(name, read(os.path.join(HERE, "sd_fuzz", name)))
    for name in ("protocol2.pdparams", "container.pdparams", "arrays.pdmodel.txt",
                 "rows.tensor"):
        save(name, read(os.path.join(CORPUS, "paddle", name)))
    for name in ("plain.json", "flow.json"):
        save(name, read(os.path.join(HERE, "paddle_pir_fuzz", name)))
    for name in sorted(os.listdir(os.path.join(CORPUS, "paddle", "odd"))):
        save(name, read(os.path.join(CORPUS, "paddle", "odd", name)))


def arrays():
    file = io.BytesIO()
    numpy.savez(file, a=numpy.arange(6, dtype="f4").reshape(2, 3),
                b=numpy.array([True, False]), c=numpy.float64(0.5),
                d=numpy.zeros((0, 3), "i8"), e=numpy.arange(3, dtype="u2"))
    save("arrays.npz", file.getvalue())
    # a tensor whose name has a zero byte in it
    save("zero_in_name.pb", bytes.fromhex("08021006420461006263" "4a080100000002000000"))


def several_files(tenon):
    paddle = os.path.join(CORPUS, "paddle")
    pack("train.pdmodel.txt",
         [("train.pdmodel.txt", read(os.path.join(paddle, "train.pdmodel.txt"))),
          ("train.pdiparams", read(os.path.join(paddle, "train.pdiparams")))])
    pack("old", [(name, data) for name, data in tree(os.path.join(paddle, "old"))],
         is_folder=True)
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            subprocess.run([tenon, "convert", "--quiet", *words], check=True)

        dense = os.path.join(HERE, "convert_fuzz", "dense")
        os.mkdir(folder + "/onnx")
        run(dense + ".onnx", "-o", folder + "/onnx/model.onnx",
            "--external", "w.bin", "--threshold", "1")
        pack("external.onnx", [(name, data) for name, data in
                               sorted(tree(folder + "/onnx"))])
        os.mkdir(folder + "/saved")
        shutil.copy(os.path.join(HERE, "tf_saved_model_fuzz", "signature"),
                    folder + "/saved/saved_model.pb")
        pack("saved", list(tree(folder + "/saved")), is_folder=True)
        run(folder + "/saved", "--to", "tf-meta-graph",
            "-o", folder + "/graph.meta")
        save("graph.meta", read(folder + "/graph.meta"))
        arrays_path = os.path.join(OUT, "arrays.npz")
        run(arrays_path, "-o", folder + "/arrays.safetensors")
        save("arrays.safetensors", read(folder + "/arrays.safetensors"))
        os.mkdir(folder + "/bundle")
        run(arrays_path, "--to", "tf-checkpoint", "-o", folder + "/bundle/m.index")
        pack("m.index", sorted(tree(folder + "/bundle"),
                               key=lambda file: "index" not in file[0]))
        run(dense + ".onnx", "-o", folder + "/dense.samediff")
        save("dense.samediff", read(folder + "/dense.samediff"))


def choices(name, count, size):
    """Programs that are built of bytes: the same ones every time."""
    chance = random.Random(name)
    folder = os.path.join(HERE, name)
    os.makedirs(folder, exist_ok=True)
    for index in range(count):
        with open(os.path.join(folder, f"{index:03}"), "wb") as file:
            file.write(chance.randbytes(chance.randrange(4, size)))


def main():
    os.makedirs(OUT, exist_ok=True)
    single_files()
    arrays()
    several_files(sys.argv[1])
    choices("paddle_program_fuzz", 100, 300)
    choices("paddle_pir_program_fuzz", 100, 300)


main()
