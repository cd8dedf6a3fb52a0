"""quantized_cases.py - TensorFlow's quantised numbers, for tensorflow_beyond.py

Kernels compute in float32, and round where this does.
"""
import itertools

import numpy as np

f4 = np.float32
PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}
RANGES = [(-1.0, 1.0), (0.0, 6.0), (-3.25, 0.5), (-0.1, 7.3)]


def away(x):
    return np.sign(x) * np.floor(np.abs(x) + f4(0.5))


def steps(kind, *dims, seed=7):
    limits = np.iinfo(PLAIN[kind])
    made = np.random.default_rng(seed).integers(limits.min, limits.max, dims, endpoint=True)
    if made.size > 1:
        made.flat[0], made.flat[1] = limits.min, limits.max
    return made.astype(PLAIN[kind])


def dequantize(q, low, high, mode, narrow=False):
    """One range, in the order of the kernel."""
    limits, low, high = np.iinfo(q.dtype), f4(low), f4(high)
    x = q.astype(f4)
    if mode == "MIN_COMBINED":
        half = f4(0) if limits.min == 0 else (f4(limits.max) - f4(limits.min) + f4(1)) / f4(2)
        return (x + half) * ((high - low) / (f4(limits.max) - f4(limits.min))) + low
    if mode == "SCALED":
        least = limits.min + narrow
        by = high / f4(limits.max) if limits.min == 0 else max(low / f4(least), high / f4(limits.max))
        return x * by
    by = f4(float(high - low) / (2.0 ** limits.bits - 1))
    first = low if low == high else away(low / by) * by
    return (first - f4(limits.min) * by) + x * by


def by_channel(q, lows, highs, axis, mode, narrow):
    parts = [dequantize(np.take(q, [i], axis), low, high, mode, narrow) for i, (low, high) in enumerate(zip(lows, highs))]
    return np.concatenate(parts, axis)


def dequantizing(Case):
    """Constants become numbers or stay, fed ones are computed; ranges constant and fed."""
    for i, (kind, mode) in enumerate(itertools.product(PLAIN, ("MIN_COMBINED", "MIN_FIRST", "SCALED"))):
        for k, narrow in enumerate((False, True) if mode == "SCALED" and kind != "quint8" else (False,)):
            low, high = RANGES[(i + k) % 4] if mode != "MIN_FIRST" else RANGES[0]
            q = steps(kind, 5, 7)
            want = dequantize(q, low, high, mode, narrow)
            near = 2e-6 * max(abs(low), abs(high))
            for way in ("folded", "kept", "fed", "open"):
                name = f"dequantize.{kind}.{mode}.{low}.{way}{'.narrow' if narrow else ''}"
                is_byte = kind in ("qint8", "quint8")
                nodes = {"DequantizeLinear": int(is_byte), "Cast": int(not is_byte)} if way == "fed" else \
                    {"DequantizeLinear": int(is_byte)} if way == "kept" else \
                    {"DequantizeLinear": 0, "Add": 0, "Cast": 0} if way == "folded" else {}
                case = Case(name, ["--keep-quantized"] if way == "kept" else [], near, nodes=nodes)
                case.feed("x", f4([1, 2, 3, 4, 5, 6, 7]))
                if way in ("fed", "open"):
                    case.feed("q", q, kind)
                else:
                    case.constant("q/const", q, kind)
                    case.add("Identity", "q", ["q/const"], T=kind)
                if way == "open":
                    case.feed("low", f4(low))
                    case.feed("high", f4(high))
                else:
                    case.constant("low", f4(low))
                    case.constant("high", f4(high))
                case.add("Dequantize", "w", ["q", "low", "high"], T=kind, mode=mode, narrow_range=narrow)
                case.add("Mul", "y", ["w", "x"], T="float32")
                yield case.want("y", want * f4([1, 2, 3, 4, 5, 6, 7]))
    for mode, axis, keep in itertools.product(("MIN_COMBINED", "SCALED"), (0, 1, 2), (False, True)):
        q = steps("qint8", 3, 3, 3)
        lows, highs = f4([-1, -2, -0.5]), f4([2, 1, 0.25])
        case = Case(f"channels.{mode}.{axis}.{'kept' if keep else 'folded'}", ["--keep-quantized"] if keep else [], 1e-6)
        case.feed("x", f4([[[1]]]))
        case.constant("q", q, "qint8")
        case.constant("low", lows)
        case.constant("high", highs)
        case.add("Dequantize", "w", ["q", "low", "high"], T="qint8", mode=mode, axis=axis)
        case.add("Mul", "y", ["w", "x"], T="float32")
        yield case.want("y", by_channel(q, lows, highs, axis, mode, False))
    for kind, axis, way in itertools.product(("qint8", "qint32"), (-1, 1), ("folded", "kept", "fed")):
        q = steps(kind, 2, 3, 2)
        scales, zeros = (f4([0.5, 0.25, 2]), np.int32([3, -7, 0])) if axis >= 0 else (f4(0.5), np.int32(-5))
        case = Case(f"uniform.{kind}.{axis}.{way}", ["--keep-quantized"] if way == "kept" else [], 1e-6)
        case.feed("x", f4([[[1]]]))
        case.feed("q", q, kind) if way == "fed" else case.constant("q", q, kind)
        case.constant("s", scales)
        case.constant("z", zeros)
        case.add("UniformDequantize", "w", ["q", "s", "z"], Tin=kind, Tout="float32", quantization_axis=axis,
                 quantization_min_val=-128, quantization_max_val=127)
        case.add("Mul", "y", ["w", "x"], T="float32")
        wide = (lambda a: a[:, None]) if axis >= 0 else (lambda a: a)
        yield case.want("y", f4((q.astype("f8") - wide(zeros)) * wide(scales)))
    case = Case("quantized.other", refuses="before it was quantised; begin behind it: --inputs y")
    for name in ("a", "b"):
        case.feed(name, steps("quint8", 3), "quint8")
    for name in ("c", "d", "e", "f"):
        case.constant(name, f4(1))
    case.add("QuantizedMul", "y", ["a", "b", "c", "d", "e", "f"], T1="quint8", T2="quint8", Toutput="qint32")
    case.add("Neg", "z", ["y:1"], T="float32")
    case.add("Dequantize", "w", ["y", "y:1", "y:2"], T="qint32", mode="SCALED")
    yield case.want("z", q).want("w", q)
    case = Case("dequantize.bfloat16")
    q = steps("quint8", 6)
    case.feed("q", q, "quint8")
    case.constant("low", f4(0))
    case.constant("high", f4(127.5))
    case.add("Dequantize", "w", ["q", "low", "high"], T="quint8", dtype="bfloat16")
    case.add("Cast", "y", ["w"], SrcT="bfloat16", DstT="float32")
    yield case.want("y", q * f4(0.5))


def weights(Case):
    """The idiom of graph_transforms: weights of a convolution and of a matrix product."""
    for keep, fold in itertools.product((False, True), ("all", "shapes")):
        q = steps("quint8", 3, 3, 2, 4)
        x = np.random.default_rng(3).normal(size=(1, 5, 5, 2)).astype(f4)
        w = dequantize(q, -0.75, 1.5, "MIN_FIRST")
        want = np.zeros((1, 3, 3, 4), f4)
        for i, j in itertools.product(range(3), range(3)):
            want[0, i, j] = np.einsum("abc,abcd->d", x[0, i:i + 3, j:j + 3], w)
        case = Case(f"weights.conv.{'kept' if keep else 'folded'}.{fold}",
                    (["--keep-quantized"] if keep else []) + ["--fold", fold], 1e-5,
                    nodes={"DequantizeLinear": int(keep), "Conv": 1})
        case.feed("x", x)
        case.constant("w_quint8_const", q, "quint8")
        case.constant("w_min", f4(-0.75))
        case.constant("w_max", f4(1.5))
        case.add("Dequantize", "w", ["w_quint8_const", "w_min", "w_max"], T="quint8", mode="MIN_FIRST")
        case.add("Conv2D", "y", ["x", "w"], T="float32", strides=[1, 1, 1, 1], padding="VALID")
        yield case.want("y", want)
        q, x = steps("quint8", 6, 5), np.random.default_rng(4).normal(size=(2, 6)).astype(f4)
        case = Case(f"weights.matmul.{'kept' if keep else 'folded'}.{fold}",
                    (["--keep-quantized"] if keep else []) + ["--fold", fold], 1e-5,
                    nodes={"DequantizeLinear": 2 * int(keep)})
        case.feed("x", x)
        case.constant("q", q, "quint8")
        case.constant("low", f4(-2))
        case.constant("high", f4(2))
        case.add("Dequantize", "w", ["q", "low", "high"], T="quint8", mode="MIN_FIRST")
        case.add("Dequantize", "v", ["q", "low", "high"], T="quint8", mode="SCALED")
        case.add("MatMul", "y", ["x", "w"], T="float32")
        case.add("MatMul", "z", ["x", "v"], T="float32")
        case.want("y", x @ dequantize(q, -2, 2, "MIN_FIRST"))
        yield case.want("z", x @ dequantize(q, -2, 2, "SCALED"))

def quantize(x, low, high, kind, mode, rounding="HALF_AWAY_FROM_ZERO", narrow=False, least=0.01):
    limits = np.iinfo(PLAIN[kind])
    a = min(f4(0), f4(low))
    b = max(f4(0), f4(high), f4(a + max(f4(1), abs(f4(low)), abs(f4(high))) * f4(least)))
    if mode == "SCALED":
        first, last = f4(limits.min + narrow), f4(limits.max)
        by = min(first / a if first * a > 0 else np.finfo(f4).max, last / b if last * b > 0 else np.finfo(f4).max)
        a, b = first / by, last / by
        inside = np.clip(x, a, b) * by
        return (np.round(inside) if rounding == "HALF_TO_EVEN" else away(inside)).astype(PLAIN[kind]), a, b
    by = f4(f4(2.0 ** limits.bits - 1) / (b - a))
    if mode == "MIN_COMBINED":
        placed = (np.clip(x, a, b) - a) * by
        q = np.floor(placed + f4(0.5)) if limits.min == 0 else away(placed + f4(limits.min))
    else:
        q = np.clip(away(x * by) - (away(a * by) - f4(limits.min)), limits.min, limits.max)
    return q.astype(PLAIN[kind]), a, b


def quantizing(Case):
    x = f4(np.linspace(-3.1, 3.3, 42).reshape(2, 3, 7))
    ranges = RANGES + [(0.5, 2.0), (0.0, 0.0)]
    for i, (kind, mode, k) in enumerate(itertools.product(("qint8", "quint8", "qint16", "quint16"), ("MIN_COMBINED", "MIN_FIRST", "SCALED"), (0, 1))):
        low, high = ranges[(i + 3 * k) % 6]
        for rounding, narrow in ((("HALF_AWAY_FROM_ZERO", False), ("HALF_TO_EVEN", True)) if mode == "SCALED" else (("HALF_AWAY_FROM_ZERO", False),)):
            case = Case(f"quantize.{kind}.{mode}.{low}.{high}.{rounding}", near=1e-6)
            case.feed("x", x)
            case.constant("low", f4(low))
            case.constant("high", f4(high))
            case.add("QuantizeV2", "q", ["x", "low", "high"], T=kind, mode=mode, round_mode=rounding, narrow_range=narrow)
            q, a, b = quantize(x, low, high, kind, mode, rounding, narrow)
            case.want("q:1", a).want("q:2", b)
            yield case.want("q:0", q)
    lows, highs = f4([-1, -2, -0.25]), f4([2, 0.5, 1])
    parts = [quantize(x[:, i:i + 1], low, high, "qint8", "SCALED") for i, (low, high) in enumerate(zip(lows, highs))]
    case = Case("quantize.channels", near=1e-6)
    case.feed("x", x)
    case.constant("low", lows)
    case.constant("high", highs)
    case.add("QuantizeV2", "q", ["x", "low", "high"], T="qint8", mode="SCALED", axis=1)
    case.want("q:1", f4([a for _, a, _ in parts])).want("q:2", f4([b for _, _, b in parts]))
    yield case.want("q:0", np.concatenate([q for q, _, _ in parts], 1))


def there_and_back(x, low, high, is_signed, width, narrow, rounding, is_given):
    """Numbers are held in a range only where one is given."""
    first = -2.0 ** (width - 1) + narrow if is_signed else 0.0
    last = 2.0 ** (width - 1) - 1 if is_signed else 2.0 ** width - 1
    largest = np.finfo(f4).max
    down = f4(first / low) if first * low > 0 else largest
    up = f4(last / high) if last * high > 0 else largest
    by = min(down, up)
    unit = f4(low / first) if down < up else f4(high / last)
    a, b = (low, last * unit) if down < up else (first * unit, high)
    inside = (np.clip(x, f4(a), f4(b)) if is_given else x) * by
    return (np.round(inside) if rounding == "HALF_TO_EVEN" else np.floor(inside + f4(0.5))).astype(f4) * unit


def back_again(Case):
    x = f4(np.linspace(-3.1, 3.3, 40).reshape(5, 8))
    for i, (is_signed, width, narrow, is_given, way) in enumerate(itertools.product(
            (True, False), (8, 4, 12), (False, True), (True, False), ("V2", "V3", "V4", "open"))):
        if way != "V2" and (i // 4) % 5 != 0:
            continue
        rounding = "HALF_TO_EVEN" if way == "V3" or i % 3 else "HALF_UP"
        low, high = (f4(-1.3), f4(2.1)) if is_given else (x.min(), x.max())
        case = Case(f"back.{way}.{is_signed}.{width}.{narrow}.{rounding}.{is_given}", near=1e-6)
        case.feed("x", x)
        for name, number in (("low", f4(-1.3)), ("high", f4(2.1))):
            case.feed(name, number) if way == "open" else case.constant(name, number)
        attrs = {"signed_input": is_signed, "range_given": is_given, "narrow_range": narrow, "T": "float32"}
        if way == "V3":
            case.constant("bits", np.int32(width))
            case.add("QuantizeAndDequantizeV3", "y", ["x", "low", "high", "bits"], **attrs)
        else:
            case.add("QuantizeAndDequantize" + ("V4" if way == "V4" else "V2"), "y", ["x", "low", "high"], num_bits=width, round_mode=rounding, **attrs)
        yield case.want("y", there_and_back(x, low, high, is_signed, width, narrow, rounding, is_given))


def zero_step(low, high, kind):
    limits = np.iinfo(PLAIN[kind])
    return int(limits.min - away(low * ((2.0 ** limits.bits - 1) / (high - low))))


def product_range(a, b, c, d):
    unit = f4(f4(b - a) / f4(255)) * f4(f4(d - c) / f4(255))
    return f4(unit * -2.0 ** 31), f4(unit * (2.0 ** 31 - 1))


def arithmetic(Case):
    """Layers on steps: sums are exact."""
    for kind, is_open, padding in itertools.product(("quint8", "qint8"), (False, True), ("SAME", "VALID")):
        x, w = steps("quint8", 1, 6, 6, 2, seed=1), steps(kind, 3, 3, 2, 4, seed=2)
        a, b, c, d = -1.0, 3.0, -0.5, 0.75
        case = Case(f"conv.{kind}.{is_open}.{padding}", near=1e-6)
        case.feed("x", x, "quint8")
        case.constant("w", w, kind)
        for name, number in zip("abcd", (a, b, c, d)):
            case.feed(name, f4(number)) if is_open and name in "ab" else case.constant(name, f4(number))
        case.add("QuantizedConv2D", "y", ["x", "w", "a", "b", "c", "d"], Tinput="quint8", Tfilter=kind, out_type="qint32",
                 strides=[1, 1, 1, 1], padding=padding)
        wide = x.astype(int) - zero_step(a, b, "quint8")
        wide = np.pad(wide, [(0, 0), (1, 1), (1, 1), (0, 0)]) if padding == "SAME" else wide
        n = wide.shape[1] - 2
        want = np.zeros((1, n, n, 4), "int32")
        for i, j in itertools.product(range(n), range(n)):
            want[0, i, j] = np.einsum("abc,abcd->d", wide[0, i:i + 3, j:j + 3], w.astype(int) - zero_step(c, d, kind))
        low, high = product_range(a, b, c, d)
        yield case.want("y:0", want).want("y:1", low).want("y:2", high)
    x, w = steps("quint8", 3, 5, seed=3), steps("quint8", 4, 5, seed=4)
    case = Case("matmul", near=1e-6)
    case.feed("x", x, "quint8")
    case.constant("w", w, "quint8")
    for name, number in zip("abcd", (0.0, 2.0, -1.0, 1.5)):
        case.constant(name, f4(number))
    case.add("QuantizedMatMul", "y", ["x", "w", "a", "b", "c", "d"], T1="quint8", T2="quint8", Toutput="qint32", transpose_b=True)
    case.want("y:0", ((x.astype(int) - zero_step(0, 2, "quint8")) @ (w.astype(int) - zero_step(-1, 1.5, "quint8")).T).astype("int32"))
    low, high = product_range(0, 2, -1, 1.5)
    yield case.want("y:1", low).want("y:2", high)
    case = Case("conv.far", refuses="0 is not in the range")
    case.feed("x", steps("quint8", 1, 4, 4, 1), "quint8")
    case.constant("w", steps("quint8", 1, 1, 1, 1), "quint8")
    for name, number in zip("abcd", (1.0, 2.0, -1.0, 1.5)):
        case.constant(name, f4(number))
    case.add("QuantizedConv2D", "y", ["x", "w", "a", "b", "c", "d"], Tinput="quint8", Tfilter="quint8", out_type="qint32",
             strides=[1, 1, 1, 1], padding="VALID")
    yield case.want("y:0", np.zeros(1))


def within_one_step(Case):
    """What is rounded by other means than TensorFlow's own fixed point: reals are compared, near by a step."""
    sums = np.random.default_rng(5).integers(-2 ** 20, 2 ** 20, (4, 6)).astype("int32")
    a, b = f4(-2.0 ** 31 * 1e-6), f4((2.0 ** 31 - 1) * 1e-6)
    case = Case("requantize", near=1.2 / 255 * 2.2)
    case.feed("x", sums, "qint32")
    case.constant("a", a)
    case.constant("b", b)
    case.add("RequantizationRange", "r", ["x", "a", "b"], Tinput="qint32")
    case.add("Requantize", "q", ["x", "a", "b", "r", "r:1"], Tinput="qint32", out_type="quint8")
    case.add("Dequantize", "y", ["q", "q:1", "q:2"], T="quint8", mode="MIN_FIRST")
    case.add("QuantizeDownAndShrinkRange", "s", ["x", "a", "b"], Tinput="qint32", out_type="quint8")
    case.add("Dequantize", "z", ["s", "s:1", "s:2"], T="quint8", mode="MIN_FIRST")
    reals = (sums * 1e-6).astype(f4)
    yield case.want("y", reals).want("z", reals).want("r:0", reals.min()).want("r:1", reals.max())
    q, w = steps("quint8", 3, 4), steps("quint8", 4)
    case = Case("bias", near=1e-3)
    case.feed("q", q, "quint8")
    case.constant("w", w, "quint8")
    for name, number in zip("abcd", (-1.0, 2.0, -0.5, 0.5)):
        case.constant(name, f4(number))
    case.add("QuantizedBiasAdd", "s", ["q", "w", "a", "b", "c", "d"], T1="quint8", T2="quint8", out_type="qint32")
    case.add("Dequantize", "y", ["s", "s:1", "s:2"], T="qint32", mode="MIN_FIRST")
    yield case.want("y", dequantize(q, -1, 2, "MIN_FIRST") + dequantize(w, -0.5, 0.5, "MIN_FIRST")).want("s:2", f4(2 * 16384))


def exact_steps(Case):
    q = steps("quint8", 1, 4, 4, 2)
    zero, six = zero_step(-1, 7, "quint8"), int(away(6 * 255 / 8) - away(-255 / 8))
    for op, want in (("QuantizedRelu", np.maximum(q, zero)), ("QuantizedRelu6", np.clip(q, zero, six))):
        case = Case(op)
        case.feed("q", q, "quint8")
        case.constant("a", f4(-1))
        case.constant("b", f4(7))
        case.add(op, "y", ["q", "a", "b"], Tinput="quint8", out_type="quint8")
        yield case.want("y:0", want.astype("uint8")).want("y:1", f4(-1)).want("y:2", f4(7))
    case = Case("QuantizedReluX")
    case.feed("q", q, "quint8")
    for name, number in (("a", -1), ("b", 7), ("most", 3)):
        case.constant(name, f4(number))
    case.add("QuantizedReluX", "y", ["q", "most", "a", "b"], Tinput="quint8", out_type="quint8")
    yield case.want("y:0", np.clip(q, zero, int(away(3 * 255 / 8) - away(-255 / 8))).astype("uint8"))
    case = Case("QuantizedMaxPool")
    case.feed("q", q, "quint8")
    case.constant("a", f4(-1))
    case.constant("b", f4(7))
    case.constant("dims", np.int32([4, 2]))
    case.add("QuantizedMaxPool", "p", ["q", "a", "b"], T="quint8", ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    case.add("QuantizedReshape", "y", ["p", "dims", "p:1", "p:2"], T="quint8", Tshape="int32")
    yield case.want("y:0", q.reshape(1, 2, 2, 2, 2, 2).max((2, 4)).reshape(4, 2)).want("y:2", f4(7))


def fake_quant(x, low, high, width, narrow):
    """With the range moved so that 0 is a step, in the order of the kernel."""
    if low == 0 and high == 0:
        return np.zeros_like(x)
    first, last = f4(1 if narrow else 0), f4(2 ** width - 1)
    by = f4((f4(high) - f4(low)) / (last - first))
    zero = np.clip(away(f4(first - f4(f4(low) / by))), first, last)
    least, most = f4((first - zero) * by), f4((last - zero) * by)
    return np.floor((np.clip(x, least, most) - least) / by + f4(0.5)) * by + least


def fake_quants(Case):
    x = f4(np.random.default_rng(9).uniform(-7, 7, (6, 5, 4)))
    for i, (width, narrow, (low, high)) in enumerate(itertools.product(
            (8, 4, 2, 12, 16), (False, True), ((-1.0, 1.0), (-6.0, 6.0), (0.0, 6.0), (-3.3, 0.7), (0.5, 4.0), (-5.0, -1.0)))):
        way = ("Args", "Vars", "open")[i % 3]
        case = Case(f"fake.{way}.{width}.{narrow}.{low}", near=2e-6)
        case.feed("x", x)
        attrs = {"num_bits": width, "narrow_range": narrow}
        if way == "Args":
            case.add("FakeQuantWithMinMaxArgs", "y", ["x"], min=low, max=high, **attrs)
        else:
            for name, number in (("a", low), ("b", high)):
                case.feed(name, f4(number)) if way == "open" else case.constant(name, f4(number))
            case.add("FakeQuantWithMinMaxVars", "y", ["x", "a", "b"], **attrs)
        yield case.want("y", fake_quant(x, low, high, width, narrow))
    for width, narrow, is_open in itertools.product((8, 3), (False, True), (False, True)):
        lows, highs = f4([-1, -2, 0, -0.3]), f4([1, 3, 6, 0.1])
        case = Case(f"fake.channels.{width}.{narrow}.{is_open}", near=2e-6)
        case.feed("x", x)
        for name, numbers in (("a", lows), ("b", highs)):
            case.feed(name, numbers) if is_open else case.constant(name, numbers)
        case.add("FakeQuantWithMinMaxVarsPerChannel", "y", ["x", "a", "b"], num_bits=width, narrow_range=narrow)
        want = [fake_quant(x[..., i], lows[i], highs[i], width, narrow) for i in range(4)]
        yield case.want("y", np.stack(want, -1))
    case = Case("fake.nothing")
    case.feed("x", x)
    case.constant("a", f4(0))
    case.constant("b", f4(0))
    case.add("FakeQuantWithMinMaxVars", "y", ["x", "a", "b"])
    yield case.want("y", np.zeros_like(x))


def trained(Case):
    """FakeQuant of weights: floats where what they meet is not quantised, else steps; large ones are not loaded."""
    ways = itertools.product((False, True), (False, True), ((8, False), (8, True), (4, True)), (6, 160))
    for meets, keep, (width, narrow), size in ways:
        random = np.random.default_rng(9)
        x, w = random.normal(size=(2, size)).astype(f4), random.normal(size=(size, 128)).astype(f4)
        low, high = f4(-2.0) - np.arange(128, dtype=f4) / f4(100), f4(1.5) + np.arange(128, dtype=f4) / f4(64)
        case = Case(f"trained.{'steps' if meets else 'floats'}.{'kept' if keep else 'folded'}.{width}.{narrow}.{size}",
                    ["--fold", "all"] + (["--keep-quantized"] if keep else []), 1e-4,
                    nodes={"QuantizeLinear": int(meets), "DequantizeLinear": int(meets) + int(meets or keep), "Min": 0, "Max": 0, "Clip": 0})
        case.feed("x", x)
        for name, array in (("w/const", w), ("low", low), ("high", high), ("a", f4(-3)), ("b", f4(3))):
            case.constant(name, array)
        case.add("Identity", "w", ["w/const"], T="float32")
        case.add("FakeQuantWithMinMaxVarsPerChannel", "w/steps", ["w", "low", "high"], num_bits=width, narrow_range=narrow)
        if meets:
            case.add("FakeQuantWithMinMaxVars", "x/steps", ["x", "a", "b"], num_bits=8)
            x = fake_quant(x, -3, 3, 8, False)
        case.add("MatMul", "y", ["x/steps" if meets else "x", "w/steps"], T="float32")
        frozen = np.stack([fake_quant(w[:, i], low[i], high[i], width, narrow) for i in range(128)], 1)
        yield case.want("y", x @ frozen)


def cases(Case, _shared, _scratch):
    for family in (fake_quants, trained, dequantizing, weights, quantizing, back_again, arithmetic, within_one_step, exact_steps):
        yield from family(Case)
