#!/usr/bin/env python3
"""Lists of TensorFlow 2 in loops: tensorflow -> onnx, and by way of nd4j (.fb) -> ONNX Runtime.

    tensorflow_lists.py TENON [--shared DIR]

A While hands lists round as values.  One is read and another one written row by
row; or one grows.  The .fb also runs on the evaluator of libnd4j's semantics, and
what comes back of it where each row is computed for itself has no lists.
"""
import os
import sys
import tempfile

import graphdef
import numpy as np
import onnx
import proof

ROWS = np.random.RandomState(1).rand(5, 2, 3).astype("f4")
DIMS = np.array([2, 3], "i4")


def number(value):
    return np.array(value, "i4")


class Function(graphdef.Graph):
    """A function of the library: nodes name outputs as `node:arg:0`."""

    def __init__(self, library, name, inputs, outputs):
        super().__init__()
        self.function = library.function.add()
        self.function.signature.name = name
        self.outputs = outputs
        for arg, kind in inputs:
            self.function.signature.input_arg.add(name=arg, type=graphdef.TYPES[kind])

    def end(self, values):
        for (arg, kind), value in zip(self.outputs, values):
            self.function.signature.output_arg.add(name=arg, type=graphdef.TYPES[kind])
            self.function.ret[arg] = value
        self.function.node_def.extend(self.proto.node)


def loop_functions(graph, variables, fill):
    """While i < 5; `fill` adds the body and names what it gives."""
    library = graph.proto.library
    cond = Function(library, "cond", variables, [("go", "bool")])
    cond.constant("n", number(5))
    cond.add("Less", "less", ["i", "n:output:0"], {"T": "int32"})
    cond.end(["less:z:0"])
    body = Function(library, "body", variables,
                    [(name + "_next", kind) for name, kind in variables])
    body.constant("one", number(1))
    body.constant("dims", DIMS)
    body.add("AddV2", "next", ["i", "one:output:0"], {"T": "int32"})
    body.end(["next:z:0", *fill(body)])


def begin(variables):
    graph = graphdef.Graph()
    graph.placeholder("x", ROWS)
    for name, array in (("dims", DIMS), ("zero", number(0)), ("n", number(5)),
                        ("h0", np.zeros((2, 3), "f4"))):
        graph.constant(name, array)
    graph.add("TensorListFromTensor", "rows", ["x", "dims"],
              {"element_dtype": "float32", "shape_type": "int32"})
    return graph, [("i", "int32"), *variables]


def end(graph, variables, inputs):
    graph.add("While", "loop", inputs, {"T": [kind for _, kind in variables],
                                        "cond": "cond", "body": "body"})
    graph.add("TensorListStack", "y", ["loop:1", "dims"],
              {"element_dtype": "float32", "num_elements": 5})
    graph.add("TensorListLength", "count", ["loop:1"], {})
    graph.add("Identity", "last", ["loop:2"], {"T": "float32"})
    return graph


def sum_so_far(body):
    body.add("TensorListGetItem", "item", ["rows", "i", "dims:output:0"],
             {"element_dtype": "float32"})
    body.add("AddV2", "sum", ["item:item:0", "h"], {"T": "float32"})


def written():
    graph, variables = begin([("list", "variant"), ("h", "float32"), ("rows", "variant")])

    def fill(body):
        sum_so_far(body)
        body.add("TensorListSetItem", "put", ["list", "i", "sum:z:0"],
                 {"element_dtype": "float32"})
        return ["put:output_handle:0", "sum:z:0", "rows"]
    loop_functions(graph, variables, fill)
    graph.add("TensorListReserve", "empty", ["dims", "n"],
              {"element_dtype": "float32", "shape_type": "int32"})
    return end(graph, variables, ["zero", "empty", "h0", "rows"])


def grown():
    graph, variables = begin([("list", "variant"), ("h", "float32"), ("rows", "variant")])

    def fill(body):
        sum_so_far(body)
        body.add("TensorListPushBack", "put", ["list", "sum:z:0"],
                 {"element_dtype": "float32"})
        return ["put:output_handle:0", "sum:z:0", "rows"]
    loop_functions(graph, variables, fill)
    graph.add("EmptyTensorList", "empty", ["dims", "n"],
              {"element_dtype": "float32", "shape_type": "int32"})
    return end(graph, variables, ["zero", "empty", "h0", "rows"])


def mapped():
    """tf.map_fn over an open number of rows: nothing goes round but the list."""
    graph = graphdef.Graph()
    graph.placeholder("x", ROWS, [None, 2, 3])
    for name, array in (("dims", DIMS), ("zero", number(0)), ("first", np.array([0], "i4")), ("next", np.array([1], "i4"))):
        graph.constant(name, array)
    graph.add("Shape", "shape", ["x"], {"T": "float32", "out_type": "int32"})
    graph.add("StridedSlice", "n", ["shape", "first", "next", "next"], {"T": "int32", "Index": "int32", "shrink_axis_mask": 1})
    graph.add("TensorListFromTensor", "rows", ["x", "dims"], {"element_dtype": "float32", "shape_type": "int32"})
    graph.add("TensorListReserve", "empty", ["dims", "n"], {"element_dtype": "float32", "shape_type": "int32"})
    variables = [("i", "int32"), ("list", "variant"), ("n", "int32"), ("rows", "variant")]
    cond = Function(graph.proto.library, "cond", variables, [("go", "bool")])
    cond.add("Less", "less", ["i", "n"], {"T": "int32"})
    cond.end(["less:z:0"])
    body = Function(graph.proto.library, "body", variables, [(name + "_next", kind) for name, kind in variables])
    body.constant("one", number(1))
    body.constant("dims", DIMS)
    body.add("AddV2", "next", ["i", "one:output:0"], {"T": "int32"})
    body.add("TensorListGetItem", "item", ["rows", "i", "dims:output:0"], {"element_dtype": "float32"})
    body.add("Square", "square", ["item:item:0"], {"T": "float32"})
    body.add("TensorListSetItem", "put", ["list", "i", "square:y:0"], {"element_dtype": "float32"})
    body.end(["next:z:0", "put:output_handle:0", "n", "rows"])
    graph.add("StatelessWhile", "loop", ["zero", "empty", "n", "rows"], {"T": [kind for _, kind in variables], "cond": "cond", "body": "body"})
    graph.add("TensorListStack", "y", ["loop:1", "dims"], {"element_dtype": "float32"})
    return graph


SUMS = {"y:0": np.cumsum(ROWS, 0), "last:0": ROWS.sum(0), "count:0": number(5)}
GRAPHS = {"written": (written, SUMS), "grown": (grown, SUMS), "mapped": (mapped, {"y:0": ROWS ** 2})}


def prove(test, engine, scratch, arguments):
    source, middle, back = (os.path.join(scratch, test + ending)
                            for ending in (".pb", ".fb", ".onnx"))
    make, want = GRAPHS[test]
    make().write(source)
    ends = ["--inputs", "x", "--outputs", ",".join(want)]
    proof.convert_directly(arguments.tenon, source, back, *ends)
    direct = engine.run(back, {"x": ROWS})
    proof.convert(arguments.tenon, source, middle, *ends)
    judge = proof.Nd4j.find(arguments.shared)
    got = judge.run(middle, {"x": ROWS}, list(want)) if judge else None
    proof.convert(arguments.tenon, middle, back)
    left = {node.op_type for node in onnx.load(back).graph.node if "Sequence" in node.op_type}
    if left and test == "mapped":
        raise proof.Differs(f"lists are left: {', '.join(sorted(left))}")
    for outputs in filter(None, (direct, got, engine.run(back, {"x": ROWS}))):
        for name, array in want.items():
            proof.compare(name, outputs[name], array, 1e-5, 1e-6)
    return proof.computing(back)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    results = proof.run(prove, sorted(GRAPHS), arguments)
    for row in proof.rows(results):
        print(row)
    print(proof.summary("Lists of TensorFlow", results)[0])
    return any(result.state != "passed" for result in results)


if __name__ == "__main__":
    sys.exit(main())
