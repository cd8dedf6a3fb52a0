"""bench.py - a model before and after its conversions

    with Bench(tenon) as bench:
        bench.judge(case)       # None, or the Fault that a conversion made

A Case is a model of ONNX with what is fed, and of each output how far it may be
off.  A Fault has a kind, by which it stays the same while a case is made smaller,
and words.
"""
import collections
import os
import re
import sys
import tempfile

import numpy
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "judges"))

import proof

Case = collections.namedtuple("Case", "model feeds values")
Fault = collections.namedtuple("Fault", "kind why")
# How often an error bound may be passed: ulps of functions differ by engine.
SLACK = 4
# The ways a model goes before it comes back.
WAYS = (".fb", ".samediff")


class NotRun(Exception):
    """The engine does not run the original; or not as it must."""


def told(error):
    """The first line, without what differs from run to run."""
    line = proof.told(error)
    line = re.sub(r"\b(x|v|k|n|s|e|i|c|dead)\d+\b", r"\1", line)
    line = re.sub(r"\bnodes?\[\d+\]", "node", line)
    return line[:200]


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
    room = SLACK * value.error + 0.01 * value.most
    if not (array.min() >= value.low - room and array.max() <= value.high + room):
        raise NotRun("the engine's own numbers lie outside of what is possible")


# --- where it is tried -----------------------------------------------------------

class Bench:
    def __init__(self, tenon, options=()):
        self.tenon, self.options = tenon, options
        self.engine = proof.engines.OnnxRuntime.find(seconds=30)
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

    def original(self, case):
        path = self.path("original.onnx")
        onnx.save(case.model, path)
        try:
            made = self.run(path, case.feeds)
        except proof.engines.EngineError as error:
            raise NotRun(told(error)) from error
        for end in case.model.graph.output:
            if end.name in case.values:
                hold_bounds(case.values[end.name], made[end.name])
        return path, made

    def convert(self, source, target):
        proof.convert(self.tenon, source, target, *self.options)

    def judge(self, case):
        """None when all ways give what the original does."""
        source, want = self.original(case)
        seen = set()
        for way in WAYS:
            middle, back = self.path("middle" + way), self.path("back.onnx")
            try:
                self.convert(source, middle)
                self.convert(middle, back)
            except proof.Unmapped as error:
                return Fault("refused", told(error))
            except proof.Differs as error:
                return Fault("died", told(error))
            with open(back, "rb") as file:
                content = file.read()
            if content in seen:
                continue
            seen.add(content)
            fault = self.hold(case, want, back, content)
            if fault:
                return fault
        return None

    def hold(self, case, want, path, content):
        graph, after = case.model.graph, onnx.ModelProto.FromString(content).graph
        try:
            got = self.run(path, case.feeds)
        except proof.engines.EngineError as error:
            return Fault("engine", told(error))
        for end in graph.output:
            if end.name not in got:
                return Fault("ends", "outputs: one is missing")
            fault = compare(case.values[end.name], got[end.name], want[end.name])
            if fault:
                return fault
        return contract(ends_of(graph.input), ends_of(after.input), "input") or \
            contract(ends_of(graph.output), ends_of(after.output), "output")
