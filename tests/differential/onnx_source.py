"""onnx_source.py - random models of ONNX for the differential tester

They go to nd4j and back in both of its containers, and must give in ONNX Runtime
what they gave before.
"""
import os

import onnx

import bench
import kept
import old_opsets
import random_onnx
import shrink as shrinking
from random_graph import Value


def make(seed):
    return bench.Case(*random_onnx.model_of(seed))


def judge(place, case):
    return place.judge(case)


def judge_all(place, cases):
    return place.judge_all(cases)


def shrink(place, case, fault):
    return shrinking.shrink(place, case, fault)


def nodes_of(case):
    """All nodes, those of bodies too."""
    graphs = [case.model.graph]
    while graphs:
        for node in graphs.pop().node:
            yield node
            graphs += [a.g for a in node.attribute if a.HasField("g")]


def operators_of(case):
    """What the graph computes with: its operators, each once."""
    found = dict.fromkeys(node.op_type for node in nodes_of(case)
                          if node.op_type != "Constant")
    return "+".join(found) if len(found) <= 4 else "several"


# What random models must have, each in some of them; differential.py counts it.
FEATURES = ([f"opset {number}" for number in range(1, 25)] +
            ["float16", "bfloat16", "float64", "bool", "int8", "uint8", "int32", "int64",
             "If", "Loop", "Scan", "an input left out", "an output left out",
             "open dims", "empty dims", "scalars", "quantised", "sequences"])


def features_of(case):
    """Operators and features of a model."""
    nodes, values = list(nodes_of(case)), case.values.values()
    found = {f"op {node.op_type}" for node in nodes}
    found |= {node.op_type for node in nodes if node.op_type in FEATURES}
    found |= {value.kind for value in values}
    found.add(f"opset {case.opset or case.model.opset_import[0].version}")
    tests = {
        "an input left out": any("" in node.input for node in nodes) or any(
            len(node.input) < 3 and node.op_type == "Clip" for node in nodes),
        "an output left out": any("" in node.output or any(name.startswith("dead") for name in
                                                          node.output) for node in nodes),
        "open dims": any(dim.dim_param for end in case.model.graph.input
                         for dim in end.type.tensor_type.shape.dim),
        "empty dims": any(0 in value.dims for value in values),
        "scalars": any(value.dims == () for value in values),
        "quantised": any("Integer" in node.op_type or "Quant" in node.op_type or
                         "QLinear" in node.op_type or "quant" in node.op_type for node in nodes),
        "sequences": any("Sequence" in node.op_type for node in nodes)}
    return sorted(found | {name for name, is_so in tests.items() if is_so})


def keep(folder, case):
    onnx.save(case.model, os.path.join(folder, "model.onnx"))
    if case.opset is not None and case.opset < old_opsets.NEWER:
        onnx.save(old_opsets.lowered(case.model, case.opset, case.values),
                  os.path.join(folder, f"opset{case.opset}.onnx"))
    values = {end.name: case.values[end.name] for end in case.model.graph.output}
    kept.save(folder, case.feeds, {name: [one.kind, one.dims, one.low, one.high, one.error]
                                   for name, one in values.items()})
    return str(case.model)


def judge_kept(place, folder):
    feeds, told, _ = kept.load(folder)
    values = {name: Value(*one) for name, one in told.items()}
    return place.judge(bench.Case(onnx.load(os.path.join(folder, "model.onnx")),
                                  feeds, values))
