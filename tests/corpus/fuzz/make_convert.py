#!/usr/bin/python3
"""make_convert.py TENON - the seeds of convert_fuzz, into convert_fuzz/"""
import os
import re
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "convert_fuzz")


def value(name, dims=(2, 3), dtype=T.FLOAT):
    return h.make_tensor_value_info(name, dtype, dims)


def save(name, nodes, inputs, outputs, tensors=(), functions=()):
    imports = [h.make_opsetid("", 17), h.make_opsetid("own", 1)]
    graph = h.make_graph(nodes, "g", inputs, outputs, tensors)
    model = h.make_model(graph, opset_imports=imports[:1 + bool(functions)],
                         functions=functions)
    model.ir_version = 8
    onnx.save(model, os.path.join(OUT, name))


def branch(name, op):
    return h.make_graph([h.make_node(op, ["x"], [name])], name, [], [value(name)])


def plain():
    w = numpy_helper.from_array(numpy.ones((3, 3), "f4"), "w")
    save("dense.onnx",
         [h.make_node("MatMul", ["x", "w"], ["m"]),
          h.make_node("Shape", ["m"], ["s"]),
          h.make_node("Constant", [], ["k"], value_ints=[6]),
          h.make_node("Reshape", ["m", "k"], ["r"]),
          h.make_node("Softmax", ["r"], ["y"], axis=0)],
         [value("x")], [value("y", (6,)), value("s", (2,), T.INT64)], [w])


def nested():
    choice = h.make_node("If", ["c"], ["y"], then_branch=branch("t", "Relu"),
                         else_branch=branch("e", "Neg"))
    save("if.onnx", [choice], [value("c", (), T.BOOL), value("x")], [value("y")])
    body = h.make_graph([h.make_node("Add", ["v", "x"], ["w"]),
                         h.make_node("Identity", ["go"], ["on"])], "body",
                        [value("i", (), T.INT64), value("go", (), T.BOOL),
                         value("v")], [value("on", (), T.BOOL), value("w")])
    save("loop.onnx", [h.make_node("Loop", ["n", "", "x"], ["y"], body=body)],
         [value("n", (), T.INT64), value("x")], [value("y")])


def scanned():
    body = h.make_graph([h.make_node("Add", ["v", "s"], ["w"]),
                         h.make_node("Identity", ["w"], ["o"])], "body",
                        [value("v", (3,)), value("s", (3,))],
                        [value("w", (3,)), value("o", (3,))])
    save("scan.onnx",
         [h.make_node("Scan", ["a", "x"], ["y", "z"], body=body,
                      num_scan_inputs=1, scan_input_directions=[1])],
         [value("a", (3,)), value("x")], [value("y", (3,)), value("z")])


def called():
    twice = h.make_function("own", "twice", ["a"], ["b"],
                            [h.make_node("Add", ["a", "a"], ["b"])],
                            [h.make_opsetid("", 17)])
    four = h.make_function("own", "four", ["a"], ["b"],
                           [h.make_node("twice", ["a"], ["t"], domain="own"),
                            h.make_node("twice", ["t"], ["b"], domain="own")],
                           [h.make_opsetid("", 17), h.make_opsetid("own", 1)])
    save("call.onnx", [h.make_node("four", ["x"], ["y"], domain="own")],
         [value("x")], [value("y")], functions=[twice, four])


FLOAT = 'attr { key: "T" value { type: DT_FLOAT } }'
X = ('node { name: "x" op: "Placeholder" attr { key: "dtype"'
     ' value { type: DT_FLOAT } } attr { key: "shape" value { shape {'
     ' dim { size: 2 } dim { size: 3 } } } } }')

TENSORFLOW = {
    # Inference: weights, a slice with masks, a shape that follows.
    "dense.pb": X + '''
node { name: "w" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {
    dim { size: 3 } dim { size: 2 } } float_val: 0.5 } } } }
node { name: "m" op: "MatMul" input: "x" input: "w" T
  attr { key: "transpose_a" value { b: false } }
  attr { key: "transpose_b" value { b: false } } }
node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {
    dim { size: 2 } } int_val: 0 int_val: 1 } } } }
node { name: "s" op: "StridedSlice" input: "m" input: "b" input: "b" input: "b"
  T attr { key: "Index" value { type: DT_INT32 } }
  attr { key: "begin_mask" value { i: 1 } } attr { key: "end_mask" value { i: 3 } }
  attr { key: "shrink_axis_mask" value { i: 2 } } }
node { name: "y" op: "Softmax" input: "s" T }''',

    # A loop of TensorFlow 1: frames, switches and merges.
    "frames.pb": X + '''
node { name: "e" op: "Enter" input: "x" T
  attr { key: "frame_name" value { s: "f" } } }
node { name: "g" op: "Merge" input: "e" input: "n" T attr { key: "N"
  value { i: 2 } } }
node { name: "r" op: "Sum" input: "g" input: "axes" T
  attr { key: "Tidx" value { type: DT_INT32 } } }
node { name: "axes" op: "Const" input: "^g"
  attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape {
    dim { size: 2 } } int_val: 0 int_val: 1 } } } }
node { name: "l" op: "Less" input: "r" input: "r" T }
node { name: "c" op: "LoopCond" input: "l" }
node { name: "s" op: "Switch" input: "g" input: "c" T }
node { name: "i" op: "Identity" input: "s:1" T }
node { name: "d" op: "AddV2" input: "i" input: "i" T }
node { name: "n" op: "NextIteration" input: "d" T }
node { name: "y" op: "Exit" input: "s" T }''',

    # Functions of TensorFlow 2: a loop, a branch, a call of a call.
    "functions.pb": X + '''
node { name: "q" op: "Const" attr { key: "dtype" value { type: DT_BOOL } }
  attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { }
    bool_val: true } } } }
node { name: "i" op: "StatelessIf" input: "q" input: "x"
  attr { key: "Tcond" value { type: DT_BOOL } }
  attr { key: "Tin" value { list { type: DT_FLOAT } } }
  attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "then_branch" value { func { name: "twice" } } }
  attr { key: "else_branch" value { func { name: "four" } } } }
node { name: "l" op: "StatelessWhile" input: "i"
  attr { key: "T" value { list { type: DT_FLOAT } } }
  attr { key: "cond" value { func { name: "never" } } }
  attr { key: "body" value { func { name: "twice" } } } }
node { name: "y" op: "Neg" input: "l" T }
library {
  function { signature { name: "twice" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "s" op: "AddV2" input: "a" input: "a" T }
    ret { key: "b" value: "s:z:0" } }
  function { signature { name: "four" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "p" op: "PartitionedCall" input: "a"
      attr { key: "Tin" value { list { type: DT_FLOAT } } }
      attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "f" value { func { name: "twice" } } } }
    ret { key: "b" value: "p:output:0" } }
  function { signature { name: "never" input_arg { name: "a" type: DT_FLOAT }
      output_arg { name: "b" type: DT_BOOL } }
    node_def { name: "k" op: "Const"
      attr { key: "dtype" value { type: DT_BOOL } }
      attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } } } } }
    ret { key: "b" value: "k:output:0" } }
}''',
}


def tensorflow(tenon):
    for name, text in TENSORFLOW.items():
        text = re.sub(r'(?<!")\bT\b', FLOAT, text)
        subprocess.run([tenon, "undump", "-", "--type", "tensorflow.GraphDef",
                        "--force", "--quiet", "-o", os.path.join(OUT, name)],
                       input=text, text=True, check=True)


def main():
    os.makedirs(OUT, exist_ok=True)
    plain()
    nested()
    scanned()
    called()
    tensorflow(sys.argv[1])
    for name in ("dense", "if", "loop"):
        path = os.path.join(OUT, name)
        subprocess.run([sys.argv[1], "convert", "--quiet", "--force",
                        path + ".onnx", "-o", path + ".fb"], check=True)


main()
