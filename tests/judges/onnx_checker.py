#!/usr/bin/python3
"""`tenon check` against the reference checker: the same models pass and fail.

    onnx_checker.py TENON [MODEL FOLDER]

Takes every model of Debian's libonnx-testdata as it is, and each once more with
one thing broken (which one follows from its name), and compares the verdicts.
Exits 77 when python3-onnx or the models are missing.
"""
import copy
import glob
import json
import os
import subprocess
import sys
import tempfile
import zlib

try:
    import onnx
    from onnx import checker, helper
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

DATA = "/usr/share/libonnx-testdata/data"

# What we refuse and the reference of this release lets pass, and why.
KNOWN = {
    "dangling-output": "an output that no node of its graph makes: the "
                       "reference takes the name from a subgraph",
}

# What the reference does not look at.  A model as it is must not have them.
NOT_SEEN = {
    "argument-count": "the reference does not count the ends of subgraphs; its "
                      "shape inference does (onnx_bodies.py)",
    "type-mismatch": "the reference does not compare element types",
    "type-not-allowed": "the reference does not compare element types",
    "rank-mismatch": "the reference does not compare ranks",
    "rank-not-allowed": "the reference does not compare ranks",
    "bad-axis": "the reference does not look at axes (onnx_sizes.py)",
    "wrong-length": "the reference does not count lists (onnx_sizes.py)",
    "size-mismatch": "the reference does not compare sizes (onnx_sizes.py)",
    "declared-size": "the reference does not compare sizes (onnx_mutants.py)",
}


def breakages():
    """name -> function that breaks a model, or returns False."""

    def node_of(model):
        nodes = [n for n in model.graph.node if n.domain in ("", "ai.onnx")]
        return nodes[zlib.crc32(model.graph.name.encode()) % len(nodes)] \
            if nodes else None

    def unknown_op(model, node):
        node.op_type += "Zz"

    def one_input_more(model, node):
        node.input.append(node.input[0] if node.input else "")

    def many_inputs_more(model, node):
        if not node.input:
            return False
        node.input.extend([node.input[0]] * 9)

    def one_input_less(model, node):
        if not node.input:
            return False
        del node.input[-1]

    def first_input_empty(model, node):
        if not node.input:
            return False
        node.input[0] = ""

    def one_output_more(model, node):
        node.output.append("surplus_output")

    def first_output_empty(model, node):
        node.output[0] = ""

    def unknown_attribute(model, node):
        node.attribute.append(helper.make_attribute("surplus", 1))

    def free_attribute(model, node):
        node.attribute.append(helper.make_attribute("__surplus", 1))

    def no_attributes(model, node):
        if not node.attribute:
            return False
        del node.attribute[:]

    def other_type(model, node):
        if not node.attribute:
            return False
        attribute = node.attribute[0]
        value = 1.5 if attribute.type == onnx.AttributeProto.INT else 1
        attribute.CopyFrom(helper.make_attribute(attribute.name, value))

    def older(model, node):
        for opset in model.opset_import:
            opset.version = max(1, opset.version - 6)

    def oldest(model, node):
        for opset in model.opset_import:
            opset.version = 1

    def vendor(model, node):
        node.domain = "com.example"
        model.opset_import.append(helper.make_opsetid("com.example", 1))

    def training(model, node):
        node.domain = "ai.onnx.training"
        model.opset_import.append(helper.make_opsetid("ai.onnx.training", 1))

    def preview(model, node):
        node.domain = "ai.onnx.preview.training"
        model.opset_import.append(
            helper.make_opsetid("ai.onnx.preview.training", 1))

    def legacy(model, node):
        node.op_type = "Affine"

    return [(f.__name__, node_of, f) for f in (
        unknown_op, one_input_more, many_inputs_more, one_input_less,
        first_input_empty, one_output_more, first_output_empty,
        unknown_attribute, free_attribute, no_attributes, other_type, older,
        oldest, vendor, training, preview, legacy)]


def variants(path, ways):
    """The model, and two broken ones; which follows from its name."""
    with open(path, "rb") as file:
        model = onnx.ModelProto.FromString(file.read())
    yield "as it is", model
    start = zlib.crc32(path.encode())
    for k in range(2):
        name, choose, break_it = ways[(start + k * 7) % len(ways)]
        broken = copy.deepcopy(model)
        node = choose(broken)
        if node is not None and break_it(broken, node) is not False:
            yield name, broken


def reference(path):
    try:
        checker.check_model(path)
    except Exception as problem:  # several classes, by what went wrong
        lines = [line for line in str(problem).split("\n") if line.strip()]
        return lines[0] if lines else "refused"
    return None


def ours(tenon, paths):
    run = subprocess.run([tenon, "check", "--json"] + paths,
                         stdout=subprocess.PIPE, check=False)
    return {file["path"]: file for file in json.loads(run.stdout)["files"]}


def explain(errors, theirs, is_broken):
    """Why two verdicts may differ; None: they may not."""
    known = {**KNOWN, **NOT_SEEN} if is_broken else KNOWN
    if theirs is None and all(e["rule"] in known for e in errors):
        return known[errors[0]["rule"]]
    return None


def main():
    tenon = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else DATA
    models = sorted(glob.glob(folder + "/**/*.onnx", recursive=True))
    if not models:
        print("no models in %s" % folder)
        return 77
    ways, counts, bad = breakages(), {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        made = []
        for number, path in enumerate(models):
            for name, model in variants(path, ways):
                to = os.path.join(scratch, "%d-%s.onnx" % (
                    number, name.replace(" ", "-")))
                with open(to, "wb") as file:
                    file.write(model.SerializeToString())
                made.append((to, path, name))
        verdicts = {}
        for i in range(0, len(made), 200):
            verdicts.update(ours(tenon, [m[0] for m in made[i:i + 200]]))
        for to, path, name in made:
            theirs = reference(to)
            errors = [f for f in verdicts[to]["findings"]
                      if f["severity"] == "error"]
            tally = counts.setdefault(name, [0, 0])
            tally[1 if theirs else 0] += 1
            if bool(errors) == bool(theirs):
                continue
            reason = explain(errors, theirs, name != "as it is")
            bad += reason is None
            print("%s, %s: we say %s, the reference says %s%s" % (
                os.path.relpath(path, folder), name,
                errors[0]["rule"] + ": " + errors[0]["what"]
                if errors else "ok", theirs or "ok",
                "; known: " + reason if reason else ""))
    for name, (good, refused) in counts.items():
        print("%-20s %5d accepted %5d refused" % (name, good, refused))
    print("%d models, %d verdicts differ without a reason" % (len(made), bad))
    return 1 if bad else 0


sys.exit(main())
