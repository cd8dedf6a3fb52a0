#!/usr/bin/env python3
"""Transformers as frameworks write them into graphs of TensorFlow: what ONNX Runtime can fuse of them.

    transformers.py TENON [--only PATTERNS] [--keep DIR] [--report FILE [--update]]

The graphs are written here, with open batch and sequence length, in the idioms of Keras, of
Hugging Face and of the first BERT.  Each goes to ONNX directly and through nd4j, and must give
what numpy gives, without an optimiser and with it; then ONNX Runtime's extended level must find
at least the fused operators that it finds in the same net as PyTorch exports it.
"""
import collections
import fnmatch
import os
import sys
import tempfile

import numpy as np

import proof
from eager_graph import Eager

BATCH, STEPS, WIDTH, HEADS, LAYERS, WORDS = 2, 5, 16, 2, 2, 30
EACH = WIDTH // HEADS
FUSED = ("Attention", "LayerNormalization", "SkipLayerNormalization", "SimplifiedLayerNormalization", "Gelu", "BiasGelu",
         "FastGelu", "QuickGelu", "FusedMatMul")


class Weights:
    """The same numbers for every spelling of a net."""

    def __init__(self):
        self.random = np.random.default_rng(7)

    def __call__(self, *dims, scale=0.3):
        return (self.random.standard_normal(dims) * scale).astype("float32")


# --- parts, each as somebody writes it -------------------------------------------------

def size(net, x, axis):
    """tf.shape(x)[axis]."""
    return net("StridedSlice", net("Shape", x), [axis], [axis + 1], [1], shrink_axis_mask=1)


def dense_tensordot(net, x, w, b):
    """Keras: Dense on more than two axes."""
    shape = net("Shape", x)
    free = net("GatherV2", shape, [0, 1], 0)
    other = net("GatherV2", shape, [2], 0)
    rows = net("Prod", free, [0], keep_dims=False)
    columns = net("Prod", other, [0], keep_dims=False)
    flat = net("Reshape", net("Transpose", x, [0, 1, 2]), net("Pack", rows, columns))
    dims = net("ConcatV2", free, [int(w.shape[1])], 0)
    made = net("Reshape", net("MatMul", flat, w), dims)
    return net("BiasAdd", made, b) if b is not None else made


def dense_conv1d(net, x, w, b):
    """Hugging Face: GPT-2's Conv1D."""
    dims = net("Pack", size(net, x, 0), size(net, x, 1), int(w.shape[1]))
    flat = net("Reshape", x, [-1, int(w.shape[0])])
    return net("Reshape", net("AddV2", net("MatMul", flat, w), b), dims)


def norm_moments(net, x, gamma, beta, epsilon=1e-12, add="AddV2"):
    """tf.nn.moments, tf.nn.batch_normalization."""
    mean = net("Mean", x, [-1], keep_dims=True)
    variance = net("Mean", net("SquaredDifference", x, net("StopGradient", mean)), [-1], keep_dims=True)
    by = net("Mul", net("Rsqrt", net(add, variance, epsilon)), gamma)
    return net(add, net("Mul", x, by), net("Sub", beta, net("Mul", mean, by)))


def norm_fused(net, x, gamma, beta, epsilon=1e-3):
    """Keras: LayerNormalization by FusedBatchNorm."""
    shape = net("Shape", x)
    one = [net("StridedSlice", shape, [i], [i + 1], [1], shrink_axis_mask=1) for i in range(3)]
    rows = net("Mul", net("Mul", 1, one[0]), one[1])
    columns = net("Mul", 1, one[2])
    flat = net("Reshape", x, net("Pack", 1, rows, columns, 1))
    ones = net("Fill", net("Pack", rows), net.const(1.0, "float32"))
    zeros = net("Fill", net("Pack", rows), net.const(0.0, "float32"))
    nothing = net.const(np.zeros(0, "float32"))
    made = net("FusedBatchNormV3", flat, ones, zeros, nothing, nothing, data_format="NCHW", epsilon=epsilon, is_training=True)
    return net("AddV2", net("Mul", net("Reshape", made, shape), gamma), beta)


def norm_by_hand(net, x, gamma, beta, epsilon=1e-5):
    """GPT-2 of its authors."""
    mean = net("Mean", x, [-1], keep_dims=True)
    off = net("Sub", x, mean)
    variance = net("Mean", net("Square", net("Sub", x, mean)), [-1], keep_dims=True)
    made = net("Mul", off, net("Rsqrt", net("AddV2", variance, epsilon)))
    return net("AddV2", net("Mul", made, gamma), beta)


def norm_root(net, x, gamma, _beta, epsilon=1e-6):
    """T5, Llama: no mean."""
    variance = net("Mean", net("Square", x), [-1], keep_dims=True)
    return net("Mul", gamma, net("Mul", x, net("Rsqrt", net("AddV2", variance, epsilon))))


def gelu_hugging(net, x):
    """x * 0.5 (1 + erf(x / sqrt(2)))"""
    return net("Mul", x, net("Mul", 0.5, net("AddV2", 1.0, net("Erf", net("RealDiv", x, 1.4142135)))))


def gelu_keras(net, x):
    return net("Mul", net("Mul", 0.5, x), net("AddV2", 1.0, net("Erf", net("RealDiv", x, 1.4142135))))


def gelu_tanh(net, x):
    """x * 0.5 (1 + tanh(...)), of the first BERT."""
    cube = net("Mul", 0.044715, net("Pow", x, 3.0))
    return net("Mul", x, net("Mul", 0.5, net("AddV2", 1.0, net("Tanh", net("Mul", 0.7978846, net("AddV2", x, cube))))))


def gelu_tanh_keras(net, x):
    cube = net("Mul", 0.044715, net("Pow", x, 3.0))
    return net("Mul", net("Mul", 0.5, x), net("AddV2", 1.0, net("Tanh", net("Mul", 0.7978846, net("AddV2", x, cube)))))


def swish(net, x):
    return net("Mul", x, net("Sigmoid", x))


def embedded(net, at, table):
    return net("GatherV2", table, at, 0)


def added_mask(net, mask):
    """(1 - mask[:, None, None, :]) * -10000"""
    wide = net("StridedSlice", mask, [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], begin_mask=9, end_mask=9, new_axis_mask=6)
    return net("Mul", net("Sub", 1.0, net("Cast", wide, SrcT="int32", DstT="float32")), -10000.0)


# --- attention -------------------------------------------------------------------------

def heads_of(net, x, dims):
    return net("Transpose", net("Reshape", x, dims), [0, 2, 1, 3])


def attention_hugging(net, x, weights, mask, dense=dense_tensordot):
    """[batch, -1, heads, size], scores / sqrt(size) + mask."""
    batch = size(net, x, 0)
    dims = lambda: net("Pack", batch, -1, HEADS, EACH)
    q, k, v = (heads_of(net, dense(net, x, weights(WIDTH, WIDTH), weights(WIDTH)), dims()) for _ in range(3))
    scores = net("RealDiv", net("BatchMatMulV2", q, k, adj_y=True), net("Sqrt", net.const(float(EACH), "float32")))
    scores = net("AddV2", scores, mask)
    made = net("Transpose", net("BatchMatMulV2", net("Softmax", scores), v), [0, 2, 1, 3])
    made = net("Reshape", made, net("Pack", size(net, x, 0), -1, WIDTH))
    return dense(net, made, weights(WIDTH, WIDTH), weights(WIDTH))


def attention_einsum(net, x, weights, mask):
    """Keras: MultiHeadAttention."""
    def part():
        w, b = weights(WIDTH, WIDTH), weights(WIDTH)
        made = net("Einsum", x, net.const(w.reshape(WIDTH, HEADS, EACH)), equation="abc,cde->abde")
        return net("AddV2", made, b.reshape(HEADS, EACH))
    q, k, v = part(), part(), part()
    q = net("Mul", q, 1 / float(np.sqrt(EACH)))
    scores = net("AddV2", net("Einsum", k, q, equation="aecd,abcd->acbe"), mask)
    made = net("Einsum", net("Softmax", scores), v, equation="acbe,aecd->abcd")
    w, b = weights(WIDTH, WIDTH), weights(WIDTH)
    return net("AddV2", net("Einsum", made, net.const(w.reshape(HEADS, EACH, WIDTH)), equation="abcd,cde->abe"), b)


def turned(net, x, angles):
    """Rotary: (x cos + [-x2, x1] sin)."""
    first, second = net("Split", net.const(-1, "int32"), x, num_split=2)
    half = net("ConcatV2", net("Neg", second), first, net.const(-1, "int32"))
    return net("AddV2", net("Mul", x, net("Cos", angles)), net("Mul", half, net("Sin", angles)))


def angles_of(net, x):
    """positions times frequencies, twice: [1, 1, steps, size]"""
    at = net("Cast", net("Range", net.const(0, "int32"), size(net, x, 1), net.const(1, "int32")), SrcT="int32", DstT="float32")
    by = (1 / 10000 ** (np.arange(0, EACH, 2) / EACH)).astype("float32")
    made = net("Einsum", at, net.const(by), equation="i,j->ij")
    made = net("ConcatV2", made, made, net.const(-1, "int32"))
    return net("ExpandDims", net("ExpandDims", made, 0), 0)


def causal(net, x, steps):
    """1 at and below the diagonal."""
    at = net("Range", net.const(0, "int32"), size(net, x, 1), net.const(1, "int32"))
    low = net("GreaterEqual", net("ExpandDims", at, 1), at)
    return net("Reshape", net("Cast", low, SrcT="bool", DstT="float32"), net("Pack", 1, 1, size(net, x, 1), size(net, x, 1)))


def attention_gpt(net, x, weights, mask):
    """One product for all three; w b - 10000 (1 - b)."""
    made = dense_conv1d(net, x, weights(WIDTH, 3 * WIDTH), weights(1, 3 * WIDTH))
    parts = net("Split", net.const(2, "int32"), made, num_split=3)
    q, k, v = (heads_of(net, part, net("Pack", size(net, part, 0), size(net, part, 1), HEADS, EACH)) for part in parts)
    scores = net("RealDiv", net("BatchMatMulV2", q, k, adj_y=True), net("Sqrt", net.const(float(EACH), "float32")))
    scores = net("Sub", net("Mul", scores, mask), net("Mul", 10000.0, net("Sub", 1.0, mask)))
    made = net("Transpose", net("BatchMatMulV2", net("Softmax", scores), v), [0, 2, 1, 3])
    made = net("Reshape", made, net("Pack", size(net, made, 0), size(net, made, 1), WIDTH))
    return dense_conv1d(net, made, weights(WIDTH, WIDTH), weights(1, WIDTH))


def attention_rotary(net, x, weights, mask):
    angles = angles_of(net, x)
    dims = lambda: net("Pack", size(net, x, 0), size(net, x, 1), HEADS, EACH)
    q, k, v = (heads_of(net, dense_tensordot(net, x, weights(WIDTH, WIDTH), None), dims()) for _ in range(3))
    scores = net("BatchMatMulV2", turned(net, q, angles), turned(net, k, angles), adj_y=True)
    scores = net("SelectV2", net("Less", mask, 0.5), net.const(-1e9, "float32"), net("Mul", scores, 1 / float(np.sqrt(EACH))))
    made = net("Transpose", net("BatchMatMulV2", net("Softmax", scores), v), [0, 2, 1, 3])
    made = net("Reshape", made, net("Pack", size(net, x, 0), size(net, x, 1), WIDTH))
    return dense_tensordot(net, made, weights(WIDTH, WIDTH), None)


# --- whole nets ------------------------------------------------------------------------

def words(net, weights):
    at = net.feed("input_ids", np.random.default_rng(1).integers(0, WORDS, (BATCH, STEPS)).astype("int32"), [None, None])
    places = net("Range", net.const(0, "int32"), size(net, at, 1), net.const(1, "int32"))
    table, order = net.const(weights(WORDS, WIDTH)), net.const(weights(64, WIDTH))
    return at, net("AddV2", embedded(net, at, table), embedded(net, places, order)), table


def encoder(net, attention, dense, norm, activation):
    weights = Weights()
    _, x, _ = words(net, weights)
    mask = added_mask(net, net.feed("mask", np.array([[1] * STEPS, [1] * 3 + [0] * (STEPS - 3)], "int32"), [None, None]))
    x = norm(net, x, weights(WIDTH), weights(WIDTH))
    for _ in range(LAYERS):
        x = norm(net, net("AddV2", attention(net, x, weights, mask), x), weights(WIDTH), weights(WIDTH))
        inner = activation(net, dense(net, x, weights(WIDTH, 4 * WIDTH), weights(4 * WIDTH)))
        x = norm(net, net("AddV2", dense(net, inner, weights(4 * WIDTH, WIDTH), weights(WIDTH)), x), weights(WIDTH), weights(WIDTH))
    return net("Identity", x, name="y")


def decoder(net, attention, dense, norm, activation):
    weights = Weights()
    at, x, table = words(net, weights)
    mask = causal(net, at, STEPS)
    for _ in range(LAYERS):
        x = net("AddV2", x, attention(net, norm(net, x, weights(WIDTH), weights(WIDTH)), weights, mask))
        inner = activation(net, dense(net, norm(net, x, weights(WIDTH), weights(WIDTH)), weights(WIDTH, 4 * WIDTH), weights(4 * WIDTH)))
        x = net("AddV2", x, dense(net, inner, weights(4 * WIDTH, WIDTH), weights(WIDTH)))
    flat = net("Reshape", norm(net, x, weights(WIDTH), weights(WIDTH)), [-1, WIDTH])
    dims = net("Pack", size(net, at, 0), size(net, at, 1), WORDS)
    return net("Reshape", net("MatMul", flat, table, transpose_b=True), dims, name="y")


def matrix_encoder(net):
    """The first BERT: everything is a matrix, [batch * steps, width]."""
    weights = Weights()
    ids, x, _ = words(net, weights)
    mask = net.feed("mask", np.array([[1] * STEPS, [1] * 3 + [0] * (STEPS - 3)], "int32"), [None, None])
    batch, steps = size(net, ids, 0), size(net, ids, 1)
    row = net("Cast", net("Reshape", mask, net("Pack", batch, 1, steps)), SrcT="int32", DstT="float32")
    ones = net("Fill", net("Pack", batch, steps, 1), net.const(1.0, "float32"))
    adder = net("Mul", net("Sub", 1.0, net("ExpandDims", net("Mul", ones, row), [1])), -10000.0)
    x = net("Reshape", norm_moments(net, x, weights(WIDTH), weights(WIDTH)), [-1, WIDTH])

    def flat(y, n, m):
        return net("BiasAdd", net("MatMul", y, weights(n, m)), weights(m))
    for _ in range(LAYERS):
        q, k, v = (heads_of(net, flat(x, WIDTH, WIDTH), net("Pack", batch, steps, HEADS, EACH)) for _ in range(3))
        scores = net("AddV2", net("Mul", net("BatchMatMulV2", q, k, adj_y=True), 1 / float(np.sqrt(EACH))), adder)
        made = net("Transpose", net("BatchMatMulV2", net("Softmax", scores), v), [0, 2, 1, 3])
        made = net("Reshape", made, net("Pack", net("Mul", batch, steps), WIDTH))
        x = norm_moments(net, net("AddV2", flat(made, WIDTH, WIDTH), x), weights(WIDTH), weights(WIDTH))
        inner = gelu_tanh(net, flat(x, WIDTH, 4 * WIDTH))
        x = norm_moments(net, net("AddV2", flat(inner, 4 * WIDTH, WIDTH), x), weights(WIDTH), weights(WIDTH))
    return net("Reshape", x, net("Pack", batch, steps, WIDTH), name="y")


NETS = {
    "bert-hugging": lambda net: encoder(net, attention_hugging, dense_tensordot, norm_moments, gelu_hugging),
    "bert-keras": lambda net: encoder(net, attention_einsum, dense_tensordot, norm_fused, gelu_keras),
    "bert-matrix": matrix_encoder,
    "gpt-hugging": lambda net: decoder(net, attention_gpt, dense_conv1d, norm_moments, gelu_tanh),
    "gpt-by-hand": lambda net: decoder(net, attention_gpt, dense_conv1d, norm_by_hand, gelu_tanh_keras),
    "rotary": lambda net: decoder(net, attention_rotary, dense_tensordot, norm_root, swish),
}


# --- the same nets, as PyTorch exports them ----------------------------------------------

def in_torch():
    """Nets of the same layers for torch.onnx.export, and what they take; {}: there is no torch."""
    try:
        import torch
    except ImportError:
        return {}
    from torch import nn

    def cut(y):
        return y.view(y.size(0), y.size(1), HEADS, EACH).permute(0, 2, 1, 3)

    def attend(q, k, v, mask):
        made = torch.softmax(mask(cut(q) @ cut(k).transpose(-1, -2) / EACH ** 0.5), -1) @ cut(v)
        made = made.permute(0, 2, 1, 3).contiguous()
        return made.view(made.size(0), made.size(1), WIDTH)

    class Layer(nn.Module):
        def __init__(self, is_decoder):
            super().__init__()
            self.parts = nn.ModuleList(nn.Linear(WIDTH, 3 * WIDTH) if is_decoder else nn.Linear(WIDTH, WIDTH)
                                       for _ in range(1 if is_decoder else 3))
            self.out, self.wide, self.back = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
            self.first, self.second, self.is_decoder = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), is_decoder

        def forward(self, x, mask):
            if not self.is_decoder:
                x = self.first(self.out(attend(*(part(x) for part in self.parts), mask)) + x)
                return self.second(self.back(nn.functional.gelu(self.wide(x))) + x)
            x = x + self.out(attend(*self.parts[0](self.first(x)).split(WIDTH, 2), mask))
            z = self.wide(self.second(x))
            return x + self.back(0.5 * z * (1 + torch.tanh(0.7978845608 * (z + 0.044715 * torch.pow(z, 3)))))

    class Net(nn.Module):
        def __init__(self, is_decoder):
            super().__init__()
            self.words, self.places, self.norm = nn.Embedding(WORDS, WIDTH), nn.Embedding(64, WIDTH), nn.LayerNorm(WIDTH)
            self.layers, self.is_decoder = nn.ModuleList(Layer(is_decoder) for _ in range(LAYERS)), is_decoder

        def forward(self, ids, mask=None):
            at = torch.arange(ids.size(1))
            x = self.words(ids) + self.places(at[None, :])
            low = (at[:, None] >= at[None, :]).float()[None, None]
            off = (1.0 - mask[:, None, None, :].float()) * -10000.0 if mask is not None else None
            x = x if self.is_decoder else self.norm(x)
            for layer in self.layers:
                x = layer(x, (lambda a: a * low - 10000.0 * (1 - low)) if self.is_decoder else lambda a: a + off)
            return self.norm(x) @ self.words.weight.T if self.is_decoder else x

    ids, mask = torch.zeros(BATCH, STEPS, dtype=torch.int64), torch.ones(BATCH, STEPS, dtype=torch.int32)
    return {"bert": (Net(False), (ids, mask)), "gpt": (Net(True), (ids,))}


def export(net, inputs, path):
    import torch
    names = ["ids", "mask"][:len(inputs)]
    torch.onnx.export(net.eval(), inputs, path, opset_version=17, input_names=names,
                      dynamic_axes={name: {0: "batch", 1: "steps"} for name in names})


# What PyTorch's files come to where there is no PyTorch: fused operators, and nodes that the engine runs.
KNOWN = {"bert": ({"normalised": 5, "activated": 2, "scaled": 2}, 69), "gpt": ({"normalised": 5, "activated": 2, "scaled": 2}, 68)}
KINDS = {"normalised": ("LayerNormalization", "SkipLayerNormalization", "SimplifiedLayerNormalization"),
         "activated": ("Gelu", "BiasGelu", "FastGelu", "QuickGelu"), "scaled": ("FusedMatMul",), "attention": ("Attention", "MultiHeadAttention")}

# Of each net: which of PyTorch's it is, how many nodes may be written (directly, through nd4j), and run more than there are of PyTorch's.
# A mask may have another batch than the words as far as anybody knows: Hugging Face takes the size of the words, PyTorch's net that of
# the product.  The first BERT repeats its mask for every step.
LIMITS = {"bert-hugging": ("bert", 83, 85, 6), "bert-keras": ("bert", 79, 82, 3), "bert-matrix": ("bert", 92, 92, 7),
          "gpt-hugging": ("gpt", 84, 84, 0), "gpt-by-hand": ("gpt", 84, 84, 0), "rotary": (None, 138, 158, 0)}


# --- the run ---------------------------------------------------------------------------

def histogram(path):
    import onnx
    return collections.Counter(node.op_type for node in onnx.load(path).graph.node if node.op_type != "Constant")


def kinds_of(counts):
    return {kind: sum(counts[name] for name in names) for kind, names in KINDS.items() if any(counts[name] for name in names)}


def told(counts):
    return " ".join(f"{name}:{counts[name]}" for name in FUSED if counts[name])


def convert(name, way, source, back, folder, tenon):
    if way == "directly":
        proof.convert_directly(tenon, source, back, "--outputs", "y", "--fold", "all")
        return
    middle = os.path.join(folder, name + ".fb")
    proof.convert(tenon, source, middle, "--outputs", "y")
    proof.convert(tenon, middle, back, "--fold", "all")


def prove(name, make, engine, folder, tenon):
    """Of each way: nodes as written, and as the engine runs them."""
    net = Eager()
    want = net.value(make(net))
    source = os.path.join(folder, name + ".pb")
    net.write(source)
    for way in ("directly", "through nd4j"):
        back, best = (os.path.join(folder, f"{name}.{way[-4:]}{ending}.onnx") for ending in ("", ".fused"))
        convert(name, way, source, back, folder, tenon)
        for level in ("disabled", "all"):
            proof.compare("y", engine.run(back, net.fed, optimize=level)["y"], want, 1e-3, 1e-3)
        engine.optimize(back, best, "extended")
        yield way, histogram(back), histogram(best)


def torch_counts(engine, folder):
    """What the engine makes of PyTorch's files."""
    made = dict(KNOWN)
    for name, (net, inputs) in in_torch().items():
        path, best = (os.path.join(folder, f"torch-{name}{ending}.onnx") for ending in ("", ".fused"))
        export(net, inputs, path)
        engine.optimize(path, best, "extended")
        counts = histogram(best)
        made[name] = kinds_of(counts), sum(counts.values())
    return made


def faults_of(name, way, counts, fused, peers):
    peer, direct, nd4j, more = LIMITS[name]
    most = direct if way == "directly" else nd4j
    if sum(counts.values()) > most:
        yield f"{name}, {way}: {sum(counts.values())} nodes, not {most}"
    if counts["Reshape"] > 6 * LAYERS + 1:
        yield f"{name}, {way}: {counts['Reshape']} Reshapes"
    kinds, ran = peers[peer] if peer else ({"normalised": 5, "activated": 2, "scaled": 2}, None)
    for kind, number in kinds.items():
        if kinds_of(fused).get(kind, 0) < number:
            yield f"{name}, {way}: {kind} {kinds_of(fused).get(kind, 0)} times, not {number}: {told(fused)}"
    if ran and sum(fused.values()) > ran + more:
        yield f"{name}, {way}: {sum(fused.values())} nodes run, not {ran + more}"


def row(name, ways, peers):
    peer = LIMITS[name][0]
    (_, direct, best), (_, nd4j, nd4j_best) = ways
    return (f"| {name} | {sum(direct.values())} | {sum(best.values())} | {sum(nd4j.values())} | {sum(nd4j_best.values())} | "
            f"{peers[peer][1] if peer else ''} | {told(best)} |")


HEAD = ("| net | written | run | through nd4j | run | run of PyTorch's | fused |\n"
        "|---|---|---|---|---|---|---|")


def main():
    import argparse
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep", help="where files are left")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true", help="write the report instead of holding against it")
    arguments = parser.parse_args()
    faults, rows = [], []
    with proof.engines.OnnxRuntime.find() as engine, tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or scratch
        peers = torch_counts(engine, folder) if arguments.only == "*" else KNOWN
        wished = arguments.only.split(",")
        for name in (name for name in NETS if any(fnmatch.fnmatch(name, wish) for wish in wished)):
            ways = list(prove(name, NETS[name], engine, folder, arguments.tenon))
            faults += [fault for way in ways for fault in faults_of(name, *way, peers)]
            rows.append(row(name, ways, peers))
    text = HEAD + "\n" + "\n".join(rows)
    print("\n".join([text, *faults]))
    if arguments.report:
        report = proof.Report(arguments.report, "transformers")
        if arguments.update:
            report.update(f"\n{text}\n\n")
        said = report.parts()[1]
        faults += [f"the report says otherwise: {line}" for line in rows if line not in said]
        print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
