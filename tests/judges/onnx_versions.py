#!/usr/bin/env python3
"""Operators of ONNX in the forms of all opsets: onnx -> nd4j (.fb) -> onnx.

    onnx_versions.py TENON [--only PATTERN] [--shared DIR]

What comes back must compute in ONNX Runtime what the original does there.  The
nodes of an opset are one model; when that fails each of them is tried alone.
Without a pattern a form is tried in the first and the last opset that has it.
What ONNX Runtime does not run as it stands is left out.  REFUSED are those that
nothing of nd4j can say; they must be refused.
"""
import fnmatch
import multiprocessing
import os
import sys
import tempfile

import onnx_cases
import proof

RELATIVE, ABSOLUTE = 1e-3, 1e-4
TOGETHER = 40
# Also: what is fed is of any number of rows, or of any sizes.
HOW = os.environ.get("TN_OPS", "")

# Cases, and words of the refusal.
REFUSED = {
    "Cast-*-text*": "converts between strings and numbers",
    "Cast-*-to-text": "converts between strings and numbers",
    "RegexFullMatch-*": "no regular expressions",
    "Resize-*-antialias": "antialias must be 0",
    "RoiAlign-*-ratio0": "sampling_ratio must be greater than 0",
    "StringConcat-*": "no kernel that joins strings",
    "StringSplit-*": "only into sparse arrays",
}


def refusal_of(case):
    for pattern, words in REFUSED.items():
        if fnmatch.fnmatch(case.name, pattern):
            return words
    return None


def known_dims(array, case, name):
    """What an input tells of its dims: a name for each that nobody knows."""
    how = case.opens or HOW
    return [f"{name}_{at}" if how == "sizes" or (how == "open" and at == 0) else size
            for at, size in enumerate(array.shape)]


def model_of(cases, path):
    import onnx
    from onnx import helper, numpy_helper
    nodes, ends, kept, feeds, outs = [], [], [], {}, []
    for index, case in enumerate(cases):
        names = []
        for at, item in enumerate(case.inputs):
            name = f"{index}_{at}"
            if item is None:
                name = ""
            elif isinstance(item, onnx_cases.fixed):
                kept.append(numpy_helper.from_array(item.array, name))
            else:
                item = item.astype(object) if item.dtype.kind == "U" else item
                feeds[name] = item
                kind = 8 if item.dtype == object else \
                    onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[item.dtype]
                ends.append(helper.make_tensor_value_info(
                    name, kind, known_dims(item, case, name)))
            names.append(name)
        made = [f"{index}_out{at}" for at in range(case.outputs)]
        outs += made
        nodes.append(helper.make_node(case.op, names, made,
                                      name=f"node{index}", **case.attributes))
    graph = helper.make_graph(nodes, "g", ends,
                              [onnx.ValueInfoProto(name=name) for name in outs],
                              kept)
    model = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", cases[0].opset)])
    model.ir_version = 8 if cases[0].opset < 19 else 10
    onnx.save(model, path)
    return feeds


def outputs_of(cases, index):
    return [f"{index}_out{at}" for at in range(cases[index].outputs)]


class Bench:
    """Where cases are tried, as one model or alone."""

    def __init__(self, engine, scratch, arguments):
        self.engine, self.tenon = engine, arguments.tenon
        self.judge = proof.Nd4j.find(arguments.shared)
        self.path, self.middle, self.back = (
            os.path.join(scratch, name)
            for name in ("model.onnx", "model.fb", "back.onnx"))

    def runs(self, cases):
        """Those of which the engine can say anything."""
        try:
            self.engine.run(self.path, model_of(cases, self.path))
            return cases
        except proof.engines.EngineError:
            return sum(map(self.runs, halves(cases)), [])

    def prove(self, cases):
        feeds = model_of(cases, self.path)
        want = self.engine.run(self.path, feeds)
        proof.convert(self.tenon, self.path, self.middle)
        proof.convert(self.tenon, self.middle, self.back)
        got = self.engine.run(self.back, feeds)
        graph = self.judge.load(self.middle) if self.judge else None
        for index in range(len(cases)):
            names = outputs_of(cases, index)
            said = self.judge.run(self.middle, feeds, names, graph) \
                if self.judge else None
            for outputs in (got, said) if said is not None else (got,):
                for name in names:
                    proof.compare(name, outputs[name], want[name], RELATIVE,
                                  ABSOLUTE)
        return 1

    def refuse(self, case, words):
        model_of([case], self.path)
        try:
            proof.convert(self.tenon, self.path, self.middle)
        except proof.Unmapped as error:
            if words in str(error):
                return 1
            raise
        raise proof.Differs("it is not refused")

    def results(self, cases):
        """All together; when that fails, each half."""
        if not cases:
            return []
        if len(cases) == 1 and refusal_of(cases[0]):
            return [proof.judged(lambda test: self.refuse(
                cases[0], refusal_of(cases[0])), cases[0].name)]
        result = proof.judged(lambda test: self.prove(cases), cases[0].name)
        if result.state == "passed":
            return [result._replace(test=case.name) for case in cases]
        if len(cases) == 1:
            return [result]
        return sum(map(self.results, halves(cases)), [])


def halves(cases):
    middle = len(cases) // 2
    return [cases[:middle], cases[middle:]] if middle else []


def shard(groups, arguments):
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-versions-") as scratch:
        bench = Bench(engine, scratch, arguments)
        found = []
        for cases in groups:
            left = bench.runs(cases)
            found += bench.results(left)
            found += [proof.Result(case.name, "not run", "", 0)
                      for case in cases if case not in left]
        return found


def grouped(pattern, is_all):
    """Cases of one opset, not too many at once."""
    chosen = [case for case in onnx_cases.CASES
              if fnmatch.fnmatch(case.name, pattern or "*")]
    yield from ([case] for case in chosen if refusal_of(case))
    chosen = [case for case in chosen if not refusal_of(case)]
    chosen = [case for case in chosen if is_all or case.is_edge]
    for opset in sorted({case.opset for case in chosen}):
        cases = [case for case in chosen if case.opset == opset]
        for first in range(0, len(cases), TOGETHER):
            yield cases[first:first + TOGETHER]


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    proof.engines.OnnxRuntime.find()
    groups = list(grouped(arguments.only, bool(arguments.only)))
    with multiprocessing.Pool(2) as pool:
        parts = pool.starmap(shard, [(groups[k::2], arguments)
                                     for k in range(2)])
    results = sorted(sum(parts, []))
    print(proof.summary("operators in all versions", results)[0])
    print("not run:", *(r.test for r in results if r.state == "not run"))
    bad = [result for result in results
           if result.state not in ("passed", "not run")]
    print(proof.table(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
