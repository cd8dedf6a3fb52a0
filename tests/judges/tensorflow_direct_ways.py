"""tensorflow_direct_ways.py - ways of operators that only the direct rules have, for tensorflow_ways.py

Quantised numbers, strings, sounds and numbers by chance: element types and ranks
0 to 5, with the kernels of quantized_cases.py, audio_cases.py and numpy.  What the
rules refuse in any use has a case for each type: it must be refused, and not
for what the case is made of.  The way through nd4j has no rule for them.
"""
import itertools
import re

import audio_cases
import numpy as np
import quantized_cases as q
import tensorflow_table as table
import vocabularies
from tensorflow_ways import INDEX, RANKS, Fixed, Odd, allowed, cast_data, data, shapes_for, vary, way

f4 = np.float32
BYTES = ("qint8", "quint8")
# As far apart as one rounding is: shapes and types are held here, numbers by tensorflow_beyond.py.
NEAR = {"Requantize", "QuantizeDownAndShrinkRange", "QuantizedBiasAdd"}
CHANCE = {"TruncatedNormal", "StatelessTruncatedNormal", "StatelessTruncatedNormalV2", "StatelessRandomUniformInt",
          "StatelessRandomUniformIntV2", "StatelessMultinomial", "StatelessRandomGetKeyCounter",
          "StatelessRandomGetKeyCounterAlg", "StatelessRandomGetAlg"}
LIVES_IN_SEVERAL = ("HashTable HashTableV2 LookupTableExportV2 LookupTableFind LookupTableFindV2 LookupTableSizeV2"
                    " MutableDenseHashTableV2 MutableHashTable MutableHashTableV2").split()
OF_MANY_KEYS = "ParseExample ParseExampleV2 ParseSingleExample".split()


def stepped(kind, *dims, seed=7):
    return Odd(q.steps(kind, *dims, seed=seed), kind)


def line(*dims):
    """From -3.1 to 3.3; a number alone is between."""
    return f4(np.linspace(-3.1, 3.3, max(int(np.prod(dims)), 3))[:int(np.prod(dims))].reshape(dims))


# --- quantised numbers ---------------------------------------------------------------------

def add_dequantize():
    for kind, mode in itertools.product(allowed("Dequantize"), ("MIN_COMBINED", "MIN_FIRST", "SCALED")):
        for dims, is_fixed, narrow in itertools.product(RANKS if kind in BYTES else shapes_for(kind), (False, True), (None, True)):
            x = stepped(kind, *dims)
            more = {"narrow_range": True} if narrow else {}
            way("Dequantize", [Fixed(x) if is_fixed else x, Fixed(f4(-1)), Fixed(f4(1))],
                lambda x, a, b, m=mode, n=bool(narrow): q.dequantize(x, a, b, m, n and m == "SCALED"), tolerance=1e-5, mode=mode, **more)
        for dims in [(3, 2), (2, 3, 2), (1, 2, 3, 2)] if mode != "MIN_FIRST" and kind in BYTES else []:
            axis = dims.index(3)
            way("Dequantize", [stepped(kind, *dims), Fixed(f4([-1, -2, -0.5])), Fixed(f4([2, 1, 0.25]))],
                lambda x, a, b, k=axis, m=mode: q.by_channel(x, a, b, k, m, False), tolerance=1e-5, mode=mode, axis=axis)
    for kind in allowed("Dequantize"):
        way("Dequantize", [stepped(kind, 2, 3), Fixed(f4(0)), Fixed(f4(2))],
            lambda x, a, b: q.dequantize(x, a, b, "MIN_COMBINED"), tolerance=3e-2, dtype="bfloat16")
    for kind in allowed("UniformDequantize", "Tin"):
        for dims in RANKS:
            way("UniformDequantize", [stepped(kind, *dims), Fixed(f4(0.5)), Fixed(np.int32(3))], lambda x, s, z: (x.astype("f8") - z) * s,
                Tout="float32", quantization_min_val=-128, quantization_max_val=127)
            if dims and dims[-1]:
                way("UniformDequantize", [stepped(kind, *dims), Fixed(f4(np.linspace(0.5, 2, dims[-1]))), Fixed(np.arange(dims[-1], dtype="i4"))],
                    lambda x, s, z: (x.astype("f8") - z) * s, Tout="float32", quantization_min_val=-128, quantization_max_val=127, quantization_axis=len(dims) - 1)


def add_quantize():
    for kind, mode in itertools.product(allowed("QuantizeV2"), ("MIN_COMBINED", "MIN_FIRST", "SCALED")):
        if kind == "qint32" and mode != "MIN_COMBINED":
            continue  # float32 does not have these numbers: which one is nearest depends on the order
        for dims, rounding in itertools.product(RANKS, ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN") if mode == "SCALED" else (None,)):
            way("QuantizeV2", [line(*dims), Fixed(f4(-1)), Fixed(f4(2.5))],
                lambda x, a, b, k=kind, m=mode, r=rounding: q.quantize(x, a, b, k, m, r or "HALF_AWAY_FROM_ZERO"), T=kind, mode=mode,
                tolerance=1e-6, **({"round_mode": rounding} if rounding else {}))
    for op, kind, signed, given in itertools.product(("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"),
                                                     allowed("QuantizeAndDequantizeV2"), (True, False), (True, False)):
        for dims in RANKS:
            if 0 in dims and not given:
                continue  # nothing has no range

            def want(x, a, b, bits=8, s=signed, g=given):
                ends = (f4(a), f4(b)) if g else (f4(x.min()), f4(x.max()))
                return q.there_and_back(f4(x), *ends, s, int(bits), False, "HALF_TO_EVEN", g)
            if kind in ("float16", "bfloat16") and dims != (2, 3):
                continue  # once: a number near the middle of two steps takes either
            ends = [Fixed(cast_data(np.array(v), kind)) for v in (-1.25, 2.0)]
            way(op, [cast_data(line(*dims), kind), *ends, *([Fixed(np.int32(8))] if op.endswith("V3") else [])], want, tolerance=1e-5,
                signed_input=signed, range_given=given)


def clipped_steps(kind, low, high, least, most):
    """Steps of two reals in a range."""
    by = (2.0 ** np.iinfo(q.PLAIN[kind]).bits - 1) / (high - low)
    first = q.away(low * by) - np.iinfo(q.PLAIN[kind]).min
    return [int(q.away(v * by) - first) for v in (least, most)]


def add_steps():
    for kind in BYTES:
        zero, six = clipped_steps(kind, -1, 7, 0, 6)
        most = clipped_steps(kind, -1, 7, 0, 3)[1]
        for dims in RANKS:
            x = stepped(kind, *dims)
            ends = [Fixed(f4(-1)), Fixed(f4(7))]
            way("QuantizedRelu", [x, *ends], lambda x, a, b, z=zero: [np.maximum(x, z), a, b], out_type=kind)
            way("QuantizedRelu6", [x, *ends], lambda x, a, b, z=zero, s=six: [np.clip(x, z, s), a, b], out_type=kind)
            way("QuantizedReluX", [x, Fixed(f4(3)), *ends], lambda x, m, a, b, z=zero, s=most: [np.clip(x, z, s), a, b], out_type=kind)
            if 0 not in dims:
                way("QuantizedReshape", [x, Fixed(np.int32([-1])), *ends], lambda x, s, a, b: [x.reshape(-1), a, b])
            way("RequantizationRange", [Odd(np.arange(-4, int(np.prod(dims)) - 4).reshape(dims).astype("i4"), "qint32"), Fixed(f4(-2 ** 31 * 1e-3)), Fixed(f4((2 ** 31 - 1) * 1e-3))],
                lambda x, a, b: [f4(x.min() * 1e-3), f4(x.max() * 1e-3)], tolerance=1e-4) if 0 not in dims else None
            for op, more in (("Requantize", [Fixed(f4(-1)), Fixed(f4(1))]), ("QuantizeDownAndShrinkRange", [])):
                if 0 not in dims:
                    way(op, [stepped("qint32", *dims), *ends, *more], lambda x, *_: [np.zeros(x.shape), f4(0), f4(0)], out_type=kind)
            if dims and dims[-1] == 3:
                way("QuantizedBiasAdd", [x, stepped(kind, 3), *ends, *ends], lambda x, *_: [np.zeros(x.shape), f4(0), f4(0)], out_type="qint32")
        for padding in ("SAME", "VALID"):
            image = stepped(kind, 1, 5, 5, 2)
            way("QuantizedMaxPool", [image, Fixed(f4(-1)), Fixed(f4(7))],
                lambda x, a, b, p=padding: [table.pool(x.astype("f8"), (2, 2), (2, 2), p, True), a, b], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding=padding)
    add_products()


def add_products():
    ranges = [Fixed(f4(v)) for v in (-1.0, 3.0, -0.5, 0.75)]
    for left, right in itertools.product(BYTES, BYTES):
        def of(x, w, a, b, c, d, product, left=left, right=right):
            low, high = q.product_range(*(float(v) for v in (a, b, c, d)))
            x = x.astype(int) - q.zero_step(float(a), float(b), left)
            w = w.astype(int) - q.zero_step(float(c), float(d), right)
            return [product(x.astype("f8"), w.astype("f8")).astype("i4"), low, high]
        for padding in ("SAME", "VALID"):
            way("QuantizedConv2D", [stepped(left, 1, 5, 5, 2), Fixed(stepped(right, 3, 3, 2, 4, seed=2)), *ranges],
                lambda *v, p=padding, of=of: of(*v, lambda x, w: table.conv(x, w, (1, 1), (1, 1), p)), out_type="qint32", strides=[1] * 4, padding=padding, tolerance=1e-6)
        for a, b in itertools.product((False, True), (False, True)):
            x, w = stepped(left, *((5, 3) if a else (3, 5))), stepped(right, *((4, 5) if b else (5, 4)), seed=2)
            way("QuantizedMatMul", [x, w, *ranges], lambda *v, a=a, b=b, of=of: of(*v, lambda x, w: (x.T if a else x) @ (w.T if b else w)),
                Toutput="qint32", transpose_a=a, transpose_b=b, tolerance=1e-6)


# --- strings -------------------------------------------------------------------------------

def texts(*dims, words=("Ab c", "", "z9", "XYZ")):
    return np.resize(np.array(words), dims).astype(str)


def each(by, kind=str):
    return lambda x, *_: np.array([by(s) for s in x.reshape(-1)], kind).reshape(x.shape)


def add_strings():
    full = [d for d in RANKS if 0 not in d]
    for dims in full:
        way("StringLower", [texts(*dims)], each(str.lower))
        way("StringUpper", [texts(*dims)], each(str.upper))
        for count in (1, 2, 3):
            way("StringJoin", [texts(*dims)] * count, lambda *xs: each(lambda s: ", ".join([s] * len(xs)))(xs[0]), separator=", ")
        way("RegexFullMatch", [texts(*dims), Fixed(np.array("[A-Z]+"))], each(lambda s: bool(re.fullmatch("[A-Z]+", s)), bool))
        way("StaticRegexFullMatch", [texts(*dims)], each(lambda s: bool(re.fullmatch("[A-Z]+", s)), bool), pattern="[A-Z]+")
        for kind in allowed("StringToNumber", "out_type"):
            way("StringToNumber", [texts(*dims, words=("12", "7", "0"))], each(float, "f8"), out_type=kind)
        for kind in [t for t in allowed("AsString") if t != "string"]:
            x = data(kind, *dims, low=0, high=9) if kind != "bool" else data(kind, *dims)
            way("AsString", [x], lambda x: each(lambda s: str(s).lower())(x.astype(object)))
    for words, sep, most in itertools.product((("a b", "c  d e"), ("one",), ("x,y", "z", "u,,w")), ("", ","), (None, 1)):
        def parts(x, s, m=most):
            rows = [line_.split(str(s) or None, -1 if m is None else m) for line_ in x.tolist()]
            at = [(i, j) for i, row in enumerate(rows) for j, _ in enumerate(row)]
            return [np.array(at), np.array([p for row in rows for p in row]), np.array([len(rows), max(map(len, rows))])]
        way("StringSplitV2", [np.array(words), Fixed(np.array(sep))], parts, **({} if most is None else {"maxsplit": most}))


# --- sounds, boxes, chance -----------------------------------------------------------------

def add_sounds():
    for channels, window, squared in itertools.product((1, 2), (64, 100, 256), (False, True)):
        sound = audio_cases.noise(400, channels, seed=3)
        way("AudioSpectrogram", [sound], lambda x, w=window, s=squared: f4(audio_cases.spectrogram(x, w, 50, s)), tolerance=1e-3,
            window_size=window, stride=50, magnitude_squared=squared)
    for bands, count in itertools.product((20, 40), (5, 13)):
        shown = f4(audio_cases.spectrogram(audio_cases.noise(600, 1, seed=3), 256, 100, True))
        way("Mfcc", [shown, Fixed(np.int32(16000))], lambda x, r, b=bands, c=count: f4(audio_cases.mfcc(x, 16000, 20.0, 4000.0, b, c)), tolerance=5e-3,
            filterbank_channel_count=bands, dct_coefficient_count=count)


def add_boxes():
    for shared, pads, clips, total in itertools.product((1, 3), (False, True), (False, True), (5, 15)):
        corner = table.f(2, 12, shared, 2, low=0, high=0.8, seed=shared)
        boxes = np.concatenate([corner, corner + table.f(2, 12, shared, 2, low=0.1, high=0.5)], -1)
        way("CombinedNonMaxSuppression", [boxes, table.f(2, 12, 3, low=0, high=1), *(Fixed(v) for v in (np.int32(4), np.int32(total), f4(0.3), f4(0.25)))],
            lambda x, s, m, t, o, l, p=pads, c=clips: table.combined_nms(x, s, m, t, o, l, p, c), pad_per_class=pads, clip_boxes=clips)


def add_chance():
    seed, key, counter = Fixed(np.array([1, 2])), Fixed(np.array([1], "u8")), Fixed(np.array([1, 2], "u8"))
    for dims, index, fixed in itertools.product([(), (3,), (2, 3), (0, 2), (2, 1, 3), (1, 2, 1, 2), (1, 2, 1, 2, 2)], INDEX, (True, False)):
        shape = Fixed(np.array(dims, index)) if fixed else np.array(dims, index)
        for kind in allowed("TruncatedNormal", "dtype"):
            way("TruncatedNormal", [shape], np.zeros(dims), dtype=kind)
            way("StatelessTruncatedNormal", [shape, seed], np.zeros(dims), dtype=kind)
            way("StatelessTruncatedNormalV2", [shape, key, counter, Fixed(np.int32(1))], np.zeros(dims), dtype=kind)
        for kind in INDEX:
            ends = [Fixed(np.array(v, kind)) for v in (1, 5)]
            way("StatelessRandomUniformInt", [shape, seed, *ends], np.zeros(dims))
            way("StatelessRandomUniformIntV2", [shape, key, counter, Fixed(np.int32(1)), *ends], np.zeros(dims))
    for kind, out in itertools.product(allowed("StatelessMultinomial"), INDEX):
        way("StatelessMultinomial", [data(kind, 2, 4), Fixed(np.int32(5)), seed], np.zeros((2, 5)), output_dtype=out)
    for kind in INDEX:
        way("StatelessRandomGetKeyCounter", [np.array([1, 2], kind)], lambda s: [np.zeros(1), np.zeros(2)])
        way("StatelessRandomGetKeyCounterAlg", [np.array([1, 2], kind)], lambda s: [np.zeros(1), np.zeros(2), np.zeros(())])
    way("StatelessRandomGetAlg", [], lambda: [np.zeros(())])


# --- cases of the table, in all types -----------------------------------------------------------

FROM_THE_TABLE = ("LowerBound UpperBound UnravelIndex SparseReshape SparseFillEmptyRows RaggedTensorToTensor RaggedTensorToSparse"
                  " ScaleAndTranslate").split()


def add_of_the_table():
    seen = {}
    for case in table.DIRECT.values():
        if case.op in FROM_THE_TABLE and not case.is_open:
            vary(case, seen.setdefault(case.op, set()))


# --- what is refused in any use --------------------------------------------------------------

DIMS = {"filter": (3, 3, 2, 4), "bias": (4,), "summand": (1, 2, 2, 4), "images": (1, 4, 4, 2)}
NUMBERS = {"strides": [1] * 4, "ksize": [1, 2, 2, 1], "num_buckets": 7, "key": [1, 2], "variance_epsilon": 0.1,
           "scale_after_normalization": True, "clip_value_max": 1.0, "padding": "VALID", "pattern": "a", "rewrite": "b"}
SHAPED = {"shape": [2], "size": [2, 2], "seed": [1, 2], "key": [1], "counter": [1, 2]}


def dims_of(op, name):
    if re.search(r"(^|_)(min|max|mins|maxes)(_|$)|scales|zero_points|contents|concat_dim|alg|min_range|max_range", name):
        return ()
    if name in DIMS:
        return DIMS[name] if name != "filter" or "Depthwise" not in op else (3, 3, 2, 1)
    if "Conv2D" in op or "Pool" in op or "InstanceNorm" in op or op.startswith("QuantizedBatchNorm") and name == "t":
        return (1, 4, 4, 2)
    if op.startswith("QuantizedBatchNorm"):
        return (2,)
    return (3, 4) if name == "a" else (4, 4) if name == "b" else (2, 3)


def input_for(op, name, kind, types):
    kind = types.get(kind[1:], None) if kind.startswith("$") else kind
    if name in SHAPED:
        return Fixed(np.array(SHAPED[name], kind))
    dims = dims_of(op, name)
    if kind in q.PLAIN:
        return Odd(np.ones(dims, q.PLAIN[kind]), kind)
    if kind == "bfloat16":
        return Odd(np.ones(dims, "f4"), kind)
    return np.resize(np.array("a"), dims).astype(str) if kind == "string" else np.ones(dims, kind)


def add_refused(op):
    """With each type of each type attribute; others are the first that is usual."""
    told = vocabularies.vocabulary("tensorflow")[op]
    kinds = {name: allowed(op, name) for name in told.types}
    for name, kind in [(n, k) for n, some in kinds.items() for k in some] or [(None, None)]:
        types = {n: some[0] for n, some in kinds.items()}
        types.update({name: kind} if name else {})
        if "string" in types.values() or any(t.startswith("complex") for t in types.values()):
            continue
        attrs = {n: NUMBERS.get(n, -128 if n.endswith("min_val") else 127 if n.endswith("max_val") else "")
                 for n, a in told.attributes.items() if not a.is_optional and a.kind != "type" and n != "N"}
        given = []
        for argument in told.inputs:
            given += [input_for(op, argument.name, argument.type, types)] * (2 if argument.count == "*" else 1)
        taken = {argument.type[1:] for argument in told.inputs}
        way(op, given, lambda *_: [np.zeros(())], **{**attrs, **{n: t for n, t in types.items() if n not in taken}})


def always_refused():
    """Operators whose every rule refuses."""
    rules = {}
    for name, body in re.findall(r"^(\w+)\([^\n]*?\)(?: when [^\n]*?)? -> \([^\n]*?\) (\{[^\n]*)", vocabularies.rules("tensorflow_onnx.rules"), re.M):
        rules.setdefault(name, []).append(body.startswith("{ refuse "))
    return sorted(name for name, bodies in rules.items() if all(bodies))


def add(done):
    for family in (add_dequantize, add_quantize, add_steps, add_strings, add_sounds, add_boxes, add_chance, add_of_the_table):
        family()
    skipped = {*done, *LIVES_IN_SEVERAL, *OF_MANY_KEYS}
    for op in always_refused():
        if op not in skipped:
            add_refused(op)
