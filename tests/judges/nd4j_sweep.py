#!/usr/bin/env python3
"""Every operator of SameDiff in every way: judges/nd4j_eval.py, and nd4j (.fb) -> onnx -> ONNX Runtime.

    nd4j_sweep.py TENON [--only OPS] [--slice N] [--report FILE [--update]] [--shared DIR] [--dropped] [--open]

The cases are made by nd4j_ways.py; verdicts and their table: sweep.py.  A case is
put into a .fb by a rule of its own.  What libnd4j refuses, or gives another result
of from release to release, is no case: --dropped lists them.  --open names the
dimensions of what is fed instead of giving their sizes, so that rules that need a
size must refuse, or do without.  An operator that the
rules from nd4j take and that has none fails the run.
"""
import multiprocessing
import os
import sys
import tempfile

import nd4j_ways as ways
import numpy as np
import proof
import sweep
from sweep_reasons import ELSEWHERE
from vocabularies import ruled

TOLERANCE = {"float16": 2e-2, "float32": 2e-4, "float64": 1e-6}
SHORT = 6e-2  # of bfloat16
# What the evaluator says of each case, by its name: arrays, or None where it does
# not know the operator.
SAID = {}


# --- the file ---------------------------------------------------------------------------------

def dims_of(name, array, is_open):
    """Names instead of sizes, a name for each."""
    return [f"{name}_d{at}" for at in range(array.ndim)] if is_open else array.shape


def write_source(cases, path, is_open):
    """One operator of the test's own per case, and the rules that make the calls of them."""
    import onnx
    from onnx import helper
    nodes, ends, outs, feeds, rules = [], [], [], {}, ["rules onnx -> nd4j 1"]
    for number, case in enumerate(cases):
        fed = {f"x{at}": given.array for at, given in enumerate(case.inputs) if not given.is_fixed}
        inputs = [f"c{number}_{name}" for name in fed]
        outputs = [f"c{number}_y{at}" for at in range(case.outputs)]
        feeds.update(zip(inputs, fed.values()))
        rules.append(rule_of(number, case, fed))
        nodes.append(helper.make_node(f"Call{number}", inputs, outputs, name=f"call{number}", domain="test"))
        outs += [onnx.ValueInfoProto(name=name) for name in outputs]
        ends += [helper.make_tensor_value_info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], dims_of(name, array, is_open))
                 for name, array in zip(inputs, fed.values())]
    graph = helper.make_graph(nodes, "g", ends, outs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("test", 1)]), path + ".onnx")
    with open(path + ".rules", "w", encoding="utf-8") as file:
        file.write("\n".join(rules) + "\n")
    return feeds


def rule_of(number, case, fed):
    """Numbers that nobody else can read go in and out as others."""
    made = [f"y{at}" for at in range(case.outputs)]
    lines = [f"    {', '.join(made)} <- {ways.call(case)}"]
    if ways.is_short(case):
        inner = [f"t{at}" for at in range(case.outputs)]
        lines = [f"    {', '.join(inner)} <- {ways.call(case)}"] + [f"    {out} <- cast({name}; dtype: float32)" for out, name in zip(made, inner)]
    return "\n".join([f"test::Call{number}({', '.join(fed)}) -> ({', '.join(made)}) {{", *lines, "}"])


def write_graph(cases, path, arguments):
    feeds = write_source(cases, path, arguments.open)
    proof.convert(arguments.tenon, path + ".onnx", path + ".fb", "--rules", path + ".rules")
    return feeds


# --- the evaluator ------------------------------------------------------------------------------

def remarks_of(judge):
    """Hears of results that are not the same in every release."""
    class Remarks(judge.Remarks):
        def __init__(self):
            super().__init__(False, False, True)
            self.hazards = []

        def say(self, kind, text):
            if kind == "hazard":
                self.hazards.append(text)
    return Remarks()


def said_of(judge, graph, feeds, number, case):
    """Arrays; None where it does not know the operator; why it is no case."""
    names = [f"c{number}_y{at}" for at in range(case.outputs)]
    graph.remarks.hazards.clear()
    with np.errstate(all="ignore"):
        try:
            mine = {name: array for name, array in feeds.items() if name.startswith(f"c{number}_")}
            got = graph.run(judge.match_feeds(graph, mine), names, skip_dead=False)
        except judge.Unsupported as error:
            return None if case.want else f"unsupported: {error}"
        except Exception as error:  # whatever numpy says of arguments that do not fit
            return str(error)
    return graph.remarks.hazards[0] if graph.remarks.hazards else [np.asarray(got[name]) for name in names]


def judged(cases, scratch, arguments):
    """What the evaluator says of each of the cases, by name."""
    judge, path = proof.Nd4j.find(arguments.shared).judge, os.path.join(scratch, "model")
    try:
        feeds = write_graph(cases, path, arguments)
    except proof.Unmapped as error:
        if len(cases) == 1:
            return {cases[0].name: f"cannot be written: {proof.told(error)}"}
        half = len(cases) // 2
        return {**judged(cases[:half], scratch, arguments), **judged(cases[half:], scratch, arguments)}
    with open(path + ".fb", "rb") as file:
        graph = judge.Graph(memoryview(file.read()), remarks_of(judge))
    return {case.name: said_of(judge, graph, feeds, number, case) for number, case in enumerate(cases)}


def judged_shard(part, jobs, arguments):
    made, chosen = {}, sweep.CHOSEN
    chunks = [chosen[i:i + sweep.TOGETHER] for i in range(0, len(chosen), sweep.TOGETHER)]
    with tempfile.TemporaryDirectory(prefix="tenon-sweep-") as scratch:
        for chunk in chunks[part::jobs]:
            made.update(judged(chunk, scratch, arguments))
    converter = proof.Converter.of(arguments.tenon, os.getpid())
    if converter:
        converter.stop()
    return made


def programs(arguments, jobs=2):
    """The cases of this run that libnd4j takes; what it says goes to SAID."""
    sweep.CHOSEN[:] = sweep.chosen_cases(ways.all_cases(), arguments)
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        for part in pool.starmap(judged_shard, [(part, jobs, arguments) for part in range(jobs)]):
            SAID.update(part)
    if arguments.dropped:
        print("\n".join(f"{case.name}: {ways.call(case)[:150]}: {SAID[case.name]}" for case in sweep.CHOSEN if isinstance(SAID[case.name], str)))
    return [case for case in sweep.CHOSEN if not isinstance(SAID[case.name], str)]


# --- comparing -----------------------------------------------------------------------------------

def tolerance_of(case, array):
    if ways.is_short(case):
        return SHORT
    if "conv" in case.op and array.dtype == np.float64:  # ONNX Runtime has them in float32 alone
        return TOLERANCE["float32"]
    return max([TOLERANCE.get(kind, 0) for kind in (array.dtype.name, *(given.array.dtype.name for given in case.inputs))])


def hold(case, got, want):
    for found, array in zip(got, want):
        array, found = np.asarray(array), np.asarray(found)
        if ways.is_short(case):
            array, found = array.astype("f4"), found.astype("f4")
        if case.is_loose:
            array, found = array * 0, found * 0
        tolerance = tolerance_of(case, array)
        proof.compare("output", found, array, tolerance, tolerance)


def hold_factors(case, got):
    """Vectors may point both ways: what they make together is held."""
    x = case.inputs[0].array.astype("f8")
    tolerance = tolerance_of(case, got[0])
    if case.op == "qr":
        q, r = (np.asarray(a, "f8") for a in got)
        right, upper = q @ r, np.tril(r, -1) * 0 == np.tril(r, -1)
        if not upper.all():
            raise proof.Differs("R is not upper triangular")
    else:
        s, q, v = (np.asarray(a, "f8") for a in got)
        n = s.shape[-1]
        right = (q[..., :n] * s[..., None, :]) @ np.swapaxes(v[..., :n], -1, -2)
    proof.compare("product", right, x, tolerance * 5, tolerance * 5)
    proof.compare("turned", np.swapaxes(q, -1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2), tolerance * 5, tolerance * 5)


def expected(case):
    """By the case's own expression, else by the evaluator."""
    if not case.want:
        return SAID[case.name]
    made = case.want(*(given.array.copy() for given in case.inputs))
    return made if isinstance(made, tuple) else (made,)


def differs(case, got):
    """How the outputs differ from what they must be; None: not at all."""
    try:
        want = expected(case)
        if case.op in ("qr", "svd") and case.outputs > 1:
            for found, array in zip(got, want):
                proof.compare("output", np.asarray(found) * 0, np.asarray(array) * 0, 0, 0)
            hold_factors(case, got)
            want = want[:1] if case.op == "svd" else []
        hold(case, got, want)
    except proof.Differs as error:
        return f"{error}: {ways.call(case)} of {[f'{g.kind}{list(g.array.shape)}' for g in case.inputs]}"
    return None


def travel(cases, engine, scratch, arguments):
    """The cases that came out wrong, and how."""
    path, failures = os.path.join(scratch, "model"), {}
    feeds = write_graph(cases, path, arguments)
    for case in cases:
        why = case.want and SAID[case.name] and not case.is_loose and differs(case, SAID[case.name])
        if why:
            failures[case.name] = f"nd4j_eval: {why}"
    proof.convert(arguments.tenon, path + ".fb", path + ".back.onnx")
    got = engine.run(path + ".back.onnx", feeds, optimize="disabled")
    for number, case in enumerate(cases):
        why = differs(case, [got[f"c{number}_y{at}"] for at in range(case.outputs)])
        if why:
            failures.setdefault(case.name, why)
    return failures


def uncovered(cases):
    have = {case.op for case in cases}
    for op in sorted(ruled("nd4j_onnx.rules") - have - set(ELSEWHERE["nd4j"])):
        yield f"{op}: no case"
    for op in sorted(set(ELSEWHERE["nd4j"]) & have):
        yield f"{op}: is said to be elsewhere, and has cases"


def main():
    arguments = sweep.parse(__doc__.splitlines()[0], "--dropped", "--open")
    if not proof.Nd4j.find(arguments.shared):
        print("skipped: wants real models: the evaluator of libnd4j beside them")
        return 77
    cases = programs(arguments)
    verdicts = sweep.run(cases, travel, arguments)
    missing = [] if arguments.only else list(uncovered(ways.all_cases() if arguments.slice else cases))
    known = None if arguments.slice else cases
    return sweep.conclude("nd4j, swept", "nd4j sweep", known, verdicts, missing, arguments)


if __name__ == "__main__":
    sys.exit(main())
