#!/usr/bin/env python3
"""Variables that a signature changes: saved_model -> onnx -> ONNX Runtime.

    tensorflow_state.py TENON [--only PATTERN] [--shared DIR]

A SavedModel is written here, its signature calls a function that reads and
assigns variables.  What became of a variable is fed again in the next run, and
numpy says what three runs give.  What cannot be said is refused, by the name of
the node.
"""
import os
import subprocess
import sys

import numpy as np
import onnx
from google.protobuf import text_format

import proof

sys.path.insert(0, os.path.join(proof.HERE, "../losses"))
import sources  # noqa: E402

FLOAT = 'attr { key: "dtype" value { type: DT_FLOAT } }'
START = {"v": np.array([1, 2], "f"), "u": np.array([5, -1], "f")}


def node(name, op, *inputs, attrs=""):
    listed = " ".join(f'input: "{one}"' for one in inputs)
    return f'node_def {{ name: "{name}" op: "{op}" {listed} {attrs} }}\n'


def plain(name, op, *inputs):
    return node(name, op, *inputs, attrs='attr { key: "T" value { type: DT_FLOAT } }')


def read(name, variable, *controls):
    return node(name, "ReadVariableOp", variable, *("^" + one for one in controls), attrs=FLOAT)


def assign(name, op, variable, value, *controls):
    return node(name, op, variable, value, *("^" + one for one in controls), attrs=FLOAT)


def function(name, args, body, outputs):
    taken = " ".join(f'input_arg {{ name: "{arg}" type: {"DT_FLOAT" if arg == "x" else "DT_RESOURCE"} }}' for arg in args)
    given = " ".join(f'output_arg {{ name: "{arg}" type: DT_FLOAT }}' for arg in outputs)
    rets = " ".join(f'ret {{ key: "{arg}" value: "{value}" }}' for arg, value in outputs.items())
    return f'function {{ signature {{ name: "{name}" is_stateful: true {taken} {given} }} {body} {rets} }}\n'


def call(name, called, inputs, types, outputs=1, controls=()):
    kinds = " ".join(f"type: {kind}" for kind in types)
    gives = " ".join(["type: DT_FLOAT"] * outputs)
    return node(name, "StatefulPartitionedCall", *inputs, *("^" + one for one in controls),
                attrs=f'attr {{ key: "Tin" value {{ list {{ {kinds} }} }} }} attr {{ key: "Tout" value {{ list {{ {gives} }} }} }} '
                      f'attr {{ key: "f" value {{ func {{ name: "{called}" }} }} }}')


HANDLE, VALUE = "DT_RESOURCE", "DT_FLOAT"
X_V = ("x", "v", "u")

# Functions, of which `main` is called with x and the handles; what it computes of x and the variables: the result, and what they become.
KEPT = {
    "assigned": (function("main", X_V, read("a", "v") + plain("s", "AddV2", "x", "a:value:0") + plain("t", "Tanh", "s:z:0") +
                          assign("put", "AssignVariableOp", "v", "t:y:0", "a") + plain("y", "Mul", "t:y:0", "x"), {"y": "y:z:0"}),
                 lambda x, v, u: (np.tanh(x + v) * x, {"v": np.tanh(x + v)})),
    "counted": (function("main", X_V, assign("put", "AssignAddVariableOp", "v", "x") + read("a", "v", "put") + plain("y", "Mul", "a:value:0", "x"), {"y": "y:z:0"}),
                lambda x, v, u: ((v + x) * x, {"v": v + x})),
    "taken_away": (function("main", X_V, read("a", "v") + assign("put", "AssignSubVariableOp", "v", "x", "a") + plain("y", "Mul", "a:value:0", "x"), {"y": "y:z:0"}),
                   lambda x, v, u: (v * x, {"v": v - x})),
    "before_and_after": (function("main", X_V, read("a", "v") + plain("s", "Mul", "a:value:0", "x") + assign("put", "AssignVariableOp", "v", "s:z:0", "a") +
                                  read("b", "v", "put") + plain("y", "Sub", "b:value:0", "a:value:0"), {"y": "y:z:0"}),
                         lambda x, v, u: (v * x - v, {"v": v * x})),
    "two": (function("main", X_V, read("a", "v") + read("b", "u") + plain("s", "AddV2", "a:value:0", "x") + plain("t", "Mul", "b:value:0", "x") +
                     assign("p", "AssignVariableOp", "v", "s:z:0", "a") + assign("q", "AssignVariableOp", "u", "t:z:0", "b") + plain("y", "Mul", "s:z:0", "t:z:0"), {"y": "y:z:0"}),
            lambda x, v, u: ((v + x) * (u * x), {"v": v + x, "u": u * x})),
    "only_written": (function("main", X_V, plain("y", "Tanh", "x") + assign("put", "AssignVariableOp", "v", "y:y:0"), {"y": "y:y:0"}),
                     lambda x, v, u: (np.tanh(x), {"v": np.tanh(x)})),
    "in_a_call": (function("main", X_V, call("inner", "update", ["x", "v"], [VALUE, HANDLE]) + read("b", "u") + plain("y", "AddV2", "inner:output:0", "b:value:0"), {"y": "y:z:0"}) +
                  function("update", ("x", "v"), assign("put", "AssignAddVariableOp", "v", "x") + read("a", "v", "put") + plain("i", "Identity", "a:value:0"), {"output": "i:output:0"}),
                  lambda x, v, u: (v + x + u, {"v": v + x})),
    "in_a_call_for_effect": (function("main", X_V, read("a", "v") + call("inner", "update", ["x", "v"], [VALUE, HANDLE], controls=("a",)) + plain("y", "Mul", "x", "a:value:0"), {"y": "y:z:0"}) +
                             function("update", ("x", "v"), assign("put", "AssignAddVariableOp", "v", "x") + plain("i", "Identity", "x"), {"output": "i:output:0"}),
                             lambda x, v, u: (x * v, {"v": v + x})),
}
INDICES = 'attr { key: "Tindices" value { type: DT_INT32 } }'
AT = node("at", "Const", attrs='attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 0 int_val: 1 } } }')
TWICE = assign("p", "AssignVariableOp", "v", "x") + assign("q", "AssignAddVariableOp", "v", "x", "p")
# What the message must say.
REFUSED = {
    "twice": (function("main", X_V, TWICE + plain("y", "Tanh", "x"), {"y": "y:y:0"}), "changed elsewhere, too"),
    "in_parts": (function("main", X_V, AT + node("put", "ResourceScatterUpdate", "v", "at:output:0", "x", attrs=FLOAT + INDICES) + plain("y", "Tanh", "x"), {"y": "y:y:0"}), "in a way that has no rule"),
    "read_after_a_call": (function("main", X_V, call("inner", "update", ["x", "v"], [VALUE, HANDLE]) + read("a", "v", "inner") + plain("y", "Mul", "x", "a:value:0"), {"y": "y:z:0"}) +
                          function("update", ("x", "v"), assign("put", "AssignAddVariableOp", "v", "x") + plain("i", "Identity", "x"), {"output": "i:output:0"}),
                          "a variable that changes cannot become a constant"),
    "in_a_branch": (function("main", X_V, node("yes", "Const", attrs='attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } }') +
                             node("y", "If", "yes:output:0", "x", "v",
                                  attrs='attr { key: "Tcond" value { type: DT_BOOL } } attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE } } } '
                                        'attr { key: "Tout" value { list { type: DT_FLOAT } } } attr { key: "then_branch" value { func { name: "update" } } } '
                                        'attr { key: "else_branch" value { func { name: "update" } } }'), {"y": "y:output:0"}) +
                    function("update", ("x", "v"), assign("put", "AssignAddVariableOp", "v", "x") + plain("i", "Identity", "x"), {"output": "i:output:0"}), "in a branch or a loop"),
}

META = """
saved_model_schema_version: 1
meta_graphs { meta_info_def { tags: "serve" } graph_def {
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
%s
node { name: "call" op: "StatefulPartitionedCall" input: "x" input: "v" input: "u"
  attr { key: "Tin" value { list { type: DT_FLOAT type: DT_RESOURCE type: DT_RESOURCE } } } attr { key: "Tout" value { list { type: DT_FLOAT } } }
  attr { key: "f" value { func { name: "main" } } } }
library { %s } versions { producer: 1087 } }
signature_def { key: "serving_default" value { inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT } }
  outputs { key: "y" value { name: "call:0" dtype: DT_FLOAT } } method_name: "predict" } } }
"""


def write_model(test, tenon, folder):
    functions = (KEPT.get(test) or REFUSED[test])[0]
    handles = "".join(f'node {{ name: "{name}" op: "VarHandleOp" {FLOAT} attr {{ key: "shape" value {{ shape {{ dim {{ size: 2 }} }} }} }} '
                      f'attr {{ key: "shared_name" value {{ s: "{name}" }} }} }}\n' for name in START)
    model = text_format.Parse(META % (handles, functions), sources.message_class("tf-saved-model")())
    path = os.path.join(folder, test)
    os.makedirs(os.path.join(path, "variables"))
    with open(os.path.join(path, "saved_model.pb"), "wb") as to:
        to.write(model.SerializeToString())
    np.savez(os.path.join(folder, test + ".npz"), **START)
    subprocess.run([tenon, "convert", "-q", os.path.join(folder, test + ".npz"), "-o", os.path.join(path, "variables/variables.index")], check=True)
    return path


def prove_kept(test, path, engine, scratch, arguments):
    target = os.path.join(scratch, test + ".onnx")
    proof.convert(arguments.tenon, path, target)
    model = onnx.load(target).graph
    state = {one.name: START[one.name] for one in model.input if one.name != "x"}
    kept = dict(START)
    compute = KEPT[test][1]
    changed = sorted(compute(START["v"], **START)[1])
    outputs = [one.name for one in model.output]
    if outputs[0] != "y" or sorted(outputs[1:]) != [name + "_next" for name in changed] or not set(state) <= set(changed):
        raise proof.Differs(f"inputs {[one.name for one in model.input]}, outputs {outputs}")
    for step in range(3):
        x = np.array([0.5 + step, -1.5], "f")
        got = engine.run(target, {"x": x, **state})
        want, after = compute(x, **kept)
        kept.update(after)
        proof.compare("y", got["y"], want.astype("f"), 1e-5, 1e-6)
        for name, value in after.items():
            proof.compare(name, got[name + "_next"], value.astype("f"), 1e-5, 1e-6)
        state = {name: got[name + "_next"] for name in state}
    return proof.computing(target)


def prove(test, engine, scratch, arguments):
    path = write_model(test, arguments.tenon, scratch)
    if test in KEPT:
        return prove_kept(test, path, engine, scratch, arguments)
    try:
        proof.convert(arguments.tenon, path, os.path.join(scratch, test + ".onnx"))
    except proof.Unmapped as error:
        if REFUSED[test][1] in str(error):
            return 1
        raise proof.Differs(f"refused for another reason: {error}") from error
    raise proof.Differs("it was converted")


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    results = proof.run(prove, sorted([*KEPT, *REFUSED]), arguments)
    for row in proof.rows(results):
        print(row)
    print(proof.summary("State of signatures", results)[0])
    return any(result.state != "passed" for result in results)


if __name__ == "__main__":
    sys.exit(main())
