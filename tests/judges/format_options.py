#!/usr/bin/env python3
"""format_options.py TENON SOURCE: every text says the options that formats have.

`tenon formats --json` lists what the formats declare.  --help, the manual and
the completion of three shells must have the same options, for the same formats;
and an option is refused for every other format, with the list of those that
have it.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TENON, SOURCE = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = os.path.join(SOURCE, "tests/corpus/onnx/everything.onnx")
VALUES = {"file": "w.bin", "size": "1MiB", "text": "none"}


def tenon(*words):
    return subprocess.run([TENON, *words], capture_output=True, text=True)


def declared(formats, is_for_reading):
    """(formats, option, value) of each, as sections of a text list them."""
    rows = {}
    for format_ in formats:
        for option in format_["options"]:
            if option["is_for_reading"] == is_for_reading:
                key = (option["name"], option.get("value"), option["help"])
                rows.setdefault(key, []).append(format_["name"])
    return {(", ".join(names), name, value)
            for (name, value, _), names in rows.items()}


def said(text, word, option):
    """The same, from a text with sections and rows."""
    rows, names = set(), None
    for line in text.splitlines():
        section = re.match(rf"(?:\.SS )?{word} (.*)|(?:\.S[SH] )?\w+$", line)
        if section:
            names = section[1]
        row = names and re.match(option, line.replace("\\-", "-"))
        if row:
            rows.add((names.replace("\\-", "-"), row[1], row[2]))
    return rows


HELP = r"  (?:-\w, |    )--([\w-]+)(?: (\S+))?(?:  |$)"
MANUAL = r"(?:\\fB-\w\\fR, )?\\fB--([\w-]+)\\fR(?: \\fI(\S+)\\fR)?$"


def completed(name, words):
    """What is missing in the completion of --NAME, by shell."""
    bash = tenon("completion", "bash").stdout
    zsh = tenon("completion", "zsh").stdout
    fish = tenon("completion", "fish").stdout
    listed = re.search(r"^ +convert\) words=\"(.*)\"", bash, re.M)[1].split()
    if listed.count("--" + name) != 1:
        yield "bash"
    section = re.search(r"^    convert\)\n(.*?);;", zsh, re.M | re.S)[1]
    if section.count(f"'--{name}[") != 1:
        yield "zsh"
    row = re.findall(rf"seen_subcommand_from convert' -l {name}\b.*", fish)
    if len(row) != 1 or any(word not in row[0] for word in words):
        yield "fish"
    values = re.search(rf"convert:--{name}[^)]*\) words=\"(.*)\"", bash)
    if words and (not values or values[1].split() != words):
        yield "words of bash"


def refused(formats, bad):
    """Each option for each format that has none of that name."""
    count = 0
    options = {o["name"]: o for f in formats for o in f["options"]
               if not o["is_for_reading"]}
    for name, option in options.items():
        having = [f["name"] for f in formats
                  if any(o["name"] == name for o in f["options"])]
        value = option["value"].split("|")[0] if option["kind"] == "choice" \
            else VALUES.get(option["kind"])
        for format_ in formats:
            if format_["name"] in having or not format_["can_write"]:
                continue
            run = tenon("convert", MODEL, "--to", format_["name"], "-o", "out",
                        "--" + name, *([value] if value else []))
            if run.returncode == 2 and " needs " in run.stderr:
                continue  # another option comes first
            wanted = f"--{name} is for {', '.join(having)}, not for " \
                     f"{format_['name']}"
            count += 1
            if run.returncode != 11 or wanted not in run.stderr:
                bad.append(f"{format_['name']} --{name}: {run.stderr}")
    return count


def main():
    formats = json.loads(tenon("formats", "--json").stdout)["formats"]
    writing, reading = declared(formats, False), declared(formats, True)
    manual = open(os.path.join(SOURCE, "man/tenon-convert.1")).read()
    shown = tenon("convert", "--help").stdout
    bad = []
    for what, found, wanted in (
            ("--help", said(shown, "For", HELP), writing),
            ("--help, reading", said(shown, "Reading", HELP), reading),
            ("manual", said(manual, "For", MANUAL), writing),
            ("manual, reading", said(manual, "Reading", MANUAL), reading)):
        if found != wanted or not wanted:
            bad.append(f"{what}: {sorted(found ^ wanted, key=str)}")
    for name in sorted({row[1] for row in writing | reading}):
        words = [word for _, other, value in sorted(
            writing, key=lambda row: row[0]) if other == name and "|" in
            (value or "") for word in value.split("|")]
        for shell in completed(name, words):
            bad.append(f"completion of --{name}: {shell}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        count = refused(formats, bad)
        left = os.listdir(folder)
        os.chdir("/")
    if left or count < 50:
        bad.append(f"{count} refusals, and files: {left}")
    print("\n".join([*bad, f"{len(writing | reading)} options in {len(formats)}"
                           f" formats, {count} refusals, {len(bad)} wrong"]))
    return len(bad) > 0


if __name__ == "__main__":
    sys.exit(main())
