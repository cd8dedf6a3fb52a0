#!/usr/bin/env python3
"""patch_pairs.py TENON --shared SHARED [--each N] - patches between models that have little in common

Of each format, every model becomes every other one: `diff --patch A B`, `apply A`, and `diff` of the result and B
reports nothing but versions and texts about the model.  Prints how many patches were scripts and how many copies.
"""
import argparse
import glob
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("tenon")
parser.add_argument("--shared", default=os.path.join(os.path.dirname(__file__), "../../../shared"))
parser.add_argument("--each", type=int, default=4, help="models of a format")
options = parser.parse_args()
data = os.path.join(options.shared, "data")
if not os.path.isdir(data):
    print("skipped: wants real models:", data)
    sys.exit(77)

GROUPS = {
    "onnx": "onnx/*.onnx",
    "graphdef": "tensorflow/frozen/*.pb",
    "saved models": "tensorflow/saved_model/*/saved_model.pb",
    "tflite": "tflite/small/*.tflite",
    "paddle": "paddle/*/*.pdmodel",
    "samediff": "samediff/models/*.fb",
    "gguf": "gguf/*.gguf",
    "pytorch": "pytorch/*.pt",
}
# Quantised tensors of PyTorch are written as integers, a tensor that is in no dictionary in one; meta tensors have no elements.
UNWRITABLE = ("sparse-quant.pt", "sparse-quant.legacy.pt", "single-tensor.pt", "single-tensor.legacy.pt", "meta.pt")
SIZE_MOST = 3 << 20  # of a model, so that the whole takes seconds


def run(*words):
    return subprocess.run([options.tenon, *words], capture_output=True, text=True)


def models_of(pattern):
    found = []
    for path in sorted(glob.glob(os.path.join(data, pattern))):
        if os.path.getsize(path) > SIZE_MOST or os.path.basename(path) in UNWRITABLE:
            continue
        path = os.path.dirname(path) if path.endswith("saved_model.pb") else path
        if run("info", path).returncode == 0:
            found.append(path)
    step = max(1, len(found) // options.each)
    return found[::step][:options.each]


def left_over(made, wanted):
    """Where a file lists no outputs they are guessed, in the order in which values are written."""
    report = json.loads(run("diff", "--json", made, wanted).stdout)
    return [change for change in report["changes"]
            if change["part"] not in ("metadata", "version") and (change["part"], change["kind"]) != ("output", "moved")]


def try_pair(folder, a, b):
    patch, made = os.path.join(folder, "x.patch"), os.path.join(folder, "made" + os.path.splitext(a)[1])
    difference = run("diff", "--stat", "--patch", patch, a, b)
    if difference.returncode not in (0, 1):
        return "refused: " + difference.stderr.strip()
    if not os.path.exists(patch):
        return "no patch: " + difference.stderr.strip()
    text = open(patch, encoding="utf-8", errors="replace").read()
    applied = run("apply", "--force-invalid", a, patch, "-o", made)
    if applied.returncode != 0:
        return "WRONG: " + applied.stderr.strip()
    left = left_over(made, b)
    if left:
        return "WRONG: %d changes left, first %s" % (len(left), left[0])
    return "copy: " + text.splitlines()[2] if "\ntake " in text else "script"


failed = 0
for group, pattern in GROUPS.items():
    verdicts = {}
    for a, b in itertools.permutations(models_of(pattern), 2):
        folder = tempfile.mkdtemp()
        verdict = try_pair(folder, a, b)
        shutil.rmtree(folder)
        kind = verdict.split(":")[0]
        verdicts[verdict if kind != "WRONG" else kind] = verdicts.get(verdict if kind != "WRONG" else kind, 0) + 1
        if kind in ("WRONG", "no patch"):
            failed += 1
            print("%s -> %s: %s" % (os.path.relpath(a, data), os.path.relpath(b, data), verdict[:400]))
    print("%-13s %s" % (group, ", ".join("%d %s" % (count, verdict[:150]) for verdict, count in sorted(verdicts.items()))))
sys.exit(1 if failed else 0)
