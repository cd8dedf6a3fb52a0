#!/usr/bin/env python3
"""No false alarms: real models have no types, ranks and sizes that contradict each other.

    valid_models.py TENON SHARED

Checks the structure of every model under SHARED/data that a framework wrote: TensorFlow's
graphs, SavedModels and checkpoints with Deeplearning4j's import suite, ONNX, SameDiff and
Paddle.  None may have a finding of the rules below.  Exits 77 when there are none.
"""
import json
import os
import subprocess
import sys

RULES = {"type-mismatch", "type-not-allowed", "rank-mismatch", "rank-not-allowed", "argument-count",
         "condition-size", "unset-variable", "wrong-size", "bad-axis", "bad-attribute-value", "wrong-length",
         "size-mismatch", "declared-size"}
ENDS = (".onnx", ".pb", ".pbtxt", ".index", ".fb", ".sdz", ".sdnb", ".samediff", ".pdmodel", ".json")
# Made to be wrong.
NOT = ("malformed", "reports", "fuzz_generated", "hostile")
# Wrong as they are: a placeholder of floats goes to a convolution of halves, and TensorFlow
# refuses them.  OpenCV reads them without a look at types.
WRONG = {"tensorflow/opencv/fp16_deconvolution/model.pb", "tensorflow/opencv/fp16_max_pool_odd_valid/model.pb"}
AT_ONCE = 200


def models(shared):
    for family in ("tensorflow", "import", "onnx", "samediff", "paddle"):
        for folder, inner, names in os.walk(os.path.join(shared, "data", family)):
            inner[:] = sorted(name for name in inner if name not in NOT)
            yield from (os.path.join(folder, name) for name in sorted(names)
                        if name.endswith(ENDS) or name == "__model__")


def main(tenon, shared):
    paths, failed, checked, wrong = list(models(shared)), 0, 0, set()
    if not paths:
        print("skipped: wants real models")
        return 77
    for first in range(0, len(paths), AT_ONCE):
        part = paths[first:first + AT_ONCE]
        done = subprocess.run([tenon, "check", "--json", "--skip-data", *part], capture_output=True, text=True,
                              timeout=300, check=False)
        files = json.loads(done.stdout)["files"]
        assert len(files) == len(part), "not all were checked"
        for path, file in zip(part, files):
            checked += bool(file["format"])
            for finding in file["findings"]:
                name = os.path.relpath(path, os.path.join(shared, "data"))
                if finding["rule"] in RULES and finding["severity"] != "note":
                    wrong.add(name)
                if name in wrong and name not in WRONG:
                    failed += 1
                    print(f"{path}: {finding['where']}: {finding['what']} [{finding['rule']}]")
    assert checked > 1000, f"{checked} models only"
    for name in WRONG - wrong:
        failed += 1
        print(f"{name}: nothing is found")
    print(f"{checked} models, {failed} wrong verdicts")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])))
