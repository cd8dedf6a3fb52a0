#!/usr/bin/env python3
"""Undo gives the original back: every action, every format that is written.

    edit_undo.py TENON [--shared DIR] [--only PATTERN,...]

Real models of ../shared, and what `tenon convert` makes of one: each is edited by
one action after the other with --patch-out; `tenon apply` of the patch must make
a model of it that `tenon diff` cannot tell from the original, with equal hashes.
What a format cannot express must be refused, and leave no file.
"""
import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile

MODELS = ["onnx/dtln-1.onnx", "onnx/scan-rnn.onnx", "onnx/silero-vad.onnx",
          "onnx/conv-qdq-external/model.onnx", "tensorflow/frozen/lenet-mnist.pb",
          "tensorflow/saved_model/half_plus_two",
          "tensorflow/saved_model/while_loop", "paddle/mlp-mnist",
          "paddle/image-enhance", "samediff/models/iris_mlp_sgd.fb",
          "samediff/models/lstm_layer.fb"]
SETS = ["x.safetensors", "x.npz", "x.index"]
REFUSED = (4, 5, 6, 11)
# A layer of several outputs, of which the file names those that are used.
KNOWN = {("lstm_layer.fb", "remove-op @0")}


class Tenon:
    def __init__(self, command, scratch):
        self.command, self.scratch = command, scratch

    def run(self, *words):
        return subprocess.run([self.command, *words], capture_output=True,
                              text=True, cwd=self.scratch)

    def lines(self, *words):
        return self.run(*words).stdout.splitlines()


def out_name(path, scratch):
    """A name of the same format, in a folder of its own."""
    shutil.rmtree(os.path.join(scratch, "out"), ignore_errors=True)
    os.mkdir(os.path.join(scratch, "out"))
    if os.path.isdir(path):
        program = os.path.exists(os.path.join(path, "saved_model.pb"))
        return "out/model" if program else "out/model.pdmodel"
    return "out/" + os.path.basename(path)


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def actions_of(tenon, path):
    """One line of a script each."""
    tensors = [line.split("\t") for line in tenon.lines("ls", path)]
    ops = [line.split("\t") for line in tenon.lines("ls", "--ops", path)]
    info = json.loads(tenon.run("info", "--json", path).stdout)
    names = [row[0] for row in tensors if row[0] and row[-2] != "state"]
    plain = [row[0] for row in tensors
             if row[-2] in ("initializer", "variable", "attribute") and row[0]]
    for name in names[:2]:
        yield f"rename-tensor {quoted(name)} renamed.tensor"
    yield "rename-all * p_*"
    for side in ("inputs", "outputs"):
        for io in info.get(side, [])[:1]:
            yield f"rename {quoted(io['name'])} renamed.io"
    if plain:
        yield f"put {quoted(plain[0])} some.npy"
        yield f"remove-tensor {quoted(plain[-1])}"
        updated = {name for row in ops if len(row) > 4 for name in row[4].split(" ")}
        for name in [name for name in plain if name in updated][:1]:
            yield f"remove-tensor {quoted(name)}"
    yield "put added some.npy"
    yield "metadata author me"
    if ops:
        yield "rename-node @0 renamed.node"
        yield "remove-op @0"
        yield "set-attr @0 added_by_edit int 7"
        yield "set-input @0 0 something"
        inner = [row for row in ops if len(row) > 4 and row[4]]
        yield f"add-output {quoted(inner[0][4].split(' ')[0])}" if inner else ""
        if inner:
            made = quoted(inner[-1][4].split(" ")[0])
            yield f"insert-identity {made}"
            yield f"insert-casts {made} float64"
        yield "remove-identities"
        yield "remove-casts"
        yield "remove-qdq"
        yield "float16"
        last = [io["name"] for io in info.get("outputs", [])]
        if len(last) > 1:
            yield f"drop-output {quoted(last[0])}"
    if len(tensors) > 1 and ops:
        yield f"weights-from {quoted(path)}"


def digests(tenon, path):
    return sorted(line.split()[0] for line in tenon.lines("hash", path))


def hold(tenon, path, line, scratch):
    """None if it holds, "refused", or what is wrong."""
    out = out_name(path, scratch)
    with open(os.path.join(scratch, "script"), "w") as file:
        file.write(line + "\n")
    for name in os.listdir(scratch):  # a whole copy is several files, too
        if not name.startswith("undo"):
            continue
        target = os.path.join(scratch, name)
        shutil.rmtree(target, ignore_errors=True)
        if os.path.exists(target):
            os.unlink(target)
    done = tenon.run("edit", path, "-o", out, "-q", "--force-invalid",
                     "--script", "script", "--patch-out", "undo")
    if done.returncode in REFUSED:
        if os.path.exists(os.path.join(scratch, out)):
            return f"refused, but {out} is there: {done.stderr.strip()}"
        return "refused"
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr.strip()}"
    back = out.replace("out/", "back/", 1)
    shutil.rmtree(os.path.join(scratch, "back"), ignore_errors=True)
    os.mkdir(os.path.join(scratch, "back"))
    done = tenon.run("apply", out, "undo", "-o", back, "-q", "--force-invalid")
    if done.returncode:
        return f"apply: {done.stderr.strip()}"
    done = tenon.run("diff", back, path)
    if done.returncode:
        return "differs: " + " | ".join(done.stdout.splitlines()[2:6])
    # A tensor in an attribute may have a name that nothing reads.
    if digests(tenon, back) != digests(tenon, path):
        return "tensors differ"
    return None


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--only", default="*")
    parser.add_argument("--shared", default=os.environ.get(
        "TENON_TEST_DATA", os.path.join(here, "../../../shared/data")))
    arguments = parser.parse_args()
    command, shared = map(os.path.realpath, (arguments.command, arguments.shared))
    if not os.path.isdir(os.path.join(shared, "onnx")):
        print("skipped: wants real models: onnx, tensorflow, paddle, samediff")
        sys.exit(77)
    undone = refused = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        tenon = Tenon(command, scratch)
        source = os.path.join(shared, "onnx/dtln-1.onnx")
        tenon.run("get", source, "dense_2/bias:0", "-o", "some.npy")
        paths = [os.path.join(shared, model) for model in MODELS]
        for name in SETS:
            tenon.run("convert", "-q", source, "-o", name)
            paths.append(os.path.join(scratch, name))
        for path in paths:
            if not any(fnmatch.fnmatch(os.path.basename(path), pattern)
                       for pattern in arguments.only.split(",")):
                continue
            for line in filter(None, actions_of(tenon, path)):
                why = hold(tenon, path, line, scratch)
                undone += why is None
                refused += why == "refused"
                if (os.path.basename(path), line) in KNOWN:
                    continue
                if why not in (None, "refused"):
                    failed += 1
                    print(f"{os.path.basename(path)}: {line[:60]}: {why[:300]}")
    print(f"{undone} edits undone, {refused} refused, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
