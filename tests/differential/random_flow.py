"""random_flow.py - If, Loop and Scan for random graphs

Bodies are graphs of their own that see the values around them.  What a loop
carries is held between bounds, and its error under one, by its last node: so
bounds and error hold after every turn, however many there are.
"""
import numpy
import onnx
from onnx import helper

from random_graph import CODES, EPSILON, Graph, Value, is_float, rounded

MOST_DEPTH = 2
CARRIED = ("float32", "float32", "int64", "int32", "bool")


def ends(values):
    return [helper.make_tensor_value_info(value.name, CODES[value.kind], value.dims)
            for value in values]


def body_graph(body, inputs, outputs, word):
    """Outputs of a body often do not say what they are; those of a Scan must."""
    is_silent = [word != "scan" and body.chance(40) for _ in outputs]
    return helper.make_graph(body.nodes, word, ends(inputs),
                             [onnx.ValueInfoProto(name=value.name) if silent
                              else ends([value])[0]
                              for value, silent in zip(outputs, is_silent)], body.kept)


def fill(body, grow, count=3):
    for _ in range(body.rng.randint(0, count)):
        grow(body)


def copied(body, value):
    """Its own value in this body: what is captured goes through a node."""
    return body.node("Identity", [value], [value.like()])[0]


def own(body, value):
    """What a node of this body gives.  (ONNX Runtime leaves the memory of a Scan's
    state as it was where the body hands one input on as another's output.)"""
    if any(value.name in node.output for node in body.nodes):
        return value
    return copied(body, value)


# --- If ------------------------------------------------------------------------

def results_like(body, wanted):
    """Values of the types and dims of others."""
    return [own(body, body.take(value.kind, dims=value.dims)) for value in wanted]


def distinct(body, values):
    """No value twice: an output is one name."""
    made = []
    for value in values:
        made.append(copied(body, value) if any(value is m for m in made) else value)
    return made


def condition(graph):
    if graph.chance(60):
        return graph.take("bool", dims=())
    return graph.fresh("bool", ())


def choose(graph, grow):
    """An If of one to three outputs."""
    flag = condition(graph)
    one, other = Graph(graph.rng, graph.opset, graph), Graph(graph.rng, graph.opset, graph)
    fill(one, grow)
    kinds = set(CODES) - {"bfloat16"}
    candidates = [v for v in one.visible() if v.kind in kinds and not v.is_rough]
    if not candidates:
        return
    count = graph.rng.randint(1, 3)
    mine = distinct(one, [own(one, graph.rng.choice(candidates)) for _ in range(count)])
    fill(other, grow)
    theirs = distinct(other, results_like(other, mine))
    made = [Value(a.kind, a.dims, min(a.low, b.low), max(a.high, b.high),
                  max(a.error, b.error), a.is_exact and b.is_exact)
            for a, b in zip(mine, theirs)]
    graph.node("If", [flag], made, then_branch=body_graph(one, [], mine, "then"),
               else_branch=body_graph(other, [], theirs, "else"))


# --- what is carried -------------------------------------------------------------

def state(graph, kind=None):
    """A value to carry, and the bounds that it keeps."""
    kind = kind or graph.rng.choice(CARRIED)
    low, high = {"bool": (0, 1), "float32": (-2, 2)}.get(kind, (0, 9))
    first = graph.take(kind, low=low, high=high)
    kept = Value(kind, first.dims, low, high, 4000 * EPSILON.get(kind, 0), not is_float(kind))
    return first, kept


def held_in(body, value, kept):
    """The value, put between the bounds of what is carried."""
    if value.kind == "bool":
        return own(body, value)
    if is_float(value.kind):
        if value.error > kept.error or value.is_rough:
            value = body.fresh(kept.kind, kept.dims, kept.low, kept.high)
        return body.node("Tanh", [value], [rounded(value.kind, value.dims, -1, 1,
                                                   value.error, 16)])[0]
    if value.low >= kept.low and value.high <= kept.high:
        return own(body, value)
    if body.opset < 12:
        value = body.fresh(kept.kind, kept.dims, kept.low, kept.high)
        return own(body, value)
    most = body.fixed(numpy.array(kept.high, kept.kind))
    least = body.fixed(numpy.array(kept.low, kept.kind))
    low = body.node("Min", [value, most], [value.like(kept.low, kept.high)])[0]
    return body.node("Max", [low, least], [low.like()])[0]


def next_of(body, kept):
    """What a turn makes of the state: something of its type and dims."""
    value = body.take(kept.kind, dims=kept.dims) if body.chance(70) else \
        body.find(lambda v: v is kept)
    return held_in(body, value or kept, kept)


def enter(body, kept, word):
    kept.name = body.name(word)
    body.values.append(kept)
    return kept


# --- Loop ----------------------------------------------------------------------

def turns(graph):
    """A trip count, as a value."""
    count = graph.rng.choice((0, 1, 2, 2, 3))
    array = numpy.array(count, "i8")
    if graph.outer or graph.chance(50):
        return count, graph.fixed(array)
    return count, graph.fed(array, 0, 3)


def go_on(body, counter, count):
    """The condition of a body, and how often that lets it run."""
    if body.chance(60):
        return body.node("Identity", [body.flag], [Value("bool", (), 0, 1)])[0], count
    last = body.rng.randint(0, 2)
    limit = body.fixed(numpy.array(last, "i8"))
    flag = body.node("Less", [counter, limit], [Value("bool", (), 0, 1)])[0]
    return flag, min(count, last + 1)


def repeat(graph, grow):
    if graph.opset < 9:
        return
    count, trips = turns(graph)
    body = Graph(graph.rng, graph.opset, graph)
    counter = enter(body, Value("int64", (), 0, 3), "i")
    body.flag = enter(body, Value("bool", (), 1, 1), "c")
    pairs = [state(graph) for _ in range(graph.rng.randint(1, 2))]
    carried = [enter(body, kept, "s") for _, kept in pairs]
    fill(body, grow)
    following = distinct(body, [next_of(body, kept) for kept in carried])
    scans = stacked(body)
    flag, count = go_on(body, counter, count)
    told = body_graph(body, [counter, body.flag, *carried], [flag, *following, *scans], "loop")
    yes = graph.fixed(numpy.array(True)) if graph.opset < 11 or graph.chance(60) else None
    made = [Value(k.kind, k.dims, min(k.low, f.low), max(k.high, f.high), k.error,
                  k.is_exact) for (f, k) in pairs]
    made += [v.like(dims=(count, *v.dims)) for v in scans]
    unused(graph, made)
    graph.node("Loop", [trips, yes, *(first for first, _ in pairs)], made, body=told)


def stacked(body):
    """Values of a turn that are kept from every turn."""
    fit = [v for v in body.values if v.kind in CODES and v.kind != "bfloat16" and
           v.rank < 4 and not v.is_rough]
    chosen = body.rng.sample(fit, min(len(fit), body.rng.randint(0, 2)))
    return [copied(body, value) for value in chosen]


def unused(graph, made):
    for at in range(len(made) - 1):
        if graph.chance(10):
            made[at] = None


# --- Scan ----------------------------------------------------------------------

def walk(graph, grow):
    if graph.opset < 9:
        return
    x = graph.take(("float32", "int64", "int32"), least=1,
                   sizes=lambda dims: 0 not in dims)
    axis = graph.rng.randrange(x.rank)
    count = x.dims[axis]
    body = Graph(graph.rng, graph.opset, graph)
    pairs = [state(graph) for _ in range(graph.rng.randint(0, 2))]
    carried = [enter(body, kept, "s") for _, kept in pairs]
    piece = enter(body, x.like(dims=(*x.dims[:axis], *x.dims[axis + 1:])), "e")
    fill(body, grow)
    following = distinct(body, [next_of(body, kept) for kept in carried])
    scans = stacked(body) or [copied(body, piece)]
    told = body_graph(body, [*carried, piece], [*following, *scans], "scan")
    places = [graph.rng.randint(0, value.rank) for value in scans]
    made = [Value(k.kind, k.dims, min(k.low, f.low), max(k.high, f.high), k.error,
                  k.is_exact) for (f, k) in pairs]
    made += [v.like(dims=(*v.dims[:at], count, *v.dims[at:])) for v, at in zip(scans, places)]
    back = graph.rng.choice((None, [0], [1]))
    turned = [graph.rng.randrange(2) for _ in scans] if graph.chance(30) else None
    graph.node("Scan", [*(first for first, _ in pairs), x], made, body=told,
               num_scan_inputs=1, scan_input_axes=[axis] if axis or graph.chance(50) else None,
               scan_output_axes=places if any(places) or graph.chance(50) else None,
               scan_input_directions=back, scan_output_directions=turned)


FLOWS = (choose, repeat, walk)
