#!/usr/bin/env python3
"""Models that once came out wrong: each must agree now.

    replay.py TENON [FOLDER ...]

A folder is one that differential.py kept, with what was wrong in why.txt; without any all of
tests/differential/found are tried.
"""
import glob
import os
import sys

import bench
import causes
import onnx_source
import tensorflow_source


def fault_of(place, folder):
    is_onnx = os.path.exists(os.path.join(folder, "model.onnx"))
    source = onnx_source if is_onnx else tensorflow_source
    try:
        return source.judge_kept(place, folder)
    except bench.NotRun as error:
        return bench.Fault("not run", str(error))


def main():
    folders = sys.argv[2:] or sorted(glob.glob(os.path.join(bench.HERE, "found", "*")))
    assert folders
    failures = 0
    with bench.Bench(sys.argv[1]) as place:
        for folder in folders:
            fault = fault_of(place, folder)
            if fault and not causes.cause_of(fault.kind, "any", fault.why):
                failures += 1
                print(f"{os.path.basename(folder)}: {fault.kind}: {fault.why}")
    print(f"{len(folders)} models that once came out wrong, {failures} still do")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
