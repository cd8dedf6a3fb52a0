#!/usr/bin/env python3
"""Deeplearning4j's import suite: tensorflow -> nd4j (.fb) -> onnx -> ONNX Runtime.

    tensorflow_suite.py TENON [--only PATTERN] [--shared DIR] [--report FILE] ...

The graphs are real and frozen; what TensorFlow computed is recorded beside
them, and so are the tolerances.  The .fb files are also run by the evaluator of
libnd4j's semantics, for the ops that it covers; --nd4j runs nothing else.  With
--direct nd4j is left out; what is bfloat16 at the end is fetched through a Cast.
"""
import csv
import os
import shutil
import sys

import numpy
import proof

TOLERANCE = { "float32": 1e-4, "float64": 1e-5, "float16": 2e-3 }


def load(path):
    with numpy.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def hold_one(name, got, want, notes):
    relative = TOLERANCE.get(str(want.dtype), 0)
    if "bfloat16" in notes and want.dtype.kind == "f":
        relative, got = 8e-3, numpy.asarray(got).astype(want.dtype)
    elif "narrowed" in notes and want.dtype == numpy.float64:
        relative = 1e-4
    if "unordered" in notes:
        got, want = numpy.sort(got), numpy.sort(want)
    if "rounded-int64" in notes and want.dtype == numpy.int64:
        got, want = got.astype("f8"), want.astype("f8")
    finite = want[numpy.isfinite(want)] if want.dtype.kind == "f" else []
    largest = max(1, float(numpy.abs(finite).max())) if len(finite) else 1
    proof.compare(name, got, want, relative, relative * 0.01 * largest)


def hold(outputs, want, notes):
    for name, array in want.items():
        if name not in outputs:
            raise proof.Differs(f"no output '{name}'")
        hold_one(name, outputs[name], array, notes)


def widen(path):
    """bfloat16, which the engine hands out to nobody, as float32."""
    import onnx
    from onnx import helper
    model = onnx.load(path)
    for output in model.graph.output:
        if output.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
            for node in model.graph.node:
                node.output[:] = [name + "/narrow" if name == output.name else name for name in node.output]
                node.input[:] = [name + "/narrow" if name == output.name else name for name in node.input]
            model.graph.node.append(helper.make_node("Cast", [output.name + "/narrow"], [output.name], to=1))
            output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    onnx.save(model, path)


def directly(source, back, ends, inputs, judge, engine, arguments):
    proof.convert_directly(arguments.tenon, source, back, *ends)
    ops = proof.computing(back)
    widen(back)
    if arguments.keep:
        kept = os.path.join(arguments.keep, os.path.basename(os.path.dirname(source)))
        shutil.copy(back, kept + ".onnx")
    judge(engine.run(back, inputs))
    return ops


def prove(test, engine, scratch, arguments):
    folder = os.path.join(arguments.suite, test)
    inputs = load(os.path.join(folder, "inputs.npz"))
    want = load(os.path.join(folder, "outputs.npz"))
    notes = arguments.notes.get(test, "")
    middle = os.path.join(scratch, "model.fb")
    back = os.path.join(scratch, "model.onnx")
    ends = ["--outputs", ",".join(want)]
    if inputs:
        ends += ["--inputs", ",".join(inputs)]
    if arguments.direct:
        return directly(os.path.join(folder, "model.pb"), back, ends, inputs,
                        lambda got: hold(got, want, notes), engine, arguments)
    proof.convert(arguments.tenon, os.path.join(folder, "model.pb"), middle,
                  *ends)
    if arguments.keep:
        kept = os.path.join(arguments.keep, test)
        os.makedirs(kept, exist_ok=True)
        shutil.copy(middle, kept)
    judge = proof.Nd4j.find(arguments.shared)
    outputs = judge.run(middle, inputs, list(want)) if judge else None
    if outputs is not None:
        hold(outputs, want, notes)
    if arguments.nd4j:
        if outputs is None:
            raise proof.Unmapped("nd4j_eval does not cover it")
        return 1
    proof.convert(arguments.tenon, middle, back)
    if arguments.keep:
        shutil.copy(back, kept)
    hold(engine.run(back, inputs), want, notes)
    count = proof.computing(back)
    if count:
        return count
    # All of it undid itself; what the rules made of it must hold, too.
    proof.convert(arguments.tenon, middle, back, "--simplify", "no")
    hold(engine.run(back, inputs), want, notes)
    return proof.computing(back)


def computed(results):
    """How many ops reached the engine, test by test."""
    lines = ["", "| passed | ops computed |", "|---|---|"]
    lines += [f"| {result.test} | {result.ops} |" for result in results
              if result.state == "passed"]
    return "\n".join(lines) + "\n"


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    arguments.suite = os.path.join(arguments.shared, "data", "tensorflow",
                                   "import-suite")
    if not os.path.isdir(arguments.suite):
        print("skipped: wants real models")
        return 77
    with open(os.path.join(arguments.suite, "MANIFEST.tsv")) as file:
        arguments.notes = {row["test"].replace("/", "__"): row["notes"]
                           for row in csv.DictReader(file, delimiter="\t")}
    results = proof.run(prove, sorted(arguments.notes), arguments)
    title = "TensorFlow import suite" + (", directly" if arguments.direct else "")
    return proof.conclude(title, results, arguments,
                          "tensorflow direct" if arguments.direct else "tensorflow",
                          "" if arguments.direct else computed(results))


if __name__ == "__main__":
    sys.exit(main())
