"""random_graph.py - a random ONNX graph under construction

A Value knows, besides type and dims, between which numbers it lies and how far
two right engines may be apart there: every operator adds its own rounding and
carries on what its inputs bring, so that a tolerance is never a guess.  What is
not exact never goes where a small difference becomes a large one (a comparison,
a rounding, an index).

    graph = Graph(random.Random(seed), opset)
    x = graph.take("float32", rank=2)           # from the graph, or an input
    y = graph.node("Tanh", [x], [x.like(-1, 1)])[0]
    model, feeds = graph.model()

Names are counted, so that a seed always gives the same bytes.
"""
import numpy
import onnx
from onnx import helper, numpy_helper

# The element types of ONNX, and what numpy holds them in.
CODES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5,
         "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11,
         "uint32": 12, "uint64": 13, "bfloat16": 16}
EPSILON = {"float16": 2.0 ** -10, "bfloat16": 2.0 ** -7,
           "float32": 2.0 ** -23, "float64": 2.0 ** -52}
FLOATS = ("float32", "float16", "float64")
WIDE_INTS = ("int32", "int64")
INTS = ("int64", "int32", "uint8", "int8", "int16", "uint16", "uint32", "uint64")
ALL = FLOATS + INTS + ("bool",)
GRID = 8            # floats are fed in eighths: sums of them are exact
NAMED_DIMS = "NMPQ"
OMITTED = "omitted"


def is_float(kind):
    return kind in EPSILON


def elements(dims):
    count = 1
    for size in dims:
        count *= size
    return count


class Value:
    __slots__ = ("name", "kind", "dims", "low", "high", "error", "is_exact")

    def __init__(self, kind, dims, low, high, error=0.0, is_exact=True):
        self.name = ""
        self.kind, self.dims = kind, tuple(dims)
        self.low, self.high = low, high
        self.error, self.is_exact = error, is_exact

    @property
    def rank(self):
        return len(self.dims)

    @property
    def most(self):
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high), 2.0 ** -10)

    @property
    def is_rough(self):
        """Too far from exact to be worth a comparison."""
        return is_float(self.kind) and self.error > 0.02 * self.most

    def like(self, low=None, high=None, dims=None, kind=None):
        """The same, moved: whatever bounds it had hold again."""
        return Value(kind or self.kind, self.dims if dims is None else dims,
                     self.low if low is None else low,
                     self.high if high is None else high,
                     self.error, self.is_exact)


def rounded(kind, dims, low, high, error=0.0, ulps=1.0):
    """What a computation gives: the error of its inputs, and its own."""
    most = max(abs(low), abs(high), 2.0 ** -10)
    own = ulps * EPSILON.get(kind, 0.0) * most
    return Value(kind, dims, low, high, error + own, not is_float(kind))


class Graph:
    """One graph, or the body of one: `outer` is the graph around it."""

    def __init__(self, rng, opset, outer=None):
        self.rng, self.opset, self.outer = rng, opset, outer
        self.nodes, self.values, self.kept = [], [], []
        self.inputs, self.feeds, self.constants = [], {}, []
        self.counter = outer.counter if outer else [0]
        self.inner = outer.inner if outer else {}       # values of bodies, by name
        self.depth = outer.depth + 1 if outer else 0
        self.used = set()

    # --- names and arrays ------------------------------------------------------

    def name(self, word):
        self.counter[0] += 1
        return f"{word}{self.counter[0]}"

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def array(self, kind, dims, low, high):
        """Random numbers that the type holds exactly."""
        count = elements(dims)
        if kind == "bool":
            numbers = [self.rng.randrange(2) for _ in range(count)]
        elif is_float(kind):
            numbers = [self.rng.randint(round(low * GRID), round(high * GRID)) / GRID
                       for _ in range(count)]
        else:
            numbers = [self.rng.randint(int(low), int(high)) for _ in range(count)]
        held = "float32" if kind == "bfloat16" else kind
        return numpy.array(numbers, held).reshape(dims)

    def dims(self, rank=None, least=1, most=4):
        if rank is None:
            rank = self.rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))
        sizes = [self.rng.randint(least, most) for _ in range(rank)]
        if least == 1 and rank and self.chance(4):
            sizes[self.rng.randrange(rank)] = 0
        return tuple(sizes)

    # --- values ----------------------------------------------------------------

    def bounds(self, kind):
        if kind == "bool":
            return 0, 1
        if is_float(kind):
            return self.rng.choice(((-2, 2), (-2, 2), (0.25, 2), (-1, 1)))
        return (0, 9) if kind.startswith("u") else (-5, 9)

    def fixed(self, array, low=None, high=None):
        """A constant: an initializer, or a node that gives it."""
        array = numpy.asarray(array)
        kind = str(array.dtype)
        numbers = array.astype("f8").reshape(-1)
        value = Value(kind, array.shape,
                      float(numbers.min()) if numbers.size else 0,
                      float(numbers.max()) if numbers.size else 0)
        tensor = numpy_helper.from_array(array, self.name("k"))
        value.name = tensor.name
        self.constants.append(value)
        if self.opset >= 8 and self.chance(70):
            self.kept.append(tensor)
        else:
            self.nodes.append(helper.make_node("Constant", [], [value.name],
                                               value=tensor))
        return value

    def fed(self, array, low, high):
        """An input of the graph."""
        value = Value(str(array.dtype), array.shape, low, high)
        value.name = self.name("x")
        self.inputs.append((value, self.declared(array.shape)))
        self.feeds[value.name] = array
        return value

    def declared(self, dims):
        """What the model says of an input's dims: all of them, or names."""
        if not self.chance(30):
            return list(dims)
        return [NAMED_DIMS[size % 4] + str(size) if self.chance(50) else size
                for size in dims]

    def fresh(self, kind, dims, low=None, high=None):
        """A value that nothing computed."""
        if low is None:
            low, high = self.bounds(kind)
        array = self.array(kind, dims, low, high)
        if kind == "bfloat16":
            value = self.fresh("float32", dims, low, high)
            return self.node("Cast", [value], [value.like(kind=kind)], to=16)[0]
        if self.outer or self.chance(25):
            value = self.fixed(array)
        else:
            value = self.fed(array, low, high)
        value.low, value.high = low, high
        self.values.append(value)
        return value

    def visible(self):
        return self.values + (self.outer.visible() if self.outer else [])

    def find(self, test):
        """One of the newest values that pass, or None."""
        fit = [value for value in self.visible() if test(value)]
        if not fit:
            return None
        near = fit[-6:] if not self.outer else fit
        return self.rng.choice(near if self.chance(70) else fit)

    def take(self, kinds, rank=None, dims=None, low=None, high=None,
             is_exact=False, least=0, sizes=None):
        """A value of the graph that is so, or a new one."""
        kinds = (kinds,) if isinstance(kinds, str) else kinds
        kind = None if self.chance(70) else self.rng.choice(kinds)

        def fits(value):
            return (value.kind in kinds and (kind is None or value.kind == kind) and
                    (rank is None or value.rank == rank) and
                    (dims is None or value.dims == tuple(dims)) and
                    (low is None or value.low >= low) and
                    (high is None or value.high <= high) and
                    (not is_exact or value.is_exact) and value.rank >= least and
                    (sizes is None or sizes(value.dims)) and not value.is_rough)

        found = self.find(fits) if self.chance(85) else None
        if found:
            return found
        kind = kind or self.rng.choice(kinds)
        if dims is None:
            dims = self.dims(rank)
            while len(dims) < least or (sizes and not sizes(dims)):
                dims = self.dims(rank if rank is not None else
                                 self.rng.randint(max(least, 1), 4))
        elif self.chance(50):
            other = self.find(lambda v: fits(v.like(dims=dims)) and
                              0 < elements(v.dims) <= 64 and v.rank <= 4)
            if other:
                return self.shaped(other, dims)
        return self.fresh(kind, dims, *self.within(kind, low, high))

    def within(self, kind, low, high):
        """Bounds for new numbers, between others where these are given."""
        first, last = self.bounds(kind)
        low = first if low is None else max(first, low)
        high = last if high is None else min(last, high)
        return (low, high) if low <= high else (low, low + 2) if low > last else \
            (high - 2, high)

    def shaped(self, value, dims):
        """The elements of a value, again and again, in other dims."""
        if value.dims == tuple(dims):
            return value
        if elements(value.dims) != elements(dims):
            value = self.reshape(value, (elements(value.dims),))
            indices = numpy.arange(elements(dims), dtype="i8") % value.dims[0]
            value = self.node("Gather", [value, self.fixed(indices)],
                              [value.like(dims=indices.shape)], axis=0)[0]
        return self.reshape(value, dims)

    def reshape(self, value, dims):
        if value.dims == tuple(dims):
            return value
        return self.node("Reshape", [value, self.fixed(numpy.array(dims, "i8"))],
                         [value.like(dims=dims)])[0]

    # --- nodes -----------------------------------------------------------------

    def node(self, op, inputs, made, **attributes):
        """Puts a node; an input None is left out, an output None is named and
        nobody uses it, an output OMITTED has no name."""
        names = [value.name if value else "" for value in inputs]
        while names and not names[-1]:
            names.pop()
        outs = []
        for value in made:
            if value is None or value is OMITTED:
                outs.append("" if value is OMITTED else self.name("dead"))
                continue
            value.name = self.name("v")
            outs.append(value.name)
            self.values.append(value)
            if self.outer:
                self.inner[value.name] = value
        while outs and not outs[-1]:
            outs.pop()
        self.used.update(names)
        attributes = {key: kept for key, kept in attributes.items()
                      if kept is not None}
        self.nodes.append(helper.make_node(op, names, outs,
                                           name=self.name("n"), **attributes))
        return made

    # --- taking back -----------------------------------------------------------

    def marks(self):
        return [len(one) for one in self.growing()]

    def growing(self):
        return self.nodes, self.values, self.kept, self.inputs, self.constants

    def forget(self, marks):
        """All that came after the marks."""
        for one, mark in zip(self.growing(), marks):
            del one[mark:]
        known = {value.name for value, _ in self.inputs}
        self.feeds = {name: array for name, array in self.feeds.items() if name in known}
        self.used = {name for node in self.nodes for name in node.input}

    def by_name(self):
        return {**self.inner, **{value.name: value for value in self.constants +
                                 self.values + [value for value, _ in self.inputs]}}

    # --- the whole -------------------------------------------------------------

    def results(self, most=4):
        """What the graph gives: what nobody used, and perhaps more."""
        open_ends = [v for v in self.values if not v.is_rough and
                     v.kind != "bfloat16" and v.name not in self.feeds and
                     not any(v.name == kept.name for kept in self.kept)]
        if not open_ends:
            value = self.fresh("float32", (2,))
            open_ends = self.node("Identity", [value], [value.like()])
        last = [v for v in open_ends if v.name not in self.used] or open_ends
        count = min(len(last), self.rng.randint(1, most))
        chosen = self.rng.sample(last, count)
        if self.chance(30):
            chosen.append(self.rng.choice(open_ends))
        return list({value.name: value for value in chosen}.values())

    def model(self):
        """The model, its feeds, and the Values of it by name."""
        results = self.results()
        ends = [helper.make_tensor_value_info(value.name, CODES[value.kind], dims)
                for value, dims in self.inputs]
        outs = [helper.make_tensor_value_info(
            value.name, CODES[value.kind],
            [None if self.inputs and any(isinstance(d, str) for _, dims in
                                         self.inputs for d in dims)
             else size for size in value.dims]) for value in results]
        graph = helper.make_graph(self.nodes, "g", ends, outs, self.kept)
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", self.opset)])
        model.ir_version = 8 if self.opset < 19 else 10
        return model, self.feeds, self.by_name()
