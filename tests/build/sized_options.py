#!/usr/bin/env python3
"""sized_options.py SOURCE: public structs of options can grow.

Each begins with its size and has a TN_..._INIT, and each public function that
takes one takes a whole copy of it first (src/base/sized.h): a field that is
added later is then never read beyond what a caller has.  Fields of options are
those of every format: what one format has is an option of that format.
src/engine/option_sizes_test.c calls a function with every one of these structs.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
STRUCT = re.compile(r"^struct (tn_\w*options) \{(.*?)^\};\n(.*?)\n", re.S | re.M)
CALL = re.compile(r"TN_API enum tn_status\s+(tn_\w+)\(([^;]*)\);")
OPTIONS = re.compile(r"const struct (tn_\w*options)\s*\*(\w+)")
BODY = r"^enum tn_status {}\(([^{{;]*)\)\n\{{\n(.*?)^\}}"
TAKE = re.compile(r"\b(?:TN_TAKE_\w+|take_options)\((\w+)")


def structs(headers):
    bad = []
    for name, fields, after in STRUCT.findall(headers):
        if not re.match(r"\s*size_t\s+size;", fields):
            bad.append(f"struct {name} does not begin with its size")
        init = name.upper() + "_INIT"
        if f"#define {init} TN_SIZED_INIT(struct {name})" not in after:
            bad.append(f"struct {name} has no {init} behind it")
    return bad


def first_layouts(headers, version, sized):
    """As long as nothing is published, size 0 stands for the whole struct."""
    if 'TN_VERSION_STRING "0.2.0"' not in version:
        return []
    named = dict(re.findall(r"TN_TAKE(?:_OWN)?\(options, (tn_\w+), (\w+)\)", sized))
    return [f"src/base/sized.h: {named.get(name)} is not the last field of "
            f"struct {name}" for name, fields, _ in STRUCT.findall(headers)
            if named.get(name) != re.findall(r"(\w+);", fields)[-1]]


def calls(headers, sources):
    bad, count = [], 0
    for name, arguments in CALL.findall(headers):
        if not OPTIONS.search(arguments):
            continue
        found = re.search(BODY.format(name), sources, re.S | re.M)
        if not found:
            bad.append(f"{name}() is nowhere")
            continue
        for struct, parameter in OPTIONS.findall(found[1]):
            count += 1
            if parameter not in TAKE.findall(found[2]):
                bad.append(f"{name}() does not take its {struct} first")
    return bad, count


def main():
    root = pathlib.Path(sys.argv[1])
    headers = "".join(COMMENT.sub("", p.read_text()) for p in
                      sorted((root / "include/tenon").glob("*.h")))
    sources = "".join(p.read_text() for p in
                      sorted((root / "src").rglob("*.c")))
    broken = """
struct tn_odd_options {
    bool is_odd;
};

TN_API enum tn_status tn_odd(const struct tn_odd_options *odd);
"""
    assert len(structs(broken)) == 2
    assert calls(broken, "enum tn_status tn_odd(const struct tn_odd_options "
                         "*odd)\n{\n    return 0;\n}\n")[0]
    bad, count = calls(headers, sources)
    bad += structs(headers)
    bad += first_layouts(headers,
                         (root / "include/tenon/version.h").read_text(),
                         (root / "src/base/sized.h").read_text())
    tried = (root / "src/engine/option_sizes_test.c").read_text()
    bad += [f"src/engine/option_sizes_test.c has no row for struct {name}"
            for name, _, _ in STRUCT.findall(headers)
            if f"ROW({name}, " not in tried]
    assert count > 35 and len(STRUCT.findall(headers)) >= 10
    print("\n".join([*bad, f"{count} parameters, {len(bad)} of them wrong"]))
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main())
