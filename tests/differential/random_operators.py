"""random_operators.py - nodes of ONNX for random graphs

Each function adds a node, or a few, to a Graph: it takes values that the operator
allows, and says of what it gives the type, the dims, the bounds and the error.
MAKERS lists them with the first opset that has them, and how often they are
wished for.
"""
import math

import numpy
from onnx import numpy_helper

from random_graph import (ALL, CODES, EPSILON, FLOATS, INTS, OMITTED, WIDE_INTS,
                          Value, elements, is_float, rounded)

MAKERS = []


def maker(first=7, last=99, weight=4):
    def enter(function):
        MAKERS.append((function, first, last, weight))
        return function
    return enter


def numpy_ints(numbers):
    return numpy.array(numbers, "i8")


def signed_axis(graph, rank, axis):
    """The axis, counted from one end or the other."""
    return axis - rank if graph.opset >= 11 and graph.chance(40) else axis


def any_axis(graph, rank, extra=0):
    return graph.rng.randrange(rank + extra)


# --- one number at a time ------------------------------------------------------------

def monotone(function):
    return lambda low, high: (function(low), function(high))


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def gelu(x):
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def wave(low, high):
    return -1, 1


def dip(function, floor):
    """A function that falls to its floor and rises: bounds by the ends."""
    return lambda low, high: (min(floor, function(low), function(high)),
                              max(function(low), function(high), floor))


# Operator: first opset, least and greatest argument, bounds, steepest slope.
SMOOTH = {
    "Tanh": (6, None, None, monotone(math.tanh), lambda l, h: 1),
    "Sigmoid": (6, None, None, monotone(sigmoid), lambda l, h: 0.25),
    "Exp": (6, -6, 3, monotone(math.exp), lambda l, h: math.exp(h)),
    "Log": (6, 0.125, 50, monotone(math.log), lambda l, h: 1 / l),
    "Sqrt": (6, 0.125, 50, monotone(math.sqrt), lambda l, h: 0.5 / math.sqrt(l)),
    "Reciprocal": (6, 0.125, 50, lambda l, h: (1 / h, 1 / l), lambda l, h: 1 / l / l),
    "Softplus": (1, -20, 20, monotone(lambda x: math.log1p(math.exp(x))), lambda l, h: 1),
    "Softsign": (1, None, None, monotone(lambda x: x / (1 + abs(x))), lambda l, h: 1),
    "Elu": (6, None, 50, lambda l, h: (min(l, -1), h), lambda l, h: 1),
    "Selu": (6, None, 50, lambda l, h: (-1.8, max(1.1 * h, 0)), lambda l, h: 1.8),
    "Sin": (7, None, None, wave, lambda l, h: 1),
    "Cos": (7, None, None, wave, lambda l, h: 1),
    "Tan": (7, -1.25, 1.25, monotone(math.tan), lambda l, h: 11),
    "Asin": (7, -0.875, 0.875, monotone(math.asin), lambda l, h: 2.1),
    "Acos": (7, -0.875, 0.875, lambda l, h: (math.acos(h), math.acos(l)), lambda l, h: 2.1),
    "Atan": (7, None, None, monotone(math.atan), lambda l, h: 1),
    "Sinh": (9, -3, 3, monotone(math.sinh), lambda l, h: 11),
    "Cosh": (9, -3, 3, dip(math.cosh, 1), lambda l, h: 11),
    "Asinh": (9, None, None, monotone(math.asinh), lambda l, h: 1),
    "Acosh": (9, 1.125, 50, monotone(math.acosh), lambda l, h: 2.1),
    "Atanh": (9, -0.875, 0.875, monotone(math.atanh), lambda l, h: 4.3),
    "Erf": (9, None, None, monotone(math.erf), lambda l, h: 1.2),
    "Mish": (18, -20, 20, lambda l, h: (-0.31, max(h, 0)), lambda l, h: 1.1),
    "Gelu": (20, -20, 20, lambda l, h: (-0.18, max(h, 0)), lambda l, h: 1.2),
    "HardSwish": (14, None, 50, lambda l, h: (-0.38, max(h, 0)), lambda l, h: 1.5),
    "HardSigmoid": (6, None, None, lambda l, h: (0, 1), lambda l, h: 0.25),
    "Celu": (12, None, 50, lambda l, h: (-2, max(h, 0)), lambda l, h: 1),
    "Swish": (24, -20, 20, lambda l, h: (-0.5, max(h, 0)), lambda l, h: 1.2),
}


# Those that ONNX Runtime also computes in float64.
DOUBLE = ("Tanh", "Sigmoid", "Exp", "Log", "Sqrt", "Reciprocal", "Sin", "Cos")


def smooth_attributes(graph, op):
    if op in ("Elu", "Celu") and graph.chance(50):
        return {"alpha": graph.rng.choice((0.5, 0.75))}
    if op == "Gelu" and graph.chance(50):
        return {"approximate": graph.rng.choice(("tanh", "none"))}
    if op == "HardSigmoid" and graph.chance(50):
        return {"alpha": 0.125, "beta": 0.25}
    if op == "Selu" and graph.chance(30):
        return {"alpha": 1.5, "gamma": 1.0}
    return {}


@maker(6, weight=30)
def smooth(graph):
    op = graph.rng.choice(sorted(op for op, row in SMOOTH.items()
                                 if row[0] <= graph.opset))
    _, least, greatest, bounds, slope = SMOOTH[op]
    kinds = FLOATS if op in DOUBLE else ("float32",) if op == "Celu" else \
        ("float32", "float16")
    x = graph.take(kinds, low=least, high=greatest)
    low, high = bounds(x.low, x.high)
    made = rounded(x.kind, x.dims, low, high, x.error * slope(x.low, x.high), 16)
    if op == "Gelu":
        made.error += 16 * EPSILON[x.kind] * x.most
    graph.node(op, [x], [made], **smooth_attributes(graph, op))


def pieces(low, high, function):
    ends = [function(low), function(high)] + ([function(0)] if low < 0 < high else [])
    return min(ends), max(ends)


@maker(6, weight=20)
def straight(graph):
    """What neither rounds nor bends much: exact stays exact."""
    op = graph.rng.choice(("Abs", "Neg", "Relu", "LeakyRelu", "Identity", "Clip",
                           "ThresholdedRelu", "Shrink"))
    kinds = {"Abs": FLOATS + INTS, "Neg": FLOATS + WIDE_INTS + ("int8",),
             "Relu": FLOATS + (("int32", "int8") if graph.opset >= 14 else ()),
             "LeakyRelu": ("float32", "float16"), "Identity": ALL}.get(op, FLOATS)
    if op == "Clip" and graph.opset >= 12:
        kinds = FLOATS + ("int32", "int64", "uint8", "int8")
    if op == "ThresholdedRelu" and graph.opset < 10 or op == "Shrink" and graph.opset < 9:
        op = "Neg"
    if op in ("ThresholdedRelu", "Shrink") or op == "Clip" and graph.opset < 12:
        kinds = ("float32",)
    x = graph.take(kinds, is_exact=op in ("ThresholdedRelu", "Shrink"))
    if op == "Clip":
        return clip(graph, x)
    if op == "Shrink":
        made = rounded(x.kind, x.dims, x.low - 1, x.high + 1)
        return graph.node(op, [x], [made], lambd=graph.rng.choice((0.5, 1.0)),
                          bias=graph.rng.choice((None, 0.25)))
    if op == "ThresholdedRelu":
        return graph.node(op, [x], [x.like(min(x.low, 0), max(x.high, 0))],
                          alpha=graph.rng.choice((None, 0.5)))
    function = {"Abs": abs, "Neg": lambda v: -v, "Identity": lambda v: v}.get(op, lambda v: max(v, 0))
    if op == "LeakyRelu":
        alpha = graph.rng.choice((None, 0.25, 0.5))
        slope = 0.01 if alpha is None else alpha
        low, high = pieces(x.low, x.high, lambda v: v if v > 0 else slope * v)
        made = rounded(x.kind, x.dims, low, high, x.error)
        return graph.node(op, [x], [made], alpha=alpha)
    low, high = pieces(x.low, x.high, function)
    return graph.node(op, [x], [x.like(low, high)])


def clip(graph, x):
    """Bounds as attributes, as inputs, or only one of them."""
    low, high = (0, 3) if not is_float(x.kind) else graph.rng.choice(
        ((-1, 1), (0, 6), (-0.5, 1.5)))
    low = None if graph.chance(25) else low
    high = None if graph.chance(25) else high
    least = x.low if low is None else max(low, min(x.low, high if high is not None else x.low))
    most = x.high if high is None else min(high, max(x.high, low if low is not None else x.high))
    made = x.like(min(least, most), max(least, most))
    if graph.opset < 11:
        return graph.node("Clip", [x], [made], min=None if low is None else float(low),
                          max=None if high is None else float(high))
    ends = [None if end is None else graph.fixed(numpy.array(end, x.kind))
            for end in (low, high)]
    return graph.node("Clip", [x, *ends], [made])


@maker(6, weight=6)
def rounding(graph):
    op = graph.rng.choice(("Floor", "Ceil", "Round", "Sign", "IsNaN", "IsInf"))
    first = {"Round": 11, "Sign": 9, "IsNaN": 13, "IsInf": 10}.get(op, 6)
    if graph.opset < first:
        op = "Floor"
    kinds = {"Sign": FLOATS + INTS, "IsInf": ("float32", "float64"),
             "IsNaN": ("float32", "float16", "float64")}.get(op, FLOATS)
    x = graph.take(kinds, is_exact=True)
    if op.startswith("Is"):
        return graph.node(op, [x], [Value("bool", x.dims, 0, 1)])
    if op == "Sign":
        return graph.node(op, [x], [x.like(-1 if x.low < 0 else 0, 1)])
    return graph.node(op, [x], [x.like(math.floor(x.low), math.ceil(x.high))])


# --- two at a time ---------------------------------------------------------------

def broadcast(*all_dims):
    return numpy.broadcast_shapes(*all_dims)


def partner_dims(graph, dims):
    """Dims that go together with these."""
    how = graph.rng.randrange(6)
    if how < 2:
        return dims
    if how == 2:
        return ()
    if how == 3:
        return dims[graph.rng.randint(0, len(dims)):]
    if how == 4 and len(dims) < 5:
        return (graph.rng.randint(1, 3), *dims)
    return tuple(1 if graph.chance(50) else size for size in dims)


def partner(graph, x, **wishes):
    def goes(value):
        try:
            made = broadcast(x.dims, value.dims)
        except ValueError:
            return False
        return (value.kind == x.kind and not value.is_rough and elements(made) <= 600 and
                len(made) <= 5 and
                ("low" not in wishes or value.low >= wishes["low"]) and
                ("high" not in wishes or value.high <= wishes["high"]) and
                (not wishes.get("is_exact") or value.is_exact))

    found = graph.find(goes) if graph.chance(60) else None
    return found or graph.take(x.kind, dims=partner_dims(graph, x.dims), **wishes)


def corner_bounds(function, x, y):
    ends = [function(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return min(ends), max(ends)


@maker(7, weight=26)
def arithmetic(graph):
    op = graph.rng.choice(("Add", "Sub", "Mul", "Add", "Sub", "Mul", "Div"))
    x = graph.take(FLOATS + WIDE_INTS, high=40, low=-40)
    if op == "Div":
        y = partner(graph, x, low=0.25 if is_float(x.kind) else 1, high=50)
    else:
        y = partner(graph, x, low=-40, high=40)
    function = {"Add": lambda a, b: a + b, "Sub": lambda a, b: a - b,
                "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b}[op]
    low, high = corner_bounds(function, x, y)
    if not is_float(x.kind) and op == "Div":
        low, high = math.floor(low), math.ceil(high)
    error = {"Mul": x.error * y.most + y.error * x.most,
             "Div": x.error / max(y.low, 0.01) + x.most * y.error / max(y.low, 0.01) ** 2
             }.get(op, x.error + y.error)
    made = rounded(x.kind, broadcast(x.dims, y.dims), low, high, error)
    swap = op in ("Add", "Mul") and graph.chance(50)
    graph.node(op, [y, x] if swap else [x, y], [made])


@maker(8, weight=8)
def extremes(graph):
    """Max, Min, Sum and Mean of one to four."""
    op = graph.rng.choice(("Max", "Min", "Sum", "Mean"))
    kinds = FLOATS + (WIDE_INTS if op in ("Max", "Min") and graph.opset >= 12 else ())
    if op in ("Sum", "Mean"):
        kinds = ("float32", "float64") if op == "Sum" else ("float32",)
    xs = [graph.take(kinds)]
    for _ in range(graph.rng.randrange(4)):
        xs.append(partner(graph, xs[0]))
    dims = xs[0].dims
    kept = []
    for x in xs:
        try:
            dims = broadcast(dims, x.dims)
            kept.append(x)
        except ValueError:
            pass
    if op == "Mean" and len(kept) == 1:
        op = "Max"
    low, high = min(x.low for x in kept), max(x.high for x in kept)
    error = max(x.error for x in kept)
    if op in ("Max", "Min"):
        made = Value(kept[0].kind, dims, low, high, error,
                     all(x.is_exact for x in kept))
    else:
        low, high = sum(x.low for x in kept), sum(x.high for x in kept)
        if op == "Mean":
            low, high = low / len(kept), high / len(kept)
        made = rounded(kept[0].kind, dims, low, high, sum(x.error for x in kept),
                       len(kept) + sum(x.most for x in kept) / max(abs(low), abs(high), 1))
    graph.node(op, kept, [made])


@maker(7, weight=4)
def power(graph):
    x = graph.take(("float32", "float64"), low=0.25, high=4)
    how = graph.rng.randrange(3)
    if how == 0 or graph.opset < 12:
        exponent = graph.rng.choice((2, 3, 0.5, 1, -1, 0))
        y = graph.fixed(numpy.array(exponent, x.kind))
    elif how == 1:
        y = graph.take(x.kind, dims=partner_dims(graph, x.dims), low=-2, high=2)
    else:
        y = graph.take("int64", dims=partner_dims(graph, x.dims), low=-2, high=3)
    low, high = corner_bounds(lambda a, b: a ** b, x, y)
    error = max(abs(low), abs(high)) * (y.most * x.error / max(x.low, 0.2) + 2 * y.error)
    graph.node("Pow", [x, y], [rounded(x.kind, broadcast(x.dims, y.dims), low, high,
                                       error, 32)])


@maker(7, weight=14)
def compare(graph):
    op = graph.rng.choice(("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"))
    if op.endswith("OrEqual") and graph.opset < 12:
        op = "Equal"
    kinds = {"Equal": ("int32", "int64", "bool")}.get(op, ("float32", "float64"))
    if graph.opset >= 9 and op != "Equal":
        kinds += WIDE_INTS
    if graph.opset >= 11 and op == "Equal":
        kinds += ("float32", "float64")
    x = graph.take(kinds, is_exact=True)
    y = partner(graph, x, is_exact=True)
    graph.node(op, [x, y], [Value("bool", broadcast(x.dims, y.dims), 0, 1)])


@maker(7, weight=10)
def logical(graph):
    op = graph.rng.choice(("And", "Or", "Xor", "Not", "Where", "Where"))
    x = graph.take("bool")
    if op == "Not":
        return graph.node(op, [x], [x.like()])
    if op == "Where":
        return where(graph, x) if graph.opset >= 9 else None
    y = partner(graph, x)
    return graph.node(op, [x, y], [Value("bool", broadcast(x.dims, y.dims), 0, 1)])


def where(graph, condition):
    kinds = ("float32", "int32", "int64", "float64", "uint8", "float16")
    x = graph.take(kinds, dims=partner_dims(graph, condition.dims))
    y = graph.take(x.kind, dims=partner_dims(graph, condition.dims))
    try:
        dims = broadcast(condition.dims, x.dims, y.dims)
    except ValueError:
        return None
    made = Value(x.kind, dims, min(x.low, y.low), max(x.high, y.high),
                 max(x.error, y.error), x.is_exact and y.is_exact)
    return graph.node("Where", [condition, x, y], [made])


@maker(10, weight=6)
def bits(graph):
    op = graph.rng.choice(("Mod", "BitShift", "BitwiseAnd", "BitwiseOr",
                           "BitwiseXor", "BitwiseNot"))
    if op.startswith("Bitwise") and graph.opset < 18:
        op = "Mod"
    if op == "BitShift" and graph.opset < 11:
        op = "Mod"
    if op == "BitShift":
        x = graph.take(("uint8", "uint32", "uint64"), high=100)
        y = partner(graph, x, low=0, high=3)
        if y.high > 3:
            return None
        way = graph.rng.choice(("LEFT", "RIGHT"))
        made = Value(x.kind, broadcast(x.dims, y.dims), 0,
                     min(x.high * 8, 255) if way == "LEFT" else x.high)
        return graph.node(op, [x, y], [made], direction=way)
    if op == "Mod":
        x = graph.take(WIDE_INTS + ("uint8", "float32"), is_exact=True)
        y = partner(graph, x, low=0.25 if is_float(x.kind) else 1, is_exact=True)
        is_c = is_float(x.kind) or graph.chance(40)
        made = Value(x.kind, broadcast(x.dims, y.dims), -y.high if is_c else 0, y.high)
        return graph.node(op, [x, y], [made], fmod=1 if is_c else graph.rng.choice((None, 0)))
    x = graph.take(("int32", "int64", "uint8"), low=-100, high=100)
    if op == "BitwiseNot":
        low, high = (-x.high - 1, -x.low - 1) if x.kind[0] == "i" else (0, 255)
        return graph.node(op, [x], [x.like(low, high)])
    y = partner(graph, x, low=-100, high=100)
    low = 0 if x.kind[0] == "u" else -128
    return graph.node(op, [x, y], [Value(x.kind, broadcast(x.dims, y.dims), low, 127)])


@maker(6, weight=16)
def cast(graph):
    x = graph.take(ALL)
    to = graph.rng.choice(ALL + (("bfloat16",) if graph.opset >= 13 else ()))
    if is_float(x.kind) and not is_float(to) and not x.is_exact:
        to = graph.rng.choice(FLOATS)
    low, high = x.low, x.high
    if is_float(x.kind) and not is_float(to):
        low, high = math.trunc(low), math.trunc(high)
    if to == "bool":
        low, high = 0, 1
    if to[0] == "u" and low < 0 or low < -100 or high > 100:
        return None
    made = rounded(to, x.dims, low, high, x.error)
    if is_float(to) and x.is_exact and (not is_float(x.kind) or
                                        EPSILON[to] <= EPSILON[x.kind]):
        made.is_exact, made.error = True, 0.0
    if to != "bfloat16" and graph.opset >= 15 and graph.chance(15):
        return graph.node("CastLike", [x, graph.fresh(to, (1,))], [made])
    return graph.node("Cast", [x], [made], to=CODES[to])


# --- reductions ----------------------------------------------------------------------

def some_axes(graph, rank):
    """Which axes, or None: all of them."""
    if rank == 0 or graph.chance(20):
        return None
    return sorted(graph.rng.sample(range(rank), graph.rng.randint(1, rank)))


def dropped(dims, axes, keep):
    return tuple(1 if at in axes else size for at, size in enumerate(dims)
                 if keep or at not in axes)


def axes_as(graph, axes, as_input, rank):
    """The inputs and attributes that tell the axes."""
    if axes is None:
        return [], {}
    told = [signed_axis(graph, rank, axis) for axis in axes]
    if as_input:
        return [graph.fixed(numpy_ints(told))], {}
    return [], {"axes": told}


@maker(6, weight=20)
def reduction(graph):
    op = graph.rng.choice(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin",
                           "ReduceL1", "ReduceL2", "ReduceProd", "ReduceSumSquare",
                           "ReduceLogSumExp", "ReduceLogSum"))
    kinds = ("float32", "float64", "int32", "int64") if op in (
        "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd") else ("float32", "float64")
    if op == "ReduceMean":
        kinds = ("float32", "float64", "int32")
    wishes = {"high": 4, "low": -4} if op in ("ReduceProd", "ReduceLogSumExp") else {}
    if op == "ReduceLogSum":
        wishes = {"low": 0.125}
    x = graph.take(kinds, sizes=lambda d: elements(d) <= 64 and (
        0 not in d or op in ("ReduceSum", "ReduceProd")), **wishes)
    axes = some_axes(graph, x.rank)
    gone = list(range(x.rank)) if axes is None else axes
    keep = graph.rng.choice((None, 0, 1))
    count = max(1, elements([x.dims[axis] for axis in gone]))
    if op == "ReduceProd" and count > 4:
        op = "ReduceSum"
    made = reduced(op, x, dropped(x.dims, gone, keep != 0), count)
    as_input = graph.opset >= (13 if op == "ReduceSum" else 18)
    more, attributes = axes_as(graph, axes, as_input, x.rank)
    graph.node(op, [x, *more], [made], keepdims=keep, **attributes)


def reduced(op, x, dims, count):
    most, kind = x.most, x.kind
    if op in ("ReduceMax", "ReduceMin"):
        return x.like(dims=dims)
    if op == "ReduceMean":
        return rounded(kind, dims, math.floor(x.low), math.ceil(x.high), x.error, count + most)
    if op in ("ReduceSum", "ReduceL1"):
        low = min(count * x.low, 0) if op == "ReduceSum" else 0
        return rounded(kind, dims, low, max(count * most, 0), count * x.error, count)
    if op == "ReduceProd":
        high = max(most, 1) ** count
        return rounded(kind, dims, -high, high, count * high * x.error, count)
    if op == "ReduceSumSquare":
        return rounded(kind, dims, 0, count * most * most, 2 * count * most * x.error, count)
    if op == "ReduceL2":
        # Near 0 a root is steep; half of the digits is what can be promised.
        error = math.sqrt(count) * x.error
        return rounded(kind, dims, 0, math.sqrt(count) * most, error, count + 4)
    if op == "ReduceLogSum":
        return rounded(kind, dims, math.log(max(x.low, 0.1)), math.log(count * most) + 0.1,
                       x.error / max(x.low, 0.1), 8 * count)
    return rounded(kind, dims, x.low, x.high + math.log(count), x.error, 16 * count + 16)


@maker(7, weight=6)
def arg_extreme(graph):
    op = graph.rng.choice(("ArgMax", "ArgMin"))
    kinds = ("float32", "float64", "int32") if graph.opset >= 12 else ("float32",)
    x = graph.take(kinds, least=1, is_exact=True, sizes=lambda d: 0 not in d)
    axis = any_axis(graph, x.rank)
    keep = graph.rng.choice((None, 0, 1))
    told = None if axis == 0 and graph.chance(50) else signed_axis(graph, x.rank, axis)
    made = Value("int64", dropped(x.dims, [axis], keep != 0), 0, x.dims[axis] - 1)
    last = graph.rng.choice((None, 0, 1)) if graph.opset >= 12 else None
    graph.node(op, [x], [made], axis=told, keepdims=keep, select_last_index=last)


@maker(10, weight=6)
def top_k(graph):
    x = graph.take(("float32", "float64", "int64", "int32") if graph.opset >= 11
                   else ("float32",), least=1, is_exact=True, sizes=lambda d: 0 not in d)
    axis = any_axis(graph, x.rank)
    count = graph.rng.randint(1, x.dims[axis])
    dims = (*x.dims[:axis], count, *x.dims[axis + 1:])
    told = None if axis == x.rank - 1 and graph.chance(50) else signed_axis(graph, x.rank, axis)
    made = [x.like(dims=dims), Value("int64", dims, 0, x.dims[axis] - 1)]
    gone = graph.rng.randrange(4)
    if gone == 0:
        made[1] = None
    largest = graph.rng.choice((None, 0, 1)) if graph.opset >= 11 else None
    if gone == 1:
        made[0] = None
    graph.node("TopK", [x, graph.fixed(numpy_ints([count]))], made, axis=told,
               largest=largest)


@maker(11, weight=5)
def cumulative(graph):
    x = graph.take(("float32", "float64", "int32", "int64"), least=1)
    axis = any_axis(graph, x.rank)
    count = max(1, x.dims[axis])
    made = rounded(x.kind, x.dims, min(0, count * x.low), max(0, count * x.high),
                   count * x.error, count)
    flags = {key: graph.rng.choice((None, 0, 1)) for key in ("exclusive", "reverse")}
    graph.node("CumSum", [x, graph.fixed(numpy.array(signed_axis(graph, x.rank, axis), "i8"))],
               [made], **flags)


@maker(7, weight=10)
def softmax(graph):
    op = graph.rng.choice(("Softmax", "LogSoftmax", "Hardmax"))
    kinds = ("float32", "float64") if op != "Hardmax" else ("float32",)
    x = graph.take(kinds, least=1, low=-8, high=8, is_exact=op == "Hardmax",
                   sizes=lambda d: 0 not in d)
    axis = any_axis(graph, x.rank)
    told = signed_axis(graph, x.rank, axis)
    if graph.chance(30) and (graph.opset >= 13 or x.rank > 1):
        told = None
    count = elements(x.dims)
    if op == "LogSoftmax":
        made = rounded(x.kind, x.dims, x.low - x.high - math.log(count) - 1, 0, 2 * x.error, 32)
    elif op == "Softmax":
        made = rounded(x.kind, x.dims, 0, 1, x.error, 32)
    else:
        made = x.like(0, 1)
    graph.node(op, [x], [made], axis=told)


# --- moving ------------------------------------------------------------------------

MOVED = ("float32", "int32", "int64", "float64", "float16", "bool", "uint8", "int8")


@maker(6, weight=10)
def transpose(graph):
    x = graph.take(MOVED)
    order = list(range(x.rank))
    graph.rng.shuffle(order)
    if graph.chance(20):
        order = None
    dims = [x.dims[at] for at in (order or reversed(range(x.rank)))]
    graph.node("Transpose", [x], [x.like(dims=dims)], perm=order)


@maker(6, weight=14)
def reshape(graph):
    x = graph.take(MOVED)
    how = graph.rng.randrange(4)
    count = elements(x.dims)
    if how == 0 or not x.rank:
        target = dims = (count,) if graph.chance(60) or count != 1 else ()
        if graph.chance(50) and count and dims:
            target = [-1]
    elif how == 1:
        at = graph.rng.randrange(x.rank + 1)
        target = dims = (*x.dims[:at], 1, *x.dims[at:])
    elif how == 2:
        at = graph.rng.randrange(x.rank)
        dims = (elements(x.dims[:at + 1]), *x.dims[at + 1:])
        target = [-1 if 0 not in dims[1:] else dims[0], *dims[1:]]
    else:
        dims = x.dims
        target = [0 if graph.chance(50) else size for size in dims]
        at = graph.rng.randrange(x.rank)
        rest = [size for place, size in enumerate(dims) if place != at]
        if 0 not in rest:
            target[at] = -1
    zero = None
    if graph.opset >= 14 and (graph.chance(20) or 0 in x.dims):
        target, zero = list(dims), 1
    elif 0 in x.dims:
        return              # there a nought means another size
    given = graph.fixed(numpy_ints(target))
    if graph.chance(20):
        given = graph.fed(numpy_ints(target), -1, 1000) if not graph.outer else given
    graph.node("Reshape", [x, given], [x.like(dims=dims)], allowzero=zero)


@maker(6, weight=5)
def flatten(graph):
    x = graph.take(("float32",) if graph.opset < 9 else MOVED, least=1)
    axis = graph.rng.randint(0, x.rank)
    told = None if axis == 1 and graph.chance(50) else axis
    if told and told < x.rank:
        told = signed_axis(graph, x.rank, told)
    dims = (elements(x.dims[:axis]), elements(x.dims[axis:]))
    graph.node("Flatten", [x], [x.like(dims=dims)], axis=told)


@maker(6, weight=10)
def squeeze(graph):
    is_more = graph.chance(50)
    if is_more:
        x = graph.take(MOVED, sizes=lambda d: len(d) <= 4)
        at = graph.rng.randint(0, x.rank)
        dims = (*x.dims[:at], 1, *x.dims[at:])
        rank = x.rank + 1
    else:
        x = graph.take(MOVED, sizes=lambda d: 1 in d)
        at = graph.rng.choice([i for i, size in enumerate(x.dims) if size == 1])
        dims = (*x.dims[:at], *x.dims[at + 1:])
        rank = x.rank
    op = "Unsqueeze" if is_more else "Squeeze"
    if not is_more and graph.chance(30):
        more, attributes = [], {}
        dims = tuple(size for size in x.dims if size != 1)
    else:
        more, attributes = axes_as(graph, [at], graph.opset >= 13, rank)
    graph.node(op, [x, *more], [x.like(dims=dims)], **attributes)


@maker(6, weight=12)
def concat(graph):
    x = graph.take(MOVED, least=1)
    axis = any_axis(graph, x.rank)
    parts = [x]
    for _ in range(graph.rng.randrange(3)):
        dims = list(x.dims)
        dims[axis] = graph.rng.randint(0 if graph.chance(10) else 1, 3)
        fit = graph.find(lambda v: v.kind == x.kind and v.rank == x.rank and
                         not v.is_rough and all(
                             a == b or i == axis for i, (a, b) in
                             enumerate(zip(v.dims, x.dims))))
        parts.append(fit or graph.take(x.kind, dims=dims))
    graph.rng.shuffle(parts)
    dims = list(x.dims)
    dims[axis] = sum(part.dims[axis] for part in parts)
    made = Value(x.kind, dims, min(p.low for p in parts), max(p.high for p in parts),
                 max(p.error for p in parts), all(p.is_exact for p in parts))
    graph.node("Concat", parts, [made], axis=signed_axis(graph, x.rank, axis))


@maker(6, weight=12)
def split(graph):
    x = graph.take(("float32", "int32", "int64", "float64", "bool") if graph.opset >= 13
                   else ("float32", "int32"), least=1, sizes=lambda d: max(d) > 1)
    axis = graph.rng.choice([i for i, size in enumerate(x.dims) if size > 1])
    size, told = x.dims[axis], signed_axis(graph, x.rank, axis)
    count = graph.rng.randint(1, min(size, 4))
    is_even = size % count == 0 and graph.chance(50)
    if is_even:
        sizes = [size // count] * count
    else:
        cuts = sorted(graph.rng.sample(range(1, size), count - 1))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, size])]
    made = [x.like(dims=(*x.dims[:axis], part, *x.dims[axis + 1:])) for part in sizes]
    for at in range(count):     # some of them nobody needs
        if graph.chance(20) and sum(m is not None for m in made) > 1:
            made[at] = None
    more, attributes = [], {}
    if is_even and graph.opset >= 18:
        attributes["num_outputs"] = count
    elif is_even:
        pass
    elif graph.opset >= 13:
        more = [graph.fixed(numpy_ints(sizes))]
    else:
        attributes["split"] = sizes
    graph.node("Split", [x, *more], made, axis=told if axis or graph.chance(50) else None,
               **attributes)


def cut(graph, size):
    """start, end, step, and how many that takes."""
    step = graph.rng.choice((1, 1, 1, 2, -1, -2) if graph.opset >= 10 else (1,))
    start, end = sorted(graph.rng.randint(0, size) for _ in range(2))
    if step < 0:
        start, end = end, start
    count = len(range(size)[slice(start, end, step)])
    if step > 0:
        if graph.chance(20) and start == 0 or end == size and graph.chance(30):
            end = 2 ** 31 - 1 if end == size else end
        if start and start < size and graph.chance(30):
            start -= size
    return start, end, step, count


@maker(6, weight=12)
def slice_(graph):
    x = graph.take(("float32", "int32", "int64", "float64", "bool", "uint8")
                   if graph.opset >= 10 else ("float32", "int32", "int64"), least=1)
    axes = sorted(graph.rng.sample(range(x.rank), graph.rng.randint(1, x.rank)))
    cuts = [cut(graph, x.dims[axis]) for axis in axes]
    dims = list(x.dims)
    for axis, (_, _, _, count) in zip(axes, cuts):
        dims[axis] = count
    starts, ends, steps = ([one[k] for one in cuts] for k in range(3))
    made = [x.like(dims=dims)]
    is_all = axes == list(range(len(axes))) and graph.chance(50)
    told = None if is_all else [signed_axis(graph, x.rank, axis) for axis in axes]
    if graph.opset < 10:
        return graph.node("Slice", [x], made, starts=starts, ends=ends, axes=told)
    kind = graph.rng.choice(("i4", "i8"))
    steps = None if set(steps) == {1} and graph.chance(60) else steps
    more = [None if one is None else graph.fixed(numpy.array(one, kind))
            for one in (starts, ends, told, steps)]
    return graph.node("Slice", [x, *more], made)


@maker(6, weight=8)
def pad(graph):
    kinds = ("float32", "float64") if graph.opset < 13 else (
        "float32", "float64", "int32", "int64")
    x = graph.take(kinds, least=1, sizes=lambda d: 0 not in d)
    mode = graph.rng.choice(("constant", "constant", "reflect", "edge"))
    if graph.opset >= 19 and graph.chance(15):
        mode = "wrap"
    room = [size - 1 if mode == "reflect" else 2 for size in x.dims]
    before = [graph.rng.randint(0, min(r, 2)) for r in room]
    after = [graph.rng.randint(0, min(r, 2)) for r in room]
    if mode == "wrap":
        before = [min(b, s) for b, s in zip(before, x.dims)]
        after = [min(a, s) for a, s in zip(after, x.dims)]
    if mode == "constant" and graph.chance(20):
        axis = graph.rng.randrange(x.rank)
        if x.dims[axis] > 1:
            before[axis] = -1
    dims = [b + s + a for b, s, a in zip(before, x.dims, after)]
    low, high = (min(x.low, 0), max(x.high, 1)) if mode == "constant" else (x.low, x.high)
    made, mode = [x.like(low, high, dims)], None if mode == "constant" and graph.chance(50) else mode
    if graph.opset < 11:
        value = graph.rng.choice((None, 0.0, 1.0)) if mode in (None, "constant") else None
        return graph.node("Pad", [x], made, mode=mode, pads=before + after, value=value)
    value = graph.fixed(numpy.array(graph.rng.randrange(2), x.kind)) \
        if mode in (None, "constant") and graph.chance(50) else None
    more = [graph.fixed(numpy_ints(before + after)), value]
    if graph.opset >= 18 and graph.chance(30):
        axes = [signed_axis(graph, x.rank, axis) for axis in range(x.rank)]
        more.append(graph.fixed(numpy_ints(axes)))
    return graph.node("Pad", [x, *more], made, mode=mode)


@maker(7, weight=8)
def repeat(graph):
    x = graph.take(("float32", "int32", "int64", "float64", "bool", "uint8"),
                   sizes=lambda d: elements(d) <= 40)
    if graph.chance(50) and graph.opset >= 8:
        dims = partner_dims(graph, x.dims)
        made = x.like(dims=broadcast(x.dims, dims))
        return graph.node("Expand", [x, graph.fixed(numpy_ints(dims))], [made])
    if not x.rank:
        return None
    times = [graph.rng.choice((1, 1, 2, 3)) for _ in x.dims]
    if graph.chance(5):
        times[0] = 0
    made = x.like(dims=[s * t for s, t in zip(x.dims, times)])
    return graph.node("Tile", [x, graph.fixed(numpy_ints(times))], [made])


def indices(graph, dims, size, kinds=("int32", "int64")):
    kind = graph.rng.choice(kinds)
    low = -size if graph.opset >= 11 and graph.chance(40) else 0
    size = max(size, 1)
    if graph.chance(60):
        found = graph.find(lambda v: v.kind == kind and v.dims == tuple(dims) and
                           v.low >= low and v.high < size)
        if found:
            return found
    return graph.fresh(kind, dims, low, size - 1)


@maker(6, weight=10)
def gather(graph):
    x = graph.take(MOVED, least=1, sizes=lambda d: 0 not in d)
    axis = any_axis(graph, x.rank)
    at = indices(graph, graph.dims(graph.rng.randint(0, 2), most=3), x.dims[axis])
    dims = (*x.dims[:axis], *at.dims, *x.dims[axis + 1:])
    if len(dims) > 5:
        return
    told = None if axis == 0 and graph.chance(50) else signed_axis(graph, x.rank, axis)
    graph.node("Gather", [x, at], [x.like(dims=dims)], axis=told)


@maker(11, weight=8)
def gather_more(graph):
    x = graph.take(MOVED, least=1, sizes=lambda d: 0 not in d)
    if graph.chance(50):
        axis = any_axis(graph, x.rank)
        dims = tuple(graph.rng.randint(1, size) if at != axis else graph.rng.randint(1, 4)
                     for at, size in enumerate(x.dims))
        at = indices(graph, dims, x.dims[axis])
        return graph.node("GatherElements", [x, at], [x.like(dims=dims)],
                          axis=signed_axis(graph, x.rank, axis))
    depth = graph.rng.randint(1, x.rank)
    at = graph.fresh("int64", (*graph.dims(1, most=3), depth), 0, min(x.dims[:depth]) - 1)
    dims = (*at.dims[:-1], *x.dims[depth:])
    return graph.node("GatherND", [x, at], [x.like(dims=dims)])


@maker(11, weight=8)
def scatter(graph):
    x = graph.take(("float32", "int32", "int64", "float64"), least=1,
                   sizes=lambda d: 0 not in d)
    how = graph.rng.choice((None, None, "add", "mul", "max", "min"))
    how = None if graph.opset < (18 if how in ("max", "min") else 16) else how
    axis = any_axis(graph, x.rank)
    order = list(range(x.dims[axis]))
    graph.rng.shuffle(order)
    taken = order[:graph.rng.randint(1, len(order))]
    if graph.chance(50):
        dims = tuple(len(taken) if at == axis else size for at, size in enumerate(x.dims))
        shape = [1] * x.rank
        shape[axis] = len(taken)
        at = numpy.broadcast_to(numpy_ints(taken).reshape(shape), dims).copy()
        op, attributes = "ScatterElements", {"axis": signed_axis(graph, x.rank, axis)}
    else:
        order = list(range(x.dims[0]))
        graph.rng.shuffle(order)
        taken = order[:graph.rng.randint(1, len(order))]
        at = numpy_ints(taken).reshape(-1, 1)
        dims, op, attributes = (len(taken), *x.dims[1:]), "ScatterND", {}
    updates = graph.take(x.kind, dims=dims)
    low, high = min(x.low, updates.low), max(x.high, updates.high)
    if how == "add":
        low, high = x.low + min(updates.low, 0), x.high + max(updates.high, 0)
    if how == "mul":
        most = max(x.most, x.most * updates.most)
        low, high = -most, most
    error = (x.error + updates.error) * max(1, x.most, updates.most if how == "mul" else 1)
    made = rounded(x.kind, x.dims, low, high, error)
    if how != "mul":
        made.is_exact = x.is_exact and updates.is_exact
    graph.node(op, [x, graph.fixed(at), updates], [made], reduction=how, **attributes)


@maker(6, weight=8)
def shape_of(graph):
    x = graph.take(ALL)
    if graph.chance(25):
        return graph.node("Size", [x], [Value("int64", (), elements(x.dims), elements(x.dims))])
    dims, attributes = x.dims, {}
    if graph.opset >= 15 and x.rank and graph.chance(40):
        first, last = sorted(graph.rng.randint(0, x.rank) for _ in range(2))
        dims = x.dims[first:last]
        attributes = {"start": first - x.rank if graph.chance(50) and first < x.rank else first,
                      "end": last}
    made = Value("int64", (len(dims),), min(dims, default=0), max(dims, default=0))
    return graph.node("Shape", [x], [made], **attributes)


@maker(7, weight=5)
def depth_space(graph):
    is_down = graph.chance(50)
    if is_down:
        x = graph.take("float32", rank=4, sizes=lambda d: d[1] == 4)
        n, c, h, w = x.dims
        mode = graph.rng.choice((None, "DCR", "CRD")) if graph.opset >= 11 else None
        return graph.node("DepthToSpace", [x], [x.like(dims=(n, c // 4, h * 2, w * 2))],
                          blocksize=2, mode=mode)
    x = graph.take("float32", rank=4, sizes=lambda d: d[2] in (2, 4) and d[3] in (2, 4))
    n, c, h, w = x.dims
    return graph.node("SpaceToDepth", [x], [x.like(dims=(n, c * 4, h // 2, w // 2))],
                      blocksize=2)


@maker(9, weight=8)
def made_of_nothing(graph):
    op = graph.rng.choice(("ConstantOfShape", "EyeLike", "OneHot", "NonZero", "Range",
                           "Trilu", "Compress", "ReverseSequence"))
    if op == "ConstantOfShape":
        dims = graph.dims(graph.rng.randint(0, 3))
        kind = graph.rng.choice(("float32", "int64", "int32", "float64", "bool"))
        value = None if graph.chance(30) else numpy_helper.from_array(numpy.array([1], kind))
        made = Value(kind if value else "float32", dims, 1 if value else 0, 1)
        return graph.node(op, [graph.fixed(numpy_ints(dims))], [made], value=value)
    if op == "EyeLike":
        x = graph.take(("float32", "int32", "int64", "float64"), rank=2)
        kind = graph.rng.choice((None, "float32", "int64"))
        return graph.node(op, [x], [Value(kind or x.kind, x.dims, 0, 1)],
                          dtype=CODES[kind] if kind else None,
                          k=graph.rng.choice((None, 0, 1, -1)))
    if op == "OneHot":
        return one_hot(graph)
    if op == "NonZero":
        return None         # how many there are is not known here
    if op == "Range" and graph.opset >= 11:
        kind = graph.rng.choice(("int64", "int32", "float32"))
        start, step, count = graph.rng.randint(-3, 3), graph.rng.choice((1, 2, -1)), \
            graph.rng.randint(0, 5)
        ends = [graph.fixed(numpy.array(v, kind)) for v in (start, start + step * count, step)]
        return graph.node(op, ends, [Value(kind, (count,), -15, 15)])
    if op == "Trilu" and graph.opset >= 14:
        x = graph.take(("float32", "int64", "float64"), least=2)
        k = graph.fixed(numpy.array(graph.rng.randint(-2, 2), "i8")) if graph.chance(60) else None
        return graph.node(op, [x, k], [x.like(min(x.low, 0), max(x.high, 0))],
                          upper=graph.rng.choice((None, 0, 1)))
    if op == "Compress":
        x = graph.take(("float32", "int32", "int64"), least=1, sizes=lambda d: 0 not in d)
        axis = None if graph.chance(30) else any_axis(graph, x.rank)
        size = elements(x.dims) if axis is None else x.dims[axis]
        chosen = numpy.array([graph.chance(60) for _ in range(size)], bool)
        count = int(chosen.sum())
        dims = (count,) if axis is None else (*x.dims[:axis], count, *x.dims[axis + 1:])
        return graph.node(op, [x, graph.fixed(chosen)], [x.like(dims=dims)], axis=axis)
    if op == "ReverseSequence" and graph.opset >= 10:
        x = graph.take(("float32", "int32", "int64"), least=2, sizes=lambda d: 0 not in d)
        time, batch = graph.rng.sample((0, 1), 2)
        lengths = [graph.rng.randint(1, x.dims[time]) for _ in range(x.dims[batch])]
        return graph.node(op, [x, graph.fixed(numpy_ints(lengths))], [x.like()],
                          time_axis=time, batch_axis=batch)
    return None


def one_hot(graph):
    depth = graph.rng.randint(2, 4)
    at = indices(graph, graph.dims(graph.rng.randint(1, 2)), depth, ("int64",))
    kind = graph.rng.choice(("float32", "int64"))
    axis = graph.rng.randint(0, at.rank)
    dims = (*at.dims[:axis], depth, *at.dims[axis:])
    told = None if axis == at.rank and graph.chance(50) else axis
    pair = graph.fixed(numpy.array([0, 3] if graph.chance(50) else [1, 0], kind))
    size = graph.fixed(numpy.array(depth, "i8") if graph.chance(50) else numpy_ints([depth]))
    return graph.node("OneHot", [at, size, pair], [Value(kind, dims, 0, 3)], axis=told)


# --- layers ------------------------------------------------------------------------

def image(graph, kinds=("float32",), channels=(1, 2, 3, 4), spatial=2, low=-8, high=8):
    return graph.take(kinds, rank=2 + spatial, low=low, high=high,
                      sizes=lambda d: d[1] in channels and 0 not in d)


def window(graph, x, kernel, pads_ok=True):
    """strides, dilations, pads or auto_pad, and the sizes that come out."""
    spatial = len(kernel)
    strides = [graph.rng.choice((1, 1, 2)) for _ in range(spatial)] if graph.chance(60) else None
    auto = graph.rng.choice((None, None, None, "VALID", "SAME_UPPER", "SAME_LOWER"))
    if strides and any(step > size for step, size in zip(strides, kernel)):
        auto = None         # SAME would pad by less than nothing
    pads = [graph.rng.randint(0, size // 2) for size in kernel * 2] \
        if auto is None and pads_ok and graph.chance(60) else None
    sizes = []
    for at, (size, wide) in enumerate(zip(x.dims[2:], kernel)):
        step = strides[at] if strides else 1
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            sizes.append(-(-size // step))
            continue
        padded = size + (pads[at] + pads[at + spatial] if pads else 0)
        sizes.append((padded - wide) // step + 1)
    return {"strides": strides, "auto_pad": auto, "pads": pads}, sizes


@maker(6, weight=12)
def convolution(graph):
    spatial = graph.rng.choice((1, 2, 2, 3))
    x = image(graph, spatial=spatial)
    channels = x.dims[1]
    groups = graph.rng.choice([g for g in (1, 1, 2, channels) if channels % g == 0])
    kernel = [graph.rng.randint(1, min(3, size)) for size in x.dims[2:]]
    filters = groups * graph.rng.randint(1, 2)
    attributes, sizes = window(graph, x, kernel)
    w = graph.take("float32", dims=(filters, channels // groups, *kernel), low=-2, high=2)
    b = graph.take("float32", dims=(filters,), low=-4, high=4) if graph.chance(50) else None
    count = channels // groups * elements(kernel)
    made = product(x, w, count, (x.dims[0], filters, *sizes), b)
    told = None if groups == 1 and graph.chance(50) else groups
    graph.node("Conv", [x, w, b], [made], group=told,
               kernel_shape=kernel if graph.chance(60) else None, **attributes)


def product(x, w, count, dims, bias=None):
    """Sums of products: bounds and errors of `count` of them."""
    most = count * x.most * w.most + (bias.most if bias else 0)
    error = count * (x.error * w.most + w.error * x.most) + (bias.error if bias else 0)
    return rounded(x.kind, dims, -most, most, error, count + 2)


@maker(7, weight=5)
def transposed_convolution(graph):
    x = image(graph)
    channels = x.dims[1]
    groups = graph.rng.choice([g for g in (1, channels) if channels % g == 0])
    filters = graph.rng.randint(1, 2)
    kernel = [graph.rng.randint(1, 3) for _ in range(2)]
    strides = [graph.rng.choice((1, 2)) for _ in range(2)]
    pads = [graph.rng.randint(0, (size - 1) // 2) for size in kernel * 2]
    extra = [graph.rng.randint(0, step - 1) for step in strides]
    sizes = [step * (size - 1) + wide + more - before - after for step, size, wide, more,
             before, after in zip(strides, x.dims[2:], kernel, extra, pads[:2], pads[2:])]
    if min(sizes) < 1:
        return
    w = graph.take("float32", dims=(channels, filters, *kernel), low=-2, high=2)
    b = graph.take("float32", dims=(filters * groups,), low=-4, high=4) \
        if graph.chance(50) else None
    made = product(x, w, channels * elements(kernel), (x.dims[0], filters * groups, *sizes), b)
    graph.node("ConvTranspose", [x, w, b], [made], strides=strides, group=groups,
               pads=pads, output_padding=extra if any(extra) else None)


@maker(7, weight=10)
def pooling(graph):
    op = graph.rng.choice(("MaxPool", "AveragePool", "LpPool", "GlobalAveragePool",
                           "GlobalMaxPool", "GlobalLpPool"))
    if op == "GlobalLpPool" and graph.opset >= 22:
        op = "LpPool"       # ONNX Runtime has no kernel for it since
    x = image(graph, spatial=graph.rng.choice((1, 2, 2, 3)))
    if op.startswith("Global"):
        dims = (*x.dims[:2], *([1] * (x.rank - 2)))
        count = elements(x.dims[2:])
        if op == "GlobalLpPool":
            made = rounded(x.kind, dims, 0, math.sqrt(count) * x.most, count * x.error, 4 * count)
        else:
            made = rounded(x.kind, dims, x.low, x.high, x.error, count)
        return graph.node(op, [x], [made])
    kernel = [graph.rng.randint(1, min(3, size)) for size in x.dims[2:]]
    attributes, sizes = window(graph, x, kernel)
    dims, count = (*x.dims[:2], *sizes), elements(kernel)
    if op == "MaxPool":
        made = [x.like(dims=dims)]
        if graph.opset >= 8 and graph.chance(20) and x.is_exact:
            made.append(Value("int64", dims, 0, elements(x.dims)))
            if graph.chance(30):
                made[0] = None
        elif graph.opset >= 8 and graph.chance(10):
            made.append(None)
        return graph.node(op, [x], made, kernel_shape=kernel, **attributes)
    if op == "AveragePool":
        made = rounded(x.kind, dims, min(x.low, 0), max(x.high, 0), x.error, count)
        return graph.node(op, [x], [made], kernel_shape=kernel,
                          count_include_pad=graph.rng.choice((None, 0, 1)), **attributes)
    made = rounded(x.kind, dims, 0, count * x.most, count * x.error, 4 * count)
    return graph.node(op, [x], [made], kernel_shape=kernel, p=graph.rng.choice((None, 1, 2)),
                      **attributes)


@maker(7, weight=10)
def matrix_product(graph):
    if graph.chance(40):
        return gemm(graph)
    x = graph.take(("float32", "float64", "int32") if graph.opset >= 9 else ("float32",),
                   least=1, low=-8, high=8, sizes=lambda d: 0 not in d)
    inner, last = x.dims[-1], graph.rng.randint(1, 3)
    if x.rank == 1 or graph.chance(50):
        dims = (inner, last) if graph.chance(80) else (inner,)
    else:
        dims = (*x.dims[:-2], inner, last)
    w = graph.take(x.kind, dims=dims, low=-8, high=8)
    made_dims = numpy.matmul(numpy.zeros(x.dims), numpy.zeros(dims)).shape
    return graph.node("MatMul", [x, w], [product(x, w, inner, made_dims)])


def gemm(graph):
    x = graph.take(("float32", "float64"), rank=2, low=-8, high=8, sizes=lambda d: 0 not in d)
    turns = [graph.rng.choice((None, 0, 1)) for _ in range(2)]
    rows, inner = x.dims[::-1] if turns[0] else x.dims
    columns = graph.rng.randint(1, 4)
    w = graph.take(x.kind, dims=(columns, inner) if turns[1] else (inner, columns),
                   low=-8, high=8)
    bias = None
    if graph.opset < 11 or graph.chance(60):
        dims = graph.rng.choice(((rows, columns), (columns,), (rows, 1), (1, columns), ()))
        if graph.opset < 7:
            dims = (rows, columns)
        bias = graph.take(x.kind, dims=dims, low=-8, high=8)
    made = product(x, w, inner, (rows, columns), bias)
    factors = {key: graph.rng.choice((None, 0.5, 1.0)) for key in ("alpha", "beta")}
    return graph.node("Gemm", [x, w, bias], [made], transA=turns[0], transB=turns[1], **factors)


@maker(7, weight=8)
def normalization(graph):
    op = graph.rng.choice(("BatchNormalization", "InstanceNormalization", "LRN",
                           "LpNormalization", "LayerNormalization",
                           "MeanVarianceNormalization", "GroupNormalization"))
    first = {"LayerNormalization": 17, "MeanVarianceNormalization": 9,
             "GroupNormalization": 21}.get(op, 7)
    if graph.opset < first:
        op = "BatchNormalization"
    if op == "LRN":
        x = image(graph)
        made = rounded(x.kind, x.dims, -x.most, x.most, 2 * x.error, 64)
        return graph.node(op, [x], [made], size=graph.rng.choice((1, 3)), bias=1.0,
                          alpha=graph.rng.choice((None, 0.25)))
    if op == "BatchNormalization":
        x = graph.take(("float32", "float64"), least=2, low=-8, high=8,
                       sizes=lambda d: 0 not in d)
        return batch_normalization(graph, x)
    # The rest divide by what the values themselves spread: fed ones spread enough.
    x = graph.fresh("float32", graph.dims(graph.rng.randint(3, 4), least=2))
    wide = rounded(x.kind, x.dims, -8, 8, 0, 256)
    if op == "LpNormalization":
        return graph.node(op, [x], [wide], axis=any_axis(graph, x.rank),
                          p=graph.rng.choice((None, 1, 2)))
    if op == "MeanVarianceNormalization":
        axes = None if x.rank == 4 and graph.chance(50) else [0, *range(2, x.rank)]
        return graph.node(op, [x], [wide], axes=axes)
    if op == "LayerNormalization":
        axis = graph.rng.randint(0, x.rank - 1)
        scale = graph.take("float32", dims=x.dims[axis:], low=-2, high=2)
        bias = graph.take("float32", dims=x.dims[axis:], low=-2, high=2) \
            if graph.chance(60) else None
        told = None if axis == x.rank - 1 and graph.chance(40) else signed_axis(
            graph, x.rank, axis)
        wide.error += 8 * scale.error + (bias.error if bias else 0)
        return graph.node(op, [x, scale, bias], [wide], axis=told,
                          epsilon=graph.rng.choice((None, 0.125)))
    scale, bias = (graph.take("float32", dims=(x.dims[1],), low=-2, high=2) for _ in range(2))
    wide.error += 8 * scale.error + bias.error
    groups = None
    if op == "GroupNormalization":
        groups = graph.rng.choice([g for g in (1, x.dims[1])])
    return graph.node(op, [x, scale, bias], [wide], num_groups=groups,
                      epsilon=graph.rng.choice((None, 0.125)))


def batch_normalization(graph, x):
    size = (x.dims[1],)
    scale, bias, mean = (graph.take(x.kind, dims=size, low=-2, high=2) for _ in range(3))
    variance = graph.take(x.kind, dims=size, low=0.25, high=4)
    most = (x.most + 2) * 2 * 2 + 2
    error = 4 * x.error + 4 * (x.most + 2) * (scale.error + variance.error * 4) + \
        bias.error + 4 * mean.error
    made = rounded(x.kind, x.dims, -most, most, error, 16)
    return graph.node("BatchNormalization", [x, scale, bias, mean, variance], [made],
                      epsilon=graph.rng.choice((None, 0.0078125)))


@maker(7, weight=4)
def prelu(graph):
    x = graph.take("float32")
    slope = graph.take(x.kind, dims=x.dims[graph.rng.randint(0, x.rank):], low=-2, high=2)
    made = rounded(x.kind, x.dims, -2 * x.most, 2 * x.most,
                   2 * x.error + x.most * slope.error)
    graph.node("PRelu", [x, slope], [made])


@maker(10, weight=8)
def resize(graph):
    x = graph.take("float32", rank=4, sizes=lambda d: 0 not in d and max(d[2:]) <= 4)
    scale = [graph.rng.choice((1, 2)) for _ in range(2)]
    sizes = [size * times for size, times in zip(x.dims[2:], scale)]
    made = [rounded(x.kind, (*x.dims[:2], *sizes), x.low - 1, x.high + 1, 2 * x.error, 16)]
    scales = graph.fixed(numpy.array([1, 1, *scale], "f4"))
    if graph.opset < 11:
        return graph.node("Resize", [x, scales], made, mode=graph.rng.choice(("nearest", "linear")))
    mode = graph.rng.choice((None, "nearest", "linear", "linear", "cubic"))
    way = graph.rng.choice((None, "half_pixel", "align_corners", "asymmetric",
                            "pytorch_half_pixel"))
    nearest = None
    if mode in (None, "nearest"):
        nearest = graph.rng.choice((None, "floor", "ceil", "round_prefer_floor",
                                    "round_prefer_ceil"))
        made[0].error, made[0].is_exact = x.error, x.is_exact
    made[0].low, made[0].high = x.low * 2 - x.most, x.high * 2 + x.most
    if graph.chance(30):
        told = graph.fixed(numpy_ints([*x.dims[:2], *sizes]))
        roi = None if graph.opset >= 13 else graph.fixed(numpy.zeros(0, "f4"))
        none = None if graph.opset >= 13 else graph.fixed(numpy.zeros(0, "f4"))
        more = [roi, none, told]
    else:
        more = [None if graph.opset >= 13 else graph.fixed(numpy.zeros(0, "f4")), scales]
    return graph.node("Resize", [x, *more], made, mode=mode, nearest_mode=nearest,
                      coordinate_transformation_mode=way)


@maker(12, weight=5)
def einsum(graph):
    rule = graph.rng.choice(("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij,ij->", "ii->i",
                             "bij->b", "i,j->ij", "...ij,...jk->...ik", "bhqd,bhkd->bhqk"))
    sides = rule.split("->")[0].split(",")
    sizes = {}
    xs = []
    for side in sides:
        letters = side.replace("...", "")
        for letter in letters:
            sizes.setdefault(letter, graph.rng.randint(1, 3))
        xs.append(graph.take("float32", dims=[sizes[letter] for letter in letters],
                             low=-4, high=4))
    count = elements(sizes.values())
    dims = [sizes[letter] for letter in rule.split("->")[1].replace("...", "")]
    if len(xs) == 2:
        made = product(*xs, count, dims)
    else:
        made = rounded("float32", dims, -count * xs[0].most, count * xs[0].most,
                       count * xs[0].error, count)
    graph.node("Einsum", xs, [made], equation=rule)


@maker(7, weight=6)
def recurrent(graph):
    op = graph.rng.choice(("LSTM", "GRU", "RNN"))
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    time, batch, size, hidden = (graph.rng.randint(1, 3) for _ in range(4))
    way = graph.rng.choice((None, "forward", "reverse", "bidirectional"))
    ways = 2 if way == "bidirectional" else 1
    x = graph.take("float32", dims=(time, batch, size), low=-2, high=2)
    w = graph.take("float32", dims=(ways, gates * hidden, size), low=-1, high=1)
    r = graph.take("float32", dims=(ways, gates * hidden, hidden), low=-1, high=1)
    b = graph.take("float32", dims=(ways, 2 * gates * hidden), low=-1, high=1) \
        if graph.chance(60) else None
    lengths = graph.fixed(numpy.array([graph.rng.randint(1, time) for _ in range(batch)], "i4")) \
        if graph.chance(25) else None
    state = (ways, batch, hidden)
    h = graph.take("float32", dims=state, low=-1, high=1) if graph.chance(40) else None
    c = graph.take("float32", dims=state, low=-1, high=1) \
        if op == "LSTM" and graph.chance(40) else None
    error = 40 * sum(v.error for v in (x, w, r, b, h, c) if v) * hidden * size
    most = 5 if op == "LSTM" else 2
    made = [rounded("float32", (time, ways, batch, hidden), -1, 1, error, 256),
            rounded("float32", state, -1, 1, error, 256)]
    if op == "LSTM":
        made.append(rounded("float32", state, -most, most, error * most, 256))
    for at in range(len(made)):
        if graph.chance(30) and sum(isinstance(m, Value) for m in made) > 1:
            made[at] = graph.rng.choice((OMITTED, None))
    more = [x, w, r, b, lengths, h] + ([c] if op == "LSTM" else [])
    attributes = {"linear_before_reset": graph.rng.choice((None, 0, 1))} if op == "GRU" else {}
    graph.node(op, more, made, hidden_size=hidden, direction=way, **attributes)


@maker(7, weight=3)
def dropout(graph):
    x = graph.take("float32")
    made = [x.like()]
    if graph.opset >= 12 and graph.chance(30):
        made.append(Value("bool", x.dims, 1, 1))
    if graph.opset >= 12:
        ratio = graph.fixed(numpy.array(0.5, "f4")) if graph.chance(50) else None
        return graph.node("Dropout", [x, ratio], made)
    return graph.node("Dropout", [x], made, ratio=graph.rng.choice((None, 0.5)))


# --- quantised -----------------------------------------------------------------------

def quantised(graph, dims):
    """A value of a byte, with its scale and zero."""
    kind = graph.rng.choice(("uint8", "int8"))
    x = graph.take(kind, dims=dims) if dims is not None else graph.take(kind)
    return x, *scale_of(graph, kind)


def scale_of(graph, kind):
    scale = graph.fixed(numpy.array(graph.rng.choice((0.25, 0.5, 0.125)), "f4"))
    zero = graph.fixed(numpy.array(graph.rng.choice((0, 3) if kind == "uint8" else (0, -2)), kind))
    return scale, zero


@maker(10, weight=12)
def quantise(graph):
    if graph.chance(50):
        x, scale, zero = quantised(graph, None)
        zero = None if graph.chance(20) else zero
        made = Value("float32", x.dims, (x.low - 3) * 0.5, (x.high + 3) * 0.5)
        if x.rank and graph.opset >= 13 and graph.chance(30):
            return per_axis(graph, x)
        return graph.node("DequantizeLinear", [x, scale, zero], [made])
    x = graph.take("float32", is_exact=True)
    kind = graph.rng.choice(("uint8", "int8"))
    scale, zero = scale_of(graph, kind)
    if kind == "uint8" and graph.chance(30):
        zero = None
    made = Value(kind, x.dims, 0 if kind == "uint8" else -128, 255 if kind == "uint8" else 127)
    return graph.node("QuantizeLinear", [x, scale, zero], [made])


def per_axis(graph, x):
    axis = any_axis(graph, x.rank)
    scale = graph.fixed(graph.array("float32", (x.dims[axis],), 0.125, 0.5))
    zero = graph.fixed(graph.array(x.kind, (x.dims[axis],), 0, 3)) if graph.chance(60) else None
    made = Value("float32", x.dims, (x.low - 3) * 0.5, (x.high + 3) * 0.5)
    told = None if axis == 1 and graph.chance(50) else signed_axis(graph, x.rank, axis)
    return graph.node("DequantizeLinear", [x, scale, zero], [made], axis=told)


@maker(10, weight=8)
def quantised_product(graph):
    rows, inner, columns = (graph.rng.randint(1, 4) for _ in range(3))
    op = graph.rng.choice(("MatMulInteger", "QLinearMatMul", "ConvInteger", "QLinearConv"))
    if op.startswith("Conv") or op.endswith("Conv"):
        return quantised_convolution(graph, op)
    x, x_scale, x_zero = quantised(graph, (rows, inner))
    w, w_scale, w_zero = quantised(graph, (inner, columns))
    if x.kind == "int8" and w.kind == "uint8":
        return None
    if op == "MatMulInteger":
        most = inner * 300 * 300
        x_zero = None if graph.chance(30) else x_zero
        w_zero = None if graph.chance(30) else w_zero
        return graph.node(op, [x, w, x_zero, w_zero],
                          [Value("int32", (rows, columns), -most, most)])
    scale, zero = scale_of(graph, x.kind)
    low, high = (0, 255) if x.kind == "uint8" else (-128, 127)
    return graph.node(op, [x, x_scale, x_zero, w, w_scale, w_zero, scale, zero],
                      [Value(x.kind, (rows, columns), low, high)])


def quantised_convolution(graph, op):
    channels, filters = graph.rng.randint(1, 3), graph.rng.randint(1, 2)
    kind = "uint8"
    x = graph.take(kind, dims=(1, channels, graph.rng.randint(2, 4), graph.rng.randint(2, 4)))
    kernel = [graph.rng.randint(1, 2) for _ in range(2)]
    attributes, sizes = window(graph, x, kernel)
    w = graph.take(graph.rng.choice((kind, "int8")) if op == "QLinearConv" else kind,
                   dims=(filters, channels, *kernel))
    (x_scale, x_zero), (w_scale, w_zero) = scale_of(graph, x.kind), scale_of(graph, w.kind)
    dims = (1, filters, *sizes)
    if op == "ConvInteger":
        most = channels * elements(kernel) * 300 * 300
        x_zero = None if graph.chance(30) else x_zero
        return graph.node(op, [x, w, x_zero], [Value("int32", dims, -most, most)],
                          **attributes)
    scale, zero = scale_of(graph, x.kind)
    bias = graph.take("int32", dims=(filters,), low=-9, high=9) if graph.chance(50) else None
    return graph.node(op, [x, x_scale, x_zero, w, w_scale, w_zero, scale, zero, bias],
                      [Value(x.kind, dims, 0, 255)], **attributes)


# --- bfloat16: what the engine computes there ----------------------------------------

@maker(13, weight=6)
def brain(graph):
    x = graph.take("float32")
    made = rounded("bfloat16", x.dims, x.low, x.high, x.error)
    small = graph.node("Cast", [x], [made], to=CODES["bfloat16"])[0]
    how = graph.rng.randrange(4)
    if how == 0 and small.rank:
        order = list(range(small.rank))
        graph.rng.shuffle(order)
        small = graph.node("Transpose", [small], [small.like(
            dims=[small.dims[at] for at in order])], perm=order)[0]
    elif how == 1:
        small = graph.reshape(small, (elements(small.dims),))
    elif how == 2:
        small = graph.node("Identity", [small], [small.like()])[0] \
            if graph.opset >= 14 else small
    back = Value("float32", small.dims, small.low, small.high, small.error, False)
    graph.node("Cast", [small], [back], to=1)


# --- sequences -----------------------------------------------------------------------

@maker(11, weight=5)
def sequence(graph):
    x = graph.take(("float32", "int64", "int32"), least=1)
    others = [graph.take(x.kind, dims=x.dims) for _ in range(graph.rng.randrange(3))]
    parts = [x, *others]
    held = Value("sequence", (), 0, 0)
    graph.node("SequenceConstruct", parts, [held])
    graph.values.pop()
    how = graph.rng.randrange(3)
    if how == 0:
        at = graph.rng.randrange(len(parts))
        told = at - len(parts) if graph.chance(30) else at
        place = graph.fixed(numpy.array(told, "i8"))
        return graph.node("SequenceAt", [held, place], [parts[at].like()])
    if how == 1:
        return graph.node("SequenceLength", [held],
                          [Value("int64", (), len(parts), len(parts))])
    axis = any_axis(graph, x.rank)
    is_new = graph.chance(40)
    dims = list(x.dims)
    if is_new:
        dims.insert(axis, len(parts))
    else:
        dims[axis] *= len(parts)
    made = Value(x.kind, dims, min(p.low for p in parts), max(p.high for p in parts),
                 max(p.error for p in parts), all(p.is_exact for p in parts))
    return graph.node("ConcatFromSequence", [held], [made], axis=axis,
                      new_axis=1 if is_new else graph.rng.choice((None, 0)))
