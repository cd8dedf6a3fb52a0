#!/usr/bin/env python3
"""What Deeplearning4j's own rules give, and what ours give, for the same nodes.

    tensorflow_descriptors.py TENON INTERPRET_GRAPHS [--shared DIR] [--only
                              PATTERN] [--verbose]

For every node of the import suite whose shipped mapper has no known defect: the
op is the same, and every argument that the shipped rules give has the same value
in the same slot of the .fb file that we write.  What differs on purpose is listed
below, with the reason; docs/nd4j-corrections.md has the evidence.
"""
import argparse
import collections
import fnmatch
import glob
import multiprocessing
import os
import subprocess
import sys
import tempfile

import nd4j_descriptors
import proof
import tensorflow_suite

# Nodes that no op of nd4j stands for: values, and what control flow is made of.
VALUES = {"Const", "Identity", "Placeholder", "PlaceholderWithDefault", "NoOp",
          "Enter", "Exit", "Switch", "Merge", "NextIteration", "LoopCond"}

# Where ours differs on purpose.
WRONG = {
    "BatchMatMul": "beta 1 adds an array that nobody filled: ours is 0",
    "BatchMatMulV2": "as BatchMatMul",
    "FloorDiv": "floordiv of integers cuts towards zero: the remainder is"
                " taken away first",
    "HistogramFixedWidth": "the kernel gives INT64 always: a cast follows",
    "Mod": "mod of floats takes the divisor's sign: composed of others",
    "NonMaxSuppressionV4": "the number of valid outputs is lost, and the"
                           " padding",
    "Roll": "roll is no rotation for every length: cut and joined",
    "Round": "round is half away from zero, TensorFlow's half to even: rint",
    "ShapeN": "shapes_of gives INT64 always: one shape_of for each",
    "Size": "size gives INT64 always: a cast follows",
    "TensorArrayWriteV3": "the name of a Java class; the kernel is"
                          " write_list",
    "Tile": "dimensions 0 is a constant without meaning",
}


def shipped(tool, shared, paths):
    """{path: [(node, op type, op, defects, [(list, index, name, value)])]}"""
    files = [os.path.join(shared, "data/import", name) for name in
             ("nd4j-op-def.pbtxt", "tensorflow-mapping-ruleset.pbtxt")]
    done = subprocess.run([tool, *files], input="\n".join(paths) + "\n",
                          text=True, check=True, stdout=subprocess.PIPE)
    found, args = {path: [] for path in paths}, []
    for line in done.stdout.splitlines():
        words = line.split("\t")
        if len(words) == 5:
            args = []
            found[words[0]].append((*words[1:4], int(words[4]), args))
        else:
            args.append((words[0], int(words[1]), words[2], words[3]))
    return found


def ours(arguments, judge, path, folder):
    """{name: node} of what we write, as the evaluator sees it."""
    test = os.path.dirname(path)
    want = tensorflow_suite.load(os.path.join(test, "outputs.npz"))
    inputs = tensorflow_suite.load(os.path.join(test, "inputs.npz"))
    ends = ["--outputs", ",".join(want)]
    if inputs:
        ends += ["--inputs", ",".join(inputs)]
    target = os.path.join(folder, "model.fb")
    proof.convert(arguments.tenon, path, target, *ends)
    with open(target, "rb") as file:
        graph = judge.Graph(memoryview(file.read()),
                            judge.Remarks(False, False, True))
    return graph, {output: node for node in graph.nodes.values()
                   for output in node.outputs[:1]}


def rank_of(graph, node):
    return max((len(graph.arrays[name].shape) for name in node.inputs[:1]
                if name in graph.arrays), default=0)


def judged(graph, made, row):
    """(word, why) of a node."""
    name, op_type, op, defects, args = row
    node = made.get(name) or made.get(name + ":0")
    if op in ("-", "noop"):
        return "no mapper", ""
    if defects:
        return "defect", ""
    if not node:
        return "not written", ""
    # The shipped rules know the size of a constant alone, not of one that is
    # read through an Identity.
    args = [arg for arg in args if arg[2:] != ("filter", "-1")]
    why = f"ours {node.op}, theirs {op}" if node.op != op else \
        nd4j_descriptors.difference(node, args, rank_of(graph, node))
    if why and op_type in WRONG:
        return "wrong", WRONG[op_type]
    return ("differs", why) if why else ("same", "")


def compare(arguments, part):
    judge = proof.Nd4j.find(arguments.shared).judge
    rows = []
    with tempfile.TemporaryDirectory(prefix="tenon-nodes-") as folder:
        for path, nodes in part:
            test = os.path.basename(os.path.dirname(path))
            try:
                graph, made = ours(arguments, judge, path, folder)
            except proof.Unmapped:
                rows += [(test, node[1], "not converted", "") for node in nodes]
                continue
            rows += [(test, node[1], *judged(graph, made, node))
                     for node in nodes if node[1] not in VALUES]
    return rows


def table(rows):
    """Per operator how often each word was said."""
    words = ("same", "wrong", "differs", "defect", "no mapper", "not written",
             "not converted")
    print("| operator | " + " | ".join(words) + " |\n|---" * 1 +
          "|---" * len(words) + "|")
    for op_type in sorted({row[1] for row in rows} - VALUES):
        counts = collections.Counter(row[2] for row in rows
                                     if row[1] == op_type)
        print(f"| {op_type} | " +
              " | ".join(str(counts[word] or "") for word in words) + " |")


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
        print("skipped: the import suite is not here")
        return 77
    found = list(shipped(arguments.interpret_graphs, arguments.shared,
                         paths).items())
    with multiprocessing.Pool(2) as pool:
        rows = sum(pool.starmap(compare, [(arguments, found[k::2])
                                          for k in range(2)]), [])
    counts = collections.Counter(row[2] for row in rows)
    print("descriptors of", len(rows), "nodes:", dict(counts))
    if arguments.verbose:
        table(rows)
    for test, op_type, word, why in rows:
        if word == "differs":
            print(f"| {test} | {op_type} | {word} | {why} |")
    return 1 if counts["differs"] or not counts["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
