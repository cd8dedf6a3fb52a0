#!/usr/bin/python3
"""The programs of docs/api.md: each compiles without a warning, runs, and
prints what the page says.

    api_tour.py BUILD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I",
         os.path.join(TOP, "include")]


def main():
    library = os.path.join(BUILD, "src")
    if not shutil.which("cc") or not os.path.exists(
            os.path.join(library, "libtenon.so")):
        print(f"skipped: no compiler, or no release build in {BUILD}")
        return 77
    with open(os.path.join(TOP, "docs", "api.md"), encoding="utf-8") as file:
        text = file.read()
    blocks = re.findall(
        r"```c (\S+)\n(.*?)```(?:\n\nprints\n\n```text\n(.*?)```)?", text,
        re.S)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, program, expected in blocks:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            if name.endswith(".h"):
                continue
            subprocess.run(["cc", *FLAGS, path, "-o", path + ".out", "-L",
                            library, "-ltenon", f"-Wl,-rpath,{library}"],
                           check=True)
            done = subprocess.run([path + ".out"], cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode or done.stdout != expected:
                wrong += 1
                print(f"{name}: exit {done.returncode}\n{done.stdout}"
                      f"{done.stderr}expected:\n{expected}")
    print(f"docs/api.md: {len(blocks) - 1} programs")
    return 1 if wrong or len(blocks) < 8 else 0


if __name__ == "__main__":
    sys.exit(main())
