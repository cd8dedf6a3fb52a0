"""paddle_cases.py - programs of one operator, for paddle_onnx.py"""
import re

import numpy as np

# --- cases -------------------------------------------------------------------

class Case:
    """Inputs by slot: an array, or a list of them; `fixed` ones are parameters.
    Outputs by slot: how many; `drops` are not fetched.  `expect` computes what
    the judge does not know.  `build` makes a program of more than one operator.
    `lods` by slot: offsets of sequences.  `graph` says what must come out."""

    def __init__(self, op, inputs, attrs=None, outputs=None, fixed=(), drops=(),
                 expect=None, build=None, lods=None, only_shapes=False, graph=None):
        self.op, self.attrs, self.fixed = op, attrs or {}, fixed
        self.expect, self.build, self.lods = expect, build, lods or {}
        self.only_shapes, self.graph = only_shapes, graph
        self.inputs = {slot: value if isinstance(value, list) else [value]
                       for slot, value in inputs.items()}
        self.outputs = outputs or {"Out": 1}
        self.drops = drops


def f(*dims, low=-2.0, high=2.0, seed=0):
    count = int(np.prod(dims, dtype=int))
    made = np.random.RandomState(seed + count).uniform(low, high, count)
    return made.astype("f4").reshape(dims)


def ints(*items, dtype="i8"):
    return np.array(items, dtype)


CASES = {}


def case(name, *args, **kwargs):
    assert name not in CASES, name
    CASES[name] = Case(re.split(r"[.]", name)[0], *args, **kwargs)


def x(array, **more):
    return {"X": array, **more}


for op in """abs atan ceil cos erf exp expm1 floor sigmoid sign silu sin sinh cosh
        softsign square tan tanh tanh_shrink relu round mish logsigmoid assign
        share_data lod_reset relu6 gelu hard_sigmoid hard_swish leaky_relu elu celu
        selu softplus swish brelu hard_shrink softshrink thresholded_relu
        fill_zeros_like increment isfinite_v2 isinf_v2 isnan_v2""".split():
    case(op, x(f(3, 5) if op != "increment" else f(1)))
for op in "log log10 log1p log2 reciprocal rsqrt sqrt".split():
    case(op, x(f(3, 5, low=0.1)))
for op in "acos asin".split():
    case(op, x(f(3, 5, low=-0.9, high=0.9)))
case("acosh", x(f(3, 5, low=1.1, high=4)), expect=np.arccosh)
case("asinh", x(f(3, 5)), expect=np.arcsinh)
case("atanh", x(f(3, 5, low=-0.9, high=0.9)), expect=np.arctanh)
case("celu.double", x(f(3, 5).astype("f8")), {"alpha": 0.5})
case("gelu.tanh", x(f(4, 5)), {"approximate": True})
case("hard_swish.other", x(f(4, 5)), {"threshold": 5.0, "scale": 4.0, "offset": 2.0})
case("hard_sigmoid.slope", x(f(4, 5)), {"slope": 0.1666667, "offset": 0.5})
case("leaky_relu.alpha", x(f(4, 5)), {"alpha": 0.3})
case("elu.alpha", x(f(4, 5)), {"alpha": 0.5})
case("swish.beta", x(f(4, 5)), {"beta": 0.5})
case("relu6.other", x(f(4, 5)), {"threshold": 1.0})
case("mish.threshold", x(f(4, 5, low=-9, high=9)), {"threshold": 0.5})
case("softplus.late", x(f(4, 5, low=-90, high=90)), {"beta": 0.5, "threshold": 20.0})
case("softplus.beta", x(f(4, 5, low=-9, high=9)), {"beta": 3.0, "threshold": 5.0})
case("pow", x(f(3, 4)), {"factor": 2.0})
case("pow.tensor", x(f(3, 4, low=0.1), FactorTensor=f(1)))
case("clip", x(f(3, 4)), {"min": -1.0, "max": 0.5})
case("clip.tensors", x(f(3, 4), Min=f(1, low=-1, high=0), Max=f(1, low=0, high=1)))
case("prelu", x(f(2, 3, 4, 4), Alpha=f(1)), {"mode": "all"})
case("prelu.channel", x(f(2, 3, 4, 4), Alpha=f(3)), {"mode": "channel"})
case("prelu.element", x(f(2, 3, 4, 4), Alpha=f(1, 3, 4, 4)), {"mode": "element"})
case("scale", x(f(3, 4)), {"scale": 0.5, "bias": 1.5})
case("scale.before", x(f(3, 4)), {"scale": 0.5, "bias": 1.5, "bias_after_scale": False})
case("scale.same", x(f(3, 4)), {"scale": 1.0, "bias": 0.0})
case("scale.ints", x(ints(3, 4, 5)), {"scale": 2.5, "bias": 1.0})
case("scale.tensor", x(f(3, 4), ScaleTensor=f(1)), {"bias": 1.0})
case("cast", x(f(3, 4)), {"in_dtype": 5, "out_dtype": 3})
case("cast.bool", x(ints(0, 1, 2)), {"in_dtype": 3, "out_dtype": 0})
case("dropout", x(f(3, 4)), {"dropout_prob": 0.3, "is_test": True})
case("dropout.upscale", x(f(3, 4)), {"dropout_prob": 0.3, "is_test": True,
                                     "dropout_implementation": "upscale_in_train"})

for op in "add sub mul div max min".split():
    case(f"elementwise_{op}", x(f(2, 3, 4), Y=f(4, seed=1)))
    case(f"elementwise_{op}.axis", x(f(2, 3, 4, 5), Y=f(3, 4, seed=1)), {"axis": 1})
case("elementwise_add.ones", x(f(2, 3, 4), Y=f(4, 1, seed=1)), {"axis": 2})
case("elementwise_add.swapped", x(f(3, seed=2), Y=f(2, 3, 4)), {"axis": 1})
case("elementwise_div.ints", x(ints(7, -7, 8), Y=ints(2, 2, -3)))
case("elementwise_pow", x(f(2, 3, low=0.1), Y=f(3, seed=1)))
case("elementwise_mod", x(ints(7, -7, 8, -8), Y=ints(3, 3, -3, -3)))
case("atan2.ends", {"X1": np.array([np.inf, np.inf, -np.inf, np.nan, 2, np.inf], "f4"),
                    "X2": np.array([np.inf, -np.inf, -np.inf, 0, -np.inf, 0], "f4")}, expect=np.arctan2)
case("elementwise_mod.exact", x(np.array([5, -5, 5, -1e7, 7.25, 3], "f4"), Y=np.array([0.1, 0.1, -0.1, 0.7, -2, np.inf], "f4")),
     expect=np.mod)
case("elementwise_mod.floats", x(f(2, 5), Y=f(5, low=0.5, seed=1)))
case("elementwise_floordiv", x(ints(7, -7, 8, -8), Y=ints(3, 3, -3, -3)))
case("elementwise_floordiv.floats", x(f(2, 5), Y=f(5, low=0.5, seed=1)))
for op in "equal not_equal less_than less_equal greater_than greater_equal".split():
    case(op, x(ints(1, 2, 3), Y=ints(2, 2, 2)))
    case(f"{op}.axis", x(f(2, 3, 4), Y=f(3, seed=1)), {"axis": 1})
BOOLS = np.array([True, True, False, False]), np.array([True, False, True, False])
for op in "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor".split():
    case(op, x(BOOLS[0], Y=BOOLS[1]))
for op in "bitwise_and bitwise_or bitwise_xor".split():
    case(f"{op}.ints", x(ints(12, 5, dtype="i4"), Y=ints(10, 3, dtype="i4")))
case("logical_not", x(BOOLS[0]))
case("bitwise_not", x(BOOLS[0]), expect=np.invert)
case("bitwise_not.ints", x(ints(1, 5, dtype="i4")), expect=np.invert)
case("where", {"Condition": f(3, 4) > 0, "X": f(3, 4, seed=1), "Y": f(3, 4, seed=2)})
case("sum", x([f(2, 3), f(2, 3, seed=1), f(2, 3, seed=2)]))

case("matmul_v2", x(f(2, 3, 4), Y=f(2, 4, 5)))
case("matmul_v2.turned", x(f(2, 4, 3), Y=f(2, 5, 4)), {"trans_x": True, "trans_y": True})
case("matmul", x(f(2, 4, 3), Y=f(2, 5, 4)), {"transpose_X": True, "transpose_Y": True})
case("matmul.alpha", x(f(3, 4), Y=f(4, 5)), {"alpha": 0.5})
case("bmm", x(f(2, 3, 4), Y=f(2, 4, 5)))
case("dot", x(f(3, 4), Y=f(3, 4, seed=1)))
case("mul", x(f(2, 3, 4), Y=f(12, 5)))
case("mul.columns", x(f(2, 3, 4), Y=f(2, 2, 5)), {"x_num_col_dims": 2, "y_num_col_dims": 2})

OUT = {"Output": 1}
for op in ("conv2d", "depthwise_conv2d"):
    case(op, {"Input": f(1, 4, 9, 8), "Filter": f(4, 1, 3, 3)},
         {"groups": 4, "strides": [2, 1], "paddings": [1, 0]}, OUT)
    case(f"{op}.edges", {"Input": f(1, 2, 9, 8), "Filter": f(4, 1, 3, 3)},
         {"groups": 2, "paddings": [0, 1, 2, 3], "dilations": [2, 1]}, OUT)
    case(f"{op}.same", {"Input": f(1, 2, 9, 8), "Filter": f(4, 1, 3, 3)},
         {"groups": 2, "padding_algorithm": "SAME", "strides": [2, 2]}, OUT)
    case(f"{op}.valid", {"Input": f(1, 2, 9, 8), "Filter": f(4, 1, 3, 3)},
         {"groups": 2, "padding_algorithm": "VALID", "paddings": [1, 1]}, OUT)
case("conv2d.last", {"Input": f(1, 7, 6, 3), "Filter": f(4, 3, 3, 3)},
     {"data_format": "NHWC"}, OUT)
case("conv3d", {"Input": f(1, 2, 5, 6, 7), "Filter": f(3, 2, 2, 3, 3)},
     {"strides": [1, 2, 1], "paddings": [0, 1, 2], "dilations": [1, 1, 1]}, OUT)
for op in ("conv2d_transpose", "depthwise_conv2d_transpose"):
    case(op, {"Input": f(1, 4, 5, 6), "Filter": f(4, 1, 3, 3)},
         {"groups": 4, "strides": [2, 2], "paddings": [1, 0]}, OUT)
    case(f"{op}.size", {"Input": f(1, 4, 5, 6), "Filter": f(4, 1, 3, 3)},
         {"groups": 4, "strides": [2, 2], "paddings": [1, 1], "output_size": [10, 11]}, OUT)
case("conv2d_transpose.more", {"Input": f(1, 4, 5, 6), "Filter": f(4, 2, 3, 3)},
     {"strides": [2, 2], "output_padding": [1, 0]}, OUT)
for kind in ("max", "avg"):
    for how, attrs in {
            "": {}, "ceil": {"ceil_mode": True}, "edges": {"paddings": [0, 1, 1, 0]},
            "padded": {"paddings": [1, 1]}, "same": {"padding_algorithm": "SAME"},
            "valid": {"padding_algorithm": "VALID", "paddings": [1, 1]},
            "global": {"global_pooling": True},
            "one": {"adaptive": True, "ksize": [1, 1]},
            "even": {"adaptive": True, "ksize": [3, 4]},
            "uneven": {"adaptive": True, "ksize": [4, 5]}}.items():
        case(f"pool2d.{kind}.{how}", x(f(1, 3, 9, 8)),
             {"ksize": [3, 3], "strides": [2, 2], "pooling_type": kind, **attrs})
case("pool2d.last", x(f(1, 9, 8, 3)), {"ksize": [3, 3], "strides": [2, 2],
                                       "pooling_type": "avg", "data_format": "NHWC"})
case("pool2d.counts", x(f(1, 3, 9, 8)), {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1],
                                         "pooling_type": "avg", "exclusive": False})
for how, attrs in {"up": {"paddings": [1, 1], "ceil_mode": True}, "first": {"paddings": [2, 0, 1, 0]}, "last": {"paddings": [0, 2, 0, 1]},
                   "last.up": {"paddings": [0, 1, 1, 1], "ceil_mode": True}}.items():
    case(f"pool2d.counts.{how}", x(f(1, 3, 10, 8)), {"ksize": [4, 3], "strides": [2, 2], "pooling_type": "avg", "exclusive": False, **attrs})
POOLED = {"Out": 1, "Mask": 1}
for how, attrs in {"": {}, ".global": {"global_pooling": True},
                   ".adaptive": {"adaptive": True, "ksize": [4, 5]}}.items():
    case(f"max_pool2d_with_index{how}", x(f(1, 3, 9, 8)),
         {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1], **attrs}, POOLED,
         drops=["Mask"])

Y = {"Y": 1}
NORM = {"Scale": f(3), "Bias": f(3, seed=1), "Mean": f(3, seed=2),
        "Variance": f(3, low=0.5, seed=3)}
case("batch_norm", x(f(2, 3, 4, 5), **NORM), {"is_test": True, "epsilon": 0.01}, Y)
case("batch_norm.last", x(f(2, 4, 5, 3), **NORM), {"is_test": True, "data_layout": "NHWC"}, Y)
case("batch_norm.flat", x(f(2, 3), **NORM), {"use_global_stats": True}, Y)
case("layer_norm", x(f(2, 3, 4), Scale=f(12), Bias=f(12, seed=1)), {"begin_norm_axis": 1}, Y)
case("layer_norm.last", x(f(2, 3, 4), Scale=f(4), Bias=f(4, seed=1)), {"begin_norm_axis": 2}, Y)
case("layer_norm.bare", x(f(2, 3, 4)), {"begin_norm_axis": 2}, Y)
case("group_norm", x(f(2, 6, 4, 5), Scale=f(6), Bias=f(6, seed=1)), {"groups": 3}, Y)
case("group_norm.bare", x(f(2, 6, 4, 5)), {"groups": 2}, Y)
case("instance_norm", x(f(2, 3, 4, 5), Scale=f(3), Bias=f(3, seed=1)), {}, Y)
case("instance_norm.bare", x(f(2, 3, 4, 5)), {}, Y)
case("norm", x(f(2, 3, 4)), {"axis": 1}, {"Out": 1, "Norm": 1})
case("p_norm", x(f(2, 3, 4)), {"axis": 1, "porder": 2.0, "keepdim": True})
case("lrn", x(f(2, 7, 4, 5)), {"n": 5, "alpha": 0.01})
case("softmax", x(f(2, 3, 4)), {"axis": 1})
case("log_softmax", x(f(2, 3, 4)))

case("reshape2", x(f(2, 3, 4)), {"shape": [0, -1]})
case("reshape2.tensor", x(f(2, 3, 4), Shape=ints(4, -1, dtype="i4")), {}, fixed=["Shape"])
case("reshape2.parts", x(f(2, 3, 4), ShapeTensor=[ints(4, dtype="i4"), ints(6, dtype="i4")]), {"shape": [-1, -1]})
case("reshape", x(f(2, 3, 4)), {"shape": [6, 4]})
case("transpose2", x(f(2, 3, 4)), {"axis": [2, 0, 1]})
case("transpose", x(f(2, 3, 4)), {"axis": [1, 0, 2]})
case("squeeze2", x(f(2, 1, 3, 1)), {"axes": [1, 2]})
case("squeeze2.all", x(f(2, 1, 3, 1)), {"axes": []})
case("squeeze", x(f(2, 1, 3, 1)), {"axes": [-1]})
case("unsqueeze2", x(f(2, 3)), {"axes": [0, -1, 2]})
case("unsqueeze2.tensor", x(f(2, 3), AxesTensor=ints(1, dtype="i4")), {}, fixed=["AxesTensor"])
case("unsqueeze", x(f(2, 3)), {"axes": [1]})
case("flatten_contiguous_range", x(f(2, 3, 4, 5)), {"start_axis": 1, "stop_axis": 2})
case("flatten_contiguous_range.rest", x(f(2, 3, 4, 5)), {"start_axis": 1, "stop_axis": -1})
case("flatten2", x(f(2, 3, 4)), {"axis": 2})
case("flatten", x(f(2, 3, 4)), {"axis": 1})
case("concat", x([f(2, 3), f(2, 4)]), {"axis": 1})
case("concat.tensor", x([f(2, 3), f(2, 4)], AxisTensor=ints(1, dtype="i4")), {}, fixed=["AxisTensor"])
case("split", x(f(2, 6)), {"axis": 1, "num": 3}, {"Out": 3})
case("split.sections", x(f(2, 6)), {"axis": 1, "sections": [1, -1, 2]}, {"Out": 3})
case("split.parts", x(f(2, 6), SectionsTensorList=[ints(n, dtype="i4") for n in (1, 3, 2)]), {"axis": 1, "sections": [-1, -1, -1]}, {"Out": 3})
case("stack", x([f(2, 3), f(2, 3, seed=1)]), {"axis": -1}, Y)
case("unstack", x(f(2, 3)), {"axis": 1, "num": 3}, {"Y": 3})
case("unbind", x(f(3, 2)), {"axis": 0}, {"Out": 3})
case("slice", {"Input": f(5, 6)}, {"axes": [0, 1], "starts": [1, -3], "ends": [4, 100]})
case("slice.decrease", {"Input": f(5, 6)}, {"axes": [0], "starts": [2], "ends": [3], "decrease_axis": [0]})
case("slice.parts", {"Input": f(5, 6), "StartsTensorList": [ints(1, dtype="i4"), ints(2, dtype="i4")],
                     "EndsTensorList": [ints(4, dtype="i4"), ints(6, dtype="i4")]},
     {"axes": [0, 1], "starts": [-1, -1], "ends": [-1, -1], "infer_flags": [-1, -1]})
case("slice.tensors", {"Input": f(5, 6), "StartsTensor": ints(1, dtype="i4"), "EndsTensor": ints(4, dtype="i4")},
     {"axes": [1], "starts": [-1], "ends": [-1], "infer_flags": [-1]})
case("strided_slice", {"Input": f(5, 6)}, {"axes": [0, 1], "starts": [4, 0], "ends": [0, 6], "strides": [-2, 2]})
case("expand", x(f(2, 3)), {"expand_times": [2, 1]})
case("expand_v2", x(f(2, 1, 3)), {"shape": [4, -1, 5, -1]})
case("expand_v2.tensor", x(f(1, 3), Shape=ints(4, 3, dtype="i4")))
case("expand_as_v2", x(f(1, 3), Y=f(4, 3)), {"target_shape": [4, 3]})
case("tile", x(f(2, 3)), {"repeat_times": [2, 1, 3]})
case("tile.fewer", x(f(2, 3)), {"repeat_times": [2]})
case("tile.tensor", x(f(2, 3), RepeatTimes=ints(2, 3, dtype="i4")), {"repeat_times": []})
case("flip", x(f(2, 3)), {"axis": [1]})
case("reverse", x(f(2, 3)), {"axis": [0, 1]})
case("roll", x(f(3, 5)), {"shifts": [4, -7], "axis": [0, 1]})
case("pad", x(f(2, 3)), {"paddings": [1, 0, 2, 1], "pad_value": 0.5})
for mode in ("constant", "reflect", "edge"):
    case(f"pad2d.{mode}", x(f(1, 2, 4, 5)), {"paddings": [1, 0, 2, 1], "mode": mode})
for mode in ("constant", "reflect", "replicate"):
    case(f"pad3d.{mode}", x(f(1, 2, 4, 5, 6)), {"paddings": [1, 0, 2, 1, 1, 2], "mode": mode})
case("pixel_shuffle", x(f(1, 8, 3, 4)), {"upscale_factor": 2})
case("shape", {"Input": f(2, 3)})
case("shape64", {"Input": f(2, 3)}, expect=lambda array: ints(*array.shape))
case("size", {"Input": f(2, 3)})
case("is_empty", x(f(2, 3)))
case("meshgrid", x([f(2), f(3)]), {}, {"Out": 2})

case("fill_constant", {}, {"shape": [2, 3], "dtype": 5, "value": 1.5})
case("fill_constant.text", {}, {"shape": [2], "dtype": 3, "value": 0.0, "str_value": "9007199254740993"})
case("fill_constant.parts", {"ShapeTensorList": [ints(2, dtype="i4"), ints(3, dtype="i4")]}, {"shape": [-1, -1], "dtype": 2, "value": 7.0})
case("fill_constant.tensor", {"ShapeTensor": ints(2, 3, dtype="i4")}, {"shape": [], "dtype": 5, "value": 7.0})
case("fill_constant_batch_size_like", {"Input": f(4, 3)}, {"shape": [-1, 2], "dtype": 5, "value": 2.0})
case("fill_any_like", x(f(4, 3)), {"value": 2.0, "dtype": -1})
case("fill_any_like.typed", x(f(4, 3)), {"value": 2.0, "dtype": 3})
case("assign_value", {}, {"shape": [2, 2], "dtype": 5, "fp32_values": [1.0, 2.5, 3.0, 4.0]})
case("assign_value.ints", {}, {"shape": [3], "dtype": 3, "int64_values": [1, 2, 3]})
case("range", {"Start": ints(1), "End": ints(9), "Step": ints(2)})

for op in "mean sum max min prod".split():
    case(f"reduce_{op}", x(f(2, 3, 4)), {"dim": [1]})
    case(f"reduce_{op}.keep", x(f(2, 3, 4)), {"dim": [-1, 0], "keep_dim": True})
    case(f"reduce_{op}.all", x(f(2, 3, 4)), {"reduce_all": True, "keep_dim": True})
case("reduce_sum.typed", x(ints(1, 2, dtype="i4")), {"dim": [0], "keep_dim": True, "out_dtype": 3})
for op in ("all", "any"):
    case(f"reduce_{op}", x(f(3, 4) > 0.5), {"dim": [1]})
for op in ("arg_max", "arg_min"):
    case(op, x(f(2, 3, 4)), {"axis": 1, "dtype": 3})
    case(f"{op}.small", x(f(2, 3, 4)), {"axis": -1, "dtype": 2, "keepdims": True})
    case(f"{op}.flat", x(f(2, 3)), {"axis": 0, "dtype": 3, "flatten": True})
TOP = {"Out": 1, "Indices": 1}
case("top_k_v2", x(f(2, 6)), {"k": 3, "axis": -1}, TOP)
case("top_k_v2.least", x(f(2, 6)), {"k": 3, "largest": False, "sorted": True}, TOP)
case("top_k", x(f(2, 6)), {"k": 2}, TOP)
case("argsort", x(f(2, 6)), {"axis": -1, "descending": True}, TOP)
case("cumsum", x(f(2, 6)), {"axis": 1})
case("cumsum.back", x(f(2, 6)), {"axis": 1, "exclusive": True, "reverse": True})
case("cumsum.flat", x(f(2, 6)), {"flatten": True})
case("gather", x(f(5, 3), Index=ints(4, 0, 2)))
case("gather.column", x(f(5, 3), Index=ints(4, 0, 2).reshape(3, 1)))
case("gather_nd", x(f(5, 3), Index=ints(4, 0, 2, 1).reshape(2, 2)))
case("index_select", x(f(5, 3), Index=ints(2, 0)), {"dim": 1})
case("index_sample", x(f(2, 4), Index=ints(3, 0, 1, 2).reshape(2, 2)))
case("take_along_axis", {"Input": f(2, 4), "Index": ints(3, 0, 1, 2).reshape(2, 2)}, {"Axis": 1}, {"Result": 1})
case("scatter", x(f(5, 3), Ids=ints(4, 0), Updates=f(2, 3)), {"overwrite": True})
case("scatter_nd_add", x(f(5, 3), Index=ints(4, 0).reshape(2, 1), Updates=f(2, 3)))
case("where_index", {"Condition": f(3, 4) > 0})
case("tril_triu", x(f(4, 5)), {"diagonal": 1, "lower": True})
case("tril_triu.upper", x(f(4, 5)), {"diagonal": -1, "lower": False})
case("one_hot_v2", x(ints(1, 0, 3)), {"depth": 4, "dtype": 5})
case("lookup_table_v2", {"Ids": ints(1, 0, 3, 2).reshape(2, 2), "W": f(5, 3)})
case("lookup_table_v2.zero", {"Ids": ints(1, 0, 3, 2), "W": f(5, 3)}, {"padding_idx": 3})
case("lookup_table", {"Ids": ints(1, 0, 3).reshape(3, 1), "W": f(5, 3)})

for method in ("nearest", "bilinear"):
    for corners in (True, False):
        for mode in (0, 1):
            way = {"align_corners": corners, "align_mode": mode,
                   "interp_method": method}
            tail = f"{corners}.{mode}"
            case(f"{method}_interp_v2.{tail}.scale", x(f(1, 2, 5, 6)), {"scale": [2.0, 1.5], **way})
            case(f"{method}_interp_v2.{tail}.size", x(f(1, 2, 5, 6)), {"out_h": 7, "out_w": 4, **way})
            case(f"{method}_interp.{tail}.scale", x(f(1, 2, 5, 6)), {"scale": 2.0, **way})
            case(f"{method}_interp.{tail}.size", x(f(1, 2, 5, 6)), {"out_h": 8, "out_w": 9, **way})
case("nearest_interp_v2.tensor", x(f(1, 2, 5, 6), OutSize=ints(7, 4, dtype="i4")), {"interp_method": "nearest"})
case("nearest_interp_v2.parts", x(f(1, 2, 5, 6), SizeTensor=[ints(7, dtype="i4"), ints(4, dtype="i4")]), {"interp_method": "nearest"})
case("linear_interp_v2", x(f(1, 2, 6)), {"out_w": 9, "interp_method": "linear", "align_mode": 0, "align_corners": False, "data_layout": "NCHW"})
case("trilinear_interp_v2", x(f(1, 2, 3, 4, 5)), {"out_d": 5, "out_h": 6, "out_w": 7, "interp_method": "trilinear"})
case("bicubic_interp_v2", x(f(1, 2, 5, 6)), {"out_h": 9, "out_w": 8, "interp_method": "bicubic", "align_corners": False})
for mode in ("bilinear", "nearest"):
    for edge in ("zeros", "border", "reflection"):
        case(f"grid_sampler.{mode}.{edge}", x(f(1, 2, 5, 6), Grid=f(1, 3, 4, 2, low=-1.3, high=1.3)),
             {"mode": mode, "padding_mode": edge, "align_corners": True}, OUT)
case("deformable_conv", {"Input": f(1, 2, 5, 6), "Offset": f(1, 18, 3, 4), "Filter": f(3, 2, 3, 3), "Mask": f(1, 9, 3, 4)}, {}, OUT)

case("sequence_conv", x(f(6, 3), Filter=f(9, 4)), {"contextLength": 3, "contextStart": -1, "contextStride": 1})
case("sequence_conv.ahead", x(f(6, 3), Filter=f(6, 4)), {"contextLength": 2, "contextStart": 1, "contextStride": 1})
for kind in "SUM AVERAGE MAX SQRT FIRST LAST".split():
    case(f"sequence_pool.{kind}", x(f(6, 3)), {"pooltype": kind})
case("sequence_softmax", x(f(6, 1)))

case("sequence_reverse", x(f(6, 3)), {}, Y)
case("sequence_expand", x(f(1, 3), Y=f(6, 2)), {"ref_level": -1}, expect=lambda rows, y: np.repeat(rows, 6, 0))
case("sequence_expand_as", x(f(1, 3), Y=f(6, 2)), {}, expect=lambda rows, y: np.repeat(rows, 6, 0))
PADDED = {"Out": 1, "Length": 1}
case("sequence_pad", x(f(6, 3), PadValue=f(1)), {"padded_length": 8}, PADDED)
case("sequence_unpad", x(f(3, 4, 2), Length=ints(2, 4, 1)))
case("sequence_reshape", x(f(6, 4)), {"new_dim": 2})
case("sequence_mask", x(ints(2, 0, 3)), {"maxlen": 5, "out_dtype": 5}, Y)
case("sequence_mask.most", x(ints(2, 0, 3)), {"maxlen": -1, "out_dtype": 3}, Y)
case("sequence_mask.tensor", x(ints(2, 0, 3), MaxLenTensor=ints(4, dtype="i4")), {"out_dtype": 2}, Y)
for how, attrs in {"": {}, ".padded": {"paddings": [1, 0, 2, 1], "strides": [2, 1]}}.items():
    case(f"im2sequence{how}", x(f(2, 3, 5, 6)), {"kernels": [2, 3], **attrs})

# Rows are several sequences; one of them may be empty.
RAGGED, HOLE = {"X": [0, 2, 5, 6]}, {"X": [0, 2, 2, 6]}
for kind in "SUM AVERAGE MAX SQRT FIRST LAST".split():
    case(f"sequence_pool.{kind}.ragged", x(f(6, 3)), {"pooltype": kind}, lods=RAGGED)
    case(f"sequence_pool.{kind}.hole", x(f(6, 3)), {"pooltype": kind, "pad_value": 0.5}, lods=HOLE)
case("sequence_conv.ragged", x(f(6, 3), Filter=f(9, 4)), {"contextLength": 3, "contextStart": -1, "contextStride": 1}, lods=RAGGED)
case("sequence_conv.ahead.ragged", x(f(6, 3), Filter=f(6, 4)), {"contextLength": 2, "contextStart": 1, "contextStride": 1}, lods=HOLE)
case("sequence_softmax.ragged", x(f(6, 1)), lods=RAGGED)
case("sequence_reverse.ragged", x(f(6, 3)), {}, Y, lods=HOLE)
case("sequence_expand.ragged", x(f(3, 3), Y=f(6, 2)), {"ref_level": -1}, lods={"Y": [0, 2, 5, 6]})
case("sequence_expand_as.ragged", x(f(3, 3), Y=f(6, 2)), {}, lods={"Y": [0, 2, 2, 6]})
case("sequence_pad.ragged", x(f(6, 3), PadValue=f(1)), {"padded_length": -1}, PADDED, lods=RAGGED)
case("sequence_pad.wide.ragged", x(f(6, 3), PadValue=f(3)), {"padded_length": 5}, PADDED, lods=HOLE)
case("fill_constant_batch_size_like.ragged", {"Input": f(6, 3)}, {"shape": [-1, 2], "dtype": 5, "value": 2.0}, lods={"Input": [0, 2, 5, 6]})
case("fill_constant_batch_size_like.columns", {"Input": f(6, 3)},
     {"shape": [-1, 2], "dtype": 5, "value": 2.0, "input_dim_idx": 1}, lods={"Input": [0, 2, 5, 6]})

PRIOR = {"min_sizes": [4.0, 8.0], "aspect_ratios": [2.0, 1.0], "variances": [0.1, 0.1, 0.2, 0.2],
         "flip": True, "clip": True, "offset": 0.5}
PRIORS = {"Boxes": 1, "Variances": 1}
case("prior_box", {"Input": f(1, 2, 3, 4), "Image": f(1, 3, 30, 40)}, PRIOR, PRIORS)
case("prior_box.steps", {"Input": f(1, 2, 3, 4), "Image": f(1, 3, 30, 40)},
     {**PRIOR, "max_sizes": [6.0, 9.0], "step_w": 8.0, "step_h": 9.0, "clip": False,
      "min_max_aspect_ratios_order": True}, PRIORS)


def boxes(count, seed=0):
    corners = f(1, count, 4, low=0, high=10, seed=seed)
    corners[..., 2:] = corners[..., :2] + np.abs(corners[..., 2:]) / 2 + 0.5
    return corners


NMS = {"background_label": 0, "score_threshold": 0.2, "nms_top_k": -1, "keep_top_k": -1,
       "nms_threshold": 0.3, "nms_eta": 1.0, "normalized": True}
SCORES = f(1, 3, 20, low=0, high=1)
FOUND = {"Out": 1, "Index": 1, "NmsRoisNum": 1}
for how, attrs in {"": {}, ".top": {"nms_top_k": 6, "keep_top_k": 5},
                   ".all": {"background_label": -1, "normalized": False}}.items():
    case(f"multiclass_nms3{how}", {"BBoxes": boxes(20), "Scores": SCORES}, {**NMS, **attrs}, FOUND)
case("multiclass_nms3.two", {"BBoxes": np.concatenate([boxes(20), boxes(20, 5)]),
                             "Scores": f(2, 3, 20, low=0, high=1, seed=7)}, {**NMS, "keep_top_k": 5}, FOUND)
case("multiclass_nms2", {"BBoxes": boxes(20), "Scores": SCORES}, NMS, {"Out": 1, "Index": 1})
case("multiclass_nms", {"BBoxes": boxes(20), "Scores": SCORES}, NMS)
case("multiclass_nms.nothing", {"BBoxes": boxes(20), "Scores": SCORES}, {**NMS, "score_threshold": 2.0})

for how, attrs in {"": {"axis": 0}, ".rows": {"axis": 1, "box_normalized": False},
                   ".plain": {"variance": [0.1, 0.1, 0.2, 0.2]}}.items():
    dims = (5, 3) if how == ".rows" else (3, 5)
    spread = {} if how == ".plain" else {"PriorBoxVar": f(5, 4, low=0.1, high=0.3)}
    case(f"box_coder.decode{how}", {"PriorBox": boxes(5)[0], **spread, "TargetBox": f(*dims, 4)},
         {"code_type": "decode_center_size", **attrs}, {"OutputBox": 1})
case("box_coder", {"PriorBox": boxes(5)[0], "PriorBoxVar": f(5, 4, low=0.1, high=0.3), "TargetBox": boxes(3, 2)[0]},
     {"code_type": "encode_center_size"}, {"OutputBox": 1})
YOLO = {"anchors": [10, 13, 16, 30], "class_num": 3, "conf_thresh": 0.4, "downsample_ratio": 8}
SIZES = np.array([[30, 44], [50, 20]], "i4")
for how, attrs, channels in (("", {}, 16), (".open", {"clip_bbox": False, "scale_x_y": 1.05}, 16),
                             (".iou", {"iou_aware": True, "iou_aware_factor": 0.4}, 18)):
    case(f"yolo_box{how}", x(f(2, channels, 3, 4), ImgSize=SIZES), {**YOLO, **attrs}, {"Boxes": 1, "Scores": 1})
case("anchor_generator", {"Input": f(1, 2, 3, 4)},
     {"anchor_sizes": [32.0, 64.0], "aspect_ratios": [0.5, 1.0, 2.0], "variances": [0.1, 0.1, 0.2, 0.2],
      "stride": [16.0, 16.0], "offset": 0.5}, {"Anchors": 1, "Variances": 1})
for aligned in (False, True):
    case(f"roi_align.{aligned}", x(f(2, 3, 10, 12), ROIs=boxes(5)[0], RoisNum=ints(2, 3, dtype="i4")),
         {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 0.9, "sampling_ratio": 2, "aligned": aligned})
for way in (0, 1):
    case(f"fake_quantize_dequantize_moving_average_abs_max.{way}", x(f(3, 4), InScale=f(1, low=1, high=2)),
         {"bit_length": 8, "is_test": True, "round_type": way})
    case(f"fake_channel_wise_quantize_dequantize_abs_max.{way}", x(f(3, 4, 5)),
         {"bit_length": 8, "quant_axis": 1, "round_type": way}, {"Out": 1, "OutScale": 1})
    for op in ("fake_quantize_dequantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max"):
        case(f"{op}.few.{way}", x(f(3, 4, 5)), {"bit_length": 4, "round_type": way,
                                                **({"quant_axis": 1} if "channel" in op else {})}, {"Out": 1, "OutScale": 1})
case("quantize_linear", x(f(3, 4), Scale=f(4, low=1, high=2), ZeroPoint=np.zeros(4, "f4")), {"quant_axis": 1, "bit_length": 8}, Y)
case("dequantize_linear", x(ints(5, -7, 100, dtype="i1"), Scale=f(1, low=1, high=2), ZeroPoint=np.zeros(1, "f4")),
     {"quant_axis": -1, "bit_length": 8}, Y)
case("mean", x(f(3, 4)))


def recurrent(mode, layers, both, lengths):
    gates, ways = {"LSTM": 4, "GRU": 3}.get(mode, 1), 2 if both else 1
    widths = [4] + [5 * ways] * (layers - 1)
    weights = [array for wide in widths for way in range(ways)
               for array in (f(gates * 5, wide, seed=way) / 4, f(gates * 5, 5, seed=way) / 4)]
    biases = [f(gates * 5, seed=i) / 4 for i in range(len(weights))]
    states = [f(layers * ways, 2, 5, seed=i) for i in range(2 if mode == "LSTM" else 1)]
    inputs = {"Input": f(3, 2, 4), "PreState": states, "WeightList": weights + biases}
    if lengths:
        inputs["SequenceLength"] = ints(3, 2, dtype="i4")
    return inputs, {"mode": mode, "hidden_size": 5, "input_size": 4, "num_layers": layers,
                    "is_bidirec": both, "is_test": True}, {"Out": 1, "State": len(states)}


for mode in ("LSTM", "GRU", "RNN_TANH", "RNN_RELU"):
    case(f"rnn.{mode}", *recurrent(mode, 1, False, False))
    case(f"rnn.{mode}.both", *recurrent(mode, 2, True, True))
for how, attrs, wide in (("", {}, 7), (".plain", {"use_peepholes": False}, 4),
                         (".back", {"is_reverse": True}, 7)):
    case(f"lstm{how}", {"Input": f(6, 12), "Weight": f(3, 12, seed=1), "Bias": f(1, 3 * wide),
                        **({"H0": f(1, 3), "C0": f(1, 3, seed=1)} if how else {})}, attrs,
         {"Hidden": 1, "Cell": 1}, drops=["Cell"])
for back in (False, True):
    case(f"lstm.ragged.{back}", {"Input": f(6, 12), "Weight": f(3, 12, seed=1), "Bias": f(1, 21), "H0": f(3, 3), "C0": f(3, 3, seed=1)},
         {"is_reverse": back}, {"Hidden": 1, "Cell": 1}, drops=["Cell"], lods={"Input": [0, 2, 5, 6]})
    case(f"gru.ragged.{back}", {"Input": f(6, 9), "Weight": f(3, 9, seed=1), "H0": f(3, 3), "Bias": f(1, 9)},
         {"is_reverse": back}, {"Hidden": 1}, lods={"Input": [0, 1, 5, 6]})
for how, attrs in {"": {}, ".origin": {"origin_mode": True}, ".back": {"is_reverse": True}}.items():
    case(f"gru{how}", {"Input": f(6, 9), "Weight": f(3, 9, seed=1),
                       **({"H0": f(1, 3), "Bias": f(1, 9)} if how else {})}, attrs, {"Hidden": 1})

# --- rarer ones ------------------------------------------------------------------

for op in "stanh soft_relu isnan".split():
    case(op, x(f(3, 5)))
for op in "memcpy memcpy_d2h memcpy_h2d fill_zeros_like2".split():
    case(op, x(f(3, 5)))
case("print", {"In": f(3, 5)}, expect=lambda a: a)
case("trunc", x(f(3, 5)), expect=np.trunc)
case("trunc.ints", x(ints(3, -5)), expect=lambda a: a)
case("logit", x(f(3, 5, low=0, high=1)), {"eps": 0.1}, expect=lambda a: np.log(np.clip(a, .1, .9) / (1 - np.clip(a, .1, .9))))
for op in ("maximum", "minimum"):
    case(op, x(f(2, 3), Y=f(3, seed=1)))
HOLES = np.array([[1, np.nan, 3], [np.nan, np.nan, -1]], "f4"), np.array([[2, 5, np.nan], [np.nan, 0, -2]], "f4")
case("elementwise_fmax", x(HOLES[0], Y=HOLES[1]), expect=np.fmax)
case("elementwise_fmin", x(HOLES[0], Y=HOLES[1]), expect=np.fmin)
case("elementwise_heaviside", x(np.array([-1, 0, 2], "f4"), Y=f(3)), expect=np.heaviside)
case("atan2", {"X1": np.array([1, -1, 1, -1, 0, 2, -2, 0], "f4"), "X2": np.array([1, 1, -1, -1, -1, 0, 0, 0], "f4")},
     expect=np.arctan2)
case("lerp", x(f(2, 3), Y=f(2, 3, seed=1), Weight=f(1)), expect=lambda a, b, w: a + w * (b - a))
case("isclose", {"Input": np.array([1, 2, 3, np.nan], "f4"), "Other": np.array([1.000001, 2.1, 3, np.nan], "f4")},
     {"rtol": "1e-5", "atol": "1e-8", "equal_nan": True}, expect=lambda a, b: np.isclose(a, b, 1e-5, 1e-8, True))
case("isclose.strict", {"Input": np.array([1, 2, np.nan], "f4"), "Other": np.array([1, 2.1, np.nan], "f4")}, expect=np.isclose)
case("equal_all", x(ints(1, 2), Y=ints(1, 3)), expect=lambda a, b: np.array((a == b).all()))
case("cos_sim", x(f(3, 4), Y=f(3, 4, seed=1)),
     expect=lambda a, b: ((a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1))[:, None].astype("f4"))
case("cross", x(f(2, 3), Y=f(2, 3, seed=1)), {"dim": 1}, expect=np.cross)
case("cross.any", x(f(2, 3), Y=f(2, 3, seed=1)), expect=np.cross)
case("addmm", {"Input": f(2, 4), "X": f(2, 3), "Y": f(3, 4)}, {"Alpha": 0.5, "Beta": 2.0})
case("mv", x(f(3, 4), Vec=f(4)), expect=lambda a, b: a @ b)
case("einsum", {"Operands": [f(2, 3, 4), f(2, 4, 5)]}, {"equation": "bij,bjk->bik"})
case("kron", x(f(2, 3), Y=f(3, 2)), expect=np.kron)
case("kron.ranks", x(f(3), Y=f(2, 2)), expect=np.kron)
case("expand_as", x(f(2, 3), target_tensor=f(4, 9)))
case("broadcast_tensors", x([f(1, 3), f(2, 1)]), {}, {"Out": 2}, expect=lambda a, b: np.broadcast_to(a, (2, 3)))
case("pixel_unshuffle", x(f(2, 3, 4, 6)), {"downscale_factor": 2})
case("shuffle_channel", x(f(2, 6, 3, 2)), {"group": 3})
case("channel_shuffle", x(f(2, 6, 3, 2)), {"groups": 2})
case("maxout", x(f(2, 6, 3, 2)), {"groups": 2}, expect=lambda a: a.reshape(2, 3, 2, 3, 2).max(2))


def shifted(a):
    a = np.pad(a.reshape(2, 3, 8, 2, 2), [(0, 0), (1, 1), (0, 0), (0, 0), (0, 0)])
    return np.concatenate([a[:, :3, :2], a[:, 2:, 2:4], a[:, 1:4, 4:]], 2).reshape(6, 8, 2, 2)


case("temporal_shift", x(f(6, 8, 2, 2)), {"seg_num": 3, "shift_ratio": 0.25}, expect=shifted)
case("crop_tensor", x(f(4, 5)), {"shape": [2, -1], "offsets": [1, 2]}, expect=lambda a: a[1:3, 2:])
case("crop_tensor.tensors", x(f(4, 5), Shape=ints(2, 3, dtype="i4"), Offsets=ints(1, 0, dtype="i4")), {},
     expect=lambda a, s, o: a[1:3, :3])
case("crop_tensor.parts", x(f(4, 5), ShapeTensor=[ints(2, dtype="i4"), ints(3, dtype="i4")],
                            OffsetsTensor=[ints(1, dtype="i4"), ints(0, dtype="i4")]), {}, expect=lambda a, *s: a[1:3, :3])
case("pad_constant_like", x(f(4, 5), Y=f(2, 3)), {"pad_value": 0.5}, expect=lambda a, b: np.pad(b, [(0, 2), (0, 2)], constant_values=.5))
case("eye", {}, {"num_rows": 3, "num_columns": 4, "dtype": 5})
case("eye.square", {}, {"num_rows": 3, "dtype": 3})
case("fill", {}, {"shape": [2, 2], "value": [1.0, 2.0, 3.0, 4.5], "dtype": 5}, expect=lambda: np.array([[1, 2], [3, 4.5]], "f4"))
case("linspace", {"Start": f(1), "Stop": f(1, seed=3), "Num": ints(5, dtype="i4")}, {"dtype": 5})
case("linspace.one", {"Start": f(1), "Stop": f(1, seed=3), "Num": ints(1, dtype="i4")}, {"dtype": 5})
for op in ("reduce_amax", "reduce_amin"):
    case(op, x(f(2, 3, 4)), {"dim": [1]}, expect=lambda a, op=op: (a.max if "max" in op else a.min)(1))
case("logsumexp", x(f(2, 3, 4)), {"axis": [1], "keepdim": True})
case("logsumexp.all", x(f(2, 3, 4)), {"axis": [0], "reduce_all": True})
case("frobenius_norm", x(f(2, 3, 4)), {"dim": [1, 2]})
case("l1_norm", x(f(2, 3)), expect=lambda a: np.abs(a).sum())
case("squared_l2_norm", x(f(2, 3)), expect=lambda a: (a * a).sum().reshape(1))
for p in (0.0, 1.0, 3.0, float("inf"), float("-inf")):
    case(f"p_norm.{p}", x(f(2, 3, 4)), {"axis": 1, "porder": p})
case("p_norm.all", x(f(2, 3, 4)), {"asvector": True})
case("cumprod", x(f(2, 5)), {"dim": 1}, expect=lambda a: np.cumprod(a, 1))
case("cumprod.first", x(f(3, 2)), {"dim": 0}, expect=lambda a: np.cumprod(a, 0))
case("logcumsumexp", x(f(2, 5)), {"axis": -1}, expect=lambda a: np.log(np.cumsum(np.exp(a), 1)))
case("logcumsumexp.flat", x(f(2, 5)), {"flatten": True}, expect=lambda a: np.log(np.cumsum(np.exp(a))))
case("label_smooth", x(f(2, 4)), {"epsilon": 0.1}, expect=lambda a: (a * .9 + .1 / 4).astype("f4"))
case("label_smooth.prior", x(f(2, 4), PriorDist=f(1, 4)), {"epsilon": 0.1}, expect=lambda a, p: (a * .9 + .1 * p).astype("f4"))
case("one_hot", x(ints(1, 0, 3).reshape(3, 1)), {"depth": 4, "dtype": 5})
case("kthvalue", x(f(2, 6)), {"k": 2}, {"Out": 1, "Indices": 1}, drops=["Indices"], expect=lambda a: np.sort(a)[:, 1])
case("kthvalue.keep", x(f(2, 6)), {"k": 3, "axis": 0 + 1, "keepdim": True}, {"Out": 1, "Indices": 1}, drops=["Indices"],
     expect=lambda a: np.sort(a)[:, 2:3])
case("searchsorted", {"SortedSequence": np.sort(f(7)), "Values": f(2, 3)}, {}, expect=np.searchsorted)
case("searchsorted.right", {"SortedSequence": ints(1, 3, 3, 5), "Values": ints(3, 0, 9)}, {"right": True, "out_int32": True},
     expect=lambda s, v: np.searchsorted(s, v, "right").astype("i4"))
case("masked_select", x(f(3, 4), Mask=f(3, 4, seed=2) > 0), {}, Y)
case("diag_v2", x(f(4)), {"offset": 1, "padding_value": 0.5},
     expect=lambda a: np.where(np.eye(5, k=1) > 0, np.diag(a, 1), np.float32(.5)))
case("diag_v2.below", x(f(4)), {"offset": -2}, expect=lambda a: np.diag(a, -2))
case("diag_v2.matrix", x(f(4, 5)), {"offset": 2}, expect=lambda a: np.diag(a, 2))
case("diagonal", {"Input": f(2, 3, 4)}, {"offset": -1, "axis1": 1, "axis2": 2}, expect=lambda a: np.diagonal(a, -1, 1, 2))
case("trace", {"Input": f(3, 4, 2)}, {"offset": 1}, expect=lambda a: np.trace(a, 1))
case("scatter.sum", x(f(5, 3), Ids=ints(4, 0, 4), Updates=f(3, 3)), {"overwrite": False})


def put(a, at, new, how):
    a = a.copy()
    for i in range(at.shape[0]):
        for j in range(at.shape[1]):
            a[i, at[i, j]] = how(a[i, at[i, j]], np.broadcast_to(new, at.shape)[i, j])
    return a


for kind, how in {"assign": lambda o, n: n, "add": lambda o, n: o + n, "mul": lambda o, n: o * n, "amax": max}.items():
    case(f"put_along_axis.{kind}", {"Input": f(2, 4), "Index": ints(3, 0, 1, 2).reshape(2, 2), "Value": f(2, 2)},
         {"Axis": 1, "Reduce": kind}, {"Result": 1}, expect=lambda a, at, n, how=how: put(a, at, n, how))
case("index_add", x(f(3, 4), Index=ints(1, 1, 3), AddValue=f(3, 3)), {"axis": 1},
     expect=lambda a, at, n: a + np.stack([0 * n[:, 0], n[:, 0] + n[:, 1], 0 * n[:, 0], n[:, 2]], 1))
for add in (False, True):
    case("index_put.add" if add else "index_put", {"x": f(3, 4), "value": f(2), "indices": [ints(0, 2), ints(1, 3)]}, {"accumulate": add}, {"out": 1},
         expect=lambda a, v, i, j, add=add: np.array([[v[list(zip(i, j)).index((r, c))] + add * a[r, c] if (r, c) in zip(i, j) else a[r, c]
                                                      for c in range(4)] for r in range(3)], "f4"))
case("set_value", {"Input": f(4, 5)}, {"axes": [0, 1], "starts": [1, 0], "ends": [4, 5], "steps": [2, 1], "dtype": 5,
                                        "shape": [1], "fp32_values": [7.0]})
case("set_value.tensor", {"Input": f(4, 5), "ValueTensor": f(5)}, {"axes": [0], "starts": [1], "ends": [2], "steps": [1],
                                                                "decrease_axes": [0], "dtype": 5})
case("set_value.parts", {"Input": f(4, 5), "ValueTensor": f(1), "StartsTensorList": [ints(1, dtype="i4")],
                         "EndsTensorList": [ints(3, dtype="i4")], "StepsTensorList": [ints(1, dtype="i4")]}, {"axes": [1], "dtype": 5})
UNIQUE = {"Out": 1, "Indices": 1, "Index": 1, "Counts": 1}
case("unique", x(ints(3, 1, 3, 2)), {"is_sorted": True, "dtype": 3, "return_index": True}, UNIQUE, drops=["Indices", "Index", "Counts"],
     expect=np.unique)
case("unique.rows", x(ints(3, 1, 3, 1, 2, 2).reshape(3, 2)), {"is_sorted": True, "dtype": 2, "axis": [0]}, UNIQUE,
     drops=["Indices", "Index", "Counts"], expect=lambda a: np.unique(a, axis=0))
for how, attrs in {"": {}, ".spread": {"strides": [2, 1], "paddings": [1, 0, 2, 1], "dilations": [1, 2]}}.items():
    case(f"unfold{how}", x(f(2, 3, 6, 7)), {"kernel_sizes": [2, 3], **attrs}, Y)
for corners in (False, True):
    case(f"affine_grid.{corners}", {"Theta": f(2, 2, 3)}, {"align_corners": corners, "output_shape": [2, 3, 4, 5]}, OUT)
case("affine_grid.tensor", {"Theta": f(2, 2, 3), "OutputShape": ints(2, 3, 4, 5, dtype="i4")}, {}, OUT)
case("affine_channel", x(f(2, 3, 4, 5), Scale=f(3), Bias=f(3, seed=1)))
case("affine_channel.last", x(f(2, 4, 5, 3), Scale=f(3), Bias=f(3, seed=1)), {"data_layout": "NHWC"})
case("lstm_unit", x(f(2, 12), C_prev=f(2, 3)), {"forget_bias": 0.5}, {"C": 1, "H": 1})
for how, attrs in {"": {}, ".origin": {"origin_mode": True, "activation": 3}}.items():
    case(f"gru_unit{how}", {"Input": f(2, 9), "HiddenPrev": f(2, 3), "Weight": f(3, 9, seed=1), "Bias": f(1, 9)}, attrs,
         {"Gate": 1, "ResetHiddenPrev": 1, "Hidden": 1})
for whole in (True, False):
    case(f"iou_similarity.{whole}", x(boxes(4)[0], Y=boxes(5, 3)[0]), {"box_normalized": whole})

# Of what is drawn at random, only shapes are right.
for op, attrs in {"gaussian_random": {"mean": 1.0}, "uniform_random": {"min": 0.0}, "randint": {"low": 2, "high": 5, "dtype": 3},
                  "truncated_gaussian_random": {"std": 2.0}}.items():
    case(op, {}, {"shape": [2, 3], **attrs}, only_shapes=True, expect=lambda op=op: np.zeros((2, 3), "i8" if op == "randint" else "f4"))
case("bernoulli", x(f(2, 3, low=0, high=1)), only_shapes=True, expect=lambda a: a)

# --- windows, norms, steps: rarer forms --------------------------------------------

IMAGE = {"Input": f(1, 2, 6, 7), "Filter": f(4, 2, 3, 3), "Bias": f(4), "ResidualData": f(1, 4, 4, 5)}
for kind in ("relu", "sigmoid", "tanh", "relu6", "hard_swish", "swish", "gelu"):
    case(f"conv2d.{kind}", IMAGE, {"fuse_activation": kind}, OUT)
case("conv2d.fused", IMAGE, {"fuse_relu": True}, OUT)
case("fused_conv2d", IMAGE, {"fuse_activation": "relu"}, OUT)
case("conv2d_fusion", IMAGE, {"activation": "relu"}, OUT)
case("conv2d_fusion.identity", IMAGE, {"activation": "identity"}, OUT)
case("fused_conv2d_add_act", IMAGE, {"activation": "relu", "strides": [1, 1]}, OUT,
     expect=lambda image, w, b, r: np.maximum(r + b[:, None, None] + np.array(
         [[[(image[0, :, i:i + 3, j:j + 3] * w[c]).sum() for j in range(5)] for i in range(4)] for c in range(4)], "f4"), 0).astype("f4"))
case("conv3d.last", {"Input": f(1, 5, 6, 7, 2), "Filter": f(3, 2, 2, 3, 3)}, {"data_format": "NDHWC", "strides": [1, 1, 1],
                                                                           "paddings": [0, 0, 0], "dilations": [1, 1, 1]}, OUT)
for op in ("conv2d_transpose", "depthwise_conv2d_transpose"):
    case(f"{op}.same", {"Input": f(1, 4, 5, 6), "Filter": f(4, 1, 3, 3)}, {"groups": 4, "strides": [2, 2], "padding_algorithm": "SAME"}, OUT)
    case(f"{op}.last", {"Input": f(1, 5, 6, 4), "Filter": f(4, 1, 3, 3)}, {"groups": 4, "strides": [2, 1], "data_format": "NHWC"}, OUT)
    case(f"{op}.valid", {"Input": f(1, 4, 5, 6), "Filter": f(4, 1, 3, 3)}, {"groups": 4, "padding_algorithm": "VALID", "paddings": [1, 1]}, OUT)
case("conv3d_transpose", {"Input": f(1, 2, 3, 4, 5), "Filter": f(2, 3, 2, 3, 3)},
     {"strides": [1, 2, 1], "paddings": [0, 1, 0], "dilations": [1, 1, 1]}, OUT)
case("deformable_conv_v1", {"Input": f(1, 2, 5, 6), "Offset": f(1, 18, 3, 4), "Filter": f(3, 2, 3, 3)}, {}, OUT)
for kind in ("max", "avg"):
    for how, attrs in {"": {}, "ceil": {"ceil_mode": True}, "padded": {"paddings": [1, 1, 0]}, "global": {"global_pooling": True},
                       "one": {"adaptive": True, "ksize": [1, 1, 1]}, "even": {"adaptive": True, "ksize": [3, 2, 3]},
                       "uneven": {"adaptive": True, "ksize": [2, 3, 4]}}.items():
        case(f"pool3d.{kind}.{how}", x(f(1, 2, 6, 4, 6)), {"ksize": [3, 2, 3], "strides": [2, 2, 2], "paddings": [0, 0, 0], "pooling_type": kind, **attrs})
case("pool2d.max.many", x(f(1, 2, 90, 5)), {"ksize": [70, 2], "adaptive": True, "pooling_type": "avg"})
case("max_pool2d_with_index.mask", x(f(2, 3, 9, 8)), {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}, POOLED)
for how, attrs in {"": {}, ".global": {"global_pooling": True}, ".adaptive": {"adaptive": True, "ksize": [2, 3, 4]}}.items():
    case(f"max_pool3d_with_index{how}", x(f(1, 2, 6, 4, 6)), {"ksize": [3, 2, 3], "strides": [3, 2, 3], "paddings": [0, 0, 0], **attrs}, POOLED,
         drops=["Mask"], expect=lambda a, how=how: (
             a.max((2, 3, 4), keepdims=True) if how == ".global" else
             a.reshape(1, 2, 2, 3, 2, 2, 2, 3).max((3, 5, 7)) if not how else
             np.array([[[[[a[0, c, 3 * i:3 * i + 3, 4 * j // 3:-(-4 * (j + 1) // 3), 6 * k // 4:-(-6 * (k + 1) // 4)].max()
                           for k in range(4)] for j in range(3)] for i in range(2)] for c in range(2)]], "f4")))
case("sync_batch_norm", x(f(2, 3, 4, 5), **NORM), {"is_test": True, "epsilon": 0.01}, Y)
case("group_norm.last", x(f(2, 4, 5, 6), Scale=f(6), Bias=f(6, seed=1)), {"groups": 3, "data_layout": "NHWC"}, Y)
case("lrn.last", x(f(2, 4, 5, 7)), {"n": 5, "alpha": 0.01, "data_format": "NHWC"}, expect=lambda a: (
    a / (2 + 0.01 * np.stack([(a[..., max(0, i - 2):i + 3] ** 2).sum(-1) for i in range(7)], -1)) ** 0.75).astype("f4"))
case("prelu.last", x(f(2, 4, 4, 3), Alpha=f(3)), {"mode": "channel", "data_format": "NHWC"})
case("pad3d.circular", x(f(1, 2, 4, 5, 6)), {"paddings": [1, 0, 2, 1, 1, 2], "mode": "circular"})
case("pad3d.tensor", x(f(1, 2, 4, 5, 6), Paddings=ints(1, 0, 2, 1, 1, 2, dtype="i4")), {"mode": "constant", "value": 0.5})
case("pad3d.last", x(f(1, 4, 5, 6, 2)), {"paddings": [1, 0, 2, 1, 1, 2], "mode": "reflect", "data_format": "NDHWC"})
case("pad2d.tensor", x(f(1, 2, 4, 5), Paddings=ints(1, 0, 2, 1, dtype="i4")), {"mode": "constant"})
case("pad2d.last", x(f(1, 4, 5, 2)), {"paddings": [1, 0, 2, 1], "mode": "edge", "data_format": "NHWC"})
for op in ("linear_interp", "trilinear_interp", "bicubic_interp", "bilinear_interp", "nearest_interp"):
    rank = {"linear": 1, "trilinear": 3}.get(op.split("_")[0], 2)
    for corners in (True, False):
        case(f"{op}.{corners}.part", x(f(1, 2, *(5, 6, 7)[:rank])), {"scale": 1.5, "interp_method": op.split("_")[0], "align_corners": corners, "align_mode": 0})
        case(f"{op}.{corners}.by", x(f(1, 2, *(5, 6, 7)[:rank]), Scale=np.array([1.7], "f4")),
             {"interp_method": op.split("_")[0], "align_corners": corners, "align_mode": 0})
for way in (0, 1):
    for op in ("fake_quantize_abs_max", "fake_quantize_dequantize_abs_max"):
        case(f"{op}.{way}", x(f(3, 4)), {"bit_length": 8, "round_type": way}, {"Out": 1, "OutScale": 1})
    case(f"fake_channel_wise_quantize_abs_max.{way}", x(f(3, 4, 5)), {"bit_length": 8, "quant_axis": 1, "round_type": way}, {"Out": 1, "OutScale": 1})
    for op in ("fake_quantize_range_abs_max", "fake_quantize_moving_average_abs_max"):
        case(f"{op}.{way}", x(f(3, 4), InScale=f(1, low=1, high=2)), {"bit_length": 8, "is_test": True, "round_type": way}, {"Out": 1, "OutScale": 1})
case("fake_dequantize_max_abs", x(np.array([5, -7, 100], "f4"), Scale=f(1, low=1, high=2)), {"max_range": 127.0})
case("fake_channel_wise_dequantize_max_abs", x(f(3, 4), Scales=[f(3, low=1, high=2)]), {"quant_bits": [8], "quant_axis": 0})
case("fake_channel_wise_dequantize_max_abs.two", x(f(3, 4), Scales=[f(4, low=1, high=2), f(1, low=1, high=2)]), {"quant_bits": [8, 8], "quant_axis": 1})
case("moving_average_abs_max_scale", x(f(3, 4)), {"is_test": True}, {"Out": 1, "OutScale": 1}, drops=["OutScale"], expect=lambda a: a)

# --- made of several -----------------------------------------------------------------

for kind in ("", "relu"):
    case(f"fc.{kind}", {"Input": f(2, 3, 4), "W": f(4, 5), "Bias": f(5)}, {"in_num_col_dims": 2, "activation_type": kind})
case("fc.flat", {"Input": f(2, 3, 4), "W": f(12, 5)}, {"in_num_col_dims": 1})
case("fc.padded", {"Input": f(2, 4), "W": f(8, 9), "Bias": f(5)}, {"in_num_col_dims": 1, "padding_weights": True})
case("fused_gemm_epilogue", x(f(2, 3), Y=f(5, 3), Bias=f(5)), {"trans_y": True, "activation": "relu"},
     expect=lambda a, b, c: np.maximum(a @ b.T + c, 0))


def layer_norm(a, s, b):
    mean, var = a.mean(-1, keepdims=True), a.var(-1, keepdims=True)
    return ((a - mean) / np.sqrt(var + 1e-5) * s + b).astype("f4")


case("skip_layernorm", x(f(2, 3, 4), Y=f(2, 3, 4, seed=1), Scale=f(4), Bias=f(4, seed=1)), {"begin_norm_axis": 2},
     expect=lambda a, b, s, c: layer_norm(a + b, s, c))
case("fused_fc_elementwise_layernorm", x(f(2, 3), W=f(3, 4), Y=f(2, 4), Bias0=f(4), Scale=f(4, seed=2), Bias1=f(4, seed=1)),
     {"activation_type": "relu"}, expect=lambda a, w, y, b, s, c: layer_norm(np.maximum(a @ w + b, 0) + y, s, c))
case("fused_embedding_eltwise_layernorm",
     {"Ids": [ints(1, 0, 2, 1).reshape(2, 2), ints(0, 1, 0, 1).reshape(2, 2, 1)], "Embs": [f(3, 4), f(2, 4)], "Scale": f(4), "Bias": f(4, seed=1)}, {},
     expect=lambda i, j, e, g, s, b: layer_norm(e[i] + g[j[..., 0]], s, b))


def attention(a, w, b, mask=0):
    q, k, v = np.moveaxis((a @ w.reshape(4, -1) + b.ravel()).reshape(2, 3, 3, 2, 2), 2, 0).transpose(0, 1, 3, 2, 4)
    seen = np.exp(0.5 * q @ k.swapaxes(2, 3) + mask)
    return (seen / seen.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(2, 3, 4).astype("f4")


HEADS = {"Input": f(2, 3, 4), "W": f(4, 3, 2, 2), "Bias": f(3, 2, 2)}
case("multihead_matmul", HEADS, {"alpha": 0.5, "head_number": 2}, fixed=["W"], expect=attention)
case("multihead_matmul.mask", {**HEADS, "BiasQK": f(2, 2, 3, 3)}, {"alpha": 0.5, "head_number": 2}, fixed=["W"], expect=attention)
for op in ("fused_elemwise_activation", "fused_elemwise_add_activation"):
    case(op, x(f(2, 3), Y=f(2, 3, seed=1)), {"functor_list": ["relu", "elementwise_add"]}, expect=lambda a, b: np.maximum(a + b, 0))
    case(f"{op}.inner", x(f(2, 3), Y=f(3, seed=1)), {"functor_list": ["elementwise_mul", "scale"], "scale": 0.5}, expect=lambda a, b: a * (b / 2))
case("fusion_repeated_fc_relu", x(f(2, 3), W=[f(3, 4), f(4, 2)], Bias=[f(1, 4), f(1, 2)]), {},
     expect=lambda a, w, v, b, c: np.maximum(np.maximum(a @ w + b, 0) @ v + c, 0))
case("fusion_squared_mat_sub", x(f(2, 3), Y=f(3, 4)), {"scalar": 0.5}, expect=lambda a, b: ((a @ b) ** 2 - a ** 2 @ b ** 2) / 2)
case("fused_softmax_mask", x(f(2, 2, 3, 3), Mask=f(2, 1, 3, 3)), {},
     expect=lambda a, m: np.exp(a + m) / np.exp(a + m).sum(-1, keepdims=True))
case("fused_softmax_mask_upper_triangle", x(f(2, 2, 3, 3)), {},
     expect=lambda a: np.exp(a) * np.tri(3, dtype="f4") / (np.exp(a) * np.tri(3)).sum(-1, keepdims=True).astype("f4"))


def steps(kind):
    """What the judge makes of lstm or gru when the product is done before."""
    def expect(a, v, w, *rest):
        sigmoid = lambda z: 1 / (1 + np.exp(-z))
        d, rows = w.shape[0], a @ v
        bias = rest[0].ravel()
        h, c, out = np.zeros(d), np.zeros(d), []
        for row in rows:
            if kind == "gru":
                flat = w.ravel()
                both, state = flat[:2 * d * d].reshape(d, 2 * d), flat[2 * d * d:].reshape(d, d)
                g = row + bias
                ur = sigmoid(g[:2 * d] + h @ both)
                new = np.tanh(g[2 * d:] + (ur[d:] * h) @ state)
                h = (1 - ur[:d]) * h + ur[:d] * new
            else:
                u, i, o, e = (lambda g: (g[:d], g[d:2 * d], g[2 * d:3 * d], g[3 * d:]))(row + bias[:4 * d] + h @ w)
                c = np.tanh(u) * sigmoid(i) + c * sigmoid(o)
                h = sigmoid(e) * np.tanh(c)
            out.append(h)
        return np.array(out, "f4")
    return expect


case("fusion_gru", x(f(5, 4), WeightX=f(4, 9), WeightH=f(3, 9, seed=1), Bias=f(1, 9)), {}, {"Hidden": 1}, expect=steps("gru"))
case("fusion_lstm", x(f(5, 4), WeightX=f(4, 12), WeightH=f(3, 12, seed=1), Bias=f(1, 12)), {"use_peepholes": False}, {"Hidden": 1},
     expect=steps("lstm"))

# --- boxes: rarer ones ---------------------------------------------------------------

INFO = np.array([[8, 9, 1], [5, 7.6, 2]], "f4")
case("box_clip", {"Input": boxes(6)[0] * 2 - 3, "ImInfo": INFO[:1]}, {}, OUT)
case("box_clip.ragged", {"Input": boxes(6)[0] * 2 - 3, "ImInfo": INFO}, {}, OUT, lods={"Input": [0, 2, 6]})


def density(feature, image):
    out = np.zeros((3, 4, 5, 4), "f4")
    for h in range(3):
        for w in range(4):
            cx, cy, k = (w + .5) * 10, (h + .5) * 10, 0
            for size, n in ((4., 2), (8., 1)):
                shift = 10 // n
                for i in range(n):
                    for j in range(n):
                        x0, y0 = cx - 5 + shift / 2 + j * shift, cy - 5 + shift / 2 + i * shift
                        out[h, w, k] = np.clip([(x0 - size / 2) / 40, (y0 - size / 2) / 30, (x0 + size / 2) / 40, (y0 + size / 2) / 30], 0, 1)
                        k += 1
    return out


for flat in (False, True):
    case(f"density_prior_box.{flat}", {"Input": f(1, 2, 3, 4), "Image": f(1, 3, 30, 40)},
         {"fixed_sizes": [4.0, 8.0], "fixed_ratios": [1.0], "densities": [2, 1], "flatten_to_2d": flat}, PRIORS,
         expect=lambda a, b, flat=flat: density(a, b).reshape(-1, 4) if flat else density(a, b))
MATRIX = {"background_label": 0, "score_threshold": 0.2, "post_threshold": 0.1, "nms_top_k": -1, "keep_top_k": -1, "normalized": True}
for how, attrs in {"": {}, ".gaussian": {"use_gaussian": True, "gaussian_sigma": 2.0}, ".top": {"nms_top_k": 6, "keep_top_k": 5},
                   ".all": {"background_label": -1, "normalized": False}}.items():
    case(f"matrix_nms{how}", {"BBoxes": np.concatenate([boxes(20), boxes(20, 5)]), "Scores": f(2, 3, 20, low=0, high=1, seed=7)},
         {**MATRIX, **attrs}, {"Out": 1, "Index": 1, "RoisNum": 1})
RPN = {"Scores": f(2, 3, 4, 5, low=0, high=1), "BboxDeltas": f(2, 12, 4, 5, low=-0.5, high=0.5),
       "Anchors": (boxes(60)[0] * 4).reshape(4, 5, 3, 4), "Variances": np.full((4, 5, 3, 4), 0.5, "f4")}
PROPOSED = {"RpnRois": 1, "RpnRoiProbs": 1, "RpnRoisNum": 1}
for how, attrs in {"": {}, ".few": {"pre_nms_topN": 20, "post_nms_topN": 4}, ".none": {"min_size": 1000.0}}.items():
    common = {"pre_nms_topN": 40, "post_nms_topN": 30, "nms_thresh": 0.5, "min_size": 3.0, "eta": 1.0, **attrs}
    case(f"generate_proposals{how}", {**RPN, "ImInfo": np.array([[40, 44, 1], [30, 36, 1.5]], "f4")}, common, PROPOSED)
    for pixel in (False, True):
        case(f"generate_proposals_v2{how}.{pixel}", {**RPN, "ImShape": np.array([[40, 44], [30, 36]], "f4")},
             {**common, "pixel_offset": pixel}, PROPOSED)
FPN = {"min_level": 2, "max_level": 5, "refer_level": 4, "refer_scale": 224}
WIDE = np.concatenate([boxes(6)[0], boxes(6, 1)[0] * 30, boxes(6, 2)[0] * 90])[[0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 4, 10, 16, 5, 11, 17]]
LEVELS = {"MultiFpnRois": 4, "RestoreIndex": 1, "MultiLevelRoIsNum": 4}
case("distribute_fpn_proposals", {"FpnRois": WIDE, "RoisNum": ints(7, 11, dtype="i4")}, FPN, LEVELS)
case("distribute_fpn_proposals.ragged", {"FpnRois": WIDE}, FPN, LEVELS, lods={"FpnRois": [0, 7, 18]})
case("distribute_fpn_proposals.one", {"FpnRois": WIDE}, {**FPN, "pixel_offset": False}, LEVELS)
COLLECT = {"MultiLevelRois": [boxes(5)[0], boxes(4, 1)[0]], "MultiLevelScores": [f(5, 1, low=0, high=1), f(4, 1, low=0, high=1, seed=3)]}
COLLECTED = {"FpnRois": 1, "RoisNum": 1}
case("collect_fpn_proposals", {**COLLECT, "MultiLevelRoIsNum": [ints(2, 3, dtype="i4"), ints(3, 1, dtype="i4")]}, {"post_nms_topN": 6}, COLLECTED)
case("collect_fpn_proposals.one", COLLECT, {"post_nms_topN": 20}, COLLECTED)
case("roi_align.ragged", x(f(2, 3, 10, 12), ROIs=boxes(5)[0]), {"pooled_height": 2, "pooled_width": 3, "sampling_ratio": 2}, lods={"ROIs": [0, 2, 5]})
case("roi_align.one", x(f(1, 3, 10, 12), ROIs=boxes(5)[0]), {"pooled_height": 2, "pooled_width": 3, "sampling_ratio": 2})

# --- and a few more --------------------------------------------------------------------

for op in "mean max min prod".split():
    case(f"reduce_{op}.typed", x(f(2, 3)), {"dim": [1], "in_dtype": 5, "out_dtype": 5})
case("roll.flat", x(f(3, 5)), {"shifts": [4], "axis": []})
case("roll.tensor", x(f(3, 5), ShiftsTensor=ints(-2)), {"axis": [1]}, expect=lambda a, s: np.roll(a, -2, 1))
case("unsqueeze2.parts", x(f(2, 3), AxesTensorList=[ints(0, dtype="i4"), ints(2, dtype="i4")]), {}, fixed=["AxesTensorList"])
case("repeat_interleave", x(f(2, 3)), {"Repeats": 2, "dim": 1}, expect=lambda a: np.repeat(a, 2, 1))
case("rrelu", x(f(2, 3)), {"lower": 0.1, "upper": 0.3, "is_test": True}, expect=lambda a: np.where(a < 0, a * np.float32(.2), a))
case("clip_by_norm", x(f(3, 4)), {"max_norm": 1.0}, expect=lambda a: a / max(1, np.linalg.norm(a)))
case("clip_by_norm.small", x(f(3, 4)), {"max_norm": 100.0}, expect=lambda a: a)
case("data_norm", x(f(2, 3), BatchSize=f(3, low=4, high=9), BatchSum=f(3), BatchSquareSum=f(3, low=4, high=9)), {}, Y,
     expect=lambda a, n, s, q: ((a - s / n) * np.sqrt(n / q)).astype("f4"))
case("row_conv", x(f(2, 5, 3), Filter=f(3, 3)), {}, fixed=["Filter"],
     expect=lambda a, w: sum(np.pad(a, [(0, 0), (0, 2), (0, 0)])[:, i:i + 5] * w[i] for i in range(3)))
case("tril_indices", {}, {"rows": 3, "cols": 4, "offset": 1, "dtype": 3}, {"out": 1}, expect=lambda: np.array(np.tril_indices(3, 1, 4)))
case("triu_indices", {}, {"row": 3, "col": 4, "offset": -1, "dtype": 2}, {"out": 1}, expect=lambda: np.array(np.triu_indices(3, -1, 4), "i4"))
case("select_output", x(f(2, 3), Mask=ints(1, dtype="i4")), {}, {"Out": 2}, expect=lambda a, m: a)
case("polygon_box_transform", {"Input": f(2, 4, 3, 5)}, {}, OUT, fixed=[],
     expect=lambda a: np.where(np.arange(4)[:, None, None] % 2 == 0, np.arange(5) * 4, np.arange(3)[:, None] * 4).astype("f4") - a)
case("roi_pool", x(f(2, 3, 8, 8), ROIs=np.array([[0, 0, 3, 3], [2, 2, 7, 5]], "f4"), RoisNum=ints(1, 1, dtype="i4")),
     {"pooled_height": 2, "pooled_width": 2}, expect=lambda a, r, n: np.array(
         [[[[a[k, c, y + i * h // 2:y + -(-(i + 1) * h // 2), z + j * w // 2:z + -(-(j + 1) * w // 2)].max() for j in range(2)]
            for i in range(2)] for c in range(3)] for k, (z, y, w, h) in enumerate([(0, 0, 4, 4), (2, 2, 6, 4)])], "f4"))


def unpooled(a, at):
    out = np.zeros((1, 2, 36), "f4")
    for c in range(2):
        out[0, c, at[0, c].ravel()] = a[0, c].ravel()
    return out.reshape(1, 2, 6, 6)


PLACES = np.array([[[0, 3, 4], [13, 14, 16], [24, 26, 35]], [[7, 2, 5], [12, 15, 17], [25, 33, 28]]], "i4")[None]
case("unpool", x(f(1, 2, 3, 3), Indices=PLACES), {"ksize": [2, 2], "strides": [2, 2]}, expect=unpooled)
case("unpool.size", x(f(1, 2, 3, 3), Indices=PLACES), {"ksize": [2, 2], "strides": [2, 2], "output_size": [6, 6]}, expect=unpooled)

CRF = {"Emission": f(7, 4), "Transition": f(6, 4, seed=1)}
VITERBI = {"ViterbiPath": 1}
case("crf_decoding", CRF, {}, VITERBI)
case("crf_decoding.ragged", CRF, {}, VITERBI, lods={"Emission": [0, 3, 4, 7]})
case("crf_decoding.hole", CRF, {}, VITERBI, lods={"Emission": [0, 3, 3, 7]})
case("crf_decoding.label", {**CRF, "Label": ints(0, 1, 2, 3, 0, 1, 2).reshape(7, 1)}, {}, VITERBI, lods={"Emission": [0, 2, 7]})
case("crf_decoding.length", {"Emission": f(3, 4, 5), "Transition": f(7, 5), "Length": ints(4, 2, 3)}, {}, VITERBI)

case("sequence_concat", x([f(3, 2), f(4, 2)]), {})
