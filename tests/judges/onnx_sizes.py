#!/usr/bin/python3
"""Axes, lists and sizes that do not go together, against ONNX Runtime.

    onnx_sizes.py TENON

Each row is a node that is right, and the same with one thing changed that `tenon check` must
find under the rule that the row says.  ONNX Runtime must run the right one and refuse the wrong
one; `tenon convert` must refuse it, too.  Exits 77 when ONNX Runtime or python3-onnx is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engines"))
from engine import EngineError, OnnxRuntime  # noqa: E402

try:
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

AXIS, LENGTH, SIZE, VALUE = "bad-axis", "wrong-length", "size-mismatch", "bad-attribute-value"
KINDS = {"f": (TensorProto.FLOAT, np.float32), "i": (TensorProto.INT64, np.int64), "b": (TensorProto.BOOL, np.bool_),
         "u": (TensorProto.UINT8, np.uint8)}


class Row:
    """`inputs`: sizes, "n" is one that has a name; an array is a constant.  `change` replaces inputs by their
    number and attributes by their name."""

    def __init__(self, rule, kind, inputs, attrs=None, change=None, outputs=1, opset=17):
        self.rule, self.kind, self.inputs, self.attrs = rule, kind, inputs, attrs or {}
        self.change, self.outputs, self.opset = change, outputs, opset

    def name(self):
        changed = " ".join(f"{key}={value.shape if isinstance(value, np.ndarray) else value}"
                           for key, value in self.change.items())
        return f"{self.kind}@{self.opset} {changed}"

    def model(self, is_wrong):
        inputs, attrs = list(self.inputs), dict(self.attrs)
        for key, value in (self.change if is_wrong else {}).items():
            if isinstance(key, int):
                inputs[key:key + 1] = [value]
            else:
                attrs[key] = value
        names, ends, constants, feeds = [], [], [], {}
        for i, what in enumerate(inputs):
            names.append("" if what is None else f"x{i}")
            if isinstance(what, np.ndarray):
                constants.append(numpy_helper.from_array(what, f"x{i}"))
            elif what is not None:
                letter, dims = what if isinstance(what, tuple) else ("f", what)
                ends.append(helper.make_tensor_value_info(f"x{i}", KINDS[letter][0], dims))
                feeds[f"x{i}"] = np.ones([2 if d == "n" else d for d in dims], KINDS[letter][1])
        outs = [f"y{i}" for i in range(self.outputs)]
        node = helper.make_node(self.kind, names, outs, **attrs)
        # So that ranks of outputs need not be known.
        behind = "SequenceLength" if self.kind == "SplitToSequence" else "Shape"
        nodes = [node] + [helper.make_node(behind, [o], [f"s{o}"]) for o in outs]
        graph = helper.make_graph(nodes, "g", ends,
                                  [helper.make_tensor_value_info(f"s{o}", TensorProto.INT64,
                                                                 ["k"] if behind == "Shape" else []) for o in outs],
                                  constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        made.ir_version = 8
        return made, feeds


def ints(*values):
    return np.array(values, np.int64)


def floats(*dims):
    return np.ones(dims, np.float32)


IMAGE = ["n", 4, 8, 8]


def rows():
    # axes
    yield Row(AXIS, "Concat", [["n", 4], ["n", 4]], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Concat", [["n", 4], ["n", 4]], {"axis": -1}, {"axis": -3}, opset=9)
    for kind in ("Softmax", "LogSoftmax", "Hardmax"):
        yield Row(AXIS, kind, [["n", 4]], {"axis": -1}, {"axis": -3})
        yield Row(AXIS, kind, [["n", 4]], {"axis": -1}, {"axis": 2}, opset=11)
    for kind in ("ArgMax", "ArgMin"):
        yield Row(AXIS, kind, [["n", 4]], {"axis": 1}, {"axis": 2})
    for kind in ("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                 "ReduceProd", "ReduceSumSquare"):
        yield Row(AXIS, kind, [["n", 4]], {"axes": [1]}, {"axes": [0, 2]}, opset=13)
    yield Row(AXIS, "ReduceSum", [["n", 4], ints(-1)], {}, {1: ints(-3)})
    yield Row(AXIS, "Gather", [["n", 4], ints(0)], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "GatherElements", [["n", 4], ints(0).reshape(1, 1)], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "ScatterElements", [["n", 4], ints(0).reshape(1, 1), floats(1, 1)], {"axis": 1}, {"axis": -3})
    yield Row(AXIS, "TopK", [["n", 4], ints(2)], {"axis": 1}, {"axis": 2}, outputs=2)
    yield Row(AXIS, "CumSum", [["n", 4], np.array(1)], {}, {1: np.array(2)})
    yield Row(AXIS, "OneHot", [("i", ["n"]), np.array(3), floats(2)], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Flatten", [["n", 4]], {"axis": 2}, {"axis": 3})
    yield Row(AXIS, "LayerNormalization", [["n", 4], floats(4)], {"axis": -1}, {"axis": 2})
    yield Row(AXIS, "LpNormalization", [["n", 4]], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Compress", [["n", 4], np.array([True])], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Unique", [["n", 4]], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Split", [["n", 4]], {"axis": 1}, {"axis": 2}, outputs=2)
    yield Row(AXIS, "SplitToSequence", [["n", 4]], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "Squeeze", [["n", 1], ints(1)], {}, {1: ints(2)})
    yield Row(AXIS, "Unsqueeze", [["n", 4], ints(0, 3)], {}, {1: ints(0, 4)})
    yield Row(AXIS, "Unsqueeze", [["n", 4], ints(0, 3)], {}, {1: ints(1, 1)})
    yield Row(AXIS, "Unsqueeze", [["n", 4]], {"axes": [0]}, {"axes": [3]}, opset=11)
    yield Row(AXIS, "Slice", [["n", 4], ints(0), ints(1), ints(1)], {}, {3: ints(2)})
    yield Row(AXIS, "Slice", [["n", 4]], {"starts": [0], "ends": [1], "axes": [1]}, {"axes": [2]}, opset=9)
    yield Row(AXIS, "Transpose", [["n", 4]], {"perm": [1, 0]}, {"perm": [0, 0]})
    yield Row(AXIS, "Transpose", [["n", 4]], {"perm": [1, 0]}, {"perm": [0, 1, 2]})
    yield Row(AXIS, "Slice", [["n", 4], ints(0, 0), ints(1, 1), ints(0, 1)], {}, {3: ints(1, -1)})
    yield Row(AXIS, "DFT", [["n", 4, 1]], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "QuantizeLinear", [["n", 4], floats(4), np.ones(4, np.uint8)], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "DequantizeLinear", [("u", ["n", 4]), floats(4), np.ones(4, np.uint8)], {"axis": 1}, {"axis": 2})
    yield Row(AXIS, "GatherND", [["n", 4], ints(0).reshape(1, 1)], {"batch_dims": 0}, {"batch_dims": 2})
    # lists
    for name, wrong in (("strides", [1]), ("strides", [1, 1, 1]), ("dilations", [1, 1, 1]), ("pads", [0, 0]),
                        ("kernel_shape", [3, 3, 3])):
        yield Row(LENGTH, "Conv", [IMAGE, floats(5, 4, 3, 3)], {}, {name: wrong})
    for name, wrong in (("strides", [1, 1, 1]), ("pads", [0, 0]), ("output_padding", [0])):
        yield Row(LENGTH, "ConvTranspose", [IMAGE, floats(4, 5, 3, 3)], {}, {name: wrong})
    for kind in ("AveragePool", "LpPool", "MaxPool"):
        for name, wrong in (("kernel_shape", [2]), ("strides", [1]), ("pads", [0, 0])):
            yield Row(LENGTH, kind, [IMAGE], {"kernel_shape": [2, 2]}, {name: wrong})
    yield Row(LENGTH, "Tile", [["n", 4], ints(1, 2)], {}, {1: ints(1, 2, 3)})
    yield Row(LENGTH, "Pad", [["n", 4], ints(0, 1, 0, 1)], {}, {1: ints(0, 1, 0)})
    yield Row(LENGTH, "Pad", [["n", 4]], {"pads": [0, 1, 0, 1]}, {"pads": [0, 1]}, opset=9)
    yield Row(LENGTH, "Slice", [["n", 4], ints(0), ints(1)], {}, {2: ints(1, 1)})
    yield Row(LENGTH, "Slice", [["n", 4], ints(0), ints(1), ints(1)], {}, {3: ints(0, 1)})
    yield Row(LENGTH, "Slice", [["n", 4], ints(0, 0), ints(1, 1)], {}, {1: ints(0, 0, 0), 2: ints(1, 1, 1)})
    yield Row(LENGTH, "Split", [["n", 4], ints(1, 3)], {"axis": 1}, {1: ints(1, 1, 2)}, outputs=2)
    yield Row(LENGTH, "Resize", [IMAGE, None, floats(4)], {}, {2: floats(3)})
    yield Row(LENGTH, "Resize", [IMAGE, None, None, ints(2, 4, 8, 8)], {}, {3: ints(8, 8)})
    yield Row(LENGTH, "Upsample", [IMAGE], {"scales": [1.0] * 4}, {"scales": [1.0] * 3}, opset=7)
    # sizes
    yield Row(SIZE, "MatMul", [["n", 4], floats(4, 5)], {}, {1: floats(5, 4)})
    yield Row(SIZE, "MatMul", [["n", 3, 4], floats(4)], {}, {1: floats(3)})
    yield Row(SIZE, "MatMul", [[2, 3, 4], floats(2, 4, 5)], {}, {1: floats(3, 4, 5)})
    yield Row(SIZE, "MatMulInteger", [("u", ["n", 4]), np.ones((4, 5), np.uint8)], {}, {1: np.ones((5, 4), np.uint8)})
    yield Row(SIZE, "Gemm", [["n", 4], floats(4, 5)], {}, {1: floats(5, 4)})
    yield Row(SIZE, "Gemm", [["n", 4], floats(5, 4)], {"transB": 1}, {"transB": 0})
    yield Row(SIZE, "Gemm", [["n", 4], floats(4, 5), floats(5)], {}, {2: floats(4)})
    for kind in ("Add", "Sub", "Mul", "Div", "Pow", "Equal", "Less", "Greater", "PRelu", "Max", "Min", "Sum", "Mean"):
        yield Row(SIZE, kind, [["n", 4], floats(4)], {}, {1: floats(3)})
    yield Row(SIZE, "Where", [("b", ["n", 4]), floats(4), floats(1)], {}, {1: floats(3)})
    yield Row(SIZE, "Concat", [[2, 4], [2, 5]], {"axis": 1}, {"axis": 0})
    yield Row(SIZE, "Conv", [IMAGE, floats(5, 4, 3, 3)], {}, {1: floats(5, 3, 3, 3)})
    yield Row(SIZE, "Conv", [IMAGE, floats(6, 2, 3, 3)], {"group": 2}, {"group": 4})
    yield Row(SIZE, "Conv", [IMAGE, floats(6, 2, 3, 3)], {"group": 2}, {1: floats(5, 2, 3, 3)})
    yield Row(SIZE, "Conv", [IMAGE, floats(5, 4, 3, 3)], {"kernel_shape": [3, 3]}, {"kernel_shape": [3, 2]})
    yield Row(SIZE, "Conv", [IMAGE, floats(5, 4, 3, 3), floats(5)], {}, {2: floats(4)})
    yield Row(SIZE, "ConvTranspose", [IMAGE, floats(4, 5, 3, 3)], {}, {1: floats(3, 5, 3, 3)})
    for i in (1, 2, 3, 4):
        yield Row(SIZE, "BatchNormalization", [IMAGE] + [floats(4)] * 4, {}, {i: floats(3)})
    yield Row(SIZE, "InstanceNormalization", [IMAGE, floats(4), floats(4)], {}, {1: floats(3)})
    yield Row(SIZE, "LayerNormalization", [["n", 4], floats(4)], {}, {1: floats(3)})
    yield Row(SIZE, "Expand", [["n", 4], ints(2, 4)], {}, {1: ints(2, 3)})
    yield Row(SIZE, "Reshape", [[3, 4], ints(2, 6)], {}, {1: ints(5, 2)})
    yield Row(SIZE, "Reshape", [[3, 4], ints(2, -1)], {}, {1: ints(5, -1)})
    yield Row(SIZE, "Squeeze", [["n", 1], ints(1)], {}, {0: ["n", 4]})
    yield Row(SIZE, "Split", [["n", 4], ints(1, 3)], {"axis": 1}, {1: ints(1, 2)}, outputs=2)
    yield Row(SIZE, "Split", [["n", 4]], {"axis": 1}, {0: ["n", 5]}, outputs=2)
    yield Row(SIZE, "DepthToSpace", [IMAGE], {"blocksize": 2}, {0: ["n", 6, 8, 8]})
    yield Row(SIZE, "SpaceToDepth", [IMAGE], {"blocksize": 2}, {0: ["n", 4, 7, 8]})
    yield Row(SIZE, "ScatterElements", [["n", 4], ints(0).reshape(1, 1), floats(1, 1)], {}, {2: floats(1, 2)})
    yield Row(SIZE, "GatherND", [["n", 4], ints(0, 0).reshape(1, 2)], {}, {1: ints(0, 0, 0).reshape(1, 3)})
    yield Row(SIZE, "TopK", [["n", 4], ints(2)], {}, {1: ints(5)}, outputs=2)
    yield Row(SIZE, "TopK", [["n", 4], ints(2)], {}, {1: ints(2, 2)}, outputs=2)
    yield Row(SIZE, "GatherElements", [[2, 4], ints(0, 0).reshape(2, 1)], {"axis": 1}, {0: [1, 4]})
    yield Row(SIZE, "NegativeLogLikelihoodLoss", [[2, 3, 4], ("i", [2, 4])], {}, {1: ("i", [2, 5])})
    yield Row(SIZE, "SoftmaxCrossEntropyLoss", [[2, 3, 4], ("i", [2, 4])], {}, {1: ("i", [2, 5])})
    yield Row(SIZE, "OneHot", [("i", ["n"]), np.array(3), floats(2)], {}, {2: floats(3)})
    yield Row(SIZE, "RoiAlign", [IMAGE, floats(1, 4), ints(0)], {}, {1: floats(1, 5)})
    yield Row(SIZE, "NonMaxSuppression", [[1, 6, 4], [1, 2, 6], ints(2)], {}, {1: [1, 2, 5]})
    yield Row(SIZE, "GridSample", [IMAGE, ["n", 3, 3, 2]], {}, {1: ["n", 3, 3, 3]})
    yield Row(SIZE, "QuantizeLinear", [["n", 4], floats(4), np.ones(4, np.uint8)], {},
              {1: floats(3), 2: np.ones(3, np.uint8)})
    yield Row(SIZE, "LSTM", [[3, 2, 5], floats(1, 16, 5), floats(1, 16, 4)], {"hidden_size": 4},
              {1: floats(1, 16, 6)}, outputs=2)
    yield Row(SIZE, "GRU", [[3, 2, 5], floats(1, 12, 5), floats(1, 12, 4)], {"hidden_size": 4},
              {2: floats(1, 12, 5)}, outputs=2)
    yield Row(SIZE, "RNN", [[3, 2, 5], floats(1, 4, 5), floats(1, 4, 4)], {"hidden_size": 4},
              {"direction": "bidirectional"}, outputs=2)
    yield Row(SIZE, "RNN", [[3, 2, 5], floats(1, 4, 5), floats(1, 4, 4), floats(1, 8)], {"hidden_size": 4},
              {3: floats(2, 8)}, outputs=2)
    yield Row(SIZE, "Slice", [["n", 4], ints(0), ints(1), ints(1), ints(1)], {}, {4: ints(0)})
    # numbers that are always the same
    yield Row(VALUE, "ReverseSequence", [["n", 4], ints(1, 1)], {"batch_axis": 0, "time_axis": 1}, {"batch_axis": 2})
    yield Row(VALUE, "SpaceToDepth", [IMAGE], {"blocksize": 2}, {"blocksize": 0})
    yield Row(VALUE, "RNN", [[3, 2, 5], floats(1, 4, 5), floats(1, 4, 4)], {"hidden_size": 4}, {"hidden_size": 0},
              outputs=2)
    yield Row(VALUE, "DFT", [["n", 4, 1]], {"axis": 1}, {"axis": -1})
    yield Row(VALUE, "Mod", [["n", 4], floats(4)], {"fmod": 1}, {"fmod": 2})
    yield Row(VALUE, "Conv", [IMAGE, floats(5, 4, 3, 3)], {"strides": [1, 1]}, {"strides": [1, 0]})
    yield Row(VALUE, "MaxPool", [IMAGE], {"kernel_shape": [2, 2]}, {"kernel_shape": [2, 0]})
    yield Row(VALUE, "Cast", [["n", 4]], {"to": 1}, {"to": 99})
    yield Row(VALUE, "EyeLike", [[4, 4]], {"dtype": 1}, {"dtype": 99})
    yield Row(VALUE, "RandomNormalLike", [[4, 4]], {"dtype": 1}, {"dtype": 99})


def findings(tenon, paths):
    done = subprocess.run([tenon, "check", "--json", *paths], capture_output=True, text=True, timeout=120, check=False)
    return [[(f["rule"], f["what"]) for f in file["findings"] if f["severity"] == "error"]
            for file in json.loads(done.stdout)["files"]]


def refused(engine, path, feeds):
    try:
        engine.run(path, feeds, optimize="disabled")
        return ""
    except EngineError as why:
        return str(why) or "it said nothing"


def main(tenon):
    failed, table = 0, list(rows())
    with tempfile.TemporaryDirectory() as folder, OnnxRuntime.find() as engine:
        paths, feeds = [], []
        for i, row in enumerate(table):
            for is_wrong in (False, True):
                model, feed = row.model(is_wrong)
                paths.append(os.path.join(folder, f"{i}-{'wrong' if is_wrong else 'right'}.onnx"))
                feeds.append(feed)
                with open(paths[-1], "wb") as file:
                    file.write(model.SerializeToString())
        found = findings(tenon, paths)
        for i, row in enumerate(table):
            right, wrong = found[2 * i], found[2 * i + 1]
            why = []
            if right:
                why.append(f"the right one is found wrong: {right}")
            if len(wrong) != 1 or wrong[0][0] != row.rule:
                why.append(f"found: {wrong}")
            if said := refused(engine, paths[2 * i], feeds[2 * i]):
                why.append(f"ONNX Runtime refuses the right one: {said[:200]}")
            if not refused(engine, paths[2 * i + 1], feeds[2 * i + 1]):
                why.append("ONNX Runtime runs the wrong one")
            failed += bool(why)
            for text in why:
                print(f"{row.name()}: {text}")
        target = os.path.join(folder, "out.fb")
        for path in paths[1::16]:
            done = subprocess.run([tenon, "convert", path, "-o", target], capture_output=True, text=True, timeout=60,
                                  check=False)
            if done.returncode != 3 or os.path.exists(target):
                failed += 1
                print(f"{path}: convert ends with {done.returncode}: {done.stderr}")
    print(f"{len(table)} rows, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
