"""paddle_quantized.py - models that were trained to be quantised, for paddle_onnx.py

As Paddle writes them: frozen (a layer computes with whole numbers, and what it
gives is scaled), with pairs of quantize_linear and dequantize_linear, and as they
were trained.  What they compute is said in numpy, after Paddle's kernels.  Which
operators must come out, and weights of which type, is held, too.
"""
import numpy as np

from paddle_cases import Case, f

CASES = {}
MOST = 127.0


class Graph:
    """What must be in the ONNX file."""

    def __init__(self, bytes_stored, pairs, absent=("Round", "Floor")):
        self.bytes_stored, self.pairs, self.absent = bytes_stored, pairs, absent

    def hold(self, model):
        """Why not, or nothing."""
        ops = [node.op_type for node in model.graph.node]
        stored = [tensor for tensor in model.graph.initializer
                  if tensor.data_type == 3 and len(tensor.dims) > 1]
        if any(op in ops for op in self.absent):
            return f"steps are still computed: {ops}"
        if ops.count("QuantizeLinear") != self.pairs:
            return f"{ops.count('QuantizeLinear')} QuantizeLinear, not {self.pairs}"
        if len(stored) != self.bytes_stored:
            return f"{len(stored)} weights are int8, not {self.bytes_stored}"
        return None


def quantized(bytes_stored, pairs, **more):
    """A case: the function makes the program, and gives what comes out."""
    def take(build):
        name = "quantized." + build.__name__
        CASES[name] = Case("quantized", {}, build=build,
                           expect=lambda: EXPECTED[name],
                           graph=Graph(bytes_stored, pairs, **more))
        return build
    return take


EXPECTED = {}


def expects(p, name, array, title):
    p.declare(name, dims=array.shape)
    p.fetch(name)
    EXPECTED["quantized." + title] = array.astype("f4")


# --- what Paddle computes ------------------------------------------------------------

def away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def steps(x, scale, way=1):
    if way == 0:
        return np.clip(np.round(x * (MOST / scale)), -MOST - 1, MOST)
    return away(np.clip(x, -scale, scale) * (MOST / scale))


def conv(x, w, group=1):
    """Kernels of any size, without pads."""
    n, _, rows, columns = x.shape
    many, few, k, l = w.shape
    out = np.zeros((n, many, rows - k + 1, columns - l + 1))
    for o in range(many):
        first = o // (many // group) * few
        for i in range(rows - k + 1):
            for j in range(columns - l + 1):
                part = x[:, first:first + few, i:i + k, j:j + l]
                out[:, o, i, j] = (part * w[o]).sum((1, 2, 3))
    return out


def deconv(x, w):
    n, c, rows, columns = x.shape
    _, many, k, l = w.shape
    out = np.zeros((n, many, rows + k - 1, columns + l - 1))
    for i in range(rows):
        for j in range(columns):
            out[:, :, i:i + k, j:j + l] += np.einsum("nc,cokl->nokl", x[:, :, i, j], w)
    return out


# --- parts of programs -----------------------------------------------------------------

def whole(*dims, seed=0):
    return np.random.RandomState(seed + 7).randint(-127, 128, dims).astype("f4")


# Values that are no ties, some of them outside of the range.
X = f(2, 3, 5, 6, low=-1.3, high=1.3)
SCALE = np.float32(0.9)


def quantize(p, x, out, op="fake_quantize_moving_average_abs_max", way=None):
    p.place(f"{x}@scale", np.array([SCALE], "f4"), True)
    p.declare(out, dims=(2, 3, 5, 6))
    attrs = {"bit_length": 8, "is_test": True, **({} if way is None else {"round_type": way})}
    p.op(op, {"X": [x], "InScale": [f"{x}@scale"]}, {"Out": [out], "OutScale": [f"{x}@scale"]}, attrs)


def layer(p, op, x, w, out, slots=("Input", "Filter", "Output"), **attrs):
    if out != "y":
        p.declare(out, dims=())
    p.op(op, {slots[0]: [x], slots[1]: [w]}, {slots[2]: [out]}, attrs)


FC = ("X", "Y", "Out")


def dequantize(p, x, scale, out, most):
    p.op("fake_dequantize_max_abs", {"X": [x], "Scale": [scale]}, {"Out": [out]}, {"max_range": float(most)})


def dequantize_channels(p, x, scales, out, **attrs):
    p.op("fake_channel_wise_dequantize_max_abs", {"X": [x], "Scales": scales}, {"Out": [out]},
         {"quant_bits": [8, 8], "quant_axis": 0, **attrs})


# --- frozen ----------------------------------------------------------------------------

@quantized(1, 1)
def frozen(p):
    p.place("x", X)
    quantize(p, "x", "q")
    w = whole(4, 3, 3, 3)
    p.place("w", w, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    most = MOST * MOST / 0.7
    dequantize(p, "c", "x@scale", "y", most)
    expects(p, "y", conv(steps(X, SCALE), w) * SCALE / most, "frozen")


@quantized(1, 1)
def frozen_even(p):
    """Halves to even; what is in files of newer versions."""
    p.place("x", X)
    quantize(p, "x", "q", "fake_quantize_range_abs_max", way=0)
    w = whole(4, 3, 1, 1)
    p.place("w", w, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize(p, "c", "x@scale", "y", MOST * MOST)
    expects(p, "y", conv(steps(X, SCALE, 0), w) * SCALE / MOST / MOST, "frozen_even")


@quantized(1, 1)
def frozen_channels(p):
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(4, 3, 3, 3), f(4, low=0.5, high=1.5)
    p.place("w", w, True)
    p.place("by", by, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize_channels(p, "c", ["by", "x@scale"], "y")
    expects(p, "y", conv(steps(X, SCALE), w) * by.reshape(1, 4, 1, 1) * SCALE / MOST / MOST, "frozen_channels")


@quantized(1, 1)
def frozen_int8(p):
    """Weights that are stored as bytes already."""
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(4, 3, 3, 3), f(4, low=0.5, high=1.5)
    p.place("w", w.astype("i1"), True)
    p.place("by", by, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize_channels(p, "c", ["by", "x@scale"], "y")
    expects(p, "y", conv(steps(X, SCALE), w) * by.reshape(1, 4, 1, 1) * SCALE / MOST / MOST, "frozen_int8")


@quantized(2, 1)
def frozen_twice(p):
    """One input of two layers is quantised once; one of them is depthwise."""
    p.place("x", X)
    quantize(p, "x", "q")
    v, w = whole(3, 1, 3, 3), whole(3, 3, 3, 3, seed=1)
    p.place("v", v, True)
    p.place("w", w, True)
    layer(p, "depthwise_conv2d", "q", "v", "c", strides=[1, 1], paddings=[0, 0], groups=3)
    layer(p, "conv2d", "q", "w", "d", strides=[1, 1], paddings=[0, 0])
    for name, out in (("c", "e"), ("d", "g")):
        p.declare(out, dims=())
        dequantize(p, name, "x@scale", out, MOST * MOST)
    p.op("elementwise_add", {"X": ["e"], "Y": ["g"]}, {"Out": ["y"]}, {"axis": -1})
    q = steps(X, SCALE)
    expects(p, "y", (conv(q, v, 3) + conv(q, w)) * SCALE / MOST / MOST, "frozen_twice")


@quantized(1, 1)
def frozen_transposed(p):
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(3, 2, 2, 2), f(2, low=0.5, high=1.5)
    p.place("w", w, True)
    p.place("by", by, True)
    layer(p, "conv2d_transpose", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize_channels(p, "c", ["by", "x@scale"], "y", quant_axis=1)
    expects(p, "y", deconv(steps(X, SCALE), w) * by.reshape(1, 2, 1, 1) * SCALE / MOST / MOST, "frozen_transposed")


@quantized(1, 1)
def frozen_mul(p):
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(90, 5), f(5, low=0.5, high=1.5)
    p.place("w", w, True)
    p.place("by", by, True)
    layer(p, "mul", "q", "w", "c", FC, x_num_col_dims=1, y_num_col_dims=1)
    dequantize_channels(p, "c", ["by", "x@scale"], "y", quant_axis=1, x_num_col_dims=1)
    expects(p, "y", steps(X, SCALE).reshape(2, -1) @ w * by * SCALE / MOST / MOST, "frozen_mul")


@quantized(1, 1)
def frozen_matmul(p):
    """Channels of what comes out are its last axis, not the second."""
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(6, 5), f(5, low=0.5, high=1.5)
    p.place("w", w, True)
    p.place("by", by, True)
    layer(p, "matmul_v2", "q", "w", "c", FC, trans_x=False, trans_y=False)
    dequantize_channels(p, "c", ["by", "x@scale"], "y", quant_axis=1, x_num_col_dims=3)
    expects(p, "y", steps(X, SCALE) @ w * by * SCALE / MOST / MOST, "frozen_matmul")


@quantized(0, 0, absent=())
def frozen_halves(p):
    """Weights that are no whole numbers stay what they are."""
    p.place("x", X)
    quantize(p, "x", "q")
    w, by = whole(4, 3, 3, 3) + np.float32(0.5), f(4, low=0.5, high=1.5)
    p.place("w", w, True)
    p.place("by", by, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize_channels(p, "c", ["by", "x@scale"], "y")
    expects(p, "y", conv(steps(X, SCALE), w) * by.reshape(1, 4, 1, 1) * SCALE / MOST / MOST, "frozen_halves")


@quantized(0, 0, absent=())
def frozen_large(p):
    """Whole numbers that are too large for a byte."""
    p.place("x", X)
    quantize(p, "x", "q")
    w = whole(4, 3, 3, 3) * 2
    p.place("w", w, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    dequantize(p, "c", "x@scale", "y", MOST * MOST)
    expects(p, "y", conv(steps(X, SCALE), w) * SCALE / MOST / MOST, "frozen_large")


@quantized(0, 0, absent=())
def frozen_shared(p):
    """What the layer gives is taken as it is, too."""
    p.place("x", X)
    quantize(p, "x", "q")
    w = whole(4, 3, 1, 1)
    p.place("w", w, True)
    layer(p, "conv2d", "q", "w", "c", strides=[1, 1], paddings=[0, 0])
    p.declare("d", dims=())
    dequantize(p, "c", "x@scale", "d", MOST * MOST)
    p.op("elementwise_add", {"X": ["c"], "Y": ["d"]}, {"Out": ["y"]}, {"axis": -1})
    made = conv(steps(X, SCALE), w)
    expects(p, "y", made + made * SCALE / MOST / MOST, "frozen_shared")


# --- pairs -----------------------------------------------------------------------------

def pair(p, x, scale, axis, way, dims):
    zero = np.zeros(len(scale), "f4")
    p.place(f"{x}.scale", scale, True)
    p.place(f"{x}.zero", zero, True)
    for name in ("q", "d"):
        p.declare(f"{x}.{name}", dims=dims)
    attrs = {"quant_axis": axis, "bit_length": 8, "round_type": way}
    p.op("quantize_linear", {"X": [x], "Scale": [f"{x}.scale"], "ZeroPoint": [f"{x}.zero"]}, {"Y": [f"{x}.q"]}, attrs)
    p.op("dequantize_linear", {"X": [f"{x}.q"], "Scale": [f"{x}.scale"], "ZeroPoint": [f"{x}.zero"]}, {"Y": [f"{x}.d"]}, attrs)
    return f"{x}.d"


@quantized(1, 1)
def pairs(p):
    """Weights that are bytes, by channel."""
    p.place("x", X)
    w, by = whole(4, 3, 3, 3), f(4, low=0.5, high=1.5)
    p.place("w", w.astype("i1"), True)
    p.place("by", by, True)
    p.place("zero", np.zeros(4, "f4"), True)
    x = pair(p, "x", np.array([SCALE], "f4"), -1, 0, X.shape)
    p.declare("r", dims=w.shape)
    p.op("dequantize_linear", {"X": ["w"], "Scale": ["by"], "ZeroPoint": ["zero"]}, {"Y": ["r"]},
         {"quant_axis": 0, "bit_length": 8})
    layer(p, "conv2d", x, "r", "y", strides=[1, 1], paddings=[0, 0])
    expects(p, "y", conv(steps(X, SCALE, 0), w * by.reshape(4, 1, 1, 1)) * SCALE / MOST / MOST, "pairs")


@quantized(0, 1)
def pairs_channels(p):
    p.place("x", X)
    by = f(3, low=0.5, high=1.5)
    x = pair(p, "x", by, 1, 0, X.shape)
    p.op("scale", {"X": [x]}, {"Out": ["y"]}, {"scale": 2.0})
    wide = by.reshape(3, 1, 1)
    expects(p, "y", steps(X, wide, 0) * wide / MOST * 2, "pairs_channels")


@quantized(1, 0)
def weights(p):
    """Dequantised before a layer, by the older operator."""
    p.place("x", X)
    w, by = whole(4, 3, 3, 3), f(4, low=0.5, high=1.5)
    p.place("w", w.astype("i1"), True)
    p.place("by", by, True)
    p.declare("r", dims=w.shape)
    p.op("fake_channel_wise_dequantize_max_abs", {"X": ["w"], "Scales": ["by"]}, {"Out": ["r"]},
         {"quant_bits": [8], "quant_axis": 0})
    layer(p, "conv2d", "x", "r", "y", strides=[1, 1], paddings=[0, 0])
    expects(p, "y", conv(X, w * by.reshape(4, 1, 1, 1)) / MOST, "weights")


# --- as they are trained ---------------------------------------------------------------

@quantized(0, 3)
def trained(p):
    """Weights by channel and as a whole, and what goes into the layers."""
    p.place("x", X)
    w, v = f(4, 3, 3, 3), f(2, 4, 1, 1)
    p.place("w", w, True)
    p.place("v", v, True)
    p.place("s", np.array([SCALE], "f4"), True)
    for name, array in (("xd", X), ("wd", w), ("vd", v)):
        p.declare(name, dims=array.shape)
    p.declare("ws", dims=(4,))
    p.declare("vs", dims=(1,))
    p.op("fake_quantize_dequantize_moving_average_abs_max", {"X": ["x"], "InScale": ["s"]}, {"Out": ["xd"]},
         {"bit_length": 8, "is_test": True})
    p.op("fake_channel_wise_quantize_dequantize_abs_max", {"X": ["w"]}, {"Out": ["wd"], "OutScale": ["ws"]},
         {"bit_length": 8, "quant_axis": 0})
    p.op("fake_quantize_dequantize_abs_max", {"X": ["v"]}, {"Out": ["vd"], "OutScale": ["vs"]}, {"bit_length": 8})
    layer(p, "conv2d", "xd", "wd", "c", strides=[1, 1], paddings=[0, 0])
    layer(p, "conv2d", "c", "vd", "y", strides=[1, 1], paddings=[0, 0])
    ws, vs = np.abs(w).max((1, 2, 3), keepdims=True), np.abs(v).max()
    first = conv(steps(X, SCALE) * SCALE / MOST, steps(w, ws) * ws / MOST)
    expects(p, "y", conv(first, steps(v, vs) * vs / MOST), "trained")
