"""tensorflow_table.py - operators of TensorFlow, and what numpy says of them

    case("Softmax", [f(2, 3)], softmax)             inputs are fed
    case("Sum", [f(2, 3), K([0])], want, keep_dims=True)   K: a constant
    case(..., want)     an array, a function of the inputs, or a tuple of these;
                        None is an output that nobody asks for
    case(..., is_open=True)     of what is fed the number of rows is not known;
                        "sizes": no size is; "rank": not even how many there are
"""
import functools
import itertools
import math

import numpy as np

CASES = {}
DIRECT = {}  # of operators that nd4j has not


class K:
    """An input that is a constant of the graph."""

    def __init__(self, value, dtype=None):
        kept = np.asarray(value)
        if dtype is None and kept.dtype == np.int64:
            dtype = "int32"
        if dtype is None and kept.dtype == np.float64:
            dtype = "float32"
        self.array = kept.astype(dtype) if dtype else kept


class Case:
    def __init__(self, op, inputs, want, attrs, is_open, is_loose, tolerance,
                 skips_judge):
        self.op, self.want, self.attrs = op, want, attrs
        self.is_open, self.is_loose, self.tolerance = is_open, is_loose, tolerance
        self.skips_judge = skips_judge
        self.inputs = [(x.array, True, None) if isinstance(x, K)
                       else (np.asarray(x), False, None) for x in inputs]

    def wants(self):
        arrays = [array for array, _, _ in self.inputs]
        made = self.want
        with np.errstate(all="ignore"):
            made = made(*arrays) if callable(made) else made
        return [None if one is None else np.asarray(one)
                for one in (made if isinstance(made, (tuple, list)) else [made])]


def case(op, inputs, want, note="", is_open=False, is_loose=False, tolerance=None,
         skips_judge=False, is_direct=False, attrs=None, **more):
    table = DIRECT if is_direct else CASES
    name = next(name for name in (f"{op}.{i}" for i in itertools.count())
                if name not in table)
    made = Case(op, inputs, want, {**(attrs or {}), **more}, is_open, is_loose, tolerance, skips_judge)
    made.is_direct = is_direct
    made.name = name
    table[name] = made


def f(*dims, low=-2.0, high=2.0, seed=0, dtype="float32"):
    count = int(np.prod(dims, dtype=int))
    made = np.random.RandomState(seed + count).uniform(low, high, count)
    return made.astype(dtype).reshape(dims)


def n(*dims, low=-9, high=9, seed=0, dtype="int32"):
    count = int(np.prod(dims, dtype=int))
    if np.dtype(dtype).kind == "u":
        low = 0
    made = np.random.RandomState(seed + count).randint(low, high + 1, count)
    return made.astype(dtype).reshape(dims)


def b(*dims, seed=0):
    return n(*dims, low=0, high=1, seed=seed).astype(bool)


def any_of(dtype, *dims, seed=0, low=-9, high=9):
    if dtype == "bool":
        return b(*dims, seed=seed)
    if np.dtype(dtype).kind == "f":
        return f(*dims, seed=seed, dtype=dtype, low=low / 3, high=high / 3)
    return n(*dims, seed=seed, dtype=dtype, low=low, high=high)


FLOATS = ["float16", "float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTS
ALL = NUMBERS + ["bool"]
SHAPES = [(), (3,), (2, 3), (2, 1, 3), (2, 1, 2, 3), (0,), (2, 0, 3)]


# --- one number at a time ------------------------------------------------------

erf = np.vectorize(math.erf, otypes=["f8"])
erfc = np.vectorize(math.erfc, otypes=["f8"])


def unary(op, want, low=-2.0, high=2.0, dtypes=FLOATS, **more):
    for dtype in dtypes:
        def expect(x, dtype=dtype):
            wide = x.astype("f8") if x.dtype.kind == "f" else x
            with np.errstate(all="ignore"):
                return np.asarray(want(wide)).astype(dtype)
        for dims in [(2, 3)] if dtype != "float32" else [(), (4,), (2, 3), (1, 2, 3), (0, 2)]:
            x = any_of(dtype, *dims) if np.dtype(dtype).kind != "f" \
                else f(*dims, low=low, high=high, dtype=dtype)
            case(op, [x], expect, **more)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


for op_, want_ in {
        "Sin": np.sin, "Cos": np.cos, "Tanh": np.tanh, "Sinh": np.sinh,
        "Cosh": np.cosh, "Atan": np.arctan, "Asinh": np.arcsinh, "Exp": np.exp,
        "Expm1": np.expm1, "Erf": erf, "Erfc": erfc, "Floor": np.floor, "Ceil": np.ceil,
        "Rint": np.rint, "Sigmoid": sigmoid, "Softplus": lambda x: np.log1p(np.exp(x)),
        "Softsign": lambda x: x / (1 + abs(x)),
        "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
        "Selu": lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x),
        "StopGradient": lambda x: x, "Identity": lambda x: x, "Snapshot": lambda x: x,
        "PreventGradient": lambda x: x}.items():
    unary(op_, want_)
for op_, want_ in {"Acos": np.arccos, "Asin": np.arcsin, "Atanh": np.arctanh}.items():
    unary(op_, want_, -0.9, 0.9)
unary("Tan", np.tan, -1.2, 1.2)
for op_, want_ in {"Acosh": np.arccosh, "Log": np.log, "Sqrt": np.sqrt,
                   "Rsqrt": lambda x: 1 / np.sqrt(x), "Reciprocal": lambda x: 1 / x,
                   "Inv": lambda x: 1 / x}.items():
    unary(op_, want_, 1.1, 3.0)
unary("Log1p", np.log1p, -0.9, 2.0)
# Where one less or one more would lose all digits.
case("Log1p", [np.array([1e-6, -1e-6, 1e-3, 5], "f8")], np.log1p)
case("Expm1", [np.array([1e-6, -1e-6, 1e-3, 2], "f4")], np.expm1)
case("Softplus", [np.array([-100, -20, 0, 20, 80], "f4")], lambda x: np.logaddexp(x, 0))
for op_, want_ in {"Abs": np.abs, "Neg": np.negative, "Sign": np.sign}.items():
    unary(op_, want_, dtypes=FLOATS + SIGNED)
unary("Square", np.square, dtypes=FLOATS + ["int8", "int32", "int64"])
unary("Relu", relu, dtypes=FLOATS + INTS)
unary("Relu6", lambda x: np.clip(x, 0, 6), -2, 9, dtypes=FLOATS + ["int32", "int64", "uint8"])
unary("Round", np.rint, dtypes=FLOATS + ["int32", "int64"])
case("Round", [np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], "f4")], np.rint)
case("Rint", [np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], "f8")], np.rint)
unary("LeakyRelu", lambda x: np.where(x < 0, 0.2 * x, x))
case("LeakyRelu", [f(2, 3)], lambda x: np.where(x < 0, np.float32(0.0) * x, x), alpha=0.0)
case("LeakyRelu", [f(2, 3)], lambda x: np.where(x < 0, np.float32(0.5) * x, x), alpha=0.5)
unary("Invert", np.invert, dtypes=INTS)
case("LogicalNot", [b(2, 3)], np.logical_not)
case("LogicalNot", [b()], np.logical_not)
odd = np.array([1, np.nan, np.inf, -np.inf, 0])
for dtype_ in FLOATS:
    for op_, want_ in {"IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite}.items():
        case(op_, [odd.astype(dtype_)], want_)
for dtype_ in ALL:
    for op_, want_ in {"ZerosLike": np.zeros_like, "OnesLike": np.ones_like,
                       "Identity": np.copy, "DeepCopy": np.copy}.items():
        case(op_, [any_of(dtype_, 2, 3)], want_)
for a_, b_ in itertools.product(ALL, ALL):
    x_ = any_of(a_, 2, 3)
    if np.dtype(a_).kind in "fi" and np.dtype(b_).kind == "u":
        x_ = abs(x_)
    case("Cast", [x_], lambda x, t=b_: x.astype(t), SrcT=a_, DstT=b_)
case("Cast", [np.array([1.9, -1.9, 300.5], "f4")], np.array([1, -1, 300], "i4"), DstT="int32")
case("Cast", [np.array([1.9, -0.5, 0, 3], "f4")], np.array([1, 1, 0, 1], bool), DstT="bool")
BITS = {1: ["int8", "uint8"], 2: ["int16", "uint16", "float16"],
        4: ["int32", "uint32", "float32"], 8: ["int64", "uint64", "float64"]}


def bitcast(x, t):
    t, size = np.dtype(t), x.dtype.itemsize
    x = np.ascontiguousarray(x)
    if t.itemsize < size:
        return x.reshape(-1).view(t).reshape(x.shape + (size // t.itemsize,))
    if t.itemsize > size:
        return x.reshape(-1).view(t).reshape(x.shape[:-1])
    return x.view(t) if x.ndim else x.reshape(1).view(t).reshape(())


for a_, b_ in itertools.product(sum(BITS.values(), []), sum(BITS.values(), [])):
    wide_, old_ = np.dtype(b_).itemsize, np.dtype(a_).itemsize
    x_ = any_of(a_, 2, 3, max(1, wide_ // old_)) if wide_ > old_ else any_of(a_, 2, 3)
    if np.dtype(b_).kind == "f" and np.dtype(a_).kind != "f":
        # Bits of small numbers, so that no NaN comes out.
        x_ = bitcast(any_of(b_, 2, 3), a_) if wide_ >= old_ else any_of(a_, 2, 3)
        if np.isnan(bitcast(x_, b_).astype("f8")).any():
            x_ = abs(x_)
    if np.isnan(bitcast(x_, b_).astype("f8")).any():
        continue
    case("Bitcast", [x_], lambda x, t=b_: bitcast(x, t), type=b_)
case("CheckNumerics", [f(2, 3)], np.copy, message="no")
case("EnsureShape", [f(2, 3)], np.copy, shape=[2, None])
case("IdentityN", [f(2, 3), n(4)], lambda x, y: (x, y))


# --- two at a time -----------------------------------------------------------------

def trunc_div(x, y):
    q = np.trunc(x.astype("f8") / y.astype("f8"))
    return q.astype(x.dtype)


PAIRS = [((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3)), ((3, 1), (1, 4)),
         ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((), ())]


def binary(op, want, dtypes, low=-9, high=9, nonzero=False, **more):
    for dtype in dtypes:
        pairs = PAIRS if dtype in ("float32", "int32") else PAIRS[3:4]
        for left, right in pairs:
            x = any_of(dtype, *left, low=low, high=high)
            y = any_of(dtype, *right, seed=5, low=low, high=high)
            if nonzero:
                y = np.where(y == 0, np.ones_like(y), y)
            case(op, [x, y], want, **more)


def kept(want):
    return lambda x, y: want(x, y).astype(x.dtype)


for op_, want_ in {"Add": np.add, "AddV2": np.add, "Mul": np.multiply}.items():
    # The older Add takes no integers without a sign but bytes.
    types_ = [t for t in NUMBERS if op_ != "Add" or t not in ("uint16", "uint32", "uint64")]
    binary(op_, kept(want_), types_, low=-5, high=5)
binary("Sub", np.subtract, FLOATS + SIGNED)
case("Sub", [np.array([9, 8], "u1"), np.array([2, 8], "u1")], np.subtract)
case("Sub", [np.array([9, 8], "u4"), np.array([2, 8], "u4")], np.subtract)
binary("Div", lambda x, y: x / y if x.dtype.kind == "f" else trunc_div(x, y), NUMBERS, nonzero=True)
binary("RealDiv", np.divide, FLOATS, nonzero=True)
case("RealDiv", [f(3), np.array([0, 1, 2], "f4")], np.divide)
binary("DivNoNan", np.divide, FLOATS, nonzero=True)
case("DivNoNan", [f(3), np.array([0, 1, 2], "f4")], lambda x, y: np.where(y == 0, np.float32(0), x / y))
binary("MulNoNan", np.multiply, FLOATS)
case("MulNoNan", [np.array([np.inf, np.nan, 2], "f4"), np.array([0, 0, 2], "f4")], np.array([0, 0, 4], "f4"))
binary("FloorDiv", np.floor_divide, NUMBERS, nonzero=True)
binary("FloorMod", np.mod, FLOATS + INTS, nonzero=True)
binary("Mod", np.fmod, FLOATS + ["int32", "int64"], nonzero=True)
binary("TruncateMod", np.fmod, FLOATS + ["int32", "int64"], nonzero=True)
case("Atan2", [a_.ravel() for a_ in np.meshgrid(*[np.array([-np.inf, -1, -0.0, 0, 2, np.inf, np.nan], "f4")] * 2)], np.arctan2)
# Quotients that rounding takes to a whole number, and a divisor without end.
for op_, want_ in {"FloorMod": np.mod, "Mod": np.fmod, "TruncateMod": np.fmod}.items():
    case(op_, [np.array([5, -5, 5, -1e7, 7.25, 3], "f4"), np.array([0.1, 0.1, -0.1, 0.7, -2, np.inf], "f4")], want_)
binary("TruncateDiv", lambda x, y: trunc_div(x, y), FLOATS + INTS, nonzero=True)
binary("Maximum", np.maximum, NUMBERS)
binary("Minimum", np.minimum, NUMBERS)
binary("SquaredDifference", lambda x, y: np.square(x - y), FLOATS + ["int32", "int64"])
binary("Pow", kept(np.power), FLOATS, low=1, high=9)
for dtype_ in ["int8", "int16", "int32", "int64"]:
    case("Pow", [n(2, 3, low=-3, high=3, dtype=dtype_), n(3, low=0, high=4, dtype=dtype_)], np.power)
case("Pow", [f(2, 3), np.array([2, 3, 0], "f4")], np.power)
binary("Atan2", np.arctan2, ["float32", "float64"])
case("Atan2", [np.array([0, 0, 1, -1, 0.0, -0.5], "f4"), np.array([1, -1, 0, 0, 0, -1], "f4")], np.arctan2)
binary("Xdivy", np.divide, FLOATS, nonzero=True)
case("Xdivy", [np.array([0, 1, 2], "f4"), np.array([0, 2, 4], "f4")], np.array([0, .5, .5], "f4"))
binary("Xlogy", lambda x, y: x * np.log(y), FLOATS, low=1)
case("Xlogy", [np.array([0, 1, 2], "f4"), np.array([0, 2, 4], "f4")], lambda x, y: np.where(x == 0, 0, x * np.log(y)).astype("f4"))
case("Xlog1py", [np.array([0, 1, 2], "f4"), np.array([-1, 2, 4], "f4")], lambda x, y: np.where(x == 0, 0, x * np.log1p(y)).astype("f4"))
for op_, want_ in {"Equal": np.equal, "NotEqual": np.not_equal}.items():
    binary(op_, want_, ALL, low=-2, high=2)
for op_, want_ in {"Less": np.less, "LessEqual": np.less_equal, "Greater": np.greater,
                   "GreaterEqual": np.greater_equal}.items():
    binary(op_, want_, NUMBERS, low=-2, high=2)
for op_, want_ in {"LogicalAnd": np.logical_and, "LogicalOr": np.logical_or}.items():
    binary(op_, want_, ["bool"])
    case(op_, [b(2, 3), b()], want_)
for op_, want_ in {"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or,
                   "BitwiseXor": np.bitwise_xor}.items():
    binary(op_, want_, INTS)
for dtype_ in INTS:
    case("LeftShift", [n(2, 3, dtype=dtype_), n(3, low=0, high=3, dtype=dtype_)], kept(np.left_shift))
    case("RightShift", [n(2, 3, low=-100, high=100, dtype=dtype_), n(3, low=0, high=3, dtype=dtype_)], np.right_shift)
case("ApproximateEqual", [f(2, 3), f(2, 3, seed=2)], lambda x, y: abs(x - y) < 1, attrs={"tolerance": 1.0})
case("AddN", [f(2, 3), f(2, 3, seed=1), f(2, 3, seed=2)], lambda *xs: sum(xs))
case("AddN", [n(2, 3), n(2, 3, seed=1)], lambda *xs: sum(xs))
case("AddN", [n(2, 3, dtype="int64")], lambda x: x)
case("AddN", [f(2, 3, dtype="float16"), f(2, 3, dtype="float16", seed=1)], lambda *xs: sum(xs))
case("AccumulateNV2", [f(2, 3), f(2, 3, seed=1)], lambda *xs: sum(xs), shape=[2, 3])
case("ClipByValue", [f(2, 3), np.array(-1, "f4"), np.array(1, "f4")], np.clip)
case("ClipByValue", [f(2, 3), K(-1.0), K(1.0)], np.clip)
case("ClipByValue", [n(2, 3), K(-3), K(3)], np.clip)
for dtype_ in ALL:
    x_, y_ = any_of(dtype_, 2, 3), any_of(dtype_, 2, 3, seed=3)
    case("Select", [b(2, 3), x_, y_], np.where)
    case("SelectV2", [b(2, 3), x_, y_], np.where)
case("Select", [b(2), f(2, 3), f(2, 3, seed=1)], lambda c, x, y: np.where(c[:, None], x, y))
case("Select", [b(3), f(3, 2, 2), f(3, 2, 2, seed=1)], lambda c, x, y: np.where(c[:, None, None], x, y))
case("Select", [b(3), f(3), f(3, seed=1)], np.where)
case("Select", [b(), f(2, 3), f(2, 3, seed=1)], np.where)
case("Select", [b(), f(), f(seed=1)], np.where)
case("Select", [b(0), f(0), f(0)], np.where)
case("SelectV2", [b(2, 1), f(3), f(2, 3)], np.where)
case("SelectV2", [b(), f(3), f(2, 3)], np.where)
case("SelectV2", [b(3), f(), f(2, 3)], np.where)
case("SelectV2", [b(2, 3), n(), n(3, seed=1)], np.where)
case("SelectV2", [b(2, 1), f(3), f(2, 3)], np.where, is_open=True)
for dtype_ in ALL:
    x_ = any_of(dtype_, 2, 3, low=-1, high=1)
    case("Where", [x_], lambda x: np.argwhere(x).astype("i8"), T=dtype_)
case("Where", [b(5)], lambda x: np.argwhere(x).astype("i8"))
case("Where", [b(2, 2, 3)], lambda x: np.argwhere(x).astype("i8"))
case("Cross", [f(2, 3), f(2, 3, seed=1)], np.cross)
case("Cross", [f(3), f(3, seed=1)], np.cross)
case("Cross", [n(2, 3), n(2, 3, seed=1)], np.cross)
for dtype_ in ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "bool"]:
    t_ = np.zeros((), dtype_)
    case("CompareAndBitpack", [any_of(dtype_, 2, 16), t_], lambda x, t: np.packbits(x if x.dtype == bool else x > t, axis=-1))
case("CompareAndBitpack", [b(2, 16), np.ones((), "bool")], lambda x, t: np.packbits(x if x.dtype == bool else x > t, axis=-1))


# --- reductions ----------------------------------------------------------------------

def reduced(want, keep=False):
    return lambda x, axes: np.asarray(want(
        x, axis=tuple(int(i) for i in np.reshape(axes, -1)), keepdims=keep)).astype(x.dtype)


def logsumexp(x, axis, keepdims):
    return np.log(np.sum(np.exp(x), axis=axis, keepdims=keepdims))


AXES = [([0], (2, 3)), ([1], (2, 3)), ([-1], (2, 3)), ([0, 1], (2, 3)), ([], (2, 3)), (0, (4,)),
        ([0, -1], (2, 3, 2)), ([], ()), ([1], (2, 0)), ([0, 2], (1, 2, 3, 2)), (-2, (2, 3))]
for op_, want_, types_ in [("Sum", np.sum, NUMBERS), ("Prod", np.prod, NUMBERS),
                           ("Max", np.max, NUMBERS), ("Min", np.min, NUMBERS),
                           ("Mean", np.mean, FLOATS), ("EuclideanNorm", lambda x, **k: np.sqrt(np.sum(x * x, **k)), ["float32", "float64"])]:
    for dtype_ in types_:
        for axes_, dims_ in AXES if dtype_ == "float32" else AXES[:3]:
            if 0 in dims_ and op_ not in ("Sum", "Prod"):
                continue
            for keep_ in (False, True):
                x_ = any_of(dtype_, *dims_, low=-3, high=3)
                if op_ == "Mean" and dtype_ == "float16":
                    x_ = abs(x_)
                case(op_, [x_, K(np.array(axes_, "i4"))], reduced(want_, keep_), keep_dims=keep_)
case("Mean", [n(3, 4), K([1])], lambda x, a: np.trunc(x.mean(1)).astype("i4"))
case("Mean", [n(3, 4, dtype="int64"), K([1])], lambda x, a: np.trunc(x.mean(1)).astype("i8"))
case("Sum", [f(2, 3), K(np.array([1], "i8"))], lambda x, a: x.sum(1))
case("Max", [np.array([[-np.inf, 1], [np.inf, 2]], "f4"), K([1])], lambda x, a: x.max(1))
for op_, want_ in {"All": np.all, "Any": np.any}.items():
    for axes_, dims_ in AXES:
        for keep_ in (False, True):
            case(op_, [b(*dims_), K(np.array(axes_, "i4"))], reduced(want_, keep_), keep_dims=keep_)
for op_, want_ in {"ArgMax": np.argmax, "ArgMin": np.argmin}.items():
    for dtype_ in NUMBERS:
        case(op_, [any_of(dtype_, 3, 4), K(1)], lambda x, a, w=want_: w(x, 1).astype("i8"))
    for axis_, dims_ in [(0, (4,)), (-1, (2, 3, 4)), (1, (2, 3, 4)), (-3, (2, 3, 4))]:
        for type_ in ("int32", "int64"):
            case(op_, [f(*dims_), K(axis_)], lambda x, a, w=want_, t=type_: w(x, int(a)).astype(t), output_type=type_)
    case(op_, [np.array([[1, 1, 0], [0, 0, 0]], "f4"), K(1)], lambda x, a, w=want_: w(x, 1).astype("i8"))
case("ArgMax", [b(3, 4), K(1)], lambda x, a: np.argmax(x, 1).astype("i8"))


def scan(x, axis, exclusive, reverse, op):
    axis = int(axis)
    x = np.flip(x, axis) if reverse else x
    y = op(x, axis=axis, dtype=x.dtype)
    if exclusive:
        start = 0 if op is np.cumsum else 1
        ones = np.full_like(np.take(x, [0], axis), start)
        y = np.concatenate([ones, np.take(y, range(x.shape[axis] - 1), axis)], axis)
    return np.flip(y, axis) if reverse else y


for op_, want_ in {"Cumsum": np.cumsum, "Cumprod": np.cumprod}.items():
    for dtype_ in FLOATS + ["int32", "int64", "int8", "int16", "uint8"]:
        for axis_, e_, r_ in itertools.product((0, -1), (False, True), (False, True)):
            x_ = any_of(dtype_, 3, 4, low=-3, high=3)
            case(op_, [x_, K(axis_)], lambda x, a, e=e_, r=r_, o=want_: scan(x, a, e, r, o), exclusive=e_, reverse=r_)
    case(op_, [f(5), K(0)], lambda x, a, o=want_: o(x))
    case(op_, [f(2, 3, 4), K(1)], lambda x, a, o=want_: o(x, 1))
case("CumulativeLogsumexp", [f(2, 4), K(1)], lambda x, a: np.log(np.cumsum(np.exp(x), 1)))
for dims_ in [(), (4,), (2, 3), (2, 3, 4), (0,)]:
    case("L2Loss", [f(*dims_)], lambda x: np.float32((x * x).sum() / 2))
case("L2Loss", [f(2, 3, dtype="float64")], lambda x: (x * x).sum() / 2)
case("L2Loss", [f(2, 3, dtype="float16")], lambda x: np.float16((x * x).sum() / 2))


def softmax(x):
    e = np.exp(x.astype("f8") - x.max(-1, keepdims=True, initial=-1e9).astype("f8"))
    return (e / e.sum(-1, keepdims=True)).astype(x.dtype)


def log_softmax(x):
    return np.log(softmax(x.astype("f8"))).astype(x.dtype)


for dtype_ in FLOATS:
    for dims_ in [(4,), (2, 3), (2, 3, 4), (2, 1, 3, 2), (0, 3)]:
        case("Softmax", [f(*dims_, dtype=dtype_)], softmax)
        case("LogSoftmax", [f(*dims_, dtype=dtype_)], log_softmax)
for dtype_ in FLOATS:
    case("SoftmaxCrossEntropyWithLogits", [f(3, 4, dtype=dtype_), softmax(f(3, 4, seed=2, dtype=dtype_))],
         lambda x, y: (-(y * log_softmax(x)).sum(1).astype(x.dtype), softmax(x) - y))
    for type_ in ("int32", "int64"):
        case("SparseSoftmaxCrossEntropyWithLogits", [f(3, 4, dtype=dtype_), np.array([0, 3, 1], type_)],
             lambda x, y: (-log_softmax(x)[np.arange(3), y], softmax(x) - np.eye(4, dtype=x.dtype)[y]))
# Labels of one row for all.
case("SoftmaxCrossEntropyWithLogits", [f(3, 4), softmax(f(1, 4, seed=2))],
     lambda x, y: (-(y * log_softmax(x)).sum(1), None))


# --- shapes --------------------------------------------------------------------------

for dims_ in SHAPES + [(1, 2, 3, 4, 5)]:
    for type_ in ("int32", "int64"):
        case("Shape", [f(*dims_)], lambda x, t=type_: np.array(x.shape, t), out_type=type_)
        case("Size", [f(*dims_)], lambda x, t=type_: np.array(x.size, t), out_type=type_)
    case("Rank", [f(*dims_)], lambda x: np.int32(x.ndim))
case("Shape", [f(2, 3)], np.array([2, 3], "i4"))
case("Shape", [n(2, 3, dtype="uint16")], np.array([2, 3], "i4"))
case("ShapeN", [f(2, 3), f(4)], lambda x, y: (np.array(x.shape, "i4"), np.array(y.shape, "i4")))
case("ShapeN", [f(2, 3), f()], lambda x, y: (np.array(x.shape, "i8"), np.array(y.shape, "i8")), out_type="int64")
for dtype_ in ALL:
    case("Reshape", [any_of(dtype_, 2, 6), K([3, -1])], lambda x, s: x.reshape(3, 4))
    case("Transpose", [any_of(dtype_, 2, 3), K([1, 0])], lambda x, p: x.T)
    case("ConcatV2", [any_of(dtype_, 2, 3), any_of(dtype_, 2, 3, seed=1), K(1)], lambda x, y, a: np.concatenate([x, y], 1))
    case("Pack", [any_of(dtype_, 3), any_of(dtype_, 3, seed=1)], lambda *xs: np.stack(xs, 1), axis=1)
    case("Unpack", [any_of(dtype_, 2, 3)], lambda x: tuple(x), num=2)
    case("Split", [K(1), any_of(dtype_, 2, 4)], lambda a, x: tuple(np.split(x, 2, 1)), num_split=2)
    case("Tile", [any_of(dtype_, 2, 3), K([2, 1])], lambda x, m: np.tile(x, m))
    case("Fill", [K([2, 3]), any_of(dtype_)], lambda s, v: np.full(s, v))
    case("Fill", [K([2, 3]), K(any_of(dtype_, seed=3), dtype_)], lambda s, v: np.full(s, v))
    case("BroadcastTo", [any_of(dtype_, 1, 3), K([2, 2, 3])], lambda x, s: np.broadcast_to(x, s))
    case("ReverseV2", [any_of(dtype_, 2, 3), K([1])], lambda x, a: np.flip(x, 1))
    case("Squeeze", [any_of(dtype_, 2, 1, 3)], lambda x: x[:, 0], squeeze_dims=[1])
    case("ExpandDims", [any_of(dtype_, 2, 3), K(1)], lambda x, d: x[:, None])
    case("Slice", [any_of(dtype_, 3, 4), K([1, 1]), K([2, -1])], lambda x, *k: x[1:3, 1:])
    case("StridedSlice", [any_of(dtype_, 3, 4), K([0, 1]), K([3, 4]), K([2, 1])], lambda x, *k: x[0:3:2, 1:4])
    case("GatherV2", [any_of(dtype_, 3, 4), K([2, 0]), K(0)], lambda x, i, a: x[i])
    case("GatherNd", [any_of(dtype_, 3, 4), K([[2, 0], [1, 3]])], lambda x, i: x[i[:, 0], i[:, 1]])
    if dtype_ != "bool":
        case("Pad", [any_of(dtype_, 2, 3), K([[1, 0], [2, 1]])], lambda x, p: np.pad(x, p))
        case("PadV2", [any_of(dtype_, 2, 3), K([[1, 0], [2, 1]]), K(np.array(3), dtype_)], lambda x, p, v: np.pad(x, p, constant_values=v))
        case("PadV2", [any_of(dtype_, 2, 3), K([[1, 0], [2, 1]]), np.array(3, dtype_)], lambda x, p, v: np.pad(x, p, constant_values=v))
        case("MirrorPad", [any_of(dtype_, 3, 3), K([[1, 2], [2, 1]])], lambda x, p: np.pad(x, p, "reflect"), mode="REFLECT")
        case("MirrorPad", [any_of(dtype_, 3, 3), K([[1, 2], [3, 1]])], lambda x, p: np.pad(x, p, "symmetric"), mode="SYMMETRIC")
    case("OneHot", [n(3, low=-1, high=4), K(4), K(np.array(3), dtype_), K(np.array(0), dtype_)],
         lambda i, d, y, z: np.where(i[:, None] == np.arange(4), y, z))
for shape_, new_ in [((2, 3), (6,)), ((2, 3), (3, 2)), ((), (1, 1)), ((1, 1), ()), ((2, 0), (0, 5)), ((2, 3, 4), (2, -1))]:
    case("Reshape", [f(*shape_), K(np.array(new_, "i4"))], lambda x, s: x.reshape(s))
    case("Reshape", [f(*shape_), K(np.array(new_, "i8"))], lambda x, s: x.reshape(s))
for dims_, perm_ in [((2, 3, 4), (2, 0, 1)), ((1, 2, 3, 4, 5), (4, 3, 2, 1, 0)), ((3,), (0,)), ((), ()), ((2, 0, 3), (1, 2, 0))]:
    case("Transpose", [f(*dims_), K(np.array(perm_, "i4"))], lambda x, p: x.transpose(p))
for dims_, list_ in [((1, 2, 1), []), ((1, 2, 1), [0]), ((1, 2, 1), [-1]), ((1, 2, 1), [0, 2]), ((1,), []), ((1, 0), [0]), ((1, 1), [])]:
    case("Squeeze", [f(*dims_)], lambda x, l=list_: x.squeeze(tuple(l) if l else None), squeeze_dims=list_)
for dims_, axis_ in [((), 0), ((), -1), ((2, 3), 2), ((2, 3), -1), ((2, 3), -3), ((0,), 0), ((2, 3, 4, 5), -2)]:
    case("ExpandDims", [f(*dims_), K(axis_)], lambda x, a: np.expand_dims(x, int(a)))
case("BroadcastArgs", [np.array([2, 1], "i4"), np.array([3], "i4")], np.array([2, 3], "i4"))
case("BroadcastArgs", [np.array([2, 1], "i8"), np.array([1, 3], "i8")], np.array([2, 3], "i8"))
for type_ in ("int32", "int64"):
    case("InvertPermutation", [np.array([2, 0, 1, 3], type_)], lambda x: np.argsort(x).astype(x.dtype))
for axis_ in (0, -1, 1):
    case("ConcatV2", [f(2, 3), f(2, 3, seed=1), f(2, 3, seed=2), K(axis_)], lambda x, y, z, a: np.concatenate([x, y, z], int(a)))
    case("Concat", [K(max(axis_, 0)), f(2, 3), f(2, 3, seed=1)], lambda a, x, y: np.concatenate([x, y], int(a)))
case("ConcatV2", [f(0, 3), f(2, 3), K(0)], lambda x, y, a: np.concatenate([x, y], 0))
case("ParallelConcat", [f(1, 3), f(1, 3, seed=1)], lambda x, y: np.concatenate([x, y]), shape=[2, 3])
case("ConcatOffset", [K(1), K([2, 3]), K([2, 5])], lambda a, x, y: (np.array([0, 0], "i4"), np.array([0, 3], "i4")))
for dims_, axis_ in [((), 0), ((), -1), ((3,), 1), ((3,), -2), ((2, 3), 2), ((2, 3), -3), ((0, 2), 1)]:
    case("Pack", [f(*dims_), f(*dims_, seed=1)], lambda *xs, a=axis_: np.stack(xs, a), axis=axis_)
case("Pack", [f(2)], lambda x: x[None])
for axis_, dims_ in [(0, (3,)), (1, (2, 3)), (-1, (2, 3)), (-2, (2, 3)), (1, (2, 2, 3))]:
    case("Unpack", [f(*dims_)], lambda x, a=axis_: tuple(np.moveaxis(x, a, 0)), num=dims_[axis_], axis=axis_)
for axis_ in (0, -1, -2):
    case("Split", [K(axis_), f(4, 6)], lambda a, x: tuple(np.split(x, 2, int(a))), num_split=2)
for sizes_, axis_ in [([1, 3], 0), ([2, -1, 1], 1), ([6], -1), ([1, 2, 3], -1), ([4, 0], -2)]:
    for type_ in ("int32", "int64"):
        want_ = [s if s >= 0 else (4, 6)[axis_] - sum(i for i in sizes_ if i > 0) for s in sizes_]
        case("SplitV", [f(4, 6), K(sizes_, type_), K(axis_)],
             lambda x, s, a, w=want_: tuple(np.split(x, np.cumsum(w)[:-1], int(a))), num_split=len(sizes_))
for dims_, reps_ in [((3,), [2]), ((2, 3), [1, 3]), ((2, 3), [0, 1]), ((1, 2, 3), [2, 1, 2]), ((), [])]:
    case("Tile", [f(*dims_), K(np.array(reps_, "i4"))], np.tile)
    case("Tile", [f(*dims_), K(np.array(reps_, "i8"))], np.tile)
case("Fill", [K(np.array([], "i4")), f()], lambda s, v: v)
case("Fill", [K(np.array([2, 0], "i8")), f()], lambda s, v: np.full(s, v))
for axis_ in (-1, 0, 1, 2):
    def hot_(i, d, y, z, a=axis_):
        made = np.where(i[..., None] == np.arange(4), y, z)
        return np.moveaxis(made, -1, a)
    case("OneHot", [n(2, 3, low=-1, high=4), K(4), K(5.0), K(-1.0)], hot_, axis=axis_)
case("OneHot", [n(low=2, high=3), K(4), K(5.0), K(-1.0)], lambda i, d, y, z: np.where(i == np.arange(4), y, z))
for type_ in ("uint8", "int64", "int32"):
    case("OneHot", [n(3, low=0, high=3, dtype=type_), K(4), f(), f(seed=1)], lambda i, d, y, z: np.where(i[:, None] == np.arange(4), y, z))
for dtype_ in ("float32", "float64"):
    for count_ in (1, 2, 5):
        case("LinSpace", [K(np.array(2), dtype_), K(np.array(7), dtype_), K(count_)],
             lambda a, z, k: np.linspace(a, z, int(k)).astype(a.dtype))
case("LinSpace", [f(), f(seed=2), K(4)], lambda a, z, k: np.linspace(a, z, int(k)).astype("f4"))
for dtype_ in ("int32", "int64", "float32", "float64"):
    for a_, z_, s_ in [(0, 5, 1), (2, 11, 3), (10, 0, -3), (-10, -1, 2), (3, -4, -1), (5, 5, 1), (0, -5, 1)]:
        case("Range", [K(np.array(v), dtype_) for v in (a_, z_, s_)], lambda *v: np.arange(*v).astype(v[0].dtype))
        case("Range", [np.array(v, dtype_) for v in (a_, z_, s_)], lambda *v: np.arange(*v).astype(v[0].dtype))
case("Range", [K(0.5), K(2.6), K(0.5)], lambda *v: np.arange(*v).astype("f4"))
case("Pad", [f(2, 3, 2), K(np.array([[0, 0], [1, 2], [0, 3]], "i8"))], lambda x, p: np.pad(x, p))
case("Pad", [f(3), K([[1, 2]])], lambda x, p: np.pad(x, p))
case("Pad", [f(2, 2, 2, 2, 2), K([[1, 2]] * 5)], lambda x, p: np.pad(x, p))
for mode_, name_ in (("REFLECT", "reflect"), ("SYMMETRIC", "symmetric")):
    case("MirrorPad", [f(4), K([[3, 2]])], lambda x, p, m=name_: np.pad(x, p, m), mode=mode_)
    case("MirrorPad", [f(2, 3, 4), K([[0, 1], [2, 0], [1, 1]])], lambda x, p, m=name_: np.pad(x, p, m), mode=mode_)
    case("MirrorPad", [f(2, 3, 4), K(np.array([[0, 0], [0, 0], [1, 1]], "i8"))], lambda x, p, m=name_: np.pad(x, p, m), mode=mode_)
for axes_ in ([0], [1, 2], [-1], [0, 1, 2], []):
    case("ReverseV2", [f(2, 3, 4), K(np.array(axes_, "i4"))], lambda x, a: np.flip(x, tuple(a)))
case("Reverse", [f(2, 3, 4), K(np.array([True, False, True]))], lambda x, a: np.flip(x, (0, 2)))


def reverse_sequence(x, lengths, seq, batch):
    y = x.copy()
    for i, k in enumerate(lengths):
        at = [slice(None)] * x.ndim
        at[batch] = i
        part = np.moveaxis(np.take(x, i, batch), seq if seq < batch else seq - 1, 0)
        part = np.concatenate([part[:k][::-1], part[k:]])
        y[tuple(at)] = np.moveaxis(part, 0, seq if seq < batch else seq - 1)
    return y


for type_, dims_, seq_, batch_ in [("int32", (3, 4), 1, 0), ("int64", (4, 3), 0, 1), ("int32", (2, 3, 4), 2, 1), ("int64", (3, 4, 2), 1, 0)]:
    k_ = np.array([1, 3, 2], type_)
    case("ReverseSequence", [f(*dims_), k_], lambda x, k, s=seq_, b=batch_: reverse_sequence(x, k, s, b), seq_dim=seq_, batch_dim=batch_)
for dtype_ in ("float32", "int64", "float64", "int32"):
    for shift_, axis_, dims_ in [([2], [0], (5,)), ([-1, 3], [0, 1], (3, 4)), ([7], [-1], (2, 3)), ([1, 1], [0, 0], (4, 2)), (2, 1, (2, 3)), (1, 0, (0, 2))]:
        case("Roll", [any_of(dtype_, *dims_), K(np.array(shift_, "i4")), K(np.array(axis_, "i4"))],
             lambda x, s, a: np.roll(x, tuple(np.reshape(s, -1)), tuple(np.reshape(a, -1))))
for begin_, size_ in [([0, 0], [2, 3]), ([1, 2], [-1, 1]), ([0, 1], [3, -1]), ([2, 0], [0, 2])]:
    case("Slice", [f(3, 4), K(begin_), K(size_)], lambda x, s, k: x[tuple(slice(i, None if j < 0 else i + j) for i, j in zip(s, k))])
    case("Slice", [f(3, 4), K(begin_, "int64"), K(size_, "int64")], lambda x, s, k: x[tuple(slice(i, None if j < 0 else i + j) for i, j in zip(s, k))])


def strided(note, begin, end, strides, want, dims=(4, 5, 6), **masks):
    for type_ in ("int32", "int64"):
        case("StridedSlice", [f(*dims), K(np.array(begin), type_), K(np.array(end), type_), K(np.array(strides), type_)], lambda x, *k: want(x), **masks)


strided("one", [1], [2], [1], lambda x: x[1], shrink_axis_mask=1)
strided("last", [-1], [0], [1], lambda x: x[-1], shrink_axis_mask=1)
strided("back", [3, 0], [0, 5], [-1, 2], lambda x: x[3:0:-1, 0:5:2])
strided("back to the start", [-1], [0], [-1], lambda x: x[::-1], begin_mask=1, end_mask=1)
strided("negative end", [0, 1], [-1, -2], [1, 1], lambda x: x[0:-1, 1:-2])
strided("beyond", [0, 2], [9, 99], [1, 1], lambda x: x[0:9, 2:99])
strided("far below", [-9, 0], [3, 2], [1, 1], lambda x: x[-9:3, 0:2])
strided("nothing", [3], [1], [1], lambda x: x[3:1])
strided("ellipsis", [0, 1], [0, 3], [1, 1], lambda x: x[..., 1:3], ellipsis_mask=1)
strided("ellipsis between", [1, 0, 2], [2, 0, 5], [1, 1, 1], lambda x: x[1, ..., 2:5], ellipsis_mask=2, shrink_axis_mask=1)
strided("ellipsis of nothing", [0, 0, 0, 1], [2, 2, 0, 4], [1, 1, 1, 1], lambda x: x[0:2, 0:2, ..., 1:4], ellipsis_mask=4)
strided("ellipsis, last one", [0, -1], [0, 0], [1, 1], lambda x: x[..., -1], ellipsis_mask=1, shrink_axis_mask=2)
strided("new axis", [0, 1], [0, 3], [1, 1], lambda x: x[None, 1:3], new_axis_mask=1)
strided("new axis at the end", [0, 0], [0, 0], [1, 1], lambda x: x[..., None], ellipsis_mask=1, new_axis_mask=2)
strided("new axis after one", [1, 0], [2, 0], [1, 1], lambda x: x[1, None], shrink_axis_mask=1, new_axis_mask=2)
strided("new, one, rest", [0, 1, 0], [0, 2, 3], [1, 1, 1], lambda x: x[None, 1, 0:3], new_axis_mask=1, shrink_axis_mask=2)
strided("masks", [1, 1], [2, 2], [1, 1], lambda x: x[:2, 1:], begin_mask=1, end_mask=2)
strided("vector", [1], [7], [3], lambda x: x[1:7:3], dims=(9,))
strided("vector one", [2], [3], [1], lambda x: x[2], dims=(9,), shrink_axis_mask=1)
strided("new axis of a vector", [0, 0], [0, 0], [1, 1], lambda x: x[:, None], dims=(9,), begin_mask=1, end_mask=1, new_axis_mask=2)
strided("two new axes", [0, 0, 0], [0, 0, 2], [1, 1, 1], lambda x: x[None, None, 0:2], new_axis_mask=3)
strided("ellipsis, new, ellipsis side", [0, 0, 1], [0, 0, 3], [1, 1, 1], lambda x: x[..., None, 1:3], ellipsis_mask=1, new_axis_mask=2)


# --- gathering and scattering ----------------------------------------------------------

for axis_, at_ in [(0, [2, 0]), (1, [[1, 0], [3, 3]]), (-1, [1]), (0, 2), (-2, [0]), (1, [])]:
    for type_ in ("int32", "int64"):
        case("GatherV2", [f(3, 4), np.array(at_, type_), K(axis_)], lambda x, i, a: np.take(x, i, int(a)))
case("Gather", [f(3, 4), np.array([[2, 0]], "i4")], lambda x, i: x[i])


def batch_gather(x, i, axis, batch):
    if batch == 0:
        return np.take(x, i, axis)
    return np.stack([batch_gather(p, q, axis - 1, batch - 1) for p, q in zip(x, i)])


for dims_, at_, axis_, batch_ in [((2, 4), (2, 3), 1, 1), ((2, 3, 4), (2, 2), 1, 1), ((2, 3, 4), (2, 2), 2, 1),
                                  ((2, 3, 4), (2, 3, 2), 2, 2), ((2, 3, 4), (2, 2, 2), 1, 1), ((2, 3), (2,), 1, 1)]:
    i_ = n(*at_, low=0, high=2)
    case("GatherV2", [f(*dims_), i_, K(axis_)], lambda x, i, a, k=batch_: batch_gather(x, i, int(a), k), batch_dims=batch_)
case("GatherV2", [f(2, 3, 4), n(2, 2, low=0, high=2), K(-1)], lambda x, i, a: batch_gather(x, i, 2, 1), batch_dims=-1)
for at_ in ([[0], [2]], [[0, 1], [2, 3]], [[[0, 0]], [[1, 1]]], [1]):
    for type_ in ("int32", "int64"):
        i_ = np.array(at_, type_)
        case("GatherNd", [f(3, 4, 2), i_], lambda x, i: x[tuple(np.moveaxis(i, -1, 0))])


def scatter(x, indices, updates, op):
    y = x.copy()
    flat = indices.reshape(-1, indices.shape[-1])
    rows = updates.reshape((len(flat),) + x.shape[indices.shape[-1]:])
    for at, row in zip(flat, rows):
        y[tuple(at)] = op(y[tuple(at)], row)
    return y


def second(_, y):
    return y


for dtype_ in NUMBERS:
    i_ = np.array([[1], [3], [1]], "i4")
    case("ScatterNd", [i_, any_of(dtype_, 3, 2), K([5, 2])], lambda i, u, s: scatter(np.zeros(s, u.dtype), i, u, np.add))
    case("TensorScatterAdd", [any_of(dtype_, 5, 2), i_, any_of(dtype_, 3, 2, seed=2)], lambda x, i, u: scatter(x, i, u, np.add))
    case("TensorScatterUpdate", [any_of(dtype_, 5, 2), i_[:2], any_of(dtype_, 2, 2, seed=2)], lambda x, i, u: scatter(x, i, u, second))
    case("TensorScatterMax", [any_of(dtype_, 5, 2), i_, any_of(dtype_, 3, 2, seed=2)], lambda x, i, u: scatter(x, i, u, np.maximum))
    case("TensorScatterMin", [any_of(dtype_, 5, 2), i_, any_of(dtype_, 3, 2, seed=2)], lambda x, i, u: scatter(x, i, u, np.minimum))
for dtype_ in FLOATS + SIGNED:
    i_ = np.array([[1], [3], [1]], "i4")
    case("TensorScatterSub", [any_of(dtype_, 5, 2), i_, any_of(dtype_, 3, 2, seed=2)], lambda x, i, u: scatter(x, i, u, np.subtract))
for shape_, at_ in [((6,), [[4], [1]]), ((3, 4), [[0, 1], [2, 3], [0, 1]]), ((3, 4, 2), [[0, 1], [2, 3]]), ((3, 4, 2), [[[0], [2]]]), ((3, 2), np.zeros((0, 1), int))]:
    for type_ in ("int32", "int64"):
        i_ = np.array(at_, type_)
        u_ = f(*i_.shape[:-1], *shape_[i_.shape[-1]:], seed=4)
        case("ScatterNd", [i_, u_, K(np.array(shape_), type_)], lambda i, u, s: scatter(np.zeros(s, u.dtype), i, u, np.add))
        case("TensorScatterAdd", [f(*shape_), i_, u_], lambda x, i, u: scatter(x, i, u, np.add))
        case("TensorScatterMax", [f(*shape_), i_, u_], lambda x, i, u: scatter(x, i, u, np.maximum))
case("ScatterNdNonAliasingAdd", [f(6), np.array([[1], [1]], "i4"), f(2)], lambda x, i, u: scatter(x, i, u, np.add))
OPS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum,
       "Min": np.minimum, "Update": second}
for name_, op_ in OPS.items():
    for dims_, at_ in [((6,), [4, 1]), ((3, 4), [2, 0]), ((4, 2, 2), [[3, 1]]), ((3, 4), 1), ((3, 4), [2, 2]), ((3, 2), [])]:
        if name_ == "Update" and at_ == [2, 2]:
            continue
        i_ = np.array(at_, "i4")
        u_ = f(*i_.shape, *dims_[1:], seed=4, low=1)
        case("Scatter" + name_, [f(*dims_), i_, u_], lambda x, i, u, o=op_: scatter(x, i[..., None], u, o))
    if name_ != "Div":
        case("Scatter" + name_, [n(3, 4), np.array([2], "i8"), n(1, 4, seed=3)], lambda x, i, u, o=op_: scatter(x, i[..., None], u, o))
    case("Scatter" + name_, [f(3, 4), np.array([2, 1], "i4"), np.array(2, "f4")], lambda x, i, u, o=op_: scatter(x, i[..., None], np.full((2, 4), u), o))
case("ScatterDiv", [np.array([12, 7, -7], "i4"), np.array([0, 2], "i4"), np.array([5, 2], "i4")], np.array([2, 7, -3], "i4"))
for name_ in ("Add", "Sub", "Update"):
    case("ScatterNd" + name_, [f(6), np.array([[1], [4]], "i4"), f(2, seed=2)], lambda x, i, u, o=OPS[name_]: scatter(x, i, u, o))
for name_ in ("Max", "Min"):
    case("ScatterNd" + name_, [f(6), np.array([[1], [4]], "i4"), f(2, seed=2)], lambda x, i, u, o=OPS[name_]: scatter(x, i, u, o))


def top(x, k, sort=True):
    at = np.argsort(-x.astype("f8"), -1, kind="stable")[..., :int(k)].astype("i4")
    return np.take_along_axis(x, at, -1), at


for dtype_ in NUMBERS:
    case("TopKV2", [any_of(dtype_, 2, 6), K(3)], top)
case("TopKV2", [f(5), K(5)], top)
case("TopKV2", [f(2, 3, 4), K(2)], top)
case("TopKV2", [np.array([1, 3, 3, 2, 3], "f4"), K(2)], top)
case("TopK", [f(2, 5)], lambda x: top(x, 2), k=2)


def in_top(p, t, k):
    mine = p[np.arange(len(t)), t]
    return (p > mine[:, None]).sum(1) < int(k)


for type_ in ("int32", "int64"):
    case("InTopK", [f(4, 5), np.array([0, 1, 2, 3], type_)], lambda p, t: in_top(p, t, 2), k=2)
    case("InTopKV2", [f(4, 5), np.array([0, 1, 2, 3], type_), K(3, type_)], in_top)
for dtype_ in ("float32", "float64", "int32", "int64", "float16", "uint8"):
    for dims_, k_, r_ in [((5,), 2, False), ((2, 5), 0, False), ((2, 5), 3, True), ((2, 2, 4), 1, False)]:
        case("NthElement", [any_of(dtype_, *dims_), K(k_)], lambda x, k, r=r_: np.sort(x, -1)[..., -1 - k if r else k], reverse=r_)


def uniques(x):
    _, first, back, count = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    place = np.argsort(order)
    return x[np.sort(first)], place[back].astype("i4"), count[order].astype("i4")


for dtype_ in ("float32", "float64", "int32", "int64", "int8", "int16", "uint8", "uint16"):
    x_ = n(8, low=0, high=4).astype(dtype_)
    case("Unique", [x_], lambda x: uniques(x)[:2])
    case("UniqueWithCounts", [x_], uniques)
case("Unique", [n(8, low=0, high=4)], lambda x: [y.astype("i8") if i else y for i, y in enumerate(uniques(x)[:2])], out_idx="int64")
case("UniqueV2", [n(8, low=0, high=4), K(np.array([0], "i4"))], lambda x, a: uniques(x)[:2])
case("UniqueV2", [n(8, low=0, high=4), K(np.array([], "i4"))], lambda x, a: uniques(x)[:2])
case("UniqueWithCountsV2", [n(8, low=0, high=4), K(np.array([0], "i4"))], lambda x, a: uniques(x))


def list_diff(x, y, t="i4"):
    keep = ~np.isin(x, y)
    return x[keep], np.flatnonzero(keep).astype(t)


for dtype_ in ("float32", "int32", "int64", "uint8"):
    case("ListDiff", [np.array([1, 2, 3, 4, 2, 5], dtype_), np.array([2, 4], dtype_)], list_diff)
case("ListDiff", [np.array([1, 2, 3], "i4"), np.array([7], "i4")], lambda x, y: list_diff(x, y, "i8"), out_idx="int64")


def bins(arr, size, weights):
    kind = weights.dtype
    flat = arr.reshape(-1)
    w = weights.reshape(-1) if weights.size else np.ones(flat.shape, kind)
    made = np.zeros(int(size), kind)
    for i, v in zip(flat, w):
        if i < size:
            made[i] += v
    return made


for dtype_ in ("float32", "float64", "int32", "int64"):
    for dims_ in [(6,), (2, 3), ()]:
        case("Bincount", [n(*dims_, low=0, high=5), K(4), K(np.array([]), dtype_)], bins)
        case("Bincount", [K(n(*dims_, low=0, high=3)), K(6), K(np.array([]), dtype_)], bins)
    case("Bincount", [n(6, low=0, high=5), K(5), any_of(dtype_, 6)], bins)
    case("DenseBincount", [n(6, low=0, high=5), K(5), K(np.array([]), dtype_)], bins)
    case("DenseBincount", [n(6, low=0, high=5, dtype="int64"), K(np.array(5), "int64"), any_of(dtype_, 6)], bins)
case("DenseBincount", [n(6, low=0, high=5), K(5), K(np.array([], "f4"))], lambda a, s, w: np.minimum(bins(a, s, w), 1), binary_output=True)
case("DenseBincount", [n(2, 4, low=0, high=5), K(5), K(np.array([], "f4"))], lambda a, s, w: np.stack([bins(r, s, w) for r in a]))


def histogram(x, r, k, t="i4"):
    at = np.floor((x.reshape(-1).astype("f8") - r[0]) / (float(r[1]) - r[0]) * k)
    return np.bincount(np.clip(at, 0, k - 1).astype(int), minlength=int(k)).astype(t)


for dtype_ in ("float32", "float64", "int32", "int64"):
    case("HistogramFixedWidth", [any_of(dtype_, 9), K(np.array([-4, 4]), dtype_), K(5)], histogram)
case("HistogramFixedWidth", [f(3, 4), np.array([-1, 1], "f4"), K(4)], lambda *a: histogram(*a, "i8"), dtype="int64")
for dtype_ in ("float32", "float64", "int32", "int64"):
    case("Bucketize", [any_of(dtype_, 2, 4)], lambda x: np.digitize(x, [-2.0, 0.5, 3.0]).astype("i4"), boundaries=[-2.0, 0.5, 3.0])
for dtype_ in ALL:
    case("DynamicPartition", [any_of(dtype_, 5), np.array([0, 1, 0, 2, 1], "i4")],
         lambda x, p: tuple(x[p == i] for i in range(3)), num_partitions=3)
case("DynamicPartition", [f(5, 2), np.array([0, 1, 0, 2, 1], "i4")], lambda x, p: tuple(x[p == i] for i in range(4)), num_partitions=4)
case("DynamicPartition", [f(2, 3), np.array([[0, 1, 0], [1, 1, 0]], "i4")], lambda x, p: tuple(x[p == i] for i in range(2)), num_partitions=2)
for op_ in ("DynamicStitch", "ParallelDynamicStitch"):
    case(op_, [np.array([0, 2], "i4"), np.array([3, 1], "i4"), f(2, 3), f(2, 3, seed=1)],
         lambda i, j, x, y: np.concatenate([x, y])[[0, 3, 1, 2]], N=2)
    case(op_, [np.array(1, "i4"), np.array([[0, 2]], "i4"), f(), f(1, 2, seed=1)], lambda i, j, x, y: np.array([y[0, 0], x, y[0, 1]]),
         N=2)


def segments(x, ids, count, start, op, last=lambda s, c: s):
    tail = x.shape[ids.ndim:]
    made, counts = np.full((int(count),) + tail, start, x.dtype), np.zeros(int(count), int)
    for i, row in zip(ids.reshape(-1), x.reshape((-1,) + tail)):
        if i >= 0:
            made[i] = op(made[i], row)
            counts[i] += 1
    return last(made, counts)


def limit(dtype, is_low):
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    return info.min if is_low else info.max


def mean_of(made, counts):
    return (made / np.maximum(counts, 1).reshape((-1,) + (1,) * (made.ndim - 1))).astype(made.dtype)


for dtype_ in NUMBERS:
    ids_ = np.array([0, 0, 1, 3], "i4")
    for dims_ in [(4,), (4, 2), (4, 2, 3)] if dtype_ == "float32" else [(4, 2)]:
        x_ = any_of(dtype_, *dims_, low=-3, high=3)
        case("SegmentSum", [x_, ids_], lambda x, i: segments(x, i, 4, 0, np.add))
        case("SegmentProd", [x_, ids_], lambda x, i: segments(x, i, 4, 1, np.multiply))
        full_ = np.array([0, 0, 1, 2], "i8")
        case("SegmentMax", [x_, full_], lambda x, i: segments(x, i, 3, limit(x.dtype, True), np.maximum))
        case("SegmentMin", [x_, full_], lambda x, i: segments(x, i, 3, limit(x.dtype, False), np.minimum))
        if dtype_ in FLOATS:
            case("SegmentMean", [x_, ids_], lambda x, i: segments(x, i, 4, 0, np.add, mean_of))
        free_ = np.array([2, 0, 2, -1], "i4")
        case("UnsortedSegmentSum", [x_, free_, K(4)], lambda x, i, k: segments(x, i, k, 0, np.add))
        case("UnsortedSegmentProd", [x_, free_, K(4)], lambda x, i, k: segments(x, i, k, 1, np.multiply))
        if dtype_ == "uint64":
            continue
        case("UnsortedSegmentMax", [x_, free_, K(4)], lambda x, i, k: segments(x, i, k, limit(x.dtype, True), np.maximum))
        case("UnsortedSegmentMin", [x_, free_, K(4)], lambda x, i, k: segments(x, i, k, limit(x.dtype, False), np.minimum))
# Segments that nobody is in: zeros between others.
case("SegmentMax", [f(4), np.array([0, 0, 1, 3], "i4")], lambda x, i: np.array([x[:2].max(), x[2], 0, x[3]], "f4"))
case("SegmentMin", [f(4), np.array([0, 0, 1, 3], "i4")], lambda x, i: np.array([x[:2].min(), x[2], 0, x[3]], "f4"))
case("UnsortedSegmentSum", [f(2, 3, 2), np.array([[0, 1, 0], [2, 2, 1]], "i4"), K(3)], lambda x, i, k: segments(x, i, k, 0, np.add))
case("SparseSegmentSum", [f(4, 2), np.array([0, 2, 3], "i4"), np.array([0, 0, 1], "i4")], lambda x, i, s: segments(x[i], s, 2, 0, np.add))
case("SparseSegmentMean", [f(4, 2), np.array([0, 2, 3], "i4"), np.array([0, 0, 1], "i4")], lambda x, i, s: segments(x[i], s, 2, 0, np.add, mean_of))
case("SparseSegmentSqrtN", [f(4, 2), np.array([0, 2, 3], "i4"), np.array([0, 0, 1], "i4")],
     lambda x, i, s: segments(x[i], s, 2, 0, np.add, lambda m, c: (m / np.sqrt(np.maximum(c, 1))[:, None]).astype("f4")))
case("SparseToDense", [np.array([[0, 1], [2, 0]], "i4"), K([3, 2]), f(2), K(0.0)],
     lambda i, s, v, d: scatter(np.full(s, d), i, v, second))
case("SparseToDense", [np.array([0, 2], "i8"), K(np.array([4]), "int64"), f(2), K(-1.0)],
     lambda i, s, v, d: scatter(np.full(s, d), i[:, None], v, second))
case("SparseToDense", [np.array([0, 2], "i4"), K([4]), f(), K(-1.0)], lambda i, s, v, d: np.array([v, d, v, d]))
case("SparseTensorDenseMatMul", [np.array([[0, 1], [2, 0]], "i8"), f(2), K(np.array([3, 2]), "int64"), f(2, 4, seed=1)],
     lambda i, v, s, y: scatter(np.zeros(s, "f4"), i, v, np.add) @ y)
case("SparseTensorDenseAdd", [np.array([[0, 1], [2, 0]], "i8"), f(2), K(np.array([3, 2]), "int64"), f(3, 2, seed=1)],
     lambda i, v, s, y: scatter(y, i, v, np.add))


# --- linear algebra ----------------------------------------------------------------------

def flip(x, is_turned):
    return np.swapaxes(x, -1, -2) if is_turned else x


def wide(want):
    """In float64, and back: what a product of halves must be near to."""
    return lambda *xs: np.asarray(want(*(x.astype("f8") if x.dtype.kind == "f" else x for x in xs))).astype(xs[0].dtype)


for dtype_ in ["float16", "float32", "float64", "int32", "int64"]:
    for ta_, tb_ in itertools.product((False, True), (False, True)):
        x_ = flip(any_of(dtype_, 2, 3), ta_)
        y_ = flip(any_of(dtype_, 3, 4, seed=1), tb_)
        case("MatMul", [x_, y_], wide(lambda x, y, s=ta_, t=tb_: flip(x, s) @ flip(y, t)), transpose_a=ta_, transpose_b=tb_)
case("MatMul", [f(0, 3), f(3, 4)], np.matmul)
case("MatMul", [f(2, 0), f(0, 4)], np.matmul)
for op_ in ("BatchMatMul", "BatchMatMulV2"):
    for dims_, turn_ in itertools.product([((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)), ((2, 1, 2, 3), (2, 1, 3, 4))], itertools.product((False, True), (False, True))):
        x_, y_ = flip(f(*dims_[0]), turn_[0]), flip(f(*dims_[1], seed=1), turn_[1])
        case(op_, [x_, y_], lambda x, y, t=turn_: flip(x, t[0]) @ flip(y, t[1]), adj_x=turn_[0], adj_y=turn_[1])
    case(op_, [n(2, 2, 3), n(2, 3, 4, seed=1)], np.matmul)
    case(op_, [f(2, 2, 3, dtype="float64"), f(2, 3, 4, dtype="float64")], np.matmul)
for left_, right_ in [((2, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((2, 1, 2, 3), (3, 3, 4)), ((1, 2, 3), (4, 3, 4))]:
    for op_ in ("BatchMatMulV2", "BatchMatMulV3"):
        more_ = {"Tout": "float32"} if op_.endswith("3") else {}
        case(op_, [f(*left_), f(*right_, seed=1)], np.matmul, **more_)
        case(op_, [flip(f(*left_), True), f(*right_, seed=1)], lambda x, y: flip(x, True) @ y, adj_x=True, **more_)
case("BatchMatMulV3", [n(2, 3, dtype="int8"), n(3, 4, dtype="int8")], lambda x, y: x.astype("i4") @ y.astype("i4"), Tout="int32")
for equation_, dims_ in [("ij,jk->ik", [(2, 3), (3, 4)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 4)]), ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 5, 4)]),
                         ("ij->ji", [(2, 3)]), ("ij->i", [(2, 3)]), ("i,j->ij", [(2,), (3,)]), ("abc,cd->abd", [(2, 3, 4), (4, 5)]),
                         ("ij,kj->ik", [(2, 3), (4, 3)]), ("ij,ij->", [(2, 3), (2, 3)]), ("...ij,...jk->...ik", [(2, 2, 3), (2, 3, 4)]),
                         ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]), ("ijk,j->ik", [(2, 3, 4), (3,)])]:
    case("Einsum", [f(*d, seed=i) for i, d in enumerate(dims_)], lambda *xs, e=equation_: np.einsum(e, *xs).astype("f4"), equation=equation_)
for format_, dims_, axis_ in [("NHWC", (2, 3), 1), ("NHWC", (1, 2, 2, 3), 3), ("NCHW", (1, 3, 2, 2), 1), ("NHWC", (1, 2, 3), 2), ("NCHW", (1, 2, 2, 2, 2), 1), ("NCHW", (2, 3, 4), 1)]:
    for dtype_ in ("float32", "float64", "float16"):
        bias_ = f(dims_[axis_], dtype=dtype_, seed=1)
        case("BiasAdd", [f(*dims_, dtype=dtype_), bias_],
             lambda x, y, a=axis_: x + y.reshape([-1 if i == a else 1 for i in range(x.ndim)]), data_format=format_)
case("BiasAdd", [n(2, 3), n(3)], np.add)
case("BiasAddV1", [f(2, 3), f(3)], np.add)


def spd(*dims, dtype="float64"):
    x = f(*dims, dtype=dtype)
    return x @ flip(x, True) + 2 * np.eye(dims[-1], dtype=dtype)


def well(*dims, dtype="float32", seed=0):
    return f(*dims, dtype=dtype, seed=seed) + 4 * np.eye(dims[-1], dtype=dtype)


for dtype_ in ("float32", "float64"):
    for dims_ in [(3, 3), (2, 3, 3), (2, 1, 2, 2), (1, 1), (5, 5), (18, 18)]:
        case("Cholesky", [spd(*dims_, dtype=dtype_)], np.linalg.cholesky)
        case("MatrixDeterminant", [f(*dims_, dtype=dtype_)], np.linalg.det, tolerance=2e-3)
        case("MatrixInverse", [well(*dims_, dtype=dtype_)], np.linalg.inv)
        case("MatrixInverse", [well(*dims_, dtype=dtype_)], lambda x: np.linalg.inv(flip(x, True)), adjoint=True)
        case("LogMatrixDeterminant", [well(*dims_, dtype=dtype_)], lambda x: tuple(np.linalg.slogdet(x)))
        rhs_ = f(*dims_[:-1], 2, dtype=dtype_, seed=2)
        for adjoint_ in (False, True):
            case("MatrixSolve", [well(*dims_, dtype=dtype_), rhs_], lambda a, y, t=adjoint_: np.linalg.solve(flip(a, t), y), adjoint=adjoint_)
            for lower_ in (False, True):
                case("MatrixTriangularSolve", [well(*dims_, dtype=dtype_), rhs_],
                     lambda a, y, t=adjoint_, l=lower_: np.linalg.solve(flip(np.tril(a) if l else np.triu(a), t), y), lower=lower_, adjoint=adjoint_)
case("MatrixTriangularSolve", [well(3, 3), f(2, 3, 1)], lambda a, y: np.linalg.solve(np.tril(a), y))
case("MatrixTriangularSolve", [well(2, 3, 3), f(3, 1)], lambda a, y: np.linalg.solve(np.tril(a), np.stack([y, y])))


def band(x, low, high):
    rows, cols = np.ogrid[:x.shape[-2], :x.shape[-1]]
    keep = ((low < 0) | (rows - cols <= low)) & ((high < 0) | (cols - rows <= high))
    return np.where(keep, x, np.zeros((), x.dtype))


for dtype_ in ("float32", "float64", "int32", "int64", "float16", "uint8", "bool"):
    for low_, high_ in [(1, 0), (-1, 1), (0, -1), (5, 0), (-1, -1), (0, 9)]:
        case("MatrixBandPart", [any_of(dtype_, 2, 3, 4), K(np.array(low_), "int64"), K(np.array(high_), "int64")], band)
    case("MatrixDiag", [any_of(dtype_, 3)], lambda x: np.diag(x))
    case("MatrixDiag", [any_of(dtype_, 2, 3)], lambda x: np.stack([np.diag(r) for r in x]))
    case("MatrixDiagPart", [any_of(dtype_, 3, 4)], lambda x: np.diagonal(x, axis1=-2, axis2=-1))
    case("MatrixDiagPart", [any_of(dtype_, 2, 4, 3)], lambda x: np.diagonal(x, axis1=-2, axis2=-1))

    def set_diag_(x, d):
        y = x.copy()
        k = range(min(x.shape[-2:]))
        y[..., k, k] = d
        return y
    for dims_ in [(3, 3), (2, 3, 4), (2, 4, 3)]:
        case("MatrixSetDiag", [any_of(dtype_, *dims_), any_of(dtype_, *dims_[:-2], min(dims_[-2:]), seed=3)], set_diag_)
    if dtype_ not in ("uint8", "bool"):
        case("Diag", [any_of(dtype_, 3)], np.diag)
        case("DiagPart", [any_of(dtype_, 3, 3)], np.diag)
case("Diag", [f(2, 3)], lambda x: np.diag(x.reshape(-1)).reshape(2, 3, 2, 3))
case("DiagPart", [f(2, 3, 2, 3)], lambda x: np.diag(x.reshape(6, 6)).reshape(2, 3))


def diag_parts(x, low, high, fill, align):
    """MatrixDiagPartV3: rows of diagonals, the uppermost first."""
    rows, cols = x.shape[-2:]
    low, high = int(low), int(high)
    width = min(rows + min(high, 0), cols - max(low, 0))
    made = np.full(x.shape[:-2] + (high - low + 1, width), fill, x.dtype)
    for i, d in enumerate(range(high, low - 1, -1)):
        line = np.diagonal(x, d, -2, -1)
        is_left = align.split("_")[0 if d > 0 else 1] == "LEFT" if d else align.split("_")[0 if high > 0 else 1] == "LEFT"
        at = 0 if is_left else width - line.shape[-1]
        made[..., i, at:at + line.shape[-1]] = line
    return made[..., 0, :] if low == high else made


for align_ in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    for low_, high_ in [(0, 0), (1, 1), (-1, -1), (-1, 1), (0, 2), (-2, 0)]:
        case("MatrixDiagPartV3", [f(2, 3, 4), K([low_, high_]), K(7.0)], lambda x, k, v, a=align_: diag_parts(x, k[0], k[1], v, a), align=align_)


def from_diags(d, k, rows, cols, fill, align):
    low, high = int(np.reshape(k, -1)[0]), int(np.reshape(k, -1)[-1])
    count = high - low + 1
    width = d.shape[-1]
    lines = d[..., None, :] if low == high and (d.ndim < 2 or d.shape[-2] != 1) else d
    rows, cols = int(rows), int(cols)
    least_rows, least_cols = width - min(high, 0), width + max(low, 0)
    if rows == -1 and cols == -1:
        rows = cols = max(least_rows, least_cols)
    rows = least_rows if rows == -1 else rows
    cols = least_cols if cols == -1 else cols
    made = np.full(lines.shape[:-2] + (rows, cols), fill, d.dtype)
    for i, g in enumerate(range(high, low - 1, -1)):
        size = min(rows + min(g, 0), cols - max(g, 0))
        is_left = align.split("_")[0 if g > 0 else 1] == "LEFT" if g else True
        at = 0 if is_left or size == width else width - size
        for j in range(size):
            made[..., j - min(g, 0), j + max(g, 0)] = lines[..., i, at + j]
    return made


case("MatrixDiagV3", [f(2, 3), K(0), K(-1), K(-1), K(0.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "RIGHT_LEFT"))
case("MatrixDiagV3", [f(2, 3), K(1), K(-1), K(-1), K(9.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "RIGHT_LEFT"))
case("MatrixDiagV3", [f(2, 3), K(-1), K(-1), K(-1), K(0.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "RIGHT_LEFT"))
case("MatrixDiagV3", [f(3), K(0), K(3), K(5), K(0.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "RIGHT_LEFT"))
for align_ in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    case("MatrixDiagV3", [f(2, 3, 3), K([-1, 1]), K(-1), K(-1), K(0.0)], lambda d, k, r, c, v, a=align_: from_diags(d, k, r, c, v, a), align=align_)
case("MatrixDiagV2", [f(2, 3), K(1), K(-1), K(-1), K(9.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "LEFT_LEFT"))
case("MatrixDiagPartV2", [f(2, 3, 4), K([-1, 1]), K(7.0)], lambda x, k, v: diag_parts(x, k[0], k[1], v, "LEFT_LEFT"))
for k_, dims_ in [(0, (3, 4)), (1, (3, 4)), (-1, (2, 3, 3)), (2, (3, 4))]:
    def set_one_(x, d, k):
        y, k = x.copy(), int(k)
        for j in range(d.shape[-1]):
            y[..., j - min(k, 0), j + max(k, 0)] = d[..., j]
        return y
    size_ = min(dims_[-2] + min(k_, 0), dims_[-1] - max(k_, 0))
    case("MatrixSetDiagV3", [f(*dims_), f(*dims_[:-2], size_, seed=1), K(k_)], set_one_)
    case("MatrixSetDiagV2", [f(*dims_), f(*dims_[:-2], size_, seed=1), K(k_)], set_one_)
for align_ in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
    def set_many_(x, d, k, a=align_):
        hole = from_diags(d, k, x.shape[-2], x.shape[-1], np.nan, a)
        return np.where(np.isnan(hole), x, hole)
    case("MatrixSetDiagV3", [f(2, 4, 4), f(2, 3, 4, seed=1), K([-1, 1])], set_many_, align=align_)


# --- networks ----------------------------------------------------------------------------

def pads_of(sizes, kernel, strides, rates, padding):
    if not isinstance(padding, str):
        return padding
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    made = []
    for size, k, s, r in zip(sizes, kernel, strides, rates):
        total = max((-(-size // s) - 1) * s + (k - 1) * r + 1 - size, 0)
        made.append((total // 2, total - total // 2))
    return made


def windows(x, kernel, strides, rates, padding, fill):
    """All cells of all windows of [n, sizes.., c]: [n, out.., cells, c]."""
    pads = pads_of(x.shape[1:-1], kernel, strides, rates, padding)
    x = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    out = [(size - (k - 1) * r - 1) // s + 1 for size, k, s, r in zip(x.shape[1:-1], kernel, strides, rates)]
    cells = []
    for at in itertools.product(*(range(k) for k in kernel)):
        cells.append(x[(slice(None), *(slice(i * r, i * r + (o - 1) * s + 1, s)
                                       for i, r, o, s in zip(at, rates, out, strides)), slice(None))])
    return np.stack(cells, -2)


def conv(x, w, strides, rates, padding):
    kernel = w.shape[:-2]
    cells = windows(x.astype("f8"), kernel, strides, rates, padding, 0)
    return np.einsum("...kc,kco->...o", cells, w.reshape(-1, *w.shape[-2:]).astype("f8")).astype(x.dtype)


def depthwise(x, w, strides, rates, padding):
    cells = windows(x.astype("f8"), w.shape[:2], strides, rates, padding, 0)
    made = np.einsum("...kc,kcm->...cm", cells, w.reshape(-1, *w.shape[2:]).astype("f8"))
    return made.reshape(made.shape[:-2] + (-1,)).astype(x.dtype)


def pool(x, kernel, strides, padding, is_max):
    ones = [1] * len(kernel)
    if is_max:
        return windows(x, kernel, strides, ones, padding, -1e9).max(-2).astype(x.dtype)
    sums = windows(x.astype("f8"), kernel, strides, ones, padding, 0).sum(-2)
    count = windows(np.ones_like(x, "f8"), kernel, strides, ones, padding, 0).sum(-2)
    return (sums / count).astype(x.dtype)


def first(x):
    return np.moveaxis(x, -1, 1)


def last(x):
    return np.moveaxis(x, 1, -1)


def spread(xs, is_first):
    return [1, 1, *xs] if is_first else [1, *xs, 1]


def laid_out(x, is_first):
    return np.ascontiguousarray(first(x)) if is_first else x


def layers(op, x, w, want, name, form, ranks, strides, rates, padding, **more):
    """The same in both layouts."""
    for is_first in (False, True):
        def expect(x, *w, is_first=is_first):
            made = want(last(x) if is_first else x, *w)
            return first(made) if is_first else made
        attrs = {"data_format": form[is_first], "strides": spread(strides, is_first), "padding": padding if isinstance(padding, str) else "EXPLICIT", **more}
        if rates is not None:
            attrs["dilations"] = spread(rates, is_first)
        if not isinstance(padding, str):
            flat = [p for pair in padding for p in pair]
            attrs["explicit_paddings"] = [0, 0, 0, 0, *flat] if is_first else [0, 0, *flat, 0, 0]
        case(op, [laid_out(x, is_first), *w], expect, attrs=attrs)


for dtype_ in FLOATS:
    for pad_, s_, r_ in [("SAME", 1, 1), ("VALID", 1, 1), ("SAME", 2, 1), ("VALID", 2, 1), ("SAME", 1, 2), ("VALID", 1, 2), (((1, 0), (2, 1)), 1, 1), ("SAME", 3, 1)]:
        if dtype_ != "float32" and s_ + r_ > 2:
            continue
        x_, w_ = f(2, 6, 7, 3, dtype=dtype_), f(2, 3, 3, 4, seed=1, dtype=dtype_)
        layers("Conv2D", x_, [w_], lambda x, w, s=s_, r=r_, p=pad_: conv(x, w, (s, s), (r, r), p), "conv", ("NHWC", "NCHW"), 2, (s_, s_), (r_, r_), pad_)
        w_ = f(2, 3, 3, 2, seed=1, dtype=dtype_)
        layers("DepthwiseConv2dNative", x_, [w_], lambda x, w, s=s_, r=r_, p=pad_: depthwise(x, w, (s, s), (r, r), p), "depthwise", ("NHWC", "NCHW"), 2, (s_, s_), (r_, r_), pad_)
x_ = f(2, 6, 7, 3)
layers("Conv2D", x_, [f(3, 3, 3, 4, seed=1)], lambda x, w: conv(x, w, (1, 2), (1, 1), "SAME"), "", ("NHWC", "NCHW"), 2, (1, 2), None, "SAME")
layers("Conv2D", x_, [f(1, 1, 3, 4, seed=1)], lambda x, w: conv(x, w, (2, 2), (1, 1), "SAME"), "", ("NHWC", "NCHW"), 2, (2, 2), None, "SAME")
layers("Conv2D", x_, [f(3, 3, 3, 4, seed=1)], lambda x, w: conv(x, w, (1, 1), (2, 1), "SAME"), "", ("NHWC", "NCHW"), 2, (1, 1), (2, 1), "SAME")
# Groups: the filter has fewer channels than the image.
case("Conv2D", [f(1, 5, 5, 4), f(2, 2, 2, 6, seed=1)],
     lambda x, w: np.concatenate([conv(x[..., :2], w[..., :3], (1, 1), (1, 1), "SAME"), conv(x[..., 2:], w[..., 3:], (1, 1), (1, 1), "SAME")], -1), strides=[1, 1, 1, 1], padding="SAME")
for pad_, s_, r_ in [("SAME", 1, 1), ("VALID", 1, 1), ("SAME", 2, 1), ("VALID", 1, 2)]:
    x_, w_ = f(1, 4, 5, 6, 2), f(2, 1, 3, 2, 3, seed=1)
    layers("Conv3D", x_, [w_], lambda x, w, s=s_, r=r_, p=pad_: conv(x, w, (s,) * 3, (r,) * 3, p), "conv", ("NDHWC", "NCDHW"), 3, (s_,) * 3, (r_,) * 3, pad_)


def conv_back(sizes, w, grad, strides, rates, padding):
    """The gradient of a convolution: each element spreads its window."""
    n, c = grad.shape[0], w.shape[-2]
    kernel = w.shape[:-2]
    pads = pads_of(sizes, kernel, strides, rates, padding)
    made = np.zeros((n, *(s + a + z for s, (a, z) in zip(sizes, pads)), c))
    for at in itertools.product(*(range(k) for k in kernel)):
        part = np.einsum("...o,co->...c", grad.astype("f8"), w[at].astype("f8"))
        made[(slice(None), *(slice(i * r, i * r + (o - 1) * s + 1, s)
                             for i, r, o, s in zip(at, rates, grad.shape[1:-1], strides)))] += part
    cut = tuple(slice(a, a + s) for s, (a, _) in zip(sizes, pads))
    return made[(slice(None), *cut)].astype(grad.dtype)


for nd_, op_, forms_ in [(2, "Conv2DBackpropInput", ("NHWC", "NCHW")), (3, "Conv3DBackpropInputV2", ("NDHWC", "NCDHW"))]:
    for pad_, s_, k_, size_ in [("SAME", 1, 2, 4), ("SAME", 2, 2, 5), ("SAME", 2, 3, 6), ("VALID", 1, 2, 5), ("VALID", 2, 3, 8), ("VALID", 2, 3, 7), ("SAME", 3, 2, 7), ("SAME", 2, 1, 4)]:
        for dtype_ in ("float32", "float64") if s_ == 1 else ("float32",):
            out_ = -(-size_ // s_) if pad_ == "SAME" else (size_ - k_) // s_ + 1
            g_, w_ = f(2, *[out_] * nd_, 3, dtype=dtype_), f(*[k_] * nd_, 2, 3, seed=1, dtype=dtype_)
            for is_first_ in (False, True):
                want_ = conv_back([size_] * nd_, w_, g_, [s_] * nd_, [1] * nd_, pad_)
                dims_ = [2, 2] + [size_] * nd_ if is_first_ else [2] + [size_] * nd_ + [2]
                case(op_, [K(dims_), w_, laid_out(g_, is_first_)], first(want_) if is_first_ else want_,
                     strides=spread([s_] * nd_, is_first_), padding=pad_, data_format=forms_[is_first_])
case("Conv2DBackpropInput", [K([1, 5, 5, 2]), f(2, 2, 2, 3), f(1, 4, 4, 3)], lambda s, w, g: conv_back((5, 5), w, g, (1, 1), (1, 1), ((0, 0), (0, 0))),
     strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 0, 0, 0, 0, 0, 0])
case("Conv2DBackpropInput", [K([1, 7, 7, 2]), f(2, 2, 2, 3), f(1, 7, 7, 3)], lambda s, w, g: conv_back((7, 7), w, g, (1, 1), (2, 2), "SAME"),
     strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1], padding="SAME")


for dtype_ in FLOATS:
    for pad_, k_, s_ in [("SAME", 2, 1), ("VALID", 2, 2), ("SAME", 3, 2), ("VALID", 3, 1), ("SAME", 1, 2), ("SAME", 2, 3)]:
        for op_, is_max_ in (("MaxPool", True), ("AvgPool", False)):
            layers(op_, f(2, 6, 7, 3, dtype=dtype_), [], lambda x, k=k_, s=s_, p=pad_, m=is_max_: pool(x, (k, k), (s, s), p, m), "", ("NHWC", "NCHW"), 2, (s_, s_), None, pad_, ksize=[1, 1, 1, 1])
            for made_ in list(CASES.values())[-2:]:
                made_.attrs["ksize"] = spread((k_, k_), made_.attrs["data_format"] == "NCHW")
        for op_, is_max_ in (("MaxPool3D", True), ("AvgPool3D", False)):
            if dtype_ == "float16" or (dtype_ == "float64" and is_max_):
                continue
            layers(op_, f(1, 4, 5, 6, 2, dtype=dtype_), [], lambda x, k=k_, s=s_, p=pad_, m=is_max_: pool(x, (k,) * 3, (s,) * 3, p, m), "", ("NDHWC", "NCDHW"), 3, (s_,) * 3, None, pad_, ksize=[1])
            for made_ in list(CASES.values())[-2:]:
                made_.attrs["ksize"] = spread((k_,) * 3, made_.attrs["data_format"] == "NCDHW")
case("MaxPool", [f(1, 5, 5, 2)], lambda x: pool(x, (2, 2), (1, 1), ((1, 0), (0, 1)), True), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0])
case("MaxPoolV2", [f(1, 5, 5, 2), K([1, 2, 2, 1]), K([1, 2, 2, 1])], lambda x, *k: pool(x, (2, 2), (2, 2), "SAME", True), padding="SAME")
case("MaxPool", [n(1, 4, 4, 2)], lambda x: pool(x, (2, 2), (2, 2), "VALID", True), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
# Windows of channels.
case("MaxPool", [f(1, 2, 2, 6)], lambda x: x.reshape(1, 2, 2, 3, 2).max(-1), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")


def max_argmax(x, k, s, padding, with_batch, t):
    count = np.arange(x.size, dtype="f8").reshape(x.shape)
    if not with_batch:
        count = count - np.arange(len(x)).reshape(-1, 1, 1, 1) * x[0].size
    cells = windows(x, k, s, (1, 1), padding, -1e9)
    at = np.argmax(cells, -2)
    places = windows(count, k, s, (1, 1), padding, -1)
    return cells.max(-2), np.take_along_axis(places, at[..., None, :], -2)[..., 0, :].astype(t)


for dtype_, t_ in (("float32", "int64"), ("float64", "int32"), ("float16", "int64")):
    for pad_, k_, s_, w_ in [("SAME", (2, 2), (2, 2), False), ("VALID", (2, 3), (1, 2), True), ("SAME", (3, 3), (1, 1), False)]:
        case("MaxPoolWithArgmax", [f(2, 5, 6, 2, dtype=dtype_)], lambda x, k=k_, s=s_, p=pad_, w=w_, t=t_: max_argmax(x, k, s, p, w, t),
             ksize=[1, *k_, 1], strides=[1, *s_, 1], padding=pad_, Targmax=t_, include_batch_in_index=w_)


def max_grad(x, y, grad, k, s, padding):
    made = np.zeros(x.size)
    _, at = max_argmax(x, k, s, padding, True, "i8")
    np.add.at(made, at.reshape(-1), grad.reshape(-1))
    return made.reshape(x.shape).astype(x.dtype)


x_ = f(1, 4, 4, 2)
case("MaxPoolGrad", [x_, pool(x_, (2, 2), (2, 2), "VALID", True), f(1, 2, 2, 2, seed=3)], lambda x, y, g: max_grad(x, y, g, (2, 2), (2, 2), "VALID"),
     ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
case("MaxPoolGrad", [x_, pool(x_, (2, 2), (1, 1), "SAME", True), f(1, 4, 4, 2, seed=3)], lambda x, y, g: max_grad(x, y, g, (2, 2), (1, 1), "SAME"),
     ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
case("ReluGrad", [f(2, 3), f(2, 3, seed=1)], lambda g, x: np.where(x > 0, g, np.float32(0)))
case("Relu6Grad", [f(2, 3), f(2, 3, seed=1, high=9)], lambda g, x: np.where((x > 0) & (x < 6), g, np.float32(0)))
case("TanhGrad", [f(2, 3), f(2, 3, seed=1)], lambda y, g: g * (1 - y * y))
case("SigmoidGrad", [f(2, 3), f(2, 3, seed=1)], lambda y, g: g * y * (1 - y))
case("BiasAddGrad", [f(2, 4, 4, 3)], lambda g: g.sum((0, 1, 2)))
case("BiasAddGrad", [f(2, 3, 4, 4)], lambda g: g.sum((0, 2, 3)), data_format="NCHW")


def batch_norm(x, scale, offset, mean, variance, epsilon, is_training, factor=1.0):
    axes = tuple(range(x.ndim - 1))
    wide = x.astype("f8")
    count = x.size // x.shape[-1]
    if is_training:
        m, v = wide.mean(axes), wide.var(axes)
    else:
        m, v = mean.astype("f8"), variance.astype("f8")
    y = (wide - m) / np.sqrt(v + epsilon) * scale + offset
    whole = v * count / max(count - 1, 1) if is_training else v
    if is_training and factor != 1:
        m, whole = mean * (1 - factor) + m * factor, variance * (1 - factor) + whole * factor
    return y.astype(x.dtype), m.astype(scale.dtype), whole.astype(scale.dtype)


for op_ in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
    for is_first_, train_, e_ in itertools.product((False, True), (False, True), (1e-3, 0.1)):
        x_ = laid_out(f(2, 3, 4, 5), is_first_)
        form_ = "NCHW" if is_first_ else "NHWC"
        stats_ = [f(5, seed=i, low=0.5) for i in range(2)] + ([f(0), f(0)] if train_ and e_ < 0.01 else [f(5, seed=3), f(5, seed=4, low=0.2)])

        def norm_(x, *s, is_first=is_first_, t=train_, e=e_):
            y, m, v = batch_norm(last(x) if is_first else x, *s, e, t)
            return first(y) if is_first else y, m, v
        case(op_, [x_, *stats_], norm_, data_format=form_, is_training=train_, epsilon=e_)
    if op_ != "FusedBatchNorm":
        case(op_, [f(2, 3, 4, 5, dtype="float16"), *(f(5, seed=i, low=0.5) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, False)[0], is_training=False, epsilon=1e-3)
        case(op_, [f(2, 3, 4, 5, dtype="float16"), *(f(5, seed=i, low=0.5) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, True)[:1], is_training=True, epsilon=1e-3)
case("FusedBatchNormV3", [f(2, 3, 4, 5, 2), *(f(2, seed=i, low=0.5) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, False)[0], is_training=False, epsilon=1e-3, data_format="NDHWC")
case("FusedBatchNormV3", [f(2, 3, 4, 5, 2), *(f(2, seed=i, low=0.5) for i in range(2)), f(0), f(0)], lambda x, *s: batch_norm(x, *s, 1e-3, True), is_training=True, epsilon=1e-3, data_format="NDHWC")
case("FusedBatchNormV3", [f(2, 3, 4, 5), *(f(5, seed=i, low=0.5) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, True, 0.5), is_training=True, epsilon=1e-3, exponential_avg_factor=0.5)
case("FusedBatchNormV3", [f(2, 3, 4, 5), *(f(5, seed=i, low=0.5) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-6, False)[0], is_training=False, epsilon=1e-6)
case("BatchNormWithGlobalNormalization", [f(2, 3, 4, 5), f(5), f(5, low=0.2, seed=1), f(5, seed=2), f(5, seed=3)],
     lambda x, m, v, b, g: (x - m) / np.sqrt(v + np.float32(0.001)) * g + b, variance_epsilon=0.001, scale_after_normalization=True)


def lrn(x, radius, bias, alpha, beta):
    square = np.stack([(x[..., max(0, i - radius):i + radius + 1].astype("f8") ** 2).sum(-1) for i in range(x.shape[-1])], -1)
    return (x / (bias + alpha * square) ** beta).astype(x.dtype)


for dtype_ in ("float32", "float16"):
    case("LRN", [f(2, 3, 4, 8, dtype=dtype_)], lambda x: lrn(x, 5, 1.0, 1.0, 0.5))
    case("LRN", [f(2, 3, 4, 8, dtype=dtype_)], lambda x: lrn(x, 2, 2.0, 0.5, 0.75), depth_radius=2, bias=2.0, alpha=0.5, beta=0.75)


def dilation(x, w, strides, rates, padding):
    cells = windows(x, w.shape[:2], strides, rates, padding, -1e30)
    return (cells + w.reshape(-1, w.shape[-1])).max(-2).astype(x.dtype)


for dtype_ in ("float32", "float64", "int32"):
    for pad_, s_, r_ in [("SAME", 1, 1), ("VALID", 1, 1), ("SAME", 2, 1), ("VALID", 1, 2), ("SAME", 1, 2)]:
        case("Dilation2D", [any_of(dtype_, 2, 6, 7, 3), any_of(dtype_, 2, 3, 3, seed=1)], lambda x, w, s=s_, r=r_, p=pad_: dilation(x.astype("f8"), w.astype("f8"), (s, s), (r, r), p).astype(x.dtype),
             strides=[1, s_, s_, 1], rates=[1, r_, r_, 1], padding=pad_)


def patches(x, k, s, r, padding):
    cells = windows(x, k, s, r, padding, 0)
    return cells.reshape(cells.shape[:-2] + (-1,))


for dtype_ in ("float32", "float64", "int32", "int64", "float16", "uint8"):
    for pad_, k_, s_, r_ in [("VALID", (2, 2), (1, 1), (1, 1)), ("SAME", (3, 2), (2, 3), (1, 1)), ("SAME", (2, 2), (1, 1), (2, 2)), ("VALID", (2, 2), (5, 5), (1, 1))]:
        case("ExtractImagePatches", [any_of(dtype_, 2, 7, 8, 3)], lambda x, k=k_, s=s_, r=r_, p=pad_: patches(x, k, s, r, p),
             ksizes=[1, *k_, 1], strides=[1, *s_, 1], rates=[1, *r_, 1], padding=pad_)


# --- blocks -------------------------------------------------------------------------------

def space_to_depth(x, k):
    a, h, w, c = x.shape
    return x.reshape(a, h // k, k, w // k, k, c).transpose(0, 1, 3, 2, 4, 5).reshape(a, h // k, w // k, -1)


def depth_to_space(x, k):
    a, h, w, c = x.shape
    return x.reshape(a, h, w, k, k, -1).transpose(0, 1, 3, 2, 4, 5).reshape(a, h * k, w * k, -1)


for dtype_ in ("float32", "float64", "float16", "int32", "int64", "uint8"):
    case("SpaceToDepth", [any_of(dtype_, 2, 4, 6, 3)], lambda x: space_to_depth(x, 2), block_size=2)
    case("DepthToSpace", [any_of(dtype_, 2, 2, 3, 12)], lambda x: depth_to_space(x, 2), block_size=2)
    case("SpaceToDepth", [any_of(dtype_, 2, 3, 4, 6)], lambda x: first(space_to_depth(last(x), 2)), block_size=2, data_format="NCHW")
    case("DepthToSpace", [any_of(dtype_, 2, 12, 2, 3)], lambda x: first(depth_to_space(last(x), 2)), block_size=2, data_format="NCHW")


def space_to_batch(x, block, pads):
    m = len(block)
    x = np.pad(x, [(0, 0), *pads] + [(0, 0)] * (x.ndim - m - 1))
    cut = [x.shape[0]] + [v for i in range(m) for v in (x.shape[1 + i] // block[i], block[i])] + list(x.shape[1 + m:])
    perm = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)] + list(range(2 * m + 1, len(cut)))
    return x.reshape(cut).transpose(perm).reshape([-1] + [x.shape[1 + i] // block[i] for i in range(m)] + list(x.shape[1 + m:]))


def batch_to_space(x, block, crops):
    m, size = len(block), x.shape[0] // int(np.prod(block))
    y = x.reshape(list(block) + [size] + list(x.shape[1:]))
    perm = [m] + [v for i in range(m) for v in (m + 1 + i, i)] + list(range(2 * m + 1, y.ndim))
    y = y.transpose(perm).reshape([size] + [x.shape[1 + i] * block[i] for i in range(m)] + list(x.shape[1 + m:]))
    return y[(slice(None), *(slice(a, y.shape[1 + i] - z) for i, (a, z) in enumerate(crops)))]


for dtype_ in ("float32", "int32", "float64"):
    for block_, dims_, pads_ in [([2, 2], (1, 4, 6, 3), [[0, 0], [0, 0]]), ([2, 3], (2, 3, 4, 1), [[1, 0], [1, 1]]), ([2], (1, 5, 2), [[0, 1]]), ([2, 2], (1, 4, 2), [[0, 0], [0, 0]]), ([1, 2, 2], (1, 2, 4, 2, 1), [[0, 0], [0, 0], [0, 0]])]:
        case("SpaceToBatchND", [any_of(dtype_, *dims_), K(block_), K(pads_)], space_to_batch)
        many_ = int(np.prod(block_)) * 2
        case("BatchToSpaceND", [any_of(dtype_, many_, *[2] * len(block_), 3), K(block_), K([[0, 1] if b > 1 else [0, 0] for b in block_])], batch_to_space)
    case("SpaceToBatch", [any_of(dtype_, 1, 4, 6, 3), K([[0, 0], [1, 1]])], lambda x, p: space_to_batch(x, [2, 2], p), block_size=2)
    case("BatchToSpace", [any_of(dtype_, 4, 2, 3, 1), K([[0, 0], [1, 1]])], lambda x, p: batch_to_space(x, [2, 2], p), block_size=2)


# --- functions that are sums -----------------------------------------------------------------

def special(name):
    """scipy's, where it is installed."""
    try:
        from scipy import special as functions
    except ImportError:
        return None
    return getattr(functions, name)


def by_scipy(op, name, *inputs, order=None):
    function = special(name)
    if function:
        case(op, list(inputs), lambda *xs: function(*(x.astype("f8") for x in xs)).astype(xs[0].dtype))


for dtype_ in ("float32", "float64"):
    for dims_ in [(3, 4), (2,), (2, 0)]:
        a_, x_ = f(*dims_, low=0.1, high=9, dtype=dtype_), f(*dims_, low=0.0, high=12, dtype=dtype_, seed=3)
        by_scipy("Igamma", "gammainc", a_, x_)
        by_scipy("Igammac", "gammaincc", a_, x_)
        by_scipy("Betainc", "betainc", a_, x_ + dtype_.startswith("f"), f(*dims_, low=0, high=1, dtype=dtype_, seed=5))
        by_scipy("Zeta", "zeta", f(*dims_, low=1.1, high=9, dtype=dtype_), f(*dims_, low=0.1, high=9, dtype=dtype_, seed=3))
        if 0 in dims_:
            continue
        by_scipy("Polygamma", "polygamma", n(*dims_, low=0, high=5).astype(dtype_), f(*dims_, low=0.1, high=9, dtype=dtype_, seed=3))
        by_scipy("Lgamma", "gammaln", f(*dims_, low=0.1, high=20, dtype=dtype_))
        by_scipy("Digamma", "digamma", f(*dims_, low=0.1, high=20, dtype=dtype_))
    by_scipy("Lgamma", "gammaln", np.array([-0.5, -2.3, 0.5, 1, 2, 100], dtype_))
    by_scipy("Digamma", "digamma", np.array([-0.5, -2.3, 0.5, 1, 2, 100], dtype_))
    by_scipy("Igamma", "gammainc", np.array([0.01, 50, 100, 1, 5], dtype_), np.array([2, 40, 130, 30, 0], dtype_))
    by_scipy("Betainc", "betainc", np.array([10, 0.5, 20, 3], dtype_), np.array([0.5, 10, 30, 3], dtype_), np.array([0.95, 0.02, 0.4, 1], dtype_))


def lu(x):
    made, order = x.astype("f8").copy(), np.zeros(x.shape[:-1], "i4")
    for at in np.ndindex(x.shape[:-2]):
        m, p = made[at], list(range(x.shape[-1]))
        for k in range(len(p)):
            best = k + int(np.argmax(abs(m[k:, k])))
            m[[k, best]] = m[[best, k]]
            p[k], p[best] = p[best], p[k]
            m[k + 1:, k] /= m[k, k]
            m[k + 1:, k + 1:] -= np.outer(m[k + 1:, k], m[k, k + 1:])
        order[at] = p
    return made.astype(x.dtype), order


for dtype_ in ("float32", "float64"):
    for dims_ in [(3, 3), (2, 4, 4), (1, 2, 2, 2), (1, 1)]:
        case("Lu", [f(*dims_, dtype=dtype_)], lu)
    case("Lu", [f(3, 3, dtype=dtype_)], lambda x: (lu(x)[0], lu(x)[1].astype("i8")), output_idx_type="int64")
    for dims_ in [(3, 3), (4, 3), (3, 4), (2, 3, 3), (2, 2, 4, 3), (5, 5), (6, 2)]:
        values_ = lambda x: np.linalg.svd(x, compute_uv=False)
        for full_ in (False, True):
            case("Svd", [f(*dims_, dtype=dtype_)], values_, compute_uv=False, full_matrices=full_)
            case("Svd", [f(*dims_, dtype=dtype_)], values_, compute_uv=True, full_matrices=full_)


# --- images -----------------------------------------------------------------------------------

def source_places(size, new, corners, half):
    scale = (size - 1) / (new - 1) if corners and new > 1 else size / new
    at = np.arange(new)
    return (at + 0.5) * scale - 0.5 if half else at * scale


def bilinear(x, size, corners, half):
    x = x.astype("f8")
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        at = source_places(x.shape[axis], new, corners, half)
        low = np.clip(np.floor(at), 0, x.shape[axis] - 1).astype(int)
        high = np.clip(np.ceil(at), 0, x.shape[axis] - 1).astype(int)
        part = (at - np.floor(at)).reshape([-1 if i == axis else 1 for i in range(4)])
        x = np.take(x, low, axis) * (1 - part) + np.take(x, high, axis) * part
    return x.astype("f4")


def nearest(x, size, corners, half):
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        count = x.shape[axis]
        scale = (count - 1) / (new - 1) if corners and new > 1 else count / new
        at = (np.arange(new) + (0.5 if half else 0)) * scale
        at = np.floor(at + 0.5) if corners else np.floor(at)
        x = np.take(x, np.minimum(at, count - 1).astype(int), axis)
    return x


def cubic(x, size, corners, half):
    x = x.astype("f8")
    a = -0.5 if half else -0.75
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        count = x.shape[axis]
        matrix = np.zeros((new, count))
        for i, at in enumerate(source_places(count, new, corners, half)):
            d = np.rint((at - np.floor(at)) * 1024) / 1024
            near = lambda v: ((a + 2) * v - (a + 3)) * v * v + 1
            far = lambda v: ((a * v - 5 * a) * v + 8 * a) * v - 4 * a
            for k, w in enumerate((far(d + 1), near(d), near(1 - d), far(2 - d))):
                j = int(np.floor(at)) - 1 + k
                if not half or 0 <= j < count:
                    matrix[i, np.clip(j, 0, count - 1)] += w
            matrix[i] /= matrix[i].sum()
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x.astype("f4")


def area(x, size, corners=False):
    x = x.astype("f8")
    for axis, new in ((1, int(size[0])), (2, int(size[1]))):
        count = x.shape[axis]
        scale = (count - 1) / (new - 1) if corners and new > 1 else count / new
        matrix = np.zeros((new, count))
        for k in range(new):
            for j in range(int(np.floor(k * scale)), int(np.ceil((k + 1) * scale))):
                part = min((k + 1) * scale, j + 1) - max(k * scale, j)
                matrix[k, min(j, count - 1)] += part / scale
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
    return x.astype("f4")


IMAGES = ["float32", "float64", "float16", "uint8", "int8", "int16", "uint16", "int32", "int64"]
for dtype_ in IMAGES:
    for size_, (c_, h_) in itertools.product([(9, 8), (4, 5), (7, 4)], [(False, False), (True, False), (False, True)]):
        if dtype_ not in ("float32", "int32") and size_ != (9, 8):
            continue
        x_ = any_of(dtype_, 2, 5, 6, 3, low=0, high=9)
        for op_, want_ in (("ResizeBilinear", bilinear), ("ResizeNearestNeighbor", nearest), ("ResizeBicubic", cubic)):
            case(op_, [x_, K(size_)], lambda x, s, w=want_, c=c_, h=h_: w(x, s, c, h), align_corners=c_, half_pixel_centers=h_)
    for size_ in [(9, 8), (3, 2), (5, 3), (1, 1)]:
        case("ResizeArea", [any_of(dtype_, 2, 5, 6, 3, low=0, high=9), K(size_)], area)
case("ResizeArea", [f(1, 5, 6, 3), K((3, 4))], lambda x, s: area(x, s, True), align_corners=True)


def crop(x, boxes, at, size, method="bilinear", fill=0.0):
    made = np.full((len(boxes), *size, x.shape[-1]), fill)
    for b, (y1, x1, y2, x2) in enumerate(boxes):
        def places(low, high, count, n):
            if n > 1:
                return low * (count - 1) + np.arange(n) * (high - low) * (count - 1) / (n - 1)
            return np.array([0.5 * (low + high) * (count - 1)])
        for i, r in enumerate(places(y1, y2, x.shape[1], size[0])):
            for j, c in enumerate(places(x1, x2, x.shape[2], size[1])):
                if not (0 <= r <= x.shape[1] - 1 and 0 <= c <= x.shape[2] - 1):
                    continue
                image = x[at[b]].astype("f8")
                if method == "nearest":
                    made[b, i, j] = image[int(np.floor(r + 0.5)), int(np.floor(c + 0.5))]
                    continue
                r0, c0, r1, c1 = int(np.floor(r)), int(np.floor(c)), int(np.ceil(r)), int(np.ceil(c))
                upper = image[r0, c0] + (image[r0, c1] - image[r0, c0]) * (c - c0)
                lower = image[r1, c0] + (image[r1, c1] - image[r1, c0]) * (c - c0)
                made[b, i, j] = upper + (lower - upper) * (r - r0)
    return made.astype("f4")


boxes_ = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.88], [0.8, 0.95, 0.2, 0.12], [-0.2, 0.1, 1.3, 0.8]], "f4")
for dtype_ in ("float32", "uint8", "float64", "int32"):
    for method_, fill_, size_ in [("bilinear", 0.0, (3, 4)), ("nearest", 0.0, (3, 4)), ("bilinear", 7.0, (1, 2))]:
        case("CropAndResize", [any_of(dtype_, 2, 5, 6, 3, low=0, high=9), boxes_, np.array([0, 1, 0, 1], "i4"), K(size_)],
             lambda x, b, i, s, m=method_, v=fill_: crop(x, b, i, s, m, v), method=method_, extrapolation_value=fill_)


def hue_parts(x):
    import colorsys
    return np.array([colorsys.rgb_to_hsv(*p) for p in x.reshape(-1, 3).astype("f8")]).reshape(x.shape).astype(x.dtype)


def rgb_of(x):
    import colorsys
    return np.array([colorsys.hsv_to_rgb(*p) for p in x.reshape(-1, 3).astype("f8")]).reshape(x.shape).astype(x.dtype)


for dtype_ in ("float32", "float64"):
    for dims_ in [(4, 5, 3), (2, 4, 5, 3), (3,), (7, 3)]:
        case("RGBToHSV", [f(*dims_, low=0, high=1, dtype=dtype_)], hue_parts)
        case("HSVToRGB", [f(*dims_, low=0, high=1, dtype=dtype_)], rgb_of)
for dims_ in [(4, 5, 3), (2, 4, 5, 3)]:
    x_ = f(*dims_, low=0, high=1)
    for d_ in (0.3, -0.4, 0.0):
        case("AdjustHue", [x_, K(d_)], lambda x, d: rgb_of(np.concatenate([(hue_parts(x)[..., :1] + d) % 1, hue_parts(x)[..., 1:]], -1)), tolerance=1e-4)
    for d_ in (0.3, 2.0):
        case("AdjustSaturation", [x_, K(d_)], lambda x, d: rgb_of(np.concatenate([hue_parts(x)[..., :1], np.clip(hue_parts(x)[..., 1:2] * d, 0, 1), hue_parts(x)[..., 2:]], -1)), tolerance=1e-4)
        case("AdjustContrastv2", [x_, K(d_)], lambda x, d: (x - x.mean((-3, -2), keepdims=True)) * d + x.mean((-3, -2), keepdims=True))
case("RGBToHSV", [f(1, 0, 4, 3)], np.copy)
case("HSVToRGB", [f(1, 0, 4, 3)], np.copy)


# --- boxes --------------------------------------------------------------------------------------

def overlap(a, b):
    (y1, x1), (y2, x2) = np.minimum(a[:2], a[2:]), np.maximum(a[:2], a[2:])
    (v1, u1), (v2, u2) = np.minimum(b[:2], b[2:]), np.maximum(b[:2], b[2:])
    inner = max(min(y2, v2) - max(y1, v1), 0) * max(min(x2, u2) - max(x1, u1), 0)
    outer = (y2 - y1) * (x2 - x1) + (v2 - v1) * (u2 - u1) - inner
    return inner / outer if outer > 0 else 0


def suppress(boxes, scores, count, iou, least=-np.inf, sigma=0.0):
    scores = scores.astype("f8").copy()
    picked, kept = [], []
    for _ in range(int(count)):
        best = int(np.argmax(scores))
        if scores[best] <= least or scores[best] == -np.inf:
            break
        picked.append(best)
        kept.append(scores[best])
        for i in range(len(scores)):
            v = overlap(boxes[best].astype("f8"), boxes[i].astype("f8"))
            if sigma > 0:
                scores[i] *= np.exp(-0.5 * v * v / sigma)
            elif v > iou:
                scores[i] = -np.inf
        scores[best] = -np.inf
    return np.array(picked, "i4"), np.array(kept)


boxes_ = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], "f4")
scores_ = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], "f4")
for dtype_ in ("float32", "float16"):
    b_, s_ = boxes_.astype(dtype_), scores_.astype(dtype_)
    t_ = lambda v, dtype=dtype_: K(np.array(v), dtype)
    if dtype_ == "float32":
        case("NonMaxSuppression", [b_, s_, K(3)], lambda b, s, k: suppress(b, s, k, 0.5)[0], iou_threshold=0.5)
    for count_, iou_, least_ in [(3, 0.5, 0.0), (6, 0.5, 0.4), (2, 0.3, 0.8), (6, 0.95, 0.0)]:
        case("NonMaxSuppressionV2", [b_, s_, K(count_), t_(iou_)], lambda b, s, k, i: suppress(b, s, k, i)[0])
        case("NonMaxSuppressionV3", [b_, s_, K(count_), t_(iou_), t_(least_)], lambda b, s, k, i, l: suppress(b, s, k, i, l)[0])
        for pads_ in (False, True):
            def padded_(b, s, k, i, l, sigma=0.0, p=pads_):
                at, kept = suppress(b, s, k, i, l, sigma)
                more = int(k) - len(at) if p else 0
                return np.pad(at, (0, more)), np.pad(kept, (0, more)).astype(s.dtype), np.int32(len(at))
            case("NonMaxSuppressionV4", [b_, s_, K(count_), t_(iou_), t_(least_)], lambda *a, p=padded_: p(*a)[::2], pad_to_max_output_size=pads_)
            for sigma_ in (0.0, 0.5):
                case("NonMaxSuppressionV5", [b_, s_, K(count_), t_(iou_), t_(least_), t_(sigma_)], padded_, pad_to_max_output_size=pads_)
case("NonMaxSuppressionWithOverlaps", [np.array([[1, .6, .1], [.6, 1, .2], [.1, .2, 1]], "f4"), np.array([.5, .9, .7], "f4"), K(3), K(0.5), K(0.0)], np.array([1, 2], "i4"))


# --- quantisation -----------------------------------------------------------------------------------

def fake_quant(x, low, high, bits=8, narrow=False):
    first, last = (1 if narrow else 0), 2 ** bits - 1
    scale = (high - low) / (last - first)
    zero = first - low / scale
    nudged = np.clip(np.floor(zero + 0.5), first, last)
    least, most = (first - nudged) * scale, (last - nudged) * scale
    return (np.floor((np.clip(x, least, most) - least) / scale + 0.5) * scale + least).astype("f4")


for bits_, narrow_, ends_ in itertools.product((8, 4, 16), (False, True), ((-1.2, 1.0), (0.0, 3.0), (-0.7, 1.9))):
    low_, high_ = ends_
    case("FakeQuantWithMinMaxArgs", [f(3, 4)], lambda x, b=bits_, n=narrow_, e=ends_: fake_quant(x, *e, b, n), attrs={"min": low_, "max": high_}, num_bits=bits_, narrow_range=narrow_)
    case("FakeQuantWithMinMaxVars", [f(3, 4), np.array(low_, "f4"), np.array(high_, "f4")], lambda x, a, z, b=bits_, n=narrow_: fake_quant(x.astype("f8"), float(a), float(z), b, n), num_bits=bits_, narrow_range=narrow_)
    case("FakeQuantWithMinMaxVarsPerChannel", [f(3, 2), np.array([low_, low_ - 1], "f4"), np.array([high_, high_ + 1], "f4")],
         lambda x, a, z, b=bits_, n=narrow_: fake_quant(x.astype("f8"), a.astype("f8"), z.astype("f8"), b, n), num_bits=bits_, narrow_range=narrow_)


# --- cells, and several operators at once ---------------------------------------------------------

def lstm_step(x, c0, h0, w, wci, wcf, wco, b, forget, clip, peephole, order="icfo"):
    gates = dict(zip(order, np.split(np.concatenate([x, h0], 1) @ w + b, 4, 1)))
    i = sigmoid(gates["i"] + (wci * c0 if peephole else 0))
    f_ = sigmoid(gates["f"] + forget + (wcf * c0 if peephole else 0))
    z = np.tanh(gates["c"])
    c = z * i + c0 * f_
    if clip > 0:
        c = np.clip(c, -clip, clip)
    o = sigmoid(gates["o"] + (wco * c if peephole else 0))
    return [y.astype("f4") for y in (i, c, f_, o, z, np.tanh(c), o * np.tanh(c))]


def lstm_steps(length, x, c, h, *rest, **how):
    made = []
    for t in range(len(x)):
        step = lstm_step(x[t], c, h, *rest, **how)
        c, h = step[1], step[6]
        made.append(step if t < length else [np.zeros_like(y) for y in step])
    return tuple(np.stack(ys) for ys in zip(*made))


cell_ = [f(2, 3), f(2, 4, seed=1), f(2, 4, seed=2), f(7, 16, seed=3), f(4, seed=4), f(4, seed=5), f(4, seed=6), f(16, seed=7)]
for clip_, hole_, forget_ in itertools.product((-1.0, 0.3, 3.0), (False, True), (1.0, 0.0)):
    case("LSTMBlockCell", cell_, lambda *a, c=clip_, p=hole_, b=forget_: lstm_step(*a, b, c, p), cell_clip=clip_, use_peephole=hole_, forget_bias=forget_)
for clip_, hole_, length_ in itertools.product((-1.0, 0.3), (False, True), (5, 3)):
    case("BlockLSTM", [K(np.array(length_), "int64"), f(5, 2, 3), *cell_[1:]],
         lambda n, *a, c=clip_, p=hole_: lstm_steps(n, *a, forget=1.0, clip=c, peephole=p), cell_clip=clip_, use_peephole=hole_)
    case("BlockLSTMV2", [K(np.array(length_), "int64"), f(5, 2, 3), *cell_[1:]],
         lambda n, *a, c=clip_, p=hole_: lstm_steps(n, *a, forget=0.0, clip=c, peephole=p, order="ifco"), cell_clip=clip_, use_peephole=hole_)
# Nobody looks at the gates: a whole layer.
for hole_, length_ in itertools.product((False, True), (5, 3)):
    for op_, forget_, order_ in (("BlockLSTM", 1.0, "icfo"), ("BlockLSTMV2", 0.0, "ifco")):
        case(op_, [K(np.array(length_), "int64"), f(5, 2, 3), *cell_[1:3], *(K(array) for array in cell_[3:])],
             lambda n, *a, p=hole_, b=forget_, o=order_: (None,) * 6 + lstm_steps(n, *a, forget=b, clip=-1.0, peephole=p, order=o)[6:],
             cell_clip=-1.0, use_peephole=hole_)


CUDNN = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def cudnn_cell(mode, x, h, c, w, r, b, q):
    """Of one step; gates as cuDNN has them: i f c o, and r u c with r behind the product."""
    p, s = x @ w.T + b, h @ r.T + q
    if mode == "lstm":
        i, f_, z, o = np.split(p + s, 4, 1)
        c = sigmoid(f_) * c + sigmoid(i) * np.tanh(z)
        return sigmoid(o) * np.tanh(c), c
    if mode == "gru":
        (pr, pu, pc), (sr, su, sc) = np.split(p, 3, 1), np.split(s, 3, 1)
        u = sigmoid(pu + su)
        return (1 - u) * np.tanh(pc + sigmoid(pr + sr) * sc) + u * h, c
    return (np.tanh if mode == "rnn_tanh" else relu)(p + s), c


def cudnn_way(mode, x, h, c, weights, lens, back):
    made = np.zeros((*x.shape[:2], h.shape[1]))
    h, c = h.copy(), c.copy()
    for k in range(x.shape[1]):
        for t in range(lens[k])[::-1 if back else 1]:
            h[k:k + 1], c[k:k + 1] = cudnn_cell(mode, x[t, k:k + 1], h[k:k + 1], c[k:k + 1], *weights)
            made[t, k] = h[k]
    return made, h, c


def cudnn(x, h0, c0, params, lens=None, mode="lstm", skips=False, first=True):
    """first: steps before the batch."""
    swap = (lambda v: v) if first else (lambda v: v.transpose(1, 0, 2))
    x, h0, c0 = swap(x), swap(h0), swap(c0)
    lens = [len(x)] * x.shape[1] if lens is None else lens
    ways, units = (2 if skips == "both" else 1), h0.shape[2]
    gates, at, y, hs, cs = CUDNN[mode] * units, 0, x.astype("f8"), [], []
    def take(*dims):
        nonlocal at
        part = params[at:at + int(np.prod(dims))].reshape(dims)
        at += part.size
        return part
    matrices = []
    for layer in range(len(h0) // ways):
        wide = x.shape[2] if layer == 0 else ways * units
        for _ in range(ways):
            w = np.tile(np.eye(units), (CUDNN[mode], 1)) if skips is True and layer == 0 else take(gates, wide)
            matrices.append((w, take(gates, units)))
    for layer in range(len(h0) // ways):
        made = []
        for way in range(ways):
            k = layer * ways + way
            one, h, c = cudnn_way(mode, y, h0[k].astype("f8"), c0[k].astype("f8"), (*matrices[k], take(gates), take(gates)), lens, way == 1)
            made.append(one)
            hs.append(h)
            cs.append(c)
        y = np.concatenate(made, 2)
    assert at == params.size
    return swap(y).astype("f4"), swap(np.stack(hs)).astype("f4"), swap(np.stack(cs)).astype("f4") if mode == "lstm" else None


def cudnn_inputs(mode, layers, ways, width=3, units=4, skips=False, steps=5, batch=2):
    count = sum(ways * CUDNN[mode] * units * ((0 if skips and l == 0 else width if l == 0 else ways * units) + units + 2) for l in range(layers))
    return [f(steps, batch, width), f(layers * ways, batch, units, seed=1), f(layers * ways, batch, units, seed=2), K(f(count, seed=3, low=-0.6, high=0.6))]


for mode_, layers_, ways_ in itertools.product(CUDNN, (1, 2), (1, 2)):
    way_ = {"rnn_mode": mode_, "direction": "bidirectional" if ways_ == 2 else "unidirectional", "is_training": False}
    inputs_ = cudnn_inputs(mode_, layers_, ways_)
    want_ = functools.partial(cudnn, mode=mode_, skips="both" if ways_ == 2 else False)
    case("CudnnRNN", inputs_, want_, is_direct=True, **way_)
    case("CudnnRNNV2", inputs_, want_, is_direct=True, is_open=True, **way_)
    case("CudnnRNNV3", [*inputs_, np.array([5, 3], "i4")], want_, is_direct=True, **way_)
    case("CudnnRNNV3", [*(v.transpose(1, 0, 2) for v in inputs_[:3]), inputs_[3], np.array([2, 5], "i4")], functools.partial(want_, first=False),
         is_direct=True, time_major=False, **way_)
for mode_, how_, layers_ in itertools.product(CUDNN, ("skip_input", "auto_select"), (1, 2)):
    case("CudnnRNN", cudnn_inputs(mode_, layers_, 1, width=4, skips=True), functools.partial(cudnn, mode=mode_, skips=True), is_direct=True, rnn_mode=mode_,
         input_mode=how_, is_training=False)
case("CudnnRNN", cudnn_inputs("lstm", 1, 1), cudnn, is_direct=True, input_mode="auto_select", dropout=0.5, is_training=False)
case("CudnnRNN", cudnn_inputs("gru", 1, 1)[:3] + [cudnn_inputs("gru", 1, 1)[3].array], functools.partial(cudnn, mode="gru"), is_direct=True, rnn_mode="gru")
matrices_ = [f(4, 3), f(4, 3, seed=1), f(4, 4, seed=2), f(4, 4, seed=3)]
biases_ = [f(4, seed=k) for k in range(4)]
case("CudnnRNNCanonicalToParams", [K(np.array(1), "int32"), K(np.array(4), "int32"), K(np.array(3), "int32"), *matrices_, *biases_],
     lambda l, u, w, *all_: np.concatenate([v.reshape(-1) for v in all_]), is_direct=True, rnn_mode="gru")
case("CudnnRNNCanonicalToParamsV2", [K(np.array(1), "int32"), K(np.array(4), "int32"), K(np.array(3), "int32"), *matrices_, *biases_],
     lambda l, u, w, *all_: np.concatenate([v.reshape(-1) for v in all_]), is_direct=True, rnn_mode="gru", num_params_weights=4, num_params_biases=4)


def gru(x, h, wru, wc, bru, bc):
    r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ wru + bru), 2, 1)
    c = np.tanh(np.concatenate([x, r * h], 1) @ wc + bc)
    return tuple(y.astype("f4") for y in (r, u, c, u * h + (1 - u) * c))


case("GRUBlockCell", [f(2, 3), f(2, 4, seed=1), f(7, 8, seed=2), f(7, 4, seed=3), f(8, seed=4), f(4, seed=5)], gru)
ACTS = {"Relu": relu, "Relu6": lambda x: np.clip(x, 0, 6), "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
        "LeakyRelu": lambda x: np.where(x < 0, np.float32(0.2) * x, x), "Tanh": np.tanh, "Sigmoid": sigmoid}
for ops_ in (["BiasAdd"], *(["BiasAdd", name] for name in ACTS)):
    case("_FusedMatMul", [f(2, 3), f(3, 4), f(4, seed=1)], lambda x, y, b, o=ops_: (ACTS[o[1]] if o[1:] else np.copy)(x @ y + b).astype("f4"), fused_ops=ops_)
    case("_FusedConv2D", [f(1, 5, 5, 3), f(2, 2, 3, 4), f(4, seed=1)], lambda x, y, b, o=ops_: (ACTS[o[1]] if o[1:] else np.copy)(conv(x, y, (1, 1), (1, 1), "SAME") + b).astype("f4"),
         fused_ops=ops_, strides=[1, 1, 1, 1], padding="SAME")
case("_FusedMatMul", [f(3, 2), f(4, 3), f(4, seed=1)], lambda x, y, b: x.T @ y.T + b, fused_ops=["BiasAdd"], transpose_a=True, transpose_b=True)
case("_FusedConv2D", [f(1, 5, 5, 3), f(2, 2, 3, 4), *(f(4, seed=i, low=0.2) for i in range(4))],
     lambda x, y, *s: relu(batch_norm(conv(x, y, (2, 2), (1, 1), "VALID"), *s, 0.01, False)[0]), fused_ops=["FusedBatchNorm", "Relu"], epsilon=0.01, strides=[1, 2, 2, 1], padding="VALID")
case("_FusedConv2D", [f(1, 5, 5, 3), f(2, 2, 3, 4), f(4, seed=1)], lambda x, y, b: conv(x, y, (1, 1), (1, 1), ((1, 0), (0, 2))) + b,
     fused_ops=["BiasAdd"], strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0])
for op_ in ("_FusedDepthwiseConv2dNative", "FusedDepthwiseConv2dNative"):
    case(op_, [f(1, 5, 5, 3), f(2, 2, 3, 2), f(6, seed=1)], lambda x, y, b: relu(depthwise(x, y, (1, 1), (1, 1), "SAME") + b), fused_ops=["BiasAdd", "Relu"], strides=[1, 1, 1, 1], padding="SAME")
case("_FusedBatchNormEx", [f(2, 3, 4, 5), *(f(5, seed=i, low=0.2) for i in range(4))], lambda x, *s: relu(batch_norm(x, *s, 1e-3, False)[0]), is_training=False, epsilon=1e-3, activation_mode="Relu", num_side_inputs=0)
case("FusedPadConv2D", [f(1, 5, 5, 3), K([[0, 0], [1, 2], [2, 1], [0, 0]]), f(2, 2, 3, 4)], lambda x, p, w: conv(np.pad(x, p, "reflect"), w, (1, 1), (1, 1), "VALID"), mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
case("FusedResizeAndPadConv2D", [f(1, 5, 5, 3), K([7, 8]), K([[0, 0], [1, 2], [2, 1], [0, 0]]), f(2, 2, 3, 4)],
     lambda x, s, p, w: conv(np.pad(bilinear(x, s, False, False), p, "symmetric"), w, (1, 1), (1, 1), "SAME"), mode="SYMMETRIC", strides=[1, 1, 1, 1], padding="SAME")
case("Empty", [K([2, 3])], np.zeros((2, 3), "f4"), dtype="float32", init=True)
case("Empty", [K([2])], np.zeros(2, "i4"), dtype="int32", init=True)
for axes_, dims_ in [([0], (0, 3)), ([1], (2, 0)), ([0], (0,)), ([0, 1], (0, 3)), ([1], (0, 3))]:
    for keep_ in (False, True):
        for op_, want_, start_ in (("Max", np.max, -np.inf), ("Min", np.min, np.inf)):
            case(op_, [f(*dims_), K(axes_)], lambda x, a, w=want_, s=start_, k=keep_: w(x, axis=tuple(a), keepdims=k, initial=s).astype("f4"), keep_dims=keep_)


def draw(images, boxes, colors):
    y = images.astype("f8").copy()
    _, h, w, _ = images.shape
    for b, i in np.ndindex(boxes.shape[:2]):
        top, left, bottom, right = (int(v) for v in boxes[b, i] * np.array([h - 1, w - 1, h - 1, w - 1], "f4"))
        for r, c in np.ndindex(h, w):
            if top <= r <= bottom and left <= c <= right and (r in (top, bottom) or c in (left, right)):
                y[b, r, c] = colors[i % len(colors)]
    return y.astype(images.dtype)


boxes_ = np.array([[[0.1, 0.2, 0.7, 0.8], [0, 0, 1, 1]], [[-0.3, 0.3, 0.52, 1.4], [0.2, 0.1, 0.63, 0.41]]], "f4")
for dtype_ in ("float32", "float16"):
    case("DrawBoundingBoxesV2", [f(2, 8, 9, 3, dtype=dtype_), boxes_, f(3, 3, seed=2, low=0)], draw)
    case("DrawBoundingBoxesV2", [f(2, 8, 9, 1, dtype=dtype_), boxes_, f(1, 1, seed=2, low=0)], draw)
case("RaggedRange", [K([0, 3, 7]), K([2, 3, 1]), K([1, 1, -2])], (np.array([0, 2, 2, 5], "i8"), np.array([0, 1, 7, 5, 3], "i4")))
case("RaggedRange", [K(0), K([2, 0, 3]), K(1)], (np.array([0, 2, 2, 5], "i8"), np.array([0, 1, 0, 1, 2], "i4")))
case("RaggedRange", [K(0.0), K([1.0, 2.0]), K(0.5)], (np.array([0, 2, 6], "i4"), np.array([0, .5, 0, .5, 1, 1.5], "f4")), Tsplits="int32")


# --- of nothing ------------------------------------------------------------------------------------

for dims_ in [(0,), (0, 3), (2, 0), (1, 0, 4)]:
    x_ = f(*dims_)
    for op_ in ("Sigmoid", "Tanh", "Relu", "Softplus", "Elu", "Selu", "Lgamma", "Digamma", "Round", "Sign", "Log1p", "Expm1", "Reciprocal", "LeakyRelu"):
        case(op_, [x_], np.copy)
    for op_ in ("Mul", "Sub", "RealDiv", "Maximum", "Minimum", "SquaredDifference", "FloorMod", "Pow", "Atan2"):
        case(op_, [x_, x_], lambda x, y: x)
        case(op_, [x_, np.array(2, "f4")], lambda x, y: x)
    for op_ in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
        case(op_, [n(*dims_), n(*dims_)], lambda x, y: x)
    for keep_ in (False, True):
        for op_, want_ in (("Sum", np.sum), ("Prod", np.prod), ("Mean", np.mean)):
            case(op_, [x_, K(list(range(len(dims_))))], lambda x, a, w=want_, k=keep_: np.asarray(w(x, axis=tuple(a), keepdims=k)).astype("f4"), keep_dims=keep_)
            case(op_, [x_, K([len(dims_) - 1])], lambda x, a, w=want_, k=keep_: np.asarray(w(x, axis=-1, keepdims=k)).astype("f4"), keep_dims=keep_)
        for op_, want_ in (("All", np.all), ("Any", np.any)):
            case(op_, [b(*dims_), K([0])], lambda x, a, w=want_, k=keep_: np.asarray(w(x, axis=0, keepdims=k)), keep_dims=keep_)
    case("Cumsum", [x_, K(0)], lambda x, a: x)
    case("Cumprod", [x_, K(0)], lambda x, a: x)
    case("ExpandDims", [x_, K(-1)], lambda x, a: x[..., None])
    case("Tile", [x_, K([2] * len(dims_))], np.tile)
    case("ReverseV2", [x_, K([0])], lambda x, a: x)
    case("Transpose", [x_, K(list(range(len(dims_)))[::-1])], lambda x, p: x.T)
    case("Reshape", [x_, K([0, 7])], lambda x, s: x.reshape(0, 7))
    case("Reshape", [x_, K([-1, 3])], lambda x, s: x.reshape(0, 3))
    case("ConcatV2", [x_, x_, K(0)], lambda x, y, a: np.concatenate([x, y]))
    case("Pack", [x_, x_], lambda x, y: np.stack([x, y]))
    case("Where", [b(*dims_)], lambda x: np.argwhere(x).astype("i8"), skips_judge=True)
    case("Select", [b(*dims_), x_, x_], np.where)
    case("SelectV2", [b(*dims_), x_, x_], np.where)
    case("Pad", [x_, K([[1, 1]] * len(dims_))], lambda x, p: np.pad(x, p))
    case("OneHot", [n(*dims_), K(4), K(1.0), K(0.0)], lambda i, d, y, z: np.zeros(i.shape + (4,), "f4"))
    case("GatherV2", [f(3, 4), n(*dims_), K(0)], lambda x, i, a: x[i])
    case("GatherV2", [f(3, 4), n(*dims_), K(1)], lambda x, i, a: x[:, i])
    case("Cast", [x_], lambda x: x.astype("i8"), DstT="int64")
    case("Shape", [x_], lambda x: np.array(x.shape, "i4"))
    case("Size", [x_], np.int32(0))
    case("L2Loss", [x_], np.float32(0))
    case("AddN", [x_, x_], lambda x, y: x)
    case("BroadcastTo", [f(1), K(dims_)], lambda x, s: np.zeros(s, "f4"))
    case("IdentityN", [x_, x_], lambda x, y: (x, y))
    case("ZerosLike", [x_], np.copy)
    case("OnesLike", [x_], np.copy)
    if dims_[-1]:
        case("Softmax", [x_], np.copy)
        case("LogSoftmax", [x_], np.copy)
    if len(dims_) > 1:
        case("Slice", [x_, K([0] * len(dims_)), K([-1] * len(dims_))], lambda x, *k: x)
        case("StridedSlice", [x_, K([0]), K([1]), K([1])], lambda x, *k: x[0:1])
        case("BiasAdd", [x_, f(dims_[-1])], lambda x, y: x)
        case("Unpack", [x_], lambda x: tuple(np.moveaxis(x, -1, 0)), num=dims_[-1], axis=len(dims_) - 1) if dims_[-1] else None
        case("Split", [K(len(dims_) - 1), f(*dims_[:-1], 4)], lambda a, x: tuple(np.split(x, 2, -1)), num_split=2)
        case("MatMul", [f(dims_[-2], dims_[-1]), f(dims_[-1], 5)], np.matmul)
        case("BatchMatMulV2", [f(2, dims_[-2], dims_[-1]), f(2, dims_[-1], 5)], np.matmul)
        case("MatrixDiag", [x_], lambda x: np.zeros(x.shape + x.shape[-1:], "f4"))
for op_ in ("NonMaxSuppressionV2", "NonMaxSuppressionV3"):
    rest_ = [K(0.5), K(0.0)][:2 if op_.endswith("3") else 1]
    case(op_, [f(0, 4), f(0), K(3), *rest_], np.zeros(0, "i4"))
case("UnsortedSegmentSum", [f(0, 3), n(0), K(2)], np.zeros((2, 3), "f4"))
case("DynamicPartition", [f(0, 3), n(0)], lambda x, p: (x, x), num_partitions=2)
case("Bincount", [n(0), K(3), K(np.array([], "f4"))], np.zeros(3, "f4"))
case("Conv2D", [f(0, 5, 5, 3), f(2, 2, 3, 4)], np.zeros((0, 5, 5, 4), "f4"), strides=[1, 1, 1, 1], padding="SAME")
case("MaxPool", [f(0, 5, 5, 3)], np.zeros((0, 2, 2, 3), "f4"), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")


# --- of nothing in networks, images and matrices -------------------------------------------------

def nothing(*dims, dtype="float32"):
    return np.zeros(dims, dtype)


for dtype_ in ("float32", "float64"):
    def less_(*dims, dtype=dtype_):
        return lambda *xs: nothing(*dims, dtype=dtype)
    for dims_ in [(0, 2, 2), (1, 0, 2, 2)]:
        x_ = nothing(*dims_, dtype=dtype_)
        for op_ in ("Cholesky", "MatrixInverse"):
            case(op_, [x_], np.copy)
        for op_ in ("MatrixSolve", "MatrixTriangularSolve"):
            case(op_, [x_, x_], lambda a, y: y)
        case("MatrixDeterminant", [x_], less_(*dims_[:-2]))
        case("MatrixDiagPart", [x_], less_(*dims_[:-1]))
        case("Lu", [x_], lambda x: (x, nothing(*x.shape[:-1], dtype="int32")))
        case("Svd", [x_], lambda x: (nothing(*x.shape[:-1], dtype=x.dtype), x, x))
        case("MatrixSetDiag", [x_, x_[..., 0]], lambda x, d: x)
    x_ = nothing(0, 4, 4, 3, dtype=dtype_)
    for op_ in ("ResizeBilinear", "ResizeBicubic", "ResizeArea"):
        case(op_, [x_, K([6, 5])], nothing(0, 6, 5, 3))
    case("MaxPoolWithArgmax", [x_], lambda x: (x[:, :2, :2], nothing(0, 2, 2, 3, dtype="int64")), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    case("SpaceToBatchND", [x_, K([2, 2]), K([[0, 0], [0, 0]])], less_(0, 2, 2, 3))
    case("BatchToSpaceND", [x_, K([2, 2]), K([[0, 0], [0, 0]])], less_(0, 8, 8, 3))
    case("ExtractImagePatches", [x_], less_(0, 3, 3, 12), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
    x_ = nothing(0, 4, dtype=dtype_)
    case("TopKV2", [x_, K(2)], lambda x, k: (x[:, :2], nothing(0, 2, dtype="int32")))
    case("NthElement", [x_, K(2)], less_(0))
    case("ArgMax", [x_, K(1)], nothing(0, dtype="int64"))
    for op_ in ("SegmentSum", "SegmentProd", "SegmentMax", "SegmentMin", "SegmentMean"):
        case(op_, [x_, n(0)], lambda x, i: x, skips_judge=True)
    case("ListDiff", [f(2, dtype=dtype_), f(0, dtype=dtype_)], lambda x, y: (x, np.array([0, 1], "i4")))
    case("SoftmaxCrossEntropyWithLogits", [x_, x_], lambda x, y: (x[:, 0], x))
    case("CompareAndBitpack", [nothing(0, 8, dtype=dtype_), np.zeros((), dtype_)], nothing(0, 1, dtype="uint8"))
case("InTopKV2", [nothing(0, 4), n(0), K(2)], nothing(0, dtype="bool"))


# --- in all digits -------------------------------------------------------------------------------

near_ = np.array([-1, -.999999, -.7, -1e-3, -1e-9, 0, 1e-12, 1e-4, .3, .99999999, 1])
far_ = np.array([-20, -3, -1.5707, -1, -1e-7, 0, 1e-5, .5, 1.5, 2, 7, 20])
for op_, want_, x_ in [("Tan", np.tan, far_), ("Asin", np.arcsin, near_), ("Acos", np.arccos, near_), ("Atan", np.arctan, far_),
                       ("Sinh", np.sinh, far_), ("Cosh", np.cosh, far_), ("Asinh", np.arcsinh, far_),
                       ("Atanh", np.arctanh, near_[1:-1]), ("Acosh", np.arccosh, np.array([1, 1.0000001, 2, 30, 1e10]))]:
    case(op_, [x_], want_, tolerance=1e-12)
case("Atan", [np.array([np.inf, -np.inf, 1e30])], np.arctan)
for dims_ in [(1, 1), (3, 3), (2, 2, 6, 6), (12, 12)]:
    case("MatrixDeterminant", [f(*dims_, dtype="float64")], np.linalg.det, tolerance=1e-9)
case("MatrixDeterminant", [np.array([[0, 1, 2], [3, 0, 1], [0, 0, 0.0]])], np.linalg.det)
case("MatrixDeterminant", [np.array([[0, 1, 2], [0, 0, 1], [4, 2, 0.0]])], np.linalg.det)


# --- more of linear algebra ------------------------------------------------------------------------

def one_by_one(want, count=1):
    """Of each matrix of a batch."""
    def made(*xs):
        rows = [want(*row) for row in zip(*(x.reshape(-1, *x.shape[-2:]).astype("f8") for x in xs))]
        parts = zip(*rows) if count > 1 else [rows]
        done = [np.stack(part).reshape(*xs[0].shape[:-2], *part[0].shape).astype(xs[0].dtype) for part in parts]
        return tuple(done) if count > 1 else done[0]
    return made


for dtype_ in ("float32", "float64"):
    for dims_ in [(3, 3), (5, 3), (3, 5), (2, 4, 3)]:
        solve_ = one_by_one(lambda a, y: np.linalg.lstsq(a, y, rcond=None)[0])
        for fast_ in (True, False):
            case("MatrixSolveLs", [f(*dims_, dtype=dtype_), f(*dims_[:-1], 2, dtype=dtype_, seed=2), K(0.0, "float64")],
                 lambda a, y, l: solve_(a, y), fast=fast_, tolerance=2e-4)
    case("MatrixSolveLs", [f(5, 3, dtype=dtype_), f(5, 2, dtype=dtype_, seed=2), K(0.5, "float64")],
         lambda a, y, l: np.linalg.solve(a.T @ a + l.astype(a.dtype) * np.eye(3, dtype=a.dtype), a.T @ y))
    for dims_, full_ in itertools.product([(3, 3), (4, 3), (3, 4), (2, 4, 3), (5, 2)], (False, True)):
        case("Qr", [f(*dims_, dtype=dtype_)], one_by_one(lambda x, m=full_: np.linalg.qr(x, "complete" if m else "reduced"), 2), full_matrices=full_)
case("Qr", [np.array([[2, 1], [0, 3], [0, 4]], "f4")], one_by_one(np.linalg.qr, 2))
case("BatchMatrixBandPart", [f(3, 3), K(1, "int64"), K(0, "int64")], band)
case("BatchMatrixDiag", [f(2, 3)], lambda x: np.stack([np.diag(r) for r in x]))
case("BatchMatrixDiagPart", [f(2, 3, 3)], lambda x: np.diagonal(x, axis1=-2, axis2=-1))
case("BatchMatrixSolve", [well(3, 3), f(3, 1)], np.linalg.solve)
case("BatchMatrixTriangularSolve", [well(3, 3), f(3, 1)], lambda a, y: np.linalg.solve(np.tril(a), y))
case("ConjugateTranspose", [f(2, 3), K([1, 0])], lambda x, p: x.T)
case("DataFormatVecPermute", [n(4)], lambda x: x[[0, 3, 1, 2]], src_format="NHWC", dst_format="NCHW")
case("DataFormatDimMap", [np.array([0, 1, -2, -1], "i4")], np.array([0, 2, 3, 1], "i4"), src_format="NHWC", dst_format="NCHW")
case("InplaceUpdate", [f(4, 2), K([1]), f(1, 2, seed=1)], lambda x, i, v: scatter(x, i[:, None], v, second))
case("InplaceAdd", [f(4, 2), K([1]), f(1, 2, seed=1)], lambda x, i, v: scatter(x, i[:, None], v, np.add))
case("InplaceSub", [f(4, 2), K([1]), f(1, 2, seed=1)], lambda x, i, v: scatter(x, i[:, None], v, np.subtract))
case("SegmentSumV2", [f(4, 2), np.array([0, 0, 1, 1], "i4"), K(3)], lambda x, i, k: segments(x, i, 3, 0, np.add))
for op_, want_ in {"EluGrad": lambda g, y: np.where(y < 0, g * (y + 1), g), "SoftplusGrad": lambda g, x: g * sigmoid(x),
                   "SeluGrad": lambda g, y: g * np.where(y < 0, y + 1.7580993408473766, 1.0507009873554805),
                   "SoftsignGrad": lambda g, x: g / (1 + abs(x)) ** 2, "LeakyReluGrad": lambda g, x: np.where(x > 0, g, 0.2 * g),
                   "ReciprocalGrad": lambda y, g: -g * y * y, "InvGrad": lambda y, g: -g * y * y,
                   "SqrtGrad": lambda y, g: g * 0.5 / y, "RsqrtGrad": lambda y, g: g * -0.5 * y ** 3}.items():
    case(op_, [f(2, 3), f(2, 3, seed=1)], wide(want_))


# --- of any number of rows -------------------------------------------------------------------------

for shift_, axis_, dims_ in [([2], [0], (5,)), ([-1, 3], [0, 1], (3, 4)), ([7], [0], (3, 2)), (1, 0, (0, 2))]:
    case("Roll", [f(*dims_), K(np.array(shift_, "i4")), K(np.array(axis_, "i4"))],
         lambda x, s, a: np.roll(x, tuple(np.reshape(s, -1)), tuple(np.reshape(a, -1))), is_open=True)
for low_, high_ in [(1, 0), (-1, 1), (0, -1)]:
    case("MatrixBandPart", [f(3, 4), K(low_, "int64"), K(high_, "int64")], band, is_open=True)
case("MatrixDiag", [f(3)], np.diag, is_open=True)
case("MatrixSetDiag", [f(4, 3), f(3, seed=1)], lambda x, d: np.where(np.eye(4, 3, dtype=bool), d, x), is_open=True)
for op_ in ("MatrixDiagPartV3", "MatrixDiagPartV2"):
    case(op_, [f(2, 3, 4), K([-1, 1]), K(7.0)], lambda x, k, v, a="LEFT_LEFT" if op_.endswith("2") else "RIGHT_LEFT": diag_parts(x, k[0], k[1], v, a), is_open=True)
case("MatrixDiagV3", [f(2, 3), K(1), K(-1), K(-1), K(9.0)], lambda d, k, r, c, v: from_diags(d, k, r, c, v, "RIGHT_LEFT"), is_open=True)
case("MatrixSetDiagV3", [f(2, 3, 3), f(2, 3, seed=1), K(0)], lambda x, d, k: x * (1 - np.eye(3, dtype="f4")) + np.stack([np.diag(r) for r in d]), is_open=True)
for dims_, at_, axis_, batch_ in [((2, 4), (2, 3), 1, 1), ((2, 3, 4), (2, 2), 1, 1), ((2, 3, 4), (2, 2), 2, 1), ((2, 3, 4), (2, 3, 2), 2, 2)]:
    case("GatherV2", [f(*dims_), n(*at_, low=0, high=2), K(axis_)], lambda x, i, a, k=batch_: batch_gather(x, i, int(a), k), batch_dims=batch_, is_open=True)
for pads_, with_ in (("SAME", False), ("VALID", True)):
    case("MaxPoolWithArgmax", [f(2, 5, 6, 2)], lambda x, p=pads_, w=with_: max_argmax(x, (2, 2), (2, 2), p, w, "i8"),
         ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=pads_, include_batch_in_index=with_, is_open=True)
for form_ in ("NHWC", "NCHW"):
    x_ = laid_out(f(2, 3, 4, 5), form_ == "NCHW")
    case("FusedBatchNormV3", [x_, *(K(f(5, seed=i, low=0.5)) for i in range(4))],
         lambda x, *s, c=form_: [first(y) if c == "NCHW" and y.ndim == 4 else y for y in batch_norm(last(x) if c == "NCHW" else x, *s, 1e-3, True)],
         data_format=form_, is_training=True, epsilon=1e-3, is_open=True)
case("FusedBatchNormV3", [f(2, 3, 4, 5, 2), *(K(f(2, seed=i, low=0.5)) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, False)[0],
     is_training=False, epsilon=1e-3, data_format="NDHWC", is_open=True)
x_ = f(2, 4, 4, 4, 3)
case("Conv3DBackpropInputV2", [K([2, 5, 5, 5, 2]), K(f(2, 2, 2, 2, 3, seed=1)), x_], lambda s, w, g: conv_back([5] * 3, w, g, [1] * 3, [1] * 3, "VALID"),
     strides=[1] * 5, padding="VALID", is_open=True)

case("BatchMatMulV2", [f(2, 3, 4), K(f(4, 5))], np.matmul, is_open=True)
case("BatchMatMulV2", [f(2, 3, 4), K(f(5, 4))], lambda x, y: x @ y.T, adj_y=True, is_open=True)
case("SplitV", [f(4, 6), K([1, -1]), K(0)], lambda x, s, a: (x[:1], x[1:]), num_split=2, is_open=True)
case("SplitV", [f(4, 6), K([-1, 1, 2]), K(0)], lambda x, s, a: (x[:1], x[1:2], x[2:]), num_split=3, is_open=True)
x_ = f(2, 6, 6, 3)
case("Conv2D", [x_, K(f(3, 3, 3, 4))], lambda x, w: conv(x, w, (2, 2), (1, 1), "SAME"), strides=[1, 2, 2, 1], padding="SAME", is_open=True)
case("AvgPool", [x_], lambda x: pool(x, (3, 3), (2, 2), "SAME", False), ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", is_open=True)
case("ExtractImagePatches", [x_], lambda x: patches(x, (2, 2), (2, 2), (1, 1), "SAME"), ksizes=[1, 2, 2, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="SAME", is_open=True)
case("SpaceToBatchND", [x_, K([2, 2]), K([[0, 0], [0, 0]])], space_to_batch, is_open=True)
case("Qr", [f(2, 4, 3)], one_by_one(np.linalg.qr, 2), is_open=True)

case("Mean", [f(4, 3), K([0])], lambda x, a: x.mean(0), is_open=True)
case("Mean", [f(4, 3), K([0, 1])], lambda x, a: x.mean(), is_open="rank")
case("Mean", [f(2, 3, 4), K([0, -1])], lambda x, a: x.mean((0, 2)), is_open="sizes")
case("Mean", [n(2, 3), K([0])], lambda x, a: np.trunc(x.mean(0)).astype("i4"), is_open=True)
case("BatchMatMulV2", [f(3, 4), f(2, 4, 5, seed=1)], np.matmul, is_open=True)
case("BatchMatMulV2", [f(2, 3, 4), K(f(4, 5))], np.matmul, is_open="sizes")
case("BatchMatMulV2", [f(2, 2, 3, 4), K(f(1, 4, 5))], np.matmul, is_open=True)
case("MatMul", [f(4, 3), f(5, 4, seed=1)], lambda x, y: x.T @ y.T, transpose_a=True, transpose_b=True, is_open="rank")
for equation_, dims_ in (("bqhd,bkhd->bhqk", ((2, 3, 2, 4), (2, 5, 2, 4))), ("ij,kl->ijkl", ((2, 3), (4, 5)))):
    case("Einsum", [f(*d, seed=i) for i, d in enumerate(dims_)], lambda *xs, e=equation_: np.einsum(e, *xs), equation=equation_, is_open="sizes")
case("MaxPool", [f(2, 2, 2, 6)], lambda x: x.reshape(2, 2, 2, 3, 2).max(4), ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID", is_open=True)
case("UnsortedSegmentMax", [n(4, 2), n(4, low=0, high=0), K(2)], lambda x, i, k: segments(x, i, 2, limit("int32", True), np.maximum), is_open=True)
case("ScatterAdd", [f(4, 2), n(3, low=0, high=3), np.float32(2)], lambda x, i, u: scatter(x, i[:, None], np.full((3, 2), u), np.add), is_open=True)


# --- of any size, and of any rank ------------------------------------------------------------------

for size_, step_ in ((7, 2), (6, 2), (5, 1)):
    x_ = f(2, size_, size_ + 1, 3)
    for open_ in ("sizes", "rank"):
        case("Conv2D", [x_, K(f(3, 3, 3, 4))], lambda x, w, s=step_: conv(x, w, (s, s), (1, 1), "SAME"), strides=[1, step_, step_, 1], padding="SAME", is_open=open_)
        case("Conv2D", [x_, K(f(1, 1, 3, 4))], lambda x, w, s=step_: conv(x, w, (s, s), (1, 1), "SAME"), strides=[1, step_, step_, 1], padding="SAME", is_open=open_)
        case("MaxPool", [x_], lambda x, s=step_: pool(x, (2, 2), (s, s), "SAME", True), ksize=[1, 2, 2, 1], strides=[1, step_, step_, 1], padding="SAME", is_open=open_)
        case("AvgPool", [x_], lambda x, s=step_: pool(x, (3, 3), (s, s), "SAME", False), ksize=[1, 3, 3, 1], strides=[1, step_, step_, 1], padding="SAME", is_open=open_)
x_ = f(2, 5, 5, 3)
case("Conv2D", [x_, K(f(3, 3, 3, 4))], lambda x, w: conv(x, w, (1, 1), (2, 2), "SAME"), strides=[1] * 4, dilations=[1, 2, 2, 1], padding="SAME", is_open="sizes")
case("DepthwiseConv2dNative", [x_, K(f(3, 3, 3, 2))], lambda x, w: depthwise(x, w, (2, 2), (1, 1), "SAME"), strides=[1, 2, 2, 1], padding="SAME", is_open="sizes")
x_ = f(2, 4, 6, 8)
for open_ in ("sizes", "rank"):
    case("DepthToSpace", [x_], lambda x: depth_to_space(x, 2), block_size=2, is_open=open_)
    case("SpaceToDepth", [x_], lambda x: space_to_depth(x, 2), block_size=2, is_open=open_)
    case("ResizeBilinear", [x_, np.array([3, 5], "i4")], lambda x, s: bilinear(x, s, False, True), half_pixel_centers=True, is_open=open_)
    case("BiasAdd", [x_, f(4)], lambda x, b: x + b[:, None, None], data_format="NCHW", is_open=open_)
    case("FusedBatchNormV3", [x_, *(K(f(8, seed=i, low=0.5)) for i in range(4))], lambda x, *s: batch_norm(x, *s, 1e-3, False)[0], is_training=False, epsilon=1e-3, is_open=open_)
    case("StridedSlice", [x_, K([0, 1]), K([0, 3]), K([1, 1])], lambda x, *k: x[..., 1:3], ellipsis_mask=1, is_open=open_)
    # Bounds behind the end of an axis, whose size may only be known to the run.
    for begin_, end_, step_ in ((0, 100, 1), (100, 0, -1), (-1, -100, -2), (-2, 2, 1)):
        case("StridedSlice", [x_, K([begin_]), K([end_]), K([step_])],
             lambda x, *k, at=slice(begin_, end_, step_): x[at], is_open=open_)
    case("StridedSlice", [x_, K([100]), K([0]), K([-1])], lambda x, *k: x[100::-1], end_mask=1, is_open=open_)
    case("StridedSlice", [x_, K([0, 1]), K([0, 2]), K([1, 1])], lambda x, *k: x[..., 1], ellipsis_mask=1, shrink_axis_mask=2, is_open=open_)
    case("Bucketize", [x_], lambda x: np.digitize(x, [-1, 0, 1]).astype("i4"), boundaries=[-1.0, 0.0, 1.0], is_open=open_)
    case("MatrixSetDiag", [f(2, 4, 3), f(2, 3, seed=1)], lambda x, d: np.where(np.eye(4, 3, dtype=bool), np.pad(d, [(0, 0), (0, 1)])[..., None], x), is_open=open_)
    case("Diag", [f(2, 3)], lambda x: np.diag(x.reshape(-1)).reshape(2, 3, 2, 3), is_open=open_)
    case("DiagPart", [f(2, 2, 2, 2)], lambda x: np.diag(x.reshape(4, 4)).reshape(2, 2), is_open=open_)
    case("BroadcastArgs", [np.array([2, 1], "i4"), np.array([3], "i4")], np.array([2, 3], "i4"), is_open=open_)
    case("SegmentSum", [f(4, 2), np.array([0, 0, 2, 2], "i4")], lambda x, i: segments(x, i, 3, 0, np.add), is_open=open_)
    case("Roll", [f(3, 4), K([2]), K([1])], lambda x, s, a: np.roll(x, 2, 1), is_open=open_)
    case("MatrixBandPart", [f(3, 4), K(5, "int64"), K(0, "int64")], band, is_open=open_)
    case("ReverseSequence", [f(3, 4), np.array([1, 4, 2], "i4")], lambda x, k: reverse_sequence(x, k, 1, 0), seq_dim=1, is_open=open_)
    case("MirrorPad", [f(2, 3), K([[1, 1], [2, 0]])], lambda x, p: np.pad(x, p, "symmetric"), mode="SYMMETRIC", is_open=open_)
    case("Softmax", [f(2, 3, 4)], softmax, is_open=open_)
    for corners_, half_ in ((False, False), (True, False), (False, True)):
        case("ResizeBicubic", [x_, np.array([7, 5], "i4")], lambda x, s, c=corners_, h=half_: cubic(x, s, c, h),
             align_corners=corners_, half_pixel_centers=half_, is_open=open_)
    case("Sum", [f(0, 2, 3), K([-1])], lambda x, a: x.sum(-1), is_open=open_)
for dims_ in ((), (2,), (2, 3)):
    case("Select", [b(*dims_), f(2, 3), f(2, 3, seed=1)], lambda c, x, y: np.where(np.reshape(c, c.shape + (1,) * (2 - c.ndim)), x, y), is_open="rank")
case("SpaceToBatchND", [f(1, 4, 6, 2), K([2, 2]), np.array([[0, 0], [1, 1]], "i4")], space_to_batch, is_open="sizes")
case("MirrorPad", [f(2, 3), np.array([[1, 2], [3, 0]], "i4")], lambda x, p: np.pad(x, p, "symmetric"), mode="SYMMETRIC", is_open="sizes")
case("MirrorPad", [f(3, 2), np.array([[0, 1], [1, 1]], "i4")], lambda x, p: np.pad(x, p, "symmetric"), mode="SYMMETRIC")
# What is not chosen may be no number.
x_ = np.where(b(2, 3), f(2, 3), np.float32(-np.inf))
for open_ in (True, "sizes", "rank"):
    case("SelectV2", [np.isfinite(x_), x_, K(0.5)], np.where, is_open=open_)
    case("SelectV2", [b(2, 1, 3), f(3), f(4, 1, seed=1)], np.where, is_open=open_)
    case("SelectV2", [b(3), b(2, 3, seed=1), b(2, 3, seed=2)], np.where, is_open=open_)
for size_, step_, pad_ in ((9, 2, "SAME"), (10, 2, "SAME"), (12, 2, "VALID"), (5, 1, "SAME")):
    out_ = -(-size_ // step_) if pad_ == "SAME" else (size_ - 3) // step_ + 1
    case("Conv2DBackpropInput", [np.array([2, size_, size_, 4], "i4"), K(f(3, 3, 4, 3)), f(2, out_, out_, 3)],
         lambda s, w, g, k=step_, p=pad_: conv_back(s[1:3], w, g, (k, k), (1, 1), p), strides=[1, step_, step_, 1], padding=pad_, is_open="sizes")
case("BatchToSpaceND", [f(4, 2, 3, 2), K([2, 2]), np.array([[0, 1], [1, 0]], "i4")], batch_to_space, is_open="sizes")


# --- types that few graphs have --------------------------------------------------------------------

case("AdjustContrastv2", [f(2, 3, 4, 2, dtype="float16"), K(1.5)],
     lambda x, d: ((x - x.mean((-3, -2), keepdims=True)) * d + x.mean((-3, -2), keepdims=True)).astype(x.dtype))
for dtype_ in ("uint32", "uint64"):
    case("Unique", [n(8, low=0, high=4, dtype=dtype_)], lambda x: uniques(x)[:2])
for dtype_ in NUMBERS:
    case("Cumsum", [any_of(dtype_, 2, 3, 4, low=-2, high=2), K(-2)], lambda x, a: np.cumsum(x, 1, dtype=x.dtype))
    case("DepthToSpace", [any_of(dtype_, 1, 2, 2, 4)], lambda x: depth_to_space(x, 2), block_size=2)
    case("SpaceToBatchND", [any_of(dtype_, 1, 4, 4, 1), K([2, 2]), K([[0, 0], [0, 0]])], space_to_batch)
    case("MatrixDiagV3", [any_of(dtype_, 2, 3), K(0), K(-1), K(-1), K(np.array(0), dtype_)], lambda d, *k: np.stack([np.diag(r) for r in d]))
    case("ReverseSequence", [any_of(dtype_, 3, 4), np.array([1, 4, 2], "i4")], lambda x, k: reverse_sequence(x, k, 1, 0), seq_dim=1)

# --- what nd4j has not: directly ---------------------------------------------------


def ctc_greedy(x, lengths, merge, blank):
    best = x.argmax(2).T
    rows, values, total = [], [], []
    for b, steps in enumerate(best):
        before, place = -1, 0
        for label in steps[:lengths[b]]:
            if label != blank and not (merge and label == before):
                rows.append((b, place))
                values.append(label)
                place += 1
            before = label
        total.append([-x[:lengths[b], b].max(1).sum()])
    longest = max([row[1] + 1 for row in rows], default=0)
    return (np.array(rows, "i8").reshape(-1, 2), np.array(values, "i8"),
            np.array([x.shape[1], longest], "i8"), np.array(total, x.dtype))


for merge_, blank_ in itertools.product((False, True), (-1, 0)):
    case("CTCGreedyDecoder", [f(12, 3, 4), np.array([12, 7, 1], "i4")],
         lambda x, n, m=merge_, k=blank_: ctc_greedy(x, n, m, k % 4), is_direct=True,
         merge_repeated=merge_, blank_index=blank_)


def warp(images, transforms, size, fill, way, mode):
    n, h, w, c = images.shape
    made = np.zeros((n, *size, c), images.dtype)

    def pixel(b, y, x):
        if mode == "NEAREST":
            y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
        return images[b, y, x] if 0 <= y < h and 0 <= x < w else np.full(c, fill, "f4")
    for b, i, j in itertools.product(range(n), range(size[0]), range(size[1])):
        t = transforms[b % len(transforms)].astype("f4")
        k = t[6] * j + t[7] * i + 1
        if k == 0:
            made[b, i, j] = fill
            continue
        x, y = (t[0] * j + t[1] * i + t[2]) / k, (t[3] * j + t[4] * i + t[5]) / k
        if mode == "NEAREST":
            x, y = min(max(x, 0), w - 1), min(max(y, 0), h - 1)
        if way == "NEAREST":
            made[b, i, j] = pixel(b, int(np.sign(y) * np.floor(abs(y) + 0.5)), int(np.sign(x) * np.floor(abs(x) + 0.5)))
            continue
        top, left = int(np.floor(y)), int(np.floor(x))
        dx, dy = x - left, y - top
        upper = pixel(b, top, left) * (1 - dx) + pixel(b, top, left + 1) * dx
        lower = pixel(b, top + 1, left) * (1 - dx) + pixel(b, top + 1, left + 1) * dx
        made[b, i, j] = upper * (1 - dy) + lower * dy
    return made


warps_ = np.array([[0.9, 0.2, -0.6, -0.15, 1.1, 0.3, 0.01, -0.02], [1.3, 0, 0.4, 0, 0.7, -1.2, 0, 0]], "f4")
for way_, mode_, fill_ in itertools.product(("NEAREST", "BILINEAR"), ("CONSTANT", "NEAREST"), (0.0, 1.5)):
    case("ImageProjectiveTransformV3", [f(2, 5, 6, 3), warps_, np.array([4, 7], "i4"), np.array(fill_, "f4")],
         lambda x, t, s, v, w=way_, m=mode_: warp(x, t, s, float(v), w, m), is_direct=True,
         interpolation=way_, fill_mode=mode_)
case("ImageProjectiveTransformV2", [f(2, 5, 6, 3), warps_[:1], np.array([4, 7], "i4")],
     lambda x, t, s: warp(x, t, s, 0.0, "BILINEAR", "CONSTANT"), is_direct=True, interpolation="BILINEAR", fill_mode="CONSTANT")


def combined_nms(boxes, scores, per_class, total, iou, least, pads, clips):
    n, many, shared, _ = boxes.shape
    classes = scores.shape[2]
    most = min(int(total), int(per_class) * classes) if pads else int(total)
    made = [np.zeros((n, most, 4), "f4"), np.zeros((n, most), "f4"), np.zeros((n, most), "f4"), np.zeros(n, "i4")]
    for b in range(n):
        left = []
        for c in range(classes):
            of_class = boxes[b, :, 0 if shared == 1 else c]
            kept = []
            for i in sorted(range(many), key=lambda k: -scores[b, k, c]):
                if scores[b, i, c] > least and len(kept) < per_class and all(common(of_class[i], of_class[k]) <= iou for k in kept):
                    kept.append(i)
                    left.append((-scores[b, i, c], c, i))
        for place, (worth, c, i) in enumerate(sorted(left)[:most]):
            box = boxes[b, i, 0 if shared == 1 else c]
            made[0][b, place] = np.clip(box, 0, 1) if clips else box
            made[1][b, place], made[2][b, place] = -worth, c
        made[3][b] = min(len(left), most)
    return tuple(made)


def common(a, b):
    """How much of two boxes together both have."""
    high = min(a[2], b[2]) - max(a[0], b[0])
    wide = min(a[3], b[3]) - max(a[1], b[1])
    both = max(high, 0) * max(wide, 0)
    return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both)


for shared_, pads_, clips_, open_ in ((1, False, True, False), (3, False, True, False), (1, True, False, True), (3, True, True, True)):
    corner_ = f(2, 12, shared_, 2, low=0, high=0.8, seed=shared_)
    case("CombinedNonMaxSuppression", [np.concatenate([corner_, corner_ + f(2, 12, shared_, 2, low=0.1, high=0.5)], -1), f(2, 12, 3, low=0, high=1),
                                       K(np.array(4, "i4")), K(np.array(15, "i4")), K(np.array(0.3, "f4")), K(np.array(0.25, "f4"))],
         lambda x, s, m, t, o, l, p=pads_, c=clips_: combined_nms(x, s, m, t, o, l, p, c), is_direct=True, is_open=open_,
         pad_per_class=pads_, clip_boxes=clips_)


# --- sorted, sparse and ragged ----------------------------------------------------------------

SORTED = np.sort(f(2, 6, low=0, high=9), -1)
BETWEEN = np.concatenate([SORTED[:, 2:4], f(2, 3, low=0, high=9, seed=5)], -1)
for op_, side_ in (("LowerBound", "left"), ("UpperBound", "right")):
    def searched(xs, vs, side=side_, to="int32"):
        return np.stack([np.searchsorted(x, v, side) for x, v in zip(xs, vs)]).astype(to)
    for open_ in (False, True, "sizes"):
        case(op_, [SORTED, BETWEEN], searched, is_open=open_, is_direct=True)
    case(op_, [np.array([[1, 3, 3, 9]]), np.array([[0, 1, 3, 4, 9, 10]])], lambda x, v, do=searched: do(x, v, to="int64"),
         is_direct=True, out_type="int64")
    case(op_, [SORTED[:, :0], BETWEEN], searched, is_direct=True)


def unravelled(at, dims):
    return np.stack(np.unravel_index(at, dims)).astype(at.dtype)


case("UnravelIndex", [n(5, low=0, high=23), K([2, 3, 4])], unravelled, is_direct=True)
case("UnravelIndex", [n(5, low=0, high=23), np.array([2, 3, 4], "int32")], unravelled, is_direct=True)
case("UnravelIndex", [np.array(17, "int64"), np.array([4, 6], "int64")], unravelled, is_direct=True)


def sparse_again(at, dims, new):
    whole = [d if d != -1 else np.prod(dims) // -np.prod(new) for d in new]
    return (np.stack(np.unravel_index(np.ravel_multi_index(tuple(at.T), dims), whole), -1).astype("int64"), np.array(whole))


PLACES = np.array([[0, 0, 1], [0, 2, 3], [1, 1, 0], [1, 2, 3]])
for new_ in ([6, 4], [-1, 4], [2, -1], [24], [4, 3, 2]):
    case("SparseReshape", [PLACES, np.array([2, 3, 4]), K(new_, "int64")], sparse_again, is_direct=True)
    case("SparseReshape", [PLACES, K([2, 3, 4], "int64"), np.array(new_)], sparse_again, is_direct=True)


def filled_rows(at, values, dims, default):
    alone = [r for r in range(dims[0]) if r not in at[:, 0]]
    rows = [(a, v) for a, v in zip(at.tolist(), values)] + [([r] + [0] * (at.shape[1] - 1), default) for r in alone]
    order = sorted(range(len(rows)), key=lambda i: rows[i][0][0])
    return (np.array([rows[i][0] for i in order], "int64").reshape(-1, at.shape[1]), np.array([rows[i][1] for i in order], values.dtype),
            np.array([r in alone for r in range(dims[0])]), np.array([order.index(i) for i in range(len(at))], "int64"))


for at_ in ([[0, 1], [0, 3], [2, 0], [3, 1]], [[3, 1], [0, 3], [3, 0]], [[0, 0], [1, 0], [2, 0], [3, 0], [4, 0]], []):
    at_ = np.array(at_, "int64").reshape(-1, 2)
    case("SparseFillEmptyRows", [at_, f(len(at_)), np.array([5, 6]), np.float32(-1)], filled_rows, is_direct=True)
    case("SparseFillEmptyRows", [at_, n(len(at_), dtype="int64"), K([5, 6], "int64"), K(-1, "int64")], filled_rows, is_open=True, is_direct=True)
case("SparseFillEmptyRows", [np.array([[1], [4]]), f(2), np.array([5]), np.float32(0)], filled_rows, is_direct=True)


def ragged_rows(splits, values):
    return [values[a:b] for a, b in zip(splits[:-1], splits[1:])]


def as_dense(width):
    def dense(_shape, values, default, *parts):
        splits = parts[0] if len(parts) == 1 else np.concatenate([[0], np.cumsum(np.bincount(parts[1], minlength=int(parts[0])))])
        rows = ragged_rows(splits, values)
        wide = max([len(row) for row in rows] + [0]) if width is None else width
        made = np.empty((len(rows), wide, *values.shape[1:]), values.dtype)
        made[:] = default
        for one, row in zip(made, rows):
            one[:min(wide, len(row))] = row[:wide]
        return made
    return dense


SPLITS = np.array([0, 2, 2, 5, 6])
for values_, default_ in ((f(6), np.float32(-1)), (n(6), np.int32(0)), (f(6, 3), np.float32(0.5)), (f(6, 3), f(3))):
    for shape_, width_ in ((K(-1, "int64"), None), (K([-1] * (1 + values_.ndim), "int64"), None), (K([-1, 2] + [-1] * (values_.ndim - 1), "int64"), 2),
                           (K([-1, 5] + [-1] * (values_.ndim - 1), "int64"), 5)):
        case("RaggedTensorToTensor", [shape_, values_, default_, SPLITS], as_dense(width_), is_direct=True, row_partition_types=["ROW_SPLITS"])
        case("RaggedTensorToTensor", [shape_, values_, default_, np.array(5), np.array([0, 0, 2, 2, 2, 3])], as_dense(width_), is_open=values_.ndim == 1,
             is_direct=True, row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
case("RaggedTensorToTensor", [K(-1, "int64"), f(0), np.float32(0), np.array([0])], as_dense(None), is_direct=True, row_partition_types=["ROW_SPLITS"])


def as_sparse(splits, values):
    at = [[i, j] for i, row in enumerate(ragged_rows(splits, values)) for j in range(len(row))]
    return np.array(at, "int64").reshape(-1, 2), values, np.array([len(splits) - 1, max([0, *np.diff(splits)])], "int64")


for open_ in (False, True):
    case("RaggedTensorToSparse", [SPLITS, f(6)], as_sparse, is_open=open_, is_direct=True)
    case("RaggedTensorToSparse", [SPLITS.astype("int32"), n(6)], as_sparse, is_open=open_, is_direct=True)


# --- images between other images ------------------------------------------------------------------

def lanczos(radius):
    return lambda x: 1.0 if x <= 1e-3 else 0.0 if x > radius else radius * math.sin(math.pi * x) * math.sin(math.pi * x / radius) / (math.pi * x) ** 2


COUNTS = {
    "box": lambda x: 1.0 if x < 0.5 else 0.5 if x == 0.5 else 0.0, "triangle": lambda x: max(0.0, 1 - x),
    "keyscubic": lambda x: 0.0 if x >= 2 else ((-0.5 * x + 2.5) * x - 4) * x + 2 if x >= 1 else (1.5 * x - 2.5) * x * x + 1,
    "mitchellcubic": lambda x: 0.0 if x >= 2 else ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9 if x >= 1 else (7 / 6 * x - 2) * x * x + 8 / 9,
    "gaussian": lambda x: 0.0 if x >= 1.5 else math.exp(-x * x / (2 * 0.5 ** 2)),
    "lanczos1": lanczos(1), "lanczos3": lanczos(3), "lanczos5": lanczos(5)}


def spans(old, new, scale, move, kernel, antialias):
    """Each place of the result as a weighted sum of places of the image, one by one."""
    made = np.zeros((new, old))
    back = 1 / scale
    wide = max(back, 1) if antialias else 1
    for i in range(new):
        at = (i + 0.5) * back - back * move
        if 0 <= at <= old:
            made[i] = [COUNTS[kernel](abs(k + 0.5 - at) / wide) for k in range(old)]
            made[i] /= made[i].sum() or 1
    return made


def scaled_and_moved(kernel, antialias):
    def moved(x, size, scale, move):
        h, w = (spans(x.shape[1 + i], size[i], float(scale[i]), float(move[i]), kernel, antialias) for i in (0, 1))
        return np.einsum("ih,jw,nhwc->nijc", h, w, x.astype("f8")).astype("float32")
    return moved


for kernel_ in COUNTS:
    for antialias_ in (True, False):
        for size_, scale_, move_ in (([4, 5], [0.5, 0.625], [0, 0]), ([12, 9], [1.5, 1.125], [0, 0]), ([7, 8], [0.9, 1.3], [1.25, -0.6])):
            case("ScaleAndTranslate", [f(2, 8, 8, 3), K(size_), K(scale_), K(move_, "float32")], scaled_and_moved(kernel_, antialias_), is_direct=True,
                 tolerance=1e-4, kernel_type=kernel_, antialias=antialias_)
    case("ScaleAndTranslate", [f(1, 6, 9, 2), np.array([3, 4], "int32"), np.array([0.5, 0.45], "float32"), K([0, 0], "float32")], scaled_and_moved(kernel_, True),
         is_open="sizes", is_direct=True, tolerance=1e-4, kernel_type=kernel_, antialias=True)
case("ScaleAndTranslate", [n(1, 6, 6, 3, low=0, high=255, dtype="uint8"), K([3, 3]), K([0.5, 0.5]), K([0, 0], "float32")], scaled_and_moved("triangle", True),
     is_direct=True, tolerance=1e-4, kernel_type="triangle", antialias=True)
