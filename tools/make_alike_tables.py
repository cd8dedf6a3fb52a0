#!/usr/bin/python3
"""Writes src/base/alike_tables.h: canonical compositions and simple case
folding, from the Unicode data that Python carries.

    tools/make_alike_tables.py > src/base/alike_tables.h

The result is committed, so that a build needs no Python.  tests/judges/alike.py
compares it with Java and Perl, whose data we did not write either.
"""
import sys
import unicodedata

CODES = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
HANGUL = range(0xAC00, 0xAC00 + 11172)  # these are computed


def pairs():
    """(code, first, second or 0, is composed again) of one step each."""
    for code in CODES:
        text = unicodedata.decomposition(chr(code))
        if not text or text.startswith("<") or code in HANGUL:
            continue
        parts = [int(word, 16) for word in text.split()]
        again = unicodedata.normalize("NFC", chr(code)) == chr(code)
        yield code, parts[0], parts[1] if len(parts) == 2 else 0, again


def simple_fold(code):
    """Status C and S of CaseFolding.txt: one character or none."""
    folded = chr(code).casefold()
    if len(folded) > 1:
        folded = chr(code).lower()
    return ord(folded) if len(folded) == 1 else code


def runs(items):
    """Codes with a value, as (first, last, value) of neighbours."""
    found = []
    for code, value in items:
        if found and found[-1][1] + 1 == code and found[-1][2] == value:
            found[-1][1] = code
        else:
            found.append([code, code, value])
    return found


def fold_runs():
    """(first, last, step, delta): every letter, or every other one."""
    found = []
    for code in CODES:
        delta = simple_fold(code) - code
        if not delta:
            continue
        if found and found[-1][3] == delta:
            first, last, step, _ = found[-1]
            if code - last == step or (first == last and code - last <= 2):
                found[-1][1:3] = [code, code - last]
                continue
        found.append([code, code, 1, delta])
    return found


def table(kind, name, rows, per_line):
    print(f"\nstatic const struct {kind} {name}[] = {{")
    for at in range(0, len(rows), per_line):
        print("    " + " ".join(rows[at : at + per_line]))
    print("};")


def main():
    steps = list(pairs())
    index = sorted((first, second, at)
                   for at, (_, first, second, again) in enumerate(steps)
                   if again and second)
    seconds = {second for _, second, _ in index}
    classes = [(c, unicodedata.combining(chr(c))) for c in CODES]

    print("/* alike_tables.h - Unicode "
          + unicodedata.unidata_version
          + ", made by tools/make_alike_tables.py */")
    print("#ifndef TN_BASE_ALIKE_TABLES_H\n#define TN_BASE_ALIKE_TABLES_H\n")
    print("#include <stdint.h>\n\n/* clang-format off */")
    print("\n/* One step of a canonical decomposition, by code; second 0 if there"
          " is none. */")
    print("struct alike_pair { uint32_t code, first, second; };")
    table("alike_pair", "pairs",
          [f"{{{c:#x},{a:#x},{b:#x}}}," for c, a, b, _ in steps], 3)
    print("\n/* Those that are composed again, by first and second: numbers"
          " of the above. */\nstatic const uint16_t composed[] = {")
    numbers = [f"{at}," for _, _, at in index]
    for at in range(0, len(numbers), 14):
        print("    " + " ".join(numbers[at : at + 14]))
    print("};")
    print("\n/* Combining classes that are not 0. */")
    print("struct alike_class { uint32_t first, last, value; };")
    table("alike_class", "classes",
          [f"{{{a:#x},{b:#x},{v}}},"
           for a, b, v in runs((c, v) for c, v in classes if v)], 4)
    print("\n/* Of class 0, and composed with what is before them. */")
    table("alike_class", "joining",
          [f"{{{a:#x},{b:#x},0}},"
           for a, b, _ in runs((c, 0) for c in sorted(seconds)
                               if not unicodedata.combining(chr(c)))], 4)
    print("\n/* Letters that fold, in steps of 1 or 2, and how far. */")
    print("struct alike_fold { uint32_t first, last; int32_t step, delta; };")
    table("alike_fold", "folds",
          [f"{{{a:#x},{b:#x},{s},{d}}}," for a, b, s, d in fold_runs()], 3)
    print("\n/* clang-format on */\n#endif")


if __name__ == "__main__":
    sys.exit(main())
