#!/usr/bin/python3
"""A model that went through the net is the same model.

    onnx_net.py TENON [--shared DIR] [FILE...]

With --outputs, `tenon convert` takes an ONNX model apart and puts it together
again without applying any rule.  ONNX's own checker must accept the result, and
node by node it must be what it was: the same operators with the same attributes,
wired the same way, and the same tensors.  Names inside subgraphs may differ.
"""
import argparse
import glob
import hashlib
import os
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper


def hash_of(tensor, folder):
    array = numpy_helper.to_array(tensor, folder)
    data = "\0".join(map(str, array.reshape(-1))).encode() \
        if array.dtype == object else array.tobytes()
    return f"{tensor.data_type}{list(array.shape)}" + hashlib.sha256(data).hexdigest()


class Walk:
    """A graph as a list of facts in which every value is a number."""

    def __init__(self, model, folder):
        self.folder, self.facts = folder, []
        self.functions = {}
        self.graph(model.graph, {})

    def graph(self, graph, outer):
        """What can be reached from the outputs, each value by how it is made."""
        made = dict(outer)
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [value for value in graph.input if value.name not in constants]
        for index, value in enumerate(inputs):
            made[value.name] = ("input", index, self.type(value))
        for tensor in graph.initializer:
            made[tensor.name] = ("tensor", hash_of(tensor, self.folder))
        for node in graph.node:
            self.node(node, made)
        return [made[value.name] for value in graph.output]

    @staticmethod
    def type(value):
        return value.type.SerializeToString(deterministic=True)

    def node(self, node, made):
        inputs = [made[name] if name else None for name in node.input]
        if node.op_type == "Identity" and not node.domain:
            made[node.output[0]] = inputs[0]
            return
        while inputs and inputs[-1] is None:
            inputs.pop()
        attributes = sorted(self.attribute(item, made) for item in node.attribute)
        fact = repr((node.domain, node.op_type, inputs, attributes))
        digest = hashlib.sha256(fact.encode()).hexdigest()
        self.facts.append(digest)
        for index, name in enumerate(node.output):
            if name:
                made[name] = (digest, index)

    def attribute(self, item, made):
        if item.type == onnx.AttributeProto.GRAPH:
            return item.name, repr(self.graph(item.g, made))
        if item.type == onnx.AttributeProto.TENSOR:
            return item.name, hash_of(item.t, self.folder)
        copy = onnx.AttributeProto()
        copy.CopyFrom(item)
        copy.doc_string = ""
        return item.name, repr(copy.SerializeToString(deterministic=True))


def ends(model):
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value.name for value in model.graph.input
              if value.name not in constants]
    return inputs, [value.name for value in model.graph.output]


def outputs_of(model, folder):
    walk = Walk(model, folder)
    return walk.graph(model.graph, {})


def judge(tenon, path, scratch):
    back = os.path.join(scratch, "back.onnx")
    model = onnx.load(path, load_external_data=False)
    inputs, outputs = ends(model)
    subprocess.run([tenon, "convert", "--quiet", "--force", "--inline", path, "-o",
                    back, "--outputs", ",".join(outputs)], check=True)
    onnx.checker.check_model(back)
    again = onnx.load(back)
    assert ends(again) == (inputs, outputs), "other ends"
    before = outputs_of(model, os.path.dirname(path))
    after = outputs_of(again, scratch)
    assert before == after, "another computation"
    imports = {item.domain: item.version for item in model.opset_import}
    for item in again.opset_import:
        assert imports.get(item.domain) == item.version, "another opset"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--shared", default="../shared")
    arguments = parser.parse_args()
    data = os.path.join(arguments.shared, "data", "onnx")
    files = arguments.files or sorted(
        glob.glob(os.path.join(data, "*.onnx")) +
        glob.glob(os.path.join(data, "*", "*.onnx")))
    if not files:
        print("skipped: wants real models")
        return 77
    failed = 0
    for path in files:
        with tempfile.TemporaryDirectory() as scratch:
            try:
                judge(arguments.tenon, path, scratch)
            except Exception as problem:  # any of them is a verdict
                failed += 1
                print(f"{path}: {type(problem).__name__}: {problem}"[:300])
    print(f"onnx_net: {len(files) - failed} of {len(files)} models are the same")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
