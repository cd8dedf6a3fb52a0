"""onnx_source.py - random models of ONNX for the differential tester

They go to nd4j and back in both of its containers, and must give in ONNX Runtime
what they gave before.
"""
import os

import onnx

import bench
import random_onnx
import shrink as shrinking


def make(seed):
    return bench.Case(*random_onnx.model_of(seed))


def judge(place, case):
    return place.judge(case)


def judge_all(place, cases):
    return place.judge_all(cases)


def shrink(place, case, fault):
    return shrinking.shrink(place, case, fault)


def operators_of(case):
    """What the graph computes with: its operators, each once."""
    found = {}
    graphs = [case.model.graph]
    while graphs:
        for node in graphs.pop().node:
            if node.op_type != "Constant":
                found[node.op_type] = True
            graphs += [a.g for a in node.attribute if a.HasField("g")]
    return "+".join(found) if len(found) <= 4 else "several"


def keep(folder, case):
    onnx.save(case.model, os.path.join(folder, "model.onnx"))
    bench.proof.engines.save(os.path.join(folder, "feeds.npz"), case.feeds)
    return str(case.model)
