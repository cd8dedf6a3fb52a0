#!/usr/bin/env python3
"""OpenCV's dnn reads our ONNX files: at least as many as of other converters'.

    opencv_reads.py TENON [--only PATTERN] [--shared DIR] [--keep FOLDER]

A reader that nobody here wrote, and that is strict about forms: weights must be
initializers, inputs have shapes, axes be known.  Every model of ONNX in
../shared and, where PyTorch is, of torch_models.py is read as it is and as we
write it: simplified, and from nd4j (.fb) back.  What others made of TensorFlow
and Paddle is read beside what we make of the same.  Nothing that OpenCV reads as
it is may be refused as ours.
"""
import os
import subprocess
import sys
import tempfile

import proof
import real_models

# Read by OpenCV as they are, and not as we write them, and why.
EXCUSES = {}

READ = """
import sys
import cv2
for path in sys.stdin.read().splitlines():
    try:
        cv2.dnn.readNetFromONNX(path)
        print("read", flush=True)
    except cv2.error as error:
        said = " ".join(str(error).split("error:")[-1].split())
        node = str(error).partition("Node [")[2].partition("]")[0]
        print("refused:", node, said[:150], flush=True)
"""


def read(paths):
    """What OpenCV says of each, in a process of its own: it may die of one."""
    answers = []
    while len(answers) < len(paths):
        done = subprocess.run([sys.executable, "-c", READ], text=True,
                              input="\n".join(paths[len(answers):]),
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False, timeout=600)
        got = done.stdout.splitlines()
        answers += got if not done.returncode else [*got, "refused: it died"]
    return dict(zip(paths, answers))


def convert(arguments, model, scratch):
    """The original, ours, and ours that came back from nd4j."""
    name = os.path.join(scratch, model.name.replace("/", "_"))
    after, middle, back = name + ".onnx", name + ".fb", name + ".back.onnx"
    tenon = arguments.tenon
    files = {"theirs": model.source if model.is_onnx else None}
    peer = real_models.PEERS.get(model.name)
    if peer and not model.is_onnx:
        files["theirs"] = os.path.join(arguments.shared, "data", peer)
    verb = "simplify" if model.is_onnx else "convert"
    real_models.tell(tenon, verb, model.source, "-o", after, *model.options)
    files["ours"] = after
    try:
        real_models.tell(tenon, "convert", model.source if model.is_onnx
                         else after, "-o", middle)
        real_models.tell(tenon, "convert", middle, "-o", back)
        files["back"] = back
    except proof.Unmapped:
        pass  # real_models.py tells
    return {key: path for key, path in files.items() if path}


def main():
    try:
        import cv2  # noqa: F401
    except ImportError:
        print("skipped: python3-opencv is not installed")
        return 77
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.isdir(os.path.join(arguments.shared, "data")):
        print("skipped: wants real models")
        return 77
    real_models.collect(arguments)
    with tempfile.TemporaryDirectory(prefix="tenon-opencv-") as scratch:
        files = {name: convert(arguments, model, scratch)
                 for name, model in sorted(real_models.MODELS.items())
                 if real_models.is_wanted(name, arguments)}
        said = read([path for some in files.values()
                     for path in some.values()])
        return report({name: {key: said[path] for key, path in some.items()}
                       for name, some in files.items()})


def report(rows):
    wrong = 0
    counts = {key: 0 for key in ("theirs", "ours", "back")}
    both = {key: 0 for key in counts}
    for name, row in rows.items():
        for key, answer in row.items():
            counts[key] += answer == "read"
            both[key] += answer == "read" and "theirs" in row
            if answer != "read":
                print(f"{name}: {key}: {answer}")
        lost = [key for key in ("ours", "back") if row.get("theirs") == "read"
                and row.get(key, "read") != "read"]
        wrong += bool(lost) and name not in EXCUSES
        if lost:
            print(f"    {name}: {' and '.join(lost)} no longer read"
                  f"{': ' + EXCUSES[name] if name in EXCUSES else ''}")
    has = {key: sum(key in row for row in rows.values()) for key in counts}
    print(f"OpenCV reads {both['theirs']} of {has['theirs']} files of others, "
          f"{both['ours']} of ours of the same models, {both['back']} of those "
          f"from nd4j; of all {counts['ours']} of {has['ours']} of ours, "
          f"{counts['back']} of {has['back']} from nd4j")
    return 1 if wrong or both["ours"] < both["theirs"] or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
