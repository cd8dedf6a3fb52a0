"""causes.py - differences that are not ours, each with its cause

A row: the kind of the fault, the operators that it is about (a pattern), a pattern
of its words, and the cause.  What no row names is ours until somebody has found
out.  Kinds differ in what a row may excuse:

    refused   we said before anything was written that we do not convert it, and
              why: the row names operator and reason
    engine    ONNX Runtime does not run what we wrote: the words begin with the node
              that it fails at, found by running the nodes before it (blame.py), and
              the row names what the engine's fault is there
    nd4j      the evaluator of libnd4j's semantics says something else: the row
              names what libnd4j, or the evaluator, does there

Numbers, types, shapes and inputs and outputs that differ have no rows at all.
"""
import collections
import re

Cause = collections.namedtuple("Cause", "kind operators words text")

# What an operator needs to know of its arguments to be written in another dialect, and a
# model may leave open: operators, words of the refusal, what it is.
OPEN = [
    ("Conv|ConvInteger|QLinearConv|ConvTranspose", r"(shape|dimension) of '\S+', which is (unknown|not fully known)",
     "the sizes of the weights, or of the image where it is padded to be the same"),
    ("conv2d|depthwise_conv2d|conv3dnew", "needs the size of the image",
     "the size of an image that windows with gaps are moved over"),
    ("MaxPool|AveragePool|LpPool", r"shape of '\S+', which is (unknown|not fully known)|needs the size of the image|a value that is known only",
     "the size of the image"),
    ("MaxPool|maxpool2d|AvgPool|avgpool2d", "needs the size of the image", "the size of an image that is padded to be the same"),
    ("TopK|Roll|roll|ScatterElements", r"rank of '\S+', which is unknown", "the rank of the array"),
    ("Hardmax", "needs the shape of its input", "the sizes of the array"),
    ("Softmax|LogSoftmax|Hardmax", r"rank of '\S+', which is (unknown|not fully known)", "the rank of the array"),
    ("lstmLayer", r"dimension of '\S+', which is (unknown|not fully known)", "the size of the state"),
    ("RNN|GRU|LSTM", "needs the number of steps|needs the sizes of", "the number of steps"),
    ("GatherND", r"dimension of '\S+', which is (unknown|not fully known)", "the length of an index"),
    ("ScatterND", "needs the shape of its input", "the shape of the input"),
    ("DepthToSpace", "needs the number of channels", "the number of channels"),
    ("onehot", r"rank of '\S+', which is (unknown|not fully known)", "the rank of the places"),
    ("Einsum", "is unknown|fully known|needs the ranks of all inputs|of unknown rank", "the ranks of the arguments"),
    ("MatrixSetDiagV2|MatrixSetDiagV3|MatrixDiagV3|MatrixDiagV2",
     r"(dimension|shape) of '\S+', which is (unknown|not fully known)", "the sizes of the matrices"),
    ("svd|qr|lstsq|triangular_solve|lu|cholesky|solve|matrix_inverse|matrix_determinant",
     "needs the size of the matrix", "the sizes of the matrices"),
    ("BlockLSTM|BlockLSTMV2|lstmBlock", r"needs the numbers? of steps|at least one step|(dimension|shape) of '\S+', which is (unknown|not fully known)",
     "the number of steps and cells, at least one step"),
    ("SparseSoftmaxCrossEntropyWithLogits", r"dimension of '\S+', which is (unknown|not fully known)", "the number of classes"),
    ("DynamicStitch|ParallelDynamicStitch", r"shape of '\S+', which is (unknown|not fully known)", "the shapes of the parts"),
    ("BiasAddGrad", r"no rule fits its use here: ",
     "the rank of the gradient"),
    ("DenseBincount", r"no rule fits its use here: ",
     "the rank of the numbers, and whether there are weights"),
    ("MatrixInverse|BatchMatrixInverse", r"rank of '\S+', which is (unknown|not fully known)", "the rank of the matrices"),
    ("MatrixTriangularSolve", "no rule fits its use here: ", "the number of matrices where the ranks differ"),
    ("MulNoNan|Xdivy|Xlog1py|Xlogy|DivNoNan", "a value that is known only", "the shapes of both arguments"),
    ("NonMaxSuppressionV5|NonMaxSuppressionV4|NonMaxSuppressionV3", "needs the number of boxes",
     "the number of boxes"),
    ("Conv2DBackpropInput|deconv2d_tf|Conv3DBackpropInputV2|deconv3d",
     r"shape of '\S+', which is (unknown|not fully known)|needs the sizes of the image and of the filter",
     "the size of the filter"),
    ("DataFormatVecPermute", r"dimension of '\S+', which is unknown", "the number of sizes"),
    ("dilation2d", r"shape of '\S+', which is (unknown|not fully known)", "the size of the filter"),
    ("draw_bounding_boxes", "needs the numbers of boxes and of colors",
     "the number of boxes and colors"),
    ("TensorScatterMax|TensorScatterMin|ScatterNdMax|ScatterNdMin|TensorScatterSub|TensorScatterAdd",
     r"shape of '\S+', which is (unknown|not fully known)|shape of '\S+' is ", "the shape of what is scattered into"),
]

CAUSES = [
    # --- refusals ---------------------------------------------------------------
    *(Cause("refused", operators, words, f"refused: needs {what}, which the model leaves open")
      for operators, words, what in OPEN),
    Cause("refused", "ConcatFromSequence",
          "nd4j joins the elements of a list only along their first axis",
          "refused: nd4j joins lists along the first axis alone"),
    Cause("refused", "?", r"\((If|Loop)\): control flow with graphs inside Switch and Merge is not supported",
          "refused: conditions and loops of both kinds, functions and dataflow, in one graph"),
    Cause("refused", "Scan", "has no rule",
          "refused: results stacked elsewhere than in front, of a rank that nothing tells"),
    # --- the engine -------------------------------------------------------------
    Cause("engine", "*", r"^TopK of \w+\[(0|\d[\d,]*,0|0,\d[\d,]*|\d[\d,]*,0,\d[\d,]*)\], int64\[1\]: the engine died",
          "ONNX Runtime: TopK over the last axis of no rows ends the process"),
    Cause("engine", "*", r"^(\w+) of (float64)\[[\d,]*\]: Could not find an implementation for "
          r"(?:Elu|Selu|Softplus|Softsign|LeakyRelu|HardSigmoid|ThresholdedRelu)\((?:16|22)\)",
          r"ONNX Runtime: \1 of \2 has no kernel, and beyond opset 21, which BitCast or CumProd needs, its function is not expanded"),
    Cause("engine", "*", r"^Arg(Max|Min) of \w+\[[\d,]*\b0\b[\d,]*\] gives ",
          "ONNX Runtime: ArgMax of an empty array keeps the axis that it should drop"),
    # --- libnd4j ----------------------------------------------------------------
    Cause("nd4j", "*", "no element of the list was written",
          "libnd4j: gather_list of a list without elements fails, so a Loop of no rounds cannot stack there"),
    Cause("nd4j", "BatchMatMul|BatchMatMulV2|BatchMatMulV3", r"batch dimensions \([\d, ]*\) and \([\d, ]*\) differ",
          "libnd4j: batches of two open sizes are taken to be equal, since matmul there does not broadcast"),
    Cause("nd4j", "SoftmaxCrossEntropyWithLogits", "logits and labels differ in shape",
          "libnd4j: batches of two open sizes are taken to be equal, since the loss there does not broadcast"),
    Cause("nd4j", "DiagPart", "rank 2, 4 or 6 with all dimensions equal required",
          "libnd4j: diag_part wants all sizes the same; open ones are taken to be"),
]


def matches(pattern, operators):
    """A pattern is names with |, or * for all."""
    return pattern == "*" or operators in pattern.split("|")


def cause_of(kind, operators, why):
    """The text of the cause; None: nobody knows it."""
    for cause in CAUSES:
        match = re.search(cause.words, why)
        if cause.kind == kind and matches(cause.operators, operators) and match:
            return match.expand(cause.text)
    return None
