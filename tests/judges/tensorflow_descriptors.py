#!/usr/bin/env python3
"""What Deeplearning4j's own rules give, and what ours give, for nodes of
TensorFlow.

    tensorflow_descriptors.py TENON INTERPRET_GRAPHS [--shared DIR] [--only
                              PATTERN] [--verbose]

For every node of the import suite whose shipped mapper has no known defect: the
call that we write for it equals that of the shipped rules.  shipped_rules.py
says what equal means.

Nodes of loops and branches are copied on the way, and copies are called NAME_1,
NAME_2...; a node is found under any of these.  An input is the same when it is
what the other one copies, enters a loop with or is chosen from.  A node that
nobody reads is not written, nor is one that only such nodes read whose call
differs; were it read by an equal call, that call would lack an input.
"""
import argparse
import collections
import fnmatch
import glob
import multiprocessing
import os
import re
import sys
import tempfile

import proof
import shipped_rules
import tensorflow_suite

# Nodes that no op of nd4j stands for: values, and what control flow is made of.
VALUES = {"Const", "Identity", "Placeholder", "PlaceholderWithDefault", "NoOp",
          "Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond"}

# Hand on what they get, by the names of either side.
COPIES = {"Identity", "StopGradient", "Enter", "Exit", "Switch", "Merge",
          "NextIteration", "RefEnter", "identity", "stop_gradient", "enter",
          "exit", "switch", "merge", "next_iteration"}

Node = collections.namedtuple("Node", "name op_type shipped has_defects")


def shipped(arguments, paths):
    """{path: [Node]}"""
    found = {path: [] for path in paths}
    for words, what in shipped_rules.interpret(
            arguments.interpret_graphs, arguments.shared,
            "tensorflow-mapping-ruleset.pbtxt", "\n".join(paths) + "\n", 5):
        path, name, op_type, _, defects = words
        found[path].append(Node(name, op_type, what, defects != "0"))
    return found


def ours(arguments, judge, path, folder):
    """What we write, as the evaluator sees it."""
    test = os.path.dirname(path)
    want = tensorflow_suite.load(os.path.join(test, "outputs.npz"))
    inputs = tensorflow_suite.load(os.path.join(test, "inputs.npz"))
    ends = ["--outputs", ",".join(want)]
    if inputs:
        ends += ["--inputs", ",".join(inputs)]
    target = os.path.join(folder, "model.fb")
    proof.convert(arguments.tenon, path, target, "--simplify", "no", *ends)
    with open(target, "rb") as file:
        return judge.Graph(memoryview(file.read()),
                           judge.Remarks(False, False, True))


# --- names -----------------------------------------------------------------------

def bare(name):
    return name[:-2] if name.endswith(":0") else name


def originals(name):
    """The name, and what it may be a copy of."""
    yield name
    while re.search(r"_\d+$", name):
        name = re.sub(r"_\d+$", "", name)
        yield name


class Names:
    """Which values of the two sides are the same."""

    def __init__(self, graph, nodes):
        self.theirs = {node.name: node.shipped.inputs[0] for node in nodes
                       if node.op_type in COPIES and node.shipped.inputs}
        self.ours = {bare(output): node.inputs[0]
                     for node in graph.nodes.values() if node.op in COPIES
                     for output in node.outputs if node.inputs}
        self.made = collections.defaultdict(list)
        given = {node.name for node in nodes}
        for node in graph.nodes.values():
            name = bare(node.outputs[0])
            for name in [name] if name in given else originals(name):
                self.made[name].append(node)

    @staticmethod
    def trail(name, copies, heads=lambda name: name):
        """The value and all that it hands on."""
        seen = []
        while name not in seen:
            seen.append(name)
            head = name if name in copies else heads(name)
            if head in copies:
                name = bare(copies[head])
        return seen

    def same(self, ours, theirs):
        mine = {name for value in self.trail(bare(ours), self.ours)
                for name in originals(value)}
        return not mine.isdisjoint(
            self.trail(bare(theirs), self.theirs,
                       lambda name: re.sub(r":\d+$", "", name)))


# --- comparing -------------------------------------------------------------------

def judged(corrections, names, node):
    """(word, why) of a node."""
    if node.shipped.op in ("-", "noop"):
        return "no mapper", ""
    if node.has_defects:
        return "defect", ""
    made = names.made.get(node.name)
    if not made:
        return "not written", ""
    found = [shipped_rules.differences(one, node.shipped, names.same)
             for one in made]
    return corrections.judge(node.op_type, min(found, key=len))


def compare(arguments, part):
    """Rows (test, op type, word, why), and which corrections explained any."""
    judge = proof.Nd4j.find(arguments.shared).judge
    corrections = shipped_rules.Corrections("TensorFlow")
    rows = []
    with tempfile.TemporaryDirectory(prefix="tenon-nodes-") as folder:
        for path, nodes in part:
            test = os.path.basename(os.path.dirname(path))
            try:
                graph = ours(arguments, judge, path, folder)
            except proof.Unmapped:
                rows += [(test, node.op_type, "not converted", "")
                         for node in nodes]
                continue
            names = Names(graph, nodes)
            rows += [(test, node.op_type, *judged(corrections, names, node))
                     for node in nodes if node.op_type not in VALUES]
    return rows, corrections.used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("interpret_graphs")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--only", default="*")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    paths = [path for path in sorted(glob.glob(os.path.join(
        arguments.shared, "data/tensorflow/import-suite/*/model.pb")))
             if fnmatch.fnmatch(path.split(os.sep)[-2], arguments.only)]
    if not paths or not proof.Nd4j.find(arguments.shared):
        print("skipped: wants real models")
        return 77
    found = list(shipped(arguments, paths).items())
    with multiprocessing.Pool(2) as pool:
        done = pool.starmap(compare, [(arguments, found[k::2])
                                      for k in range(2)])
    corrections = shipped_rules.Corrections("TensorFlow")
    used = set().union(*(used for _, used in done))
    return shipped_rules.report(
        sum((rows for rows, _ in done), []),
        corrections.idle(used) if arguments.only == "*" else [],
        arguments.verbose)


if __name__ == "__main__":
    sys.exit(main())
