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
    ("Conv|ConvInteger|QLinearConv|ConvTranspose", r"(shape|dimension) of '[WX]' is not known",
     "the sizes of the weights, or of the image where it is padded to be the same"),
    ("conv2d|depthwise_conv2d|conv3dnew", "windows with gaps over a size that is not known",
     "the size of an image that windows with gaps are moved over"),
    ("MaxPool|AveragePool|LpPool", "shape of 'X' is not known|image whose size is not known|what is needed is not known",
     "the size of the image"),
    ("Hardmax", "an array whose size is not known", "the sizes of the array"),
    ("Softmax|LogSoftmax|Hardmax", "rank of 'X' is not known", "the rank of the array"),
    ("lstmLayer", "dimension of 'wr' is not known", "the size of the state"),
    ("RNN|GRU|LSTM", "an open number of steps|needs the sizes of", "the number of steps"),
    ("GatherND", "dimension of 'indices' is not known", "the length of an index"),
    ("ScatterND", "the shape of the input must be known", "the shape of the input"),
    ("DepthToSpace", "the number of channels must be known", "the number of channels"),
    ("onehot", "rank of 'x' is not known", "the rank of the places"),
    ("Einsum", "is not known|of unknown rank", "the ranks of the arguments"),
    ("MatrixSetDiagV2|MatrixSetDiagV3|MatrixDiagV3|MatrixDiagV2",
     "(dimension|shape) of '[xd]' is not known", "the sizes of the matrices"),
    ("svd|qr|lstsq|triangular_solve|lu|cholesky|solve|matrix_inverse|matrix_determinant",
     "a matrix whose size is not known", "the sizes of the matrices"),
    ("BlockLSTM|BlockLSTMV2|lstmBlock", "an open number of steps|no steps|(dimension|shape) of '\\w+' is not known",
     "the number of steps and cells, at least one step"),
    ("SparseSoftmaxCrossEntropyWithLogits", "dimension of 'features' is not known", "the number of classes"),
    ("DynamicStitch|ParallelDynamicStitch", "shape is not known", "the shapes of the parts"),
    ("BiasAddGrad", r"tensorflow_nd4j\.rules:\d+: the rule is for other arguments$",
     "the rank of the gradient"),
    ("DenseBincount", r"tensorflow_nd4j\.rules:\d+: the rule is for other arguments$",
     "the rank of the numbers, and whether there are weights"),
    ("MatrixInverse|BatchMatrixInverse", "rank of 'x' is ", "the rank of the matrices"),
    ("MatrixTriangularSolve", "the rule is for other arguments$", "the number of matrices where the ranks differ"),
    ("MulNoNan|Xdivy|Xlog1py|Xlogy|DivNoNan", "what is needed is not known", "the shapes of both arguments"),
    ("NonMaxSuppressionV5|NonMaxSuppressionV4|NonMaxSuppressionV3", "an open number of box",
     "the number of boxes"),
    ("dilation2d", "shape of 'w' is not known", "the size of the filter"),
    ("draw_bounding_boxes", "an open number of boxes or colors",
     "the number of boxes and colors"),
    ("TensorScatterMax|TensorScatterMin|ScatterNdMax|ScatterNdMin|TensorScatterSub|TensorScatterAdd",
     "shape of 'x' is not known|an open", "the shape of what is scattered into"),
]

CAUSES = [
    # --- refusals ---------------------------------------------------------------
    *(Cause("refused", operators, words, f"refused: needs {what}, which the model leaves open")
      for operators, words, what in OPEN),
    Cause("refused", "ConcatFromSequence",
          "nd4j joins the elements of a list along their first axis only",
          "refused: nd4j joins lists along the first axis alone"),
    Cause("refused", "?", r"\((If|Loop)\): it holds a graph inside of dataflow",
          "refused: conditions and loops of both kinds, functions and dataflow, in one graph"),
    Cause("refused", "Scan", "there is no rule",
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
