#!/usr/bin/python3
"""TFLite models that we write, judged by flatc.

    tests/judges/tflite_files.py build/tenon [--only PATTERN]

Every model of the test data is built anew (an edit of its description makes
the writer do so), dumped and undumped, and edited.  flatc decodes the original
and ours with schemas/tflite.fbs; apart from the numbers of buffers, which stand
for their bytes here, both must say the same.
"""
import argparse
import fnmatch
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DATA = os.environ.get("TENON_TEST_DATA",
                      os.path.join(ROOT, "..", "shared", "data"))
SCHEMA = os.path.join(ROOT, "schemas", "tflite.fbs")


def decode(path, folder):
    subprocess.run(["flatc", "--json", "--strict-json", "--raw-binary",
                    "--allow-non-utf8", "--defaults-json", "-o", folder, SCHEMA, "--", path],
                   check=True, capture_output=True)
    name = os.path.splitext(os.path.basename(path))[0] + ".json"
    with open(os.path.join(folder, name), encoding="utf-8",
              errors="surrogateescape") as file:
        return json.load(file)


def data_of(buffer, path):
    """Bytes in the FlatBuffer, or after it."""
    if buffer.get("offset", 0) > 1:
        with open(path, "rb") as file:
            file.seek(buffer["offset"])
            return file.read(buffer["size"])
    return bytes(buffer.get("data", []))


def is_whole(model):
    return all(b.get("offset", 0) <= 1 for b in model.get("buffers", []))


def normal(path, folder, model=None):
    """What flatc reads; indices of buffers become their bytes."""
    model = model or decode(path, folder)
    buffers = [data_of(b, path) for b in model.pop("buffers", [])]
    model.pop("description", None)
    for graph in model.get("subgraphs", []):
        for tensor in graph.get("tensors", []):
            index = tensor.pop("buffer", 0)
            tensor["data"] = buffers[index].hex() if buffers else ""
    for row in model.get("metadata", []):
        row["data"] = buffers[row.pop("buffer", 0)].hex()
    model.pop("metadata_buffer", None)
    return model


def run(tenon, *words):
    done = subprocess.run([tenon, *words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("%s: %s" % (words[0], done.stderr.strip()[:300]))
    return done.stdout


def judge(tenon, path, folder):
    original = decode(path, folder)
    whole = is_whole(original)
    before = normal(path, folder, original)
    again = os.path.join(folder, "again.tflite")
    run(tenon, "edit", path, "--doc", "built anew", "-o", again, "--force")
    if normal(again, folder) != before:
        raise RuntimeError("built anew, it is another model")
    if whole:
        text = os.path.join(folder, "text.json")
        with open(text, "w", encoding="utf-8") as file:
            file.write(run(tenon, "dump", "--strict", path))
        run(tenon, "undump", text, "-o", again, "--force")
        if normal(again, folder) != before:
            raise RuntimeError("undumped, it is another model")
        if "unaligned" in run(tenon, "check", again):
            raise RuntimeError("undumped, its buffers are not aligned")
    tensors = before["subgraphs"][0].get("tensors", [])
    inputs = before["subgraphs"][0].get("inputs", [])
    names = [t.get("name", "") for t in tensors]
    if inputs and names.count(names[inputs[0]]) == 1 and names[inputs[0]]:
        run(tenon, "edit", path, "--rename", names[inputs[0]] + "=other name",
            "-o", again, "--force")
        tensors[inputs[0]]["name"] = "other name"
        if normal(again, folder) != before:
            raise RuntimeError("a renamed input changes more than that")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--only", default="*")
    words = parser.parse_args()
    paths = sorted(glob.glob(os.path.join(DATA, "tflite", "*", "*.tflite")))
    if not paths:
        print("no models: skipped")
        sys.exit(77)
    failed = count = 0
    for path in paths:
        if not fnmatch.fnmatch(os.path.basename(path), words.only):
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                judge(words.tenon, path, folder)
            except (RuntimeError, subprocess.CalledProcessError) as problem:
                failed += 1
                print("%s: %s" % (os.path.basename(path), problem))
    print("%d of %d models are the same for flatc" % (count - failed, count))
    sys.exit(failed != 0)


main()
