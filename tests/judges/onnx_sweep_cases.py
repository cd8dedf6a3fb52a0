"""onnx_sweep_cases.py - every operator with rules, in every form and type

A form is a node: inputs, attributes, how many outputs.  It is tried in every
version of the operator that has those attributes and inputs, and with element
types that the version allows: in the newest version the first forms, which are
those of all ranks, with each type and the others with some, in turn; in older
ones each form with one type and one form with each.  Of a version that only
allows other types than the next a few forms are tried.

    v(2, 3)         an array that is fed, of the type of that argument
    v(values=[1])   the same, with these elements
    c(...)          a constant of the model
    s(...)          tried both ways
    None            left out
"""
import collections
import itertools
import zlib

import numpy

from onnx_schemas import SCHEMAS, ruled

# The last opset that ONNX Runtime runs.
NEWEST = 26
# Element types that numpy and the engine's interface have.
PLAIN = {"float32": "f4", "float64": "f8", "float16": "f2", "int8": "i1",
         "int16": "i2", "int32": "i4", "int64": "i8", "uint8": "u1",
         "uint16": "u2", "uint32": "u4", "uint64": "u8", "bool": "?",
         "string": "O"}
# Others are made by a Cast in the model: of arrays of these.
CARRIED = {"bfloat16": "float32", "float8e4m3fn": "float32",
           "float8e4m3fnuz": "float32", "float8e5m2": "float32",
           "float8e5m2fnuz": "float32", "int4": "int8", "uint4": "uint8"}
NUMBERS = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5,
           "int32": 6, "int64": 7, "string": 8, "bool": 9, "float16": 10,
           "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
           "float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19,
           "float8e5m2fnuz": 20, "uint4": 21, "int4": 22}
# How many forms are tried with each type, and with how many types others are.
WITH_EACH, TYPES_IN_TURN = 3, 1
# How many forms are tried of versions that differ by types alone; of some the
# meaning changed, too.
OF_OTHER_TYPES = 2
CHANGED = ("Softmax", "LogSoftmax", "Hardmax", "Upsample", "GroupNormalization",
           "Dropout", "BatchNormalization")
# Outputs of a type of their own, which an attribute tells: without it they are of
# the type of another argument.
LIKE = {"EyeLike": {"T2": "T1"}, "Bernoulli": {"T2": "T1"},
        "RandomNormalLike": {"T2": "T1"}, "RandomUniformLike": {"T2": "T1"},
        "DequantizeLinear": {"T3": "T2"}}
# What others are when one type is tried: the first that is allowed.
USUAL = ("float32", "int64", "uint8", "bool", "string")

# An input as the model has it; kind: its element type.
Input = collections.namedtuple("Input", "array kind is_held")
# outputs: element types by place, None for one that is left out; types: as
# assigned to the variables of the definition.
Case = collections.namedtuple("Case", "name op opset inputs outputs attributes"
                              " types is_random steps")
Form = collections.namedtuple("Form", "inputs attributes outputs since until"
                              " types is_random tag steps gives")

FORMS = collections.OrderedDict()


class v:
    is_held = False

    def __init__(self, *dims, values=None, low=-4, high=5, type=None,
                 is_whole=False):
        self.dims, self.values, self.type = dims, values, type
        self.is_whole = is_whole
        self.low, self.high = low, high

    def array(self, kind, random):
        if kind == "bfloat16":
            bits = numpy.asarray(self.array("float32", random)).view("u4")
            return numpy.asarray(bits & numpy.uint32(0xffff0000)).view("f4")
        kind = CARRIED.get(kind, kind)
        if self.values is not None:
            return made_of(numpy.array(self.values), kind)
        if kind == "string":
            return made_of(random.integers(0, 5, self.dims), kind)
        if kind == "bool":
            return random.integers(0, 2, self.dims).astype(bool)
        if kind.startswith("float") and not self.is_whole:
            return random.uniform(self.low, self.high, self.dims).astype(
                PLAIN[kind])
        low = max(self.low, 0) if kind.startswith("uint") else self.low
        return random.integers(int(numpy.ceil(low)), max(self.high, low + 1),
                               self.dims).astype(PLAIN[kind])


class c(v):
    is_held = True


class s(v):
    """Both, one after the other."""


def made_of(array, kind):
    if kind == "string" and array.dtype.kind not in "UO":
        words = numpy.array([f"w{int(x) % 5}" for x in array.reshape(-1)], object)
        return words.reshape(array.shape)
    if kind.startswith("uint") and array.dtype.kind in "if":
        array = numpy.abs(array)
    with numpy.errstate(invalid="ignore", over="ignore"):
        return array.astype(PLAIN[kind])


def form(op, *inputs, outputs=1, since=7, until=NEWEST, types=None, tag="",
         is_random=False, steps=None, gives=None, **attributes):
    """`outputs`: how many, or for each whether it is wanted.  `types`: which of
    those that the definition allows.  `steps`: a function that gives the nodes,
    for what a single one cannot show, with outputs of the types `gives`."""
    wanted = [True] * outputs if isinstance(outputs, int) else list(outputs)
    FORMS.setdefault(op, []).append(
        Form(inputs, attributes, wanted, since, until, types or {}, is_random,
             tag, steps, gives))


# ---- from forms to cases ----------------------------------------------------------

def fits(form_, schema):
    """Whether a version of the operator has such a node."""
    if not set(form_.attributes) <= schema.attributes or \
            not schema.needed <= set(form_.attributes):
        return False
    if form_.steps:
        return True
    if any(schema.input(i) is None for i in range(len(form_.inputs))):
        return False
    given = [i < len(form_.inputs) and form_.inputs[i] is not None
             for i in range(len(schema.inputs))]
    if any(arg.count in "1+" and not there
           for arg, there in zip(schema.inputs, given)):
        return False
    return len(form_.outputs) <= len(schema.outputs) or \
        schema.outputs[-1].count in "*+"


def usable(types):
    return [kind for kind in types if kind in NUMBERS]


def assignments(schema, form_):
    """Types for the variables, the usual ones first: each alone, then all."""
    allowed, narrowed = {}, form_.types
    variables = {"T": list(PLAIN)} if form_.steps else schema.types
    asked = {schema.input(at).type for at, item in enumerate(form_.inputs)
             if item is not None and not form_.steps} | {"T"} | set(narrowed)
    for name, types in variables.items():
        types = usable(types) if name in asked else []
        if name in narrowed:
            types = [kind for kind in types if kind in narrowed[name]]
        if types:
            allowed[name] = types
    usual = {name: next((kind for kind in USUAL if kind in types), types[0])
             for name, types in allowed.items()}
    found = [usual]
    for name, types in allowed.items():
        found += [{**usual, name: kind} for kind in types]
    for kind in NUMBERS:
        found.append({name: kind if kind in types else usual[name]
                      for name, types in allowed.items()})
    unique = []
    for types in found:
        if types not in unique:
            unique.append(types)
    return unique


def type_of(argument, types):
    return types.get(argument.type, argument.type)


def held_ways(form_):
    """Once, or once with constants and once with what is fed."""
    return (True, False) if any(type(x) is s for x in form_.inputs) else (True,)


def build(schema, form_, index, opset, types, is_first, is_chosen):
    word = "-".join(types[name] for name in sorted(types))
    for is_held in held_ways(form_):
        name = f"{schema.name}-{opset}-{index}{form_.tag}-{word}" + \
            ("" if is_held else "-fed")
        if not is_chosen(name, is_first):
            continue
        random = numpy.random.default_rng(zlib.crc32(name.encode()))
        inputs = []
        for at, item in enumerate(form_.inputs):
            if item is None:
                inputs.append(None)
                continue
            kind = item.type or type_of(schema.input(at), types)
            kind = types.get(kind, kind)
            if kind not in NUMBERS:
                return
            inputs.append(Input(item.array(kind, random), kind,
                                item.is_held or (type(item) is s and is_held)))
        made = {**{name: types[other] for name, other in
                   LIKE.get(schema.name, {}).items() if other in types}, **types}
        outputs = [type_of(schema.output(at), made) if is_wanted else None
                   for at, is_wanted in enumerate(form_.outputs)]
        if form_.gives:
            outputs = [types.get(kind, kind) for kind in form_.gives]
        attributes = {key: value(types) if callable(value) else value
                      for key, value in form_.attributes.items()}
        yield Case(name, schema.name, opset, inputs, outputs, attributes, types,
                   form_.is_random, form_.steps)


def cases_of(op, is_chosen=lambda name, is_first: True):
    """The cases of an operator.  `is_first`: of the newest version, and of the
    first form or the usual types."""
    versions = SCHEMAS[op]
    spans = [(schema, max(schema.since, 7),
              versions[i + 1].since - 1 if i + 1 < len(versions) else NEWEST)
             for i, schema in enumerate(versions)]
    spans = [span for span in spans if span[1] <= min(span[2], NEWEST)]
    for place, (schema, first, last) in enumerate(spans):
        newer = spans[place + 1][0] if place + 1 < len(spans) else None
        seen = turn = 0
        for index, form_ in enumerate(FORMS.get(op, [])):
            opset = max(first, form_.since)
            if opset > min(last, form_.until) or not fits(form_, schema):
                continue
            seen += 1
            # Forms of a few types do not take the turns of others.
            turn += not form_.types
            if newer and is_of_other_types(schema, newer) and \
                    seen > OF_OTHER_TYPES:
                break
            choices = assignments(schema, form_)
            for number, types in enumerate(choices):
                is_first = not newer and (seen == 1 or number == 0)
                if number == 0 or seen == 1 or not newer and (
                        is_in_turn(seen, number, len(choices)) or not form_.types
                        and is_in_turn(turn, number, len(choices))):
                    yield from build(schema, form_, index, opset, types, is_first,
                                     is_chosen)


def is_in_turn(seen, number, many):
    return seen <= WITH_EACH or (number - seen) % many < TYPES_IN_TURN


def is_of_other_types(schema, newer):
    """Whether versions differ by their types alone."""
    return schema.name not in CHANGED and \
        schema.attributes == newer.attributes and \
        [arg.count for arg in schema.inputs] == [arg.count for arg in newer.inputs]


# ---- shapes that many forms go through --------------------------------------------

RANKS = ((2, 3), (), (4,), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 1, 3))
EMPTY = ((0,), (2, 0, 3))
PAIRS = (((2, 3), (2, 3)), ((), ()), ((4,), ()), ((), (2, 2)), ((3, 1), (1, 4)),
         ((2, 3, 4), (3, 1)), ((2, 1, 3, 2), (2, 1, 2)),
         ((1, 2, 2, 1, 3), (2, 1, 1, 4, 1)), ((0,), (1,)), ((2, 0), (1, 1)),
         ((3, 4), (4,)))
SPECIAL = [0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, 0.5, -1.5, 2.5]
FLOATS = ("float16", "float32", "float64", "bfloat16")
REALS = {"T": FLOATS}
# Both ends of each type of integers.
ENDS = {kind: numpy.array([numpy.iinfo(PLAIN[kind]).min, 0, 1,
                           numpy.iinfo(PLAIN[kind]).max,
                           numpy.iinfo(PLAIN[kind]).max - 1], PLAIN[kind])
        for kind in PLAIN if kind.strip("u").startswith("int")}


def everywhere(op, *more, low=-4, high=5, **attributes):
    """One input of every rank."""
    for dims in RANKS + EMPTY:
        form(op, v(*dims, low=low, high=high), *more, **attributes)


for op in ("Abs Acosh Asinh Atan Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu"
           " HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not"
           " Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus"
           " Softsign Sqrt Swish Tan Tanh BitwiseNot").split():
    positive = op in ("Log", "Sqrt", "Reciprocal")
    everywhere(op, low=1 if positive or op == "Acosh" else -3, high=4)
    if op not in ("Not", "Identity", "BitwiseNot"):
        types = {key: FLOATS for key in ("T", "T1")}
        form(op, v(values=SPECIAL), types=types, tag="special")
for op in "Acos Asin Atanh".split():
    everywhere(op, low=-0.9, high=0.9)
    form(op, v(values=SPECIAL), tag="special")
for op in "Identity Abs Neg Sign BitwiseNot Relu".split():
    for kind, values in ENDS.items():
        form(op, v(values=values), types={"T": (kind,), "V": (kind,)}, tag="ends")
for key, values in (("alpha", (0.0, 0.7, -1.0, 2.0)),):
    for value in values:
        form("Elu", v(2, 3), alpha=value)
        form("LeakyRelu", v(2, 3), alpha=value)
        if value:
            form("Celu", v(2, 3), alpha=value)
        form("Swish", v(2, 3), alpha=value)
        form("ThresholdedRelu", v(2, 3), alpha=value)
        form("HardSigmoid", v(2, 3), alpha=value)
        form("HardSigmoid", v(2, 3), alpha=value, beta=0.1)
        form("Selu", v(2, 3), alpha=value)
        form("Selu", v(2, 3), alpha=value, gamma=1.3)
everywhere("ThresholdedRelu")
form("ThresholdedRelu", v(values=SPECIAL), tag="special")
form("HardSigmoid", v(2, 3), beta=0.25)
form("Selu", v(2, 3), gamma=2.0)
for kind in ("none", "tanh"):
    everywhere("Gelu", approximate=kind)
for bias, lambd in ((0.5, 0.7), (0.0, 1.5), (1.5, 0.0)):
    form("Shrink", v(3, 4), bias=bias, lambd=lambd)
form("Shrink", v(3, 4), bias=1.5)
form("Shrink", v(3, 4), lambd=2.0)
for down, up in itertools.product((0, 1), (0, 1)):
    form("IsInf", v(values=SPECIAL), detect_negative=down, detect_positive=up)
    form("IsInf", v(2, 0), detect_negative=down, detect_positive=up)
for first, second in PAIRS:
    form("SwiGLU", v(*first), v(*first))

for op in ("Add Sub Mul Div Equal Greater Less GreaterOrEqual LessOrEqual And Or"
           " Xor BitwiseAnd BitwiseOr BitwiseXor Max Min Mean Sum PRelu Pow"
           " Mod").split():
    low = 1 if op in ("Div", "Pow", "Mod") else -4
    for first, second in PAIRS:
        if op == "PRelu" and numpy.broadcast_shapes(first, second) != first:
            continue
        if op == "Mod":
            for fmod in (0, 1):
                form(op, v(*first, low=-9, high=9), v(*second, low=1, high=5),
                     fmod=fmod, types=REALS if fmod and first == () else None)
            form(op, v(*first, low=-9, high=9), v(*second, low=-5, high=-1),
                 fmod=1, tag="negative")
        else:
            form(op, v(*first, low=low), v(*second, low=low))
            form(op, v(*first, low=low), c(*second, low=low), tag="held")
for op in ("Equal Greater Less GreaterOrEqual LessOrEqual Max Min BitwiseAnd"
           " BitwiseOr BitwiseXor").split():
    for kind, values in ENDS.items():
        form(op, v(values=values[:, None]), v(values=values),
             types={"T": (kind,)}, tag="ends")
for op in "Equal Greater Less GreaterOrEqual LessOrEqual Max Min".split():
    column = numpy.array(SPECIAL)[:, None]
    form(op, v(values=column), v(values=SPECIAL),
         types={"T": FLOATS}, tag="special")
for op in "Add Sub Mul Div Pow".split():
    form(op, v(values=SPECIAL), v(values=SPECIAL), types={"T": FLOATS},
         tag="special")
for kind in ("int8", "int16", "int32", "int64"):
    form("Div", v(values=[7, -7, 7, -7]), v(values=[2, 2, -2, -2]),
         types={"T": (kind,)}, tag="signs")
    form("Mod", v(values=[7, -7, 7, -7, 6]), v(values=[2, 2, -2, -2, -3]),
         types={"T": (kind,)}, tag="signs")
    form("Mod", v(values=[7, -7, 7, -7, 6]), v(values=[2, 2, -2, -2, -3]),
         types={"T": (kind,)}, tag="fmod-signs", fmod=1)
form("Mod", v(values=[7.5, -7.5, 7.5, -7.5, 6]), v(values=[2, 2, -2, -2, -3]),
     types=REALS, tag="fmod-signs", fmod=1)
for op in "Max Min Mean Sum".split():
    form(op, v(2, 3))
    form(op, v())
    form(op, v(2, 3), v(3), v(2, 1))
    form(op, v(2, 3), v(), c(1, 1), v(4, 1, 1))
form("Pow", v(2, 3, low=1), v(2, 3, low=0, high=3), tag="small")
form("Pow", v(3, low=1), c(values=2), tag="square")
form("Pow", v(3, low=1), c(values=0.5), types={"T1": FLOATS}, tag="root")
form("Pow", v(values=[-2, -1, 3]), v(values=[3, 2, 0]), tag="negative")
for way in ("LEFT", "RIGHT"):
    for first, second in PAIRS:
        form("BitShift", v(*first, low=0, high=120), v(*second, low=0, high=7),
             direction=way)
    form("BitShift", v(3, low=0, high=255), c(values=[1, 0, 6]), direction=way)

for dims in (((2, 3),) * 3, ((3, 1), (3, 4), (4,)), ((), (2, 2), (2, 1)),
             ((), (), ()), ((2, 1, 2), (1,), (3, 1)), ((0,), (0,), (1,)),
             ((1, 2, 2, 1, 3), (3,), (2, 1, 1, 1, 1)), ((2,), (1, 1), ())):
    form("Where", v(*dims[0]), v(*dims[1]), v(*dims[2]))
    form("Where", v(*dims[0]), c(*dims[1]), v(*dims[2]), tag="held")
everywhere("Clip", None, None)
for dims in RANKS + EMPTY:
    form("Clip", v(*dims), s(values=-1), s(values=2))
    form("Clip", v(*dims), min=-1.0, max=2.0)
form("Clip", v(2, 3), s(values=1))
form("Clip", v(2, 3), None, s(values=1))
form("Clip", v(2, 3), s(values=3), s(values=1), tag="crossed")
form("Clip", v(2, 3), min=-1.0)
form("Clip", v(2, 3), max=1.0)
form("Clip", v(values=SPECIAL), s(values=-1), s(values=2), types=REALS,
     tag="special")

# Numbers that each type can hold, and what is left of fractions.
for target, number in NUMBERS.items():
    for dims in RANKS + EMPTY:
        form("Cast", v(*dims, low=0, high=6), to=number, tag=f"{target}",
             types={"T2": (target,)})
    form("Cast", v(values=[0.0, 1.5, 2.5, 3.49, -0.0, 5.99]), to=number,
         types={"T1": FLOATS, "T2": (target,)}, tag=f"{target}-fractions")
    form("Cast", v(values=[-3, -1, 0, 2]), to=number,
         types={"T1": FLOATS[:3] + ("int8", "int16", "int32", "int64"),
                "T2": (target,)}, tag=f"{target}-negative")
    if target not in ("string",):
        form("CastLike", v(2, 3, low=0, high=6), c(1), tag=target,
             types={"T2": (target,)})
        form("CastLike", v(2, 3, low=0, high=6), v(1), tag=target + "-fed",
             types={"T2": (target,)})
for saturate in (0, 1):
    form("Cast", v(2, 3), to=1, saturate=saturate, tag="saturate",
         types={"T2": ("float32",)})
    form("CastLike", v(2, 3), v(1), saturate=saturate,
         types={"T2": ("float16",)})
for source, target in (("float32", "int32"), ("int32", "float32"),
                       ("float32", "uint32"), ("int64", "float64"),
                       ("float16", "int16"), ("uint8", "int8")):
    form("BitCast", v(2, 3), to=NUMBERS[target],
         types={"T1": (source,), "T2": (target,)})

# ---- reductions -------------------------------------------------------------------

for op in ("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean"
           " ReduceMin ReduceProd ReduceSum ReduceSumSquare").split():
    for keep in ({}, {"keepdims": 0}, {"keepdims": 1}):
        for dims, axes in (((2, 3), [1]), ((2, 3), [0, 1]), ((4,), [0]),
                           ((2, 3, 4), [-1]), ((2, 3, 4), [0, 2]),
                           ((2, 1, 3, 2), [1, -1]), ((1, 2, 2, 1, 3), [2, 3, 0]),
                           ((2, 0, 3), [0]), ((2, 0, 3), [1])):
            form(op, v(*dims, low=1, high=4), axes=axes, **keep)
            form(op, v(*dims, low=1, high=4), s(values=axes), **keep)
        for dims in RANKS + EMPTY:
            form(op, v(*dims, low=1, high=4), **keep)
    for noop in (0, 1):
        form(op, v(2, 3, low=1), noop_with_empty_axes=noop)
        form(op, v(2, 3, low=1), s(values=numpy.zeros(0, "i8")),
             noop_with_empty_axes=noop)
        form(op, v(2, 3, low=1), s(values=[-2]), noop_with_empty_axes=noop)
    if op not in ("ReduceLogSum",):
        form(op, v(2, 3), s(values=[1]), tag="signs")
        form(op, v(2, 3), axes=[1], tag="signs")
    form(op, v(values=[[numpy.inf, 1], [numpy.nan, 2], [-numpy.inf, 3]]),
         c(values=[1]), types=REALS, tag="special")
for op in ("ArgMax", "ArgMin"):
    for last in ({}, {"select_last_index": 0}, {"select_last_index": 1}):
        for keep in ({}, {"keepdims": 0}, {"keepdims": 1}):
            for dims, axis in (((2, 3), 1), ((4,), 0), ((2, 3, 4), -2),
                               ((2, 1, 3, 2), 2), ((1, 2, 2, 1, 3), -1),
                               ((0, 3), 1)):
                form(op, v(*dims, low=0, high=3), axis=axis, **keep, **last)
                form(op, v(*dims, low=0, high=3), **keep, **last)
        form(op, v(values=[[1, 3, 3, 1]]), axis=1, **last)
for op in "Softmax LogSoftmax Hardmax".split():
    for dims in RANKS[2:] + ((2, 3), (2, 0, 3), (0, 3)):
        form(op, v(*dims))
        for axis in range(-len(dims), len(dims)):
            form(op, v(*dims), axis=axis)
for op in ("CumSum", "CumProd"):
    for exclusive, reverse in itertools.product((0, 1), (0, 1)):
        for dims, axis in (((2, 3), 1), ((4,), 0), ((2, 3, 4), -2),
                           ((2, 1, 3, 2), -1), ((1, 2, 2, 1, 3), 2), ((2, 0), 1),
                           ((0, 2), 1)):
            form(op, v(*dims, low=1, high=3), s(values=axis),
                 exclusive=exclusive, reverse=reverse)
    form(op, v(2, 3), s(values=0))
for largest, order in itertools.product(({}, {"largest": 0}, {"largest": 1}),
                                        ({}, {"sorted": 0}, {"sorted": 1})):
    for dims, axis, k in (((6,), {}, 2), ((2, 5), {}, 3), ((5, 2), {"axis": 0}, 2),
                          ((2, 5, 3), {"axis": -2}, 5), ((2, 3), {}, 0),
                          ((1, 2, 2, 1, 4), {"axis": 4}, 1)):
        form("TopK", v(*dims, low=-100, high=100), s(values=[k]), outputs=2,
             **axis, **largest, **order)
        form("TopK", v(*dims, low=-100, high=100), outputs=2, k=k, **axis,
             **largest, **order)
form("TopK", v(values=[[3, 1, 3, 2, 3]]), c(values=[2]), outputs=2, tag="ties")
form("TopK", v(values=[[3, 1, 3, 2, 1]]), c(values=[3]), outputs=2, largest=0,
     tag="ties")
form("TopK", v(2, 5), c(values=[2]), outputs=[False, True])
form("TopK", v(2, 5), c(values=[2]), outputs=1)
everywhere("NonZero", low=0, high=2)

# Both ends of integers go through whatever does not compute.
for kind, values in ENDS.items():
    types, ends = {"T": (kind,), "T1": (kind,)}, v(values=values)
    row, block = v(values=values[None]), v(values=values[[0, 3, 1, 4]][None, :, None, None])
    square = v(values=values[[0, 3, 1, 4]].reshape(1, 1, 2, 2))
    for op in ("ReduceMax", "ReduceMin"):
        form(op, row, c(values=[1]), types=types, tag="ends")
        form(op, row, axes=[1], types=types, tag="ends")
    for op in ("ArgMax", "ArgMin"):
        form(op, row, axis=1, types=types, tag="ends")
    for largest in (0, 1):
        form("TopK", row, c(values=[3]), outputs=2, largest=largest, types=types,
             tag="ends")
    form("Unique", ends, outputs=4, types=types, tag="ends")
    form("NonZero", ends, types=types, tag="ends")
    form("Where", v(values=[True, False, True, False, True]), ends, ends,
         types=types, tag="ends")
    form("Clip", ends, c(values=values[1]), c(values=values[3]), types=types,
         tag="ends")
    form("DepthToSpace", block, blocksize=2, types=types, tag="ends")
    form("SpaceToDepth", square, blocksize=2, types=types, tag="ends")
    form("MaxPool", square, kernel_shape=[1, 2], types=types, tag="ends")
    form("MaxPool", square, kernel_shape=[2, 2], auto_pad="SAME_UPPER",
         types=types, tag="ends")
    form("Pad", ends, c(values=[1, 1]), c(values=values[3]), types=types, tag="ends")
    form("Pad", ends, c(values=[1, 1]), mode="reflect", types=types, tag="ends")
    form("Trilu", v(values=values[[0, 3, 1, 4]].reshape(2, 2)), types=types,
         tag="ends")
    form("Gather", ends, c(values=[3, 0]), types=types, tag="ends")
    form("GatherElements", ends, c(values=[3, 0]), types=types, tag="ends")
    form("ScatterElements", ends, c(values=[1, 2]), v(values=values[3:]), types=types,
         tag="ends")
    form("ScatterND", ends, c(values=[[1], [2]]), v(values=values[3:]), types=types,
         tag="ends")
    form("Concat", ends, ends, axis=0, types=types, tag="ends")
    form("Expand", row, c(values=[2, 1]), types=types, tag="ends")
    form("Tile", ends, c(values=[2]), types=types, tag="ends")
    form("Transpose", row, types=types, tag="ends")
    form("Slice", ends, c(values=[0]), c(values=[4]), types=types, tag="ends")
    form("Compress", ends, c(values=[True, False, False, True]), types=types, tag="ends")
    form("Resize", square, None, c(values=[1, 1, 2, 2]), mode="nearest", types=types,
         tag="ends")
    form("ReverseSequence", v(values=values[:4].reshape(2, 2)), c(values=[2, 1]),
         types=types, tag="ends")

# ---- shapes -----------------------------------------------------------------------

everywhere("Shape")
everywhere("Size")
for start, end in ((0, 2), (1, None), (-1, None), (None, -1), (-2, -1), (2, 1),
                   (-9, 9)):
    bounds = {key: value for key, value in (("start", start), ("end", end))
              if value is not None}
    for dims in ((2, 3, 4), (4,), (), (2, 0)):
        form("Shape", v(*dims), **bounds)
for dims in RANKS + EMPTY:
    form("Flatten", v(*dims))
    for axis in range(-len(dims), len(dims) + 1):
        form("Flatten", v(*dims), axis=axis)
for dims, to in (((2, 3), [3, 2]), ((2, 3), [-1]), ((2, 3), [0, -1]),
                 ((2, 3), [1, 2, 3, 1]), ((1,), []), ((), [1]), ((), []),
                 ((), [-1]), ((2, 3, 4), [0, 0, 4]), ((2, 3, 4), [4, -1]),
                 ((2, 1, 3, 2), [0, 6]), ((1, 2, 2, 1, 3), [-1, 3]),
                 ((0,), [0]), ((0, 3), [0, -1]), ((0, 3), [3, 0]),
                 ((2, 0, 3), [0, 0, 3]), ((0, 3), [0, 3, 1])):
    form("Reshape", v(*dims), s(values=numpy.array(to, "i8")))
    form("Reshape", v(*dims), s(values=numpy.array(to, "i8")), allowzero=0)
for dims, to in (((2, 3), [3, 2]), ((2, 3), [-1]), ((0, 3), [0, 5]),
                 ((0, 3), [3, 0]), ((2, 0), [0])):
    form("Reshape", v(*dims), s(values=numpy.array(to, "i8")), allowzero=1)
for dims, axes in (((1, 3), [0]), ((1, 3, 1), [0, 2]), ((1, 3, 1), [-1]),
                   ((1, 1), [0, 1]), ((1,), [0]), ((2, 1, 3, 1), [-3, 3]),
                   ((1, 2, 2, 1, 3), [3]), ((1, 0), [0]), ((2, 3), []),
                   ((), [])):
    form("Squeeze", v(*dims), axes=axes)
    form("Squeeze", v(*dims), s(values=numpy.array(axes, "i8")))
    form("Squeeze", v(*dims))
for dims, axes in (((3,), [0]), ((), [0]), ((), [0, 1]), ((2, 3), [-1]),
                   ((2, 3), [1, 3]), ((2, 3), [3, 0]), ((2, 3, 4), [-2]),
                   ((0, 2), [1]), ((2, 1, 3), [0, -1]), ((2, 3), [])):
    form("Unsqueeze", v(*dims), axes=axes)
    form("Unsqueeze", v(*dims), s(values=numpy.array(axes, "i8")))
for dims in RANKS + EMPTY:
    form("Transpose", v(*dims))
for perm in itertools.permutations(range(3)):
    form("Transpose", v(2, 3, 4), perm=list(perm))
form("Transpose", v(2, 1, 3, 2), perm=[0, 3, 1, 2])
form("Transpose", v(1, 2, 2, 1, 3), perm=[4, 0, 3, 1, 2])
form("Transpose", v(2, 0, 3), perm=[1, 0, 2])
form("Transpose", v(), perm=[])
for many in (1, 2, 3):
    for dims, axis in (((2, 3), 0), ((2, 3), 1), ((4,), 0), ((2, 3, 4), -1),
                       ((2, 1, 3, 2), -3), ((1, 2, 2, 1, 3), 4), ((0,), 0),
                       ((2, 0, 3), 1), ((2, 0, 3), 0)):
        form("Concat", *(v(*dims) for _ in range(many)), axis=axis)
form("Concat", v(2, 3), v(0, 3), v(1, 3), axis=0)
form("Concat", v(2, 3), c(2, 1), axis=1)
for dims, axis, sizes in (((4, 2), 0, [1, 3]), ((2, 6), 1, [2, 2, 2]),
                          ((6,), 0, [3, 3]), ((2, 4, 3), -2, [1, 3]),
                          ((2, 1, 4, 2), 2, [0, 4]), ((1, 2, 2, 1, 4), -1, [2, 2]),
                          ((0, 2), 0, [0, 0]), ((0, 4), 1, [1, 3])):
    form("Split", v(*dims), outputs=len(sizes), axis=axis, split=sizes)
    form("Split", v(*dims), s(values=sizes), outputs=len(sizes), axis=axis)
    if len(set(sizes)) == 1:
        form("Split", v(*dims), outputs=len(sizes), axis=axis, until=17)
        form("Split", v(*dims), outputs=len(sizes), axis=axis,
             num_outputs=len(sizes))
form("Split", v(4, 2), outputs=2, until=17)
form("Split", v(5, 2), outputs=3, num_outputs=3)
form("Split", v(4, 2), c(values=[1, 1, 2]), outputs=[False, True, False])
for dims, starts, ends, axes, steps in (
        ((6,), [1], [4], None, None), ((2, 6), [1], [5], [1], None),
        ((4, 6), [0, 1], [3, -1], None, None), ((4, 6), [-3], [99], [0], None),
        ((4, 6), [1], [99], [1], [2]), ((4, 6), [-1], [-99], [1], [-1]),
        ((4, 6), [4, 0], [0, 3], [-1, 0], [-2, 1]), ((2, 3, 4), [1], [1], [2], None),
        ((2, 3, 4), [2], [1], [1], None), ((2, 1, 3, 2), [0, 0], [1, 2], [0, 2], None),
        ((1, 2, 2, 1, 3), [1], [3], [4], [1]), ((0, 3), [0], [2], [1], None),
        ((2, 0), [0], [2], [1], None), ((6,), [-99], [99], [0], [4]),
        ((6,), [2**31 - 1], [-2**31], [0], [-1])):
    if steps is None:
        form("Slice", v(*dims), starts=starts, ends=ends,
             **({} if axes is None else {"axes": axes}))
    form("Slice", v(*dims), s(values=starts), s(values=ends),
         *([] if axes is None else [s(values=axes)]),
         *([] if steps is None else [s(values=steps)]))
form("Slice", v(4, 6), s(values=[1, 2]), s(values=[3, 5]), None, s(values=[1, 2]),
     tag="no-axes")
for dims, times in (((2, 3), [2, 1]), ((4,), [3]), ((), []), ((2, 3), [0, 2]),
                    ((2, 3, 4), [1, 2, 1]), ((2, 1, 3, 2), [1, 2, 1, 2]),
                    ((1, 2, 2, 1, 3), [2, 1, 1, 3, 1]), ((0, 2), [2, 2]),
                    ((2, 3), [1, 1])):
    form("Tile", v(*dims), s(values=numpy.array(times, "i8")))
for dims, to in (((3, 1), [3, 4]), ((1,), [3]), ((), [2, 2]), ((), []),
                 ((3, 1), [2, 1, 4]), ((2, 3), [1]), ((2, 3), [2, 3]),
                 ((1, 3), [0, 3]), ((0, 1), [1, 4]), ((2, 1, 3), [2, 2, 1, 3]),
                 ((1, 2, 2, 1, 3), [2, 1, 1, 2, 1])):
    form("Expand", v(*dims), s(values=numpy.array(to, "i8")))
for mode in ({}, {"mode": "constant"}, {"mode": "reflect"}, {"mode": "edge"},
             {"mode": "wrap"}):
    for dims, pads in (((4, 5), [1, 0, 2, 3]), ((4,), [2, 1]),
                       ((2, 3, 4), [0, 1, 2, 1, 0, 1]),
                       ((2, 2, 3, 2), [0, 0, 1, 1, 0, 0, 1, 0]),
                       ((1, 2, 2, 1, 3), [0] * 4 + [1] + [0] * 4 + [2]),
                       ((4, 5), [0, 0, 0, 0]), ((4, 5), [-1, 1, 0, -2]),
                       ((0, 3), [0, 1, 0, 1]), ((), [])):
        pads = numpy.array(pads, "i8")
        form("Pad", v(*dims), pads=[int(x) for x in pads], **mode)
        form("Pad", v(*dims), s(values=pads), **mode)
        if mode.get("mode", "constant") == "constant":
            form("Pad", v(*dims), pads=[int(x) for x in pads], value=1.5, **mode)
            form("Pad", v(*dims), s(values=pads), s(values=1), **mode)
    form("Pad", v(4, 5), s(values=[1, 2]), None, s(values=[-1]), **mode)
    form("Pad", v(4, 5), s(values=[1, 2, 0, 1]), s(values=1), s(values=[1, 0]),
         **mode)
for dims in ((1, 8, 2, 3), (2, 4, 1, 1), (0, 4, 2, 2)):
    form("DepthToSpace", v(*dims), blocksize=2)
    for mode in ("DCR", "CRD"):
        form("DepthToSpace", v(*dims), blocksize=2, mode=mode)
form("DepthToSpace", v(1, 9, 2, 2), blocksize=3)
form("DepthToSpace", v(1, 3, 2, 2), blocksize=1)
for dims, block in (((1, 1, 4, 6), 2), ((2, 3, 2, 2), 2), ((1, 2, 3, 6), 3),
                    ((0, 1, 2, 2), 2), ((1, 2, 3, 3), 1)):
    form("SpaceToDepth", v(*dims), blocksize=block)
for dims in ([2, 3], [4], [], [0], [2, 0, 3], [1, 2, 2, 1, 3]):
    form("ConstantOfShape", s(values=numpy.array(dims, "i8")))
    for kind in PLAIN:
        if kind != "string":
            form("ConstantOfShape", s(values=numpy.array(dims, "i8")),
                 value=("tensor", 1, kind), tag=kind + str(len(dims)),
                 types={"T2": (kind,)})
form("ConstantOfShape", s(values=[2]), value=("tensor", 1.5, "bfloat16"),
     types={"T2": ("bfloat16",)}, tag="bfloat16")
for dims in ((3, 3), (2, 4), (0, 3), (1, 1)):
    form("EyeLike", v(*dims))
    for k in (-1, 0, 1, 9):
        form("EyeLike", v(*dims), k=k)
    for kind in PLAIN:
        if kind != "string":
            form("EyeLike", v(*dims), dtype=NUMBERS[kind], types={"T2": (kind,)})
for start, limit, delta in ((1, 7, 2), (9, 0, -3), (0, 0, 1), (3, 1, 1), (-2, 3, 1)):
    form("Range", s(values=start), s(values=limit), s(values=delta))
form("Range", s(values=0.5), s(values=2.25), s(values=0.25), types=REALS)
for upper in ({}, {"upper": 0}, {"upper": 1}):
    for dims in ((3, 3), (2, 4), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 1, 3), (0, 3),
                 (2, 0, 3), (4, 1)):
        form("Trilu", v(*dims), **upper)
        for k in (-1, 1, 9, -9):
            form("Trilu", v(*dims), s(values=k), **upper)
for dims, to, axes in (((5, 6), [3, 8], None), ((5, 6), [8, 3], None),
                       ((5, 6), [3], [1]), ((5, 6), [7], [-2]), ((4,), [4], None),
                       ((2, 3, 4), [1, 5], [0, 2]), ((1, 2, 2, 1, 3), [2], [4])):
    form("CenterCropPad", v(*dims), s(values=to),
         **({} if axes is None else {"axes": axes}))
for dims, batch, time in (((4, 3), 1, 0), ((3, 4), 0, 1), ((4, 3, 2), 1, 0),
                          ((3, 4, 1, 2), 0, 1), ((3, 4, 1, 2, 2), 0, 1)):
    form("ReverseSequence", v(*dims), s(values=[2, 4, 1]), batch_axis=batch,
         time_axis=time)
form("ReverseSequence", v(4, 3), s(values=[2, 4, 1]))
for dims, axis in (((3, 4), 0), ((4, 3), 1), ((3,), 0), ((2, 3, 2), -2),
                   ((1, 2, 2, 3, 1), 3), ((3, 0), 0)):
    form("Compress", v(*dims), s(values=[True, False, True]), axis=axis)
    form("Compress", v(*dims), s(values=[False, False]), axis=axis)
for dims in ((3, 4), (5,), (2, 3, 2)):
    form("Compress", v(*dims), s(values=[True, False, True]))
for order in ({}, {"sorted": 0}, {"sorted": 1}):
    for dims, axis in (((9,), None), ((3, 3), None), ((4, 2), 0), ((2, 4), -1),
                       ((2, 3, 2), 1), ((0,), None), ((1,), 0), ((), None)):
        extra = {} if axis is None else {"axis": axis}
        form("Unique", v(*dims, low=0, high=3), outputs=4, **extra, **order)
for wanted in ([True], [True, False, True], [False, True], [True, False, False, True]):
    form("Unique", v(values=[3, 1, 3, 2, 1]), outputs=wanted)
    form("Unique", v(values=[3, 1, 3, 2, 1]), outputs=wanted, sorted=0)

# ---- choosing ---------------------------------------------------------------------

for dims, indices, axis in (((3, 4), [0, 2, 1], 0), ((3, 4), [[0, 3], [1, 2]], 1),
                            ((3,), 1, 0), ((3,), [-1, 0], 0), ((3, 4), [-2], -1),
                            ((2, 3, 4), 2, -2), ((2, 1, 3, 2), [[0]], 1),
                            ((1, 2, 2, 1, 3), [2, -3], 4), ((3, 0), [1], 0),
                            ((3, 4), numpy.zeros(0, "i8"), 0)):
    form("Gather", v(*dims), s(values=indices), axis=axis)
    if axis == 0:
        form("Gather", v(*dims), s(values=indices))
for dims, indices, axis in (((3, 3), [[0, 1, 2], [2, 0, -1]], 0),
                            ((3, 3), [[0, 1], [2, 0], [1, 1]], 1),
                            ((4,), [3, 0, -1], 0), ((2, 3, 2), [[[0, 1]] * 3] * 2, -1),
                            ((1, 2, 2, 1, 3), [[[[[2, 0]]] * 2] * 2], 4),
                            ((3, 3), numpy.zeros((0, 3), "i8"), 0)):
    form("GatherElements", v(*dims), s(values=indices), axis=axis)
form("GatherElements", v(3, 3), s(values=[[0, 1, 2]]))
for dims, indices, axis in (((3, 3), [[0, 1, 2], [2, 0, 1]], 0),
                            ((3, 3), [[0, 1], [2, 0], [1, 2]], 1),
                            ((4,), [3, 0, -2], 0), ((2, 3, 2), [[[1, 0]] * 3] * 2, -1),
                            ((1, 2, 2, 1, 3), [[[[[2, 0]]] * 2] * 2], 4),
                            ((3, 3), numpy.zeros((0, 3), "i8"), 0)):
    shape = numpy.array(indices).shape
    form("ScatterElements", v(*dims), s(values=indices), v(*shape), axis=axis)
    form("Scatter", v(*dims), s(values=indices), v(*shape), axis=axis)
    for way in ("none", "add", "mul", "max", "min"):
        form("ScatterElements", v(*dims, low=1), s(values=indices),
             v(*shape, low=1), axis=axis, reduction=way)
form("ScatterElements", v(3, 3), s(values=[[0, 1, 2]]), v(1, 3))
form("Scatter", v(3, 3), s(values=[[0, 1, 2]]), v(1, 3))
for way in ("add", "mul", "max", "min"):
    form("ScatterElements", v(3, 2, low=1), s(values=[[0, 0], [0, 0], [2, -1]]),
         v(3, 2, low=1), reduction=way, tag="same")
for dims, indices, rest in (((4, 3), [[1], [3]], (3,)), ((4, 3), [[1, 2], [-1, 0]], ()),
                            ((4,), [[2]], ()), ((2, 3, 2), [[[0, 1]], [[1, 2]]], (2,)),
                            ((1, 2, 2, 1, 3), [[0, 1]], (2, 1, 3)),
                            ((4, 3), numpy.zeros((0, 1), "i8"), (3,))):
    shape = numpy.array(indices).shape[:-1] + rest
    form("ScatterND", v(*dims), s(values=indices), v(*shape))
    for way in ("none", "add", "mul", "max", "min"):
        form("ScatterND", v(*dims, low=1), s(values=indices), v(*shape, low=1),
             reduction=way)
for dims, indices, batch in (((2, 3), [[0, 1], [1, 2]], 0), ((2, 3), [[1], [0]], 0),
                             ((4,), [[2], [-1]], 0), ((2, 3, 4), [[1], [2]], 1),
                             ((2, 3, 4), [[[0, -1]], [[2, 1]]], 1),
                             ((2, 2, 3, 2), [[[1], [0]], [[2], [1]]], 2),
                             ((1, 2, 2, 1, 3), [[0, 1, 1]], 0),
                             ((2, 3), numpy.zeros((0, 2), "i8"), 0)):
    form("GatherND", v(*dims), s(values=indices), batch_dims=batch)
    if not batch:
        form("GatherND", v(*dims), s(values=indices))
for dims, axis in (((3,), {}), ((), {}), ((2, 3), {"axis": 0}), ((2, 3), {"axis": 1}),
                   ((2, 3), {"axis": -2}), ((2, 1, 3, 2), {"axis": 4}), ((0,), {}),
                   ((2, 2, 1), {})):
    for depth in (4, [4]):
        form("OneHot", v(*dims, low=0, high=4, is_whole=True), s(values=depth), s(values=[0, 1]),
             **axis)
    form("OneHot", v(*dims, low=-6, high=7, is_whole=True), c(values=4), s(values=[2, 5]), **axis,
         tag="outside")
for mode in ({}, {"mode": "linear"}, {"mode": "circular"}):
    form("TensorScatter", v(2, 5, 3), v(2, 2, 3), s(values=[1, 2]), axis=1, **mode)
    form("TensorScatter", v(2, 5, 3), v(2, 2, 3), axis=1, **mode)
    form("TensorScatter", v(2, 1, 5, 3), v(2, 1, 2, 3), s(values=[0, 3]), **mode)
form("TensorScatter", v(2, 5, 3), v(2, 2, 3), s(values=[4, 2]), axis=1,
     mode="circular", tag="around")

# ---- linear algebra ---------------------------------------------------------------

MATRICES = (((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)),
            ((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2)), ((2, 1, 3, 4), (5, 4, 2)),
            ((1, 2, 1, 3, 4), (2, 2, 4, 1)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
            ((0, 4), (4, 2)), ((3, 0), (0, 2)), ((1, 1), (1, 1)))
for first, second in MATRICES:
    form("MatMul", v(*first), v(*second))
    form("MatMul", v(*first), c(*second), tag="held")
    form("MatMulInteger", v(*first), v(*second))
    form("MatMulInteger", v(*first), c(*second), c(values=1), c(values=2))
form("MatMulInteger", v(3, 4), c(4, 2), None, c(values=2))
form("MatMulInteger", v(3, 4), c(4, 2), c(values=2))
form("MatMulInteger", v(3, 4), v(4, 2), s(values=[1, 2, 3]), s(values=[1, 2]),
     tag="rows")
for left, right in itertools.product((0, 1), (0, 1)):
    a, b = (4, 3) if left else (3, 4), (2, 4) if right else (4, 2)
    turned = {"transA": left, "transB": right}
    form("Gemm", v(*a), v(*b), **turned)
    for dims in ((3, 2), (2,), (3, 1), (1,), (), (1, 2)):
        form("Gemm", v(*a), v(*b), v(*dims), **turned)
    form("Gemm", v(*a), c(*b), c(2), alpha=0.5, beta=2.0, **turned)
form("Gemm", v(3, 4), v(4, 2), v(2), alpha=0.5)
form("Gemm", v(3, 4), v(4, 2), v(2), beta=0.5)
form("Gemm", v(3, 4), v(4, 2), v(2), alpha=2.0, beta=0.0)
form("Gemm", v(3, 4), v(4, 2), alpha=2.0)
form("Gemm", v(0, 4), v(4, 2), v(2))
for dims in ((2, 2), (3, 3), (2, 3, 3), (1, 1), (2, 1, 2, 2)):
    form("Det", v(*dims))
for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))),
                         ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))),
                         ("...ij->...ji", ((2, 3, 4),)), ("ii->i", ((3, 3),)),
                         ("ii", ((3, 3),)), ("i,j->ij", ((2,), (3,))), ("i,i", ((4,), (4,))),
                         ("ij->", ((2, 3),)), ("ij->j", ((2, 3),)),
                         ("...ij,...jk->...ik", ((2, 1, 2, 3), (2, 3, 2))),
                         ("ijk,ikl,il->j", ((2, 3, 4), (2, 4, 5), (2, 5))),
                         ("i j , j k -> i k", ((2, 3), (3, 4))),
                         ("ba", ((2, 3),)), ("ij,ij->ij", ((2, 3), (2, 3)))):
    form("Einsum", *(v(*dims) for dims in shapes), equation=equation)

# ---- networks ---------------------------------------------------------------------

AUTO = ({}, {"auto_pad": "NOTSET"}, {"auto_pad": "VALID"},
        {"auto_pad": "SAME_UPPER"}, {"auto_pad": "SAME_LOWER"})
WINDOWS = (((1, 1, 7), [3]), ((2, 3, 6, 7), [2, 3]), ((1, 1, 5, 5), [2, 2]),
           ((1, 2, 4, 5, 3), [2, 2, 2]), ((2, 1, 3, 3), [3, 3]))
for auto in AUTO:
    for dims, kernel in WINDOWS:
        n = len(kernel)
        for stride in ({}, {"strides": [2] * n}):
            for op in ("MaxPool", "AveragePool", "LpPool"):
                form(op, v(*dims), kernel_shape=kernel, **auto, **stride)
                for ceil in (0, 1):
                    form(op, v(*dims), kernel_shape=kernel, ceil_mode=ceil,
                         **auto, **stride)
            form("MaxPool", v(*dims), kernel_shape=kernel, outputs=2, **auto,
                 **stride)
            form("AveragePool", v(*dims), kernel_shape=kernel,
                 count_include_pad=1, **auto, **stride)
            weights = (2, dims[1], *kernel)
            form("Conv", v(*dims), s(*weights), **auto, **stride)
            form("Conv", v(*dims), s(*weights), s(2), **auto, **stride)
            form("Conv", v(*dims), c(*weights), kernel_shape=kernel, **auto,
                 **stride)
            form("ConvInteger", v(*dims), c(*weights), **auto, **stride)
            form("ConvInteger", v(*dims), c(*weights), c(values=1), **auto,
                 **stride)
            form("ConvTranspose", v(*dims), s(dims[1], 2, *kernel), **auto,
                 **stride)
            form("ConvTranspose", v(*dims), c(dims[1], 2, *kernel), c(2), **auto,
                 **stride)
for dims, kernel in WINDOWS:
    n = len(kernel)
    pads, uneven = [1] * 2 * n, [1] * n + [0] * n
    for given in ({"pads": pads}, {"pads": uneven}, {"pads": pads, "strides": [2] * n},
                  {"pads": uneven, "strides": [3] + [1] * (n - 1)}):
        for ceil in ({}, {"ceil_mode": 1}):
            for op in ("MaxPool", "AveragePool", "LpPool"):
                form(op, v(*dims), kernel_shape=kernel, **given, **ceil)
            form("MaxPool", v(*dims), kernel_shape=kernel, outputs=2, **given, **ceil)
            for count in (0, 1):
                form("AveragePool", v(*dims), kernel_shape=kernel,
                     count_include_pad=count, **given, **ceil)
        form("Conv", v(*dims), s(2, dims[1], *kernel), **given)
        form("ConvInteger", v(*dims), c(2, dims[1], *kernel), c(values=1), **given)
        form("ConvTranspose", v(*dims), s(dims[1], 2, *kernel), **given)
    for op in ("MaxPool", "AveragePool", "LpPool"):
        form(op, v(*dims), kernel_shape=[2] * n, dilations=[2] * n)
        form(op, v(*dims), kernel_shape=[2] * n, dilations=[2] * n, pads=pads)
    form("MaxPool", v(*dims), kernel_shape=kernel, outputs=2, storage_order=1)
    form("Conv", v(*dims), c(2, dims[1], *[2] * n), dilations=[2] * n)
    form("Conv", v(*dims), c(2 * dims[1], 1, *kernel), group=dims[1])
    form("ConvInteger", v(*dims), c(2 * dims[1], 1, *kernel), group=dims[1])
    form("ConvTranspose", v(*dims), c(dims[1], 2, *kernel), group=dims[1])
    form("ConvTranspose", v(*dims), c(dims[1], 1, *kernel), dilations=[2] * n)
    form("ConvTranspose", v(*dims), c(dims[1], 1, *kernel), strides=[2] * n,
         output_padding=[1] * n)
    form("ConvTranspose", v(*dims), c(dims[1], 1, *kernel), strides=[2] * n,
         output_shape=[2 * size + 1 for size in dims[2:]])
    for op in "GlobalAveragePool GlobalMaxPool GlobalLpPool".split():
        form(op, v(*dims))
form("MaxPool", v(0, 2, 4, 4), kernel_shape=[2, 2])
form("Conv", v(0, 2, 4, 4), c(3, 2, 2, 2))
form("Conv", v(1, 4, 4, 4), c(6, 2, 2, 2), group=2)
for p in (1, 2, 3):
    form("LpPool", v(1, 2, 4, 5), kernel_shape=[2, 2], p=p)
    form("GlobalLpPool", v(1, 2, 4, 5), p=p)
form("MaxUnpool", v(1, 1, 2, 2), s(values=[[[[5, 7], [13, 15]]]]),
     kernel_shape=[2, 2], strides=[2, 2])
form("MaxUnpool", v(1, 1, 2, 2), s(values=[[[[5, 7], [13, 15]]]]),
     s(values=[1, 1, 5, 5]), kernel_shape=[2, 2], strides=[2, 2])
form("MaxUnpool", v(1, 1, 3), s(values=[[[0, 3, 5]]]), kernel_shape=[2], strides=[2])
form("MaxUnpool", v(1, 2, 2, 2), v(values=[[[[0, 2], [6, 8]], [[10, 11], [15, 17]]]]),
     kernel_shape=[2, 2], pads=[0, 0, 0, 0])
for dims in ((2, 3), (2, 3, 4), (2, 1, 3, 2), (2, 3, 2, 1, 2), (1, 1, 4, 4)):
    n = dims[1]
    given = (s(n, low=1), s(n), s(n), s(n, low=1))
    form("BatchNormalization", v(*dims), *given)
    form("BatchNormalization", v(*dims), *given, epsilon=0.1)
    form("BatchNormalization", v(*dims), *given, outputs=3, training_mode=1)
    form("BatchNormalization", v(*dims), *given, outputs=1, training_mode=0)
    form("BatchNormalization", v(*dims), *given, outputs=3, training_mode=1,
         momentum=0.5, epsilon=0.01)
    form("BatchNormalization", v(*dims), *given, spatial=1)
    if len(dims) > 2:
        form("InstanceNormalization", v(*dims), s(n), s(n))
        form("InstanceNormalization", v(*dims), s(n), s(n), epsilon=0.1)
for dims in ((2, 3, 4), (3, 4), (4,), (2, 1, 3, 2), (1, 2, 2, 1, 3), (0, 3, 4)):
    for axis in range(-len(dims), len(dims)):
        rest = dims[axis:]
        form("LayerNormalization", v(*dims), s(*rest), s(*rest), axis=axis)
        form("LayerNormalization", v(*dims), s(*rest), axis=axis, outputs=3)
        form("RMSNormalization", v(*dims), s(*rest), axis=axis)
    form("LayerNormalization", v(*dims), s(dims[-1]))
    form("RMSNormalization", v(*dims), s(dims[-1]), epsilon=0.1)
    form("RMSNormalization", v(*dims), s(dims[-1]))
    for axis in range(-len(dims), len(dims)):
        for p in (1, 2):
            form("LpNormalization", v(*dims), axis=axis, p=p)
    form("LpNormalization", v(*dims))
for kind in (1, 16, 10, 11):
    form("LayerNormalization", v(2, 3, 4), s(4), s(4), epsilon=0.1, stash_type=kind)
    form("RMSNormalization", v(2, 3, 4), s(4), stash_type=kind)
form("LayerNormalization", v(2, 3, 4), s(4), s(4), outputs=[True, False, True])
form("LayerNormalization", v(2, 3, 4), s(4), s(4), outputs=[True, True])
for groups, dims in ((2, (2, 4, 3)), (1, (1, 3, 2, 2)), (4, (2, 4, 2, 2)),
                     (2, (1, 4, 2, 1, 2)), (1, (2, 1, 3, 3))):
    form("GroupNormalization", v(*dims), s(groups), s(groups), num_groups=groups,
         until=20)
    form("GroupNormalization", v(*dims), s(dims[1]), s(dims[1]), num_groups=groups,
         since=21)
    form("GroupNormalization", v(*dims), s(dims[1]), s(dims[1]), num_groups=groups,
         since=21, epsilon=0.1, stash_type=1)
for dims in ((2, 3, 4, 5), (1, 1, 4, 4)):
    form("MeanVarianceNormalization", v(*dims))
    form("MeanVarianceNormalization", v(*dims), axes=[0, 2, 3])
    form("MeanVarianceNormalization", v(*dims), axes=[-1])
    form("MeanVarianceNormalization", v(*dims), axes=[1])
for size in (1, 2, 3, 5):
    for dims in ((2, 5, 3, 3), (1, 1, 2, 2), (2, 5, 4), (1, 4, 2, 2, 2)):
        form("LRN", v(*dims), size=size)
        form("LRN", v(*dims), size=size, alpha=0.1, beta=0.6, bias=1.5)

WAYS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
        "align_corners", "asymmetric")
ROUNDS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
NOTHING = numpy.zeros(0, "f4")
for mode in ("nearest", "linear", "cubic"):
    # One channel and several; up, down, both, and sizes of 1.
    for dims, scales, sizes in (((1, 1, 4, 5), [1, 1, 2, 3], [1, 1, 3, 9]),
                                ((2, 3, 4, 6), [1, 1, 0.5, 1.5], [2, 3, 4, 3]),
                                ((1, 1, 1, 3), [1, 1, 2, 2], [1, 1, 1, 6])):
        for way in WAYS:
            form("Resize", v(*dims), None, c(values=scales), mode=mode,
                 coordinate_transformation_mode=way)
            form("Resize", v(*dims), c(values=NOTHING), c(values=scales), mode=mode,
                 coordinate_transformation_mode=way)
            form("Resize", v(*dims), None, None, s(values=sizes), mode=mode,
                 coordinate_transformation_mode=way)
            if mode == "nearest":
                for rounding in ROUNDS:
                    form("Resize", v(*dims), None, c(values=scales), mode=mode,
                         coordinate_transformation_mode=way, nearest_mode=rounding)
        form("Resize", v(*dims), None, s(values=scales), mode=mode, tag="open")
        if mode != "cubic": # which opset 10 and Upsample do not have
            form("Resize", v(*dims), c(values=scales), mode=mode)
            form("Upsample", v(*dims), c(values=scales), mode=mode)
            form("Upsample", v(*dims), scales=[float(x) for x in scales], mode=mode)
    form("Resize", v(1, 1, 4, 5), None, None, c(values=[8, 5]), mode=mode, axes=[2, 3])
    form("Resize", v(1, 1, 4, 5), None, c(values=[2, 1.5]), mode=mode, axes=[-2, -1])
    for policy in ("stretch", "not_larger", "not_smaller"):
        form("Resize", v(1, 1, 4, 6), None, None, c(values=[8, 9]), mode=mode,
             axes=[2, 3], keep_aspect_ratio_policy=policy)
    form("Resize", v(1, 1, 4, 5), None, c(values=[1, 1, 0.5, 0.6]), mode=mode,
         antialias=1)
    form("Resize", v(1, 1, 4, 5), c(values=[0, 0, 0.2, 0.1, 1, 1, 0.9, 1.2]), None,
         c(values=[1, 1, 3, 4]), mode=mode, extrapolation_value=7.0,
         coordinate_transformation_mode="tf_crop_and_resize", types={"T2": ("float32",)})
    for dims, scales in (((5,), [2]), ((3, 4), [2, 1.5]), ((2, 3, 4), [1, 2, 2]),
                         ((1, 2, 2, 3, 3), [1, 1, 2, 1, 2])):
        form("Resize", v(*dims), None, c(values=scales), mode=mode)
form("Resize", v(1, 1, 4, 5), None, c(values=[1, 1, 2, 2]), mode="cubic",
     cubic_coeff_a=-0.5)
form("Resize", v(1, 1, 4, 5), None, c(values=[1, 1, 2, 2]), mode="cubic",
     exclude_outside=1)
form("Resize", v(1, 2, 4, 5), None, c(values=[1, 1, 2, 2]))
form("Upsample", v(1, 1, 4, 5), c(values=[1, 1, 2, 3]))
form("Upsample", v(1, 1, 4, 5), scales=[1.0, 1.0, 2.0, 3.0])
for padding in ({}, {"padding_mode": "zeros"}, {"padding_mode": "border"},
                {"padding_mode": "reflection"}):
    for corners in ({}, {"align_corners": 0}, {"align_corners": 1}):
        for mode in ({}, *({"mode": word} for word in
                           ("bilinear", "nearest", "bicubic", "linear", "cubic"))):
            for dims in ((1, 1, 4, 5), (2, 3, 3, 3)):
                form("GridSample", v(*dims), v(dims[0], 2, 3, 2, low=-1.3, high=1.3),
                     **mode, **padding, **corners)
            if mode.get("mode") not in ("bilinear", "bicubic", "cubic"):
                form("GridSample", v(1, 2, 3, 4, 3), v(1, 2, 2, 2, 3, low=-1.3,
                                                       high=1.3),
                     **mode, **padding, **corners, since=20)
for corners in ({}, {"align_corners": 0}, {"align_corners": 1}):
    form("AffineGrid", v(2, 2, 3), s(values=[2, 1, 3, 4]), **corners)
    form("AffineGrid", v(1, 3, 4), s(values=[1, 2, 2, 3, 2]), **corners)
REGIONS = [[0, 0, 4, 5], [1, 1, 3, 3], [0.5, 0.2, 5.5, 2.5]]
for mode in ({}, {"mode": "avg"}, {"mode": "max"}):
    for way in ({}, {"coordinate_transformation_mode": "output_half_pixel"},
                {"coordinate_transformation_mode": "half_pixel"}):
        for channels in (1, 2):
            form("RoiAlign", v(1, channels, 6, 6), s(values=REGIONS),
                 s(values=[0, 0, 0]), output_height=2, output_width=3,
                 sampling_ratio=2, **mode, **way)
    form("RoiAlign", v(2, 2, 6, 6), s(values=REGIONS), s(values=[0, 1, 0]),
         output_height=2, output_width=2, sampling_ratio=1, spatial_scale=0.5, **mode)
    form("RoiAlign", v(1, 1, 6, 6), s(values=REGIONS), s(values=[0, 0, 0]), **mode)
for channels in (1, 2):
    form("MaxRoiPool", v(1, channels, 6, 6), c(values=[[0, 0, 0, 4, 5], [0, 1, 1, 3, 3]]),
         pooled_shape=[2, 2])
    form("MaxRoiPool", v(1, channels, 6, 6), c(values=[[0, 0, 0, 8, 6]]),
         pooled_shape=[2, 1], spatial_scale=0.5)
form("DeformConv", v(1, 1, 4, 4), s(1, 1, 2, 2), v(1, 8, 3, 3, low=-1, high=1))
form("DeformConv", v(1, 2, 5, 5), s(3, 2, 2, 2), v(1, 8, 4, 4, low=-1, high=1), s(3))
form("DeformConv", v(1, 2, 5, 5), s(3, 2, 2, 2), v(1, 8, 4, 4, low=-1, high=1), s(3),
     v(1, 4, 4, 4))
form("DeformConv", v(1, 4, 5, 5), s(4, 2, 3, 3), v(1, 36, 5, 5, low=-1, high=1), None,
     v(1, 18, 5, 5), group=2, offset_group=2, pads=[1, 1, 1, 1])
form("DeformConv", v(1, 1, 6, 6), s(1, 1, 2, 2), v(1, 8, 3, 3, low=-1, high=1),
     strides=[2, 2])
form("DeformConv", v(1, 1, 6, 6), s(1, 1, 2, 2), v(1, 8, 4, 4, low=-1, high=1),
     dilations=[2, 2])
form("Col2Im", v(1, 12, 6), s(values=[4, 3]), s(values=[2, 2]))
form("Col2Im", v(2, 4, 6), s(values=[4, 3]), s(values=[2, 2]), strides=[1, 1])
form("Col2Im", v(1, 8, 12), s(values=[5, 4]), s(values=[2, 2]), pads=[1, 0, 1, 0],
     strides=[2, 1], dilations=[1, 1])
form("Col2Im", v(1, 4, 4), s(values=[4, 4]), s(values=[2, 2]), dilations=[2, 2])
form("Col2Im", v(1, 3, 4), s(values=[6]), s(values=[3]))

for op, gates, results in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
    for way in ({}, {"direction": "forward"}, {"direction": "reverse"},
                {"direction": "bidirectional"}):
        d = 2 if way.get("direction") == "bidirectional" else 1
        x, w, r = v(3, 2, 4), s(d, gates * 5, 4, low=-1, high=1), \
            s(d, gates * 5, 5, low=-1, high=1)
        bias, h = s(d, 2 * gates * 5, low=-1, high=1), s(d, 2, 5, low=-1, high=1)
        lengths = s(values=[3, 1])
        form(op, x, w, r, outputs=results, hidden_size=5, **way)
        form(op, x, w, r, bias, outputs=results, hidden_size=5, **way)
        form(op, x, w, r, bias, lengths, outputs=results, hidden_size=5, **way)
        form(op, x, w, r, None, None, h, outputs=results, hidden_size=5, **way)
        form(op, x, w, r, bias, lengths, h, outputs=results, hidden_size=5, **way)
        form(op, x, w, r, outputs=results, hidden_size=5, clip=0.5, **way)
        names = {"LSTM": ["HardSigmoid", "Relu", "Softsign"],
                 "GRU": ["HardSigmoid", "Softplus"], "RNN": ["Relu"]}[op]
        form(op, x, w, r, outputs=results, hidden_size=5, activations=names * d, **way)
        form(op, v(2, 3, 4), w, r, outputs=results, hidden_size=5, layout=1, **way)
        if op == "LSTM":
            form(op, x, w, r, bias, lengths, h, s(d, 2, 5), s(d, 15), outputs=3,
                 hidden_size=5, **way)
            form(op, x, w, r, None, None, None, s(d, 2, 5), outputs=3, hidden_size=5, **way)
            form(op, x, w, r, outputs=3, hidden_size=5, input_forget=1, **way)
        if op == "GRU":
            for linear in (0, 1):
                form(op, x, w, r, bias, outputs=2, hidden_size=5,
                     linear_before_reset=linear, **way)
        for place in range(results):
            form(op, x, w, r, outputs=[i == place for i in range(results)],
                 hidden_size=5, **way)
for names, alpha, beta in ((["Affine"], [0.5], [0.1]), (["LeakyRelu"], [0.2], None),
                           (["ThresholdedRelu"], [0.3], None),
                           (["ScaledTanh"], [0.7], [0.6]), (["HardSigmoid"], [0.3], [0.4]),
                           (["Elu"], [0.8], None), (["Softsign"], None, None),
                           (["Softplus"], None, None), (["Sigmoid"], None, None),
                           (["Tanh"], None, None), (["Elu"], None, None),
                           (["LeakyRelu"], None, None)):
    more = {key: value for key, value in (("activation_alpha", alpha),
                                          ("activation_beta", beta)) if value}
    form("RNN", v(3, 2, 4, low=-1, high=1), c(1, 5, 4, low=-1, high=1),
         c(1, 5, 5, low=-1, high=1), outputs=2, hidden_size=5,
         activations=names, **more)

# ---- attention --------------------------------------------------------------------

SELF = (v(1, 2, 3, 4), v(1, 2, 5, 4), v(1, 2, 5, 4))
form("Attention", *SELF)
form("Attention", *SELF, v(3, 5))
form("Attention", *SELF, v(1, 1, 3, 5), types={"U": ("bool",)})
form("Attention", *SELF, scale=0.3)
for causal in (0, 1):
    form("Attention", *SELF, is_causal=causal)
for softcap in (0.0, 2.0):
    form("Attention", *SELF, softcap=softcap)
form("Attention", v(2, 3, 8), v(2, 5, 8), v(2, 5, 8), q_num_heads=2, kv_num_heads=2)
form("Attention", v(1, 4, 3, 4), v(1, 2, 5, 4), v(1, 2, 5, 4))
form("Attention", *SELF, None, v(1, 2, 2, 4), v(1, 2, 2, 4), outputs=3)
for way in (0, 1, 2, 3):
    form("Attention", *SELF, v(3, 5), outputs=[True, False, False, True],
         qk_matmul_output_mode=way)
    form("Attention", *SELF, v(3, 5), outputs=[True, False, False, True],
         qk_matmul_output_mode=way, softcap=2.0)
form("Attention", *SELF, softmax_precision=1)
for interleaved in ({}, {"interleaved": 0}, {"interleaved": 1}):
    form("RotaryEmbedding", v(1, 2, 3, 4), v(9, 2), v(9, 2), s(values=[[1, 4, 2]]),
         **interleaved)
    form("RotaryEmbedding", v(1, 2, 3, 4), v(1, 3, 2), v(1, 3, 2), **interleaved)
    form("RotaryEmbedding", v(2, 3, 8), v(2, 3, 2), v(2, 3, 2), num_heads=2, **interleaved)
    form("RotaryEmbedding", v(1, 2, 3, 6), v(1, 3, 2), v(1, 3, 2),
         rotary_embedding_dim=4, **interleaved)

# ---- quantised --------------------------------------------------------------------

for dims in ((3, 4), (), (4,), (2, 3, 4), (2, 1, 3, 2), (1, 2, 2, 1, 3), (0, 3)):
    form("QuantizeLinear", v(*dims, low=-20, high=20), s(values=0.5))
    form("QuantizeLinear", v(*dims, low=-20, high=20), s(values=0.5), s(values=3))
    form("DequantizeLinear", v(*dims, low=0, high=90), s(values=0.5))
    form("DequantizeLinear", v(*dims, low=0, high=90), s(values=0.5), s(values=3))
for axis in ({}, {"axis": 0}, {"axis": 1}, {"axis": -1}):
    dims = (3, 3, 3)
    form("QuantizeLinear", v(*dims, low=-20, high=20), s(3, low=1), **axis)
    form("QuantizeLinear", v(*dims, low=-20, high=20), s(3, low=1), s(3, low=0), **axis)
    form("DequantizeLinear", v(*dims, low=0, high=90), s(3, low=1), **axis)
    form("DequantizeLinear", v(*dims, low=0, high=90), s(3, low=1), s(3, low=0), **axis)
for kind in ("uint8", "int8", "uint16", "int16"):
    form("QuantizeLinear", v(3, 4, low=-20, high=20), s(values=0.5), types={"T3": (kind,)},
         output_dtype=NUMBERS[kind])
form("QuantizeLinear", v(values=[-1e6, -0.75, -0.25, 0.25, 0.75, 1.25, 1e6]),
     s(values=0.5), s(values=3), tag="ends")
form("QuantizeLinear", v(2, 6, low=-20, high=20), s(2, 2, low=1), s(2, 2, low=0), axis=1,
     block_size=3)
form("QuantizeLinear", v(2, 6, low=-20, high=20), s(values=0.5), s(values=3), precision=1)
form("DequantizeLinear", v(2, 6, low=0, high=90), s(2, 2, low=1), s(2, 2, low=0), axis=1,
     block_size=3)
form("DequantizeLinear", v(4, 3, low=0, high=90), s(2, 3, low=1), axis=0, block_size=2)
everywhere("DynamicQuantizeLinear", outputs=3)
form("DynamicQuantizeLinear", v(3, 4, low=1), outputs=3, tag="positive")
form("DynamicQuantizeLinear", v(3, 4, low=-9, high=-1), outputs=3, tag="negative")
for first, second in (((3, 4), (4, 2)), ((2, 3, 4), (4, 2)), ((2, 3, 4), (2, 4, 2)),
                      ((1, 1), (1, 1))):
    form("QLinearMatMul", v(*first, high=20), s(values=0.1), s(values=3),
         v(*second, high=20), s(values=0.2), s(values=2), s(values=0.5), s(values=4))
form("QLinearMatMul", v(3, 4), c(values=0.1), c(values=3), v(4, 2),
     c(values=[0.2, 0.1]), c(values=[2, 1]), c(values=0.5), c(values=4), tag="columns")
form("QLinearMatMul", v(3, 4), c(values=[0.2, 0.1, 0.3]), c(values=[2, 1, 3]), v(4, 2),
     c(values=0.2), c(values=2), c(values=0.5), c(values=4), tag="rows")
for auto in AUTO:
    for dims, kernel in (((1, 1, 5, 5), (2, 2)), ((1, 2, 4, 5), (3, 3)), ((1, 2, 6), (3,))):
        given = (v(*dims, high=20), c(values=0.1), c(values=3), c(2, dims[1], *kernel),
                 c(values=0.2), c(values=2), c(values=0.5), c(values=4))
        form("QLinearConv", *given, **auto)
        form("QLinearConv", *given, c(2), strides=[2] * len(kernel), **auto)
form("QLinearConv", v(1, 2, 4, 4, high=20), c(values=0.1), c(values=3), c(2, 1, 2, 2),
     c(values=[0.2, 0.1]), c(values=[0, 0]), c(values=0.5), c(values=4), group=2,
     pads=[1, 1, 1, 1])
form("QLinearConv", v(1, 2, 6, 6, high=20), c(values=0.1), c(values=3), c(2, 2, 2, 2),
     c(values=0.2), c(values=2), c(values=0.5), c(values=4), dilations=[2, 2])

# ---- signals ----------------------------------------------------------------------

for op in "HannWindow HammingWindow BlackmanWindow".split():
    for periodic in ({}, {"periodic": 0}, {"periodic": 1}):
        for size in (8, 5, 2):
            form(op, s(values=size), **periodic)
    for kind in ("float32", "float16", "float64", "bfloat16", "int32", "uint8"):
        form(op, s(values=8), output_datatype=NUMBERS[kind], types={"T2": (kind,)})
for inverse in ({}, {"inverse": 0}, {"inverse": 1}):
    for onesided in ({}, {"onesided": 0}, {"onesided": 1}):
        for last in (1, 2):
            form("DFT", v(1, 8, last), **inverse, **onesided)
            form("DFT", v(2, 6, 3, last), s(values=5), axis=1, **inverse, **onesided)
            form("DFT", v(1, 6, last), s(values=8), **inverse, **onesided)
            form("DFT", v(2, 5, 3, last), axis=-2, **inverse, **onesided)
            form("DFT", v(2, 5, 3, last), None, s(values=-3), **inverse, **onesided)
            form("DFT", v(2, 5, 3, last), s(values=7), s(values=1), **inverse, **onesided)
for onesided in ({}, {"onesided": 0}, {"onesided": 1}):
    for last in (1, 2):
        form("STFT", v(1, 16, last), s(values=4), s(8, low=0, high=1), **onesided)
        form("STFT", v(2, 16, last), s(values=3), None, s(values=8), **onesided)
        form("STFT", v(1, 16, last), s(values=4), s(8, low=0, high=1), s(values=8),
             **onesided)
form("MelWeightMatrix", s(values=6), s(values=16), s(values=8000), s(values=0),
     s(values=4000))
form("MelWeightMatrix", s(values=4), s(values=8), s(values=8192), s(values=100),
     s(values=3000))
for kind in ("float32", "float16", "float64", "bfloat16"):
    form("MelWeightMatrix", s(values=6), s(values=16), s(values=8000), s(values=0),
         s(values=4000), output_datatype=NUMBERS[kind], types={"T3": (kind,)})

# ---- losses, boxes, texts ---------------------------------------------------------

for way in ({}, *({"reduction": word} for word in ("mean", "sum", "none"))):
    for dims in ((3, 5), (2, 5, 3), (1, 5, 2, 2), (1, 5, 2, 1, 2)):
        target = (dims[0], *dims[2:])
        for ignored in ({}, {"ignore_index": 2}, {"ignore_index": -1}):
            labels = v(*target, low=0, high=5)
            form("NegativeLogLikelihoodLoss", v(*dims), labels, **way, **ignored)
            form("NegativeLogLikelihoodLoss", v(*dims), labels, v(5, low=1), **way,
                 **ignored)
            form("SoftmaxCrossEntropyLoss", v(*dims), labels, outputs=2, **way, **ignored)
            form("SoftmaxCrossEntropyLoss", v(*dims), labels, v(5, low=1), outputs=1,
                 **way, **ignored)
form("NegativeLogLikelihoodLoss", v(3, 5), v(values=[-1, 2, 4]), ignore_index=-1)
form("SoftmaxCrossEntropyLoss", v(3, 5), v(values=[-1, 2, 4]), ignore_index=-1, outputs=2)
BOXES = [[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11],
          [0, 10.1, 1, 11.1], [0, 100, 1, 101]]]
for center in ({}, {"center_point_box": 0}, {"center_point_box": 1}):
    form("NonMaxSuppression", v(values=BOXES), v(1, 2, 6, low=0, high=1), **center)
    form("NonMaxSuppression", v(values=BOXES), v(1, 2, 6, low=0, high=1), s(values=[3]),
         **center)
    form("NonMaxSuppression", v(values=BOXES), v(1, 2, 6, low=0, high=1), s(values=[3]),
         s(values=[0.5]), **center)
    form("NonMaxSuppression", v(values=BOXES), v(1, 2, 6, low=0, high=1), s(values=[3]),
         s(values=[0.5]), s(values=[0.4]), **center)
    form("NonMaxSuppression", v(values=BOXES * 2), v(2, 1, 6, low=0, high=1), s(values=[2]),
         None, s(values=[0.4]), **center)
WORDS = ["monday", "Tuesday", "the", "End"]
form("StringNormalizer", v(values=WORDS))
for action in ("LOWER", "UPPER", "NONE"):
    for sensitive in (0, 1):
        form("StringNormalizer", v(values=WORDS), case_change_action=action,
             is_case_sensitive=sensitive)
        form("StringNormalizer", v(values=WORDS), case_change_action=action,
             is_case_sensitive=sensitive, stopwords=["monday", "THE"])
        form("StringNormalizer", v(values=[WORDS]), case_change_action=action,
             is_case_sensitive=sensitive, stopwords=["End"])
form("StringConcat", v(values=WORDS), v(values=["a", "b", "c", "d"]))
form("StringConcat", v(values=WORDS), v(values=["a"]))
form("StringSplit", v(values=["a b", "c d e"]), outputs=2)
form("StringSplit", v(values=["a,b", "c,d,e"]), outputs=2, delimiter=",", maxsplit=1)
form("RegexFullMatch", v(values=WORDS), pattern="[a-z]+")
for mode in ("TF", "IDF", "TFIDF"):
    for skip in (0, 1):
        for dims in ([1, 1, 3, 3, 3, 7, 8], [[2, 3, 5], [7, 8, 6]]):
            form("TfIdfVectorizer", v(values=dims), max_gram_length=2, min_gram_length=1,
                 max_skip_count=skip, mode=mode, ngram_counts=[0, 4],
                 ngram_indexes=list(range(7)), pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
                 types={"T": ("int32", "int64")})
            form("TfIdfVectorizer", v(values=dims), max_gram_length=2, min_gram_length=2,
                 max_skip_count=skip, mode=mode, ngram_counts=[0, 4],
                 ngram_indexes=list(range(7)), pool_int64s=[2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
                 weights=[0.5, 1.0, 2.0, 1.5, 0.1, 0.2, 0.3], types={"T": ("int32", "int64")})
form("TfIdfVectorizer", v(values=["a", "b", "a", "c"]), max_gram_length=1,
     min_gram_length=1, max_skip_count=0, mode="TF", ngram_counts=[0],
     ngram_indexes=[0, 1], pool_strings=["a", "b"], types={"T": ("string",)})

# ---- chance: only shapes and types ------------------------------------------------

everywhere("Dropout")
for ratio in (0.0, 0.4):
    form("Dropout", v(3, 4), ratio=ratio)
    form("Dropout", v(3, 4), ratio=ratio, outputs=2)
    form("Dropout", v(3, 4), s(values=ratio))
    form("Dropout", v(3, 4), s(values=ratio), outputs=2)
    form("Dropout", v(3, 4), s(values=ratio), s(values=False), outputs=2)
    form("Dropout", v(3, 4), s(values=ratio), s(values=True), outputs=2,
         is_random=ratio > 0)
form("Dropout", v(3, 4), None, s(values=True), outputs=2, is_random=True)
form("Dropout", v(3, 4), outputs=2)
for seed in ({}, {"seed": 3.0}):
    for dims in RANKS + EMPTY:
        form("RandomNormalLike", v(*dims), is_random=True, **seed)
        form("RandomUniformLike", v(*dims), is_random=True, **seed)
        form("Bernoulli", v(*dims, low=0, high=1), is_random=True, **seed)
        if dims:
            form("RandomNormal", shape=list(dims), is_random=True, **seed)
            form("RandomUniform", shape=list(dims), is_random=True, **seed)
    for size in (1, 3):
        form("Multinomial", v(2, 4, low=0, high=1), sample_size=size, is_random=True, **seed)
for kind in ("float32", "float16", "float64"):
    form("RandomNormal", shape=[2, 3], dtype=NUMBERS[kind], mean=1.0, scale=2.0,
         is_random=True, types={"T": (kind,)})
    form("RandomUniform", shape=[2, 3], dtype=NUMBERS[kind], low=1.0, high=2.0,
         is_random=True, types={"T": (kind,)})
    form("RandomNormalLike", v(2, 3), dtype=NUMBERS[kind], mean=1.0, scale=2.0,
         is_random=True, types={"T2": (kind,)})
    form("RandomUniformLike", v(2, 3), dtype=NUMBERS[kind], low=1.0, high=2.0,
         is_random=True, types={"T2": (kind,)})
for kind in ("float32", "float64", "bool", "int32", "int64", "uint8"):
    form("Bernoulli", v(2, 3, low=0, high=1), dtype=NUMBERS[kind], is_random=True,
         types={"T2": (kind,)})
for kind in ("int32", "int64"):
    form("Multinomial", v(2, 4, low=0, high=1), dtype=NUMBERS[kind], is_random=True,
         types={"T2": (kind,)})

# ---- lists: one node makes what another reads -------------------------------------

def then(*nodes):
    """Nodes one after the other, as (operator, inputs, outputs).  An input is the
    number of one of the form, or the name of what a node before it gave; the last
    gives the outputs.  Attributes are those of the form's operator."""
    def steps(op, names, outs, attributes):
        for kind, inputs, made in nodes:
            yield (kind,
                   [names[x] if isinstance(x, int) else f"{outs[0]}_{x}"
                    for x in inputs],
                   [outs[int(x)] if x.isdigit() else f"{outs[0]}_{x}"
                    for x in made],
                   attributes if kind == op else {})
    return steps


LISTED = ("SequenceConstruct", (0, 1, 2), ("list",))
for dims in ((2, 3), (), (4,), (2, 3, 2), (2, 1, 3, 2), (1, 2, 2, 1, 3), (2, 0)):
    three = tuple(v(*dims, type="T") for _ in range(3))
    for position in (0, 2, -1):
        at = (s(values=position, type="int64"),)
        for op in ("SequenceAt", "SequenceConstruct"):
            form(op, *three, *at, gives=["T"],
                 steps=then(LISTED, ("SequenceAt", ("list", 3), ("0",))))
    form("SequenceLength", *three, gives=["int64"],
         steps=then(LISTED, ("SequenceLength", ("list",), ("0",))))
    for axis in range(-len(dims), len(dims)):
        for new in ({}, {"new_axis": 0}):
            form("ConcatFromSequence", *three, gives=["T"], axis=axis, **new,
                 steps=then(LISTED, ("ConcatFromSequence", ("list",), ("0",))))
    for axis in range(-len(dims) - 1, len(dims) + 1):
        form("ConcatFromSequence", *three, gives=["T"], axis=axis, new_axis=1,
             steps=then(LISTED, ("ConcatFromSequence", ("list",), ("0",))))
    form("Optional", v(*dims, type="T"), gives=["T"],
         steps=then(("Optional", (0,), ("one",)),
                    ("OptionalGetElement", ("one",), ("0",))))
    form("OptionalGetElement", v(*dims, type="T"), gives=["T"],
         steps=then(("OptionalGetElement", (0,), ("0",))))
    form("OptionalHasElement", v(*dims, type="T"), gives=["bool"],
         steps=then(("Optional", (0,), ("one",)),
                    ("OptionalHasElement", ("one",), ("0",))))
    form("OptionalHasElement", v(*dims, type="T"), gives=["bool"],
         steps=then(("OptionalHasElement", (0,), ("0",))))
form("OptionalHasElement", gives=["bool"],
     steps=then(("OptionalHasElement", (), ("0",))))
for dims, axis, parts in (((6,), {}, None), ((6,), {}, 2), ((7, 2), {"axis": 0}, 3),
                          ((2, 6), {"axis": 1}, [1, 2, 3]), ((2, 6, 1), {"axis": -2}, [4, 2]),
                          ((2, 1, 4, 2), {"axis": 2}, None), ((0, 2), {}, None)):
    for keep in ({}, {"keepdims": 0}, {"keepdims": 1}):
        for position in (0, -1):
            given = [v(*dims, type="T"), s(values=position, type="int64")]
            if parts is not None:
                given.append(s(values=parts, type="int64"))
            form("SplitToSequence", *given, gives=["T", "int64"], **axis, **keep,
                 steps=then(("SplitToSequence", (0, 2)[:len(given) - 1], ("list",)),
                            ("SequenceAt", ("list", 1), ("0",)),
                            ("SequenceLength", ("list",), ("1",))))

# ---- what sweep_coverage.py missed ------------------------------------------------

# Ranks that forms of a few dims do not reach.
for dims in RANKS + EMPTY:
    form("CastLike", v(*dims, low=0, high=6), c(1), types={"T2": ("int32",)}, tag="ranks")
    form("BitCast", v(*dims), to=NUMBERS["int32"], tag="ranks",
         types={"T1": ("float32",), "T2": ("int32",)})
for dims in ((2, 1, 3, 2), (1, 2, 2, 1, 3)):
    form("Unsqueeze", v(*dims), axes=[0])
    form("Unsqueeze", v(*dims), s(values=[-1]))
    form("Unique", v(*dims, low=0, high=3), outputs=4)
    form("PRelu", v(*dims), v(dims[-1]))
    form("Where", v(*dims), v(*dims), v(dims[-1]))
    form("Expand", v(*dims), s(values=[2, *dims]))
    form("TopK", v(*dims), s(values=[1]), outputs=2, axis=1)
    form("Compress", v(*dims), s(values=[True]), axis=-1)
    form("CenterCropPad", v(*dims), c(values=[4]), axes=[1])
    for op in ("Scatter", "ScatterElements"):
        form(op, v(*dims), s(values=numpy.zeros((1,) * len(dims), "i8")), v(*(1,) * len(dims)),
             axis=-1)
    form("GatherElements", v(*dims), s(values=numpy.zeros((1,) * len(dims), "i8")), axis=1)
    form("ScatterND", v(*dims), s(values=[[0, 1]] if dims[1] > 1 else [[1, 0]]), v(1, *dims[2:]))
    form("StringConcat", v(*dims), v(dims[-1]))
    form("Det", v(*dims, 2, 2))
form("OneHot", v(1, 2, 1, 3, 2, low=0, high=4, is_whole=True), s(values=4), s(values=[0, 1]))
form("Einsum", v(1, 2, 2, 1, 3), equation="abcde->edcba")
form("Einsum", v(), equation="->")
form("Einsum", v(0, 3), v(3, 2), equation="ij,jk->ik")
form("SplitToSequence", v(1, 2, 2, 1, 3, type="T"), s(values=1, type="int64"), gives=["T"],
     axis=-1, steps=then(("SplitToSequence", (0,), ("list",)), ("SequenceAt", ("list", 1), ("0",))))
for kind in ("int32", "int64"):
    form("SplitToSequence", v(6, type="T"), s(values=1, type="int64"), s(values=[4, 2], type=kind),
         gives=["T"], tag=kind,
         steps=then(("SplitToSequence", (0, 2), ("list",)), ("SequenceAt", ("list", 1), ("0",))))
    form("SequenceAt", *three, s(values=1, type=kind), gives=["T"], tag=kind,
         steps=then(LISTED, ("SequenceAt", ("list", 3), ("0",))))
form("Optional", gives=["bool"], type=("type", 1), types={"T": ("float32",)},
     steps=then(("Optional", (), ("one",)), ("OptionalHasElement", ("one",), ("0",))))
for first, second in (((1, 2, 3, 4), (1, 2, 4, 2)), ((1, 2, 1, 3, 4), (2, 4, 2)), ((0, 4), (4, 2))):
    form("QLinearMatMul", v(*first, high=20), c(values=0.1), c(values=3), v(*second, high=20),
         c(values=0.2), c(values=2), c(values=0.5), c(values=4))
for dims, axes in (((4,), [0]), ((2, 3), [-1]), ((2, 3, 4), [0, 2]), ((1, 2, 2, 1, 3), [1, 4])):
    form("MeanVarianceNormalization", v(*dims), axes=axes)
form("TensorScatter", v(2, 1, 5, 3), v(2, 1, 2, 3), s(values=[0, 3]), axis=-2)
form("TensorScatter", v(2, 1, 1, 5, 3), v(2, 1, 1, 2, 3), s(values=[0, 3]))
form("TensorScatter", v(2, 5), v(2, 2), s(values=[0, 3]), axis=1)
form("DFT", v(3, 2, 1, 4, 1), axis=1)
form("DFT", v(8, 1), axis=0)
form("StringNormalizer", v(values=[WORDS]), locale="en_US", case_change_action="NONE")
form("RegexFullMatch", v(values=[WORDS]), pattern="[a-z]+")
form("StringSplit", v(values=[["a b"], ["c d e"]]), outputs=2)

# Nothing to compute on.
for op in ("AveragePool", "LpPool"):
    form(op, v(0, 2, 4, 4), kernel_shape=[2, 2])
for op in "GlobalAveragePool GlobalMaxPool GlobalLpPool".split():
    form(op, v(0, 2, 4, 4))
form("ConvInteger", v(0, 2, 4, 4), c(3, 2, 2, 2))
form("ConvTranspose", v(0, 2, 4, 4), c(2, 3, 2, 2))
form("QLinearConv", v(0, 2, 4, 4), c(values=0.1), c(values=3), c(3, 2, 2, 2), c(values=0.2),
     c(values=2), c(values=0.5), c(values=4))
form("DeformConv", v(0, 1, 4, 4), c(1, 1, 2, 2), v(0, 8, 3, 3))
form("LRN", v(0, 5, 3, 3), size=3)
form("InstanceNormalization", v(0, 3, 4), s(3), s(3))
form("GroupNormalization", v(0, 4, 3), s(4), s(4), num_groups=2, since=21)
form("BatchNormalization", v(0, 3, 4), s(3, low=1), s(3), s(3), s(3, low=1))
form("MeanVarianceNormalization", v(0, 3, 2, 2), axes=[1])
form("MaxUnpool", v(0, 1, 2, 2), v(values=numpy.zeros((0, 1, 2, 2), "i8")), kernel_shape=[2, 2],
     strides=[2, 2])
form("Upsample", v(0, 1, 4, 5), c(values=[1, 1, 2, 3]))
form("GridSample", v(0, 1, 4, 5), v(0, 2, 3, 2))
form("RoiAlign", v(1, 1, 6, 6), v(values=numpy.zeros((0, 4))), v(values=numpy.zeros(0, "i8")))
form("MaxRoiPool", v(1, 1, 6, 6), v(values=numpy.zeros((0, 5))), pooled_shape=[2, 2])
form("AffineGrid", v(0, 2, 3), c(values=[0, 1, 3, 4]))
form("Col2Im", v(0, 12, 6), c(values=[4, 3]), c(values=[2, 2]))
form("NonMaxSuppression", v(values=numpy.zeros((1, 0, 4))), v(values=numpy.zeros((1, 2, 0))),
     c(values=[3]))
for op, gates, results in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
    form(op, v(3, 0, 4), s(1, gates * 5, 4), s(1, gates * 5, 5), outputs=results, hidden_size=5)
    form(op, v(3, 2, 4), s(1, gates * 5, 4), s(1, gates * 5, 5), outputs=results)
for op in ("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"):
    form(op, v(0, 5), v(0, low=0, high=5), reduction="none")
    form(op, v(0, 5), v(0, low=0, high=5), reduction="sum")
form("ReverseSequence", v(4, 0), v(values=numpy.zeros(0, "i8")))
form("Multinomial", v(0, 4), sample_size=2, is_random=True)
form("Det", v(0, 2, 2))
form("DFT", v(0, 8, 1), axis=1)
form("STFT", v(0, 16, 1), c(values=4), c(8, low=0, high=1))
form("Attention", v(0, 2, 3, 4), v(0, 2, 5, 4), v(0, 2, 5, 4))
form("RotaryEmbedding", v(0, 2, 3, 4), v(0, 3, 2), v(0, 3, 2))
form("TensorScatter", v(0, 5, 3), v(0, 2, 3), v(values=numpy.zeros(0, "i8")), axis=1)
form("TopK", v(0, 4), c(values=[2]), outputs=2)
form("CenterCropPad", v(0, 4), c(values=[3]), axes=[1])
for op in ("StringConcat",):
    form(op, v(0), v(0))
form("StringSplit", v(0), outputs=2)
form("RegexFullMatch", v(0), pattern="[a-z]+")
form("StringNormalizer", v(0))
form("TfIdfVectorizer", v(values=numpy.zeros((0, 3))), max_gram_length=1, min_gram_length=1,
     max_skip_count=0, mode="TF", ngram_counts=[0], ngram_indexes=[0, 1], pool_int64s=[2, 3],
     types={"T": ("int32", "int64")})

# Types that an attribute tells.
SIZES = {kind: numpy.dtype(name).itemsize for kind, name in PLAIN.items() if kind != "string"}
SIZES.update(bfloat16=2, float8e4m3fn=1, float8e4m3fnuz=1, float8e5m2=1, float8e5m2fnuz=1)
for source, target in itertools.product(SIZES, SIZES):
    if SIZES[source] == SIZES[target] and target not in CARRIED:
        form("BitCast", v(2, 3, low=0, high=2), to=NUMBERS[target], tag="pair",
             types={"T1": (source,), "T2": (target,)})
for source, target in (("float32", "int32"), ("int8", "float8e4m3fn"), ("int8", "float8e4m3fnuz"),
                       ("int8", "float8e5m2"), ("int8", "float8e5m2fnuz"), ("int4", "uint4"),
                       ("uint4", "int4"), ("int16", "bfloat16")):
    form("BitCast", v(2, 3, low=0, high=2), to=NUMBERS[target], tag="carried",
         types={"T1": (source,), "T2": (target,)})
for kind in ("int8", "int16", "int64", "uint16", "uint32", "uint64"):
    for op in "HannWindow HammingWindow BlackmanWindow".split():
        form(op, s(values=8), output_datatype=NUMBERS[kind], types={"T2": (kind,)})
for kind in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split():
    form("MelWeightMatrix", s(values=6), s(values=16), s(values=8000), s(values=0),
         s(values=4000), output_datatype=NUMBERS[kind], types={"T3": (kind,)})
    form("Bernoulli", v(2, 3, low=0, high=1), dtype=NUMBERS[kind], is_random=True,
         types={"T2": (kind,)})
form("CastLike", v(2, 3, low=0, high=6), c(values=["a"]), tag="string", types={"T2": ("string",)})
form("Pad", v(4, 5), s(values=[1, 2]), None, s(values=[-1]), types={"Tind": ("int32",)}, tag="int32")
for kind in ("float32", "float16"):
    form("DequantizeLinear", v(3, 4, low=0, high=90), s(values=0.5), output_dtype=NUMBERS[kind],
         types={"T2": (kind,), "T3": (kind,)})
for saturate in (0, 1):
    form("QuantizeLinear", v(3, 4, low=-20, high=20), s(values=0.5), s(values=3), saturate=saturate)

# Inputs and attributes.
form("ConvInteger", v(1, 2, 4, 5), c(3, 2, 2, 2), c(values=1), c(values=2))
form("ConvInteger", v(1, 2, 4, 5), c(3, 2, 2, 2), None, c(values=2), kernel_shape=[2, 2])
form("ConvInteger", v(1, 2, 4, 5), c(3, 2, 2, 2), dilations=[2, 2])
form("ConvTranspose", v(1, 2, 4, 5), c(2, 3, 2, 2), kernel_shape=[2, 2])
form("DeformConv", v(1, 1, 4, 4), s(1, 1, 2, 2), v(1, 8, 3, 3, low=-1, high=1), kernel_shape=[2, 2])
form("QLinearConv", v(1, 2, 4, 4, high=20), c(values=0.1), c(values=3), c(3, 2, 2, 2),
     c(values=0.2), c(values=2), c(values=0.5), c(values=4), kernel_shape=[2, 2])
form("Dropout", v(3, 4), s(values=0.0), outputs=2, seed=3)
form("LSTM", v(3, 2, 4), s(1, 20, 4, low=-1, high=1), s(1, 20, 5, low=-1, high=1), outputs=3,
     hidden_size=5, activations=["HardSigmoid", "LeakyRelu", "ScaledTanh"],
     activation_alpha=[0.3, 0.1, 0.7], activation_beta=[0.4, 0.0, 0.6])
form("GRU", v(3, 2, 4), s(1, 15, 4, low=-1, high=1), s(1, 15, 5, low=-1, high=1), outputs=2,
     hidden_size=5, activations=["HardSigmoid", "ScaledTanh"], activation_alpha=[0.3, 0.7],
     activation_beta=[0.4, 0.6])
form("Attention", *SELF, None, None, None, v(values=[4]))
form("Attention", *SELF, left_window_size=1)
form("Attention", *SELF, right_window_size=1, is_causal=0)
form("Attention", *SELF, left_window_size=1, right_window_size=0)
form("StringConcat", v(values=[WORDS]), v(values=["a", "b", "c", "d"]))
form("RegexFullMatch", v(values=WORDS))
for op, gates, results in (("LSTM", 4, 3), ("GRU", 3, 2), ("RNN", 1, 2)):
    form(op, v(3, 2, 4), s(1, gates * 5, 4, low=-1, high=1), s(1, gates * 5, 5, low=-1, high=1),
         outputs=results, hidden_size=5, layout=0)
form("LSTM", v(3, 2, 4), s(1, 20, 4, low=-1, high=1), s(1, 20, 5, low=-1, high=1), outputs=3,
     hidden_size=5, input_forget=0)
form("MaxPool", v(2, 3, 6, 7), kernel_shape=[2, 3], outputs=2, storage_order=0)
form("Resize", v(1, 1, 4, 5), None, c(values=[1, 1, 2, 2]), mode="cubic", exclude_outside=0)
form("Resize", v(1, 1, 4, 5), None, c(values=[1, 1, 2, 2]), mode="linear", antialias=0)
form("Dropout", v(3, 4), s(values=0.0), outputs=1, types={"T1": ("float8e4m3fn",)}, tag="ratio")
