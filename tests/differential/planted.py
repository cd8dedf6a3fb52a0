#!/usr/bin/env python3
"""A wrong rule is found, and what shows it is made as small as it can be.

    planted.py TENON

Sub becomes an addition.  Models that subtract must be told from the others, the
smallest graph that is kept must be one Sub alone, a Sub in a branch must be all that is left of
the branch, and a second run with the same state goes on after the first.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy
import onnx

import bench
import onnx_source
import random_onnx
from random_flow import body_graph
from random_graph import Graph, Value

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = "rules onnx -> nd4j 1\nSub@7..(A, B) => add(A, B; inPlace: false)\n"


WINDOW, TWICE = 6, 2


def window():
    """The first of a few seeds that follow each other, some of which subtract."""
    for first in range(1, 1000):
        models = [random_onnx.model_of(seed)[0] for seed in range(first, first + WINDOW)]
        if sum(any(node.op_type == "Sub" for node in model.graph.node) for model in models) >= TWICE:
            return first
    raise AssertionError("no model subtracts")


def tester(folder, first, count):
    """Runs with the wrong rule; what it printed and its exit code."""
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(HERE, "differential.py"),
         os.path.join(folder, "tenon"), "--count", str(count), "--first", str(first),
         "--rules", os.path.join(folder, "wrong.rules"),
         "--state", os.path.join(folder, "state.json"),
         "--found", os.path.join(folder, "found")],
        stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.returncode


def state_of(folder):
    with open(os.path.join(folder, "state.json")) as file:
        return json.load(file)


def smallest(folder):
    """The operators of each model that was kept for its numbers."""
    for path in glob.glob(os.path.join(folder, "found", "*", "why.txt")):
        with open(path) as file:
            if "\nvalue: " not in file.read():
                continue
        model = onnx.load(os.path.join(os.path.dirname(path), "model.onnx"))
        yield [node.op_type for node in model.graph.node if node.op_type != "Constant"]


def in_a_branch():
    """A model that subtracts in a branch, among other things."""
    x, y, flag = (Value("float32", (3,), -2, 2), Value("float32", (3,), -2, 2),
                  Value("bool", (), 0, 1))
    graph = Graph(random.Random(1), 17)
    feeds = {"x": numpy.array([1, 2, -1], "f4"), "y": numpy.array([1, 1, 2], "f4"),
             "flag": numpy.array(True)}
    for name, value in (("x", x), ("y", y), ("flag", flag)):
        value.name = name
        graph.inputs.append((value, list(value.dims)))
        graph.values.append(value)
    graph.feeds = feeds
    branches = []
    for _ in range(2):
        body = Graph(graph.rng, 17, graph)
        near = body.node("Tanh", [x], [x.like(-1, 1)])[0]
        less = body.node("Sub", [near, y], [x.like(-3, 3)])[0]
        last = body.node("Abs", [less], [x.like(0, 3)])[0]
        branches.append(body_graph(body, [], [last], "branch"))
    graph.node("If", [flag], [x.like(0, 3)], then_branch=branches[0], else_branch=branches[1])
    return bench.Case(*graph.model())


def hold_branch(folder):
    """A Sub in a branch: nothing else of that branch is left."""
    with bench.Bench(os.path.join(folder, "tenon"),
                     ["--rules", os.path.join(folder, "wrong.rules")]) as place:
        case = in_a_branch()
        fault = place.judge(case)
        assert fault and fault.kind == "value", fault
        small = onnx_source.shrink(place, case, fault)
    left = [node.op_type for node in onnx_source.nodes_of(small)]
    assert left.count("Sub") == 1 and "Tanh" not in left, left


def main():
    tenon, first = os.path.abspath(sys.argv[1]), window()
    with tempfile.TemporaryDirectory(prefix="tenon-planted-") as folder:
        # Alone in a folder the command reads rules each time, also these.
        os.symlink(tenon, os.path.join(folder, "tenon"))
        with open(os.path.join(folder, "wrong.rules"), "w") as file:
            file.write(WRONG)
        printed, code = tester(folder, first, WINDOW)
        if code == 77:
            print(printed)
            return 77
        kept = list(smallest(folder))
        assert code == 1, printed
        assert ["Sub"] in kept, (kept, printed)
        assert all("Sub" in operators for operators in kept), kept
        assert state_of(folder)["next"] == first + WINDOW
        tester(folder, first, TWICE)
        state = state_of(folder)
        assert state["next"] == first + WINDOW + TWICE, state
        assert sum(state["states"].values()) == WINDOW + TWICE, state
        hold_branch(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
