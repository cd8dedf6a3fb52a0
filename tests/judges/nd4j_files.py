#!/usr/bin/python3
"""Deeplearning4j's own files: nd4j (.fb) -> onnx -> ONNX Runtime.

    nd4j_files.py TENON [--only PATTERN] [--shared DIR] [--report FILE]

What the file computes is said by the evaluator of libnd4j's semantics, on inputs
that are made up: the outputs of the converted model must be the same.
"""
import argparse
import glob
import os
import sys
import zlib

import numpy
import onnx
import onnx.mapping
import proof

RELATIVE, ABSOLUTE = 1e-4, 1e-5


# What an input is made to be whose file says no shape, and a dimension that it
# leaves open: until the evaluator can compute the graph.
SHAPES = ((), (2, 2), (2,))
SIZES = (2, 3)


def made_up(graph_input, shape, size):
    """Numbers that are the same each time, of the type that is wanted."""
    kind = graph_input.type.tensor_type
    dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[kind.elem_type]
    dims = [dim.dim_value or size for dim in kind.shape.dim]
    if not kind.HasField("shape"):
        dims = shape
    random = numpy.random.RandomState(zlib.crc32(graph_input.name.encode()))
    array = numpy.asarray(random.uniform(-1, 1, dims))
    if not numpy.issubdtype(dtype, numpy.floating):
        array = numpy.asarray(random.randint(0, 2, dims))
    return array.astype(dtype)


def computed(judge, path, graph):
    """Inputs and outputs that go together; None: the evaluator has none."""
    names = [item.name for item in graph.output]
    for size in SIZES:
        for shape in SHAPES:
            inputs = {item.name: made_up(item, shape, size)
                      for item in graph.input}
            try:
                return inputs, judge.run(path, inputs, names)
            except proof.Differs:
                continue
    return None, None


def prove(test, engine, scratch, arguments):
    path = os.path.join(arguments.shared, "data", "samediff", test)
    back = os.path.join(scratch, "model.onnx")
    proof.convert(arguments.tenon, path, back)
    inputs, want = computed(proof.Nd4j.find(arguments.shared), path,
                            onnx.load(back).graph)
    if want is None:
        return -1
    got = engine.run(back, inputs)
    for name, array in want.items():
        proof.compare(name, got[name], array, RELATIVE, ABSOLUTE)
    return proof.computing(back)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--report")
    arguments = parser.parse_args()
    folder = os.path.join(arguments.shared, "data", "samediff")
    tests = [os.path.relpath(path, folder)
             for part in ("libnd4j/*", "models/*")
             for path in glob.glob(os.path.join(folder, part))
             if path.endswith((".fb", ".zip"))]
    if not tests:
        print("skipped: the files are not here")
        return 77
    results = proof.run(prove, sorted(tests), arguments)
    results = [result._replace(state="not run") if result.ops == -1 else result
               for result in results]
    line, _ = proof.summary("Deeplearning4j's files", results)
    text = line + "\n\n" + proof.table(results)
    print(text)
    if arguments.report:
        with open(arguments.report, "w") as file:
            file.write(text)
    return 1 if any(result.state == "failed" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
