#!/usr/bin/python3
"""processors.py BUILD: every source compiles without a warning for a processor
of 32 bits whose bytes are in the other order (PowerPC).

The sources and their flags are those of the release build in BUILD; Debian's
cross compiler looks at them and writes nothing.  tools/cross builds and runs.
"""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys

COMPILER = "powerpc-linux-gnu-gcc"
# Headers of codecs are the same everywhere; those of the C library come first.
HEADERS = ["-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu"]
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Wno-psabi", "-Werror", "-std=c11", "-D_FILE_OFFSET_BITS=64"]


def commands(build):
    """(source, its -D and -I) of everything that is ours."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True,
                            capture_output=True, text=True).stdout
    seen = set()
    for entry in json.loads(listed[listed.index("["):]):
        source = entry["file"]
        words = shlex.split(entry["command"])
        if "-c" not in words or not source.endswith(".c") or source in seen:
            continue
        seen.add(source)
        path = os.path.join(build, source)
        if not os.path.exists(path):  # made for a target that was not built
            continue
        yield path, [
            word for word in words if word.startswith(("-D", "-I"))]


def look(source, flags):
    done = subprocess.run([COMPILER, *FLAGS, *flags, *HEADERS, source],
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    build = sys.argv[1]
    if not shutil.which(COMPILER):
        print(f"skipped: no {COMPILER}")
        return 77
    sources = list(commands(build))
    assert len(sources) > 300, len(sources)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(lambda s: look(*s), sources):
            if text:
                print(text)
                failed += 1
    print(f"{len(sources)} sources, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
