#!/usr/bin/env python3
"""Where graphs of ONNX are at the edge: no round of a Loop, nothing in a tensor.

    onnx_edges.py TENON [--only PATTERN] [--shared DIR]

    onnx -> nd4j (.fb) -> onnx

A Loop that runs zero times, an If of several outputs (which stays one), tensors
without elements: what comes back gives in ONNX Runtime what the original gives
there, and has as many Ifs and Loops.  So does the .fb on the evaluator of
libnd4j's semantics, as far as it covers the operators.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import proof
from contract import CORPUS, branch, info, model, node

F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.array([1.5, -2, 0.25], "f4")


def f(*dims):
    return np.arange(np.prod(dims, dtype=int), dtype="f4").reshape(dims) - 2


def i8(*values):
    return np.array(values, "i8")


# Name: the model, and feeds, each of which is run.
CASES = {}


def add(name, made, *feeds):
    CASES[name] = (made, feeds)


# --- Loops -----------------------------------------------------------------------

def loop(nodes, variables, scans, before=(), outs=None):
    """Loop(n) over x; the body's variables and scans are named as here."""
    body = helper.make_graph(
        [node("Identity", "ci", "co"), *nodes], "body",
        [info("i", I, []), info("ci", B, []), *(info(v + "_in", kind, dims) for v, kind, dims in variables)],
        [info("co", B, []), *(info(v + "_out", kind, dims) for v, kind, dims in variables),
         *(info(s, kind, dims) for s, kind, dims in scans)])
    names = [v for v, _, _ in variables] + [s + "_all" for s, _, _ in scans]
    ends = [info(v, kind, dims) for v, kind, dims in variables]
    ends += [info(s + "_all", kind, ["rounds", *dims]) for s, kind, dims in scans]
    return model([*before, helper.make_node("Loop", ["n", "", *(v + "_first" for v, _, _ in variables)], names,
                                            body=body)],
                 [info("n", I, []), *(info(v + "_first", kind, dims) for v, kind, dims in variables)], ends)


def counts(first):
    return [{"n": np.array(n, "i8"), **first} for n in (0, 1, 3)]


add("loop-zero-trips-scan", onnx.load(os.path.join(CORPUS, "loop-zero-trips-scan.onnx")),
    *({"n": np.array(n, "i8"), "x": X[:2]} for n in (0, 1, 3)))
add("two scans", loop([node("Add", "v_in v_in", "v_out"), node("Neg", "v_out", "s"), node("Identity", "v_in", "t")],
                      [("v", F, [3])], [("s", F, [3]), ("t", F, [3])]), *counts({"v_first": X}))
add("a scan of scalars", loop([node("Add", "v_in v_in", "v_out"), node("ReduceSum", "v_out", "s", keepdims=0)],
                              [("v", F, [3])], [("s", F, [])]), *counts({"v_first": X}))
add("a scan of the round", loop([node("Identity", "v_in", "v_out"), node("Identity", "i", "s")],
                                [("v", F, [3])], [("s", I, [])]), *counts({"v_first": X}))
add("a scan of what is constant", loop([node("Identity", "v_in", "v_out"), node("Neg", "v_first", "s")],
                                       [("v", F, [3])], [("s", F, [3])]), *counts({"v_first": X}))
add("no scan", loop([node("Add", "v_in v_in", "v_out")], [("v", F, [3])], []), *counts({"v_first": X}))


# --- Ifs ---------------------------------------------------------------------------

def two(name, first, second):
    return branch(name, [node(first, "x", name + "1"), node(second, "x", name + "2")],
                  [info(name + "1", F, [3]), info(name + "2", F, [3])])


def either(outputs="p q", then=None, other=None, more=(), ends=None):
    made = node("If", "c", outputs, then_branch=then or two("t", "Relu", "Neg"),
                else_branch=other or two("e", "Abs", "Exp"))
    ends = ends or outputs.split()
    return model([made, *more], [info("c", B, []), info("x", F, [3])], [info(name, F, [3]) for name in ends])


BOTH = [{"c": np.array(c), "x": X} for c in (True, False)]


def nested(name, depth, op):
    """The first output comes from an If in the branch, the second does not."""
    inner = node("If", "d", name + "1", then_branch=branch(name + "it", [node(op, "x", name + "a")], [info(name + "a", F, [3])]),
                 else_branch=branch(name + "ie", [node("Tanh", "x", name + "b")], [info(name + "b", F, [3])]))
    return branch(name, [inner, node("Neg", "x", name + "2")], [info(name + "1", F, [3]), info(name + "2", F, [3])])


add("If of two outputs", either(), *BOTH)
add("If of two outputs, one unused", either(ends=["q"]), *BOTH)
add("If of two outputs of unlike depth",
    model([node("If", "c", "p q", then_branch=nested("t", 1, "Relu"), else_branch=two("e", "Abs", "Exp"))],
          [info("c", B, []), info("d", B, []), info("x", F, [3])], [info("p", F, [3]), info("q", F, [3])]),
    *({"c": np.array(c), "d": np.array(d), "x": X} for c in (True, False) for d in (True, False)))
add("If of five outputs", either(
    "o0 o1 o2 o3 o4",
    branch("t", [node("Relu", "x", "t0"), node("Neg", "t0", "t1"), node("Abs", "t1", "t2"), node("Exp", "x", "t3"),
                 node("Add", "t3 t2", "t4")], [info(f"t{i}", F, [3]) for i in range(5)]),
    branch("e", [node("Tanh", "x", "e0"), node("Sin", "x", "e1"), node("Cos", "e1", "e2"), node("Neg", "e0", "e3"),
                 node("Mul", "e3 e2", "e4")], [info(f"e{i}", F, [3]) for i in range(5)])), *BOTH)
add("two Ifs of one condition, one after the other", model(
    [node("If", "c", "p", then_branch=branch("t", [node("Relu", "x", "a")], [info("a", F, [3])]),
          else_branch=branch("e", [node("Neg", "x", "b")], [info("b", F, [3])])),
     node("Exp", "p", "m"),
     node("If", "c", "q", then_branch=branch("t2", [node("Neg", "m", "a2")], [info("a2", F, [3])]),
          else_branch=branch("e2", [node("Tanh", "m", "b2")], [info("b2", F, [3])]))],
    [info("c", B, []), info("x", F, [3])], [info("p", F, [3]), info("q", F, [3])]), *BOTH)
add("Ifs that wait for each other", model(
    [node("If", "c", "p0 p1", then_branch=two("t", "Relu", "Neg"), else_branch=two("e", "Abs", "Exp")),
     node("If", "d", "r", then_branch=branch("u", [node("Neg", "p0", "u1")], [info("u1", F, [3])]),
          else_branch=branch("w", [node("Sin", "p1", "w1")], [info("w1", F, [3])])),
     node("If", "c", "s", then_branch=branch("t3", [node("Cos", "r", "s1")], [info("s1", F, [3])]),
          else_branch=branch("e3", [node("Tanh", "r", "s2")], [info("s2", F, [3])]))],
    [info("c", B, []), info("d", B, []), info("x", F, [3])], [info(n, F, [3]) for n in ("s", "p1", "r", "p0")]),
    *({"c": np.array(c), "d": np.array(d), "x": X} for c in (True, False) for d in (True, False)))


# --- tensors without elements --------------------------------------------------------

def single(op, inputs, dims=None, kind=F, opset=17, **attributes):
    """One node; inputs: arrays that are fed, or lists, which are constants."""
    names, ends, kept, feeds = [], [], [], {}
    for at, item in enumerate(inputs):
        name = f"x{at}" if item is not None else ""
        if isinstance(item, list):
            kept.append(numpy_helper.from_array(np.array(item, "i8"), name))
        elif item is not None:
            ends.append(info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[item.dtype],
                             [f"{name}_{k}" for k in range(item.ndim)] if dims == "open" else item.shape))
            feeds[name] = item
        names.append(name)
    made = helper.make_node(op, names, ["y"], **attributes)
    return model([made], ends, [onnx.ValueInfoProto(name="y")], opset, kept), feeds


NOTHING = {
    "Reshape 0 -1": ("Reshape", [f(2, 0, 3), [0, -1]], {}),
    "Reshape 0 -1 of the last": ("Reshape", [f(2, 3, 0), [0, -1]], {}),
    "Reshape -1 0": ("Reshape", [f(0, 2, 3), [-1, 0]], {}),
    "Reshape 0 0 -1": ("Reshape", [f(2, 3, 0, 2), [0, 0, -1]], {}),
    "Reshape 0 3 -1": ("Reshape", [f(2, 0, 3), [0, 3, -1]], {}),
    "Reshape 3 0 -1": ("Reshape", [f(0, 2, 3), [3, 0, -1]], {}),
    "Reshape to nothing": ("Reshape", [f(0, 3), [3, 0]], {"allowzero": 1, "opset": 14}),
    "Reshape of some": ("Reshape", [f(2, 3, 2), [0, -1]], {}),
    "Concat with nothing": ("Concat", [f(0, 3), f(2, 3)], {"axis": 0}),
    "Concat of nothing": ("Concat", [f(0, 3), f(0, 3)], {"axis": 0}),
    "Concat beside": ("Concat", [f(0, 3), f(0, 2)], {"axis": 1}),
    "Gather of nothing": ("Gather", [f(3, 2), np.zeros((0,), "i8")], {"axis": 0}),
    "Gather from beside": ("Gather", [f(3, 0), i8(2, 0)], {"axis": 0}),
    "GatherElements": ("GatherElements", [f(3, 2), np.zeros((0, 2), "i8")], {"axis": 0}),
    "GatherND": ("GatherND", [f(3, 2), np.zeros((0, 1), "i8")], {}),
    "Transpose": ("Transpose", [f(2, 0, 3)], {"perm": [2, 0, 1]}),
    "Slice to nothing": ("Slice", [f(4, 3), [2], [2], [0]], {}),
    "Slice of nothing": ("Slice", [f(0, 3), [0], [2], [1]], {}),
    "Expand": ("Expand", [f(1, 3), [0, 3]], {}),
    "Tile": ("Tile", [f(2, 3), [0, 2]], {}),
    "Pad": ("Pad", [f(0, 3), [1, 0, 1, 0]], {}),
    "Softmax": ("Softmax", [f(0, 3)], {"axis": 1}),
    "LogSoftmax": ("LogSoftmax", [f(2, 0, 3)], {"axis": 2}),
    "MatMul of nothing": ("MatMul", [f(2, 0), f(0, 3)], {}),
    "MatMul beside": ("MatMul", [f(0, 2), f(2, 3)], {}),
    "Gemm": ("Gemm", [f(0, 2), f(2, 3)], {}),
    "Add": ("Add", [f(0, 3), f(1, 3)], {}),
    "Less": ("Less", [f(2, 0), f(2, 1)], {}),
    "Where": ("Where", [np.zeros((0, 3), bool), f(0, 3), f(1, 3)], {}),
    "Cast": ("Cast", [f(0, 3)], {"to": 7}),
    "CumSum": ("CumSum", [f(0, 3), np.array(1, "i8")], {}),
    "NonZero": ("NonZero", [f(0, 3)], {}),
    "Unsqueeze": ("Unsqueeze", [f(0, 3), [0, 2]], {}),
    "Squeeze": ("Squeeze", [f(0, 1, 3), [1]], {}),
    "Flatten": ("Flatten", [f(2, 0, 3)], {"axis": 1}),
    "Shape": ("Shape", [f(2, 0, 3)], {}),
    "Size": ("Size", [f(2, 0, 3)], {}),
    "OneHot": ("OneHot", [np.zeros((0,), "i8"), [4], np.array([0, 1], "f4")], {}),
    "ScatterND": ("ScatterND", [f(3, 2), np.zeros((0, 1), "i8"), f(0, 2)], {}),
    "ScatterElements": ("ScatterElements", [f(3, 2), np.zeros((0, 2), "i8"), f(0, 2)], {}),
    "Clip": ("Clip", [f(0, 3), np.array(-1, "f4"), np.array(1, "f4")], {}),
    "Einsum": ("Einsum", [f(0, 3), f(3, 2)], {"equation": "ij,jk->ik"}),
    "Trilu": ("Trilu", [f(0, 3, 3)], {}),
    "Range": ("Range", [np.array(3, "i8"), np.array(3, "i8"), np.array(1, "i8")], {}),
    "ConstantOfShape": ("ConstantOfShape", [i8(0, 3)], {}),
    "LayerNormalization": ("LayerNormalization", [f(0, 3), f(3), f(3)], {}),
    "BatchNormalization": ("BatchNormalization", [f(0, 3), f(3), f(3), f(3), f(3) + 9], {}),
}
# The mean of nothing is undefined by the definition of ReduceMean.
for op in ("Sum", "Prod", "SumSquare", "L1", "L2", "Max", "Min", "LogSum", "LogSumExp"):
    for axes, word in (([1], "empty axis"), ([0], "other axis"), ([0, 1], "both axes")):
        place = {"axes": axes} if op != "Sum" else {}
        NOTHING[f"Reduce{op} {word}"] = (f"Reduce{op}", [f(2, 0)] + ([axes] if op == "Sum" else []),
                                         {"keepdims": len(word) % 2, **place})

for name_, (op_, inputs_, more_) in NOTHING.items():
    for way_ in ("", "open") if not op_.endswith("ND") else ("",):
        made_, feeds_ = single(op_, inputs_, way_, **more_)
        add(f"nothing: {name_}{' ' + way_ if way_ else ''}", made_, feeds_)

# --- others --------------------------------------------------------------------------

UNSQUEEZE = onnx.load(os.path.join(CORPUS, "unsqueeze-scalar-runtime-axes.onnx"))
add("unsqueeze-scalar-runtime-axes", UNSQUEEZE,
    {"in1": f(5), "in4": np.array(True), "c5": i8(0, 1)}, {"in1": f(5), "in4": np.array(False), "c5": i8(1, 0)})
for rank in range(3):
    for axes in ((0, -1), (0,), (0, 1, -1)):
        add(f"Unsqueeze of rank {rank} by {len(axes)} fed axes",
            *single("Unsqueeze", [f(*range(2, 2 + rank)), i8(*axes)]))
        add(f"Unsqueeze of rank {rank} by {len(axes)} fed axes, their number open",
            *single("Unsqueeze", [f(*range(2, 2 + rank)), i8(*axes)], "open"))

# Bounds behind the end of an axis whose size only the run knows: strided_slice of libnd4j refuses them.
for start, end, step in ((0, 100, 1), (100, 0, -1), (-1, -100, -2), (1, 3, 1), (-2, 2, 1), (3, -1, 2), (7, 100, 1), (0, 1, 1)):
    for size in (1, 5):
        add(f"Slice {start}:{end}:{step} of {size}, open",
            *single("Slice", [f(3, size), [start], [end], [1], [step]], "open"))
for dims in ((3,), (2, 3)):
    add(f"NonZero of rank {len(dims)} that is zero", *single("NonZero", [np.zeros(dims, "f4")]))


# --- both sides ------------------------------------------------------------------------

def structure(path):
    """How many Ifs and Loops, in graphs in graphs, too."""
    counts_, graphs = {"If": 0, "Loop": 0}, [onnx.load(path).graph]
    while graphs:
        for one in graphs.pop().node:
            if one.op_type in counts_:
                counts_[one.op_type] += 1
            graphs += [attribute.g for attribute in one.attribute if attribute.HasField("g")]
    return counts_


def is_beyond(test, feed):
    """What libnd4j's kernels do with nothing, its lists included, is not ours to say."""
    return test.startswith("nothing") or feed.get("n") == 0


def prove(test, engine, scratch, arguments):
    made, feeds = CASES[test]
    path, middle, back = (os.path.join(scratch, name) for name in ("model.onnx", "model.fb", "back.onnx"))
    onnx.save(made, path)
    try:
        wants = [engine.run(path, feed) for feed in feeds]
    except proof.engines.EngineError:
        return -1
    proof.convert(arguments.tenon, path, middle)
    proof.convert(arguments.tenon, middle, back)
    if structure(path) != structure(back):
        raise proof.Differs(f"{structure(back)}, not {structure(path)}")
    judge = proof.Nd4j.find(arguments.shared)
    for feed, want in zip(feeds, wants):
        got = engine.run(back, feed)
        if list(got) != list(want):
            raise proof.Differs(f"outputs {list(got)}, not {list(want)}")
        said = judge.run(middle, feed, list(want)) if judge and not is_beyond(test, feed) else None
        for given in (got, said) if said else (got,):
            for name, array in want.items():
                proof.compare(name, given[name], array, 1e-4, 1e-5)
    return 1


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    results = proof.run(prove, [*CASES], arguments)
    results = [result._replace(state="not run") if result.ops == -1 else result for result in results]
    print(proof.summary("edges of ONNX", results)[0])
    print("not run:", *(result.test for result in results if result.state == "not run"), sep="\n  ")
    print(*proof.rows(results), sep="\n")
    return 0 if all(result.state in ("passed", "not run") for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
