#!/usr/bin/env python3
"""Makes the corpus of catalog_rows_fuzz: lines of catalogs.

    make_catalog.py FOLDER
"""
import json
import os
import sys

HERE = sys.argv[1]


def line(**columns):
    return json.dumps(columns)


FILE = dict(row="file", file="a.onnx", etag="1f-20-3", format="onnx", bytes=24,
            size=90, status="ok", dialect="onnx", nodes=2, signatures=0,
            tensors=1, parameters=6, parts="w.bin", verdict="clean", pickles=0,
            findings=0, made_by="tenon 0.2.0 hash")
TENSOR = dict(row="tensor", file="a.onnx", etag="1f-20-3", format="onnx",
              bytes=24, tensor=0, name="w", type="float32", shape=[2, 3],
              elements=6, role="initializer", storage="raw", place="a.onnx",
              offset=40, stored=24, sha256="00" * 32, min=-1.5, max=2e30,
              mean=0.25, deviation=1, zeros=0, nans=1, infinities=0)
OTHER = dict(row="file", file="b", status="malformed", error="bad \u00e9 \"x\"",
             error_offset=7, made_by="tenon 0.2.0")

os.makedirs(HERE, exist_ok=True)
for name, lines in {
        "whole": [FILE, TENSOR, OTHER], "cut": [FILE],
        "unsorted": [OTHER, FILE, TENSOR],
        "unknown": [dict(OTHER, later={"x": [1, None, True]}, etag=None)],
        "large": [dict(FILE, tensors=2**64 - 1), dict(TENSOR, shape=[2**64 - 1])],
}.items():
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
        file.write("".join(line(**row) + "\n" for row in lines))
