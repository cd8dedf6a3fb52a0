#!/usr/bin/python3
"""requirements.py ROOT BUILD: every test that docs/requirements.md names is there.

A name is one that ctest lists, `name: part` a word of that test's own source,
comments apart, a path a file of the tree that a test runs.  A requirement without a test fails, and so does a
system without a requirement.
"""
import os
import re
import sys

ROOT, BUILD = sys.argv[1:3]
SYSTEMS = ("Chunked messages", "Tagged containers", "Paddle programs and tensors",
           "Import rules")


def known_tests():
    """As CMake wrote them down.  To ask ctest would empty the log of the run that
    this test is part of."""
    found = set()
    for folder, _, files in os.walk(BUILD):
        if "CTestTestfile.cmake" in files:
            with open(os.path.join(folder, "CTestTestfile.cmake")) as file:
                found.update(re.findall(r"^add_test\(\[=\[(\S+)\]=\]", file.read(), re.M))
    return found


def sources():
    """The source of a test by the test's name: the file of that name."""
    found = {}
    for top in ("src", "tests", "cli"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for file in files:
                found.setdefault(os.path.splitext(file)[0], os.path.join(folder, file))
    return found


def rows(text):
    """Each row of each table: line, system, its cells."""
    system = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            system = line[3:]
        elif line.startswith("| ") and system in SYSTEMS and "what is asked for" not in line:
            yield number, system, [cell.strip() for cell in line.strip("| ").split(" | ")]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def is_run(path):
    """By the test of all scripts under tests/cli, or by name."""
    return path.startswith("tests/cli/") and path.endswith(".sh") or any(
        path.removeprefix("tests/") in read(where)
        for where in ("tests/CMakeLists.txt", "tests/soak.table"))


def code_of(path):
    """Without comments: a test that is only spoken of is gone."""
    pattern = r"/\*.*?\*/" if path.endswith((".c", ".h")) else r"(?m)^[ \t]*#[^\n]*"
    return re.sub(pattern, "", read(path), flags=re.S)


def fault_of(name, tests, files):
    if "/" in name:
        if not os.path.exists(os.path.join(ROOT, name)):
            return "no such file"
        return None if is_run(name) else "no test runs it"
    test, _, part = name.partition(": ")
    if test not in tests:
        return "no such test"
    if not part:
        return None
    source = files.get(test) or files.get("test_" + test.removeprefix("python_"))
    if source is None:
        return "the test has no source of its name"
    return None if re.search(rf"\b{re.escape(part)}\b", code_of(source)) else \
        f"no such part in {os.path.relpath(source, ROOT)}"


def main():
    text = read("docs/requirements.md")
    tests, files = known_tests(), sources()
    faults, counts = [], dict.fromkeys(SYSTEMS, 0)
    for line, system, cells in rows(text):
        counts[system] += 1
        names = re.findall(r"`([^`]+)`", cells[2]) if len(cells) == 3 else []
        if not names:
            faults.append(f"docs/requirements.md:{line}: a requirement needs three cells and a test")
        for name in names:
            fault = fault_of(name, tests, files)
            if fault:
                faults.append(f"docs/requirements.md:{line}: {name}: {fault}")
    faults += [f"docs/requirements.md: nothing stands under {system}"
               for system, count in counts.items() if not count]
    print("\n".join(faults) if faults else
          ", ".join(f"{system}: {count}" for system, count in counts.items()))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
