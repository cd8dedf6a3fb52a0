#!/usr/bin/python3
"""saved_model_weights.py BINARY - variables of a SavedModel and their names

Makes a SavedModel with an optimizer whose object graphs are written here, byte
by byte; numpy and Python's json read the sets of tensors that become of it."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy

binary = os.path.realpath(sys.argv[1])
END = "/.ATTRIBUTES/VARIABLE_VALUE"
# Object path, name in the graph, value.  Two variables share a graph name.
VARIABLES = [("dense/kernel", "net/kernel", [[1, 2], [3, 4]]),
             ("dense/bias", "net/bias", [5, 6]),
             ("a", "twin", [7]), ("b", "twin", [8])]
STATE = [("opt/iter", "Adam/iter", [9]), ("opt/rate", "Adam/rate", [10])]
SLOT = ("dense/kernel/.OPTIMIZER_SLOT/opt/m", "Adam/net/kernel/m",
        [[11, 12], [13, 14]])


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def graphs():
    """Both object graphs, with the same nodes: a root, folders, variables."""
    nodes = [{}]  # children by name
    leaves, slots = {}, []

    def reach(path):
        at = 0
        for word in path.split("/"):
            if word not in nodes[at]:
                nodes[at][word] = len(nodes)
                nodes.append({})
            at = nodes[at][word]
        return at
    for path, name, value in VARIABLES + STATE:
        leaves[reach(path)] = (path + END, name, value)
    slot = len(nodes)
    nodes.append({})
    leaves[slot] = (SLOT[0] + END, SLOT[1], SLOT[2])
    slots = {reach("opt"): field(1, reach("dense/kernel")) + field(2, "m") +
             field(3, slot)}
    saved = trackable = b""
    for i, children in enumerate(nodes):
        links = b"".join(field(1, field(1, node) + field(2, name))
                         for name, node in children.items())
        links += field(3, slots[i]) if i in slots else b""
        one = two = links
        if i in leaves:
            key, name, value = leaves[i]
            shape = b"".join(field(2, field(1, n))
                             for n in numpy.shape(value))
            one += field(7, field(1, 1) + field(2, shape) + field(6, name))
            two += field(2, field(1, "VARIABLE_VALUE") + field(2, name) +
                         field(3, key))
        else:
            one += field(4, field(1, "_generic_user_object"))
        saved += field(1, one)
        trackable += field(1, two)
    return saved, trackable


def run(*words, code=0):
    done = subprocess.run([binary, *words], capture_output=True)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def make():
    saved, trackable = graphs()
    arrays = {key + END: numpy.array(value, numpy.float32)
              for key, _, value in VARIABLES + STATE + [SLOT]}
    arrays["_CHECKPOINTABLE_OBJECT_GRAPH"] = numpy.array(trackable)
    numpy.savez("all.npz", **arrays)
    os.makedirs("model/variables")
    run("convert", "-q", "all.npz", "-o", "model/variables/variables.index")
    const = (field(1, "num_shards") + field(2, "Const") +
             field(5, field(1, "dtype") + field(2, field(6, 3))) +
             field(5, field(1, "value") + field(2, field(8, field(1, 3) +
                                                         field(7, varint(1))))))
    meta = (field(1, field(4, "serve")) + field(2, field(1, const)) +
            field(7, saved))
    with open("model/saved_model.pb", "wb") as file:
        file.write(field(1, 1) + field(2, meta))
    run("check", "model")


def safetensors(path):
    with open(path, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(data[slice(*about["data_offsets"])],
                                   "<f4").reshape(about["shape"])
            for name, about in header.items() if about["dtype"] == "F32"}


def same(found, wanted):
    assert sorted(found) == sorted(key + END for key, _, _ in wanted), found
    for key, _, value in wanted:
        assert numpy.array_equal(found[key + END], value), key


def convert():
    said = json.loads(run("convert", "--json", "model", "-o",
                          "w.safetensors").stdout)
    same(safetensors("w.safetensors"), VARIABLES)
    kinds = {lost["kind"]: lost["what"] for lost in said["lost"]}
    assert "the checkpoint keep: 4 tensors;" in kinds["training"], kinds
    assert "constants of the graph: 1 tensor; " in kinds["tensor"], kinds
    run("convert", "-q", "model", "-o", "w.npz")
    same(numpy.load("w.npz"), VARIABLES)
    run("convert", "-q", "--all-tensors", "model", "-o", "every.safetensors")
    same({name: value for name, value in
          safetensors("every.safetensors").items()},
         VARIABLES + STATE + [SLOT])
    run("convert", "-q", "--all-tensors", "model", "-o", "every.npz")
    assert len(numpy.load("every.npz").files) == 9


def names():
    """The key, the path of objects, the name in the graph, and its output."""
    for path in ("model", "model/variables/variables"):
        for key, name, value in VARIABLES + STATE + [SLOT]:
            spelled = [key + END, key]
            if name != "twin" and "Adam" not in name:
                spelled += [name, name + ":0"]
            for word in spelled:
                run("get", path, word, "-o", "got.npy", "--force")
                assert numpy.array_equal(numpy.load("got.npy"), value), word
        run("get", path, "twin", code=6)  # two variables have it
        run("get", path, "net", code=6)


def roles():
    def listed(*words):
        return run("ls", "--names", "model", *words).stdout.decode().split()
    assert sorted(listed("--role", "weights")) == sorted(
        key + END for key, _, _ in VARIABLES)
    assert sorted(listed("-R", "state")) == sorted(
        ["_CHECKPOINTABLE_OBJECT_GRAPH"] +
        [key + END for key, _, _ in STATE + [SLOT]])
    assert listed("--role=constants") == ["num_shards"]
    assert listed("--role=weights", "dense/*") == [
        "dense/bias" + END, "dense/kernel" + END]
    found = json.loads(run("ls", "--json", "--role", "weights", "model").stdout)
    assert {t["role"] for t in found["tensors"]} == {"variable"}
    run("ls", "--role", "state", "w.npz", code=1)
    run("ls", "--role", "heavy", "model", code=2)
    run("ls", "--ops", "--role", "weights", "model", code=2)


def main():
    here = tempfile.mkdtemp()
    try:
        os.chdir(here)
        for step in (make, convert, names, roles):
            step()
    finally:
        shutil.rmtree(here)
    print("a SavedModel of", len(VARIABLES), "variables")


if __name__ == "__main__":
    sys.exit(main())
