#!/usr/bin/env python3
"""Simplified ONNX models compute what they did, with no more nodes than before.

    simplified.py TENON [--only PATTERN] [--shared DIR] [--part N]

The backend suite of Debian's libonnx-testdata, and the real models of ../shared
where it is: each is simplified, must be valid, keep the names and the order of
its inputs and outputs, and give on ONNX Runtime, without its own optimiser, what
the original gives.  --part N takes one of N tests of the suite.
"""
import glob
import os
import sys

import numpy

import onnx_suite
import proof
import whole_models

# Factors that go into weights are rounded there.
RELATIVE, ABSOLUTE = 2e-4, 2e-5


def count(graph):
    """Nodes that are no Constants, those of subgraphs too."""
    return sum((node.op_type != "Constant") +
               sum(count(attribute.g) for attribute in node.attribute
                   if attribute.HasField("g")) for node in graph.node)


def ends(graph):
    given = {tensor.name for tensor in graph.initializer}
    return ([end.name for end in graph.input if end.name not in given],
            [end.name for end in graph.output])


def hold_graph(source, back):
    import onnx
    before = onnx.load(source, load_external_data=False)
    after = onnx.load(back, load_external_data=False)
    if ends(before.graph) != ends(after.graph):
        raise proof.Differs(f"{ends(after.graph)}, not {ends(before.graph)}")
    if before.functions or count(after.graph) <= count(before.graph):
        return max(count(after.graph), 1)
    raise proof.Differs(f"{count(before.graph)} nodes became "
                        f"{count(after.graph)}")


def hold_outputs(got, want):
    if list(got) != list(want):
        raise proof.Differs(f"outputs {list(got)}, not {list(want)}")
    for name, array in want.items():
        finite = array[numpy.isfinite(array)] if array.dtype.kind == "f" else []
        largest = float(numpy.abs(finite).max()) if len(finite) else 1
        proof.compare(name, got[name], array, RELATIVE,
                      ABSOLUTE * max(1, largest))


def prove(test, engine, scratch, arguments):
    kind, name = test.split("/", 1)
    if kind == "node":
        known = onnx_suite.original(name, engine)
        if not known:
            raise onnx_suite.NotRun
        path, inputs, _ = known
    else:
        expected = os.path.join(arguments.shared, "data", "onnx", "expected")
        path = whole_models.onnx_in(
            whole_models.source_of(arguments.shared, "onnx", name))
        inputs = whole_models.Run(
            os.path.join(expected, name + ".run.tsv")).inputs
    back = os.path.join(scratch, "model.onnx")
    try:
        proof.convert(arguments.tenon, path, back, "--simplify", "yes")
    except proof.Unmapped as why:
        if "cannot be simplified, only those from 7 on" in str(why):
            raise onnx_suite.NotRun from why
        raise
    nodes = hold_graph(path, back)
    hold_outputs(engine.run(back, inputs, optimize="disabled"),
                 engine.run(path, inputs, optimize="disabled"))
    return nodes


def prove_or_not(test, engine, scratch, arguments):
    try:
        return prove(test, engine, scratch, arguments)
    except onnx_suite.NotRun:
        return -1


def main():
    part = 1
    if "--part" in sys.argv:
        at = sys.argv.index("--part")
        part = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.isdir(onnx_suite.SUITE):
        print("skipped: libonnx-testdata is not installed")
        return 77
    tests = [f"node/{name}"
             for name in sorted(os.listdir(onnx_suite.SUITE))[::part]]
    tests += [f"model/{os.path.basename(path).split('.')[0]}"
              for path in glob.glob(os.path.join(arguments.shared, "data",
                                                 "onnx/expected/*.run.tsv"))]
    results = proof.run(prove_or_not, tests, arguments)
    wrong = [result for result in results
             if result.state not in ("passed", "no ops") and result.ops != -1]
    for result in wrong:
        print(f"{result.test}: {result.state}: {result.reason}")
    ran = sum(result.ops != -1 for result in results)
    print(f"{ran - len(wrong)} of {ran} models compute the same, simplified")
    return 1 if wrong or ran < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
