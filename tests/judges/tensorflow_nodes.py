#!/usr/bin/env python3
"""How many nodes a graph of TensorFlow becomes, beside what tf2onnx makes of it.

    tensorflow_nodes.py TENON [--only PATTERN] [--shared DIR] [--option WORD] [--missing] [--report FILE [--update]]

The graphs are those of Deeplearning4j's import suite of which tf2onnx made a
file that runs and agrees (tf2onnx.tsv).  Nodes of subgraphs are counted, too.
Conversions fold shapes and no constants, so that folding cannot pass for
converting.  Printed are sums for graphs with and without loops, the geometric
mean of the ratios, and the graphs that came out larger, each with its reason.
No sum and no mean may be more than tf2onnx's, fewer than one in twenty may be
larger, and an Identity may stand only where an output needs a name.  --missing lists
operators without a direct rule, by how many graphs they keep from it.
"""
import collections
import csv
import fnmatch
import json
import math
import os
import subprocess
import sys

import numpy
import proof

# Why graphs are larger than tf2onnx's.
REASONS = {
    "sufficient_statistics__*": "two of its outputs are constants, which have no name of their own: an Identity each",
    "right_shift__*": "of numbers below 0 a shift is a division that rounds down, which BitShift is not",
}


def rows_of(arguments):
    """Graphs of which tf2onnx made a file that runs, agrees and has a node."""
    path = os.path.join(arguments.shared, "data", "tensorflow", "tf2onnx.tsv")
    with open(path) as file:
        for row in csv.DictReader(file, delimiter="\t"):
            count = int(row["tf2onnx_nodes"] or 0) + int(row["tf2onnx_subgraph_nodes"] or 0)
            if row["tf2onnx_status"] == "agree" and count:
                yield row["test"].replace("/", "__"), count, row["tf2onnx_ops"]


def names_in(path):
    with numpy.load(path) as arrays:
        return arrays.files


def words_of(folder):
    ends = ["--outputs", ",".join(names_in(os.path.join(folder, "outputs.npz")))]
    fed = names_in(os.path.join(folder, "inputs.npz"))
    return ends + (["--inputs", ",".join(fed)] if fed else [])


def missing(arguments, source, ends):
    """Operators that keep a graph from the direct way."""
    done = subprocess.run([arguments.tenon, "convert", "--plan", "--json", "--via", "onnx", *ends,
                           source, "-o", "plan.onnx"], text=True, check=False, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    plan = json.loads(done.stdout) if done.stdout else {"ops": []}
    return {op["op"] for op in plan["ops"] if op["rule"] is None}


def prove(test, _engine, scratch, arguments):
    folder = os.path.join(arguments.shared, "data", "tensorflow", "import-suite", test)
    source, back = os.path.join(folder, "model.pb"), os.path.join(scratch, "model.onnx")
    ends = words_of(folder)
    proof.convert(arguments.tenon, source, back, *ends, *(arguments.option or []))
    idle = idle_copies(back)
    if idle:
        raise proof.Differs(f"an Identity that no name needs: {', '.join(idle)}")
    # One more than there are, since none would mean that nothing was proved.
    return proof.computing(back, idle=()) + 1


def idle_copies(path):
    """Identities but those that give an output its name: of a constant, of an input, of another output."""
    import onnx

    def look(graph, outer):
        ends = {end.name for end in graph.output}
        given = outer | {end.name for end in graph.input} | {tensor.name for tensor in graph.initializer} | ends
        for node in graph.node:
            if node.op_type == "Identity" and not (node.output[0] in ends and node.input[0] in given):
                yield node.output[0]
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    yield from look(attribute.g, given | {name for n in graph.node for name in n.output})
    return list(look(onnx.load(path).graph, set()))


def has_loop(ops):
    return any(name in ops for name in ("Loop:", "Scan:", "If:", "LSTM:", "GRU:", "RNN:"))


def mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / max(len(ratios), 1))


def line(title, pairs):
    ours, theirs = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    larger = sum(a > b for a, b in pairs)
    smaller = sum(a < b for a, b in pairs)
    # A graph without a node left counts as one, or its ratio would have no logarithm.
    ratio = mean([max(a, 1) / b for a, b in pairs])
    return (f"| {title} | {len(pairs)} | {ours} | {theirs} | {ours / max(theirs, 1):.3f} | "
            f"{ratio:.3f} | {smaller} | {larger} |")


def report_of(results, peers, ops):
    pairs = {result.test: (result.ops - 1, peers[result.test]) for result in results if result.ops}
    loops = [pair for test, pair in pairs.items() if has_loop(ops[test])]
    plain = [pair for test, pair in pairs.items() if not has_loop(ops[test])]
    lines = ["| graphs | number | nodes | tf2onnx's | ratio of sums | geometric mean | smaller | larger |", "|---|---|---|---|---|---|---|---|",
             line("with loops, branches or RNNs", loops), line("others", plain), line("all", loops + plain), "",
             "| larger | nodes | tf2onnx's | its operators | why |", "|---|---|---|---|---|"]
    larger = sorted(((a - b, test) for test, (a, b) in pairs.items() if a > b), reverse=True)
    lines += [f"| {test} | {pairs[test][0]} | {pairs[test][1]} | {ops[test]} | {why(test)} |" for _, test in larger]
    return "\n".join(lines) + "\n", list(excesses(loops, plain, [test for _, test in larger]))


def why(test):
    return next((reason for pattern, reason in REASONS.items() if fnmatch.fnmatch(test, pattern)), "")


def excesses(loops, plain, larger):
    """What is more than it may be."""
    for title, pairs in (("with loops", loops), ("others", plain), ("all", loops + plain)):
        ours, theirs = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        if ours > theirs:
            yield f"{title}: {ours} nodes, tf2onnx's are {theirs}"
        if pairs and mean([max(a, 1) / b for a, b in pairs]) > 1:
            yield f"{title}: the mean of the ratios is more than 1"
    if len(larger) * 20 >= len(loops + plain) > 20:
        yield f"{len(larger)} of {len(loops + plain)} are larger"
    yield from (f"{test}: larger, and nobody says why" for test in larger if not why(test))


def blocked(arguments, tests):
    """Operators without a direct rule, by how many graphs they block."""
    found = collections.Counter()
    for test in tests:
        folder = os.path.join(arguments.shared, "data", "tensorflow", "import-suite", test)
        found.update(missing(arguments, os.path.join(folder, "model.pb"), words_of(folder)))
    return found


def parse():
    import argparse
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", help="tests that match this pattern")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--option", action="append", help="a word for convert, as --option=--simplify --option=no")
    parser.add_argument("--missing", action="store_true", help="operators without a direct rule instead")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true", help="write the report instead of holding against it")
    return parser.parse_args()


def main():
    arguments = parse()
    if not os.path.isdir(os.path.join(arguments.shared, "data", "tensorflow", "import-suite")):
        print("skipped: wants real models")
        return 77
    rows = list(rows_of(arguments))
    if arguments.missing:
        for op, count in blocked(arguments, [test for test, _, _ in rows]).most_common():
            print(f"{count:5} {op}")
        return 0
    peers = {test: count for test, count, _ in rows}
    results = proof.run(prove, sorted(peers), arguments)
    text, more = report_of(results, peers, {test: ops for test, _, ops in rows})
    print("\n".join([text, *more]))
    failed = [result for result in results if result.state in ("failed", "unmapped")]
    for result in failed:
        print(f"{result.test}: {result.state}: {result.reason}")
    return hold(text, arguments) or bool(failed) or bool(more)


def counts(text):
    """Nodes of each row of the first table, and the names of larger graphs."""
    rows = [[word.strip() for word in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    sums = {row[0]: int(row[2]) for row in rows if len(row) == 8 and row[2].isdigit()}
    return sums, {row[0] for row in rows if len(row) == 5 and row[1].isdigit()}


def hold(text, arguments):
    """No more nodes than the report says, and no graph larger that was not."""
    if not arguments.report:
        return 0
    report = proof.Report(arguments.report, "tensorflow nodes")
    if arguments.update:
        report.update("\n" + text + "\n")
        return 0
    sums, larger = counts(text)
    said, known = counts(report.parts()[1])
    more = [f"{name}: {count} nodes, not {said.get(name)}" for name, count in sums.items() if count > said.get(name, 0)]
    more += [f"{test} is larger than tf2onnx's" for test in sorted(larger - known)]
    print("\n".join(more) or "no more than docs/conformance.md says")
    return int(bool(more) and not arguments.only)


if __name__ == "__main__":
    sys.exit(main())
