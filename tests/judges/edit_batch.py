#!/usr/bin/env python3
"""tenon edit --batch: every row as before, or a refusal that names the node.

    edit_batch.py TENON [--only PATTERN] [--shared DIR] [--models FOLDER]

Models of ../shared and of --models whose inputs have one row (or are open) get
four, and an open number of rows.  ONNX Runtime runs the original once for each
of four rows and the result once for all: the outputs must agree, row by row.
What is refused must say which node is in the way.

Models of other formats are edited as they are, and as what they are converted to:
ONNX Runtime runs what the original and the result are converted to.
"""
import fnmatch
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

import proof

ROWS = 4
OTHERS = ("paddle/*/*.pdmodel", "paddle/*/__model__", "paddle/*/inference.json", "paddle/*/model", "tensorflow/frozen/*.pb",
          "tensorflow/opencv/*/*.pb", "tensorflow/import-suite/*/*.pb", "tensorflow/saved_model/*/", "tflite/*/*.tflite",
          "samediff/models/*.fb", "samediff/models/*.zip")
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


class Originals:
    """Runs the model before the change.  What it gives for the same inputs is asked for by each edit of it: once is enough."""

    def __init__(self, engine):
        self.engine, self.of, self.given = engine, None, {}

    def run(self, path, feed):
        stat = os.stat(path)
        of = path, stat.st_ino, stat.st_mtime_ns
        if of != self.of:
            self.of, self.given = of, {}
        key = tuple((name, one.shape, one.tobytes()) for name, one in feed.items())
        if key not in self.given:
            try:
                self.given[key] = self.engine.run(path, feed)
            except proof.engines.EngineError as error:
                raise proof.Unmapped(str(error))
        return self.given[key]


def hold(engine, originals, path, made, rows):
    feeds = [{row["name"]: values(row, 16, seed * 100 + i) for i, row in enumerate(rows)}
             for seed in range(ROWS)]
    want = [originals.run(path, feed) for feed in feeds]
    whole = {row["name"]: numpy.concatenate([feed[row["name"]] for feed in feeds], 0)
             if row["is_row"] else feeds[0][row["name"]] for row in rows}
    got = engine.run(made, whole)
    for name in want[0]:
        stacked(got[name], [one[name] for one in want], name)


def hold_open(engine, originals, path, made, rows):
    """The original takes any number of rows: both are run with four."""
    for row in rows:
        if row["dims"] and row["dims"][0] is None:
            row["dims"][0] = ROWS
    feed = {row["name"]: values(row, 16, i) for i, row in enumerate(rows)}
    want = originals.run(path, feed)
    got = engine.run(made, feed)
    for name, one in want.items():
        proof.compare(name, got[name], one, 1e-3, 1e-4)


def change(tenon, source, path, folder, word):
    """The model with other rows as ONNX, and why not.  `source` is the file that `path` was converted from, or itself."""
    made = os.path.join(folder, "made.onnx")
    if source == path:
        done = subprocess.run([tenon, "edit", path, "-o", made, "-f", "--batch", word], capture_output=True, text=True)
        return made, done
    is_folder = os.path.isdir(source)
    own = os.path.join(folder, "own" if is_folder else "own" + (os.path.splitext(source)[1] or ".pdmodel"))
    shutil.rmtree(own, ignore_errors=True)
    done = subprocess.run([tenon, "edit", source, "-o", own, "-f", "--batch", word], capture_output=True, text=True)
    if done.returncode == 0:
        again = subprocess.run([tenon, "convert", own, "-o", made, "-f"], capture_output=True, text=True)
        if again.returncode:
            raise proof.Differs("the result is not converted: " + again.stderr.strip())
    return made, done


def judge(engine, originals, tenon, source, path, folder, word):
    rows = needed(tenon, path)
    if not rows or any(row["dtype"] not in TYPES for row in rows):
        return "not run", "inputs of another kind"
    first = next((row for row in rows if row["dims"]), None)
    is_open = first and first["dims"][0] is None
    if not first or (not is_open and first["dims"][0] != 1):
        return "not run", "the number of rows is not 1"
    for row in rows:
        row["is_row"] = bool(row["dims"]) and row["dims"][0] == 1
    try:
        made, done = change(tenon, source, path, folder, word)
        if done.returncode:
            return "refused", done.stderr.strip().split("\n")[0].split(": ", 2)[-1]
        if is_open and word.isdigit():
            hold_open(engine, originals, path, made, rows)
        elif not is_open:
            hold(engine, originals, path, made, rows)
    except proof.Unmapped as error:
        return "not run", str(error)
    except (proof.Differs, proof.engines.EngineError) as error:
        return "failed", str(error)
    return "passed", ""


def named(shared, extra):
    """(name, path) of every model."""
    for folder, pattern in ([(f"{shared}/data", "onnx/**/*.onnx")] + ([(extra, "**/*.onnx")] if extra else []) +
                            [(f"{shared}/data", pattern) for pattern in OTHERS]):
        for path in sorted(glob.glob(f"{folder}/{pattern}", recursive=True)):
            yield os.path.relpath(path, folder), path


def models(tenon, arguments, folder):
    """(name, the file that is edited, the same as ONNX)."""
    for name, path in named(arguments.shared, arguments.models):
        if arguments.only and not any(fnmatch.fnmatch(name, pattern) for pattern in arguments.only):
            continue
        if path.endswith(".onnx"):
            yield name, path, path
            continue
        made = os.path.join(folder, "converted.onnx")
        if subprocess.run([tenon, "convert", path, "-o", made, "-f"], capture_output=True).returncode == 0:
            yield name + " as ONNX", made, made
            yield name, path, made


def main():
    arguments = parse()
    engine = proof.engines.OnnxRuntime.find()
    if not engine:
        print("skipped: wants ONNX Runtime")
        return 77
    counts = {}
    originals = Originals(engine)
    with engine, tempfile.TemporaryDirectory() as folder:
        for name, source, path in models(arguments.tenon, arguments, folder):
            for word in (str(ROWS), "rows"):
                try:
                    state, why = judge(engine, originals, arguments.tenon, source, path, folder, word)
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
    parser.add_argument("--only", action="append", help="models whose names match; may be repeated")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--models", help="a folder with more models")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
