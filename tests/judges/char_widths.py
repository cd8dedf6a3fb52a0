#!/usr/bin/python3
"""char_widths.py TENON - the C library judges how wide characters are

Names of a table are made of all characters, a few in each, and the column after
them must begin where wcwidth() says.
"""
import ctypes
import json
import locale
import os
import struct
import subprocess
import sys
import tempfile
import unicodedata

TENON = os.path.realpath(sys.argv[1])
PIECE = 24
libc = ctypes.CDLL(None)
libc.wcwidth.argtypes = [ctypes.c_wchar]

try:
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
except locale.Error:
    print("skipped: wants the locale C.UTF-8")
    sys.exit(77)


def is_judged(code):
    """Printed as it is, and in the data of both."""
    kind = unicodedata.category(chr(code))
    if kind in ("Cn", "Cs", "Cc", "Zl", "Zp", "Co", "Cf") or code == ord("\\"):
        return False
    if 0xE0000 <= code <= 0xE0FFF:  # escaped
        return False
    if 0x3248 <= code <= 0x324F:  # of ambiguous width: glibc has two, we one
        return False
    return libc.wcwidth(chr(code)) >= 0


def width_of(text):
    return sum(libc.wcwidth(c) for c in text)


def save(path, names):
    head = {name: {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}
            for name in names}
    text = json.dumps(head, ensure_ascii=False).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)


codes = [c for c in range(0x20, 0x110000) if is_judged(c) and
         # ideographs by the thousand are all alike
         (c % 97 == 0 or not 0x3400 <= c <= 0xD7A3 and c < 0x20000)]
names = ["x" + "".join(map(chr, codes[i:i + PIECE]))
         for i in range(0, len(codes), PIECE)]
with tempfile.TemporaryDirectory() as folder:
    save(folder + "/n.safetensors", names)
    lines = subprocess.run(
        [TENON, "ls", "--layout", "table", folder + "/n.safetensors"],
        check=True, stdout=subprocess.PIPE).stdout.decode().split("\n")[1:-2]
assert len(lines) == len(names), (len(lines), len(names))
places = [width_of(line[:line.index("uint8")]) for line in lines]
usual = max(set(places), key=places.count)
wrong = [name for name, place in zip(names, places) if place != usual]
for name in wrong[:20]:
    print("not as wide as wcwidth() says, one of:", ascii(name))
print(f"{len(codes)} characters judged, {len(wrong)} of {len(names)} names wrong")
sys.exit(len(wrong) > 0)
