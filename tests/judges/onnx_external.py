"""Compares models with what tenon made of them; see onnx_external.sh."""
import os
import random
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import AttributeProto, TensorProto, external_data_helper, numpy_helper

KNOWN = set(TensorProto.DataType.values()) - {TensorProto.UNDEFINED}
MOST = 300  # of Debian's several thousand test models


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs(attribute.g)
            for inner in attribute.graphs:
                yield from graphs(inner)


def tensors(model):
    for graph in graphs(model.graph):
        yield from graph.initializer
        for sparse in graph.sparse_initializer:
            yield sparse.values
            yield sparse.indices
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                yield from attribute.tensors


def load(path):
    model = onnx.load(path, load_external_data=False)
    for tensor in tensors(model):
        if external_data_helper.uses_external_data(tensor):
            external_data_helper.load_external_data_for_tensor(
                tensor, os.path.dirname(path))
            tensor.data_location = TensorProto.DEFAULT
            del tensor.external_data[:]
    return model


def arrays(model):
    return [(t.name, numpy_helper.to_array(t)) for t in tensors(model)
            if t.data_type in KNOWN]


def skeleton(model):
    """The model without elements: what must not change at all."""
    for tensor in tensors(model):
        for field in ("raw_data", "float_data", "int32_data", "int64_data",
                      "double_data", "uint64_data", "string_data",
                      "external_data", "data_location"):
            tensor.ClearField(field)
    return model.SerializeToString(deterministic=True)


def same(expected, path):
    found = load(path)
    wanted, have = arrays(expected), arrays(found)
    assert len(wanted) == len(have), path
    for (name, a), (other, b) in zip(wanted, have):
        assert name == other and a.dtype == b.dtype and a.shape == b.shape, name
        assert a.tobytes() == b.tobytes() or numpy.array_equal(a, b), name
    copy = type(expected)()
    copy.CopyFrom(expected)
    assert skeleton(copy) == skeleton(found), path


def is_accepted(path):
    try:
        onnx.checker.check_model(path)
        return True
    except Exception:
        return False


def judge(tenon, path, folder):
    try:
        expected = load(path)
        arrays(expected)
    except Exception:
        return False  # not for this library: a newer type, a missing file
    out, back = (os.path.join(folder, n) for n in ("out.onnx", "in.onnx"))
    subprocess.run([tenon, "convert", "-q", "-f", path, "-o", out,
                    "--external", "w.data", "--threshold", "1"],
                   check=True, stdout=subprocess.DEVNULL)
    same(expected, out)
    subprocess.run([tenon, "convert", "-q", "-f", out, "-o", back, "--inline"],
                   check=True, stdout=subprocess.DEVNULL)
    same(expected, back)
    if is_accepted(path):
        assert is_accepted(out), out
        assert is_accepted(back), back
    return True


def main(tenon, corpus, *folders):
    good = [line.split("\t")[0] for line in open(os.path.join(corpus, "MANIFEST"))
            if line.rstrip().endswith("\tgood") and ".onnx\t" in line]
    paths = [os.path.join(corpus, name) for name in good]
    for folder in folders:
        found = sorted(os.path.join(where, name)
                       for where, _, names in os.walk(folder)
                       for name in names if name.endswith(".onnx"))
        random.Random(1).shuffle(found)
        paths += found[:MOST]
    judged = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            try:
                judged += judge(tenon, path, folder)
            except Exception:
                print("in", path)
                raise
    print("judged %d of %d models" % (judged, len(paths)))
    assert judged > 8


if __name__ == "__main__":
    main(*sys.argv[1:])
