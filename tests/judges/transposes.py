#!/usr/bin/env python3
"""Transposes that are moved over an operator: the same values, none too many.

    transposes.py TENON [--only PATTERN] [--shared DIR] [--part N]

For every operator that the simplifier moves a Transpose over, graphs

    x -> Transpose -> operator -> Transpose -> y

in several orders of axes, with the constants, axes and sizes that it takes; and
graphs of several operators, whose values are used more than once, in a branch or
as an output.  --part N takes one of N.  Simplified, they give on ONNX Runtime, without its own optimiser,
what they gave, and have no more Transposes than before; where the second order
undoes the first, they have none.  More graphs order and group axes, and then
multiply rows or take one place.
"""
import itertools
import os
import random
import re
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import proof
from engine import EngineError

F = TensorProto.FLOAT
SHAPE = (2, 3, 4, 5)
ORDERS = ([0, 3, 1, 2], [0, 2, 3, 1], [3, 2, 1, 0], [1, 0, 2, 3], [2, 0, 3, 1])
CASES = {}


def i8(*values):
    return np.array(values, "i8")


def inverse(perm):
    return [perm.index(i) for i in range(len(perm))]


def permuted(perm):
    return [SHAPE[i] for i in perm]


def transpose(source, target, perm):
    return helper.make_node("Transpose", [source], [target], perm=perm)


def model(nodes, constants, outputs, opset=17, kind=F, dims=SHAPE):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", kind, dims)],
        [helper.make_tensor_value_info(name, kind_of, None)
         for name, kind_of in outputs],
        [numpy_helper.from_array(array, name)
         for name, array in constants.items()])
    return helper.make_model(graph, ir_version=8,
                             opset_imports=[helper.make_opsetid("", opset)])


def case(name, op, perm, then, constants=None, inputs=("v",), kind=F, back=None,
         outputs=1, **attributes):
    """back: whether none is left; then: the second order, for each output."""
    outs = [f"o{i}" for i in range(outputs)]
    nodes = [transpose("x", "v", perm),
             helper.make_node(op, list(inputs), outs, **attributes)]
    ends = []
    for i, out in enumerate(outs):
        if then is None:
            ends.append((out, kind))
        else:
            nodes.append(transpose(out, f"y{i}", then))
            ends.append((f"y{i}", kind))
    CASES[name] = (model(nodes, constants or {}, ends), back)


# --- one operator ------------------------------------------------------------------

def add_sizes(tag, perm):
    """Some of the sizes of what is open, asked for more than once: those that follow
    each other in x, too, need no Transpose."""
    for start, end in ((0, 1), (-2, 4), (1, 3), (-9, -1), (3, 9)):
        axes = perm[start if start > -5 else 0:end]
        nodes = [transpose("x", "v", perm)]
        nodes += [helper.make_node("Shape", ["v"], ["y"], start=start, end=end),
                  helper.make_node("Shape", ["v"], ["z"], start=2, end=3)]
        is_run = all(b == a + 1 for a, b in zip(axes, axes[1:]))
        CASES[f"Shape{start}..{end}/{tag}"] = (
            model(nodes, {}, [("y", TensorProto.INT64), ("z", TensorProto.INT64)],
                  dims=["a", "b", "c", "d"]), is_run or None)


UNARY = re.findall(r'\{ "(\w+)", FIRST, move_unary', open(
    os.path.join(os.path.dirname(__file__), "../../src/map/simplify/transposes.c"),
    encoding="utf-8").read())
OTHER_KINDS = ("BitwiseNot", "Not", "Cast", "CastLike", "IsInf", "IsNaN", "Gelu")


def unary(tag, perm):
    for op in UNARY:
        if op not in OTHER_KINDS:
            case(f"{op}/{tag}", op, perm, inverse(perm), back=True)
    case(f"Clip-bounds/{tag}", "Clip", perm, inverse(perm),
         { "lo": np.float32(-0.5), "hi": np.float32(0.5) }, ("v", "lo", "hi"),
         back=True)
    case(f"Cast/{tag}", "Cast", perm, inverse(perm), back=True,
         kind=TensorProto.DOUBLE, to=TensorProto.DOUBLE)
    for op in ("IsInf", "IsNaN"):
        case(f"{op}/{tag}", op, perm, inverse(perm), back=True,
             kind=TensorProto.BOOL)


def wide(tag, perm):
    rng = np.random.default_rng(7)
    dims = permuted(perm)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu", "Sum", "Mean"):
        for width in range(5):
            few = [1] * (width - 1) + dims[3:] if width else []
            bias = rng.uniform(0.5, 2, few).astype("f4")
            case(f"{op}-{width}/{tag}", op, perm, inverse(perm), { "c": bias },
                 ("v", "c"), back=True)
        full = rng.uniform(0.5, 2, dims).astype("f4")
        case(f"{op}-full/{tag}", op, perm, inverse(perm), { "c": full },
             ("v", "c"), back=True)
    for op in ("Sub", "Div"):
        channel = rng.uniform(0.5, 2, [dims[1], 1, 1]).astype("f4")
        case(f"{op}-left/{tag}", op, perm, inverse(perm), { "c": channel },
             ("c", "v"), back=True)
    for op in ("Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual"):
        case(f"{op}/{tag}", op, perm, inverse(perm), { "c": np.float32([0.1]) },
             ("v", "c"), back=True, kind=TensorProto.BOOL)


def axes(tag, perm):
    rank = len(perm)
    for axis in range(-rank, rank):
        for op in ("Softmax", "LogSoftmax"):
            case(f"{op}{axis}/{tag}", op, perm, inverse(perm), back=True, axis=axis)
        case(f"Concat{axis}/{tag}", "Concat", perm, inverse(perm), inputs=("v", "v"),
             back=True, axis=axis)
        for op in ("ArgMax", "ArgMin"):
            case(f"{op}{axis}/{tag}", op, perm, inverse(perm), back=True, axis=axis,
                 kind=TensorProto.INT64)
            case(f"{op}{axis}-gone/{tag}", op, perm, None, axis=axis, keepdims=0,
                 kind=TensorProto.INT64)
        size = permuted(perm)[axis]
        case(f"Split{axis}/{tag}", "Split", perm, inverse(perm),
             { "s": i8(1, size - 1) }, ("v", "s"), back=True, outputs=2, axis=axis)
    for count in (1, 2, 3):
        for chosen in itertools.combinations(range(rank), count):
            name = "".join(map(str, chosen))
            signed = [a - rank if a % 2 else a for a in chosen]
            for op in ("ReduceMean", "ReduceMax", "ReduceL2"):
                case(f"{op}{name}/{tag}", op, perm, inverse(perm), back=True,
                     axes=signed)
                case(f"{op}{name}-gone/{tag}", op, perm, None, axes=signed,
                     keepdims=0)
            case(f"ReduceSum{name}/{tag}", "ReduceSum", perm, None,
                 { "a": i8(*signed) }, ("v", "a"), keepdims=0)
            case(f"Unsqueeze{name}/{tag}", "Unsqueeze", perm, None,
                 { "a": i8(*chosen) }, ("v", "a"))
    case(f"ReduceMax-all/{tag}", "ReduceMax", perm, None)
    case(f"ReduceMax-none/{tag}", "ReduceMax", perm, None, keepdims=0)


def moved(tag, perm):
    dims = permuted(perm)
    for mode in ("constant", "edge", "reflect"):
        case(f"Pad-{mode}/{tag}", "Pad", perm, inverse(perm),
             { "p": i8(0, 1, 0, 1, 1, 0, 1, 0) }, ("v", "p"), back=True, mode=mode)
    case(f"Slice/{tag}", "Slice", perm, inverse(perm),
         { "b": i8(0, 1, 1), "e": i8(2, 2, 3) }, ("v", "b", "e"), back=True)
    case(f"Slice-axes/{tag}", "Slice", perm, inverse(perm),
         { "b": i8(-1, 0), "e": i8(-1000, 2), "a": i8(-1, 1), "s": i8(-1, 1) },
         ("v", "b", "e", "a", "s"), back=True)
    case(f"Tile/{tag}", "Tile", perm, inverse(perm), { "r": i8(1, 2, 1, 3) },
         ("v", "r"), back=True)
    case(f"Expand/{tag}", "Expand", perm, inverse(perm),
         { "s": np.array(dims, "i8") }, ("v", "s"))
    case(f"Shape/{tag}", "Shape", perm, None, kind=TensorProto.INT64)
    add_sizes(tag, perm)
    case(f"Quantize/{tag}", "QuantizeLinear", perm, inverse(perm),
         { "s": np.float32(0.1), "z": np.uint8(3) }, ("v", "s", "z"), back=True,
         kind=TensorProto.UINT8)
    for axis in range(4):
        scale = np.linspace(0.05, 0.2, dims[axis]).astype("f4")
        zero = np.arange(dims[axis], dtype="u1")
        case(f"Quantize{axis}/{tag}", "QuantizeLinear", perm, inverse(perm),
             { "s": scale, "z": zero }, ("v", "s", "z"), back=True,
             kind=TensorProto.UINT8, axis=axis)
    scales = np.float32([1, 1, 2, 2])[inverse([0, 1, 2, 3])]
    case(f"Resize/{tag}", "Resize", perm, inverse(perm), { "s": scales },
         ("v", "", "s"), mode="nearest")
    to = { axis: 2 * SHAPE[axis] if axis > 1 else SHAPE[axis] for axis in range(4) }
    case(f"Resize-sizes/{tag}", "Resize", perm, inverse(perm),
         { "n": i8(*(to[axis] for axis in perm)) }, ("v", "", "", "n"), back=True,
         mode="nearest")
    case(f"Reshape/{tag}", "Reshape", perm, None, { "s": i8(dims[0], -1) },
         ("v", "s"))


# --- graphs ------------------------------------------------------------------------

def random_graph(seed):
    """Values of one shape, each an operator of one or two before it."""
    rng = random.Random(seed)
    nodes, values, outputs = [], [("x", list(SHAPE))], []
    constants = {}
    for i in range(rng.randint(4, 14)):
        source, dims = rng.choice(values[-4:])
        name, pick = f"v{i}", rng.random()
        if pick < 0.45:
            perm = rng.choice([[0, 3, 1, 2], [0, 2, 3, 1], [0, 2, 3, 1], [0, 3, 1, 2],
                               [1, 0, 3, 2]])
            nodes.append(transpose(source, name, perm))
            dims = [dims[k] for k in perm]
        elif pick < 0.6:
            nodes.append(helper.make_node(rng.choice(["Relu", "Neg", "Abs", "Identity"]),
                                          [source], [name]))
        elif pick < 0.8:
            same = [v for v, d in values if d == dims]
            nodes.append(helper.make_node(rng.choice(["Add", "Sub", "Max"]),
                                          [source, rng.choice(same)], [name]))
        elif pick < 0.9:
            constants[f"c{i}"] = np.linspace(-1, 1, dims[-1]).astype("f4")
            nodes.append(helper.make_node("Mul", [source, f"c{i}"], [name]))
        else:
            axis = rng.randrange(4)
            nodes.append(helper.make_node("Concat", [source, source], [name], axis=axis))
            dims = [2 * d if k == axis else d for k, d in enumerate(dims)]
        values.append((name, dims))
        if rng.random() < 0.15:
            outputs.append((name, F))
    outputs.append((values[-1][0], F))
    return model(nodes, constants, list(dict.fromkeys(outputs)))


def regrouped(rng, dims):
    """Other axes of the same elements: some joined, some divided."""
    dims = list(dims)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(dims))
        if rng.random() < 0.5 and at + 1 < len(dims):
            dims[at:at + 2] = [dims[at] * dims[at + 1]]
        elif len(dims) < 6:
            part = rng.choice([k for k in range(1, dims[at] + 1) if dims[at] % k == 0])
            dims[at:at + 1] = [part, dims[at] // part]
    return dims


def random_shapes(seed, is_open):
    """Orders and groups of axes, one after the other; at the end rows are multiplied, or one place is taken."""
    rng = random.Random(seed)
    nodes, constants, outputs = [], {}, []
    source, dims, first = "x", list(SHAPE), 0 if is_open else None
    for i in range(rng.randint(3, 9)):
        name, pick = f"v{i}", rng.random()
        if pick < 0.4:
            perm = [0, *rng.sample(range(1, len(dims)), len(dims) - 1)] if len(dims) == 4 and rng.random() < 0.6 \
                else rng.sample(range(len(dims)), len(dims))
            nodes.append(transpose(source, name, perm))
            dims, first = [dims[k] for k in perm], None if first is None else perm.index(first)
        elif pick < 0.85:
            to = regrouped(rng, dims)
            if first is not None and (to[first:first + 1] != dims[first:first + 1] or first):
                to = list(dims)  # the open axis keeps its place
            asked = [0 if k < len(dims) and d == dims[k] and (k == first or rng.random() < 0.3) else d for k, d in enumerate(to)]
            if first is None and rng.random() < 0.3:
                asked[rng.randrange(len(asked))] = -1
            constants[f"s{i}"] = i8(*asked)
            nodes.append(helper.make_node("Reshape", [source, f"s{i}"], [name]))
            dims = to
        else:
            nodes.append(helper.make_node(rng.choice(["Relu", "Neg"]), [source], [name]))
        source = name
        if rng.random() < 0.1:
            outputs.append((name, F))
    if rng.random() < 0.5 and first in (None, 0):
        width = int(np.prod(dims[1:]))
        constants["flat"], constants["w"] = i8(-1, width), np.random.default_rng(seed).normal(0, 1, (width, 3)).astype("f4")
        turn = rng.random() < 0.5
        if turn:
            constants["w"] = constants["w"].T.copy()
        nodes.append(helper.make_node("Reshape", [source, "flat"], ["rows"]))
        nodes.append(helper.make_node("Gemm", ["rows", "w"], ["y"], transB=1) if turn else helper.make_node("MatMul", ["rows", "w"], ["y"]))
    else:
        axis = rng.randrange(len(dims))
        constants["at"] = np.array(rng.choice([0, -1, [0, 0]]), "i8")
        nodes.append(helper.make_node("Gather", [source, "at"], ["y"], axis=rng.choice([axis, axis - len(dims)])))
    outputs.append(("y", F))
    return model(nodes, constants, list(dict.fromkeys(outputs)), dims=(("n", *SHAPE[1:]) if is_open else SHAPE))


def branches():
    """A value in another order that only a branch uses."""
    def graph(name, *nodes):
        return helper.make_graph(list(nodes), name, [],
                                 [helper.make_tensor_value_info(name, F, None)])
    nodes = [transpose("x", "v", [0, 3, 1, 2]),
             helper.make_node("Relu", ["v"], ["r"]),
             helper.make_node("ReduceMax", ["x"], ["m"], keepdims=0),
             helper.make_node("Greater", ["m", "c"], ["b"]),
             helper.make_node(
                 "If", ["b"], ["i"],
                 then_branch=graph("t", transpose("r", "t", [0, 2, 3, 1])),
                 else_branch=graph("e", helper.make_node("Neg", ["v"], ["n"]),
                                   transpose("n", "e", [0, 2, 3, 1]))),
             helper.make_node("Add", ["i", "x"], ["y"])]
    return model(nodes, { "c": np.float32(0.5) }, [("y", F)])


def fill():
    for perm in ORDERS:
        tag = "".join(map(str, perm))
        for make in (unary, wide, axes, moved):
            make(tag, perm)
    for seed in range(150):
        CASES[f"random/{seed}"] = (random_graph(seed), None)
        CASES[f"shapes/{seed}"] = (random_shapes(seed, False), None)
        CASES[f"shapes-open/{seed}"] = (random_shapes(seed, True), None)
    CASES["branches"] = (branches(), None)


# --- proof -------------------------------------------------------------------------

def transposes(graph):
    return sum((node.op_type == "Transpose") +
               sum(transposes(attribute.g) for attribute in node.attribute
                   if attribute.HasField("g")) for node in graph.node)


def prove(test, engine, scratch, arguments):
    made, back = CASES[test]
    source = os.path.join(scratch, "in.onnx")
    target = os.path.join(scratch, "out.onnx")
    onnx.save(made, source)
    inputs = { "x": np.random.default_rng(3).normal(0, 1, SHAPE).astype("f4") }
    try:
        want = engine.run(source, inputs, optimize="disabled")
    except EngineError:
        return 0
    proof.convert(arguments.tenon, source, target, "--simplify", "yes")
    got = engine.run(target, inputs, optimize="disabled")
    for name, array in want.items():
        proof.compare(name, got[name], array, 1e-6, 1e-6)
    left, had = transposes(onnx.load(target).graph), transposes(made.graph)
    if left > had or (back and left):
        raise proof.Differs(f"{had} Transposes became {left}")
    return 1


def main():
    part = 1
    if "--part" in sys.argv:
        at = sys.argv.index("--part")
        part = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    arguments = proof.parse(__doc__.splitlines()[0])
    fill()
    results = proof.run(prove, list(CASES)[::part], arguments)
    wrong = [r for r in results if r.state not in ("passed", "no ops")]
    for result in wrong:
        print(f"{result.test}: {result.state}: {result.reason}")
    ran = sum(r.state == "passed" for r in results)
    print(f"{ran} graphs compute the same; "
          f"{sum(r.state == 'no ops' for r in results)} do not run; "
          f"{len(wrong)} are wrong")
    return 1 if wrong or (ran * part < 1000 and not arguments.only) else 0


if __name__ == "__main__":
    sys.exit(main())
