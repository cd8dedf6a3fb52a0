"""onnx_cases.py - nodes of ONNX in every form that an opset gave them

Each case is a node with attributes and inputs, for the opsets in which such a
node is right: those at which the operator changed are tried, and the first.
Inputs are arrays, fed; fixed(array), a constant of the model; None, left out.
opens="open": of what is fed the number of rows is not known; "sizes": no size is.
"""
import collections
import os
import re

import numpy

Case = collections.namedtuple("Case", "name op opset inputs outputs attributes"
                              " is_edge opens")
NEWEST = 24

CASES = []
HERE = os.path.dirname(os.path.abspath(__file__))


class fixed:
    """A constant of the model."""

    def __init__(self, array, dtype=None):
        if isinstance(array, str) or dtype is not None:
            self.array = numpy.array(array, dtype)
        else:
            array = numpy.array(array)
            if array.dtype == numpy.float64:
                array = array.astype("f4")
            self.array = array


def versions():
    """{operator: opsets at which it changed}"""
    found, domain = {}, None
    path = os.path.join(HERE, "..", "..", "rules", "onnx.ops")
    for line in open(path, encoding="utf-8"):
        if line.startswith("domain "):
            domain = line.split()[1]
        match = re.match(r"op (\w+)@(\d+)", line)
        if match and domain == "ai.onnx":
            found.setdefault(match.group(1), []).append(int(match.group(2)))
    return found


VERSIONS = versions()


def add(op, first, last, *inputs, outputs=1, tag="", opens="", **attributes):
    """The node in opsets first..last."""
    since = [v for v in VERSIONS[op] if v <= first]
    tried = {max(first, 7)} | {v for v in VERSIONS[op] if first < v <= last}
    assert since or first in VERSIONS[op], op
    tried = sorted(v for v in tried if v <= NEWEST)
    for opset in tried:
        count = sum(case.op == op and case.opset == opset for case in CASES)
        name = f"{op}-{opset}" + (f"-{tag}" if tag else
                                  f"-{count}" if count else "")
        CASES.append(Case(name, op, opset, inputs, outputs, attributes,
                          opset in (tried[0], tried[-1]), opens))


_random = numpy.random.default_rng(7)


def f(*dims, dtype="f4"):
    """Floats around 0."""
    return _random.uniform(-2, 2, dims).astype(dtype)


def p(*dims, dtype="f4"):
    """Positive floats."""
    return _random.uniform(0.3, 2, dims).astype(dtype)


def n(*dims, low=-9, high=9, dtype="i4"):
    return _random.integers(low, high, dims).astype(dtype)


def b(*dims):
    return _random.integers(0, 2, dims).astype(bool)


LAST = 99
i8 = lambda *values: numpy.array(values, "i8")
at = lambda *values: fixed(numpy.array(values, "i8"))

# ---- element-wise -----------------------------------------------------------------

for op in ("Abs Ceil Cos Elu Erf Exp Floor HardSigmoid HardSwish Identity"
           " LeakyRelu Mish Neg Relu Round Selu Sigmoid Sign Sin Sinh Cosh"
           " Softplus Softsign Tan Tanh ThresholdedRelu Celu Gelu Atan Asinh"
           " Shrink Reciprocal Swish").split():
    add(op, max(7, VERSIONS[op][0]), LAST, f(2, 3, 4))
for op in "Log Sqrt Acosh".split():
    add(op, max(7, VERSIONS[op][0]), LAST, p(2, 3) + numpy.float32(1))
for op in "Acos Asin Atanh".split():
    add(op, max(7, VERSIONS[op][0]), LAST, f(2, 3) / numpy.float32(2.5))
for op in "Abs Neg Sign Relu".split():
    add(op, 14, LAST, n(3, 4, dtype="i4"), tag="int32")
for op in "Abs Sqrt Exp Tanh Sigmoid Relu Neg".split():
    add(op, 13, LAST, p(3, 4, dtype="f8"), tag="float64")
add("Elu", 7, LAST, f(3, 4), alpha=0.7)
add("Celu", 12, LAST, f(3, 4), alpha=2.0)
add("HardSigmoid", 7, LAST, f(3, 4), alpha=0.3, beta=0.4)
add("LeakyRelu", 7, LAST, f(3, 4), alpha=0.3)
add("Selu", 7, LAST, f(3, 4), alpha=1.5, gamma=1.1)
add("ThresholdedRelu", 10, LAST, f(3, 4), alpha=0.5)
add("Gelu", 20, LAST, f(3, 4), approximate="tanh")
add("Shrink", 9, LAST, f(3, 4), bias=0.5, lambd=0.7)
add("Swish", 24, LAST, f(3, 4), alpha=1.7)
add("Not", 7, LAST, b(3, 4))
add("IsNaN", 9, LAST, numpy.array([1, numpy.nan, -2], "f4"))
for down, up in ((1, 1), (0, 1), (1, 0), (0, 0)):
    add("IsInf", 10, LAST, numpy.array([1, numpy.inf, -numpy.inf], "f4"),
        detect_negative=down, detect_positive=up)
add("BitwiseNot", 18, LAST, n(3, 4))
add("PRelu", 7, LAST, f(2, 3, 4), p(3, 1))
add("PRelu", 7, LAST, f(2, 3, 4), fixed(p(3, 1)))
add("PRelu", 7, LAST, f(2, 3, 4), fixed(p(1)))

for op in "Add Sub Mul Div Max Min Mean Sum Pow".split():
    first = 8 if op in ("Max", "Min", "Mean", "Sum") else 7
    add(op, first, LAST, p(2, 3, 4), p(3, 1), tag="broadcast")
    add(op, 7, LAST, p(3, 4), p(3, 4), tag="equal")
for op in "Max Min Mean Sum".split():
    add(op, 8, LAST, f(2, 3), f(3), f(2, 1), tag="three")
    add(op, 7, LAST, f(2, 3), tag="one")
for op in "Add Sub Mul Div".split():
    add(op, 7, LAST, n(3, 4, low=1), n(4, low=1), tag="int32")
    add(op, 7, LAST, n(3, 4, low=-30, high=-1, dtype="i8"),
        n(4, low=1, dtype="i8"), tag="int64")
for op in "Max Min".split():
    add(op, 12, LAST, n(3, 4, dtype="i8"), n(4, dtype="i8"), tag="int64")
add("Pow", 12, LAST, p(3, 4), n(4, low=0, high=3, dtype="i8"), tag="int64")
add("Pow", 12, LAST, n(3, 4, low=1, high=5), f(4), tag="base")
for op in "And Or Xor".split():
    add(op, 7, LAST, b(2, 3, 4), b(3, 1))
for op in "Equal Greater Less GreaterOrEqual LessOrEqual".split():
    first = max(7, VERSIONS[op][0])
    if op == "Equal":
        add(op, 7, LAST, b(3, 4), b(3, 1), tag="bool")
        add(op, 11, LAST, p(3, 4), p(3, 1))
    else:
        add(op, first, LAST, p(3, 4), p(3, 1))
    add(op, max(first, 9), LAST, n(3, 4), n(4), tag="int32")
for op in "BitwiseAnd BitwiseOr BitwiseXor".split():
    add(op, 18, LAST, n(3, 4), n(4))
for way in ("LEFT", "RIGHT"):
    add("BitShift", 11, LAST, n(3, 4, low=0, dtype="u1"),
        n(4, low=0, high=5, dtype="u1"), direction=way)
    add("BitShift", 11, LAST, n(3, 4, low=0, dtype="u4"),
        n(4, low=0, high=5, dtype="u4"), direction=way, tag=way + "-uint32")
for fmod in (0, 1):
    add("Mod", 10, LAST, n(3, 4), n(3, 4, low=1), fmod=fmod)
    add("Mod", 10, LAST, -n(3, 4, low=1), n(3, 4, low=1), fmod=fmod)
add("Mod", 10, LAST, f(3, 4), p(3, 4), fmod=1, tag="float")
add("Mod", 10, LAST, numpy.array([5, -5, 5, -1e7, -3], "f4"),
    numpy.array([0.1, 0.1, -0.1, 0.7, numpy.inf], "f4"), fmod=1, tag="exact")
add("Where", 9, LAST, b(3, 1), f(3, 4), f(4))
add("Where", 9, LAST, b(3, 4), f(3, 4), f(3, 4))
add("Where", 9, LAST, b(3, 4), n(3, 4, dtype="i8"), n(3, 4, dtype="i8"))

FLOAT, UINT8, INT8, INT32, INT64, STRING, BOOL, HALF, DOUBLE = \
    1, 2, 3, 6, 7, 8, 9, 10, 11
for to in (FLOAT, INT32, INT64, BOOL, DOUBLE, UINT8, INT8):
    add("Cast", 7, LAST, p(3, 4) * numpy.float32(5), to=to, tag=str(to))
    add("Cast", 7, LAST, n(3, 4, low=0, dtype="i8"), to=to, tag=f"int-{to}")
add("Cast", 9, LAST, numpy.array(["1.5", "-2", "inf"]), to=FLOAT, tag="text")
add("Cast", 9, LAST, numpy.array(["15", "-2"]), to=INT64, tag="text-int64")
add("Cast", 9, LAST, n(3, dtype="i8"), to=STRING, tag="to-text")
add("CastLike", 15, LAST, f(3, 4), n(1, dtype="i8"))
add("CastLike", 15, LAST, n(3, 4, dtype="i8"), p(1))
add("Clip", 7, 10, f(3, 4), min=-0.5, max=0.7)
add("Clip", 7, 10, f(3, 4), min=-0.5)
add("Clip", 7, 10, f(3, 4), max=0.5)
add("Clip", 11, LAST, f(3, 4), fixed(-0.5), fixed(0.7))
add("Clip", 11, LAST, f(3, 4), None, fixed(0.7))
add("Clip", 11, LAST, f(3, 4), fixed(-0.5))
add("Clip", 11, LAST, f(3, 4), numpy.array(-0.5, "f4"), numpy.array(0.7, "f4"))
add("Clip", 12, LAST, n(3, 4), fixed(numpy.int32(-2)), fixed(numpy.int32(3)))
add("Dropout", 7, 11, f(3, 4), ratio=0.4)
add("Dropout", 10, 11, f(3, 4), outputs=2, ratio=0.4, tag="mask")
add("Dropout", 12, LAST, f(3, 4))
add("Dropout", 12, LAST, f(3, 4), fixed(0.4), outputs=2)
add("Dropout", 12, LAST, f(3, 4), fixed(0.4), fixed(numpy.array(False)))
add("Dropout", 12, LAST, f(3, 4), fixed(0.0), fixed(numpy.array(True)),
    outputs=2, tag="zero")
add("Dropout", 12, LAST, f(3, 4), numpy.array(0, "f4"), numpy.array(True),
    outputs=2, tag="fed")
add("Dropout", 12, LAST, f(3, 4), fixed(0.3), numpy.array(False),
    outputs=2, tag="fed-off")

# ---- reductions -------------------------------------------------------------------

for op in ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax"
           " ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare").split():
    turn = 13 if op == "ReduceSum" else 18
    for keep in (0, 1):
        add(op, 7, turn - 1, p(2, 3, 4), axes=[1], keepdims=keep)
        add(op, 7, turn - 1, p(2, 3, 4), keepdims=keep)
        add(op, 7, turn - 1, p(2, 3, 4), axes=[0, 2], keepdims=keep)
        add(op, turn, LAST, p(2, 3, 4), at(1), keepdims=keep)
        add(op, turn, LAST, p(2, 3, 4), keepdims=keep)
        add(op, turn, LAST, p(2, 3, 4), at(-1, 0), keepdims=keep)
        add(op, turn, LAST, p(2, 3, 4), i8(1), keepdims=keep, tag=f"fed{keep}")
    add(op, 11, turn - 1, p(2, 3, 4), axes=[-1])
    signed = p(2, 3, 4) if op == "ReduceLogSum" else f(2, 3, 4)
    add(op, turn, LAST, signed, noop_with_empty_axes=1, tag="noop")
    add(op, turn, LAST, signed, at(), noop_with_empty_axes=1, tag="noop0")
    add(op, turn, LAST, p(2, 3, 4), at(), tag="empty")
for op in "ReduceMax ReduceMin ReduceSum ReduceProd ReduceMean".split():
    turn = 13 if op == "ReduceSum" else 18
    add(op, 7, turn - 1, n(2, 3), axes=[1], tag="int32")
    add(op, turn, LAST, n(2, 3), at(1), tag="int32")
    add(op, turn, LAST, n(2, 3, dtype="i8"), at(1), tag="int64")
add("ReduceMax", 20, LAST, b(2, 3), at(1), tag="bool")
add("ReduceMin", 20, LAST, b(2, 3), at(1), tag="bool")
for op in "ArgMax ArgMin".split():
    for keep in (0, 1):
        add(op, 7, LAST, n(3, 4, 5, high=2).astype("f4"), axis=1, keepdims=keep)
        add(op, 12, LAST, n(3, 4, 5, high=-5).astype("f4"), axis=1,
            keepdims=keep, select_last_index=1)
    add(op, 11, LAST, f(3, 4), axis=-1)
    add(op, 7, LAST, f(3, 4))
for op in "Softmax LogSoftmax Hardmax".split():
    for axis in (0, 1, 2):
        add(op, 7, LAST, f(2, 3, 4), axis=axis)
    add(op, 11, LAST, f(2, 3, 4), axis=-1)
    add(op, 7, LAST, f(2, 3, 4), tag="default")
    add(op, 7, LAST, f(2, 3), tag="matrix")
for exclusive in (0, 1):
    for reverse in (0, 1):
        add("CumSum", 11, LAST, f(3, 4), fixed(numpy.int64(1)),
            exclusive=exclusive, reverse=reverse)
add("CumSum", 11, LAST, f(3, 4), fixed(numpy.int32(-2)))
add("CumSum", 11, LAST, f(3, 4), numpy.array(0, "i4"), tag="fed")
for largest in (0, 1):
    add("TopK", 11, LAST, f(3, 5), at(2), outputs=2, largest=largest)
    add("TopK", 11, LAST, f(3, 5), at(2), outputs=2, largest=largest, axis=0)
add("TopK", 7, 9, f(3, 5), outputs=2, k=2)
add("TopK", 7, 9, f(3, 5), outputs=2, k=2, axis=0)
add("TopK", 10, 10, f(3, 5), at(2), outputs=2)
add("TopK", 10, LAST, f(3, 5), i8(2), outputs=2, tag="fed")
add("TopK", 11, LAST, n(3, 5, high=90, dtype="i8"), at(3), outputs=2)
add("NonZero", 9, LAST, b(3, 4))
add("NonZero", 9, LAST, n(3, 4, low=0, high=2).astype("f4"))

# ---- shapes -----------------------------------------------------------------------

add("Shape", 7, LAST, f(2, 3, 4))
add("Shape", 15, LAST, f(2, 3, 4), start=1)
add("Shape", 15, LAST, f(2, 3, 4), start=-2, end=-1)
add("Size", 7, LAST, f(2, 3, 4))
for axis in (0, 1, 2, 3):
    add("Flatten", 7, LAST, f(2, 3, 4), axis=axis)
add("Flatten", 11, LAST, f(2, 3, 4), axis=-1)
add("Reshape", 7, LAST, f(2, 3, 4), at(0, -1))
add("Reshape", 7, LAST, f(2, 3, 4), i8(4, 6))
add("Reshape", 7, LAST, f(2, 3, 4), i8(0, -1), tag="fed")
add("Reshape", 14, LAST, f(0, 3, 4), at(3, 4, 0), allowzero=1)
add("Squeeze", 7, 12, f(1, 3, 1), axes=[0])
add("Squeeze", 7, 12, f(1, 3, 1))
add("Squeeze", 11, 12, f(1, 3, 1), axes=[-1, 0])
add("Squeeze", 13, LAST, f(1, 3, 1), at(-1))
add("Squeeze", 13, LAST, f(1, 3, 1), i8(0), tag="fed")
add("Squeeze", 13, LAST, f(1, 3, 1))
add("Unsqueeze", 7, 12, f(3, 4), axes=[0, 3])
add("Unsqueeze", 11, 12, f(3, 4), axes=[-1])
add("Unsqueeze", 13, LAST, f(3, 4), at(0, -1))
add("Unsqueeze", 13, LAST, f(3, 4), i8(1), tag="fed")
add("Transpose", 7, LAST, f(2, 3, 4))
add("Transpose", 7, LAST, f(2, 3, 4), perm=[1, 2, 0])
add("Concat", 7, LAST, f(2, 3), f(2, 1), axis=1)
add("Concat", 11, LAST, f(2, 3), f(1, 3), axis=-2)
add("Concat", 7, LAST, n(2, 3), n(2, 1), n(2, 2), axis=1)
add("Split", 7, 12, f(5, 4), outputs=2, axis=0, split=[2, 3])
add("Split", 7, 12, f(6, 4), outputs=3)
add("Split", 11, 12, f(6, 4), outputs=2, axis=-1)
add("Split", 13, LAST, f(5, 4), at(2, 3), outputs=2, axis=0)
add("Split", 13, 17, f(6, 4), outputs=3)
add("Split", 18, LAST, f(6, 4), outputs=3, num_outputs=3)
add("Split", 18, LAST, f(7, 4), outputs=3, num_outputs=3, tag="uneven")
add("Split", 13, LAST, f(5, 4), i8(2, 3), outputs=2, tag="fed")
add("Slice", 7, 9, f(4, 5, 6), starts=[1, 0], ends=[3, 4])
add("Slice", 7, 9, f(4, 5, 6), starts=[1], ends=[-1], axes=[2])
add("Slice", 7, 9, f(4, 5, 6), starts=[-3], ends=[1000], axes=[1])
add("Slice", 10, LAST, f(4, 5, 6), at(1), at(3))
add("Slice", 10, LAST, f(4, 5, 6), at(1, -4), at(3, 1000), at(0, 2))
add("Slice", 10, LAST, f(4, 5, 6), at(1, 4), at(4, 0), at(0, 1), at(2, -2))
add("Slice", 10, LAST, f(4, 5, 6), at(-1), at(-1000), at(1), at(-1))
add("Slice", 11, LAST, f(4, 5, 6), at(1), at(4), at(-1))
add("Slice", 10, LAST, f(4, 5, 6), i8(1), i8(3), i8(1), i8(1), tag="fed")
add("Slice", 10, LAST, f(4, 5, 6), i8(1), i8(3), at(1), tag="fed-bounds")
add("Slice", 10, LAST, f(4, 5, 6), at(0), i8(-1), at(1), tag="fed-end")
add("Tile", 7, LAST, f(2, 3), at(2, 3))
add("Tile", 7, LAST, f(2, 3), i8(1, 2), tag="fed")
add("Tile", 7, LAST, f(3), i8(2), tag="vector")
add("Expand", 8, LAST, f(3, 1), at(2, 1, 4))
add("Expand", 8, LAST, f(3, 1), i8(3, 4), tag="fed")
for mode in ("constant", "reflect", "edge"):
    add("Pad", 7, 10, f(4, 5), pads=[1, 0, 2, 3], mode=mode)
    add("Pad", 11, LAST, f(4, 5), at(1, 0, 2, 3), mode=mode)
    add("Pad", 11, LAST, f(4, 5), i8(1, 0, 2, 3), mode=mode, tag=mode + "-fed")
add("Pad", 7, 10, f(4, 5), pads=[1, 0, 2, 3], value=1.5)
add("Pad", 7, 10, f(4, 5), pads=[-1, 0, 2, -1])
add("Pad", 11, LAST, f(4, 5), at(1, 0, 2, 3), fixed(1.5))
add("Pad", 11, LAST, f(4, 5), at(1, 0, -2, 3), numpy.array(1.5, "f4"))
add("Pad", 18, LAST, f(4, 5), at(1, 2), fixed(0.5), at(1), tag="axes")
add("Pad", 19, LAST, f(4, 5), at(1, 0, 2, 3), mode="wrap")
add("DepthToSpace", 7, 10, f(2, 8, 3, 4), blocksize=2)
for mode in ("DCR", "CRD"):
    add("DepthToSpace", 11, LAST, f(2, 8, 3, 4), blocksize=2, mode=mode)
add("SpaceToDepth", 7, LAST, f(2, 3, 4, 6), blocksize=2)
add("ConstantOfShape", 9, LAST, at(2, 3))
add("ConstantOfShape", 9, LAST, i8(2, 3), tag="fed")
add("EyeLike", 9, LAST, f(3, 4), k=1)
add("EyeLike", 9, LAST, f(3, 3), dtype=INT64)
add("Range", 11, LAST, fixed(numpy.float32(1)), fixed(numpy.float32(5)),
    fixed(numpy.float32(1.5)))
add("Range", 11, LAST, numpy.array(9, "i8"), numpy.array(-2, "i8"),
    numpy.array(-3, "i8"), tag="fed")
for upper in (0, 1):
    add("Trilu", 14, LAST, f(3, 4), upper=upper)
    add("Trilu", 14, LAST, f(2, 3, 4), fixed(numpy.int64(1)), upper=upper)
    add("Trilu", 14, LAST, f(2, 3, 4), numpy.array(-1, "i8"), upper=upper,
        tag=f"fed{upper}")
add("CenterCropPad", 18, LAST, f(5, 6), at(3, 8))
add("CenterCropPad", 18, LAST, f(5, 6), at(3), axes=[1])
add("ReverseSequence", 10, LAST, f(4, 3, 2), i8(2, 4, 1), batch_axis=1,
    time_axis=0)
add("ReverseSequence", 10, LAST, f(3, 4, 2), i8(2, 4, 1), batch_axis=0,
    time_axis=1)
add("Compress", 9, LAST, f(3, 4), numpy.array([True, False, True]), axis=0)
add("Compress", 9, LAST, f(3, 4), numpy.array([True, False, True]))
add("Unique", 11, LAST, n(9, low=0, high=4).astype("f4"), outputs=4)
add("Unique", 11, LAST, n(9, low=0, high=4).astype("f4"), outputs=4, sorted=0)
add("Unique", 11, LAST, n(4, 3, low=0, high=1).astype("f4"), outputs=4, axis=0)

# ---- choosing ---------------------------------------------------------------------

for axis in (0, 1):
    add("Gather", 7, LAST, f(3, 4), at(0, 2, 1), axis=axis)
    add("Gather", 7, LAST, f(3, 4), n(2, 2, low=0, high=3), axis=axis)
    add("GatherElements", 11, LAST, f(3, 3), n(2, 3, low=0, high=3,
                                               dtype="i8"), axis=axis)
    add("Scatter", 9, 10, f(3, 3), n(2, 3, low=0, high=1, dtype="i8") +
        numpy.array([[0], [1]]), f(2, 3), axis=axis, tag=f"axis{axis}")
    add("ScatterElements", 11, LAST, f(3, 3),
        numpy.array([[0, 1, 2], [2, 0, 1]]), f(2, 3), axis=axis)
add("Gather", 11, LAST, f(3, 4), at(-1, 0), axis=-1)
add("GatherElements", 11, LAST, f(3, 3), numpy.array([[-1, 0, 1]]), axis=-2)
for way in ("add", "mul", "max", "min"):
    first = 16 if way in ("add", "mul") else 18
    add("ScatterElements", first, LAST, f(3, 3),
        numpy.array([[0, 1, 2], [0, 0, -1]]), f(2, 3), reduction=way)
    add("ScatterND", first, LAST, f(4, 3), numpy.array([[0], [0], [2]]),
        f(3, 3), reduction=way)
add("ScatterND", 11, LAST, f(4, 3), numpy.array([[1], [3]]), f(2, 3))
add("ScatterND", 11, LAST, f(4, 3), numpy.array([[1, 2], [-1, 0]]), f(2))
add("GatherND", 11, LAST, f(2, 3, 4), numpy.array([[0, 1], [1, 2]]))
add("GatherND", 12, LAST, f(2, 3, 4), numpy.array([[1], [2]]), batch_dims=1)
add("OneHot", 9, LAST, n(2, 3, low=-3, high=4, dtype="i8"),
    fixed(numpy.int64(4)), fixed([0.5, 2.0]))
add("OneHot", 9, LAST, n(2, 3, low=0, high=4, dtype="i8"),
    fixed(numpy.int64(4)), fixed([0.0, 1.0]), axis=1)
add("TensorScatter", 24, LAST, f(2, 5, 3), f(2, 2, 3), i8(1, 2), axis=1)
add("TensorScatter", 24, LAST, f(2, 5, 3), f(2, 2, 3), axis=1)

# ---- linear algebra ---------------------------------------------------------------

add("MatMul", 7, LAST, f(3, 4), f(4, 2))
add("MatMul", 7, LAST, f(2, 3, 4), f(4, 2))
add("MatMul", 7, LAST, f(2, 1, 3, 4), f(5, 4, 2))
add("MatMul", 7, LAST, f(4), f(4, 2))
add("MatMul", 7, LAST, f(3, 4), f(4))
add("MatMul", 7, LAST, f(4), f(4))
add("MatMul", 9, LAST, n(3, 4), n(4, 2), tag="int32")
add("Gemm", 7, LAST, f(3, 4), f(4, 2), f(2))
add("Gemm", 7, LAST, f(4, 3), f(2, 4), f(3, 1), transA=1, transB=1, alpha=0.5,
    beta=2.0)
add("Gemm", 11, LAST, f(3, 4), f(4, 2))
add("Gemm", 7, LAST, f(3, 4), fixed(f(4, 2)), fixed(f(2)), beta=0.5)
add("Det", 11, LAST, f(2, 3, 3))
for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))),
                         ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))),
                         ("...ij->...ji", ((2, 3, 4),)),
                         ("ii->i", ((3, 3),)), ("i,j->ij", ((2,), (3,))),
                         ("ijk,ikl,il->j", ((2, 3, 4), (2, 4, 5), (2, 5)))):
    add("Einsum", 12, LAST, *(f(*shape) for shape in shapes), equation=equation)
add("MatMulInteger", 10, LAST, n(3, 4, low=0, dtype="u1"),
    n(4, 2, low=0, dtype="u1"), fixed(numpy.uint8(3)), fixed(numpy.uint8(2)))

# ---- networks ---------------------------------------------------------------------

add("Conv", 7, LAST, f(2, 3, 8), fixed(f(4, 3, 3)), pads=[1, 1])
add("Conv", 7, LAST, f(2, 3, 8, 7), fixed(f(4, 3, 3, 2)), fixed(f(4)))
add("Conv", 7, LAST, f(2, 3, 8, 7), f(4, 3, 3, 2), f(4), strides=[2, 1],
    tag="fed")
add("Conv", 7, LAST, f(2, 4, 8, 7), fixed(f(6, 2, 3, 3)), group=2,
    pads=[1, 0, 2, 1])
add("Conv", 7, LAST, f(2, 4, 8, 7), fixed(f(4, 1, 3, 3)), group=4,
    dilations=[2, 1])
add("Conv", 7, LAST, f(1, 2, 5, 6, 4), fixed(f(3, 2, 2, 3, 2)),
    strides=[1, 2, 1])
for auto in ("SAME_UPPER", "SAME_LOWER", "VALID"):
    add("Conv", 7, LAST, f(2, 3, 8, 7), fixed(f(4, 3, 3, 2)), auto_pad=auto,
        strides=[2, 2])
    for op in "MaxPool AveragePool LpPool".split():
        add(op, 7, LAST, f(2, 3, 8, 7), kernel_shape=[3, 2], auto_pad=auto,
            strides=[2, 2])
    add("ConvTranspose", 7, LAST, f(2, 3, 4, 5), fixed(f(3, 2, 3, 3)),
        auto_pad=auto, strides=[2, 2])
add("ConvTranspose", 7, LAST, f(2, 3, 4, 5), fixed(f(3, 2, 3, 3)), fixed(f(2)))
add("ConvTranspose", 7, LAST, f(2, 3, 4, 5), fixed(f(3, 2, 3, 3)),
    strides=[3, 2], output_padding=[1, 1], pads=[1, 1, 1, 1])
add("ConvTranspose", 7, LAST, f(2, 4, 4, 5), fixed(f(4, 2, 3, 3)), group=2,
    dilations=[1, 2])
add("ConvTranspose", 7, LAST, f(2, 3, 4, 5), fixed(f(3, 2, 3, 3)),
    strides=[2, 2], output_shape=[9, 10])
add("ConvTranspose", 7, LAST, f(2, 3, 6), fixed(f(3, 2, 3)), strides=[2])
add("ConvTranspose", 7, LAST, f(1, 2, 3, 4, 3), fixed(f(2, 2, 2, 2, 2)),
    strides=[1, 2, 1])
for op in "MaxPool AveragePool LpPool".split():
    add(op, 7, LAST, f(2, 3, 8, 7), kernel_shape=[3, 2])
    add(op, 7, LAST, f(2, 3, 8, 7), kernel_shape=[3, 3], pads=[1, 0, 1, 2],
        strides=[2, 1])
    add(op, 7, LAST, f(2, 3, 9), kernel_shape=[3], pads=[1, 1])
    add(op, 7, LAST, f(1, 2, 5, 6, 4), kernel_shape=[2, 3, 2])
for op in "MaxPool AveragePool".split():
    add(op, 10, LAST, f(2, 3, 8, 7), kernel_shape=[3, 3], strides=[2, 2],
        ceil_mode=1)
    add(op, 10, LAST, f(2, 3, 8, 7), kernel_shape=[3, 3], strides=[2, 2],
        ceil_mode=1, pads=[1, 1, 1, 1])
add("MaxPool", 10, LAST, f(2, 3, 8, 7), kernel_shape=[2, 2], dilations=[2, 2])
add("AveragePool", 19, LAST, f(2, 3, 8, 7), kernel_shape=[2, 2],
    dilations=[2, 2])
add("AveragePool", 7, LAST, f(2, 3, 8, 7), kernel_shape=[3, 3],
    pads=[1, 1, 1, 1], count_include_pad=1)
add("MaxPool", 8, LAST, f(2, 3, 8, 7), outputs=2, kernel_shape=[2, 2],
    strides=[2, 2])
add("MaxPool", 12, LAST, n(1, 2, 4, 4, low=0, dtype="u1"), kernel_shape=[2, 2])
add("LpPool", 7, LAST, f(2, 3, 8, 7), kernel_shape=[2, 2], p=3)
for op in "GlobalAveragePool GlobalMaxPool GlobalLpPool".split():
    add(op, 7, LAST, f(2, 3, 4, 5))
    add(op, 7, LAST, f(2, 3, 4))
add("MaxUnpool", 9, LAST, f(1, 1, 2, 2),
    numpy.array([[[[5, 7], [13, 15]]]], "i8"), kernel_shape=[2, 2],
    strides=[2, 2])
add("BatchNormalization", 7, 8, f(2, 3, 4, 5), fixed(p(3)), fixed(f(3)),
    fixed(f(3)), fixed(p(3)), epsilon=1e-3)
add("BatchNormalization", 9, LAST, f(2, 3, 4, 5), fixed(p(3)), fixed(f(3)),
    fixed(f(3)), fixed(p(3)))
add("BatchNormalization", 7, LAST, f(2, 3), p(3), f(3), f(3), p(3), tag="fed")
add("BatchNormalization", 14, LAST, f(2, 3, 4), p(3), f(3), f(3), p(3),
    outputs=3, training_mode=1, momentum=0.7, tag="training")
add("InstanceNormalization", 7, LAST, f(2, 3, 4, 5), fixed(p(3)), fixed(f(3)))
add("LayerNormalization", 17, LAST, f(2, 3, 4), fixed(p(4)), fixed(f(4)))
add("LayerNormalization", 17, LAST, f(2, 3, 4), p(3, 4), outputs=3, axis=1)
add("GroupNormalization", 18, 20, f(2, 4, 3, 3), fixed(p(2)), fixed(f(2)),
    num_groups=2)
add("GroupNormalization", 21, LAST, f(2, 4, 3, 3), fixed(p(4)), fixed(f(4)),
    num_groups=2)
add("RMSNormalization", 23, LAST, f(2, 3, 4), fixed(p(4)))
add("RMSNormalization", 23, LAST, f(2, 3, 4), p(3, 4), axis=-2, epsilon=1e-3)
add("LpNormalization", 7, LAST, f(2, 3, 4), axis=1, p=1)
add("LpNormalization", 7, LAST, f(2, 3, 4))
add("MeanVarianceNormalization", 9, LAST, f(2, 3, 4, 5))
add("LRN", 7, LAST, f(2, 5, 4, 4), size=3, alpha=0.01, beta=0.6, bias=1.5)
add("LRN", 7, LAST, f(2, 5, 4, 4), size=4)
add("LRN", 7, LAST, f(2, 5, 4), size=3, alpha=0.1)
for kind in ("nearest", "linear"):
    add("Upsample", 7, 8, f(1, 2, 3, 4), scales=[1.0, 1.0, 2.0, 3.0], mode=kind)
    add("Upsample", 9, 9, f(1, 2, 3, 4), fixed([1.0, 1.0, 2.0, 3.0]), mode=kind)
    add("Resize", 10, 10, f(1, 2, 3, 4), fixed([1.0, 1.0, 2.0, 3.0]), mode=kind)
    add("Resize", 10, 10, f(1, 2, 6, 4), fixed([1.0, 1.0, 0.5, 0.6]), mode=kind)
for way in ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
            "half_pixel_symmetric"):
    first = 19 if way == "half_pixel_symmetric" else 11
    for mode in ("nearest", "linear", "cubic"):
        add("Resize", first, LAST, f(1, 2, 4, 5), fixed([], "f4"),
            fixed([1.0, 1.0, 2.0, 1.7]), mode=mode,
            coordinate_transformation_mode=way)
        add("Resize", 13 if first == 11 else first, LAST, f(1, 2, 4, 5), None,
            None, at(1, 2, 3, 9), mode=mode, coordinate_transformation_mode=way)
for near in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
    add("Resize", 11, LAST, f(1, 1, 4, 5), fixed([], "f4"),
        fixed([1.0, 1.0, 2.5, 0.7]), mode="nearest", nearest_mode=near)
add("Resize", 18, LAST, f(1, 1, 6, 8), None, fixed([0.6, 0.5]), axes=[2, 3],
    mode="linear", antialias=1, tag="antialias")
add("Resize", 18, LAST, f(1, 1, 6, 8), None, None, at(9, 8), axes=[2, 3],
    mode="linear", keep_aspect_ratio_policy="not_larger", tag="aspect")
add("Resize", 11, LAST, f(1, 1, 4, 4), fixed([0, 0, 0.4, 0.6, 1, 1, 0.6, 0.8],
                                             "f4"), fixed([], "f4"),
    at(1, 1, 3, 3), mode="linear",
    coordinate_transformation_mode="tf_crop_and_resize", tag="crop")
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (0, 1):
            add("GridSample", 16, 19, f(1, 2, 4, 5), f(1, 3, 2, 2), mode=mode,
                padding_mode=padding, align_corners=corners)
for mode in ("linear", "nearest", "cubic"):
    for padding in ("zeros", "border", "reflection"):
        add("GridSample", 20, LAST, f(1, 2, 4, 5), f(1, 3, 2, 2), mode=mode,
            padding_mode=padding)
for mode in ("linear", "nearest"):
    add("GridSample", 20, LAST, f(1, 2, 3, 4, 5), f(1, 3, 2, 2, 3), mode=mode,
        tag=f"3d-{mode}")
add("AffineGrid", 20, LAST, f(2, 2, 3), at(2, 3, 4, 5))
add("AffineGrid", 20, LAST, f(2, 3, 4), at(2, 3, 4, 5, 2), align_corners=1)
for mode in ("avg", "max"):
    add("RoiAlign", 10, 15, f(1, 2, 6, 6), fixed([[0, 0, 4, 5], [1, 1, 3, 3]],
                                                 "f4"), at(0, 0),
        output_height=2, output_width=3, sampling_ratio=2, mode=mode)
    add("RoiAlign", 16, LAST, f(1, 2, 6, 6), fixed([[0, 0, 4, 5], [1, 1, 3, 3]],
                                                   "f4"), at(0, 0),
        output_height=2, output_width=3, sampling_ratio=2, mode=mode)
add("RoiAlign", 16, LAST, f(2, 2, 6, 6), p(2, 4) + numpy.float32([0, 0, 3, 3]),
    i8(0, 1), output_height=2, output_width=2, sampling_ratio=2,
    coordinate_transformation_mode="output_half_pixel", spatial_scale=0.8)
add("RoiAlign", 16, LAST, f(2, 2, 6, 6), p(2, 4) + numpy.float32([0, 0, 3, 3]),
    i8(0, 1), output_height=2, output_width=2, tag="ratio0")
add("MaxRoiPool", 7, LAST, f(1, 2, 6, 6), fixed([[0, 0, 0, 4, 5], [0, 1, 1, 3,
                                                                   3]], "f4"),
    pooled_shape=[2, 2])
add("DeformConv", 19, LAST, f(1, 2, 5, 5), fixed(f(3, 2, 2, 2)),
    f(1, 8, 4, 4), fixed(f(3)))
add("DeformConv", 19, LAST, f(1, 4, 5, 5), fixed(f(4, 2, 3, 3)),
    f(1, 36, 5, 5), None, p(1, 18, 5, 5), group=2, offset_group=2,
    pads=[1, 1, 1, 1])
add("Col2Im", 18, LAST, f(1, 12, 6), at(4, 3), at(2, 2))
add("Col2Im", 18, LAST, f(1, 8, 12), at(5, 4), at(2, 2), pads=[1, 0, 1, 0],
    strides=[2, 1], dilations=[1, 1], tag="padded")
for direction in ("forward", "reverse", "bidirectional"):
    ways = 2 if direction == "bidirectional" else 1
    for op, gates, in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        results = 3 if op == "LSTM" else 2
        add(op, 7, LAST, f(3, 2, 4), fixed(f(ways, gates * 5, 4)),
            fixed(f(ways, gates * 5, 5)), outputs=results, hidden_size=5,
            direction=direction)
        add(op, 7, LAST, f(3, 2, 4), fixed(f(ways, gates * 5, 4)),
            fixed(f(ways, gates * 5, 5)), fixed(f(ways, 2 * gates * 5)), None,
            f(ways, 2, 5), outputs=results, hidden_size=5, direction=direction,
            tag=direction + "-bias")
        add(op, 7, LAST, f(3, 2, 4), fixed(f(ways, gates * 5, 4)),
            fixed(f(ways, gates * 5, 5)), None,
            numpy.array([3, 1], "i4"), outputs=results, hidden_size=5,
            direction=direction, tag=direction + "-lengths")
add("GRU", 7, LAST, f(3, 2, 4), fixed(f(1, 15, 4)), fixed(f(1, 15, 5)),
    fixed(f(1, 30)), outputs=2, hidden_size=5, linear_before_reset=1)
add("LSTM", 7, LAST, f(3, 2, 4), fixed(f(1, 20, 4)), fixed(f(1, 20, 5)), None,
    None, f(1, 2, 5), f(1, 2, 5), fixed(f(1, 15)), outputs=3, hidden_size=5,
    tag="peephole")
add("LSTM", 14, LAST, f(2, 3, 4), fixed(f(1, 20, 4)), fixed(f(1, 20, 5)),
    outputs=3, hidden_size=5, layout=1, tag="layout")
add("LSTM", 7, LAST, f(3, 2, 4), fixed(f(1, 20, 4)), fixed(f(1, 20, 5)),
    outputs=3, hidden_size=5, clip=0.3, input_forget=1, tag="clip")
add("LSTM", 7, LAST, f(3, 2, 4), fixed(f(1, 20, 4)), fixed(f(1, 20, 5)),
    outputs=3, hidden_size=5, activations=["HardSigmoid", "Relu", "Softsign"],
    tag="activations")
add("RNN", 7, LAST, f(3, 2, 4), fixed(f(1, 5, 4)), fixed(f(1, 5, 5)),
    outputs=2, hidden_size=5, activations=["Relu"])

# ---- attention --------------------------------------------------------------------

add("Attention", 23, LAST, f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4))
add("Attention", 23, LAST, f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4),
    f(3, 5), scale=0.3)
add("Attention", 23, LAST, f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4),
    b(3, 5), tag="bool")
add("Attention", 23, LAST, f(1, 2, 3, 4), f(1, 2, 3, 4), f(1, 2, 3, 4),
    is_causal=1)
add("Attention", 23, LAST, f(2, 3, 8), f(2, 5, 8), f(2, 5, 8), q_num_heads=2,
    kv_num_heads=2)
add("Attention", 23, LAST, f(1, 4, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4),
    softcap=2.0, tag="grouped")
add("Attention", 23, LAST, f(1, 2, 3, 4), f(1, 2, 3, 4), f(1, 2, 3, 4), None,
    f(1, 2, 2, 4), f(1, 2, 2, 4), outputs=3, tag="past")
add("RotaryEmbedding", 23, LAST, f(1, 2, 3, 4), f(9, 2), f(9, 2),
    numpy.array([[1, 4, 2]], "i8"))
add("RotaryEmbedding", 23, LAST, f(1, 2, 3, 4), f(1, 3, 2), f(1, 3, 2),
    interleaved=1)
add("RotaryEmbedding", 23, LAST, f(2, 3, 8), f(2, 3, 2), f(2, 3, 2),
    num_heads=2)
add("RotaryEmbedding", 23, LAST, f(1, 2, 3, 6), f(1, 3, 2), f(1, 3, 2),
    rotary_embedding_dim=4)

# ---- quantised --------------------------------------------------------------------

for type_ in ("u1", "i1"):
    zero = numpy.array(3, type_)
    add("QuantizeLinear", 10, LAST, f(3, 4) * 9, fixed(0.1), fixed(zero))
    add("DequantizeLinear", 10, LAST, n(3, 4, low=0, dtype=type_), fixed(0.1),
        fixed(zero))
    zeros = numpy.array([1, 2, 3], type_)
    add("QuantizeLinear", 13, LAST, f(2, 3, 4), fixed(p(3)), fixed(zeros),
        axis=1)
    add("DequantizeLinear", 13, LAST, n(2, 3, 4, low=0, dtype=type_),
        fixed(p(3)), fixed(zeros), axis=1)
add("QuantizeLinear", 10, LAST, f(3, 4) * 9, fixed(0.1))
add("DequantizeLinear", 21, LAST, n(2, 6, low=0, dtype="i1"), fixed(p(2, 2)),
    axis=1, block_size=3)
add("QuantizeLinear", 21, LAST, f(2, 6), fixed(p(2, 2)), axis=1, block_size=3,
    output_dtype=INT8)
add("DequantizeLinear", 10, LAST, n(3, 4, dtype="i4"), fixed(0.1), tag="int32")
add("DynamicQuantizeLinear", 11, LAST, f(3, 4), outputs=3)
add("QLinearMatMul", 10, LAST, n(3, 4, low=0, dtype="u1"), fixed(0.1),
    fixed(numpy.uint8(3)), n(4, 2, low=0, dtype="u1"), fixed(0.2),
    fixed(numpy.uint8(2)), fixed(0.5), fixed(numpy.uint8(4)))
add("QLinearConv", 10, LAST, n(1, 2, 5, 5, low=0, dtype="u1"), fixed(0.1),
    fixed(numpy.uint8(3)), fixed(n(3, 2, 3, 3, low=0, dtype="u1")), fixed(0.2),
    fixed(numpy.uint8(2)), fixed(0.5), fixed(numpy.uint8(4)))
add("ConvInteger", 10, LAST, n(1, 2, 5, 5, low=0, dtype="u1"),
    fixed(n(3, 2, 3, 3, low=0, dtype="u1")), fixed(numpy.uint8(2)),
    pads=[1, 1, 1, 1])

# ---- signals ----------------------------------------------------------------------

for op in "HannWindow HammingWindow BlackmanWindow".split():
    for periodic in (0, 1):
        add(op, 17, LAST, fixed(numpy.int64(8)), periodic=periodic)
    add(op, 17, LAST, numpy.array(8, "i8"), tag="fed")
add("DFT", 17, 19, f(1, 8, 1), axis=1)
add("DFT", 17, 19, f(1, 8, 2), axis=1, inverse=1)
add("DFT", 17, 19, f(1, 8, 1), axis=1, onesided=1)
add("DFT", 20, LAST, f(1, 8, 1), None, fixed(numpy.int64(1)))
add("DFT", 20, LAST, f(1, 6, 2), fixed(numpy.int64(8)), fixed(numpy.int64(1)))
add("STFT", 17, LAST, f(1, 16, 1), fixed(numpy.int64(4)), fixed(p(8)))
add("STFT", 17, LAST, f(1, 16, 1), fixed(numpy.int64(4)), None,
    fixed(numpy.int64(8)), onesided=0)
add("MelWeightMatrix", 17, LAST, fixed(numpy.int64(6)), fixed(numpy.int64(16)),
    fixed(numpy.int64(8000)), fixed(numpy.float32(0)), fixed(numpy.float32(4000)))

# ---- losses, boxes, texts ---------------------------------------------------------

for way in ("mean", "sum", "none"):
    add("NegativeLogLikelihoodLoss", 12, LAST, f(3, 5), i8(1, 0, 4),
        reduction=way)
    add("NegativeLogLikelihoodLoss", 12, LAST, f(3, 5), i8(1, 0, 4), p(5),
        reduction=way, ignore_index=0)
    add("SoftmaxCrossEntropyLoss", 12, LAST, f(3, 5), i8(1, 0, 4), p(5),
        outputs=2, reduction=way)
add("SoftmaxCrossEntropyLoss", 12, LAST, f(3, 5, 2),
    n(3, 2, low=0, high=5, dtype="i8"), ignore_index=2)
add("NonMaxSuppression", 10, LAST, p(1, 6, 4) * numpy.float32([1, 1, 2, 2]),
    p(1, 2, 6), at(3), fixed([0.4]), fixed([0.5]))
add("NonMaxSuppression", 10, LAST, p(2, 6, 4), p(2, 2, 6), at(3), fixed([0.4]),
    center_point_box=1)
WORDS = numpy.array(["monday", "Tuesday", "the", "End"])
add("StringNormalizer", 10, LAST, WORDS)
add("StringNormalizer", 10, LAST, WORDS, case_change_action="LOWER",
    stopwords=["the"])
add("StringNormalizer", 10, LAST, WORDS, case_change_action="UPPER",
    is_case_sensitive=1, stopwords=["monday"])
add("StringConcat", 20, LAST, WORDS, numpy.array(["a", "b", "c", "d"]))
add("StringSplit", 20, LAST, numpy.array(["a b", "c d e"]), outputs=2)
add("RegexFullMatch", 20, LAST, WORDS, pattern="[a-z]+")
add("TfIdfVectorizer", 9, LAST, numpy.array([1, 1, 3, 3, 3, 7], "i4"),
    max_gram_length=2, max_skip_count=1, min_gram_length=2, mode="TF",
    ngram_counts=[0, 4], ngram_indexes=list(range(7)),
    pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7][:10])

# ---- of open sizes ------------------------------------------------------------------

for size in (6, 7, 8):
    x = f(2, 3, size, size)
    add("MaxPool", 13, LAST, x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1,
        opens="sizes", tag=f"ceil{size}")
    add("AveragePool", 13, LAST, x, kernel_shape=[3, 3], strides=[2, 2],
        pads=[1, 1, 1, 1], ceil_mode=1, opens="sizes", tag=f"ceil{size}")
    for op in ("MaxPool", "AveragePool"):
        add(op, 13, LAST, x, kernel_shape=[3, 3], strides=[2, 2],
            auto_pad="SAME_UPPER", opens="sizes", tag=f"same{size}")
    add("Conv", 11, LAST, x, fixed(f(4, 3, 3, 3)), strides=[2, 2],
        auto_pad="SAME_UPPER", opens="sizes", tag=f"same{size}")
    add("Split", 18, LAST, f(size, 2), outputs=3, num_outputs=3, opens="open",
        tag=f"open{size}")
x = f(2, 3, 4, 5)
add("ConvTranspose", 11, LAST, x, fixed(f(3, 2, 3, 3)), strides=[2, 2],
    pads=[1, 1, 1, 1], opens="sizes", tag="open")
add("ConvTranspose", 11, LAST, x, fixed(f(3, 2, 3, 3)), strides=[2, 2],
    pads=[1, 1, 0, 0], opens="sizes", tag="uneven")
add("DepthToSpace", 13, LAST, f(2, 8, 3, 4), blocksize=2, mode="CRD",
    opens="open", tag="open")
add("Where", 9, LAST, b(2, 3), f(2, 3), f(3), opens="open", tag="open")
add("Where", 9, LAST, b(2, 1, 3), f(4, 1), fixed(numpy.float32(1)),
    opens="sizes", tag="wide")
for count, to in enumerate((i8(4, 6), i8(0, -1), i8(0, 3, 2, 2), i8(-1))):
    add("Reshape", 14, LAST, f(2, 3, 4), to, opens="open", tag=f"open{count}")
add("Unsqueeze", 13, LAST, f(2, 3), i8(0, -1), opens="open", tag="open")
add("Unsqueeze", 13, LAST, f(2, 3), i8(1), opens="open", tag="open1")
add("Slice", 13, LAST, f(4, 5), i8(1, -3), i8(3, 5), opens="open", tag="open")
for axes in (i8(), i8(1), i8(-1, 0)):
    for op in ("ReduceSum", "ReduceMean", "ReduceMax"):
        add(op, 18, LAST, f(2, 3, 4), axes, opens="open", tag=f"open{axes.size}")
for op in ("ReduceSum", "ReduceL1", "ReduceL2"):
    for axes in (i8(), i8(1)):
        add(op, 18, LAST, f(2, 3, 4), axes, noop_with_empty_axes=1,
            opens="open", tag=f"noop{axes.size}-open")
add("GlobalAveragePool", 7, LAST, f(2, 3, 4, 5), opens="sizes", tag="open")
