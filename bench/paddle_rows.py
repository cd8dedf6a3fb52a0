"""The rows of PaddlePaddle: 100,000 tensors of 256 bytes and as many of 16 KiB,
and 1.5 GB in 300 large ones.

The small ones lie fourteen to a page, so that what a list costs is the memory
that it takes; the floor there writes a row for each.  With 16 KiB a step from
header to header is a page fault, and that is what a list must come close to.
"""
import os
import struct
import subprocess

SMALL = 100000
LARGE = 300


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def head(count):
    desc = b"\x08\x05\x10" + varint(count)
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc


def records(path, count, elements, noise):
    """A combined file; the elements are the same noise again and again."""
    if not os.path.exists(path):
        with open(path + ".new", "wb") as to:
            for _ in range(count):
                to.write(head(elements))
                to.write(noise)
        os.rename(path + ".new", path)
    return path


def program(files, name, count, elements):
    """PREFIX.pdmodel beside its parameters."""
    path = files.path(f"{name}.pdmodel")
    if not os.path.exists(path):
        text = path + ".txt"
        with open(text, "w", encoding="ascii") as to:
            to.write("blocks { idx: 0 parent_idx: -1\n")
            for i in range(count):
                to.write(f'vars {{ name: "t{i:06}" persistable: true type {{ '
                         "type: LOD_TENSOR lod_tensor { tensor { data_type: "
                         f"FP32 dims: {elements} }} }} }} }}\n")
            to.write("}\n")
        subprocess.run([files.tenon, "undump", "--force", "-q", text, "-o",
                        path], check=True)
        os.unlink(text)
    return path


def forget(*paths):
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)
    os.sync()


def listing_small(bench, files, job):
    count = max(1000, SMALL // files.part)
    path = records(files.path(f"small-{count}.pdiparams"), count, 64,
                   os.urandom(256))
    whole = program(files, f"small-{count}", count, 64)
    alone = records(files.path(f"alone-{count}.records"), count, 64,
                    os.urandom(256))
    inner = bench.program("in_process")
    jobs = [job("hop", [inner, "naive-records", path]),
            job("hop and note", [inner, "naive-rows", path]),
            job("records", [inner, "summary", alone]),
            job("model", [inner, "summary", whole])]
    bench.measure(jobs)
    bench.compare(f"list {count} records of 256 bytes", jobs[2], jobs[1],
                  most=2.5)
    bench.compare(f"list {count} records of 256 bytes", jobs[2], jobs[0])
    bench.compare(f"list a model of {count} such", jobs[3], jobs[1])


def listing(bench, files, job):
    count = max(1000, SMALL // files.part)
    path = records(files.path(f"middle-{count}.pdiparams"), count, 4096,
                   os.urandom(16384))
    whole = program(files, f"middle-{count}", count, 4096)
    inner = bench.program("in_process")
    jobs = [job("hop", [inner, "naive-records", path]),
            job("model", [inner, "summary", whole])]
    bench.measure(jobs)
    bench.compare(f"list a model of {count} tensors of 16 KiB", jobs[1],
                  jobs[0], most=2.5)


def convert(bench, files, job):
    elements = 5000000 // 4 // files.part
    name = f"large-{files.part}"
    path = records(files.path(f"{name}.pdiparams"), LARGE, elements,
                   os.urandom(4 * elements))
    whole = program(files, name, LARGE, elements)
    outs = [files.path(out) for out in
            ("out.pdmodel", "out.pdiparams", "out.copy", "out.safetensors")]
    jobs = [job("cat", ["cat", path], "wall", out=outs[2],
                before=lambda: forget(*outs)),
            job("copy", [files.tenon, "convert", "-q", whole, "-o", outs[0]],
                "wall", before=lambda: forget(*outs)),
            job("layout", [files.tenon, "convert", "-q", whole, "-o", outs[0],
                           "--layout", "seed"], "wall",
                before=lambda: forget(*outs)),
            job("safetensors", [files.tenon, "convert", "-q", whole, "-o",
                                outs[3]], "wall", before=lambda: forget(*outs))]
    bench.measure(jobs)
    forget(*outs)
    bench.compare("convert a Paddle model", jobs[1], jobs[0], most=1.25)
    bench.compare("convert to the other layout", jobs[2], jobs[0], most=1.25)
    bench.compare("convert to safetensors", jobs[3], jobs[0], most=1.25)


def paddle(bench, files, job):
    listing_small(bench, files, job)
    listing(bench, files, job)
    convert(bench, files, job)
