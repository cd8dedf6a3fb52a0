#!/usr/bin/python3
"""training_edits.py TENON LIBRARY SHARED - trained variables, training
configuration and updater state are built, replaced and read through the API
(by way of Python); flatc reads what was written."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
binary, os.environ["TENON_LIBRARY"], shared = (
    os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]), sys.argv[3])
sys.path.insert(0, os.path.join(ROOT, "python"))
import tenon  # noqa: E402

ADAM = {"updater": {"@class": "org.nd4j.linalg.learning.config.Adam",
                    "learningRate": 0.5, "beta1": 0.9},
        "regularization": [], "iterationCount": 3, "epochCount": 2}
W = struct.pack("<6f", 9, 8, 7, 6, 5, 4)
M, V = struct.pack("<6f", *range(6)), struct.pack("<6f", *range(10, 16))
BIAS = struct.pack("<3f", 1, 2, 3)


def flatc(schema, path):
    subprocess.run(["flatc", "--no-warnings", "--json", "--strict-json",
                    "--raw-binary", "-I", f"{ROOT}/schemas", "-o", "json",
                    f"{ROOT}/schemas/samediff_{schema}.fbs", "--", path],
                   check=True)
    name = os.path.splitext(os.path.basename(path))[0]
    with open(f"json/{name}.json") as file:
        return json.load(file)


def elements(array):
    """float32, little-endian."""
    data = bytes(b & 255 for b in array["buffer"])
    if array.get("byteOrder") == "BE":
        data = b"".join(data[i:i + 4][::-1] for i in range(0, len(data), 4))
    return data


def classic(path):
    """Kinds, configuration, losses and states, as flatc prints a graph."""
    graph = flatc("classic", path)
    kinds = {v["name"]: v.get("variabletype", "VARIABLE").lower()
             for v in graph["variables"]}
    states = {(s["paramName"], key): elements(value)
              for s in graph.get("updaterState", [])
              for key, value in zip(s["updaterStateKeys"],
                                    s["updaterStateValues"])}
    return kinds, graph.get("trainingConfig"), graph.get("lossVariables", []), \
        states


def tagged(path):
    """The same of a container, entry by entry."""
    shutil.rmtree("entries", ignore_errors=True)
    with zipfile.ZipFile(path) as box:
        box.extractall("entries")
        names = box.namelist()
    tag = open("entries/tags.txt").read().split("\n")[-2]
    graph = flatc("graph", f"entries/{tag}/graph.fb")
    kinds = {v["name"]: v.get("varType", "VARIABLE").lower()
             for v in graph["variables"]}
    states, training = {}, None
    if f"{tag}/trainingConfig.fb" in names:
        config = flatc("training", f"entries/{tag}/trainingConfig.fb")
        training = config.get("json")
    if f"{tag}/updater.txt" in names:
        for line in open(f"entries/{tag}/updater.txt"):
            name, *files = line.split()
            for key, file in zip(config["stateKeys"], files):
                array = flatc("array", f"entries/{tag}/updater/{file}.fb")
                states[name, key] = elements(array)
    return kinds, training, graph.get("lossVariables", []), states


def read_back(path):
    """The same by our own API."""
    with tenon.Model.open(path) as model:
        states = {t.state: t.read() for t in model.tensors() if t.state}
        return model.kinds(), model.training, model.losses, states


def compare(model, wanted):
    kinds, training, losses, states = wanted
    words = {"trained": "variable"}
    for path, judge in (("out.fb", classic), ("out.samediff", tagged)):
        model.write(path, replace=True)
        subprocess.run([binary, "check", "-q", path], check=True,
                       stdout=subprocess.PIPE)
        seen = judge(path)
        for name, kind in kinds.items():
            assert seen[0][name] == words.get(kind, kind), (path, name, seen[0])
        assert (json.loads(seen[1]) if seen[1] else None) == training, seen[1]
        assert seen[2] == losses, (path, seen[2])
        assert seen[3] == states, (path, seen[3])
    for path in ("out.fb", "out.samediff", "out.sdnb", "out.sdz"):
        model.write(path, replace=True)
        seen = read_back(path)
        assert seen[0] == kinds and seen[2:] == (losses, states), (path, seen)
        assert (json.loads(seen[1]) if seen[1] else None) == training


def edits(model):
    start = {"x": "placeholder", "dense/W": "trained", "dense/b": "trained"}
    assert model.kinds() == start and model.losses == ["y"]
    old = json.loads(model.training)
    zeros = {t.state: t.read() for t in model.tensors() if t.state}
    assert list(zeros) == [("dense/W", "V")]

    with model.edit() as edit:  # nothing but other elements
        edit.replace("dense/W", "float32", [2, 3], W)
        with edit.commit() as other:
            compare(other, (start, old, ["y"], zeros))
            assert [t.read() for t in other.tensors()
                    if t.name == "dense/W"] == [W]

    with model.edit() as edit:  # another shape
        edit.replace("dense/b", "float32", [1, 3], BIAS)
        with edit.commit() as other:
            compare(other, (start, old, ["y"], zeros))
            assert [t.shape for t in other.tensors()
                    if t.name == "dense/b"] == [(1, 3)]

    with model.edit() as edit:  # another updater, a variable that stays
        edit.set_variable("dense/b", "constant")
        edit.set_training(ADAM)
        edit.remove_states()
        edit.set_state("dense/W", "M", M)
        edit.set_state("dense/W", "V", V)
        with edit.commit() as other:
            assert json.loads(other.training) == ADAM
            compare(other, ({**start, "dense/b": "constant"}, ADAM, ["y"],
                            {("dense/W", "M"): M, ("dense/W", "V"): V}))
        edit.set_training(None)
        edit.remove_states("dense/W")
        edit.set_losses([])
        edit.set_variable("dense/W", "placeholder")
        with edit.commit() as other:
            compare(other, ({"x": "placeholder", "dense/W": "placeholder",
                             "dense/b": "constant"}, None, [], {}))
        edit.add("dense/W", "float32", [2, 3], W, kind="trained")
        edit.set_losses(["y"])
        with edit.commit() as other:
            compare(other, ({**start, "dense/b": "constant"}, None, ["y"], {}))


def refusals(model):
    with model.edit() as edit:
        for call, status in (
                (lambda: edit.set_training("{no"), "invalid"),
                (lambda: edit.set_state("no", "M", W), "not found"),
                (lambda: edit.set_state("dense/W", "M", BIAS), "invalid"),
                (lambda: edit.set_state("dense/W", "a/b", W), "invalid"),
                (lambda: edit.set_variable("no", "trained"), "not found"),
                (lambda: edit.set_variable("dense/W", "trained", 7), "invalid"),
                (lambda: edit.replace("dense/W", "float32", [2], W), "invalid")):
            try:
                call()
            except tenon.Error as error:
                assert error.status == status, (error, error.status)
            else:
                raise AssertionError(status)


def wrong_arguments(model):
    """Nothing is cut to its lower bits, no number becomes so many zeros."""
    with model.edit() as edit:
        for call, kind in (
                (lambda: edit.add("a", "float32", [1], 4), TypeError),
                (lambda: edit.add("a", "float32", [1], [1, 2, 3, 4]), TypeError),
                (lambda: edit.add("a", "float32", [2**64 + 1], W[:4]), ValueError),
                (lambda: edit.add("a", "float32", [-1], W[:4]), ValueError),
                (lambda: edit.add("a", "float23", [1], W[:4]), ValueError),
                (lambda: edit.add("a", "float32", [1], W[:4], graph=2**32),
                 ValueError),
                (lambda: edit.remove("dense/W", graph=2**32), ValueError),
                (lambda: edit.set_variable("dense/W", "trained", 2**32), ValueError),
                (lambda: edit.set_state("dense/W", "M", 24), TypeError),
                (lambda: edit.set_losses("abc"), TypeError),
                (lambda: (edit.set_losses(["nope"]), edit.commit()), tenon.Error),
                (lambda: edit.add(5, "float32", [1], W[:4]), TypeError),
                (lambda: tenon.Model.open(5), TypeError)):
            try:
                call()
            except kind:
                pass
            else:
                raise AssertionError(kind)


def golden():
    """Models of Deeplearning4j: an edit of nothing keeps all of training, and
    new training replaces it."""
    count = 0
    for name in ("mnist_mlp_adam.fb", "iris_mlp_sgd.fb"):
        path = os.path.join(shared, "data/samediff/models", name)
        if not os.path.exists(path):
            continue
        before = classic(path)
        with tenon.Model.open(path) as model, model.edit() as edit:
            with edit.commit() as same:
                same.write("same.fb", replace=True)
            assert classic("same.fb")[:3] == before[:3], name
            assert read_back("same.fb")[3] == read_back(path)[3], name
            edit.set_training(ADAM)
            edit.remove_states()
            with edit.commit() as other:
                other.write("other.fb", replace=True)
            after = classic("other.fb")
            assert after[0] == before[0] and after[2] == before[2]
            assert json.loads(after[1]) == ADAM and after[3] == {}
        count += 1
    return count


def main():
    if not shutil.which("flatc"):
        print("skipped: no flatc")
        return 77
    here = tempfile.mkdtemp()
    try:
        os.chdir(here)
        subprocess.run([binary, "undump", "-t", "sd.graph.FlatGraph", "-o",
                        "dense.fb", f"{ROOT}/examples/dense.samediff.json"],
                       check=True)
        with tenon.Model.open("dense.fb") as model:
            edits(model)
            refusals(model)
            wrong_arguments(model)
            model.write("dense.samediff")
        with tenon.Model.open("dense.samediff") as model:
            edits(model)
        count = golden()
    finally:
        os.chdir("/")
        shutil.rmtree(here)
    print("flatc agrees;", count, "models of Deeplearning4j")
    return 0


if __name__ == "__main__":
    sys.exit(main())
