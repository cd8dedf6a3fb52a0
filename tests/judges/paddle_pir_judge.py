#!/usr/bin/python3
"""paddle_pir_judge.py TENON SHARED: what Paddle 2 and Paddle 3 compute is one

Real models are converted from .pdmodel to .json and from .json to .pdmodel, and
an evaluator that shares no code with us runs them; the numbers must be those
that stand beside the models.
"""
import os
import subprocess
import sys
import tempfile

TENON, SHARED = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
JUDGE = os.path.join(SHARED, "judges/paddle_eval.py")
DATA = os.path.join(SHARED, "data/paddle")

# model, its program, the expected run, what the run was told, chain of files;
# the last one is run, which is wrong if one on the way was
CASES = [
    ("textline-ori", "inference.json", "run", [], ["a.json"]),
    ("textline-ori", "inference.json", "run", [], ["a.pdmodel", "b.json"]),
    ("mlp-mnist", "__model__", "run", [], ["a.json", "b.pdmodel"]),
    ("face-detect", "model.pdmodel", "run",
     ["--shape", "image=1,3,96,128"], ["a.json", "b.pdmodel"]),
    ("text-cnn", "__model__", "run", [], ["a.json", "b.pdmodel"]),
    ("ocr-det-db", "model", "run", [], ["a.json"]),
    ("image-enhance", "model.pdmodel", "smooth.run", ["--smooth"], ["a.json"]),
]


def outputs(path):
    with open(path) as rows:
        return [row.rstrip("\n").split("\t") for row in rows
                if row.startswith("output")]


def is_near(a, b):
    return a == b or abs(float(a) - float(b)) <= 1e-4 + 1e-3 * abs(float(b))


def same(got, want):
    """name, type, dims, then pairs of a word and a number, then numbers."""
    if got[:4] != want[:4] or len(got) != len(want):
        return False
    return all(a == b if b.isalpha() else is_near(a, b)
               for a, b in zip(got[4:], want[4:]))


def run(case, folder):
    model, program, expected, told, chain = case
    path = os.path.join(DATA, model, program)
    for name in chain:
        to = os.path.join(folder, name)
        subprocess.run([TENON, "convert", "--force", path, "-o", to], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = to
    result = os.path.join(folder, "run.tsv")
    subprocess.run(["/usr/bin/python3", "-B", JUDGE, path, "--run-tsv", result] + told,
                   check=True, stdout=subprocess.DEVNULL)
    want = outputs(os.path.join(DATA, "expected", "%s.%s.tsv" % (model, expected)))
    got = outputs(result)
    return len(got) == len(want) and all(map(same, got, want))


def run_flow(folder):
    """A loop and a branch, through both forms and back."""
    import numpy as np
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../corpus/fuzz/paddle_pir_fuzz/flow.json")
    given, told = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    found = []
    for name in ["", "a.pdmodel", "b.json", "c.pdmodel"]:
        if name:
            to = os.path.join(folder, name)
            subprocess.run([TENON, "convert", path, "-o", to], check=True,
                           stdout=subprocess.DEVNULL)
            path = to
        for x, limit in (-1.5, 3.25), (7, 2):
            np.savez(given, x=np.float32([x]), limit=np.float32([limit]))
            subprocess.run(["/usr/bin/python3", "-B", JUDGE, path, "--inputs", given,
                            "--outputs", told], check=True, stdout=subprocess.DEVNULL)
            found.append(float(np.load(told)["y"][0]))
    return found == [3.5, 7] * 4


def run_arrays(folder):
    """An array that a loop writes to, through both forms and back."""
    import numpy as np
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../corpus/paddle/arrays.pdmodel.txt")
    given, told = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(given, x=np.float32([1, -2]))
    for name in ["a.pdmodel", "b.json", "c.pdmodel", "d.json", "e.pdmodel"]:
        to = os.path.join(folder, name)
        subprocess.run([TENON, "convert", path, "-o", to], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = to
        if name.endswith(".json"):
            with open(path, encoding="utf-8") as file:
                if "legacy." in file.read():
                    return False
            continue
        subprocess.run(["/usr/bin/python3", "-B", JUDGE, path, "--inputs", given,
                        "--outputs", told], check=True, stdout=subprocess.DEVNULL)
        found = np.load(told)
        if found["l"].tolist() != [4] or found["y"].tolist() != [
                1, -2, 3, -3, 7, -5, 15, -9]:
            return False
    return True


def main():
    if not os.path.exists(JUDGE) or not os.path.isdir(DATA):
        print("skipped: wants real models")
        return 77
    bad = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            is_good = run(case, folder)
        print("%s %s -> %s" % ("ok  " if is_good else "FAIL", case[0], " -> ".join(case[4])))
        bad += not is_good
    with tempfile.TemporaryDirectory() as folder:
        is_good = run_flow(folder)
    print("%s a loop and a branch" % ("ok  " if is_good else "FAIL"))
    bad += not is_good
    with tempfile.TemporaryDirectory() as folder:
        is_good = run_arrays(folder)
    print("%s an array in a loop" % ("ok  " if is_good else "FAIL"))
    return 1 if bad or not is_good else 0


if __name__ == "__main__":
    try:
        import numpy  # noqa: F401, the judge needs it
    except ImportError:
        print("skipped: no numpy to judge")
        sys.exit(77)
    sys.exit(main())
