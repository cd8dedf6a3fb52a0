#!/usr/bin/python3
"""samediff_flatc.py TENON: flatc reads the graphs that we write.

A classic graph that flatc made goes to SDZ and back; what comes out is printed
by flatc again and says the same: numbers, names, arguments and every byte of
every array.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../corpus/fuzz"))
import make_samediff as make  # noqa: E402


def as_json(path, work):
    """What flatc prints of a classic graph."""
    subprocess.run(["flatc", "--no-warnings", "--json", "--strict-json",
                    "--raw-binary", "-o", work, make.SCHEMA, "--", path],
                   check=True)
    name = os.path.splitext(os.path.basename(path))[0] + ".json"
    with open(os.path.join(work, name)) as text:
        return json.load(text)


def bare(value):
    """Without what is empty or the default, which may be there or not."""
    if isinstance(value, dict):
        kept = {k: bare(v) for k, v in value.items()}
        return {k: v for k, v in kept.items() if v not in ([], {}, "", 0)}
    if isinstance(value, list):
        return [bare(v) for v in value]
    return value


def prepare(graph):
    for node in graph["nodes"]:  # what a writer of ours adds
        node.pop("output", None)
        if node.get("device") == -1:
            node.pop("device")
    return bare(graph)


def main():
    if not shutil.which("flatc"):
        print("skipped: no flatc")
        return 77
    tenon = sys.argv[1]
    work = tempfile.mkdtemp()
    try:
        first = os.path.join(work, "first.fb")
        with open(first, "wb") as out:
            out.write(make.flat(make.graph(make.record, ">"), work))
        zipped = os.path.join(work, "model.sdz")
        again = os.path.join(work, "again.fb")
        for source, target in ((first, zipped), (zipped, again)):
            subprocess.run([tenon, "convert", source, "-o", target, "-q"],
                           check=True)
        with open(first, "rb") as a, open(again, "rb") as b:
            assert a.read() != b.read(), "copied, not written"
        before, after = (prepare(as_json(p, work)) for p in (first, again))
        assert before == after, (before, after)
        assert len(after["nodes"]) == 2 and len(after["variables"]) == 5
        print("flatc agrees")
    finally:
        shutil.rmtree(work)
    return 0


sys.exit(main())
