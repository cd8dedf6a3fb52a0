#!/usr/bin/env python3
"""Writes the seeds of onnx_rnn_fuzz and flow_arrays_fuzz: nets as choices.

    tests/corpus/fuzz/make_layers.py    writes tests/corpus/fuzz/{onnx_rnn,flow_arrays}_fuzz/*

A net is written down by names; what stands for a name is how far back it was
made (tests/support/net_choices.h).
"""
import pathlib
import re

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[2]


def palette(path):
    text = (ROOT / path).read_text()
    text = text[text.index("palette[] = {"):text.index("};", text.index("palette[] = {"))]
    return [(op, int(inputs), int(outputs), attr) for op, inputs, outputs, attr in
            re.findall(r'\{ "(\w+)", (\d), (\d), (NULL|"\w+") \}', text)]


class Net:
    """Choices, and the values that can be seen."""

    def __init__(self, ops, inputs):
        self.ops, self.seen, self.bytes = ops, list(inputs), []

    def back(self, name):
        if name is None:
            return 255
        return self.seen[::-1].index(name)

    def add(self, outputs, op, *inputs, attr=0):
        outputs = outputs.split()
        index = next(i for i, row in enumerate(self.ops) if row[0] == op and row[2] == len(outputs))
        _, count, _, has_attr = self.ops[index]
        inputs = list(inputs) + [None] * (count - len(inputs))
        self.bytes += [index + 1] + ([attr] if has_attr != "NULL" else []) + [self.back(name) for name in inputs]
        self.seen += outputs
        return outputs[0]

    def constant(self, name, kind, row):
        """kind: 0 a number, 1 a list of one, 2 of two, 3 of 32 bits, 4 a real; row: of the table."""
        self.bytes += [len(self.ops) + 1, kind, row]
        self.seen.append(name)
        return name

    def loop(self, outputs, inputs, variables, fill, scans=1):
        """fill: adds the body's nodes, returns what it gives."""
        self.bytes += [len(self.ops) + 2, len(variables), scans] + [self.back(name) for name in inputs]
        kept = list(self.seen)
        self.seen += ["i", "go", *variables]
        given = fill(self)
        self.bytes += [0] + [self.back(name) for name in given]
        self.seen = kept + outputs.split()

    def write(self, name):
        folder = HERE / name.split("/")[0]
        folder.mkdir(exist_ok=True)
        (HERE / name).write_bytes(bytes(self.bytes + [0]))


# --- cells -----------------------------------------------------------------------------

OPS = palette("src/map/tidy/onnx_rnn_fuzz.c")
INPUTS = "x h c both row state bias unit one own narrow two lengths rounds".split()
FIRST, SECOND = 0, 1  # axes


def sums(net, wide, state="H"):
    if wide == "joint":
        net.add("j", "Concat", "r", state, attr=SECOND)
        net.add("p", "MatMul", "j", "both")
    else:
        net.add("p1", "MatMul", "r", "row")
        net.add("p2", "MatMul", state, "state")
        net.add("p", "Add", "p1", "p2")
    return net.add("q", "Add", "p", "bias")


def lstm(wide, peep=False, forget=False, lengths=False):
    def fill(net):
        net.add("r", "Gather", "x", "i", attr=FIRST)
        net.add("a b d e", "Split", sums(net, wide), attr=SECOND)
        if forget:
            net.constant("k", 4, 1)
            net.add("d2", "Add", "d", "k")
        if peep:
            net.add("m", "Mul", "C", "unit")
            net.add("a2", "Add", "a", "m")
        net.add("f", "Sigmoid", "d2" if forget else "d")
        net.add("n", "Sigmoid", "a2" if peep else "a")
        net.add("z", "Tanh", "b")
        net.add("t1", "Mul", "f", "C")
        net.add("t2", "Mul", "n", "z")
        net.add("c1", "Add", "t1", "t2")
        net.add("t3", "Tanh", "c1")
        net.add("o", "Sigmoid", "e")
        net.add("y", "Mul", "o", "t3")
        if not lengths:
            return ["go", "y", "c1", "y"]
        net.constant("axis", 1, 1)
        net.add("past1", "GreaterOrEqual", "i", "lengths")
        net.add("past", "Unsqueeze", "past1", "axis")
        net.constant("zero", 4, 0)
        net.add("h2", "Where", "past", "H", "y")
        net.add("c2", "Where", "past", "C", "c1")
        net.add("y2", "Where", "past", "zero", "y")
        return ["go", "h2", "c2", "y2"]
    return fill


def gru(net):
    net.add("r", "Gather", "x", "i", attr=FIRST)
    net.add("j", "Concat", "r", "H", attr=SECOND)
    net.add("p", "MatMul", "j", "two")
    net.add("s", "Sigmoid", "p")
    net.add("g u", "Split", "s", attr=SECOND)
    net.add("gh", "Mul", "g", "H")
    net.add("j2", "Concat", "r", "gh", attr=SECOND)
    net.add("p3", "MatMul", "j2", "one")
    net.add("own1", "Tanh", "p3")
    net.constant("k1", 4, 1)
    net.add("rest", "Sub", "k1", "u")
    net.add("t1", "Mul", "u", "H")
    net.add("t2", "Mul", "rest", "own1")
    net.add("y", "Add", "t1", "t2")
    return ["go", "y", "y"]


def rnn(net):
    net.add("r", "Gather", "x", "i", attr=FIRST)
    net.add("p1", "MatMul", "r", "narrow")
    net.add("p2", "Gemm", "H", "own", "p1")
    net.add("y", "Relu", "p2")
    return ["go", "y", "y"]


for number, fill in enumerate((lstm("joint"), lstm("pair"), lstm("joint", peep=True, forget=True), lstm("pair", lengths=True))):
    net = Net(OPS, INPUTS)
    net.loop("hn cn ys", ["rounds", None, "h", "c"], ["H", "C"], fill)
    net.write(f"onnx_rnn_fuzz/lstm{number}")
for name, fill in (("gru", gru), ("rnn", rnn)):
    net = Net(OPS, INPUTS)
    net.loop("hn ys", ["rounds", None, "h"], ["H"], fill)
    net.write(f"onnx_rnn_fuzz/{name}")


def turned(net, name, value):
    net.constant("from", 1, 3)
    net.constant("to", 1, 4)
    net.constant("at", 1, 0)
    return net.add(name, "Slice", value, "from", "to", "at", "from")


def both(way):
    net = Net(OPS, INPUTS)
    net.constant("one_axis", 1, 1)
    net.add("y1 h1", way, "x", "row", "state", "bias", None, "h")
    net.add("s1", "Squeeze", "y1", "one_axis")
    turned(net, "r2", "x")
    net.add("y2 h2", way, "r2", "row", "state", "bias", None, "h")
    net.add("s2", "Squeeze", "y2", "one_axis")
    turned(net, "b2", "s2")
    net.add("all", "Concat", "s1", "b2", attr=2)
    net.write(f"onnx_rnn_fuzz/both_{way.lower()}")
    net = Net(OPS, INPUTS)
    net.constant("one_axis", 1, 1)
    net.add("r2", "ReverseSequence", "x", "lengths", attr=0)
    net.add("y2 h2", way, "r2", "row", "state", "bias", "lengths", "h")
    net.add("s2", "Squeeze", "y2", "one_axis")
    net.add("t2", "Transpose", "s2")
    net.add("b2", "ReverseSequence", "t2", "lengths", attr=1)
    net.write(f"onnx_rnn_fuzz/back_{way.lower()}")


for way in ("GRU", "RNN"):
    both(way)

# --- arrays ----------------------------------------------------------------------------

OPS = palette("src/map/flow/flow_arrays_fuzz.c")


def filled(spelling):
    net = Net(OPS, ["x", "n"])
    net.constant("zero", 3, 0)
    net.constant("one", 3, 1)
    net.add("h f", "TensorArrayV3", "n")
    net.add("p", "Less", "zero", "n")

    def fill(net):
        net.add("d", "AddV2", "c", "one")
        net.add("q", "Less", "d", "n")
        net.add("y", "F", "c")
        if spelling == "and":
            net.add("q2", "LogicalAnd", "q", "q")
        if spelling == "rows":
            net.add("y2", "TensorArrayReadV3", "h2", "c", "t")
        net.add("w", "TensorArrayWriteV3", "h", "c", "y2" if spelling == "rows" else "y", "g")
        return ["q2" if spelling == "and" else "q", "d", "w"]
    if spelling == "rows":
        net.add("h2 f2", "TensorArrayV3", "n")
        net.add("r2", "Range", "zero", "n", "one")
        net.add("t", "TensorArrayScatterV3", "h2", "r2", "x", "f2")
    net.loop("k v", [None, "p", "zero", "f"], ["c", "g"], fill, scans=0)
    net.add("z", "TensorArraySizeV3", "h", "v")
    net.add("r", "Range", "zero", "z", "one")
    net.add("s", "TensorArrayGatherV3", "h", "r", "v")
    net.write(f"flow_arrays_fuzz/{spelling}")


for spelling in ("plain", "and", "rows"):
    filled(spelling)
