#!/usr/bin/env python3
"""What a definition allows and no case of the sweeps has.

    sweep_coverage.py [--only DIALECT] [--verbose]

For every operator that a rule set takes, the vocabulary says what must be tried:

    T int8            each element type of each type variable
    rank 3, empty     ranks 0 to 5 of the array that is computed on, no elements
    broadcast         arrays of different dims, where its shapes follow from that
    mode = cubic      each word of an enumeration, each of 0 and 1
    mode left out     each attribute that has a default, or needs none
    mode given        each attribute
    axis < 0          axes counted from the end, and from the front
    no bias, bias     each optional input, absent and there
    one channel       and what else was wrong once: PARTICULAR

A demand that no case meets, and that REASONS does not speak of, is a failure; so
is a reason that no demand needs.  Ranks and enumerations that no vocabulary
tells stand here.
"""
import copy
import collections
import fnmatch
import os
import re
import sys

import numpy

import sweep_reasons
from vocabularies import ROOT, broadcasting, ruled, vocabulary

# One case: types by variable, arrays by the name of their argument.
Use = collections.namedtuple("Use", "op types inputs attributes")


# ---- what is demanded ------------------------------------------------------------------

def words_of(dialect, operator, name, told):
    """The values that each must be tried.  An empty word is none: as if nothing were said."""
    if told.words:
        return [word for word in told.words if word]
    if told.kind == "bool":
        return ["true", "false"]
    table = sweep_reasons.ENUMS.get(dialect, {})
    return table.get(f"{operator.name}.{name}", table.get(name, []))


def is_axis(name, told):
    return told.kind in ("int", "list(int)") and name in sweep_reasons.AXES


def demands(dialect, operator):
    for variable, types in operator.types.items():
        for kind in types if len(types) > 1 else []:
            if kind in sweep_reasons.TYPES[dialect]:
                yield f"{variable} {kind}"
    if operator.inputs:
        for rank in ranks_of(dialect, operator.name):
            yield f"rank {rank}"
        yield "empty"
    if operator.name in broadcasting(dialect):
        yield "broadcast"
    for argument in operator.inputs:
        if argument.count == "?":
            yield f"no {argument.name}"
            yield argument.name
    for words, _ in particular(dialect, operator.name):
        yield words
    for name, told in operator.attributes.items():
        if told.is_optional:
            yield f"{name} left out"
        words = words_of(dialect, operator, name, told)
        for word in words:
            yield f"{name} = {word}"
        if not words:
            yield f"{name} given"
        if is_axis(name, told):
            yield f"{name} < 0"
            yield f"{name} >= 0"


def particular(dialect, op):
    """What was wrong once: (words, whether a use has it)."""
    return [(words, holds) for ops, words, holds in sweep_reasons.PARTICULAR[dialect] if op in ops.split()]


def ranks_of(dialect, op):
    for pattern, ranks in sweep_reasons.RANKS[dialect].items():
        if any(fnmatch.fnmatchcase(op, word) for word in pattern.split()):
            return ranks
    return range(6)


# ---- what a case has -------------------------------------------------------------------

def plain(value):
    """A value as demands write it."""
    if isinstance(value, bytes):
        value = value.decode()
    return str(value).lower() if isinstance(value, (bool, numpy.bool_)) else str(value)


def met(dialect, operator, use):
    for variable, kind in use.types.items():
        yield f"{variable} {kind}"
    arrays = [array for many in use.inputs.values() for array in many]
    at = sweep_reasons.SUBJECTS.get(f"{dialect} {use.op}", 0)
    if len(arrays) > at:
        yield f"rank {min(arrays[at].ndim, 5)}"
    if any(array.size == 0 for array in arrays):
        yield "empty"
    if len({array.shape for array in arrays[:2]}) > 1:
        yield "broadcast"
    for words, holds in particular(dialect, use.op):
        if holds(use):
            yield words
    for argument in operator.inputs:
        yield argument.name if use.inputs.get(argument.name) else f"no {argument.name}"
    for name, told in operator.attributes.items():
        if name not in use.attributes:
            yield f"{name} left out"
            continue
        value = use.attributes[name]
        yield f"{name} given"
        yield f"{name} = {plain(value)}"
        if told.kind == "bool" and isinstance(value, int):
            yield f"{name} = {plain(bool(value))}"
        if is_axis(name, told):
            numbers = numpy.atleast_1d(value)
            yield f"{name} {'<' if numbers.size and numbers.min() < 0 else '>='} 0"


def uncovered(dialect, operators, uses):
    """(operator, demand) that no use meets."""
    seen = collections.defaultdict(set)
    for use in uses:
        if use.op in operators:
            seen[use.op].update(met(dialect, operators[use.op], use))
    for name, operator in sorted(operators.items()):
        if name in sweep_reasons.ELSEWHERE[dialect]:
            continue
        for demand in demands(dialect, operator):
            if demand not in seen[name]:
                yield name, demand


# ---- dialects --------------------------------------------------------------------------

def onnx_uses():
    import onnx_sweep_cases as cases
    operators = vocabulary("onnx", cases.NEWEST)
    for op in sorted(ruled("onnx_nd4j.rules") & set(operators)):
        for case in cases.cases_of(op):
            yield onnx_use(operators[op], cases.SCHEMAS[op][-1], case)


def onnx_use(operator, schema, case):
    names, inputs = operator.inputs, collections.defaultdict(list)
    for at, array in enumerate(node_inputs(case)):
        if array is not None and names:
            inputs[names[min(at, len(names) - 1)].name].append(array)
    types = dict(case.types)
    for argument, kind in zip(schema.outputs, case.outputs):
        types.setdefault(argument.type, kind)
    if case.steps:  # T is what lists and options are of
        types.update({name: types["T"] for name in operator.types if name != "I"},
                     I=str(case.inputs[-1].array.dtype) if case.inputs else None)
    if "stash_type" in operator.attributes:
        types["U"] = {16: "bfloat16"}.get(case.attributes.get("stash_type"), "float32")
    return Use(case.op, types, inputs, case.attributes)


def node_inputs(case):
    """Arrays of the operator's own node; a list is as its first element."""
    arrays = [None if item is None else item.array for item in case.inputs]
    if not case.steps:
        return arrays
    names = [str(at) for at in range(len(arrays))]
    for op, inputs, _, _ in case.steps(case.op, names, [f"out{i}" for i in range(9)], {}):
        if op == case.op:
            return [arrays[int(name)] if name.isdigit() else arrays[0] for name in inputs
                    if arrays]
    return []


def named_inputs(operator, arrays):
    """Arrays by the name of their argument; of two of many, the first has all."""
    inputs, left = collections.defaultdict(list), list(arrays)
    for at, argument in enumerate(operator.inputs):
        after = len(operator.inputs) - at - 1
        many = 1 if argument.count != "*" else max(len(left) - after, 0)
        inputs[argument.name], left = left[:many], left[many:]
    return inputs


def tensorflow_uses():
    import graphdef
    import tensorflow_sweep
    import tensorflow_ways as ways
    graphdef.schema()
    for case in ways.all_cases():
        inputs = named_inputs(vocabulary("tensorflow")[case.op], [row[0] for row in case.inputs])
        usual = {name: ways.default_of(case.op, name) for name in vocabulary("tensorflow")[case.op].types}
        yield Use(case.op, {**usual, **tensorflow_sweep.types_of(case)}, inputs, case.attrs)


def paddle_uses(cases=None):
    import paddle_ways
    for case in cases or paddle_ways.all_cases():
        kinds = {str(array.dtype) for arrays in case.inputs.values() for array in arrays}
        yield Use(case.op, {f"{slot}": str(arrays[0].dtype) for slot, arrays in case.inputs.items() if arrays},
                  case.inputs, case.attrs)


def nd4j_uses():
    import nd4j_ways as ways
    operators = nd4j_operators()
    for case in ways.all_cases():
        operator = operators[case.op]
        kinds = named_inputs(operator, [given.kind for given in case.inputs])
        types = {variable_of(argument): kinds[argument.name][0] for argument in reversed(operator.inputs) if kinds[argument.name]}
        types.update({name: value for name, value in case.attributes.items() if name in operator.types})
        yield Use(case.op, types, named_inputs(operator, [given.array for given in case.inputs]), case.attributes)


def variable_of(argument):
    """The variable of its type, or its own name where any type goes."""
    found = re.match(r"\$(\w+)", argument.type)
    return found[1] if found else argument.name


def nd4j_operators():
    """Without what rules ignore; the first input is tried in any type that it may have."""
    made, rules, told_types = {}, ruled("nd4j_onnx.rules"), types_in_rules()
    for op, told in vocabulary("nd4j").items():
        if op not in rules:
            continue
        told = copy.copy(told)
        told.types = {name: kinds for name, kinds in told.types.items()
                      if name not in ("dtype", "dataType") or (op, name) in told_types}
        told.attributes = {name: attribute for name, attribute in told.attributes.items()
                           if name not in ("inPlace", "isComplex", "isEmptyReduce")}
        first = told.inputs[0] if told.inputs else None
        if first and first.count != "?" and first.type.split("[")[0] == "any":
            told.types[first.name] = kinds_taken(op)
        made[op] = told
    return made


def kinds_taken(op):
    """Element types of a first input of which the vocabulary says nothing."""
    for pattern, kinds in sweep_reasons.KINDS.items():
        if any(fnmatch.fnmatchcase(op, word) for word in pattern.split()):
            return kinds.split()
    return sweep_reasons.NUMBERS


def types_in_rules():
    """(operator, argument) whose types the rules from nd4j look at."""
    with open(os.path.join(ROOT, "rules/nd4j_onnx.rules"), encoding="utf-8") as file:
        heads = re.findall(r"^([A-Za-z_]\w*)\(([^{}=]*(?:= [\w.-]+[^{}=]*)*)", file.read(), re.M)
    return {(op, name) for op, rest in heads for name in re.findall(r"[^-\w](dtype|dataType) as", rest)}


def without_types(told):
    """Paddle's vocabulary says which types may not be mixed; which ones a kernel has, paddle_ways.py tries."""
    told = copy.copy(told)
    told.types = {}
    return told


DIALECTS = {
    "onnx": (onnx_uses, lambda: {op: told for op, told in vocabulary("onnx", 26).items()
                                 if op in ruled("onnx_nd4j.rules")}),
    "tensorflow": (tensorflow_uses, lambda: {op: told for op, told in vocabulary("tensorflow").items()
                                             if op in ruled("tensorflow_nd4j.rules")}),
    "paddle": (paddle_uses, lambda: {op: without_types(told) for op, told in vocabulary("paddle").items()
                                     if op in ruled("paddle_onnx.rules")}),
    "nd4j": (nd4j_uses, nd4j_operators),
}


def judged(dialect, gaps):
    """Gaps without a reason, and reasons without a gap."""
    reasons = sweep_reasons.REASONS[dialect]
    used = set()
    for op, demand in gaps:
        found = [row for row in reasons if any(fnmatch.fnmatchcase(op, word) for word in row[0].split())
                 and any(fnmatch.fnmatchcase(demand, word.strip()) for word in row[1].split(";"))]
        used.update(found)
        if not found:
            yield f"{dialect}: {op}: no case has: {demand}"
    for row in reasons:
        if row not in used:
            yield f"{dialect}: a reason that nothing needs: {row}"


def main():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    faults = []
    for dialect, (uses, operators) in DIALECTS.items():
        if only not in (None, dialect):
            continue
        table = operators()
        count = sum(len(set(demands(dialect, told))) for told in table.values())
        gaps = list(uncovered(dialect, table, uses()))
        rest = list(judged(dialect, gaps))
        print(f"{dialect}: {len(table)} operators, {count} demands, {count - len(gaps)} met, "
              f"{len(gaps)} not, {len(rest)} without a reason")
        faults += rest
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
