"""proof.py - what the proofs of conversions share

A proof converts a model, runs the result on an engine that nobody here wrote,
and holds its outputs against values that nobody here computed.  Each test ends
in one state:

    passed    every output agrees
    failed    an output differs, or the engine refuses what we wrote
    unmapped  the conversion said that it cannot; the reason is what it said
    no ops    it agrees, but nothing was left for the engine to compute
    not run   the engine cannot run the original, or there is nothing to compare
"""
import argparse
import atexit
import collections
import fnmatch
import functools
import importlib.util
import json
import multiprocessing
import os
import re
import select
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "engines"))

import engine as engines

STATES = ("passed", "failed", "unmapped", "no ops", "not run")
Result = collections.namedtuple("Result", "test state reason ops")

# Nodes that move values and compute nothing.
IDLE = {"Constant", "Identity"}


class Unmapped(Exception):
    """The conversion refused, and said why."""


class Differs(Exception):
    """An output is not what it must be."""


# --- converting ----------------------------------------------------------------

class Converter:
    """tenon convert in a process that stays, so that rules are read once: what
    tests/tools/convert_many.c makes of the command, beside it."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        atexit.register(self.stop)

    @classmethod
    @functools.cache
    def of(cls, tenon, _process):
        path = os.path.join(os.path.dirname(tenon), "convert_many")
        return cls(path) if os.path.exists(path) else None

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def run(self, words, seconds=120):
        """The exit code and what was printed; negative: it died of a signal."""
        assert not any("\t" in word or "\n" in word for word in words)
        self.process.stdin.write(("\t".join(words) + "\n").encode())
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else b""
        if line:
            code, size = map(int, line.split())
            return code, self.process.stdout.read(size).decode()
        if not ready:
            self.process.kill()
        code = self.process.wait()
        Converter.of.cache_clear()
        return (code, "") if ready else (-1, f"no end within {seconds} s")


def convert(tenon, source, target, *options):
    """Constants are not computed, only what follows from shapes: most graphs of
    the suites have no inputs, and nothing would be left of them."""
    fold = () if "--fold" in options else ("--fold", "shapes")
    words = ["--quiet", "--force", *fold, *options, source, "-o", target]
    converter = Converter.of(tenon, os.getpid())
    if converter:
        code, printed = converter.run(["convert", *words])
    else:
        done = subprocess.run([tenon, "convert", *words], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=120, check=False)
        code, printed = done.returncode, done.stdout
    if code < 0 or code > 100:
        raise Differs(f"tenon convert: exit code {code} {printed}".strip())
    if code:
        lines = [line for line in printed.splitlines() if line.strip()]
        raise Unmapped(lines[0] if lines else f"exit {code}")
    if target.endswith(".onnx"):
        valid(tenon, target, options)


def convert_directly(tenon, source, target, *options):
    """From one dialect to ONNX without another between them, which nothing that
    lacks a rule may fall back to; TN_RULES: rules that are not built in yet."""
    rules = os.environ.get("TN_RULES")
    options = [*options, "--via", "onnx"]
    options += ["--rules", rules, "--only-rules"] if rules else []
    convert(tenon, source, target, *options)


# --- what was written is valid -----------------------------------------------------

# Causes for which a file may be refused by a checker; docs/formats/onnx.md
# lists them.  They are counted, everything else fails.
RANK = "rank of an input or output unknown"
CAUSES = collections.Counter()


@functools.cache
def changes():
    """The opsets of ONNX's own operators, by name."""
    found, domain = collections.defaultdict(list), ""
    with open(os.path.join(HERE, "..", "..", "rules", "onnx.ops")) as file:
        for line in file:
            words = line.split()
            if line.startswith("domain "):
                domain = words[1]
            elif line.startswith("op ") and domain == "ai.onnx":
                name, _, version = words[1].partition("@")
                found[name].append(int(version))
    return found


def lowered(path):
    """The model as far as Debian's checker knows it, which is opset 17: an
    operator that came or changed after that stands in a domain of its own."""
    import onnx
    model = onnx.load(path, load_external_data=False)
    model.ir_version = min(model.ir_version, onnx.IR_VERSION)
    newest = onnx.defs.onnx_opset_version()
    opset = max(entry.version for entry in model.opset_import
                if entry.domain in ("", "ai.onnx"))
    graphs = [model.graph]
    while graphs:
        for node in graphs.pop().node:
            for attribute in node.attribute:
                graphs += [attribute.g] if attribute.HasField("g") else []
                graphs += attribute.graphs
            if node.domain in ("", "ai.onnx") and any(
                    newest < version <= opset
                    for version in changes()[node.op_type]):
                node.domain = "later"
    model.opset_import.add(domain="later", version=1)
    return model


def check_ours(tenon, path):
    words = ["check", "--json", path]
    converter = Converter.of(tenon, os.getpid())
    code, printed = converter.run(words) if converter else (None, None)
    if code is None:
        done = subprocess.run([tenon, *words], text=True, check=False,
                              stdout=subprocess.PIPE, timeout=120)
        code, printed = done.returncode, done.stdout
    if code == 0:
        return
    files = json.loads(printed)["files"]
    rules = {finding["rule"] for file in files for finding in file["findings"]
             if finding["severity"] != "note"}
    if rules != {"missing-shape"}:
        raise Differs(f"tenon check: {files[0]['findings'][0]}")


def valid(tenon, path, options):
    """A file that a conversion wrote passes `tenon check` and onnx.checker; that
    an engine loads it, the caller sees when he runs it."""
    import onnx.checker
    if "--allow" in options:
        CAUSES["operators kept by --allow"] += 1
        return
    CAUSES["files"] += 1
    check_ours(tenon, path)
    try:
        onnx.checker.check_model(lowered(path))
    except onnx.checker.ValidationError as error:
        if "Field 'shape' of 'type' is required but missing" not in str(error):
            raise Differs(f"onnx.checker: {told(error)}") from error
        CAUSES[RANK] += 1


def causes(counted):
    files = counted["files"]
    rest = ", ".join(f"{number} with {cause}" for cause, number
                     in sorted(counted.items()) if cause != "files")
    return f"{files} ONNX files written, all valid" + (f"; {rest}" if rest else "")


def computing(path, idle=IDLE):
    """How many nodes of an ONNX file are none of the idle ones."""
    import onnx
    count = 0
    graphs = [onnx.load(path, load_external_data=False).graph]
    while graphs:
        for node in graphs.pop().node:
            count += node.op_type not in idle
            for attribute in node.attribute:
                graphs += [attribute.g] if attribute.HasField("g") else []
                graphs += attribute.graphs
    return count


# --- comparing -------------------------------------------------------------------

def compare(name, got, want, relative, absolute):
    """|got - want| <= absolute + relative * |want|; NaN equals NaN."""
    got, want = numpy.asarray(got), numpy.asarray(want)
    if want.dtype == object:
        want = want.astype(str)
    if got.dtype == object:
        got = got.astype(str)
    if got.shape != want.shape:
        raise Differs(f"{name}: shape {got.shape}, not {want.shape}")
    if got.dtype.kind != want.dtype.kind or (want.dtype.kind != "U" and
                                             got.dtype != want.dtype):
        raise Differs(f"{name}: {got.dtype}, not {want.dtype}")
    if want.dtype.kind not in "fc":
        same = got == want
    else:
        wide = "c16" if want.dtype.kind == "c" else "f8"
        got, want = got.astype(wide), want.astype(wide)
        with numpy.errstate(invalid="ignore"):
            same = ((got == want) | (numpy.isnan(got) & numpy.isnan(want)) |
                    (numpy.abs(got - want) <= absolute +
                     relative * numpy.abs(want)))
    if not numpy.all(same):
        at = int(numpy.argmin(numpy.asarray(same).reshape(-1)))
        raise Differs(f"{name}[{at}]: {got.reshape(-1)[at]}, "
                      f"not {want.reshape(-1)[at]}")


# --- the judge of nd4j -------------------------------------------------------------

class Nd4j:
    """The evaluator of libnd4j's semantics, in this process."""

    def __init__(self, path):
        spec = importlib.util.spec_from_file_location("nd4j_eval", path)
        self.judge = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.judge)
        sys.setrecursionlimit(200000)

    @classmethod
    @functools.cache
    def find(cls, shared):
        path = os.path.join(shared, "judges", "nd4j_eval.py")
        return cls(path) if os.path.exists(path) else None

    def load(self, path):
        """The graph of a file, for several runs."""
        with open(path, "rb") as file:
            return self.judge.Graph(memoryview(file.read()),
                                    self.judge.Remarks(False, False, True))

    def run(self, path, inputs, want, graph=None):
        """Outputs by name; None: it does not cover an op of the graph."""
        judge = self.judge
        try:
            graph = graph or self.load(path)
            feeds = judge.match_feeds(graph, inputs) if inputs else {}
            names = {name: judge.variable_name(graph, name) for name in want}
            got = graph.run(feeds, list(names.values()), skip_dead=False)
            return {name: got[inner] for name, inner in names.items()}
        except judge.Unsupported:
            return None
        except (judge.FileError, judge.BadArgs, judge.GraphFailed) as error:
            raise Differs(f"nd4j_eval: {error}") from error
        except (IndexError, KeyError, ValueError, TypeError,
                ArithmeticError) as error:
            raise Differs(f"nd4j_eval gave up: {error!r}") from error


# --- running a suite -----------------------------------------------------------------

def told(error):
    """The first line, without the places of this run."""
    line = (str(error).splitlines() or [""])[0]
    line = re.sub(r"^tenon: \S+: ", "", line)
    return re.sub(r"/\S*/(?=[\w.-])", "", line)


def judged(prove, test, *context):
    """One test, in one of the states."""
    try:
        ops = prove(test, *context)
        return Result(test, "passed" if ops else "no ops", "", ops)
    except Unmapped as error:
        return Result(test, "unmapped", told(error), 0)
    except (Differs, engines.EngineError) as error:
        return Result(test, "failed", told(error), 0)


def shard(prove, tests, folder, arguments):
    CAUSES.clear()
    with engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(dir=folder) as scratch:
        results = [judged(prove, test, engine, scratch, arguments)
                   for test in tests]
    converter = Converter.of(arguments.tenon, os.getpid())
    if converter:
        converter.stop()
    return results, CAUSES


def run(prove, tests, arguments, jobs=2):
    """prove(test, engine, scratch folder, arguments) gives the number of ops
    that the engine computed, or raises."""
    tests = [test for test in tests
             if fnmatch.fnmatch(test, getattr(arguments, "only", None) or "*")]
    parts = [tests[index::jobs] for index in range(jobs)]
    engines.OnnxRuntime.find()
    with tempfile.TemporaryDirectory(prefix="tenon-proof-") as folder, \
            multiprocessing.Pool(jobs) as pool:
        results = pool.starmap(shard, [(prove, part, folder, arguments)
                                       for part in parts if part])
    for _, counted in results:
        CAUSES.update(counted)
    return sorted(result for part, _ in results for result in part)


# --- reports ---------------------------------------------------------------------------

def count(results):
    return {state: sum(result.state == state for result in results)
            for state in STATES}


def summary(title, results):
    counts = count(results)
    judged_tests = len(results) - counts["not run"]
    share = 100 * counts["passed"] / max(judged_tests, 1)
    told = ", ".join(f"{number} {state}" for state, number in counts.items()
                     if number)
    return f"{title}: {share:.1f} % of {judged_tests} ({told})", share


def rows(results):
    """Whatever did not pass, with its reason."""
    for result in results:
        if result.state not in ("passed", "not run"):
            reason = result.reason.replace("|", "\\|")[:160]
            yield f"| {result.test} | {result.state} | {reason} |"


def table(results):
    lines = ["| test | state | reason |", "|---|---|---|", *rows(results)]
    return "\n".join(lines) + "\n"


class Report:
    """A section of docs/conformance.md: it says what a run gave, and a run that
    gives something else fails, so that it stays true."""

    def __init__(self, path, name):
        self.path = path
        self.begin, self.end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"

    def parts(self):
        with open(self.path) as file:
            text = file.read()
        head, rest = text.split(self.begin)
        section, tail = rest.split(self.end)
        return head, section, tail

    def update(self, text):
        head, _, tail = self.parts()
        with open(self.path, "w") as file:
            file.write(head + self.begin + text + self.end + tail)

    def differences(self, results, is_complete):
        """Tests whose state is not what the report says.  Where a judge is
        missing, those that would have failed before it may pass."""
        said = {}
        for line in self.parts()[1].splitlines():
            words = [word.strip() for word in line.split(" | ")]
            if len(words) >= 3 and words[0].startswith("| "):
                said[words[0][2:]] = words[1]
        for result in results:
            state = result.state if result.state != "not run" else "passed"
            if state == "passed" and not is_complete:
                continue
            if said.get(result.test, "passed") != state:
                yield (f"{result.test}: {result.state}, not "
                       f"{said.get(result.test, 'passed')}: {result.reason}")


def conclude(title, results, arguments, name, extra=""):
    """Prints; writes or checks the report.  The exit code."""
    line, share = summary(title, results)
    print(line)
    print(causes(CAUSES))
    if not arguments.report:
        print(table(results))
        return 1 if share < arguments.least else 0
    report = Report(arguments.report, name)
    if arguments.update:
        report.update(f"\n{line}.\n\n{table(results)}{extra}\n")
    changed = list(report.differences(results,
                                      Nd4j.find(arguments.shared) is not None))
    print("\n".join(changed))
    return 1 if changed or share < arguments.least else 0


def parse(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("tenon")
    parser.add_argument("--only", help="tests that match this pattern")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--least", type=float, default=0,
                        help="the share that must pass, in percent")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true",
                        help="write the report instead of holding against it")
    parser.add_argument("--keep", help="a folder for what was converted")
    parser.add_argument("--nd4j", action="store_true",
                        help="judge the .fb alone")
    parser.add_argument("--direct", action="store_true",
                        help="without nd4j between the two dialects")
    parser.add_argument("--judged", help="a file for what nd4j_eval agrees to")
    return parser.parse_args()
