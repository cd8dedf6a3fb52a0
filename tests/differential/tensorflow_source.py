"""tensorflow_source.py - random graphs of TensorFlow for the differential tester

They go tensorflow -> nd4j -> onnx and must give in ONNX Runtime what numpy says.
"""
import collections
import os

import graphdef
import numpy
import onnx

import bench
from bench import Fault, proof

import random_tensorflow
from random_graph import Value

Case = collections.namedtuple("Case", "steps asked")
TYPES = {"float16": 10, "float32": 1, "float64": 11, "bool": 9, "int8": 3, "int16": 5,
         "int32": 6, "int64": 7, "uint8": 2, "uint16": 4, "uint32": 12, "uint64": 13}


def make(seed):
    steps = random_tensorflow.steps_of(seed)
    return Case(steps, random_tensorflow.results_of(seed, steps))


def dims_told(array, is_open):
    if is_open == "rank":
        return None
    if is_open == "sizes":
        return [None] * array.ndim
    return [None, *array.shape[1:]][:array.ndim] if is_open else array.shape


def wants(case):
    """Arrays and errors of what is asked for, by name."""
    found = {}
    for step in case.steps:
        for at, one in enumerate(step.outputs):
            found[step.name if at == 0 else f"{step.name}:{at}"] = (one, step.errors[at])
    return found


def build(case):
    """The graph, and what is fed."""
    graph, feeds, made = graphdef.Graph(), {}, set()
    for step in case.steps:
        names = []
        for at, source in enumerate(step.inputs):
            name = f"{step.name}/in{at}"
            if source.value in made:
                name = source.value
            elif source.is_fixed:
                graph.constant(name, source.array, source.dtype)
            else:
                graph.placeholder(name, source.array, dims_told(source.array, step.is_open))
                feeds[name] = source.array
            names.append(name)
        graph.add(step.op, step.name, names, step.attrs)
        for at, one in enumerate(step.outputs):
            if one is not None:
                value = step.name if at == 0 else f"{step.name}:{at}"
                graph.arrays[value] = one
                made.add(value)
    return graph, feeds


def trip_of(place, case, at):
    graph, feeds = build(case)
    source = place.path(f"{at}.pb")
    graph.write(source)
    ends = ["--outputs", ",".join(asked if ":" in asked else asked + ":0"
                                  for asked in case.asked)]
    ends += ["--inputs", ",".join(feeds)] if feeds else []
    return bench.Trip(case, source, feeds, None, ends)


def judge_all(place, cases):
    trips = [trip_of(place, case, at) for at, case in enumerate(cases)]
    place.travel(trips, ".fb", lambda trip, got: hold(
        trip.case, trip.feeds, got, onnx.ModelProto.FromString(trip.content).graph))
    return [trip.fault for trip in trips]


def judge(place, case):
    return judge_all(place, [case])[0]


def hold(case, feeds, got, graph):
    known = wants(case)
    for name in case.asked:
        array, error = known[name]
        full = name if ":" in name else name + ":0"
        if full not in got and name not in got:
            return Fault("ends", "outputs: one is missing")
        value = Value(str(array.dtype), array.shape, 0, 0, error)
        fault = bench.compare(value, got.get(full, got.get(name)), array)
        if fault:
            return fault
    if [end.name for end in graph.input] != list(feeds):
        return Fault("ends", "inputs: other names")
    for end in graph.input:
        if end.type.tensor_type.elem_type != TYPES[str(feeds[end.name].dtype)]:
            return Fault("ends", "inputs: other types")
    if [end.name.removesuffix(":0") for end in graph.output] != case.asked:
        return Fault("ends", "outputs: other order")
    return None


# --- smaller -----------------------------------------------------------------------

def shrink(place, case, fault):
    def fails(small):
        try:
            found = judge(place, small)
        except Exception:
            return False
        return found is not None and found.kind == fault.kind

    known = [(step, [step.name if at == 0 else f"{step.name}:{at}"
                     for at, one in enumerate(step.outputs) if one is not None])
             for step in case.steps]
    for step, names in known:
        small = Case([step], names)
        if fails(small):
            return fewer_outputs(small, fails)
    for step in list(case.steps):
        rest = [one for one in case.steps if one is not step]
        asked = [name for name in case.asked if name.split(":")[0] != step.name]
        if asked and rest and fails(Case(rest, asked)):
            case = Case(rest, asked)
    return fewer_outputs(case, fails)


def fewer_outputs(case, fails):
    for name in list(case.asked):
        rest = [one for one in case.asked if one != name]
        if rest and fails(Case(case.steps, rest)):
            case = Case(case.steps, rest)
    return case


def operators_of(case):
    found = dict.fromkeys(step.op for step in case.steps)
    return "+".join(found) if len(found) <= 4 else "several"


def keep(folder, case):
    graph, feeds = build(case)
    graph.write(os.path.join(folder, "model.pb"))
    proof.engines.save(os.path.join(folder, "feeds.npz"), feeds)
    numpy.savez(os.path.join(folder, "wants.npz"),
                **{name: wants(case)[name][0] for name in case.asked})
    return str(graph.proto)
