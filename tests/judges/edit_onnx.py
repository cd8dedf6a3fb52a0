#!/usr/bin/env python3
"""Edited ONNX models are what the same edit with Python's onnx makes of them.

    edit_onnx.py TENON [--only PATTERN] [--shared DIR] [--rounds N]

The real models of ../shared: random names of inputs, outputs, weights, values and
nodes change, and attributes.  The result must be the message that onnx makes by
the same changes, field by field; it must be valid; and on ONNX Runtime it gives
what the original gives, by its new names.
"""
import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "engines"))
sys.dont_write_bytecode = True

try:
    import numpy
    import onnx
    import onnx.checker
except ImportError:
    print("skipped: wants Debian's python3-onnx")
    sys.exit(77)

import whole_models
from engine import EngineError, OnnxRuntime

ODD = ['{}', '{}.new', 'x/{}', '{} with blanks', '"{}"', '{}=', '#{}', 'ü{}',
       '{}\\n', '\t{}']


def quoted(word):
    text = "".join(f"\\x{byte:02x}" if byte < 32 or byte in b'"\\=' else chr(byte)
                   for byte in word.encode())
    return '"' + text.encode("latin-1").decode() + '"'


# ---- the same edits, on onnx's messages -------------------------------------

def graphs_inside(graph):
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield attribute.g
            yield from attribute.graphs


def defined(graph):
    names = {value.name for value in graph.input}
    names |= {tensor.name for tensor in graph.initializer}
    names |= {sparse.values.name for sparse in graph.sparse_initializer}
    for node in graph.node:
        names |= set(node.output)
    return names - {""}


def mentioned(graph):
    names = defined(graph) | {value.name for value in graph.output}
    for node in graph.node:
        names |= set(node.input)
    for inner in graphs_inside(graph):
        names |= mentioned(inner)
    return names


def rename(graph, names, top=True):
    if not top:
        own = defined(graph)
        names = {old: new for old, new in names.items() if old not in own}
    for node in graph.node:
        for list_ in (node.input, node.output):
            for i, name in enumerate(list_):
                list_[i] = names.get(name, name)
    for message in [*graph.input, *graph.output, *graph.value_info,
                    *graph.initializer]:
        message.name = names.get(message.name, message.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = names.get(sparse.values.name, sparse.values.name)
    for told in graph.quantization_annotation:
        told.tensor_name = names.get(told.tensor_name, told.tensor_name)
        for entry in told.quant_parameter_tensor_names:
            entry.value = names.get(entry.value, entry.value)
    for inner in graphs_inside(graph):
        rename(inner, names, False)


def without_empty(model):
    """Empty texts that are there or not say the same."""
    def clean(graph):
        for node in graph.node:
            for field in ("domain", "name", "doc_string"):
                if not getattr(node, field):
                    node.ClearField(field)
        if not graph.doc_string:
            graph.ClearField("doc_string")
        for inner in graphs_inside(graph):
            clean(inner)
    clean(model.graph)
    return model


# ---- one round --------------------------------------------------------------

class Round:
    def __init__(self, path, seed):
        self.random = random.Random(seed)
        self.model = onnx.load(path, load_external_data=False)
        self.lines, self.names = [], {}

    def pick(self, names, most):
        names = sorted(names)
        return self.random.sample(names, min(len(names), most))

    def rename_values(self):
        graph, taken = self.model.graph, mentioned(self.model.graph)
        chosen = (self.pick({v.name for v in graph.input}, 2) +
                  self.pick({v.name for v in graph.output}, 2) +
                  self.pick({t.name for t in graph.initializer}, 3) +
                  self.pick(defined(graph), 4))
        for old in dict.fromkeys(chosen):
            new = self.random.choice(ODD).format(f"v{len(self.names)}")
            if new in taken:
                continue
            self.names[old] = new
            self.lines.append(f"rename {quoted(old)}={quoted(new)}")
        inside = set().union(*map(mentioned, graphs_inside(graph)))
        weights = {tensor.name for tensor in graph.initializer}
        pair = self.pick((defined(graph) if self.random.random() < .5 else
                          weights) - set(self.names) - inside, 2)
        if len(pair) == 2:  # they change places
            self.names[pair[0]], self.names[pair[1]] = pair[1], pair[0]
            self.lines.append("rename " + " ".join(
                quoted(word) for word in (pair[0], pair[1], pair[1], pair[0])))
        rename(graph, self.names)

    def rename_nodes(self):
        for i in self.random.sample(range(len(self.model.graph.node)), 2):
            node = self.model.graph.node[i]
            new = self.random.choice(ODD).format(f"n{i}")
            self.lines.append(f"rename-node @{i} {quoted(new)}")
            node.name = new

    def change_attributes(self):
        nodes = [(i, node, attribute)
                 for i, node in enumerate(self.model.graph.node)
                 for attribute in node.attribute
                 if attribute.type in (1, 2, 3, 6, 7, 8)]
        for i, node, attribute in self.random.sample(nodes, min(3, len(nodes))):
            if self.random.random() < .3:
                self.lines.append(f"remove-attr @{i} {attribute.name}")
                node.attribute.remove(attribute)
                continue
            copy = onnx.AttributeProto(name=attribute.name, type=attribute.type)
            kind, field = {1: ("float", "f"), 2: ("int", "i"), 3: ("string", "s"),
                           6: ("floats", "floats"), 7: ("ints", "ints"),
                           8: ("strings", "strings")}[attribute.type]
            value = getattr(attribute, field)
            if attribute.type > 5:
                getattr(copy, field).extend([*value, *value])
                value = [*value, *value]
            else:
                value = value if attribute.type == 3 else value + 1
                setattr(copy, field, value)
                value = [value]
            words = [quoted(item.decode()) if isinstance(item, bytes) else
                     repr(float(numpy.float32(item))) if kind[0] == "f" else
                     str(item) for item in value]
            self.lines.append(" ".join(["set-attr", f"@{i}", attribute.name, kind,
                                        *words]))
            attribute.CopyFrom(copy)


def difference(got, want):
    for a, b in zip(str(got).split("\n"), str(want).split("\n")):
        if a != b:
            return f"{a.strip()} instead of {b.strip()}"
    return "more or less than expected"


def run_edit(command, path, out, lines, scratch):
    script = os.path.join(scratch, "script.edit")
    with open(script, "w") as file:
        file.write("\n".join(lines) + "\n")
    done = subprocess.run([command, "edit", path, "-o", out, "-f", "-q",
                           "--force-invalid", "--script", script],
                          capture_output=True, text=True)
    if done.returncode:
        return f"{done.stderr.strip()}\n" + "\n".join(lines)
    return None


def hold(command, path, seed, scratch):
    round_ = Round(path, seed)
    out = os.path.join(scratch, "out.onnx")
    round_.rename_nodes()
    round_.rename_values()
    runnable = list(round_.lines), dict(round_.names)
    round_.change_attributes()
    failure = run_edit(command, path, out, round_.lines, scratch)
    if failure:
        return failure, runnable
    got = without_empty(onnx.load(out, load_external_data=False))
    want = without_empty(round_.model)
    if got != want:
        return difference(got, want), runnable
    return None, runnable


def check(before, after):
    """The checker accepts it, if it accepts what it was made of."""
    try:
        onnx.checker.check_model(before)
    except onnx.checker.ValidationError:
        return
    onnx.checker.check_model(after)


def hold_run(command, engine, path, runnable, shared, scratch):
    lines, names = runnable
    out = os.path.join(scratch, "run.onnx")
    failure = run_edit(command, path, out, lines, scratch)
    if failure:
        return failure
    check(path, out)
    name = os.path.splitext(os.path.basename(path))[0]
    told = os.path.join(shared, "expected", name + ".run.tsv")
    if not os.path.exists(told):
        return None
    inputs = whole_models.Run(told).inputs
    try:
        want = engine.run(path, inputs)
    except EngineError as error:
        print(f"  {name}: the original does not run: {error}")
        return None
    got = engine.run(out, {names.get(k, k): v for k, v in inputs.items()})
    for key, array in want.items():
        other = got.get(names.get(key, key))
        if other is None or not numpy.array_equal(array, other,
                                                  equal_nan=array.dtype.kind == "f"):
            return f"output {key} differs"
    return None


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--only", default="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shared", default=os.environ.get(
        "TENON_TEST_DATA", os.path.join(here, "../../../shared/data")))
    arguments = parser.parse_args()
    shared = os.path.join(arguments.shared, "onnx")
    paths = sorted(glob.glob(os.path.join(shared, arguments.only + ".onnx")))
    if not paths:
        print("skipped: wants real models: onnx/*.onnx")
        sys.exit(77)
    failed = edits = ran = 0
    with OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory() as scratch:
        for path in paths:
            for seed in range(arguments.rounds):
                why, runnable = hold(arguments.command, path, seed, scratch)
                edits += 1
                if not why and seed == 0:
                    why = hold_run(arguments.command, engine, path, runnable,
                                   shared, scratch)
                    ran += 1
                if why:
                    failed += 1
                    print(f"{os.path.basename(path)}, seed {seed}: {why}")
    print(f"{edits} edits of {len(paths)} models, {ran} run, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
