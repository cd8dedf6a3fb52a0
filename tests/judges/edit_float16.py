#!/usr/bin/env python3
"""tenon edit --float16: what ONNX Runtime computes of it is close.

    edit_float16.py TENON [--only PATTERN] [--shared DIR] [--models FOLDER]

Models of ../shared and of --models, with float32 and with float16 inside, and
with float16 inputs and outputs, too.  bfloat16 is loaded and checked by us alone:
ONNX Runtime has few kernels for it.  GraphDefs run as what `tenon convert` makes
of them, before and after.
"""
import fnmatch
import os
import subprocess
import sys
import tempfile

import numpy

import edit_batch
import proof

# Of the largest value: 11 bits, a few hundred operators.
CLOSE = 0.03

# The engine's layout optimiser crashes on float16 between recurrent layers.
LEVEL = "extended"

# Why something is further off, or is not loaded.
EXCUSES = {
    "*basic-pitch*": "logarithms of spectra that span more than 11 bits",
    "onnx/imagenet-qdq.onnx": "activations at the border of two quantised values",
    "tensorflow/frozen/lstm-unrolled.pb": "random numbers: it drops out what keep_prob says",
    "onnx/nested-loops.onnx": "names that graphs in graphs share, which the engine takes in one order of nodes alone",
}


def hold(got, want):
    for name, one in want.items():
        other = got[name]
        if one.dtype.kind != "f":
            same = numpy.mean(other == one) if one.size else 1
            if same < 0.9:
                raise proof.Differs(f"{name}: {1 - same:.1%} differ")
            continue
        if other.shape != one.shape:
            raise proof.Differs(f"{name}: shape {other.shape}, not {one.shape}")
        scale = max(1e-3, float(numpy.max(numpy.abs(one)))) if one.size else 1
        worst = float(numpy.max(numpy.abs(other.astype("f8") - one))) / scale if one.size else 0
        if not worst <= CLOSE:
            raise proof.Differs(f"{name}: off by {worst:.1%} of the largest value")


def edit(tenon, path, made, action):
    """Edits a model, and converts the result if it is no ONNX model."""
    target = os.path.join(os.path.dirname(made), "made.pb") if path.endswith(".pb") else made
    done = subprocess.run([tenon, "edit", path, "-o", target, "-f", f"--{action}"], capture_output=True, text=True)
    if done.returncode:
        raise proof.Unmapped(done.stderr.strip())
    check = subprocess.run([tenon, "check", target], capture_output=True, text=True)
    before = subprocess.run([tenon, "check", path], capture_output=True, text=True)
    if check.returncode > before.returncode:
        raise proof.Differs(check.stdout.strip().split("\n")[1])
    if target == made:
        return
    done = subprocess.run([tenon, "convert", "-q", "-f", target, "-o", made], capture_output=True, text=True)
    if done.returncode and "cannot convert" in done.stderr:
        raise proof.Unmapped(done.stderr.strip())
    if done.returncode:
        raise proof.Differs(done.stderr.strip())


def judge(engine, tenon, edited, path, folder):
    rows = edit_batch.needed(tenon, path)
    if not rows or any(row["dtype"] not in edit_batch.TYPES for row in rows):
        return "not run", "inputs of another kind"
    feed = {row["name"]: edit_batch.values(row, 16, i) for i, row in enumerate(rows)}
    try:
        want = engine.run(path, feed)
    except proof.engines.EngineError as error:
        return "not run", str(error)
    made = os.path.join(folder, "made.onnx")
    try:
        edit(tenon, edited, made, "float16")
        hold(engine.run(made, feed, LEVEL), want)
        if edited == path:
            edit(tenon, edited, made, "bfloat16")
        edit(tenon, edited, made, "float16-io")
        hold(engine.run(made, {name: array.astype("f2") if array.dtype == numpy.float32 else array
                               for name, array in feed.items()}, LEVEL), want)
    except proof.Unmapped as error:
        return "refused", str(error)
    except (proof.Differs, proof.engines.EngineError) as error:
        return "failed", str(error)
    return "passed", ""


def main():
    arguments = edit_batch.parse()
    engine = proof.engines.OnnxRuntime.find()
    if not engine:
        print("skipped: wants ONNX Runtime")
        return 77
    counts = {}
    with engine, tempfile.TemporaryDirectory() as folder:
        for name, edited, path in edit_batch.models(arguments.tenon, arguments, folder):
            if edited != path and not edited.endswith(".pb"):
                continue    # The same model as ONNX was just there.
            state, why = judge(engine, arguments.tenon, edited, path, folder)
            excuse = next((text for pattern, text in EXCUSES.items() if fnmatch.fnmatch(name, pattern)), None)
            if state == "failed" and excuse:
                state, why = "excused", f"{why}: {excuse}"
            counts[state] = counts.get(state, 0) + 1
            print(f"{state:8} {name} {why}", flush=True)
    if not counts:
        print("skipped: wants real models")
        return 77
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    return 1 if counts.get("failed") else 0


if __name__ == "__main__":
    sys.exit(main())
