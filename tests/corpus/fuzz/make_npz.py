#!/usr/bin/python3
"""Seeds for npz_fuzz: a byte that chooses, then an array or a zip of arrays."""
import io
import os
import struct
import zipfile

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npz_fuzz")


def array(descr, shape, data, fortran=False):
    text = (f"{{'descr': {descr}, 'fortran_order': {fortran}, "
            f"'shape': {shape}, }}\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


arrays = {
    "floats": array("'<f4'", "(2, 2)", bytes(16)),
    "fortran-big": array("'>i2'", "(2, 3)", bytes(range(12)), True),
    "text": array("'<U2'", "(2,)", "a\u20ac\U0001F600\0".encode("utf-32-le")),
    "text-big": array("'>U1'", "(1, 2)", "ab".encode("utf-32-be"), True),
    "bytes": array("'|S3'", "(2,)", b"ab\0c\0d"),
    "objects": array("'|O'", "(1,)", b"\x80\x04."),
    "half": array("'<V2'", "()", b"\x80\x3f"),
}


def zipped(method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name in "floats", "text", "fortran-big":
            archive.writestr(zipfile.ZipInfo(name + ".npy"), arrays[name],
                             method)
    return out.getvalue()


seeds = {name: bytes([number % 3]) + data
         for number, (name, data) in enumerate(arrays.items())}
seeds["stored"] = b"\x03" + zipped(zipfile.ZIP_STORED)
seeds["deflated"] = b"\x03" + zipped(zipfile.ZIP_DEFLATED)
os.makedirs(here, exist_ok=True)
for name, data in seeds.items():
    with open(os.path.join(here, name), "wb") as out:
        out.write(data)
