"""random_onnx.py - random valid models of ONNX, each by the number of its seed

    model, feeds, values = model_of(seed)

`values` are the Values of the graph by name: how far two right engines may be
apart there is their `error`.
"""
import random

from random_flow import FLOWS, MOST_DEPTH
from random_graph import Graph
from random_operators import MAKERS

FIRST_OPSET, LAST_OPSET = 7, 24
FLOW_PERCENT = 7


def grow(graph):
    """One more operator."""
    if graph.depth < MOST_DEPTH and graph.opset >= 8 and graph.chance(FLOW_PERCENT):
        return graph.rng.choice(FLOWS)(graph, grow)
    fit = [(make, weight) for make, first, last, weight in MAKERS
           if first <= graph.opset <= last]
    make = graph.rng.choices([m for m, _ in fit], [w for _, w in fit])[0]
    return make(graph)


def model_of(seed):
    rng = random.Random(seed)
    graph = Graph(rng, rng.randint(FIRST_OPSET, LAST_OPSET))
    for _ in range(rng.randint(1, 9)):
        grow(graph)
    return graph.model()
