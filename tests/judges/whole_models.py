#!/usr/bin/env python3
"""Whole models, converted and run: what is recorded of the originals must hold.

    whole_models.py TENON [--only PATTERN] [--shared DIR] [--report FILE] ...

    onnx        onnx -> nd4j (.fb) -> onnx
    tensorflow  frozen graph -> nd4j (.fb) -> onnx
    paddle      program and parameters -> onnx

Inputs are made by the formulas of `expected/*.run.tsv`; outputs are held against
the sums, places of the maximum and first values there.  What came from ONNX also
runs beside its original, on random inputs.
"""
import glob
import os
import sys

import numpy
import proof

RELATIVE, ABSOLUTE = 1e-3, 1e-4
SEED = 20240229


def dims_of(text):
    return () if text == "-" else tuple(int(dim) for dim in text.split(","))


def array_of(dtype, dims, formula):
    """A formula in i, the flat index; a list; or one word."""
    count = int(numpy.prod(dims, dtype=int))
    text = formula.split("=", 1)[-1].replace(" mod ", " % ").strip()
    text = {"true": "True", "false": "False"}.get(text, text)
    if "i" not in text and "," in text:
        items = [float(item) for item in text.split(",")]
    else:
        code = compile(text, "formula", "eval")
        items = [eval(code, {"i": i}) for i in range(count)]
    return numpy.array(items, dtype=dtype).reshape(dims)


class Run:
    """One line of a .run.tsv an input or output; see expected/."""

    def __init__(self, path):
        self.inputs, self.outputs, self.is_ragged = {}, {}, False
        with open(path) as file:
            for line in file:
                words = line.rstrip("\n").split("\t")
                if words[0] == "input":
                    self.inputs[words[1]] = array_of(words[2], dims_of(words[3]),
                                                     words[4])
                    self.take_offsets(words[1], words[5:])
                elif words[0] == "output":
                    self.outputs[words[1]] = words[2:]

    def take_offsets(self, name, words):
        """Of several sequences; one needs none."""
        offsets = words[0].replace("lod ", "").split(",") if words else []
        if len(offsets) > 2:
            self.is_ragged = True
            self.inputs[f"{name}@lod"] = numpy.array([int(item) for item in offsets])

    def hold(self, outputs):
        for name, facts in self.outputs.items():
            if name not in outputs:
                raise proof.Differs(f"no output '{name}'")
            hold_one(name, outputs[name], facts)


def same_type(got, told):
    """The engine that ran the TensorFlow models has no integers but int32."""
    return got == told or (told == numpy.int32 and got == numpy.int64)


def hold_one(name, got, facts):
    dtype, dims, _, total, _, squares, _, place = facts[:8]
    first = numpy.array([float(item) for item in facts[9:]])
    if not same_type(got.dtype, numpy.dtype(dtype)) or \
            got.shape != dims_of(dims):
        raise proof.Differs(f"{name}: {got.dtype}{list(got.shape)}, "
                            f"not {dtype}[{dims}]")
    flat = got.astype("f8").reshape(-1)
    size = max(1.0, float(numpy.abs(flat).sum()) if len(flat) else 1.0)
    proof.compare(f"{name}, first", flat[:len(first)], first, RELATIVE, ABSOLUTE)
    proof.compare(f"{name}, sum", flat.sum(), numpy.float64(total), RELATIVE,
                  1e-6 * size + ABSOLUTE)
    proof.compare(f"{name}, squares", (flat * flat).sum(),
                  numpy.float64(squares), 2 * RELATIVE, ABSOLUTE)
    if len(flat) and flat[int(place)] < flat.max() - ABSOLUTE:
        raise proof.Differs(f"{name}: the maximum is at {flat.argmax()}, "
                            f"not at {place}")


def hold_nearly(name, got, want):
    """Where values are rounded to few steps, the last bit of a sum in another
    order may decide on a step, and every layer behind it hears of it."""
    got, want = got.astype("f8").reshape(-1), want.astype("f8").reshape(-1)
    far = numpy.linalg.norm(got - want) / max(numpy.linalg.norm(want), 1e-9)
    if far > 0.05:
        raise proof.Differs(f"{name}: off by {100 * far:.1f} %")


def random_like(array, random):
    """Within what was there, so that an index stays one."""
    if array.dtype.kind == "f" and array.size:
        low, high = float(array.min()), float(array.max())
        return random.uniform(low, high, array.shape).astype(array.dtype)
    return random.permutation(array.reshape(-1)).reshape(array.shape)


def hold_beside(engine, source, back, run):
    random = numpy.random.default_rng(SEED)
    inputs = {name: random_like(array, random)
              for name, array in run.inputs.items()}
    want = engine.run(source, inputs, optimize="disabled")
    got = engine.run(back, inputs, optimize="disabled")
    for name, array in want.items():
        if rounds(source):
            hold_nearly(f"{name}, random", got[name], array)
            continue
        finite = array[numpy.isfinite(array)] if array.dtype.kind == "f" else []
        largest = float(numpy.abs(finite).max()) if len(finite) else 1
        proof.compare(f"{name}, random", got[name], array, RELATIVE,
                      ABSOLUTE * max(1, largest))


def rounds(path):
    """Whether an ONNX model computes in few steps."""
    import onnx
    graph = onnx.load(path, load_external_data=False).graph
    return any(node.op_type == "QuantizeLinear" for node in graph.node)


def source_of(shared, kind, name):
    folder = os.path.join(shared, "data", kind)
    for path in (os.path.join(folder, name + ".onnx"),
                 os.path.join(folder, "frozen", name + ".pb"),
                 os.path.join(folder, name)):
        if os.path.exists(path):
            return path
    raise proof.Unmapped("no such model")


def onnx_in(folder):
    found = glob.glob(os.path.join(folder, "*.onnx"))
    return found[0] if found else folder


def prove(test, engine, scratch, arguments):
    kind, file = test.split("/")
    shared = arguments.shared
    run = Run(os.path.join(shared, "data", kind, "expected", file))
    source = source_of(shared, kind, file.split(".")[0])
    middle = os.path.join(scratch, "model.fb")
    back = os.path.join(scratch, "model.onnx")
    ends = []
    if kind == "tensorflow":
        ends = ["--inputs", ",".join(run.inputs),
                "--outputs", ",".join(run.outputs)]
    if run.is_ragged:
        ends = ["--inputs", ",".join(run.inputs)]
    if kind == "paddle":
        proof.convert(arguments.tenon, source, back, *ends)
    else:
        source = onnx_in(source) if kind == "onnx" else source
        proof.convert(arguments.tenon, source, middle, *ends)
        proof.convert(arguments.tenon, middle, back)
    outputs = engine.run(back, run.inputs, optimize="disabled")
    run.hold(outputs)
    if kind == "onnx":
        hold_beside(engine, source, back, run)
    judge = proof.Nd4j.find(shared) if kind != "paddle" else None
    judged = judge and judge.run(middle, run.inputs, list(run.outputs))
    if judged and kind == "onnx" and rounds(source):
        for name, array in judged.items():
            hold_nearly(name, array, outputs[name])
    elif judged:
        run.hold(judged)
    return proof.computing(back)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.isdir(os.path.join(arguments.shared, "data")):
        print("skipped: wants real models")
        return 77
    tests = [os.path.join(kind, os.path.basename(path))
             for kind in ("onnx", "tensorflow", "paddle")
             for path in glob.glob(os.path.join(arguments.shared, "data", kind,
                                                "expected", "*.run.tsv"))]
    results = proof.run(prove, sorted(tests), arguments)
    return proof.conclude("Whole models", results, arguments, "models")


if __name__ == "__main__":
    sys.exit(main())
