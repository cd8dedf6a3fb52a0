#!/usr/bin/env python3
"""What the design document of the import rules prints, run as it is printed.

    import_design.py TENON SEEDS

SEEDS is the folder of the design documents; skipped when it is not there.  Of
the one about the import IR: its sketches map nodes and carry models, its nodes
are interpreted, its definitions of operators are vocabularies, and its C++ says
which arguments an op has.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import graphdef

# That block lists fields of a message, which is no protobuf text.
NO_TEXT = "repeated int64 ints"


def blocks(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.txt"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "# Import IR" in text:
            return [block for block in re.findall(r"```\w*\n(.*?)```", text, re.S)
                    if NO_TEXT not in block]
    return None


class Bench:
    def __init__(self, tenon, folder):
        self.tenon, self.folder = tenon, folder

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run(self, *words):
        done = subprocess.run([self.tenon, *words], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def interpret(self, node, *words):
        """Name, inputs, outputs and numbers of the only op."""
        op = json.loads(self.run("rules", "interpret", "--json", node, *words))
        kinds = {"INPUT_TENSOR": [], "OUTPUT_TENSOR": [], "INT64": []}
        for arg in op["argDescriptor"]:
            if arg["argType"] in kinds:
                kinds[arg["argType"]].append(
                    arg.get("inputValue", arg.get("outputValue", {})).get("name")
                    or int(arg.get("int64Value", 0)))
        return op["name"], *kinds.values()


CONV2D = ('op: "Conv2D" name: "c" input: "x" input: "w" '
          'attr { key: "T" value { type: DT_FLOAT } } '
          'attr { key: "padding" value { s: "SAME" } } '
          'attr { key: "strides" value { list { i: 1 i: 2 i: 2 i: 1 } } }')
FLOOR = 'op: "Floor" name: "f" input: "x" attr { key: "T" value { type: DT_FLOAT } }'
CALL = [-1, -1, 2, 2, 0, 0, 1, 1, 1, 1, 0]


def find(found, *words):
    return next(block for block in found if all(word in block for word in words))


def sketches(bench, found):
    floor = bench.file("floor.pbtxt", find(found, "floor {", "onnx_mapping"))
    mapper = bench.file("mapper.pbtxt", find(found, "Mapper {"))
    rows = json.loads(bench.run("rules", "ls", "--json", floor))["mappers"]
    assert [(row["framework"], row["operator"], row["nd4j"]) for row in rows] == [
        ("onnx", "Floor", "floor"), ("tensorflow", "Floor", "floor")], rows
    assert bench.interpret(FLOOR, floor) == ("floor", ["x"], ["f"], [])
    assert bench.interpret('op_type: "Floor" input: "X" output: "Y"', floor) == (
        "floor", ["X"], ["Y"], [])
    rows = json.loads(bench.run("rules", "ls", "--json", mapper))["mappers"]
    assert [(row["operator"], row["nd4j"], row["rules"]) for row in rows] == [
        ("Conv2D", "conv2d", 3)], rows
    assert bench.interpret(CONV2D, mapper) == ("conv2d", ["x", "w"], ["c"], CALL)
    return floor


def carries(bench, floor):
    import numpy
    graph = graphdef.Graph()
    graph.add("Floor", "f", [graph.placeholder("x", numpy.ones(3, "f4"))], {})
    model = os.path.join(bench.folder, "floor.pb")
    graph.write(model)
    plan = json.loads(bench.run("convert", "--plan", "--json", "--rules", floor,
                                "--only-rules", model, "-o", "floor.fb"))
    assert [row["rule"].split("/")[-1] for row in plan["ops"]] == [
        "floor.pbtxt:2"], plan


def nodes(bench, found):
    floor = bench.file("floor.node", find(found, 'op_type: "Floor"'))
    conv = bench.file("conv.node", find(found, 'op_type: "Conv"'))
    assert bench.interpret(floor) == ("floor", ["X"], ["Y"], [])
    assert bench.interpret(conv, "--inputs", "W:float32[4,3,5,5]") == (
        "conv2d", ["X", "W", "B"], ["Y"], [5, 5, 1, 1, 0, 0, 1, 1, 0, 0, 1])


def definitions(bench, found):
    ops = "".join(block for block in found if block.lstrip().startswith("op {"))
    assert ops.count("op {") >= 3
    vocabulary = bench.file("ops.pbtxt", ops)
    assert bench.interpret(CONV2D, "--vocabulary", vocabulary) == (
        "conv2d", ["x", "w"], ["c"], CALL)


def declarations(bench, found):
    code = bench.file("conv1d.cpp", find(found, "INT_ARG(0)"))
    op = json.loads(bench.run("rules", "extract", "--json", code))["opList"][0]
    names = [arg["name"] for arg in op["argDescriptor"]
             if arg["argType"] == "INT64"]
    assert op["name"] == "conv1d" and names == [
        "kW", "sW", "pW", "dW", "paddingMode", "isNCW", "wFormat"], op
    assert op["declared"] == {"nIn": 3, "iArgs": 7}, op


def main():
    found = blocks(sys.argv[2])
    if found is None:
        print("skipped: wants real models: the design documents")
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-proof-") as folder:
        bench = Bench(sys.argv[1], folder)
        carries(bench, sketches(bench, found))
        nodes(bench, found)
        definitions(bench, found)
        declarations(bench, found)
    print("all of the document's examples hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
