"""bench.py - a model before and after its conversions

    with Bench(tenon) as bench:
        bench.judge(case)       # None, or the Fault that a conversion made
        bench.judge_all(cases)  # of each, in much less time

A Case is a model of ONNX with what is fed, of each output how far it may be off, and the
opset that it is written in where the engine runs it in a later one.  A Fault has a kind, by which it stays the same while a case is made smaller,
and words.
"""
import collections
import json
import os
import re
import select
import sys
import tempfile

import numpy
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "judges"))

import blame
import old_opsets
import proof

Case = collections.namedtuple("Case", "model feeds values opset", defaults=[None])
Fault = collections.namedtuple("Fault", "kind why")
# How often an error bound may be passed: ulps of functions differ by engine.
SLACK = 4
# The ways a model goes before it comes back.
WAYS = (".fb", ".samediff")


def is_like(fault, other):
    """The same kind of fault; where an engine fails, also at the same operator."""
    return fault is not None and fault.kind == other.kind and \
        (fault.kind != "engine" or fault.why.split()[0] == other.why.split()[0])


class NotRun(Exception):
    """The engine does not run the original; or not as it must."""


def told(error):
    """The first line, without what differs from run to run."""
    line = proof.told(error)
    line = re.sub(r"\b(x|v|k|n|s|e|i|c|dead)\d+\b", r"\1", line)
    line = re.sub(r"graph\.[\w.\[\]]*node\[\d+\]|\bnodes?\[\d+\]", "node", line)
    line = re.sub(r"\b\d+\.(original|back)\.onnx", r"\1.onnx", line)
    line = re.sub(r"Cast_v\d+", "Cast", line)
    line = re.sub(r" \(and \d+ more ops?\)", "", line)
    return line[:400]


# --- what must hold --------------------------------------------------------------

def ends_of(values):
    """Names, types and dims, as they are declared."""
    found = []
    for value in values:
        tensor = value.type.tensor_type
        dims = [d.dim_param or d.dim_value if d.WhichOneof("value") else None
                for d in tensor.shape.dim] if tensor.HasField("shape") else None
        found.append((value.name, tensor.elem_type, dims))
    return found


def contract(before, after, word):
    """Order, names, types, ranks and named dims of inputs or outputs."""
    names, new_names = [one[0] for one in before], [one[0] for one in after]
    if names != new_names:
        what = "order" if sorted(names) == sorted(new_names) else "names"
        return Fault("ends", f"{word}s: other {what}")
    for (_, kind, dims), (_, new_kind, new_dims) in zip(before, after):
        if kind != new_kind:
            return Fault("ends", f"{word}s: type {new_kind}, not {kind}")
        if dims == [] and new_dims != []:
            return Fault("ends", f"{word}s: a scalar that is none any more")
        if word == "input" and dims != new_dims or \
                None not in (dims, new_dims) and len(dims) != len(new_dims):
            return Fault("ends", f"{word}s: other dims")
    return None


def compare(value, got, want):
    """Integers and truths as they are, floats within the error of the value."""
    if got.dtype != want.dtype:
        return Fault("type", f"{got.dtype}, not {want.dtype}")
    if got.shape != want.shape:
        return Fault("shape", f"{got.shape}, not {want.shape}")
    if want.dtype.kind not in "f":
        same = got == want
    else:
        got, want = got.astype("f8"), want.astype("f8")
        with numpy.errstate(invalid="ignore"):
            same = (got == want) | (numpy.isnan(got) & numpy.isnan(want)) | \
                (numpy.abs(got - want) <= SLACK * value.error)
    if numpy.all(same):
        return None
    at = int(numpy.argmin(numpy.asarray(same).reshape(-1)))
    return Fault("value", f"{got.reshape(-1)[at]}, not {want.reshape(-1)[at]} "
                          f"(+- {SLACK * value.error:.2g})")


def hold_bounds(value, array):
    """What a right engine gives lies where the operators say."""
    if array.shape != value.dims or str(array.dtype) != value.kind:
        raise NotRun(f"the engine gives {array.dtype}{array.shape}, "
                     f"not {value.kind}{value.dims}")
    if array.size == 0 or array.dtype.kind not in "fiu":
        return
    array = array.astype("f8")
    room = SLACK * value.error + 0.01 * value.most
    if not (array.min() >= value.low - room and array.max() <= value.high + room):
        raise NotRun("the engine's own numbers lie outside of what is possible")


# --- where it is tried -----------------------------------------------------------

class Engine(proof.engines.OnnxRuntime):
    """The engine with many models at once: nobody waits for an answer before he
    asks again, which is most of the time on a busy machine."""

    def put(self, job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()

    def start(self):
        super().start()
        self.unread = b""

    def answer(self):
        """None: it died, or does not answer.  Several answers may come at once,
        so what was read and not yet asked for is kept here."""
        pipe = self.process.stdout.fileno()
        while b"\n" not in self.unread:
            ready, _, _ = select.select([pipe], [], [], self.seconds)
            piece = os.read(pipe, 1 << 16) if ready else b""
            if not piece:
                self.stop()
                return None
            self.unread += piece
        line, self.unread = self.unread.split(b"\n", 1)
        return json.loads(line)

    def ask(self, job):
        found = self.ask_all([job])[0]
        return {"ok": False, "why": str(found)} if isinstance(found, Exception) \
            else {"ok": True}

    def run_all(self, jobs):
        """Of each job (model, feeds): outputs by name, or an EngineError."""
        asked = []
        for at, (model, feeds) in enumerate(jobs):
            files = [os.path.join(self.folder.name, f"{at}.{word}.npz")
                     for word in ("in", "out")]
            proof.engines.save(files[0], feeds)
            asked.append({"model": model, "inputs": files[0], "outputs": files[1],
                          "optimize": "disabled"})
        return self.ask_all(asked)

    def ask_all(self, asked):
        found = []
        while len(found) < len(asked):
            if not self.process or self.process.poll() is not None:
                self.start()
            waiting = asked[len(found):]
            for job in waiting:
                self.put(job)
            for job in waiting:
                answer = self.answer()
                found.append(self.outputs_of(job, answer))
                if answer is None:      # the rest goes to a new one
                    break
        return found

    @staticmethod
    def outputs_of(job, answer):
        if answer is None:
            return proof.engines.EngineError("the engine died, or gave no answer in time")
        if not answer["ok"]:
            return proof.engines.EngineError(answer["why"])
        with numpy.load(job["outputs"]) as arrays:
            return {name: arrays[name] for name in arrays.files}


def convert_all(tenon, jobs):
    """Of each job (source, target, options): None, or the Fault."""
    converter = proof.Converter.of(tenon, os.getpid())
    if not converter or len(jobs) == 1:
        return [convert_one(tenon, *job) for job in jobs]
    process, found = converter.process, []
    for source, target, options in jobs:
        words = ["convert", "--quiet", "--force", *options, source, "-o", target]
        process.stdin.write(("\t".join(words) + "\n").encode())
    process.stdin.flush()
    for job in jobs:
        line = process.stdout.readline()
        if not line:        # it died: once more, one by one, to see of what
            process.wait()
            proof.Converter.of.cache_clear()
            return found + [convert_one(tenon, *job) for job in jobs[len(found):]]
        code, size = map(int, line.split())
        found.append(fault_of(code, process.stdout.read(size).decode()))
    return found


def fault_of(code, printed):
    if code == 0:
        return None
    if code < 0 or code > 100:
        return Fault("died", f"exit code {code}")
    lines = [line for line in printed.splitlines() if line.strip()]
    return Fault("refused", told(lines[0] if lines else f"exit {code}"))


def convert_one(tenon, source, target, options):
    try:
        proof.convert(tenon, source, target, *options)
        return None
    except proof.Unmapped as error:
        return Fault("refused", told(error))
    except proof.Differs as error:
        return Fault("died", told(error))


class Trip:
    """A case on its way: what it must give, and what became of it."""

    def __init__(self, case, source, feeds, want, options, asked):
        self.case, self.source, self.feeds = case, source, feeds
        self.want, self.options, self.asked = want, options, asked
        self.fault, self.content, self.back = None, None, None


SHARED = os.path.join(os.path.dirname(HERE), "..", "..", "shared")


class Bench:
    def __init__(self, tenon, options=(), shared=SHARED):
        self.tenon, self.options = tenon, list(options)
        self.judge_of_nd4j = proof.Nd4j.find(shared)
        self.counts = collections.Counter()
        found = proof.engines.OnnxRuntime.find()
        self.engine = Engine(found.modules, seconds=120)
        found.folder.cleanup()
        self.folder = tempfile.TemporaryDirectory(prefix="tenon-differential-")

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.engine.__exit__()
        self.folder.cleanup()
        converter = proof.Converter.of(self.tenon, os.getpid())
        if converter:
            converter.stop()
            proof.Converter.of.cache_clear()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, path, feeds):
        return self.engine.run(path, feeds, optimize="disabled")

    def travel(self, trips, way, hold):
        """All trips that are still right go there and back."""
        left = [trip for trip in trips if trip.fault is None]
        for at, trip in enumerate(left):
            trip.middle, trip.back = self.path(f"{at}{way}"), self.path(f"{at}.back.onnx")
        for ends in (lambda t: (t.source, t.middle, self.options + t.options),
                     lambda t: (t.middle, t.back, [])):
            going = [trip for trip in left if trip.fault is None]
            for trip, fault in zip(going, convert_all(self.tenon,
                                                      [ends(t) for t in going])):
                trip.fault = fault
        self.hold_all([trip for trip in left if trip.fault is None], hold)
        if way == ".fb" and self.judge_of_nd4j:
            for trip in left:
                trip.fault = trip.fault or self.evaluate(trip, hold)

    def evaluate(self, trip, hold):
        """What the evaluator of libnd4j's semantics makes of the .fb."""
        try:
            with numpy.errstate(all="ignore"):
                got = self.judge_of_nd4j.run(trip.middle, trip.feeds, trip.asked)
        except proof.Differs as error:
            return Fault("nd4j", told(error))
        self.counts["not covered by the evaluator" if got is None else "evaluated"] += 1
        fault = hold(trip, got) if got is not None else None
        return Fault("nd4j", f"{fault.kind}: {fault.why}") if fault else None

    def hold_all(self, trips, hold):
        """What came back runs, unless it is what came back before."""
        new = []
        for trip in trips:
            with open(trip.back, "rb") as file:
                content = file.read()
            if content != trip.content:
                trip.content = content
                new.append(trip)
        made = self.engine.run_all([(trip.back, trip.feeds) for trip in new])
        for trip, got in zip(new, made):
            if isinstance(got, Exception):
                trip.fault = self.engine_fault(trip, got, hold)
            else:
                trip.fault = hold(trip, got)

    def engine_fault(self, trip, error, hold):
        """Of what the engine does not run: at which node, and of what."""
        node = blame.culprit(self, trip.back, trip.feeds)
        if node is None:        # it was not the model: somebody stopped the engine
            return hold(trip, self.run(trip.back, trip.feeds))
        return Fault("engine", f"{node}: {told(error)}"[:400])

    # --- models of ONNX ----------------------------------------------------------

    def written(self, case, path):
        """What is converted: the model that ran, or the same of an old opset."""
        if case.opset is None or case.opset >= old_opsets.NEWER:
            return path
        onnx.save(old_opsets.lowered(case.model, case.opset, case.values), path + ".old.onnx")
        return path + ".old.onnx"

    def originals(self, cases):
        """Trips of those that the engine runs; NotRun for the others."""
        paths = [self.path(f"{at}.original.onnx") for at in range(len(cases))]
        for case, path in zip(cases, paths):
            onnx.save(case.model, path)
        made = self.engine.run_all([(path, case.feeds)
                                    for case, path in zip(cases, paths)])
        for case, path, want in zip(cases, paths, made):
            try:
                if isinstance(want, Exception):
                    raise NotRun(told(want))
                for end in case.model.graph.output:
                    hold_bounds(case.values[end.name], want[end.name])
                yield Trip(case, self.written(case, path), case.feeds, want, [],
                           [end.name for end in case.model.graph.output])
            except NotRun as error:
                yield error

    def judge_all(self, cases):
        """Of each: None when all ways give what the original does, else a Fault;
        NotRun when there is nothing to hold it against."""
        trips = list(self.originals(cases))
        for way in WAYS:
            self.travel([trip for trip in trips if isinstance(trip, Trip)], way, hold_model)
        return [trip.fault if isinstance(trip, Trip) else trip for trip in trips]

    def judge(self, case):
        found = self.judge_all([case])[0]
        if isinstance(found, NotRun):
            raise found
        return found


def hold_model(trip, got):
    graph = trip.case.model.graph
    after = onnx.ModelProto.FromString(trip.content).graph
    for end in graph.output:
        if end.name not in got:
            return Fault("ends", "outputs: one is missing")
        fault = compare(trip.case.values[end.name], got[end.name], trip.want[end.name])
        if fault:
            return fault
    return contract(ends_of(graph.input), ends_of(after.input), "input") or \
        contract(ends_of(graph.output), ends_of(after.output), "output")
