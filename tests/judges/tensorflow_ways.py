"""tensorflow_ways.py - every operator of TensorFlow in every way that its definition allows

The vocabulary says which element types each type attribute of an operator may
have and which words each string attribute takes; families of operators add the
ranks 0 to 5, broadcasting, empty dims, axes from both ends and defaults that are
left out.  What numpy gives is cast to the type that the vocabulary declares.

Operators of no family vary the cases of tensorflow_table.py: every type of every
type attribute, what was a constant is fed, what was fed is a constant.
"""
import functools
import itertools
import os
import re

import graphdef
import numpy as np
import tensorflow_table as table
from tensorflow_table import K

RANKS = [(), (3,), (2, 3), (2, 1, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2), (0,), (2, 0, 3)]
PAIRS = [*table.PAIRS, ((2, 0), (1,)), ((1,), (0,)), ((2, 1, 3, 1, 2), (3, 1, 2)),
         ((1,), (1, 2, 1, 1, 3)), ((2, 3, 1, 2), (2, 1, 4, 2))]
QUANTIZED = {"qint8": "int8", "quint8": "uint8", "qint16": "int16",
             "quint16": "uint16", "qint32": "int32"}
COMPLEX = ["complex64", "complex128"]
ODD = ["bfloat16", *COMPLEX, *QUANTIZED, "string"]
ANY = [*table.ALL, *ODD]


# --- what the vocabulary allows ---------------------------------------------------

@functools.lru_cache(None)
def attributes():
    """Operator to attribute to the allowed values, None: no list of them."""
    sets, ops, attrs = {}, {}, {}

    def members(words):
        return [t for w in words for t in (sets[w] if w in sets else [w])]
    with open(os.path.join(graphdef.ROOT, "rules/tensorflow.ops")) as file:
        for line in file:
            named = re.match(r"types (\w+) = \{(.*)\}", line)
            head = re.match(r"op (\S+) ", line)
            attr = re.match(r"    (\w+) (\S+)(.*)", line)
            if named:
                sets[named[1]] = members(named[2].split())
            elif head:
                attrs = ops[head[1]] = {}
            elif attr:
                allowed = re.search(r"\bin \{(.*)\}", attr[3])
                words = None
                if attr[2] == "type":
                    words = members(allowed[1].split()) if allowed else ANY
                elif attr[2] == "string" and allowed:
                    words = re.findall(r'"([^"]*)"', allowed[1])
                attrs[attr[1]] = words
    return ops


def allowed(op, attr="T"):
    """In the order of ANY: those that are usual first."""
    words = attributes()[op][attr]
    return [t for t in ANY if t in words]


def enum(op, attr):
    return attributes()[op][attr]


@functools.lru_cache(None)
def default_of(op, attr):
    """The default of a type attribute."""
    with open(os.path.join(graphdef.ROOT, "rules/tensorflow.ops")) as file:
        rest = re.split(rf"^op {re.escape(op)} ", file.read(), maxsplit=1, flags=re.M)[1]
    found = re.search(rf"^    {attr} type = (\w+)", rest.split("\nop ")[0], re.M)
    return found[1] if found else None


# --- cases ------------------------------------------------------------------------

class Odd:
    """An input of a type that numpy does not have."""

    def __init__(self, array, dtype):
        self.array, self.dtype = np.asarray(array), dtype


def rounded(array):
    """The nearest bfloat16, as float32."""
    bits = np.asarray(array, "f4").reshape(-1).view("u4").astype("u8")
    bits = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000
    return bits.astype("u4").view("f4").reshape(np.shape(array))


@functools.lru_cache(None)
def data(dtype, *dims, seed=0, low=-9, high=9):
    """Numbers of any type; of floats, a third of the range."""
    if high < 0 and dtype in (*table.UNSIGNED, "quint8", "quint16"):
        low, high = 0, 0
    if dtype == "bfloat16":
        return Odd(rounded(table.any_of("float32", *dims, seed=seed, low=low, high=high)), dtype)
    if dtype in COMPLEX:
        parts = [table.any_of("float64", *dims, seed=seed + i, low=low, high=high) for i in range(2)]
        return (parts[0] + 1j * parts[1]).astype(dtype)
    if dtype in QUANTIZED:
        return Odd(table.any_of(QUANTIZED[dtype], *dims, seed=seed, low=low, high=high), dtype)
    if dtype == "string":
        return np.char.mod("s%d", table.n(*dims, seed=seed, low=0, high=5)).astype(str).reshape(dims)
    return table.any_of(dtype, *dims, seed=seed, low=low, high=high)


def cast_data(array, dtype):
    """The same numbers in another type, as far as it has them."""
    array = np.asarray(array)
    if dtype == "bfloat16":
        return Odd(rounded(array.astype("f4")), dtype)
    if dtype in QUANTIZED:
        return Odd(cast_data(array, QUANTIZED[dtype]), dtype)
    if dtype == "string":
        return array.astype("U8")
    if np.dtype(dtype).kind == "u" and array.dtype.kind in "if":
        array = abs(array)
    return array.astype(dtype)


class Case:
    """One operator: inputs (array, is it a constant, name of its type), what
    must come out, attributes."""

    def __init__(self, op, number, inputs, want, attrs, tolerance=None, skips_judge=False):
        self.op, self.name, self.want, self.attrs = op, f"{op}.{number}", want, attrs
        self.tolerance, self.skips_judge = tolerance, skips_judge
        self.inputs = []
        for one in inputs:
            is_fixed = isinstance(one, K)
            inner = one.array if is_fixed else one
            dtype = inner.dtype if isinstance(inner, Odd) else None
            array = inner.array if isinstance(inner, Odd) else np.asarray(inner)
            self.inputs.append((array, is_fixed, dtype or graphdef.type_name(array)))

    def wants(self):
        made = self.want
        try:
            with np.errstate(all="ignore"):
                made = made(*(array for array, _, _ in self.inputs)) if callable(made) else made
        except (ValueError, TypeError, IndexError) as error:
            raise RuntimeError(f"{self.name}: {self}: the expectation fails") from error
        return [None if one is None else np.asarray(one)
                for one in (made if isinstance(made, (tuple, list)) else [made])]

    def __str__(self):
        ends = ", ".join(f"{'const ' if fixed else ''}{dtype}{list(array.shape)}"
                         for array, fixed, dtype in self.inputs)
        return f"{self.op}({ends}; {self.attrs})"


class Fixed(K):
    """A constant of exactly this type."""

    def __init__(self, value, dtype=None):
        self.array = value if isinstance(value, Odd) else np.asarray(value, dtype)


CASES = {}


def way(op, inputs, want, tolerance=None, skips_judge=False, **attrs):
    made = CASES.setdefault(op, [])
    made.append(Case(op, len(made), inputs, want, attrs, tolerance, skips_judge))
    return made[-1]


USUAL = ("float32", "int32", "int8", "bool")  # these get every combination, others each value once


def shapes_for(dtype, dims=RANKS):
    """All of them for the usual types; for others the ends and the middle; for
    types that few have, one and one of nothing."""
    if dtype in ODD:
        return [d for d in dims if len(d) == 2][:1] + [d for d in dims if 0 in d][:1]
    return dims if dtype in USUAL else [d for d in dims if len(d) in (0, 2, 5) or d == (2, 0, 3)]


# --- one number at a time -----------------------------------------------------------

def unary(op, want, low=-6.0, high=6.0, attr="T", **attrs):
    for dtype in allowed(op, attr):
        for dims in shapes_for(dtype):
            way(op, [data(dtype, *dims, low=low, high=high)],
                lambda x: want(x.astype("f8") if x.dtype.kind == "f" else x), **attrs)


def sign(x):
    return np.where(x == 0, 0, x / np.where(x == 0, 1, abs(x))) if x.dtype.kind == "c" else np.sign(x)


def add_unary():
    t = table
    for op, want in {
            "Sin": np.sin, "Cos": np.cos, "Tanh": np.tanh, "Sinh": np.sinh, "Cosh": np.cosh,
            "Atan": np.arctan, "Asinh": np.arcsinh, "Exp": np.exp, "Expm1": np.expm1, "Erf": t.erf,
            "Erfc": t.erfc, "Floor": np.floor, "Ceil": np.ceil, "Rint": np.rint, "Sigmoid": t.sigmoid,
            "Softplus": lambda x: np.log1p(np.exp(x)), "Softsign": lambda x: x / (1 + abs(x)),
            "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
            "Selu": lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x),
            "Abs": np.abs, "Neg": np.negative, "Sign": sign, "Square": np.square, "Relu": t.relu,
            "Relu6": lambda x: np.clip(x, 0, 6), "Round": np.rint, "Invert": np.invert,
            "IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite,
            "ZerosLike": np.zeros_like, "OnesLike": np.ones_like}.items():
        unary(op, want)
    for op, want in {"Acos": np.arccos, "Asin": np.arcsin, "Atanh": np.arctanh}.items():
        unary(op, want, -2.7, 2.7)
    unary("Tan", np.tan, -3.6, 3.6)
    for op, want in {"Acosh": np.arccosh, "Log": np.log, "Sqrt": np.sqrt, "Rsqrt": lambda x: 1 / np.sqrt(x),
                     "Reciprocal": lambda x: 1 / x, "Inv": lambda x: 1 / x}.items():
        unary(op, lambda x, w=want: w(x) if x.dtype.kind not in "iu" else np.trunc(1 / x.astype("f8")), 3.3, 9.0)
    unary("Log1p", np.log1p, -2.7, 6.0)
    for op in ("Lgamma", "Digamma"):
        scipy = t.special({"Lgamma": "gammaln", "Digamma": "digamma"}[op])
        if scipy:
            unary(op, scipy, 0.3, 30.0)
    for alpha in (None, 0.0, 0.5, 1.5):
        unary("LeakyRelu", lambda x, a=alpha: np.where(x < 0, (0.2 if a is None else a) * x, x),
              **({} if alpha is None else {"alpha": alpha}))
    for dims in RANKS:
        way("LogicalNot", [data("bool", *dims)], np.logical_not)
    odd = np.array([1, np.nan, np.inf, -np.inf, 0])
    for op, want in {"IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite}.items():
        for dtype in allowed(op):
            way(op, [cast_data(odd, dtype)], want)


def add_copies():
    for op, more in {"Identity": {}, "StopGradient": {}, "DeepCopy": {}, "Copy": {}, "CopyHost": {}, "Snapshot": {},
                     "PreventGradient": {}, "CheckNumerics": {"message": "m"}, "CheckNumericsV2": {"message": "m"},
                     "EnsureShape": {}}.items():
        for dtype in allowed(op):
            for dims in shapes_for(dtype):
                more = {"shape": list(dims)} if op == "EnsureShape" else more
                way(op, [data(dtype, *dims)], np.copy, **more)
    for dtype in ANY:
        for dims in shapes_for(dtype):
            x = data(dtype, *dims)
            way("IdentityN", [x, data("int64", 4), x], lambda *xs: xs)
            for out in ("int32", "int64", None):
                more = {"out_type": out} if out else {}
                way("Shape", [x], lambda x: np.array(x.shape, "i8"), **more)
                way("Size", [x], lambda x: np.array(x.size), **more)
                way("ShapeN", [x, x], lambda *xs: tuple(np.array(x.shape, "i8") for x in xs), **more)
            way("Rank", [x], lambda x: np.array(x.ndim))
    for a, b in itertools.product(ANY, ANY):
        if a == "string" or b == "string":
            continue
        for dims in shapes_for(a, RANKS if b in ("float32", "int32", "bool") else [(2, 3)]):
            x = data(a, *dims)
            if a in table.FLOATS + table.SIGNED + ["bfloat16"] and b in table.UNSIGNED:
                x = cast_data(abs(x.array if isinstance(x, Odd) else x), a)
            want = QUANTIZED.get(b, "float32" if b == "bfloat16" else b)
            way("Cast", [x], lambda x, t=want: x.astype(t) if t != "bool" else x != 0, DstT=b)


def bitcast(x, dtype):
    made = table.bitcast(x, dtype)
    return made.reshape(made.shape[1:]) if made.ndim and not x.ndim else made


def to_bits(x, dtype):
    return (np.ascontiguousarray(x, "f4").reshape(-1).view("u4") >> 16).astype("u2").reshape(x.shape) if dtype == "bfloat16" else x


def from_bits(x, dtype):
    return (x.astype("u4") << 16).reshape(-1).view("f4").reshape(x.shape) if dtype == "bfloat16" else x


def add_bitcasts():
    """Every type as every other; of wider ones, the last dim is the parts."""
    sizes = {t: np.dtype(t).itemsize for t in table.NUMBERS + COMPLEX}
    for a, b in itertools.product(allowed("Bitcast", "T"), allowed("Bitcast", "type")):
        if a == "string" or b == "string":
            continue
        plain = [QUANTIZED.get(t, "uint16" if t == "bfloat16" else t) for t in (a, b)]
        old, new = (sizes[t] for t in plain)
        for dims in [(), (3,), (2, 3), (0, 2), (1, 2, 1, 3)] if a not in ODD and b not in ODD else [(2, 3)]:
            dims = (*dims, new // old) if new > old else dims
            x = data(a, *dims, low=1, high=9)
            if np.dtype(plain[1]).kind in "fc" and np.dtype(plain[0]).kind not in "fc":
                x = cast_data(np.ones(dims), a)  # bits of small numbers, never of NaN
            way("Bitcast", [x], lambda x, a=a, b=b, t=plain[1]: from_bits(bitcast(to_bits(x, a), t), b), type=b)


# --- two at a time --------------------------------------------------------------------

def binary(op, want, low=-9, high=9, is_divisor=False, is_power=False, dtypes=None, **attrs):
    for dtype in dtypes or allowed(op):
        for left, right in PAIRS if dtype in USUAL else PAIRS[3:6] + PAIRS[-4:-2] if dtype not in ODD else PAIRS[3:4] + PAIRS[5:6]:
            x = data(dtype, *left, low=low, high=high)
            y = data(dtype, *right, seed=5, low=low, high=high)
            inner = y.array if isinstance(y, Odd) else y
            if is_divisor:
                inner = np.where(inner == 0, np.ones_like(inner), inner)
            if is_power:
                inner = abs(inner) % 4 if inner.dtype.kind in "iu" else inner
            inner = inner.astype(y.dtype) if not isinstance(y, Odd) else inner.astype(y.array.dtype)
            way(op, [x, Odd(inner, dtype) if isinstance(y, Odd) else inner], want, **attrs)


def exact(want):
    """In float64 where the numbers are floats."""
    return lambda *xs: want(*(x.astype("f8") if x.dtype.kind == "f" else x for x in xs))


def trunc_div(x, y):
    if x.dtype.kind in "fc":
        return np.trunc(x / y)
    return np.where((x < 0) != (y < 0), -(abs(x.astype(object)) // abs(y.astype(object))),
                    abs(x.astype(object)) // abs(y.astype(object))).astype(x.dtype)


def add_binary():
    for op, want in {"Add": np.add, "AddV2": np.add, "Mul": np.multiply, "Sub": np.subtract,
                     "Maximum": np.maximum, "Minimum": np.minimum,
                     "SquaredDifference": lambda x, y: (x - y) * np.conj(x - y)}.items():
        # Sums and products that fit, of unsigned numbers what wraps around.
        binary(op, lambda x, y, w=want: np.char.add(x, y) if x.dtype.kind == "U" else w(x, y), low=-5, high=5)
    binary("Div", exact(lambda x, y: x / y if x.dtype.kind in "fc" else trunc_div(x, y)), is_divisor=True)
    for op in ("RealDiv", "DivNoNan", "Xdivy"):
        binary(op, exact(lambda x, y: x / y if x.dtype.kind in "fc" else trunc_div(x, y)), is_divisor=True)
    zeros = np.array([0, 0, 3, -2, 0]), np.array([0, 2, 0, 4, -1])
    for op in ("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py"):
        for dtype in allowed(op):
            x, y = (cast_data(v.astype("f8"), dtype) for v in zeros)
            if op == "MulNoNan":
                x = cast_data(np.array([np.inf, np.nan, 3, -2, 0]), dtype)
                y = cast_data(np.array([0, 0, 2, 4, -1.0]), dtype)
            if op in ("Xlogy", "Xlog1py"):
                y = cast_data(np.array([0, 2, 1, 4, 3.0]), dtype)
            way(op, [x, y], {
                "DivNoNan": lambda x, y: np.where(y == 0, 0, x / np.where(y == 0, 1, y)),
                "MulNoNan": lambda x, y: np.where(y == 0, 0, x * y),
                "Xdivy": lambda x, y: np.where(x == 0, 0, x / y),
                "Xlogy": lambda x, y: np.where(x == 0, 0, x * np.log(y)),
                "Xlog1py": lambda x, y: np.where(x == 0, 0, x * np.log1p(y))}[op])
    binary("MulNoNan", np.multiply)
    binary("Xlogy", exact(lambda x, y: x * np.log(y)), low=1)
    binary("Xlog1py", exact(lambda x, y: x * np.log1p(y)), low=1)
    binary("FloorDiv", lambda x, y: np.floor(x / y) if x.dtype.kind == "f" else np.floor_divide(x, y), is_divisor=True,
           dtypes=[t for t in allowed("FloorDiv") if t not in COMPLEX and t != "float16"])
    # Of halves only what no rounding can carry over a whole number.
    way("FloorDiv", [np.array([7, -7, 5, 0], "f2"), np.array([2, 2, -4, 3], "f2")], np.array([3, -4, -2, 0]))
    binary("FloorMod", np.mod, is_divisor=True)
    for op in ("Mod", "TruncateMod"):
        binary(op, np.fmod, is_divisor=True)
    binary("TruncateDiv", trunc_div, is_divisor=True, dtypes=[t for t in allowed("TruncateDiv") if t not in COMPLEX])
    binary("Pow", exact(np.power), low=1, high=6, is_power=True)
    binary("Atan2", exact(np.arctan2))
    for op, want in {"Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
                     "Greater": np.greater, "GreaterEqual": np.greater_equal}.items():
        binary(op, want, low=-2, high=2)
    for op, want in {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or}.items():
        binary(op, want, dtypes=["bool"])
    for op, want in {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}.items():
        binary(op, want, low=-100, high=100)
    binary("LeftShift", lambda x, y: np.left_shift(x, y).astype(x.dtype), low=0, high=3)
    binary("RightShift", np.right_shift, low=0, high=5)
    for dtype in table.SIGNED:
        way("RightShift", [table.n(2, 3, low=-100, high=100, dtype=dtype), table.n(3, low=0, high=5, dtype=dtype)], np.right_shift)
    for dtype in allowed("ApproximateEqual"):
        for dims in shapes_for(dtype):
            made = way("ApproximateEqual", [data(dtype, *dims), data(dtype, *dims, seed=5)],
                       lambda x, y: x == y if x.dtype.kind in "iu" else abs(x - y) < 1.5)
            made.attrs["tolerance"] = 1.5
    zero = {"Igamma": "gammainc", "Igammac": "gammaincc", "Zeta": "zeta", "Polygamma": "polygamma"}
    for op, name in zero.items():
        scipy = table.special(name)
        for dtype, (left, right) in itertools.product(allowed(op), PAIRS) if scipy else []:
            x = table.f(*left, low=1.2, high=5)
            x = cast_data(np.floor(x) if op == "Polygamma" else x, dtype)
            way(op, [x, cast_data(table.f(*right, low=0.5, high=5, seed=5), dtype)], exact(scipy))
    for op in ("AddN", "AccumulateNV2"):
        for dtype in [t for t in allowed(op) if t != "string"]:
            for dims in shapes_for(dtype):
                for many in (1, 2, 4):
                    more = {"shape": list(dims)} if op == "AccumulateNV2" else {}
                    way(op, [data(dtype, *dims, seed=i, low=-2, high=2) for i in range(many)], lambda *xs: sum(xs[1:], xs[0]), **more)
    for dtype in allowed("ClipByValue"):
        if dtype in COMPLEX:
            continue
        for dims in shapes_for(dtype):
            x = data(dtype, *dims)
            ends = [cast_data(np.array(v), dtype) for v in (1, 4)]
            way("ClipByValue", [x, *ends], np.clip)
            way("ClipByValue", [x, *map(Fixed, ends)], np.clip)
            way("ClipByValue", [x, data(dtype, *dims, low=-9, high=-1), data(dtype, *dims, low=1, high=9, seed=3)], np.clip)
    for dtype in ANY:
        for dims in shapes_for(dtype):
            x, y = data(dtype, *dims), data(dtype, *dims, seed=3)
            way("Select", [data("bool", *dims), x, y], np.where)
            if dims:
                way("Select", [data("bool"), x, y], np.where)
                way("Select", [data("bool", dims[0]), x, y], lambda c, x, y: np.where(c.reshape((-1,) + (1,) * (x.ndim - 1)), x, y))
        for one, two in PAIRS if dtype in USUAL else PAIRS[3:5]:
            for c in ((), one, two):
                way("SelectV2", [data("bool", *c), data(dtype, *one), data(dtype, *two, seed=3)], np.where)
    for dtype in allowed("Where"):
        for dims in shapes_for(dtype):
            way("Where", [data(dtype, *dims, low=-1, high=1)], lambda x: np.argwhere(x) if x.ndim else np.zeros((int(bool(x)), 0), "i8"), skips_judge=0 in dims or not dims)
    for dtype in allowed("Cross"):
        for dims in [(3,), (2, 3), (2, 1, 3), (0, 3), (1, 2, 1, 2, 3)]:
            way("Cross", [data(dtype, *dims, low=-4, high=4), data(dtype, *dims, seed=1, low=-4, high=4)], np.cross)


# --- reductions -------------------------------------------------------------------------

def axes_of(rank):
    """None, each from either end, and all."""
    yield []
    if rank:
        yield from ([0], [-1], [rank - 1], list(range(rank)), [-rank])
    if rank > 2:
        yield from ([0, -1], [1], [2, 0])


def lowest(x):
    kind = x.dtype.kind
    return -np.inf if kind == "f" else np.iinfo(x.dtype).min


def highest(x):
    return np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).max


def mean(x, axis, keepdims):
    if x.dtype.kind not in "iu":
        return np.mean(x, axis=axis, keepdims=keepdims)
    count = np.prod([x.shape[i] for i in axis], dtype=int)
    return np.trunc(np.sum(x.astype("f8"), axis=axis, keepdims=keepdims) / count) if count else None


REDUCTIONS = {
    "Sum": np.sum, "Prod": np.prod, "Mean": mean,
    "Max": lambda x, **k: np.max(x, initial=lowest(x), **k), "Min": lambda x, **k: np.min(x, initial=highest(x), **k),
    "EuclideanNorm": lambda x, **k: np.sqrt(np.sum(abs(x.astype("c16" if x.dtype.kind == "c" else "f8")) ** 2, **k)),
    "All": np.all, "Any": np.any}


def add_reductions():
    for op, want in REDUCTIONS.items():
        for dtype in allowed(op) if "T" in attributes()[op] else ["bool"]:
            for dims in shapes_for(dtype):
                if 0 in dims and op == "Mean" and dtype in table.INTS + list(QUANTIZED):
                    continue  # a division by zero
                if op in ("Max", "Min") and dtype in COMPLEX:
                    continue
                axes = list(axes_of(len(dims)))
                for i, some in enumerate(axes if dtype not in ODD else axes[1:2]):
                    for keep in (None, False, True) if dtype in USUAL else ((None, True)[i % 2],):
                        more = {} if keep is None else {"keep_dims": keep}
                        index = ("int32", "int64")[(i + bool(keep)) % 2]
                        low = 0 if op == "Mean" and dtype == "float16" else -3
                        x = data(dtype, *dims, low=low, high=3)
                        way(op, [x, Fixed(np.array(some, index))],
                            lambda x, a, w=want, k=bool(keep): w(x.astype("f8") if x.dtype.kind == "f" and x.dtype != np.float64 else x, axis=tuple(int(i) for i in a), keepdims=k), **more)
        dtype = "bool" if op in ("All", "Any") else "float32"
        for axis in (0, -1):  # a number instead of a list, and one that is fed
            for index in ("int32", "int64"):
                x = data(dtype, 2, 3)
                way(op, [x, Fixed(np.array(axis, index))], lambda x, a, w=want: w(x, axis=(int(a),), keepdims=False))
                way(op, [x, np.array([axis], index)], lambda x, a, w=want: w(x, axis=(int(a[0]),), keepdims=False))
    for op, want in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
        for dtype in allowed(op):
            for dims in [d for d in shapes_for(dtype) if d and 0 not in d] + [(0, 3)]:
                for axis in {0, len(dims) - 1, -1, -len(dims)}:
                    if dims[axis] == 0:
                        continue
                    for out in (*allowed(op, "output_type"), None) if dtype in ("float32", "int32") else (None,):
                        for index in allowed(op, "Tidx") if dtype == "float32" else ["int32"]:
                            more = {"output_type": out} if out else {}
                            way(op, [data(dtype, *dims, low=-3, high=3), Fixed(np.array(axis, index))], lambda x, a, w=want: w(x, int(a)), **more)


def add_scans():
    def scanned(op):
        def made(x, axis, exclusive, reverse):
            axis = int(axis)
            x = np.flip(x, axis) if reverse else x
            kind = x.dtype if x.dtype.kind not in "f" else "f8"
            if op == "CumulativeLogsumexp":
                y = np.log(np.cumsum(np.exp(x.astype("f8")), axis))
                start = -np.inf
            else:
                y = (np.cumsum if op == "Cumsum" else np.cumprod)(x, axis, dtype=kind)
                start = 0 if op == "Cumsum" else 1
            if exclusive and x.shape[axis]:
                first = np.full_like(np.take(y, [0], axis), start)
                y = np.concatenate([first, np.take(y, range(x.shape[axis] - 1), axis)], axis)
            return np.flip(y, axis) if reverse else y
        return made
    for op in ("Cumsum", "Cumprod", "CumulativeLogsumexp"):
        for dtype in allowed(op):
            for dims in [d for d in shapes_for(dtype) if d]:
                for axis in {0, -1, len(dims) // 2}:
                    for exclusive, reverse in itertools.product((None, True), (None, True)) if dtype in USUAL + ("float16",) else [(None, None), (True, True)]:
                        more = {k: v for k, v in (("exclusive", exclusive), ("reverse", reverse)) if v}
                        index = ("int32", "int64")[bool(exclusive)]
                        way(op, [data(dtype, *dims, low=-2, high=2), Fixed(np.array(axis, index))],
                            lambda x, a, e=exclusive, r=reverse, s=scanned(op): s(x, a, e, r), **more)


# --- shapes -----------------------------------------------------------------------------

INDEX = ("int32", "int64")


def add_shapes():
    for dtype in ANY:
        for dims in shapes_for(dtype):
            x, rank = data(dtype, *dims), len(dims)
            size = int(np.prod(dims))
            for i, new in enumerate([(-1,), (size,), (1, *dims), (*dims, 1), (1, -1, 1)] + ([()] if size == 1 else [])):
                if 0 in dims and -1 in new and len(new) > 1:
                    new = (1, 0, 1)
                way("Reshape", [x, Fixed(np.array(new, INDEX[i % 2]))], lambda x, s: x.reshape(s))
            for i, perm in enumerate({tuple(range(rank)), tuple(range(rank))[::-1], tuple(range(1, rank)) + (0,) * bool(rank)}):
                way("Transpose", [x, Fixed(np.array(perm, INDEX[i % 2]))], lambda x, p: x.transpose(p))
                way("ConjugateTranspose", [x, Fixed(np.array(perm, INDEX[i % 2]))],
                    lambda x, p: np.conj(x.transpose(p)) if x.dtype.kind == "c" else x.transpose(p))
            for i, axis in enumerate(range(-rank - 1, rank + 1) if dtype in USUAL else {0, -1, rank}):
                way("ExpandDims", [x, Fixed(np.array(axis, INDEX[i % 2]))], lambda x, a: np.expand_dims(x, int(a)))
                way("Pack", [x, data(dtype, *dims, seed=1)], lambda *xs, a=axis: np.stack(xs, a), axis=axis)
            way("Pack", [x], lambda x: x[None])
            ones = [i for i, d in enumerate(dims) if d == 1]
            way("Squeeze", [x], lambda x, l=tuple(ones): x.squeeze(l))
            for some in [[i] for i in ones] + [[i - rank] for i in ones] + [ones]:
                way("Squeeze", [x], lambda x, l=tuple(some or ones): x.squeeze(l), squeeze_dims=some)
            for i, more in enumerate([(), (2,), (1, 2)]):
                wide = (*more, *(3 if d == 1 else d for d in dims))
                way("BroadcastTo", [x, Fixed(np.array(wide, INDEX[i % 2]))], lambda x, s: np.broadcast_to(x, s))
            for i, reps in enumerate([[1] * rank, [2] * rank, [(j % 3) for j in range(rank)]]):
                way("Tile", [x, Fixed(np.array(reps, INDEX[i % 2]))], lambda x, m: np.tile(x, m) if x.ndim else x)
            for index in INDEX:
                value = data(dtype)
                way("Fill", [Fixed(np.array(dims, index)), value], lambda s, v: np.full(s, v))
                way("Fill", [Fixed(np.array(dims, index)), Fixed(value)], lambda s, v: np.full(s, v))
                way("Fill", [np.array(dims, index), value], lambda s, v: np.full(s, v))
            if dtype != "string":
                way("Empty", [Fixed(np.array(dims, "i4"))], np.zeros(dims), dtype=dtype, init=True)
            if not rank:
                continue
            for axis in range(-rank, rank) if dtype in USUAL else {0, -1}:
                others = [data(dtype, *dims[:axis % rank], k, *dims[axis % rank + 1:], seed=k) for k in (1, 2)]
                way("ConcatV2", [x, *others, Fixed(np.array(axis, INDEX[axis % 2]))], lambda *v: np.concatenate(v[:-1], int(v[-1])))
                way("Concat", [Fixed(np.array(axis, "i4")), x, *others], lambda a, *v: np.concatenate(v, int(a)))
                if dims[axis]:
                    way("Unpack", [x], lambda x, a=axis: tuple(np.moveaxis(x, a, 0)), num=dims[axis], axis=axis)
                for parts in {1, dims[axis] or 2}:
                    way("Split", [Fixed(np.array(axis, "i4")), x], lambda a, x, n=parts: tuple(np.split(x, n, int(a))), num_split=parts)
                for sizes, index in itertools.product([[dims[axis]], [0, dims[axis]], [-1, 0], [0, -1]], allowed("SplitV", "Tlen")):
                    if dtype not in ("float32", "int8") and (index != "int64" or axis < 0 or sizes[0] == -1):
                        continue
                    cut = np.cumsum([s if s >= 0 else dims[axis] - sum(v for v in sizes if v > 0) for s in sizes])[:-1]
                    way("SplitV", [x, Fixed(np.array(sizes, index)), Fixed(np.array(axis, "i4"))],
                        lambda x, s, a, c=cut: tuple(np.split(x, c, int(a))), num_split=len(sizes))
            way("Unpack", [data(dtype, 2, *dims)], lambda x: tuple(x), num=2)
            way("ParallelConcat", [data(dtype, 1, *dims), data(dtype, 1, *dims, seed=1)], lambda *v: np.concatenate(v), shape=[2, *dims])
    for axis, index in itertools.product((0, 1), allowed("ConcatOffset", "shape_type")):
        sizes = [np.array(v, index) for v in ([2, 3], [2, 3], [2, 3])]
        want = [np.array([0 if j != axis else i * sizes[0][axis] for j in range(2)]) for i in range(3)]
        way("ConcatOffset", [Fixed(np.array(axis, "i4")), *map(Fixed, sizes)], tuple(want))
        way("ConcatOffset", [Fixed(np.array(axis, "i4")), *sizes], tuple(want))
    for index in INDEX:
        for one, two in PAIRS:
            way("BroadcastArgs", [np.array(one, index), np.array(two, index)], np.array(np.broadcast_shapes(one, two)))
        for perm in ([2, 0, 1, 3], [0], []):
            way("InvertPermutation", [np.array(perm, index)], np.argsort(perm))
    for dtype in allowed("OneHot"):
        for dims in shapes_for(dtype, RANKS[:-3]):
            for axis in {-1, 0, len(dims)}:
                for index in allowed("OneHot", "TI") if dtype in ("float32", "int32") else ["int64"]:
                    i = table.n(*dims, low=-1, high=4, dtype=index)
                    ends = [cast_data(np.array(v), dtype) for v in (3, 1)]
                    for fixed in (True, False):
                        way("OneHot", [i, Fixed(np.array(4, "i4")), *(map(Fixed, ends) if fixed else ends)],
                            lambda i, d, y, z, a=axis: np.moveaxis(np.where(i[..., None] == np.arange(4), y, z), -1, a),
                            **({"axis": axis} if axis != -1 else {}))
    for dtype, index in itertools.product(allowed("LinSpace"), allowed("LinSpace", "Tidx")):
        for a, z, count in [(2, 7, 1), (2, 7, 2), (-3, 4, 5), (5, -5, 3), (1, 1, 4)]:
            ends = [cast_data(np.array(float(v)), dtype) for v in (a, z)]
            for kind in (Fixed, lambda v: v):
                way("LinSpace", [*map(kind, ends), Fixed(np.array(count, index))], lambda a, z, k: np.linspace(a, z, int(k)))
    for dtype in allowed("Range", "Tidx"):
        for a, z, step in [(0, 5, 1), (2, 11, 3), (10, 0, -3), (-10, -1, 2), (3, -4, -1), (5, 5, 1), (-3, 4, 2)]:
            if dtype.startswith("u") and min(a, z, step) < 0:
                continue
            ends = [cast_data(np.array(v), dtype) for v in (a, z, step)]
            for kind in (Fixed, lambda v: v):
                way("Range", [*map(kind, ends)], lambda *v: np.arange(*(x.astype("f8") for x in v)))
    for dtype in table.ALL + ["bfloat16"] + COMPLEX + list(QUANTIZED) + ["string"]:
        for dims in shapes_for(dtype, RANKS[1:]):
            x, rank = data(dtype, *dims), len(dims)
            pads = [[(i + j) % 3 for j in range(2)] for i in range(rank)]
            for index in INDEX:
                if dtype in allowed("Pad"):
                    way("Pad", [x, Fixed(np.array(pads, index))], lambda x, p: np.pad(x, p) if x.dtype.kind != "U" else np.pad(x, p, constant_values=""))
                    way("Pad", [x, np.array(pads, index)], lambda x, p: np.pad(x, p) if x.dtype.kind != "U" else np.pad(x, p, constant_values=""))
                for kind in (Fixed, lambda v: v):
                    value = data(dtype, seed=2)
                    way("PadV2", [x, Fixed(np.array(pads, index)), kind(value)], lambda x, p, v: np.pad(x, p, constant_values=v))
                if 0 not in dims:
                    less = [[min(k, d - 1) for k in pair] for pair, d in zip(pads, dims)]
                    way("MirrorPad", [x, Fixed(np.array(less, index))], lambda x, p: np.pad(x, p, "reflect"), mode="REFLECT")
                    less = [[min(k, d) for k in pair] for pair, d in zip(pads, dims)]
                    way("MirrorPad", [x, Fixed(np.array(less, index))], lambda x, p: np.pad(x, p, "symmetric"), mode="SYMMETRIC")
            if dtype in allowed("ReverseV2"):
                for i, some in enumerate(axes_of(rank)):
                    way("ReverseV2", [x, Fixed(np.array(some, INDEX[i % 2]))], lambda x, a: np.flip(x, tuple(a)))
                way("ReverseV2", [x, np.array([-1], "i4")], lambda x, a: np.flip(x, -1))
                for turned in ([True] * rank, [False] * rank, [bool(i % 2) for i in range(rank)]):
                    way("Reverse", [x, Fixed(np.array(turned))], lambda x, t: np.flip(x, tuple(np.flatnonzero(t))))
            for some in ([0], [-1], list(range(rank))):
                for by, index in itertools.product((1, -2, 7), INDEX) if dtype in USUAL else [(1, "int32"), (-2, "int64")]:
                    shift = np.array([by] * len(some), index)
                    way("Roll", [x, Fixed(shift), Fixed(np.array(some, index))], lambda x, s, a: np.roll(x, tuple(s), tuple(a)))
            if rank > 1:
                for seq, batch in ((1, 0), (0, 1), (rank - 1, 0)):
                    lengths = np.array([i % (dims[seq] + 1) for i in range(dims[batch])], INDEX[seq % 2])
                    way("ReverseSequence", [x, lengths], lambda x, k, s=seq, b=batch: table.reverse_sequence(x, k, s, b), seq_dim=seq, **({"batch_dim": batch} if batch else {}))


def add_slices():
    for dtype in ANY:
        for dims in shapes_for(dtype, RANKS):
            x, rank = data(dtype, *dims), len(dims)
            for index in INDEX if dtype in USUAL else INDEX[:1]:
                for begin, size in [([0] * rank, [-1] * rank), ([min(1, d) for d in dims], [-1] * rank),
                                    ([0] * rank, [min(1, d) for d in dims]), ([0] * rank, [0] * rank)]:
                    want = lambda x, b, s: x[tuple(slice(i, None if j < 0 else i + j) for i, j in zip(b, s))]
                    for kind in (Fixed, lambda v: v):
                        way("Slice", [x, kind(np.array(begin, index)), kind(np.array(size, index))], want)
            if not rank:
                continue
            for index in allowed("StridedSlice", "Index") if dtype in ("float32", "int8") else INDEX[1:]:
                for key, begin, end, step, masks in [
                        ((slice(0, 1),), [0], [1], [1], {}), ((slice(None, None, -1),), [0], [0], [-1], {"begin_mask": 1, "end_mask": 1}),
                        ((Ellipsis, slice(-2, None)), [0, -2], [0, 0], [1, 1], {"ellipsis_mask": 1, "end_mask": 2}),
                        ((None,), [0], [0], [1], {"new_axis_mask": 1}), ((Ellipsis, None), [0, 0], [0, 0], [1, 1], {"ellipsis_mask": 1, "new_axis_mask": 2}),
                        ((Ellipsis, slice(None, None, 2)), [0, 0], [0, 0], [1, 2], {"ellipsis_mask": 1, "begin_mask": 2, "end_mask": 2}),
                        ((slice(1, 99),), [1], [99], [1], {}), ((slice(-9, 2),), [-9], [2], [1], {}),
                        *([((0,), [0], [1], [1], {"shrink_axis_mask": 1}), ((-1,), [-1], [0], [1], {"shrink_axis_mask": 1})] if dims[0] else []),
                        *([((Ellipsis, -1), [0, -1], [0, 0], [1, 1], {"ellipsis_mask": 1, "shrink_axis_mask": 2})] if dims[-1] else [])]:
                    for kind in (Fixed, lambda v: v) if index == "int32" else (Fixed,):
                        way("StridedSlice", [x, *(kind(np.array(v, index)) for v in (begin, end, step))], lambda x, *k, at=key: x[at], **masks)


def add_gathers():
    for dtype in ANY:
        for dims in [d for d in shapes_for(dtype) if d and d[0]]:
            x, rank = data(dtype, *dims), len(dims)
            for at in ((), (2,), (2, 1), (0,)):
                for index in INDEX if dtype in USUAL else INDEX[len(at) % 2:][:1]:
                    i = table.n(*at, low=0, high=dims[0] - 1, dtype=index)
                    way("Gather", [x, i], lambda x, i: np.take(x, i, 0))
                    way("Gather", [x, Fixed(i)], lambda x, i: np.take(x, i, 0))
                for axis in {0, -1, rank - 1, -rank}:
                    if not dims[axis]:
                        continue
                    for index in allowed("GatherV2", "Tindices") if dtype in ("float32", "int8") else INDEX[:1]:
                        i = table.n(*at, low=0, high=dims[axis] - 1, dtype=index)
                        for kind in INDEX if dtype == "float32" else INDEX[:1]:
                            way("GatherV2", [x, i, Fixed(np.array(axis, kind))], lambda x, i, a: np.take(x, i, int(a)))
            for k in range(0, rank + 1):
                if 0 in dims:
                    continue
                for index, lead in itertools.product(allowed("GatherNd", "Tindices") if dtype in ("float32", "int8") else INDEX[1:], ((2,), (2, 1), (0,))):
                    i = np.stack([table.n(*lead, low=0, high=d - 1, dtype=index, seed=j) for j, d in enumerate(dims[:k])], -1) if k else np.zeros((*lead, 0), index)
                    way("GatherNd", [x, i], lambda x, i: x[tuple(np.moveaxis(i, -1, 0))] if i.shape[-1] else np.broadcast_to(x, i.shape[:-1] + x.shape))


# --- scattering, segments -------------------------------------------------------------------

def add_scatters():
    places = [((6,), [[4], [1]]), ((3, 4), [[2], [0]]), ((3, 4), [[0, 1], [2, 3]]), ((3, 4, 2), [[[0], [2]]]), ((2, 2, 2, 2, 2), [[1, 0], [0, 1]]),
              ((3, 2), np.zeros((0, 1), int))]
    for name, want in {"Add": np.add, "Sub": np.subtract, "Max": np.maximum, "Min": np.minimum, "Update": table.second}.items():
        for op in (f"TensorScatter{name}", f"ScatterNd{name}", *(["ScatterNdNonAliasingAdd"] if name == "Add" else [])):
            for dtype in allowed(op):
                if name in ("Max", "Min") and dtype in COMPLEX or dtype == "string" and name != "Update" or dtype == "bool" and name != "Update":
                    continue
                for shape, at in places if dtype not in ODD else places[1:2]:
                    for index in allowed(op, "Tindices"):
                        i = np.array(at, index)
                        u = data(dtype, *i.shape[:-1], *shape[i.shape[-1]:], seed=4, low=-3, high=3)
                        way(op, [data(dtype, *shape, low=-3, high=3), i, u], lambda x, i, u, w=want: table.scatter(x, i, u, w))
    for dtype in ANY:
        if dtype in ("string", "bool"):
            continue
        for shape, at in [*places, ((5, 2), [[1], [3], [1]])] if dtype not in ODD else places[1:2]:
            for index in allowed("ScatterNd", "Tindices"):
                i = np.array(at, index)
                u = data(dtype, *i.shape[:-1], *shape[i.shape[-1]:], seed=4, low=-3, high=3)
                for kind in (Fixed, lambda v: v):
                    way("ScatterNd", [i, u, kind(np.array(shape, index))], lambda i, u, s: table.scatter(np.zeros(s, u.dtype), i, u, np.add))
    rows = [((6,), [4, 1]), ((3, 4), [2, 0]), ((4, 2, 2), [[3, 1]]), ((3, 4), 1), ((3, 2), [])]
    for name, want in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": lambda x, y: x / y if x.dtype.kind in "fc" else trunc_div(x, y),
                       "Max": np.maximum, "Min": np.minimum, "Update": table.second}.items():
        op = "Scatter" + name
        for dtype in allowed(op):
            if dtype in ("string", "bool") and name != "Update":
                continue
            for shape, at in rows if dtype not in ODD else rows[1:2]:
                for index in allowed(op, "Tindices"):
                    i = np.array(at, index)
                    u = data(dtype, *i.shape, *shape[1:], seed=4, low=1, high=5)
                    x = data(dtype, *shape, low=-5, high=5)
                    way(op, [x, i, u], lambda x, i, u, w=want: table.scatter(x, i[..., None], u, w))
                    way(op, [x, i, data(dtype, low=1, high=5)], lambda x, i, u, w=want: table.scatter(x, i[..., None], np.full(i.shape + x.shape[1:], u), w))
    for op, want in {"InplaceAdd": np.add, "InplaceSub": np.subtract, "InplaceUpdate": table.second}.items():
        for dtype in allowed(op):
            if dtype in ("string", "bool") and op != "InplaceUpdate":
                continue
            for shape in [(4,), (4, 2), (3, 2, 2)] if dtype not in ODD else [(4, 2)]:
                way(op, [data(dtype, *shape, low=-4, high=4), np.array([2, 0], "i4"), data(dtype, 2, *shape[1:], seed=3, low=-4, high=4)],
                    lambda x, i, v, w=want: table.scatter(x, i[:, None], v, w))


def add_segments():
    start = {"Sum": lambda t: 0, "Prod": lambda t: 1, "Max": lambda t: table.limit(t, True), "Min": lambda t: table.limit(t, False), "Mean": lambda t: 0}
    fold = {"Sum": np.add, "Prod": np.multiply, "Max": np.maximum, "Min": np.minimum, "Mean": np.add}

    def sums(name, x, ids, count, is_sorted):
        kind = x.dtype
        x = x.astype("f8") if kind.kind == "f" else x
        none = start[name](kind)
        if is_sorted and name in ("Max", "Min"):
            made = table.segments(x, ids, count, none, fold[name])
            return np.where(np.isin(np.arange(int(count)), ids).reshape((-1,) + (1,) * (made.ndim - 1)), made, 0)
        if name == "Mean":
            made = table.segments(x.astype("f8") if kind.kind != "c" else x, ids, count, 0, np.add)
            many = np.array([max((ids == i).sum(), 1) for i in range(int(count))]).reshape((-1,) + (1,) * (made.ndim - 1))
            return np.trunc(made / many) if kind.kind in "iu" else made / many
        return table.segments(x, ids, count, none, fold[name])
    for name in start:
        op = "Segment" + name
        for dtype in allowed(op):
            if dtype in COMPLEX and name in ("Max", "Min"):
                continue
            for dims in [(4,), (4, 2), (4, 1, 3), (4, 1, 2, 1, 2)] if dtype not in ODD else [(4, 2)]:
                for ids in ([0, 0, 1, 2], [0, 1, 1, 3], [1, 1, 2, 2]):
                    for index in INDEX:
                        way(op, [data(dtype, *dims, low=-3, high=3), np.array(ids, index)],
                            lambda x, i, n=name: sums(n, x, i, i.max() + 1, True))
                        if name in ("Sum", "Prod") and len(dims) == 2:
                            for kind in INDEX:
                                way(op + "V2", [data(dtype, *dims, low=-3, high=3), np.array(ids, index), Fixed(np.array(5, kind))],
                                    lambda x, i, k, n=name: sums(n, x, i, k, False))
        op = "UnsortedSegment" + name
        for dtype in allowed(op) if op in attributes() and name != "Mean" else []:
            if dtype in COMPLEX and name in ("Max", "Min"):
                continue
            for dims, shape in [((4,), (4,)), ((4, 2), (4,)), ((2, 2, 3), (2, 2)), ((2, 2, 1, 2, 1), (2,))] if dtype not in ODD else [((4, 2), (4,))]:
                for index in allowed(op, "Tindices") if dtype in USUAL else INDEX[:1]:
                    ids = np.array([2, 0, 2, -1][:int(np.prod(shape))], index).reshape(shape)
                    for kind in INDEX:
                        for fixed in (Fixed, lambda v: v):
                            way(op, [data(dtype, *dims, low=-3, high=3), ids, fixed(np.array(4, kind))], lambda x, i, k, n=name: sums(n, x, i, k, False))
    for name, op in {"Sum": "SparseSegmentSum", "Mean": "SparseSegmentMean", "SqrtN": "SparseSegmentSqrtN"}.items():
        def some(x, at, ids, n=name):
            made = table.segments(x.astype("f8") if x.dtype.kind == "f" else x, ids * 0 + ids, ids.max() + 1, 0, np.add) if False else \
                table.segments((x.astype("f8") if x.dtype.kind == "f" else x)[at], ids, ids.max() + 1, 0, np.add)
            many = np.array([max((ids == i).sum(), 1) for i in range(ids.max() + 1)]).reshape((-1,) + (1,) * (made.ndim - 1))
            return made if n == "Sum" else made / many if n == "Mean" else made / np.sqrt(many)
        for dtype in allowed(op):
            for dims in [(4,), (4, 2), (4, 1, 3)] if dtype not in ODD else [(4, 2)]:
                for one, two in itertools.product(allowed(op, "Tidx"), allowed(op, "Tsegmentids")):
                    for ids in ([0, 0, 1], [0, 2, 2]):
                        way(op, [data(dtype, *dims, low=-3, high=3), np.array([0, 2, 3], one), np.array(ids, two)], some)


# --- sorting, counting ----------------------------------------------------------------------

def add_sorts():
    for dtype in allowed("TopKV2"):
        for dims in [(5,), (2, 6), (2, 1, 4), (1, 2, 1, 2, 3), (0, 4)] if dtype not in ODD else [(2, 6)]:
            for k in {0, 1, 2, dims[-1]}:
                for sort in (None, False):
                    more = {} if sort is None else {"sorted": sort}
                    for kind, index in itertools.product(allowed("TopKV2", "Tk"), [None, *allowed("TopKV2", "index_type")]) if dtype == "float32" else [("int32", None)]:
                        x = data(dtype, *dims, low=-50, high=50)
                        extra = {"index_type": index} if index else {}
                        way("TopKV2", [x, Fixed(np.array(k, kind))], lambda x, k: table.top(x, k), **more, **extra)
                    way("TopK", [data(dtype, *dims, low=-50, high=50)], lambda x, k=k: table.top(x, k), k=k, **more)
            way("TopKV2", [data(dtype, *dims, low=-50, high=50), np.array(2, "i4")], lambda x, k: table.top(x, k))
    for index in INDEX:
        for k in (1, 2, 5):
            way("InTopK", [table.f(4, 5), np.array([0, 1, 4, 3], index)], lambda p, t, k=k: table.in_top(p, t, k), k=k)
            way("InTopKV2", [table.f(4, 5), np.array([0, 1, 4, 3], index), Fixed(np.array(k, index))], table.in_top)
    for dtype in allowed("NthElement"):
        for dims in [(5,), (2, 5), (2, 1, 4), (1, 2, 1, 2, 3)] if dtype not in ODD else [(2, 5)]:
            for n, r in itertools.product((0, 1, dims[-1] - 1), (None, True)):
                way("NthElement", [data(dtype, *dims, low=-50, high=50), Fixed(np.array(n, "i4"))],
                    lambda x, k, r=r: np.sort(x, -1)[..., -1 - k if r else k], **({"reverse": True} if r else {}))
    for dtype in ANY:
        for size in (8, 1, 0):
            x = cast_data(table.n(size, low=0, high=4), dtype)
            for out in (None, *INDEX):
                more = {"out_idx": out} if out else {}
                way("Unique", [x], lambda x: table.uniques(x)[:2], **more)
                way("UniqueWithCounts", [x], table.uniques, **more)
                for axis in ([0], []):
                    way("UniqueV2", [x, Fixed(np.array(axis, "i8"))], lambda x, a: table.uniques(x)[:2], **more)
                    way("UniqueWithCountsV2", [x, Fixed(np.array(axis, "i4"))], lambda x, a: table.uniques(x), **more)
                y = cast_data(np.array([2, 4]), dtype)
                way("ListDiff", [x, y], lambda x, y: table.list_diff(x, y), **more)


# --- matrices -------------------------------------------------------------------------------

def product(x, y):
    """In a type that holds it."""
    kind = {"f": "f8", "i": "i8", "u": "u8", "c": "c16"}[x.dtype.kind]
    return np.matmul(x.astype(kind), y.astype(kind))


def turned(x, is_turned, is_adjoint=False):
    y = np.swapaxes(x, -1, -2) if is_turned else x
    return np.conj(y) if is_turned and is_adjoint and x.dtype.kind == "c" else y


def inner(x):
    return x.array if isinstance(x, Odd) else x


def turned_data(x, is_turned):
    y = np.ascontiguousarray(turned(inner(x), is_turned))
    return Odd(y, x.dtype) if isinstance(x, Odd) else y


def add_products():
    for dtype in allowed("MatMul"):
        for (m, k, n), a, b in itertools.product([(2, 3, 4), (1, 1, 1), (0, 3, 2), (2, 0, 3)], (None, True), (None, True)):
            x, y = data(dtype, m, k, low=-4, high=4), data(dtype, k, n, low=-4, high=4, seed=1)
            more = {k: v for k, v in (("transpose_a", a), ("transpose_b", b)) if v}
            way("MatMul", [turned_data(x, a), turned_data(y, b)], lambda x, y, a=a, b=b: product(turned(x, a), turned(y, b)), **more)
    batches = [((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)), ((2, 1, 2, 3), (2, 1, 3, 4)), ((0, 2, 3), (0, 3, 4)), ((1, 2, 1, 2, 3), (1, 2, 1, 3, 4)), ((2, 0, 3), (2, 3, 4))]
    wide = [((2, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((2, 1, 2, 3), (3, 3, 4)), ((1, 2, 3), (4, 3, 4))]
    for op in ("BatchMatMul", "BatchMatMulV2"):
        for dtype in allowed(op):
            for (left, right), a, b in itertools.product(batches + (wide if op.endswith("2") else []), (None, True), (None, True)):
                more = {k: v for k, v in (("adj_x", a), ("adj_y", b)) if v}
                x, y = data(dtype, *left, low=-4, high=4), data(dtype, *right, low=-4, high=4, seed=1)
                way(op, [turned_data(x, a), turned_data(y, b)], lambda x, y, a=a, b=b: product(turned(x, a, True), turned(y, b, True)), **more)
    for one, two, out in itertools.product(allowed("BatchMatMulV3", "Ta"), allowed("BatchMatMulV3", "Tb"), allowed("BatchMatMulV3", "Tout")):
        if one == two and (one == out or one in ("int8", "uint8") and out == "int32") or {one, two} == {"int8", "uint8"} and out == "int32":
            for left, right in batches + wide:
                way("BatchMatMulV3", [data(one, *left, low=-4, high=4), data(two, *right, low=-4, high=4, seed=1)],
                    lambda x, y: product(x, y) if x.dtype.kind == y.dtype.kind else product(x.astype("i8"), y.astype("i8")), Tout=out)
    for op in ("BiasAdd", "BiasAddV1"):
        for dtype in allowed(op):
            for form in (None, *(enum(op, "data_format") if op == "BiasAdd" else ())):
                for dims in [(2, 3), (2, 1, 3), (1, 2, 2, 3), (1, 2, 1, 2, 3), (0, 3)] if dtype not in ODD else [(2, 3)]:
                    axis = 1 if form == "NCHW" else len(dims) - 1
                    way(op, [data(dtype, *dims, low=-4, high=4), data(dtype, dims[axis], low=-4, high=4, seed=1)],
                        lambda x, y, a=axis: x + y.reshape([-1 if i == a else 1 for i in range(x.ndim)]), **({"data_format": form} if form else {}))
    for dtype in allowed("BiasAddGrad"):
        for form in (None, *enum("BiasAddGrad", "data_format")):
            for dims in [(2, 3), (2, 1, 3), (1, 2, 2, 3), (1, 2, 1, 2, 3)] if dtype not in ODD else [(2, 3)]:
                axis = 1 if form == "NCHW" else len(dims) - 1
                way("BiasAddGrad", [data(dtype, *dims, low=-3, high=3)],
                    lambda g, a=axis: g.sum(tuple(i for i in range(g.ndim) if i != a), dtype="f8" if g.dtype.kind == "f" else None), **({"data_format": form} if form else {}))


def add_softmax():
    for dtype in allowed("Softmax"):
        for dims in [(4,), (2, 3), (2, 1, 3), (1, 2, 1, 3), (1, 2, 1, 3, 2), (0, 3), (2, 1)]:
            x = data(dtype, *dims)
            way("Softmax", [x], table.softmax)
            way("LogSoftmax", [x], table.log_softmax)
            way("L2Loss", [x], lambda x: (x.astype("f8") ** 2).sum() / 2)
        way("L2Loss", [data(dtype)], lambda x: x.astype("f8") ** 2 / 2)
        for left, right in [((3, 4), (3, 4)), ((3, 4), (1, 4)), ((1, 4), (3, 4)), ((0, 4), (0, 4)), ((3, 1), (3, 1))]:
            y = cast_data(table.softmax(table.f(*right, seed=2)), dtype)
            way("SoftmaxCrossEntropyWithLogits", [data(dtype, *left), y],
                lambda x, y: (-(y * table.log_softmax(x.astype("f8"))).sum(-1), table.softmax(x.astype("f8")) - y))
        for index in INDEX:
            way("SparseSoftmaxCrossEntropyWithLogits", [data(dtype, 3, 4), np.array([0, 3, 1], index)],
                lambda x, y: (-table.log_softmax(x.astype("f8"))[np.arange(3), y], table.softmax(x.astype("f8")) - np.eye(4)[y]))


# --- networks -------------------------------------------------------------------------------

def laid(x, is_first):
    y = table.laid_out(inner(x), is_first)
    return Odd(y, x.dtype) if isinstance(x, Odd) else y


def both_ways(want, is_first):
    def made(x, *more):
        y = want(table.last(x) if is_first else x, *more)
        return tuple(table.first(v) if is_first else v for v in y) if isinstance(y, tuple) else table.first(y) if is_first else y
    return made


def form_of(formats):
    """Each layout that there is, and none: attributes, are channels first."""
    for form in (None, *formats):
        yield ({} if form is None else {"data_format": form}), form in ("NCHW", "NCDHW"), form


def add_pools():
    for op, is_max in {"MaxPool": True, "AvgPool": False, "MaxPool3D": True, "AvgPool3D": False}.items():
        nd = 3 if op.endswith("3D") else 2
        for dtype in allowed(op):
            for more, is_first, form in form_of(enum(op, "data_format")):
                for padding, (k, s), channels in itertools.product(("SAME", "VALID"), ((2, 1), (2, 2), (3, 2), (1, 2), (2, 3)), (1, 3)):
                    if dtype in ODD and (k, s) != (2, 2):
                        continue
                    # Below zero everywhere: padding must not win.
                    low, high = (-60, -1) if dtype not in table.UNSIGNED else (1, 60)
                    x = laid(data(dtype, 2, *(5, 6, 4)[:nd], channels, low=low, high=high), is_first)
                    way(op, [x], both_ways(lambda x, k=k, s=s, p=padding, m=is_max, nd=nd: pooled(x, (k,) * nd, (s,) * nd, p, m), is_first),
                        ksize=table.spread((k,) * nd, is_first), strides=table.spread((s,) * nd, is_first), padding=padding, **more)
                    if op == "MaxPool" and form != "NCHW_VECT_C":
                        way("MaxPoolV2", [x, Fixed(np.array(table.spread((k, k), is_first), "i4")), Fixed(np.array(table.spread((s, s), is_first), "i4"))],
                            both_ways(lambda x, *_, k=k, s=s, p=padding: pooled(x, (k, k), (s, s), p, True), is_first), padding=padding, **more)
                if op == "MaxPool" and form != "NCHW_VECT_C" and dtype not in ODD:
                    low, high = (-60, -1) if dtype not in table.UNSIGNED else (1, 60)
                    pads = ((1, 0), (0, 1))
                    flat = [0, 0, 0, 0, 1, 0, 0, 1] if is_first else [0, 0, 1, 0, 0, 1, 0, 0]
                    way(op, [laid(data(dtype, 1, 5, 5, 2, low=low, high=high), is_first)],
                        both_ways(lambda x, p=pads: pooled(x, (2, 2), (1, 1), p, True), is_first), ksize=table.spread((2, 2), is_first),
                        strides=[1] * 4, padding="EXPLICIT", explicit_paddings=flat, **more)
    for dtype in allowed("MaxPoolWithArgmax"):
        for padding, index, batch, channels in itertools.product(enum("MaxPoolWithArgmax", "padding"), (*INDEX, None), (None, True), (1, 2)):
            if dtype in ODD and channels == 1:
                continue
            more = {**({"Targmax": index} if index else {}), **({"include_batch_in_index": True} if batch else {})}
            x = data(dtype, 2, 5, 6, channels, low=-60 if dtype not in table.UNSIGNED else 0, high=-1 if dtype not in table.UNSIGNED else 60)
            way("MaxPoolWithArgmax", [x], lambda x, p=padding, b=batch: table.max_argmax(x.astype("f8"), (2, 3), (2, 2), p, bool(b), "i8"),
                ksize=[1, 2, 3, 1], strides=[1, 2, 2, 1], padding=padding, **more)
    for dtype in allowed("MaxPoolGrad"):
        for padding, (more, is_first, form) in itertools.product(("SAME", "VALID"), form_of(enum("MaxPoolGrad", "data_format"))):
            if form == "NCHW_VECT_C":
                continue
            plain = cast_data(np.random.RandomState(7).permutation(32).reshape(1, 4, 4, 2).astype("f8"), dtype)
            y = pooled(inner(plain), (2, 2), (2, 2), padding, True)
            out = cast_data(y, dtype)
            way("MaxPoolGrad", [laid(plain, is_first), laid(out, is_first), laid(data(dtype, *y.shape, low=-5, high=5), is_first)],
                lambda x, y, g, f=is_first, p=padding: both_ways(lambda x: table.max_grad(x, None, table.last(g) if f else g, (2, 2), (2, 2), p), f)(x),
                ksize=table.spread((2, 2), is_first), strides=table.spread((2, 2), is_first), padding=padding, **more)


def pooled(x, kernel, strides, padding, is_max):
    kind = x.dtype if x.dtype.kind in "iu" else np.dtype("f8")
    ones = [1] * len(kernel)
    if is_max:
        least = -1e30 if kind.kind == "f" else np.iinfo(kind).min
        return table.windows(x.astype(kind), kernel, strides, ones, padding, least).max(-2)
    return table.pool(x.astype("f8"), kernel, strides, padding, False)


def add_convolutions():
    pads = {"SAME": "SAME", "VALID": "VALID", "EXPLICIT": ((1, 0), (0, 2))}
    for op, want in {"Conv2D": table.conv, "DepthwiseConv2dNative": table.depthwise, "Conv3D": table.conv}.items():
        nd = 3 if op == "Conv3D" else 2
        for dtype in allowed(op):
            for more, is_first, _ in form_of(enum(op, "data_format")):
                for padding, s, r, channels in itertools.product(enum(op, "padding"), (1, 2), (None, 1, 2), (1, 3)):
                    if s > 1 and r == 2 or dtype in ODD and (s, r) != (1, None):
                        continue
                    x = laid(data(dtype, 2, *(5, 6, 4)[:nd], channels, low=-4, high=4), is_first)
                    w = data(dtype, *(2, 3, 2)[:nd], channels, 2, low=-4, high=4, seed=1)
                    attrs = {**more, "strides": table.spread((s,) * nd, is_first), "padding": padding}
                    if r:
                        attrs["dilations"] = table.spread((r,) * nd, is_first)
                    if padding == "EXPLICIT":
                        attrs["explicit_paddings"] = [0, 0, 0, 0, 1, 0, 0, 2] if is_first else [0, 0, 1, 0, 0, 2, 0, 0]
                    way(op, [x, w], both_ways(lambda x, w, f=want, s=s, r=r or 1, p=pads[padding], nd=nd: f(x, w, (s,) * nd, (r,) * nd, p), is_first), **attrs)
    for op in ("Conv2DBackpropInput", "Conv3DBackpropInputV2"):
        nd = 2 if op.startswith("Conv2D") else 3
        for dtype in allowed(op):
            for more, is_first, _ in form_of(enum(op, "data_format")):
                for padding, s, channels in itertools.product(enum(op, "padding"), (1, 2), (1, 2)):
                    if dtype in ODD and s > 1:
                        continue
                    sizes, k = (5, 6, 4)[:nd], 2
                    pairs = table.pads_of(sizes, (k,) * nd, (s,) * nd, (1,) * nd, pads[padding])
                    out = [(n + sum(p) - k) // s + 1 for n, p in zip(sizes, pairs)]
                    w, g = data(dtype, *(k,) * nd, channels, 3, low=-4, high=4), data(dtype, 2, *out, 3, low=-4, high=4, seed=1)
                    dims = [2, channels, *sizes] if is_first else [2, *sizes, channels]
                    attrs = {**more, "strides": table.spread((s,) * nd, is_first), "padding": padding}
                    if padding == "EXPLICIT":
                        attrs["explicit_paddings"] = [0, 0, 0, 0, 1, 0, 0, 2] if is_first else [0, 0, 1, 0, 0, 2, 0, 0]
                    for index in allowed(op, "Tshape") if nd == 3 else ["int32"]:
                        way(op, [Fixed(np.array(dims, index)), w, laid(g, is_first)],
                            lambda n, w, g, f=is_first, d=sizes, s=s, p=pads[padding], nd=nd:
                            (table.first if f else np.copy)(table.conv_back(d, w, table.last(g) if f else g, (s,) * nd, (1,) * nd, p)), **attrs)
    for dtype in allowed("Dilation2D"):
        for padding, s, r, channels in itertools.product(("SAME", "VALID"), (1, 2), (1, 2), (1, 3)):
            if dtype in ODD and (s, r) != (1, 1):
                continue
            way("Dilation2D", [data(dtype, 2, 6, 7, channels, low=-4, high=4), data(dtype, 2, 3, channels, seed=1, low=-4, high=4)],
                lambda x, w, s=s, r=r, p=padding: table.dilation(x.astype("f8"), w.astype("f8"), (s, s), (r, r), p),
                strides=[1, s, s, 1], rates=[1, r, r, 1], padding=padding)
    for dtype in allowed("ExtractImagePatches"):
        for padding, k, s, r, channels in itertools.product(("SAME", "VALID"), (1, 2), (1, 3), (1, 2), (1, 3)):
            if dtype in ODD and (k, s, r) != (2, 1, 1):
                continue
            way("ExtractImagePatches", [data(dtype, 2, 7, 8, channels)], lambda x, k=k, s=s, r=r, p=padding: table.patches(x, (k, k), (s, s), (r, r), p),
                ksizes=[1, k, k, 1], strides=[1, s, s, 1], rates=[1, r, r, 1], padding=padding)
    for dtype in allowed("LRN"):
        for dims, more in itertools.product([(2, 3, 4, 8), (1, 2, 2, 1)], [{}, {"depth_radius": 2, "bias": 2.0, "alpha": 0.5, "beta": 0.75}]):
            way("LRN", [data(dtype, *dims)], lambda x, m=more: table.lrn(x.astype("f8"), m.get("depth_radius", 5), m.get("bias", 1.0), m.get("alpha", 1.0), m.get("beta", 0.5)), **more)
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        for dtype in allowed(op):
            for more, is_first, form in form_of(enum(op, "data_format")):
                dims = (2, 2, 3, 4) if form not in ("NDHWC", "NCDHW") else (2, 2, 1, 3, 4)
                for train, channels, stat in itertools.product((False, True), (1, 4), allowed(op, "U") if "U" in attributes()[op] else [dtype]):
                    x = laid(data(dtype, *dims[:-1], channels), is_first)
                    stats = [cast_data(table.f(channels, low=0.5, high=2, seed=i), stat) for i in range(4)]
                    if train:
                        stats[2:] = [cast_data(table.f(0), stat)] * 2

                    def norm(x, *s, f=is_first, t=train):
                        y, m, v = table.batch_norm((table.last(x) if f else x).astype("f8"), *(k.astype("f8") for k in s), 1e-3, t)
                        return table.first(y) if f else y, m, v
                    way(op, [x, *stats], norm, is_training=train, epsilon=1e-3, **more)


# --- images and blocks ----------------------------------------------------------------------

def add_images():
    for op, want in {"ResizeBilinear": table.bilinear, "ResizeNearestNeighbor": table.nearest, "ResizeBicubic": table.cubic}.items():
        for dtype in allowed(op):
            for size, (c, h), channels in itertools.product([(9, 8), (4, 5), (1, 1), (10, 12)], [(None, None), (True, None), (None, True)], (1, 3)):
                if dtype in ODD and size != (9, 8):
                    continue
                more = {k: v for k, v in (("align_corners", c), ("half_pixel_centers", h)) if v}
                x = data(dtype, 2, 5, 6, channels, low=0, high=60)
                for kind in (Fixed, lambda v: v) if dtype == "float32" else (Fixed,):
                    way(op, [x, kind(np.array(size, "i4"))], lambda x, s, w=want, c=c, h=h: w(x, s, bool(c), bool(h)), **more)
    for dtype in allowed("ResizeArea"):
        for size, c, channels in itertools.product([(9, 8), (3, 2), (5, 3), (1, 1)], (None, True), (1, 3)):
            if dtype in ODD and size != (3, 2) or c and 1 in size:
                continue
            way("ResizeArea", [data(dtype, 2, 5, 6, channels, low=0, high=60), Fixed(np.array(size, "i4"))],
                lambda x, s, c=c: table.area(x, s, bool(c)), **({"align_corners": True} if c else {}))
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.88], [0.8, 0.95, 0.2, 0.12], [-0.2, 0.1, 1.3, 0.8]], "f4")
    for dtype in allowed("CropAndResize"):
        for method, fill, size, channels in itertools.product((None, *enum("CropAndResize", "method")), (None, 7.0), ((3, 4), (1, 2)), (1, 3)):
            more = {**({"method": method} if method else {}), **({"extrapolation_value": fill} if fill else {})}
            way("CropAndResize", [data(dtype, 2, 5, 6, channels, low=0, high=60), boxes, np.array([0, 1, 0, 1], "i4"), Fixed(np.array(size, "i4"))],
                lambda x, b, i, s, m=method, v=fill: table.crop(x, b, i, s, m or "bilinear", v or 0.0), **more)
    for dtype in allowed("RGBToHSV"):
        for dims in [(3,), (4, 3), (2, 2, 3), (1, 2, 2, 3), (1, 2, 1, 2, 3), (0, 3)]:
            x = cast_data(table.f(*dims, low=0, high=1), dtype)
            way("RGBToHSV", [x], table.hue_parts if 0 not in dims else np.copy)
            way("HSVToRGB", [x], table.rgb_of if 0 not in dims else np.copy)
    for dtype in allowed("AdjustContrastv2"):
        for dims in [(4, 5, 3), (2, 4, 5, 1), (1, 2, 2, 2, 3)]:
            x = cast_data(table.f(*dims, low=0, high=1), dtype)
            for d in (0.3, 2.0):
                way("AdjustContrastv2", [x, Fixed(np.array(d, "f4"))], lambda x, d: (x - x.astype("f8").mean((-3, -2), keepdims=True)) * d + x.astype("f8").mean((-3, -2), keepdims=True))
                way("AdjustContrastv2", [x, np.array(d, "f4")], lambda x, d: (x - x.astype("f8").mean((-3, -2), keepdims=True)) * d + x.astype("f8").mean((-3, -2), keepdims=True))
                if dims[-1] == 3:
                    tolerance = 2e-2 if dtype == "float16" else 1e-4
                    way("AdjustHue", [x, np.array(d - 1, "f4")], lambda x, d: table.rgb_of(np.concatenate([(table.hue_parts(x.astype("f8"))[..., :1] + d) % 1, table.hue_parts(x.astype("f8"))[..., 1:]], -1)), tolerance=tolerance)
                    way("AdjustSaturation", [x, np.array(d, "f4")], lambda x, d: table.rgb_of(np.concatenate([table.hue_parts(x.astype("f8"))[..., :1], np.clip(table.hue_parts(x.astype("f8"))[..., 1:2] * d, 0, 1), table.hue_parts(x.astype("f8"))[..., 2:]], -1)), tolerance=tolerance)
    colors = np.array([[1, 1, 0, 1], [0, 0, 1, 1]], "f4")
    for dtype in allowed("DrawBoundingBoxes"):
        for channels in (1, 3, 4):
            where = np.array([[[0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1]]], "f4")
            image = cast_data(table.f(1, 8, 9, channels, low=0, high=1), dtype)
            # One channel has one colour, which is 1.
            way("DrawBoundingBoxes", [image, where], lambda x, b, c=channels: table.draw(x, b, colors[:, :c] if c > 1 else np.ones((2, 1), "f4")))
            way("DrawBoundingBoxesV2", [image, where, table.f(3, channels, seed=2, low=0)], table.draw)


def add_blocks():
    for dtype in ANY:
        for channels in (1, 3):
            for more, is_first, form in form_of(enum("SpaceToDepth", "data_format")):
                if form == "NCHW_VECT_C" and dtype != "qint8":
                    continue
                x = laid(data(dtype, 2, 4, 6, channels), is_first)
                way("SpaceToDepth", [x], both_ways(lambda x: table.space_to_depth(x, 2), is_first), block_size=2, **more)
                x = laid(data(dtype, 2, 2, 3, 4 * channels), is_first)
                way("DepthToSpace", [x], both_ways(lambda x: table.depth_to_space(x, 2), is_first), block_size=2, **more)
            for one, two in itertools.product(INDEX, INDEX):
                for block, dims, pads in [([2, 2], (1, 4, 6, channels), [[0, 0], [0, 0]]), ([2, 3], (2, 3, 4, channels), [[1, 0], [1, 1]]), ([2], (1, 5, channels), [[0, 1]])][:1 if dtype in ODD else 3]:
                    if dtype == "string" and any(map(any, pads)):
                        continue
                    way("SpaceToBatchND", [data(dtype, *dims), Fixed(np.array(block, one)), Fixed(np.array(pads, two))], table.space_to_batch)
                    many = int(np.prod(block)) * 2
                    way("BatchToSpaceND", [data(dtype, many, *[2] * len(block), channels), Fixed(np.array(block, one)), Fixed(np.array([[0, 1]] * len(block), two))], table.batch_to_space)
            for index in INDEX:
                if dtype != "string":
                    way("SpaceToBatch", [data(dtype, 1, 4, 6, channels), Fixed(np.array([[0, 0], [1, 1]], index))], lambda x, p: table.space_to_batch(x, [2, 2], p), block_size=2)
                way("BatchToSpace", [data(dtype, 4, 2, 3, channels), Fixed(np.array([[0, 0], [1, 1]], index))], lambda x, p: table.batch_to_space(x, [2, 2], p), block_size=2)


# --- the ends of integers: what goes through another type on the way must not lose a bit -------

def ends(dtype):
    """Six numbers: the ends of the type, and what is beside them."""
    info = np.iinfo(dtype)
    return np.array([info.max, info.min, info.max - 1, info.min + 1, info.max // 2 + 1, 5], dtype)


def add_ends():
    zeros = Fixed(np.array([[0, 0], [1, 0]], "i4"))
    for dtype in table.INTS:
        x, y = ends(dtype), np.roll(ends(dtype), 2)
        for op, want in {"Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
                         "Greater": np.greater, "GreaterEqual": np.greater_equal, "Maximum": np.maximum,
                         "Minimum": np.minimum, "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or,
                         "BitwiseXor": np.bitwise_xor, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply}.items():
            way(op, [x, y], want)
        for op in ("Identity", "DeepCopy", "StopGradient", "ZerosLike", "OnesLike", "Invert", "Relu"):
            want = {"ZerosLike": np.zeros_like, "OnesLike": np.ones_like, "Invert": np.invert, "Relu": table.relu}.get(op, np.copy)
            way(op, [x], want)
        for op, want in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
            for z in (x, y):
                way(op, [z, Fixed(np.array(0, "i4"))], lambda x, a, w=want: w(x))
        for op, want in {"Max": np.max, "Min": np.min}.items():
            way(op, [x.reshape(2, 3), Fixed(np.array([1], "i4"))], lambda x, a, w=want: w(x, 1))
        high = np.delete(x, 1)  # the evaluator turns signs to sort, which the least one has no room for
        places = np.argsort([-int(v) for v in high], kind="stable")
        way("TopKV2", [high, Fixed(np.array(4, "i4"))], (high[places[:4]], places[:4]))
        way("NthElement", [x, Fixed(np.array(2, "i4"))], np.sort(x)[2])
        way("Unique", [np.concatenate([x, x])], lambda x: table.uniques(x)[:2])
        way("Reshape", [x, Fixed(np.array([3, 2], "i4"))], lambda x, s: x.reshape(3, 2))
        way("ConcatV2", [x, y, Fixed(np.array(0, "i4"))], lambda x, y, a: np.concatenate([x, y]))
        way("GatherV2", [x, np.array([5, 0, 1], "i4"), Fixed(np.array(0, "i4"))], lambda x, i, a: x[i])
        way("Transpose", [x.reshape(2, 3), Fixed(np.array([1, 0], "i4"))], lambda x, p: x.T)
        way("PadV2", [x.reshape(2, 3), zeros, Fixed(y[0])], lambda x, p, v: np.pad(x, p, constant_values=v))
        way("PadV2", [x.reshape(2, 3), zeros, np.array(y[0])], lambda x, p, v: np.pad(x, p, constant_values=v))
        way("Fill", [Fixed(np.array([2], "i4")), Fixed(x[0])], lambda s, v: np.full(2, v))
        way("Tile", [x, Fixed(np.array([2], "i4"))], np.tile)
        way("Select", [data("bool", 6), x, y], np.where)
        way("SelectV2", [data("bool", 6), x, y], np.where)
        way("Where", [x], np.argwhere)
        way("ReverseV2", [x, Fixed(np.array([0], "i4"))], lambda x, a: x[::-1])
        way("Roll", [x, Fixed(np.array(2, "i4")), Fixed(np.array(0, "i4"))], lambda x, s, a: np.roll(x, 2))
        way("MatrixBandPart", [x.reshape(2, 3), Fixed(np.array(0, "i8")), Fixed(np.array(1, "i8"))], table.band)
        way("MatrixDiag", [x], np.diag)
        way("MatrixDiagPart", [np.outer(np.ones(6, dtype), x)], np.diag)
        way("MatrixSetDiag", [np.outer(np.ones(6, dtype), x), y], lambda x, d: np.where(np.eye(6, dtype=bool), d, x))
        way("DynamicPartition", [x, np.array([0, 1, 0, 1, 1, 0], "i4")], lambda x, p: (x[p == 0], x[p == 1]), num_partitions=2)
        for op, want in {"SegmentMax": np.maximum, "SegmentMin": np.minimum}.items():
            way(op, [x, np.array([0, 0, 0, 1, 1, 1], "i4")], lambda x, i, w=want: np.array([w.reduce(x[:3]), w.reduce(x[3:])]))
        way("UnsortedSegmentSum", [x, np.arange(6, dtype="i4"), Fixed(np.array(6, "i4"))], lambda x, i, k: x)
        way("TensorScatterUpdate", [x, np.array([[0]], "i4"), y[:1]], lambda x, i, u: table.scatter(x, i, u, table.second))
        way("TensorScatterMax", [x, np.array([[1]], "i4"), x[:1]], lambda x, i, u: table.scatter(x, i, u, np.maximum))
        image = np.concatenate([x, y, x, y[:6]])[:16].reshape(1, 4, 4, 1)
        way("SpaceToDepth", [image], lambda x: table.space_to_depth(x, 2), block_size=2)
        way("DepthToSpace", [image.reshape(1, 2, 2, 4)], lambda x: table.depth_to_space(x, 2), block_size=2)
        way("BatchToSpaceND", [image.reshape(4, 2, 2, 1), Fixed(np.array([2, 2], "i4")), Fixed(np.zeros((2, 2), "i4"))], table.batch_to_space)
        way("ExtractImagePatches", [image], lambda x: table.patches(x, (2, 2), (2, 2), (1, 1), "VALID"),
            ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1] * 4, padding="VALID")
        if dtype in allowed("MaxPool"):
            for padding in ("SAME", "VALID"):
                way("MaxPool", [image], lambda x, p=padding: pooled(x, (3, 3), (1, 1), p, True), ksize=[1, 3, 3, 1], strides=[1] * 4, padding=padding)
        if dtype in allowed("ResizeNearestNeighbor"):
            way("ResizeNearestNeighbor", [image, Fixed(np.array([8, 8], "i4"))], lambda x, s: table.nearest(x, s, False, False))
        way("MirrorPad", [x, Fixed(np.array([[2, 1]], "i4"))], lambda x, p: np.pad(x, p, "reflect"), mode="REFLECT")
        way("ReverseSequence", [x.reshape(2, 3), np.array([2, 3], "i4")], lambda x, k: table.reverse_sequence(x, k, 1, 0), seq_dim=1)
        way("Cumsum", [x, Fixed(np.array(0, "i4"))], lambda x, a: np.cumsum(x, dtype=x.dtype))
        if dtype not in ("int64", "uint64"):  # ONNX Runtime sums those in floats
            way("Sum", [x, Fixed(np.array([0], "i4"))], lambda x, a: np.sum(x, dtype=x.dtype))
        for half in (x // 2, np.array([3, 1, 7], dtype)):
            way("FloorDiv", [half, np.array(3, dtype)], np.floor_divide)
            way("FloorMod", [half, np.array(7, dtype)], np.mod)
            way("Div", [half, np.array(3, dtype)], trunc_div)
            way("TruncateDiv", [half, np.array(3, dtype)], trunc_div)


# --- operators of no family: what the table has, in other types --------------------------------

def variable_of(op, side=0):
    """The type attribute of each argument: ("T", None) of one, ("T", "N") of many."""
    made = []
    for _, kind in graphdef.vocabulary()[op][side]:
        kind = kind.lstrip("&")
        many, _, name = kind.rpartition("*")
        made.append((name[1:] if name.startswith("$") else None, many or None, kind))
    return made


def spread_variables(op, count):
    """One for each input that there is."""
    args = variable_of(op)
    made = []
    for i, (name, many, kind) in enumerate(args):
        repeats = 1
        if many or kind.startswith("*"):  # two lists of one length, or all but those that follow
            shares = sum(1 for a in args if many and a[1] == many)
            repeats = count // shares if shares > 1 else count - len(made) - len(args[i + 1:])
        made += [name] * repeats
    return made


def input_of(array, is_fixed, dtype):
    one = cast_data(array, dtype) if dtype in ODD else array
    return Fixed(one) if is_fixed else one


def vary(case, seen):
    """A case of the table: as it is, in all types, fed what was constant."""
    op = case.op
    inputs = [(array, fixed, graphdef.type_name(array)) for array, fixed, _ in case.inputs]
    limits = {"tolerance": max(case.tolerance, 1e-5) if case.tolerance else None, "skips_judge": case.skips_judge}

    def want(*arrays):
        is_wide = op.startswith("MatrixSetDiag")  # whose expectation marks holes by NaN
        arrays = [x.astype("f8") if x.dtype == np.float16 or is_wide and i < 2 else x for i, x in enumerate(arrays)]
        return case.want(*arrays) if callable(case.want) else case.want

    def put(rows, attrs=None):
        way(op, [input_of(*row) for row in rows], want, **limits, **{**case.attrs, **(attrs or {})})
    put(inputs)
    names = spread_variables(op, len(inputs))
    for variable in dict.fromkeys(n for n in names if n):
        for dtype in allowed(op, variable):
            if dtype in seen and dtype in ODD:
                continue  # once for each operator: the target lacks them, or not
            seen.add(dtype)
            if dtype == "string" or dtype == next(t for n, (_, _, t) in zip(names, inputs) if n == variable):
                continue
            put([(inner(cast_data(a, dtype)), f, dtype) if n == variable else (a, f, t) for n, (a, f, t) in zip(names, inputs)],
                {variable: dtype} if variable in case.attrs else None)
    if any(fixed for _, fixed, _ in inputs):
        put([(a, False, t) for a, _, t in inputs])
    if not all(fixed for _, fixed, _ in inputs):
        put([(a, True, t) for a, _, t in inputs])


def add_rest():
    mine, seen = set(CASES), {}
    for case in table.CASES.values():
        if case.op not in mine and not case.is_open:
            vary(case, seen.setdefault(case.op, set()))


def add_others():
    """Operators that neither a family nor the table has."""
    t = table
    for dtype in allowed("Assign"):
        for dims in shapes_for(dtype):
            way("Assign", [data(dtype, *dims), data(dtype, *dims, seed=1)], lambda x, y: y)
    for dtype in allowed("BatchCholesky"):
        for dims in [(3, 3), (2, 3, 3), (1, 1), (2, 1, 2, 2)]:
            way("BatchCholesky", [t.spd(*dims, dtype=dtype)], np.linalg.cholesky)
            way("BatchMatrixDeterminant", [t.well(*dims, dtype=dtype)], np.linalg.det, tolerance=2e-3)
            for adjoint in (None, True):
                more = {"adjoint": True} if adjoint else {}
                way("BatchMatrixInverse", [t.well(*dims, dtype=dtype)], lambda x, a=adjoint: np.linalg.inv(t.flip(x, a)), **more)
            for fast in (None, False):
                more = {} if fast is None else {"fast": False}
                way("BatchMatrixSolveLs", [t.well(*dims, dtype=dtype), t.f(*dims[:-1], 2, dtype=dtype), Fixed(np.array(0.0))],
                    lambda a, y, l: np.linalg.solve(a, y), tolerance=2e-4, **more)
    for dtype in COMPLEX:
        way("BatchMatrixDeterminant", [data(dtype, 3, 3)], np.linalg.det)
    for dtype in ANY:
        for dims in [(3, 3), (2, 3, 3)]:
            def with_diagonal(x, d):
                y = x.copy()
                y[..., range(3), range(3)] = d
                return y
            way("BatchMatrixSetDiag", [data(dtype, *dims), data(dtype, *dims[:-1], seed=3)], with_diagonal)


def add_linspace_free():
    """By chance: shapes and types alone are held; see SHAPES_ONLY."""
    for dtype in allowed("RandomUniform", "dtype"):
        for dims, index in itertools.product([(), (3,), (2, 3), (0, 2)], INDEX):
            for kind in (Fixed, lambda v: v):
                shape = kind(np.array(dims, index))
                way("RandomUniform", [shape], np.zeros(dims), dtype=dtype)
                way("RandomStandardNormal", [shape], np.zeros(dims), dtype=dtype)
                way("StatelessRandomNormal", [shape, Fixed(np.array([1, 2], "i8"))], np.zeros(dims), dtype=dtype)
                way("StatelessRandomNormalV2", [shape, Fixed(np.array([1], "u8")), Fixed(np.array([1, 2], "u8")), Fixed(np.array(1, "i4"))], np.zeros(dims), dtype=dtype)
                way("StatelessRandomUniform", [shape, Fixed(np.array([1, 2], "i8"))], np.zeros(dims), dtype=dtype)
                way("StatelessRandomUniformV2", [shape, Fixed(np.array([1], "u8")), Fixed(np.array([1, 2], "u8")), Fixed(np.array(1, "i4"))], np.zeros(dims), dtype=dtype)
    for out, index in itertools.product(allowed("RandomUniformInt", "Tout"), INDEX):
        way("RandomUniformInt", [Fixed(np.array([2, 3], index)), Fixed(np.array(1, out)), Fixed(np.array(5, out))], np.zeros((2, 3)))
    for dtype in ANY:
        for dims in [(3,), (2, 3), (0, 2)]:
            way("RandomShuffle", [data(dtype, *dims)], np.zeros(dims))
    for dtype in allowed("Multinomial"):
        for out in (None, *allowed("Multinomial", "output_dtype")):
            way("Multinomial", [data(dtype, 2, 4), Fixed(np.array(5, "i4"))], np.zeros((2, 5)), **({"output_dtype": out} if out else {}))


def add_direct():
    """What only the direct rules have: the way through nd4j refuses it."""
    for dtype, merge, blank in itertools.product(allowed("CTCGreedyDecoder"), (None, False, True), (None, -1, 0, 2)):
        more = {k: v for k, v in (("merge_repeated", merge), ("blank_index", blank)) if v is not None}
        way("CTCGreedyDecoder", [table.f(9, 3, 4, dtype=dtype), np.array([9, 5, 0], "i4")],
            lambda x, n, m=merge, k=blank: table.ctc_greedy(x, n, m or False, (-1 if k is None else k) % 4), **more)
    for dtype, nearest in itertools.product(allowed("ImageProjectiveTransformV3", "dtype"), (None, "CONSTANT", "NEAREST")):
        for interpolation in ("NEAREST", "BILINEAR") if dtype in ("float32", "float64") else ("NEAREST",):
            more = {"interpolation": interpolation, **({"fill_mode": nearest} if nearest else {})}

            def wanted(x, w, size, fill=np.array(0.0), i=interpolation, n=nearest):
                return table.warp(x, w, size, float(fill), i, n or "CONSTANT")
            image = [data(dtype, 2, 5, 6, 3), Fixed(table.warps_), Fixed(np.array([4, 7], "i4"))]
            way("ImageProjectiveTransformV2", image, wanted, **more)
            way("ImageProjectiveTransformV3", [*image, Fixed(np.array(1.0, "f4"))], wanted, **more)


SHAPES_ONLY = {"RandomUniform", "RandomStandardNormal", "StatelessRandomUniform", "StatelessRandomUniformV2",
               "StatelessRandomNormal", "StatelessRandomNormalV2",
               "RandomUniformInt", "RandomShuffle", "Multinomial"}

# Operators that the way through nd4j has no rule for: tried directly alone.
ONLY_DIRECT = set()

# Operators of the rule set that no graph of one node can hold.
EXCEPTIONS = {
    **dict.fromkeys(("Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond"),
                    "a part of a loop or a choice: tests/judges/tensorflow_suite.py and saved_models.py run whole ones"),
    **dict.fromkeys(("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3", "CudnnRNNCanonicalToParams", "CudnnRNNCanonicalToParamsV2"),
                    "whole layers: tests/judges/tensorflow_rnn.py"),
    **dict.fromkeys(("TensorArrayV3", "TensorArrayWriteV3", "TensorArrayReadV3", "TensorArrayGatherV3", "TensorArrayScatterV3",
                     "TensorArraySplitV3", "TensorArrayConcatV3", "TensorArraySizeV3"),
                    "a list lives in several nodes: tests/judges/tensorflow_lists.py"),
}


@functools.lru_cache(None)
def all_cases():
    with np.errstate(all="ignore"):
        for add in (add_unary, add_copies, add_bitcasts, add_binary, add_reductions, add_scans, add_shapes, add_slices, add_gathers,
                    add_scatters, add_segments, add_sorts, add_products, add_softmax, add_pools, add_convolutions, add_images,
                    add_blocks, add_others, add_linspace_free, add_direct, add_rest, add_ends):
            add()
        import tensorflow_direct_ways as direct  # which grow what is here
        import tensorflow_gaps
        before = set(CASES)
        direct.add(before)
        ONLY_DIRECT.update(set(CASES) - before)
        SHAPES_ONLY.update(direct.CHANCE | direct.NEAR)
        EXCEPTIONS.update(dict.fromkeys(direct.LIVES_IN_SEVERAL, "a table lives in several nodes: tests/judges/string_cases.py"))
        EXCEPTIONS.update(dict.fromkeys(direct.OF_MANY_KEYS, "gives an output for each key, and is refused: tests/cli/convert/refusals.sh"))
        tensorflow_gaps.add()
    return [case for op in sorted(CASES) for case in CASES[op]]
