#!/usr/bin/env python3
"""Layers as frameworks write them into graphs of TensorFlow: the operators that they become.

    tensorflow_idioms.py TENON [--only PATTERN]

Each graph has an open batch, goes to ONNX directly (in opset 11, too) and through nd4j, gives what numpy
gives, and the direct one has exactly the operators that are listed; the other one no more nodes than listed.
"""
import collections
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import proof
from eager_graph import Eager

RANDOM = np.random.default_rng(11)
IDIOMS = {}


def numbers(*dims, low=None):
    made = RANDOM.standard_normal(dims).astype("float32")
    return made if low is None else np.abs(made) + np.float32(low)


def idiom(name, most, **counts):
    """`most`: nodes through nd4j; counts: operators of the direct graph."""
    def keep(make):
        IDIOMS[name] = make, most, {op: n for op, n in counts.items() if n}
        return make
    return keep


def image(net, size=8, channels=3):
    return net.feed("x", numbers(2, size, size, channels), [None, size, size, channels])


def rows(net, width=4):
    return net.feed("x", numbers(3, width), [None, width])


def conv(net, x, outputs=4, size=3, padding="SAME"):
    return net("Conv2D", x, numbers(size, size, net.value(x).shape[-1], outputs), strides=[1, 1, 1, 1], padding=padding)


# --- dilated convolutions around blocks ------------------------------------------------------

@idiom("dilated", 3, Transpose=2, Conv=1)
def dilated(net):
    cut = net("SpaceToBatchND", image(net), [2, 2], np.array([[2, 2], [2, 2]], "i4"))
    return net("BatchToSpaceND", conv(net, cut, padding="VALID"), [2, 2], np.array([[0, 0], [0, 0]], "i4"))


@idiom("dilated-bias", 4, Transpose=2, Conv=1, Relu=1)
def dilated_bias(net):
    cut = net("SpaceToBatchND", image(net, 7), [2, 2], np.array([[2, 3], [2, 3]], "i4"))
    made = net("BatchToSpaceND", conv(net, cut, padding="VALID"), [2, 2], np.array([[0, 1], [0, 1]], "i4"))
    return net("Relu", net("BiasAdd", made, numbers(4)))


@idiom("dilated-depthwise", 3, Transpose=2, Conv=1)
def dilated_depthwise(net):
    cut = net("SpaceToBatchND", image(net), [2, 2], np.array([[2, 2], [2, 2]], "i4"))
    made = net("DepthwiseConv2dNative", cut, numbers(3, 3, 3, 2), strides=[1, 1, 1, 1], padding="VALID")
    return net("BatchToSpaceND", made, [2, 2], np.array([[0, 0], [0, 0]], "i4"))


@idiom("dilated-line", 3, Transpose=2, Conv=1)
def dilated_line(net):
    """Keras: Conv1D."""
    x = net.feed("x", numbers(2, 12, 3), [None, 12, 3])
    cut = net("ExpandDims", net("SpaceToBatchND", x, [2], np.array([[2, 2]], "i4")), 1)
    made = net("Conv2D", cut, numbers(1, 3, 3, 4), strides=[1, 1, 1, 1], padding="VALID")
    back = net("BatchToSpaceND", net("Squeeze", made, squeeze_dims=[1]), [2], np.array([[0, 0]], "i4"))
    return net("BiasAdd", back, numbers(4))


# --- batch normalisation ---------------------------------------------------------------------

def moments(n=4):
    return numbers(n, low=0.5), numbers(n), numbers(n), numbers(n, low=0.5)


@idiom("batch-norm-kernel", 3, Transpose=2, Conv=1)
def batch_norm_kernel(net):
    scale, offset, mean, variance = moments()
    return net("FusedBatchNormV3", net("BiasAdd", conv(net, image(net)), numbers(4)), scale, offset, mean, variance,
               epsilon=1e-3, is_training=False)


@idiom("batch-norm-between", 4, Transpose=2, Relu=1, BatchNormalization=1)
def batch_norm_between(net):
    """Behind something that weights cannot go into."""
    scale, offset, mean, variance = moments(3)
    return net("FusedBatchNormV3", net("Relu", image(net)), scale, offset, mean, variance, epsilon=1e-3, is_training=False)


@idiom("batch-norm-written", 3, Transpose=2, Conv=1)
def batch_norm_written(net):
    scale, offset, mean, variance = (net.const(c) for c in moments())
    by = net("Mul", net("Rsqrt", net("AddV2", variance, 1e-3)), scale)
    return net("AddV2", net("Mul", conv(net, image(net)), by), net("Sub", offset, net("Mul", mean, by)))


@idiom("batch-norm-by-hand", 3, Transpose=2, Conv=1)
def batch_norm_by_hand(net):
    scale, offset, mean, variance = (net.const(c) for c in moments())
    made = net("RealDiv", net("Sub", conv(net, image(net)), mean), net("Sqrt", net("AddV2", variance, 1e-3)))
    return net("AddV2", net("Mul", made, scale), offset)


@idiom("batch-norm-no-scale", 3, Transpose=2, Conv=1)
def batch_norm_no_scale(net):
    _, offset, mean, variance = (net.const(c) for c in moments())
    by = net("Rsqrt", net("AddV2", variance, 1e-3))
    return net("AddV2", net("Mul", conv(net, image(net)), by), net("Sub", offset, net("Mul", mean, by)))


@idiom("batch-norm-dense", 1, Gemm=1)
def batch_norm_dense(net):
    scale, offset, mean, variance = (net.const(c) for c in moments(5))
    by = net("Mul", net("Rsqrt", net("AddV2", variance, 1e-3)), scale)
    made = net("BiasAdd", net("MatMul", rows(net), numbers(4, 5)), numbers(5))
    return net("AddV2", net("Mul", made, by), net("Sub", offset, net("Mul", mean, by)))


# --- layer normalisation: transformers.py has whole nets of them --------------------------------

def layer_norm(make):
    from transformers import norm_by_hand, norm_fused, norm_moments
    return lambda net: {"moments": norm_moments, "old": lambda *a: norm_moments(*a, add="Add"), "kernel": norm_fused,
                        "hand": norm_by_hand}[make](net, net.feed("x", numbers(2, 3, 4), [None, None, 4]), numbers(4), numbers(4))


for spelling in ("moments", "old", "kernel", "hand"):
    idiom(f"layer-norm-{spelling}", 1, LayerNormalization=1)(layer_norm(spelling))


@idiom("layer-norm-divided", 1, LayerNormalization=1)
def layer_norm_divided(net):
    x = rows(net)
    off = net("Sub", x, net("Mean", x, [-1], keep_dims=True))
    variance = net("Mean", net("Pow", off, 2.0), [-1], keep_dims=True)
    return net("AddV2", net("Mul", net("RealDiv", off, net("Sqrt", net("AddV2", variance, 1e-5))), numbers(4)), numbers(4))


@idiom("layer-norm-dense", 3, MatMul=1, Add=1, LayerNormalization=1)
def layer_norm_dense(net):
    """Behind a Dense of Keras, whose sizes are gathered and multiplied."""
    from transformers import norm_fused
    x = net.feed("x", numbers(2, 3, 4), [None, None, 4])
    shape = net("Shape", x)
    rows_of, width = net("GatherV2", shape, np.array([0, 1], "i4"), 0), net("GatherV2", shape, np.array([2], "i4"), 0)
    flat = net("Reshape", net("Transpose", x, [0, 1, 2]), net("Pack", net("Prod", rows_of, [0]), net("Prod", width, [0])))
    made = net("Reshape", net("MatMul", flat, numbers(4, 6)), net("ConcatV2", rows_of, np.array([6], "i4"), 0))
    return norm_fused(net, net("BiasAdd", made, numbers(6)), numbers(6), numbers(6))


@idiom("layer-norm-factor-first", 1, LayerNormalization=1)
def layer_norm_factor_first(net):
    x = rows(net)
    off = net("Sub", x, net("Mean", x, [-1], keep_dims=True))
    variance = net("Mean", net("Square", off), [-1], keep_dims=True)
    return net("AddV2", net("RealDiv", net("Mul", numbers(4), off), net("Sqrt", net("AddV2", variance, 1e-5))), numbers(4))


@idiom("layer-norm-power", 1, LayerNormalization=1)
def layer_norm_power(net):
    x = rows(net)
    off = net("Sub", x, net("Mean", x, [-1], keep_dims=True))
    variance = net("Mean", net("Square", off), [-1], keep_dims=True)
    return net("AddV2", net("Mul", numbers(4), net("Mul", off, net("Pow", net("AddV2", variance, 1e-5), -0.5))), numbers(4))


@idiom("layer-norm-plain", 1, LayerNormalization=1)
def layer_norm_plain(net):
    x = rows(net)
    off = net("Sub", x, net("Mean", x, [-1], keep_dims=True))
    variance = net("Mean", net("Square", off), [-1], keep_dims=True)
    return net("RealDiv", off, net("Sqrt", net("AddV2", variance, 1e-5)))


@idiom("layer-norm-factor-alone", 1, LayerNormalization=1)
def layer_norm_factor_alone(net):
    x = rows(net)
    off = net("Sub", x, net("Mean", x, [-1], keep_dims=True))
    variance = net("Mean", net("Square", off), [-1], keep_dims=True)
    return net("Mul", net("Mul", off, net("Rsqrt", net("AddV2", variance, 1e-5))), numbers(4))


# --- each image and channel by its own mean and variance ---------------------------------------

def instance_normed(net, x, written):
    channels = net.value(x).shape[-1]
    scale, offset = numbers(channels), numbers(channels)
    mean = net("Mean", x, [1, 2], keep_dims=True)
    off = net("Sub", x, mean)
    square = net("SquaredDifference", x, mean) if written == "moments" else net("Square", off)
    variance = net("AddV2", net("Mean", square, [1, 2], keep_dims=True), 1e-3)
    if written == "moments":
        by = net("Mul", net("Rsqrt", variance), scale)
        return net("AddV2", net("Mul", x, by), net("Sub", offset, net("Mul", mean, by)))
    made = net("Mul", off, net("Rsqrt", variance)) if written == "hand" else net("RealDiv", off, net("Sqrt", variance))
    return net("AddV2", net("Mul", made, scale), offset)


def instance_norm(net, written, images=None):
    """Between two convolutions, so that channels come second."""
    return conv(net, instance_normed(net, conv(net, (images or image)(net)), written), 2)


for spelling in ("moments", "hand", "divided"):
    idiom(f"instance-norm-{spelling}", 5, Transpose=2, Conv=2, InstanceNormalization=1)(lambda net, spelling=spelling: instance_norm(net, spelling))


@idiom("instance-norm-style", 5, Transpose=2, Conv=1, InstanceNormalization=1, Relu=1)
def instance_norm_style(net):
    """No convolution behind it: Transposes are moved once more, and what that leaves is folded."""
    x = conv(net, net.feed("x", numbers(2, 8, 8, 3), [None, None, None, 3]))
    mean = net("Mean", x, [1, 2], keep_dims=True)
    variance = net("Mean", net("SquaredDifference", x, net("StopGradient", mean)), [1, 2], keep_dims=True)
    made = net("RealDiv", net("Sub", x, mean), net("Sqrt", net("AddV2", variance, 1e-3)))
    return net("Relu", net("AddV2", net("Mul", made, numbers(4)), numbers(4)))


# --- rows of a table, as many as there are -------------------------------------------------------

def first_rows(net, x, table):
    count = net("StridedSlice", net("Shape", x), np.array([1], "i4"), np.array([2], "i4"), np.array([1], "i4"), shrink_axis_mask=1)
    none, width = net.const(np.int32(0)), net.const(np.int32(table.shape[1]))
    return net("StridedSlice", net.const(table), net("Pack", none, none), net("Pack", count, width), np.array([1, 1], "i4"))


@idiom("first-rows", 6, Add=1, Concat=1, Shape=1, Slice=1, Unsqueeze=1)
def positions(net):
    x = net.feed("x", numbers(2, 3, 4), [None, None, 4])
    return net("AddV2", x, net("ExpandDims", first_rows(net, x, numbers(16, 4)), 0))


@idiom("one-row-of-computed-place", 10, Shape=1, Concat=1, Where=3, Add=1, Equal=1, Slice=1, Reshape=1)
def one_row(net):
    """The row behind as many as there are, and of it what is before the last."""
    x = net.feed("x", numbers(2, 3, 4), [None, None, 4])
    count = net("StridedSlice", net("Shape", x), np.array([1], "i4"), np.array([2], "i4"), np.array([1], "i4"), shrink_axis_mask=1)
    begin = net("Pack", count, net.const(np.int32(0)))
    return net("StridedSlice", net.const(numbers(16, 4)), begin, np.array([9, -1], "i4"), np.array([1, 1], "i4"), begin_mask=2, shrink_axis_mask=1)


# --- activations -----------------------------------------------------------------------------

@idiom("leaky", 1, LeakyRelu=1)
def leaky(net):
    return net("LeakyRelu", rows(net), alpha=0.25)


@idiom("leaky-largest", 1, LeakyRelu=1)
def leaky_largest(net):
    x = rows(net)
    return net("Maximum", net("Mul", 0.25, x), x)


@idiom("leaky-parts", 1, PRelu=1)
def leaky_parts(net):
    """Keras: PReLU."""
    x = rows(net)
    return net("AddV2", net("Relu", x), net("Mul", net("Neg", numbers(4)), net("Relu", net("Neg", x))))


@idiom("relu6", 1, Clip=1)
def relu6(net):
    return net("Relu6", rows(net))


@idiom("relu6-written", 1, Clip=1)
def relu6_written(net):
    return net("Minimum", net("Maximum", rows(net), 0.0), 6.0)


@idiom("relu6-relu", 1, Clip=1)
def relu6_relu(net):
    return net("Minimum", net("Relu", rows(net)), 6.0)


@idiom("hard-swish", 1, HardSwish=1)
def hard_swish(net):
    x = rows(net)
    return net("Mul", x, net("Mul", net("Relu6", net("AddV2", x, 3.0)), 1 / 6))


@idiom("hard-swish-divided", 1, HardSwish=1)
def hard_swish_divided(net):
    x = rows(net)
    return net("RealDiv", net("Mul", x, net("Relu6", net("AddV2", x, 3.0))), 6.0)


@idiom("hard-sigmoid", 1, HardSigmoid=1)
def hard_sigmoid(net):
    return net("Mul", net("Relu6", net("AddV2", rows(net), 3.0)), 1 / 6)


@idiom("hard-sigmoid-keras", 1, HardSigmoid=1)
def hard_sigmoid_keras(net):
    return net("Maximum", net("Minimum", net("AddV2", net("Mul", rows(net), 0.2), 0.5), 1.0), 0.0)


@idiom("softplus", 1, Softplus=1)
def softplus(net):
    return net("Softplus", rows(net))


@idiom("softplus-written", 1, Softplus=1)
def softplus_written(net):
    return net("Log", net("AddV2", net("Exp", rows(net)), 1.0))


@idiom("softplus-log1p", 1, Softplus=1)
def softplus_log1p(net):
    return net("Log1p", net("Exp", rows(net)))


@idiom("mish", 1, Mish=1)
def mish(net):
    x = rows(net)
    return net("Mul", x, net("Tanh", net("Softplus", x)))


@idiom("swish", 2, Sigmoid=1, Mul=1)
def swish(net):
    x = rows(net)
    return net("Mul", x, net("Sigmoid", x))


@idiom("gelu-erf", 5, Erf=1, Add=1, Div=1, Mul=2)
def gelu_erf(net):
    x = rows(net)
    return net("Mul", x, net("Mul", 0.5, net("AddV2", 1.0, net("Erf", net("RealDiv", x, 1.4142135)))))


@idiom("gelu-tanh", 8, Tanh=1, Add=2, Pow=1, Mul=4)
def gelu_tanh(net):
    x = rows(net)
    cube = net("Mul", 0.044715, net("Pow", x, 3.0))
    return net("Mul", x, net("Mul", 0.5, net("AddV2", 1.0, net("Tanh", net("Mul", 0.7978846, net("AddV2", x, cube))))))


# --- sums and paddings -------------------------------------------------------------------------

@idiom("conv-bias", 3, Transpose=2, Conv=1)
def conv_bias(net):
    return net("BiasAdd", conv(net, image(net)), numbers(4))


@idiom("conv-add", 3, Transpose=2, Conv=1)
def conv_add(net):
    return net("AddV2", conv(net, image(net)), numbers(1, 1, 1, 4))


@idiom("dense-bias", 1, Gemm=1)
def dense_bias(net):
    return net("BiasAdd", net("MatMul", rows(net), numbers(4, 5)), numbers(5))


@idiom("dense-add", 1, Gemm=1)
def dense_add(net):
    return net("AddV2", net("MatMul", rows(net), numbers(5, 4), transpose_b=True), numbers(5))


@idiom("padded", 3, Transpose=2, Conv=1)
def padded(net):
    wide = net("Pad", image(net), np.array([[0, 0], [1, 1], [2, 0], [0, 0]], "i4"))
    return conv(net, wide, padding="VALID")


@idiom("padded-depthwise", 4, Transpose=2, Conv=1, Clip=1)
def padded_depthwise(net):
    """MobileNet of Keras, stride 2."""
    wide = net("Pad", image(net), np.array([[0, 0], [0, 1], [0, 1], [0, 0]], "i4"))
    made = net("DepthwiseConv2dNative", wide, numbers(3, 3, 3, 1), strides=[1, 2, 2, 1], padding="VALID")
    return net("Relu6", net("FusedBatchNormV3", made, *moments(3), epsilon=1e-3, is_training=False))


# --- images of open sizes ------------------------------------------------------------------------

def open_image(net):
    return net.feed("x", numbers(2, 6, 8, 3), [None, None, None, 3])


for spelling in ("moments", "hand", "divided"):
    idiom(f"instance-norm-open-{spelling}", 5, Transpose=2, Conv=2, InstanceNormalization=1)(
        lambda net, spelling=spelling: instance_norm(net, spelling, open_image))
    idiom(f"instance-norm-open-last-{spelling}", 3, Transpose=2, InstanceNormalization=1)(
        lambda net, spelling=spelling: instance_normed(net, open_image(net), spelling))


def size_of(net, x, axis):
    return net("StridedSlice", net("Shape", x), [axis], [axis + 1], [1], shrink_axis_mask=1)


@idiom("upsampled", 5, Transpose=2, Conv=1, Relu=1, Resize=1)
def upsampled(net):
    """UpSampling2D of Keras."""
    y = net("Relu", conv(net, open_image(net)))
    return net("ResizeNearestNeighbor", y, net("Mul", net("StridedSlice", net("Shape", y), [1], [3], [1]), [2, 3]), half_pixel_centers=True)


def deconvolved(net, padding):
    """Conv2DTranspose of Keras, 3 by 3 with strides of 2."""
    x = open_image(net)
    sides = [net("Mul", size_of(net, x, axis), 2) for axis in (1, 2)]
    if padding == "VALID":
        sides = [net("AddV2", side, 1) for side in sides]
    return net("Conv2DBackpropInput", net("Pack", size_of(net, x, 0), *sides, 4), numbers(3, 3, 4, 3), x, strides=[1, 2, 2, 1], padding=padding)


@idiom("deconvolved", 3, Transpose=2, ConvTranspose=1)
def deconvolved_same(net):
    return deconvolved(net, "SAME")


@idiom("deconvolved-valid", 3, Transpose=2, ConvTranspose=1)
def deconvolved_valid(net):
    return net("BiasAdd", deconvolved(net, "VALID"), numbers(4))


def deconvolved_tiles(net, times, add=None):
    x = open_image(net)
    sides = [times(size_of(net, x, axis)) for axis in (1, 2)]
    sides = [net(add, side, 0) for side in sides] if add else sides
    return net("BiasAdd", net("Conv2DBackpropInput", net("Pack", size_of(net, x, 0), *sides, 4), numbers(2, 2, 4, 3), x,
                              strides=[1, 2, 2, 1], padding="VALID"), numbers(4))


@idiom("deconvolved-tiles", 24, Transpose=2, ConvTranspose=1)
def deconvolved_tiles_plain(net):
    """As far apart as they are long, so that nothing is added."""
    return deconvolved_tiles(net, lambda side: net("Mul", 2, side))


@idiom("deconvolved-tiles-keras", 3, Transpose=2, ConvTranspose=1)
def deconvolved_tiles_keras(net):
    return deconvolved_tiles(net, lambda side: net("Mul", side, 2), "Add")


@idiom("lines-shared", 8, Transpose=1, Conv=2, Relu=2, ReduceMax=2, Concat=1)
def lines_shared(net):
    """Windows of several lengths over one line, as in TextCNN."""
    x = net("ExpandDims", net.feed("x", numbers(2, 12, 3), [None, None, 3]), 1)
    made = []
    for length in (2, 3):
        y = net("Conv2D", x, numbers(1, length, 3, 4), strides=[1, 1, 1, 1], padding="VALID")
        made.append(net("Max", net("Relu", net("BiasAdd", net("Squeeze", y, squeeze_dims=[1]), numbers(4))), [1]))
    return net("ConcatV2", *made, 1)


@idiom("squeeze-excite", 9, Transpose=2, Conv=3, Relu=1, Sigmoid=1, Mul=1, GlobalAveragePool=1)
def squeeze_excite(net):
    """The mean is a row that is reshaped to an image again."""
    y = conv(net, open_image(net), 8)
    mean = net("Mean", y, [1, 2])
    mean = net("Reshape", mean, net("Pack", size_of(net, mean, 0), 1, 1, 8))
    return net("Mul", y, net("Sigmoid", conv(net, net("Relu", conv(net, mean, 2, 1)), 8, 1)))


@idiom("mean-open", 2, ReduceMean=1, Sub=1)
def mean_open(net):
    x = net.feed("x", numbers(2, 3, 4), [None, None, None])
    return net("Sub", x, net("Mean", x, [0, 1], keep_dims=True))


# --- products by letters -------------------------------------------------------------------------

@idiom("einsum-dense", 2, MatMul=1, Reshape=1)
def einsum_dense(net):
    x = net.feed("x", numbers(2, 3, 4), [None, None, 4])
    return net("Einsum", x, numbers(4, 2, 5), equation="abc,cde->abde")


@idiom("einsum-heads", 2, MatMul=1, Reshape=1)
def einsum_heads(net):
    x = net.feed("x", numbers(2, 3, 2, 5), [None, None, 2, 5])
    return net("Einsum", x, numbers(2, 5, 4), equation="abcd,cde->abe")


@idiom("einsum-batches", 4, MatMul=1, Transpose=2)
def einsum_batches(net):
    x = net.feed("x", numbers(2, 3, 2, 5), [None, None, 2, 5])
    return net("Einsum", x, x, equation="aecd,abcd->acbe")


@idiom("einsum-outer", 2, Mul=1, Unsqueeze=1)
def einsum_outer(net):
    return net("Einsum", net.feed("x", numbers(3), [None]), numbers(4), equation="i,j->ij")


# --- graphs that were ONNX once ---------------------------------------------------------------
#
# Networks as onnx-tf and onnx2tf export them, and the operators of the ONNX files that they were made of.

def turned(net, x, perm):
    return net("Transpose", x, perm)


def onnx_tf_conv(net, x, channels, size=3, pad=1):
    """Channels go last and come back around every operator; paddings stand alone, weights are turned when it runs."""
    w = turned(net, numbers(channels, net.value(x).shape[1], size, size), [2, 3, 1, 0])
    if pad:
        x = net("Pad", x, np.array([[0, 0], [0, 0], [pad, pad], [pad, pad]], "i4"))
    made = net("Conv2D", turned(net, x, [0, 2, 3, 1]), w, strides=[1, 1, 1, 1], padding="VALID")
    made = turned(net, made, [0, 3, 1, 2])
    return net("AddV2", made, net("Reshape", numbers(channels), [1, channels, 1, 1]))


def onnx_tf_norm(net, x):
    channels = net.value(x).shape[1]
    scale, offset, mean, variance = (net("Reshape", c, [1, channels, 1, 1]) for c in moments(channels))
    by = net("Mul", net("Rsqrt", net("AddV2", variance, 1e-5)), scale)
    return net("AddV2", net("Mul", x, by), net("Sub", offset, net("Mul", mean, by)))


def onnx_tf_reshape(net, x, dims):
    """A 0 copies a size: found, gathered and scattered when it runs."""
    shape = net.const(np.array(dims, "int64"))
    copied = net("Squeeze", net("Where", net("Equal", shape, net.const(0, "int64"))), squeeze_dims=[-1])
    sizes = net("GatherV2", net("Cast", net("Shape", x), SrcT="int32", DstT="int64"), copied, 0)
    scattered = net("SparseToDense", net("ExpandDims", copied, -1), net.const(np.array([len(dims)], "int64")), sizes, net.const(0, "int64"))
    return net("Reshape", x, net("AddV2", shape, scattered))


@idiom("onnx-tf", 18, Conv=3, Relu=3, Add=1, MaxPool=1, GlobalAveragePool=1, Reshape=1, Gemm=1)
def onnx_tf(net):
    x = net.feed("x", numbers(2, 3, 8, 8), [None, 3, 8, 8])
    x = net("Relu", onnx_tf_norm(net, onnx_tf_conv(net, x, 4)))
    x = turned(net, net("MaxPool", turned(net, x, [0, 2, 3, 1]), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"), [0, 3, 1, 2])
    y = net("Relu", onnx_tf_norm(net, onnx_tf_conv(net, x, 4)))
    x = net("Relu", net("AddV2", x, onnx_tf_conv(net, y, 4, size=1, pad=0)))
    x = onnx_tf_reshape(net, net("Mean", x, [2, 3], keep_dims=True), [0, 4])
    made = net("MatMul", x, turned(net, numbers(5, 4), [1, 0]))
    return net("AddV2", net("Mul", made, 1.0), net("Mul", numbers(5), 1.0))


@idiom("onnx2tf", 12, Conv=3, Relu=3, Add=1, MaxPool=1, GlobalAveragePool=1, Reshape=1, Gemm=1, Transpose=1)
def onnx2tf(net):
    """All of it channels last, weights too; factors and sums for each channel; the input stays last."""
    def one(x, size=3):
        if size > 1:
            x = net("Pad", x, np.array([[0, 0], [1, 1], [1, 1], [0, 0]], "i4"))
        made = conv(net, x, size=size, padding="VALID")
        return net("AddV2", net("Mul", made, numbers(1, 1, 1, 4)), numbers(1, 1, 1, 4))
    x = net("Relu", one(image(net)))
    x = net("MaxPool", x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    x = net("Relu", net("AddV2", x, one(net("Relu", one(x)), size=1)))
    x = net("Reshape", net("Mean", x, [1, 2], keep_dims=True), [-1, 4])
    return net("AddV2", net("MatMul", x, numbers(4, 5)), numbers(5))



def dilated_open(net, op, weights):
    """Paddings as required_space_to_batch_paddings() counts them."""
    x = open_image(net)
    start, end, block = (net.const(np.array([2, 2], "i4")) for _ in range(3))
    whole = net("AddV2", net("AddV2", net("StridedSlice", net("Shape", x), [1], [3], [1]), start), end)
    more = net("FloorMod", net("Sub", block, net("FloorMod", whole, block)), block)
    last = net("AddV2", end, more)

    def part(of, i):
        return net("StridedSlice", of, [i], [i + 1], [1], shrink_axis_mask=1)
    zero = net.const(np.int32(0))
    pads = net("Pack", *(net("Pack", part(start, i), part(last, i)) for i in (0, 1)))
    crops = net("Pack", *(net("Pack", zero, part(more, i)) for i in (0, 1)))
    made = net(op, net("SpaceToBatchND", x, block, pads), weights, strides=[1, 1, 1, 1], padding="VALID")
    return net("Relu", net("BiasAdd", net("BatchToSpaceND", made, block, crops), numbers(weights.shape[2] if op[0] == "D" else 4)))


@idiom("dilated-open", 59, Transpose=2, Conv=1, Relu=1)
def dilated_conv_open(net):
    """DeepLab, of images of any size."""
    return dilated_open(net, "Conv2D", numbers(3, 3, 3, 4))


@idiom("dilated-open-depthwise", 59, Transpose=2, Conv=1, Relu=1)
def dilated_depthwise_open(net):
    return dilated_open(net, "DepthwiseConv2dNative", numbers(3, 3, 3, 1))


# --- axes that are divided and joined ----------------------------------------------------------

@idiom("channel-shuffle", 7, Transpose=3, Conv=2, Reshape=2)
def channel_shuffle(net):
    """ShuffleNet, with the channels last."""
    y = conv(net, image(net), 8)
    n = size_of(net, y, 0)
    cut = net("Transpose", net("Reshape", y, net("Pack", n, 8, 8, 2, 4)), [0, 1, 2, 4, 3])
    return conv(net, net("Reshape", cut, net("Pack", n, 8, 8, 8)))


@idiom("flat-dense", 4, Transpose=1, Conv=1, Reshape=1, Gemm=1)
def flat_dense(net):
    """Flatten and Dense of Keras: the weights get the order of the channels."""
    flat = net("Reshape", conv(net, image(net)), [-1, 256])
    return net("BiasAdd", net("MatMul", flat, numbers(256, 5)), numbers(5))


@idiom("number-for-each-channel", 8, Transpose=2, Conv=2, Gemm=1, Reshape=1, Mul=1, Relu=1)
def number_for_each_channel(net):
    """What another input says of channels."""
    by = net("Reshape", net("BiasAdd", net("MatMul", net.feed("z", numbers(2, 3), [None, 3]), numbers(3, 4)), numbers(4)), [-1, 1, 1, 4])
    return conv(net, net("Relu", net("Mul", conv(net, image(net)), by)))


@idiom("last-place", 5, Transpose=1, Conv=1, Relu=1, Gather=1)
def last_place(net):
    """The last step of a convolution over lines."""
    x = net.feed("x", numbers(2, 12, 3), [None, 12, 3])
    made = net("Conv2D", net("ExpandDims", x, 1), numbers(1, 3, 3, 4), strides=[1, 1, 1, 1], padding="SAME")
    y = net("Relu", net("Squeeze", made, squeeze_dims=[1]))
    return net("StridedSlice", y, [0, -1, 0], [0, 0, 0], [1, 1, 1], begin_mask=5, end_mask=5, shrink_axis_mask=2)


# --- nothing is dropped when nobody learns -----------------------------------------------------

def random_numbers(net, x):
    name = net.named("RandomUniform")
    net.graph.add("RandomUniform", name, [net("Shape", x)], {"dtype": "float32", "T": "int32"})
    net.values[name] = net.graph.arrays[name] = np.ones(net.value(x).shape, "float32")
    return name


@idiom("dropout-keras", 2, Relu=1)
def dropout_keras(net):
    x = net("Relu", rows(net))
    kept = net("GreaterEqual", random_numbers(net, x), 0.5)
    net("Mul", net("Mul", x, 2.0), net("Cast", kept, SrcT="bool", DstT="float32"), name="y")
    net.values["y"] = net.value(x)
    return "y"


@idiom("dropout-selected", 2, Relu=1)
def dropout_selected(net):
    x = net("Relu", rows(net))
    kept = net("GreaterEqual", random_numbers(net, x), 0.5)
    net("SelectV2", kept, net("Mul", x, 2.0), net.const(0.0, "float32"), name="y")
    net.values["y"] = net.value(x)
    return "y"


@idiom("dropout-frozen", 2, Relu=1)
def dropout_frozen(net):
    """TensorFlow 1, with a range of 0 to 1 that grappler took away."""
    x, keep = net("Relu", rows(net)), net.const(0.5, "float32")
    kept = net("Floor", net("Add", keep, random_numbers(net, x)))
    net("Mul", net("RealDiv", x, keep), kept, name="y")
    net.values["y"] = net.value(x)
    return "y"


@idiom("dropout-ranged", 2, Relu=1)
def dropout_ranged(net):
    """TensorFlow 1.13 and later."""
    x = net("Relu", rows(net))
    wide = net("Add", net("Mul", random_numbers(net, x), net.const(1.0, "float32")), net.const(0.0, "float32"))
    kept = net("GreaterEqual", wide, 0.5)
    net("Mul", net("Mul", x, 2.0), net("Cast", kept, SrcT="bool", DstT="float32"), name="y")
    net.values["y"] = net.value(x)
    return "y"


# --- the run -----------------------------------------------------------------------------------

def histogram(path):
    import onnx
    return collections.Counter(node.op_type for node in onnx.load(path).graph.node if node.op_type != "Constant")


def run(name, engine, folder, tenon):
    """What is wrong."""
    make, most, wanted = IDIOMS[name]
    net = Eager()
    made = make(net)
    want = net.value(made)
    source, middle, back, receipt = (os.path.join(folder, "model" + ending) for ending in (".pb", ".fb", ".onnx", ".receipt"))
    net.write(source)
    options = ["--fold", "all", *(["--opset", "18"] if "Mish" in wanted else [])]
    proof.convert_directly(tenon, source, back, "--outputs", made, *options)
    counts = histogram(back)
    if counts != wanted:
        yield f"{dict(counts)}, not {wanted}"
    hold(engine.run(back, net.fed, optimize="disabled"), want)
    proof.convert_directly(tenon, source, back, "--outputs", made, "--opset", "11")
    hold(engine.run(back, net.fed, optimize="disabled"), want)
    if name.startswith("dropout"):
        subprocess.run([tenon, "convert", "--quiet", "--force", "--outputs", made, source, "-o", back, "--receipt", receipt], check=True)
        with open(receipt, encoding="utf-8") as file:
            if not any(json.loads(line).get("op") == "RandomUniform" and "random" in json.loads(line)["rule"] for line in file):
                yield "the receipt does not tell that nothing is random now"
        return
    proof.convert(tenon, source, middle, "--outputs", made)
    proof.convert(tenon, middle, back, *options)
    hold(engine.run(back, net.fed, optimize="disabled"), want)
    if sum(histogram(back).values()) > most:
        yield f"through nd4j: {sum(histogram(back).values())} nodes, not {most}: {dict(histogram(back))}"


def hold(got, want):
    proof.compare("y", next(iter(got.values())), want, 1e-3, 1e-3)


def main():
    import argparse
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", default="*")
    arguments = parser.parse_args()
    wrong = 0
    with proof.engines.OnnxRuntime.find() as engine, tempfile.TemporaryDirectory() as folder:
        for name in (name for name in IDIOMS if fnmatch.fnmatch(name, arguments.only)):
            try:
                faults = list(run(name, engine, folder, arguments.tenon))
            except (proof.Unmapped, proof.Differs, proof.engines.EngineError) as error:
                faults = [proof.told(error)]
            wrong += bool(faults)
            for fault in faults:
                print(f"{name}: {fault}")
    print(f"{len(IDIOMS)} idioms, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
