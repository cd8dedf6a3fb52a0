#!/usr/bin/env python3
"""What Deeplearning4j's own rules give, and what ours give, for the same nodes.

    nd4j_descriptors.py TENON INTERPRET_NODES [--shared DIR] [--verbose]

For every test of the ONNX backend suite that is one node, and whose shipped
mapper has no known defect: the op is the same, and every argument that the
shipped rules give has the same value in the same slot of the .fb file that we
write.  What differs on purpose is listed below, with the reason.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

import onnx_suite
import proof

# Hints of the executor, not read by kernels.
HINTS = {"inPlace", "dtype", "dataType", "isDynamicAxis", "needSort",
         "checkIndices", "is_static_reps"}

# Shipped mappers that are wrong for some nodes, though no list of defects names
# them.  Only for these nodes ours may differ.
WRONG = {
    "ArgMax": "select_last_index is dropped",
    "ArgMin": "select_last_index is dropped",
    "Gather": "a hook does it; negative indices",
    "IsInf": "detect_negative and detect_positive are dropped",
    "LRN": "size is taken for the radius, alpha is not divided, layout",
    "NonMaxSuppression": "batches and classes are ignored",
    "Pow": "pow_pairwise does not broadcast, nor mix types",
    "Range": "lengths are rounded by absolute values",
    "ReduceSum": "noop_with_empty_axes is dropped",
    "Round": "round is half away from zero, ONNX wants half to even: rint",
    "Selu": "alpha and gamma are dropped",
    "Shape": "start and end are dropped",
    "Tile": "dimensions 0 is a constant without meaning",
    "Where": "Where and select do not broadcast; a hook does it",
}


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


def shipped(tool, shared, tests):
    """{path: (op, defects, [(list, index, name, value)])}"""
    files = [os.path.join(shared, "data/import", name) for name in
             ("nd4j-op-def.pbtxt", "onnx-mapping-ruleset.pbtxt")]
    lines = "".join(f"{path} {op} {opset}\n" for _, op, opset, path in tests)
    done = subprocess.run([tool, *files], input=lines, text=True, check=True,
                          stdout=subprocess.PIPE)
    found, args = {}, []
    for line in done.stdout.splitlines():
        words = line.split("\t")
        if len(words) == 3:
            args = []
            found[words[0]] = (words[1], int(words[2]), args)
        else:
            args.append((words[0], int(words[1]), words[2], words[3]))
    return found


def ours(tenon, judge, path, folder):
    """The nodes that we write for a model, as the evaluator sees them."""
    target = os.path.join(folder, "model.fb")
    proof.convert(tenon, path, target)
    with open(target, "rb") as file:
        graph = judge.Graph(memoryview(file.read()),
                            judge.Remarks(False, False, True))
    return list(graph.nodes.values())


def axis(value, rank):
    return value + rank if value < 0 else value


def difference(node, args, rank):
    """The first argument that is not the same; None: all are."""
    lists = {"i": list(node.iargs), "t": list(node.targs),
             "b": [int(b) for b in node.bargs]}
    axes = [int(value) for kind, _, name, value in args
            if kind == "i" and name.startswith("dimension")]
    if axes and (node.dims or node.type.startswith("REDUCE")):
        have = sorted(axis(d, rank) for d in node.dims)
        if have != sorted(axis(a, rank) for a in axes):
            return f"axes {node.dims}, theirs {axes}"
        args = [a for a in args if not a[2].startswith("dimension")]
    for kind, index, name, value in args:
        if kind == "t" and node.scalar is not None:
            same = abs(float(node.scalar.reshape(-1)[0]) - float(value)) < 1e-6
        elif kind not in lists or name in HINTS:
            continue
        elif index >= len(lists[kind]):
            same = False
        elif kind == "t":
            same = abs(lists[kind][index] - float(value)) <= 1e-6
        else:
            mine = lists[kind][index]
            same = mine == int(value) or (
                "dimension" in name.lower() and
                axis(mine, rank) == axis(int(value), rank))
        if not same:
            return f"{kind}{index} {name}: ours {lists.get(kind)}, " \
                   f"theirs {value}"
    return None


def unlike(made, op, args, rank):
    if len(made) != 1 or made[0].op != op:
        return f"ours {[node.op for node in made][:6]}, theirs {op}"
    return difference(made[0], args, rank)


def rank_of(path):
    import onnx
    graph = onnx.load(path).graph
    for value in graph.input:
        if value.name == graph.node[0].input[0]:
            return len(value.type.tensor_type.shape.dim)
    return 0


def compare(arguments, folder):
    """(test, op type, word, why)"""
    judge = proof.Nd4j.find(arguments.shared).judge
    tests = list(nodes(folder))
    found = shipped(arguments.interpret_nodes, arguments.shared, tests)
    for test, op_type, _, path in tests:
        op, defects, args = found.get(path, ("-", 0, []))
        model = os.path.join(onnx_suite.SUITE, test, "model.onnx")
        if op in ("-", "noop"):
            yield test, op_type, "no mapper", ""
        elif defects:
            yield test, op_type, "defect", ""
        else:
            why = unlike(ours(arguments.tenon, judge, model, folder), op, args,
                         rank_of(model))
            if why and op_type in WRONG:
                yield test, op_type, "wrong", WRONG[op_type]
            else:
                yield test, op_type, "differs" if why else "same", why or ""


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
        print("skipped: ../shared is not there")
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-nodes-") as folder:
        rows = list(compare(arguments, folder))
    counts = collections.Counter(word for _, _, word, _ in rows)
    print("descriptors of", len(rows), "nodes:", dict(counts))
    for test, op_type, word, why in rows:
        if word == "differs" or arguments.verbose:
            print(f"| {test} | {op_type} | {word} | {why} |")
    return 1 if counts["differs"] or not counts["same"] else 0


if __name__ == "__main__":
    sys.exit(main())
