#!/usr/bin/env python3
"""Nodes of real models as we write them, beside what other converters made of the same models.

    peer_nodes.py TENON [--shared DIR] [--report FILE [--update]]

Constants are not counted, nodes of subgraphs are.  `bench`, group `converted`, compares how fast
both are loaded and run.
"""
import os
import sys
import tempfile

import proof
import simplified

# Who made the other file, from what, the file, and how many nodes ours may have: what the peer, or
# ONNX Runtime's basic level, reaches.
PEERS = (
    ("tf2onnx", "tensorflow/saved_model/basic-pitch", "onnx/basic-pitch.onnx", 246),
    ("onnxsim", "onnx/pairs/slim-320/version-slim-320_without_postprocessing.onnx",
     "onnx/pairs/slim-320/version-slim-320_simplified.onnx", 95),
    ("Paddle2ONNX", "paddle/pairs/ppocrv2-det/inference.pdmodel", "paddle/pairs/ppocrv2-det/ch_PP-OCRv2_det_infer.onnx", 136),
)


def count(path):
    import onnx
    return simplified.count(onnx.load(path, load_external_data=False).graph)


def counted(row):
    """The model of a row, and how many nodes we leave."""
    words = row.split(" | ")
    return words[0][2:], int(words[-1].rstrip(" |"))


def written(arguments, source, scratch):
    made = os.path.join(scratch, "made.onnx")
    options = ["--simplify", "yes"] if source.endswith(".onnx") else []
    proof.convert(arguments.tenon, source, made, "--fold", "all", *options)
    return count(made)


def main():
    import argparse
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true", help="write the report instead of holding against it")
    arguments = parser.parse_args()
    data = os.path.join(arguments.shared, "data")
    if not os.path.isdir(data):
        print("skipped: wants real models")
        return 77
    rows, faults = ["| model | converter | its nodes | ours may be | ours |", "|---|---|---|---|---|"], []
    with tempfile.TemporaryDirectory() as scratch:
        for peer, source, theirs, most in PEERS:
            ours = written(arguments, os.path.join(data, source), scratch)
            rows.append(f"| {source} | {peer} | {count(os.path.join(data, theirs))} | {most} | {ours} |")
            faults += [f"{source}: {ours} nodes, not {most}"] if ours > most else []
    print("\n".join([*rows, *faults]))
    if arguments.report:
        report = proof.Report(arguments.report, "peers")
        if arguments.update:
            report.update("\n" + "\n".join(rows) + "\n\n")
        said = dict(counted(line) for line in report.parts()[1].splitlines() if line.startswith("| ") and line[-3].isdigit())
        faults += [f"more than the {said.get(name, 0)} of the report: {name}" for name, ours in map(counted, rows[2:]) if ours > said.get(name, 0)]
        print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
