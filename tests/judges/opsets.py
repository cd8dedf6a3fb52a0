#!/usr/bin/env python3
"""Operators of ONNX in another opset: the same values, or a refusal that says why.

    opsets.py TENON [--only PATTERN] [--shared DIR] [--opsets 11,17,21] [--part N]

Each form of every operator (onnx_cases.py) is written in older and newer opsets
by `convert --opset`.  The result imports that opset, is valid, and gives on ONNX
Runtime what the original gives there.  What an opset cannot say is refused; how
often is counted for each opset, and what is refused on the way up is listed.
An operator for which the engine says that it has no kernel is counted apart, if
the engine says the same word for word of the original with nothing changed but
the opset: then no choice of the conversion brought this about.
--part N takes one of N models.
"""
import collections
import multiprocessing
import os
import sys
import tempfile

import numpy
import onnx
import onnx.helper
import onnx.numpy_helper

import onnx_versions
import proof
import sweep

REFUSALS = ("cannot be written in opset", "the result would be invalid")
STATES = ("passed", "refused", "no kernel")


class Bench(onnx_versions.Bench):
    opset = 0

    def prove(self, cases):
        feeds = onnx_versions.model_of(cases, self.path)
        want = self.engine.run(self.path, feeds)
        # Debian's checker reads no format after that of opset 18.
        back = self.back if self.opset <= 18 else self.back + ".newer"
        proof.convert(self.tenon, self.path, back, "--to", "onnx", "--opset",
                      str(self.opset))
        model = onnx.load(back)
        said = [row.version for row in model.opset_import if not row.domain]
        if said != [self.opset]:
            raise proof.Differs(f"opset {said}, not {self.opset}")
        got = self.engine.run(back, feeds)
        for name in want:
            proof.compare(name, got[name], want[name], 1e-5, 1e-6)
        return 1

    def state_of(self, case, result):
        """What a failure of one case alone means."""
        if any(words in result.reason for words in REFUSALS):
            return "refused"
        if sweep.NO_KERNEL.search(result.reason) and \
                result.reason == self.reason_of_moved(case):
            return "no kernel"
        return result.state

    def reason_of_moved(self, case):
        """What the engine says of the node as it is, under the opset asked for."""
        feeds = onnx_versions.model_of([case._replace(opset=self.opset)], self.path)
        try:
            self.engine.run(self.path, feeds)
            return None
        except proof.engines.EngineError as error:
            return proof.told(error)

    def results(self, cases):
        if not cases:
            return []
        result = proof.judged(lambda test: self.prove(cases), cases[0].name)
        if result.state == "passed":
            return [result._replace(test=case.name) for case in cases]
        if len(cases) == 1:
            return [result._replace(state=self.state_of(cases[0], result))]
        return sum(map(self.results, onnx_versions.halves(cases)), [])


def shard(groups, opsets, arguments):
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-opsets-") as scratch:
        bench, found = Bench(engine, scratch, arguments), []
        for cases in groups:
            left = bench.runs(cases)
            for bench.opset in opsets:
                found += [(bench.opset, cases[0].opset, result)
                          for result in bench.results(left)]
        return found


# --- layers whose batch comes first ------------------------------------------------

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer_of(op, weights, layout):
    """[2, 5, 3] is five steps of two sequences, or [5, 2, 3]."""
    states = ["h", "c"][:2 if op == "LSTM" else 1]
    outputs = ["Y", "Yh", "Yc"][:1 + len(states)]
    dims = {"x": [2, 5, 3] if layout else [5, 2, 3], **{s: [2, 2, 4] for s in states}}
    info = onnx.helper.make_tensor_value_info
    node = onnx.helper.make_node(op, ["x", "W", "R", "", "n", *states], outputs, direction="bidirectional",
                                 hidden_size=4, **({"layout": 1} if layout else {}))
    graph = onnx.helper.make_graph([node], "g", [info(k, 1, d) for k, d in dims.items()] + [info("n", 6, [2])],
                                   [info(o, 1, None) for o in outputs],
                                   [onnx.numpy_helper.from_array(a, k) for k, a in weights.items()])
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 14)], ir_version=7)


def turned(values, perm):
    return {k: v.transpose(perm[v.ndim]) if v.ndim > 1 else v for k, v in values.items()}


def hold_layout(op, tenon, engine, folder):
    random = numpy.random.default_rng(3)
    real = lambda *dims: random.standard_normal(dims).astype("float32")
    weights = {"W": real(2, GATES[op] * 4, 3), "R": real(2, GATES[op] * 4, 4)}
    first, second, back = (os.path.join(folder, name) for name in ("first.onnx", "second.onnx", "back.onnx"))
    onnx.save(layer_of(op, weights, 1), first)
    onnx.save(layer_of(op, weights, 0), second)
    feeds = {"x": real(2, 5, 3), "h": real(2, 2, 4), "n": numpy.array([5, 3], "int32")}
    if op == "LSTM":
        feeds["c"] = real(2, 2, 4)
    want = turned(engine.run(second, turned(feeds, {3: (1, 0, 2)})), {3: (1, 0, 2), 4: (2, 0, 1, 3)})
    proof.convert(tenon, first, back, "--to", "onnx", "--opset", "13")
    got = engine.run(back, feeds)
    for name in want:
        proof.compare(name, got[name], want[name], 1e-5, 1e-6)
    return 1


def wrong_layouts(tenon):
    with proof.engines.OnnxRuntime.find() as engine, tempfile.TemporaryDirectory() as folder:
        results = [proof.judged(lambda op: hold_layout(op, tenon, engine, folder), op) for op in GATES]
    return [(13, result) for result in results if result.state != "passed"]


def option(name, default):
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


def main():
    opsets = [int(word) for word in option("--opsets", "11,17,21").split(",")]
    part = int(option("--part", "1"))
    arguments = proof.parse(__doc__.splitlines()[0])
    proof.engines.OnnxRuntime.find()
    groups = list(onnx_versions.grouped(arguments.only, bool(arguments.only)))[::part]
    with multiprocessing.Pool(2) as pool:
        parts = pool.starmap(shard, [(groups[k::2], opsets, arguments) for k in range(2)])
    rows = sum(parts, [])
    counts = collections.Counter((to, row.state) for to, _, row in rows)
    for to in opsets:
        print(f"to opset {to}: {counts[to, 'passed']} the same, {counts[to, 'refused']} refused, "
              f"{counts[to, 'no kernel']} without a kernel")
    for to, of, row in rows:
        if row.state == "refused" and of <= to:
            print(f"refused on the way up: {row.test} to {to}: {row.reason}")
        if row.state == "no kernel":
            print(f"no kernel: {row.test} to {to}: {row.reason}")
    bad = [(to, row) for to, _, row in rows if row.state not in STATES]
    bad += wrong_layouts(arguments.tenon)
    for to, row in bad:
        print(f"wrong: {row.test} to {to}: {row.state}: {row.reason}")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
