#!/usr/bin/env python3
"""Operators of which all inputs are constants are computed while a model is simplified.

    folded_constants.py TENON [--only PATTERN]

Each case is an operator whose results a Where takes, so that something is left:
it must be gone, and the model must give what ONNX Runtime gives without us.
"""
import argparse
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import proof

RANDOM = numpy.random.default_rng(5)
CASES = []


def case(op, *arrays, opset=13, outputs=1, **attributes):
    CASES.append((f"{op}.{len(CASES)}", arrays, opset, outputs, attributes))


def reals(*dims):
    return RANDOM.standard_normal(dims).astype("f4")


def ints(*items):
    return numpy.array(items, "i8")


def real(x):
    return numpy.float32(x)


def number(x):
    return numpy.int64(x)


for dims, times in (((2, 3), (2, 3)), ((2, 3), (1, 1)), ((2, 1, 3), (1, 4, 2)), ((5,), (4,)), ((2, 3), (0, 2))):
    case("Tile", reals(*dims), ints(*times))
case("Clip", reals(3, 4), real(-.3), real(.5))
case("Clip", ints(-5, 3, 9), number(0))
case("Clip", reals(4), None, real(.1))
case("Clip", numpy.array([numpy.nan, 1, 5], "f4"), real(0), real(2))
for exclusive in (0, 1):
    for backwards in (0, 1):
        how = {"exclusive": exclusive, "reverse": backwards}
        case("CumSum", reals(3, 4), number(1), **how)
        case("CumSum", ints(1, 2, 3, 4), number(0), **how)
        case("CumSum", reals(3, 2, 4), number(-3), **how)
case("EyeLike", reals(3, 5), k=1)
case("EyeLike", reals(3, 5), k=-1, dtype=TensorProto.INT64)
case("Sum", reals(3, 1), reals(1, 4))
case("NonZero", numpy.array([[.5, 0, 2], [0, 0, -3]], "f4"))
case("NonZero", numpy.array([True, False, True]))
case("NonZero", numpy.zeros((2, 2), "f4"))
for left, right in (((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((5, 1), (1, 7)), ((1, 2, 3, 4), (1, 2, 4, 6))):
    case("MatMul", reals(*left), reals(*right))
case("MatMul", RANDOM.integers(-9, 9, (3, 4)).astype("i4"), RANDOM.integers(-9, 9, (4, 2)).astype("i4"))
case("Einsum", reals(4), reals(5), equation="i,j->ij")
case("Einsum", reals(4), reals(5), equation="a , b -> a b")
case("Split", reals(6, 4), outputs=3)
case("Split", reals(6, 4), ints(1, 3), outputs=2, axis=1)
case("Split", reals(6, 4), opset=11, outputs=2, split=[2, 4])
case("Split", reals(6, 4), opset=11, outputs=2, axis=-1)
case("GatherElements", reals(3, 4), RANDOM.integers(-3, 3, (2, 4)), axis=0)
case("GatherElements", reals(3, 4, 2), RANDOM.integers(-4, 4, (3, 2, 2)), axis=1)
case("GatherND", reals(3, 4), ints([0, 1], [-1, 2]))
case("GatherND", reals(3, 4, 5), ints([0], [2]))
case("GatherND", reals(3, 4, 5), ints([[0, 1]], [[2, -1]]))
case("ScatterElements", reals(3, 4), ints([0, 2, 1, 1], [1, -3, 0, 2]), reals(2, 4), axis=0)
case("ScatterElements", reals(3, 4), ints([0, -1]), reals(1, 2), opset=16, axis=1)
case("ScatterND", reals(4, 3), ints([1], [-1]), reals(2, 3))
case("ScatterND", reals(4, 3), ints([1, 2], [0, 0]), reals(2))
case("ScatterND", reals(4, 3, 2), ints([[1, 2]], [[0, 0]]), reals(2, 1, 2), opset=16)
case("OneHot", ints(1, 3, -1), number(4), reals(2))
case("OneHot", ints([1, 3], [0, 7]), number(4), reals(2), axis=0)
case("OneHot", ints([1, 3], [0, 2]), number(4), ints(0, 1), axis=1)
for mode in ("constant", "edge", "reflect"):
    case("Pad", reals(4, 5), ints(1, 2, 3, 1), real(2.5), mode=mode)
    case("Pad", reals(3, 4, 5), ints(0, 1, 2, 0, 1, 1), mode=mode)
    case("Pad", ints(1, 2, 3), ints(1, 2), mode=mode)
case("Pad", reals(4, 5), ints(-1, 2, 0, -2), mode="constant")


def write(op, arrays, opset, outputs, attributes, path):
    """The results of the operator, each behind a Where."""
    given = [numpy_helper.from_array(numpy.asarray(x), f"c{i}") for i, x in enumerate(arrays) if x is not None]
    inputs = ["" if x is None else f"c{i}" for i, x in enumerate(arrays)]
    made = [f"y{i}" for i in range(outputs)]
    nodes = [helper.make_node(op, inputs, made, **attributes)] + [helper.make_node("Where", ["flag", y, y], ["z" + y]) for y in made]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("flag", TensorProto.BOOL, [1])],
                              [helper.make_empty_tensor_value_info("z" + y) for y in made], given)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)


def prove(test, engine, scratch, arguments):
    name, *how = next(case for case in CASES if case[0] == test)
    op = name.split(".")[0]
    source, simple = (os.path.join(scratch, file) for file in ("source.onnx", "simple.onnx"))
    write(op, *how, source)
    inputs = {"flag": numpy.array([True])}
    want = engine.run(source, inputs)
    proof.convert(arguments.tenon, source, simple, "--simplify", "yes", "--fold", "all")
    left = [node.op_type for node in onnx.load(simple).graph.node]
    if op in left:
        raise proof.Differs(f"not computed: {left}")
    got = engine.run(simple, inputs)
    for name, array in want.items():
        proof.compare(name, got[name], array, 1e-5, 1e-6)
    return len(left)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    results = proof.run(prove, [case[0] for case in CASES], arguments)
    line, _ = proof.summary("Folded constants", results)
    print(line + "\n\n" + proof.table(results))
    return 0 if all(result.state == "passed" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
