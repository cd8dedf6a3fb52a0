"""The rows of tagged containers: 4 GiB of noise in 200 parameters, and 100
tags of 1,000."""
import json
import os
import struct
import subprocess

import zip_rows

PARAMS = 200


def made(bench, files, name, *words):
    path = files.path(f"{name}-{files.part}.samediff")
    if not os.path.exists(path):
        subprocess.run([bench.program("tag_make"), zip_rows.noise(files),
                        path + ".new", *map(str, words)], check=True)
        os.rename(path + ".new", path)
    return path


def write(bench, files, job):
    path, out = made(bench, files, "weights", 1, PARAMS), files.path("out.samediff")
    before = lambda: zip_rows.forget(out)
    jobs = [job("cat", ["cat", path], "wall", out=out, before=before),
            job("convert", [files.tenon, "convert", "--quiet", path, "-o", out],
                "wall", before=before)]
    bench.measure(jobs)
    zip_rows.forget(out)
    bench.compare(f"container, {os.path.getsize(path) / 2**30:.2g} GiB, crc "
                  "included", jobs[1], jobs[0], most=1.25)


def read(bench, files, job):
    path = made(bench, files, "weights", 1, PARAMS)
    size = os.path.getsize(path) // PARAMS // 4096 * 4096
    floor = job("pread", [bench.program("floors"), "read", path, "4096",
                          str(size)])
    ours = job("open, read", [bench.program("in_process"), "read", path,
                              f"w{PARAMS // 2}"])
    bench.measure([floor, ours])
    bench.compare(f"container, one of {PARAMS} tensors", ours, floor, most=1.25)


def changed(files, path):
    """One per cent of the parameters with other elements, as safetensors."""
    count = max(1, PARAMS // 100)
    size = os.path.getsize(zip_rows.noise(files)) // 4 // PARAMS * 4
    out = files.path("changed.safetensors")
    head = {f"w{i}": {"dtype": "F32", "shape": [size // 4],
                      "data_offsets": [i * size, (i + 1) * size]}
            for i in range(count)}
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(out, "wb") as to:
        to.write(struct.pack("<Q", len(text)) + text)
        for _ in range(count):
            to.write(os.urandom(size))
    return out, count * size


def append(bench, files, job):
    """Each on a copy of its own, fresh for every round."""
    path = made(bench, files, "weights", 1, PARAMS)
    bare, size = changed(files, path)
    copy = files.path("grows.samediff")

    def fresh():
        subprocess.run(["cp", "--reflink=auto", path, copy], check=True)
        os.sync()

    floor = job("append + fdatasync", [bench.program("zip_jobs"),
                                       "floor-append", copy, bare, str(size)],
                "wall", before=fresh)
    ours = job("tag add", [files.tenon, "tag", "add", "--quiet", copy, "next",
                           bare], "wall", before=fresh)
    peers = []
    if bench.has("peer_libzip"):
        peers.append(job("libzip", [bench.program("peer_libzip"), "append",
                                    copy, bare, str(size)], "wall",
                         before=fresh, is_slow=True))
    bench.measure([floor, ours] + peers)
    zip_rows.forget(copy, bare)
    title = f"container, a tag that changes {size >> 20} MiB, durable"
    bench.compare(title, ours, floor, most=3)
    for peer in peers:
        bench.compare(title, ours, peer, least=50)


def many(bench, files, job):
    """Opening is linear in entries, whatever the number of tags."""
    shared = made(bench, files, "tags", 100, 1000, 10)
    own = made(bench, files, "own", 100, 1000)
    for path, title in ((shared, "shared"), (own, "each its own")):
        jobs = [job("ls", [files.tenon, "tag", "ls", path], "wall",
                    out=os.devnull),
                job("open", [bench.program("in_process"), "graph", path])]
        bench.measure(jobs)
        for one in jobs:
            bench.row(f"container, 100 tags of 1,000, {title}: {one.name}",
                      f"{one.time() * 1e3:.1f} ms",
                      f"{(one.memory or 0) / 1e6:.1f} MB", "-", "-", "",
                      "< 100 ms", one.time() < 0.1)


def tags(bench, files, job):
    write(bench, files, job)
    read(bench, files, job)
    append(bench, files, job)
    many(bench, files, job)
