"""tensorflow_table.py - operators of TensorFlow, and what numpy says of them

    case("Softmax", [f(2, 3)], softmax)             inputs are fed
    case("Sum", [f(2, 3), K([0])], want, keep_dims=True)   K: a constant
    case(..., want)     an array, a function of the inputs, or a tuple of these;
                        None is an output that nobody asks for
"""
import itertools
import math

import numpy as np

CASES = {}


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
         skips_judge=False, attrs=None, **more):
    name = next(name for name in (f"{op}.{i}" for i in itertools.count())
                if name not in CASES)
    made = Case(op, inputs, want, {**(attrs or {}), **more}, is_open, is_loose, tolerance, skips_judge)
    made.name = name
    CASES[name] = made


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
    binary(op_, kept(want_), NUMBERS, low=-5, high=5)
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
binary("TruncateDiv", lambda x, y: trunc_div(x, y), FLOATS + INTS, nonzero=True)
binary("Maximum", np.maximum, NUMBERS)
binary("Minimum", np.minimum, NUMBERS)
binary("SquaredDifference", lambda x, y: (x - y) ** 2, FLOATS + ["int32", "int64"])
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
    case("CompareAndBitpack", [any_of(dtype_, 2, 16), t_], lambda x, t: np.packbits(x > t, axis=-1))


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
         lambda i, j, x, y: np.concatenate([x, y])[[0, 3, 1, 2]])
    case(op_, [np.array(1, "i4"), np.array([[0, 2]], "i4"), f(), f(1, 2, seed=1)], lambda i, j, x, y: np.array([y[0, 0], x, y[0, 1]]))


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
