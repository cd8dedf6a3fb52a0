#!/usr/bin/env python3
"""Operators of TensorFlow one by one: tensorflow -> nd4j (.fb) -> onnx -> ONNX Runtime.

    tensorflow_ops.py TENON [--only PATTERN,...] [--shared DIR]

Each row of the table is a graph of one operator with its attributes, and what
numpy says of it.  Rows go together in graphs; when a graph fails, each of its
rows goes alone.  The .fb files also run on the evaluator of libnd4j's
semantics, for the ops that it covers.
"""
import fnmatch
import multiprocessing
import os
import subprocess
import sys
import tempfile

import graphdef
import proof
from tensorflow_table import CASES as THROUGH_ND4J, DIRECT

FAILURES = (proof.Unmapped, proof.Differs, proof.engines.EngineError,
            subprocess.TimeoutExpired)
# Also: what is fed are constants, of any number of rows, any sizes, or any rank;
# direct: without nd4j, by rules/tensorflow_onnx.rules alone.
HOW = {way: way in os.environ.get("TN_OPS", "")
       for way in ("fixed", "open", "sizes", "rank", "direct")}
TOGETHER = 48
CASES = {**THROUGH_ND4J, **DIRECT}
# What floats lose on the way, relative and absolute.
TOLERANCE = {"float16": (2e-3, 1e-3), "float32": (1e-4, 1e-5),
             "float64": (1e-5, 1e-6)}


def known_dims(array, case):
    """What a placeholder tells of its dims; None: not even how many there are."""
    if HOW["rank"] or case.is_open == "rank":
        return None
    if HOW["sizes"] or case.is_open == "sizes":
        return [None] * array.ndim
    is_open = case.is_open or HOW["open"]
    return [None, *array.shape[1:]][:array.ndim] if is_open else array.shape


def place(graph, prefix, case):
    """A row's operator and its inputs; feeds, and what it must give by name."""
    names, feeds = [], {}
    for i, (array, is_fixed, dtype) in enumerate(case.inputs):
        name = f"{prefix}/in{i}"
        if is_fixed:
            graph.constant(name, array, dtype)
        elif HOW["fixed"]:
            graph.constant(name + "/const", array)
            graph.add("Identity", name, [name + "/const"], {})
            graph.arrays[name] = array
        else:
            graph.placeholder(name, array, known_dims(array, case))
            feeds[name] = array
        names.append(name)
    graph.add(case.op, prefix, names, case.attrs)
    want = {f"{prefix}:{i}": array for i, array in enumerate(case.wants())
            if array is not None}
    return feeds, want


def hold(got, want, case):
    for name, array in want.items():
        if name not in got:
            raise proof.Differs(f"no output '{name}'")
        relative, absolute = TOLERANCE.get(str(array.dtype), (0, 0))
        if case.tolerance:
            relative, absolute = case.tolerance, case.tolerance
        if case.is_loose:
            array = array.astype(got[name].dtype)
        proof.compare(name, got[name], array, relative, absolute)


def judge_all(judge, wants, middle, feeds):
    """What the evaluator of libnd4j gives for all rows; None: for one it cannot."""
    names = [name for case, want in wants.items() if not case.skips_judge
             for name in want]
    try:
        return judge.run(middle, feeds, names)
    except (proof.Differs, OverflowError):
        return None


def judge_rows(wants, middle, feeds, shared):
    """Rows that the evaluator of libnd4j does not agree with."""
    judge = proof.Nd4j.find(shared)
    whole = judge_all(judge, wants, middle, feeds) if judge else None
    for case, want in wants.items() if judge else []:
        try:
            got = None
            if not case.skips_judge:
                got = whole or judge.run(middle, feeds, list(want))
            if got is not None:
                hold(got, want, case)
        except (proof.Differs, OverflowError) as error:
            yield case.name, f"nd4j: {error}"


def travel(cases, engine, scratch, arguments):
    """The rows that came out wrong, and how."""
    graph, feeds, wants = graphdef.Graph(), {}, {}
    for index, case in enumerate(cases):
        fed, wants[case] = place(graph, f"r{index}", case)
        feeds.update(fed)
    source, middle, back = (os.path.join(scratch, "model" + ending)
                            for ending in (".pb", ".fb", ".onnx"))
    graph.write(source)
    ends = ["--outputs", ",".join(name for want in wants.values() for name in want)]
    ends += ["--inputs", ",".join(feeds)] if feeds else []
    failures = {}
    if HOW["direct"] or all(case.is_direct for case in cases):
        proof.convert_directly(arguments.tenon, source, back, *ends)
    else:
        proof.convert(arguments.tenon, source, middle, *ends)
        failures = dict(judge_rows(wants, middle, feeds, arguments.shared))
        proof.convert(arguments.tenon, middle, back)
    got = engine.run(back, feeds, optimize="disabled")
    for case, want in wants.items():
        try:
            hold(got, want, case)
        except proof.Differs as error:
            failures.setdefault(case.name, str(error))
    return failures


def prove(names, engine, scratch, arguments):
    """All together; when that cannot be, one half and the other."""
    try:
        return travel([CASES[name] for name in names], engine, scratch, arguments)
    except FAILURES as error:
        if len(names) == 1:
            return {names[0]: proof.told(error)}
    half = len(names) // 2
    return {**prove(names[:half], engine, scratch, arguments),
            **prove(names[half:], engine, scratch, arguments)}


def shard(chunks, arguments):
    failures = {}
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-proof-") as scratch:
        for chunk in chunks:
            failures.update(prove(chunk, engine, scratch, arguments))
    return failures


def split(names):
    """Those that go through nd4j, and those that cannot."""
    return ([name for name in names if name not in DIRECT],
            [name for name in names if name in DIRECT])


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    wished = (arguments.only or "*").split(",")
    names = [name for name in CASES
             if any(fnmatch.fnmatch(name, one) for one in wished)]
    if not names:
        sys.exit(f"no case matches --only {arguments.only}")
    chunks = [part[i:i + TOGETHER] for part in split(names)
              for i in range(0, len(part), TOGETHER)]
    proof.engines.OnnxRuntime.find()
    graphdef.schema()
    with multiprocessing.Pool(2) as pool:
        parts = pool.starmap(shard, [(chunks[i::2], arguments) for i in range(2)])
    failures = {**parts[0], **parts[1]}
    for name, why in sorted(failures.items()):
        print(f"{name}: {why}")
    print(f"Operators of TensorFlow: {len(names)} rows, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
