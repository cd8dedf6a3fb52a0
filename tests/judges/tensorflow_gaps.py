"""tensorflow_gaps.py - ways of TensorFlow's operators that no family of tensorflow_ways.py has

Defaults that are told and left out, ranks and empty dims of operators that only
the table has: its cases, grown.
"""
import itertools

import numpy as np

import tensorflow_table as t
import tensorflow_ways as ways
from tensorflow_ways import Fixed, way
from vocabularies import default_of, vocabulary

# All inputs of the shape of the first take another.
ALIKE = """EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad SigmoidGrad
    SoftplusGrad SoftsignGrad SqrtGrad TanhGrad Bucketize FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars
    Betainc ApproximateEqual""".split()
# More dims before those that there are: of which inputs.
BEFORE = {
    **dict.fromkeys("""BatchMatrixBandPart MatrixDiagV2 MatrixBandPart Qr Cholesky Lu MatrixDeterminant
        MatrixDiagPart MatrixInverse Svd BatchCholesky BatchMatrixDeterminant BatchMatrixInverse LogMatrixDeterminant
        BatchMatrixDiagPart MatrixDiagPartV2 MatrixDiagPartV3 NthElement TopK TopKV2
        CompareAndBitpack AdjustContrastv2 AdjustHue AdjustSaturation HSVToRGB RGBToHSV""".split(), (0,)),
    **dict.fromkeys("""BatchMatrixSolve BatchMatrixTriangularSolve BatchMatrixSetDiag MatrixSetDiagV2 MatrixSetDiagV3
        MatrixSolveLs MatrixSetDiag MatrixSolve MatrixTriangularSolve BatchMatrixSolveLs Cross""".split(), (0, 1)),
}
# More dims after them.
AFTER = {
    **dict.fromkeys("""SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum SegmentProdV2 SegmentSumV2
        UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum SparseSegmentMean
        SparseSegmentSqrtN SparseSegmentSum DynamicPartition OneHot""".split(), (0,)),
    **dict.fromkeys("""ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterSub ScatterUpdate ScatterNdAdd
        ScatterNdMax ScatterNdMin ScatterNdNonAliasingAdd ScatterNdSub ScatterNdUpdate TensorScatterAdd
        TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate InplaceAdd InplaceSub
        InplaceUpdate""".split(), (0, 2)),
}
GROWN = [(), (2,), (0,), (2, 1), (1, 2, 2), (2, 1, 1, 2)]


def put(case, rows, attrs):
    """The case with other inputs or attributes, if it can tell what they give."""
    made = ways.way(case.op, [ways.input_of(*row) for row in rows], case.want, case.tolerance, case.skips_judge)
    made.attrs.update(attrs)
    try:
        made.wants()
    except (RuntimeError, np.linalg.LinAlgError):
        ways.CASES[case.op].pop()


def filled(array, dims):
    """The same numbers, over and over, in another shape."""
    return np.resize(array, dims).astype(array.dtype) if array.size else np.zeros(dims, array.dtype)


def before(array, dims):
    return np.broadcast_to(array, (*dims, *array.shape)).copy()


def after(array, dims):
    return np.broadcast_to(array.reshape((*array.shape, *(1,) * len(dims))), (*array.shape, *dims)).copy()


def usual(op):
    """Cases that compute what they want: of the first type that there is."""
    found = [case for case in ways.CASES.get(op, []) if callable(case.want) and case.inputs[0][2] != "bfloat16"]
    first = [case for case in found if case.inputs[0][2] == found[0].inputs[0][2]]
    return sorted(first, key=lambda case: case.inputs[0][0].ndim)


def grow(case, grown):
    def rows(change):
        return [(change(i, array), fixed, dtype) for i, (array, fixed, dtype) in enumerate(case.inputs)]
    put(case, rows(grown), case.attrs)


def add_ranks():
    for op in ALIKE:
        for case in usual(op)[:1]:
            shape = case.inputs[0][0].shape
            for dims in ways.RANKS:
                grow(case, lambda i, x, d=dims, s=shape: filled(x, d) if x.shape == s else x)
    for table, change in ((BEFORE, before), (AFTER, after)):
        for op, which in table.items():
            for case in usual(op)[:1]:
                for dims in GROWN:
                    if case.inputs[0][0].ndim + len(dims) <= 5:
                        grow(case, lambda i, x, d=dims, w=which, c=change: c(x, d) if i in w else x)


def add_defaults():
    """Of each operator: all defaults told, and each left out where a case tells it."""
    for op in list(ways.CASES):
        cases = list(ways.CASES[op])
        told = {name: default_of(attribute) for name, attribute in vocabulary("tensorflow")[op].attributes.items()
                if attribute.default not in (None, "?") and attribute.kind not in ("shape", "tensor", "func")
                and "type" not in attribute.kind and "shape" not in attribute.kind}
        if cases and told:
            put(cases[0], cases[0].inputs, {**told, **cases[0].attrs})
        for name, value in told.items():
            if all(name in case.attrs for case in cases):
                alike = [case for case in cases if case.attrs[name] == value]
                for case in alike[:1]:
                    put(case, case.inputs, {k: v for k, v in case.attrs.items() if k != name})
            for case in [case for case in cases if name not in case.attrs][:1]:
                put(case, case.inputs, {**case.attrs, name: value})


# Of which inputs the first rows are left out, all of them.
EMPTIED = {
    **dict.fromkeys("""AvgPool BatchNormWithGlobalNormalization Conv2D DepthToSpace DepthwiseConv2dNative Dilation2D
        ExtractImagePatches FusedDepthwiseConv2dNative FusedPadConv2D FusedResizeAndPadConv2D LRN MaxPool MaxPoolV2
        MaxPoolWithArgmax ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor SpaceToBatch SpaceToDepth
        _FusedBatchNormEx _FusedConv2D _FusedDepthwiseConv2dNative AvgPool3D Conv3D MaxPool3D SpaceToBatchND BiasAddGrad
        FakeQuantWithMinMaxVarsPerChannel _FusedMatMul Einsum MirrorPad BatchToSpace BatchToSpaceND Multinomial
        HistogramFixedWidth Diag BatchMatrixDiag OneHot""".split(), (0,)),
    **dict.fromkeys("""InTopK InTopKV2 SparseSoftmaxCrossEntropyWithLogits NonMaxSuppression NonMaxSuppressionV4
        NonMaxSuppressionV5 NonMaxSuppressionWithOverlaps DrawBoundingBoxes DrawBoundingBoxesV2 SparseTensorDenseAdd
        SparseTensorDenseMatMul SparseToDense SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum SegmentSumV2
        SegmentProdV2 UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum""".split(), (0, 1)),
    **dict.fromkeys("SparseSegmentMean SparseSegmentSqrtN SparseSegmentSum".split(), (1, 2)),
    "GRUBlockCell": (0, 1), "LSTMBlockCell": (0, 1, 2), "MaxPoolGrad": (0, 1, 2), "CropAndResize": (1, 2),
    "MatrixSolveLs": (0, 1),
}
# What changes nothing of what is computed of valid arguments.
INERT = """use_locking use_cudnn_on_gpu sparse_gradient validate_indices validate_shape incompatible_shape_error grad_x
    grad_y grad_a grad_b Truncate""".split()


def add_empties():
    for op, which in EMPTIED.items():
        for case in [case for case in usual(op) if case.inputs[0][0].ndim][:1]:
            grow(case, lambda i, x, w=which: x[:0] if i in w else x)


def add_inert():
    for op in list(ways.CASES):
        for name in INERT:
            if name in vocabulary("tensorflow")[op].attributes:
                case = ways.CASES[op][0]
                for value in (True, False):
                    put(case, case.inputs, {**case.attrs, name: value})


def adjoint(x, is_asked):
    return np.swapaxes(x, -1, -2) if is_asked else x


def add_matrices():
    for a, b in itertools.product((False, True), repeat=2):
        way("BatchMatMulV3", [adjoint(t.f(2, 3, 4), a), adjoint(t.f(2, 4, 5), b)],
            lambda x, y, a=a, b=b: adjoint(x, a) @ adjoint(y, b), adj_x=a, adj_y=b, Tout="float32")
        sides = {"adjoint_a": a, "adjoint_b": b}
        way("SparseTensorDenseMatMul", [np.array([[0, 1], [2, 0]], "i8"), t.f(2), Fixed(np.array([3, 2], "i8")),
                                        t.f(*((4, 3) if b else (3, 4)) if a else ((4, 2) if b else (2, 4)), seed=1)],
            lambda i, v, s, y, a=a, b=b: adjoint(t.scatter(np.zeros(s, v.dtype), i, v, np.add), a) @ adjoint(y, b), **sides)
        for op, part in (("BatchMatrixTriangularSolve", {True: np.tril, False: np.triu}),):
            way(op, [t.well(3, 3), t.f(3, 2)], lambda x, y, a=a, p=part[b]: np.linalg.solve(adjoint(p(x), a), y),
                lower=b, adjoint=a)
        way("BatchMatrixSolve", [t.well(3, 3), t.f(3, 2)], lambda x, y, a=a: np.linalg.solve(adjoint(x, a), y), adjoint=a)


def add_fused():
    bias, wide = ["BiasAdd"], t.f(1, 5, 5, 3)
    for op in ("FusedDepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"):
        args = [wide, t.f(2, 2, 3, 2), t.f(6, seed=1)]
        way(op, args, lambda x, w, b: t.depthwise(x, w, (1, 1), (1, 1), "VALID") + b, fused_ops=bias, strides=[1] * 4, padding="VALID")
        way(op, args, lambda x, w, b: t.depthwise(x, w, (1, 1), (1, 1), ((1, 0), (0, 2))) + b, fused_ops=bias, strides=[1] * 4,
            padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0])
        way(op, [t.first(wide), *args[1:]], lambda x, w, b: t.first(t.depthwise(t.last(x), w, (1, 1), (1, 1), "SAME") + b),
            fused_ops=bias, strides=[1] * 4, padding="SAME", data_format="NCHW")
    way("_FusedConv2D", [t.first(wide), t.f(2, 2, 3, 4), t.f(4, seed=1)],
        lambda x, w, b: t.first(t.conv(t.last(x), w, (1, 1), (1, 1), "SAME") + b), fused_ops=bias, strides=[1] * 4, padding="SAME", data_format="NCHW")
    pads = Fixed(np.array([[0, 0], [1, 2], [2, 1], [0, 0]], "i4"))
    for mode, padding in itertools.product(("REFLECT", "SYMMETRIC"), ("SAME", "VALID")):
        more = {"mode": mode, "padding": padding, "strides": [1] * 4}
        way("FusedPadConv2D", [wide, pads, t.f(2, 2, 3, 4)],
            lambda x, p, w, m=mode, v=padding: t.conv(np.pad(x, p, m.lower()), w, (1, 1), (1, 1), v), **more)
        for corners in (False, True):
            way("FusedResizeAndPadConv2D", [wide, Fixed(np.array([7, 8], "i4")), pads, t.f(2, 2, 3, 4)],
                lambda x, s, p, w, m=mode, v=padding, c=corners: t.conv(np.pad(t.bilinear(x, s, c, False), p, m.lower()), w, (1, 1), (1, 1), v),
                resize_align_corners=corners, **more)


def add_normal():
    stats = [t.f(5, seed=i, low=0.5) for i in range(4)]
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"):
        for train in (None, False, True):
            def want(x, *s, train=train, op=op):
                y, m, v = t.batch_norm(x, *s, 1e-4, train is not False)
                return (t.relu(y), None, None) if op.startswith("_") else (y, m, v) if train is not False else y
            more = {"activation_mode": "Relu", "num_side_inputs": 0} if op.startswith("_") else {}
            way(op, [t.f(2, 3, 4, 5), *stats], want, tolerance=1e-3, **({} if train is None else {"is_training": train}), **more)
    way("_FusedBatchNormEx", [t.first(t.f(2, 3, 4, 5)), *stats],
        lambda x, *s: t.first(t.batch_norm(t.last(x), *s, 1e-3, False)[0]), is_training=False, epsilon=1e-3, data_format="NCHW")
    way("BatchNormWithGlobalNormalization", [t.f(2, 3, 4, 5), t.f(5), t.f(5, low=0.2, seed=1), t.f(5, seed=2), t.f(5, seed=3)],
        lambda x, m, v, b, g: (x - m) / np.sqrt(v + np.float32(0.001)) + b, variance_epsilon=0.001, scale_after_normalization=False)
    way("FakeQuantWithMinMaxArgs", [t.f(3, 4, low=-8, high=8)], lambda x: t.fake_quant(x, -6.0, 6.0))
    for op, clip, forget, order in (("BlockLSTM", 3.0, 1.0, "icfo"), ("BlockLSTMV2", -1.0, 0.0, "ifco")):
        way(op, [Fixed(np.array(5, "i8")), t.f(5, 2, 3), *t.cell_[1:]],
            lambda n, *a, c=clip, f=forget, o=order: t.lstm_steps(n, *a, forget=f, clip=c, peephole=False, order=o))


def add_types():
    way("ApproximateEqual", [t.f(2, 3), t.f(2, 3)], lambda x, y: np.ones((2, 3), bool))
    way("UniqueV2", [np.array([3, 1, 3], "i4"), Fixed(np.zeros(0, "i4"))], lambda x, a: (np.array([3, 1]), np.array([0, 1, 0])))
    way("UniqueWithCountsV2", [np.array([3, 1, 3], "i4"), Fixed(np.zeros(0, "i8"))],
        lambda x, a: (np.array([3, 1]), np.array([0, 1, 0]), np.array([2, 1])))
    way("StatelessRandomUniform", [Fixed(np.array([2, 3], "i4")), Fixed(np.array([1, 2], "i4"))], np.zeros((2, 3)))
    way("ScatterNdNonAliasingAdd", [np.array([True, False, False]), np.array([[1]], "i4"), np.array([True])], lambda x, i, u: np.array([True, True, False]))
    if t.special("betainc"):
        way("Betainc", [t.f(4, low=0.5, high=2), t.f(low=0.5, high=2, seed=1), t.f(low=0.1, high=0.9)], t.special("betainc"))
    way("OneHot", [t.n(1, 2, 1, 2, 2, low=0, high=2), Fixed(np.array(3, "i4")), Fixed(np.array(1, "f4")), Fixed(np.array(0, "f4"))],
        lambda i, n, a, b: (i[..., None] == np.arange(3)).astype("f4"))
    way("Einsum", [t.f(1, 2, 1, 2, 3)], lambda x: x.transpose(4, 3, 2, 1, 0), equation="abcde->edcba")


def add_nothing():
    """No rows in, none out: what expressions of families cannot tell."""
    no = np.zeros
    for op, dims, out, more in (
            ("DepthToSpace", (0, 2, 2, 4), (0, 4, 4, 1), {"block_size": 2}),
            ("SpaceToDepth", (0, 4, 4, 1), (0, 2, 2, 4), {"block_size": 2}),
            ("ExtractImagePatches", (0, 4, 4, 1), (0, 2, 2, 4), {"ksizes": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "rates": [1] * 4, "padding": "VALID"})):
        way(op, [no(dims, "f4")], no(out), **more)
    window = {"strides": [1] * 4, "padding": "SAME"}
    way("MaxPoolWithArgmax", [no((0, 4, 4, 1), "f4")], [no((0, 4, 4, 1)), no((0, 4, 4, 1))], ksize=[1, 2, 2, 1], **window)
    way("DepthwiseConv2dNative", [no((0, 4, 4, 3), "f4"), t.f(2, 2, 3, 2)], no((0, 4, 4, 6)), **window)
    for op in ("FusedDepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"):
        way(op, [no((0, 4, 4, 3), "f4"), t.f(2, 2, 3, 2), t.f(6)], no((0, 4, 4, 6)), fused_ops=["BiasAdd"], **window)
        way(op, [t.f(1, 4, 4, 3), t.f(2, 2, 3, 2)], lambda x, w: t.depthwise(x, w, (1, 1), (1, 1), "SAME"), **window)
    way("_FusedConv2D", [t.f(1, 4, 4, 3), t.f(2, 2, 3, 2)], lambda x, w: t.conv(x, w, (1, 1), (1, 1), "SAME"), **window)
    way("_FusedMatMul", [t.f(2, 3), t.f(3, 4)], lambda x, y: x @ y)
    for mode in ("REFLECT", "SYMMETRIC"):
        way("MirrorPad", [no((0, 3), "f4"), Fixed(np.array([[0, 0], [1, 1]], "i4"))], no((0, 5)), mode=mode)
    way("Multinomial", [no((0, 4), "f4"), Fixed(np.array(5, "i4"))], no((0, 5)))
    way("SparseSoftmaxCrossEntropyWithLogits", [no((0, 4), "f4"), no(0, "i4")], [no(0), no((0, 4))])
    way("MatrixSolveLs", [no((0, 2, 2), "f4"), no((0, 2, 1), "f4"), Fixed(np.array(0.0))], no((0, 2, 1)))
    boxes = [no((0, 4), "f4"), no(0, "f4"), Fixed(np.array(3, "i4"))]
    way("NonMaxSuppression", boxes, no(0))
    limits = [Fixed(np.array(0.5, "f4")), Fixed(np.array(0.0, "f4"))]
    way("NonMaxSuppressionV4", [*boxes, *limits], [no(0), no(())])
    way("NonMaxSuppressionV5", [*boxes, *limits, Fixed(np.array(0.0, "f4"))], [no(0), no(0), no(())])
    for word in ("Max", "Mean", "Min", "Prod", "Sum"):
        way(f"Segment{word}", [no((0, 3), "f4"), no(0, "i4")], no((0, 3)))
    for word in ("Mean", "SqrtN", "Sum"):
        way(f"SparseSegment{word}", [t.f(2, 3), no(0, "i4"), no(0, "i4")], no((0, 3)))
    way("DiagPart", [no((0, 0), "f4")], no(0))
    way("BatchMatrixDiag", [no((0, 3), "f4")], no((0, 3, 3)))
    way("RaggedRange", [no(0, "i4"), no(0, "i4"), no(0, "i4")], [no(1), no(0)])
    way("SparseToDense", [no((0, 2), "i4"), Fixed(np.array([2, 3], "i4")), no(0, "f4"), Fixed(np.array(1, "f4"))], np.ones((2, 3)))
    for op in ("DynamicStitch", "ParallelDynamicStitch"):
        way(op, [no(0, "i4"), np.array([1, 0], "i4"), no((0, 2), "f4"), t.f(2, 2)], lambda i, j, x, y: y[::-1])
    for op in ("DataFormatDimMap", "DataFormatVecPermute"):
        if op.endswith("Map"):
            way(op, [no(0, "i4")], no(0))


def add_more_ranks():
    for dims in ((2, 3, 3), (3, 3)):
        for op in ("BatchMatrixDiagPart", "MatrixDiagPart"):
            way(op, [t.f(*dims)], lambda x: np.diagonal(x, 0, -2, -1))
        for op in ("MatrixDiagPartV2", "MatrixDiagPartV3"):
            way(op, [t.f(*dims), Fixed(np.array(0, "i4")), Fixed(np.array(0.0, "f4"))], lambda x, k, p: np.diagonal(x, 0, -2, -1))
    for dims in ((3,), (2, 1, 3), (2, 1, 1, 3), (1, 2, 1, 1, 3)):
        for op in ("BatchMatrixDiag", "MatrixDiag"):
            way(op, [t.f(*dims)], lambda x: x[..., None] * np.eye(x.shape[-1], dtype=x.dtype))
    for dims in ((2, 1, 3), (2, 1, 1, 3), (1, 2, 1, 1, 3), (0, 3)):
        way("MatrixDiagV3", [t.f(*dims), Fixed(np.array(0, "i4")), Fixed(np.array(-1, "i4")), Fixed(np.array(-1, "i4")),
                             Fixed(np.array(0.0, "f4"))], lambda x, *rest: x[..., None] * np.eye(x.shape[-1], dtype=x.dtype))
    way("MatrixDiagV2", [t.f(3), Fixed(np.array(0, "i4")), Fixed(np.array(-1, "i4")), Fixed(np.array(-1, "i4")), Fixed(np.array(0.0, "f4"))],
        lambda x, *rest: np.diag(x))
    for op, fold in (("SegmentProdV2", np.prod), ("SegmentSumV2", np.sum)):
        way(op, [t.f(4), np.array([0, 0, 1, 1], "i4"), Fixed(np.array(2, "i4"))], lambda x, i, n, f=fold: np.stack([f(x[:2]), f(x[2:])]))
    for dims in ((2, 1, 3), (2, 1, 2, 3), (1, 2, 1, 3, 2)):
        way("Bincount", [t.n(*dims, low=0, high=4), Fixed(np.array(5, "i4")), np.zeros(0, "f4")],
            lambda x, n, w: np.bincount(x.reshape(-1), minlength=5)[:5])
        way("RandomShuffle", [t.f(*dims)], np.zeros(dims))
    for dims in ways.RANKS[:6]:
        way("DataFormatDimMap", [t.n(*dims, low=0, high=3)], lambda x: np.array([0, 2, 3, 1])[x])
        way("HistogramFixedWidth", [t.f(*dims, low=0, high=1), Fixed(np.array([0, 1], "f4")), Fixed(np.array(4, "i4"))],
            lambda x, r, n: np.histogram(np.clip(x, 0, 1), 4, (0, 1))[0])
        if len(dims) in (2, 3, 4, 5):
            at = np.arange(int(np.prod(dims)), dtype="i4").reshape(dims)
            for op in ("DynamicStitch", "ParallelDynamicStitch"):
                way(op, [at, at.astype("f4")], lambda i, x: x.reshape(-1))
    way("DataFormatVecPermute", [np.array([[1, 2], [3, 4], [5, 6], [7, 8]], "i4")], lambda x: x[[0, 3, 1, 2]])
    way("Diag", [t.f(1, 2, 2)], lambda x: np.diag(x.reshape(-1)).reshape(x.shape * 2))
    for dims in ((4,), (2, 3, 2, 4)):
        ends = t.f(4, low=-2, high=-1), t.f(4, low=1, high=2)
        way("FakeQuantWithMinMaxVarsPerChannel", [t.f(*dims), *ends], lambda x, a, z: t.fake_quant(x.astype("f8"), a.astype("f8"), z.astype("f8")))
    around, x = ((1, 0), (0, 1)), t.f(1, 4, 4, 2)
    way("MaxPoolGrad", [x, t.pool(x, (2, 2), (1, 1), around, True), t.f(1, 4, 4, 2, seed=3)],
        lambda x, y, g: t.max_grad(x, y, g, (2, 2), (1, 1), around), ksize=[1, 2, 2, 1], strides=[1] * 4, padding="EXPLICIT",
        explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0])
    blocks = [Fixed(np.array([2, 1, 2], "i4")), Fixed(np.zeros((3, 2), "i4"))]
    way("SpaceToBatchND", [t.f(1, 4, 3, 2, 2), *blocks], t.space_to_batch)
    way("BatchToSpaceND", [t.f(4, 2, 3, 1, 2), *blocks], t.batch_to_space)
    for dims in ((2, 1, 1, 1), (1, 2, 1, 1, 1)):
        at = np.array([1, 3], "i4").reshape(dims)
        way("ScatterNd", [at, t.f(*dims[:-1]), Fixed(np.array([5], "i4"))], lambda i, u, s: t.scatter(np.zeros(s, u.dtype), i, u, np.add))
    way("ScatterNd", [np.array([1], "i4"), t.f(3), Fixed(np.array([4, 3], "i4"))], lambda i, u, s: t.scatter(np.zeros(s, u.dtype), i, u, np.add))
    way("SparseToDense", [np.array(1, "i4"), Fixed(np.array([3], "i4")), np.array(2, "f4"), Fixed(np.array(0, "f4"))], np.array([0, 2, 0]))
    way("Einsum", [t.f()], np.copy, equation="->")


def add_ties():
    """Of classes as likely as the k-th all are in; what is no number or no class is not."""
    rows = np.array([[3, 1, 3, 2, 3], [1, 1, 1, 1, 1], [0, 5, 5, 0, 4], [1, 2, 3, 4, 5], [np.inf, 1, 2, 3, 4], [1, np.nan, 2, 3, 4]], "f4")

    def among(p, targets, k):
        targets = targets.astype(int)
        inside = (targets >= 0) & (targets < p.shape[1])
        own = p[np.arange(len(p)), np.where(inside, targets, 0)]
        return inside & np.isfinite(p).all(1) & ((p > own[:, None]).sum(1) < int(k))
    for target, k, kind in itertools.product(range(5), (1, 2, 3, 5), ("int32", "int64")):
        targets = np.full(len(rows), target, kind)
        way("InTopK", [rows, targets], lambda p, t, k=k: among(p, t, k), k=k)
        way("InTopKV2", [rows, targets, Fixed(np.array(k, kind))], among)
        way("InTopKV2", [rows, targets, np.array(k, kind)], among)
    for kind in ("int32", "int64"):
        outside = np.array([0, 5, -1, 4, 7, 2], kind)
        way("InTopK", [rows, outside], lambda p, t: among(p, t, 3), k=3)
        way("InTopKV2", [rows, outside, Fixed(np.array(3, kind))], among)


def add():
    for part in (add_ranks, add_empties, add_matrices, add_fused, add_normal, add_types, add_nothing, add_more_ranks, add_ties,
                 add_inert, add_defaults):
        part()
