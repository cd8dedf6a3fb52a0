#!/usr/bin/env python3
"""Makes the corpus of scan_fuzz: pickles that call, alone and in archives.

    make_scan.py FOLDER
"""
import io
import os
import sys
import zipfile

CALL = b"\x80\x02cos\nsystem\nU\x02ls\x85R."


def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(zipfile.ZipInfo("x"), CALL)
        file.writestr(zipfile.ZipInfo("y"), b"a" * 200, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tar():
    header = bytearray(512)
    header[:1] = b"p"
    header[124:136] = b"00000000024\0"
    header[257:262] = b"ustar"
    return bytes(header) + CALL.ljust(512, b"\0")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    array = b"\x93NUMPY\1\0\x3a\0{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }\n" + CALL
    files = {"call": CALL, "protocol-0": b"cos\nsystem\n(S'ls'\ntR.", "zip": archive(), "tar": tar(), "objects": array,
             "json": b'{"class_name": "Lambda"}'}
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
