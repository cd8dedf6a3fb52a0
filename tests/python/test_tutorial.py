#!/usr/bin/python3
"""docs/splitting.md shows code that is in examples/, and what commands print.

    test_tutorial.py FOLDER

FOLDER has the compiled custom_splitter.  The Python example is run by
test_chunk.py.  Exits 77 when protoc is missing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
EXAMPLES = os.path.join(ROOT, "examples")
SOURCES = {"c": "custom_splitter.c", "python": "custom_splitter.py",
           "proto": "model_config.proto"}


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def check_excerpt(language, block):
    """Whole lines of the example, as they stand there."""
    return "\n" + block in text_of("examples", SOURCES[language])


def replay(block, program):
    """The block, with what its commands print now."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("model_config.proto", "model_config.textproto"):
            shutil.copy(os.path.join(EXAMPLES, name), folder)
        search = program + os.pathsep + os.environ["PATH"]
        for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
            done = subprocess.run(
                command, shell=True, cwd=folder, check=False, text=True,
                env={**os.environ, "PATH": search}, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            out.append(f"$ {command}\n{done.stdout}")
    return "".join(out)


def main(program):
    if not shutil.which("protoc"):
        print("skipped: protoc is not installed")
        return 77
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text_of("docs",
                        "splitting.md"), re.MULTILINE | re.DOTALL)
    wrong = 0
    for language, block in blocks:
        if language == "console":
            now = replay(block, os.path.abspath(program))
            if now != block:
                wrong += 1
                print(f"the commands print something else:\n{now}")
        elif not check_excerpt(language, block):
            wrong += 1
            print(f"not in examples/{SOURCES[language]}:\n{block}")
    seen = {language for language, _ in blocks}
    if seen != {*SOURCES, "console"}:
        wrong += 1
        print(f"languages of the tutorial: {sorted(seen)}")
    print(f"{len(blocks)} blocks, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
