#!/usr/bin/python3
"""Writes the seeds of payload_fuzz and npy_fuzz, beside this script."""
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))

# In the order of TN_DTYPE_MAP and of enum tn_encoding.
TYPES = """UNDEFINED FLOAT32 FLOAT64 FLOAT16 BFLOAT16 E4M3FN E4M3FNUZ
    E4M3B11FNUZ E5M2 E5M2FNUZ E8M0 E2M1 INT8 INT16 INT32 INT64 INT4 INT2 UINT8
    UINT16 UINT32 UINT64 UINT4 UINT2 BOOL COMPLEX64 COMPLEX128 STRING QINT8
    QUINT8 QINT16 QUINT16 QINT32 RESOURCE VARIANT""".split()
ENCODINGS = "NONE RAW BIG VARINTS FIELD LENGTHS BUNDLE FORTRAN".split()
ALL = 255


def write(folder, name, data):
    path = os.path.join(FOLDER, folder)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, name), "wb") as file:
        file.write(data)


def payload(name, dtype, encoding, per_byte, dims, stored, span):
    front = [TYPES.index(dtype), ENCODINGS.index(encoding), per_byte]
    front += (dims + [0, 0, 0])[:3] + [stored]
    write("payload_fuzz", name, bytes(front) + bytes.fromhex(span))


def npy(name, version, header, size):
    header = header.encode()
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    write("npy_fuzz", name, b"\x93NUMPY" + bytes([version, 0]) + length +
          header + bytes(size))


payload("raw-f32", "FLOAT32", "RAW", 1, [2], 2, "0000803f000000c0")
payload("raw-splat", "FLOAT32", "RAW", 1, [9], ALL, "0000803f")
payload("big-c64", "COMPLEX64", "BIG", 1, [1], 2, "3f80000040000000")
payload("int4", "INT4", "RAW", 2, [3], 2, "f107")
payload("int2-varints", "INT2", "VARINTS", 4, [5], 2, "1b02")
payload("varints", "INT32", "VARINTS", 1, [3], 3, "019601ffffffffffffffffff01")
payload("field-packed", "INT64", "FIELD", 1, [5], ALL,
        "3801" + "3a03029601" + "3a003804")
payload("field-floats", "FLOAT32", "FIELD", 1, [3], 3,
        "0896013d0000803f3a08000000c00000803f")
payload("field-groups", "BOOL", "FIELD", 1, [2], 2,
        "2338052b2c24" + "3a020100")
payload("field-complex", "COMPLEX64", "FIELD", 1, [4], ALL,
        "3a080000803f000000c0")
payload("fortran", "INT8", "FORTRAN", 1, [2, 3], 6, "010402050306")
payload("string-field", "STRING", "FIELD", 1, [3], ALL, "3a01613a0162")
payload("string-lengths", "STRING", "LENGTHS", 1, [3], 3, "010002616263")
payload("string-bundle", "STRING", "BUNDLE", 1, [2], 2, "0201aabbccdd616263")
payload("variant-bundle", "VARIANT", "BUNDLE", 1, [2], 2,
        "026162aabbccdd0163aabbccdd")
payload("none", "FLOAT16", "NONE", 1, [4, 5], 0, "")
npy("f4", 1,
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", 24)
npy("big-fortran-v2", 2,
    "{'descr': '>f8', 'fortran_order': True, 'shape': (2,), }\n", 16)
npy("scalar-v3", 3,
    "{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", 1)
npy("strings", 1,
    "{'descr': '<U3', 'fortran_order': False, 'shape': (1L,), }\n", 12)
npy("quotes", 1, '{"shape":(0,7),"fortran_order":False,"descr":"|V2"}', 0)
npy("structures", 1,
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n", 4)
