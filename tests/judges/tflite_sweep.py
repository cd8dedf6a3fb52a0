#!/usr/bin/env python3
"""Every operator of TFLite in small models, converted and run by ONNX Runtime.

    tflite_sweep.py TENON [--only PATTERN] [--report FILE] ...
    tflite_sweep.py --record MODULES

Models are made by flatc of our schema from tflite_cases.py.  What they must give
was recorded from LiteRT (`tests/engines/litert.mjs`) in tflite_sweep.npz, which
--record makes again; MODULES has @litertjs/core and playwright-core.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import proof
import tflite_cases
from tflite_onnx import steps

RECORDS = os.path.join(proof.HERE, "tflite_sweep.npz")
SCHEMA = os.path.join(proof.HERE, "../../schemas/tflite.fbs")
CASES = {one.name: one for one in tflite_cases.CASES}
RELATIVE, ABSOLUTE, DYNAMIC = 1e-5, 1e-5, 0.02


def fed(test, key="x0"):
    return CASES[test].values[key].array


# Where the engine cannot be asked: it reads nothing of outputs whose size it finds
# while it runs, or that are constant, and refuses a BROADCAST_TO of version 1.
COMPUTED = {
    "broadcast_to": [numpy.broadcast_to(fed("broadcast_to"), (2, 3, 4))],
    "conv_no_bias": [fed("conv_no_bias") @ fed("conv_no_bias", "x1").reshape(5, 3).T],
    "fully_connected_rows": [fed("fully_connected_rows").reshape(2, 8) @ fed("fully_connected_rows", "x1").T],
    "range": [numpy.arange(2, 11, 3, dtype="i4")],
    "rank": [numpy.array(3, "i4")],
    "segment_sum": [numpy.stack([fed("segment_sum")[:2].sum(0), numpy.zeros(2, "f4"), fed("segment_sum")[2:].sum(0)])],
    "shape": [numpy.array([2, 3, 4], "i4")],
    "unique": [numpy.array([3, 1, 2], "i4"), numpy.array([0, 1, 0, 2, 1], "i4")],
    "where": [numpy.array([[0, 0], [1, 0], [1, 1]])],
}


# --- sequences, which LiteRT in a browser does not load ----------------------------

def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def arguments_of(test):
    one = CASES[test]
    return [None if name is None else one.values[name].array.astype("f8") for name in one.operators[0][3]]


def lstm_cell(x, h, c, w, clip=0, projection=None, proj_clip=0, norms=None):
    """One step; w: weights, recurrent ones, peepholes and biases of i, f, c, o."""
    def pre(i, cell=None):
        peep = {0: 8, 1: 9, 3: 10}.get(i)
        sum_ = x @ w[i].T + h @ w[4 + i].T
        sum_ = sum_ + (cell * w[peep] if peep and w[peep] is not None else 0)
        if norms is not None:
            off = sum_ - sum_.mean(-1, keepdims=True)
            sum_ = off / numpy.sqrt((off * off).mean(-1, keepdims=True) + 1e-8) * norms[i]
        return sum_ + w[11 + i]
    f = sigmoid(pre(1, c))
    i = 1 - f if w[0] is None else sigmoid(pre(0, c))
    c = f * c + i * numpy.tanh(pre(2))
    c = numpy.clip(c, -clip, clip) if clip else c
    h = sigmoid(pre(3, c)) * numpy.tanh(c)
    if projection is not None:
        h = h @ projection[0].T + projection[1]
        h = numpy.clip(h, -proj_clip, proj_clip) if proj_clip else h
    return h, c


def lstm_sequence(x, w, backwards=False):
    """x: [time, batch, width]"""
    h = c = numpy.zeros((x.shape[1], w[5].shape[0]))
    rows = []
    for step in x[::-1] if backwards else x:
        h, c = lstm_cell(step, h, c, w)
        rows.append(h)
    return numpy.stack(rows[::-1] if backwards else rows)


def sequences():
    made = {}
    for test in ("lstm_sequence_batch", "lstm_sequence_peephole", "lstm_sequence_coupled"):
        x, *rest = arguments_of(test)
        made[test] = [lstm_sequence(x.swapaxes(0, 1), rest[:15]).swapaxes(0, 1)]
    x, *rest = arguments_of("lstm_sequence_time")
    made["lstm_sequence_time"] = [lstm_sequence(x, rest[:15])]
    for test in ("lstm_bidirectional_apart", "lstm_bidirectional_merged"):
        x, *rest = arguments_of(test)
        both = [lstm_sequence(x, rest[:15]), lstm_sequence(x, rest[17:32], True)]
        made[test] = both if test.endswith("apart") else [numpy.concatenate(both, -1)]
    x, w, r, b, h = arguments_of("rnn_sequence")
    rows = []
    for step in x.swapaxes(0, 1):
        h = numpy.tanh(step @ w.T + h @ r.T + b)
        rows.append(h)
    made["rnn_sequence"] = [numpy.stack(rows, 1)]
    x, w, r, b, h = arguments_of("rnn_step")
    made["rnn_step"] = [numpy.maximum(x @ w.T + h @ r.T + b, 0)]
    x, *rest = arguments_of("lstm_step")
    made["lstm_step"] = [lstm_cell(x, rest[17], rest[18], rest[:15], clip=1.0)[0]]
    x, *rest = arguments_of("lstm_step_projection")
    made["lstm_step_projection"] = [lstm_cell(x, rest[17], rest[18], rest[:15], projection=rest[15:17], proj_clip=1.0)[0]]
    for test, how in (("lstm_sequence_projection_time", {}), ("lstm_sequence_projection_batch", {}), ("lstm_sequence_normalised", {"norms": True})):
        x, *rest = arguments_of(test)
        how = {"norms": rest[19:23]} if how else {"clip": 1.0, "projection": rest[15:17], "proj_clip": 0.5}
        h, c, rows, is_first = rest[17], rest[18], [], test.endswith("time")
        for step in x if is_first else x.swapaxes(0, 1):
            h, c = lstm_cell(step, h, c, rest[:15], **how)
            rows.append(h)
        made[test] = [numpy.stack(rows, 0 if is_first else 1)]
    x, features, time, b, _state = arguments_of("svdf")
    # Only the newest of what is remembered is not zero.
    made["svdf"] = [numpy.maximum((x @ features.T * time[:, -1]).reshape(2, 4, 2).sum(2) + b, 0)]
    return {test: [array.astype("f4") for array in arrays] for test, arrays in made.items()}


COMPUTED.update(sequences())
COMPUTED.update(tflite_cases.STABLEHLO)


def record(modules):
    with tempfile.TemporaryDirectory() as folder:
        for one in CASES.values():
            tflite_cases.write(one, folder, SCHEMA)
            feeds = [{"dtype": one.values[name].dtype, "shape": one.values[name].shape,
                      "data": [item.item() if hasattr(item, "item") else item for item in one.values[name].array.reshape(-1).tolist()]}
                     for name in tflite_cases.fed_names(one)]
            with open(os.path.join(folder, one.name + ".in.json"), "w") as file:
                json.dump(feeds, file)
        subprocess.run(["node", os.path.join(proof.HERE, "../engines/litert.mjs"), modules, folder], check=True)
        arrays = {}
        for name, one in CASES.items():
            if name in COMPUTED:
                continue
            with open(os.path.join(folder, name + ".out.json")) as file:
                made = json.load(file)
            if isinstance(made, dict):
                print(f"{name}: {made['error']}")
                continue
            for key, array in zip(one.outputs, made):
                dtype = array["dtype"]
                data = [int(item) if dtype == "int64" else float(item) for item in array["data"]]
                arrays[f"{name}:{key}"] = numpy.array(data, dtype).reshape(array["shape"])
    numpy.savez_compressed(RECORDS, **arrays)
    print(f"{len(arrays)} outputs of {len(CASES)} cases")


def prove(test, engine, folder, arguments):
    one = CASES[test]
    source = tflite_cases.write(one, folder, SCHEMA)
    target = os.path.join(arguments.keep or folder, test + ".onnx")
    proof.convert(arguments.tenon, source, target, "--fold", "shapes")
    feeds = {name: one.values[name].array for name in tflite_cases.fed_names(one)}
    states = {key: made.array for key, made in one.values.items() if made.is_variable}
    import onnx
    wanted = {value.name for value in onnx.load(target).graph.input}
    feeds.update({key: array for key, array in states.items() if key in wanted})
    got = engine.run(target, {key: array for key, array in feeds.items() if key in wanted}, "basic")
    for key, want in zip(one.outputs, wanted_of(test)):
        compare(one, key, got[key], want)
    return proof.computing(target) or 1


def wanted_of(test):
    if test in COMPUTED:
        return COMPUTED[test]
    with numpy.load(RECORDS) as records:
        return [records[f"{test}:{key}"] for key in CASES[test].outputs]


def compare(one, key, got, want):
    if want.dtype.kind == "f" and one.steps < 0:
        proof.compare(key, got, want, 0, DYNAMIC * float(want.max() - want.min()))
    elif want.dtype in (numpy.int8, numpy.uint8, numpy.int16) and one.values[key].scales:
        steps(key, got, want)
    else:
        proof.compare(key, got, want, RELATIVE, ABSOLUTE)


def main():
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2])
        return 0
    arguments = proof.parse(__doc__.splitlines()[0])
    with numpy.load(RECORDS) as records:
        known = {name.split(":")[0] for name in records.files} | set(COMPUTED)
    tests = sorted(name for name in CASES if name in known)
    results = proof.run(prove, tests, arguments)
    return proof.conclude("Operators of TFLite", results, arguments, "tflite operators")


if __name__ == "__main__":
    sys.exit(main())
