#!/usr/bin/python3
"""Nothing that a caller gives ends the process.

    test_wrong_types.py BUILD

Every class and function that the package names, and every method of what they
make, is called with values of the wrong types and sizes, in all places.  What
does not take them raises TypeError, ValueError, tenon.Error or an OSError; an
exception of another kind is a failure, and so is the end of the process: the
calls run in a process of their own, which says each before it makes it.
"""
import inspect
import itertools
import os
import subprocess
import sys
import tempfile
import warnings

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

VALUES = [None, 5, 0, -1, 2**31, 2**63, 2**64, 2**200, True, 1.5, float("nan"),
          "text", "", "zero\0byte", b"bytes", b"", [], [None], [1, -1], ["a"],
          [2**70], {}, {"a": 1}, (), (1, 2), object(), int, range(3)]
WRONG = {}
ALLOWED = (TypeError, ValueError, OSError)  # and tenon.Error


def attempt(say, allowed, call, values):
    say(call, values)
    try:
        result = call(*values)
        if inspect.isgenerator(result):
            list(result)
        return result
    except allowed:
        return None
    except Exception as error:  # of another kind: all of them are told
        WRONG.setdefault((call.__qualname__, type(error).__name__),
                         f"{call.__qualname__}{values!r}: {error!r}"[:300])
        return None


def places(call):
    """How many values a call can be given by position, at most three."""
    try:
        found = [p for p in inspect.signature(call).parameters.values()]
    except (TypeError, ValueError):
        return 0, 1
    named = [p for p in found if p.kind in (p.POSITIONAL_ONLY,
                                            p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in named)
    extra = any(p.kind == p.VAR_POSITIONAL for p in found)
    return least, min(6, len(named) + extra)


def sweep(say, allowed, call, good):
    """Every wrong value in every place, the others right or wrong as well."""
    least, most = places(call)
    for count in range(least, most + 1):
        for value in VALUES:
            attempt(say, allowed, call, [value] * count)
        for place in range(count):
            for value in VALUES:
                row = (list(good) + [None] * count)[:count]
                row[place] = value
                attempt(say, allowed, call, row)


def reader(thing, name):
    return lambda: getattr(thing, name)


def methods(thing):
    for name in dir(type(thing)):
        if hasattr(list, name) and isinstance(thing, list):
            continue  # Python's own
        if name.startswith("_") and name not in ("__len__", "__iter__",
                                                 "__enter__", "__del__"):
            continue
        member = inspect.getattr_static(type(thing), name)
        if isinstance(member, property):
            yield name, reader(thing, name)
        elif callable(getattr(thing, name, None)):
            yield name, getattr(thing, name)


def run(folder):
    import tenon
    sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
    allowed = (*ALLOWED, tenon.Error)
    count = [0]

    def say(call, values):
        count[0] += 1
        words = f"{getattr(call, '__qualname__', call)}{values!r}"[:300]
        os.pwrite(log, words.encode("utf-8", "replace").ljust(400), 0)
    log = os.open(os.path.join(folder, "log"), os.O_CREAT | os.O_WRONLY)

    model_path = os.path.join(SOURCE, "tests/corpus/onnx")
    model_path = next(os.path.join(model_path, name)
                      for name in sorted(os.listdir(model_path))
                      if name.endswith(".onnx"))
    schema = tenon.Schema.builtin("onnx")
    made = {
        "Schema": lambda: schema,
        "Message": lambda: tenon.Message(schema, "onnx.ModelProto"),
        "Model": lambda: tenon.Model.open(model_path),
        "Interpreter": tenon.Interpreter,
        "ChunkedMessage": tenon.ChunkedMessage,
        "ChunkedFields": lambda: tenon.ChunkedMessage().chunked_fields,
        "Tags": lambda: tenon.ChunkedMessage().chunked_fields.add().field_tag,
        "VersionDef": tenon.VersionDef,
        "Merger": tenon.Merger,
        "OpDescriptors": lambda: tenon.Interpreter().interpret(
            'op_type: "Relu" input: "x" output: "y"'),
        "Edit": lambda: tenon.Model.open(model_path).edit(),
        "Splitter": lambda: type("Nothing", (tenon.ComposableSplitter,), {
            "build_chunks": lambda self: None})(
                tenon.Message(schema, "onnx.ModelProto")),
    }
    good = {"Tensor": [made["Model"](), 0], "Edit": [made["Model"]()],
            "Message": [schema, "onnx.ModelProto", b""],
            "Model": ["path"], "LazyMerger": ["path", made["Message"]()],
            "add": ["w", "float32", [2], b"12345678", "trained", 0],
            "replace": ["w", "float32", [2], b"12345678", 0],
            "set_state": ["w", "M", b""], "set_levels": ["w", [[0, 1]], 0],
            "set_variable": ["w", "trained", 0],
            "read": ["nothing", made["Message"](), (), "text"],
            "read_memory": [b"", made["Message"](), "text"],
            "merge": [[], tenon.ChunkedMessage(), made["Message"](), "text"],
            "add_chunk": [b"", ["graph"], None],
            "slice": [["graph", "node"], 0, 1, None]}
    os.chdir(folder)
    for name in tenon.__all__:
        thing = getattr(tenon, name)
        if isinstance(thing, type) and issubclass(thing, Exception):
            continue
        sweep(say, allowed, thing, good.get(name, []))
        for method, static in inspect.getmembers(thing):
            if not method.startswith("_") and inspect.ismethod(static):
                sweep(say, allowed, static, good.get(method, []))
    for name, make in made.items():
        for method, _ in methods(make()):
            thing = make()
            if method == "close":
                continue
            for state in ("open", "closed"):
                if state == "closed":
                    if not hasattr(thing, "close"):
                        continue
                    thing.close()
                call = dict(methods(thing)).get(method)
                if call is not None:
                    sweep(say, allowed, call, good.get(method, []))
    right_ones(tenon, schema)
    print("\n".join(WRONG.values()))
    print(f"{count[0]} calls, none ended the process")
    return 1 if WRONG else 0


def refused(call, error):
    try:
        call()
    except error as found:
        return str(found)
    raise AssertionError(f"no {error.__name__}")


def right_ones(tenon, schema):
    """What is right does something, and what is wrong beyond its type is
    refused at once."""
    model = tenon.Model.open(os.path.join(
        SOURCE, "tests/corpus/paddle/train.pdmodel.txt"))
    name, length = "w", 2
    for levels in ([[0, 1, length]], [[0, 2], [0, 1, length]], []):
        with model.edit() as edit:
            edit.set_levels(name, levels)
            made = edit.commit()
        made.write("levels.pdmodel", replace=True)
        with tenon.Model.open("levels.pdmodel") as again:
            seen = {t.name: t.levels for t in again.tensors()}
            assert seen[name] == levels, seen
    with model.edit() as edit:
        assert "level" in refused(
            lambda: edit.set_levels(name, [[1, length]]), tenon.Error)

    joined = tenon.ChunkedMessage(chunk_index=0)
    field = joined.chunked_fields.add()
    field.field_tag.add(field=7)
    field.message.chunk_index = 1
    joined.chunked_fields.add([("field", 8)],
                              tenon.ChunkedMessage(chunk_index=2))
    seen = tenon.ChunkedMessage(joined.SerializeToString())
    assert [(f.field_tag, f.message.chunk_index)
            for f in seen.chunked_fields] == [([("field", 7)], 1),
                                              ([("field", 8)], 2)]

    class Late(tenon.ComposableSplitter):
        version_def = tenon.VersionDef(1, 99)

        def build_chunks(self):
            self.add_chunk(tenon.Message(schema, "onnx.GraphProto"), ["graph"])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        Late(tenon.Message(schema, "onnx.ModelProto")).write("late")
    assert any(issubclass(w.category, tenon.MergeWarning) for w in told), told


def main():
    if len(sys.argv) > 2:
        return run(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "here"))
        done = subprocess.run(
            [sys.executable, "-B", "-W", "ignore", __file__, BUILD,
             os.path.join(folder, "here")],
            env={**os.environ, "PYTHONPATH": os.path.join(SOURCE, "python"),
                 "TENON_LIBRARY": library()}, check=False)
        if done.returncode:
            with open(os.path.join(folder, "here", "log"), "rb") as file:
                last = file.read().decode("utf-8", "replace").strip()
            print(f"exit {done.returncode} in {last}", file=sys.stderr)
        return 1 if done.returncode else 0


def library():
    for place in (BUILD, os.path.join(BUILD, "src")):
        path = os.path.join(place, "libtenon.so")
        if os.path.exists(path):
            return path
    sys.exit("the library is not built")


if __name__ == "__main__":
    sys.exit(main())
