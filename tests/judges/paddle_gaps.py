"""paddle_gaps.py - ways of Paddle's operators that paddle_ways.py does not make of its cases

Defaults that are told and left out, other ranks, no elements, axes from the end,
what may come as a tensor.  What the evaluator of Paddle does not accept is no
program of Paddle, and is dropped.
"""
import numpy as np

import paddle_ways as ways
from vocabularies import default_of, vocabulary

# Operators whose arrays have dims that the definition fixes, which the evaluator does not look at: images, boxes,
# sequences, weights beside them, axes that a scalar does not have.
FIXED = """affine_grid arg_max arg_min batch_norm bicubic_interp bicubic_interp_v2 bilinear_interp_v2 collect_fpn_proposals
    conv2d crf_decoding cumsum depthwise_conv2d dot expand expand_as fake_quantize_abs_max
    fake_quantize_dequantize_abs_max fake_quantize_moving_average_abs_max fake_quantize_range_abs_max fill_constant
    frobenius_norm generate_proposals generate_proposals_v2 instance_norm layer_norm linear_interp_v2 linspace log_softmax
    logsumexp lookup_table lrn lstm lstm_unit matrix_nms meshgrid nearest_interp_v2 one_hot one_hot_v2 pixel_unshuffle
    pool2d pool3d range sequence_expand sequence_pad sequence_softmax softmax split sync_batch_norm top_k top_k_v2 transpose
    transpose2 tril_triu trilinear_interp_v2 where_index""".split()
# Those that have no rows to leave out: sizes, weights, places that must be there.
NO_ROWS = """affine_grid crf_decoding collect_fpn_proposals expand_as fill_constant linspace range lstm lstm_unit
    lookup_table matrix_nms sequence_expand sequence_pad sequence_softmax split top_k top_k_v2 meshgrid""".split()
RANKS = [(), (3,), (2, 3), (2, 1, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2), (0,), (0, 3)]


# Operators whose expected values the cases compute for arrays of any dims.
COMPUTED = """trunc atan2 elementwise_heaviside elementwise_fmax elementwise_fmin isclose lerp logit print l1_norm
    squared_l2_norm rrelu equal_all shape64 maximum minimum cumprod clip_by_norm fused_elemwise_activation
    fused_elemwise_add_activation bernoulli""".split()
# What may come as a tensor: the attribute that it stands for.
TENSORS = {
    "cumsum.AxisTensor": "axis", "split.AxisTensor": "axis", "gather.Axis": "axis", "unsqueeze.AxesTensor": "axes",
    "expand.ExpandTimes": "expand_times", "one_hot.depth_tensor": "depth", "one_hot_v2.depth_tensor": "depth",
    "fill_constant.ValueTensor": "value", "reshape.Shape": "shape", "strided_slice.StartsTensor": "starts",
    "strided_slice.EndsTensor": "ends", "strided_slice.StridesTensor": "strides", "top_k.K": "k", "top_k_v2.K": "k",
}
SIZES = {"linear": ("out_w",), "bilinear": ("out_h", "out_w"), "nearest": ("out_h", "out_w"), "bicubic": ("out_h", "out_w"),
         "trilinear": ("out_d", "out_h", "out_w")}


def can_compute(case, inputs):
    """Whether the case tells what other arrays give."""
    if case.op not in COMPUTED:
        return False
    try:
        case.expect(*(array for arrays in inputs.values() for array in arrays))
    except (ValueError, IndexError, AttributeError):
        return False
    return True


def put(case, inputs=None, attrs=None):
    if case.expect and inputs is not None and not can_compute(case, inputs):
        return
    ways.way(case.op, case.inputs if inputs is None else inputs, case.attrs if attrs is None else attrs, case.outputs,
             fixed=case.fixed, drops=case.drops, expect=case.expect, lods=case.lods, only_shapes=case.only_shapes)


def filled(array, dims):
    return np.resize(array, dims).astype(array.dtype) if array.size else np.zeros(dims, array.dtype)


# The least rank of some of those.
LEAST = {"fake_quantize_abs_max": 1, "fake_quantize_dequantize_abs_max": 1, "fake_quantize_moving_average_abs_max": 1,
         "fake_quantize_range_abs_max": 1, "tril_triu": 2, "where_index": 1, "one_hot_v2": 1}


def add_norms():
    """Each axis of each rank."""
    for op, name in (("frobenius_norm", "dim"), ("logsumexp", "axis")):
        for dims in [dims for dims in RANKS if dims and 0 not in dims]:
            for axes in ([0], [-1], [len(dims) - 1]):
                ways.way(op, {"X": ways.data("float32", *dims)}, {name: axes})


def add_ranks(case):
    """Every array of the shape of the first takes another."""
    first = next(iter(case.inputs.values()))[0]
    have = {next(iter(one.inputs.values()))[0].shape for one in ways.CASES[case.op] if one.inputs}
    for dims in RANKS:
        if dims not in have and first.ndim and len(dims) >= LEAST.get(case.op, 0):
            put(case, {slot: [filled(a, dims) if a.shape == first.shape else a for a in arrays]
                       for slot, arrays in case.inputs.items()})


def add_empties(case):
    """No rows."""
    first = next(iter(case.inputs.values()))[0]
    put(case, {slot: [a[:0] if a.ndim and a.shape[:1] == first.shape[:1] else a for a in arrays]
               for slot, arrays in case.inputs.items()})
    put(case, {slot: [a[:0] if a.ndim and at == 0 else a for a in arrays]
               for at, (slot, arrays) in enumerate(case.inputs.items())})


def add_defaults(case, cases):
    told = {name: default_of(attribute) for name, attribute in vocabulary("paddle")[case.op].attributes.items()
            if attribute.default is not None and not name.endswith("_count")}
    if told:
        put(case, attrs={**told, **case.attrs})
    for name, value in told.items():
        if ways.KEPT.fullmatch(name) or ways.KEPT.fullmatch(f"{case.op}.{name}"):
            continue
        for one in [one for one in cases if name in one.attrs and one.attrs[name] == value][:1]:
            put(one, attrs={k: v for k, v in one.attrs.items() if k != name})


def from_end(value, rank):
    if isinstance(value, list):
        return [x - rank if 0 <= x < rank else x for x in value]
    return value - rank if 0 <= value < rank else value


def add_axes(case):
    """Each axis, counted from the end."""
    ranks = [arrays[0].ndim for arrays in case.inputs.values() if arrays]
    for name in ("axis", "axes", "dim", "start_axis", "stop_axis", "axis1", "axis2", "decrease_axis", "quant_axis"):
        value = case.attrs.get(name)
        if ranks and isinstance(value, (int, list)) and not isinstance(value, bool):
            there = from_end(value, ranks[0])
            if there != value:
                put(case, attrs={**case.attrs, name: there})


def add_told():
    """What no case of the table has."""
    x = ways.data("float32", 2, 3, 4)
    for op in ("reduce_all", "reduce_any"):
        ways.way(op, {"X": ways.data("bool", 2, 3)}, {"dim": [0], "reduce_all": False})
    for axis, y in ((0, (2,)), (1, (3, 4)), (2, (4,)), (-1, (4,))):
        ways.way("elementwise_pow", {"X": abs(x) + 1, "Y": ways.data("float32", *y, low=-2, high=2)}, {"axis": axis})
    for start, stop in ((-2, -1), (-3, -2), (0, -2)):
        ways.way("flatten_contiguous_range", {"X": x}, {"start_axis": start, "stop_axis": stop})
    for kind, name in (("int32", "int32_values"), ("float32", "fp32_values"), ("int64", "int64_values"), ("bool", "bool_values"),
                       ("float64", "fp64_values"), ("int8", "int8_values")):
        code = {"bool": 0, "int32": 2, "int64": 3, "float32": 5, "float64": 6, "int8": 21}[kind]
        ways.way("assign_value", {}, {"shape": [2], "dtype": code, name: [1.0, 0.0] if "fp" in name else [1, 0]},
                 expect=lambda k=kind: np.array([1, 0], k))
    for dims in ((3,), (2, 1, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2)):
        ways.way("expand", {"X": ways.data("float32", *dims)}, {"expand_times": [2] * len(dims)})
        ways.way("top_k", {"X": np.random.RandomState(5).permutation(int(np.prod(dims))).astype("float32").reshape(dims)},
                 {"k": 1}, {"Out": 1, "Indices": 1})
        ways.way("expand_as", {"X": ways.data("float32", *dims), "target_tensor": ways.data("float32", *(2 * d for d in dims))})
    ways.way("instance_norm", {"X": ways.data("float32", 2, 1, 3, 4), "Scale": ways.data("float32", 1), "Bias": ways.data("float32", 1, seed=1)},
             {}, {"Y": 1})
    ways.way("dot", {"X": ways.data("float32", 4), "Y": ways.data("float32", 4, seed=1)})


def add_tensors():
    """What an attribute says, as a tensor of the program, in its place."""
    for slot, name in TENSORS.items():
        op, slot = slot.split(".")
        cases = [case for case in ways.CASES.get(op, []) if name in case.attrs and not case.expect]
        for case, kind in [(case, kind) for case in cases[:1] for kind in ("int32", "int64")]:
            value = np.atleast_1d(np.array(case.attrs[name]))
            value = value.astype(kind if value.dtype.kind == "i" else "float32")
            for fixed in (set(case.fixed) | {slot}, case.fixed):
                ways.way(op, {**case.inputs, slot: value}, {k: v for k, v in case.attrs.items() if k != name or name == "k"},
                         case.outputs, fixed=fixed, drops=case.drops)


def add_sizes():
    """Sizes of images as a tensor, and as scales."""
    for way, names in SIZES.items():
        for op in (f"{way}_interp", f"{way}_interp_v2"):
            for case in [c for c in ways.CASES.get(op, []) if all(name in c.attrs for name in names) and not c.expect][:1]:
                size = np.array([case.attrs[name] for name in names], "int32")
                rest = {k: v for k, v in case.attrs.items() if k not in names}
                ways.way(op, {**case.inputs, "OutSize": size}, case.attrs, case.outputs, fixed={"OutSize"})
                if op.endswith("v2"):
                    for scale in ({"scale": [2.0] * len(names)}, {"scale": [0.5] * len(names)}):
                        ways.way(op, case.inputs, {**rest, **scale}, case.outputs)
                    ways.way(op, {**case.inputs, "Scale": np.full(len(names), 2, "float32")}, rest, case.outputs, fixed={"Scale"})
                else:
                    ways.way(op, case.inputs, {**rest, "scale": 2.0}, case.outputs)


def add():
    add_told()
    add_tensors()
    add_norms()
    add_sizes()
    for op in sorted(ways.CASES):
        cases = [case for case in ways.CASES[op] if case.inputs and next(iter(case.inputs.values()))]
        if not cases:
            continue
        plain = [case for case in cases if not case.expect]
        for case in (plain or cases)[:1]:
            if op not in FIXED or op in LEAST:
                add_ranks(case)
            if op not in NO_ROWS:
                add_empties(case)
        add_defaults(cases[0], cases)
        for case in [case for case in cases if {"axis", "axes", "dim"} & set(case.attrs)
                     and op not in ("transpose", "transpose2")][:2]:
            add_axes(case)
