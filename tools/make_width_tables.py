#!/usr/bin/python3
"""Writes cli/width_tables.h: characters that take two columns of a terminal, or
none, from the Unicode data that Python carries.

    tools/make_width_tables.py > cli/width_tables.h

The result is committed, so that a build needs no Python.
tests/judges/char_widths.py compares it with the C library.
"""
import unicodedata

CODES = [c for c in range(0x300, 0x110000) if not 0xD800 <= c <= 0xDFFF]


def width(code):
    """None if the code point is not assigned."""
    kind = unicodedata.category(chr(code))
    if kind == "Cn":
        return None
    # Vowels and finals of Hangul join the consonant before them.
    if kind in ("Mn", "Me", "Cf") or 0x1160 <= code <= 0x11FF or \
            0xD7B0 <= code <= 0xD7FF:
        return 0
    return 2 if unicodedata.east_asian_width(chr(code)) in "WF" else 1


def ranges(wanted):
    """Holes that are not assigned belong to what is around them."""
    found, is_open = [], False
    for code in CODES:
        now = width(code)
        if now == wanted and is_open:
            found[-1][1] = code
        elif now == wanted:
            found.append([code, code])
        is_open = now == wanted or (now is None and is_open)
    return found


def write(name, rows):
    print(f"static const struct range {name}[] = {{")
    for at in range(0, len(rows), 4):
        print("    " + " ".join(f"{{ 0x{a:04x}, 0x{b:04x} }},"
                                for a, b in rows[at:at + 4]))
    print("};\n")


WIDE = ranges(2)
# All of these planes is for ideographs, assigned or not.
WIDE = [r for r in WIDE if r[0] < 0x20000] + [[0x20000, 0x2FFFD],
                                              [0x30000, 0x3FFFD]]
print(f"""/*
 * width_tables.h - characters of two columns, and of none; Unicode {unicodedata.unidata_version}
 *
 * Written by tools/make_width_tables.py.  Included by unicode.c alone.
 */
/* clang-format off */""")
write("combining", ranges(0))
write("wide", WIDE)
print("/* clang-format on */")
