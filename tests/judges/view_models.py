#!/usr/bin/python3
"""view_models.py TENON DATA - pictures of real models: how many boxes, and that
layers are one block, with and without names.  Decodes the page as
src/view/view_data.h describes it, on its own.
"""
import base64
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ELEMENT = re.compile(r'<script type="application/octet-stream" id="tenon-(\w+)">([^<]*)</script>')


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]


def decode(section, data):
    reader, count, kind = Reader(data), section["count"], section["kind"]
    if kind == "u8":
        return list(data)
    if kind == "varint":
        return [reader.varint() for _ in range(count)]
    if kind == "delta":
        out, value = [], 0
        for _ in range(count):
            zigzag = reader.varint()
            value += zigzag >> 1 ^ -(zigzag & 1)
            out.append(value)
        return out
    if kind == "text":
        sizes = [reader.varint() for _ in range(count)]
        return [reader.take(size).decode() for size in sizes]
    if kind == "front":
        out, before = [], b""
        for _ in range(count):
            shared = reader.varint()
            before = before[:shared] + reader.take(reader.varint())
            out.append(before.decode())
        return out
    return data


def read_page(path):
    with open(path, encoding="ascii", errors="replace") as file:
        streams = {name: zlib.decompress(base64.b64decode(text), -15)
                   for name, text in ELEMENT.findall(file.read())}
    picture = streams["picture"]
    assert picture[:4] == b"TNV1"
    size, = struct.unpack("<I", picture[4:8])
    header = json.loads(picture[8:8 + size])
    at = {name: 0 for name in streams}
    at["picture"] = (8 + size + 3) // 4 * 4
    columns = {}
    for section in header["sections"]:
        stream = header["streams"][section["stream"]]
        begin = at[stream]
        columns[section["name"]] = decode(section, streams[stream][begin:begin + section["bytes"]])
        at[stream] = begin + (section["bytes"] + 3) // 4 * 4
    return header, columns


def check_columns(header, columns):
    """What the page relies on."""
    sizes, items = columns["block_size"], columns["block_items"]
    assert sum(items) == header["counts"]["items"]
    assert sum(columns["block_edges"]) == header["counts"]["edges"]
    nodes = header["counts"]["nodes"]
    assert nodes == sizes[0] + sum(size for size, home in zip(sizes[1:], columns["block_home"][1:]) if home)
    assert len(columns["node_name"]) == nodes
    values = sum(columns["node_own"]) + sum(columns["node_out"])
    assert values == header["counts"]["values"] == len(columns["value_name"])
    first = at = 0
    for own, outs, ins in zip(columns["node_own"], columns["node_out"], columns["node_in"]):
        first += own
        for code in columns["node_inputs"][at:at + ins]:
            if code:
                zigzag = code - 1
                assert 0 <= first - (zigzag >> 1 ^ -(zigzag & 1)) < values
        at += ins
        first += outs


def repeats(columns):
    return max((repeat, size) for repeat, size in
               zip(columns["item_repeat"], [columns["block_size"][b] if b else 1 for b in columns["item_block"]]))


def nameless(tenon, model, scratch):
    """The same model; every name is a number."""
    text = subprocess.run((tenon, "dump", model), check=True, capture_output=True, text=True).stdout
    names = {}

    def number(match):
        return '%s"v%d"' % (match.group(1), names.setdefault(match.group(2), len(names)))
    lines = [re.sub(r'^(    (?:input|output|name): )"(.*)"$', number, line) for line in text.split("\n")]
    path = os.path.join(scratch, "nameless.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    out = os.path.join(scratch, "nameless.onnx")
    subprocess.run((tenon, "undump", "-q", path, "-o", out), check=True)
    return out


def draw(tenon, model, scratch):
    out = os.path.join(scratch, "page.html")
    subprocess.run((tenon, "view", "-q", "--force", model, "-o", out), check=True)
    header, columns = read_page(out)
    check_columns(header, columns)
    return header, columns


def main():
    tenon, data = sys.argv[1:3]
    bert = os.path.join(data, "onnx", "bert-qa-small.onnx")
    if not os.path.exists(bert):
        print("skipped: wants real models: bert-qa-small.onnx")
        return 77
    models = [os.path.join(data, "onnx", name) for name in sorted(os.listdir(os.path.join(data, "onnx")))
              if name.endswith(".onnx")]
    for folder in ("tensorflow/saved_model", "tensorflow/frozen", "samediff/models"):
        at = os.path.join(data, folder)
        models += [os.path.join(at, name) for name in sorted(os.listdir(at)) if not name.startswith("fuzz")]
    models += [os.path.join(data, "paddle", name) for name in ("face-detect", "ocr-det-db", "textline-ori")]
    failures = []
    with tempfile.TemporaryDirectory(prefix="tenon-view-") as scratch:
        for model in models:
            header, _ = draw(tenon, model, scratch)
            if header["counts"]["shown"] > 60:
                failures.append("%s: %d boxes at first" % (model, header["counts"]["shown"]))
        for model in (bert, nameless(tenon, bert, scratch)):
            header, columns = draw(tenon, model, scratch)
            repeat, size = repeats(columns)
            print("%s: %d nodes, %d boxes at first, %d nodes x %d" %
                  (os.path.basename(model), header["counts"]["nodes"], header["counts"]["shown"], size, repeat))
            if repeat != 24 or size < 100:
                failures.append("%s: no block of 24 layers" % model)
    print("\n".join(failures) if failures else "view: %d models drawn, none with more than 60 boxes" % len(models))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
