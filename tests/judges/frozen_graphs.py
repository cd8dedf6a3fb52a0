#!/usr/bin/env python3
"""SavedModels as GraphDefs: variables are constants, or told by name.

    frozen_graphs.py TENON [--only PATTERN] [--shared DIR]

A SavedModel is converted to one .pb.  protoc's classes read it: no node makes
or reads a variable, no function takes a handle, and every call gives a function
the types that it takes.  Then the GraphDef, which has nothing beside it, is run
(by way of ONNX, on ONNX Runtime) and held against what the model computes.
"""
import argparse
import json
import os
import subprocess
import sys

import numpy
from google.protobuf import text_format

import proof
import saved_models
import whole_models

sys.path.insert(0, os.path.join(proof.HERE, "../losses"))
import sources  # noqa: E402

FLOAT, INT, RESOURCE = 1, 3, 20
GONE = {"VarHandleOp", "VariableV2", "ReadVariableOp", "ResourceGather",
        "ResourceGatherNd", "VariableShape"}

# Every way in which a graph reads a variable: in the main graph, in a function,
# in one that it calls, in the branches of an If and in the rounds of a While;
# its rows, its shape, and the value itself as a result.
NODES = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } dim { size: 2 } } } } }
node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } }
HANDLE(w, 2 2) HANDLE(b, 2) HANDLE(t, 3 2) HANDLE(count, 1) HANDLE(lost, 1)
node { name: "old" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 2 } } } } attr { key: "shared_name" value { s: "old" } } }
node { name: "old/read" op: "Identity" input: "old" attr { key: "T" value { type: DT_FLOAT } } attr { key: "_class" value { list { s: "loc:@old" } } } }
node { name: "call" op: "StatefulPartitionedCall" input: "x" input: "i" input: "w" input: "b" input: "t" input: "^bump"
  attr { key: "Tin" value { list { type: DT_FLOAT type: DT_INT32 type: DT_RESOURCE type: DT_RESOURCE type: DT_RESOURCE } } }
  attr { key: "Tout" value { list { type: DT_FLOAT type: DT_FLOAT type: DT_FLOAT type: DT_INT32 type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "f" } } }
  attr { key: "_read_only_resource_inputs" value { list { i: 2 i: 3 i: 4 } } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1 } } float_val: 1 } } } }
node { name: "bump" op: "AssignAddVariableOp" input: "count" input: "one" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "y" op: "AddV2" input: "call" input: "old/read" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "unrestored" op: "ReadVariableOp" input: "lost" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "unneeded" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
library {
  function { signature { name: "f" ARG(x, DT_FLOAT) ARG(i, DT_INT32) ARG(w, DT_RESOURCE) ARG(b, DT_RESOURCE) ARG(t, DT_RESOURCE)
      OUT(y, DT_FLOAT) OUT(rows, DT_FLOAT) OUT(picked, DT_FLOAT) OUT(shape, DT_INT32) OUT(w_out, DT_FLOAT) is_stateful: true }
    node_def { name: "read" op: "ReadVariableOp" input: "w" attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "m" op: "MatMul" input: "x" input: "read:value:0" attr { key: "T" value { type: DT_FLOAT } } }
    node_def { name: "handle" op: "Identity" input: "b" attr { key: "T" value { type: DT_RESOURCE } } attr { key: "_output_shapes" value { list { shape { } } } } }
    node_def { name: "inner" op: "PartitionedCall" input: "m:product:0" input: "handle:output:0"
      attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
      attr { key: "f" value { func { name: "add" } } } }
    node_def { name: "yes" op: "Const" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } } }
    node_def { name: "chosen" op: "If" input: "yes:output:0" input: "inner:output:0" input: "b"
      attr { key: "Tcond" value { type: DT_BOOL } } attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE } } }
      attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "then_branch" value { func { name: "add" } } }
      attr { key: "else_branch" value { func { name: "leave" } } } }
    node_def { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
    node_def { name: "rounds" op: "While" input: "zero:output:0" input: "chosen:output:0" input: "w"
      attr { key: "T" value { list { type: DT_INT32 type: DT_FLOAT type: DT_RESOURCE } } }
      attr { key: "output_shapes" value { list { shape { } shape { dim { size: 2 } dim { size: 2 } } shape { } } } }
      attr { key: "cond" value { func { name: "below" } } } attr { key: "body" value { func { name: "again" } } } }
    node_def { name: "gather" op: "ResourceGather" input: "t" input: "i" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "Tindices" value { type: DT_INT32 } } }
    node_def { name: "at" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } dim { size: 1 } } int_val: 0 int_val: 2 } } } }
    node_def { name: "nd" op: "ResourceGatherNd" input: "t" input: "at:output:0" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "Tindices" value { type: DT_INT32 } } }
    node_def { name: "size" op: "VariableShape" input: "t" attr { key: "out_type" value { type: DT_INT32 } } }
    ret { key: "y" value: "rounds:output:1" } ret { key: "rows" value: "gather:output:0" } ret { key: "picked" value: "nd:output:0" }
    ret { key: "shape" value: "size:output:0" } ret { key: "w_out" value: "read:value:0" }
    arg_attr { key: 2 value { attr { key: "_output_shapes" value { list { shape { } } } } attr { key: "_user_specified_name" value { s: "kernel" } } } } }
  function { signature { name: "add" ARG(v, DT_FLOAT) ARG(b, DT_RESOURCE) OUT(z, DT_FLOAT) is_stateful: true }
    node_def { name: "read" op: "ReadVariableOp" input: "b" attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "sum" op: "AddV2" input: "v" input: "read:value:0" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "z" value: "sum:z:0" } }
  function { signature { name: "leave" ARG(v, DT_FLOAT) ARG(b, DT_RESOURCE) OUT(z, DT_FLOAT) }
    node_def { name: "same" op: "Identity" input: "v" attr { key: "T" value { type: DT_FLOAT } } } ret { key: "z" value: "same:output:0" } }
  function { signature { name: "below" ARG(n, DT_INT32) ARG(v, DT_FLOAT) ARG(w, DT_RESOURCE) OUT(z, DT_BOOL) }
    node_def { name: "three" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 3 } } } }
    node_def { name: "less" op: "Less" input: "n" input: "three:output:0" attr { key: "T" value { type: DT_INT32 } } } ret { key: "z" value: "less:z:0" } }
  function { signature { name: "again" ARG(n, DT_INT32) ARG(v, DT_FLOAT) ARG(w, DT_RESOURCE) OUT(n_out, DT_INT32) OUT(v_out, DT_FLOAT) OUT(w_out, DT_RESOURCE) is_stateful: true }
    node_def { name: "one" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
    node_def { name: "next" op: "AddV2" input: "n" input: "one:output:0" attr { key: "T" value { type: DT_INT32 } } }
    node_def { name: "read" op: "ReadVariableOp" input: "w" attr { key: "dtype" value { type: DT_FLOAT } } }
    node_def { name: "m" op: "MatMul" input: "v" input: "read:value:0" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "n_out" value: "next:z:0" } ret { key: "v_out" value: "m:product:0" } ret { key: "w_out" value: "w" } }
  function { signature { name: "train" ARG(w, DT_RESOURCE) }
    node_def { name: "n" op: "NoOp" } }
}
versions { producer: 1087 }
"""

META = """
saved_model_schema_version: 1
meta_graphs { meta_info_def { tags: "serve" } graph_def { %s }
signature_def { key: "serving_default" value {
  inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT } }
  inputs { key: "i" value { name: "i:0" dtype: DT_INT32 } }
  outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT } }
  outputs { key: "rows" value { name: "call:1" dtype: DT_FLOAT } }
  outputs { key: "picked" value { name: "call:2" dtype: DT_FLOAT } }
  outputs { key: "shape" value { name: "call:3" dtype: DT_INT32 } }
  outputs { key: "w" value { name: "call:4" dtype: DT_FLOAT } } method_name: "predict" } }
signature_def { key: "other" value { outputs { key: "u" value { name: "unrestored:0" dtype: DT_FLOAT } } } } }
"""

VALUES = {"w": numpy.array([[1, 2], [.5, -1]], "f"), "b": numpy.array([3, -4], "f"),
          "t": numpy.array([[1, 2], [3, 4], [5, 6]], "f"), "old": numpy.array([10, 20], "f"),
          "count": numpy.array([7], "f"), "slot": numpy.array([9], "f")}
FED = {"x": numpy.array([[1, 2], [3, 4]], "f"), "i": numpy.array([2, 0], "i")}


def expected():
    value = FED["x"] @ VALUES["w"] + 2 * VALUES["b"]
    for _ in range(3):
        value = value @ VALUES["w"]
    return {"y": value + VALUES["old"], "call:1": VALUES["t"][FED["i"]],
            "call:2": VALUES["t"][[0, 2]], "call:3": numpy.array([3, 2], "i"),
            "call:4": VALUES["w"]}


def make_model(tenon, folder):
    """A SavedModel in that folder, with a checkpoint of VALUES."""
    def handle(name, dims):
        return ('node { name: "%s" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } '
                'attr { key: "shape" value { shape { %s } } } attr { key: "shared_name" value { s: "%s" } } '
                'attr { key: "_output_shapes" value { list { shape { } } } } }' %
                (name, " ".join("dim { size: %s }" % dim for dim in dims.split()), name))
    text = NODES
    for word, make in (("HANDLE", handle),
                       ("ARG", lambda name, kind: f'input_arg {{ name: "{name}" type: {kind} }}'),
                       ("OUT", lambda name, kind: f'output_arg {{ name: "{name}" type: {kind} }}')):
        parts = text.split(word + "(")
        text = parts[0]
        for part in parts[1:]:
            inside, rest = part.split(")", 1)
            text += make(*(one.strip() for one in inside.split(","))) + rest
    model = text_format.Parse(META % text, sources.message_class("tf-saved-model")())
    path = os.path.join(folder, "made_model")
    os.makedirs(os.path.join(path, "variables"))
    with open(os.path.join(path, "saved_model.pb"), "wb") as to:
        to.write(model.SerializeToString())
    numpy.savez(os.path.join(folder, "v.npz"), **VALUES)
    subprocess.run([tenon, "convert", "-q", os.path.join(folder, "v.npz"), "-o",
                    os.path.join(path, "variables/variables.index")], check=True)
    return path


# --- the GraphDef, read by somebody else -----------------------------------------

def function_of(attr, library):
    return library.get(attr.func.name)


def check_call(node, library, where):
    """The types that a node says it gives are those that its functions take."""
    attr = node.attr
    sides = {"PartitionedCall": ("Tin", "Tout", ["f"]), "StatefulPartitionedCall": ("Tin", "Tout", ["f"]),
             "If": ("Tin", "Tout", ["then_branch", "else_branch"]),
             "StatelessIf": ("Tin", "Tout", ["then_branch", "else_branch"]),
             "While": ("T", "T", ["body"]), "StatelessWhile": ("T", "T", ["body"])}
    if node.op not in sides:
        return
    takes, gives, names = sides[node.op]
    for name in names:
        called = function_of(attr[name], library)
        if called is None:
            raise proof.Differs(f"{where}: {node.name} calls a function that is not there")
        if [arg.type for arg in called.signature.input_arg] != list(attr[takes].list.type) or \
                [arg.type for arg in called.signature.output_arg] != list(attr[gives].list.type):
            raise proof.Differs(f"{where}: {node.name} and {called.signature.name} disagree on types")


def check_graph(path, left=()):
    """Nothing is a variable but those in `left`; calls fit their functions."""
    with open(path, "rb") as file:
        graph = sources.message_class("tf-graph").FromString(file.read())
    library = {one.signature.name: one for one in graph.library.function}
    bodies = [("graph", graph.node)] + [(name, one.node_def) for name, one in library.items()]
    for where, nodes in bodies:
        for node in nodes:
            if node.op in GONE and node.name not in left and not set(node.input) & set(left):
                raise proof.Differs(f"{where}: {node.op} {node.name} is there")
            check_call(node, library, where)
    for name, one in library.items():
        for arg in [*one.signature.input_arg, *one.signature.output_arg]:
            if arg.type == RESOURCE and name not in left:
                raise proof.Differs(f"{name}: {arg.name} is a handle")
    return graph


def losses(tenon, source, target):
    done = subprocess.run([tenon, "convert", "-q", "--json", "--force", source, "-o", target, "--to", "tf-graph"],
                          stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)["lost"]


# --- tests -----------------------------------------------------------------------

def prove_made(test, engine, scratch, arguments):
    frozen = os.path.join(scratch, "made.pb")
    lost = losses(arguments.tenon, make_model(arguments.tenon, scratch), frozen)
    told = "\n".join(f"{one['where']}: {one['what']}" for one in lost)
    for name, why in (("count", "not frozen"), ("lost", "no entry of the checkpoint"), ("slot", "value of a variable"),
                      ("unneeded", "no signature needs"), ("train", "no signature needs")):
        if not any(name in line.split(":")[0] and why in line for line in told.splitlines()):
            raise proof.Differs(f"{name} is not told: {told}")
    for name in ("w", "b", "t", "old"):
        if any(line.startswith(name + ":") for line in told.splitlines()):
            raise proof.Differs(f"{name} is told, and frozen")
    graph = check_graph(frozen, left=("count", "lost"))
    kept = next(one for one in graph.library.function if one.signature.name == "f").arg_attr[2].attr
    if list(kept) != ["_user_specified_name"]:
        raise proof.Differs(f"arg_attr of a tensor: {list(kept)}")
    want = expected()
    model = os.path.join(scratch, "made.onnx")
    proof.convert(arguments.tenon, frozen, model, "--inputs", "x,i", "--outputs", ",".join(want))
    got = list(engine.run(model, FED).values())
    for (name, one), value in zip(want.items(), got):
        proof.compare(name, value, one, 1e-5, 1e-6)
    return proof.computing(model)


def ends_of(tenon, source):
    done = subprocess.run([tenon, "info", "--json", source], stdout=subprocess.PIPE, check=True, text=True)
    for one in json.loads(done.stdout)["models"][0]["signatures"]:
        if one["name"] == "serving_default":
            return [{end["key"]: end["name"].removesuffix(":0") for end in one[side]}
                    for side in ("inputs", "outputs")]
    raise proof.Differs("no serving_default")


def run_frozen(engine, scratch, arguments, folder, fed):
    source = os.path.join(arguments.folder, folder)
    frozen, model = os.path.join(scratch, "f.pb"), os.path.join(scratch, "f.onnx")
    losses(arguments.tenon, source, frozen)
    check_graph(frozen)
    inputs, outputs = ends_of(arguments.tenon, source)
    proof.convert(arguments.tenon, frozen, model, "--inputs", ",".join(inputs[key] for key in fed),
                  "--outputs", ",".join(outputs.values()))
    got = engine.run(model, {inputs[key]: value for key, value in fed.items()})
    return dict(zip(outputs, got.values())), proof.computing(model)


def evaluate(graph, name, fed):
    """What a node of a GraphDef gives, by a few operators of numpy: the type of
    what a parser of records gives is known to nobody without a signature."""
    node = next(one for one in graph.node if one.name == name)
    if name in fed:
        return fed[name]
    inputs = [evaluate(graph, one.removesuffix(":0"), fed) for one in node.input if one[0] != "^"]
    if node.op == "Const":
        tensor = node.attr["value"].tensor
        assert tensor.dtype == FLOAT
        return numpy.frombuffer(tensor.tensor_content, "<f4").reshape([dim.size for dim in tensor.tensor_shape.dim]) \
            if tensor.tensor_content else numpy.array(tensor.float_val[0], "f")
    return {"Identity": lambda a: a, "Mul": numpy.multiply, "Add": numpy.add, "AddV2": numpy.add}[node.op](*inputs)


def prove_evaluated(test, scratch, arguments):
    folder, fed, name, formula = saved_models.SMALL[test]
    source, frozen = os.path.join(arguments.folder, folder), os.path.join(scratch, "f.pb")
    fed = {key: numpy.array(value, "f") for key, value in fed.items()}
    losses(arguments.tenon, source, frozen)
    proof.compare(name, evaluate(check_graph(frozen), name, fed), formula(**fed), 1e-6, 1e-6)
    return 1


def prove(test, engine, scratch, arguments):
    if test.startswith("half_plus_two"):
        return prove_evaluated(test, scratch, arguments)
    if test == "made":
        return prove_made(test, engine, scratch, arguments)
    if test == "basic-pitch":
        recorded = whole_models.Run(os.path.join(
            arguments.shared, "data/onnx/expected/basic-pitch.run.tsv"))
        (array,) = recorded.inputs.values()
        got, ops = run_frozen(engine, scratch, arguments, test, {"input_2": array})
        recorded.hold({saved_models.PITCH[name]: value for name, value in got.items()})
        return ops
    folder, fed, name, formula = saved_models.SMALL[test]
    fed = {key: numpy.array(value, "f") for key, value in fed.items()}
    got, ops = run_frozen(engine, scratch, arguments, folder, fed)
    proof.compare(name, got[name], numpy.asarray(formula(**fed), "f"), 1e-5, 1e-6)
    return ops


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    parser.add_argument("--shared", default="../shared")
    arguments = parser.parse_args()
    arguments.folder = os.path.join(arguments.shared, "data/tensorflow/saved_model")
    tests = ["made"]
    if os.path.isdir(arguments.folder):
        tests += [*saved_models.SMALL, "basic-pitch"]
    results = proof.run(prove, tests, arguments)
    line, _ = proof.summary("frozen graphs", results)
    print(line + "\n\n" + proof.table(results))
    return 0 if all(result.state == "passed" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
