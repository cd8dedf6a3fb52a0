"""The rows of TFLite: a graph of many operators as text, and weights written anew at the speed of a copy."""
import json
import os
import struct
import subprocess

MARK = 0x1122334455667788  # where the offset goes, once the size of the FlatBuffer is known
SCHEMA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "schemas", "tflite.fbs")


def make(files, name, model):
    """By flatc, from JSON."""
    path = files.path(name)
    text = path[:path.rindex(".")] + ".json"
    with open(text, "w", encoding="utf-8") as out:
        json.dump(model, out)
    subprocess.run(["flatc", "-b", "-o", os.path.dirname(path), SCHEMA, text], check=True)
    os.unlink(text)
    return path


def chain(files):
    """A hundred thousand operators, one after the other."""
    count = 100_000 // files.part
    path = files.path(f"chain-{files.part}.tflite")
    if not os.path.exists(path):
        make(files, os.path.basename(path), {
            "version": 3, "operator_codes": [{"deprecated_builtin_code": 101, "builtin_code": "ABS"}], "buffers": [{}],
            "subgraphs": [{"tensors": [{"name": f"layer{i}/abs", "shape": [1, 8]} for i in range(count + 1)], "inputs": [0], "outputs": [count],
                           "operators": [{"inputs": [i], "outputs": [i + 1]} for i in range(count)]}]})
    return path


def weights(files):
    """A gigabyte of weights after the FlatBuffer."""
    size = (1 << 30) // files.part
    path = files.path(f"weights-{files.part}.tflite")
    if os.path.exists(path):
        return path

    def model(offset):
        return {"version": 3, "operator_codes": [{"deprecated_builtin_code": 0, "builtin_code": "ADD"}], "buffers": [{}, {"offset": offset, "size": size}],
                "subgraphs": [{"tensors": [{"name": "x", "shape": [size // 4]}, {"name": "w", "shape": [size // 4], "buffer": 1},
                                           {"name": "y", "shape": [size // 4]}], "inputs": [0], "outputs": [2],
                               "operators": [{"inputs": [0, 1], "outputs": [2]}]}]}
    head = make(files, "weights-head.tflite", model(MARK))
    with open(head, "rb") as bytes_:
        content = bytes_.read()
    offset = len(content) + -len(content) % 16
    content = content.replace(struct.pack("<Q", MARK), struct.pack("<Q", offset))
    with open(path + ".new", "wb") as out:
        out.write(content + bytes(offset - len(content)))
        for _ in range(64):
            out.write(os.urandom(size // 64))
    os.unlink(head)
    os.rename(path + ".new", path)
    return path


def tflite(bench, files, job):
    path, folder = chain(files), files.path("")
    jobs = [job("flatc", ["flatc", "-t", "--strict-json", "--raw-binary", "-o", folder, SCHEMA, "--", path], "wall"),
            job("dump", [files.tenon, "dump", "-q", path, "-o", files.path("chain.json"), "--force"], "wall")]
    bench.measure(jobs)
    bench.compare("TFLite: 100,000 operators as JSON, against flatc", jobs[1], jobs[0], most=1)
    path, out = weights(files), files.path("out.tflite")

    def forget():
        if os.path.exists(out):
            os.unlink(out)
    jobs = [job("cat", ["cat", path], "wall", out=out, before=forget),
            job("edit", [files.tenon, "edit", path, "-q", "--rename-input", "x=picture", "-o", out], "wall", before=forget)]
    bench.measure(jobs)
    forget()
    bench.compare("TFLite: written anew with another name, against cat", jobs[1], jobs[0], most=1.25)
