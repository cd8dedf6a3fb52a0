#!/usr/bin/env python3
"""Simplified ONNX models have no more nodes than ONNX Runtime's basic level.

    simplify_floor.py TENON [--only PATTERN] [--shared DIR] [--part N] [--ops]

Every ONNX model of ../shared and of Debian's libonnx-testdata that the engine
loads: simplified by us and by the engine's own optimiser, nodes counted with
those of subgraphs and without Constants.  Outputs are held against those of the
original, on recorded inputs where there are some and on random ones.  The real
models also go to nd4j (.fb) and back: what comes back has at most a tenth more
nodes than the simplified original.  --part N takes one of N models of Debian's;
--ops says which operators are too many.
"""
import collections
import fnmatch
import glob
import os
import subprocess
import sys

import numpy

import onnx_suite
import proof
import simplified
import whole_models

DEBIAN = os.path.dirname(onnx_suite.SUITE)
SEED = 20240229

# Models in which the engine's own level leaves fewer nodes, and why.
EXCUSES = {
    "node/test_shape*": "an output that is a constant: we leave a node that "
                        "makes it, other readers expect one",
}

# How many more a model may have that went to nd4j and back.
MOST_BACK = 1.1

# Models that we cannot simplify, with what is in them.
REFUSED = {
    "node/test_if_opt": "a Constant that is an optional without a value",
    "node/test_loop16_seq_none": "an optional of sequences",
}


def operators(graph, counter):
    for node in graph.node:
        counter[node.op_type] += node.op_type != "Constant"
        for attribute in node.attribute:
            if attribute.HasField("g"):
                operators(attribute.g, counter)
    return +counter


def dims_of(tensor_type):
    return [dim.dim_value or 1 for dim in tensor_type.shape.dim]


def random_inputs(path):
    """As the graph declares them; open sizes are 1."""
    import onnx
    random = numpy.random.default_rng(SEED)
    graph = onnx.load(path, load_external_data=False).graph
    given = {tensor.name for tensor in graph.initializer}
    inputs = {}
    for end in graph.input:
        if end.name in given:
            continue
        tensor = end.type.tensor_type
        dtype = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE.get(tensor.elem_type)
        if dtype is None or dtype.kind not in "fiub":
            raise onnx_suite.NotRun
        array = random.uniform(0, 2, dims_of(tensor))
        inputs[end.name] = array.astype(dtype)
    return inputs


def recorded(path, shared):
    """Inputs of a .run.tsv or of a test of Debian's; None: there are none."""
    name = os.path.basename(path).removesuffix(".onnx")
    if name == "model":
        name = os.path.basename(os.path.dirname(path))
    run = os.path.join(shared, "data", "onnx", "expected", name + ".run.tsv")
    if os.path.exists(run):
        return whole_models.Run(run).inputs
    if not path.startswith(DEBIAN):
        return None
    import onnx
    graph = onnx.load(path).graph
    data = os.path.join(os.path.dirname(path), "test_data_set_0")
    given = {tensor.name for tensor in graph.initializer}
    files = [os.path.join(data, f"input_{index}.pb")
             for index in range(len(graph.input))]
    return {end.name: onnx_suite.tensor(file)
            for end, file in zip(graph.input, files)
            if os.path.exists(file) and end.name not in given}


def hold_outputs(path, back, engine, shared):
    """Whether there was anything to compare."""
    import google.protobuf.message
    try:
        inputs = recorded(path, shared)
        if inputs is None:
            inputs = random_inputs(path)
        want = engine.run(path, inputs, optimize="disabled")
    except (onnx_suite.NotRun, proof.engines.EngineError, OSError, ValueError,
            TypeError, google.protobuf.message.DecodeError):
        return False
    simplified.hold_outputs(engine.run(back, inputs, optimize="disabled"), want)
    return True


def way_back(path, scratch, arguments):
    """Nodes of the model that went to nd4j and back."""
    import onnx
    middle = os.path.join(scratch, "back.fb")
    back = os.path.join(scratch, "back.onnx")
    proof.convert(arguments.tenon, path, middle, "--fold", "all")
    proof.convert(arguments.tenon, middle, back, "--fold", "all")
    return simplified.count(onnx.load(back, load_external_data=False).graph)


def prove(test, engine, scratch, arguments):
    import onnx
    path = test if os.path.isabs(test) else \
        os.path.join(arguments.shared, "data", test)
    if test.removeprefix(DEBIAN + "/").removesuffix("/model.onnx") in REFUSED:
        return "not run"
    floor = os.path.join(scratch, "floor.onnx")
    back = os.path.join(scratch, "back.onnx")
    if os.path.exists(floor):
        os.remove(floor)
    try:
        engine.optimize(path, floor)
        low = onnx.load(floor, load_external_data=False).graph
    except (proof.engines.EngineError, OSError):
        return "not run"
    done = subprocess.run([arguments.tenon, "simplify", "--quiet", "--force",
                           path, "-o", back], text=True, check=False,
                          capture_output=True)
    if done.returncode:
        if "cannot be simplified, only those from 7 on" in done.stderr:
            return "not run"
        raise proof.Differs(done.stderr)
    proof.valid(arguments.tenon, back, ())
    ours = onnx.load(back, load_external_data=False).graph
    was = onnx.load(path, load_external_data=False).graph
    if simplified.ends(was) != simplified.ends(ours):
        raise proof.Differs(f"{simplified.ends(ours)}, not {simplified.ends(was)}")
    if not hold_outputs(path, back, engine, arguments.shared) and arguments.ops:
        print(f"{test}: outputs not compared")
    more = operators(ours, collections.Counter())
    more.subtract(operators(low, collections.Counter()))
    rest = " ".join(f"{op}{number:+}" for op, number in more.most_common()
                    if number)
    again = way_back(path, scratch, arguments) if test.startswith("onnx/") \
        and "/pairs/" not in test else None
    return (simplified.count(was), simplified.count(ours), simplified.count(low),
            again, rest)


def models(arguments, part):
    found = sorted(glob.glob(os.path.join(arguments.shared, "data", "**",
                                          "*.onnx"), recursive=True))
    tests = [os.path.relpath(path, os.path.join(arguments.shared, "data"))
             for path in found if "/reports/" not in path]
    return tests + sorted(glob.glob(os.path.join(DEBIAN, "*", "*",
                                                 "model.onnx")))[::part]


def main():
    part = 1
    if "--part" in sys.argv:
        at = sys.argv.index("--part")
        part = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    has_ops = "--ops" in sys.argv
    if has_ops:
        sys.argv.remove("--ops")
    arguments = proof.parse(__doc__.splitlines()[0])
    arguments.ops = has_ops
    results = proof.run(prove, models(arguments, part), arguments)
    ran = [result for result in results if result.ops != "not run"]
    wrong = [result for result in ran if result.state != "passed"]
    rows, larger = [], 0
    for result in ran:
        if result.state != "passed":
            print(f"{result.test}: {result.state}: {result.reason}")
            continue
        before, ours, low, again, rest = result.ops
        name = result.test.removeprefix(DEBIAN + "/")
        reasons = [why for pattern, why in EXCUSES.items()
                   if ours > low and fnmatch.fnmatch(name, pattern)]
        larger += ours > low and not reasons
        larger += bool(again) and again > MOST_BACK * ours
        if ours > low or not os.path.isabs(result.test):
            rows.append(f"| {name} | {before} | {ours} | {low} | {again or ''} "
                        f"| {'; '.join(reasons)} |")
            print(rows[-1] + (f" {rest}" if has_ops else ""))
    print(f"{len(ran)} models, {larger} with more nodes than they may have, "
          f"{len(wrong)} wrong")
    changed = told(rows, arguments) if arguments.report else []
    print("\n".join(changed))
    return 1 if wrong or larger or changed or not ran else 0


def numbers(row):
    """Its model, and how many nodes we leave, at once and after a way back."""
    words = [word.strip() for word in row.split("|")]
    return words[1], [int(word or 0) for word in (words[3], words[5])]


def told(rows, arguments):
    """Rows that are worse than those of docs/conformance.md."""
    report = proof.Report(arguments.report, "simplified")
    if arguments.update:
        head = ("\n| model | nodes | simplified | ONNX Runtime's basic level | to "
                "nd4j and back | |\n|---|---|---|---|---|---|\n")
        report.update(head + "\n".join(rows) + "\n\n")
    said = dict(numbers(row) for row in report.parts()[1].splitlines()
                if row.startswith("| ") and not row.startswith("| model"))
    return [f"more than {said[name]}: {row}" for row in rows
            for name, now in [numbers(row)]
            if name in said and any(a > b for a, b in zip(now, said[name]))]


if __name__ == "__main__":
    sys.exit(main())
