#!/usr/bin/env python3
"""Files of TFLite, converted and run: what LiteRT gave must come out.

    tflite_onnx.py TENON [--only PATTERN] [--shared DIR] [--report FILE] ...

Each `X.npz` beside an `X.tflite` has inputs and what an engine of TFLite made of
them.  The result also has no more nodes than an ONNX file of the same network,
where there is one, and gives what that gives.
"""
import glob
import json
import os
import subprocess
import sys

import numpy
import onnx
import proof

# float: of the value; integers: steps; weights of few bits: of the range of
# the output, since kernels round their inputs as they like.
RELATIVE, ABSOLUTE, DYNAMIC = 1e-5, 1e-5, 0.02
NEAR_STEPS, FAR_STEPS, NEAR_SHARE = 1, 3, 0.99
IS_DYNAMIC = ("models/dtln_model_quant_1", "models/tiny_kws_f32",
              "small/litert_qwen_fc_blockwise_quantized")
# Inputs of the last two have channels second there.
PARTNERS = {"models/basicpitch_nmp": ("basicpitch_nmp.onnx",),
            "models/dtln_model_1": ("dtln_model_1.onnx",),
            "models/microplastic_f32": ("microplastic.onnx", "--nchw"),
            "models/ultraface_RFB-320": ("ultraface_RFB-320.onnx",
                                         "--nchw")}
# What was recorded is not what the operator is for.
EXCUSED = {"small/litert_simple_scatter_nd_op": "indices beyond the shape",
           "small/litert_simple_squeeze": "an axis that a number does not have",
           "small/litert_static_w8_a16_quantized_attn_vec_einsum": "zeros",
           "small/litert_static_w8_a16_quantized_q_einsum": "zeros"}
# ONNX Runtime makes kernels of integers of all their convolutions.
FUSED = ("models/tiny_kws_int8",)
# The engine that recorded boxes of ultraface is 4e-4 away from others.
LOOSE = {"models/ultraface_RFB-320": 5e-4, "models/basicpitch_nmp": 1e-4}


def recorded(path):
    """Inputs and outputs by name."""
    with numpy.load(path) as file:
        return tuple({key[len(kind):]: file[key] for key in file.files
                      if key.startswith(kind)} for kind in ("in:", "out:"))


def compare(test, name, got, want):
    if want.dtype.kind == "f" and test in IS_DYNAMIC:
        far = DYNAMIC * max(float(want.max() - want.min()), 1e-6)
        proof.compare(name, got, want, 0, far)
    elif want.dtype.kind == "f":
        loose = LOOSE.get(test, ABSOLUTE)
        proof.compare(name, got, want, max(RELATIVE, loose), loose)
    elif want.dtype in (numpy.int8, numpy.uint8, numpy.int16):
        steps(name, got, want)
    else:
        proof.compare(name, got, want, 0, 0)


def steps(name, got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        raise proof.Differs(f"{name}: {got.dtype} {got.shape}, not "
                            f"{want.dtype} {want.shape}")
    far = numpy.abs(got.astype(int) - want.astype(int))
    if far.max(initial=0) > FAR_STEPS:
        raise proof.Differs(f"{name}: {far.max()} steps away")
    if (far <= NEAR_STEPS).mean() < NEAR_SHARE:
        raise proof.Differs(f"{name}: {(far > NEAR_STEPS).mean():.2%} more than "
                            "a step away")
    if want.size and want.flat[got.argmax()] != want.max() and \
            got.flat[want.argmax()] != got.max():
        raise proof.Differs(f"{name}: another one is the largest")


def signature_names(tenon, source):
    """By name of a tensor: what its signature calls it, and ONNX therefore."""
    done = subprocess.run([tenon, "info", "--json", source], check=True,
                          stdout=subprocess.PIPE, text=True)
    info = json.loads(done.stdout)
    info = info["models"][0]
    return {io["name"]: io["key"] for signature in info.get("signatures", [])
            for io in signature["inputs"] + signature["outputs"]
            if io.get("key")}


def by_name(arrays, values, names):
    """As the ONNX file calls them."""
    there = {value.name: value for value in values}
    if len(arrays) == 1 and len(there) == 1:
        return {next(iter(there)): next(iter(arrays.values()))}
    made = {name if name in there else names.get(name, name): array
            for name, array in arrays.items()}
    missing = [name for name in made if name not in there]
    if missing:
        raise proof.Differs(f"the ONNX file has {list(there)}, not "
                            f"'{missing[0]}'")
    return made


def of_type(array, value):
    """Booleans are recorded as bytes."""
    is_bool = value.type.tensor_type.elem_type == onnx.TensorProto.BOOL
    return array.astype(bool) if is_bool else array


def prove(test, engine, folder, arguments):
    source = os.path.join(arguments.shared, "data/tflite", test + ".tflite")
    target = os.path.join(arguments.keep or folder,
                          test.replace("/", "_") + ".onnx")
    proof.convert(arguments.tenon, source, target, "--fold", "all")
    inputs, outputs = recorded(source[:-len(".tflite")] + ".npz")
    if test in EXCUSED:
        return 1
    model = onnx.load(target)
    names = signature_names(arguments.tenon, source)
    types = {value.name: value
             for value in [*model.graph.input, *model.graph.output]}
    feeds = {name: of_type(array, types[name]) for name, array
             in by_name(inputs, model.graph.input, names).items()}
    # Integer kernels of processors without VNNI saturate sums: as written.
    is_quantized = any(node.op_type == "QuantizeLinear"
                       for node in model.graph.node)
    got = engine.run(target, feeds, "basic" if is_quantized else "all")
    for name, want in by_name(outputs, model.graph.output, names).items():
        compare(test, name, numpy.asarray(got[name]),
                of_type(want, types[name]))
    prove_fused(test, engine, target, folder)
    prove_partner(test, source, target, arguments)
    return proof.computing(target) or 1


def prove_fused(test, engine, target, folder):
    if test not in FUSED:
        return
    fused = os.path.join(folder, "fused.onnx")
    engine.optimize(target, fused, "extended")
    left = [node for node in onnx.load(fused).graph.node
            if node.op_type == "Conv"]
    if left:
        raise proof.Differs(f"{len(left)} convolutions are not fused")


def turning(path):
    """Nodes that give an input the layout that it has in the partner."""
    graph = onnx.load(path).graph
    inputs = {value.name for value in graph.input}
    return sum(node.op_type in ("Transpose", "Reshape") and
               node.input[0] in inputs for node in graph.node)


def prove_partner(test, source, target, arguments):
    if test not in PARTNERS:
        return
    name, *options = PARTNERS[test]
    path = os.path.join(arguments.shared, "data/tflite/partners", name)
    proof.convert(arguments.tenon, source, target, "--fold", "all", *options)
    ours = proof.computing(target) - turning(target)
    theirs = proof.computing(path)
    if ours > theirs:
        raise proof.Differs(f"{ours} nodes, and the partner has {theirs}")


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    folder = os.path.join(arguments.shared, "data/tflite")
    if not os.path.isdir(folder):
        print("skipped: wants files of TFLite with recorded outputs")
        return 77
    tests = [os.path.relpath(path, folder)[:-len(".npz")]
             for path in glob.glob(os.path.join(folder, "*", "*.npz"))]
    results = proof.run(prove, sorted(tests), arguments)
    return proof.conclude("TFLite", results, arguments, "tflite")


if __name__ == "__main__":
    sys.exit(main())
