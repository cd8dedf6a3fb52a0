#!/usr/bin/env python3
"""TensorFlow graphs of OpenCV's dnn tests: tensorflow -> onnx -> ONNX Runtime.

    opencv_suite.py TENON [--only PATTERN] [--shared DIR] [--report FILE] ...

People of another project made the graphs and recorded what TensorFlow computes.
They keep images channels first whatever the graph has, but not in every test:
an order in which all fits is looked for.  Nodes before and after are those of
the report, or fewer.
"""
import os
import re
import sys

import numpy

import graphdef
import proof

RELATIVE = {"float16": 2e-2}
# A float placeholder feeds operators of halves: no graph, and said so.
CLASHES = {"fp16_deconvolution", "fp16_max_pool_odd_valid"}


def last(array):
    """Channels last."""
    return numpy.moveaxis(array, 1, -1) if array.ndim in (4, 5) else array


def first(array):
    return numpy.moveaxis(array, -1, 1) if array.ndim in (4, 5) else array


def placeholders(path):
    graph = graphdef.schema().GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())
    names = {value: key for key, value in graphdef.TYPES.items()}
    return ({node.name: names[node.attr["dtype"].type] for node in graph.node
             if node.op == "Placeholder"}, len(graph.node))


def feeds(fed, holders):
    """What may be meant: the recorded array, in its order or the graph's."""
    for turn in (last, numpy.asarray):
        made = {}
        for name, dtype in holders.items():
            if dtype == "bool":
                made[name] = numpy.array(False)
            else:
                made[name] = numpy.ascontiguousarray(turn(fed).astype(dtype))
        yield made


def agrees(got, want):
    relative = RELATIVE.get(str(got.dtype), 1e-3)
    for turned in (numpy.asarray(got), first(numpy.asarray(got))):
        if turned.size != want.size:
            continue
        flat = turned.astype("f4").reshape(want.shape)
        scale = max(1.0, float(numpy.abs(want).max()))
        if numpy.all(numpy.abs(flat - want) <= relative * scale):
            return True
    return False


def taken(model, holders):
    """Those that the result takes: a switch for training may be gone."""
    import onnx
    names = {value.name for value in onnx.load(model).graph.input}
    return {name: dtype for name, dtype in holders.items() if name in names}


def run(engine, model, folder, holders):
    fed = numpy.load(os.path.join(folder, "in.npy"))
    want = numpy.load(os.path.join(folder, "out.npy")).astype("f4")
    told = "no output"
    for tried in feeds(fed, holders):
        try:
            outputs = engine.run(model, tried)
        except proof.engines.EngineError as error:
            told = proof.told(error)
            continue
        if any(agrees(array, want) for array in outputs.values()):
            return
        told = "differs"
    raise proof.Differs(told)


def prove(test, engine, scratch, arguments):
    folder = os.path.join(arguments.suite, test)
    model = os.path.join(folder, "model.pb")
    made = os.path.join(scratch, "model.onnx")
    holders, _ = placeholders(model)
    try:
        proof.convert(arguments.tenon, model, made, "--simplify", "yes")
    except proof.Unmapped as error:
        if test in CLASHES and "float16" in str(error) and "float32" in str(error):
            return 1
        raise
    if test in CLASHES:
        raise proof.Differs("its types clash, and it was written")
    run(engine, made, folder, taken(made, holders))
    with open(arguments.counts, "a") as file:
        file.write(f"{test} {proof.computing(made, set())}\n")
    return 1


def counted(path):
    with open(path) as file:
        return {test: int(number) for test, number in map(str.split, file)}


def nodes(counts, suite):
    lines = ["", "| test | nodes |", "|---|---|"]
    for test, after in sorted(counts.items()):
        _, before = placeholders(os.path.join(suite, test, "model.pb"))
        lines.append(f"| {test} | {before} -> {after} |")
    return "\n".join(lines) + "\n"


def grown(counts, report):
    """Tests with more nodes than the report says."""
    with open(report) as file:
        section = file.read().split("<!-- opencv -->")[1].split("<!-- end of opencv -->")[0]
    for test, most in re.findall(r"^\| (\w+) \| \d+ -> (\d+) \|$", section, re.M):
        if counts.get(test, 0) > int(most):
            yield f"{test}: {counts[test]} nodes, not {most}"


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    arguments.suite = os.path.join(arguments.shared, "data", "tensorflow", "opencv")
    if not os.path.isdir(arguments.suite):
        print("skipped: wants real models")
        return 77
    graphdef.schema()
    tests = sorted(name for name in os.listdir(arguments.suite)
                   if os.path.isdir(os.path.join(arguments.suite, name)))
    with proof.tempfile.TemporaryDirectory(prefix="tenon-proof-") as folder:
        arguments.counts = os.path.join(folder, "counts")
        open(arguments.counts, "w").close()
        results = proof.run(prove, tests, arguments)
        counts = counted(arguments.counts)
    code = proof.conclude("OpenCV's graphs of TensorFlow", results, arguments,
                          "opencv", nodes(counts, arguments.suite))
    larger = list(grown(counts, arguments.report)) if arguments.report else []
    print("\n".join(larger))
    return 1 if larger else code


if __name__ == "__main__":
    sys.exit(main())
