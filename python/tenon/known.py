"""Splitters of messages that are known: TensorFlow's and ONNX's.

They take messages of google.protobuf, which they change, and plain ones, and
can be children of other splitters.  What they take out is in
docs/splitting.md.
"""
import array
import math
import sys

from tenon import native
from tenon.messages import varint
from tenon.splitting import ComposableSplitter

# What a message chunk has at most, unless said: TensorFlow's in Python, in C++.
LIMITS = {"python": 1 << 30, "c++": (1 << 31) - 500}


class _KnownSplitter(ComposableSplitter):
    """
    max_size  of a chunk that is a message; None: 1 GiB, or with rules "c++"
              2^31 - 500
    rules     "python" or "c++": TensorFlow has two splitters, which differ in
              small things
    """
    _name = None  # of the library's own
    _type = None

    def __init__(self, proto, *, max_size=None, rules="python", **options):
        native.chosen(native.RULES, rules, "the rules")
        if max_size is not None and max_size < 1:
            raise ValueError("the largest chunk size must not be 0")
        super().__init__(proto, **options)
        self.rules = rules
        self.max_size = max_size or LIMITS[rules]

    def build_chunks(self):
        root, tags = self._from_root([])
        if root._is_plain():
            root._native.known(self._name, tags, native.SplitRule(
                native.RULES[self.rules], self.max_size))
            return
        found = self._proto.DESCRIPTOR.full_name
        if found != self._type:
            raise TypeError(f"a {type(self).__name__} splits a {self._type}, "
                            f"not a {found}")
        self._split()

    def _is_cpp(self):
        return self.rules == "c++"

    def _move(self, parent, name, tags):
        """Moves a message away, into chunk 1: it is read before what is inside
        of it.  Where it was, C++ leaves an empty one."""
        if not parent.HasField(name):
            return
        child = getattr(parent, name)
        chunk = type(child)()
        chunk.CopyFrom(child)
        parent.ClearField(name)
        if self._is_cpp():
            getattr(parent, name).SetInParent()
        self.add_chunk(chunk, tags, index=1)


# ---- constants ---------------------------------------------------------------

# By data type: the field of the values, the type code of one, how many a value.
_VALUES = {
    1: ("float_val", "f", 1), 2: ("double_val", "d", 1),
    3: ("int_val", "i", 1), 4: ("int_val", "B", 1), 5: ("int_val", "h", 1),
    6: ("int_val", "b", 1), 8: ("scomplex_val", "f", 2),
    9: ("int64_val", "q", 1), 10: ("bool_val", "b", 1),
    11: ("int_val", "b", 1), 12: ("int_val", "B", 1), 13: ("int_val", "i", 1),
    14: ("half_val", "H", 1), 15: ("int_val", "h", 1),
    16: ("int_val", "H", 1), 17: ("int_val", "H", 1),
    18: ("dcomplex_val", "d", 2), 19: ("half_val", "H", 1),
    22: ("uint32_val", "I", 1), 23: ("uint64_val", "Q", 1),
}
_STRING = 7

# The most that whole values grow: an int64 is one byte or more, then eight.
_MOST_GROWTH = 8


def _strings(values):
    """All lengths, then all bytes: what TensorFlow stores."""
    return b"".join(varint(len(value)) for value in values) + b"".join(values)


def content_of(tensor):
    """The elements of a TensorProto as its tensor_content has them: typed
    values are expanded to the whole shape, the last one again and again."""
    if tensor.tensor_content:
        return tensor.tensor_content
    count = math.prod(dim.size for dim in tensor.tensor_shape.dim)
    if tensor.dtype == _STRING:
        values = list(tensor.string_val)
        return _strings((values + values[-1:] * (count - len(values)))[:count])
    if tensor.dtype not in _VALUES:
        raise ValueError(f"a constant of data type {tensor.dtype} has no "
                         "content that could be a chunk")
    field, code, each = _VALUES[tensor.dtype]
    size = array.array(code).itemsize * each * count
    if size // _MOST_GROWTH > tensor.ByteSize():
        raise ValueError(f"a constant of {tensor.ByteSize()} bytes repeats its "
                         f"last value until it has {size}: too large to be "
                         "written out")
    values = array.array(code, getattr(tensor, field))
    last = values[-each:] if values else array.array(code, [0] * each)
    values += last * max(0, count - len(values) // each)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


# ---- TensorFlow --------------------------------------------------------------


class GraphDefSplitter(_KnownSplitter):
    """Splits a tensorflow.GraphDef: large nodes and the content of large
    constants become chunks, other nodes and functions are cut into slices."""
    _name = "graph_def"
    _type = "tensorflow.GraphDef"

    def _split(self):
        graph = self._proto
        total = graph.ByteSize()
        if total < self.max_size:
            return
        library = graph.library.ByteSize() if graph.HasField("library") else 0
        nodes = total - library
        if library > nodes:
            library -= self._split_functions(graph)
            if library + nodes > self.max_size:
                self._split_nodes(graph)
        else:
            nodes -= self._split_nodes(graph)
            if library + nodes > self.max_size:
                self._split_functions(graph)
        if graph.ByteSize() > self.max_size:
            self._move(graph, "library", ["library"])

    def _split_nodes(self, graph):
        return self._split_repeated(graph, "node", [], self._divide_node)

    def _split_functions(self, graph):
        if not graph.HasField("library"):
            return 0
        return self._split_repeated(graph.library, "function", ["library"],
                                    self._divide_function)

    def _divide_node(self, node, tags, size):
        """Takes out what a node is too large for; how many bytes that is."""
        gone = 0
        if size >= self.max_size + (not self._is_cpp()):
            gone = self._take_content(node, tags)
        if size - gone > self.max_size // 3:
            self._take(node, tags)
            gone = size
        return gone

    def _take_content(self, node, tags):
        if node.op != "Const":
            raise ValueError(f"node {node.name!r} has {node.ByteSize()} bytes: "
                             "of those that are too large only constants can "
                             f"be split, and this is a {node.op!r}")
        tensor = node.attr["value"].tensor
        content = content_of(tensor)
        small = type(tensor)(dtype=tensor.dtype,
                             version_number=tensor.version_number)
        if tensor.HasField("tensor_shape"):
            small.tensor_shape.CopyFrom(tensor.tensor_shape)
        tensor.CopyFrom(small)
        self.add_chunk(content, tags + ["attr", "value", "tensor",
                                        "tensor_content"])
        return len(content)

    def _take(self, element, tags):
        """An empty element stays, so that indices remain right."""
        chunk = type(element)()
        chunk.CopyFrom(element)
        element.Clear()
        self.add_chunk(chunk, tags)

    def _divide_function(self, function, tags, size):
        is_whole = (size < self.max_size if self._is_cpp()
                    else size <= self.max_size)
        if self.max_size // 3 < size and is_whole:
            self._take(function, tags)
            return size
        if size <= self.max_size:
            return 0
        return self._split_repeated(function, "node_def", tags,
                                    self._divide_node)

    def _split_repeated(self, parent, name, tags, divide):
        """Cuts what is left of the elements into slices.  In Python the first
        one stays, and the others are added when they begin; in C++ all leave,
        at the end, and an element counts 5 bytes more for its head."""
        elements = getattr(parent, name)
        before = parent.ByteSize()
        held = gone = 0
        cuts, slices = [], []
        for i, element in enumerate(elements):
            size = element.ByteSize()
            divided = divide(element, tags + [name, i], size)
            size -= divided
            gone += divided
            if (held + size > self.max_size if self._is_cpp()
                    else held + size >= self.max_size):
                cuts.append(i)
                if not self._is_cpp():
                    slices.append(self._add_slice(parent, tags))
                gone += held
                held = 0
            held += size + (5 if self._is_cpp() else 0)
        if not cuts:
            return before - parent.ByteSize() if self._is_cpp() else gone
        if self._is_cpp():
            cuts.insert(0, 0)
            slices = [self._add_slice(parent, tags) for _ in cuts]
        for i, message in enumerate(slices):
            end = cuts[i + 1] if i + 1 < len(cuts) else len(elements)
            getattr(message, name).extend(elements[cuts[i]:end])
        del elements[cuts[0]:]
        return before - parent.ByteSize() if self._is_cpp() else gone

    def _add_slice(self, parent, tags):
        message = type(parent)()
        self.add_chunk(message, tags)
        return message


class SavedModelSplitter(_KnownSplitter):
    """Splits a tensorflow.SavedModel: the graph of its first meta graph."""
    _name = "saved_model"
    _type = "tensorflow.SavedModel"

    def _split(self):
        model = self._proto
        tags = ["meta_graphs", 0, "graph_def"]
        if (model.ByteSize() < self.max_size or not model.meta_graphs or
                not model.meta_graphs[0].HasField("graph_def")):
            return
        meta = model.meta_graphs[0]
        GraphDefSplitter(meta.graph_def, max_size=self.max_size,
                         rules=self.rules, parent_splitter=self,
                         fields_in_parent=tags).build_chunks()
        if model.ByteSize() >= self.max_size:
            self._move(meta, "graph_def", tags)


# ---- ONNX --------------------------------------------------------------------

# Content of at least so many bytes is a weight; or a third of the limit.
_WEIGHT = 64 << 10

# Where tensors are: the fields of a type that lead to them.
_LEADS = {
    "onnx.ModelProto": ("graph", "training_info", "functions"),
    "onnx.TrainingInfoProto": ("initialization", "algorithm"),
    "onnx.GraphProto": ("node", "initializer", "sparse_initializer"),
    "onnx.FunctionProto": ("node", "attribute_proto"),
    "onnx.NodeProto": ("attribute",),
    "onnx.AttributeProto": ("t", "g", "tensors", "graphs", "sparse_tensor",
                            "sparse_tensors"),
    "onnx.SparseTensorProto": ("values", "indices"),
}


def _inside(message):
    """(field tags, message) of all that may have tensors in it."""
    fields = message.DESCRIPTOR.fields_by_name
    for name in _LEADS.get(message.DESCRIPTOR.full_name, ()):
        if name not in fields:
            continue  # of an older schema
        if fields[name].label == fields[name].LABEL_REPEATED:
            for i, element in enumerate(getattr(message, name)):
                yield [name, i], element
        elif message.HasField(name):
            yield [name], getattr(message, name)


class ModelProtoSplitter(_KnownSplitter):
    """Splits an onnx.ModelProto: the raw_data of all weights first, then, if it
    is still too long, the rest by size."""
    _name = "model_proto"
    _type = "onnx.ModelProto"

    def _split(self):
        if self._proto.ByteSize() <= self.max_size:
            return
        least = min(_WEIGHT, self.max_size // 3 + 1)
        self._walk(self._proto, [], least, self._take_raw)
        if self._proto.ByteSize() > self.max_size:
            # Weights as typed values.  What is left fits into memory twice.
            self._walk(self._proto, [], self.max_size // 3 + 1, self._take)
            root, tags = self._from_root([])
            root._sizes.append((tags, self.max_size))

    def _walk(self, message, tags, least, take):
        """Calls `take` for tensors of so many bytes, in the order of the
        message."""
        for more, inner in _inside(message):
            if inner.ByteSize() < least:
                continue
            if inner.DESCRIPTOR.full_name == "onnx.TensorProto":
                take(inner, tags + more, least)
            else:
                self._walk(inner, tags + more, least, take)

    def _take_raw(self, tensor, tags, least):
        if len(tensor.raw_data) >= least:
            data = tensor.raw_data
            tensor.raw_data = b""  # there, but empty: it comes back in place
            self.add_chunk(data, tags + ["raw_data"])

    def _take(self, tensor, tags, _least):
        chunk = type(tensor)()
        chunk.CopyFrom(tensor)
        tensor.Clear()
        self.add_chunk(chunk, tags)
