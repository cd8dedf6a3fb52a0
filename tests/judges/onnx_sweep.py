#!/usr/bin/env python3
"""Every operator with rules, in every form and type: onnx -> nd4j (.fb) -> onnx.

    onnx_sweep.py TENON [--only PATTERN] [--slice N] [--shared DIR]
                  [--report FILE [--update]]

The cases are those of onnx_sweep_cases.py.  What comes back must compute in ONNX
Runtime what the original does there, and so must the .fb on the evaluator of
libnd4j's semantics where that covers it; or the conversion refuses and says why.
Where the runtime has no kernel for a type or for opset 22, its answer in a wider
type or in opset 21 counts.
Many cases are one model; when that fails, each half is tried.

--slice N takes the newest version alone, each form and each type, and one of N
cases of those.  A report has a row for each operator; a run must find no
reasons for refusals that it does not have.  With --only the rows of others stay.
"""
import argparse
import collections
import fnmatch
import multiprocessing
import os
import sys
import tempfile
import zlib

import numpy

import onnx_sweep_cases
import proof
import sweep
from onnx_schemas import SCHEMAS
from onnx_sweep_cases import CARRIED, NUMBERS, PLAIN
from onnx_sweep_excuses import EXCUSES, Difference, tolerances

TOGETHER = 60
WIDER = {"float16": "float32", "bfloat16": "float32", "float64": "float32",
         "int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32",
         "int32": "int64", "uint32": "int64", "uint64": "int64",
         "int64": "int32"}

# Operators that no case can be tried of, and why.
NO_CASES = {
    "ImageDecoder": "every conversion refuses it",
    "SwiGLU": "of an opset that ONNX Runtime does not run yet",
}


# ---- models -------------------------------------------------------------------------

def tensor(name, array, kind):
    from onnx import helper, numpy_helper
    if kind == "bfloat16":
        bits = (array.astype("f4").view("u4") >> 16).astype("u2")
        return helper.make_tensor(name, 16, array.shape, bits.tobytes(), raw=True)
    if kind == "string":
        return helper.make_tensor(name, 8, array.shape, [
            word.encode() for word in array.reshape(-1)])
    return numpy_helper.from_array(numpy.ascontiguousarray(array).reshape(
        array.shape), name)


class Draft:
    """A model in the making."""

    def __init__(self):
        self.nodes, self.ends, self.kept, self.outs = [], [], [], []
        self.feeds = {}

    def node(self, op, inputs, outputs, attributes):
        from onnx import helper
        named = f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, outputs, name=named,
                                           **attributes))

    def take(self, name, item):
        """An input of a case; its name."""
        from onnx import helper
        if item is None:
            return ""
        if item.is_held and (item.kind in PLAIN or item.kind == "bfloat16"):
            self.kept.append(tensor(name, item.array, item.kind))
            return name
        carrier = CARRIED.get(item.kind, item.kind)
        self.feeds[name] = item.array
        self.ends.append(helper.make_tensor_value_info(
            name, NUMBERS[carrier], list(item.array.shape)))
        if carrier == item.kind:
            return name
        self.node("Cast", [name], [name + "_as"], {"to": NUMBERS[item.kind]})
        return name + "_as"

    def give(self, name, kind):
        """The name under which a node makes an output."""
        self.outs.append(name)
        return name + "_as" if kind in CARRIED else name

    def finish(self, name, kind):
        if kind in CARRIED:
            self.node("Cast", [name + "_as"], [name],
                      {"to": NUMBERS[CARRIED[kind]]})

    def add(self, prefix, case):
        names = [self.take(f"{prefix}_{at}", item)
                 for at, item in enumerate(case.inputs)]
        outs = [self.give(f"{prefix}_out{at}", kind) if kind else ""
                for at, kind in enumerate(case.outputs)]
        attributes = {key: attribute(value)
                      for key, value in case.attributes.items()}
        nodes = case.steps(case.op, names, outs, attributes) if case.steps else \
            [(case.op, names, outs, attributes)]
        for node in nodes:
            self.node(*node)
        for at, kind in enumerate(case.outputs):
            if kind:
                self.finish(f"{prefix}_out{at}", kind)


def attribute(value):
    if isinstance(value, tuple) and value and value[0] == "type":
        from onnx import helper
        return helper.make_tensor_type_proto(value[1], [2, 3])
    if isinstance(value, tuple) and value and value[0] == "tensor":
        _, filler, kind = value
        array = numpy.array([filler], PLAIN.get(kind, "f4"))
        return tensor("value", array, kind)
    return value


def model_of(cases, path):
    import onnx
    from onnx import helper
    draft = Draft()
    for index, case in enumerate(cases):
        draft.add(index, case)
    graph = helper.make_graph(draft.nodes, "g", draft.ends, [
        onnx.ValueInfoProto(name=name) for name in draft.outs], draft.kept)
    opset = cases[0].opset
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 8 if opset < 19 else 10
    onnx.save(model, path)
    return draft.feeds


def outputs_of(case, index):
    return [(f"{index}_out{at}", kind)
            for at, kind in enumerate(case.outputs) if kind]


# ---- wider types --------------------------------------------------------------------

def widened(case):
    """The same in types for which there may be a kernel; None: there is none.
    Only where the answer does not depend on the type."""
    to = {kind: WIDER[kind] for kind in case.types.values() if kind in WIDER}
    if not to or case.steps or "ends" in case.name or \
            any(kind and kind not in NUMBERS for kind in case.outputs):
        return None

    def wide(item):
        if item is None or item.kind not in to:
            return item
        target = to[item.kind]
        if target not in PLAIN or item.array.dtype == object:
            return None
        return item._replace(array=item.array.astype(PLAIN[target]), kind=target)
    inputs = [wide(item) for item in case.inputs]
    outputs = [to.get(kind, kind) for kind in case.outputs]
    return case._replace(inputs=inputs, outputs=outputs)


# ---- trying ---------------------------------------------------------------------------

# seen: a Difference, of what is wrong.
Found = collections.namedtuple("Found", "case state reason seen", defaults=[None])


class Differs(proof.Differs):
    """Of one case; knows what was compared."""

    def __init__(self, error, is_evaluator, ours, theirs):
        words = f"nd4j_eval: {error}" if is_evaluator else str(error)
        super().__init__(words)
        self.seen = Difference(is_evaluator, ours, theirs, words)


def halves(cases):
    middle = len(cases) // 2
    return [cases[:middle], cases[middle:]] if middle else []


def reason_of(error):
    return sweep.plain_reason(proof.told(error))


class Bench:
    """Where cases are tried, as one model or alone."""

    def __init__(self, engine, scratch, arguments):
        self.engine, self.tenon = engine, arguments.tenon
        self.judge = proof.Nd4j.find(arguments.shared)
        self.keep = arguments.keep
        self.path, self.middle, self.back = (
            os.path.join(scratch, name)
            for name in ("model.onnx", "model.fb", "back.onnx"))

    def wanted(self, cases):
        """[(case, outputs that the runtime gives)], for those that it runs."""
        if not cases:
            return []
        try:
            got = self.engine.run(self.path, model_of(cases, self.path))
            return [(case, [got[name] for name, _ in outputs_of(case, index)])
                    for index, case in enumerate(cases)]
        except proof.engines.EngineError:
            return sum(map(self.wanted, halves(cases)), [])

    def wanted_wider(self, cases):
        """The same in wider types, brought back."""
        pairs = [(case, widened(case)) for case in cases]
        names = {case.name: case for case, wide in pairs if wide}
        found = []
        for wide, arrays in self.wanted([wide for _, wide in pairs if wide]):
            case = names[wide.name]
            kinds = [kind for kind in case.outputs if kind]
            wides = [kind for kind in wide.outputs if kind]
            with numpy.errstate(over="ignore", invalid="ignore"):
                found.append((case, [
                    array if kind == wide_kind or kind not in NUMBERS else
                    array.astype(PLAIN[CARRIED.get(kind, kind)])
                    for array, kind, wide_kind in zip(arrays, kinds, wides)]))
        return found

    def wanted_older(self, cases):
        """The same in the opset before 22, which only added types."""
        names = {case.name: case for case in cases if any(
            schema.since == 22 <= case.opset for schema in SCHEMAS[case.op])
            and len(SCHEMAS[case.op]) > 1 and "bfloat16" not in case.types.values()}
        older = [case._replace(opset=21) for case in names.values()]
        return [(names[case.name], arrays) for case, arrays in self.wanted(older)]

    def hold(self, case, index, got, want, is_evaluator=False):
        ends = outputs_of(case, index)
        try:
            self.compare(case, [(got.get(name), kind) for name, kind in ends], want)
        except proof.Differs as error:
            raise Differs(error, is_evaluator, [got.get(name) for name, _ in ends],
                          want) from error

    def compare(self, case, got, want):
        """`got`: [(array, element type)]"""
        for (array, kind), right in zip(got, want):
            array = numpy.asarray(array)
            if case.is_random and array.shape == right.shape:
                right = array.astype(right.dtype)
            if case.op == "TopK" and case.attributes.get("sorted") == 0:
                axis = case.attributes.get("axis", -1)
                array, right = numpy.sort(array, axis), numpy.sort(right, axis)
            tolerance = tolerances((*case.types.values(), kind))
            # Sums are as exact as their largest parts.
            size = max(1.0, float(numpy.max(numpy.abs(right), initial=0))) \
                if len(set(tolerance)) > 1 and numpy.all(numpy.isfinite(right)) else 1.0
            proof.compare("output", array, right,
                          max(pair[0] for pair in tolerance),
                          max(pair[1] for pair in tolerance) * size)

    def prove(self, pairs):
        cases = [case for case, _ in pairs]
        feeds = model_of(cases, self.path)
        proof.convert(self.tenon, self.path, self.middle)
        proof.convert(self.tenon, self.middle, self.back)
        got = self.run_back(feeds)
        for index, (case, want) in enumerate(pairs):
            self.hold(case, index, got, want)
        if self.judge:
            self.prove_middle(pairs, feeds)

    def run_back(self, feeds):
        """The runtime fuses nodes to some that it has no kernels for."""
        try:
            return self.engine.run(self.back, feeds)
        except proof.engines.EngineError as error:
            if "Fusion" not in str(error):
                raise
            return self.engine.run(self.back, feeds, optimize="disabled")

    def prove_middle(self, pairs, feeds):
        graph = self.judge.load(self.middle)
        for index, (case, want) in enumerate(pairs):
            names = [name for name, _ in outputs_of(case, index)]
            if case.is_random or not names:
                continue
            try:
                said = self.judge.run(self.middle, feeds, names, graph)
            except proof.Differs as error:
                raise Differs(error, True, [], want) from error
            if said is not None:
                self.hold(case, index, said, want, is_evaluator=True)

    def results(self, pairs):
        if not pairs:
            return []
        try:
            self.prove(pairs)
            return [Found(case, "right", "") for case, _ in pairs]
        except proof.Unmapped as error:
            state, reason, seen = "refused", reason_of(error), None
        except (proof.Differs, proof.engines.EngineError) as error:
            state, reason, seen = "wrong", proof.told(error), getattr(error, "seen", None)
        if len(pairs) > 1:
            return sum(map(self.results, halves(pairs)), [])
        if state == "wrong" and self.keep:
            self.store(pairs[0][0])
        return [Found(pairs[0][0], state, reason, seen)]

    def store(self, case):
        """What went wrong, for whoever looks into it."""
        for path in (self.path, self.middle, self.back):
            if os.path.exists(path):
                end = os.path.basename(path)
                with open(path, "rb") as file, \
                        open(os.path.join(self.keep, f"{case.name}.{end}"), "wb") as to:
                    to.write(file.read())

    def run(self, cases):
        pairs, left = [], cases
        for way in (self.wanted, self.wanted_older, self.wanted_wider):
            pairs += way(left)
            names = {case.name for case, _ in pairs}
            left = [case for case in cases if case.name not in names]
        return self.results(pairs) + [Found(case, "not run", "") for case in left]


def excused(found):
    """Difference that is not ours, as such."""
    for excuse in EXCUSES if found.state == "wrong" and found.seen else ():
        if fnmatch.fnmatch(found.case.name, excuse.pattern) and \
                excuse.fits(found.case, found.seen):
            return found._replace(state="excused", reason=excuse.why, seen=None)
    return found._replace(seen=None)


# ---- all of them ----------------------------------------------------------------------

def chooser(arguments):
    """Which cases are tried, by name; an operator alone stands for all of its cases."""
    patterns = [word if "*" in word or "-" in word else f"{word}-*" for word in (arguments.only or "*").split(",")]

    def is_chosen(name, is_first):
        if arguments.slice and not (is_first and zlib.crc32(name.encode()) %
                                    arguments.slice == 0):
            return False
        return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
    return is_chosen


def groups_of(ops, arguments):
    """Cases of one opset, not too many at once; like beside like, so that what
    is refused is found in few steps."""
    by_opset = collections.defaultdict(list)
    for op in ops:
        for case in onnx_sweep_cases.cases_of(op, chooser(arguments)):
            by_opset[case.opset].append(case)
    for opset in sorted(by_opset):
        cases = sorted(by_opset[opset],
                       key=lambda case: (case.op, sorted(case.types.items())))
        for first in range(0, len(cases), TOGETHER):
            yield cases[first:first + TOGETHER]


def shard(ops, arguments):
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-sweep-") as scratch:
        bench = Bench(engine, scratch, arguments)
        found = sum(map(bench.run, groups_of(ops, arguments)), [])
    converter = proof.Converter.of(arguments.tenon, os.getpid())
    if converter:
        converter.stop()
    # Steps are functions, which do not go from one process to another.
    return [item._replace(case=item.case._replace(steps=None, inputs=None,
                                                  attributes=None))
            for item in map(excused, found)]


def sweep_all(ops, arguments):
    parts = [ops[k::8] for k in range(8)]
    with multiprocessing.Pool(2, maxtasksperchild=1) as pool:
        found = sum(pool.starmap(shard, [(part, arguments) for part in parts
                                         if part], chunksize=1), [])
    return found


def row(op, found):
    counts = collections.Counter(item.state for item in found)
    reasons = collections.Counter(item.reason for item in found
                                  if item.state in ("refused", "excused"))
    told = "; ".join(f"{reason} ({count})" for reason, count
                     in sorted(reasons.items())).replace("|", "\\|")
    return [op, str(len(found) - counts["not run"]), str(counts["right"]),
            str(counts["refused"]), str(counts["excused"]),
            str(counts["not run"]), told]


def summary(rows):
    ran, right, refused, excused_, left = (
        sum(int(words[column]) for words in rows.values())
        for column in range(1, 6))
    return (f"Sweep over ONNX: {ran} cases of {len(rows)} operators, {right} right, "
            f"{refused} refused, {excused_} excused; {left} more that ONNX Runtime "
            "does not run")


def table(rows):
    lines = ["operator | cases | right | refused | excused | not run | reasons",
             "---|---|---|---|---|---|---"]
    lines += [" | ".join(words) for _, words in sorted(rows.items())]
    return "".join(f"| {line} |\n" for line in lines)


def told_rows(report):
    """{operator: row} as a report has them."""
    lines = [line[2:-2].split(" | ") for line in report.parts()[1].splitlines()
             if line.startswith("| ")]
    return {words[0]: words for words in lines
            if len(words) == 7 and words[1].isdigit()}


def without_cases(tried):
    """Operators of the rules that nothing was tried of."""
    for op in sorted(onnx_sweep_cases.ruled("onnx_nd4j.rules")):
        if op not in tried and op not in NO_CASES:
            yield f"{op}: no case of it was tried"


def new_reasons(found, said):
    """Refusals that the report does not have."""
    for item in found:
        if item.state == "refused" and \
                item.reason.replace("|", "\\|") not in said.get(item.case.op, [""])[-1]:
            yield f"{item.case.name}: refused, which is new: {item.reason}"


def main():
    arguments = parse()
    proof.engines.OnnxRuntime.find()
    ops = [op for op in sorted(onnx_sweep_cases.ruled("onnx_nd4j.rules"))
           if any(fnmatch.fnmatch(op, word.split("-")[0])
                  for word in (arguments.only or "*").split(","))]
    found = sweep_all(ops, arguments)
    if arguments.only and not found:
        sys.exit(f"no case matches --only {arguments.only}")
    results = collections.defaultdict(list)
    for item in found:
        results[item.case.op].append(item)
    rows = {op: row(op, items) for op, items in results.items()}
    print(summary(rows))
    bad = [f"{item.case.name}: {item.reason}" for item in found
           if item.state == "wrong"]
    if arguments.report:
        report = proof.Report(arguments.report, "onnx sweep")
        if arguments.update:
            rows = {**told_rows(report), **rows}
            report.update(f"\n{summary(rows)}.\n\n{table(rows)}\n")
        bad += new_reasons(found, told_rows(report))
    else:
        print(table(rows))
    if not arguments.only:
        # A part of the cases need not reach an operator that all of them did.
        told = told_rows(report) if arguments.report else {}
        bad += without_cases({op for of in (rows, told) for op, words in
                              of.items() if words[1] != "0"})
    print("\n".join(bad))
    return 1 if bad else 0


def parse():
    """The options of the proofs, and --slice."""
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--slice", type=int, default=0)
    ours, sys.argv[1:] = own.parse_known_args()
    arguments = proof.parse(__doc__.splitlines()[0])
    arguments.slice = ours.slice
    return arguments


if __name__ == "__main__":
    sys.exit(main())
