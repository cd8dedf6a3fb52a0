#!/usr/bin/env python3
"""Every operator of TensorFlow in every way: tensorflow -> nd4j (.fb) -> onnx -> ONNX Runtime.

With TN_OPS=direct in the environment: tensorflow -> onnx, by its own rules alone,
with a table of its own.

    tensorflow_sweep.py TENON [--only OPS] [--slice N] [--report FILE [--update]] [--shared DIR]

The cases are made by tensorflow_ways.py; verdicts and their table: sweep.py.
The .fb files also run on the evaluator of libnd4j's semantics, for the ops that
it covers.  An operator of the rule set without a case fails the run.
"""
import os
import sys

import graphdef
import numpy as np
import proof
import sweep
import tensorflow_ways as ways
import vocabularies

graphdef.TYPES.update({"complex64": 8, "complex128": 18, "qint8": 11, "quint8": 12,
                       "qint32": 13, "qint16": 15, "quint16": 16})

IS_DIRECT = os.environ.get("TN_OPS") == "direct"


def has_nothing(case):
    return any(array.size == 0 for array, _, _ in case.inputs)


def has_type(*kinds):
    return lambda case: any(dtype in kinds for _, _, dtype in case.inputs)


# What libnd4j refuses when it runs, or the evaluator's numpy cannot compute: the
# words, which cases it may be said of, and why.  What follows from the .fb must
# be right all the same.
NOT_THERE = [
    ("libnd4j needs an output of", lambda case: True, "a kernel of libnd4j that has no such type"),
    ("libnd4j refuses an empty", has_nothing, "a kernel of libnd4j that takes no empty array"),
    ("too large for dimension 0", has_nothing, "mirror_pad of libnd4j takes no axis of 0"),
    ("zero-size array to reduction", has_nothing, "numpy has no largest of nothing"),
    ("cannot reshape array of size 0", has_nothing, "numpy does not count rows of nothing"),
    ("index -1 is out of bounds for axis 0 with size 0", has_nothing, "the evaluator looks at the last segment"),
    ("unsupported in linalg", has_type("float16"), "numpy has no linear algebra of halves"),
    ("too large to convert to C long", has_type("uint64"), "numpy has no such argument"),
    ("libnd4j refuses an empty result", lambda case: case.op == "ListDiff", "nothing is left, which no array of libnd4j is"),
    ("inf, not", lambda case: case.op in ("UnsortedSegmentMax", "UnsortedSegmentMin") and has_type("bfloat16")(case),
     "the evaluator computes on float32, whose least number bfloat16 does not have"),
    ("n must be >= 0 and x > 0", lambda case: case.op == "Polygamma", "what the kernel says of a number below 0"),
]
# What floats lose on the way, relative and absolute.
TOLERANCE = {"float16": (4e-3, 4e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-6),
             "bfloat16": (3e-2, 3e-2)}


# --- graphs ------------------------------------------------------------------------

def place_input(graph, name, array, is_fixed, dtype, feeds):
    """bfloat16 is fed as float32, which no engine of ours takes otherwise."""
    wide = name + "/wide" if dtype == "bfloat16" else name
    if is_fixed:
        graph.constant(wide, array, None if dtype == "bfloat16" else dtype)
    else:
        graph.placeholder(wide, array)
        graph.proto.node[-1].attr["dtype"].type = graphdef.TYPES["float32" if dtype == "bfloat16" else dtype]
        feeds[wide] = array
    if dtype == "bfloat16":
        graph.add("Cast", name, [wide], {"SrcT": "float32", "DstT": "bfloat16"})
    graph.arrays[name] = array
    return name


def types_of(case):
    """Type attributes of its node: what was told, else what follows from inputs."""
    made = {}
    for variable, (_, _, dtype) in zip(ways.spread_variables(case.op, len(case.inputs)), case.inputs):
        if variable:
            made[variable] = dtype
    if case.op == "IdentityN":  # a type of each, where arrays of bfloat16 are wider than said
        made["T"] = [dtype for _, _, dtype in case.inputs]
    return {**made, **{k: v for k, v in case.attrs.items()
                       if graphdef.vocabulary()[case.op][2].get(k) == "type"}}


def output_types(case):
    """Of each output the type that the vocabulary declares; defaults included."""
    told, made = types_of(case), []
    for name, many, kind in ways.variable_of(case.op, side=1):
        dtype = told.get(name, ways.default_of(case.op, name)) if name else kind.split("*")[-1]
        if kind.startswith("*"):
            return [dtype for _, _, dtype in case.inputs]
        count = case.attrs.get(many, len(case.inputs) if case.op != "ConcatOffset" else len(case.inputs) - 1) if many else 1
        made += [dtype] * count
    return made


def place(graph, prefix, case):
    """A case's operator, inputs and outputs: feeds, and what it must give."""
    feeds, names = {}, []
    for i, row in enumerate(case.inputs):
        names.append(place_input(graph, f"{prefix}/in{i}", *row, feeds))
    attrs = dict(case.attrs)
    graph.add(case.op, prefix, names, {**attrs, **{k: v for k, v in types_of(case).items()}})
    want = {}
    for i, (array, dtype) in enumerate(zip(case.wants(), output_types(case))):
        if array is None:
            continue
        if dtype == "bfloat16":
            graph.add("Cast", f"{prefix}/narrow{i}", [f"{prefix}:{i}"], {"SrcT": "bfloat16", "DstT": "float32"})
        name = f"{prefix}/narrow{i}:0" if dtype == "bfloat16" else f"{prefix}:{i}"
        want[name] = as_declared(array, dtype), dtype
    return feeds, want


def as_declared(array, dtype):
    if dtype == "string":
        return array.astype(str)
    kind = ways.QUANTIZED.get(dtype, "float32" if dtype == "bfloat16" else dtype)
    with np.errstate(all="ignore"):
        return array.astype(kind)


def hold(got, want, case):
    for name, (array, dtype) in want.items():
        if name not in got:
            raise proof.Differs(f"no output '{name}'")
        has_narrow = dtype in TOLERANCE and any(kind == "bfloat16" for _, _, kind in case.inputs)
        relative, absolute = TOLERANCE.get("bfloat16" if has_narrow else dtype, (0, 0))
        if case.tolerance and dtype in ("float32", "float64"):
            relative, absolute = case.tolerance, case.tolerance
        found = got[name]
        if case.op in ways.SHAPES_ONLY:
            found, array = np.zeros(found.shape, found.dtype), np.zeros(array.shape, array.dtype)
        if case.attrs.get("sorted") is False:  # the same ones in any order
            found, array = np.sort(found, -1), np.sort(array, -1)
        proof.compare("output", found, array, relative, absolute)


# --- both sides ----------------------------------------------------------------------

def judge_rows(wants, middle, feeds, shared):
    """Cases that the evaluator of libnd4j does not agree with."""
    judge = proof.Nd4j.find(shared)
    wanted = [name for case, want in wants.items() if not case.skips_judge for name in want]
    if not judge or not wanted:
        return
    try:
        whole = judge.run(middle, feeds, wanted)
    except (proof.Differs, OverflowError):
        whole = None
    for case, want in wants.items():
        if case.skips_judge:
            continue
        try:
            got = whole or judge.run(middle, feeds, list(want))
            if got is not None:
                hold(got, want, case)
        except (proof.Differs, OverflowError) as error:
            if not any(words in str(error) and holds(case) for words, holds, _ in NOT_THERE):
                yield case.name, f"nd4j: {error}"


def part_of(dtype):
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def pairs_of(array):
    """Complex numbers as rules make them."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def as_pairs(feeds):
    return {name: pairs_of(array) for name, array in feeds.items()}


def travel(cases, engine, scratch, arguments):
    """The cases that came out wrong, and how."""
    graph, feeds, wants = graphdef.Graph(), {}, {}
    for index, case in enumerate(cases):
        fed, wants[case] = place(graph, f"r{index}", case)
        feeds.update(fed)
    source, middle, back = (os.path.join(scratch, "model" + ending)
                            for ending in (".pb", ".fb", ".onnx"))
    graph.write(source)
    ends = ["--outputs", ",".join(name for want in wants.values() for name in want)]
    ends += ["--inputs", ",".join(feeds)] if feeds else []
    failures, feeds = {}, as_pairs(feeds)
    wants = {case: {name: (pairs_of(array), part_of(dtype)) for name, (array, dtype) in want.items()}
             for case, want in wants.items()}
    if IS_DIRECT:
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
    return {name: f"{why}: {case}" for case in cases for name, why in failures.items() if name == case.name}


def uncovered():
    """Operators of the rule set without a case, and exceptions that are none."""
    ops = vocabularies.ruled("tensorflow_onnx.rules" if IS_DIRECT else "tensorflow_nd4j.rules")
    for op in sorted(ops - set(ways.CASES) - set(ways.EXCEPTIONS)):
        yield f"{op}: no case"
    for op in sorted(set(ways.EXCEPTIONS) & set(ways.CASES)):
        yield f"{op}: is an exception, and has cases"


def main():
    arguments = sweep.parse(__doc__.splitlines()[0])
    graphdef.schema()
    common = [case for case in ways.all_cases() if case.op not in ways.ONLY_DIRECT]
    cases = ways.all_cases() if IS_DIRECT else common
    verdicts = sweep.run(sweep.chosen_cases(cases, arguments), travel, arguments)
    ways_there = [("TensorFlow, swept", "tensorflow sweep"), ("TensorFlow, swept directly", "tensorflow sweep directly")]
    (title, section), (_, other) = reversed(ways_there) if IS_DIRECT else ways_there
    faults = list(uncovered())
    if arguments.report and not arguments.only:  # both tables are of the same cases, but for what nd4j has not
        faults += sweep.held_against(proof.Report(arguments.report, other), {}, common if IS_DIRECT else ways.all_cases(), False)
    return sweep.conclude(title, section, cases, verdicts, faults, arguments)


if __name__ == "__main__":
    sys.exit(main())
