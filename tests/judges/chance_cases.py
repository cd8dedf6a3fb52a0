"""chance_cases.py - numbers by chance, for tensorflow_beyond.py: what holds of many of them"""
import numpy as np

MANY = 20000


def near(a, b, by):
    return abs(float(a) - b) < by


def cut_bell(x):
    """A bell without what is beyond two deviations: its own is 0.8796."""
    return x.shape == (MANY,) and x.dtype == np.float32 and abs(x).max() <= 2 and near(x.mean(), 0, 0.03) and near(x.std(), 0.8796, 0.02) \
        and abs(x).max() > 1.9


def bell(x):
    return x.shape == (MANY,) and near(x.mean(), 0, 0.04) and near(x.std(), 1, 0.03) and abs(x).max() > 2.5


def even(x):
    return x.shape == (MANY,) and x.min() >= 0 and x.max() < 1 and near(x.mean(), 0.5, 0.02) and near(x.var(), 1 / 12, 0.005)


def whole(x):
    return x.shape == (MANY,) and x.dtype == np.int64 and sorted(set(x.tolist())) == list(range(-2, 3)) and near(x.mean(), 0, 0.06)


def drawn(x):
    """Of three, with logarithms of 1, 2 and 5."""
    return x.shape == (1, MANY) and all(near((x == i).mean(), p / 8, 0.02) for i, p in enumerate((1, 2, 5)))


def cases(Case, _shared, _scratch):
    for op, holds, attrs, extra in (
            ("TruncatedNormal", cut_bell, {"dtype": "float32"}, []), ("StatelessTruncatedNormal", cut_bell, {"dtype": "float32"}, ["seed"]),
            ("StatelessTruncatedNormalV2", cut_bell, {"dtype": "float32"}, ["key", "key:1", "alg"]),
            ("RandomStandardNormal", bell, {"dtype": "float32"}, []), ("StatelessRandomNormal", bell, {"dtype": "float32"}, ["seed"]),
            ("StatelessRandomNormalV2", bell, {"dtype": "float32"}, ["key", "key:1", "alg"]), ("RandomUniform", even, {"dtype": "float32"}, []),
            ("StatelessRandomUniform", even, {"dtype": "float32"}, ["seed"]), ("StatelessRandomUniformV2", even, {"dtype": "float32"}, ["key", "key:1", "alg"]),
            ("RandomUniformInt", whole, {"Tout": "int64"}, ["low", "high"]), ("StatelessRandomUniformInt", whole, {"dtype": "int64"}, ["seed", "low", "high"]),
            ("StatelessRandomUniformIntV2", whole, {"dtype": "int64"}, ["key", "key:1", "alg", "low", "high"])):
        for is_open in (False, True):
            case = Case(f"{op}{'.open' if is_open else ''}")
            dims = np.int32([MANY])
            case.feed("dims", dims) if is_open else case.constant("dims", dims)
            case.constant("seed", np.array([1, 2]))
            case.constant("low", np.int64(-2))
            case.constant("high", np.int64(3))
            case.add("StatelessRandomGetKeyCounter", "key", ["seed"], Tseed="int64")
            case.graph.node("StatelessRandomGetAlg", "alg", [])
            node = case.graph.node(op, "y", ["dims", *extra])
            for key, kind in attrs.items():
                node.attr[key].type = case.type(kind)
            node.attr["Tshape" if op.endswith("V2") else "T"].type = case.type("int32")
            case.holds["y:0"] = holds
            yield case
    for op, extra in (("Multinomial", []), ("StatelessMultinomial", ["seed"])):
        case = Case(op)
        case.feed("x", np.float32([[0, np.log(2), np.log(5)]]))
        case.constant("n", np.int32(MANY))
        case.constant("seed", np.array([1, 2]))
        node = case.graph.node(op, "y", ["x", "n", *extra])
        node.attr["T"].type = case.type("float32")
        case.holds["y:0"] = drawn
        yield case
    case = Case("RandomGamma", refuses="draw them outside; begin behind it: --inputs y")
    case.constant("dims", np.int32([3]))
    case.feed("alpha", np.float32([1]))
    node = case.graph.node("RandomGamma", "y", ["dims", "alpha"])
    node.attr["S"].type, node.attr["T"].type = case.type("int32"), case.type("float32")
    case.add("Neg", "z", ["y"], T="float32")
    yield case.want("z", np.float32(0))
