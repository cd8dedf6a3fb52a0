#!/usr/bin/env python3
"""Whole graphs of ONNX that single nodes do not show: onnx -> nd4j -> onnx.

    onnx_graphs.py TENON [--only PATTERN] [--shared DIR]

Functions with defaults, outputs that are inputs, and the like; what comes back
has the ends of the original and computes in ONNX Runtime what that computes
there.  REFUSED must be refused, with these words.
"""
import os
import sys

import numpy
import onnx
from onnx import helper, numpy_helper

import proof

SHAPE = (2, 3)
X = numpy.array([[-1.5, 0, 2], [3, -4, 0.5]], "f4")


def info(name, dtype=1, shape=SHAPE):
    return helper.make_tensor_value_info(name, dtype, shape)


def out(name):
    return onnx.ValueInfoProto(name=name)


def model(nodes, outputs, opset=13, inputs=None, constants=(), sparse=(),
          domains=()):
    graph = helper.make_graph(nodes, "g", inputs or [info("x")],
                              [out(name) for name in outputs], list(constants),
                              sparse_initializer=list(sparse))
    made = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(name, 1) for name in domains)])
    made.ir_version = 9
    return made


def varint(number):
    bytes_ = bytearray()
    while number > 127:
        bytes_.append(number & 127 | 128)
        number >>= 7
    return bytes(bytes_) + bytes([number])


def with_function(made, function, defaults):
    """As bytes: this onnx knows no defaults of functions."""
    body = function.SerializeToString()
    for attribute in defaults:
        text = attribute.SerializeToString()
        body += varint(11 << 3 | 2) + varint(len(text)) + text
    return made.SerializeToString() + varint(25 << 3 | 2) + \
        varint(len(body)) + body


def slope():
    """F(a; slope = 0.25), which hands it on to LeakyRelu."""
    made = onnx.FunctionProto(name="F", domain="my", input=["a"], output=["b"])
    made.opset_import.append(helper.make_opsetid("", 13))
    node = helper.make_node("LeakyRelu", ["a"], ["b"])
    node.attribute.add(name="alpha", ref_attr_name="slope", type=1)
    made.node.append(node)
    return made


def defaults(**said):
    node = helper.make_node("F", ["x"], ["y"], domain="my", **said)
    return with_function(model([node], ["y"], domains=["my"]), slope(),
                         [helper.make_attribute("slope", 0.25)])


def sparse(values, indices):
    return helper.make_sparse_tensor(
        numpy_helper.from_array(numpy.array(values, "f4"), "w"),
        numpy_helper.from_array(numpy.array(indices, "i8"), "i"), [3, 4])


MODELS = {
    "output is input": model([helper.make_node("Relu", ["x"], ["y"])],
                             ["x", "y"]),
    "output is input that nobody reads": model(
        [helper.make_node("Relu", ["z"], ["y"])], ["x", "y"],
        inputs=[info("x"), info("z")]),
    "output is constant": model(
        [helper.make_node("Relu", ["x"], ["y"])], ["c", "y"],
        constants=[numpy_helper.from_array(X, "c")]),
    "one value, two outputs": model(
        [helper.make_node("Relu", ["x"], ["y"]),
         helper.make_node("Identity", ["y"], ["z"])], ["y", "z"]),
    "output that is read, too": model(
        [helper.make_node("Relu", ["x"], ["y"]),
         helper.make_node("Neg", ["y"], ["z"])], ["y", "z"]),
    "default of a function": defaults(),
    "attribute of a call": defaults(slope=0.5),
}

REFUSED = {
    "sparse initializer": (
        model([helper.make_node("MatMul", ["x", "w"], ["y"])], ["y"],
              sparse=[sparse([1.5, 2], [1, 4])]), "is sparse"),
    "sparse attribute": (
        model([helper.make_node("Constant", [], ["c"],
                                sparse_value=sparse([1, 2], [0, 7])),
               helper.make_node("MatMul", ["x", "c"], ["y"])], ["y"]),
        "is sparse"),
}


def write(made, path):
    with open(path, "wb") as file:
        file.write(made if isinstance(made, bytes) else
                   made.SerializeToString())


def prove_refused(test, path, middle, arguments):
    made, words = REFUSED[test]
    write(made, path)
    try:
        proof.convert(arguments.tenon, path, middle)
    except proof.Unmapped as error:
        if words in str(error):
            return 1
        raise
    raise proof.Differs("it is not refused")


def prove(test, engine, scratch, arguments):
    path, middle, back = (os.path.join(scratch, name) for name in
                          ("model.onnx", "model.fb", "back.onnx"))
    if test in REFUSED:
        return prove_refused(test, path, middle, arguments)
    write(MODELS[test], path)
    graph = onnx.load(path).graph
    feeds = {end.name: X for end in graph.input}
    want = engine.run(path, feeds)
    proof.convert(arguments.tenon, path, middle)
    proof.convert(arguments.tenon, middle, back)
    got = engine.run(back, feeds)
    if set(got) != set(want):
        raise proof.Differs(f"outputs {sorted(got)}, not {sorted(want)}")
    for name, array in want.items():
        proof.compare(name, got[name], array, 1e-6, 1e-6)
    return 1


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    results = proof.run(prove, [*MODELS, *REFUSED], arguments)
    print(proof.summary("graphs of ONNX", results)[0])
    print(proof.table(results))
    return 0 if all(result.state == "passed" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
