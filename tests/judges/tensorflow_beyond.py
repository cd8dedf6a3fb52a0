#!/usr/bin/env python3
"""What TensorFlow has and nd4j has not: tensorflow -> onnx -> ONNX Runtime.

    tensorflow_beyond.py TENON [--only PATTERN] [--shared DIR]

Quantised numbers, tables and strings, sounds, numbers by chance.  A case is a small graph with what
is fed and what must come out, as numpy says (quantized_cases.py, string_cases.py,
audio_cases.py, chance_cases.py: written from what the kernels of TensorFlow are documented to do,
not from our rules); or the words of a refusal.
"""
import collections
import fnmatch
import os
import re
import sys
import tempfile

import graphdef
import numpy as np
import proof

FAILURES = (proof.Unmapped, proof.Differs, proof.engines.EngineError)


class Case:
    """One graph.  `nodes`: how often the result has an operator, at least; 0: not at all."""

    def __init__(self, name, options=(), near=1e-6, refuses=None, nodes=None):
        self.name, self.options, self.near = name, list(options), near
        self.refuses, self.nodes = refuses, nodes or {}
        self.graph, self.feeds, self.wants = graphdef.Graph(), {}, {}
        self.holds = {}  # of outputs that are drawn by chance: what holds of the array
        self.folder = None  # a model that exists, instead of the graph

    def feed(self, name, array, dtype=None, dims="its own"):
        self.graph.placeholder(name, array, dims)
        if dtype:
            self.graph.proto.node[-1].attr["dtype"].type = graphdef.TYPES[dtype]
        self.feeds[name] = array
        return name

    def constant(self, name, array, dtype=None):
        return self.graph.constant(name, np.asarray(array), dtype)

    def add(self, op, name, inputs, **attrs):
        self.graph.add(op, name, inputs, attrs)
        return name

    @staticmethod
    def type(name):
        return graphdef.TYPES[name]

    @staticmethod
    def graph_at(path):
        graph = graphdef.schema().GraphDef()
        with open(path, "rb") as file:
            graph.ParseFromString(file.read())
        return graph

    def want(self, name, array):
        self.wants[name if ":" in name else name + ":0"] = np.asarray(array)
        return self


def count_nodes(case, path):
    import onnx
    found = collections.Counter(node.op_type for node in onnx.load(path).graph.node)
    for op, least in case.nodes.items():
        if found[op] < least or (not least and found[op]):
            raise proof.Differs(f"{found[op]} nodes {op}, wanted {least or 'none'}")


def hold(case, got):
    for name, want in case.wants.items():
        if name not in got:
            raise proof.Differs(f"no output '{name}'")
        near = case.near if want.dtype.kind == "f" else 0
        proof.compare(name, got[name], want, near, near)


def check(case, got):
    for name, holds in case.holds.items():
        if not holds(got[name]):
            raise proof.Differs(f"{name}: {got[name].dtype}{got[name].shape}, {got[name].min()} to {got[name].max()}, mean {got[name].mean()}")


def alone(case, name, want, engine, scratch, tenon):
    """One of several outputs of a node, the others unused."""
    source, back = os.path.join(scratch, "model.pb"), os.path.join(scratch, "model.onnx")
    proof.convert_directly(tenon, source, back, "--outputs", name, *(["--inputs", ",".join(case.feeds)] if case.feeds else []), *case.options)
    near = case.near if want.dtype.kind == "f" else 0
    proof.compare(f"{name} alone", engine.run(back, case.feeds, optimize="disabled")[name], want, near, near)


def paste(refusal, case, source, back, tenon):
    """Where it says how to begin, that works."""
    told = re.search(r"--inputs (\S+)$", refusal)
    if told:
        ends = ["--outputs", ",".join([*case.wants, *case.holds])] if case.wants or case.holds else []
        proof.convert_directly(tenon, source, back, "--inputs", told[1], *ends, *case.options)


def prove(case, engine, scratch, tenon):
    source, back = case.folder or os.path.join(scratch, "model.pb"), os.path.join(scratch, "model.onnx")
    ends = []
    if not case.folder:
        case.graph.write(source)
        ends = ["--outputs", ",".join([*case.wants, *case.holds])]
        ends += ["--inputs", ",".join(case.feeds)] if case.feeds else []
    try:
        proof.convert_directly(tenon, source, back, *ends, *case.options)
    except proof.Unmapped as error:
        if not case.refuses or case.refuses not in str(error):
            raise
        paste(str(error), case, source, back, tenon)
        return
    if case.refuses:
        raise proof.Differs("it was converted")
    got = engine.run(back, case.feeds, optimize="disabled")
    hold(case, got)
    check(case, got)
    count_nodes(case, back)
    nodes = [name.rsplit(":", 1)[0] for name in case.wants]
    for name, want in case.wants.items() if len(set(nodes)) < len(nodes) else ():
        alone(case, name, want, engine, scratch, tenon)


def main():
    import audio_cases
    import chance_cases
    import quantized_cases
    import string_cases
    arguments = proof.parse(__doc__.splitlines()[0])
    count = failed = 0
    with proof.engines.OnnxRuntime.find() as engine, tempfile.TemporaryDirectory(prefix="tenon-beyond-") as scratch:
        for module in (quantized_cases, string_cases, audio_cases, chance_cases):
            for case in module.cases(Case, arguments.shared, scratch):
                if not fnmatch.fnmatch(case.name, arguments.only or "*"):
                    continue
                count += 1
                try:
                    prove(case, engine, scratch, arguments.tenon)
                except FAILURES as error:
                    failed += 1
                    print(f"{case.name}: {proof.told(error)}")
    print(f"What nd4j has not: {count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
