#!/usr/bin/python3
"""examples_numpy.py ROOT: examples under rules mean what they say

`tenon rules test` shows that a rule makes what its example says.  Here both
sides of an example are computed by numpy on numbers of our own: the left by an
expression of examples.tsv, which is what the operator's definition says, the
right operator by operator.
"""
import os
import re
import functools
import sys

import numpy as np

DIALECTS = {"onnx_nd4j": "nd4j", "tensorflow_nd4j": "nd4j"}
ONNX_TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 5: np.int16, 6: np.int32,
              7: np.int64, 9: np.bool_, 11: np.float64}
TOKEN = re.compile(r"\s*(\"[^\"]*\"|-?[\d.]+(?:e-?\d+)?|-?inf|[\w.]+(?:::\w+)?"
                   r"|@[\d.]+|->|\.\.\.|\S)")


# --- reading ------------------------------------------------------------------

class Parser:
    def __init__(self, text):
        self.tokens, self.at = TOKEN.findall(text), 0

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token):
        is_there = self.at < len(self.tokens) and self.tokens[self.at] == token
        self.at += is_there
        return is_there

    def value(self):
        """A call (name, arguments, attributes), a literal or a name."""
        if self.accept("["):
            return self.items("]")
        word = self.next()
        if re.match(r"-?([\d.]|inf)", word):
            return float(word) if re.search(r"[.e]|inf", word) else int(word)
        if word[0] == '"' or word in ("true", "false", "none"):
            return {"true": True, "false": False,
                    "none": None}.get(word, word.strip('"'))
        if not self.accept("("):
            return ("name", word)
        arguments, attributes = [], {}
        while not self.accept(")"):
            if self.accept(";"):
                while True:
                    name = self.next()
                    self.next()  # the colon
                    attributes[name] = self.value()
                    if not self.accept(","):
                        break
            else:
                arguments.append(self.value())
                self.accept(",")
        return ("call", word, arguments, attributes)

    def items(self, end):
        found = []
        while not self.accept(end):
            found.append(self.value())
            self.accept(",")
        return found


def inputs_of(left, seed):
    """Arrays for `x:float32[2,3]` and `a:int64[1] = [-1]`."""
    random, arrays = np.random.default_rng(seed), {}
    for name, dtype, dims, given in re.findall(
            r"(\w+):(\w+)\[([\d,]*)\](?: = (\[[^\]]*\]|[\w.-]+))?", left):
        shape = [int(dim) for dim in dims.split(",") if dim]
        if given:
            array = np.array(Parser(given).value()).reshape(shape)
        elif dtype == "bool":
            array = random.integers(0, 2, shape)
        elif "int" in dtype:
            array = random.integers(1 if dtype[0] == "u" else -4, 5, shape)
            array = np.where(array == 0, 1, array)  # for those that divide
        else:
            array = random.uniform(-2, 2, shape)
        arrays[name] = np.asarray(array).astype(dtype)
    for name in re.findall(r"\((\w+)\)|\((\w+);|(?<=[(,] )(\w+)(?=[,);])", left):
        arrays.setdefault("".join(name), random.uniform(0.1, 2, (2, 3)))
    return arrays


# --- operators that rules make ---------------------------------------------------

def axes(x, given):
    given = range(x.ndim) if given is None else np.ravel(given)
    return tuple(int(axis) for axis in given)


def reducing(function):
    def onnx(x, a=None, keepdims=1, noop_with_empty_axes=0):
        return function(x, axis=axes(x, a), keepdims=bool(keepdims))
    return onnx


def reducing_nd4j(function):
    def nd4j(x, a=None, dimensions=None, keepDims=False):
        return function(x, axis=axes(x, dimensions if a is None else a),
                        keepdims=bool(keepDims))
    return nd4j


def sum_of_squares(x, axis, keepdims):
    return np.sum(x * x, axis=axis, keepdims=keepdims)


def norm2(x, axis, keepdims):
    return np.sqrt(sum_of_squares(x, axis, keepdims))


def norm1(x, axis, keepdims):
    return np.sum(np.abs(x), axis=axis, keepdims=keepdims)


def softmax(x, axis=-1, dimension=None, **_):
    e = np.exp(x - x.max(axis if dimension is None else dimension, keepdims=True))
    return e / e.sum(axis if dimension is None else dimension, keepdims=True)


def cumulate(x, a=None, dimensions=None, exclusive=0, reverse=0):
    axis = int(np.ravel(dimensions if a is None else a)[0])
    x = np.flip(x, axis) if reverse else x
    total = np.cumsum(x, axis) - (x if exclusive else 0)
    return np.flip(total, axis) if reverse else total


def clip(x, low=None, high=None):
    x = x if low is None else np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def divide(x, y, **_):
    if x.dtype.kind in "iu":
        return (np.sign(x) * np.sign(y) * (abs(x) // abs(y))).astype(x.dtype)
    return x / y


def unsqueeze(x, a):
    return np.expand_dims(x, tuple(int(axis) for axis in a))


def slice_onnx(x, starts, ends, at, steps):
    where = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, at, steps):
        where[axis] = slice(start, end if end > -2 ** 62 else None, step)
    return x[tuple(where)]


def strided_slice(x, e, begin_mask=0, end_mask=0):
    n = len(e) // 3
    return x[tuple(slice(None if begin_mask >> i & 1 else e[i],
                         None if end_mask >> i & 1 else e[n + i], e[2 * n + i])
                   for i in range(n))]


def pad_onnx(x, pads, value=0, mode="constant"):
    n = len(pads) // 2
    return np.pad(x, [(pads[i], pads[n + i]) for i in range(n)],
                  constant_values=value)


def matmul(a, b, transX=0, transY=0, alpha=1.0, beta=0.0, transZ=0):
    return alpha * np.matmul(a.T if transX else a, b.T if transY else b)


def pick(x, a, b, how, keep):
    axis = int(np.ravel(b if a is None else a)[0])
    found = how(x, axis)
    return np.expand_dims(found, axis) if keep else found


SHARED = {
    "abs": np.abs, "exp": np.exp, "log": np.log, "tanh": np.tanh, "tan": np.tan,
    "sin": np.sin, "cos": np.cos,
    "sqrt": np.sqrt, "neg": np.negative, "floor": np.floor, "ceil": np.ceil,
    "sign": np.sign,
    "identity": lambda x: x, "softplus": lambda x: np.log1p(np.exp(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "isinf": np.isinf,
}
ONNX = {
    "Reciprocal": lambda x: 1 / x, "Add": np.add, "Sub": np.subtract,
    "Mul": np.multiply, "Div": divide, "Mod": np.mod, "Pow": np.power,
    "Max": lambda *xs: functools.reduce(np.maximum, xs), "Sum": lambda *xs: sum(xs),
    "Mean": lambda *xs: sum(xs) / len(xs), "Equal": np.equal,
    "Greater": np.greater, "And": np.logical_and, "Or": np.logical_or,
    "Not": np.logical_not, "BitwiseAnd": np.bitwise_and, "Where": np.where,
    "IsNaN": np.isnan, "Clip": clip, "Relu": lambda x: np.maximum(x, 0),
    "LeakyRelu": lambda x, alpha: np.where(x < 0, alpha * x, x),
    "PRelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "ThresholdedRelu": lambda x, alpha: np.where(x > alpha, x, 0),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Shrink": lambda x, bias, lambd: np.where(
        x < -lambd, x + bias, np.where(x > lambd, x - bias, 0)),
    "Softmax": softmax, "CumSum": cumulate, "MatMul": np.matmul,
    "ReduceSum": reducing(np.sum), "ReduceMean": reducing(np.mean),
    "ReduceMax": reducing(np.max), "ReduceSumSquare": reducing(sum_of_squares),
    "ArgMax": lambda x, axis, keepdims: pick(x, axis, None, np.argmax, keepdims),
    "Transpose": lambda x, perm: np.transpose(x, perm),
    "Reshape": lambda x, to, allowzero=0: x.reshape(
        [x.shape[i] if d == 0 and not allowzero else d for i, d in enumerate(to)]),
    "Unsqueeze": unsqueeze, "Squeeze": lambda x, a: np.squeeze(x, tuple(a)),
    "Flatten": lambda x, axis: x.reshape(int(np.prod(x.shape[:axis])), -1),
    "Concat": lambda *xs, axis: np.concatenate(xs, axis), "Tile": np.tile,
    "Expand": lambda x, to: np.broadcast_to(x, to), "Gather":
    lambda x, i, axis: np.take(x, i, axis), "Pad": pad_onnx, "Slice": slice_onnx,
    "Shape": lambda x: np.array(x.shape), "Size": lambda x: np.array(x.size),
    "NonZero": lambda x: np.array(np.nonzero(x)), "Split": lambda x, axis,
    num_outputs: np.split(x, num_outputs, axis), "Inverse": np.linalg.inv,
    "Cast": lambda x, to: np.asarray(x).astype(ONNX_TYPES[to]),
    "IsInf": lambda x, **_: np.isinf(x),
}
ND4J = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply,
    "divide": divide, "maximum": np.maximum, "minimum": np.minimum,
    "greater": np.greater, "less": np.less, "boolean_and": np.logical_and,
    "floormod": np.mod, "mod": np.fmod, "pow_pairwise": np.power,
    "squaredsubtract": lambda x, y: (x - y) ** 2, "square": np.square,
    "mergesum": lambda *xs: sum(xs), "select": np.where, "rint": np.rint,
    "relu": lambda x, cutoff: np.maximum(x, cutoff),
    "elu": lambda x, alpha: np.where(x > 0, x, alpha * (np.exp(x) - 1)),
    "selu": lambda x: 1.05070102 * np.where(x > 0, x, 1.67326319 * (np.exp(x) - 1)),
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "thresholdedrelu": lambda x, cutoff: np.where(x > cutoff, x, 0),
    "clipbyvalue": lambda x, left, right: np.clip(x, left, right),
    "toggle_bits": np.invert, "ones_as": lambda x, dtype: np.ones(x.shape, dtype),
    "zeroslike": np.zeros_like, "cast": lambda x, dtype: np.asarray(x).astype(dtype),
    "reduce_sum": reducing_nd4j(np.sum), "reduce_mean": reducing_nd4j(np.mean),
    "reduce_max": reducing_nd4j(np.max), "reduce_prod": reducing_nd4j(np.prod),
    "reduce_norm1": reducing_nd4j(norm1), "reduce_norm2": reducing_nd4j(norm2),
    "argmax": lambda x, a=None, dimensions=None, keepDims=False: pick(
        x, a, dimensions, np.argmax, keepDims),
    "argmin": lambda x, a=None, dimensions=None, keepDims=False: pick(
        x, a, dimensions, np.argmin, keepDims),
    "cumsum": cumulate, "softmax": softmax,
    "log_softmax": lambda x, dimension: np.log(softmax(x, dimension)),
    "matmul": matmul, "matrix_determinant": np.linalg.det, "diag": np.diag,
    "matrix_inverse": np.linalg.inv, "biasadd": lambda x, b, nchw: x + b,
    "reshape": lambda x, to, **_: x.reshape(to),
    "permute": lambda x, reverseDims: np.transpose(x, reverseDims),
    "transpose": lambda x, p=None, permuteDims=None, **_: np.transpose(
        x, permuteDims if p is None else p),
    "expand_dims": lambda x, d=None, dimensions=None: np.expand_dims(x, dimensions),
    "squeeze": lambda x, _a: np.squeeze(x, tuple(_a)),
    "flatten_2d": lambda x, flattenDimension: x.reshape(
        int(np.prod(x.shape[:flattenDimension])), -1),
    "concat": lambda *xs, concatDimension, **_: np.concatenate(xs, concatDimension),
    "stack": lambda *xs, dimensions, **_: np.stack(xs, dimensions),
    "unstack": lambda x, dimensions, num: [np.take(x, i, dimensions)
                                           for i in range(num)],
    "split_v": lambda x, sizes, dimensions: np.split(
        x, np.cumsum(sizes)[:-1], dimensions),
    "tile": lambda x, n, is_static_reps: np.tile(x, n),
    "broadcast_to": lambda x, to: np.broadcast_to(x, to),
    "fill": lambda dims, v, **_: np.full(dims, v), "pad": lambda x, p, **_:
    np.pad(x, p), "reverse": lambda x, dimensions: np.flip(x, dimensions),
    "slice": lambda x, b, s, **_: x[tuple(
        slice(i, None if n < 0 else i + n) for i, n in zip(b, s))],
    "strided_slice": strided_slice, "gather":
    lambda x, i, dimensions: np.take(x, i, dimensions),
    "shape_of": lambda x, **_: np.array(x.shape),
    "size": lambda x, **_: np.array(x.size), "range": np.arange,
}
HINTS = {"inPlace", "dataType"}


def compute(tree, arrays, table):
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == "name":
        return arrays.get(tree[1], tree[1])
    _, name, arguments, attributes = tree
    if name == "const":
        return np.array(arguments[0]).astype(arguments[1][1])
    name = name.split("::")[-1]
    function = table.get(name) or SHARED[name.lower()]
    given = {key: value[1] if isinstance(value, tuple) else value
             for key, value in attributes.items() if key not in HINTS}
    return function(*[compute(a, arrays, table) for a in arguments], **given)


# --- holding the two against each other -------------------------------------------

def examples(root):
    for name in sorted(os.listdir(os.path.join(root, "rules"))):
        if name.endswith(".rules"):
            with open(os.path.join(root, "rules", name)) as file:
                text = re.sub(r"=>\n\s+|(?<=,)\n {8}\s*|(?<=;)\n {8}\s*",
                              lambda m: "=> " if m[0][0] == "=" else " ",
                              file.read())
            for left, right in re.findall(r"^\s+example (.*?) => (.*)$", text,
                                          re.M):
                yield name[:-6], left, right


def same(got, want):
    if isinstance(want, tuple):
        return all(same(g, w) for g, w in zip(got, want))
    return np.shape(got) == np.shape(want) and np.allclose(
        np.asarray(got, float), np.asarray(want, float), 1e-4, 1e-5,
        equal_nan=True)


def main(root):
    with open(os.path.join(os.path.dirname(__file__), "examples.tsv")) as file:
        said = dict(line.rstrip("\n").split("\t") for line in file)
    wrong = held = 0
    for rules, left, right in examples(root):
        expression = said.get(f"{rules} {left}")
        if not expression:
            continue
        table = ND4J if DIALECTS.get(rules) else ONNX
        arrays = inputs_of(left, held)
        with np.errstate(all="ignore"):
            want = eval(expression, {"np": np, **arrays})
            got = compute(Parser(right).value(), arrays, table)
        held += 1
        if not same(got, want):
            wrong += 1
            print(f"{rules}: {left} => {right}\n    {got}, not {want}")
    print(f"{held} examples held against numpy, {wrong} differ")
    return 1 if wrong or held < 150 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
