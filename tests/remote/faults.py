#!/usr/bin/env python3
"""faults.py TENON: every way a server can be wrong ends in the right bytes or
in an error with a reason; never in other bytes.

Reads a model through each fault of faults.mjs, twice: elements by `get`, and
by `info --json`, which tells the reason of a failure.
"""
import json
import os
import shutil
import sys
import tempfile
import time

from servers import fetch, node, noise, run, safetensors, skip

# What must come of it: "ok", or the reason.
FAULTS = {
    "good": "ok", "shorthonest": "ok", "total": "ok", "chunked": "ok",
    "reset1": "ok", "busy": "ok", "busydate": "ok",
    "short206": "unreachable", "reset": "unreachable", "stall": "unreachable",
    "stallhead": "unreachable", "trickle": "unreachable",
    "empty": "unreachable", "badchunk": "unreachable",
    "busyever": "server-busy",
    "long206": "bad-answer", "wrongrange": "bad-answer",
    "shifted": "bad-answer", "norange": "bad-answer", "multi": "bad-answer",
    "gzip": "bad-answer", "gzip206": "bad-answer", "bomb": "bad-answer",
    "endless": "bad-answer", "badstatus": "bad-answer",
    "tofile": "bad-answer",
    "ok200": "no-ranges", "weak": "no-ranges",
    "html": "no-ranges",
    "etag": "remote-changed", "etag200": "remote-changed",
    "hugeheader": "remote-limit", "manyheaders": "remote-limit",
    "loop": "remote-limit",
}
SECONDS = 20  # for three attempts with a timeout of two seconds each


def check(tenon, server, fault, want, tensors, bad):
    url = f"{server}/{fault}/model.safetensors"
    before = time.monotonic()
    fetch(f"{server}/log", "DELETE")
    got = run(tenon, "get", url, "b", "--raw", "-o", "-")
    seconds = time.monotonic() - before
    fetch(f"{server}/log", "DELETE")
    told = run(tenon, "info", "--json", url)
    if want == "ok":
        if got.returncode or got.stdout != tensors["b"]:
            bad.append(f"{fault}: {got.stderr.decode()[-300:]}")
        return
    try:
        reason = json.loads(told.stdout)["models"][0]["error"]["reason"]
    except (ValueError, KeyError):
        reason = told.stdout.decode()[-200:] + told.stderr.decode()[-200:]
    if got.returncode == 0 or got.stdout:
        bad.append(f"{fault}: it gave {len(got.stdout)} bytes")
    if reason != want:
        bad.append(f"{fault}: {reason}, not {want}")
    if seconds > SECONDS:
        bad.append(f"{fault}: took {seconds:.1f} s")


def main():
    tenon = os.path.abspath(sys.argv[1])
    if not shutil.which("node"):
        skip("no node")
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        tensors = {"a": noise(700000, 1), "b": noise(300001, 2)}
        safetensors(path, tensors)
        with node("faults.mjs", path) as started:
            server = f"http://127.0.0.1:{started.line[0]}"
            names = fetch(server).split()
            bad += [f"{n}: not in the table" for n in names if n not in FAULTS]
            bad += [f"{n}: not served" for n in FAULTS if n not in names]
            for name in names:
                if name in FAULTS:
                    check(tenon, server, name, FAULTS[name], tensors, bad)
    for line in bad:
        print(line)
    print(f"{len(names)} faults, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
