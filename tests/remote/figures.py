#!/usr/bin/env python3
"""figures.py TENON [--print]: how many requests and bytes a job takes.

Claims about files on a server that answers after 50 ms:
- info of N safetensors shards takes at most N + 1 requests;
- a walk over an ONNX file of 1.5 GB with its weights inside fetches at most
  2 MB, and takes at most 5 s;
- get of one tensor fetches its bytes, 1 % and a block of 64 KiB more than
  opening the model does;
- what is read is what is in the file.
--print prints the figures as a table.
"""
import json
import os
import re
import shutil
import sys
import tempfile
import time

from servers import (fetch, fetch_json, node, noise, run, safetensors, skip)

BLOCK = 64 << 10
DELAY = "50"


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def initializer_head(name, rows, columns):
    """A TensorProto up to the first byte of its raw_data."""
    size = rows * columns * 4
    body = (b"\x08" + varint(rows) + b"\x08" + varint(columns) + b"\x10\x01" +
            field(8, name.encode()) + varint(9 << 3 | 2) + varint(size))
    return varint(5 << 3 | 2) + varint(len(body) + size) + body, size


def sparse_onnx(path):
    """Layers of a transformer: six matrices and small vectors in each, 1.5 GB,
    whose zeros take no room on the disk."""
    parts = []
    parts.append(initializer_head("embedding", 30000, 1024))
    for layer in range(28):
        for name, rows, columns in (
                ("q", 1024, 1024), ("q.bias", 1, 1024), ("k", 1024, 1024),
                ("k.bias", 1, 1024), ("v", 1024, 1024), ("v.bias", 1, 1024),
                ("out", 1024, 1024), ("out.bias", 1, 1024),
                ("norm", 1, 1024), ("up", 1024, 4096), ("up.bias", 1, 4096),
                ("down", 4096, 1024), ("down.bias", 1, 1024)):
            parts.append(initializer_head(
                f"encoder.layer.{layer}.{name}", rows, columns))
    graph_size = sum(len(head) + size for head, size in parts)
    graph_size += len(field(2, b"main"))
    with open(path, "wb") as file:
        file.write(b"\x08\x08" + field(8, b"\x10\x11"))
        file.write(varint(7 << 3 | 2) + varint(graph_size) + field(2, b"main"))
        for head, size in parts:
            file.write(head)
            file.seek(size, os.SEEK_CUR)
        file.truncate(file.tell())
    return len(parts)


def shards(folder, count):
    weights = {}
    for i in range(count):
        name = f"model-{i + 1:05}-of-{count:05}.safetensors"
        safetensors(os.path.join(folder, name), {
            f"layer.{i}.{k}": noise(200000, i * 10 + k) for k in range(4)})
        weights.update({f"layer.{i}.{k}": name for k in range(4)})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w",
              encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": weights}, file)


class Judge:
    def __init__(self, tenon, server, folder):
        self.tenon, self.server, self.folder = tenon, server, folder
        self.bad, self.rows = [], []

    def job(self, title, *arguments):
        """Runs the command, and returns requests, bytes, seconds, output."""
        fetch(f"{self.server}/log", "DELETE")
        before = time.monotonic()
        done = run(self.tenon, *arguments)
        seconds = time.monotonic() - before
        log = fetch_json(f"{self.server}/log")
        size = sum(row["bytes"] for row in log)
        if done.returncode:
            self.bad.append(f"{title}: {done.stderr.decode()[-300:]}")
        self.rows.append((title, len(log), size, seconds))
        return len(log), size, seconds, done.stdout

    def round_trip(self):
        """Seconds that one short request takes now, in the middle of five."""
        times = []
        for _ in range(5):
            before = time.monotonic()
            fetch(f"{self.server}/empty.onnx")
            times.append(time.monotonic() - before)
        return sorted(times)[2]

    def claim(self, holds, text):
        if not holds:
            self.bad.append(text)

    def same(self, title, verb, name, *arguments):
        """What is printed about the URL and about the file is the same."""
        at = f"{self.server}/{name}"
        requests, size, seconds, out = self.job(title, verb, at, *arguments)
        here = os.path.join(self.folder, name)
        local = run(self.tenon, verb, here, *arguments).stdout
        self.claim(out.replace(at.encode(), b"") ==
                   local.replace(here.encode(), b""),
                   f"{title}: other output than that of the file")
        return requests, size, seconds


def main():
    tenon = os.path.abspath(sys.argv[1])
    if not shutil.which("node"):
        skip("no node")
    with tempfile.TemporaryDirectory() as folder:
        tensors = sparse_onnx(os.path.join(folder, "big.onnx"))
        shards(folder, 6)
        wide = {"a": noise(9000000, 1), "b": noise(9000000, 2)}
        safetensors(os.path.join(folder, "one.safetensors"), wide, 30000)
        safetensors(os.path.join(folder, "long.safetensors"), wide, 300000)
        safetensors(os.path.join(folder, "eight.safetensors"),
                    {str(i): noise(1000000, i) * 16 for i in range(8)})
        open(os.path.join(folder, "empty.onnx"), "wb").close()
        with node("ranges.mjs", folder, DELAY) as started:
            judge = Judge(tenon, f"http://127.0.0.1:{started.line[0]}", folder)
            claims(judge, tensors, wide)
    if "--print" in sys.argv:
        for title, requests, size, seconds in judge.rows:
            print(f"| {title} | {requests} | {size:,} | {seconds:.2f} s |")
    for line in judge.bad:
        print(line)
    print(f"{len(judge.rows)} jobs, {len(judge.bad)} claims do not hold")
    return 1 if judge.bad else 0


def claims(judge, tensors, wide):
    index = "model.safetensors.index.json"
    n, _, _ = judge.same("info, 6 shards", "info", index)
    judge.claim(n <= 7, f"info of 6 shards: {n} requests")
    n, _, _ = judge.same("info, one safetensors file", "info",
                         "one.safetensors")
    judge.claim(n <= 2, f"info of one file: {n} requests")
    n, _, _ = judge.same("info, header of 300 KB", "info", "long.safetensors")
    judge.claim(n <= 3, f"info of a file with a long header: {n} requests")
    n, size, seconds = judge.same(f"ls, ONNX of 1.5 GB, {tensors} tensors",
                                  "ls", "big.onnx", "--json")
    judge.claim(size <= 2000000, f"walk over 1.5 GB: {size} bytes")
    # 5 s at 50 ms are 100 round trips; a busy machine makes them longer.
    most = max(5, 100 * judge.round_trip())
    judge.claim(seconds <= most, f"walk over 1.5 GB: {seconds:.1f} s")
    _, opened, _ = judge.same("info, to compare with get", "info",
                              "one.safetensors")
    n, size, _, out = judge.job("get, 9 MB of 18 MB", "get",
                                f"{judge.server}/one.safetensors", "b",
                                "--raw", "-o", "-")
    judge.claim(out == wide["b"], "get: other bytes")
    judge.claim(size - opened <= len(wide["b"]) * 1.01 + BLOCK,
                f"get: {size - opened} bytes for {len(wide['b'])}")
    judge.same("hash, 18 MB", "hash", "one.safetensors")
    _, size, _ = judge.same("hash, 128 MB, 4 threads", "hash",
                            "eight.safetensors", "--workers", "4")
    judge.claim(size <= 128000000 * 1.01 + BLOCK,
                f"several threads: {size} bytes for 128 MB")
    judge.same("hash, 6 shards", "hash", index)
    judge.same("check, 6 shards", "check", index)
    done = run(judge.tenon, "info", f"{judge.server}/empty.onnx")
    judge.claim(done.returncode == 6 and b"empty" in done.stderr,
                f"empty file: {done.stderr.decode()}")
    done = run(judge.tenon, "info", "--verbose",
               f"{judge.server}/{index}")
    judge.claim(re.search(rb"\n7 requests \(0 redirects, 0 repeated\), \d+ "
                          rb"bytes, [\d.]+ s\n$", done.stderr) is not None,
                f"--verbose: {done.stderr.decode()}")


if __name__ == "__main__":
    sys.exit(main())
