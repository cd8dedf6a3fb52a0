"""nd4j_ways.py - every operator of SameDiff that the rules from nd4j take, in every way

A case is one operator with its inputs and arguments.  What it must give the
evaluator of libnd4j says, or, where that does not know the operator, a numpy
expression.  What libnd4j refuses is no case: nd4j_sweep.py drops it.
"""
import collections
import functools
import itertools

import numpy as np

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64")
NUMBERS = FLOATS + INTS
ANY = NUMBERS + ("bool", "string")
DIMS = ((), (3,), (2, 3), (1, 3, 2), (2, 1, 3, 2), (1, 2, 1, 3, 2), (0, 3))
BROADCAST = (((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ()), ((), (2, 3)), ((2, 1, 3), (4, 1)), ((0, 3), (3,)), ((1, 3), (0, 1)),
             ((1, 2, 1, 3, 2), (4, 1, 2)), ((2,), (3, 1, 1, 1, 2)))
NAMES = {"bool": 1, "float16": 3, "float32": 5, "float64": 6, "int8": 7, "int16": 8, "int32": 9, "int64": 10, "uint8": 11,
         "uint16": 12, "uint32": 13, "uint64": 14, "bfloat16": 17}

# kind: its element type; is_fixed: a constant of the graph, not fed.
Input = collections.namedtuple("Input", "array kind is_fixed")
# want: a function of the arrays that gives the result, or None: the evaluator gives it; is_loose: values are random.
Case = collections.namedtuple("Case", "op name inputs attributes want outputs is_loose")
CASES = collections.defaultdict(list)


def way(op, *inputs, want=None, outputs=1, is_loose=False, **attributes):
    made = [given if isinstance(given, Input) else Input(np.asarray(given), np.asarray(given).dtype.name, False) for given in inputs]
    CASES[op].append(Case(op, f"{op}.{len(CASES[op])}", made, attributes, want, outputs, is_loose))


def fixed(values, kind="int64"):
    return Input(np.array(values, kind), kind, True)


def fed(values, kind="int64"):
    return Input(np.array(values, kind), kind, False)


@functools.lru_cache(None)
def data(kind, *dims, seed=0, low=-3, high=3):
    """Numbers between low and high, of few bits where the type has few."""
    state = np.random.RandomState(seed + len(dims))
    if kind == "string":
        words = np.array(["", "a", "Tenon", "\u00e4\u00f6"], object)
        return Input(words[state.randint(0, 4, dims)].reshape(dims) if dims else np.array("one", object), kind, False)
    if kind == "bool":
        return Input(np.asarray(state.randint(0, 2, dims)).astype(bool), kind, False)
    if kind in FLOATS:
        array = np.asarray(state.uniform(low, high, dims))
        if kind in ("float16", "bfloat16"):
            array = np.round(array * 16) / 16
        return Input(array.astype("float32" if kind == "bfloat16" else kind), kind, False)
    least = max(int(np.ceil(low)), 0) if kind.startswith("u") else int(np.ceil(low))
    return Input(np.asarray(state.randint(least, int(high) + 1, dims)).astype(kind), kind, False)


def nonzero(given):
    return given._replace(array=np.where(given.array == 0, np.ones_like(given.array), given.array))


def spread(kinds, dims=DIMS, usual=(2, 3)):
    """Every type of one size; the first type, and int32, of every size."""
    seen = []
    for kind in kinds:
        seen.append((kind, usual))
    for kind in dict.fromkeys((kinds[0], *(k for k in ("int32",) if k in kinds))):
        seen += [(kind, size) for size in dims if size != usual]
    return seen


def wide(function):
    """Computed on doubles, given as the first argument is."""
    def run(*arrays):
        with np.errstate(all="ignore"):
            made = function(*(a.astype("f8") if a.dtype.kind == "f" else a for a in arrays))
        return np.asarray(made).astype(arrays[0].dtype)
    return run


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def away(x):
    """Halves go away from zero."""
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


# ---- one number at a time --------------------------------------------------------------

# Between which numbers, and an expression where the evaluator has none.
SMOOTH = {
    **dict.fromkeys(("acos asin atanh").split(), (-0.9, 0.9)), "acosh": (1.1, 4), **dict.fromkeys("log rsqrt sqrt".split(), (0.1, 4)),
    "log1p": (-0.9, 4), "lgamma": (0.3, 5), "digamma": (0.3, 5),
    **dict.fromkeys(("asinh atan cos cosh erf erfc exp expm1 hard_sigmoid hardtanh rint selu sigmoid sin sinh softplus softsign"
                     " tan tanh gelu precise_gelu mish swish").split(), (-3, 3)),
}
WANTS = {
    "gelu": lambda x: x * sigmoid(1.702 * x),
    "precise_gelu": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + (0.044715 * x) ** 3))),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))), "swish": lambda x: x * sigmoid(x), "cube": lambda x: x * x * x,
}
SAME = {"abs": NUMBERS, "neg": NUMBERS, "sign": NUMBERS, "square": NUMBERS, "cube": NUMBERS, "ceil": NUMBERS, "floor": NUMBERS,
        "round": NUMBERS, "Reciprocal": NUMBERS, "identity": ANY, "stop_gradient": ANY, "copy": ANY, "zeroslike": NUMBERS + ("bool",),
        "zeros_as": NUMBERS + ("bool",), "ones_as": NUMBERS + ("bool",), "isnan": NUMBERS, "isinf": NUMBERS, "isfinite": NUMBERS,
        "boolean_not": NUMBERS + ("bool",), "rank": ANY, "size": ANY, "shape_of": ANY, "toggle_bits": INTS}
ODD = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 20.0, -20.0]


def add_unary():
    for op, (low, high) in SMOOTH.items():
        want = wide(WANTS[op]) if op in WANTS else None
        kinds = FLOATS + INTS if op in ("sqrt", "rsqrt") else FLOATS
        for kind, dims in spread(kinds):
            way(op, data(kind, *dims, low=low, high=high), want=want)
        if op not in ("lgamma", "digamma"):
            way(op, np.array(ODD, "f4"), want=want)
            way(op, np.array(ODD, "f8"), want=want)
    for op, kinds in SAME.items():
        for kind, dims in spread(kinds):
            given = data(kind, *dims)
            way(op, nonzero(given) if op == "Reciprocal" else given, want=wide(WANTS[op]) if op in WANTS else None)
        if "float32" in kinds:
            way(op, np.array(ODD, "f4"), want=wide(WANTS[op]) if op in WANTS else None)
    add_numbers_of_arguments()


def add_numbers_of_arguments():
    for op, name in (("elu", "alpha"), ("lrelu", "alpha"), ("thresholdedrelu", "cutoff"), ("leakyrelu", "alpha"), ("relu", "cutoff"),
                     ("relu6", "cutoff")):
        kinds = FLOATS if op in ("elu", "lrelu", "thresholdedrelu") else NUMBERS
        for kind, dims in spread(kinds):
            way(op, data(kind, *dims, low=-8, high=8))
            if kind in FLOATS:
                for number in (0.5, 0.0, 1.0, 2.0, -0.5):
                    way(op, data(kind, *dims, low=-8, high=8), **{name: number})
        way(op, np.array(ODD, "f4"), **{name: 0.5})
        way(op, np.array(ODD, "f4"))
    for op in ("leakyrelu", "relu", "relu6"):  # the number as an input
        for kind in ("float32", "float64"):
            way(op, data(kind, 2, 3, low=-8, high=8), fixed(0.25, kind))
            way(op, data(kind, 2, 3, low=-8, high=8), fed(0.25, kind))
    for kind, dims in spread(FLOATS, DIMS[2:]):
        way("prelu", data(kind, *dims), data(kind, *dims[1:], seed=5))
    for kind, dims, shared in itertools.product(("float32", "float64"), [(2, 3, 4), (2, 3, 4, 5)], ([1], [2], [1, 2], [-1])):
        axes = [a + len(dims) - 1 if a <= 0 else a for a in shared]
        sizes = [1 if k in axes else dims[k] for k in range(1, len(dims))]
        way("prelu", data(kind, *dims), data(kind, *sizes, seed=5), sharedAxes=shared)
    for op, kind in itertools.product(("gelu", "precise_gelu"), (True, False)):
        way(op, data("float32", 2, 3), precise=kind, want=wide(WANTS[op]))
    way("boolean_not", data("bool", 3), data("bool", 3))
    for op, kind in itertools.product(("zeros_as", "ones_as"), NUMBERS + ("bool",)):
        way(op, data("int32", 2, 3), dtype=kind)
        way(op, data("float32", 2, 3), dtype=kind)
    for old, new in itertools.product(NUMBERS + ("bool",), NUMBERS + ("bool",)):
        way("cast", data(old, 2, 3), dtype=new)
        way("cast", data(old, 3, low=0), dst=NAMES[new])
        if old not in ("bool", "bfloat16") and new not in ("bool", "bfloat16"):
            add_bitcast(old, new)
    for dims in DIMS:
        way("cast", data("float32", *dims), dtype="int32")
    for kind in NAMES:
        way("shape_of", data("float32", 2, 3), dtype=NAMES[kind])
    for dims in DIMS[1:]:
        for axis in (0, -1, len(dims) - 1):
            way("size_at", data("float32", *dims), dimensions=axis)
    for kind, dims in spread(NUMBERS + ("bool", "string"), [d for d in DIMS if d]):
        way("size_at", data(kind, *dims), dimensions=0)
    way("bitcast", data("float32", 0, 3), newType=NAMES["int32"])
    for kind, dims in spread(FLOATS):
        way("check_numerics", data(kind, *dims), fixed_text("what"))
    add_clips()


def add_bitcast(old, new):
    sizes = [np.dtype(kind).itemsize for kind in (old, new)]
    tail = (sizes[1] // sizes[0],) if sizes[1] > sizes[0] else ()
    for dims in ((2, 3), (), (4,), (1, 2, 1, 3), (1, 2, 1, 3, 2), (3, 1, 2)) if (old, new) == ("float32", "int32") else ((2,),):
        way("bitcast", data(old, *dims, *tail), newType=NAMES[new])


def fixed_text(word):
    return Input(np.array(word, object), "string", True)


def add_clips():
    for op, names in (("ClipByValue", ("clipValueMin", "clipValueMax")), ("clipbyvalue", ("left", "right"))):
        for kind, dims in spread(NUMBERS):
            for low, high in ((-1.0, 2.0), (0.5, 1.5), (1.0, 2.0)):
                way(op, data(kind, *dims), **dict(zip(names, (low, high))))
        for kind, dims in spread(FLOATS):
            way(op, data(kind, *dims), fixed(-1, kind if kind != "bfloat16" else "float32"), fixed(2, kind if kind != "bfloat16" else "float32"))
            if kind != "bfloat16":
                way(op, data(kind, *dims), fed(-1, kind), fed(2, kind))


# ---- two at a time -----------------------------------------------------------------------

def add_binary():
    arithmetic = "add subtract multiply maximum minimum squaredsubtract reversesubtract".split()
    division = "divide realdiv reversedivide floordiv floormod mod truncatediv divide_no_nan".split()
    compare = "equals not_equals greater greater_equal less less_equal".split()
    for op, kind in itertools.product(arithmetic + division + compare, NUMBERS):
        for left, right in [(d, d) for d in DIMS] + list(BROADCAST) if kind in ("float32", "int32") else [((2, 3), (2, 3)), ((2, 3), (3,))]:
            x, y = data(kind, *left, low=-9, high=9), data(kind, *right, seed=7)
            if op == "reversedivide":
                x = nonzero(x)
            elif op in division and op != "divide_no_nan":
                y = nonzero(y if op != "truncatediv" else y._replace(array=np.trunc(y.array).astype(y.array.dtype)))
            way(op, x, y)
    for op in compare + ["add", "multiply", "maximum"]:
        for left, right in (((4,), (4,)), ((2, 3), (3,)), ((), ())):
            way(op, data("bool", *left), data("bool", *right, seed=7))
    for op in compare[:2]:
        way(op, data("string", 2, 3), data("string", 2, 3, seed=5))
    for op in division:
        way(op, np.array([7, -7, 7, -7, 0.5, -0.5], "f4"), np.array([2, 2, -2, -2, 0.2, 3], "f4"))
        way(op, np.array([7, -7, 7, -7], "i4"), np.array([2, 2, -2, -2], "i4"))
        if op != "truncatediv":  # which is of 32 bits, and does not say what becomes of others
            way(op, np.array([2 ** 40 + 1, -7], "i8"), np.array([2, 2], "i8"))
    for op in arithmetic + compare:
        way(op, np.array([2 ** 60 + 1, -(2 ** 60)], "i8"), np.array([2 ** 60, 3], "i8"))
    for op in ("Pow", "pow_pairwise"):
        for kind, dims in spread(NUMBERS):
            way(op, data(kind, *dims, low=0.25, high=3), data(kind, *dims, seed=7, low=0, high=3))
    for kind, (left, right) in itertools.product(("float32", "int32"), BROADCAST):
        way("Pow", data(kind, *left, low=0.25, high=3), data(kind, *right, seed=7, low=0, high=3))
    for op, kind in itertools.product("boolean_and boolean_or boolean_xor".split(), ("bool", "int32", "float32", "uint8", "int64")):
        for left, right in [(d, d) for d in DIMS] + list(BROADCAST) if kind == "bool" else [((2, 3), (2, 3)), ((2, 3), (3,))]:
            way(op, data(kind, *left, low=0, high=1), data(kind, *right, seed=3, low=0, high=1))
    for op, kind in itertools.product("and or xor".split(), NUMBERS + ("bool",)):
        for dims in DIMS if kind in ("bool", "float32") else [(2, 3)]:
            way(op, data(kind, *dims, low=0, high=1), data(kind, *dims, seed=3, low=0, high=1))
        way(op, data(kind, 2, 3, low=0, high=1), data(kind, 2, 3, seed=3, low=0, high=1), comparable=0.0)
    for kind in NUMBERS + ("bool",):
        for dims in DIMS if kind in ("bool", "float32") else [(2, 3)]:
            way("not", data(kind, *dims, low=0, high=1))
    way("not", data("bool", 2, 3), data("bool", 2, 3, seed=3))
    way("not", data("bool", 2, 3), comparable=0.0)
    for op, kind in itertools.product("bitwise_and bitwise_or bitwise_xor".split(), INTS):
        for left, right in [(d, d) for d in DIMS] + list(BROADCAST) if kind == "int32" else [((2, 3), (2, 3)), ((2, 3), (3,))]:
            way(op, data(kind, *left, low=-90, high=90), data(kind, *right, seed=7, low=-90, high=90))
    for op, kind in itertools.product(("shift_bits", "rshift_bits"), INTS):
        for left, right in [(d, d) for d in DIMS] + list(BROADCAST) if kind == "int32" else [((2, 3), (2, 3)), ((2, 3), (3,))]:
            way(op, data(kind, *left, low=-90, high=90), data(kind, *right, seed=7, low=0, high=5))
    add_more_binary()


def add_more_binary():
    for kind in ("float32", "float64", "float16", "bfloat16"):
        for left, right in [(d, d) for d in DIMS] + list(BROADCAST):
            way("tf_atan2", data(kind, *left), data(kind, *right, seed=7))
        way("tf_atan2", fed([0, 0, 1, -1, 0, -0.0], "float32"), fed([1, -1, 0, 0, 0, -1], "float32"))
        for op in ("igamma", "igammac"):
            for dims in DIMS:
                way(op, data(kind, *dims, low=0.5, high=4), data(kind, *dims, seed=7, low=0.5, high=4))
        for dims in DIMS:
            way("zeta", data(kind, *dims, low=1.5, high=4), data(kind, *dims, seed=7, low=0.5, high=4))
            whole = data(kind, *dims, low=0, high=4)
            way("polygamma", whole._replace(array=np.floor(whole.array)), data(kind, *dims, seed=7, low=0.5, high=4))
            way("betainc", data(kind, *dims, low=0.5, high=4), data(kind, *dims, seed=7, low=0.5, high=4),
                data(kind, *dims, seed=9, low=0.05, high=0.95))
    for kind in ANY:
        way("assign", data(kind, 2, 3))
        way("assign", data(kind, 2, 3), data(kind, 2, 3, seed=4))
        way("assign", data(kind, 2, 3), data(kind, 3, seed=4))
        way("copy", data(kind, 2, 3), data(kind, 2, 3, seed=4))
    for left, right in [(d, d) for d in DIMS] + list(BROADCAST):
        way("assign", data("float32", *left), data("float32", *right, seed=4))
        way("assign", data("float32", *left), data("int32", *right, seed=4))
        way("copy", data("float32", *left), data("float32", *right, seed=4))
    for op, kinds in (("mergeadd", NUMBERS), ("mergesum", NUMBERS), ("mergeavg", NUMBERS), ("mergemax", NUMBERS)):
        for (kind, dims), many in itertools.product(spread(kinds), (1, 2, 3)):
            way(op, *(data(kind, *dims, seed=i) for i in range(many)))
    for kind, dims in spread(ANY):
        way("identity_n", data(kind, *dims), data("float32", 3), outputs=2)
        way("identity_n", data(kind, *dims))
        way("shapes_of", data(kind, *dims), data("float32", 3), outputs=2)
    for kind in INTS:
        way("toggle_bits", data(kind, 2, 3), data(kind, 2, seed=2), outputs=2)
    for op, kind, dims in ((op, kind, dims) for op in ("select", "Where") for kind, dims in spread(ANY)):
        way(op, data("bool", *dims), data(kind, *dims), data(kind, *dims, seed=7))
        if len(dims) > 1:
            way(op, data("bool", dims[0], seed=3), data(kind, *dims), data(kind, *dims, seed=7))
    way("select", data("bool", 1), data("float32"), data("float32", seed=1))
    way("select", data("bool", 1, 2), data("float32", 2, 3), data("float32", 2, 3, seed=1))
    for kind, dims in spread(("bool", "float32", "int32", "int64", "uint8"), [d for d in DIMS if d]):
        some = data(kind, *dims)
        if some.array.any():
            way("Where", some)


# ---- reductions ----------------------------------------------------------------------------

REDUCED = [(d, axes) for d in DIMS for axes in ([], [0], [-1], [0, 1], [-1, -2], list(range(len(d))), [2147483647])
           if axes == [2147483647] or all(-len(d) <= a < len(d) for a in axes)]


def add_reductions():
    legacy = "reduce_sum reduce_max reduce_min reduce_prod reduce_mean reduce_norm1 reduce_norm2 reduce_sqnorm all any".split()
    for op in legacy:
        kinds = ("bool", "float32", "int32") if op in ("all", "any") else NUMBERS
        for kind, dims in spread(kinds, [d for d in DIMS if d]):
            way(op, data(kind, *dims), dimensions=[0])
            way(op, data(kind, *dims))
        for dims, axes in REDUCED:
            for keep in (None, True, False):
                attributes = {"dimensions": axes, **({} if keep is None else {"keepDims": keep})}
                way(op, data("bool" if op in ("all", "any") else "float32", *dims), **attributes)
        add_axes_by_input(op, "bool" if op in ("all", "any") else "float32")
    for dims, axes in REDUCED:
        for keep in (None, 0.0, 1.0):
            way("reduce_logsumexp", data("float32", *dims), dimensions=axes, **({} if keep is None else {"keepDims": keep}))
    for kind, dims in spread(FLOATS, [d for d in DIMS if d]):
        way("reduce_logsumexp", data(kind, *dims), dimensions=[0])
        way("reduce_logsumexp", data(kind, *dims), keepDims=1.0)
    way("reduce_logsumexp", data("float32", 2, 3), dimensions=[0], keepDims=1.0, keepDims_b=False)
    way("reduce_logsumexp", data("float32", 2, 3), dimensions=[0], keepDims_b=True)
    add_axes_by_input("reduce_logsumexp", "float32", keeps=(0.0, 1.0))
    for op in ("argmax", "argmin"):
        for kind, dims in spread(NUMBERS, [d for d in DIMS if d]):
            way(op, data(kind, *dims), dimensions=[-1])
            way(op, data(kind, *dims))
        for dims, axes in REDUCED:
            for keep in (None, True, False):
                way(op, data("float32", *dims), dimensions=axes, **({} if keep is None else {"keepDims": keep}))
        for kind in NUMBERS + ("bool",):
            way(op, data("float32", 2, 3), dimensions=[1], dtype=kind)
        way(op, np.array([[1, 3, 3], [2, 2, 1]], "f4"), dimensions=[1])
        add_axes_by_input(op, "float32")
    add_scans()
    for kind, dims in spread(FLOATS):
        way("l2_loss", data(kind, *dims))
    for kind, dims in spread(FLOATS):
        for op in ("softmax", "log_softmax"):
            way(op, data(kind, *dims))
            for axis in {0, -1, len(dims) - 1, len(dims) // 2, -len(dims)} if dims else ():
                way(op, data(kind, *dims), dimension=axis)


def add_axes_by_input(op, kind, keeps=(None, True, False)):
    for dims, index in itertools.product(((3,), (2, 3), (2, 1, 3, 2)), ("int32", "int64")):
        for axes, keep in itertools.product(([0], [-1], [0, 1], []), keeps):
            attributes = {} if keep is None else {"keepDims": keep}
            if all(-len(dims) <= a < len(dims) for a in axes):
                way(op, data(kind, *dims), fixed(axes, index), **attributes)
                way(op, data(kind, *dims), fed(axes, index), **attributes)
        way(op, data(kind, *dims), fixed(0, index))
        way(op, data(kind, *dims), fed(-1, index))


def add_scans():
    for op in ("cumsum", "cumprod"):
        for kind, dims in spread(NUMBERS, [d for d in DIMS if d]):
            way(op, data(kind, *dims, low=-2, high=2), exclusive=0, reverse=0, dimensions=[0])
            way(op, data(kind, *dims, low=-2, high=2), exclusive=0, reverse=0, dimensions=[-1])
        for dims, exclusive, reverse in itertools.product(DIMS[1:], (0, 1), (0, 1)):
            way(op, data("float32", *dims), exclusive=exclusive, reverse=reverse)
            for axis in (0, -1, len(dims) - 1):
                way(op, data("float32", *dims), exclusive=exclusive, reverse=reverse, dimensions=[axis])
                way(op, data("float32", *dims), fixed([axis], "int32"), exclusive=exclusive, reverse=reverse)
                way(op, data("float32", *dims), fed([axis]), exclusive=exclusive, reverse=reverse)
        way(op, data("float32"), exclusive=0, reverse=0)
        way(op, data("float32", 2, 3), dimensions=[0])
        way(op, data("float32", 2, 3), exclusive=1, dimensions=[0])
        for flags in itertools.product((True, False), repeat=2):
            way(op, data("float32", 2, 3), exclusive=0, reverse=0, dimensions=[0], exclusive_b=flags[0], reverse_b=flags[1])


# ---- losses, normalising --------------------------------------------------------------------

def add_losses():
    for op in ("mean_sqerr_loss", "log_loss"):
        for kind, mode, weights in itertools.product(("float32", "float64", "float16"), (0, 1, 2, 3), ("same", "number", "row", "zeros", "scalar")):
            p, l = data(kind, 3, 4, low=0.1, high=0.9), data(kind, 3, 4, seed=4, low=0.1, high=0.9)
            w = {"same": data(kind, 3, 4, seed=5, low=0, high=2), "number": fed([[2]], kind), "scalar": fed(2, kind),
                 "row": data(kind, 1, 4, seed=6, low=0, high=2), "zeros": fed(np.zeros((3, 4)), kind)}[weights]
            way(op, p, w, l, lossReduce=mode, **({"epsilon": 0.001} if op == "log_loss" else {}))
        for dims in DIMS:
            p, l = data("float32", *dims, low=0.1, high=0.9), data("float32", *dims, seed=4, low=0.1, high=0.9)
            for mode in range(4):
                way(op, p, data("float32", *dims, seed=5, low=0, high=2), l, lossReduce=mode, **({"epsilon": 1e-7} if op == "log_loss" else {}))
        p, l = data("float32", 2, 3, low=0.1, high=0.9), data("float32", 2, 3, seed=4, low=0.1, high=0.9)
        way(op, p, data("float32", 2, 3, seed=5), l)
    for kind, dims in spread(("float32", "float64", "float16"), [d for d in DIMS if d]):
        x, labels = data(kind, *dims), data(kind, *dims, seed=4, low=0, high=1)
        way("softmax_cross_entropy_loss_with_logits", x, labels)
        for axis in {0, -1, len(dims) - 1, len(dims) // 2}:
            way("softmax_cross_entropy_loss_with_logits", x, labels, classesDim=axis)
        for index in ("int32", "int64"):
            at = data(index, *dims[:-1], low=0, high=dims[-1] - 1)
            way("sparse_softmax_cross_entropy_loss_with_logits", at, x)


def add_normalising():
    for kind, dims in spread(FLOATS, [d for d in DIMS if d]):
        for axes in ([0], [-1], list(range(len(dims)))):
            way("standardize", data(kind, *dims), dimensions=axes)
    way("standardize", fed([[1, 1, 1], [1, 2, 3]], "float32"), dimensions=[1])
    for index in ("int32", "int64"):
        way("standardize", data("float32", 2, 5), fixed([1], index))
        way("standardize", data("float32", 2, 5), fed([-1], index))
    for kind, first in itertools.product(FLOATS, (True, False, None)):
        flags = {} if first is None else {"channelsFirst": first}
        for dims in ((3, 4), (2, 3, 4), (2, 3, 4, 5), (1, 2, 3, 4, 2)):
            for axes in ([-1], [1], list(range(1, len(dims)))):
                n = dims[-1] if first is False else dims[1]
                for bias in ([], [data(kind, n, seed=3)]):
                    way("layer_norm", data(kind, *dims), data(kind, n, seed=1), *bias, dimensions=axes, **flags)
    way("layer_norm", fed([[1, 1, 1], [1, 2, 3]], "float32"), data("float32", 3), dimensions=[1], channelsFirst=True)
    way("layer_norm", data("float32", 2, 0), data("float32", 0), dimensions=[1], channelsFirst=True)
    for kind, dims in spread(FLOATS, [d for d in DIMS if len(d) > 1], (2, 3, 4)):
        for scale, offset in itertools.product((0, 1), (0, 1)):
            for axes in (None, [1], [-1], [0]):
                n = dims[-1 if axes is None else axes[0]]
                more = [data(kind, n, seed=i) for i in range(scale + offset)]
                way("batchnorm", data(kind, *dims), data(kind, n, seed=8), data(kind, n, seed=9, low=0.5, high=2), *more, applyScale=scale,
                    applyOffset=offset, epsilon=0.01, **({} if axes is None else {"dimensions": axes}))
    for flags in itertools.product((True, False), repeat=2):
        way("batchnorm", data("float32", 2, 3), data("float32", 3), data("float32", 3, low=0.5, high=2), data("float32", 3, seed=1), data("float32", 3, seed=2),
            applyScale=1, applyOffset=1, epsilon=0.01, applyGamma=flags[0], applyBeta=flags[1])
    way("batchnorm", data("float32", 2, 3, 4), data("float32", 1, 3, 4), data("float32", 1, 3, 4, low=0.5, high=2), applyScale=0,
        applyOffset=0, epsilon=0.01, dimensions=[1, 2])
    for kind, layout, training, more in itertools.product(FLOATS, (0, 1), (0, 1), (False, True)):
        for dims, eps in (((2, 3, 4, 5), None), ((2, 3, 4, 5), 0.1), ((2, 3, 4, 5), 1e-7), ((1, 1, 1, 1), 0.1), ((3, 2, 2, 1), 0.1)):
            n = dims[1 if layout else -1]
            scale = "float32" if eps is not None or kind == "bfloat16" else kind
            extra = [data(scale, n, seed=4), data(scale, n, seed=5, low=0.5, high=2)] if more or not training else []
            way("fused_batch_norm", data(kind, *dims), data(scale, n, seed=1), data(scale, n, seed=2), *extra, dataFormat=layout,
                isTraining=training, outputs=3, **({} if eps is None else {"epsilon": eps}))
    way("fused_batch_norm", data("float32", 0, 3, 4, 5), *(data("float32", 5, seed=i, low=0.5) for i in range(4)), dataFormat=0, isTraining=0, outputs=3)
    way("layer_norm", data("float32", 2, 3), data("float32", 3))
    way("lrn", data("float32", 0, 3, 2, 5), depth=1, bias=1.0, alpha=1.0, beta=0.5)
    for kind, depth, (bias, alpha, beta) in itertools.product(FLOATS, (0, 1, 2, 5), ((1.0, 1.0, 0.5), (2.0, 0.1, 0.75))):
        for dims in ((2, 3, 2, 5), (1, 2, 3, 1)):
            way("lrn", data(kind, *dims), depth=depth, bias=bias, alpha=alpha, beta=beta)
    for kind, dims in spread(NUMBERS, [d for d in DIMS if d]):
        way("biasadd", data(kind, *dims), data(kind, dims[-1], seed=3))
        way("biasadd", data(kind, *dims), data(kind, dims[-1], seed=3), nchw=False)
        if len(dims) > 1:
            way("biasadd", data(kind, *dims), data(kind, dims[1], seed=3), nchw=True)


# ---- shapes -----------------------------------------------------------------------------------

def add_shapes():
    for kind, dims in spread(ANY):
        count = int(np.prod(dims))
        for shape in ([count], [1, -1] if count else [count, 1], [-1] if count else [0], [1] * 5 + [count]):
            way("reshape", data(kind, *dims), shapeArr=shape)
            way("reshape", data(kind, *dims), fixed(shape, "int32"))
            way("reshape", data(kind, *dims), fed(shape))
        way("reshape", data(kind, *dims), shapeArr=[-99, count])
    way("reshape", data("float32", 2, 3), shapeArr=[-102, 3, 2])
    way("reshape", data("float32", 1), fixed([]))
    way("reshape", data("float32", 0, 3), shapeArr=[0, -1])
    way("reshape", data("float32", 0, 3), fixed([-1, 3]))
    way("reshape", data("float32", 0, 3), fixed([3, 0]))
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        for axis in {0, len(dims) // 2, len(dims) - 1, -1}:
            way("flatten_2d", data(kind, *dims), flattenDimension=axis)
    for kind, dims in spread(ANY):
        for axis in {0, -1, len(dims), -len(dims) - 1, len(dims) // 2}:
            way("expand_dims", data(kind, *dims), dimensions=axis)
            way("expand_dims", data(kind, *dims), fixed([axis], "int32"))
            way("expand_dims", data(kind, *dims), fed(axis))
            way("expand_dims", data(kind, *dims), fixed([axis]), dimensions=0)
    add_axes_shapes()
    add_joins()
    for kind, dims in spread(ANY):
        way("tile", data(kind, *dims), fixed([2] * len(dims), "int32"))
        way("tile", data(kind, *dims), fed([1] * len(dims)))
        way("tile", data(kind, *dims), fed([3] * len(dims)))
        way("tile", data(kind, *dims), dimensions=list(range(1, len(dims) + 1)))
        for shape in ((4,) + dims, dims, (2, 1) + dims):
            way("broadcast_to", data(kind, *dims), fixed(shape, "int32"))
            way("broadcast_to", data(kind, *dims), fed(np.array(shape, "i8")))
    way("tile", data("float32", 2, 3), fixed([2, 0]))
    way("tile", data("float32", 2, 3), fixed([2, 2]), dimensions=[3, 1])
    for flag in (True, False):
        way("tile", data("float32", 2, 3), fixed([2, 2]), is_static_reps=flag)
    for shape in ((4, 3), (3, 3), (0, 3)):
        way("broadcast_to", data("float32", 1, 3), fixed(shape))
    way("broadcast_to", data("float32", 3, 1, 2), fixed([3, 4, 2]))
    for kind in ("int32", "int64"):
        for left, right in (([2, 3], [3]), ([1], [4, 1]), ([2, 1], [1, 5]), ([0, 3], [1, 1]), ([3], [3])):
            way("broadcast_dynamic_shape", fed(left, kind), fed(right, kind))
            way("broadcast_dynamic_shape", fixed(left, kind), fed(right, kind))
        way("broadcast_dynamic_shape", fed([], kind), fed([2], kind))


def add_axes_shapes():
    for kind, dims in spread(ANY, ((), (1,), (3,), (1, 1), (2, 3), (1, 3, 1), (2, 1, 3, 2), (1, 2, 1, 3, 2), (0, 1, 3))):
        way("squeeze", data(kind, *dims))
        ones = [i for i, d in enumerate(dims) if d == 1]
        for axes in ([i] for i in ones + [i - len(dims) for i in ones] + [0] if dims):
            way("squeeze", data(kind, *dims), _a=axes)
            way("squeeze", data(kind, *dims), fixed(axes, "int32"))
            way("squeeze", data(kind, *dims), fed(axes))
        way("squeeze", data(kind, *dims), _a=ones)
        way("squeeze", data(kind, *dims), fixed([]))
        if len(ones) > 1:
            way("squeeze", data(kind, *dims), fixed([ones[1]]), _a=[ones[0]])
    for op, name in (("transpose", "permuteDims"), ("permute", "reverseDims")):
        for kind, dims in spread(ANY):
            way(op, data(kind, *dims))
            for order in {tuple(range(len(dims)))[::-1], tuple(range(1, len(dims))) + (0,) * bool(dims)}:
                back = [a - len(dims) for a in order]
                way(op, data(kind, *dims), **{name: list(order)})
                way(op, data(kind, *dims), **{name: back})
                way(op, data(kind, *dims), fixed(order, "int32"))
                way(op, data(kind, *dims), fixed(back))
        way(op, data("float32", 2, 3), fixed([]))
        way(op, data("float32", 2, 3), fed([1, 0]))
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        for axes in ([0], [-1], list(range(len(dims))), []):
            way("reverse", data(kind, *dims), dimensions=axes)
            way("reverse", data(kind, *dims), fixed(axes, "int32"))
        way("reverse", data(kind, *dims), fed([0]))
    for kind, dims in spread(NUMBERS + ("bool",), [d for d in DIMS if len(d) > 1], (2, 3)):
        for time, batch in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            lengths = data("int64", dims[batch], low=0, high=dims[time])
            way("reverse_sequence", data(kind, *dims), lengths, seqDim=time, batchDim=batch)
            way("reverse_sequence", data(kind, *dims), data("int32", dims[batch], low=0, high=dims[time]), seqDim=time, batchDim=batch)
        way("reverse_sequence", data(kind, *dims), data("int32", dims[0], low=0, high=dims[1]), seqDim=1)
    for kind, dims in spread(NUMBERS, [d for d in DIMS if d and 0 not in d]):
        for shift in (1, -1, 2, 0, 5):
            way("roll", data(kind, *dims), shift=shift)
            way("roll", data(kind, *dims), shift=shift, dimensions=[0])
            way("roll", data(kind, *dims), shift=shift, dimensions=[-1])
            way("roll", data(kind, *dims), fixed([shift], "int32"), fixed([0], "int32"))
    way("roll", data("float32", 4, 5), fixed([1, 2]), fixed([0, 1]))
    way("roll", data("float32", 4, 5), fed([1]), fed([0]))
    way("roll", data("float32", 0, 3), fixed([1]), fixed([1]))


def add_joins():
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        for axis in {0, -1, len(dims) // 2}:
            more = list(dims)
            more[axis] += 2
            for parts in ([dims], [dims, dims], [dims, tuple(more), dims]):
                given = [data(kind, *d, seed=i) for i, d in enumerate(parts)]
                way("concat", *given, concatDimension=axis)
                way("concat", *given, concatDimension=axis, isDynamicAxis=False)
                way("concat", *given, fixed(axis), isDynamicAxis=True)
    way("concat", data("float32", 2, 3), data("float32", 2, 3), fed(1), isDynamicAxis=True)
    way("concat", data("float32"), data("float32", seed=2), concatDimension=0)
    way("concat", data("float32"), data("float32", 3), concatDimension=0)
    way("concat", data("float32", 2, 3), data("float32", 0, 3), data("float32", 2, 3), concatDimension=1)
    way("concat", data("float32", 0), data("float32", 2, 3), concatDimension=0)
    for kind, dims in spread(ANY):
        for axis, many in itertools.product({0, -1, len(dims)}, (1, 3)):
            way("stack", *(data(kind, *dims, seed=i) for i in range(many)), dimensions=axis)
        way("stack", data(kind, *dims))
    for kind, dims in spread(ANY, [d for d in DIMS if d and 0 not in d] + [(3, 0)]):
        for axis in {0, -1, len(dims) // 2}:
            if dims[axis]:
                way("unstack", data(kind, *dims), dimensions=axis, outputs=dims[axis])
                way("unstack", data(kind, *dims), dimensions=axis, num=dims[axis], outputs=dims[axis])
    for kind, dims in spread(ANY, ((4,), (4, 2), (2, 4, 3), (1, 2, 4, 2), (1, 4, 1, 2, 3), (4, 0), (0, 4)), (4, 2)):
        for axis in {dims.index(4), dims.index(4) - len(dims)}:
            for parts in (1, 2, 4):
                way("split", data(kind, *dims), numSplit=parts, axis=axis, outputs=parts)
                way("split", data(kind, *dims), fixed(axis, "int32"), numSplit=parts, outputs=parts)
                way("split", fixed(axis), data(kind, *dims), numSplit=parts, outputs=parts)
            way("split", fed(axis), data(kind, *dims), numSplit=2, outputs=2)
            for sizes in ([1, 3], [4], [2, 0, 2], [1, 2]):
                way("split_v", data(kind, *dims), fixed(sizes), dimensions=axis, outputs=len(sizes))
                way("split_v", data(kind, *dims), fixed(sizes, "int32"), fixed(axis, "int32"), outputs=len(sizes))
                way("split_v", data(kind, *dims), fed(sizes), fixed(axis), outputs=len(sizes))
            way("split_v", data(kind, *dims), fixed([1, 3]), dimensions=axis, numSplit=2, outputs=2)
        way("split", data(kind, *dims), numSplit=2, outputs=2)
        way("split_v", data(kind, *dims), fixed([1, 2] if dims[0] else [0, 0]), outputs=2)
    way("split", data("float32", 0, 4), numSplit=2, axis=0, outputs=2)
    way("split", data("float32", 0, 4), fixed(0), numSplit=2, outputs=2)


def add_creation():
    for dims, kind in itertools.product(([], [3], [2, 3], [0, 2], [1, 2, 1, 2, 3]), ("int32", "int64")):
        for shape in (fixed(dims, kind), fed(dims, kind)):
            way("fill", shape, value=2.5)
            way("fill", shape, intValue=7)
            for value in NUMBERS + ("bool",):
                way("fill", shape, data(value))
            way("randomuniform", shape, is_loose=True, want=zeros(dims))
            way("randomuniform", shape, min=1.0, max=2.0, is_loose=True, want=zeros(dims))
            way("randomnormal", shape, mean=1.0, stdev=2.0, is_loose=True, want=zeros(dims))
    for kind in FLOATS[:3]:
        way("randomuniform", fixed([2, 3]), dataType=kind, is_loose=True, want=zeros([2, 3], kind))
    way("randomuniform", fixed([2, 3]), fixed(0.5, "float32"), fixed(2, "float32"), is_loose=True, want=zeros([2, 3]))
    way("randomuniform", fixed([2, 3]), seed=7, is_loose=True, want=zeros([2, 3]))
    way("randomuniform", fixed([2, 3]), dtype=NAMES["float32"], seed=7, is_loose=True, want=zeros([2, 3]))
    way("randomnormal", fixed([2, 3]), is_loose=True, want=zeros([2, 3]))
    for kind, (a, b, c) in itertools.product(("int32", "int64", "float32", "float64", "int16", "int8", "uint8", "float16"), ((0, 5, 1), (2, 9, 3), (5, 0, -1), (10, 0, -3), (-10, -1, 2), (3, 3, 1), (-3, 4, 2))):
        for one in (fixed, fed):
            way("range", one(a, kind), one(b, kind), one(c, kind))
        way("range", **{"from": a, "to": b, "step": c})
        way("range", **{"from": a, "to": b, "step": c, "dtype": kind})
        way("range", **{"from_t": a + 0.5, "to_t": float(b), "step_t": float(c)})
        way("range", **{"from_t": a + 0.5, "to_t": float(b), "step_t": float(c), "dtype": kind})
    for kind in ("int32", "float32"):
        way("range", fixed(5, kind))
        way("range", fixed(2, kind), fixed(5, kind))
    way("range", **{"from": 5})
    way("range", **{"from": 2, "to": 5})
    for kind, count in itertools.product(FLOATS[:3] + ("int32",), (1, 2, 5)):
        way("lin_space", fixed(1, kind), fixed(9, kind), fixed(count, "int32"))
        way("lin_space", fed(1, kind), fed(9, kind), fixed(count))
        way("lin_space", fed(1, kind), fed(9, kind), fed(count))
        way("lin_space", start=1.0, stop=9.0, elements=count)
        way("lin_space", start=1.0, stop=9.0, elements=count, dtype=kind)
    for rows, columns, kind in itertools.product((1, 3, 4), (None, 2, 5), (None, *NUMBERS, "bool")):
        way("eye", numRows=rows, **({"numCols": columns} if columns else {}), **({"dtype": kind} if kind else {}))
    way("eye", fixed(3, "int32"))
    way("eye", fixed(3, "int32"), fixed(2, "int32"))
    way("eye", fed(3, "int32"))
    way("eye", numRows=2, numCols=3, batchDimension=2, want=lambda: np.stack([np.eye(2, 3, dtype="f4")] * 2))
    add_onehot()


def zeros(dims, kind="float32"):
    return lambda *_: np.zeros(dims, kind)


def add_onehot():
    for kind, dims in spread(("int32", "int64", "uint8", "float32"), [d for d in DIMS]):
        at = data(kind, *dims, low=-1, high=4)
        at = at._replace(array=np.floor(at.array).astype(at.array.dtype))
        for axis in {None, -1, 0, len(dims), -2 if dims else -1}:
            axes = {} if axis is None else {"dimensions": axis}
            way("onehot", at, **axes, **({"depth": 4} if axis is not None else {"dimensions": -1, "depth": 4}))
            way("onehot", at, fixed(3, "int32"), **axes)
            way("onehot", at, fed(3), **axes)
            way("onehot", at, fixed(3), fixed(5, "float32"), fixed(-1, "float32"), **axes)
        way("onehot", at, fixed(3), on=2.0, off=-2.0)
        for out in NUMBERS + ("bool",):
            way("onehot", at, dimensions=-1, depth=3, dtype=out)
            way("onehot", at, dimensions=-1, depth=3, on=2.0, off=1.0, dtype=out)


# ---- parts of arrays -----------------------------------------------------------------------------

def add_parts():
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        for begin, size in (([0] * len(dims), [-1] * len(dims)), ([0] * len(dims), [min(d, 2) for d in dims]),
                            ([min(1, max(d - 1, 0)) for d in dims], [-1] * len(dims)), ([d for d in dims], [0] * len(dims))):
            way("slice", data(kind, *dims), size=begin + size)
            way("slice", data(kind, *dims), fixed(begin, "int32"), fixed(size, "int32"))
            way("slice", data(kind, *dims), fed(begin), fed(size))
            way("slice", data(kind, *dims), fed(begin), fixed(size))
    way("slice", data("float32"), fixed([]), fixed([]))
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        n = len(dims)
        begin, end, step = [0] * n, list(dims), [1] * n
        way("strided_slice", data(kind, *dims), e=begin + end + step)
        way("strided_slice", data(kind, *dims), fixed(begin), fixed(end), fixed(step))
        way("strided_slice", data(kind, *dims), fed(begin), fed(end), fed(step))
        way("strided_slice", data(kind, *dims), fixed(begin, "int32"), fixed(end, "int32"))
    add_strided()
    add_gathers()
    add_paddings()


def add_strided():
    x, y = data("float32", 4, 5, 6), data("float32", 7)
    for e in ([1, 4, 1], [-3, -1, 1], [5, 1, -2], [0, 7, 3], [-1, 0, -1], [2, 2, 1], [6, 0, -3]):
        way("strided_slice", y, e=e)
        for mask in ("begin_mask", "end_mask", "shrink_axis_mask"):
            way("strided_slice", y, e=e, **{mask: 1})
        way("strided_slice", y, e=e, begin_mask=1, end_mask=1)
        way("strided_slice", y, fixed(e[:1]), fixed(e[1:2]), fixed(e[2:]))
        way("strided_slice", y, fed(e[:1]), fed(e[1:2]), fed(e[2:]))
    for mask in ("begin_mask", "ellipsis_mask", "end_mask", "new_axis_mask", "shrink_axis_mask"):
        for value in (0, 1, 2, 4, 3, 5, 6, 7):
            if not (mask == "ellipsis_mask" and value in (3, 5, 6, 7)):
                way("strided_slice", x, e=[1, 0, 2, 3, 4, 5, 1, 2, 1], **{mask: value})
    for masks in itertools.product((0, 2), (0, 1, 4), (0, 1, 2), (0, 4, 5)):
        if not masks[1] & masks[2] and not (masks[1] | masks[2]) & masks[3]:
            names = ("begin_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
            way("strided_slice", x, e=[1, 0, 2, 3, 4, 5, 1, 2, 1], **dict(zip(names, masks)))
    way("strided_slice", x, e=[1, 1, 2, 2, 1, 1], ellipsis_mask=1, shrink_axis_mask=2)
    way("strided_slice", x, e=[1, 3, 1])
    way("strided_slice", x, e=[-1, 0, 1], shrink_axis_mask=1)
    way("strided_slice", x, e=[0, 1, 1, 2, 1, 1], new_axis_mask=1, shrink_axis_mask=2)


def add_gathers():
    for kind, dims in spread(ANY, ((4,), (4, 3), (2, 4, 3), (2, 1, 4, 2), (1, 2, 1, 4, 3), (4, 0)), (4, 3)):
        axis = dims.index(4)
        for at, index in itertools.product(([2, 0, 2], 1, [[0, 3], [1, 1]], []), ("int32", "int64")):
            for places in {axis, axis - len(dims)}:
                way("gather", data(kind, *dims), fed(at, index), dimensions=places)
                way("gather", data(kind, *dims), fixed(at, index), dimensions=places)
                way("gather", data(kind, *dims), fed(at, index), fixed(places, "int32"))
                way("gather", data(kind, *dims), fed(at, index), fixed([places]))
            if axis == 0:
                way("gather", data(kind, *dims), fed(at, index))
                way("embedding_lookup", data(kind, *dims), fed(at, index), want=lambda x, i: x[i])
        for at in ([2, 0], [1]):
            way("gather", data(kind, *dims), dimensions=axis, indices=at)
    for small in ("int8", "int16", "uint8", "uint16", "uint32", "uint64"):
        way("gather", data("float32", 4, 3), fed([2, 0], small), dimensions=0)
        way("gather_nd", data("float32", 4, 3), fed([[2, 0]], small))
        way("embedding_lookup", data("float32", 4, 3), fed([2, 0], small), want=lambda x, i: x[i])
    way("gather", data("float32", 4, 3), fed([2, 0]), fed(0))
    way("embedding_lookup", data("float32", 4, 3), fed([2, 0]), partition_mode=0, want=lambda x, i: x[i])
    for dims in ((4, 2, 1), (4, 1, 2, 1), (4, 1, 2, 1, 3)):
        way("embedding_lookup", data("float32", *dims), fed([2, 0]), want=lambda x, i: x[i])
    for kind, dims in spread(ANY, [d for d in DIMS if d]):
        for count in range(1, len(dims) + 1):
            for shape, index in itertools.product(((2,), (), (1, 3)), ("int32", "int64")):
                at = np.zeros(shape + (count,), index)
                for i in range(count):
                    at[..., i] = np.random.RandomState(i).randint(0, max(dims[i], 1), shape)
                if 0 not in dims:
                    way("gather_nd", data(kind, *dims), fed(at, index))
        way("gather_nd", data(kind, *dims), fed(np.zeros((0, 1))))
        way("gather_nd", data(kind, *dims), fed(np.zeros((0, 1))), checkIndices=True)
    way("gather_nd", data("float32", 2, 3), fed([[1]]), checkIndices=True)
    way("gather_nd", data("float32", 2, 3), fed([[1]]), checkIndices=False)


def add_paddings():
    for kind, dims in spread(ANY[:-1], [d for d in DIMS]):
        few = [[min(1, max(d - 1, 0)), min(2, max(d - 1, 0))] for d in dims]
        pads = np.array(few).reshape(len(dims), 2)
        for pads_of in (lambda p: fixed(p, "int32"), lambda p: fed(p)):
            for mode in (0, 1, 2):
                way("pad", data(kind, *dims), pads_of(pads), mode=mode)
            way("pad", data(kind, *dims), pads_of(pads), mode=0, padValue=1.0)
            if kind != "bfloat16":
                way("pad", data(kind, *dims), pads_of(pads), fixed(1, kind), mode=0)
                way("pad", data(kind, *dims), pads_of(pads), fed(1, kind), mode=0)
            for mode in (0, 1):
                way("mirror_pad", data(kind, *dims), pads_of(pads), mode=mode)
                way("mirror_pad", data(kind, *dims), pads_of(pads), mode=mode, isSymmetric=bool(mode))
    way("pad", data("float32", 2, 3), fixed([[0, 0], [1, 1]]))
    way("pad", data("float32", 2, 3), fixed([[2, 2], [3, 3]]), mode=2)
    way("mirror_pad", data("float32", 2, 3), fixed([[2, 2], [3, 3]]), mode=1)
    way("pad", data("float32", 0, 3), fixed([[1, 1], [0, 0]]), mode=0)


# ---- scattering, order, sets ---------------------------------------------------------------------

def add_scatters():
    for kind, dims in spread(NUMBERS, ((4,), (4, 3), (4, 1, 2), (4, 2, 1, 2), (4, 1, 2, 1, 3), (4, 0)), (4, 3)):
        for op, (at, index) in itertools.product("add sub mul div max min upd".split(), itertools.product(([2, 0], [3], [1, 1], [[0, 2], [3, 1]]), ("int32", "int64"))):
            at = np.array(at)
            new = data(kind, *at.shape, *dims[1:], seed=8, low=1, high=3)
            way(f"scatter_{op}", data(kind, *dims, low=1, high=9), fed(at, index), new)
        way("scatter_add", data(kind, *dims), fed([], "int32"), data(kind, 0, *dims[1:]))
        way("scatter_upd", data(kind, *dims), fed(2, "int32"), data(kind, *dims[1:]))
        way("scatter_add", data(kind, *dims), fed(2, "int32"), data(kind, *dims[1:]))
    flags = [dict(zip(("lock", "checkIndices"), both)) for both in itertools.product((True, False), repeat=2)]
    for op, flag in itertools.product("add sub mul div max min upd".split(), flags):
        way(f"scatter_{op}", data("float32", 4, 3), fed([2, 0], "int32"), data("float32", 2, 3, low=1), **flag)
    for kind, dims in spread(NUMBERS, ((4,), (4, 3), (4, 1, 2), (4, 2, 1, 2), (4, 1, 2, 1, 3), (4, 0)), (4, 3)):
        for count, index in itertools.product(range(1, min(len(dims), 2) + 1), ("int32", "int64")):
            at = np.zeros((2, count), index)
            at[:, 0] = (2, 0)
            if 0 not in dims[:count]:
                new = data(kind, 2, *dims[count:], seed=8)
                for op in ("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update"):
                    way(op, data(kind, *dims), fed(at, index), new)
                way("scatter_nd", fed(at, index), new, fixed(dims, index))
                way("scatter_nd", fed(at, index), new, fed(dims, index))
                at = at.copy()
                at[:, 0] = 1
                way("scatter_nd", fed(at, index), new, fixed(dims, index))
                way("scatter_nd_add", data(kind, *dims), fed(at, index), new)
                way("scatter_nd_sub", data(kind, *dims), fed(at, index), new)
    for op, flag in itertools.product(("scatter_nd_add", "scatter_nd_sub", "scatter_nd_update"), flags):
        way(op, data("float32", 4, 3), fed([[2], [0]], "int32"), data("float32", 2, 3), **flag)
    for flag in flags:
        way("scatter_nd", fed([[2], [0]], "int32"), data("float32", 2, 3), fixed([4, 3]), **flag)
    way("scatter_nd_update", data("float32", 4, 3), fed(np.zeros((0, 1)), "int32"), data("float32", 0, 3))
    add_segments()


def add_segments():
    for kind, dims in spread(NUMBERS, ((4,), (4, 2), (4, 1, 3), (4, 2, 1, 2), (4, 1, 2, 1, 3), (4, 0)), (4, 2)):
        for index in ("int32", "int64"):
            for op, ids in itertools.product("sum prod max min mean".split(), ([0, 0, 1, 2], [0, 2, 2, 3], [1, 1, 1, 1])):
                way(f"segment_{op}", data(kind, *dims), fed(ids, index))
            for op, ids in itertools.product("sum prod max min mean sqrt_n".split(), ([0, 0, 2, 1], [3, 3, 3, 0])):
                name = "numOfClasses" if op in ("mean", "sqrt_n") else "numSegments"
                way(f"unsorted_segment_{op}", data(kind, *dims), fed(ids, index), **{name: 5})
                way(f"unsorted_segment_{op}", data(kind, *dims), fed(ids, index), fixed(4, index))
                way(f"unsorted_segment_{op}", data(kind, *dims), fed(ids, index), fed(4, index))
    for op in "sum prod max min mean sqrt_n".split():
        name = "numOfClasses" if op in ("mean", "sqrt_n") else "numSegments"
        way(f"unsorted_segment_{op}", data("float32", 3), fed([-1, 0, -1], "int32"), **{name: 2})
        way(f"unsorted_segment_{op}", data("float32", 0, 2), fed([], "int32"), **{name: 2})
    for kind, dims in spread(ANY[:-1], ((4,), (4, 3), (4, 1, 2), (4, 1, 2, 1), (4, 1, 2, 1, 3), (4, 0)), (4, 3)):
        for index in ("int32", "int64"):
            way("dynamic_partition", data(kind, *dims), fed([0, 1, 0, 1], index), numPartitions=2, outputs=2)
            way("dynamic_partition", data(kind, *dims), fed([2, 2, 0, 2], index), numPartitions=3, outputs=3)
            way("dynamic_stitch", fed([0, 2], index), fed([1, 3], index), data(kind, 2, *dims[1:]), data(kind, 2, *dims[1:], seed=3))
            way("dynamic_stitch", fed([0, 2], index), fed([2, 1], index), data(kind, 2, *dims[1:]), data(kind, 2, *dims[1:], seed=3), numPartitions=2)
            way("dynamic_stitch", fed([3, 0, 1], index), data(kind, 3, *dims[1:]))
    way("dynamic_partition", data("float32", 2, 3), fed([[0, 1, 0], [1, 1, 0]], "int32"), numPartitions=2, outputs=2)


def add_order():
    for kind, dims in spread(NUMBERS, [d for d in DIMS if d], (2, 5)):
        x = data(kind, *dims, low=-9, high=9)
        for k in (1, 2):
            way("top_k", x, k=k, outputs=2)
            way("top_k", x, fixed(k, "int32"), outputs=2)
            way("top_k", x, fed(k), outputs=2)
        way("top_k", x, outputs=2)
        way("top_k", x, k=2, needSort=True, outputs=2)
        way("top_k", x, k=1, needSort=False, outputs=2)
        for n, back in itertools.product((0, 1), (None, 0, 1)):
            flags = {} if back is None else {"reverse": back}
            way("nth_element", x, fixed(n, "int32"), **flags)
            way("nth_element", x, fed(n), **flags)
    for flag in (True, False):
        way("nth_element", data("float32", 5), fixed(1), reverse=int(flag), reverse_b=flag)
        way("in_top_k", fed([[1, 2, 3]], "float32"), fed([2], "int32"), k=2, sorted=flag)
    way("top_k", fed([[1, 3, 3, 2, 3]], "float32"), k=4, outputs=2)
    for kind, index, k in itertools.product(("float32", "float64", "float16"), ("int32", "int64"), (1, 2, 4)):
        scores = fed(np.random.RandomState(1).permutation(12).reshape(3, 4), kind)
        way("in_top_k", scores, fed([1, 3, 0], index), k=k)
        way("in_top_k", scores, fed([1, 3, 0], index), k=k, sorted=True)
    way("in_top_k", fed([[1, 1, 1], [2, 2, 1]], "float32"), fed([2, 1], "int32"), k=2)
    for kind in NUMBERS:
        some = fed([3, 1, 3, 2, 1, 3], kind) if kind != "bfloat16" else Input(np.array([3, 1, 3, 2, 1, 3], "f4"), kind, False)
        way("unique", some, outputs=2)
        way("unique_with_counts", some, outputs=3)
        if kind != "bfloat16":
            way("listdiff", some, fed([3, 5], kind), outputs=2)
            way("listdiff", some, fed([], kind), outputs=2)
    way("unique", data("int32", 0), outputs=2)
    way("unique_with_counts", data("int32", 0), outputs=3)
    way("in_top_k", data("float32", 0, 3), data("int32", 0), k=2)
    way("unique", data("int32", 2, 3), outputs=2)
    way("unique_with_counts", data("int32", 2, 3), outputs=3)
    for kind in INTS:
        way("invert_permutation", fed([2, 0, 3, 1], kind))
    way("invert_permutation", fed([], "int32"))
    add_counts()


def add_counts():
    for kind in ("int32", "int64"):
        x = fed([1, 3, 1, 0, 3, 3], kind)
        for low, high in ((None, None), (0, None), (6, None), (2, None), (0, 3), (6, 8), (6, 5), (0, 9)):
            attributes = {} if low is None else {"minLength": low}
            attributes.update({} if high is None else {"maxLength": high})
            way("bincount", x, **attributes)
            for out in ("float32", "int32", "int64", "float64"):
                way("bincount", x, **attributes, outputType=out)
                if high is not None:
                    way("bincount", x, **attributes, countType=NAMES[out])
            for weights in ("float32", "float64", "int32", "int64"):
                way("bincount", x, data(weights, 6, low=1), **attributes)
        way("bincount", fed([[1, 3], [1, 0]], kind))
        way("bincount", x, fixed(2, kind), fixed(5, kind))
        way("bincount", x, data("float32", 6), fixed(2, kind), fixed(5, kind))
    for kind, dims in spread(("float32", "float64", "float16", "int32", "int64")):
        low, high = fed([-2, 2], kind), fixed([-1, 3], kind)
        for limits in (low, high):
            way("histogram_fixed_width", data(kind, *dims), limits, nbins=5)
            way("histogram_fixed_width", data(kind, *dims), limits, fixed(4, "int32"))
            way("histogram_fixed_width", data(kind, *dims), limits, fed(4))
        way("histogram_fixed_width", data(kind, *dims), fixed([-3, 3], kind))
    for kind, dims in spread(("float32", "float64", "float16", "int32", "int64", "int8", "int16"), ((8,), (2, 8), (1, 2, 16), (2, 1, 3, 8), (1, 2, 1, 3, 8), (0, 8)), (2, 8)):
        way("compare_and_bitpack", data(kind, *dims), fed(1, kind))
        way("compare_and_bitpack", data(kind, *dims), fixed(0, kind))
    way("compare_and_bitpack", data("bool", 2, 8), fixed(False, "bool"))
    way("compare_and_bitpack", data("bool", 2, 8), fixed(True, "bool"))


# ---- convolutions and pools ---------------------------------------------------------------------

AXES = {1: ("kW", "sW", "pW", "dW"), 2: ("kH kW", "sH sW", "pH pW", "dH dW"), 3: ("kD kH kW", "sD sH sW", "pD pH pW", "dD dH dW")}


def window(n, kernel, stride, pad, rate):
    """Arguments of a window: one number for all axes, and one more for the first."""
    made = {}
    for names, value in zip(AXES[n], (kernel, stride, pad, rate)):
        made.update(zip(names.split(), value if isinstance(value, tuple) else (value,) * n))
    return made


def weight_dims(n, kernel, inner, outer, form):
    ks = (kernel,) * n
    return {0: (*ks, inner, outer), 1: (outer, inner, *ks), 2: (outer, *ks, inner)}[form]


def image(kind, n, channels, layout, size=6, seed=0):
    sizes = [size - i for i in range(n)]
    return data(kind, 2, *((*sizes, channels) if layout else (channels, *sizes)), seed=seed)


def add_convolutions():
    ops = {"conv1d": (1, "paddingMode", "isNCW"), "conv2d": (2, "isSameMode", "isNCHW"), "conv3dnew": (3, "paddingMode", "isNCDHW"),
           "depthwise_conv2d": (2, "isSameMode", "isNCHW"), "deconv2d": (2, "isSameMode", "isNCHW"), "deconv3d": (3, "isSameMode", "isNCDHW")}
    for op, (n, mode_name, layout_name) in ops.items():
        for layout, form, mode, stride, pad, rate in itertools.product((None, 0, 1), (None, 0, 1, 2), (0, 1, 2), (1, 2, 3), (0, 1), (1, 2)):
            if (mode and pad) or (n == 3 and (stride == 3 or rate == 2 and stride == 2)):
                continue
            add_convolution(op, n, "float32", layout, form, mode_name, layout_name, mode, 2, stride, pad, rate)
        for kind, mode in itertools.product(FLOATS, (0, 1)):
            add_convolution(op, n, kind, 0, 0, mode_name, layout_name, mode, 3, 1, 0, 1)
            add_convolution(op, n, kind, 1, 1, mode_name, layout_name, mode, 1, 2, 0, 1)
            add_convolution(op, n, kind, 0, 1, mode_name, layout_name, mode, 1, 4, 0, 1)
        add_convolution(op, n, "float32", 0, 0, mode_name, layout_name, 0, 2, 1, 0, 1, channels=1)
        way(op, data("float32", 0, 3, *(6,) * n), data("float32", *weight_dims(n, 2, 3, 3, 0)), **window(n, 2, 1, 0, 1), **{mode_name: 0, layout_name: 0})
    for layout, form, mode, stride, rate in itertools.product((0, 1), (0, 1, 2), (0, 1), (1, 2, 3, 5), (1, 2)):
        for kind in FLOATS if stride == 1 and rate == 1 else ("float32",):
            reach = (2 - 1) * rate + 1
            size = 7
            out = -(-size // stride) if mode else (size - reach) // stride + 1
            w = data(kind, *weight_dims(2, 2, 3, 4, form), seed=2)
            y = data(kind, 2, *((out, out, 4) if layout else (4, out, out)))
            dims = (2, size, size, 3) if layout else (2, 3, size, size)
            for shape in (fixed(dims, "int32"), fed(dims)):
                if layout == 0 and form == 0:
                    way("deconv2d_tf", shape, w, y, **window(2, 2, stride, 0, rate), isSameMode=mode)
                way("deconv2d_tf", shape, w, y, **window(2, 2, stride, 0, rate), isSameMode=mode, isNCHW=layout, wFormat=form)


def add_convolution(op, n, kind, layout, form, mode_name, layout_name, mode, kernel, stride, pad, rate, channels=3):
    flags = {} if layout is None else {layout_name: layout}
    if form is not None and layout is not None:
        flags["wFormat"] = form
    elif form is not None:
        return
    outer = 2 if op == "depthwise_conv2d" else 4
    turned = op.startswith("deconv")
    sizes = weight_dims(n, kernel, outer if turned else channels, channels if turned else outer, form or 0)
    w = data(kind, *sizes, seed=2)
    last = channels * outer if op == "depthwise_conv2d" else outer
    bias = [data(kind, last, seed=3)] if rate == 1 else []
    arguments = window(n, kernel, stride, pad, rate)
    way(op, image(kind, n, channels, layout), w, *bias, **arguments, **{mode_name: mode}, **flags)
    if rate == 1 and stride == 1:
        way(op, image(kind, n, channels, layout), w, **arguments, **{mode_name: mode}, **flags)


def add_pools():
    for op, n, layout_name in (("maxpool2d", 2, "isNCHW"), ("avgpool2d", 2, "isNCHW"), ("maxpool3dnew", 3, "isNCDHW"), ("avgpool3dnew", 3, "isNCDHW")):
        kinds = FLOATS + (INTS if op.startswith("max") else ())
        for kind, layout, mode, extra in itertools.product(kinds, (None, 0, 1), (0, 1), (None, 0, 1)):
            if extra is None and (layout is not None or n == 3):
                continue
            flags = {**({} if extra is None else {"extraParam0": extra}), **({} if layout is None else {layout_name: layout})}
            for kernel, stride, pad, rate in ((2, 2, 0, 1), (3, 1, 1, 1), (2, 1, 0, 2), (1, 2, 0, 1), (2, 3, 0, 1), (3, 2, 1, 1), (1, 4, 0, 1)):
                if (mode and pad) or (kind != "float32" and (kernel, stride) not in ((2, 2), (3, 1))):
                    continue
                way(op, image(kind, n, 3, layout), **window(n, kernel, stride, pad, rate), isSameMode=mode, **flags)
            way(op, image(kind, n, 1, layout), **window(n, 2, 1, 0, 1), isSameMode=mode, **flags)
        way(op, data("float32", 0, 3, *(6,) * n), **window(n, 2, 1, 0, 1), isSameMode=0, extraParam0=0, **{layout_name: 0})
    for op, more in (("extract_image_patches", dict(ksizeRows=2, ksizeCols=2, kstrideRows=1, kstrideCols=1, krateRows=1, krateCols=1, isSameMode=0)),):
        way(op, data("float32", 0, 5, 5, 2), **more)
    way("dilation2d", data("float32", 0, 5, 5, 2), data("float32", 2, 2, 2), isSameMode=0, rates=[1] * 8)
    for kind, ks, ss, rs, mode in itertools.product(("float32",), (1, 2, 3), (1, 2, 3), (1, 2), (0, 1)):
        way("extract_image_patches", data(kind, 2, 6, 5, 3), ksizeRows=ks, ksizeCols=2, kstrideRows=ss, kstrideCols=1, krateRows=rs, krateCols=rs, isSameMode=mode)
    for kind in NUMBERS:
        way("extract_image_patches", data(kind, 1, 4, 5, 1), ksizeRows=2, ksizeCols=3, kstrideRows=1, kstrideCols=2, krateRows=1, krateCols=1, isSameMode=1)
        for mode, rates in itertools.product((0, 1), ([1, 1, 1, 1, 1, 1, 1, 1], [1, 2, 1, 1, 1, 1, 2, 1])):
            if kind in ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bfloat16"):
                way("dilation2d", data(kind, 2, 5, 6, 2), data(kind, 2, 3, 2, seed=4), isSameMode=mode, rates=rates)
    for flag in (True, False):
        way("extract_image_patches", data("float32", 1, 4, 5, 1), ksizeRows=2, ksizeCols=3, kstrideRows=1, kstrideCols=2, krateRows=1, krateCols=1, isSameMode=1, isSameMode_b=flag)
        way("dilation2d", data("float32", 2, 5, 6, 1), data("float32", 2, 3, 1), isSameMode=1, rates=[1] * 8, isSameMode_b=flag)
    way("dilation2d", data("float32", 2, 5, 6, 1), data("float32", 2, 3, 1), fixed([1, 1, 2, 1]), fixed([1, 1, 1, 1]), isSameMode=1)
    add_blocks()


def grown(depth, high, across, layout):
    """Copies of layers, rows and columns."""
    first = 2 if layout else 1
    return lambda x: x.repeat(depth, first).repeat(high, first + 1).repeat(across, first + 2)


def add_blocks():
    for kind in NUMBERS + ("bool",):
        for layout in (None, 0, 1):
            flags = {} if layout is None else {"isNCHW": layout}
            way("upsampling2d", data(kind, 2, 3, 4, 1), factorH=2, factorW=3, **flags)
    for high, across, layout in itertools.product((1, 2, 3), (1, 2), (0, 1)):
        way("upsampling2d", data("float32", 2, 3, 4, 5), factorH=high, factorW=across, isNCHW=layout)
        way("upsampling2d", data("float32", 2, 3, 4, 5), factorH=high, factorW=across, isNCHW=layout, nchw=bool(layout))
    way("upsampling2d", data("float32", 0, 3, 4, 5), factorH=2, factorW=2, isNCHW=1)
    for kind in NUMBERS + ("bool",):
        for layout in (None, 0, 1):
            flags = {} if layout is None else {"isNCDHW": layout}
            way("upsampling3d", data(kind, 2, 3, 2, 1, 2), want=grown(2, 3, 2, layout), factorD=2, factorH=3, factorW=2, **flags)
    for layout in (0, 1):
        way("upsampling3d", data("float32", 2, 3, 2, 4, 5), want=grown(1, 2, 3, layout), factorD=1, factorH=2, factorW=3, isNCDHW=layout, ncdhw=bool(layout))
    way("upsampling3d", data("float32", 0, 3, 4, 5, 2), want=grown(2, 2, 2, 1), factorD=2, factorH=2, factorW=2, isNCDHW=1)
    for kind, layout, block in itertools.product(ANY, (0, 1), (2, 3)):
        way("space_to_depth", data(kind, 2, *((6, 12, 1) if layout else (1, 6, 12))), block_size=block, isNHWC=layout)
        way("depth_to_space", data(kind, 2, *((2, 3, 36) if layout else (36, 2, 3))), block_size=block, isNHWC=layout)
    for op, layout in itertools.product(("space_to_depth", "depth_to_space"), (0, 1)):
        way(op, data("float32", 0, 4, 4, 4), block_size=2, isNHWC=layout)
    for kind, pads in itertools.product(ANY[:-1], ([[0, 0], [0, 0]], [[1, 1], [0, 2]])):
        way("space_to_batch", data(kind, 2, 4, 6, 1), fixed(pads, "int32"), blockSize=2)
        way("space_to_batch", data(kind, 2, 4, 6, 2), fed(pads), blockSize=2)
        way("batch_to_space", data(kind, 8, 2, 3, 1), fixed(pads, "int32"), blockSize=2)
        way("batch_to_space", data(kind, 8, 2, 3, 2), fed(pads), blockSize=2)
        way("space_to_batch_nd", data(kind, 2, 4, 6, 1), fixed([2, 3], "int32"), fixed([[0, 0], [0, 0]], "int32"))
        way("batch_to_space_nd", data(kind, 12, 2, 3, 1), fixed([2, 3], "int32"), fixed([[1, 0], [0, 2]], "int32"))
    way("batch_to_space", data("float32", 8, 2, 3, 1), fixed([[0, 0], [0, 0]]), blockSize=2, croppingTop=0, croppingBottom=0)
    way("batch_to_space", data("float32", 0, 2, 3, 1), fixed([[0, 0], [0, 0]]), blockSize=2)
    way("space_to_batch", data("float32", 0, 2, 4, 1), fixed([[0, 0], [0, 0]]), blockSize=2)
    for dims, block, pads in (((2, 4), [2], [[0, 0]]), ((2, 4, 3), [2], [[1, 1]]), ((2, 4, 6, 2, 2), [2, 3, 2], [[0, 0], [1, 2], [2, 0]]), ((0, 4, 4), [2], [[0, 0]]),
                              ((4,), [], np.zeros((0, 2)))):
        for one in (fixed, fed):
            way("space_to_batch_nd", data("float32", *dims), fixed(block), one(pads))
            way("batch_to_space_nd", data("float32", int(np.prod(block)) * 2, *dims[1:]), fixed(block), one(pads))
    way("space_to_batch_nd", data("float32", 2, 4, 6), fed([2, 3]), fixed([[0, 0], [0, 0]]))
    way("space_to_batch_nd", data("float32", 2, 4, 6), fixed([2, 3]), fixed([[0, 0], [0, 0]]), blocks=2)
    way("batch_to_space_nd", data("float32", 6, 4, 6), fixed([2, 3]), fixed([[0, 0], [0, 0]]), blocks=2)


# ---- matrices -----------------------------------------------------------------------------------

def add_matrices():
    for kind, dims in spread(NUMBERS, ((), (2,), (1, 2), (2, 1, 2), (0,))):
        for x, y, z in itertools.product((0, 1), (0, 1), (0, 1)) if kind in ("float32", "float64") else ((0, 0, 0), (1, 1, 0)):
            left, right = data(kind, *dims, *((4, 3) if x else (3, 4))), data(kind, *dims, *((5, 4) if y else (4, 5)), seed=3)
            way("matmul", left, right, transX=x, transY=y, transZ=z)
        way("matmul", data(kind, *dims, 3, 4), data(kind, *dims, 4, 5, seed=3))
    for left, right in (((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((1,), (1, 1)), ((2, 0), (0, 3))):
        way("matmul", data("float32", *left), data("float32", *right, seed=2))
    for number in (0.5, 2.0):
        way("matmul", data("float32", 2, 3), data("float32", 3, 2), alpha=number)
        way("matmul", data("float32", 2, 3), data("float32", 3, 2), alpha=number, beta=0.0)
        way("matmul", data("int32", 2, 3), data("int32", 3, 2), alpha=number)
    for flags in itertools.product((True, False), repeat=3):
        x, y, z = flags
        want = wide(lambda a, b, f=flags: (lambda m: m.T if f[2] else m)((a.T if f[0] else a) @ (b.T if f[1] else b)))
        way("matmul", data("float32", *((4, 3) if x else (3, 4))), data("float32", *((5, 4) if y else (4, 5)), seed=3),
            transX=int(x), transY=int(y), transZ=int(z), transposeX=x, transposeY=y, transposeZ=z, want=want if not z else None)
    for kind, a, b, c in itertools.product(FLOATS, (0, 1), (0, 1), (0, 1)):
        x, w = data(kind, *((3, 2) if a else (2, 3))), data(kind, *((4, 3) if b else (3, 4)), seed=1)
        way("xw_plus_b", x, w, data(kind, 4, seed=2), aTranspose=a, bTranspose=b, cTranspose=c)
    way("xw_plus_b", data("float32", 2, 3), data("float32", 3, 4), data("float32", 4))
    for flags in itertools.product((True, False), repeat=2):
        way("xw_plus_b", data("float32", *((3, 2) if flags[0] else (2, 3))), data("float32", *((4, 3) if flags[1] else (3, 4))), data("float32", 4),
            aTranspose=int(flags[0]), bTranspose=int(flags[1]), transposeA=flags[0], transposeB=flags[1], transposeC=False)
    way("xw_plus_b", data("float32", 2, 3), data("float32", 3, 4), data("float32", 4), cTranspose=1, transposeA=False, transposeB=False, transposeC=True)
    way("xw_plus_b", data("float32", 0, 3), data("float32", 3, 4), data("float32", 4))
    add_diagonals()
    add_solvers()


def add_diagonals():
    for kind, dims in spread(NUMBERS + ("bool",), [d for d in DIMS if d]):
        way("matrix_diag", data(kind, *dims))
    for kind, dims in spread(NUMBERS + ("bool",), [d for d in DIMS if len(d) > 1] + [(3, 2), (2, 2), (2, 0), (3, 3)]):
        way("matrix_diag_part", data(kind, *dims))
        way("matrix_set_diag", data(kind, *dims), data(kind, *dims[:-2], min(dims[-2:]), seed=3))
    for kind, dims in spread(FLOATS, [d for d in DIMS if len(d) > 1] + [(3, 4), (4, 3)], (3, 4)):
        for low, high in ((0, 0), (1, 0), (-1, 1), (0, -1), (1, 2), (-1, -1)):
            way("matrix_band_part", data(kind, *dims), minLower=low, maxUpper=high)
            way("matrix_band_part", data(kind, *dims), fixed(low, "int32"), fixed(high, "int32"))
            way("matrix_band_part", data(kind, *dims), fed(low), fed(high))
    for kind, dims in spread(NUMBERS + ("bool",), ((), (3,), (2, 3), (1, 2, 3), (0,), (0, 2))):
        way("diag", data(kind, *dims))
    for kind, dims in spread(NUMBERS + ("bool",), ((3, 3), (2, 2, 2, 2), (1, 1), (0, 0)), (3, 3)):
        way("diag_part", data(kind, *dims))
    way("diag_part", fed([[2 ** 60 + 1, 0], [0, 3]], "int64"))
    way("diag", fed([np.inf, 1, np.nan], "float32"))
    way("matrix_diag", fed([np.inf, 1, np.nan], "float32"))
    way("diag_part", fed([[1, np.inf], [np.nan, 2]], "float32"))
    for kind, dims in spread(NUMBERS, ((3,), (2, 3), (1, 2, 3), (2, 1, 2, 3), (1, 2, 1, 2, 3), (0, 3))):
        way("cross", data(kind, *dims), data(kind, *dims, seed=4))


def add_solvers():
    for kind, batch in spread(FLOATS, ((), (2,), (1, 2), (2, 1, 2), (0,)), ()):
        square = data(kind, *batch, 3, 3)
        fair = square._replace(array=(square.array + 4 * np.eye(3)).astype(square.array.dtype))
        good = square._replace(array=(square.array @ np.swapaxes(square.array, -1, -2) + 4 * np.eye(3)).astype(square.array.dtype))
        side = data(kind, *batch, 3, 2, seed=6)
        for op in ("matrix_inverse", "matrix_determinant"):
            way(op, fair)
        way("cholesky", good)
        for flag in (None, True, False):
            way("solve", fair, side, **({} if flag is None else {"useAdjoint": flag}))
        for lower, adjoint in itertools.product((None, True, False), (None, True, False)):
            flags = {**({} if lower is None else {"isLower": lower}), **({} if adjoint is None or lower is None else {"useAdjoint": adjoint})}
            way("triangular_solve", fair, side, **flags)
        for out in (None, 9, 10):
            way("lu", fair, outputs=2, **({} if out is None else {"dtype": out}))
        if kind != "bfloat16":
            add_decompositions(kind, batch)
    way("lu", fed([[0, 1], [2, 3]], "float32"), outputs=2)
    for n in (1, 2, 4):
        way("matrix_determinant", data("float32", n, n))
        way("matrix_inverse", fed(np.eye(n) * 3, "float32"))


def add_decompositions(kind, batch):
    for rows, columns in ((3, 3), (4, 2), (2, 4)):
        x = data(kind, *batch, rows, columns)
        for full in (0, 1):
            way("svd", x, fullUV=full, calcUV=0, switchNum=16)
            way("qr", x, fullMatrices=bool(full), outputs=2, want=lambda a, f=full: tuple(
                np.asarray(m).astype(a.dtype) for m in np.linalg.qr(a.astype("f8"), "complete" if f else "reduced")))
            for uv in (0, 1):
                way("svd", x, fullUV=full, calcUV=uv, switchNum=16, outputs=3 if uv else 1,
                    fullUV_b=bool(full), computeUv=bool(uv))
        way("qr", x, outputs=2, want=lambda a: tuple(np.asarray(m).astype(a.dtype) for m in np.linalg.qr(a.astype("f8"))))
        side = data(kind, *batch, rows, 2, seed=8)
        for factor in (None, 0.0, 0.5):
            for fast in (None, True, False):
                way("lstsq", x, side, **({} if factor is None else {"l2_factor": factor}), **({} if fast is None else {"fastFlag": fast}),
                    want=lambda a, b, f=factor or 0.0: least_squares(a, b, f))


def least_squares(a, b, factor):
    wide_a, wide_b = a.astype("f8"), b.astype("f8")
    across = np.swapaxes(wide_a, -1, -2)
    if a.shape[-2] >= a.shape[-1]:
        made = np.linalg.solve(across @ wide_a + factor * np.eye(a.shape[-1]), across @ wide_b)
    else:
        made = across @ np.linalg.solve(wide_a @ across + factor * np.eye(a.shape[-2]), wide_b)
    return made.astype(a.dtype)


# ---- images ---------------------------------------------------------------------------------------

def add_images():
    flags = [{}, {"alignCorners": True}, {"alignCorners": False}, {"halfPixelCenter": True, "alignCorners": False},
             {"halfPixelCenter": False, "alignCorners": False}]
    sizes = ((4, 6), (8, 3), (1, 1), (5, 7), (2, 12))
    for op in ("resize_bilinear", "resize_nearest_neighbor", "resize_area"):
        for flag, (high, across), dims in itertools.product(flags, sizes, ((2, 4, 6, 3), (4, 6, 1))):
            if "halfPixelCenter" in flag and op == "resize_area":
                continue
            way(op, data("float32", *dims), fixed([high, across], "int32"), **flag)
            way(op, data("float32", *dims), fed([high, across]), **flag)
            way(op, data("float32", *dims), height=high, width=across, **flag)
        for kind in NUMBERS:
            way(op, data(kind, 1, 4, 6, 2), fixed([6, 5], "int32"))
            way(op, data(kind, 1, 4, 6, 2), fixed([2, 3], "int32"), alignCorners=True)
        way(op, data("float32", 0, 4, 6, 2), fixed([6, 5], "int32"))
    for align, half in itertools.product((None, True, False), (None, True, False)):
        flag = {**({} if align is None else {"alignCorners": align}), **({} if half is None or align is None else {"alignPixelCenters": half})}
        for (high, across), dims in itertools.product(((4, 6), (8, 5), (5, 12), (4, 4)), ((2, 4, 6, 3), (4, 6, 1))):
            way("resize_bicubic", data("float32", *dims), fixed([high, across], "int32"), **flag)
            way("resize_bicubic", data("float32", *dims), fed([high, across]), **flag)
    for kind in NUMBERS:
        way("resize_bicubic", data(kind, 1, 4, 6, 2), fixed([6, 5], "int32"))
    way("resize_bicubic", data("float32", 0, 4, 6, 2), fixed([6, 5], "int32"))
    add_crops()
    add_colours()
    add_boxes()
    add_quantising()


def add_crops():
    boxes, ids = fed([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.2, 0.1, 1.3, 0.6], [0.8, 0.7, 0.1, 0.2]], "float32"), fed([0, 1, 0, 1], "int32")
    for method, fill, (high, across) in itertools.product((None, 0, 1), (None, 0.5), ((3, 4), (1, 1), (6, 2))):
        flags = {**({} if method is None else {"method": method}), **({} if fill is None else {"extrapolationVal": fill})}
        way("crop_and_resize", data("float32", 2, 5, 4, 3), boxes, ids, fixed([high, across], "int32"), **flags)
        way("crop_and_resize", data("float32", 2, 5, 4, 1), boxes, ids, fed([high, across], "int32"), **flags)
    for kind in NUMBERS:
        way("crop_and_resize", data(kind, 2, 5, 4, 3), boxes, ids, fixed([3, 4], "int32"))
        way("crop_and_resize", data(kind, 2, 5, 4, 3), boxes, ids, fixed([3, 4], "int32"), method=1)
    way("crop_and_resize", data("float32", 2, 5, 4, 3), fed(np.zeros((0, 4)), "float32"), fed([], "int32"), fixed([3, 4], "int32"))
    for kind, many in itertools.product(("float32", "float64", "float16"), (1, 2, 3)):
        some = data("float32", 2, many, 4, low=0, high=1)
        way("draw_bounding_boxes", data(kind, 2, 6, 5, 3), some, data("float32", 2, 3, seed=2))
        way("draw_bounding_boxes", data(kind, 2, 6, 5, 1), some, data("float32", 1, 1, seed=2))
    edges = fed([[[0, 0, 1, 1], [-0.5, 0.2, 0.5, 0.6], [0.3, 0.3, 1.5, 1.5], [0.8, 0.8, 0.2, 0.2], [1.5, 0, 2, 1]]], "float32")
    way("draw_bounding_boxes", data("float32", 1, 6, 5, 3), edges, data("float32", 2, 3, seed=2))
    way("draw_bounding_boxes", data("float32", 1, 6, 5, 3), edges)
    way("draw_bounding_boxes", data("float32", 0, 6, 5, 3), data("float32", 0, 2, 4), data("float32", 2, 3))


def add_colours():
    for kind, dims in spread(FLOATS, ((3,), (4, 3), (2, 4, 3), (2, 2, 4, 3), (1, 2, 2, 4, 3), (0, 3)), (2, 4, 3)):
        colour = data(kind, *dims, low=0, high=1)
        for op in ("rgb_to_hsv", "hsv_to_rgb"):
            way(op, colour)
            way(op, colour, dimC=-1)
        for op, name, numbers in (("adjust_hue", "delta", (0.5, -0.3, 1.0)), ("adjust_saturation", "factor", (0.5, 2.0, 0.0))):
            for number in numbers:
                way(op, colour, **{name: number})
                way(op, colour, fixed(number, "float32" if kind == "bfloat16" else kind))
                way(op, colour, fed(number, "float32" if kind == "bfloat16" else kind))
                way(op, colour, dimC=-1, **{name: number})
    first = data("float32", 3, 2, 4, low=0, high=1)
    for op, more in (("rgb_to_hsv", {}), ("hsv_to_rgb", {}), ("adjust_hue", {"delta": 0.2}), ("adjust_saturation", {"factor": 0.5})):
        way(op, first, dimC=0, **more)
        way(op, first, dimC=-3, **more)
        way(op, data("float32", 2, 3, 4, low=0 if op == "hsv_to_rgb" else -1, high=0.99), dimC=1, **more)
        way(op, fed([[0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 0], [1, 0, 1]], "float32"), **more)
    for kind, dims in spread(FLOATS, ((4, 5, 3), (2, 4, 5, 3), (1, 2, 4, 5, 3), (4, 5, 1), (0, 4, 5, 3)), (4, 5, 3)):
        plain = "float32" if kind == "bfloat16" else kind
        for factor in (0.5, 1.0, 2.0):
            way("adjust_contrast_v2", data(kind, *dims), factor=factor)
            way("adjust_contrast_v2", data(kind, *dims), fed(factor, plain))
            way("adjust_contrast", data(kind, *dims), fed(factor, plain), want=wide(
                lambda x, f: (x - x.mean((-3, -2), keepdims=True)) * f + x.mean((-3, -2), keepdims=True)))


def add_boxes():
    boxes = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [0, 2.05, 1, 3.05], [4, 4, 5, 5], [1, 1, 0, 0]]
    scores = [0.5, 0.9, 0.3, 0.8, 0.1, 0.2]
    for op, kind in itertools.product(("non_max_suppression", "non_max_suppression_v3"), ("float32", "float64", "float16")):
        given = (fed(boxes, kind), fed(scores, kind))
        for most, overlap, least in itertools.product((1, 2, 6, 9), (0.1, 0.5, 0.97), (0.0, 0.5, None)):
            limits = [fixed(overlap, kind)] + ([fixed(least, kind)] if least is not None else [])
            way(op, *given, fixed(most, "int32"), *limits)
            way(op, *given, fed(most, "int32"), *limits)
            way(op, *given, fixed(most, "int32"), *limits, maxOutputSize=most)
        for most in (2, 6):
            way(op, *given, maxOutputSize=most)
            way(op, *given, fixed(most, "int32"))
        way(op, *given, fixed(3, "int32"), fed(0.5, kind), fed(0.2, kind))
    for op in ("non_max_suppression", "non_max_suppression_v3"):
        tie = fed([[0, 0, 1, 1], [0, 0, 1, 0.5], [0, 0.5, 1, 1]], "float32")
        way(op, tie, fed([0.9, 0.8, 0.7], "float32"), fixed(3, "int32"), fixed(0.5, "float32"), fixed(0.0, "float32"))
        way(op, tie, fed([0.9, 0.8, 0.7], "float32"), fixed(3, "int32"), fixed(0.4, "float32"), fixed(0.8, "float32"))
        way(op, tie, fed([0.9, 0.8, 0.7], "float32"), fixed(3, "int32"), fixed(0.0, "float32"))
        way(op, tie, fed([0.9, 0.8, 0.7], "float32"), fixed(3, "int32"), fixed(1.0, "float32"))
        way(op, data("float32", 0, 4), data("float32", 0), fixed(3, "int32"), fixed(0.5, "float32"))
        way(op, fed([[0, 0, 1, 1]] * 3, "float32"), fed([0.9, 0.9, 0.9], "float32"), fixed(3, "int32"), fixed(0.5, "float32"))


def add_quantising():
    way("fake_quant_with_min_max_vars", data("float32"), m=-1.5, m2=2.0)
    way("fake_quant_with_min_max_args", data("float32"), min=-1.5, max=2.0)
    way("fake_quant_with_min_max_args", data("float32", 2, 3))
    for kind, dims in spread(FLOATS, [d for d in DIMS if d]):
        plain = "float32" if kind == "bfloat16" else kind
        for bits, narrow in itertools.product((None, 8, 4, 16), (None, True, False)):
            many = {} if bits is None else {"numBits": bits}
            few = {} if narrow is None else {"narrowed": narrow}
            way("fake_quant_with_min_max_vars", data(kind, *dims), m=-1.5, m2=2.0, **many, **few)
            way("fake_quant_with_min_max_vars", data(kind, *dims), fed(-1.5, plain), fed(2.0, plain), **many, **few)
            way("fake_quant_with_min_max_args", data(kind, *dims), min=-1.5, max=2.0, **many, **({} if narrow is None else {"narrowRange": narrow}))
            way("fake_quant_with_min_max_vars_per_channel", data(kind, *dims), data(plain, dims[-1], seed=4, low=-2, high=-1), data(plain, dims[-1], seed=5, low=1, high=2),
                **({} if bits is None else {"num_bits": bits}), **few)
    for low, high in ((0.5, 2.0), (-2.0, -0.5), (0.0, 6.0)):
        way("fake_quant_with_min_max_vars", data("float32", 3, 4), m=low, m2=high)
        way("fake_quant_with_min_max_args", data("float32", 3, 4), min=low, max=high)


# ---- recurrent ------------------------------------------------------------------------------------

def add_recurrent():
    batch, inner, outer = 2, 3, 4
    for kind in FLOATS:
        way("gruCell", data(kind, batch, inner), data(kind, batch, outer), data(kind, inner + outer, 2 * outer, seed=2), data(kind, inner + outer, outer, seed=3),
            data(kind, 2 * outer, seed=4), data(kind, outer, seed=5), outputs=4)
    for kind, peephole, bias, clip in itertools.product(("float32", "float64", "float16"), (0, 1), (0.0, 1.0), (0.0, -1.0, 0.5)):
        state = [data(kind, batch, outer, seed=1), data(kind, batch, outer, seed=2), data(kind, inner + outer, 4 * outer, seed=3),
                 data(kind, outer, seed=4), data(kind, outer, seed=5), data(kind, outer, seed=6), data(kind, 4 * outer, seed=7)]
        if (peephole, bias, clip) == (0, 1.0, 0.0):
            way("lstmBlockCell", data(kind, batch, inner), *state, outputs=7)
            way("lstmBlock", fixed(5), data(kind, 5, batch, inner), *state, outputs=7)
        way("lstmBlockCell", data(kind, batch, inner), *state, peephole=peephole, forgetBias=bias, clippingCellValue=clip, outputs=7)
        for layout in (0, 1, 2):
            dims = {0: (5, batch, inner), 1: (batch, inner, 5), 2: (batch, 5, inner)}[layout]
            for length in (5, 3):
                way("lstmBlock", fixed(length), data(kind, *dims), *state, peephole=peephole, dataFormat=layout, forgetBias=bias, clippingCellValue=clip, outputs=7)
    add_lstm_layers(batch, inner, outer)


def lstm_layer(kind, layout, way_, has, returns, acts=(2, 0, 0), clip=0.0, more=None, sizes=(2, 3, 4)):
    batch, inner, outer = sizes
    dims = {0: (5, batch, inner), 1: (batch, 5, inner), 2: (batch, inner, 5), 3: (5, batch, inner)}[layout]
    two = () if way_ < 2 else (2,)
    parts = [data(kind, *two, 4 * outer, seed=3), fed([5, 3], "int32"), data(kind, *two, batch, outer, seed=4), data(kind, *two, batch, outer, seed=5),
             data(kind, *two, 3 * outer, seed=6)]
    names = ("hasBiases", "hasSeqLen", "hasInitH", "hasInitC", "hasPH", "retFullSeq", "retLastH", "retLastC")
    way("lstmLayer", data(kind, *dims), data(kind, *two, inner, 4 * outer, seed=1, low=-1, high=1), data(kind, *two, outer, 4 * outer, seed=2, low=-1, high=1),
        *(part for part, flag in zip(parts, has) if flag), outputs=sum(returns), dataFormat=layout, directionMode=way_, gateAct=acts[0],
        cellAct=acts[1], outAct=acts[2], cellClip=clip, **(more or {}), **dict(zip(names, (*has, *returns))))


def add_lstm_layers(batch, inner, outer):
    all_, none = (True,) * 3, (False,) * 5
    for layout, way_ in itertools.product((0, 1, 2, 3), (0, 1, 2, 3, 4)):
        for has in (none, (True, False, False, False, False), (True, False, True, True, True), (True, True, True, True, False), (False, True, False, False, False)):
            if layout < 3 or way_ == 4:
                lstm_layer("float32", layout, way_, has, all_)
    for has in itertools.product((True, False), repeat=5):
        lstm_layer("float32", 0, 0, has, all_)
    for returns in itertools.product((True, False), repeat=3):
        if any(returns):
            for way_ in (0, 4):
                lstm_layer("float32", 3 if way_ else 0, way_, (True, False, False, False, False), returns)
    for kind in FLOATS:
        lstm_layer(kind, 0, 0, (True, False, False, False, False), all_)
    lstm_layer("float32", 0, 0, (True, False, False, False, False), all_, clip=0.3)
    for place, act in itertools.product(range(3), range(11)):
        acts = [2, 0, 0]
        acts[place] = act
        # Only numbers that are needed, one behind the other, whatever they are called.
        numbers = dict(zip(("gateAlpha", "gateBeta"), (0.3, 0.2)[:2 if act in (3, 6) else 1 if act in (4, 5, 8) else 0]))
        lstm_layer("float32", 0, 0, (True, False, False, False, False), all_, acts, more=numbers)
        lstm_layer("float32", 3, 4, (True, False, False, False, False), all_, acts, more=numbers)
    lstm_layer("float32", 0, 0, (True, False, False, False, False), all_, (3, 6, 4),
               more=dict(zip("gateAlpha gateBeta cellAlpha cellBeta outAlpha".split(), (0.3, 0.2, 0.5, 0.7, 0.1))))
    lstm_layer("float32", 0, 0, (True, False, False, False, False), all_, (7, 8, 3),
               more=dict(zip("gateAlpha gateBeta cellAlpha".split(), (0.3, 0.2, 0.5))))
    lstm_layer("float32", 0, 0, (True, False, False, False, False), all_, (6, 3, 6),
               more=dict(zip("gateAlpha gateBeta cellAlpha cellBeta outAlpha outBeta".split(), (0.3, 0.2, 0.5, 0.7, 0.1, 0.4))))


def all_cases():
    if not CASES:
        for add in (add_unary, add_binary, add_reductions, add_losses, add_normalising, add_shapes, add_creation, add_parts, add_scatters, add_order,
                    add_convolutions, add_pools, add_matrices, add_images, add_recurrent):
            add()
    return [case for op in sorted(CASES) for case in CASES[op]]


# ---- as words of rules ------------------------------------------------------------------------------

def written(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(written, value))}]"
    return str(value)


def constant(given):
    array = given.array
    if given.kind == "string":
        return f'const("{array}", string)'
    values = [written(v) for v in array.reshape(-1).tolist()]
    return f"const([{', '.join(values)}], {given.kind}, {written(list(array.shape))})"


def argument(given, name):
    if given.is_fixed:
        return constant(given)
    return f"cast({name}; dtype: bfloat16)" if given.kind == "bfloat16" else name


def call(case):
    """The operator in the words of rules; fed inputs are x0, x1..."""
    names = [argument(given, f"x{at}") for at, given in enumerate(case.inputs)]
    words = ", ".join(f"{name}: {written(value)}" for name, value in case.attributes.items())
    return f"{case.op}({', '.join(names)}{'; ' + words if words else ''})"


def is_short(case):
    """Whether it has numbers of bfloat16, which nobody else can read."""
    return any(given.kind == "bfloat16" for given in case.inputs) or "bfloat16" in case.attributes.values() or \
        NAMES["bfloat16"] in [case.attributes.get(name) for name in ("dst", "newType")]
