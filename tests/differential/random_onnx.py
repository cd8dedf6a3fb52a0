"""random_onnx.py - random valid models of ONNX, each by the number of its seed

    model, feeds, values, opset = model_of(seed)

`values` are the Values of the graph by name: how far two right engines may be
apart there is their `error`.  A model of an opset before 7 is made for 7, and for
old_opsets.py to be written as it was.
"""
import random

from random_flow import FLOWS, MOST_DEPTH
from random_graph import Graph
from random_operators import MAKERS
import old_opsets

FIRST_OPSET, LAST_OPSET = 1, 24
FLOW_PERCENT = 7


def grow(graph):
    """One more operator."""
    if graph.depth < MOST_DEPTH and graph.opset >= 8 and graph.chance(FLOW_PERCENT):
        return graph.rng.choice(FLOWS)(graph, grow)
    fit = [(make, weight) for make, first, last, weight in MAKERS
           if first <= graph.opset <= last]
    make = graph.rng.choices([m for m, _ in fit], [w for _, w in fit])[0]
    return make(graph)


def grow_old(graph, opset):
    """One more operator that was there in an old opset, after some tries."""
    for _ in range(20):
        marks = graph.marks()
        grow(graph)
        known = graph.by_name()
        if all(old_opsets.fits(node, opset, known) for node in graph.nodes[marks[0]:]):
            return
        graph.forget(marks)


def model_of(seed):
    rng = random.Random(seed)
    opset = rng.randint(FIRST_OPSET, LAST_OPSET)
    graph = Graph(rng, max(opset, old_opsets.NEWER))
    for _ in range(rng.randint(1, 9)):
        if opset < old_opsets.NEWER:
            grow_old(graph, opset)
        else:
            grow(graph)
    return *graph.model(), opset
