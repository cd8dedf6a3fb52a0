#!/usr/bin/python3
"""No false alarms about sizes: what `tenon check` refuses, ONNX Runtime does not run.

    onnx_mutants.py TENON [--seed N] [--count N] [--seconds N]

Takes models of Debian's libonnx-testdata with their inputs, changes one attribute, one size of an
input or of what is declared of an output, or one number of an input that becomes a constant, and asks
both.  A model that `check` finds wrong by its sizes, and that ONNX Runtime runs, is a failure; so is a
warning about the declared size of an output (`declared-size`) if what ONNX Runtime gives has not the
size that the warning says.  Exits 77 when ONNX Runtime, python3-onnx or the models are missing.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "engines"))
from engine import EngineError, OnnxRuntime  # noqa: E402

try:
    import onnx
    from onnx import numpy_helper
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

DATA = "/usr/share/libonnx-testdata/data"
RULES = {"bad-axis", "wrong-length", "size-mismatch", "bad-attribute-value"}
AT_ONCE = 200


def inputs_of(path, model):
    """Arrays by name; None: not all of them are tensors."""
    arrays = {}
    for i, value in enumerate(model.graph.input):
        file = os.path.join(os.path.dirname(path), "test_data_set_0", f"input_{i}.pb")
        if not os.path.exists(file):
            continue
        tensor = onnx.TensorProto()
        try:
            with open(file, "rb") as data:
                tensor.ParseFromString(data.read())
            arrays[value.name] = numpy_helper.to_array(tensor)
        except Exception:  # pylint: disable=broad-except
            return None  # a sequence
    return arrays


def change_attribute(chance, model, _arrays):
    found = [a for n in model.graph.node for a in n.attribute
             if a.type in (onnx.AttributeProto.INT, onnx.AttributeProto.INTS)]
    if not found:
        return False
    attribute = chance.choice(found)
    if attribute.type == onnx.AttributeProto.INT:
        attribute.i += chance.choice([-3, -2, -1, 1, 2, 3])
        return True
    items, how = list(attribute.ints), chance.randrange(4)
    if how == 0 and items:
        items.pop(chance.randrange(len(items)))
    elif how == 1 or not items:
        items.insert(chance.randrange(len(items) + 1), chance.choice(items + [0, 1]))
    else:
        items[chance.randrange(len(items))] += chance.choice([-2, -1, 1, 2])
    del attribute.ints[:]
    attribute.ints.extend(items)
    return True


def change_size(chance, model, arrays):
    found = [v for v in model.graph.input
             if v.name in arrays and arrays[v.name].dtype != object and arrays[v.name].ndim
             and v.type.HasField("tensor_type")]
    if not found:
        return False
    value = chance.choice(found)
    array = arrays[value.name]
    sizes, axis = list(array.shape), chance.randrange(array.ndim)
    sizes[axis] = max(0, sizes[axis] + chance.choice([-1, 1, 2]))
    arrays[value.name] = np.resize(array if array.size else np.zeros(1, array.dtype), sizes).astype(array.dtype)
    shape = value.type.tensor_type.shape
    del shape.dim[:]
    for size in sizes:
        shape.dim.add().dim_value = size
    return True


def change_constant(chance, model, arrays):
    """An input of integers becomes a constant with another number in it, or one more or less."""
    found = [v for v in model.graph.input if v.name in arrays and arrays[v.name].dtype in (np.int64, np.int32)]
    if not found:
        return False
    value = chance.choice(found)
    array = np.array(arrays.pop(value.name))
    if array.ndim == 1 and array.size and chance.random() < 0.4:
        array = np.append(array, array[-1:]) if chance.random() < 0.5 else array[:-1]
    elif array.size:
        flat = array.reshape(-1).copy()
        flat[chance.randrange(flat.size)] += chance.choice([-3, -1, 1, 2, 5])
        array = flat.reshape(array.shape)
    model.graph.input.remove(value)
    model.graph.initializer.append(numpy_helper.from_array(array, value.name))
    model.ir_version = max(model.ir_version, 4)
    return True


def change_declared(chance, model, _arrays):
    dims = [d for v in model.graph.output if v.type.HasField("tensor_type")
            for d in v.type.tensor_type.shape.dim if d.dim_value > 0]
    if not dims:
        return False
    dim = chance.choice(dims)
    dim.dim_value = max(1, dim.dim_value + chance.choice([-1, 1, 5]))
    return True


def forget_sizes(model):
    """What is declared of results would no longer be true."""
    for value in model.graph.output:
        if value.type.HasField("tensor_type"):
            for dim in value.type.tensor_type.shape.dim:
                dim.Clear()
    del model.graph.value_info[:]


def mutants(chance, count, folder):
    """(path, where it comes from, inputs)"""
    paths = [p for part in ("node", "simple", "pytorch-converted", "pytorch-operator")
             for p in sorted(glob.glob(os.path.join(DATA, part, "*", "model.onnx")))]
    changes = [change_attribute] * 3 + [change_size] * 2 + [change_constant] * 2 + [change_declared]
    made = 0
    while made < count:
        path = chance.choice(paths)
        model = onnx.load(path)
        arrays = inputs_of(path, model)
        change = chance.choice(changes)
        if arrays is None or not change(chance, model, arrays):
            continue
        if change is not change_declared and chance.random() < 0.8:
            forget_sizes(model)
        to = os.path.join(folder, f"{made}.onnx")
        with open(to, "wb") as file:
            file.write(model.SerializeToString())
        made += 1
        yield to, os.path.basename(os.path.dirname(path)), arrays, [v.name for v in model.graph.output]


def findings(tenon, paths):
    done = subprocess.run([tenon, "check", "--json", "--skip-data", *paths], capture_output=True, text=True,
                          timeout=300, check=False)
    return [file["findings"] for file in json.loads(done.stdout)["files"]]


def run(engine, path, arrays):
    """The outputs; None: the engine refuses."""
    try:
        return engine.run(path, arrays, optimize="disabled")
    except EngineError:
        return None


DECLARED = re.compile(r"is declared with \d+ as dimension (\d+), and has (\d+)$")


def is_true(finding, names, outputs):
    """A warning about a declared size; of other values than outputs nothing is known."""
    at = re.fullmatch(r"graph\.output\[(\d+)\]", finding["where"])
    axis, size = map(int, DECLARED.search(finding["what"]).groups())
    return not at or outputs[names[int(at[1])]].shape[axis] == size


def judge(tenon, engine, chance, count, verdicts):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        rows = list(mutants(chance, count, folder))
        for (path, name, arrays, ends), told in zip(rows, findings(tenon, [row[0] for row in rows])):
            found = [f for f in told if f["severity"] == "error"]
            sized = [f for f in found if f["rule"] in RULES]
            declared = [f for f in told if f["rule"] == "declared-size"]
            outputs = run(engine, path, arrays)
            is_run = outputs is not None
            if declared and is_run:
                verdicts["declared sizes", is_run] += 1
            for finding in declared if is_run else []:
                if not is_true(finding, ends, outputs):
                    failed += 1
                    print(f"{name}: not so: {finding['what']} [declared-size]")
            verdicts["sizes" if sized else "others" if found else "nothing", is_run] += 1
            if sized and is_run:
                failed += 1
                print(f"{name}: ONNX Runtime runs it, and check says: {sized[0]['what']} [{sized[0]['rule']}]")
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0)
    options = parser.parse_args()
    if not os.path.isdir(DATA):
        print("skipped: wants libonnx-testdata")
        return 77
    verdicts, failed, begin = collections.Counter(), 0, time.monotonic()
    chance = random.Random(options.seed)
    with OnnxRuntime.find() as engine:
        while sum(verdicts.values()) < options.count or time.monotonic() - begin < options.seconds:
            failed += judge(options.tenon, engine, chance, min(AT_ONCE, max(options.count, 1)), verdicts)
    for (found, is_run), count in sorted(verdicts.items()):
        print(f"{count} models: check finds {found}, ONNX Runtime {'runs' if is_run else 'refuses'} them")
    print(f"{sum(verdicts.values())} models, {failed} false alarms")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
