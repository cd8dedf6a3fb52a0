"""tensorflow_source.py - random graphs of TensorFlow for the differential tester

They go tensorflow -> nd4j -> onnx and must give in ONNX Runtime what numpy says.
"""
import collections
import os

import graphdef
import onnx

import bench
import kept
from bench import Fault

import random_tensorflow
import random_tensorflow_flow as flow
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


def names_of(step):
    """What its outputs are called."""
    return [step.name if at == 0 else f"{step.name}:{at}"
            for at, one in enumerate(step.outputs) if one is not None]


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
        if step.op in flow.PUT:
            flow.put(graph, step, names)
        else:
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
    known = wants(case)
    return trip_from(case, source, feeds, {name: known[name] for name in case.asked})


def trip_from(case, source, feeds, want):
    asked = [name if ":" in name else name + ":0" for name in want]
    ends = ["--outputs", ",".join(asked)]
    ends += ["--inputs", ",".join(feeds)] if feeds else []
    return bench.Trip(case, source, feeds, want, ends, asked)


def judge_all(place, cases):
    trips = [trip_of(place, case, at) for at, case in enumerate(cases)]
    place.travel(trips, ".fb", hold)
    return [trip.fault for trip in trips]


def judge(place, case):
    return judge_all(place, [case])[0]


def hold(trip, got):
    """trip.want: of each output what numpy says, and how far it may be off."""
    for (name, (array, error)), full in zip(trip.want.items(), trip.asked):
        if full not in got and name not in got:
            return Fault("ends", "outputs: one is missing")
        value = Value(str(array.dtype), array.shape, 0, 0, error)
        fault = bench.compare(value, got.get(full, got.get(name)), array)
        if fault:
            return fault
    graph = onnx.ModelProto.FromString(trip.content).graph
    if [end.name for end in graph.input] != list(trip.feeds):
        return Fault("ends", "inputs: other names")
    for end in graph.input:
        if end.type.tensor_type.elem_type != TYPES[str(trip.feeds[end.name].dtype)]:
            return Fault("ends", "inputs: other types")
    if [end.name.removesuffix(":0") for end in graph.output] != list(trip.want):
        return Fault("ends", "outputs: other order")
    return None


# --- smaller -----------------------------------------------------------------------

def shrink(place, case, fault):
    def fails(small):
        try:
            return bench.is_like(judge(place, small), fault)
        except Exception:
            return False

    for step in case.steps:
        small = Case([step], names_of(step))
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


# What random graphs must have, each in some of them; differential.py counts it.
FEATURES = ["float16", "float32", "float64", "bool", "int8", "uint8", "int32", "int64",
            *flow.PUT, "open dims", "empty dims", "scalars", "an output left out"]


def features_of(case):
    """Operators and features of a graph."""
    arrays = [one for step in case.steps for one in step.outputs if one is not None]
    used = {source.value for step in case.steps for source in step.inputs}
    found = {f"op {step.op}" for step in case.steps}
    found |= {step.op for step in case.steps if step.op in flow.PUT}
    found |= {str(array.dtype) for array in arrays}
    tests = {"open dims": any(step.is_open for step in case.steps),
             "empty dims": any(array.size == 0 for array in arrays),
             "scalars": any(array.ndim == 0 for array in arrays),
             "an output left out": any(
                 set(names_of(step)[1:]) - used - set(case.asked) for step in case.steps)}
    return sorted(found | {name for name, is_so in tests.items() if is_so})


# --- what is kept --------------------------------------------------------------------

def keep(folder, case):
    graph, feeds = build(case)
    graph.write(os.path.join(folder, "model.pb"))
    known = {name: wants(case)[name] for name in case.asked}
    kept.save(folder, feeds, {name: error for name, (_, error) in known.items()},
              {name: array for name, (array, _) in known.items()})
    return str(graph.proto)


def judge_kept(place, folder):
    feeds, errors, arrays = kept.load(folder)
    want = {name: (arrays[name], error) for name, error in errors.items()}
    trip = trip_from(None, os.path.join(folder, "model.pb"), feeds, want)
    place.travel([trip], ".fb", hold)
    return trip.fault
