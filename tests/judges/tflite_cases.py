"""tflite_cases.py - one small model of TFLite for every operator and way to use it

A case is (name, operators, values): an operator is (code, options, inputs, outputs), and
values are arrays.  Inputs of the model are fed by name; constants are in the file.
"""
import collections
import json
import os
import subprocess

import numpy as np

Value = collections.namedtuple("Value", "array is_fed dtype shape scales zeros axis is_variable")
Case = collections.namedtuple("Case", "name operators values outputs steps subgraphs")
TYPES = {"float32": "FLOAT32", "float16": "FLOAT16", "int32": "INT32", "uint8": "UINT8", "int64": "INT64",
         "bool": "BOOL", "int16": "INT16", "int8": "INT8", "uint32": "UINT32"}
CASES = []
random = np.random.default_rng(7)


def reals(*shape, low=-2.0, high=2.0):
    return random.uniform(low, high, shape).astype(np.float32)


def ints(*shape, low=-9, high=9, dtype=np.int32):
    return random.integers(low, high, shape, dtype=dtype)


def fed(array, scale=None, zero=0, **more):
    return value(array, True, scale, zero, **more)


def const(array, scale=None, zero=0, axis=0, dtype=None):
    array = np.asarray(array, dtype) if dtype else np.asarray(array)
    if array.dtype == np.int64 and dtype is None:
        array = array.astype(np.int32)
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    return value(array, False, scale, zero, axis=axis)


def value(array, is_fed, scale, zero, axis=0, is_variable=False):
    scales = None if scale is None else list(np.atleast_1d(np.asarray(scale, np.float32)))
    zeros = None if scale is None else list(np.broadcast_to(np.asarray(zero), len(scales)))
    return Value(array, is_fed, str(array.dtype), list(array.shape), scales, zeros, axis, is_variable)


def out(dtype, *shape, scale=None, zero=0):
    scales = None if scale is None else [np.float32(scale)]
    return Value(None, False, dtype, list(shape), scales, None if scale is None else [zero], 0, False)


def case(name, code, inputs, outputs, options=None, table=None, steps=1):
    """One operator; `table` names its options."""
    values = {f"x{i}": one for i, one in enumerate(inputs) if one is not None}
    names = [f"x{i}" if one is not None else None for i, one in enumerate(inputs)]
    made = {f"y{i}": one for i, one in enumerate(outputs)}
    CASES.append(Case(name, [(code, table, options or {}, names, list(made))], {**values, **made}, list(made), steps, []))


# --- files ----------------------------------------------------------------------

def graph_of(values, operators, inputs, outputs, codes, buffers, name):
    tensors, places = [], {}
    for key, one in values.items():
        places[key] = len(tensors)
        buffer = 0
        if one.array is not None and not one.is_fed and not one.is_variable:
            buffer = len(buffers)
            buffers.append({"data": list(np.ascontiguousarray(one.array).tobytes())})
        if one.is_variable:
            buffer = len(buffers)
            buffers.append({})
        row = {"name": key, "shape": [int(dim) for dim in one.shape], "type": TYPES[one.dtype], "buffer": buffer,
               "has_rank": True}
        if one.is_variable:
            row["is_variable"] = True
        if one.scales:
            row["quantization"] = {"scale": [float(np.float64(scale)) for scale in one.scales],
                                   "zero_point": [int(zero) for zero in one.zeros],
                                   "quantized_dimension": one.axis}
        tensors.append(row)
    rows = []
    for code, table, options, takes, gives in operators:
        if code not in codes:
            codes.append(code)
        row = {"opcode_index": codes.index(code), "inputs": [-1 if key is None else places[key] for key in takes],
               "outputs": [places[key] for key in gives]}
        if code.startswith("custom:"):
            row["custom_options"] = list(options)
        elif table:
            second = "_2" if table.startswith("Stablehlo") else ""
            row[f"builtin_options{second}_type"], row[f"builtin_options{second}"] = table, options
        rows.append(row)
    return {"name": name, "tensors": tensors, "inputs": [places[key] for key in inputs],
            "outputs": [places[key] for key in outputs], "operators": rows}


def fed_names(one):
    return [key for key, made in one.values.items() if made.is_fed]


def model_of(one):
    codes, buffers = [], [{}]
    graphs = [graph_of(one.values, one.operators, fed_names(one), one.outputs, codes, buffers, "main")]
    for index, (values, operators, inputs, outputs) in enumerate(one.subgraphs):
        graphs.append(graph_of(values, operators, inputs, outputs, codes, buffers, f"sub{index + 1}"))
    operator_codes = [{"deprecated_builtin_code": 32, "custom_code": code[7:], "builtin_code": "CUSTOM"}
                      if code.startswith("custom:") else {"builtin_code": code, "version": 1} for code in codes]
    return {"version": 3, "operator_codes": operator_codes, "subgraphs": graphs, "buffers": buffers}


def write(one, folder, schema):
    """The model as NAME.tflite, by flatc."""
    path = os.path.join(folder, one.name + ".json")
    with open(path, "w") as file:
        json.dump(model_of(one), file)
    subprocess.run(["flatc", "-b", "-o", folder, schema, path], check=True, stdout=subprocess.DEVNULL)
    os.remove(path)
    return os.path.join(folder, one.name + ".tflite")


# --- one number at a time -----------------------------------------------------------

X = reals(2, 3, 4)
POSITIVE = reals(2, 3, low=0.1, high=4.0)
for code in "ABS CEIL COS FLOOR LOGISTIC NEG RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 ROUND SIN SQUARE TANH ELU HARD_SWISH EXP SIGN".split():
    case(code.lower(), code, [fed(X)], [out("float32", 2, 3, 4)])
for code in "LOG SQRT RSQRT".split():
    case(code.lower(), code, [fed(POSITIVE)], [out("float32", 2, 3)])
case("gelu", "GELU", [fed(X)], [out("float32", 2, 3, 4)], {}, "GeluOptions")
case("gelu_tanh", "GELU", [fed(X)], [out("float32", 2, 3, 4)], {"approximate": True}, "GeluOptions")
case("leaky_relu", "LEAKY_RELU", [fed(X)], [out("float32", 2, 3, 4)], {"alpha": 0.3}, "LeakyReluOptions")
case("prelu", "PRELU", [fed(reals(1, 2, 3, 4)), const(reals(1, 1, 4))], [out("float32", 1, 2, 3, 4)])
case("cast_int", "CAST", [fed(X)], [out("int32", 2, 3, 4)], {"in_data_type": "FLOAT32", "out_data_type": "INT32"}, "CastOptions")
case("cast_bool", "CAST", [fed(ints(6, low=-1, high=2))], [out("bool", 6)], {"in_data_type": "INT32", "out_data_type": "BOOL"}, "CastOptions")
case("cast_told_by_value", "CAST", [fed(ints(6))], [out("float32", 6)], {}, "CastOptions")
case("zeros_like", "ZEROS_LIKE", [fed(X)], [out("float32", 2, 3, 4)])
case("abs_int", "ABS", [fed(ints(5))], [out("int32", 5)])

# --- two at a time --------------------------------------------------------------------

A, B = reals(2, 3, 4), reals(3, 1)
for code, table in (("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions")):
    for f in ("NONE", "RELU", "RELU6", "RELU_N1_TO_1"):
        case(f"{code.lower()}_{f.lower()}", code, [fed(A), fed(B)], [out("float32", 2, 3, 4)], {"fused_activation_function": f}, table)
    case(f"{code.lower()}_int", code, [fed(ints(2, 3)), fed(ints(2, 3))], [out("int32", 2, 3)], {}, table)
case("div", "DIV", [fed(A), fed(reals(3, 1, low=0.5))], [out("float32", 2, 3, 4)], {}, "DivOptions")
case("div_int", "DIV", [fed(ints(2, 3)), const([[2, 3, -2]])], [out("int32", 2, 3)], {}, "DivOptions")
case("maximum", "MAXIMUM", [fed(A), fed(B)], [out("float32", 2, 3, 4)])
case("minimum", "MINIMUM", [fed(A), fed(B)], [out("float32", 2, 3, 4)])
case("minimum_int", "MINIMUM", [fed(ints(2, 3)), fed(ints(2, 3))], [out("int32", 2, 3)])
case("pow", "POW", [fed(POSITIVE), const([[2.0, 0.5, 1.5]])], [out("float32", 2, 3)])
case("squared_difference", "SQUARED_DIFFERENCE", [fed(A), fed(B)], [out("float32", 2, 3, 4)])
case("floor_div", "FLOOR_DIV", [fed(A), const([1.5, -0.5, 2.0, 0.7])], [out("float32", 2, 3, 4)])
case("floor_div_int", "FLOOR_DIV", [fed(ints(2, 3)), const([2, 3, -2])], [out("int32", 2, 3)])
case("floor_mod", "FLOOR_MOD", [fed(A), const([1.5, -0.5, 2.0, 0.7])], [out("float32", 2, 3, 4)])
case("floor_mod_int", "FLOOR_MOD", [fed(ints(2, 3)), const([2, 3, -2])], [out("int32", 2, 3)])
case("atan2", "ATAN2", [fed(reals(8)), fed(reals(8))], [out("float32", 8)])
for code in "EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL".split():
    case(code.lower(), code, [fed(ints(2, 6, low=0, high=3)), fed(ints(6, low=0, high=3))], [out("bool", 2, 6)])
    case(code.lower() + "_float", code, [fed(A), fed(B)], [out("bool", 2, 3, 4)])
BOOLS = random.integers(0, 2, 6).astype(bool)
case("logical_and", "LOGICAL_AND", [fed(BOOLS), const(BOOLS[::-1].copy())], [out("bool", 6)])
case("logical_or", "LOGICAL_OR", [fed(BOOLS), const(BOOLS[::-1].copy())], [out("bool", 6)])
case("logical_not", "LOGICAL_NOT", [fed(BOOLS)], [out("bool", 6)])
case("select", "SELECT", [fed(BOOLS), fed(reals(6)), fed(reals(6))], [out("float32", 6)])
case("select_rows", "SELECT", [fed(BOOLS), fed(reals(6, 2)), fed(reals(6, 2))], [out("float32", 6, 2)])
case("select_v2", "SELECT_V2", [fed(BOOLS), fed(reals(2, 6)), const(np.float32(0.5))], [out("float32", 2, 6)])
case("bitwise_xor", "BITWISE_XOR", [fed(ints(6)), fed(ints(6))], [out("int32", 6)])
case("right_shift", "RIGHT_SHIFT", [fed(ints(6, low=-99, high=99)), const([1, 2, 3, 0, 1, 2])], [out("int32", 6)])
case("add_n", "ADD_N", [fed(X), fed(X + 1), fed(X * 2)], [out("float32", 2, 3, 4)])

# --- layers -----------------------------------------------------------------------------

IMAGE = reals(1, 7, 6, 3)
for padding in ("SAME", "VALID"):
    for stride in (1, 2, 3):
        size = [-(-n // stride) if padding == "SAME" else (n - 3) // stride + 1 for n in (7, 6)]
        case(f"conv_{padding.lower()}_{stride}", "CONV_2D", [fed(IMAGE), const(reals(5, 3, 3, 3)), const(reals(5))],
             [out("float32", 1, *size, 5)], {"padding": padding, "stride_w": stride, "stride_h": stride}, "Conv2DOptions")
        case(f"depthwise_{padding.lower()}_{stride}", "DEPTHWISE_CONV_2D",
             [fed(IMAGE), const(reals(1, 3, 3, 6)), const(reals(6))], [out("float32", 1, *size, 6)],
             {"padding": padding, "stride_w": stride, "stride_h": stride, "depth_multiplier": 2, "fused_activation_function": "RELU"},
             "DepthwiseConv2DOptions")
        pool = [-(-n // stride) if padding == "SAME" else (n - 2) // stride + 1 for n in (7, 6)]
        for code in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
            case(f"{code.lower()}_{padding.lower()}_{stride}", code, [fed(IMAGE)], [out("float32", 1, *pool, 3)],
                 {"padding": padding, "stride_w": stride, "stride_h": stride, "filter_width": 2, "filter_height": 2}, "Pool2DOptions")
case("conv_dilated", "CONV_2D", [fed(IMAGE), const(reals(5, 3, 3, 3)), const(reals(5))], [out("float32", 1, 7, 6, 5)],
     {"padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 2, "dilation_h_factor": 2, "fused_activation_function": "RELU6"}, "Conv2DOptions")
case("conv_no_bias", "CONV_2D", [fed(IMAGE), const(reals(5, 1, 1, 3)), None], [out("float32", 1, 7, 6, 5)],
     {"padding": "SAME", "stride_w": 1, "stride_h": 1}, "Conv2DOptions")
case("conv_groups", "CONV_2D", [fed(reals(1, 5, 5, 4)), const(reals(6, 3, 3, 2)), const(reals(6))], [out("float32", 1, 5, 5, 6)],
     {"padding": "SAME", "stride_w": 1, "stride_h": 1}, "Conv2DOptions")
case("conv_3d", "CONV_3D", [fed(reals(1, 4, 5, 5, 2)), const(reals(2, 3, 3, 2, 3)), const(reals(3))], [out("float32", 1, 4, 5, 5, 3)],
     {"padding": "SAME", "stride_d": 1, "stride_w": 1, "stride_h": 1}, "Conv3DOptions")
for padding, stride, size in (("SAME", 2, 8), ("VALID", 2, 9), ("SAME", 1, 4), ("SAME", 2, 7)):
    case(f"transpose_conv_{padding.lower()}_{stride}_{size}", "TRANSPOSE_CONV",
         [const([1, size, size, 5]), const(reals(5, 3, 3, 2)), fed(reals(1, 4, 4, 2))],
         [out("float32", 1, size, size, 5)], {"padding": padding, "stride_w": stride, "stride_h": stride}, "TransposeConvOptions")
case("transpose_conv_bias", "TRANSPOSE_CONV", [const([1, 8, 8, 5]), const(reals(5, 2, 2, 2)), fed(reals(1, 4, 4, 2)), const(reals(5))],
     [out("float32", 1, 8, 8, 5)], {"padding": "SAME", "stride_w": 2, "stride_h": 2, "fused_activation_function": "RELU"}, "TransposeConvOptions")
case("fully_connected", "FULLY_CONNECTED", [fed(reals(2, 4)), const(reals(5, 4)), const(reals(5))], [out("float32", 2, 5)],
     {"fused_activation_function": "RELU"}, "FullyConnectedOptions")
case("fully_connected_flat", "FULLY_CONNECTED", [fed(reals(2, 3, 4)), const(reals(5, 4))], [out("float32", 6, 5)], {}, "FullyConnectedOptions")
case("fully_connected_keeps", "FULLY_CONNECTED", [fed(reals(2, 3, 4)), const(reals(5, 4)), const(reals(5))], [out("float32", 2, 3, 5)],
     {"keep_num_dims": True}, "FullyConnectedOptions")
case("batch_matmul", "BATCH_MATMUL", [fed(reals(2, 3, 4)), fed(reals(2, 4, 5))], [out("float32", 2, 3, 5)], {}, "BatchMatMulOptions")
case("batch_matmul_adj", "BATCH_MATMUL", [fed(reals(2, 4, 3)), fed(reals(2, 5, 4))], [out("float32", 2, 3, 5)],
     {"adj_x": True, "adj_y": True}, "BatchMatMulOptions")
case("softmax", "SOFTMAX", [fed(X)], [out("float32", 2, 3, 4)], {"beta": 1.0}, "SoftmaxOptions")
case("softmax_beta", "SOFTMAX", [fed(X)], [out("float32", 2, 3, 4)], {"beta": 0.5}, "SoftmaxOptions")
case("log_softmax", "LOG_SOFTMAX", [fed(X)], [out("float32", 2, 3, 4)])
case("l2_normalization", "L2_NORMALIZATION", [fed(np.concatenate([reals(2, 4), np.zeros((1, 4), np.float32)]))], [out("float32", 3, 4)], {}, "L2NormOptions")
case("local_response", "LOCAL_RESPONSE_NORMALIZATION", [fed(reals(1, 2, 2, 7))], [out("float32", 1, 2, 2, 7)],
     {"radius": 2, "bias": 1.0, "alpha": 0.5, "beta": 0.75}, "LocalResponseNormalizationOptions")

# --- reductions and places ------------------------------------------------------------------

for code in "MEAN SUM REDUCE_MAX REDUCE_MIN REDUCE_PROD".split():
    case(code.lower(), code, [fed(X), const([1])], [out("float32", 2, 4)], {}, "ReducerOptions")
    case(code.lower() + "_keeps", code, [fed(X), const([0, -1])], [out("float32", 1, 3, 1)], {"keep_dims": True}, "ReducerOptions")
case("reduce_any", "REDUCE_ANY", [fed(BOOLS.reshape(2, 3)), const([1])], [out("bool", 2)], {}, "ReducerOptions")
case("reduce_all", "REDUCE_ALL", [fed(BOOLS.reshape(2, 3)), const([1])], [out("bool", 2)], {}, "ReducerOptions")
case("sum_int", "SUM", [fed(ints(2, 3)), const([0])], [out("int32", 3)], {}, "ReducerOptions")
case("arg_max", "ARG_MAX", [fed(X), const(np.int32(1))], [out("int32", 2, 4)], {"output_type": "INT32"}, "ArgMaxOptions")
case("arg_max_64", "ARG_MAX", [fed(X), const(np.int32(-1))], [out("int64", 2, 3)], {"output_type": "INT64"}, "ArgMaxOptions")
case("arg_min", "ARG_MIN", [fed(X), const(np.int32(0))], [out("int32", 3, 4)], {"output_type": "INT32"}, "ArgMinOptions")
case("topk", "TOPK_V2", [fed(reals(2, 6)), const(np.int32(3))], [out("float32", 2, 3), out("int32", 2, 3)])
case("cumsum", "CUMSUM", [fed(X), const(np.int32(1))], [out("float32", 2, 3, 4)], {}, "CumsumOptions")
case("cumsum_both", "CUMSUM", [fed(X), const(np.int32(2))], [out("float32", 2, 3, 4)], {"exclusive": True, "reverse": True}, "CumsumOptions")
case("one_hot", "ONE_HOT", [fed(ints(4, low=0, high=3)), const(np.int32(3)), const(np.float32(2)), const(np.float32(-1))],
     [out("float32", 4, 3)], {"axis": -1}, "OneHotOptions")
case("one_hot_first", "ONE_HOT", [fed(ints(2, 4, low=-1, high=3)), const(np.int32(3)), const(np.float32(1)), const(np.float32(0))],
     [out("float32", 3, 2, 4)], {"axis": 0}, "OneHotOptions")
case("where", "WHERE", [fed(np.array([[True, False], [True, True]]))], [out("int64", 3, 2)])
case("unique", "UNIQUE", [fed(np.array([3, 1, 3, 2, 1], np.int32))], [out("int32", 3), out("int32", 5)], {"idx_out_type": "INT32"}, "UniqueOptions")
case("bucketize", "BUCKETIZE", [fed(reals(2, 4))], [out("int32", 2, 4)], {"boundaries": [-1.0, 0.0, 1.0]}, "BucketizeOptions")

# --- shapes -------------------------------------------------------------------------------------

case("reshape", "RESHAPE", [fed(X), const([4, -1])], [out("float32", 4, 6)], {}, "ReshapeOptions")
case("reshape_option", "RESHAPE", [fed(X)], [out("float32", 4, 6)], {"new_shape": [4, 6]}, "ReshapeOptions")
case("reshape_unsqueeze", "RESHAPE", [fed(X), const([2, 1, 3, 4])], [out("float32", 2, 1, 3, 4)], {}, "ReshapeOptions")
case("squeeze", "SQUEEZE", [fed(reals(1, 3, 1, 4))], [out("float32", 3, 1, 4)], {"squeeze_dims": [0]}, "SqueezeOptions")
case("squeeze_all", "SQUEEZE", [fed(reals(1, 3, 1, 4))], [out("float32", 3, 4)], {}, "SqueezeOptions")
case("expand_dims", "EXPAND_DIMS", [fed(X), const(np.int32(-1))], [out("float32", 2, 3, 4, 1)])
case("transpose", "TRANSPOSE", [fed(X), const([2, 0, 1])], [out("float32", 4, 2, 3)])
case("shape", "SHAPE", [fed(X)], [out("int32", 3)], {"out_type": "INT32"}, "ShapeOptions")
case("rank", "RANK", [fed(X)], [out("int32")])
case("concat", "CONCATENATION", [fed(X), fed(reals(2, 2, 4))], [out("float32", 2, 5, 4)], {"axis": -2}, "ConcatenationOptions")
case("pack", "PACK", [fed(X), fed(X + 1)], [out("float32", 2, 3, 2, 4)], {"values_count": 2, "axis": 2}, "PackOptions")
case("unpack", "UNPACK", [fed(X)], [out("float32", 2, 4)] * 3, {"num": 3, "axis": 1}, "UnpackOptions")
case("split", "SPLIT", [const(np.int32(2)), fed(X)], [out("float32", 2, 3, 2)] * 2, {"num_splits": 2}, "SplitOptions")
case("split_v", "SPLIT_V", [fed(X), const([1, -1]), const(np.int32(1))], [out("float32", 2, 1, 4), out("float32", 2, 2, 4)],
     {"num_splits": 2}, "SplitVOptions")
case("tile", "TILE", [fed(X), const([1, 2, 1])], [out("float32", 2, 6, 4)])
case("broadcast_to", "BROADCAST_TO", [fed(reals(3, 1)), const([2, 3, 4])], [out("float32", 2, 3, 4)])
case("fill", "FILL", [const([2, 3]), fed(np.float32(1.5).reshape(()))], [out("float32", 2, 3)])
case("range", "RANGE", [const(np.int32(2)), const(np.int32(11)), const(np.int32(3))], [out("int32", 3)])
case("pad", "PAD", [fed(X), const([[0, 1], [2, 0], [1, 1]])], [out("float32", 3, 5, 6)])
case("padv2", "PADV2", [fed(X), const([[0, 1], [2, 0], [1, 1]]), const(np.float32(2.5))], [out("float32", 3, 5, 6)])
case("mirror_reflect", "MIRROR_PAD", [fed(X), const([[0, 0], [1, 1], [2, 1]])], [out("float32", 2, 5, 7)], {"mode": "REFLECT"}, "MirrorPadOptions")
case("mirror_symmetric", "MIRROR_PAD", [fed(X), const([[0, 0], [1, 1], [2, 1]])], [out("float32", 2, 5, 7)], {"mode": "SYMMETRIC"}, "MirrorPadOptions")
case("reverse", "REVERSE_V2", [fed(X), const([1])], [out("float32", 2, 3, 4)])
case("reverse_sequence", "REVERSE_SEQUENCE", [fed(reals(3, 4, 2)), const([2, 4, 1])], [out("float32", 3, 4, 2)],
     {"seq_dim": 1, "batch_dim": 0}, "ReverseSequenceOptions")
case("slice", "SLICE", [fed(X), const([0, 1, 1]), const([2, -1, 2])], [out("float32", 2, 2, 2)])
case("strided_slice", "STRIDED_SLICE", [fed(X), const([0, 0, 1]), const([2, 3, 4]), const([1, 2, 2])], [out("float32", 2, 2, 2)], {}, "StridedSliceOptions")
case("strided_slice_masks", "STRIDED_SLICE", [fed(X), const([1, 9, 9]), const([2, 9, 0]), const([1, 1, -1])],
     [out("float32", 3, 4)], {"begin_mask": 6, "end_mask": 6, "shrink_axis_mask": 1}, "StridedSliceOptions")
case("strided_slice_dots", "STRIDED_SLICE", [fed(X), const([0, 1]), const([0, 3]), const([1, 1])],
     [out("float32", 2, 3, 2)], {"ellipsis_mask": 1}, "StridedSliceOptions")
case("gather", "GATHER", [fed(X), const([2, 0])], [out("float32", 2, 2, 4)], {"axis": 1}, "GatherOptions")
case("gather_batch", "GATHER", [fed(X), const([[2, 0], [1, 1]])], [out("float32", 2, 2, 4)], {"axis": 1, "batch_dims": 1}, "GatherOptions")
case("gather_nd", "GATHER_ND", [fed(X), const([[0, 1], [1, 2]])], [out("float32", 2, 4)])
case("scatter_nd", "SCATTER_ND", [const([[1], [3], [1]]), fed(reals(3, 2)), const([5, 2])], [out("float32", 5, 2)])
case("embedding", "EMBEDDING_LOOKUP", [fed(np.array([1, 0, 2], np.int32)), const(reals(3, 4))], [out("float32", 3, 4)])
case("sparse_to_dense", "SPARSE_TO_DENSE", [const([[0, 1], [1, 2]]), const([2, 3]), fed(reals(2)), const(np.float32(0.5))],
     [out("float32", 2, 3)], {}, "SparseToDenseOptions")
case("dynamic_update_slice", "DYNAMIC_UPDATE_SLICE", [fed(reals(4, 5)), fed(reals(2, 2)), fed(np.array([3, 1], np.int32))], [out("float32", 4, 5)])
case("segment_sum", "SEGMENT_SUM", [fed(reals(4, 2)), const([0, 0, 2, 2])], [out("float32", 3, 2)])
for code in ("SUM", "PROD", "MAX", "MIN"):
    case(f"unsorted_segment_{code.lower()}", "UNSORTED_SEGMENT_" + code, [fed(reals(4, 2)), const([1, 0, 1, 2]), const(np.int32(3))], [out("float32", 3, 2)])
case("matrix_diag", "MATRIX_DIAG", [fed(reals(2, 3))], [out("float32", 2, 3, 3)])
case("matrix_set_diag", "MATRIX_SET_DIAG", [fed(reals(2, 3, 3)), fed(reals(2, 3))], [out("float32", 2, 3, 3)])
case("broadcast_args", "BROADCAST_ARGS", [fed(np.array([3, 1], np.int32)), fed(np.array([2, 1, 4], np.int32))], [out("int32", 3)])

# --- StableHLO, whose operators the engine in a browser has few of ------------------
#
# What they must give is computed here, as their specification says.  The numbers
# of all other cases stay as they were recorded.

STABLEHLO = {}
BEFORE = random.bit_generator.state


def stablehlo(name, inputs, want, options=None, table=None):
    made = [np.asarray(one) for one in (want if isinstance(want, list) else [want])]
    case("stablehlo_" + name.lower(), "STABLEHLO_" + name.split("-")[0], inputs, [out(str(one.dtype), *one.shape) for one in made], options,
         f"Stablehlo{table}Options" if table else None)
    CASES[-1] = CASES[-1]._replace(name="stablehlo_" + name.lower().replace("-", "_"))
    STABLEHLO[CASES[-1].name] = made


A, B, UP = reals(2, 3, 4), reals(2, 3, 4), reals(2, 3, 4, low=0.1, high=3.0)
N, M = ints(2, 3), np.array([[1, -2, 3], [4, -5, 6]], np.int32)
T, S = np.array([[True, False], [True, True]]), np.array([[True, True], [False, True]])
for name, how in (("ABS", np.abs), ("COSINE", np.cos), ("EXPONENTIAL", np.exp), ("FLOOR", np.floor), ("NEGATE", np.negative), ("TANH", np.tanh), ("CBRT", np.cbrt),
                  ("LOGISTIC", lambda x: 1 / (1 + np.exp(-x)))):
    stablehlo(name, [fed(A)], how(A).astype(np.float32))
for name, how in (("LOG", np.log), ("RSQRT", lambda x: 1 / np.sqrt(x))):
    stablehlo(name, [fed(UP)], how(UP).astype(np.float32))
for name, how in (("ADD", np.add), ("SUBTRACT", np.subtract), ("MULTIPLY", np.multiply), ("DIVIDE", np.divide), ("MAXIMUM", np.maximum), ("MINIMUM", np.minimum),
                  ("REMAINDER", np.fmod)):
    stablehlo(name, [fed(A), fed(B)], how(A, B))
stablehlo("POWER", [fed(UP), fed(B)], np.power(UP, B))
for name, how in (("ADD", np.add), ("SUBTRACT", np.subtract), ("MULTIPLY", np.multiply), ("MAXIMUM", np.maximum), ("MINIMUM", np.minimum), ("REMAINDER", np.fmod),
                  ("AND", np.bitwise_and), ("OR", np.bitwise_or), ("DIVIDE", lambda x, y: np.trunc(x / y).astype(np.int32))):
    stablehlo(name + "-integers", [fed(N), fed(M)], how(N, M))
for name, how in (("ADD", np.logical_or), ("MULTIPLY", np.logical_and), ("MAXIMUM", np.logical_or), ("MINIMUM", np.logical_and), ("AND", np.logical_and), ("OR", np.logical_or)):
    stablehlo(name + "-bool", [fed(T), fed(S)], how(T, S))
stablehlo("SHIFT_LEFT", [fed(np.abs(N)), fed(np.array([[0, 1, 2], [3, 4, 5]], np.int32))], np.left_shift(np.abs(N), np.array([[0, 1, 2], [3, 4, 5]], np.int32)))
stablehlo("CLAMP", [const(np.float32(-0.5)), fed(A), const(np.float32(1))], np.clip(A, np.float32(-0.5), np.float32(1)))
stablehlo("CLAMP-arrays", [fed(-UP), fed(A), fed(UP)], np.clip(A, -UP, UP))
stablehlo("SELECT", [fed(A > 0), fed(A), fed(B)], np.where(A > 0, A, B))
stablehlo("CONCATENATE", [fed(A), fed(B)], np.concatenate([A, B], 1), {"dimension": 1}, "Concatenate")
stablehlo("TRANSPOSE", [fed(A)], A.transpose(2, 0, 1), {"permutation": [2, 0, 1]}, "Transpose")
stablehlo("RESHAPE", [fed(A)], A.reshape(4, 6))
stablehlo("CONVERT", [fed(A)], A.astype(np.int32))
stablehlo("SLICE", [fed(A)], A[0:2, 1:3, 0:4:2], {"start_indices": [0, 1, 0], "limit_indices": [2, 3, 4], "strides": [1, 1, 2]}, "Slice")
stablehlo("PAD", [fed(A), const(np.float32(7))], np.pad(A, ((1, 0), (0, 2), (1, 1)), constant_values=7),
          {"edge_padding_low": [1, 0, 1], "edge_padding_high": [0, 2, 1], "interior_padding": [0, 0, 0]}, "Pad")
stablehlo("IOTA", [], np.broadcast_to(np.arange(3, dtype=np.int32)[:, None], (3, 2)).copy(), {"iota_dimension": 0}, "Iota")
stablehlo("BROADCAST_IN_DIM", [fed(A[0])], np.broadcast_to(A[0][:, None, :], (2, 3, 5, 4)), {"broadcast_dimensions": [1, 3]}, "BroadcastInDim")
stablehlo("BROADCAST_IN_DIM-turned", [fed(A[0])], np.broadcast_to(A[0].T[:, None, :], (4, 2, 3)), {"broadcast_dimensions": [2, 0]}, "BroadcastInDim")
stablehlo("BROADCAST_IN_DIM-number", [fed(np.float32(2.5))], np.full((2, 2), 2.5, np.float32), {"broadcast_dimensions": []}, "BroadcastInDim")
for word, how in (("EQ", np.equal), ("NE", np.not_equal), ("GE", np.greater_equal), ("GT", np.greater), ("LE", np.less_equal), ("LT", np.less)):
    stablehlo("COMPARE-" + word, [fed(N), fed(np.sort(N))], how(N, np.sort(N)), {"comparison_direction": "STABLEHLO_COMPARISON_DIRECTION_" + word}, "Compare")
for label, at in (("inside", (0, 1, 2)), ("beyond", (5, -3, 3))):
    starts = [fed(np.int32(one)) for one in at]
    i, j, k = (min(max(one, 0), most) for one, most in zip(at, (1, 1, 2)))
    stablehlo("DYNAMIC_SLICE-" + label, [fed(A), *starts], A[i:i + 1, j:j + 2, k:k + 2], {"slice_sizes": [1, 2, 2]}, "DynamicSlice")
    put = A.copy()
    put[i:i + 1, j:j + 2, k:k + 2] = B[:1, :2, :2]
    stablehlo("DYNAMIC_UPDATE_SLICE-" + label, [fed(A), fed(B[:1, :2, :2]), *starts], put)
stablehlo("DYNAMIC_UPDATE_SLICE-whole", [fed(A), fed(B), *[fed(np.int32(0))] * 3], B)
stablehlo("DOT_GENERAL", [fed(A), fed(B)], np.einsum("bik,bjk->bij", A, B),
          {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [0], "lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [2]}, "DotGeneral")
stablehlo("DOT_GENERAL-plain", [fed(A), fed(B)], np.einsum("ijk,lkm->ijlm", A, B.transpose(0, 2, 1)),
          {"lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [2]}, "DotGeneral")
stablehlo("DOT_GENERAL-turned", [fed(A), fed(B)], np.einsum("ijk,ljk->il", A, B),
          {"lhs_contracting_dimensions": [1, 2], "rhs_contracting_dimensions": [1, 2]}, "DotGeneral")
for label, numbers, options in (
        ("rows", np.array([2, 0, 9, -4], np.int32), {"offset_dims": [1, 2], "collapsed_slice_dims": [1], "start_index_map": [1], "index_vector_dim": 1, "slice_sizes": [2, 1, 4]}),
        ("column", np.array([[2], [0]], np.int32), {"offset_dims": [0, 2], "collapsed_slice_dims": [1], "start_index_map": [1], "index_vector_dim": 1, "slice_sizes": [2, 1, 4]}),
        ("pairs", np.array([[[3, 1], [0, 0]], [[1, 1], [2, 0]]], np.int32),
         {"offset_dims": [2], "collapsed_slice_dims": [0, 2], "start_index_map": [2, 0], "index_vector_dim": 2, "slice_sizes": [1, 3, 1]})):
    told, last, axes = options["start_index_map"], options["index_vector_dim"], options["offset_dims"]
    lists = numbers[..., None] if last == numbers.ndim else numbers
    lists = np.clip(lists, 0, [A.shape[axis] - 1 for axis in told])
    own = [axis for axis in range(3) if axis not in told]
    rows = A.transpose(*told, *own)[tuple(np.moveaxis(lists, -1, 0))]
    batch = rows.ndim - len(own)
    want = np.moveaxis(rows, range(batch, rows.ndim), axes)
    stablehlo("GATHER-" + label, [fed(A), fed(numbers)], want, options, "Gather")


def convolved(image, kernel, strides, pads, dilations):
    """image [n, h, w, c], kernel [kh, kw, c, o], by the words of the specification"""
    image = np.pad(image, ((0, 0), *pads, (0, 0)))
    kh, kw = kernel.shape[:2]
    rows = (image.shape[1] - (kh - 1) * dilations[0] - 1) // strides[0] + 1
    columns = (image.shape[2] - (kw - 1) * dilations[1] - 1) // strides[1] + 1
    made = np.zeros((image.shape[0], rows, columns, kernel.shape[3]), np.float32)
    for y in range(rows):
        for x in range(columns):
            part = image[:, y * strides[0]:y * strides[0] + (kh - 1) * dilations[0] + 1:dilations[0], x * strides[1]:x * strides[1] + (kw - 1) * dilations[1] + 1:dilations[1]]
            made[:, y, x] = np.einsum("nhwc,hwco->no", part, kernel)
    return made


LAYOUT = {"input_batch_dimension": 0, "input_feature_dimension": 3, "input_spatial_dimensions": [1, 2], "kernel_input_feature_dimension": 2, "kernel_output_feature_dimension": 3,
          "kernel_spatial_dimensions": [0, 1], "output_batch_dimension": 0, "output_feature_dimension": 3, "output_spatial_dimensions": [1, 2], "feature_group_count": 1, "batch_group_count": 1}
IMAGE, KERNEL = reals(2, 6, 7, 3), reals(3, 2, 3, 4)
stablehlo("CONVOLUTION", [fed(IMAGE), const(KERNEL)], convolved(IMAGE, KERNEL, (2, 1), ((1, 1), (0, 1)), (1, 2)),
          {**LAYOUT, "window_strides": [2, 1], "padding": [1, 1, 0, 1], "rhs_dilation": [1, 2]}, "Convolution")
stablehlo("CONVOLUTION-turned", [fed(IMAGE.transpose(3, 0, 2, 1)), const(KERNEL.transpose(3, 0, 2, 1))], convolved(IMAGE, KERNEL, (1, 1), ((0, 0), (0, 0)), (1, 1)).transpose(3, 1, 2, 0),
          {**LAYOUT, "input_batch_dimension": 1, "input_feature_dimension": 0, "input_spatial_dimensions": [3, 2], "kernel_input_feature_dimension": 2, "kernel_output_feature_dimension": 0,
           "kernel_spatial_dimensions": [1, 3], "output_batch_dimension": 3, "output_feature_dimension": 0, "output_spatial_dimensions": [1, 2]}, "Convolution")


def region(code, dtype="float32", made=None, table=None, options=None, inputs=1, turned=False, key=0):
    """A subgraph of one operator; without one it gives its second argument."""
    names = [f"a{i}" for i in range(2 * inputs)]
    takes = names[2 * key:2 * key + 2][::-1 if turned else 1]
    dtypes = [dtype] * len(names) if isinstance(dtype, str) else [one for one in dtype for _ in range(2)]
    values = {name: out(one) for name, one in zip(names, dtypes)}
    if code is None:
        return values, [], names, [names[1]]
    return {**values, "c": out(made or dtypes[0])}, [(code, table, options or {}, takes, ["c"])], names, ["c"]


def with_region(name, inputs, want, options, table, subgraph):
    stablehlo(name, inputs, want, options, table)
    CASES[-1] = CASES[-1]._replace(subgraphs=[subgraph])


LOW, HIGH = np.float32(-np.inf), np.float32(np.inf)
for label, code, first, how in (("sum", "STABLEHLO_ADD", 0, np.sum), ("sum-tflite", "ADD", 0, np.sum), ("product", "STABLEHLO_MULTIPLY", 1, np.prod), ("max", "STABLEHLO_MAXIMUM", LOW, np.max),
                                ("min", "STABLEHLO_MINIMUM", HIGH, np.min)):
    with_region("REDUCE-" + label, [fed(A), const(np.float32(first))], how(A, (0, 2)), {"dimensions": [0, 2], "body_subgraph_index": 1}, "Reduce", region(code))
with_region("REDUCE-from-three", [fed(A), const(np.float32(3))], A.sum(1) + np.float32(3), {"dimensions": [1], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_ADD", turned=True))
with_region("REDUCE-from-fed", [fed(A), fed(np.float32(0.5))], np.maximum(A.max(2), np.float32(0.5)), {"dimensions": [2], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_MAXIMUM"))
with_region("REDUCE-integers", [fed(N), const(np.int32(0))], N.sum(0, dtype=np.int32), {"dimensions": [0], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_ADD", "int32"))
with_region("REDUCE-bytes", [fed(N.astype(np.int8)), const(np.int8(-128))], N.astype(np.int8).max(1), {"dimensions": [1], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_MAXIMUM", "int8"))
with_region("REDUCE-any", [fed(T), const(np.bool_(False))], T.any(1), {"dimensions": [1], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_OR", "bool"))
with_region("REDUCE-all", [fed(T), const(np.bool_(True))], T.all(1), {"dimensions": [1], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_AND", "bool"))
with_region("REDUCE-nothing", [fed(A), const(np.float32(1.5))], A + np.float32(1.5), {"dimensions": [], "body_subgraph_index": 1}, "Reduce", region("STABLEHLO_ADD"))


def windowed(x, size, strides, pads, dilations, how, first):
    x = np.pad(x, pads, constant_values=first)
    shape = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape, size, strides, dilations)]
    made = np.zeros(shape, x.dtype)
    for at in np.ndindex(*shape):
        made[at] = how(x[tuple(slice(i * s, i * s + (k - 1) * d + 1, d) for i, k, s, d in zip(at, size, strides, dilations))])
    return made


def windows(label, x, code, first, how, size, strides=None, pads=None, dilations=None, dtype="float32"):
    n = x.ndim
    pads = pads or [(0, 0)] * n
    options = {"window_dimensions": size, "padding": [one for two in pads for one in two], "body_subgraph_index": 1}
    options.update({"window_strides": strides} if strides else {})
    options.update({"window_dilations": dilations} if dilations else {})
    with_region("REDUCE_WINDOW-" + label, [fed(x), const(np.asarray(first, x.dtype))], windowed(x, size, strides or [1] * n, pads, dilations or [1] * n, how, first), options, "ReduceWindow",
                region(code, dtype))


PICTURE = reals(2, 6, 7, 3)
SAME = [(0, 0), (1, 1), (0, 1), (0, 0)]
windows("max", PICTURE, "STABLEHLO_MAXIMUM", LOW, np.max, [1, 2, 2, 1], [1, 2, 2, 1])
windows("max-padded", PICTURE, "STABLEHLO_MAXIMUM", LOW, np.max, [1, 3, 2, 1], [1, 2, 1, 1], SAME)
windows("max-from-zero", PICTURE, "STABLEHLO_MAXIMUM", 0, lambda part: max(part.max(), 0), [1, 3, 2, 1], [1, 2, 1, 1], SAME)
windows("max-wide", PICTURE, "STABLEHLO_MAXIMUM", LOW, np.max, [1, 2, 3, 1], None, SAME, [1, 2, 2, 1])
windows("min", PICTURE, "STABLEHLO_MINIMUM", HIGH, np.min, [1, 2, 2, 1], [1, 2, 2, 1])
windows("sum", PICTURE, "STABLEHLO_ADD", 0, np.sum, [1, 3, 2, 1], [1, 2, 1, 1], SAME)
windows("running-sum", A, "STABLEHLO_ADD", 0, np.sum, [1, 3, 1], None, [(0, 0), (2, 0), (0, 0)])
windows("three-axes", A, "STABLEHLO_MAXIMUM", LOW, np.max, [2, 2, 2])
windows("one-element", A, "STABLEHLO_ADD", 0, np.sum, [1, 1, 1])
windows("integers", ints(2, 5), "STABLEHLO_MAXIMUM", -2147483648, np.max, [1, 2], [1, 2], dtype="int32")


def scattered(x, list_, rows, how):
    """Rows for places of the first axes."""
    made = x.copy()
    for place, row in zip(list_.reshape(-1, list_.shape[-1]), rows.reshape(-1, *x.shape[list_.shape[-1]:])):
        if all(0 <= i < n for i, n in zip(place, x.shape)):
            made[tuple(place)] = how(made[tuple(place)], row)
    return made


PLACES = np.array([[1], [0], [1], [7], [-1]], np.int32)
ROWS = reals(5, 3, 4)
WHOLE = {"update_window_dims": [1, 2], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1, "update_computation_subgraph_index": 1}
for label, code, how in (("add", "STABLEHLO_ADD", np.add), ("product", "STABLEHLO_MULTIPLY", np.multiply), ("max", "STABLEHLO_MAXIMUM", np.maximum), ("min", "STABLEHLO_MINIMUM", np.minimum)):
    with_region("SCATTER-" + label, [fed(A), fed(PLACES), fed(ROWS)], scattered(A, PLACES, ROWS, how), WHOLE, "Scatter", region(code))
with_region("SCATTER-put", [fed(A), const(PLACES[:2]), fed(ROWS[:2])], scattered(A, PLACES[:2], ROWS[:2], lambda old, new: new), WHOLE, "Scatter", region(None))
with_region("SCATTER-put-outside", [fed(A), fed(PLACES[1:]), fed(ROWS[1:])], scattered(A, PLACES[1:], ROWS[1:], lambda old, new: new), WHOLE, "Scatter", region(None))
PAIRS = np.array([[2, 1], [0, 0], [3, 0], [1, 2]], np.int32)
COLUMNS = reals(3, 4)
with_region("SCATTER-turned", [fed(A), fed(PAIRS.T), fed(COLUMNS)], scattered(A.transpose(2, 0, 1), PAIRS, COLUMNS.T, np.add).transpose(1, 2, 0),
            {"update_window_dims": [0], "inserted_window_dims": [0, 2], "scatter_dims_to_operand_dims": [2, 0], "index_vector_dim": 0, "update_computation_subgraph_index": 1}, "Scatter",
            region("STABLEHLO_ADD"))
with_region("SCATTER-any", [fed(T), fed(np.array([1, 0, 1], np.int32)), fed(np.array([[False, False], [False, True], [True, False]]))],
            scattered(T, np.array([[1], [0], [1]]), np.array([[False, False], [False, True], [True, False]]), np.logical_or),
            {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1, "update_computation_subgraph_index": 1}, "Scatter",
            region("STABLEHLO_OR", "bool"))
LT, GT = ({"comparison_direction": "STABLEHLO_COMPARISON_DIRECTION_" + word} for word in ("LT", "GT"))
with_region("SORT", [fed(A)], np.sort(A, 1), {"dimension": 1, "comparator_subgraph_index": 1}, "Sort", region("STABLEHLO_COMPARE", made="bool", table="StablehloCompareOptions", options=LT))
with_region("SORT-down", [fed(A)], -np.sort(-A, 2), {"dimension": 2, "comparator_subgraph_index": 1}, "Sort", region("STABLEHLO_COMPARE", made="bool", table="StablehloCompareOptions", options=GT))
with_region("SORT-turned", [fed(A)], -np.sort(-A, 2), {"dimension": 2, "comparator_subgraph_index": 1}, "Sort", region("LESS", made="bool", table="LessOptions", turned=True))
KEYS, NUMBERS = ints(2, 6, low=0, high=3), np.broadcast_to(np.arange(6, dtype=np.int32), (2, 6)).copy()
ORDER = np.argsort(KEYS, 1, kind="stable")
with_region("SORT-pairs", [fed(KEYS), fed(NUMBERS)], [np.take_along_axis(KEYS, ORDER, 1), np.take_along_axis(NUMBERS, ORDER, 1)], {"dimension": 1, "is_stable": True, "comparator_subgraph_index": 1}, "Sort",
            region("STABLEHLO_COMPARE", ("int32", "int32"), "bool", "StablehloCompareOptions", LT, 2))
VALUES = reals(2, 6)
with_region("SORT-by-second", [fed(VALUES), fed(KEYS.astype(np.int8))], [np.take_along_axis(VALUES, ORDER, 1), np.take_along_axis(KEYS.astype(np.int8), ORDER, 1)],
            {"dimension": 1, "is_stable": True, "comparator_subgraph_index": 1}, "Sort", region("STABLEHLO_COMPARE", ("float32", "int8"), "bool", "StablehloCompareOptions", LT, 2, key=1))
BRANCHES = [region(code) for code in ("STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_SUBTRACT")]
BRANCHES = [({**values, **{name: out("float32", 2, 3, 4) for name in values}}, *rest) for values, *rest in BRANCHES]
for number, count in ((0, 4), (1, 4), (2, 4), (3, 4), (9, 4), (-1, 4), (0, 2), (1, 2), (5, 1)):
    how = (np.add, np.multiply, np.maximum, np.subtract)[number if 0 <= number < count else count - 1]
    stablehlo(f"CASE-{count}-{'m1' if number < 0 else number}", [fed(np.int32(number)), fed(A), fed(B)], how(A, B), {"branch_subgraph_indices": list(range(1, count + 1))}, "Case")
    CASES[-1] = CASES[-1]._replace(subgraphs=BRANCHES[:count])
random.bit_generator.state = BEFORE


# --- images ----------------------------------------------------------------------------------------

for name, options in (("plain", {}), ("corners", {"align_corners": True}), ("half", {"half_pixel_centers": True})):
    for size in ([7, 5], [14, 12], [3, 9]):
        label = f"{name}_{size[0]}_{size[1]}"
        case("bilinear_" + label, "RESIZE_BILINEAR", [fed(reals(1, 7, 6, 2)), const(size)], [out("float32", 1, *size, 2)], options, "ResizeBilinearOptions")
        case("nearest_" + label, "RESIZE_NEAREST_NEIGHBOR", [fed(reals(1, 7, 6, 2)), const(size)], [out("float32", 1, *size, 2)], options, "ResizeNearestNeighborOptions")
case("space_to_depth", "SPACE_TO_DEPTH", [fed(reals(1, 4, 6, 3))], [out("float32", 1, 2, 3, 12)], {"block_size": 2}, "SpaceToDepthOptions")
case("depth_to_space", "DEPTH_TO_SPACE", [fed(reals(1, 2, 3, 12))], [out("float32", 1, 4, 6, 3)], {"block_size": 2}, "DepthToSpaceOptions")
case("space_to_batch", "SPACE_TO_BATCH_ND", [fed(reals(1, 4, 5, 2)), const([2, 2]), const([[0, 0], [1, 0]])], [out("float32", 4, 2, 3, 2)])
case("batch_to_space", "BATCH_TO_SPACE_ND", [fed(reals(4, 2, 3, 2)), const([2, 2]), const([[0, 1], [1, 0]])], [out("float32", 1, 3, 5, 2)])
BOXES = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]], np.float32)
SCORES = np.array([0.9, 0.75, 0.6, 0.95, 0.5, 0.3], np.float32)
case("nms_v4", "NON_MAX_SUPPRESSION_V4", [fed(BOXES), fed(SCORES), const(np.int32(5)), const(np.float32(0.5)), const(np.float32(0.4))],
     [out("int32", 5), out("int32")])
case("nms_v5", "NON_MAX_SUPPRESSION_V5", [fed(BOXES), fed(SCORES), const(np.int32(4)), const(np.float32(0.5)), const(np.float32(0.0)), const(np.float32(0.0))],
     [out("int32", 4), out("float32", 4), out("int32")])

# --- quantised -----------------------------------------------------------------------------------------

def bytes_of(*shape, dtype=np.int8):
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


for dtype, zero in ((np.int8, -5), (np.uint8, 120)):
    word = np.dtype(dtype).name
    q = lambda *shape, scale=0.05: fed(bytes_of(*shape, dtype=dtype), scale, zero)
    y = lambda *shape, scale=0.05, z=zero: out(word, *shape, scale=scale, zero=z)
    for code, table in (("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions")):
        case(f"{code.lower()}_{word}", code, [q(2, 8), q(2, 8, scale=0.02)], [y(2, 8, scale=0.08)], {"fused_activation_function": "RELU"}, table)
    for code in ("LOGISTIC", "TANH"):
        scale, z = ((1 / 256, -128) if code == "LOGISTIC" else (1 / 128, 0)) if dtype == np.int8 else ((1 / 256, 0) if code == "LOGISTIC" else (1 / 128, 128))
        case(f"{code.lower()}_{word}", code, [q(2, 8)], [y(2, 8, scale=scale, z=z)])
    case(f"softmax_{word}", "SOFTMAX", [q(2, 8)], [y(2, 8, scale=1 / 256, z=-128 if dtype == np.int8 else 0)], {"beta": 1.0}, "SoftmaxOptions")
    case(f"max_pool_{word}", "MAX_POOL_2D", [q(1, 4, 4, 3)], [y(1, 2, 2, 3)],
         {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}, "Pool2DOptions")
    case(f"average_pool_{word}", "AVERAGE_POOL_2D", [q(1, 4, 4, 3)], [y(1, 2, 2, 3)],
         {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}, "Pool2DOptions")
    case(f"reshape_{word}", "RESHAPE", [q(2, 8), const([4, 4])], [y(4, 4)], {}, "ReshapeOptions")
    case(f"pad_{word}", "PAD", [q(2, 3), const([[0, 1], [2, 0]])], [y(3, 5)])
    case(f"concat_{word}", "CONCATENATION", [q(2, 3), q(2, 2)], [y(2, 5)], {"axis": 1}, "ConcatenationOptions")
    case(f"transpose_{word}", "TRANSPOSE", [q(2, 3), const([1, 0])], [y(3, 2)])
    case(f"gather_{word}", "GATHER", [q(4, 3), const([2, 0])], [y(2, 3)], {"axis": 0}, "GatherOptions")
    case(f"split_{word}", "SPLIT", [const(np.int32(1)), q(2, 4)], [y(2, 2), y(2, 2)], {"num_splits": 2}, "SplitOptions")
    case(f"slice_{word}", "SLICE", [q(2, 4), const([0, 1]), const([2, 2])], [y(2, 2)])
    case(f"mean_{word}", "MEAN", [q(2, 4, 4, 3), const([1, 2])], [y(2, 3, scale=0.04)], {}, "ReducerOptions")
    case(f"relu_{word}", "RELU", [q(2, 8)], [y(2, 8)])
    case(f"resize_{word}", "RESIZE_NEAREST_NEIGHBOR", [q(1, 2, 2, 3), const([4, 4])], [y(1, 4, 4, 3)], {}, "ResizeNearestNeighborOptions")
    case(f"bilinear_{word}", "RESIZE_BILINEAR", [q(1, 2, 2, 3), const([4, 4])], [y(1, 4, 4, 3)], {"half_pixel_centers": True}, "ResizeBilinearOptions")
    case(f"dequantize_{word}", "DEQUANTIZE", [q(2, 8)], [out("float32", 2, 8)])
    case(f"quantize_{word}", "QUANTIZE", [fed(reals(2, 8))], [y(2, 8)])
    case(f"depth_to_space_{word}", "DEPTH_TO_SPACE", [q(1, 2, 2, 8)], [y(1, 4, 4, 2)], {"block_size": 2}, "DepthToSpaceOptions")
    case(f"maximum_{word}", "MAXIMUM", [q(2, 8), q(2, 8)], [y(2, 8)])
    case(f"less_{word}", "LESS", [q(2, 8), q(2, 8)], [out("bool", 2, 8)])
    case(f"arg_max_{word}", "ARG_MAX", [q(2, 8), const(np.int32(1))], [out("int32", 2)], {"output_type": "INT32"}, "ArgMaxOptions")
    case(f"pack_{word}", "PACK", [q(2, 3), q(2, 3)], [y(2, 2, 3)], {"values_count": 2, "axis": 1}, "PackOptions")
    case(f"leaky_{word}", "LEAKY_RELU", [q(2, 8)], [y(2, 8)], {"alpha": 0.2}, "LeakyReluOptions")
case("requantize", "QUANTIZE", [fed(bytes_of(2, 8), 0.05, 3)], [out("uint8", 2, 8, scale=0.03, zero=130)])
WSCALE = random.uniform(0.01, 0.03, 5).astype(np.float32)
case("conv_int8", "CONV_2D", [fed(bytes_of(1, 6, 6, 3), 0.05, 4), const(random.integers(-127, 127, (5, 3, 3, 3)).astype(np.int8), WSCALE, 0),
                              const(ints(5, low=-500, high=500), WSCALE * np.float32(0.05), 0)],
     [out("int8", 1, 6, 6, 5, scale=0.25, zero=-10)], {"padding": "SAME", "stride_w": 1, "stride_h": 1, "fused_activation_function": "RELU"}, "Conv2DOptions")
DSCALE = random.uniform(0.01, 0.03, 4).astype(np.float32)
case("depthwise_int8", "DEPTHWISE_CONV_2D", [fed(bytes_of(1, 6, 6, 4), 0.05, 4),
                                             const(random.integers(-127, 127, (1, 3, 3, 4)).astype(np.int8), DSCALE, 0, axis=3),
                                             const(ints(4, low=-500, high=500), DSCALE * np.float32(0.05), 0)],
     [out("int8", 1, 3, 3, 4, scale=0.1, zero=-10)], {"padding": "SAME", "stride_w": 2, "stride_h": 2, "depth_multiplier": 1}, "DepthwiseConv2DOptions")
case("conv_uint8", "CONV_2D", [fed(bytes_of(1, 6, 6, 3, dtype=np.uint8), 0.05, 128), const(bytes_of(5, 3, 3, 3, dtype=np.uint8), 0.02, 110),
                               const(ints(5, low=-500, high=500), np.float32(0.05) * np.float32(0.02), 0)],
     [out("uint8", 1, 4, 4, 5, scale=0.25, zero=120)], {"padding": "VALID", "stride_w": 1, "stride_h": 1}, "Conv2DOptions")
case("fully_connected_int8", "FULLY_CONNECTED", [fed(bytes_of(2, 8), 0.05, 4), const(random.integers(-127, 127, (5, 8)).astype(np.int8), 0.02, 0),
                                                 const(ints(5, low=-500, high=500), np.float32(0.05) * np.float32(0.02), 0)],
     [out("int8", 2, 5, scale=0.2, zero=-10)], {}, "FullyConnectedOptions")
case("fully_connected_dynamic", "FULLY_CONNECTED", [fed(reals(2, 8)), const(random.integers(-127, 127, (5, 8)).astype(np.int8), 0.02, 0), const(reals(5))],
     [out("float32", 2, 5)], {}, "FullyConnectedOptions", steps=-1)
case("transpose_conv_int8", "TRANSPOSE_CONV", [const([1, 8, 8, 5]), const(random.integers(-127, 127, (5, 3, 3, 2)).astype(np.int8), WSCALE, 0),
                                               fed(bytes_of(1, 4, 4, 2), 0.05, 4)],
     [out("int8", 1, 8, 8, 5, scale=0.2, zero=-10)], {"padding": "SAME", "stride_w": 2, "stride_h": 2}, "TransposeConvOptions")
case("float16_weights", "DEQUANTIZE", [const(reals(3, 4).astype(np.float16))], [out("float32", 3, 4)])
CASES.pop()  # nothing is fed
HALF = {"x0": fed(reals(2, 4)), "h": const(reals(5, 4).astype(np.float16)), "w": out("float32", 5, 4), "y0": out("float32", 2, 5)}
CASES.append(Case("float16", [("DEQUANTIZE", None, {}, ["h"], ["w"]), ("FULLY_CONNECTED", "FullyConnectedOptions", {}, ["x0", "w"], ["y0"])],
                  HALF, ["y0"], 1, []))

# --- sequences -----------------------------------------------------------------------------------------

def state(*shape):
    return Value(np.zeros(shape, np.float32), False, "float32", list(shape), None, None, 0, True)


def gates(units, width, peep=False):
    made = [const(reals(units, width)) for _ in range(4)] + [const(reals(units, units, low=-0.5, high=0.5)) for _ in range(4)]
    made += [const(reals(units)) if peep else None for _ in range(3)]
    return made + [const(reals(units)) for _ in range(4)]


for major in (False, True):
    shape = (4, 2, 3) if major else (2, 4, 3)
    case(f"lstm_sequence_{'time' if major else 'batch'}", "UNIDIRECTIONAL_SEQUENCE_LSTM",
         [fed(reals(*shape)), *gates(5, 3), None, None, state(2, 5), state(2, 5)], [out("float32", *shape[:2], 5)],
         {"fused_activation_function": "TANH", "time_major": major, "cell_clip": 10.0}, "UnidirectionalSequenceLSTMOptions")
case("lstm_sequence_peephole", "UNIDIRECTIONAL_SEQUENCE_LSTM",
     [fed(reals(2, 4, 3)), *gates(5, 3, True), None, None, state(2, 5), state(2, 5)], [out("float32", 2, 4, 5)],
     {"fused_activation_function": "TANH"}, "UnidirectionalSequenceLSTMOptions")
CIFG = gates(5, 3)
for at in (0, 4, 11):
    CIFG[at] = None
case("lstm_sequence_coupled", "UNIDIRECTIONAL_SEQUENCE_LSTM", [fed(reals(2, 4, 3)), *CIFG, None, None, state(2, 5), state(2, 5)], [out("float32", 2, 4, 5)],
     {"fused_activation_function": "TANH"}, "UnidirectionalSequenceLSTMOptions")
case("rnn_sequence", "UNIDIRECTIONAL_SEQUENCE_RNN", [fed(reals(2, 4, 3)), const(reals(5, 3)), const(reals(5, 5, low=-0.5, high=0.5)), const(reals(5)), state(2, 5)],
     [out("float32", 2, 4, 5)], {"fused_activation_function": "TANH"}, "SequenceRNNOptions")
for merge in (False, True):
    case(f"lstm_bidirectional_{'merged' if merge else 'apart'}", "BIDIRECTIONAL_SEQUENCE_LSTM",
         [fed(reals(4, 2, 3)), *gates(5, 3), None, None, *gates(5, 3), None, None, state(2, 5), state(2, 5), state(2, 5), state(2, 5), *[None] * 9],
         [out("float32", 4, 2, 10)] if merge else [out("float32", 4, 2, 5)] * 2,
         {"fused_activation_function": "TANH", "merge_outputs": merge, "time_major": True}, "BidirectionalSequenceLSTMOptions")
case("lstm_step", "LSTM", [fed(reals(2, 3)), *gates(5, 3, True), None, None, state(2, 5), state(2, 5)], [out("float32", 2, 5)],
     {"fused_activation_function": "TANH", "cell_clip": 1.0}, "LSTMOptions")
case("lstm_step_projection", "LSTM", [fed(reals(2, 3)), *[const(reals(5, 3)) for _ in range(4)], *[const(reals(5, 4)) for _ in range(4)], None, None, None,
                                      *[const(reals(5)) for _ in range(4)], const(reals(4, 5)), const(reals(4)), state(2, 4), state(2, 5)], [out("float32", 2, 4)],
     {"fused_activation_function": "TANH", "proj_clip": 1.0}, "LSTMOptions")
case("rnn_step", "RNN", [fed(reals(2, 3)), const(reals(5, 3)), const(reals(5, 5)), const(reals(5)), state(2, 5)], [out("float32", 2, 5)],
     {"fused_activation_function": "RELU"}, "RNNOptions")
case("svdf", "SVDF", [fed(reals(2, 3)), const(reals(8, 3)), const(reals(8, 6)), const(reals(4)), state(2, 48)], [out("float32", 2, 4)],
     {"rank": 2, "fused_activation_function": "RELU"}, "SVDFOptions")

# --- subgraphs -------------------------------------------------------------------------------------------

def sub(values, operators, inputs, outputs):
    return values, operators, inputs, outputs


ADD_ONE = sub({"a": out("float32", 2, 3), "one": const(np.float32(1)), "b": out("float32", 2, 3)}, [("ADD", "AddOptions", {}, ["a", "one"], ["b"])], ["a"], ["b"])
DOUBLE = sub({"a": out("float32", 2, 3), "b": out("float32", 2, 3)}, [("ADD", "AddOptions", {}, ["a", "a"], ["b"])], ["a"], ["b"])
for flag in (True, False):
    CASES.append(Case(f"if_{str(flag).lower()}", [("IF", "IfOptions", {"then_subgraph_index": 1, "else_subgraph_index": 2}, ["c", "x"], ["y"])],
                      {"c": fed(np.array([flag])), "x": fed(reals(2, 3)), "y": out("float32", 2, 3)}, ["y"], 1, [ADD_ONE, DOUBLE]))
COND = sub({"i": out("int32", 1), "a": out("float32", 2, 3), "n": const([4]), "c": out("bool", 1)}, [("LESS", "LessOptions", {}, ["i", "n"], ["c"])], ["i", "a"], ["c"])
BODY = sub({"i": out("int32", 1), "a": out("float32", 2, 3), "one": const([1]), "half": const(np.float32(0.5)), "j": out("int32", 1), "b": out("float32", 2, 3)},
           [("ADD", "AddOptions", {}, ["i", "one"], ["j"]), ("MUL", "MulOptions", {}, ["a", "half"], ["b"])], ["i", "a"], ["j", "b"])
CASES.append(Case("while", [("WHILE", "WhileOptions", {"cond_subgraph_index": 1, "body_subgraph_index": 2}, ["i", "x"], ["j", "y"])],
                  {"i": fed(np.array([1], np.int32)), "x": fed(reals(2, 3)), "j": out("int32", 1), "y": out("float32", 2, 3)}, ["j", "y"], 1, [COND, BODY]))

# --- custom operators ---------------------------------------------------------------------------------------

def flex_map(items):
    """A flexbuffer map of ints, floats and bools, all of 32 bits."""
    import struct
    out_bytes, places = bytearray(), {}
    for key in sorted(items):
        places[key] = len(out_bytes)
        out_bytes += key.encode() + b"\0"
    while len(out_bytes) % 4:
        out_bytes += b"\0"
    out_bytes += struct.pack("<I", len(items))
    keys_at = len(out_bytes)
    for key in sorted(items):
        out_bytes += struct.pack("<I", len(out_bytes) - places[key])
    out_bytes += struct.pack("<I", len(out_bytes) - keys_at) + struct.pack("<I", 4) + struct.pack("<I", len(items))
    begin = len(out_bytes)
    types = bytearray()
    for key in sorted(items):
        one = items[key]
        kind = 26 if isinstance(one, bool) else 1 if isinstance(one, int) else 3
        out_bytes += struct.pack("<f", one) if kind == 3 else struct.pack("<i", int(one))
        types.append(kind << 2 | 2)
    out_bytes += types
    out_bytes += bytes([len(out_bytes) - begin, 9 << 2 | 2, 1])
    return bytes(out_bytes)


ANCHORS = np.array([[0.5, 0.5, 1, 1], [0.5, 0.5, 1, 1], [0.5, 0.5, 1, 1], [0.5, 10.5, 1, 1], [0.5, 10.5, 1, 1], [0.5, 100.5, 1, 1]], np.float32)
CODES = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [0, -1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]], np.float32)[None]
CLASSES = np.array([[0, 0.9, 0.8], [0, 0.75, 0.72], [0, 0.6, 0.5], [0, 0.93, 0.95], [0, 0.5, 0.4], [0, 0.3, 0.2]], np.float32)[None]
for regular in (False, True):
    for many in (1, 2):
        options = {"max_detections": 3, "max_classes_per_detection": many, "detections_per_class": 2, "use_regular_nms": regular,
                   "nms_score_threshold": 0.0, "nms_iou_threshold": 0.5, "num_classes": 2, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0}
        if regular and many == 2:
            continue
        case(f"detection_{'regular' if regular else 'fast'}_{many}", "custom:TFLite_Detection_PostProcess",
             [fed(CODES), fed(CLASSES), const(ANCHORS)],
             [out("float32", 1, 3 * many, 4), out("float32", 1, 3 * many), out("float32", 1, 3 * many), out("float32", 1)], flex_map(options))


# --- what few models have ------------------------------------------------------------------------------------

case("fake_quant", "FAKE_QUANT", [fed(reals(2, 8))], [out("float32", 2, 8)], {"min": -1.0, "max": 1.5, "num_bits": 8}, "FakeQuantOptions")
case("conv_3d_transpose", "CONV_3D_TRANSPOSE", [const([1, 4, 6, 6, 3]), const(reals(2, 2, 2, 3, 2)), fed(reals(1, 2, 3, 3, 2))],
     [out("float32", 1, 4, 6, 6, 3)], {"padding": "SAME", "stride_d": 2, "stride_w": 2, "stride_h": 2}, "Conv3DOptions")
case("add_int16", "ADD", [fed(bytes_of(2, 8, dtype=np.int16), 0.001, 0), fed(bytes_of(2, 8, dtype=np.int16), 0.002, 0)],
     [out("int16", 2, 8, scale=0.004, zero=0)], {"pot_scale_int16": False}, "AddOptions")
case("logistic_int16", "LOGISTIC", [fed(bytes_of(2, 8, dtype=np.int16), 0.0005, 0)], [out("int16", 2, 8, scale=1 / 32768, zero=0)])
case("concat_int16", "CONCATENATION", [fed(bytes_of(2, 3, dtype=np.int16), 0.001, 0), fed(bytes_of(2, 2, dtype=np.int16), 0.001, 0)],
     [out("int16", 2, 5, scale=0.001, zero=0)], {"axis": 1}, "ConcatenationOptions")
case("sum_int8", "SUM", [fed(bytes_of(2, 4), 0.05, 3), const([1])], [out("int8", 2, scale=0.2, zero=-4)], {}, "ReducerOptions")
case("batch_matmul_int8", "BATCH_MATMUL", [fed(bytes_of(2, 3, 4), 0.05, 3), fed(bytes_of(2, 4, 5), 0.04, -2)], [out("int8", 2, 3, 5, scale=0.4, zero=1)], {}, "BatchMatMulOptions")
case("mul_broadcast_int8", "MUL", [fed(bytes_of(1, 2, 2, 8), 0.05, 3), const(bytes_of(8), 0.02, 5)], [out("int8", 1, 2, 2, 8, scale=0.1, zero=1)], {}, "MulOptions")
case("prelu_int8", "PRELU", [fed(bytes_of(1, 2, 2, 4), 0.05, 3), const(bytes_of(1, 1, 4), 0.01, 0)], [out("int8", 1, 2, 2, 4, scale=0.08, zero=1)])
case("hard_swish_int8", "HARD_SWISH", [fed(bytes_of(2, 8), 0.05, 3)], [out("int8", 2, 8, scale=0.05, zero=-60)])
case("squared_difference_int8", "SQUARED_DIFFERENCE", [fed(bytes_of(2, 8), 0.05, 3), fed(bytes_of(2, 8), 0.05, 3)], [out("int8", 2, 8, scale=0.6, zero=-128)])
case("select_v2_int8", "SELECT_V2", [fed(BOOLS), fed(bytes_of(6), 0.05, 3), fed(bytes_of(6), 0.05, 3)], [out("int8", 6, scale=0.05, zero=3)])
case("topk_int8", "TOPK_V2", [fed(np.array([[5, -3, 9, 100, -7, 1]], np.int8), 0.05, 3), const(np.int32(3))],
     [out("int8", 1, 3, scale=0.05, zero=3), out("int32", 1, 3)])
case("tile_int8", "TILE", [fed(bytes_of(2, 3), 0.05, 3), const([1, 2])], [out("int8", 2, 6, scale=0.05, zero=3)])
case("reduce_max_int8", "REDUCE_MAX", [fed(bytes_of(2, 6), 0.05, 3), const([1])], [out("int8", 2, scale=0.05, zero=3)], {}, "ReducerOptions")
case("mirror_pad_int8", "MIRROR_PAD", [fed(bytes_of(2, 4), 0.05, 3), const([[0, 0], [1, 2]])], [out("int8", 2, 7, scale=0.05, zero=3)], {"mode": "REFLECT"}, "MirrorPadOptions")
case("space_to_batch_int8", "SPACE_TO_BATCH_ND", [fed(bytes_of(1, 4, 5, 2), 0.05, 3), const([2, 2]), const([[0, 0], [1, 0]])], [out("int8", 4, 2, 3, 2, scale=0.05, zero=3)])

# Gaps in a window, as blocks in the batch.
BLOCKS = {"x": fed(reals(1, 6, 6, 2)), "block": const([2, 2]), "pads": const([[2, 2], [2, 2]]), "crops": const([[0, 0], [0, 0]]),
          "w": const(reals(3, 3, 3, 2)), "b": const(reals(3)), "cut": out("float32", 4, 5, 5, 2), "made": out("float32", 4, 3, 3, 3), "y": out("float32", 1, 6, 6, 3)}
CASES.append(Case("dilated_blocks", [("SPACE_TO_BATCH_ND", None, {}, ["x", "block", "pads"], ["cut"]),
                                     ("CONV_2D", "Conv2DOptions", {"padding": "VALID", "stride_w": 1, "stride_h": 1, "fused_activation_function": "RELU"}, ["cut", "w", "b"], ["made"]),
                                     ("BATCH_TO_SPACE_ND", None, {}, ["made", "block", "crops"], ["y"])], BLOCKS, ["y"], 1, []))

# --- sequences that become loops ----------------------------------------------------------------------

def projected(units, width, given, norms=False):
    """Weights, recurrent weights, peepholes, biases; the projection and its bias; the state; weights of normalised gates."""
    made = [const(reals(units, width)) for _ in range(4)] + [const(reals(units, given, low=-0.5, high=0.5)) for _ in range(4)] + [None] * 3
    made += [const(reals(units)) for _ in range(4)]
    made += [const(reals(given, units)), const(reals(given))] if given != units else [None, None]
    made += [state(2, given), state(2, units)]
    return made + ([const(reals(units)) for _ in range(4)] if norms else [])


for major in (False, True):
    shape = (4, 2, 3) if major else (2, 4, 3)
    case(f"lstm_sequence_projection_{'time' if major else 'batch'}", "UNIDIRECTIONAL_SEQUENCE_LSTM", [fed(reals(*shape)), *projected(5, 3, 4)],
         [out("float32", *shape[:2], 4)], {"fused_activation_function": "TANH", "time_major": major, "cell_clip": 1.0, "proj_clip": 0.5},
         "UnidirectionalSequenceLSTMOptions")
case("lstm_sequence_normalised", "UNIDIRECTIONAL_SEQUENCE_LSTM", [fed(reals(2, 4, 3)), *projected(5, 3, 5, True)], [out("float32", 2, 4, 5)],
     {"fused_activation_function": "TANH"}, "UnidirectionalSequenceLSTMOptions")
case("fully_connected_rows", "FULLY_CONNECTED", [fed(reals(4, 4)), const(reals(5, 8))], [out("float32", 2, 5)], {}, "FullyConnectedOptions")
