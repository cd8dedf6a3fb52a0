"""string_cases.py - tables and strings, for tensorflow_beyond.py"""
import itertools
import os
import shutil

import numpy as np


def texts(*words):
    return np.array(words, object)


TYPED = {"string": texts("a", "bb", "", "d e"), "int64": np.array([5, -7, 1 << 40, 0]), "int32": np.int32([5, -7, 9, 0]),
         "float32": np.float32([0.5, -1, 3, 1e9]), "float64": np.array([0.1, -1, 3, 1e300]), "bool": np.array([True, False, True, True])}
OTHERS = {"string": texts("b", "A", " "), "int64": np.array([6, 4]), "int32": np.int32([6, 4]), "float32": np.float32([0.25])}
DEFAULTS = {"string": np.array("?", object), "int64": np.int64(-1), "int32": np.int32(-1), "float32": np.float32(-0.5), "float64": np.float64(-0.5),
            "bool": np.array(False)}


def kind_of(array):
    return "string" if array.dtype == object else str(array.dtype)


def looked_up(keys, values, x, default):
    found = {key: value for key, value in zip(keys.tolist(), values.tolist())}
    return np.array([found.get(one, default.tolist()) for one in x.reshape(-1).tolist()], values.dtype).reshape(x.shape)


def fill(case, keys, values, op="InitializeTableV2"):
    """A table of TensorFlow 1: made and filled in the main graph."""
    case.graph.node("HashTableV2", "t", [])
    for key, array in (("key_dtype", keys), ("value_dtype", values)):
        case.graph.proto.node[-1].attr[key].type = case.type(kind_of(array))
    case.constant("k", keys)
    case.constant("v", values)
    node = case.graph.node(op, "init", ["t", "k", "v"])
    names = ("Tkey", "Tval") if op == "InitializeTableV2" else ("Tin", "Tout")
    node.attr[names[0]].type, node.attr[names[1]].type = case.type(kind_of(keys)), case.type(kind_of(values))


def find(case, keys, values, x, default):
    node = case.graph.node("LookupTableFindV2", "y", ["t", x, default])
    node.attr["Tin"].type, node.attr["Tout"].type = case.type(kind_of(keys)), case.type(kind_of(values))


def tables(Case):
    for k, v in itertools.product(OTHERS, TYPED):
        keys, values, default = TYPED[k], TYPED[v], DEFAULTS[v]
        x = np.concatenate([keys[::-1], OTHERS[k], keys[:1]])
        x = x[:len(x) // 2 * 2].reshape(2, -1)
        for is_open in (False, True) if (k, v) in (("string", "int64"), ("int64", "string")) else (False,):
            case = Case(f"table.{k}.{v}{'.default' if is_open else ''}", nodes={"LabelEncoder": 1})
            fill(case, keys, values)
            case.feed("x", x)
            case.feed("d", default) if is_open else case.constant("d", default)
            find(case, keys, values, "x", "d")
            node = case.graph.node("LookupTableSizeV2", "n", ["t"])
            yield case.want("y", looked_up(keys, values, x, default)).want("n", np.int64(4))
    case = Case("table.import", nodes={"LabelEncoder": 1})
    fill(case, TYPED["string"], TYPED["int64"], "LookupTableImportV2")
    case.feed("x", TYPED["string"][::-1])
    case.constant("d", np.int64(-1))
    find(case, TYPED["string"], TYPED["int64"], "x", "d")
    yield case.want("y", TYPED["int64"][::-1])
    case = Case("table.export")
    fill(case, TYPED["string"], TYPED["int64"])
    node = case.graph.node("LookupTableExportV2", "e", ["t"])
    node.attr["Tkeys"].type, node.attr["Tvalues"].type = case.type("string"), case.type("int64")
    case.graph.arrays["e:1"] = TYPED["int64"]
    case.feed("x", np.array([1, 2, 3, 4]))
    case.add("AddV2", "y", ["e:1", "x"], T="int64")
    yield case.want("y", TYPED["int64"] + [1, 2, 3, 4])
    case = Case("table.empty.handle", refuses="--inputs y")
    case.graph.node("HashTableV2", "t", [])
    for key in ("key_dtype", "value_dtype"):
        case.graph.proto.node[-1].attr[key].type = case.type("int64")
    case.feed("x", np.array([1]))
    case.constant("d", np.int64(0))
    find(case, np.array([1]), np.array([1]), "x", "d")
    case.add("Neg", "z", ["y"], T="int64")
    yield case.want("z", np.array([0]))
    case = Case("table.mutable", refuses="changes while the model runs")
    case.graph.node("MutableHashTableV2", "t", [])
    for key in ("key_dtype", "value_dtype"):
        case.graph.proto.node[-1].attr[key].type = case.type("int64")
    case.feed("x", np.array([1]))
    case.constant("d", np.int64(0))
    find(case, np.array([1]), np.array([1]), "x", "d")
    yield case.want("y", np.array([0]))


def strings(Case):
    x = texts("Ab c", "", "ÄÖß", "z").reshape(2, 2)
    for op, by in (("StringLower", str.lower), ("StringUpper", str.upper)):
        case = Case(op)
        case.feed("x", x)
        case.add(op, "y", ["x"])
        want = np.array(["".join(by(c) if c.isascii() else c for c in s) for s in x.reshape(-1)], object)
        yield case.want("y", want.reshape(2, 2))
    case = Case("StringLower.utf-8", refuses="locale")
    case.feed("x", x)
    case.add("StringLower", "y", ["x"], encoding="utf-8")
    yield case.want("y", x)
    case = Case("StringJoin")
    case.feed("x", x)
    case.feed("z", texts("1", "2", "3", "4").reshape(2, 2))
    case.constant("s", np.array("!", object))
    case.add("StringJoin", "y", ["x", "z", "s"], N=3, separator=", ")
    case.add("Add", "w", ["x", "z"], T="string")
    joined = [f"{a}, {b}, !" for a, b in zip(x.reshape(-1), "1234")]
    yield case.want("y", np.array(joined, object).reshape(2, 2)).want("w", np.array([a + b for a, b in zip(x.reshape(-1), "1234")], object).reshape(2, 2))
    case = Case("Equal.constant")
    case.feed("x", x)
    case.constant("c", np.array("z", object))
    case.add("Equal", "y", ["x", "c"], T="string")
    case.add("NotEqual", "w", ["x", "c"], T="string")
    yield case.want("y", x == "z").want("w", x != "z")
    case = Case("Equal.fed")
    case.feed("x", x)
    case.feed("z", texts("Ab c", "z"))
    case.add("Equal", "y", ["x", "z"], T="string")
    case.add("NotEqual", "w", ["x", "z"], T="string")
    yield case.want("y", x == texts("Ab c", "z")).want("w", x != texts("Ab c", "z"))
    for kind in ("int64", "int32", "bool"):
        case = Case(f"AsString.{kind}")
        case.feed("x", TYPED[kind])
        case.add("AsString", "y", ["x"], T=kind)
        yield case.want("y", texts(*(str(n).lower() for n in TYPED[kind].tolist())))
    case = Case("AsString.float32", refuses="digits of reals")
    case.feed("x", TYPED["float32"])
    case.add("AsString", "y", ["x"], T="float32")
    yield case.want("y", texts("", "", "", ""))
    for kind in ("float32", "float64", "int32", "int64"):
        case = Case(f"StringToNumber.{kind}")
        numbers = ["12", "-3", "0"] + (["1.5e3", "-0.25"] if kind[0] == "f" else [])
        case.feed("x", texts(*numbers))
        case.add("StringToNumber", "y", ["x"], out_type=kind)
        yield case.want("y", np.array([float(n) for n in numbers]).astype(kind))
    case = Case("StringSplitV2")
    lines = texts("a b", "", "c  d e", " f")
    case.feed("x", lines)
    case.constant("s", np.array("", object))
    case.add("StringSplitV2", "y", ["x", "s"])
    parts = [line.split() for line in lines]
    case.want("y:0", np.array([(i, j) for i, row in enumerate(parts) for j, _ in enumerate(row)]))
    yield case.want("y:1", texts(*(part for row in parts for part in row))).want("y:2", np.array([4, 3]))
    case = Case("StringSplitV2.comma")
    lines = texts("a,b", "x", "c,,e")
    case.feed("x", lines)
    case.constant("s", np.array(",", object))
    case.add("StringSplitV2", "y", ["x", "s"], maxsplit=1)
    parts = [line.split(",", 1) for line in lines]
    yield case.want("y:1", texts(*(part for row in parts for part in row))).want("y:2", np.array([3, 2]))
    case = Case("RegexFullMatch")
    case.feed("x", texts("ab1", "b", "aab22"))
    case.constant("p", np.array("a+b\\d*", object))
    case.add("RegexFullMatch", "y", ["x", "p"])
    case.add("StaticRegexFullMatch", "z", ["x"], pattern="b")
    yield case.want("y", np.array([True, False, True])).want("z", np.array([False, True, False]))
    for op, attrs in (("StringToHashBucketFast", {"num_buckets": 7}), ("StringStrip", {}), ("DecodeBase64", {}), ("StringLength", {})):
        case = Case(op, refuses="--inputs y")
        case.feed("x", x)
        case.add(op, "y", ["x"], **attrs)
        case.add("Identity", "z", ["y"], T="int32" if op == "StringLength" else "int64" if "Hash" in op else "string")
        yield case.want("z", x)


def moved(Case):
    """Strings that are only moved."""
    x = texts(*"abcdef").reshape(2, 3)
    for op, extra, attrs, want in (
            ("Reshape", [np.int32([3, -1])], {}, x.reshape(3, 2)), ("GatherV2", [np.int32([1, 0, 1]), np.int32(1)], {}, x[:, [1, 0, 1]]),
            ("Identity", [], {}, x), ("ExpandDims", [np.int32(0)], {}, x[None]), ("Transpose", [np.int32([1, 0])], {}, x.T),
            ("Tile", [np.int32([1, 2])], {}, np.tile(x, [1, 2])), ("Slice", [np.int32([0, 1]), np.int32([-1, 2])], {}, x[:, 1:]),
            ("Shape", [], {"out_type": "int32"}, np.int32([2, 3])), ("ConcatV2", None, {}, np.concatenate([x, x], 1)),
            ("Pack", None, {"axis": 0}, np.stack([x, x]))):
        case = Case(f"moved.{op}")
        case.feed("x", x)
        names = ["x", "x"] if extra is None else ["x"]
        extra = [np.int32(1)] if op == "ConcatV2" else extra or []
        for i, array in enumerate(extra):
            names.append(case.constant(f"c{i}", array))
        case.add(op, "y", names, **attrs)
        yield case.want("y", want)
    case = Case("moved.constant")
    case.constant("c", x)
    case.feed("b", np.array([[True, False, True]]))
    case.feed("x", x[::-1])
    case.add("SelectV2", "y", ["b", "c", "x"], T="string")
    yield case.want("y", np.where([True, False, True], x, x[::-1]))


def assets(Case, shared, scratch):
    """Tables that a file of the SavedModel fills."""
    model = os.path.join(shared or "", "data/tensorflow/saved_model/StaticHashTableModule")
    if not os.path.exists(model):
        return
    x = texts("foo", "wombat", "none", "bar")
    case = Case("asset", nodes={"LabelEncoder": 1})
    case.folder, case.feeds = model, {"word": x}
    case.wants["output_0"] = np.array([0, 3, -1, 1])
    yield case
    for name, lines, want in (("lines", b"bar\r\nfoo\r\nlast", [1, -1, -1, 0]), ("none", None, None)):
        copy = os.path.join(scratch, "asset-" + name)
        shutil.copytree(model, copy)
        os.chmod(os.path.join(copy, "assets"), 0o755)
        path = os.path.join(copy, "assets/static_hashtable_asset.txt")
        os.remove(path)
        if lines is not None:
            with open(path, "wb") as file:
                file.write(lines)
        case = Case("asset." + name, refuses=None if lines else "a file that is not there")
        case.folder, case.feeds = copy, {"word": x}
        if want:
            case.wants["output_0"] = np.array(want)
        yield case


def cases(Case, shared, scratch):
    yield from tables(Case)
    yield from strings(Case)
    yield from moved(Case)
    yield from assets(Case, shared, scratch)
