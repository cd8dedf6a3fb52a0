"""paddle_ways.py - every operator of Paddle that rules carry, in every way we can tell

Families of operators have all ranks, types, empty and broadcast dims.  Every
other case of paddle_cases.py is varied by what rules/paddle.ops says of its
operator: other widths of its numbers, each attribute left to its default, each
optional input left out, each truth value turned, each word of an enumeration,
axes counted from the end.  What the evaluator of Paddle does not accept is no
program of Paddle, and is dropped.
"""
import functools
import itertools
import os
import re

import numpy as np
import paddle_cases
from paddle_cases import Case

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
RANKS = [(), (3,), (2, 3), (2, 1, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2), (0,), (2, 0, 3)]
PAIRS = [((2, 3), (2, 3)), ((2, 3), ()), ((), (2, 3)), ((3, 1), (1, 4)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3)), ((), ()),
         ((2, 1, 3, 1, 2), (3, 1, 2)), ((1,), (1, 2, 1, 1, 3)), ((2, 3, 1, 2), (2, 1, 4, 2))]
FLOATS = ["float32", "float64", "float16"]
INTS = ["int32", "int64"]
NARROW = ["int8", "uint8", "int16"]
WIDTHS = {"float32": ["float64", "float16"], "int64": ["int32"], "int32": ["int64"]}


# --- the vocabulary -----------------------------------------------------------------

@functools.lru_cache(None)
def vocabulary():
    """Operator to optional slots, and attributes: kind, default, words."""
    ops, attrs = {}, {}
    with open(os.path.join(ROOT, "rules/paddle.ops")) as file:
        for line in file:
            head = re.match(r"op (\S+) \((.*?)\) ->", line)
            attr = re.match(r"    (\w+) (\S+)(?: = (.*?))?(?: in \{(.*)\})?$", line.rstrip())
            if head:
                attrs = {}
                ops[head[1]] = re.findall(r"(\w+)[?*]", head[2]), attrs
            elif attr:
                attrs[attr[1]] = attr[2], attr[3], re.findall(r'"([^"]*)"', attr[4] or "")
    return ops


def carried():
    """Operators that the rule set takes."""
    with open(os.path.join(ROOT, "rules/paddle_onnx.rules")) as file:
        return set(re.findall(r"^([a-z]\w*)\(", file.read(), re.M))


# --- cases ---------------------------------------------------------------------------

CASES = {}


def way(op, inputs, attrs=None, outputs=None, **more):
    made = CASES.setdefault(op, [])
    case = Case(op, inputs, attrs, outputs, **more)
    case.name = f"{op}.{len(made)}"
    made.append(case)
    return case


def data(dtype, *dims, seed=0, low=-4, high=4):
    count = int(np.prod(dims, dtype=int))
    state = np.random.RandomState(seed + count)
    if dtype == "bool":
        return state.randint(0, 2, count).astype(bool).reshape(dims)
    if np.dtype(dtype).kind == "f":
        return state.uniform(low, high, count).astype(dtype).reshape(dims)
    return state.randint(max(low, 0) if dtype == "uint8" else low, high + 1, count).astype(dtype).reshape(dims)


def nonzero(array):
    return np.where(array == 0, np.ones_like(array), array)


# --- families ------------------------------------------------------------------------

SMOOTH = """atan ceil cos erf exp expm1 floor sigmoid silu sin sinh cosh softsign tan tanh tanh_shrink round mish
    logsigmoid gelu hard_sigmoid hard_swish leaky_relu elu celu selu softplus swish brelu hard_shrink softshrink
    thresholded_relu relu6 stanh soft_relu""".split()


def add_unary():
    for op in SMOOTH:
        for dtype, dims in itertools.product(FLOATS, RANKS):
            way(op, {"X": data(dtype, *dims, low=-2, high=2)})
    for op in "log log10 log1p log2 reciprocal rsqrt sqrt".split():
        for dtype, dims in itertools.product(FLOATS, RANKS):
            way(op, {"X": data(dtype, *dims, low=1, high=4) + (0 if dtype != "float16" else np.float16(0.1))})
    for op, want in {"acos": np.arccos, "asin": np.arcsin, "atanh": np.arctanh, "asinh": np.arcsinh, "acosh": np.arccosh}.items():
        for dtype, dims in itertools.product(FLOATS[:2], RANKS):
            x = data(dtype, *dims, low=-9, high=9) / dtype_of(dtype, 10)
            way(op, {"X": abs(x) + dtype_of(dtype, 1.5) if op == "acosh" else x}, expect=want)
    for op in "abs sign square relu assign share_data fill_zeros_like fill_zeros_like2 memcpy memcpy_d2h memcpy_h2d".split():
        for dtype, dims in itertools.product(FLOATS + INTS, RANKS):
            way(op, {"X": data(dtype, *dims)})
    for op in "isfinite_v2 isinf_v2 isnan_v2".split():
        for dtype, dims in itertools.product(FLOATS + INTS, RANKS):
            way(op, {"X": data(dtype, *dims)})
        for dtype in FLOATS:
            way(op, {"X": np.array([1, np.nan, np.inf, -np.inf, 0], dtype)})
    for op, want in {"bitwise_not": np.invert, "logical_not": np.logical_not}.items():
        for dtype, dims in itertools.product(["bool", *INTS, *NARROW] if op == "bitwise_not" else ["bool"], RANKS):
            way(op, {"X": data(dtype, *dims)}, expect=want)
    for one, two in itertools.product(FLOATS + INTS + NARROW + ["bool"], repeat=2):
        codes = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4, "float32": 5, "float64": 6, "uint8": 20, "int8": 21}
        for dims in RANKS if (one, two) == ("float32", "int64") else [(2, 3)]:
            way("cast", {"X": abs(data(one, *dims)) if one != "bool" else data(one, *dims)}, {"in_dtype": codes[one], "out_dtype": codes[two]})
    for dtype, dims in itertools.product(FLOATS + INTS, RANKS):
        x = data(dtype, *dims)
        for attrs in ({}, {"scale": 2.0}, {"scale": 0.5, "bias": 1.0}, {"scale": 2.0, "bias": 1.0, "bias_after_scale": False}):
            way("scale", {"X": x}, attrs)
        way("clip", {"X": x}, {"min": -1.0, "max": 2.0})
        way("pow", {"X": abs(x)}, {"factor": 2.0})
        for name in ("shape", "size"):
            way(name, {"Input": x})
        way("is_empty", {"X": x})
        way("fill_any_like", {"X": x}, {"value": 2.0, "dtype": -1})


def dtype_of(dtype, value):
    return np.dtype(dtype).type(value)


def add_binary():
    for op in "add sub mul div max min floordiv mod".split():
        for dtype, (left, right) in itertools.product(FLOATS[:2] + INTS, PAIRS):
            if op in ("floordiv", "mod") and dtype == "float16":
                continue
            y = data(dtype, *right, seed=5)
            way(f"elementwise_{op}", {"X": data(dtype, *left), "Y": nonzero(y) if op in ("div", "floordiv", "mod") else y})
        for axis, y in ((0, (2,)), (1, (3, 4)), (1, (3,)), (2, (4,)), (-1, (4,)), (1, (3, 1))):
            x = data("float32", 2, 3, 4)
            way(f"elementwise_{op}", {"X": x, "Y": nonzero(data("float32", *y, seed=5))}, {"axis": axis})
    for dtype, (left, right) in itertools.product(FLOATS[:2], PAIRS):
        way("elementwise_pow", {"X": data(dtype, *left, low=1, high=3), "Y": data(dtype, *right, low=-2, high=2)})
    for op in "equal not_equal less_than less_equal greater_than greater_equal".split():
        for dtype, (left, right) in itertools.product(FLOATS[:2] + INTS + ["bool"], PAIRS):
            way(op, {"X": data(dtype, *left, low=-1, high=1), "Y": data(dtype, *right, seed=5, low=-1, high=1)})
    for op in "logical_and logical_or logical_xor".split():
        for left, right in PAIRS:
            way(op, {"X": data("bool", *left), "Y": data("bool", *right, seed=5)})
    for op in "bitwise_and bitwise_or bitwise_xor".split():
        for dtype, (left, right) in itertools.product(["bool", *INTS, *NARROW], PAIRS):
            way(op, {"X": data(dtype, *left), "Y": data(dtype, *right, seed=5)})
    for dtype, dims in itertools.product(FLOATS[:2] + INTS + ["bool"], RANKS):
        way("where", {"Condition": data("bool", *dims), "X": data(dtype, *dims), "Y": data(dtype, *dims, seed=3)})
    for dtype, dims in itertools.product(FLOATS[:2] + INTS, RANKS):
        for many in (1, 2, 3):
            way("sum", {"X": [data(dtype, *dims, seed=i) for i in range(many)]})


def add_reductions():
    for op in "mean sum max min prod all any amax amin".split():
        kinds = ["bool"] if op in ("all", "any") else FLOATS[:2] + (INTS if op not in ("mean",) else [])
        for dtype, dims in itertools.product(kinds, RANKS):
            if 0 in dims and op in ("max", "min", "amax", "amin"):
                continue
            x, rank = data(dtype, *dims, low=-2, high=2), len(dims)
            for some, keep in itertools.product([[0], [-1], list(range(rank)), [0, -1]] if rank > 1 else [[0]] if rank else [[]], (None, True)):
                expect = {"amax": np.max, "amin": np.min}.get(op)
                more = {"expect": lambda x, w=expect, a=tuple(some), k=bool(keep): w(x, axis=a or None, keepdims=k)} if expect else {}
                way(f"reduce_{op}", {"X": x}, {"dim": some, **({"keep_dim": True} if keep else {}), **({"reduce_all": True} if not rank else {})}, **more)
            way(f"reduce_{op}", {"X": x}, {"reduce_all": True},
                **({"expect": lambda x, w=expect: w(x)} if op in ("amax", "amin") else {}))
    for op in ("arg_max", "arg_min"):
        for dtype, dims in itertools.product(FLOATS[:2] + INTS, [d for d in RANKS if d and 0 not in d]):
            for axis, kind, keep in itertools.product({0, -1, len(dims) - 1}, (None, 2, 3), (None, True)):
                way(op, {"X": data(dtype, *dims)}, {"axis": axis, **({"dtype": kind} if kind else {}), **({"keepdims": True} if keep else {})})
    for dtype, dims in itertools.product(FLOATS[:2] + INTS, [d for d in RANKS if d]):
        for axis, exclusive, turned in itertools.product({0, -1}, (None, True), (None, True)):
            way("cumsum", {"X": data(dtype, *dims)}, {"axis": axis, **({"exclusive": True} if exclusive else {}), **({"reverse": True} if turned else {})})
        if 0 in dims:
            continue
        for axis in {0, -1}:
            x = np.random.RandomState(5).permutation(int(np.prod(dims))).astype(dtype).reshape(dims)
            for falling in (None, True):
                way("argsort", {"X": x}, {"axis": axis, **({"descending": True} if falling else {})}, {"Out": 1, "Indices": 1})
            for least, order in itertools.product((None, False), (None, False)):
                way("top_k_v2", {"X": x}, {"k": 1, "axis": axis, **({"largest": False} if least is False else {}),
                                           **({"sorted": False} if order is False else {})}, {"Out": 1, "Indices": 1})
    for op in ("softmax", "log_softmax"):
        for dtype, dims in itertools.product(FLOATS, [d for d in RANKS if d and 0 not in d]):
            for axis in {None, 0, -1, len(dims) - 1}:
                way(op, {"X": data(dtype, *dims)}, {} if axis is None else {"axis": axis})


def add_shapes():
    kinds = FLOATS[:2] + INTS + ["bool"]
    for dtype, dims in itertools.product(kinds, RANKS):
        x, rank, size = data(dtype, *dims), len(dims), int(np.prod(dims))
        for op in ("reshape", "reshape2"):
            for new in ([-1], [1, -1], [size, 1], [0] * rank):
                if not (0 in dims and -1 in new) and new:
                    way(op, {"X": x}, {"shape": new})
        for op in ("transpose", "transpose2"):
            if rank:
                way(op, {"X": x}, {"axis": list(range(rank))[::-1]})
                way(op, {"X": x}, {"axis": [*range(1, rank), 0]})
        for op in ("squeeze", "squeeze2"):
            ones = [i for i, d in enumerate(dims) if d == 1]
            for some in [[], *([i] for i in ones), *([i - rank] for i in ones), ones]:
                way(op, {"X": x}, {"axes": some})
        for op in ("unsqueeze", "unsqueeze2"):
            for axis in range(-rank - 1, rank + 1):
                way(op, {"X": x}, {"axes": [axis]})
        for axis in range(-rank - 1, rank + 1):
            way("stack", {"X": [x, data(dtype, *dims, seed=1)]}, {"axis": axis}, {"Y": 1})
        for attrs in ({}, {"start_axis": 0, "stop_axis": -1}, {"start_axis": 0, "stop_axis": 0}):
            way("flatten_contiguous_range", {"X": x}, attrs)
        way("expand_v2", {"X": x}, {"shape": [2, *(3 if d == 1 else d for d in dims)]})
        way("expand_v2", {"X": x}, {"shape": [-1] * rank}) if rank else None
        way("tile", {"X": x}, {"repeat_times": [2] * max(rank, 1)})
        way("tile", {"X": x}, {"repeat_times": [3]})
        if not rank:
            continue
        for op in ("flatten", "flatten2"):
            for axis in range(rank + 1) if 0 not in dims else []:
                way(op, {"X": x}, {"axis": axis})
        for axis in range(-rank, rank):
            other = data(dtype, *dims[:axis % rank], 2, *dims[axis % rank + 1:], seed=2)
            way("concat", {"X": [x, other]}, {"axis": axis})
            way("flip", {"X": x}, {"axis": [axis]})
            way("reverse", {"X": x}, {"axis": [axis]})
            way("roll", {"X": x}, {"shifts": [2], "axis": [axis]})
            for start, end in ((0, 1), (-1, 100), (1, -1), (0, 0)):
                way("slice", {"Input": x}, {"axes": [axis % rank], "starts": [start], "ends": [end]})
                way("strided_slice", {"Input": x}, {"axes": [axis % rank], "starts": [start], "ends": [end], "strides": [2]})
            way("strided_slice", {"Input": x}, {"axes": [axis % rank], "starts": [-1], "ends": [-100], "strides": [-1]})
            if dims[axis]:
                way("split", {"X": x}, {"axis": axis, "num": dims[axis]}, {"Out": dims[axis]})
                way("split", {"X": x}, {"axis": axis, "sections": [1, -1]}, {"Out": 2})
                way("unstack", {"X": x}, {"axis": axis, "num": dims[axis]}, {"Y": dims[axis]})
                way("unbind", {"X": x}, {"axis": axis}, {"Out": dims[axis]})
                for index in INTS:
                    at = np.array([dims[axis] - 1, 0], index)
                    way("index_select", {"X": x, "Index": at}, {"dim": axis})
                    way("gather", {"X": x, "Index": at}, {"axis": axis})
        if dtype != "bool":
            way("pad", {"X": x}, {"paddings": [i % 3 for i in range(2 * rank)], "pad_value": 1.0})
        if 0 not in dims:
            for index, k in itertools.product(INTS, range(1, rank + 1)):
                at = np.stack([np.array([0, d - 1], index) for d in dims[:k]], -1)
                way("gather_nd", {"X": x, "Index": at})
    for dtype in FLOATS[:2] + INTS:
        for mode, dims in itertools.product(("constant", "reflect", "replicate", "circular"), [(1, 1, 4, 5, 6), (1, 2, 4, 5, 6)]):
            way("pad3d", {"X": data(dtype, *dims)}, {"paddings": [1, 0, 2, 1, 1, 2], "mode": mode})
        for mode, form in itertools.product(("constant", "reflect", "edge"), (None, "NCHW", "NHWC")):
            way("pad2d", {"X": data(dtype, 1, 4, 5, 6)}, {"paddings": [1, 0, 2, 1], "mode": mode, **({"data_format": form} if form else {})})
        for form, channels in itertools.product((None, "NCHW", "NHWC"), (4, 8)):
            dims = (1, 3, 4, channels) if form == "NHWC" else (1, channels, 3, 4)
            way("pixel_shuffle", {"X": data(dtype, *dims)}, {"upscale_factor": 2, **({"data_format": form} if form else {})})


def add_numbers():
    """A number has no axis; Paddle takes 0 and -1 all the same, as of one element."""
    x, nought = data("float32"), lambda x: np.int64(0)
    for attrs in ({}, {"axis": 0}, {"axis": -1}):
        way("softmax", {"X": x}, attrs, expect=np.ones_like)
        way("log_softmax", {"X": x}, attrs, expect=np.zeros_like)
        way("cumsum", {"X": x}, attrs, expect=np.positive)
        way("cumsum", {"X": x}, {**attrs, "reverse": True}, expect=np.positive)
        way("cumsum", {"X": x}, {**attrs, "exclusive": True}, expect=np.zeros_like)
        way("argsort", {"X": x}, attrs, {"Out": 1, "Indices": 1}, expect=np.positive)
        way("argsort", {"X": x}, attrs, {"Indices": 1, "Out": 1}, expect=nought)
        way("top_k_v2", {"X": x}, {**attrs, "k": 1}, {"Out": 1, "Indices": 1}, expect=np.positive)
        for op in ("arg_max", "arg_min"):
            for more in ({}, {"keepdims": True}, {"flatten": True}):
                way(op, {"X": x}, {"axis": 0, **attrs, **more}, expect=nought)
    for op in ("transpose", "transpose2"):
        way(op, {"X": x}, {"axis": []}, expect=np.positive)
    for op in ("flip", "reverse"):
        way(op, {"X": x}, {"axis": []}, expect=np.positive)
    for dtype in INTS:
        way("one_hot_v2", {"X": np.array(2, dtype)}, {"depth": 4, "dtype": 5}, expect=lambda x: np.eye(4, dtype="float32")[2])


def add_networks():
    for op, kind, channels, form in itertools.product(("pool2d",), ("max", "avg"), (1, 3), (None, "NCHW", "NHWC")):
        for pads, ceil, count, dtype in itertools.product(({}, {"paddings": [1, 1]}, {"padding_algorithm": "SAME"}, {"padding_algorithm": "VALID"},
                                                           {"global_pooling": True}, {"adaptive": True, "ksize": [3, 2]}),
                                                          (None, True), (None, False), FLOATS[:2]):
            dims = (2, 7, 6, channels) if form == "NHWC" else (2, channels, 7, 6)
            way(op, {"X": data(dtype, *dims, low=-9, high=-1)}, {
                "ksize": [3, 2], "strides": [2, 2], "pooling_type": kind, **pads, **({"ceil_mode": True} if ceil else {}),
                **({"exclusive": False} if count is False else {}), **({"data_format": form} if form else {})})
    for op, dtype, channels, pads, stride, rate in itertools.product(("conv2d", "depthwise_conv2d"), FLOATS[:2], (1, 4),
                                                                     ({}, {"paddings": [1, 0]}, {"paddings": [0, 1, 2, 0]}, {"padding_algorithm": "SAME"},
                                                                      {"padding_algorithm": "VALID"}), (1, 2), (1, 2)):
        groups = channels if op.startswith("depth") else 1
        way(op, {"Input": data(dtype, 2, channels, 7, 6), "Filter": data(dtype, channels, channels // groups, 3, 2, seed=1)},
            {"groups": groups, "strides": [stride] * 2, "dilations": [rate] * 2, **pads}, {"Output": 1})
    for method, corners, mode, size, channels in itertools.product(("nearest", "bilinear", "bicubic"), (None, False), (None, 0), ((7, 4), (1, 1), (10, 12)), (1, 2)):
        way(f"{method}_interp_v2", {"X": data("float32", 1, channels, 5, 6)}, {
            "out_h": size[0], "out_w": size[1], "interp_method": method, **({"align_corners": False} if corners is False else {}),
            **({"align_mode": 0} if mode == 0 else {})})
    for dtype, dims in itertools.product(FLOATS[:2], [(2, 3), (2, 3, 4), (2, 3, 4, 5), (1, 1, 2, 2)]):
        for axis in range(1, len(dims)):
            n = int(np.prod(dims[axis:]))
            for scale, bias in itertools.product((True, False), repeat=2):
                way("layer_norm", {"X": data(dtype, *dims), **({"Scale": data(dtype, n)} if scale else {}), **({"Bias": data(dtype, n, seed=1)} if bias else {})},
                    {"begin_norm_axis": axis}, {"Y": 1})
    for op, dtype in itertools.product(("matmul_v2", "matmul"), FLOATS[:2] + INTS):
        names = ("trans_x", "trans_y") if op.endswith("v2") else ("transpose_X", "transpose_Y")
        for (left, right), a, b in itertools.product([((2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)), ((2, 1, 2, 3), (1, 2, 3, 4)), ((3,), (3,)), ((2, 3), (3,)),
                                                      ((3,), (3, 4)), ((2, 2, 3), (3, 4)), ((0, 3), (3, 2))], (None, True), (None, True)):
            x, y = data(dtype, *left), data(dtype, *right, seed=1)
            x = np.ascontiguousarray(x.swapaxes(-1, -2)) if a and x.ndim > 1 else x
            y = np.ascontiguousarray(y.swapaxes(-1, -2)) if b and y.ndim > 1 else y
            way(op, {"X": x, "Y": y}, {k: True for k, v in zip(names, (a, b)) if v})


# --- the others: what paddle_cases.py has, varied ------------------------------------------

# What makes no program of Paddle, which the evaluator does not see: attributes
# that its makers demand, weights of another size, no size at all.  What fuses an
# activation is for kernels that the evaluator does not follow.
KEPT = re.compile(r"fuse_.*|is_one_sequence|clip[.].*|.*_interp(_v2)?[.](scale|out_.*|OutSize|Scale|SizeTensor)|rnn[.].*|"
                  r".*_transpose[.](strides|paddings|dilations|output_.*|padding_algorithm|groups)|box_coder[.]axis|"
                  r"conv2d_fusion[.]activation|prelu[.]mode|one_hot(_v2)?[.]depth|set_value[.].*|"
                  r"reshape2[.]ShapeTensor|split[.](num|sections|SectionsTensorList|axis)")


def flipped(attrs, case):
    """Other values of attributes that the vocabulary tells."""
    for name, (kind, default, words) in vocabulary()[case.op][1].items():
        if KEPT.fullmatch(name) or KEPT.fullmatch(f"{case.op}.{name}"):
            continue
        if kind == "bool":
            now = attrs.get(name, default == "true")
            made = {**attrs, name: not now}
            if name not in ("is_test", "is_training") and not (made.get("adaptive") and made.get("global_pooling")):
                yield made
        for word in words:
            if attrs.get(name, (default or "").strip('"')) != word:
                yield {**attrs, name: word}
        if name in attrs and default is not None:
            yield {k: v for k, v in attrs.items() if k != name}
        if name in ("axis", "dim", "begin_norm_axis") and isinstance(attrs.get(name), int) and not isinstance(attrs[name], bool):
            first = next(iter(case.inputs.values()), [np.zeros(())])[0]
            if 0 <= attrs[name] < first.ndim:
                yield {**attrs, name: attrs[name] - first.ndim}


def widened(case, old, new):
    return {slot: [a.astype(new) if str(a.dtype) == old else a for a in arrays] for slot, arrays in case.inputs.items()}


def vary(case):
    def put(inputs, attrs, expect=None):
        return way(case.op, inputs, attrs, case.outputs, fixed=case.fixed, drops=case.drops, expect=expect, lods=case.lods, only_shapes=case.only_shapes)
    put(case.inputs, case.attrs, case.expect)
    kinds = {str(a.dtype) for arrays in case.inputs.values() for a in arrays}
    if case.expect:
        return  # what is computed here is computed for these inputs alone
    for old in kinds:
        for new in WIDTHS.get(old, []):
            put(widened(case, old, new), case.attrs)
    for attrs in flipped(case.attrs, case):
        put(case.inputs, attrs)
    for slot in vocabulary()[case.op][0]:
        if slot in case.inputs and not KEPT.fullmatch(f"{case.op}.{slot}"):
            put({k: v for k, v in case.inputs.items() if k != slot}, case.attrs)


# Operators of the rule set that no program of one operator can hold.
EXCEPTIONS = {
    **dict.fromkeys(("write_to_array", "read_from_array", "array_erase", "lod_array_length", "create_array", "tensor_array_to_tensor"),
                    "an array lives in several operators: paddle_flows.py"),
    **dict.fromkeys(("crf_back", "crf_best", "crf_edges", "crf_path", "crf_step"),
                    "parts of crf_decoding, made when a program is loaded"),
}


@functools.lru_cache(None)
def all_cases():
    with np.errstate(all="ignore"):
        for add in (add_unary, add_binary, add_reductions, add_shapes, add_numbers, add_networks):
            add()
        for case in paddle_cases.CASES.values():
            if not case.build and case.op in vocabulary():
                vary(case)
        import paddle_gaps  # which varies what is here
        paddle_gaps.add()
    return [case for op in sorted(CASES) for case in CASES[op]]
