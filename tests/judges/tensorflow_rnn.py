#!/usr/bin/env python3
"""Recurrent layers of TensorFlow, written as loops: tensorflow -> onnx -> ONNX Runtime.

    tensorflow_rnn.py TENON [--only PATTERN] [--shared DIR]

A While reads a row of the sequence in every round, computes the cell as Keras
or TensorFlow 1 spells it, and writes what it gives.  numpy says what comes out.
Steps and batch are open, and two sizes of both are run.  A cell that is one of
ONNX's becomes that operator, and a second one over the reversed sequence its
other direction; one that does something else stays a Loop.
"""
import os
import sys

import graphdef
import numpy as np
import onnx
import proof
import tensorflow_table as table
from tensorflow_lists import Function, number

WIDTH, SIZE = 3, 4
RANDOM = np.random.RandomState(7)


def weights(*dims):
    return (RANDOM.rand(*dims) - 0.5).astype("f4")


def weights_of(width):
    return {"both4": weights(width + SIZE, 4 * SIZE), "both2": weights(width + SIZE, 2 * SIZE),
            "both1": weights(width + SIZE, SIZE), "k4": weights(width, 4 * SIZE), "r4": weights(SIZE, 4 * SIZE),
            "k3": weights(width, 3 * SIZE), "r3": weights(SIZE, 3 * SIZE), "k1": weights(width, SIZE), "r1": weights(SIZE, SIZE),
            "r2": weights(SIZE, 2 * SIZE), "b4": weights(4 * SIZE), "c4": weights(4 * SIZE), "b3": weights(3 * SIZE),
            "c3": weights(3 * SIZE), "b2": weights(2 * SIZE), "b1": weights(SIZE), "pi": weights(SIZE), "pf": weights(SIZE),
            "po": weights(SIZE)}


W = {"there": weights_of(WIDTH), "back": weights_of(WIDTH), "there2": weights_of(2 * SIZE), "back2": weights_of(2 * SIZE),
     "stacked1": weights_of(SIZE), "stacked2": weights_of(SIZE)}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACT = {"Relu": lambda v: np.maximum(v, 0), "Tanh": np.tanh, "Softsign": lambda v: v / (1 + np.abs(v)), "Elu": lambda v: np.where(v < 0, np.expm1(v), v),
       "Sigmoid": sigmoid, "Keras": lambda v: np.clip(0.2 * v + 0.5, 0, 1)}


class Body(Function):
    """Nodes by what they compute; each gives its first output's name."""

    counter = 0
    w = None

    def make(self, op, inputs, output, attrs=None):
        self.counter += 1
        name = f"n{self.counter}"
        self.add(op, name, inputs, {"T": "float32"} if attrs is None else attrs)
        return f"{name}:{output}:0"

    def const(self, array, dtype="f4"):
        self.counter += 1
        self.constant(f"k{self.counter}", np.asarray(array, dtype))
        return f"k{self.counter}:output:0"

    def product(self, left, weight):
        return self.make("MatMul", [left, self.const(weight)], "product")

    def sums(self, key, state, spelling, bias="b"):
        if spelling == "joint":
            axis = self.const(1, "i4")
            row = self.make("ConcatV2", ["row", state, axis], "output", {"N": 2, "T": "float32", "Tidx": "int32"})
            made = self.product(row, self.w["both" + key])
        else:
            made = self.plus(self.product("row", self.w["k" + key]), self.product(state, self.w["r" + key]))
        return self.make("BiasAdd", [made, self.const(self.w[bias + key])], "output")

    def split(self, value, count):
        axis = self.const(1, "i4")
        self.make("Split", [axis, value], "output", {"num_split": count, "T": "float32"})
        return [f"n{self.counter}:output:{i}" for i in range(count)]

    def biased(self, value, bias):
        return self.make("BiasAdd", [value, self.const(bias)], "output")

    def mul(self, x, y):
        return self.make("Mul", [x, y], "z")

    def plus(self, x, y):
        return self.make("AddV2", [x, y], "z")

    def act(self, op, x):
        if op == "Keras":  # hard_sigmoid, which gates of Keras 1 and 2 have
            straight = self.plus(self.mul(x, self.const(0.2)), self.const(0.5))
            return self.make("Maximum", [self.make("Minimum", [straight, self.const(1.0)], "z"), self.const(0.0)], "z")
        return self.make(op, [x], "activations" if op in ("Relu", "Softsign", "Elu") else "y")


# --- cells: of a body what h and c become, of arrays the same --------------------------

def lstm(spelling, order="izfo", forget=0.0, clip=0.0, peep=False, act="Tanh", gate="Sigmoid", biases=False):
    def build(body):
        gates = dict(zip(order, body.split(body.sums("4", "h", spelling), 4)))
        if biases:
            gates = {k: body.plus(v, body.const(body.w["c4"][:SIZE])) for k, v in gates.items()}
        if forget:
            gates["f"] = body.plus(gates["f"], body.const(forget))
        if peep:
            gates["i"] = body.plus(gates["i"], body.mul(body.const(body.w["pi"]), "c"))
            gates["f"] = body.plus(gates["f"], body.mul(body.const(body.w["pf"]), "c"))
        c = body.plus(body.mul("c", body.act(gate, gates["f"])),
                      body.mul(body.act(gate, gates["i"]), body.act(act, gates["z"])))
        if clip:
            c = body.make("ClipByValue", [c, body.const(-clip), body.const(clip)], "output")
        if peep:
            gates["o"] = body.plus(gates["o"], body.mul(c, body.const(body.w["po"])))
        return body.mul(body.act(act, c), body.act(gate, gates["o"])), c

    def compute(x, h, c, w):
        product = np.concatenate([x, h], 1) @ w["both4"] if spelling == "joint" else x @ w["k4"] + h @ w["r4"]
        gates = dict(zip(order, np.split(product + w["b4"], 4, 1)))
        extra = w["c4"][:SIZE] if biases else 0
        s = sigmoid if gate == "Sigmoid" else ACT[gate]
        f = s(gates["f"] + extra + forget + (w["pf"] * c if peep else 0))
        i = s(gates["i"] + extra + (w["pi"] * c if peep else 0))
        c = c * f + i * ACT[act](gates["z"] + extra)
        c = np.clip(c, -clip, clip) if clip else c
        return ACT[act](c) * s(gates["o"] + extra + (w["po"] * c if peep else 0)), c
    return build, compute, True


def lstm_apart():
    """Keras, implementation 1: a product for each gate."""
    order = "ifzo"

    def build(body):
        gates = {}
        for k, name in enumerate(order):
            at = slice(k * SIZE, (k + 1) * SIZE)
            x = body.biased(body.product("row", body.w["k4"][:, at]), body.w["b4"][at])
            gates[name] = body.plus(x, body.product("h", body.w["r4"][:, at]))
        c = body.plus(body.mul(body.act("Sigmoid", gates["f"]), "c"),
                      body.mul(body.act("Sigmoid", gates["i"]), body.act("Tanh", gates["z"])))
        return body.mul(body.act("Sigmoid", gates["o"]), body.act("Tanh", c)), c
    return build, lstm("pair", order)[1], True


def gru():
    def build(body):
        r, u = body.split(body.act("Sigmoid", body.sums("2", "h", "joint")), 2)
        own = body.act("Tanh", body.sums("1", body.mul(r, "h"), "joint"))
        rest = body.make("Sub", [body.const(1.0), u], "z")
        return body.plus(body.mul(u, "h"), body.mul(rest, own)), "c"

    def compute(x, h, c, w):
        r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ w["both2"] + w["b2"]), 2, 1)
        own = np.tanh(np.concatenate([x, r * h], 1) @ w["both1"] + w["b1"])
        return u * h + (1 - u) * own, c
    return build, compute, False


def reset_after():
    """Keras: gates in the order u, r, candidate; r is taken behind the product."""
    def build(body):
        x = body.split(body.biased(body.product("row", body.w["k3"]), body.w["b3"]), 3)
        s = body.split(body.biased(body.product("h", body.w["r3"]), body.w["c3"]), 3)
        u = body.act("Sigmoid", body.plus(x[0], s[0]))
        r = body.act("Sigmoid", body.plus(x[1], s[1]))
        own = body.act("Tanh", body.plus(x[2], body.mul(r, s[2])))
        rest = body.make("Sub", [body.const(1.0), u], "z")
        return body.plus(body.mul(u, "h"), body.mul(rest, own)), "c"

    def compute(x, h, c, w):
        p, q = np.split(x @ w["k3"] + w["b3"], 3, 1), np.split(h @ w["r3"] + w["c3"], 3, 1)
        u, r = sigmoid(p[0] + q[0]), sigmoid(p[1] + q[1])
        return u * h + (1 - u) * np.tanh(p[2] + r * q[2]), c
    return build, compute, False


def reset_before(act="Tanh", gate="Sigmoid"):
    """Keras without reset_after: two gates of one product with the state."""
    def build(body):
        x = body.split(body.biased(body.product("row", body.w["k3"]), body.w["b3"]), 3)
        s = body.split(body.product("h", body.w["r2"]), 2)
        u = body.act(gate, body.plus(x[0], s[0]))
        r = body.act(gate, body.plus(x[1], s[1]))
        own = body.act(act, body.plus(x[2], body.product(body.mul(r, "h"), body.w["r1"])))
        rest = body.make("Sub", [body.const(1.0), u], "z")
        return body.plus(body.mul(u, "h"), body.mul(rest, own)), "c"

    def compute(x, h, c, w):
        p, q = np.split(x @ w["k3"] + w["b3"], 3, 1), np.split(h @ w["r2"], 2, 1)
        u, r = ACT[gate](p[0] + q[0]), ACT[gate](p[1] + q[1])
        return u * h + (1 - u) * ACT[act](p[2] + (r * h) @ w["r1"]), c
    return build, compute, False


def simple(spelling, op):
    def build(body):
        return body.act(op, body.sums("1", "h", spelling)), "c"

    def compute(x, h, c, w):
        product = np.concatenate([x, h], 1) @ w["both1"] if spelling == "joint" else x @ w["k1"] + h @ w["r1"]
        return ACT[op](product + w["b1"]), c
    return build, compute, False


# Cell, what it becomes, what is written in every round: h, c, a gate of it ("gate"),
# or h over and over ("last").
CASES = {
    "lstm_tf1": (lstm("joint", forget=1.0), "LSTM", "h"),
    "lstm_no_forget_bias": (lstm("joint"), "LSTM", "h"),
    "lstm_forget_bias_half": (lstm("pair", forget=0.5), "LSTM", "h"),
    "lstm_keras": (lstm("pair", "ifzo"), "LSTM", "h"),
    "lstm_keras_apart": (lstm_apart(), "LSTM", "h"),
    "lstm_order_ozif": (lstm("joint", "ozif"), "LSTM", "h"),
    "lstm_two_biases": (lstm("joint", forget=1.0, biases=True), "LSTM", "h"),
    "lstm_peepholes": (lstm("joint", forget=1.0, peep=True), "LSTM", "h"),
    "lstm_relu": (lstm("pair", "ifzo", act="Relu"), "LSTM", "h"),
    "lstm_softsign": (lstm("joint", forget=1.0, act="Softsign"), "LSTM", "h"),
    "lstm_elu": (lstm("joint", act="Elu"), "Loop", "h"),
    "lstm_gate_tanh": (lstm("joint", gate="Tanh"), "Loop", "h"),
    "lstm_hard_sigmoid": (lstm("pair", "ifzo", gate="Keras"), "LSTM", "h"),
    "lstm_clipped": (lstm("joint", forget=1.0, clip=0.2), "Loop", "h"),
    "lstm_memory_written": (lstm("joint"), "Loop", "c"),
    "gru_tf1": (gru(), "GRU", "h"),
    "gru_reset_after": (reset_after(), "GRU", "h"),
    "gru_reset_before": (reset_before(), "GRU", "h"),
    "gru_hard_sigmoid": (reset_before(gate="Keras"), "GRU", "h"),
    "gru_relu": (reset_before("Relu"), "GRU", "h"),
    "lstm_last": (lstm("pair", "ifzo"), "LSTM", "last"),
    "gru_last": (reset_after(), "GRU", "last"),
    "rnn_tanh": (simple("joint", "Tanh"), "RNN", "h"),
    "rnn_relu_keras": (simple("pair", "Relu"), "RNN", "h"),
    "rnn_elu": (simple("pair", "Elu"), "Loop", "h"),
    "rnn_twice": (simple("pair", "Relu"), "RNN", "twice"),
    "rnn_other_consumer": (simple("pair", "Relu"), "Loop", "negative"),
}
# Several cells in one loop, as MultiRNNCell and Keras's StackedRNNCells make them: each takes what the one before gives.  Lengths;
# what is written in every round: that of the last cell, that of all, the sum of all; the layers that are expected.
STACKED = {
    "stacked_lstm": ((lstm("joint", forget=1.0), lstm("joint", forget=1.0)), None, "top", {"LSTM": ["forward"] * 2}),
    "stacked_lstm_keras": ((lstm("pair", "ifzo"), lstm("pair", "ifzo"), lstm("pair", "ifzo")), None, "top", {"LSTM": ["forward"] * 3}),
    "stacked_gru": ((gru(), gru()), None, "top", {"GRU": ["forward"] * 2}),
    "stacked_kinds": ((simple("joint", "Relu"), reset_after(), lstm("joint", peep=True)), None, "top", {"RNN": ["forward"], "GRU": ["forward"], "LSTM": ["forward"]}),
    "stacked_lengths": ((lstm("joint", forget=1.0), gru()), "Select", "top", {"LSTM": ["forward"], "GRU": ["forward"]}),
    "stacked_lengths_v2": ((simple("pair", "Tanh"), lstm("pair", "ifzo")), "SelectV2", "top", {"RNN": ["forward"], "LSTM": ["forward"]}),
    "stacked_all_written": ((lstm("joint"), lstm("joint")), None, "all", {"LSTM": ["forward"] * 2}),
    "stacked_all_lengths": ((gru(), lstm("joint")), "Select", "all", {"GRU": ["forward"], "LSTM": ["forward"]}),
    "stacked_other_below": ((lstm("joint", clip=0.2), lstm("joint")), None, "top", {"Loop": [""]}),
    "stacked_other_above": ((lstm("joint"), lstm("joint", clip=0.2)), None, "top", {"LSTM": ["forward"], "Loop": [""]}),
    "stacked_sum": ((gru(), gru()), None, "sum", {"GRU": ["forward"] * 2}),
    "stacked_residual": ((gru(), gru(), gru()), None, "residual", {"GRU": ["forward"] * 3}),
}
# The same with lengths: behind the end the state stays.  What is written there: zeros, or what was before.
LENGTHS = {
    "lengths_lstm": (lstm("joint", forget=1.0), "LSTM", "zeros", "Select"),
    "lengths_lstm_v2": (lstm("pair", "ifzo"), "LSTM", "zeros", "SelectV2"),
    "lengths_gru": (reset_after(), "GRU", "zeros", "SelectV2"),
    "lengths_rnn": (simple("joint", "Tanh"), "RNN", "zeros", "Select"),
    "lengths_bounded": (lstm("joint", forget=1.0), "LSTM", "bounded", "Select"),
    "lengths_output_stays": (simple("joint", "Tanh"), "Loop", "stays", "Select"),
}
# Forward and backward cell; how both are joined: as TensorFlow 1 does, the batch first; as Keras does, turned behind the Transpose,
# the steps counted behind it or ("counted") before it; lengths; states alone, joined; not joined at all; twice.  Layers that are expected, by their directions.
BOTH = {
    "both_lstm_tf1": (lstm("joint", forget=1.0), lstm("joint", forget=1.0), "tf1", {"LSTM": ["bidirectional"]}),
    "both_gru_tf1": (gru(), gru(), "tf1", {"GRU": ["bidirectional"]}),
    "both_lstm_keras": (lstm("pair", "ifzo"), lstm("pair", "ifzo"), "keras", {"LSTM": ["bidirectional"]}),
    "both_gru_keras": (reset_after(), reset_after(), "keras", {"GRU": ["bidirectional"]}),
    "both_lstm_counted": (lstm("pair", "ifzo"), lstm("pair", "ifzo"), "counted", {"LSTM": ["bidirectional"]}),
    "both_hard_sigmoid": (lstm("pair", "ifzo", gate="Keras"), lstm("pair", "ifzo", gate="Keras"), "keras", {"LSTM": ["bidirectional"]}),
    "both_gru_counted": (reset_after(), reset_after(), "counted", {"GRU": ["bidirectional"]}),
    "both_rnn_relu": (simple("pair", "Relu"), simple("pair", "Relu"), "keras", {"RNN": ["bidirectional"]}),
    "both_peepholes": (lstm("joint", peep=True), lstm("joint", peep=True), "tf1", {"LSTM": ["bidirectional"]}),
    "both_lengths": (lstm("joint", forget=1.0), lstm("joint", forget=1.0), "lengths", {"LSTM": ["bidirectional"]}),
    "both_lengths_gru": (gru(), gru(), "lengths", {"GRU": ["bidirectional"]}),
    "both_states": (lstm("pair", "ifzo"), lstm("pair", "ifzo"), "states", {"LSTM": ["bidirectional"]}),
    "both_apart": (lstm("pair", "ifzo"), lstm("pair", "ifzo"), "apart", {"LSTM": ["bidirectional"]}),
    "both_kinds": (lstm("joint", forget=1.0), gru(), "tf1", {"LSTM": ["forward"], "GRU": ["reverse"]}),
    "both_functions": (simple("joint", "Tanh"), simple("joint", "Relu"), "tf1", {"RNN": ["forward", "reverse"]}),
    "both_resets": (gru(), reset_after(), "tf1", {"GRU": ["forward", "reverse"]}),
    "both_clipped": (lstm("joint", forget=1.0), lstm("joint", forget=1.0, clip=0.2), "tf1", {"LSTM": ["forward"], "Loop": [""]}),
    "both_twice": (lstm("joint", forget=1.0), lstm("joint", forget=1.0), "twice", {"LSTM": ["bidirectional", "bidirectional"]}),
    "both_chained": (lstm("joint"), lstm("joint"), "chained", {"LSTM": ["forward", "reverse"]}),
}


# Operators that are whole layers: BlockLSTM and its second version with open steps, cuDNN's with weights as Keras puts them together.
# What is wanted of a block: its outputs ("h"), those and the last memory ("end"), all gates ("gates"); how many steps it takes: all of x
# ("all"), or as many as are fed ("fed"); attributes; both directions, as Keras or TimeReversedFusedRNN say them.
BLOCKS = {
    "block_h": ("BlockLSTM", "h", "all", {"cell_clip": -1.0}, "LSTM"),
    "block_end": ("BlockLSTM", "end", "all", {"cell_clip": -1.0, "forget_bias": 0.5}, "LSTM"),
    "block_end_peepholes": ("BlockLSTM", "end", "all", {"cell_clip": 0.0, "use_peephole": True}, "LSTM"),
    "block_end_known": ("BlockLSTM", "end", "known", {"cell_clip": -1.0}, "LSTM"),
    "block_v2_h": ("BlockLSTMV2", "h", "fed", {}, "LSTM"),
    "block_v2_end": ("BlockLSTMV2", "end", "all", {"use_peephole": True}, "LSTM"),
    "block_v2_gates": ("BlockLSTMV2", "gates", "fed", {"use_peephole": True}, "Loop"),
    "block_end_fed": ("BlockLSTM", "end", "fed", {"cell_clip": -1.0}, "Loop"),
    "block_gates": ("BlockLSTM", "gates", "fed", {"cell_clip": 0.2, "use_peephole": True}, "Loop"),
    "block_clipped": ("BlockLSTM", "h", "fed", {"cell_clip": 0.2}, "Loop"),
    "block_both": ("BlockLSTM", "both", "all", {"cell_clip": -1.0}, {"LSTM": ["bidirectional"]}),
    "cudnn_lstm": ("CudnnRNN", "lstm", 1, {}, {"LSTM": ["forward"]}),
    "cudnn_gru": ("CudnnRNNV2", "gru", 1, {}, {"GRU": ["forward"]}),
    "cudnn_lstm_both": ("CudnnRNN", "lstm", 2, {}, {"LSTM": ["bidirectional"]}),
    "cudnn_gru_both": ("CudnnRNN", "gru", 2, {}, {"GRU": ["bidirectional"]}),
}


class Layer:
    """A While over the rows of `x`, steps first; `at` begins all its names."""

    def __init__(self, graph, at, x, cell, w, width, written="h", lengths=None, stays="zeros", states=("h0", "c0"), counted=None):
        self.graph, self.at, self.cell, self.width = graph, at, cell, width
        self.written, self.lengths, self.stays = written, lengths, stays
        self.build, _, self.has_c = cell
        self.functions(w)
        for name, array in (("dims", np.array([-1, SIZE], "i4")), ("row_dims", np.array([-1, width], "i4")), ("zero", number(0)),
                            ("begin", np.array([0], "i4")), ("end", np.array([1], "i4")), ("step", np.array([1], "i4")), ("one", number(1))):
            graph.constant(at + name, array)
        graph.add("Shape", at + "shape", [counted or x], {"T": "float32", "out_type": "int32"})
        graph.add("StridedSlice", at + "n", [at + "shape", at + "begin", at + "end", at + "step"], {"T": "int32", "Index": "int32", "shrink_axis_mask": 1})
        graph.add("TensorListFromTensor", at + "rows", [x, at + "row_dims"], {"element_dtype": "float32", "shape_type": "int32"})
        graph.add("TensorListReserve", at + "empty", [at + "dims", at + ("one" if written == "last" else "n")],
                  {"element_dtype": "float32", "shape_type": "int32"})
        self.loop(x, states)

    def loop(self, x, states):
        graph, at, lengths = self.graph, self.at, self.lengths
        inputs = [at + "zero", self.rounds(), at + "empty", states[0]] + ([states[1]] if self.has_c else []) + [at + "rows"]
        inputs += ["lengths"] if lengths else []
        graph.add("While", at + "loop", inputs, {"T": [kind for _, kind in self.variables()], "cond": at + "cond", "body": at + "body"})
        graph.add("TensorListStack", at + "y", [at + "loop:2", at + "dims"], {"element_dtype": "float32", "num_elements": -1})
        graph.add("Identity", at + "last", [at + "loop:3"], {"T": "float32"})
        if self.has_c:
            graph.add("Identity", at + "memory", [at + "loop:4"], {"T": "float32"})
        self.results = [at + "y", at + "last"] + ([at + "memory"] if self.has_c else [])

    def rounds(self):
        """As many as there are steps; or, as dynamic_rnn of TensorFlow 1 does, no more than the longest sequence has."""
        graph, at = self.graph, self.at
        if self.stays != "bounded":
            return at + "n"
        graph.add("Max", at + "longest", ["lengths", at + "begin"], {"T": "int32", "Tidx": "int32"})
        graph.add("Maximum", at + "least", [at + "one", at + "longest"], {"T": "int32"})
        graph.add("Minimum", at + "bound", [at + "n", at + "least"], {"T": "int32"})
        return at + "bound"

    def variables(self):
        state = [("h", "float32")] + ([("c", "float32")] if self.has_c else [])
        last = [("rows", "variant")] + ([("lengths", "int32")] if self.lengths else [])
        return [("i", "int32"), ("n", "int32"), ("list", "variant"), *state, *last]

    def functions(self, w):
        variables = self.variables()
        library = self.graph.proto.library
        cond = Function(library, self.at + "cond", variables, [("go", "bool")])
        cond.add("Less", "less", ["i", "n"], {"T": "int32"})
        cond.end(["less:z:0"])
        body = Body(library, self.at + "body", variables, [(name + "_next", kind) for name, kind in variables])
        body.w = w
        body.constant("one", number(1))
        body.constant("dims", np.array([-1, self.width], "i4"))
        body.add("AddV2", "next", ["i", "one:output:0"], {"T": "int32"})
        body.add("TensorListGetItem", "item", ["rows", "i", "dims:output:0"], {"element_dtype": "float32"})
        body.add("Identity", "row", ["item:item:0"], {"T": "float32"})
        made = ["next:z:0", "n", *self.compute(body, w), "rows"] + (["lengths"] if self.lengths else [])
        for node in body.proto.node:
            for k, name in enumerate(node.input):
                node.input[k] = "row:output:0" if name == "row" else name
        body.end(made)

    def compute(self, body, w):
        """What is in the lists after the round, then the states."""
        h, c = self.build(body)
        each = {"c": c, "twice": h, "negative": h}.get(self.written, h)
        if self.written == "negative":
            each = body.make("Neg", [h], "y")
        if self.lengths:
            each = self.until_end(body, each, "h" if self.stays == "stays" else body.make("ZerosLike", ["h"], "y"))
            h = self.until_end(body, h, "h")
            c = self.until_end(body, c, "c") if self.has_c else c
        place = body.const(0, "i4") if self.written == "last" else "i"
        body.add("TensorListSetItem", "put", ["list", place, each], {"element_dtype": "float32"})
        return ["put:output_handle:0", h] + ([c] if self.has_c else [])

    def until_end(self, body, new, old):
        is_past = body.make("GreaterEqual", ["i", "lengths"], "z", {"T": "int32"})
        if self.lengths == "SelectV2":
            is_past = body.make("ExpandDims", [is_past, body.const(-1, "i4")], "output", {"T": "bool", "Tdim": "int32"})
        return body.make(self.lengths, [is_past, old, new], "output", {"T": "float32"})


def inputs_of(graph, first=(None, None), has_lengths=False):
    graph.placeholder("x", np.zeros((1, 1, WIDTH), "f4"), [*first, WIDTH])
    graph.placeholder("h0", np.zeros((1, SIZE), "f4"), [None, SIZE])
    graph.placeholder("c0", np.zeros((1, SIZE), "f4"), [None, SIZE])
    if has_lengths:
        graph.placeholder("lengths", np.zeros(1, "i4"), [None])


def run_cell(cell, w, x, h, c, lengths=None, written="h", stays="zeros"):
    steps = []
    for t, row in enumerate(x):
        new_h, new_c = cell[1](row, h, c, w)
        each = {"c": new_c, "negative": -new_h}.get(written, new_h)
        if lengths is not None:
            past = (t >= lengths)[:, None]
            each = np.where(past, h if stays == "stays" else 0, each)
            new_h, new_c = np.where(past, h, new_h), np.where(past, c, new_c)
        h, c = new_h, new_c
        steps.append(each)
    return [np.stack(steps[-1:] if written == "last" else steps), h] + ([c] if cell[2] else [])


# --- one direction ---------------------------------------------------------------------

def one_way(test):
    graph = graphdef.Graph()
    if test in CASES:
        cell, wanted, written = CASES[test]
        inputs_of(graph)
        layer = Layer(graph, "", "x", cell, W["there"], WIDTH, written)
        if written == "twice":
            graph.add("Neg", "again", ["y"], {"T": "float32"})

        def compute(a):
            made = run_cell(cell, W["there"], a["x"], a["h0"], a["c0"], None, written)
            return made + ([-made[0]] if written == "twice" else [])
        names = layer.results + (["again"] if written == "twice" else [])
    else:
        cell, wanted, stays, select = LENGTHS[test]
        inputs_of(graph, has_lengths=True)
        layer = Layer(graph, "", "x", cell, W["there"], WIDTH, "h", select, stays)
        names = layer.results

        def compute(a):
            return run_cell(cell, W["there"], a["x"], a["h0"], a["c0"], a["lengths"], "h", stays)
    return graph, names, compute, wanted, cell[2]


class Stack(Layer):
    """A While over the rows of `x` with several cells: variables h0, c0, h1, ..., lists y0, ..."""

    def __init__(self, graph, x, cells, lengths, written):
        self.cells, self.lists = cells, len(cells) if written == "all" else 1
        super().__init__(graph, "", x, cells[0], None, WIDTH, written, lengths)

    def states(self):
        return [name + str(k) for k, cell in enumerate(self.cells) for name in ("h", "c")[:1 + cell[2]]]

    def variables(self):
        last = [("rows", "variant")] + ([("lengths", "int32")] if self.lengths else [])
        return [("i", "int32"), ("n", "int32"), *((f"list{k}", "variant") for k in range(self.lists)),
                *((name, "float32") for name in self.states()), *last]

    def loop(self, x, _states):
        graph, states = self.graph, self.states()
        for name in states:
            graph.placeholder("begin_" + name, np.zeros((1, SIZE), "f4"), [None, SIZE])
        for k in range(self.lists):
            graph.add("TensorListReserve", f"empty{k}", ["dims", "n"], {"element_dtype": "float32", "shape_type": "int32"})
        inputs = ["zero", "n"] + [f"empty{k}" for k in range(self.lists)] + ["begin_" + name for name in states] + ["rows"]
        graph.add("While", "loop", inputs + (["lengths"] if self.lengths else []),
                  {"T": [kind for _, kind in self.variables()], "cond": "cond", "body": "body"})
        self.results = []
        for k in range(self.lists):
            graph.add("TensorListStack", f"y{k}", [f"loop:{k + 2}", "dims"], {"element_dtype": "float32", "num_elements": -1})
            self.results.append(f"y{k}")
        for k, name in enumerate(states):
            graph.add("Identity", "last_" + name, [f"loop:{k + 2 + self.lists}"], {"T": "float32"})
            self.results.append("last_" + name)

    def compute(self, body, w):
        row, made, news = "row", [], {}
        for k, cell in enumerate(self.cells):
            begin, body.w = len(body.proto.node), stack_weights(k)
            h, c = cell[0](body)
            for node in body.proto.node[begin:]:
                for at, name in enumerate(node.input):
                    node.input[at] = {"row": row, "h": f"h{k}", "c": f"c{k}"}.get(name, name)
            if self.lengths:
                news[f"h{k}"], news[f"c{k}"] = self.until_end(body, h, f"h{k}"), self.until_end(body, c, f"c{k}") if cell[2] else c
            else:
                news[f"h{k}"], news[f"c{k}"] = h, c
            row = body.plus(h, row) if self.written == "residual" and k else h
            made.append(row)
        each = {"all": made, "top": made[-1:], "residual": made[-1:], "sum": [made[0]]}[self.written]
        for more in made[1:] if self.written == "sum" else []:
            each = [body.plus(each[0], more)]
        if self.lengths:
            each = [self.until_end(body, one, body.make("ZerosLike", [one], "y")) for one in each]
        for k, one in enumerate(each):
            body.add("TensorListSetItem", f"put{k}", [f"list{k}", "i", one], {"element_dtype": "float32"})
        return [f"put{k}:output_handle:0" for k in range(self.lists)] + [news[name] for name in self.states()]


def stack_weights(k):
    return W["there"] if k == 0 else W[f"stacked{k}"]


def stacked(test):
    cells, lengths, written, wanted = STACKED[test]
    graph = graphdef.Graph()
    inputs_of(graph, has_lengths=lengths is not None)
    layer = Stack(graph, "x", cells, lengths, written)

    def compute(a):
        rows, outputs, ends = a["x"], [], []
        for k, cell in enumerate(cells):
            made = run_cell(cell, stack_weights(k), rows, a[f"begin_h{k}"], a.get(f"begin_c{k}"), a["lengths"] if lengths else None)
            rows = made[0] + rows if written == "residual" and k else made[0]
            outputs.append(rows)
            ends += made[1:]
        each = {"all": outputs, "top": outputs[-1:], "residual": outputs[-1:], "sum": [sum(outputs)]}[written]
        return each + ends
    return graph, layer.results, compute, wanted, layer.states()


# --- both ------------------------------------------------------------------------------

def swap(graph, name, x):
    graph.constant(name + "_perm", np.array([1, 0, 2], "i4"))
    graph.add("Transpose", name, [x, name + "_perm"], {"T": "float32", "Tperm": "int32"})
    return name


def turn(graph, name, x, axis, lengths=False):
    if lengths:
        graph.add("ReverseSequence", name, [x, "lengths"], {"T": "float32", "Tlen": "int32", "seq_dim": axis, "batch_dim": 1 - axis})
        return name
    graph.constant(name + "_axis", np.array([axis], "i4"))
    graph.add("ReverseV2", name, [x, name + "_axis"], {"T": "float32", "Tidx": "int32"})
    return name


def join(graph, name, a, b, axis):
    graph.constant(name + "_axis", number(axis))
    graph.add("ConcatV2", name, [a, b, name + "_axis"], {"N": 2, "T": "float32", "Tidx": "int32"})
    return name


def add_both(graph, at, x, test, suffix="", width=WIDTH):
    """x has the batch first; so does what comes out.  Forward, backward layer; both outputs."""
    there, back, way, _ = BOTH[test]
    lengths = "Select" if way == "lengths" else None
    first = swap(graph, at + "x_there", x)
    one = Layer(graph, at + "there/", first, there, W["there" + suffix], width, "h", lengths)
    states = (at + "there/last", at + "there/memory") if way == "chained" else ("h0", "c0")
    if way in ("tf1", "lengths", "chained", "twice"):
        turned = swap(graph, at + "x_back", turn(graph, at + "x_turned", x, 1, lengths))
    else:
        turned = turn(graph, at + "x_turned", first, 0)
    two = Layer(graph, at + "back/", turned, back, W["back" + suffix], width, "h", lengths, states=states,
                counted=first if way == "counted" else None)
    outputs = [swap(graph, at + "y_there", one.results[0]),
               turn(graph, at + "y_back", swap(graph, at + "y_swapped", two.results[0]), 1, lengths)]
    return one, two, outputs


def reversed_by(x, lengths):
    if lengths is None:
        return x[::-1]
    made = x.copy()
    for k, n in enumerate(lengths):
        made[:n, k] = x[:n, k][::-1]
    return made


def run_both(test, a, x, suffix=""):
    """x: steps first.  Both outputs, steps first, and the states of both."""
    there, back, way, _ = BOTH[test]
    lengths = a["lengths"] if way == "lengths" else None
    one = run_cell(there, W["there" + suffix], x, a["h0"], a["c0"], lengths)
    states = one[1:] if way == "chained" else (a["h0"], a["c0"])
    two = run_cell(back, W["back" + suffix], reversed_by(x, lengths), *states, lengths)
    return one[0], reversed_by(two[0], lengths), one[1:], two[1:]


def two_ways(test):
    there, back, way, wanted = BOTH[test]
    graph = graphdef.Graph()
    inputs_of(graph, has_lengths=way == "lengths")
    one, two, outputs = add_both(graph, "", "x", test)
    if way == "twice":
        middle = join(graph, "middle", *outputs, 2)
        _, _, outputs = add_both(graph, "more/", middle, test, "2", 2 * SIZE)
    if way == "states":
        names = [join(graph, "h", one.results[1], two.results[1], 1), join(graph, "c", one.results[2], two.results[2], 1)]
    elif way == "apart":
        names = outputs + one.results[1:] + two.results[1:]
    else:
        names = [join(graph, "y", *outputs, 2)] + ([] if way == "twice" else one.results[1:] + two.results[1:])

    def compute(a):
        x = a["x"].transpose(1, 0, 2)
        there_y, back_y, there_end, back_end = run_both(test, a, x)
        if way == "states":
            return [np.concatenate(pair, 1) for pair in zip(there_end, back_end)]
        if way == "apart":
            return [there_y.transpose(1, 0, 2), back_y.transpose(1, 0, 2), *there_end, *back_end]
        joined = np.concatenate([there_y, back_y], 2)
        if way == "twice":
            return [np.concatenate(run_both(test, a, joined, "2")[:2], 2).transpose(1, 0, 2)]
        return [joined.transpose(1, 0, 2), *there_end, *back_end]
    return graph, names, compute, wanted, there[2] or back[2]


# --- operators that are layers ---------------------------------------------------------

def block_weights(which):
    w = W[which]
    return [w["both4"], w["pi"], w["pf"], w["po"], w["b4"]]


def add_block(graph, at, op, x, steps, which, attrs):
    names = []
    for name, array in zip(("w", "wci", "wcf", "wco", "b"), block_weights(which)):
        graph.constant(at + name, array)
        names.append(at + name)
    graph.add(op, at + "block", [steps, x, "c0", "h0", *names], {"T": "float32", **attrs})
    return at + "block"


def last_row(graph, name, x):
    for end, number_ in (("begin", -1), ("end", 0), ("step", 1)):
        graph.constant(f"{name}_{end}", np.array([number_], "i4"))
    graph.add("StridedSlice", name, [x, *(f"{name}_{end}" for end in ("begin", "end", "step"))], {"T": "float32", "Index": "int32", "shrink_axis_mask": 1})
    return name


def number_of_steps(graph, how):
    if how == "fed":
        graph.placeholder("n", np.array(1, "i8"), [])
        return "n"
    if how == "known":
        graph.constant("n", np.array(5, "i8"))
        return "n"
    for name, value in (("n_begin", 0), ("n_end", 1), ("n_step", 1)):
        graph.constant(name, np.array([value], "i4"))
    graph.add("Shape", "n_shape", ["x"], {"T": "float32", "out_type": "int32"})
    graph.add("StridedSlice", "n_int", ["n_shape", "n_begin", "n_end", "n_step"], {"T": "int32", "Index": "int32", "shrink_axis_mask": 1})
    graph.add("Cast", "n", ["n_int"], {"SrcT": "int32", "DstT": "int64"})
    return "n"


def run_block(test, a, x, which):
    op, _, how, attrs, _ = BLOCKS[test]
    is_second = op.endswith("V2")
    made = table.lstm_steps(a["n"] if how == "fed" else len(x), x, a["c0"], a["h0"], *block_weights(which),
                            forget=0.0 if is_second else attrs.get("forget_bias", 1.0), clip=attrs.get("cell_clip", -1.0 if is_second else 3.0),
                            peephole=attrs.get("use_peephole", False), order="ifco" if is_second else "icfo")
    return list(made)


def block(test):
    op, wanted, how, attrs, layers = BLOCKS[test]
    graph = graphdef.Graph()
    inputs_of(graph, first=(5, None) if how == "known" else (None, None))
    steps = number_of_steps(graph, how)
    made = add_block(graph, "", op, "x", steps, "there", attrs)
    if wanted == "both":
        turned = add_block(graph, "back/", op, turn(graph, "x_back", "x", 0), steps, "back", attrs)
        back = turn(graph, "y_back", turned + ":6", 0)
        names = [join(graph, "y", made + ":6", back, 2)]
        return graph, names, lambda a: [np.concatenate([run_block(test, a, a["x"], "there")[6], run_block(test, a, a["x"][::-1], "back")[6][::-1]], 2)], layers
    names = [made + f":{i}" for i in (range(7) if wanted == "gates" else [6])]
    if wanted == "end":
        names += [last_row(graph, "last_c", made + ":1"), last_row(graph, "last_h", made + ":6")]

    def compute(a):
        results = run_block(test, a, a["x"], "there")
        return results if wanted == "gates" else results[6:] + ([results[1][-1], results[6][-1]] if wanted == "end" else [])
    return graph, names, compute, layers


def add_cudnn(graph, at, op, mode, x, which):
    """Keras: kernels are split, transposed, made flat and put one behind the other."""
    gates = table.CUDNN[mode]
    w = W[which]
    parts = []
    for key in ("one", "zero", "flat", "perm"):
        graph.constant(at + key, {"one": number(1), "zero": number(0), "flat": np.array([-1], "i4"), "perm": np.array([1, 0], "i4")}[key])
    for key in "kr":
        graph.constant(at + key, w[f"{key}{gates}"])
        graph.add("Split", at + key + "s", [at + "one", at + key], {"num_split": gates, "T": "float32"})
        for i in range(gates):
            graph.add("Transpose", f"{at}{key}t{i}", [f"{at}{key}s" + (f":{i}" if i else ""), at + "perm"], {"T": "float32", "Tperm": "int32"})
            graph.add("Reshape", f"{at}{key}f{i}", [f"{at}{key}t{i}", at + "flat"], {"T": "float32", "Tshape": "int32"})
            parts.append(f"{at}{key}f{i}")
    graph.constant(at + "b", np.concatenate([w[f"b{gates}"], w[f"c{gates}"]]))
    graph.add("ConcatV2", at + "params", [*parts, at + "b", at + "zero"], {"N": len(parts) + 1, "T": "float32", "Tidx": "int32"})
    for name in ("h0", "c0"):
        graph.add("ExpandDims", at + name + "_one", [name, at + "zero"], {"T": "float32", "Tdim": "int32"})
    graph.add(op, at + "rnn", [x, at + "h0_one", at + "c0_one", at + "params"], {"T": "float32", "rnn_mode": mode, "is_training": False})
    return at + "rnn"


def run_cudnn(test, a, x, which):
    mode = BLOCKS[test][1]
    gates, w = table.CUDNN[mode], W[which]
    params = [part.T.reshape(-1) for key in "kr" for part in np.split(w[f"{key}{gates}"], gates, 1)]
    return table.cudnn(x, a["h0"][None], a["c0"][None], np.concatenate([*params, w[f"b{gates}"], w[f"c{gates}"]]), mode=mode)


def cudnn(test):
    op, mode, ways, _, layers = BLOCKS[test]
    graph = graphdef.Graph()
    inputs_of(graph)
    made = add_cudnn(graph, "", op, mode, "x", "there")
    names = [made, made + ":1"] + ([made + ":2"] if mode == "lstm" else [])
    if ways == 1:
        return graph, names, lambda a: [y for y in run_cudnn(test, a, a["x"], "there") if y is not None], layers
    back = turn(graph, "y_back", add_cudnn(graph, "back/", op, mode, turn(graph, "x_back", "x", 0), "back"), 0)
    names = [join(graph, "y", made, back, 2)]
    return graph, names, lambda a: [np.concatenate([run_cudnn(test, a, a["x"], "there")[0], run_cudnn(test, a, a["x"][::-1].copy(), "back")[0][::-1]], 2)], layers


# --- proving ---------------------------------------------------------------------------

def check_layers(model, wanted):
    if isinstance(wanted, str):
        ops = {node.op_type for node in model.graph.node}
        if wanted not in ops or (wanted == "Loop") != ("Loop" in ops):
            raise proof.Differs(f"no {wanted}, but {', '.join(sorted(ops))}")
        return
    found = {}
    for node in model.graph.node:
        if node.op_type in ("LSTM", "GRU", "RNN", "Loop"):
            ways = [a.s.decode() for a in node.attribute if a.name == "direction"]
            found.setdefault(node.op_type, []).append("" if node.op_type == "Loop" else ways[0] if ways else "forward")
    if {op: sorted(ways) for op, ways in found.items()} != {op: sorted(ways) for op, ways in wanted.items()}:
        raise proof.Differs(f"not {wanted}, but {found}")


# These are the same when they come back from nd4j.
THROUGH_ND4J = {"lstm_keras", "gru_reset_after", "rnn_tanh", "both_lstm_counted"}


def sizes(steps, batch, has_batch_first, longest):
    arrays = {"x": weights(batch, steps, WIDTH) if has_batch_first else weights(steps, batch, WIDTH), "h0": weights(batch, SIZE),
              "c0": weights(batch, SIZE), "lengths": RANDOM.randint(0, steps + longest, batch).astype("i4"), "n": np.array(steps - 1, "i8")}
    if longest != 0:
        arrays["lengths"][0] = steps
    return arrays


def prove(test, engine, scratch, arguments):
    source, back = (os.path.join(scratch, test + ending) for ending in (".pb", ".onnx"))
    is_both = test in BOTH
    states = []
    if test in STACKED:
        graph, names, compute, wanted, states = stacked(test)
        has_c = False
    elif test in BLOCKS:
        graph, names, compute, wanted = (block if test.startswith("block") else cudnn)(test)
        has_c = True
    else:
        graph, names, compute, wanted, has_c = two_ways(test) if is_both else one_way(test)
    graph.write(source)
    placed = {node.name for node in graph.proto.node if node.op == "Placeholder"}
    fed = ["x"] + ["begin_" + name for name in states] if states else ["x", "h0"] + (["c0"] if has_c else [])
    fed += sorted(placed & {"lengths", "n"})
    names = [name if ":" in name else name + ":0" for name in names]
    proof.convert(arguments.tenon, source, back, "--inputs", ",".join(fed), "--outputs", ",".join(names), "--via", "onnx")
    check_layers(onnx.load(back), wanted)
    if test in THROUGH_ND4J:
        middle = os.path.join(scratch, test + ".fb")
        proof.convert(arguments.tenon, source, middle, "--inputs", ",".join(fed), "--outputs", ",".join(names))
        proof.convert(arguments.tenon, middle, back)
        check_layers(onnx.load(back), wanted)
    is_known = test in BLOCKS and BLOCKS[test][2] == "known"
    for steps, batch in ((5, 4), (5, 1)) if is_known else ((5, 4), (3, 1), (4, 6)):
        arrays = sizes(steps, batch, is_both, 0 if test == "lengths_bounded" else 3 if test in LENGTHS else 1)
        arrays.update(("begin_" + name, weights(batch, SIZE)) for name in states)
        got = engine.run(back, {name: arrays[name] for name in fed})
        for name, want in zip(names, compute(arrays)):
            proof.compare(name, got[name], want.astype("f4"), 1e-4, 1e-5)
    return proof.computing(back)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    graphdef.schema()
    results = proof.run(prove, sorted([*CASES, *LENGTHS, *STACKED, *BOTH, *BLOCKS]), arguments)
    for row in proof.rows(results):
        print(row)
    print(proof.summary("Recurrent layers", results)[0])
    return any(result.state != "passed" for result in results)


if __name__ == "__main__":
    sys.exit(main())
