#!/usr/bin/env python3
"""What Deeplearning4j's own rules give, and what ours give, for nodes of ONNX.

    nd4j_descriptors.py TENON INTERPRET_NODES [--shared DIR] [--verbose]

For every test of the ONNX backend suite that is one node, and whose shipped
mapper has no known defect: what we write is one call, and it equals that of the
shipped rules.  shipped_rules.py says what equal means.
"""
import argparse
import os
import sys
import tempfile

import onnx_suite
import proof
import shipped_rules


def nodes(folder):
    """Suite tests of one node: test, op type, opset, path of its bytes."""
    import onnx
    for test in sorted(os.listdir(onnx_suite.SUITE)):
        path = os.path.join(onnx_suite.SUITE, test, "model.onnx")
        if not os.path.exists(path):
            continue
        model = onnx.load(path)
        if len(model.graph.node) != 1 or model.graph.node[0].domain:
            continue
        node = model.graph.node[0]
        opset = [o.version for o in model.opset_import if not o.domain][0]
        target = os.path.join(folder, test)
        with open(target, "wb") as file:
            file.write(node.SerializeToString())
        yield test, node.op_type, opset, target


def shipped(arguments, tests):
    """{path: (shipped, has defects)}"""
    rows = shipped_rules.interpret(
        arguments.interpret_nodes, arguments.shared,
        "onnx-mapping-ruleset.pbtxt",
        "".join(f"{path} {op} {opset}\n" for _, op, opset, path in tests), 3)
    return {words[0]: (what, words[2] != "0") for words, what in rows}


def ours(tenon, judge, path, folder):
    """The nodes that we write for a model, as the evaluator sees them."""
    target = os.path.join(folder, "model.fb")
    proof.convert(tenon, path, target)
    with open(target, "rb") as file:
        graph = judge.Graph(memoryview(file.read()),
                            judge.Remarks(False, False, True))
    return list(graph.nodes.values())


def unlike(made, theirs):
    if len(made) != 1:
        names = [node.op for node in made]
        return [shipped_rules.Difference("op", names[:6], theirs.op)]
    return shipped_rules.differences(made[0], theirs, lambda a, b: a == b)


def compare(arguments, corrections, folder):
    """(test, op type, word, why)"""
    judge = proof.Nd4j.find(arguments.shared).judge
    tests = list(nodes(folder))
    found = shipped(arguments, tests)
    for test, op_type, _, path in tests:
        theirs, has_defects = found[path]
        model = os.path.join(onnx_suite.SUITE, test, "model.onnx")
        if theirs.op in ("-", "noop"):
            yield test, op_type, "no mapper", ""
        elif has_defects:
            yield test, op_type, "defect", ""
        else:
            made = ours(arguments.tenon, judge, model, folder)
            yield test, op_type, *corrections.judge(op_type,
                                                    unlike(made, theirs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("interpret_nodes")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not os.path.isdir(onnx_suite.SUITE):
        print("skipped: libonnx-testdata is not installed")
        return 77
    if not proof.Nd4j.find(arguments.shared):
        print("skipped: wants real models")
        return 77
    corrections = shipped_rules.Corrections("ONNX")
    with tempfile.TemporaryDirectory(prefix="tenon-nodes-") as folder:
        rows = list(compare(arguments, corrections, folder))
    return shipped_rules.report(rows, corrections.idle(corrections.used),
                                arguments.verbose)


if __name__ == "__main__":
    sys.exit(main())
