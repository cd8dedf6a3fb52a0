#!/usr/bin/python3
"""A public header for doxygen: our plain comments as documentation.

A comment on lines of its own is about what follows it, one behind code is about
what it is behind.  What doxygen would take for its own commands is escaped.
"""
import re
import sys


def escaped(text):
    return re.sub(r"([\\@<>&#%$])", r"\\\1", text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        source = file.read()
    out, at = [], 0
    for match in re.finditer(r"/\*(.*?)\*/", source, re.S):
        before = source[at:match.start()]
        line = source[source.rfind("\n", 0, match.start()) + 1:match.start()]
        body = re.sub(r"^ ?\* ?", "", match[1].strip("* \n"), flags=re.M)
        body = re.sub(r"\n +", "\n", body)
        mark = "/**< " if line.strip() else "/** "
        if line.lstrip().startswith("#"):
            mark = "/* "
        if match.start() == 0:
            mark = "/** @file\n"
        lines = "\n".join(escaped(row) for row in body.split("\n"))
        out += [before, mark, lines, " */"]
        at = match.end()
    print("".join(out) + source[at:])


if __name__ == "__main__":
    main()
