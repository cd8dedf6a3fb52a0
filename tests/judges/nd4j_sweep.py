#!/usr/bin/env python3
"""Operators of nd4j that no other sweep reaches: nd4j (.fb) -> onnx -> ONNX Runtime.

    nd4j_sweep.py TENON [--only OPS] [--slice N] [--report FILE [--update]] [--shared DIR]

What rules from ONNX and TensorFlow write is swept with those dialects; here is
what only files of SameDiff have.  A case is a call in the words of rules, put
into a .fb by a rule of its own.  The result is held against numpy and, where it
covers the operator, the evaluator of libnd4j's semantics.  An operator that the
rules from nd4j take and no sweep has fails the run.
"""
import collections
import itertools
import os
import re
import sys

import numpy as np
import proof
import sweep
from vocabularies import ROOT, ruled

FLOATS = ("float32", "float64", "float16")
INTS = ("int32", "int64", "int8", "uint8", "int16")
DIMS = ((), (3,), (2, 3), (1, 3, 2), (2, 1, 3, 2), (1, 2, 1, 3, 2), (0, 3))
TOLERANCE = {"float16": 2e-2, "float32": 1e-4, "float64": 1e-6}

# call: in the words of rules, with inputs x0, x1...; want: of the arrays; None: what
# the evaluator says.
Case = collections.namedtuple("Case", "op name call inputs want outputs")
CASES = {}


def way(op, call, inputs, want=None, outputs=1):
    made = CASES.setdefault(op, [])
    made.append(Case(op, f"{op}.{len(made)}", call, inputs, want, outputs))


def data(dtype, *dims, seed=0, low=-3, high=3):
    state = np.random.RandomState(seed + len(dims))
    if np.dtype(dtype).kind == "f":
        return state.uniform(low, high, dims).astype(dtype)
    return state.randint(max(low, 0) if dtype.startswith("u") else low, high + 1, dims).astype(dtype)


def wide(function):
    """Computed on doubles, given as the first argument is."""
    def run(*arrays):
        with np.errstate(all="ignore"):
            made = function(*(a.astype("f8") if a.dtype.kind == "f" else a for a in arrays))
        return np.asarray(made).astype(arrays[0].dtype)
    return run


# --- the operators ---------------------------------------------------------------------

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def away(x):
    """Halves go away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


SMOOTH = {
    "gelu": lambda x: x * sigmoid(1.702 * x),
    "precise_gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + (0.044715 * x) ** 3))),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
    "swish": lambda x: x * sigmoid(x),
    "hardtanh": lambda x: np.clip(x, -1, 1),
}
SAME = {"copy": np.positive, "cube": lambda x: x * x * x, "round": away, "zeros_as": np.zeros_like}


def add_unary():
    for op, want in SMOOTH.items():
        for dtype, dims in itertools.product(FLOATS, DIMS):
            way(op, f"{op}(x0)", [data(dtype, *dims)], wide(want))
    for op, want in SAME.items():
        for dtype, dims in itertools.product(FLOATS + INTS[:2], DIMS):
            way(op, f"{op}(x0)", [data(dtype, *dims)], wide(want))
    way("round", "round(x0)", [np.array([0.5, -0.5, 1.5, 2.5, -2.5], "f4")], away)
    for dtype in FLOATS:
        way("zeros_as", f"zeros_as(x0; dtype: {dtype})", [data("int32", 2, 3)], lambda x, t=dtype: np.zeros(x.shape, t))
    for dtype, dims, alpha in itertools.product(FLOATS, DIMS, (None, 0.5, 0.0)):
        way("lrelu", "lrelu(x0)" if alpha is None else f"lrelu(x0; alpha: {alpha})", [data(dtype, *dims)],
            wide(lambda x, a=0.01 if alpha is None else alpha: np.where(x < 0, a * x, x)))
    for dtype, dims in itertools.product(FLOATS, DIMS[2:]):
        way("prelu", "prelu(x0, x1)", [data(dtype, *dims), data(dtype, *dims[1:], seed=5)],
            wide(lambda x, a: np.where(x < 0, a * x, x)))


def add_binary():
    pairs = [(d, d) for d in DIMS] + [((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ()), ((), (2, 3)), ((2, 1, 3), (4, 1))]
    for dtype, (left, right) in itertools.product(FLOATS + INTS[:2], pairs):
        x, y = data(dtype, *left), data(dtype, *right, seed=7)
        way("reversesubtract", "reversesubtract(x0, x1)", [x, y], wide(lambda x, y: y - x))
        x = np.where(x == 0, np.ones_like(x), x)
        way("reversedivide", "reversedivide(x0, x1)", [x, y], wide(
            lambda x, y: y / x if x.dtype.kind == "f" else np.trunc(y / x)))
    for op, want in {"mergeavg": lambda *xs: sum(xs) / len(xs), "mergemax": lambda *xs: np.max(xs, axis=0)}.items():
        for dtype, dims, many in itertools.product(FLOATS, DIMS, (1, 2, 3)):
            call = f"{op}({', '.join(f'x{i}' for i in range(many))})"
            way(op, call, [data(dtype, *dims, seed=i) for i in range(many)], wide(want))


def add_reductions():
    def over(function):
        return lambda x, axis, keep: function(x, axis=axis, keepdims=keep)
    wants = {"reduce_sqnorm": over(lambda x, **k: np.sum(x * x, **k)),
             "reduce_logsumexp": over(lambda x, **k: np.log(np.sum(np.exp(x), **k)))}
    for op, want in wants.items():
        for dtype, dims, keep in itertools.product(FLOATS, [d for d in DIMS if d and 0 not in d], (False, True)):
            for some in ([0], [-1], [], list(range(len(dims)))):
                kept = f"keepDims: {str(keep).lower() if op == 'reduce_sqnorm' else float(keep)}"
                way(op, f"{op}(x0; dimensions: {some}, {kept})", [data(dtype, *dims)],
                    wide(lambda x, w=want, a=tuple(some) or None, k=keep: w(x, a, k)))
    for dtype, dims in itertools.product(FLOATS, [(5,), (2, 5), (2, 3, 4), (2, 3, 4, 5)]):
        for some in ([0], [-1], list(range(len(dims)))):
            if np.prod([dims[i] for i in some]) > 2:
                way("standardize", f"standardize(x0; dimensions: {some})", [data(dtype, *dims)],
                    wide(lambda x, a=tuple(some): (x - x.mean(a, keepdims=True)) / x.std(a, keepdims=True)))
    for dtype, first in itertools.product(FLOATS, (True, False)):
        for dims in ((3, 4), (2, 3, 4), (2, 3, 4, 5)):
            n, axis = (dims[1], 1) if first else (dims[-1], len(dims) - 1)
            shape = [-1 if i == axis else 1 for i in range(len(dims))]
            for bias in ([], [data(dtype, n, seed=3)]):
                def want(x, g, b=0, s=shape):
                    far = x - x.mean(-1, keepdims=True)
                    return far / np.sqrt((far * far).mean(-1, keepdims=True)) * g.reshape(s) + (b.reshape(s) if np.ndim(b) else 0)
                way("layer_norm", f"layer_norm(x0, x1{', x2' if bias else ''}; dimensions: [-1], channelsFirst: {str(first).lower()})",
                    [data(dtype, *dims), data(dtype, n, seed=1), *bias], wide(want))


def reduced(loss, weights, mode):
    """Modes of losses: 0 none, 1 sum, 2 by the sum of weights, 3 by how many are not 0."""
    weights = np.broadcast_to(weights, loss.shape)
    total = (loss * weights).sum()
    if mode == 0:
        return loss * weights
    if mode == 1:
        return total
    count = weights.sum() if mode == 2 else (weights != 0).sum()
    return total / count if count else 0.0


def add_losses():
    losses = {"mean_sqerr_loss": (lambda p, l: (p - l) ** 2, ""),
              "log_loss": (lambda p, l, e=1e-3: -(l * np.log(p + e) + (1 - l) * np.log(1 - p + e)), ", epsilon: 0.001")}
    for op, (loss, more) in losses.items():
        for dtype, mode, weights in itertools.product(FLOATS[:2], (0, 1, 2, 3), ("same", "number", "row", "zeros")):
            p, l = data(dtype, 3, 4, low=0.1, high=0.9), data(dtype, 3, 4, seed=4, low=0.1, high=0.9)
            w = {"same": data(dtype, 3, 4, seed=5, low=0, high=2), "number": np.array(2, dtype),
                 "row": data(dtype, 1, 4, seed=6, low=0, high=2), "zeros": np.zeros((3, 4), dtype)}[weights]
            if weights == "number":
                w = w.reshape(1, 1)
            way(op, f"{op}(x0, x1, x2; lossReduce: {mode}{more})", [p, w, l],
                wide(lambda p, w, l, f=loss, m=mode: reduced(f(p, l), w, m)))


def add_places():
    for dtype, index in itertools.product(FLOATS + INTS[:2], ("int32", "int64")):
        x = data(dtype, 4, 3)
        for at in ([2, 0], [3], [[0, 1], [2, 2]]):
            at = np.array(at, index)
            way("embedding_lookup", "embedding_lookup(x0, x1)", [x, at], lambda x, i: x[i])
        at, new = np.array([2, 0], index), data(dtype, 2, 3, seed=8)
        way("scatter_upd", "scatter_upd(x0, x1, x2)", [x, at, new], lambda x, i, u: [*map(x.__setitem__, i, u), x][-1])
    for index, k in itertools.product(("int32", "int64"), (1, 2, 4)):
        scores, at = np.random.RandomState(1).permutation(12).astype("f4").reshape(3, 4), np.array([1, 3, 0], index)
        way("in_top_k", f"in_top_k(x0, x1; k: {k})", [scores, at],
            lambda s, t, k=k: np.array([(row > row[i]).sum() < k for row, i in zip(s, t)]))
    for rows, columns in itertools.product((1, 3, 4), (None, 2, 5)):
        for dtype in (None, "int32", "float64"):
            words = f"numRows: {rows}" + (f", numCols: {columns}" if columns else "") + (f", dtype: {dtype}" if dtype else "")
            way("eye", f"eye(; {words})", [], lambda r=rows, c=columns, t=dtype: np.eye(r, c, dtype=t or "f4"))
    for dtype, many in itertools.product(FLOATS[:1] + INTS[:1], (1, 3)):
        arrays = [data(dtype, *d) for d in ((2, 3), (4,), (1, 2, 3))[:many]]
        way("shapes_of", f"shapes_of({', '.join(f'x{i}' for i in range(many))})", arrays,
            lambda *xs: tuple(np.array(x.shape, "i8") for x in xs), many)
    for op, share in {"unsorted_segment_mean": lambda n: n, "unsorted_segment_sqrt_n": np.sqrt}.items():
        for dtype, dims, ids in itertools.product(FLOATS, [(4,), (4, 2), (4, 1, 3)], ([0, 0, 2, 1], [3, 3, 3, 0])):
            def want(x, i, n=None, share=share):
                rows = [x[i == k] for k in range(4)]
                return np.stack([r.sum(0) / share(max(len(r), 1)) for r in rows])
            for index in ("int32", "int64"):
                way(op, f"{op}(x0, x1; numOfClasses: 4)", [data(dtype, *dims), np.array(ids, index)], wide(want))


def convolved(x, w, b, stride, pad, rate, mode, layout, form):
    """[batch, width, channels] times [width, in, out], one sum at a time."""
    x = x if layout else x.transpose(0, 2, 1)
    w = {0: w, 1: w.transpose(2, 1, 0), 2: w.transpose(1, 2, 0)}[form]
    reach = (w.shape[0] - 1) * rate + 1
    size = -(-x.shape[1] // stride) if mode == 1 else (x.shape[1] + 2 * pad - reach) // stride + 1
    missing = max((size - 1) * stride + reach - x.shape[1], 0) if mode == 1 else 2 * pad
    before = missing // 2 if mode == 1 else pad
    x = np.pad(x, ((0, 0), (before, missing - before), (0, 0)))
    made = np.stack([sum(x[:, i * stride + j * rate] @ w[j] for j in range(w.shape[0])) for i in range(size)], 1) + b
    return made if layout else made.transpose(0, 2, 1)


def add_networks():
    for dtype, stride, pad, rate, mode, layout, form in itertools.product(FLOATS[:2], (1, 2), (0, 1), (1, 2), (0, 1), (0, 1), (0, 1, 2)):
        if mode == 1 and pad:
            continue
        x = data(dtype, 2, 7, 3) if layout else data(dtype, 2, 3, 7)
        w = data(dtype, *{0: (2, 3, 4), 1: (4, 3, 2), 2: (4, 2, 3)}[form], seed=2)
        for bias in ([], [data(dtype, 4, seed=3)]):
            way("conv1d", f"conv1d(x0, x1{', x2' if bias else ''}; kW: 2, sW: {stride}, pW: {pad}, dW: {rate}, paddingMode: {mode},"
                f" isNCW: {layout}, wFormat: {form})", [x, w, *bias],
                wide(lambda x, w, b=0.0, k=(stride, pad, rate, mode, layout, form): convolved(x, w, b, *k)))
    for dtype, high, wide_, layout in itertools.product(FLOATS[:2], (1, 2, 3), (1, 2), (0, 1)):
        axes = (2, 3) if layout else (1, 2)
        way("upsampling2d", f"upsampling2d(x0; factorH: {high}, factorW: {wide_}, isNCHW: {layout})", [data(dtype, 2, 3, 4, 5)],
            lambda x, h=high, w=wide_, a=axes: x.repeat(h, a[0]).repeat(w, a[1]))
    for dtype, a, b, c in itertools.product(FLOATS[:2], (0, 1), (0, 1), (0, 1)):
        x, w = data(dtype, 2, 3), data(dtype, 3, 4, seed=1)
        way("xw_plus_b", f"xw_plus_b(x0, x1, x2; aTranspose: {a}, bTranspose: {b}, cTranspose: {c})",
            [np.ascontiguousarray(x.T) if a else x, np.ascontiguousarray(w.T) if b else w, data(dtype, 4, seed=2)],
            wide(lambda x, w, k, a=a, b=b, c=c: (lambda y: y.T if c else y)((x.T if a else x) @ (w.T if b else w) + k)))
    for dtype, dims, factor in itertools.product(FLOATS[:2], [(4, 5, 3), (2, 4, 5, 3), (4, 5, 1)], (0.5, 1.0, 2.0)):
        way("adjust_contrast", "adjust_contrast(x0, x1)", [data(dtype, *dims), np.array(factor, dtype)],
            wide(lambda x, f: (x - x.mean((-3, -2), keepdims=True)) * f + x.mean((-3, -2), keepdims=True)))
    boxes = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0, 2.05, 1, 3.05], [4, 4, 5, 5]], "f4")
    scores = np.array([0.5, 0.9, 0.3, 0.8, 0.1], "f4")
    for most, overlap, least in itertools.product((1, 2, 5), (0.1, 0.5, 0.97), (0.0, 0.5, None)):
        limits = f", const({overlap}, float32)" + (f", const({least}, float32)" if least is not None else "")
        way("non_max_suppression", f"non_max_suppression(x0, x1, const({most}, int32){limits}; maxOutputSize: {most})",
            [boxes, scores], lambda b, s, m=most, o=overlap, l=least or 0.0: suppressed(b, s, m, o, l))
    for most in (2, 5):
        way("non_max_suppression", f"non_max_suppression(x0, x1; maxOutputSize: {most})", [boxes, scores],
            lambda b, s, m=most: suppressed(b, s, m, 0.5, 0.0))


def suppressed(boxes, scores, most, overlap, least):
    kept = []
    for at in [at for at in np.argsort(-scores) if scores[at] >= least]:
        def shared(other):
            low, high = np.maximum(boxes[at][:2], boxes[other][:2]), np.minimum(boxes[at][2:], boxes[other][2:])
            both = np.prod(np.maximum(high - low, 0))
            return both / (np.prod(boxes[at][2:] - boxes[at][:2]) + np.prod(boxes[other][2:] - boxes[other][:2]) - both)
        if len(kept) < most and all(shared(other) <= overlap for other in kept):
            kept.append(at)
    kept += [0] * (min(most, (scores >= least).sum()) - len(kept))
    return np.array(kept, "i4")


# --- running ------------------------------------------------------------------------------

def write_source(cases, path):
    """One operator of the test's own per case, and the rules that make the calls of them."""
    import onnx
    from onnx import helper
    nodes, ends, outs, feeds, rules = [], [], [], {}, ["rules onnx -> nd4j 1"]
    for number, case in enumerate(cases):
        inputs = [f"c{number}_x{at}" for at in range(len(case.inputs))]
        outputs = [f"c{number}_y{at}" for at in range(case.outputs)]
        feeds.update(zip(inputs, case.inputs))
        local, made = [f"x{at}" for at in range(len(inputs))], [f"y{at}" for at in range(case.outputs)]
        rules.append(f"test::Call{number}({', '.join(local)}) -> ({', '.join(made)}) {{\n    {', '.join(made)} <- {case.call}\n}}")
        nodes.append(helper.make_node(f"Call{number}", inputs, outputs, name=f"call{number}", domain="test"))
        outs += [onnx.ValueInfoProto(name=name) for name in outputs]
        ends += [helper.make_tensor_value_info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)
                 for name, array in zip(inputs, case.inputs)]
    graph = helper.make_graph(nodes, "g", ends, outs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("test", 1)]), path + ".onnx")
    with open(path + ".rules", "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    return feeds


def wants_of(case):
    made = case.want(*(array.copy() for array in case.inputs))
    return made if isinstance(made, tuple) else (made,)


def hold(got, number, case):
    for at, array in enumerate(wants_of(case)):
        array = np.asarray(array)
        tolerance = max([TOLERANCE.get(a.dtype.name, 0) for a in (array, *case.inputs)])
        found = got[f"c{number}_y{at}"]
        if found.dtype != array.dtype and array.dtype.kind in "iub":  # places may be of either width
            array = array.astype(found.dtype)
        proof.compare("output", found, array, tolerance, tolerance)


def travel(cases, engine, scratch, arguments):
    """The cases that came out wrong, and how."""
    path, failures = os.path.join(scratch, "model"), {}
    feeds = write_source(cases, path)
    proof.convert(arguments.tenon, path + ".onnx", path + ".fb", "--rules", path + ".rules")
    judge = proof.Nd4j.find(arguments.shared)
    graph = judge.load(path + ".fb") if judge else None
    for number, case in enumerate(cases):
        try:
            said = judge.run(None, feeds, [f"c{number}_y{at}" for at in range(case.outputs)], graph) if judge else None
            if said is not None:
                hold(said, number, case)
        except proof.Differs as error:
            failures[case.name] = f"nd4j: {error}: {case.call}"
    proof.convert(arguments.tenon, path + ".fb", path + ".back.onnx")
    got = engine.run(path + ".back.onnx", feeds, optimize="disabled")
    for number, case in enumerate(cases):
        try:
            hold(got, number, case)
        except proof.Differs as error:
            failures.setdefault(case.name, f"{error}: {case.call}")
    return failures


def uncovered():
    """Operators that no rule from another dialect writes, and that no case has."""
    written = set()
    for name in ("onnx_nd4j.rules", "tensorflow_nd4j.rules"):
        with open(os.path.join(ROOT, "rules", name), encoding="utf-8") as file:
            written |= set(re.findall(r"\b([A-Za-z_]\w*)\(", file.read()))
    for op in sorted(ruled("nd4j_onnx.rules") - written - set(CASES)):
        yield f"{op}: no case"


def main():
    arguments = sweep.parse(__doc__.splitlines()[0])
    for add in (add_unary, add_binary, add_reductions, add_losses, add_places, add_networks):
        add()
    cases = [case for op in sorted(CASES) for case in CASES[op]]
    verdicts = sweep.run(sweep.chosen_cases(cases, arguments), travel, arguments)
    return sweep.conclude("nd4j, swept", "nd4j sweep", cases, verdicts, list(uncovered()), arguments)


if __name__ == "__main__":
    sys.exit(main())
