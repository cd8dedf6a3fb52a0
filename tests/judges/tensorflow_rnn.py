#!/usr/bin/env python3
"""Recurrent layers of TensorFlow, written as loops: tensorflow -> onnx -> ONNX Runtime.

    tensorflow_rnn.py TENON [--only PATTERN] [--shared DIR]

A While reads a row of the sequence in every round, computes the cell as Keras
or TensorFlow 1 spells it, and writes what it gives.  numpy says what comes out.
Steps and batch are open, and two sizes of both are run.  A cell that is one of
ONNX's becomes that operator; one that does something else stays a Loop.
"""
import os
import sys

import graphdef
import numpy as np
import onnx
import proof
from tensorflow_lists import Function, number

WIDTH, SIZE = 3, 4
RANDOM = np.random.RandomState(7)


def weights(*dims):
    return (RANDOM.rand(*dims) - 0.5).astype("f4")


W = {"both4": weights(WIDTH + SIZE, 4 * SIZE), "both2": weights(WIDTH + SIZE, 2 * SIZE),
     "both1": weights(WIDTH + SIZE, SIZE), "k4": weights(WIDTH, 4 * SIZE), "r4": weights(SIZE, 4 * SIZE),
     "k3": weights(WIDTH, 3 * SIZE), "r3": weights(SIZE, 3 * SIZE), "k1": weights(WIDTH, SIZE), "r1": weights(SIZE, SIZE),
     "b4": weights(4 * SIZE), "b3": weights(3 * SIZE), "c3": weights(3 * SIZE), "b2": weights(2 * SIZE), "b1": weights(SIZE)}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Body(Function):
    """Nodes by what they compute; each gives its first output's name."""

    counter = 0

    def make(self, op, inputs, output, attrs=None):
        self.counter += 1
        name = f"n{self.counter}"
        self.add(op, name, inputs, {"T": "float32"} if attrs is None else attrs)
        return f"{name}:{output}:0"

    def const(self, array, dtype="f4"):
        self.counter += 1
        self.constant(f"k{self.counter}", np.asarray(array, dtype))
        return f"k{self.counter}:output:0"

    def sums(self, key, state, spelling, bias="b"):
        if spelling == "joint":
            axis = self.const(1, "i4")
            row = self.make("ConcatV2", ["row", state, axis], "output", {"N": 2, "T": "float32", "Tidx": "int32"})
            made = self.make("MatMul", [row, self.const(W["both" + key])], "product")
        else:
            made = self.make("AddV2", [self.make("MatMul", ["row", self.const(W["k" + key])], "product"),
                                       self.make("MatMul", [state, self.const(W["r" + key])], "product")], "z")
        return self.make("BiasAdd", [made, self.const(W[bias + key])], "output")

    def split(self, value, count):
        axis = self.const(1, "i4")
        self.make("Split", [axis, value], "output", {"num_split": count, "T": "float32"})
        return [f"n{self.counter}:output:{i}" for i in range(count)]

    def mul(self, x, y):
        return self.make("Mul", [x, y], "z")

    def plus(self, x, y):
        return self.make("AddV2", [x, y], "z")

    def act(self, op, x):
        return self.make(op, [x], "activations" if op == "Relu" else "y")


# --- cells: of a body what h and c become, of arrays the same --------------------------

def lstm(spelling, order, forget=0.0, clip=0.0):
    def build(body):
        gates = dict(zip(order, body.split(body.sums("4", "h", spelling), 4)))
        if forget:
            gates["f"] = body.plus(gates["f"], body.const(forget))
        c = body.plus(body.mul("c", body.act("Sigmoid", gates["f"])),
                      body.mul(body.act("Sigmoid", gates["i"]), body.act("Tanh", gates["z"])))
        if clip:
            c = body.make("Minimum", [c, body.const(clip)], "z")
        return body.mul(body.act("Tanh", c), body.act("Sigmoid", gates["o"])), c

    def compute(x, h, c):
        product = np.concatenate([x, h], 1) @ W["both4"] if spelling == "joint" else x @ W["k4"] + h @ W["r4"]
        gates = dict(zip(order, np.split(product + W["b4"], 4, 1)))
        c = c * sigmoid(gates["f"] + forget) + sigmoid(gates["i"]) * np.tanh(gates["z"])
        c = np.minimum(c, clip) if clip else c
        return np.tanh(c) * sigmoid(gates["o"]), c
    return build, compute


def gru():
    def build(body):
        r, u = body.split(body.act("Sigmoid", body.sums("2", "h", "joint")), 2)
        own = body.act("Tanh", body.sums("1", body.mul(r, "h"), "joint"))
        rest = body.make("Sub", [body.const(1.0), u], "z")
        return body.plus(body.mul(u, "h"), body.mul(rest, own)), "c"

    def compute(x, h, c):
        r, u = np.split(sigmoid(np.concatenate([x, h], 1) @ W["both2"] + W["b2"]), 2, 1)
        own = np.tanh(np.concatenate([x, r * h], 1) @ W["both1"] + W["b1"])
        return u * h + (1 - u) * own, c
    return build, compute


def reset_after():
    """Keras: gates in the order u, r, candidate; r is taken behind the product."""
    def build(body):
        x = body.split(body.make("BiasAdd", [body.make("MatMul", ["row", body.const(W["k3"])], "product"), body.const(W["b3"])], "output"), 3)
        s = body.split(body.make("BiasAdd", [body.make("MatMul", ["h", body.const(W["r3"])], "product"), body.const(W["c3"])], "output"), 3)
        u = body.act("Sigmoid", body.plus(x[0], s[0]))
        r = body.act("Sigmoid", body.plus(x[1], s[1]))
        own = body.act("Tanh", body.plus(x[2], body.mul(r, s[2])))
        rest = body.make("Sub", [body.const(1.0), u], "z")
        return body.plus(body.mul(u, "h"), body.mul(rest, own)), "c"

    def compute(x, h, c):
        p, q = np.split(x @ W["k3"] + W["b3"], 3, 1), np.split(h @ W["r3"] + W["c3"], 3, 1)
        u, r = sigmoid(p[0] + q[0]), sigmoid(p[1] + q[1])
        return u * h + (1 - u) * np.tanh(p[2] + r * q[2]), c
    return build, compute


def simple(spelling, op):
    def build(body):
        return body.act(op, body.sums("1", "h", spelling)), "c"

    def compute(x, h, c):
        product = np.concatenate([x, h], 1) @ W["both1"] if spelling == "joint" else x @ W["k1"] + h @ W["r1"]
        return {"Relu": lambda v: np.maximum(v, 0), "Tanh": np.tanh}[op](product + W["b1"]), c
    return build, compute


# Cell, what it becomes, what is written in every round; last: h, over and over.
CASES = {
    "lstm_tf1": (lstm("joint", "izfo", forget=1.0), "LSTM", "h"),
    "lstm_no_forget_bias": (lstm("joint", "izfo"), "LSTM", "h"),
    "lstm_keras": (lstm("pair", "ifzo"), "LSTM", "h"),
    "lstm_clipped": (lstm("joint", "izfo", forget=1.0, clip=0.2), "Loop", "h"),
    "lstm_memory_written": (lstm("joint", "izfo"), "Loop", "c"),
    "gru_tf1": (gru(), "GRU", "h"),
    "gru_reset_after": (reset_after(), "GRU", "h"),
    "lstm_last": (lstm("pair", "ifzo"), "LSTM", "last"),
    "gru_last": (reset_after(), "GRU", "last"),
    "rnn_tanh": (simple("joint", "Tanh"), "RNN", "h"),
    "rnn_relu_keras": (simple("pair", "Relu"), "RNN", "h"),
}


def functions(graph, build, has_c, written):
    state = [("h", "float32")] + ([("c", "float32")] if has_c else [])
    variables = [("i", "int32"), ("n", "int32"), ("list", "variant"), *state, ("rows", "variant")]
    library = graph.proto.library
    cond = Function(library, "cond", variables, [("go", "bool")])
    cond.add("Less", "less", ["i", "n"], {"T": "int32"})
    cond.end(["less:z:0"])
    body = Body(library, "body", variables, [(name + "_next", kind) for name, kind in variables])
    body.constant("one", number(1))
    body.constant("dims", np.array([-1, WIDTH], "i4"))
    body.add("AddV2", "next", ["i", "one:output:0"], {"T": "int32"})
    body.add("TensorListGetItem", "item", ["rows", "i", "dims:output:0"], {"element_dtype": "float32"})
    body.add("Identity", "row", ["item:item:0"], {"T": "float32"})
    for node in body.proto.node:
        assert node.name
    h, c = build(body)
    place = body.const(0, "i4") if written == "last" else "i"
    body.add("TensorListSetItem", "put", ["list", place, c if written == "c" else h], {"element_dtype": "float32"})
    made = ["next:z:0", "n", "put:output_handle:0", h] + ([c] if has_c else []) + ["rows"]
    for node in body.proto.node:
        for k, name in enumerate(node.input):
            node.input[k] = "row:output:0" if name == "row" else name
    body.end(made)
    return variables


def build_graph(test):
    (build, _), _, written = CASES[test]
    has_c = test.startswith("lstm")
    graph = graphdef.Graph()
    graph.placeholder("x", np.zeros((1, 1, WIDTH), "f4"), [None, None, WIDTH])
    graph.placeholder("h0", np.zeros((1, SIZE), "f4"), [None, SIZE])
    graph.placeholder("c0", np.zeros((1, SIZE), "f4"), [None, SIZE])
    for name, array in (("dims", np.array([-1, SIZE], "i4")), ("row_dims", np.array([-1, WIDTH], "i4")), ("zero", number(0)),
                        ("begin", np.array([0], "i4")), ("end", np.array([1], "i4")), ("step", np.array([1], "i4"))):
        graph.constant(name, array)
    graph.add("Shape", "shape", ["x"], {"T": "float32", "out_type": "int32"})
    graph.add("StridedSlice", "n", ["shape", "begin", "end", "step"], {"T": "int32", "Index": "int32", "shrink_axis_mask": 1})
    graph.add("TensorListFromTensor", "rows", ["x", "row_dims"], {"element_dtype": "float32", "shape_type": "int32"})
    graph.constant("one", number(1))
    graph.add("TensorListReserve", "empty", ["dims", "one" if written == "last" else "n"], {"element_dtype": "float32", "shape_type": "int32"})
    variables = functions(graph, build, has_c, written)
    inputs = ["zero", "n", "empty", "h0"] + (["c0"] if has_c else []) + ["rows"]
    graph.add("While", "loop", inputs, {"T": [kind for _, kind in variables], "cond": "cond", "body": "body"})
    graph.add("TensorListStack", "y", ["loop:2", "dims"], {"element_dtype": "float32", "num_elements": -1})
    graph.add("Identity", "last", ["loop:3"], {"T": "float32"})
    if has_c:
        graph.add("Identity", "memory", ["loop:4"], {"T": "float32"})
    return graph, has_c


def computed(test, x, h, c):
    (_, compute), _, written = CASES[test]
    all_steps = []
    for row in x:
        h, c = compute(row, h, c)
        all_steps.append(c if written == "c" else h)
    return np.stack(all_steps[-1:] if written == "last" else all_steps), h, c


def prove(test, engine, scratch, arguments):
    source, back = (os.path.join(scratch, test + ending) for ending in (".pb", ".onnx"))
    graph, has_c = build_graph(test)
    graph.write(source)
    names = ["y:0", "last:0"] + (["memory:0"] if has_c else [])
    fed = ["x", "h0"] + (["c0"] if has_c else [])
    proof.convert(arguments.tenon, source, back, "--inputs", ",".join(fed), "--outputs", ",".join(names), "--via", "onnx")
    ops = {node.op_type for node in onnx.load(back).graph.node}
    if CASES[test][1] not in ops:
        raise proof.Differs(f"no {CASES[test][1]}, but {', '.join(sorted(ops))}")
    for steps, batch in ((5, 2), (3, 1)):
        arrays = {"x": weights(steps, batch, WIDTH), "h0": weights(batch, SIZE), "c0": weights(batch, SIZE)}
        got = engine.run(back, {name: arrays[name] for name in fed})
        for name, want in zip(names, computed(test, *(arrays[key] for key in ("x", "h0", "c0")))):
            proof.compare(name, got[name], want.astype("f4"), 1e-4, 1e-5)
    return proof.computing(back)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    graphdef.schema()
    results = proof.run(prove, sorted(CASES), arguments)
    for row in proof.rows(results):
        print(row)
    print(proof.summary("Recurrent layers", results)[0])
    return any(result.state != "passed" for result in results)


if __name__ == "__main__":
    sys.exit(main())
