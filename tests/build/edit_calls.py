#!/usr/bin/env python3
"""edit_calls.py SOURCE: public calls that change an edit say so first.

Actions that need a model commit earlier changes, if there are any: a call that
did not say that it changes the edit (TN_EDIT_CHANGES) would be forgotten.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
CALL = re.compile(r"TN_API enum tn_status\s+(tn_edit_\w+)\(\s*"
                  r"struct tn_edit\s+\*edit")
# They run actions, each of which says so itself; or change nothing.
OTHERS = {"tn_edit_act", "tn_edit_run", "tn_edit_run_file",
          "tn_edit_run_patch", "tn_edit_commit"}


def main():
    root = pathlib.Path(sys.argv[1])
    header = COMMENT.sub("", (root / "include/tenon/edit.h").read_text())
    sources = "".join(p.read_text() for p in (root / "src/engine").glob("*.c"))
    names = [n for n in CALL.findall(header) if n not in OTHERS]
    assert len(names) >= 30, names
    bad = [name for name in names if not re.search(
        rf"^enum tn_status {name}\([^{{;]*\)\n\{{\n    "
        r"TN_EDIT_CHANGES\(edit, error\);", sources, re.S | re.M)]
    for name in bad:
        print(f"{name}() does not begin with TN_EDIT_CHANGES(edit, error)")
    print(f"{len(names)} calls change an edit")
    sys.exit(bool(bad))


main()
