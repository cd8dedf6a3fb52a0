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


def keras():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr(zipfile.ZipInfo("config.json"), b'{"config": "exec", "class_name": "function", "module": "my.lib"}')
    return out.getvalue()


def in_text():
    """Bytes that protocol 2 writes as text, which are loaded as a stream of PyTorch."""
    stream = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}." + CALL
    text = stream.decode("latin1").encode()
    return (b"\x80\x02ctorch.storage\n_load_from_bytes\nc_codecs\nencode\nX" + len(text).to_bytes(4, "little") + text +
            b"X\x06\0\0\0latin1\x86R\x85R.")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    array = b"\x93NUMPY\1\0\x3a\0{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }\n" + CALL
    files = {"call": CALL, "protocol-0": b"cos\nsystem\n(S'ls'\ntR.", "zip": archive(), "tar": tar(), "objects": array,
             "json": b'{"class_name": "Lambda"}', "keras": keras(), "text-stream": in_text(),
             "member": b"\x80\x02c__builtin__\ngetattr\ncmy.lib\nMode\nX\x04\0\0\0mean\x86R.", "after-tar": tar() + bytes(512) + CALL,
             # The last byte, modulo 5, chooses the name of the file.
             "hub": b'{"auto_map": {"A": "b.C"}, "_target_": "os.system"}\x0b', "template": b"{{ x['_' ~ y] | attr('z') }}\x0c",
             "names": b"{% set n = v ~ 'x' %}{% for k in n %}{{ x[n]['a'] | map(attribute=y) }}{% endfor %}\x0c",
             "expression": b'{"expr_str": "Max(1, s0.a + floor(u0))", "p_params": 1}\x0b', "hdf-and-zip": b"\x89HDF\r\n\x1a\n{\"class_name\": \"Lambda\"}" + archive(),
             "yaml": b"%TAG !p! tag:yaml.org,2002:pyth\n---\na: !p!on/name:os.system ''\n_target_: a.b\n\x08",
             "tokenizer": b'{"chat_template": "\\u007b{ x.__cl\\u0061ss__ }}"}\t',
             "lzma": b"\0\0\0\x10\0" + b"\xff" * 8 + b"\0\x12\x34\x56\x78", "zlib": b"\x18\x95KLJNIMK\x04\0\x08=\x02\xc8"}
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
