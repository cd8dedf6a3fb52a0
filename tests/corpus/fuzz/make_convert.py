#!/usr/bin/python3
"""make_convert.py TENON - the seeds of convert_fuzz, into convert_fuzz/"""
import os
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


def main():
    os.makedirs(OUT, exist_ok=True)
    plain()
    nested()
    scanned()
    called()
    for name in ("dense", "if", "loop"):
        path = os.path.join(OUT, name)
        subprocess.run([sys.argv[1], "convert", "--quiet", "--force",
                        path + ".onnx", "-o", path + ".fb"], check=True)


main()
