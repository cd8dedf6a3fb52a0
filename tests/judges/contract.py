#!/usr/bin/env python3
"""Inputs and outputs are a contract: order, names, types, ranks, names of dims.

    contract.py TENON [--only PATTERN] [--shared DIR]

Models of every dialect go every way that there is; what they take and give is
read before and after by readers that nobody here wrote: onnx, flatc, protoc.
"""
import fnmatch
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from google.protobuf import text_format
from onnx import TensorProto, helper

import graphdef
import paddle_onnx
import proof
from paddle_cases import Case

ROOT = os.path.join(proof.HERE, "../..")
sys.path.insert(0, os.path.join(ROOT, "tests/losses"))
import sources  # noqa: E402

CORPUS = os.path.join(ROOT, "tests/corpus/contract")
FLAT = {"FLOAT": 1, "UINT8": 2, "INT8": 3, "UINT16": 4, "INT16": 5, "INT32": 6, "INT64": 7, "UTF8": 8, "BOOL": 9,
        "HALF": 10, "DOUBLE": 11, "UINT32": 12, "UINT64": 13, "BFLOAT16": 16}


# --- what a file says, by other readers ----------------------------------------
# An end is (name, type of ONNX, dims); dims: numbers, names, None; all None: no rank.

def onnx_ends(path):
    def end(info):
        tensor = info.type.tensor_type
        dims = [dim.dim_param or None if not dim.HasField("dim_value") else dim.dim_value
                for dim in tensor.shape.dim] if tensor.HasField("shape") else None
        return info.name, tensor.elem_type, dims
    graph = onnx.load(path).graph
    kept = {tensor.name for tensor in graph.initializer}
    return [end(info) for info in graph.input if info.name not in kept], [end(info) for info in graph.output]


def flat_ends(path):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["flatc", "--no-warnings", "--json", "--strict-json", "--raw-binary", "-o", work,
                        os.path.join(ROOT, "schemas/samediff_classic.fbs"), "--", path], check=True)
        name = os.path.splitext(os.path.basename(path))[0] + ".json"
        with open(os.path.join(work, name)) as file:
            graph = json.load(file)

    def end(variable):
        names = variable.get("dimNames")
        shape = variable.get("shape")
        dims = None if shape is None or (not shape and names is None) else \
            [size if size >= 0 else name or None for size, name in zip(shape, names or [""] * len(shape))]
        return variable["name"], FLAT.get(variable.get("dtype"), 0), dims
    variables = {(v["id"].get("first", 0), v["id"].get("second", 0)): v for v in graph["variables"]}
    named = {v["name"]: v for v in graph["variables"]}
    listed = [(pair.get("first", 0), pair.get("second", 0)) for pair in graph["outputs"]]
    return [end(named[name]) for name in graph["placeholders"]], [end(variables[pair]) for pair in listed]


def paddle_ends(path):
    program = paddle_onnx.SIDES["schema"].ProgramDesc()
    with open(path, "rb") as file:
        program.ParseFromString(file.read())
    types = {var.name: var.type.lod_tensor.tensor for var in program.blocks[0].vars}
    known = {number: onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(name)]
             for name, number in paddle_onnx.TYPES.items()}

    def ends(kind):
        found = {}
        for op in program.blocks[0].ops:
            if op.type == kind:
                side = op.outputs if kind == "feed" else op.inputs
                column = next(attr.i for attr in op.attrs if attr.name == "col")
                found[column] = side[0].arguments[0]
        return [(name, known[types[name].data_type], [size if size >= 0 else None for size in types[name].dims])
                for _, name in sorted(found.items())]
    return ends("feed"), ends("fetch")


READERS = {".onnx": onnx_ends, ".fb": flat_ends, ".pdmodel": paddle_ends}


# --- models ------------------------------------------------------------------------

def info(name, kind=TensorProto.FLOAT, dims=None):
    return helper.make_tensor_value_info(name, kind, dims)


def model(nodes, inputs, outputs, opset=17, constants=()):
    made = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, list(constants)),
                             opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def branch(name, nodes, outputs):
    return helper.make_graph(nodes, name, [], outputs)


def every_type():
    kinds = {"f2": TensorProto.FLOAT16, "f4": TensorProto.FLOAT, "f8": TensorProto.DOUBLE, "i1": TensorProto.INT8,
             "i2": TensorProto.INT16, "i4": TensorProto.INT32, "i8": TensorProto.INT64, "u1": TensorProto.UINT8,
             "u2": TensorProto.UINT16, "u4": TensorProto.UINT32, "u8": TensorProto.UINT64, "b": TensorProto.BOOL,
             "bf": TensorProto.BFLOAT16}
    return model([node("Identity", f"in_{name}", f"out_{name}") for name in reversed(kinds)],
                 [info(f"in_{name}", kind, ["rows", 2]) for name, kind in kinds.items()],
                 [info(f"out_{name}", kind, ["rows", 2]) for name, kind in kinds.items()])


MODELS = {
    "order against the nodes": model(
        [node("Relu", "c", "z"), node("Neg", "a", "m"), node("Abs", "b", "k")],
        [info("c", dims=[2]), info("a", dims=[3]), info("b", dims=[4])],
        [info("k", dims=[4]), info("z", dims=[2]), info("m", dims=[3])]),
    "order against the letters": model(
        [node("Add", "zz aa", "sum"), node("Sub", "zz aa", "minus"), node("Mul", "mm aa", "also")],
        [info("zz", dims=[2]), info("mm", dims=[2]), info("aa", dims=[2])],
        [info("sum", dims=[2]), info("also", dims=[2]), info("minus", dims=[2])]),
    "scalars": model(
        [node("Add", "x s", "y"), node("Neg", "s", "t")],
        [info("s", dims=[]), info("x", dims=["n"]), info("unused", TensorProto.INT64, [])],
        [info("t", dims=[]), info("y", dims=["n"])]),
    "names of dims": model(
        [node("Relu", "x", "y"), node("Transpose", "x", "z", perm=[2, 0, 1])],
        [info("x", dims=["batch", 3, "time"])],
        [info("z", dims=["time", "batch", 3]), info("y", dims=["batch", 3, "time"])]),
    "a name that no rule knows": model(
        [node("NonZero", "x", "y")], [info("x", dims=["batch", 3])], [info("y", TensorProto.INT64, [2, "found"])]),
    "some dims without a name": model(
        [node("Relu", "x", "y")], [info("x", dims=[None, 3, "t"])], [info("y", dims=[None, 3, "t"])]),
    "outputs that are used, too": model(
        [node("Relu", "x", "y"), node("Neg", "y", "z"), node("Exp", "z", "w")],
        [info("x", dims=["n", 2])], [info("z", dims=["n", 2]), info("y", dims=["n", 2]), info("w", dims=["n", 2])]),
    "an output is an input": model(
        [node("Relu", "x", "y")], [info("x", dims=["n", 2])], [info("y", dims=["n", 2]), info("x", dims=["n", 2])]),
    "one value twice": model(
        [node("Relu", "x", "y"), node("Identity", "y", "z")],
        [info("x", dims=["n"])], [info("z", dims=["n"]), info("y", dims=["n"])]),
    "some of several outputs": model(
        [node("Split", "x", "p q r", axis=0), node("Relu", "q", "used")],
        [info("x", dims=[6, "w"])], [info("r", dims=[2, "w"]), info("used", dims=[2, "w"]), info("p", dims=[2, "w"])]),
    "every type": every_type(),
    "If of two outputs": model(
        [node("If", "c", "first second",
              then_branch=branch("t", [node("Relu", "x", "t1"), node("ReduceSum", "x", "t2", keepdims=0)],
                                 [info("t1", dims=["n"]), info("t2", dims=[])]),
              else_branch=branch("e", [node("Neg", "x", "e1"), node("ReduceMax", "x", "e2", keepdims=0)],
                                 [info("e1", dims=["n"]), info("e2", dims=[])]))],
        [info("c", TensorProto.BOOL, []), info("x", dims=["n"])], [info("second", dims=[]), info("first", dims=["n"])]),
}


def corpus(name):
    return onnx.load(os.path.join(CORPUS, name))


MODELS.update({name: corpus(name) for name in
               ("output-order.onnx", "shape-lost-scalar-io.onnx", "loop-zero-trips-scan.onnx")})

# From ONNX and back to it, through every container of nd4j.
WAYS = [[".fb", ".onnx"], [".samediff", ".onnx"], [".sdnb", ".onnx"], [".sdz", ".onnx"],
        [".samediff", ".fb", ".onnx"], [".fb", ".samediff", ".fb", ".onnx"], [".sdz", ".fb", ".sdnb", ".onnx"],
        [".fb", ".onnx", ".fb", ".onnx"]]


def tensorflow_graph(path):
    """Placeholders in an order of their own, one of which nobody uses."""
    graph = graphdef.Graph()
    graph.placeholder("zeta", np.zeros((2, 3), "f4"), [None, 3])
    graph.placeholder("alpha", np.zeros((), "f4"))
    graph.placeholder("mid", np.zeros((4,), "i4"))
    graph.placeholder("alone", np.zeros((1,), "i8"), [None])
    graph.add("AddV2", "shifted", ["zeta", "alpha"], {})
    graph.add("Neg", "less", ["mid"], {})
    graph.add("Neg", "one", ["alpha"], {})
    graph.write(path)
    f4, i4 = TensorProto.FLOAT, TensorProto.INT32
    return ([("zeta", f4, [None, 3]), ("alpha", f4, []), ("mid", i4, [4]), ("alone", TensorProto.INT64, [None])],
            [("one", f4, []), ("shifted:0", f4, [None, 3]), ("less", i4, [4])])


SAVED = """
saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "serve" } graph_def {
  node { name: "in_z" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
    attr { key: "shape" value { shape { dim { size: -1 } dim { size: 3 } } } } }
  node { name: "in_a" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "shape" value { shape { } } } }
  node { name: "neg" op: "Neg" input: "in_z" attr { key: "T" value { type: DT_FLOAT } } }
  node { name: "less" op: "Neg" input: "in_a" attr { key: "T" value { type: DT_INT64 } } }
  node { name: "k" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
    attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 2 } } } }
  node { name: "top" op: "TopKV2" input: "in_z" input: "k" attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 1087 } }
signature_def { key: "serving_default" value {
  inputs { key: "zeta" value { name: "in_z:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } dim { size: 3 } } } }
  inputs { key: "alpha" value { name: "in_a:0" dtype: DT_INT64 tensor_shape { } } }
  outputs { key: "places" value { name: "top:1" dtype: DT_INT32 tensor_shape { dim { size: -1 } dim { size: 2 } } } }
  outputs { key: "negative" value { name: "neg:0" dtype: DT_FLOAT tensor_shape { dim { size: -1 } dim { size: 3 } } } }
  outputs { key: "one" value { name: "less:0" dtype: DT_INT64 tensor_shape { } } } } }
signature_def { key: "other" value {
  inputs { key: "only" value { name: "in_a:0" dtype: DT_INT64 tensor_shape { } } }
  outputs { key: "result" value { name: "less:0" dtype: DT_INT64 tensor_shape { } } } } } }
"""


def saved_model(folder):
    """Signatures are maps, so that their order is that of the file."""
    path = os.path.join(folder, "saved")
    os.makedirs(path)
    message = text_format.Parse(SAVED, sources.message_class("tf-saved-model")())
    with open(os.path.join(path, "saved_model.pb"), "wb") as to:
        to.write(message.SerializeToString(deterministic=True))
    f4, i4, i8 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
    # in the order of the bytes that were written: sorted by key
    return path, {
        None: ([("alpha", i8, []), ("zeta", f4, [None, 3])],
               [("negative", f4, [None, 3]), ("one", i8, []), ("places", i4, [None, 2])]),
        "other": ([("only", i8, [])], [("result", i8, [])])}


def ends_graph(path):
    """A GraphDef with nodes of several outputs at its end, which gives all of them."""
    graph = graphdef.Graph()
    graph.placeholder("x", np.zeros((2, 6), "f4"))
    graph.constant("k", np.array(2, "i4"))
    graph.constant("axis", np.array(1, "i4"))
    graph.add("TopKV2", "top", ["x", "k"], {})
    graph.add("Split", "parts", ["axis", "x"], {"num_split": 3})
    graph.write(path)
    f4, i4 = TensorProto.FLOAT, TensorProto.INT32
    return ([("x", f4, [2, 6])],
            [("top", f4, [2, 2]), ("top:1", i4, [2, 2]),
             ("parts", f4, [2, 2]), ("parts:1", f4, [2, 2]), ("parts:2", f4, [2, 2])])


def paddle_program(folder):
    """Columns against the order of the operators."""
    def build(p):
        for name, array in (("b", np.zeros((2, 3), "f4")), ("a", np.zeros((4,), "i8"))):
            p.var(name, array=array)
        p.var("b_out", array=np.zeros((2, 3), "f4"))
        p.var("a_out", array=np.zeros((4,), "i8"))
        for name, column in (("a", 1), ("b", 0)):
            p.op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": column})
            p.feeds[name] = np.zeros(1, "f4")
        p.op("relu", {"X": ["b"]}, {"Out": ["b_out"]})
        p.op("assign", {"X": ["a"]}, {"Out": ["a_out"]})
        for name, column in (("b_out", 1), ("a_out", 0)):
            p.op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": column})
            p.fetches.append(name)
    paddle_onnx.Program(paddle_onnx.SIDES["schema"], Case("relu", {}, build=build), is_open=False).write(folder)
    return os.path.join(folder, "model.pdmodel")


# --- ways ------------------------------------------------------------------------

def hold(told, want, where):
    for side, one, other in zip(("inputs", "outputs"), told, want):
        if [tuple(end) for end in one] != [tuple(end) for end in other]:
            raise proof.Differs(f"{where}: {side} {one}, not {other}")


def travel(tenon, source, ways, folder, want, *options):
    """Along the endings; what another reader can read must say the same."""
    at = source
    for number, ending in enumerate(ways):
        target = os.path.join(folder, f"step{number}{ending}")
        proof.convert(tenon, at, target, *options)
        options = ()
        if ending in READERS:
            hold(READERS[ending](target), want, "".join(ways[:number + 1]))
        at = target


def prove_onnx(name, ways, folder, tenon):
    source = os.path.join(folder, "model.onnx")
    onnx.save(MODELS[name], source)
    travel(tenon, source, ways, folder, onnx_ends(source))


def prove_tensorflow(ways, folder, tenon):
    source = os.path.join(folder, "model.pb")
    inputs, outputs = tensorflow_graph(source)
    travel(tenon, source, ways, folder, (inputs, outputs), "--inputs", ",".join(end[0] for end in inputs),
           "--outputs", ",".join(end[0] for end in outputs))


def prove_saved(signature, ways, folder, tenon):
    source, want = saved_model(folder)
    travel(tenon, source, ways, folder, want[signature], *(["--signature", signature] if signature else []))


def prove_ends(ways, folder, tenon):
    source = os.path.join(folder, "model.pb")
    want = ends_graph(source)
    travel(tenon, source, ways, folder, want)


def prove_paddle(ways, folder, tenon):
    source = paddle_program(folder)
    travel(tenon, source, ways, folder, paddle_ends(source))


def tests():
    for name in MODELS:
        for ways in WAYS:
            yield f"onnx: {name}: {' '.join(ways)}", prove_onnx, (name, ways)
    for ways in [[".onnx"], *([ending, ".onnx"] for ending in (".fb", ".samediff", ".sdnb", ".sdz"))]:
        yield f"tensorflow: {' '.join(ways)}", prove_tensorflow, (ways,)
        yield f"all outputs of a last node: {' '.join(ways)}", prove_ends, (ways,)
        for signature in (None, "other"):
            yield f"signature {signature}: {' '.join(ways)}", prove_saved, (signature, ways)
    for ways in ([".onnx"], [".fb", ".onnx"], [".json", ".pdmodel"], [".json", ".onnx"],
                 [".json", ".pdmodel", ".onnx"], [".pdmodel.txt", ".pdmodel", ".onnx"]):
        yield f"paddle: {' '.join(ways)}", prove_paddle, (ways,)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    paddle_onnx.SIDES.update(schema=paddle_onnx.schema())
    count, failures = 0, []
    for name, prove, context in tests():
        if not fnmatch.fnmatch(name, arguments.only or "*"):
            continue
        count += 1
        with tempfile.TemporaryDirectory(prefix="tenon-contract-") as folder:
            try:
                prove(*context, folder, arguments.tenon)
            except (proof.Unmapped, proof.Differs) as error:
                failures.append(f"{name}: {proof.told(error)}")
    print(*failures, sep="\n")
    print(f"contracts: {count} ways, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
