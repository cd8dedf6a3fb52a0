"""blame.py - which node of a model an engine fails at, and of what

    culprit(place, "back.onnx", feeds)      # "TopK of float32[0,3]", or None

The nodes of the graph are run from the first one on, fewer and more of them, until
the first is found that the engine does not run although it runs all before it.
"""
import onnx
import onnx.numpy_helper


def cut(model, count, outputs):
    """The model with its first nodes alone."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.node[count:]
    del made.graph.output[:]
    made.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs)
    return made


class Prefixes:
    def __init__(self, place, model, feeds):
        self.place, self.model, self.feeds = place, model, feeds

    def run(self, count, outputs):
        """What the first nodes give; None: the engine fails."""
        path = self.place.path("prefix.onnx")
        onnx.save(cut(self.model, count, outputs), path)
        found = self.place.engine.run_all([(path, self.feeds)])[0]
        return None if isinstance(found, Exception) else found

    def first_failure(self):
        """How many nodes run; the next one does not."""
        nodes = self.model.graph.node
        good, bad = 0, len(nodes)
        while good + 1 < bad:
            half = (good + bad) // 2
            names = [name for name in nodes[half - 1].output if name]
            if self.run(half, names) is None:
                bad = half
            else:
                good = half
        return good

    def inputs_of(self, node, count):
        """Arrays of its inputs, as far as they can be told."""
        arrays = {**self.feeds, **{one.name: onnx.numpy_helper.to_array(one)
                                   for one in self.model.graph.initializer}}
        made = [name for name in node.input if name and name not in arrays]
        if made:
            arrays.update(self.run(count, made) or {})
        return [arrays.get(name) for name in node.input]


def told(array):
    return "?" if array is None else \
        f"{array.dtype}[{','.join(map(str, array.shape))}]"


def places_dims(node, dims):
    """Of ArgMax and ArgMin: the dims that their definition says."""
    known = {one.name: one.i for one in node.attribute}
    axis = known.get("axis", 0) % len(dims)
    return tuple(1 if at == axis else size for at, size in enumerate(dims)
                 if at != axis or known.get("keepdims", 1))


def wrong_places(prefixes, count):
    """An ArgMax among the first nodes that has other dims than it must."""
    for at, node in enumerate(prefixes.model.graph.node[:count]):
        if node.op_type not in ("ArgMax", "ArgMin"):
            continue
        taken, given = prefixes.inputs_of(node, at)[0], prefixes.run(at + 1, node.output)
        if taken is None or given is None or not taken.ndim:
            continue
        dims = given[node.output[0]].shape
        if dims != places_dims(node, taken.shape):
            return f"{node.op_type} of {told(taken)} gives {dims}"
    return None


def culprit(place, path, feeds):
    """The node that the engine fails at, with what it takes; None: no node."""
    model = onnx.load(path)
    prefixes = Prefixes(place, model, feeds)
    names = [end.name for end in model.graph.output]
    if prefixes.run(len(model.graph.node), names) is not None:
        return None
    count = prefixes.first_failure()
    wrong = wrong_places(prefixes, count)
    if wrong:
        return wrong
    node = model.graph.node[count]
    taken = ", ".join(map(told, prefixes.inputs_of(node, count)))
    return f"{node.op_type} of {taken}"
