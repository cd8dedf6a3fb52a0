#!/usr/bin/env python3
"""Graphs that Deeplearning4j wrote itself: classic .fb -> onnx -> ONNX Runtime.

    dl4j_models.py TENON [--only PATTERN] [--shared DIR] [--report FILE]

Nothing of ours is in these files, so what we think of an operator of nd4j cannot
cancel out.  Where a graph is a test of the import suite as well, its outputs
must be those that TensorFlow gave; else those of the evaluator of libnd4j's
semantics, on the file as it is.
"""
import argparse
import glob
import os
import sys

import numpy
import onnx
import proof
import tensorflow_suite

RELATIVE, ABSOLUTE = 1e-4, 1e-5
SEED = 20240229

# Calls a graph that is not in the file.
HOLLOW = {"onnx_loop_invoke"}

# What has no rule yet: it must be refused, not converted wrongly.
UNMAPPED = {"lstm_layer"}


def is_classic(path):
    """A zip by its name may be none."""
    with open(path, "rb") as file:
        return file.read(4) not in (b"PK\3\4", b"SDNB")


def models(shared):
    folder = os.path.join(shared, "data", "samediff")
    found = glob.glob(os.path.join(folder, "libnd4j", "*.fb")) + [
        path for path in glob.glob(os.path.join(folder, "models", "*"))
        if is_classic(path)]
    return {os.path.splitext(os.path.basename(path))[0]: path
            for path in found}


def suite_test(shared, name):
    """The folder of the test of that name: `a/b` is a__b there, a_b here."""
    suite = os.path.join(shared, "data", "tensorflow", "import-suite")
    for folder in os.listdir(suite) if os.path.isdir(suite) else ():
        if folder.replace("__", "_") == name:
            return os.path.join(suite, folder)
    return None


def random_inputs(path):
    """For every input of an ONNX model.  What is open is the batch: what another
    input says of it, else 2."""
    random = numpy.random.default_rng(SEED)
    types = {value.name: value.type.tensor_type
             for value in onnx.load(path).graph.input}
    first = [tensor.shape.dim[0].dim_value for tensor in types.values()
             if tensor.shape.dim]
    batch = max(first, default=0) or 2
    inputs = {}
    for name, tensor in types.items():
        dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[tensor.elem_type]
        dims = [dim.dim_value or batch for dim in tensor.shape.dim]
        inputs[name] = random.uniform(0, 1, dims).astype(dtype)
    return inputs


def without_index(arrays):
    return {name.rsplit(":", 1)[0]: array for name, array in arrays.items()}


def hold_recorded(test, engine, source, back, tenon):
    inputs = without_index(tensorflow_suite.load(f"{test}/inputs.npz"))
    want = without_index(tensorflow_suite.load(f"{test}/outputs.npz"))
    proof.convert(tenon, source, back, "--outputs", ",".join(want))
    tensorflow_suite.hold(engine.run(back, inputs), want, "")


def hold_judged(judge, engine, source, back, tenon):
    proof.convert(tenon, source, back)
    inputs = random_inputs(back)
    got = engine.run(back, inputs)
    want = judge and judge.run(source, inputs, list(got))
    for name, array in (want or {}).items():
        proof.compare(name, got[name], array, RELATIVE, ABSOLUTE)


def prove(name, engine, scratch, arguments):
    source = models(arguments.shared)[name]
    back = os.path.join(scratch, "model.onnx")
    test = suite_test(arguments.shared, name)
    if test:
        hold_recorded(test, engine, source, back, arguments.tenon)
    else:
        hold_judged(proof.Nd4j.find(arguments.shared), engine, source, back,
                    arguments.tenon)
    return proof.computing(back)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--report")
    arguments = parser.parse_args()
    tests = sorted(set(models(arguments.shared)) - HOLLOW)
    if not tests:
        print("skipped: wants real models")
        return 77
    results = proof.run(prove, tests, arguments)
    line, _ = proof.summary("graphs of Deeplearning4j", results)
    text = line + "\n\n" + proof.table(results)
    print(text)
    if arguments.report:
        with open(arguments.report, "w") as file:
            file.write(text)
    return 0 if all(result.state in ("passed", "no ops") or
                    (result.state == "unmapped" and result.test in UNMAPPED)
                    for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
