#!/usr/bin/env python3
"""make_zip.py FOLDER - zips to begin with, for zip_fuzz"""
import io
import os
import struct
import sys
import zipfile

STAMP = (1980, 1, 1, 0, 0, 0)


class Pipe(io.RawIOBase):
    """Cannot seek: sizes go into descriptors."""

    def __init__(self):
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.bytes += data
        return len(data)


def write(to, method, force=False, comment=b""):
    with zipfile.ZipFile(to, "w") as zip_:
        for name, data in ("tags.txt", b"a\n"), ("a/b", b"x" * 300):
            info = zipfile.ZipInfo(name, STAMP)
            info.compress_type = method
            with zip_.open(info, "w", force_zip64=force) as file:
                file.write(data)
        zip_.comment = comment


def seekable(*rest, **more):
    to = io.BytesIO()
    write(to, *rest, **more)
    return to.getvalue()


def piped(*rest, **more):
    to = Pipe()
    write(to, *rest, **more)
    return bytes(to.bytes)


def two_commits():
    """The directory again, behind the first end record."""
    old = seekable(zipfile.ZIP_STORED)
    offset, = struct.unpack("<I", old[-6:-2])
    directory = old[offset:-22]
    return old + directory + old[-22:-6] + struct.pack("<IH", len(old), 0)


def main(folder):
    seeds = {
        "stored": seekable(zipfile.ZIP_STORED),
        "deflated": seekable(zipfile.ZIP_DEFLATED),
        "zip64": seekable(zipfile.ZIP_STORED, force=True),
        "comment": seekable(zipfile.ZIP_DEFLATED, comment=b"PK\5\6 hello"),
        "piped": piped(zipfile.ZIP_DEFLATED),
        "piped-zip64": piped(zipfile.ZIP_STORED, force=True),
        "commits": two_commits(),
        "torn": two_commits()[:-9],
        "empty": b"PK\5\6" + bytes(18),
    }
    os.makedirs(folder, exist_ok=True)
    for name, data in seeds.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


main(sys.argv[1])
