#!/usr/bin/env python3
"""A sweep in parts, for as long as there is time; the next run goes on from there.

    sweep_parts.py onnx|tensorflow|paddle|nd4j TENON SECONDS STATE

STATE lists the operators that are done, one a line; when all are, the next run
begins anew.  What a part says is printed when it finds something wrong.
"""
import os
import subprocess
import sys
import time

from vocabularies import ruled

RULES = {"onnx": "onnx_nd4j.rules", "tensorflow": "tensorflow_nd4j.rules", "paddle": "paddle_onnx.rules",
         "nd4j": "nd4j_onnx.rules"}
TOGETHER = 12
HERE = os.path.dirname(os.path.realpath(__file__))


def words_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def still_to_do(ops, state):
    """Operators that are not done; all of them when none is left."""
    left = sorted(ops - set(words_of(state)))
    if left:
        return left
    os.unlink(state)
    return sorted(ops)


def main():
    dialect, tenon, seconds, state = sys.argv[1:5]
    end, wrong, done = time.monotonic() + float(seconds), 0, 0
    is_direct = dialect == "tensorflow" and os.environ.get("TN_OPS") == "direct"
    ways = ruled("tensorflow_onnx.rules" if is_direct else RULES[dialect])
    if dialect == "tensorflow":  # some have no graph of one node
        import tensorflow_ways
        ways &= {case.op for case in tensorflow_ways.all_cases()}
    left = still_to_do(ways, state)
    while left and time.monotonic() < end:
        part, left = left[:TOGETHER], left[TOGETHER:]
        made = subprocess.run([sys.executable, "-W", "ignore", "-B", f"{HERE}/{dialect}_sweep.py", tenon,
                               "--only", ",".join(part)], stdout=subprocess.PIPE, text=True)
        if made.returncode == 77:
            print(made.stdout, end="")
            return 77
        if made.returncode:
            wrong += 1
            print(made.stdout)
        done += len(part)
        with open(state, "a", encoding="utf-8") as file:
            file.write("\n".join(part) + "\n")
    print(f"{dialect}: {done} operators swept, {len(left)} left, {wrong} parts wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
