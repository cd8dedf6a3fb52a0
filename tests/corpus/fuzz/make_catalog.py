#!/usr/bin/env python3
"""The seeds of catalog_rows_fuzz, lines of catalogs, and of catalog_fuzz, two
catalogs with a zero between them.

    make_catalog.py    writes catalog_rows_fuzz/ and catalog_fuzz/ beside this
                       file
"""
import json
import os

HERE = os.path.dirname(os.path.realpath(__file__))


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
NEWER = dict(FILE, etag="1f-20-4")
LATER = dict(OTHER, file="c", status="other")
LINES = {
    "whole": [FILE, TENSOR, OTHER], "cut": [FILE],
    "unsorted": [OTHER, FILE, TENSOR],
    "unknown": [dict(OTHER, later={"x": [1, None, True]}, etag=None)],
    "large": [dict(FILE, tensors=2**64 - 1), dict(TENSOR, shape=[2**64 - 1])],
}
PAIRS = {
    "fresh": ([], [FILE, TENSOR, OTHER]),
    "same": ([FILE, TENSOR], [FILE, TENSOR]),
    "newer": ([FILE, TENSOR, LATER], [NEWER, TENSOR, OTHER]),
    "between": ([FILE, TENSOR, LATER], [OTHER]),
    "unknown": (LINES["unknown"], [FILE, TENSOR]),
    "cut": ([OTHER], [FILE]),
    "unsorted": (LINES["unsorted"], [LATER]),
}


def text(lines):
    return "".join(line(**row) + "\n" for row in lines)


def write(folder, name, data):
    folder = os.path.join(HERE, folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(data)


for name, lines in LINES.items():
    write("catalog_rows_fuzz", name, text(lines))
for name, (old, new) in PAIRS.items():
    write("catalog_fuzz", name, text(old) + "\0" + text(new))
del TENSOR["tensor"]
write("catalog_fuzz", "unnumbered", "\0" + text([FILE, TENSOR]))
# A row that was there ends in the middle of a text.
write("catalog_fuzz", "damaged", text([FILE, TENSOR, LATER]).replace(
    '"error_offset"', '",rror_offset"') + "\0" + text([OTHER]))
