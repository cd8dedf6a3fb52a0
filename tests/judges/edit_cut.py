#!/usr/bin/env python3
"""tenon edit --outputs, --inputs: the two parts of a model, one after the other, are the model.

    edit_cut.py TENON [--only PATTERN] [--shared DIR] [--values N]

Models of TensorFlow, Paddle and SameDiff are cut at some of their values: `--outputs v` is the part before, `--inputs
v` the part behind it.  Both parts and the model are converted to ONNX.  ONNX Runtime runs the model, and the first part
with the second behind it: the outputs must agree.  The patch that undoes a cut must give the model back.
"""
import argparse
import fnmatch
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

import proof
from edit_batch import TYPES, needed, values


def run(*words):
    return subprocess.run(words, capture_output=True, text=True)


def last_line(done):
    return (done.stderr.strip().split("\n") or [""])[-1]


def convert(tenon, path, to):
    done = run(tenon, "convert", path, "-o", to, "-f", "-q")
    if done.returncode:
        raise proof.Unmapped(last_line(done))
    return to


def candidates(tenon, path, count):
    """Values of the main graph that operators compute, spread over it."""
    rows = [row.split("\t") for row in run(tenon, "ls", "--ops", path).stdout.splitlines()]
    first = rows[0][5] if rows else ""
    made = [row[4].split(" ")[0] for row in rows
            if row[5] == first and row[3] and row[1] not in ("Const", "feed", "fetch", "Identity") and row[4]]
    step = max(1, len(made) // (count + 1))
    return made[step::step][:count]


def feeds_of(tenon, path, sizes):
    rows = needed(tenon, path)
    if any(row["dtype"] not in TYPES for row in rows):
        raise proof.Unmapped("inputs of another kind")
    return {row["name"]: values(row, sizes, i) for i, row in enumerate(rows)}


def undo(tenon, path, out, patch, folder):
    back = os.path.join(folder, "back" + os.path.splitext(out)[1])
    done = run(tenon, "apply", out, patch, "-o", back, "-f", "-q")
    if done.returncode:
        raise proof.Differs(f"undo: {last_line(done)}")
    done = run(tenon, "diff", back, path)
    if done.returncode:
        raise proof.Differs(f"undo differs: {done.stdout}")


def cut(tenon, path, folder, option, value):
    ending = os.path.splitext(path)[1] or ".folder"
    name = option.strip("-")
    out, patch = os.path.join(folder, name + ending), os.path.join(folder, name + ".patch")
    done = run(tenon, "edit", path, "-o", out, "-f", "-q", option, value, "--patch-out", patch)
    if done.returncode:
        return None, last_line(done)
    undo(tenon, path, out, patch, folder)
    checked = run(tenon, "check", out)
    if checked.returncode and run(tenon, "check", path).returncode == 0:
        raise proof.Differs(f"check: {checked.stdout}")
    return convert(tenon, out, os.path.join(folder, name + ".onnx")), ""


def judge(engine, tenon, path, whole, value, folder):
    head, refusal = cut(tenon, path, folder, "--outputs", value)
    if not head:
        return "refused", refusal
    tail, refusal = cut(tenon, path, folder, "--inputs", value)
    if not tail:
        return "refused", refusal
    feeds = feeds_of(tenon, whole, 2)
    try:
        want = engine.run(whole, feeds)
    except proof.engines.EngineError as error:
        raise proof.Unmapped(str(error))
    some = {row["name"] for row in needed(tenon, head)}
    middle = list(engine.run(head, {name: feeds[name] for name in some}).values())[0]
    rest = [row["name"] for row in needed(tenon, tail)]
    new = [name for name in rest if name not in feeds]
    if len(new) != 1:
        raise proof.Differs(f"inputs of the second part: {rest}")
    got = engine.run(tail, {name: middle if name == new[0] else feeds[name] for name in rest})
    for name, one in want.items():
        proof.compare(name, got[name], one, 1e-3, 1e-4)
    return "passed", ""


def weights_are_taken_or_refused(tenon, path, folder, option):
    """A weight as an input or output: no crash, and no file without success."""
    rows = run(tenon, "ls", path).stdout.splitlines()
    if not rows:
        return True
    out = os.path.join(folder, "weight" + (os.path.splitext(path)[1] or ".folder"))
    done = run(tenon, "edit", path, "-o", out, "-q", option, rows[0].split("\t")[0])
    was_made = os.path.exists(out)
    if was_made:
        (shutil.rmtree if os.path.isdir(out) else os.remove)(out)
    return done.returncode >= 0 and was_made == (done.returncode == 0)


def models(shared):
    data = f"{shared}/data"
    for pattern in ("tensorflow/frozen/*.pb", "paddle/*/*.pdmodel", "paddle/*/__model__", "samediff/models/*.fb",
                    "samediff/libnd4j/*.fb"):
        for path in sorted(glob.glob(f"{data}/{pattern}")):
            yield os.path.relpath(path, data), path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--only", default="*")
    parser.add_argument("--values", type=int, default=3)
    parser.add_argument("--shared", default=os.path.join(os.path.dirname(__file__), "../../../shared"))
    arguments = parser.parse_args()
    engine = proof.engines.OnnxRuntime.find()
    if not engine or not os.path.isdir(arguments.shared):
        print("skipped: wants ONNX Runtime and models")
        return 77
    counts = {}
    with engine, tempfile.TemporaryDirectory() as folder:
        for name, path in models(arguments.shared):
            if not fnmatch.fnmatch(name, arguments.only):
                continue
            try:
                whole = convert(arguments.tenon, path, os.path.join(folder, "whole.onnx"))
            except proof.Unmapped as error:
                print(f"{name}: not converted: {error}")
                continue
            for option in ("--inputs", "--outputs", "--add-output"):
                if not weights_are_taken_or_refused(arguments.tenon, path, folder, option):
                    counts["failed"] = counts.get("failed", 0) + 1
                    print(f"{name}: {option} of a weight: neither done nor refused")
            for value in candidates(arguments.tenon, path, arguments.values):
                try:
                    with tempfile.TemporaryDirectory() as parts:
                        verdict, why = judge(engine, arguments.tenon, path, whole, value, parts)
                except proof.Unmapped as error:
                    verdict, why = "not run", str(error)
                except (proof.Differs, proof.engines.EngineError) as error:
                    verdict, why = "failed", str(error)
                counts[verdict] = counts.get(verdict, 0) + 1
                if verdict != "passed":
                    print(f"{name}: {value}: {verdict}: {why}")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return 1 if counts.get("failed") or not counts.get("passed") else 0


if __name__ == "__main__":
    sys.exit(main())
