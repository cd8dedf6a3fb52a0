"""random_tensorflow.py - random graphs of TensorFlow, each by the number of its seed

    steps = steps_of(seed)

A step is an operator of tests/judges/tensorflow_table.py with its attributes.  Its
inputs are what the table says, or what a step before gave, where type and dims
are the same and the numbers lie between those of the table.  numpy says what comes
out; how far an engine may be off there is found by doing the same with numbers that
are off by as much as they may be.  Where that changes a truth, an integer or much
of a float, the step takes the numbers of the table instead.
"""
import collections
import random
import warnings

import numpy

import random_tensorflow_flow as flow
from tensorflow_table import CASES

# An input: a value of a step before (its name), or an array, fed or a constant.
Source = collections.namedtuple("Source", "value array is_fixed dtype")
Step = collections.namedtuple("Step", "name op attrs inputs outputs errors is_open")
# What floats lose in one operator, relative to the largest of its result.
OWN = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-6, "bfloat16": 2e-2}
TRIES = 3
FLOW_PERCENT = 8
NAMES = [name for name, case in CASES.items() if callable(case.want) and
         not case.is_loose and not case.skips_judge and
         all(array.dtype.kind in "fiub" for array, _, _ in case.inputs)]


def limits(array):
    return (array.min(), array.max()) if array.size else (0, 0)


def fits(value, array):
    """May this value stand where the table has that array?"""
    if value.dtype != array.dtype or value.shape != array.shape:
        return False
    if not array.size or array.dtype == bool:
        return True
    if array.dtype.kind == "f" and not (numpy.isfinite(value).all() and
                                        numpy.isfinite(array).all()):
        return False
    nearest = numpy.abs(array).min()        # of nought; a divisor stays away from it
    (low, high), (least, most) = limits(value), limits(array)
    return low >= least and high <= most and numpy.abs(value).min() >= nearest / 2 and \
        (nearest == 0 or (value != 0).all())


# Operators whose integers are in an order, or each there once.
ORDERED = ("Segment", "SparseSegment", "InvertPermutation", "DynamicStitch",
           "ParallelDynamicStitch", "Scatter", "TensorScatter", "LowerBound",
           "UpperBound", "SearchSorted")


# Operators that want their floats in an order, or refuse to compute.
RANGES = ("HistogramFixedWidth", "Bucketize", "SampleDistortedBoundingBox")


def is_index(case, array):
    """Integers that say where something is, not how much; and ranges."""
    if case.op in RANGES and array.ndim == 1:
        return True
    kinds = {one.dtype.kind for one, _, _ in case.inputs}
    return array.dtype.kind in "iu" and ("f" in kinds or case.op.startswith(ORDERED))


def outputs_of(case, arrays):
    with numpy.errstate(all="ignore"):
        made = case.want(*arrays)
    made = made if isinstance(made, (tuple, list)) else [made]
    return [None if one is None else numpy.asarray(one) for one in made]


def magnitude(array):
    wide = numpy.abs(array.astype("f8"))
    wide = wide[numpy.isfinite(wide)]
    return float(wide.max()) if wide.size else 0.0


def moved(rng, array, error):
    """The array with everything off by as much as it may be."""
    if not error or array.dtype.kind != "f":
        return array
    signs = numpy.array([rng.choice((-1, 1)) for _ in range(array.size)], "f8")
    return (array + 2 * error * signs.reshape(array.shape)).astype(array.dtype)


def errors_of(rng, case, arrays, errors, made):
    """How far each output may be off; None: this is no place for such inputs."""
    found = [OWN.get(str(one.dtype), 0) * max(magnitude(one), 1e-3)
             if one is not None and one.dtype.kind == "f" else 0.0 for one in made]
    if case.tolerance:
        found = [max(e, case.tolerance * max(magnitude(one), 1)) if e else 0.0
                 for e, one in zip(found, made)]
    if not any(errors):
        return found
    for _ in range(TRIES):
        others = outputs_of(case, [moved(rng, a, e) for a, e in zip(arrays, errors)])
        for at, (one, other) in enumerate(zip(made, others)):
            if one is None:
                continue
            if one.shape != other.shape or one.dtype != other.dtype:
                return None
            if one.dtype.kind != "f":
                if not numpy.array_equal(one, other):
                    return None
                continue
            if not (numpy.isfinite(one).all() and numpy.isfinite(other).all()):
                return None
            gap = magnitude(one.astype("f8") - other.astype("f8"))
            found[at] = max(found[at], 2 * gap)
    return found if all(e <= 0.05 * max(magnitude(one), 1e-3) for e, one in
                        zip(found, made) if one is not None and one.dtype.kind == "f") \
        else None


class Maker:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.steps, self.values = [], []        # values: name, array, error
        # A program has functions or frames, seldom both.
        self.flows = self.rng.choice((flow.FUNCTIONS, flow.FUNCTIONS, flow.DATAFLOW))

    def source(self, case, array, is_fixed, dtype):
        """A constant stays one: axes, sizes and the like are seldom computed."""
        is_free = not is_fixed and dtype is None and not is_index(case, array)
        fit = [v for v in self.values if fits(v[1], array)] if is_free else []
        if fit and self.rng.randrange(100) < 80:
            return Source(*self.rng.choice(fit[-8:])[:2], False, None)
        return Source(None, array, is_fixed, dtype)

    def step(self):
        case = CASES[self.rng.choice(self.near() if self.values and
                                     self.rng.randrange(100) < 60 else NAMES)]
        inputs = [self.source(case, *one) for one in case.inputs]
        errors = [dict((n, e) for n, _, e in self.values).get(s.value, 0.0)
                  for s in inputs]
        try:
            made = outputs_of(case, [s.array for s in inputs])
            bounds = errors_of(self.rng, case, [s.array for s in inputs], errors, made)
        except (ArithmeticError, IndexError, ValueError, numpy.linalg.LinAlgError):
            return              # numpy refuses such numbers
        if bounds is None or any(one is not None and one.dtype.kind not in "fiub"
                                 for one in made):
            return
        name = f"s{len(self.steps)}"
        is_open = case.is_open or (self.rng.randrange(100) < 10 and "rows")
        self.steps.append(Step(name, case.op, case.attrs, inputs, made, bounds, is_open))
        self.values += [(name if at == 0 else f"{name}:{at}", one, bounds[at])
                        for at, one in enumerate(made) if one is not None]

    def any_like(self, test, fresh):
        """A value of a step before, or an array that is fed or a constant."""
        fit = [v for v in self.values if test(v[1])]
        if fit and self.rng.randrange(100) < 80:
            name, array, error = self.rng.choice(fit[-8:])
            return Source(name, array, False, None), error
        return Source(None, fresh, self.rng.randrange(100) < 30, None), 0.0

    def flow(self):
        """A condition or a loop: about a truth or a number of turns, and floats."""
        kind = self.rng.choice(self.flows)
        dims = tuple(self.rng.randint(0 if self.rng.randrange(20) == 0 else 1, 3)
                     for _ in range(self.rng.randrange(4)))
        floats = (numpy.arange(numpy.prod(dims, dtype=int)).reshape(dims) / 4 - 1).astype("f4")
        count = self.rng.randint(0, 3)
        x, x_error = self.any_like(lambda v: v.dtype == numpy.float32 and v.size and
                                   numpy.abs(v).max() < 8, floats)
        if kind in flow.CHOICES:
            first, _ = self.any_like(lambda v: v.dtype == bool and v.shape == (),
                                     numpy.array(self.rng.randrange(2) == 1))
            sources, errors = [first, x], [0, x_error]
        else:
            number = Source(None, numpy.array(count, "i4"), self.rng.randrange(2) == 0, None)
            by, by_error = self.any_like(
                lambda v: v.dtype == numpy.float32 and v.shape == x.array.shape and
                v.size and numpy.abs(v).max() < 8, numpy.full(x.array.shape, 0.25, "f4"))
            sources, errors = [number, x, by], [0, x_error, by_error]
        made = flow.Flow(kind, [flow.chain(self.rng) for _ in range(2)], count)
        array = flow.wanted(made, [one.array for one in sources])
        name = f"s{len(self.steps)}"
        error = flow.error_of(made, errors)
        self.steps.append(Step(name, kind, made, sources, [array], [error], False))
        self.values.append((name, array, error))

    def near(self):
        """Cases that could take one of the newest values."""
        keys = {(v[1].dtype.str, v[1].shape) for v in self.values[-4:]}
        found = [name for key in sorted(keys) for name in BY_INPUT.get(key, ())]
        return found or NAMES


BY_INPUT = {}
for name_ in NAMES:
    for key_ in {(array.dtype.str, array.shape) for array, is_fixed, _ in
                 CASES[name_].inputs if not is_fixed}:
        BY_INPUT.setdefault(key_, []).append(name_)


def steps_of(seed):
    maker = Maker(seed)
    with warnings.catch_warnings():     # of means of nothing, which are wanted
        warnings.simplefilter("ignore")
        for _ in range(maker.rng.randint(2, 8)):
            if maker.rng.randrange(100) < FLOW_PERCENT:
                maker.flow()
            else:
                maker.step()
        while not maker.steps:
            maker.step()
    return maker.steps


def results_of(seed, steps):
    """Outputs that are asked for: what no step takes, and some others."""
    rng = random.Random(seed + 1)
    used = {s.value for step in steps for s in step.inputs}
    asked = []
    for step in steps:
        names = [step.name if at == 0 else f"{step.name}:{at}"
                 for at, one in enumerate(step.outputs) if one is not None]
        free = [name for name in names if name not in used]
        asked += [name for name in free if rng.randrange(100) < 80]
        asked += [name for name in names if name in used and rng.randrange(100) < 10]
    rng.shuffle(asked)
    return asked or [steps[-1].name]
