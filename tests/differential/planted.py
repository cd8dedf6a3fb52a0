#!/usr/bin/env python3
"""A wrong rule is found, and what shows it is made as small as it can be.

    planted.py TENON

Sub becomes an addition.  Models that subtract must be told from the others, the
smallest graph that is kept must be one Sub alone, and a second run with the same
state goes on after the first.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WRONG = "rules onnx -> nd4j 1\nSub@7..(A, B) => add(A, B; inPlace: false)\n"


def tester(folder, count):
    """Runs with the wrong rule; what it printed and its exit code."""
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(HERE, "differential.py"),
         os.path.join(folder, "tenon"), "--count", str(count), "--first", "1",
         "--rules", os.path.join(folder, "wrong.rules"),
         "--state", os.path.join(folder, "state.json"),
         "--found", os.path.join(folder, "found")],
        stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.returncode


def state_of(folder):
    with open(os.path.join(folder, "state.json")) as file:
        return json.load(file)


def smallest(folder):
    """The operators of each model that was kept for its numbers."""
    import onnx
    for path in glob.glob(os.path.join(folder, "found", "*", "why.txt")):
        with open(path) as file:
            if "\nvalue: " not in file.read():
                continue
        model = onnx.load(os.path.join(os.path.dirname(path), "model.onnx"))
        yield [node.op_type for node in model.graph.node if node.op_type != "Constant"]


def main():
    tenon = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tenon-planted-") as folder:
        # Alone in a folder the command reads rules each time, also these.
        os.symlink(tenon, os.path.join(folder, "tenon"))
        with open(os.path.join(folder, "wrong.rules"), "w") as file:
            file.write(WRONG)
        printed, code = tester(folder, 40)
        if code == 77:
            print(printed)
            return 77
        kept = list(smallest(folder))
        assert code == 1, printed
        assert ["Sub"] in kept, (kept, printed)
        assert all("Sub" in operators for operators in kept), kept
        assert state_of(folder)["next"] == 41
        tester(folder, 10)
        state = state_of(folder)
        assert state["next"] == 51 and sum(state["states"].values()) == 50, state
    return 0


if __name__ == "__main__":
    sys.exit(main())
