#!/usr/bin/python3
"""pytorch_size.py TENON: files of PyTorch past 4 GiB, in 64 MiB of memory.

A zip64 archive, and a stream, each with a storage of 5 GiB that is a hole on disk, and a small one
behind it; both are described, read at both ends, scanned, and written as safetensors.  A pickle of
protocol 0 with a line of 96 MiB is read without being mapped.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile

LARGE = 5 << 30
LINE = 96 << 20
SMALL = struct.pack("<4f", 1.5, 2.5, 3.5, 4.5)
MARK = struct.pack("<4f", 7, 8, 9, 10)


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word


def tensor(name, key, count):
    number = b"\x8a\x08" + struct.pack("<q", count)
    return (text(name) + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\nFloatStorage\n" + text(key) + text(b"cpu") +
            number + b"tQK\x00" + number + b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR")


def pickle():
    return b"\x80\x02ccollections\nOrderedDict\n)R(" + tensor(b"large", b"0", LARGE // 4) + tensor(b"small", b"1", 4) + b"u."


def archive(path):
    """Sizes and offsets past 4 GiB are in extra fields.  Checksums are not looked at here."""
    directory = b""
    with open(path, "wb") as out:
        for name, data, size in ((b"big/data.pkl", pickle(), None), (b"big/data/0", MARK, LARGE), (b"big/data/1", SMALL, None), (b"big/version", b"3\n", None)):
            offset, size = out.tell(), len(data) if size is None else size
            extra = struct.pack("<HHQQ", 1, 16, size, size)
            out.write(struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 0x800, 0, 0, 0x21, 0, 0xffffffff, 0xffffffff, len(name), len(extra)) + name + extra)
            begin = out.tell()
            out.write(data)
            if size > len(data):
                out.seek(begin + size - len(MARK))
                out.write(MARK)
            extra = struct.pack("<HHQQQ", 1, 24, size, size, offset)
            directory += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 0x800, 0, 0, 0x21, 0, 0xffffffff, 0xffffffff,
                                     len(name), len(extra), 0, 0, 0, 0, 0xffffffff) + name + extra
        at = out.tell()
        out.write(directory)
        end = out.tell()
        out.write(struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, 4, 4, len(directory), at))
        out.write(struct.pack("<IIQI", 0x07064b50, 0, end, 1))
        out.write(struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 4, 4, 0xffffffff, 0xffffffff, 0))


def stream(path):
    with open(path, "wb") as out:
        out.write(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.")
        out.write(pickle() + b"\x80\x02](" + text(b"0") + text(b"1") + b"e." + struct.pack("<q", LARGE // 4))
        begin = out.tell()
        out.write(MARK)
        out.seek(begin + LARGE - len(MARK))
        out.write(MARK + struct.pack("<q", 4) + SMALL)


def line(path):
    """Protocol 0: a storage of 96 MiB is one line of text."""
    with open(path, "wb") as out:
        out.write(b"(dp0\nVlarge\nctorch._utils\n_rebuild_tensor_v2\n(ctorch.storage\n_load_from_bytes\n(c_codecs\nencode\n(V")
        inner = (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.\x80\x02(X\x07\0\0\0storagectorch\nByteStorage\nX\x01\0\0\0" +
                 b"0X\x03\0\0\0cpuJ" + struct.pack("<i", LINE) + b"NtQ.\x80\x02]X\x01\0\0\0" + b"0a." + struct.pack("<q", LINE))
        out.write(b"".join(b"\\u%04x" % byte if byte in b"\n\\\0\r\x1a" else bytes([byte]) for byte in inner))
        for _ in range(LINE >> 20):
            out.write(b"a" * (1 << 20))
        out.write(b"\nVlatin1\ntRtRI0\n(I%d\nt(I1\ntI00\nccollections\nOrderedDict\n(tRtRs." % LINE)


def run(tenon, *arguments):
    done = subprocess.run([tenon, *arguments], capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20)))
    if done.returncode:
        print(" ".join(arguments), done.returncode, done.stderr.decode())
    return done.stdout


def main(tenon):
    wrong = 0

    def claim(is_so, what):
        nonlocal wrong
        wrong += not is_so
        if not is_so:
            print(f"FAILED: {what}")
    if not os.access(tenon, os.X_OK):
        print(f"skipped: no release build at {tenon}")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for make in (archive, stream):
            path = os.path.join(folder, "big.pt")
            make(path)
            claim(b"5.0 GiB" in run(tenon, "info", path), f"{make.__name__}: info")
            rows = run(tenon, "ls", path).decode().splitlines()
            claim([row.split("\t")[3] for row in rows] == [str(LARGE), "16"], f"{make.__name__}: ls")
            for name, piece, data in (("large", ":4", MARK), ("large", "-4:", MARK), ("small", ":", SMALL)):
                claim(run(tenon, "get", path, name, "--slice=" + piece, "--raw", "-o", "-") == data, f"{make.__name__}: get {name} {piece}")
            claim(b"nothing found that runs code" in run(tenon, "scan", path), f"{make.__name__}: scan")
            out = os.path.join(folder, "out.safetensors")
            run(tenon, "convert", "-q", path, "-o", out)
            claim(run(tenon, "get", out, "large", "--slice=-4:", "--raw", "-o", "-") == MARK, f"{make.__name__}: convert")
            for file in (out, path):
                if os.path.exists(file):
                    os.unlink(file)
        path = os.path.join(folder, "line.pkl")
        line(path)
        claim(run(tenon, "ls", "--unmapped", path).decode().split("\t")[3] == str(LINE), "line: ls")
        claim(run(tenon, "get", "--unmapped", path, "large", "--slice=-4:", "--raw", "-o", "-") == b"aaaa", "line: get")
        claim(b"nothing found that runs code" in run(tenon, "scan", "--unmapped", path), "line: scan")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
