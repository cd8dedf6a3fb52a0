"""onnx_sweep_excuses.py - cases in which an engine does not do what its definition says

An excuse holds when ours is what a numpy expression gives, and the engine's is
what the cause would make of it.  A wrong answer of ours fits under none.

    ONNX Runtime is the odd one   `ours` is the expression's, `theirs` as foretold
    both are right                a fraction next to an integer is cut on either side
    the evaluator is the odd one  what came back is right, and the evaluator gives
                                  what is foretold or says what it cannot
"""
import collections

import numpy

# fits(case, difference): whether that is what the cause makes.
Excuse = collections.namedtuple("Excuse", "pattern fits why")
# What a case gave: by the evaluator or not, both results, or what was said.
Difference = collections.namedtuple("Difference", "is_evaluator ours theirs words")

# How far float32 may be from a number of a few digits.
NEAR = 1e-4


TOLERANCES = {"float16": (1e-2, 1e-2), "bfloat16": (4e-2, 4e-2)}
USUAL_TOLERANCE = (1e-3, 1e-4)


def tolerances(types):
    """What floats of these types lose, relative and absolute."""
    return [TOLERANCES.get(kind, USUAL_TOLERANCE) for kind in types]


def same(case, got, want):
    """The first outputs: integers to the last digit, and NaN equals NaN."""
    relative, absolute = map(max, zip(*tolerances(case.types.values())))
    return len(got) >= len(want) and all(
        is_same(numpy.asarray(left), right, relative, absolute)
        for left, right in zip(got, want))


def is_same(left, right, relative, absolute):
    if left.shape != right.shape:
        return False
    if left.dtype.kind != "f":
        return bool(numpy.all(left == right.astype(left.dtype)))
    return numpy.allclose(left.astype("f8"), right.astype("f8"), relative, absolute,
                          equal_nan=True)


def runtime_gives(odd, right):
    """`odd` None: what it finds in memory that nobody wrote."""
    def fits(case, seen):
        return not seen.is_evaluator and same(case, seen.ours, right(case)) and \
            (odd is None or same(case, seen.theirs, odd(case)))
    return fits


def evaluator_gives(odd):
    return lambda case, seen: seen.is_evaluator and same(case, seen.ours, odd(case))


def evaluator_says(words, holds):
    return lambda case, seen: seen.is_evaluator and words in seen.words and holds(case)


def is_cut(array, exact):
    """Whether integers are those fractions, or next to them."""
    ends = [numpy.trunc(exact - NEAR), numpy.trunc(exact + NEAR)]
    return array.shape == exact.shape and \
        bool(numpy.all((array == ends[0]) | (array == ends[1])))


def both_cut(exact):
    def fits(case, seen):
        numbers = exact(case)
        return numbers is not None and bool(seen.ours) and \
            is_cut(seen.ours[0], numbers) and is_cut(seen.theirs[0], numbers)
    return fits


def array_of(case, at, kind=None):
    return None if at >= len(case.inputs) or case.inputs[at] is None else \
        numpy.asarray(case.inputs[at].array, kind)


# ---- reductions -------------------------------------------------------------------

def reduced(case):
    """The axes, and whether they stay."""
    axes = case.attributes.get("axes", array_of(case, 1))
    axes = None if axes is None or not len(axes) else tuple(int(x) for x in axes)
    return axes, bool(case.attributes.get("keepdims", 1))


def of_nothing(case, number):
    axes, keep = reduced(case)
    shape = numpy.sum(case.inputs[0].array, axis=axes, keepdims=keep).shape
    return [numpy.full(shape, number, "u8")]


def log_sum_exp(case, seen):
    """The runtime's kernels of integers cut each exponential to 0 or 1; where
    nothing is reduced, what comes back from its exponential is a little less."""
    axes, keep = reduced(case)
    x = array_of(case, 0, "f8")
    if axes is None and case.attributes.get("noop_with_empty_axes"):
        return both_cut(lambda case: x)(case, seen)
    top = numpy.max(x, axis=axes, keepdims=True)
    exact = top + numpy.log(numpy.sum(numpy.exp(x - top), axis=axes, keepdims=True))
    odd = top + numpy.trunc(numpy.log(numpy.sum(x == top, axis=axes, keepdims=True)))
    shape = numpy.sum(x, axis=axes, keepdims=keep).shape
    return not seen.is_evaluator and is_cut(seen.ours[0], exact.reshape(shape)) and \
        same(case, seen.theirs, [odd.reshape(shape)])


# ---- images -----------------------------------------------------------------------

def largest_of_windows(case):
    """MaxPool, window by window."""
    x, words = array_of(case, 0, "f8"), case.attributes
    kernel = words["kernel_shape"]
    n = len(kernel)
    strides, rates = words.get("strides", [1] * n), words.get("dilations", [1] * n)
    spans = [(k - 1) * rate + 1 for k, rate in zip(kernel, rates)]
    sizes, before = windows(words, x.shape[2:], spans, strides)
    made = numpy.full((*x.shape[:2], *sizes), -numpy.inf)
    for place in numpy.ndindex(*sizes):
        rows = [[at * stride - first + k * rate for k in range(many)]
                for at, stride, first, rate, many
                in zip(place, strides, before, rates, kernel)]
        rows = [[i for i in some if 0 <= i < size]
                for some, size in zip(rows, x.shape[2:])]
        if all(rows):
            part = x[(slice(None), slice(None), *numpy.ix_(*rows))]
            made[(slice(None), slice(None), *place)] = part.max(
                axis=tuple(range(2, 2 + n)))
    return [made]


def windows(words, dims, spans, strides):
    """How many windows there are, and what is padded before the first."""
    auto, n = words.get("auto_pad", "NOTSET"), len(dims)
    if auto.startswith("SAME"):
        sizes = [-(-size // stride) for size, stride in zip(dims, strides)]
        rest = [max(0, (many - 1) * stride + span - size) for many, stride, span, size
                in zip(sizes, strides, spans, dims)]
        return sizes, [x // 2 if auto == "SAME_UPPER" else x - x // 2 for x in rest]
    pads = words.get("pads", [0] * 2 * n) if auto == "NOTSET" else [0] * 2 * n
    free = [size + pads[i] + pads[n + i] - spans[i] for i, size in enumerate(dims)]
    if not words.get("ceil_mode"):
        return [x // stride + 1 for x, stride in zip(free, strides)], pads[:n]
    sizes = [-(-x // stride) + 1 for x, stride in zip(free, strides)]
    # A window that begins behind the image is none.
    return [many - ((many - 1) * stride >= size + pads[i]) for i, (many, stride, size)
            in enumerate(zip(sizes, strides, dims))], pads[:n]


def unpooled(case, counts_in_larger):
    """MaxUnpool: places are of the image that the windows came from."""
    x, places = array_of(case, 0, "f8"), array_of(case, 1)
    words = case.attributes
    n = len(words["kernel_shape"])
    pads, strides = words.get("pads", [0] * 2 * n), words.get("strides", [1] * n)
    dims = (*x.shape[:2], *((x.shape[2 + i] - 1) * strides[i] - pads[i] - pads[n + i] +
                            words["kernel_shape"][i] for i in range(n)))
    larger = tuple(int(size) for size in array_of(case, 2))
    made = numpy.zeros(larger if counts_in_larger else dims)
    made.reshape(-1)[places.reshape(-1)] = x.reshape(-1)
    if counts_in_larger:
        return [made]
    return [numpy.pad(made, [(0, b - a) for a, b in zip(dims, larger)])]


def old_places(size, scale, new, way):
    """Of each new element where it is in the old axis."""
    at = numpy.arange(new, dtype="f8")
    wide = size * scale
    if way == "align_corners":
        return at * (size - 1) / (wide - 1) if new > 1 else at * 0
    if way == "asymmetric":
        return at / scale
    if way == "half_pixel_symmetric":
        return size / 2 * (1 - new / wide) + (at + 0.5) / scale - 0.5
    if way == "pytorch_half_pixel" and new <= 1:
        return at * 0
    return (at + 0.5) / scale - 0.5 if "half_pixel" in way else None


def weights_of(fraction, mode, a):
    """Of the elements around a place: by how much they are moved, and a weight."""
    if mode == "linear":
        return [(0, 1 - fraction), (1, fraction)]

    def near(x):
        return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1

    def far(x):
        return a * (x ** 3 - 5 * x ** 2 + 8 * x - 4)
    return [(-1, far(1 + fraction)), (0, near(fraction)), (1, near(1 - fraction)),
            (2, far(2 - fraction))]


def resized(case):
    """Resize and Upsample by weights, in float64; None: a way not followed here."""
    words = case.attributes
    is_plain = not {"axes", "antialias", "exclude_outside",
                    "keep_aspect_ratio_policy"} & set(words)
    if not is_plain or words["mode"] == "nearest":
        return None
    x, scales, new = array_of(case, 0, "f8"), scales_of(case), array_of(case, 3)
    way = "asymmetric" if case.op == "Upsample" or case.opset == 10 else \
        words.get("coordinate_transformation_mode", "half_pixel")
    for axis, size in enumerate(x.shape):
        many = int(new[axis]) if new is not None and len(new) else \
            int(numpy.floor(size * scales[axis]))
        scale = many / size if new is not None and len(new) else scales[axis]
        places = old_places(size, scale, many, way)
        if places is None:
            return None
        if scale != 1:
            x = along(x, axis, places, words["mode"], words.get("cubic_coeff_a", -0.75))
    return x


def scales_of(case):
    given = [item.array for item in case.inputs[1:3] if item is not None and
             item.array.size == case.inputs[0].array.ndim and item.array.dtype.kind == "f"]
    return [float(x) for x in case.attributes.get("scales", given[-1] if given else [])]


def along(x, axis, places, mode, a):
    first, made = numpy.floor(places), 0
    shape = [-1 if at == axis else 1 for at in range(x.ndim)]
    for move, weight in weights_of(places - first, mode, a):
        rows = numpy.clip(first + move, 0, x.shape[axis] - 1).astype(int)
        made = made + numpy.take(x, rows, axis) * weight.reshape(shape)
    return made


# ---- others -----------------------------------------------------------------------

def normalized(case, more):
    x = array_of(case, 0, "f8")
    axes = tuple(case.attributes.get("axes", (0, 2, 3)))
    spread = numpy.sqrt(numpy.mean(x * x, axes, keepdims=True) -
                        numpy.mean(x, axes, keepdims=True) ** 2)
    with numpy.errstate(invalid="ignore"):
        return [(x - numpy.mean(x, axes, keepdims=True)) / (spread + more)]


def transformed(case):
    """STFT of complex numbers with a window."""
    x, step, window = array_of(case, 0, "f8"), int(array_of(case, 1)), array_of(case, 2, "f8")
    x = x[..., 0] + 1j * x[..., 1]
    starts = range(0, x.shape[1] - len(window) + 1, step)
    made = numpy.fft.fft([[row[at:at + len(window)] * window for at in starts]
                          for row in x], axis=-1)
    if case.attributes.get("onesided", 1):
        made = made[..., :len(window) // 2 + 1]
    return [numpy.stack([made.real, made.imag], -1)]


def integer_product(case):
    a, b = array_of(case, 0, "i8"), array_of(case, 1, "i8")
    zeros = [array_of(case, at, "i8") for at in (2, 3)]
    a = a if zeros[0] is None else a - zeros[0]
    return [a @ (b if zeros[1] is None else b - zeros[1])]


def first_by_negation(x, count):
    """The largest as the evaluator finds them: in the order of -x, which is x
    itself for the smallest integer."""
    with numpy.errstate(over="ignore"):
        order = numpy.argsort(-x, -1, kind="stable")[..., :count]
    return [numpy.take_along_axis(x, order, -1), order]


def topmost(case):
    """Of TopK; the smallest are the largest with all bits turned."""
    x, count = array_of(case, 0), int(array_of(case, 1)[0])
    if case.attributes.get("largest", 1):
        return first_by_negation(x, count)
    values, order = first_by_negation(~x, count)
    return [~values, order]


def sorted_by_negation(case):
    """The values of Unique as the evaluator sorts them."""
    values = numpy.unique(array_of(case, 0))
    return [~first_by_negation(~values, values.size)[0]]


def pairwise(case, is_before):
    """The second only where it is before the first: not where one is NaN."""
    x, y = array_of(case, 0, "f8"), array_of(case, 1, "f8")
    with numpy.errstate(invalid="ignore"):
        return [numpy.where(is_before(y, x), y, x)]


def gathers_first(case, seen):
    """The runtime takes the first text of each row, and leaves the others empty."""
    right = numpy.take(array_of(case, 0), array_of(case, 1), case.attributes.get("axis", 0))
    ours, theirs = seen.ours[0].astype(str), seen.theirs[0].astype(str)
    return not seen.is_evaluator and ours.shape == right.shape and \
        bool(numpy.all(ours == right.astype(str))) and \
        bool(numpy.all((theirs == ours) | (theirs == "")))


EXCUSES = [
    Excuse("Gather-*string*", gathers_first,
           "ONNX Runtime gathers the first text of each row only"),
    Excuse("MatMulInteger-*", runtime_gives(None, integer_product),
           "ONNX Runtime does not set sums of nothing"),
    Excuse("MaxUnpool-*", runtime_gives(lambda case: unpooled(case, True),
                                        lambda case: unpooled(case, False)),
           "ONNX Runtime counts positions in the larger image"),
    Excuse("MeanVarianceNormalization-*",
           runtime_gives(lambda case: normalized(case, 0),
                         lambda case: normalized(case, 1e-9)),
           "ONNX Runtime adds nothing to a variance of 0"),
    Excuse("STFT-*", runtime_gives(None, transformed),
           "ONNX Runtime does not take complex signals with a window"),
    Excuse("MaxPool-*int8*", runtime_gives(None, largest_of_windows),
           "ONNX Runtime gives numbers of bytes that are not in the input"),
    Excuse("ReduceMin-*uint64*", runtime_gives(
        lambda case: of_nothing(case, 2**63 - 1), lambda case: of_nothing(case, 2**64 - 1)),
           "of nothing ONNX Runtime gives half of the largest number"),
    Excuse("ReduceMax-*uint64*", runtime_gives(
        lambda case: of_nothing(case, 2**63), lambda case: of_nothing(case, 0)),
           "of nothing ONNX Runtime gives half of the largest number"),
    Excuse("ReduceLogSumExp-*int*", log_sum_exp,
           "ONNX Runtime cuts the exponential of each integer to 0 or 1"),
    Excuse("Upsample-*int*", both_cut(resized),
           "a fraction next to an integer is cut on either side of it"),
    Excuse("Resize-*int*", both_cut(resized),
           "a fraction next to an integer is cut on either side of it"),
    Excuse("Max-*special*", evaluator_gives(lambda case: pairwise(case, numpy.greater)),
           "nd4j's larger of a number and NaN is the number"),
    Excuse("Min-*special*", evaluator_gives(lambda case: pairwise(case, numpy.less)),
           "nd4j's smaller of a number and NaN is the number"),
    Excuse("Sign-*special-float16", evaluator_gives(
        lambda case: [numpy.sign(case.inputs[0].array)]),
           "NaN has no sign: ONNX Runtime gives 0 for a half, the evaluator NaN"),
    Excuse("Pad-*-fed", evaluator_says("index can't contain negative values",
                                       lambda case: array_of(case, 1).min() < 0),
           "nd4j pads by no negative numbers, and only the run knows them"),
    Excuse("TopK-*ends*", evaluator_gives(topmost),
           "the evaluator negates the smallest integer"),
    Excuse("Unique-*ends*", evaluator_gives(sorted_by_negation),
           "the evaluator negates the smallest integer"),
    Excuse("TopK-*-fed", evaluator_says("k=0 for last dimension",
                                        lambda case: array_of(case, 1)[0] == 0),
           "nd4j takes no k of 0"),
]
