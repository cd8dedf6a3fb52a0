"""The rows of GGUF: decoding blocks, and writing a model anew at the speed of a copy."""
import os
import struct

TYPES = ("q4_0", "q5_0", "q8_0", "q4_K", "q6_K", "iq4_nl")
ELEMENTS = 400_000_000


def decode(bench, job):
    for kind in TYPES:
        jobs = [job(way, [bench.program("block_loops"), way, kind,
                          str(ELEMENTS)]) for way in ("bare", "ours")]
        bench.measure(jobs)
        bench.compare(f"GGUF: decode {kind}, one core, against a bare loop",
                      jobs[1], jobs[0], most=1)


def model(files):
    """A gigabyte of q8_0 in a hundred tensors."""
    path = files.path(f"blocks-{files.part}.gguf")
    if os.path.exists(path):
        return path
    count, rows = 100, max(32, 9600 // files.part)
    size = rows * 1024 // 32 * 34
    size += -size % 32
    out = b"GGUF" + struct.pack("<IQQ", 3, count, 1)
    key, value = b"general.architecture", b"llama"
    out += struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    for i in range(count):
        name = b"blk.%d.ffn_up.weight" % i
        out += struct.pack("<Q", len(name)) + name + struct.pack("<IQQIQ", 2, 1024, rows, 8, i * size)
    with open(path + ".new", "wb") as to:
        to.write(out + bytes(-len(out) % 32))
        for _ in range(count):
            to.write(os.urandom(size))
    os.rename(path + ".new", path)
    return path


def rewrite(bench, files, job):
    source, out = model(files), files.path("out.gguf")

    def forget():
        if os.path.exists(out):
            os.unlink(out)

    jobs = [job("cat", ["cat", source], "wall", out=out, before=forget),
            job("convert", [files.tenon, "convert", source, "-q", "-o", out,
                            "--gguf-version", "2"], "wall", before=forget)]
    bench.measure(jobs)
    forget()
    bench.compare("GGUF: written anew with another header, against cat",
                  jobs[1], jobs[0], most=1.1)


def gguf(bench, files, job):
    decode(bench, job)
    rewrite(bench, files, job)
