"""graphdef.py - GraphDefs for the judges, written without TensorFlow

    graph = Graph()
    x = graph.placeholder("x", array)           # fed; its type and dims
    y = graph.add("Softmax", [x], {})[0]        # "Softmax:0"
    graph.write("model.pb")

Types and numbers of inputs are counted from what is given, by the operator's
line in rules/tensorflow.ops; other attributes are of the kind that it says.
"""
import functools
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
TYPES = {"float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5,
         "int8": 6, "string": 7, "int64": 9, "bool": 10, "qint8": 11,
         "quint8": 12, "qint32": 13, "bfloat16": 14, "qint16": 15,
         "quint16": 16, "uint16": 17, "float16": 19, "resource": 20, "variant": 21,
         "uint32": 22, "uint64": 23}


@functools.lru_cache(None)
def schema():
    """The module that protoc makes of our schema."""
    with tempfile.TemporaryDirectory() as folder:
        names = ["tensorflow_graph", "tensorflow_tensor",
                 "tensorflow_debug_info"]
        subprocess.run(["protoc", "-I", os.path.join(ROOT, "schemas"),
                        f"--python_out={folder}",
                        *(name + ".proto" for name in names)], check=True)
        sys.path.insert(0, folder)
        import tensorflow_graph_pb2
        sys.path.remove(folder)
    return tensorflow_graph_pb2


@functools.lru_cache(None)
def vocabulary():
    """Of each operator: inputs, outputs (name and type), attributes (kinds)."""
    with open(os.path.join(ROOT, "rules/tensorflow.ops")) as file:
        lines = file.read().splitlines()
    ops, attrs = {}, {}
    for line in lines:
        head = re.match(r"op (\S+) \((.*?)\) -> \((.*?)\)",
                        re.sub(r"\[[^]]*\]", "", line))  # ranks
        if head:
            attrs = {}
            sides = [[arg.split() for arg in side.split(", ") if arg]
                     for side in head.groups()[1:]]
            ops[head[1]] = (*sides, attrs)
        elif line.startswith("    "):
            name, kind = line.split()[:2]
            attrs[name] = kind
    return ops


def type_name(array):
    return "string" if array.dtype.kind in "USO" else str(array.dtype)


def counted(op, arrays):
    """Attributes that follow from the inputs."""
    made, at = {}, 0
    args = vocabulary()[op][0]
    for i, (_, kind) in enumerate(args):
        kind = kind.lstrip("&")
        if "*" in kind:
            number = kind.split("*")[0]
            alike = sum(other.lstrip("&").split("*")[0] == number and "*" in other
                        for _, other in args[i:]) if number else 1
            count = (len(arrays) - at - (len(args) - i - alike)) // alike
        if "*$" in kind:
            variable = kind.split("*$")[1]
            made[number] = count
            if count:
                made[variable] = type_name(arrays[at])
            at += count
        elif "*" in kind:
            fixed = kind.split("*")
            if fixed[0]:
                made[fixed[0]] = count
            else:
                made[fixed[1]] = [type_name(a) for a in arrays[at:at + count]]
            at += count
        else:
            if kind.startswith("$"):
                made[kind[1:]] = type_name(arrays[at])
            at += 1
    return made


def fill_tensor(tensor, array, dtype=None):
    array = np.asarray(array)
    tensor.dtype = TYPES[dtype or type_name(array)]
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    if tensor.dtype == TYPES["string"]:
        tensor.string_val.extend(str(s).encode() for s in array.reshape(-1))
    else:
        tensor.tensor_content = array.tobytes()


def fill_shape(shape, dims):
    shape.SetInParent()
    if dims is None:
        shape.unknown_rank = True
    for size in dims or []:
        shape.dim.add(size=-1 if size is None else size)


def fill_one(value, kind, given):
    if kind == "type":
        value.type = TYPES[given]
    elif kind == "string":
        value.s = given.encode()
    elif kind == "shape":
        fill_shape(value.shape, given)
    elif kind == "tensor":
        fill_tensor(value.tensor, given)
    elif kind == "func":
        value.func.name = given
    else:
        setattr(value, {"int": "i", "float": "f", "bool": "b"}[kind], given)


def fill_list(items, kind, given):
    for one in given:
        if kind == "type":
            items.type.append(TYPES[one])
        elif kind == "string":
            items.s.append(one.encode())
        elif kind == "shape":
            fill_shape(items.shape.add(), one)
        else:
            getattr(items, {"int": "i", "float": "f", "bool": "b"}[kind]).append(one)


class Graph:
    def __init__(self):
        self.proto = schema().GraphDef()
        self.proto.versions.producer = 987
        self.arrays = {}

    def node(self, op, name, inputs):
        return self.proto.node.add(op=op, name=name, input=inputs)

    def placeholder(self, name, array, dims="its own"):
        node = self.node("Placeholder", name, [])
        node.attr["dtype"].type = TYPES[type_name(array)]
        fill_shape(node.attr["shape"].shape,
                   array.shape if dims == "its own" else dims)
        self.arrays[name] = array
        return name

    def constant(self, name, array, dtype=None):
        node = self.node("Const", name, [])
        node.attr["dtype"].type = TYPES[dtype or type_name(array)]
        fill_tensor(node.attr["value"].tensor, array, dtype)
        self.arrays[name] = array
        return name

    def add(self, op, name, inputs, attrs):
        """The types of inputs must be known: placeholders and constants."""
        node = self.node(op, name, inputs)
        kinds = vocabulary()[op][2]
        given = counted(op, [self.arrays[i] for i in inputs
                             if not i.startswith("^")]) \
            if all(i in self.arrays for i in inputs) else {}
        for key, value in {**given, **attrs}.items():
            kind = kinds.get(key)
            if kind is None:
                raise KeyError(f"{op} has no attribute {key}")
            if kind.startswith("list("):
                node.attr[key].list.SetInParent()
                fill_list(node.attr[key].list, kind[5:-1], value)
            else:
                fill_one(node.attr[key], kind, value)
        return node

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.proto.SerializeToString())
