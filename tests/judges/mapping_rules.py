#!/usr/bin/env python3
"""Models carried by Deeplearning4j's own mapping rules, judged as ours are.

    mapping_rules.py TENON [--slice N] [--only PATTERN] [--shared DIR]
                     [--report FILE [--update]]

Every test of Deeplearning4j's import suite and of the ONNX backend suite, and
every whole model of which outputs are recorded, is converted to a .fb with `--rules` and the rule set that Deeplearning4j ships for
that framework: its rules take the nodes they name, ours the others.  What the
evaluator of libnd4j's semantics computes, or where that does not cover an op
ONNX Runtime from the .fb, must be what the suite says.  Without --rules these
tests pass (docs/conformance.md): what is wrong here, the shipped rules did, and
the conversion must have told it as a loss of the kind `rule`.

A report has the figures, and a row for each test that is not right; a test that
was right and is not any more is a failure.  --slice N tries one of N tests.
"""
import argparse
import collections
import csv
import fnmatch
import glob
import json
import multiprocessing
import os
import sys
import tempfile

import onnx_suite
import proof
import tensorflow_suite
import whole_models

STATES = ("right", "wrong", "wrong in silence", "refused", "ours alone", "not run")
BAD = STATES[1:4]
Result = collections.namedtuple("Result", "suite test state reason theirs ours told")


class TensorFlow:
    title = "import suite"
    name, rules = "tensorflow", "tensorflow-mapping-ruleset.pbtxt"

    def __init__(self, arguments):
        self.folder = os.path.join(arguments.shared, "data/tensorflow/import-suite")
        with open(os.path.join(self.folder, "MANIFEST.tsv")) as file:
            self.notes = {row["test"].replace("/", "__"): row["notes"]
                          for row in csv.DictReader(file, delimiter="\t")}

    def tests(self):
        return sorted(self.notes)

    def case(self, test, _engine):
        folder = os.path.join(self.folder, test)
        inputs = tensorflow_suite.load(os.path.join(folder, "inputs.npz"))
        want = tensorflow_suite.load(os.path.join(folder, "outputs.npz"))
        ends = ["--outputs", ",".join(want)]
        ends += ["--inputs", ",".join(inputs)] if inputs else []
        return os.path.join(folder, "model.pb"), inputs, want, ends

    def hold(self, test, got, want):
        tensorflow_suite.hold(got, want, self.notes[test])


class Onnx:
    title = "backend suite"
    name, rules = "onnx", "onnx-mapping-ruleset.pbtxt"

    def __init__(self, _arguments):
        pass

    @staticmethod
    def tests():
        return sorted(os.listdir(onnx_suite.SUITE))

    @staticmethod
    def case(test, engine):
        known = onnx_suite.original(test, engine)
        return (*known, []) if known else None

    @staticmethod
    def hold(_test, got, want):
        onnx_suite.hold(got, want)


class Models:
    """Whole models, by what is recorded of them: whole_models.py."""
    title, kind = "whole models", None

    def __init__(self, arguments):
        self.shared = arguments.shared

    def tests(self):
        folder = os.path.join(self.shared, "data", self.kind, "expected")
        return [f"{self.kind}/{os.path.basename(path)}" for path in
                sorted(glob.glob(os.path.join(folder, "*.run.tsv")))]

    def run(self, test):
        kind, file = test.split("/")
        return whole_models.Run(os.path.join(self.shared, "data", kind, "expected",
                                             file))

    def case(self, test, _engine):
        run = self.run(test)
        source = whole_models.source_of(
            self.shared, self.kind, test.split("/")[1].split(".")[0])
        ends = []
        if self.kind == "tensorflow":
            ends = ["--inputs", ",".join(run.inputs),
                    "--outputs", ",".join(run.outputs)]
        elif os.path.isdir(source):
            source = whole_models.onnx_in(source)
        return source, run.inputs, run.outputs, ends

    def hold(self, test, got, _want):
        self.run(test).hold(got)


class FrozenGraphs(Models):
    name, kind, rules = "tensorflow models", "tensorflow", TensorFlow.rules


class OnnxModels(Models):
    name, kind, rules = "onnx models", "onnx", Onnx.rules


SUITES = (TensorFlow, FrozenGraphs, Onnx, OnnxModels)


def shares(tenon, source, target, options):
    """How many nodes the file's rules take, and ours."""
    code, printed = proof.Converter.of(tenon, os.getpid()).run(
        ["convert", "--plan", "--json", *options, source, "-o", target])
    if code not in (0, 1):
        return 0, 0
    rows = [row for row in json.loads(printed)["ops"] if row["to"] == "nd4j"]
    theirs = sum(row["count"] for row in rows
                 if row["rule"] and "ruleset.pbtxt" in row["rule"])
    return theirs, sum(row["count"] for row in rows) - theirs


def told_rules(tenon, source, target, options):
    """What the conversion says of mappers: losses of the kind `rule`."""
    code, printed = proof.Converter.of(tenon, os.getpid()).run(
        ["convert", "--json", "--quiet", "--force", *options, source, "-o", target])
    if code:
        return []
    return [row["what"] for row in json.loads(printed)["lost"]
            if row["kind"] == "rule"]


def compute(suite, test, case, middle, engine, arguments):
    _, inputs, want, _ = case
    judge = proof.Nd4j.find(arguments.shared)
    got = judge.run(middle, inputs, list(want))
    if got is None:
        back = middle[:-3] + ".onnx"
        proof.convert(arguments.tenon, middle, back)
        got = engine.run(back, inputs)
    suite.hold(test, got, want)


def judged(suite, test, engine, scratch, arguments):
    case = suite.case(test, engine)
    if not case:
        return Result(suite.name, test, "not run", "", 0, 0, 0)
    middle = os.path.join(scratch, "model.fb")
    rules = os.path.join(arguments.shared, "data/import", suite.rules)
    options = ["--rules", rules, *case[3]]
    theirs, ours = shares(arguments.tenon, case[0], middle, options)
    told = told_rules(arguments.tenon, case[0], middle, options)

    def result(state, reason=""):
        return Result(suite.name, test, state, reason, theirs, ours, len(told))
    try:
        proof.convert(arguments.tenon, case[0], middle, *options)
        compute(suite, test, case, middle, engine, arguments)
        return result("right" if theirs else "ours alone")
    except proof.Unmapped as error:
        return result("refused", proof.told(error))
    except (proof.Differs, proof.engines.EngineError) as error:
        wrong = "; ".join([*told[:1], proof.told(error)])
        wrong = wrong.replace(os.path.dirname(rules) + os.sep, "")
        return result(STATES[1 if told else 2] if theirs else "ours alone", wrong)


def shard(names, arguments):
    suites = {suite.name: suite(arguments) for suite in SUITES}
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-proof-") as scratch:
        return [judged(suites[suite], test, engine, scratch, arguments)
                for suite, test in names]


# --- the report ------------------------------------------------------------------------

def figures(results):
    lines = ["| rule set | of | tests | right | of these, with a warning |"
             " wrong, with a warning | wrong in silence | refused | ours alone |"
             " nodes by the file | nodes by ours |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for suite in SUITES:
        mine = [r for r in results if r.suite == suite.name
                and r.state != "not run"]
        counts = collections.Counter(r.state for r in mine)
        warned = sum(r.state == "right" and r.told > 0 for r in mine)
        lines.append(f"| `{suite.rules}` | {suite.title} | {len(mine)} | "
                     f"{counts['right']} | {warned} | " + " | ".join(
            str(counts[state]) for state in STATES[1:5]) +
            f" | {sum(r.theirs for r in mine)} | {sum(r.ours for r in mine)} |")
    return "\n".join(lines) + "\n"


def table(results):
    lines = ["| test | state | reason |", "|---|---|---|"]
    for r in results:
        if r.state in BAD:
            reason = r.reason.replace("|", "\\|")[:120]
            lines.append(f"| {r.test} | {r.state} | {reason} |")
    return "\n".join(lines) + "\n"


def worse(report, results):
    """Tests that the report does not have as wrong or refused, and are; and all
    that are wrong without a warning."""
    listed = {line.split(" | ")[0][2:] for line in report.parts()[1].splitlines()
              if line.startswith("| ")}
    return [r for r in results if r.state in BAD
            and (r.test not in listed or r.state == "wrong in silence")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--slice", type=int, default=1)
    parser.add_argument("--only", default="*")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--report")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if not os.path.isdir(os.path.join(arguments.shared, "data/import")) or \
            not os.path.isdir(onnx_suite.SUITE):
        print("skipped: wants real models")
        return 77
    names = [(suite.name, test) for suite in SUITES
             for test in suite(arguments).tests()
             if fnmatch.fnmatch(test, arguments.only)][::arguments.slice]
    proof.engines.OnnxRuntime.find()
    with multiprocessing.Pool(2) as pool:
        results = sorted(sum(pool.starmap(shard, [
            (names[at::8], arguments) for at in range(8)]), []))
    print(figures(results))
    if not arguments.report:
        print(table(results))
        return 0
    report = proof.Report(arguments.report, "mapping rules")
    if arguments.update:
        report.update(f"\n{figures(results)}\n{table(results)}\n")
    found = worse(report, results)
    for r in found:
        print(f"{r.test}: {r.state}: {r.reason}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
