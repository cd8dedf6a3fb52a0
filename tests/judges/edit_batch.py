#!/usr/bin/env python3
"""tenon edit --batch: every row as before, or a refusal that names the node.

    edit_batch.py TENON [--only PATTERN] [--shared DIR] [--models FOLDER]

Models of ../shared and of --models whose inputs have one row (or are open) get
four, and an open number of rows.  ONNX Runtime runs the original once for each
of four rows and the result once for all: the outputs must agree, row by row.
What is refused must say which node is in the way.
"""
import fnmatch
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy

import proof

ROWS = 4
TYPES = {"float32": numpy.float32, "float64": numpy.float64, "float16": numpy.float16,
         "int64": numpy.int64, "int32": numpy.int32, "uint8": numpy.uint8, "int8": numpy.int8,
         "bool": numpy.bool_}


def info(tenon, path):
    done = subprocess.run([tenon, "info", "--json", path], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)["models"][0]


def needed(tenon, path):
    """Inputs without a default, with a size for what is open."""
    rows = [row for row in info(tenon, path)["inputs"] if not row.get("has_default")]
    for row in rows:
        row["dims"] = [size if isinstance(size, int) and size >= 0 else None for size in row.get("shape") or []]
    return rows


def values(row, sizes, seed):
    random = numpy.random.default_rng(seed)
    dims = [sizes if size is None else size for size in row["dims"]]
    kind = TYPES[row["dtype"]]
    if kind == numpy.bool_:
        return random.integers(0, 2, dims).astype(kind)
    if numpy.issubdtype(kind, numpy.integer):
        return random.integers(0, 2, dims).astype(kind)
    return random.random(dims).astype(kind)


def stacked(got, want, name):
    """`got` holds the rows of all of `want`, along one axis; or it has none, and is the same for each."""
    if got.shape == want[0].shape:
        for one in want:
            proof.compare(name, got, one, 1e-3, 1e-4)
        return
    for axis in range(got.ndim):
        if got.shape[axis] == ROWS * want[0].shape[axis]:
            proof.compare(name, got, numpy.concatenate(want, axis), 1e-3, 1e-4)
            return
    raise proof.Differs(f"{name}: {got.shape} for {ROWS} times {want[0].shape}")


def hold(engine, path, made, rows):
    feeds = [{row["name"]: values(row, 16, seed * 100 + i) for i, row in enumerate(rows)}
             for seed in range(ROWS)]
    want = [engine.run(path, feed) for feed in feeds]
    whole = {row["name"]: numpy.concatenate([feed[row["name"]] for feed in feeds], 0)
             if row["is_row"] else feeds[0][row["name"]] for row in rows}
    got = engine.run(made, whole)
    for name in want[0]:
        stacked(got[name], [one[name] for one in want], name)


def hold_open(engine, path, made, rows):
    """The original takes any number of rows: both are run with four."""
    for row in rows:
        if row["dims"] and row["dims"][0] is None:
            row["dims"][0] = ROWS
    feed = {row["name"]: values(row, 16, i) for i, row in enumerate(rows)}
    try:
        want = engine.run(path, feed)
    except proof.engines.EngineError as error:
        raise proof.Unmapped(str(error))
    got = engine.run(made, feed)
    for name, one in want.items():
        proof.compare(name, got[name], one, 1e-3, 1e-4)


def judge(engine, tenon, path, folder, word):
    rows = needed(tenon, path)
    if not rows or any(row["dtype"] not in TYPES for row in rows):
        return "not run", "inputs of another kind"
    first = next((row for row in rows if row["dims"]), None)
    is_open = first and first["dims"][0] is None
    if not first or (not is_open and first["dims"][0] != 1):
        return "not run", "the number of rows is not 1"
    for row in rows:
        row["is_row"] = bool(row["dims"]) and row["dims"][0] == 1
    made = os.path.join(folder, "made.onnx")
    done = subprocess.run([tenon, "edit", path, "-o", made, "-f", "--batch", word], capture_output=True, text=True)
    if done.returncode:
        return "refused", done.stderr.strip().split("\n")[0].split(": ", 2)[-1]
    try:
        if is_open and word.isdigit():
            hold_open(engine, path, made, rows)
        elif not is_open:
            hold(engine, path, made, rows)
    except proof.Unmapped as error:
        return "not run", str(error)
    except (proof.Differs, proof.engines.EngineError) as error:
        return "failed", str(error)
    return "passed", ""


def models(tenon, shared, extra, folder):
    for path in sorted(glob.glob(f"{shared}/data/onnx/**/*.onnx", recursive=True)):
        yield os.path.relpath(path, f"{shared}/data"), path
    for path in sorted(glob.glob(f"{extra}/**/*.onnx", recursive=True)) if extra else []:
        yield os.path.relpath(path, extra), path
    others = (glob.glob(f"{shared}/data/paddle/*/*.pdmodel") + glob.glob(f"{shared}/data/paddle/*/__model__") +
              glob.glob(f"{shared}/data/tensorflow/frozen/*.pb") + glob.glob(f"{shared}/data/tensorflow/opencv/*.pb") +
              glob.glob(f"{shared}/data/tensorflow/saved_model/*/"))
    for number, path in enumerate(sorted(others)):
        made = os.path.join(folder, f"converted{number}.onnx")
        done = subprocess.run([tenon, "convert", path, "-o", made], capture_output=True)
        if done.returncode == 0:
            yield os.path.relpath(path, f"{shared}/data"), made


def main():
    arguments = parse()
    engine = proof.engines.OnnxRuntime.find()
    if not engine:
        print("skipped: wants ONNX Runtime")
        return 77
    counts = {}
    with engine, tempfile.TemporaryDirectory() as folder:
        for name, path in models(arguments.tenon, arguments.shared, arguments.models, folder):
            if arguments.only and not fnmatch.fnmatch(name, arguments.only):
                continue
            for word in (str(ROWS), "rows"):
                try:
                    state, why = judge(engine, arguments.tenon, path, folder, word)
                except proof.engines.EngineError as error:
                    state, why = "not run", str(error)
                counts[state] = counts.get(state, 0) + 1
                print(f"{state:8} {name} --batch {word} {why}", flush=True)
    if not counts:
        print("skipped: wants real models")
        return 77
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    return 1 if counts.get("failed") else 0


def parse():
    import argparse
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--models", help="a folder with more models")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
