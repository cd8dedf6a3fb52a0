"""eager_graph.py - a GraphDef of which every value is known while it is written

    net = Eager()
    x = net.feed("x", array, [None, None, 8])       # open sizes
    y = net("Softmax", net("AddV2", x, 1.0))         # a number becomes a constant
    net.write("model.pb"); net.value(y)

numpy computes each operator as it is added, so that a graph has its answer
without TensorFlow.  Names of nodes count operators, as TensorFlow's do.
"""
import collections

import numpy as np

import graphdef


def erf(x):
    import math
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def softmax(x):
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


def strided(x, begin, end, step, begin_mask=0, end_mask=0, new_axis_mask=0, shrink_axis_mask=0, ellipsis_mask=0):
    made = []
    for i in range(len(begin)):
        bit = 1 << i
        if ellipsis_mask & bit:
            made.append(Ellipsis)
        elif new_axis_mask & bit:
            made.append(None)
        elif shrink_axis_mask & bit:
            made.append(int(begin[i]))
        else:
            made.append(slice(None if begin_mask & bit else int(begin[i]), None if end_mask & bit else int(end[i]), int(step[i])))
    return x[tuple(made)]


def matmul(a, b, transpose_a=False, transpose_b=False):
    return (a.T if transpose_a else a) @ (b.T if transpose_b else b)


def batched(a, b, adj_x=False, adj_y=False):
    return (np.swapaxes(a, -1, -2) if adj_x else a) @ (np.swapaxes(b, -1, -2) if adj_y else b)


def numbers(axes):
    return tuple(np.ravel(axes).tolist())


def over(fold):
    return lambda x, axes, keep_dims=False: fold(x, axis=numbers(axes), keepdims=keep_dims).astype(x.dtype)


def normalised(x, scale, offset, mean, variance, epsilon=1e-4, data_format="NHWC", is_training=True):
    """FusedBatchNormV3, and the moments of a batch where it counts them itself."""
    last = data_format == "NHWC"
    axes = tuple(i for i in range(x.ndim) if i != (x.ndim - 1 if last else 1))
    dims = [1 if i in axes else -1 for i in range(x.ndim)]
    if is_training:
        mean, variance = x.mean(axes), x.var(axes)
    y = (x - mean.reshape(dims)) / np.sqrt(variance.reshape(dims) + np.float32(epsilon)) * scale.reshape(dims) + offset.reshape(dims)
    return [y.astype(x.dtype), mean, variance, mean, variance, variance]


def paded(x, w, strides, padding, dilations):
    """[N, H, W, C], as much around it as SAME asks for."""
    around = [(0, 0)]
    for axis in (1, 2):
        reach = (w.shape[axis - 1] - 1) * dilations[axis] + 1
        whole = max((-(-x.shape[axis] // strides[axis]) - 1) * strides[axis] + reach - x.shape[axis], 0) if padding == "SAME" else 0
        around.append((whole // 2, whole - whole // 2))
    return np.pad(x, around + [(0, 0)])


def windows(x, w, strides, dilations):
    reach = [(w.shape[i] - 1) * dilations[i + 1] + 1 for i in (0, 1)]
    seen = np.lib.stride_tricks.sliding_window_view(x, reach, (1, 2))
    return seen[:, ::strides[1], ::strides[2], :, ::dilations[1], ::dilations[2]]


def convolved(x, w, strides, padding, dilations=(1, 1, 1, 1)):
    return np.einsum("nhwcij,ijco->nhwo", windows(paded(x, w, strides, padding, dilations), w, strides, dilations), w).astype(x.dtype)


def depthwise(x, w, strides, padding, dilations=(1, 1, 1, 1)):
    made = np.einsum("nhwcij,ijcm->nhwcm", windows(paded(x, w, strides, padding, dilations), w, strides, dilations), w)
    return made.reshape(*made.shape[:3], -1).astype(x.dtype)


def blocks(x, block, pads):
    """SpaceToBatchND."""
    n, m = x.shape[0], len(block)
    x = np.pad(x, [(0, 0), *map(tuple, pads), *[(0, 0)] * (x.ndim - 1 - m)])
    dims, rest = [n], x.shape[1 + m:]
    for i, b in enumerate(block):
        dims += [x.shape[1 + i] // b, b]
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)]
    order += range(2 * m + 1, 2 * m + 1 + len(rest))
    made = x.reshape(*dims, *rest).transpose(order)
    return made.reshape(n * int(np.prod(block)), *[x.shape[1 + i] // b for i, b in enumerate(block)], *rest)


def unblocked(x, block, crops):
    """BatchToSpaceND."""
    m, rest = len(block), x.shape[1 + len(block):]
    n = x.shape[0] // int(np.prod(block))
    made = x.reshape(*block, n, *x.shape[1:])
    order = [m] + [i for j in range(m) for i in (m + 1 + j, j)] + list(range(2 * m + 1, made.ndim))
    made = made.transpose(order).reshape(n, *[x.shape[1 + i] * b for i, b in enumerate(block)], *rest)
    cut = [slice(None)] + [slice(c[0], made.shape[1 + i] - c[1]) for i, c in enumerate(crops)]
    return made[tuple(cut)]


def resized(x, size, half_pixel_centers=False):
    """ResizeNearestNeighbor."""
    for axis, to in zip((1, 2), numbers(size)):
        at = (np.arange(to) + half_pixel_centers * 0.5) * (x.shape[axis] / to)
        x = np.take(x, np.minimum(at.astype(int), x.shape[axis] - 1), axis)
    return x


def undone(dims, w, x, strides, padding):
    """Conv2DBackpropInput, of which VALID and SAME differ by what is cut off."""
    kernel, whole = w.shape[:2], [(x.shape[i + 1] - 1) * strides[i + 1] + w.shape[i] for i in (0, 1)]
    made = np.zeros((x.shape[0], *whole, w.shape[2]), x.dtype)
    for i, j in np.ndindex(*x.shape[1:3]):
        top, left = i * strides[1], j * strides[2]
        made[:, top:top + kernel[0], left:left + kernel[1]] += np.einsum("no,hwco->nhwc", x[:, i, j], w)
    cut = [(whole[i] - numbers(dims)[i + 1]) // 2 if padding == "SAME" else 0 for i in (0, 1)]
    return made[:, cut[0]:cut[0] + numbers(dims)[1], cut[1]:cut[1] + numbers(dims)[2]]


def dense(at, dims, values, default, validate_indices=True):
    made = np.full(numbers(dims), default)
    made[tuple(np.reshape(at, (len(np.atleast_1d(values)), -1)).T)] = values
    return made


KERNELS = {
    "Equal": np.equal, "Where": lambda x: np.argwhere(x).astype("int64"), "SparseToDense": dense,
    "MaxPool": lambda x, ksize, strides, padding: windows(x, np.zeros(ksize[1:3]), strides, (1,) * 4).max((4, 5)),
    "AddV2": np.add, "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide, "Pow": np.power,
    "FloorMod": np.mod, "Maximum": np.maximum, "Minimum": np.minimum, "FloorDiv": np.floor_divide, "Less": np.less, "LessEqual": np.less_equal,
    "GreaterEqual": np.greater_equal, "SquaredDifference": lambda x, y: (x - y) ** 2, "Neg": np.negative, "Floor": np.floor, "Erf": erf,
    "Square": np.square, "Sqrt": np.sqrt, "Rsqrt": lambda x: 1 / np.sqrt(x), "Tanh": np.tanh, "Exp": np.exp, "Log": np.log,
    "Log1p": np.log1p, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Relu": lambda x: np.maximum(x, 0), "Sin": np.sin, "Cos": np.cos,
    "Relu6": lambda x: np.clip(x, 0, 6).astype(x.dtype), "Softplus": lambda x: np.log1p(np.exp(x)), "StopGradient": lambda x: x,
    "Identity": lambda x: x, "Softmax": softmax, "Mean": over(np.mean), "Sum": over(np.sum), "Max": over(np.max), "Prod": over(np.prod),
    "MatMul": matmul, "BatchMatMulV2": batched, "BiasAdd": lambda x, b, data_format="NHWC": x + b,
    "Reshape": lambda x, dims: x.reshape(numbers(dims)), "Transpose": lambda x, perm: x.transpose(numbers(perm)),
    "Shape": lambda x: np.array(x.shape, "int32"), "StridedSlice": strided, "Pack": lambda *xs, axis=0: np.stack(xs, axis),
    "ConcatV2": lambda *xs: np.concatenate(xs[:-1], int(xs[-1])), "ExpandDims": lambda x, axis: np.expand_dims(x, int(axis)),
    "GatherV2": lambda x, at, axis, batch_dims=0: np.take(x, at, int(axis)), "Fill": lambda dims, x: np.full(numbers(dims), x),
    "Range": lambda a, b, step: np.arange(a, b, step, np.result_type(a, b, step)), "SelectV2": np.where,
    "Einsum": lambda *xs, equation: np.einsum(equation, *xs).astype(xs[0].dtype),
    "Split": lambda axis, x, num_split: np.split(x, num_split, int(axis)), "Tile": lambda x, n: np.tile(x, numbers(n)),
    "Squeeze": lambda x, squeeze_dims: np.squeeze(x, tuple(squeeze_dims)), "FusedBatchNormV3": normalised,
    "Conv2D": convolved, "DepthwiseConv2dNative": depthwise, "Pad": lambda x, pads: np.pad(x, [tuple(p) for p in pads]),
    "ResizeNearestNeighbor": resized, "Conv2DBackpropInput": undone, "SpaceToBatchND": blocks, "BatchToSpaceND": unblocked,
    "LeakyRelu": lambda x, alpha=0.2: np.where(x < 0, x * np.float32(alpha), x), "Elu": lambda x: np.where(x < 0, np.expm1(x), x),
    "AvgPool": lambda x, ksize, strides, padding: windows(x, np.zeros(ksize[1:3]), strides, (1,) * 4).mean((4, 5)).astype(x.dtype),
}


class Eager:
    def __init__(self):
        self.graph, self.values = graphdef.Graph(), {}
        self.seen, self.fed = collections.Counter(), {}

    def named(self, op):
        self.seen[op] += 1
        return op.lower() + (f"_{self.seen[op] - 1}" if self.seen[op] > 1 else "")

    def feed(self, name, array, dims):
        self.fed[name] = self.values[name] = array
        return self.graph.placeholder(name, array, dims)

    def const(self, array, dtype=None):
        name = self.named("Const")
        self.values[name] = np.asarray(array, dtype)
        return self.graph.constant(name, self.values[name])

    def given(self, one, others):
        """A name, or a number of the type of the first value beside it."""
        if isinstance(one, str):
            return one
        first = next((self.values[o].dtype for o in others if isinstance(o, str)), None)
        is_int = isinstance(one, (int, list, tuple)) or (isinstance(one, np.ndarray) and one.dtype.kind == "i")
        return self.const(one, one.dtype if isinstance(one, np.ndarray) else "int32" if is_int else first or "float32")

    def __call__(self, op, *inputs, name=None, **attrs):
        inputs = [self.given(one, inputs) for one in inputs]
        name = name or self.named(op)
        arrays = [self.values[one] for one in inputs]
        made = arrays[0].astype(attrs["DstT"]) if op == "Cast" else \
            KERNELS[op](*arrays, **{k: v for k, v in attrs.items() if k not in ("SrcT", "out_type")})
        self.graph.add(op, name, inputs, attrs)
        names = [name] + [f"{name}:{i}" for i in range(1, len(made))] if isinstance(made, list) else [name]
        for one, array in zip(names, made if isinstance(made, list) else [made]):
            self.values[one] = self.graph.arrays[one] = np.asarray(array)
        return names if op == "Split" else name

    def value(self, name):
        return self.values[name]

    def write(self, path):
        self.graph.write(path)


