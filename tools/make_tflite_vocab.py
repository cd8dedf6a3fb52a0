#!/usr/bin/env python3
"""Writes rules/tflite.ops: every builtin operator of the schema of TFLite.

    make_tflite_vocab.py SCHEMA.tsv > rules/tflite.ops

SCHEMA.tsv has the columns kind, name, id, field, type, default, note: the
enum BuiltinOperator and the tables of options.  What operators take and give is
not in the schema, but in the tables below.
"""
import csv
import sys

# Names of inputs and outputs; `?`: may be left out, `*`: any number, `+`: one
# at least.  Every value is of a type of its own: kernels mix floats with
# quantised integers.
UNARY = """FLOOR L2_NORMALIZATION LOCAL_RESPONSE_NORMALIZATION LOGISTIC RELU RELU_N1_TO_1 RELU6 SOFTMAX SPACE_TO_DEPTH
    DEPTH_TO_SPACE TANH EXP LOG_SOFTMAX NEG SIN LOG SQRT RSQRT SQUARE ZEROS_LIKE ABS CEIL COS ELU ROUND HARD_SWISH GELU
    RELU_0_TO_1 SIGN BITCAST CAST QUANTIZE DEQUANTIZE LEAKY_RELU AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D SQUEEZE SHAPE RANK
    FAKE_QUANT LOGICAL_NOT WHERE MATRIX_DIAG DENSIFY IMAG REAL COMPLEX_ABS BUCKETIZE SKIP_GRAM READ_VARIABLE HASHTABLE_SIZE
    STABLEHLO_LOGISTIC STABLEHLO_RESHAPE STABLEHLO_BROADCAST_IN_DIM STABLEHLO_SLICE STABLEHLO_ABS STABLEHLO_COSINE
    STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_NEGATE STABLEHLO_RSQRT STABLEHLO_TANH STABLEHLO_CONVERT
    STABLEHLO_TRANSPOSE STABLEHLO_CBRT""".split()
BINARY = """ADD MUL SUB DIV MAXIMUM MINIMUM LESS GREATER GREATER_EQUAL LESS_EQUAL EQUAL NOT_EQUAL POW LOGICAL_OR LOGICAL_AND
    FLOOR_DIV FLOOR_MOD SQUARED_DIFFERENCE ATAN2 BITWISE_XOR RIGHT_SHIFT BATCH_MATMUL
    STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_AND STABLEHLO_MINIMUM STABLEHLO_OR
    STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_SUBTRACT STABLEHLO_COMPARE STABLEHLO_DOT_GENERAL STABLEHLO_SHIFT_LEFT""".split()
REDUCER = "MEAN SUM REDUCE_PROD REDUCE_MAX REDUCE_MIN REDUCE_ANY REDUCE_ALL".split()
OTHERS = {
    "CONCATENATION": "values+ -> output", "CONV_2D": "input filter bias? -> output",
    "DEPTHWISE_CONV_2D": "input filter bias? -> output", "TRANSPOSE_CONV": "output_shape filter input bias? -> output",
    "CONV_3D": "input filter bias? -> output", "CONV_3D_TRANSPOSE": "output_shape filter input bias? -> output",
    "FULLY_CONNECTED": "input filter bias? -> output packed?",
    "EMBEDDING_LOOKUP": "ids table -> output", "EMBEDDING_LOOKUP_SPARSE": "ids indices shape weights table -> output",
    "HASHTABLE_LOOKUP": "lookup keys values -> output hits", "LSH_PROJECTION": "hash input weight? -> output",
    "LSTM": "input i_w? f_w? c_w? o_w? i_r? f_r? c_r? o_r? i_p? f_p? o_p? i_b? f_b? c_b? o_b? projection? projection_bias? h? c? i_n? f_n? c_n? o_n?"
            " -> output h_out? c_out? gates?",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "input i_w? f_w c_w o_w i_r? f_r c_r o_r i_p? f_p? o_p? i_b? f_b c_b o_b projection? projection_bias? h c"
            " i_n? f_n? c_n? o_n? -> output",
    "BIDIRECTIONAL_SEQUENCE_LSTM": "input"
            " fi_w? ff_w fc_w fo_w fi_r? ff_r fc_r fo_r fi_p? ff_p? fo_p? fi_b? ff_b fc_b fo_b f_projection? f_projection_bias?"
            " bi_w? bf_w bc_w bo_w bi_r? bf_r bc_r bo_r bi_p? bf_p? bo_p? bi_b? bf_b bc_b bo_b b_projection? b_projection_bias?"
            " fh fc bh bc aux? fi_a? ff_a? fc_a? fo_a? bi_a? bf_a? bc_a? bo_a? -> output backward?",
    "RNN": "input weights recurrent bias h -> output", "UNIDIRECTIONAL_SEQUENCE_RNN": "input weights recurrent bias h -> output",
    "BIDIRECTIONAL_SEQUENCE_RNN": "input f_weights f_recurrent f_bias fh b_weights b_recurrent b_bias bh aux? f_aux? b_aux? -> output backward?",
    "SVDF": "input features time bias? state -> output",
    "RESHAPE": "tensor shape? -> output", "RESIZE_BILINEAR": "images size -> output", "RESIZE_NEAREST_NEIGHBOR": "images size -> output",
    "CONCAT_EMBEDDINGS": "values* -> outputs*", "CALL": "inputs* -> outputs*", "CUSTOM": "inputs* -> outputs*", "DELEGATE": "inputs* -> outputs*",
    "PLACEHOLDER_FOR_GREATER_OP_CODES": "inputs* -> outputs*",
    "PAD": "input paddings -> output", "PADV2": "input paddings constant -> output", "MIRROR_PAD": "input paddings -> output",
    "GATHER": "params indices -> output", "GATHER_ND": "params indices -> output", "SCATTER_ND": "indices updates shape -> output",
    "BATCH_TO_SPACE_ND": "input block crops -> output", "SPACE_TO_BATCH_ND": "input block paddings -> output",
    "TRANSPOSE": "x perm -> output", "STRIDED_SLICE": "input begin end strides -> output", "SLICE": "input begin size -> output",
    "TOPK_V2": "input k -> values indices", "SPLIT": "axis value -> outputs+", "SPLIT_V": "value sizes axis -> outputs+",
    "PRELU": "input alpha -> output", "ARG_MAX": "input axis -> output", "ARG_MIN": "input axis -> output",
    "SELECT": "condition x y -> output", "SELECT_V2": "condition x y -> output",
    "SPARSE_TO_DENSE": "indices shape values default -> output", "TILE": "input multiples -> output", "EXPAND_DIMS": "input axis -> output",
    "PACK": "values+ -> output", "UNPACK": "value -> outputs*", "ONE_HOT": "indices depth on off -> output", "FILL": "dims value -> output",
    "RANGE": "start limit delta -> output", "UNIQUE": "x -> y indices", "REVERSE_V2": "x axis -> output", "ADD_N": "values+ -> output",
    "REVERSE_SEQUENCE": "input lengths -> output", "MATRIX_SET_DIAG": "input diagonal -> output",
    "IF": "condition inputs* -> outputs*", "WHILE": "inputs* -> outputs*",
    "NON_MAX_SUPPRESSION_V4": "boxes scores most iou least -> selected valid",
    "NON_MAX_SUPPRESSION_V5": "boxes scores most iou least sigma -> selected worth valid",
    "SEGMENT_SUM": "data ids -> output", "CUMSUM": "input axis -> output", "CALL_ONCE": " -> ", "BROADCAST_TO": "input shape -> output",
    "RFFT2D": "input length -> output", "HASHTABLE": " -> table", "HASHTABLE_FIND": "table keys default -> output",
    "HASHTABLE_IMPORT": "table keys values -> ", "VAR_HANDLE": " -> handle", "ASSIGN_VARIABLE": "handle value -> ",
    "BROADCAST_ARGS": "s0 s1 -> output", "RANDOM_STANDARD_NORMAL": "shape -> output", "RANDOM_UNIFORM": "shape -> output",
    "MULTINOMIAL": "logits count -> output", "DYNAMIC_UPDATE_SLICE": "operand update start -> output",
    "UNSORTED_SEGMENT_PROD": "data ids count -> output", "UNSORTED_SEGMENT_MAX": "data ids count -> output",
    "UNSORTED_SEGMENT_SUM": "data ids count -> output", "UNSORTED_SEGMENT_MIN": "data ids count -> output",
    "DILATE": "input dilations padding -> output", "REDUCE_WINDOW": "input init shape strides dilations -> output",
    "STABLEHLO_CLAMP": "low operand high -> output", "STABLEHLO_CONCATENATE": "values+ -> output", "STABLEHLO_CONVOLUTION": "x w -> output",
    "STABLEHLO_CUSTOM_CALL": "inputs* -> outputs*", "STABLEHLO_REDUCE": "inputs+ -> outputs+", "STABLEHLO_SELECT": "condition x y -> output",
    "STABLEHLO_SCATTER": "operand indices updates -> output", "STABLEHLO_DYNAMIC_SLICE": "operand starts+ -> output",
    "STABLEHLO_DYNAMIC_UPDATE_SLICE": "operand update starts+ -> output", "STABLEHLO_PAD": "operand value -> output",
    "STABLEHLO_IOTA": " -> output", "STABLEHLO_REDUCE_WINDOW": "inputs+ -> outputs+", "STABLEHLO_SORT": "inputs+ -> outputs+",
    "STABLEHLO_WHILE": "inputs* -> outputs*", "STABLEHLO_GATHER": "operand starts -> output",
    "STABLEHLO_RNG_BIT_GENERATOR": "state -> state_out output", "STABLEHLO_COMPOSITE": "inputs* -> outputs*", "STABLEHLO_CASE": "index inputs* -> outputs*",
}
# What arguments are, by their names: numbers of places and sizes, conditions.
INDICES = """axis axes shape perm begin end strides size paddings block crops multiples dims k depth lengths output_shape sizes length
    ids most indices starts dilations""".split()
RANKS = {"perm": "[1]", "begin": "[1]", "end": "[1]", "strides": "[1]", "size": "[1]", "multiples": "[1]", "dims": "[1]", "output_shape": "[1]",
         "paddings": "[2]", "crops": "[2]", "axis": "[0..1]", "axes": "[0..1]", "block": "[1]"}
# The same of single operators: for each argument a type, a rank or both; kernels refuse others.
IMAGES = dict.fromkeys("AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D SPACE_TO_DEPTH DEPTH_TO_SPACE LOCAL_RESPONSE_NORMALIZATION".split(), {"x": "any[4]", "y": "any[4]"})
SINGLE = {
    **IMAGES,
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"), {"input": "any[4]", "filter": "any[4]", "output": "any[4]"}),
    **dict.fromkeys(("CONV_3D", "CONV_3D_TRANSPOSE"), {"input": "any[5]", "filter": "any[5]", "output": "any[5]"}),
    **dict.fromkeys(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"), {"images": "any[4]", "output": "any[4]"}),
    **dict.fromkeys(("LESS", "GREATER", "GREATER_EQUAL", "LESS_EQUAL", "EQUAL", "NOT_EQUAL"), {"z": "bool"}),
    **dict.fromkeys(("LOGICAL_OR", "LOGICAL_AND"), {"x": "bool", "y": "bool", "z": "bool"}),
    "LOGICAL_NOT": {"x": "bool", "y": "bool"}, **dict.fromkeys(("REDUCE_ANY", "REDUCE_ALL"), {"input": "bool", "output": "bool"}),
    **dict.fromkeys(("SELECT", "SELECT_V2", "IF", "STABLEHLO_SELECT"), {"condition": "bool"}),
    "SHAPE": {"y": "integers[1]"}, "RANK": {"y": "integers[0]"}, "WHERE": {"y": "integers[2]"},
    **dict.fromkeys(("ARG_MAX", "ARG_MIN"), {"output": "integers"}),
    "FULLY_CONNECTED": {"filter": "any[2]"}, "BATCH_MATMUL": {"x": "any[2..]", "y": "any[2..]"},
    "SVDF": {"input": "any[2]", "features": "any[2]", "time": "any[2]"}, "EMBEDDING_LOOKUP": {"ids": "integers[1]"},
    "LSTM": {"input": "any[2]"}, "RNN": {"input": "any[2]", "weights": "any[2]", "recurrent": "any[2]"},
    **dict.fromkeys(("UNIDIRECTIONAL_SEQUENCE_LSTM", "UNIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN"),
                    {"input": "any[3]"}),
    "STRIDED_SLICE": {"strides": "integers[1]"}, "REDUCE_WINDOW": {"strides": "integers[1]"}, "DILATE": {"dilations": "integers[1]"},
    "DYNAMIC_UPDATE_SLICE": {"start": "integers[1]"}, "CUMSUM": {"axis": "integers"},
    # Of these the names say something else.
    "UNIQUE": {"indices": "integers[1]"}, "HASHTABLE_LOOKUP": {"keys": "any"}, "LSH_PROJECTION": {"hash": "any"},
}
# Where the table of options is not called like the operator.
OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2D", "MAX_POOL_2D": "Pool2D", "L2_POOL_2D": "Pool2D", "CONV_2D": "Conv2D", "DEPTHWISE_CONV_2D": "DepthwiseConv2D",
    "CONV_3D": "Conv3D", "CONV_3D_TRANSPOSE": "Conv3D", "L2_NORMALIZATION": "L2Norm", "LSH_PROJECTION": "LSHProjection", "LSTM": "LSTM",
    "RNN": "RNN", "SVDF": "SVDF", "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNN", "BIDIRECTIONAL_SEQUENCE_RNN": "BidirectionalSequenceRNN",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTM", "BIDIRECTIONAL_SEQUENCE_LSTM": "BidirectionalSequenceLSTM",
    "PADV2": "PadV2", "BATCH_TO_SPACE_ND": "BatchToSpaceND", "SPACE_TO_BATCH_ND": "SpaceToBatchND", "TOPK_V2": "TopKV2",
    "MAXIMUM": "MaximumMinimum", "MINIMUM": "MaximumMinimum", "BATCH_MATMUL": "BatchMatMul", "RFFT2D": "Rfft2d", "ATAN2": "ATan2",
    "RANDOM_STANDARD_NORMAL": "Random", "RANDOM_UNIFORM": "Random", "MULTINOMIAL": "Random", "STABLEHLO_COMPOSITE": "StableHLOComposite",
}
for name in REDUCER:
    OPTIONS[name] = "Reducer"

HEAD = """vocabulary tflite 1
# Every builtin operator of TFLite, as tools/make_tflite_vocab.py writes it from
# the schema.  The format: rules/README.md.
#
# Types of what is computed are not compared: kernels mix floats with quantised
# integers, and what is right depends on their scales.  Places, sizes, conditions
# and ranks are.

types integers = {int2 int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64}
types floats = {float16 bfloat16 float32 float64 float8e4m3fn float8e5m2}
types any = {integers floats bool complex64 complex128 string resource variant}

domain ""
"""

TAIL = """
# Of these domains everybody may add operators.  Options are what the flexbuffer
# of a file says, which tflite_tidy.c reads.
domain custom open

op Convolution2DTransposeBias (input any, filter any, bias any) -> (output any)
    custom_options? string
    padding string = "SAME"
    stride_w int = 1
    stride_h int = 1
op MaxPoolingWithArgmax2D (input any) -> (output any, indices any)
    custom_options? string
    padding string = "SAME"
    stride_w int = 1
    stride_h int = 1
    filter_width int = 1
    filter_height int = 1
op TFLite_Detection_PostProcess (boxes any, scores any, anchors any) -> (found any, classes any, worth any, count any)
    custom_options? string
    max_detections? int
    max_classes_per_detection int = 1
    detections_per_class int = 100
    use_regular_nms bool = false
    nms_score_threshold? float
    nms_iou_threshold? float
    num_classes? int
    y_scale float = 10
    x_scale float = 10
    h_scale float = 5
    w_scale float = 5

# What passes make: quantisation, of which files say only parameters.
domain tenon

op Dequantize (x any, scale floats, zero? any) -> (y floats)
    axis? int
    block_size int = 0
op Quantize (x any, scale floats, zero? any) -> (y any)
    axis? int
"""


# Attributes that no file has: tflite_tidy.c says there what the output is.
MADE = {"BITCAST": "out_data_type? type", "MULTINOMIAL": "out_data_type? type", "STABLEHLO_CONVERT": "out_data_type? type",
        "STABLEHLO_IOTA": "out_data_type? type"}


def arguments(op, text):
    parts = []
    for word in text.split():
        mark = word[-1] if word[-1] in "?*+" else ""
        name = word.rstrip("?*+")
        kind = SINGLE.get(op, {}).get(name) or ("integers" + RANKS.get(name, "") if name in INDICES else "any")
        parts.append(word + " " + kind if mark in ("", "?") else word + " ~$V")
    return ", ".join(parts)


def camel(op):
    return "".join(w.capitalize() for w in op.split("_"))


def main(path):
    rows = list(csv.DictReader(open(path), delimiter="\t", quoting=csv.QUOTE_NONE))
    enums, tables = {}, {}
    for r in rows:
        if r["kind"] == "enum":
            enums.setdefault(r["name"], []).append(r["field"])
        elif r["kind"] == "table" and r["field"]:
            tables.setdefault(r["name"], []).append(r)
    known = {t.lower(): t for t in {r["name"] for r in rows if r["kind"] == "table"}}
    signatures = {**OTHERS, **{n: "x -> y" for n in UNARY}, **{n: "x y -> z" for n in BINARY}, **{n: "input axes -> output" for n in REDUCER}}
    dtypes = {"FLOAT32": "float32", "INT32": "int32"}
    out = [HEAD]
    for op in sorted(enums["BuiltinOperator"]):
        inputs, outputs = signatures.pop(op).split("->")
        out.append("op %s (%s) -> (%s)" % (op, arguments(op, inputs), arguments(op, outputs)))
        if "~$V" in out[-1]:
            out.append("    $V in {any}")
        table = known.get((OPTIONS.get(op, camel(op)) + "Options").lower())
        for f in tables.get(table, []):
            kind, default = f["type"], f["default"]
            if "deprecated" in f["note"]:
                continue
            if f["field"].endswith("subgraph_index") or (op == "CALL" and f["field"] == "subgraph"):
                out.append("    %s func" % f["field"])
            elif f["field"].endswith("subgraph_indices") or f["field"] == "called_computations":
                out.append("    %s? list(func)" % f["field"])
            elif kind == "[ubyte]" or kind == "string":
                out.append("    %s? string" % f["field"])
            elif kind.startswith("["):
                of = kind[1:-1]
                word = {"int": "int", "long": "int", "float": "float", "bool": "bool"}.get(of, "string")
                out.append("    %s? list(%s)" % (f["field"], word))
            elif kind == "TensorType":
                out.append("    %s type = %s" % (f["field"], dtypes[default or "FLOAT32"]))
            elif kind in enums:
                out.append('    %s string = "%s"' % (f["field"], default or enums[kind][0]))
            elif kind == "bool":
                out.append("    %s bool = %s" % (f["field"], default or "false"))
            elif kind == "float":
                out.append("    %s float = %s" % (f["field"], default or "0"))
            else:
                out.append("    %s int = %s" % (f["field"], default or "0"))
        if op in MADE:
            out.append("    " + MADE[op])
    assert not signatures, signatures
    print("\n".join(out) + TAIL, end="")


main(sys.argv[1])
