#!/usr/bin/python3
"""What others call dangerous is dangerous; what is harmless is not.

    scan.py TENON SHARED

The pickles of SHARED/data/pytorch/malicious with the verdicts of another scanner, and all other
files of SHARED/data, none of which may be dangerous.  Files that cannot be looked into are
unknown, never clean.
"""
import csv
import json
import os
import subprocess
import sys

CLOSED = {"benign_password_protected.zip", "malicious1.7z"}
UNKNOWN = {"whole-module.pt", "whole-module.legacy.pt"}


def worst(tenon, path):
    done = subprocess.run([tenon, "scan", "--json", path], capture_output=True, text=True)
    found = {}
    for finding in json.loads(done.stdout)["findings"]:
        found.setdefault(finding["file"], set()).add(finding["verdict"])
    order = ("dangerous", "unknown", "note")
    return {file: next(word for word in order if word in verdicts) for file, verdicts in found.items()}, done.returncode


def main(tenon, shared):
    folder = os.path.join(shared, "data", "pytorch", "malicious")
    if not os.path.isdir(folder):
        print("skipped: wants real models: malicious pickles")
        return 77
    wrong, count = 0, 0
    with open(os.path.join(folder, "picklescan.tsv"), encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            path = os.path.join(folder, row["file"])
            verdicts, code = worst(tenon, path)
            verdict = verdicts.get(path, "clean")
            expected = "unknown" if row["file"] in CLOSED else row["picklescan"]
            is_right = verdict in ("clean", "note") if expected == "clean" else verdict == expected
            count += 1
            if not is_right or code != (0 if expected == "clean" else 1):
                print(f"{row['file']}: {verdict}, not {expected}; exit code {code}")
                wrong += 1
    verdicts, _ = worst(tenon, os.path.join(shared, "data"))
    others = {path: verdict for path, verdict in verdicts.items() if os.sep + "malicious" + os.sep not in path}
    for path, verdict in others.items():
        if verdict == "dangerous":
            print(f"{path}: dangerous")
            wrong += 1
    for name in UNKNOWN:
        if others.get(os.path.join(shared, "data", "pytorch", name)) != "unknown":
            print(f"{name}: a whole pickled module is not unknown")
            wrong += 1
    print(f"{count} files with a verdict, {len(others)} others with findings, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
