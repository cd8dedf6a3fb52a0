#!/usr/bin/env python3
"""The ONNX backend suite up to nd4j: onnx -> .fb -> evaluator of libnd4j.

    onnx_nd4j.py TENON [--only PATTERN] [--shared DIR] [--least PERCENT] [--keep FOLDER]
                 [--judged FILE]

The quick half of onnx_suite.py, for those who write rules: no engine is
needed, and every test counts whose inputs and outputs are tensors.  The table
has what did not pass; `no judge` is what the evaluator does not cover.
"""
import argparse
import collections
import fnmatch
import multiprocessing
import os
import shutil
import sys
import tempfile

import numpy
import onnx_suite
import proof


def widen(path, arrays, ends):
    """bfloat16 comes as its bits; the evaluator has it as float32."""
    import onnx
    graph = onnx.load(path).graph
    for end in getattr(graph, ends):
        if end.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16:
            bits = arrays[end.name].astype(numpy.uint32) << 16
            arrays[end.name] = bits.view(numpy.float32)


def prove(test, scratch, arguments, judge):
    """A word for how it went, and why."""
    try:
        path, inputs, want = onnx_suite.case(test)
        widen(path, inputs, "input")
        widen(path, want, "output")
    except Exception as error:  # sequences, optional values
        return "no tensors", str(error).splitlines()[0] if str(error) else ""
    target = os.path.join(scratch, test + ".fb")
    try:
        proof.convert(arguments.tenon, path, target)
        if arguments.keep:
            shutil.copy(target, arguments.keep)
        got = judge.run(target, inputs, list(want))
        if got is None:
            return "no judge", ""
        onnx_suite.hold(got, want)
        return "passed", ""
    except proof.Unmapped as error:
        return "unmapped", str(error)
    except proof.Differs as error:
        return "failed", str(error)
    except Exception as error:
        return "failed", "%s: %s" % (type(error).__name__, error)
    finally:
        if os.path.exists(target):
            os.unlink(target)


def shard(tests, folder, arguments):
    judge = proof.Nd4j.find(arguments.shared)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        return [(test, *prove(test, scratch, arguments, judge))
                for test in tests]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only", default="*")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--judged", default=os.devnull,
                        help="what onnx_suite.py has seen passing already")
    arguments = parser.parse_args()
    if not os.path.isdir(onnx_suite.SUITE):
        print("skipped: libonnx-testdata is not installed")
        return 77
    if not proof.Nd4j.find(arguments.shared):
        print("skipped: wants real models")
        return 77
    judged = set()
    if os.path.exists(arguments.judged):
        with open(arguments.judged) as file:
            judged = set(file.read().split())
    tests = [test for test in sorted(os.listdir(onnx_suite.SUITE))
             if fnmatch.fnmatch(test, arguments.only) and test not in judged]
    with tempfile.TemporaryDirectory(prefix="tenon-nd4j-") as folder, \
            multiprocessing.Pool(2) as pool:
        parts = pool.starmap(shard, [(tests[k::2], folder, arguments)
                                     for k in range(2)])
    rows = sorted(row for part in parts for row in part)
    rows += [(test, "passed", "") for test in judged]
    counts = collections.Counter(state for _, state, _ in rows)
    share = 100 * counts["passed"] / max(len(rows) - counts["no tensors"] -
                                         counts["no judge"], 1)
    print(f"onnx -> nd4j: {share:.1f} %", dict(counts))
    for test, state, reason in rows:
        if state != "passed":
            print(f"| {test} | {state} | {reason[:200]} |")
    return 0 if share >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
