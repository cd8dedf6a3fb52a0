#!/usr/bin/env python3
"""doc_options.py TENON SOURCE: commands in documents have verbs and options that
there are.

Commands are what stands in `backquotes` or on a line of its own and begins with
`tenon`, in every document; also those that no test can run, because they name a
URL or a model of the reader.  Tests of documents and of the manual run others.
"""
import pathlib
import re
import subprocess
import sys

QUOTED = re.compile(r"(?<!`)`(tenon [^`]+)`(?!`)")
ALONE = re.compile(r"^\s*(?:\$ )?(?:build/)?(tenon .+)$", re.M)
FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z0-9][\w-]*")


def said(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stdout


def commands(path):
    text = path.read_text()
    fences = "\n".join(FENCE.findall(text))
    found = QUOTED.findall(FENCE.sub("", text)) + ALONE.findall(fences)
    found += [c for line in re.findall(r"^    \S.*$", text, re.M)
              for c in ALONE.findall(line)]
    for command in found:
        # A pipe, a comment, another command: not ours.
        yield re.split(r"\s[|#>;]|\s&&|\$\(|\)", command)[0]


def main():
    tenon, root = sys.argv[1], pathlib.Path(sys.argv[2])
    verbs = re.findall(r"^  ([a-z]+)\s{2,}", said(tenon, "--help"), re.M)
    assert len(verbs) > 15, verbs
    known = {verb: set(OPTION.findall(said(tenon, verb, "--help")))
             | {"--help", "-h"} for verb in verbs}
    top = set(OPTION.findall(said(tenon, "--help"))) | {"--help", "--version"}
    documents = [root / "README.md", root / "CONTRIBUTING.md",
                 root / "SECURITY.md", root / "ARCHITECTURE.md",
                 root / "rules/README.md", *sorted(root.glob("docs/*.md")),
                 *sorted(root.glob("docs/formats/*.md"))]
    bad, count = [], 0
    for path in documents:
        for command in commands(path):
            words = command.split()[1:]
            verb = next((w for w in words if not w.startswith("-")), None)
            options = {w.split("=")[0] for w in words
                       if OPTION.fullmatch(w.split("=")[0])}
            count += 1
            place = f"{path.relative_to(root)}: {command}"
            if verb is None or verb not in known:
                if verb and re.fullmatch("[a-z]+", verb) \
                        and words[0] == verb or options - top:
                    bad.append(f"{place}: no such verb or option")
                continue
            for option in sorted(options - known[verb] - top):
                if not re.fullmatch(r"-\d+|-[a-zA-Z]{2,}", option):
                    bad.append(f"{place}: no option {option}")
    print("\n".join(bad))
    print(f"{count} commands of {len(documents)} documents")
    assert count > 150
    sys.exit(bool(bad))


main()
