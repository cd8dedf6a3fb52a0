"""shrink.py - makes a case that fails smaller, while it fails in the same way

    small = shrink(case, fails)         # fails(case): the kind of its fault

What a node gave is known from the engine that ran the original; so a node can be
taken out by feeding what it gave.  First each node is tried alone; then nodes are
taken out one by one, then outputs, inputs and attributes.  In the bodies of If, Loop and
Scan a constant takes the place of what a node gave.
"""
import numpy
import onnx
from onnx import helper, numpy_helper

from bench import Case, is_like
from random_graph import CODES


def captured(graph):
    """Names that a graph's nodes use and nothing in it makes."""
    made = {one.name for one in graph.input} | {one.name for one in graph.initializer}
    used = []
    for node in graph.node:
        used += used_by(node)
        made.update(node.output)
    return [name for name in used if name not in made] + \
        [end.name for end in graph.output if end.name not in made]


def used_by(node):
    names = [name for name in node.input if name]
    for attribute in node.attribute:
        if attribute.HasField("g"):
            names += captured(attribute.g)
    return names


def needed(nodes, outputs):
    """Those of the nodes that outputs hang on."""
    wanted, kept = set(outputs), []
    for node in reversed(nodes):
        if wanted & set(node.output):
            kept.insert(0, node)
            wanted.update(used_by(node))
    return kept, wanted


def rebuilt(case, nodes, outputs, arrays):
    """The case with these nodes alone: what is missing is fed."""
    graph = case.model.graph
    nodes, wanted = needed(nodes, outputs)
    made = {name for node in nodes for name in node.output}
    kept = [tensor for tensor in graph.initializer if tensor.name in wanted]
    made.update(tensor.name for tensor in kept)
    known = {end.name: end for end in graph.input}
    ends, feeds = [], {}
    for name in sorted(wanted - made - set(outputs) | (set(outputs) - made)):
        array = arrays.get(name)
        if array is None:
            return None
        feeds[name] = array
        ends.append(known.get(name) or helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype) if hasattr(
                helper, "np_dtype_to_tensor_dtype") else
            onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape))
    outs = []
    for name in outputs:
        declared = [end for end in graph.output if end.name == name]
        value = case.values[name]
        outs.append(declared[0] if declared else helper.make_tensor_value_info(
            name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[numpy.dtype(value.kind)],
            value.dims))
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    model.graph.CopyFrom(helper.make_graph(nodes, "g", ends, outs, kept))
    return Case(model, feeds, case.values, case.opset)


def filler(value, name):
    """A constant that a value could be."""
    if value is None or value.kind not in CODES or value.kind == "bfloat16":
        return None
    number = min(max(1, value.low), value.high)
    return numpy_helper.from_array(numpy.full(value.dims, number, value.kind), name)


def without(graph, at, values):
    """The graph without one of its nodes; None: it cannot be."""
    made = onnx.GraphProto()
    made.CopyFrom(graph)
    del made.node[at]
    constants = [filler(values.get(name), name) for name in graph.node[at].output if name]
    made.initializer.extend(one for one in constants if one is not None)
    return None if any(one is None for one in constants) else made


def smaller_bodies(graph, values, is_body=False):
    """The graph, each time with one node less in one of its bodies."""
    for at, node in enumerate(graph.node):
        made = without(graph, at, values) if is_body and node.op_type != "Constant" else None
        if made is not None:
            yield made
        for place, attribute in enumerate(node.attribute):
            if not attribute.HasField("g"):
                continue
            for body in smaller_bodies(attribute.g, values, True):
                made = onnx.GraphProto()
                made.CopyFrom(graph)
                made.node[at].attribute[place].g.CopyFrom(body)
                yield made


class Shrinker:
    def __init__(self, bench, fault, judge):
        self.bench, self.fault, self.judge = bench, fault, judge

    def fails(self, case):
        return case is not None and is_like(self.judge(case), self.fault)

    def arrays(self, case):
        """What every node of the original gives."""
        model = onnx.ModelProto()
        model.CopyFrom(case.model)
        del model.graph.output[:]
        names = [name for node in model.graph.node for name in node.output
                 if name in case.values and case.values[name].kind != "bfloat16"]
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
        path = self.bench.path("arrays.onnx")
        onnx.save(model, path)
        try:
            return {**self.bench.run(path, case.feeds), **case.feeds}
        except Exception:       # it was the engine's fault, then nothing is known
            return dict(case.feeds)

    def alone(self, case, arrays):
        """A node that fails by itself."""
        nodes = list(case.model.graph.node)
        for node in nodes:
            outs = [name for name in node.output if name in case.values and
                    case.values[name].kind != "bfloat16"]
            constants = [one for one in nodes if one.op_type == "Constant"]
            if not outs or node.op_type == "Constant":
                continue
            small = rebuilt(case, constants + [node], outs, arrays)
            if self.fails(small):
                return small
        return None

    def fewer_nodes(self, case, arrays):
        for node in list(case.model.graph.node):
            rest = [one for one in case.model.graph.node if one is not node]
            outs = [end.name for end in case.model.graph.output
                    if end.name not in node.output]
            small = rebuilt(case, rest, outs, arrays) if outs else None
            if self.fails(small):
                return small
        return None

    def fewer_outputs(self, case, arrays):
        outs = [end.name for end in case.model.graph.output]
        if len(outs) < 2:
            return None
        for gone in outs:
            small = rebuilt(case, list(case.model.graph.node),
                            [name for name in outs if name != gone], arrays)
            if self.fails(small):
                return small
        return None

    def fewer_attributes(self, case, arrays):
        for at, node in enumerate(case.model.graph.node):
            if node.op_type == "Constant":
                continue
            for key in [a.name for a in node.attribute if not a.HasField("g")]:
                model = onnx.ModelProto()
                model.CopyFrom(case.model)
                kept = [a for a in model.graph.node[at].attribute if a.name != key]
                del model.graph.node[at].attribute[:]
                model.graph.node[at].attribute.extend(kept)
                small = Case(model, case.feeds, case.values, case.opset)
                if self.fails(small):
                    return small
        return None

    def smaller_bodies(self, case, _):
        for graph in smaller_bodies(case.model.graph, case.values):
            model = onnx.ModelProto()
            model.CopyFrom(case.model)
            model.graph.CopyFrom(graph)
            small = Case(model, case.feeds, case.values, case.opset)
            if self.fails(small):
                return small
        return None

    def shrink(self, case, most=80):
        arrays = self.arrays(case)
        case = self.alone(case, arrays) or case
        steps = [self.fewer_outputs, self.fewer_nodes, self.smaller_bodies,
                 self.fewer_nodes, self.fewer_attributes]
        while steps and most:
            small = steps[0](case, arrays)
            most -= 1
            if small is None:
                steps.pop(0)
            else:
                case = small
        return case


def shrink(bench, case, fault):
    def judge(small):
        try:
            return bench.judge(small)
        except Exception:
            return None
    return Shrinker(bench, fault, judge).shrink(case)
