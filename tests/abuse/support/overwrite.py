"""overwrite.py - no verb writes over what it reads

The input, and the files beside it that belong to it, under every spelling and through links.
What is written may take the place of the input when it is the whole model again.
"""
import os
import shutil
import subprocess
import sys

import payloads

failures = []


def make_fresh():
    """What every run begins with, made once; see prepare."""
    os.makedirs("fresh/below/saved")
    os.chdir("fresh")
    for name, side in (("m.onnx", "w.bin"), ("s.onnx", "s.cpb"), ("p.onnx", "p.pb")):
        payloads.external(name, location=side, length="16")
        with open(side, "wb") as f:
            f.write(payloads.VALUES[:16])
    os.symlink("m.onnx", "soft.onnx")
    os.symlink("w.bin", "soft.bin")
    payloads.onnx("r.onnx", payloads.field(9, payloads.VALUES[:16]))
    field = payloads.field
    node = field(1, b"x") + field(2, b"Placeholder") + field(5, field(1, b"dtype") + field(2, field(6, 1)))
    with open("below/saved/saved_model.pb", "wb") as f:
        f.write(field(1, 1) + field(2, field(1, field(4, b"serve")) + field(2, field(1, node))))
    for words in (("tag", "add", "c.samediff", "one", "r.onnx"), ("tag", "add", "c.samediff", "two", "r.onnx"),
                  ("dump", "r.onnx", "-o", "r.txt"), ("split", "r.onnx", "--max-size", "50", "-o", "q"),
                  ("rules", "export", "--ops", "-o", "v.txt")):
        subprocess.run(("tenon",) + words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.chdir("..")


def prepare():
    shutil.rmtree("over", ignore_errors=True)
    shutil.copytree("fresh", "over", symlinks=True)
    os.link("over/m.onnx", "over/hard.onnx")


def contents():
    found = {}
    for folder, _, names in os.walk("over"):
        for name in names:
            with open(os.path.join(folder, name), "rb") as f:
                found[os.path.join(folder, name)] = f.read()
    return found


def run(words):
    return subprocess.run(("tenon",) + words, cwd="over", capture_output=True, text=True)


def refused(*words):
    prepare()
    before = contents()
    done = run(words)
    if done.returncode != 11 or ("would be overwritten" not in done.stderr and "would replace the input" not in done.stderr):
        failures.append("%s: %d: %s" % (" ".join(words), done.returncode, done.stderr))
    if contents() != before:
        failures.append("%s: something has changed" % " ".join(words))


def allowed(model, *words):
    prepare()
    done = run(words)
    if done.returncode != 0:
        failures.append("%s: %d: %s" % (" ".join(words), done.returncode, done.stderr))
    elif run(("check", model)).returncode != 0:
        failures.append("%s: %s is broken" % (" ".join(words), model))


make_fresh()
for side in ("w.bin", "./w.bin", "../over/w.bin", "below/../w.bin", "soft.bin"):
    for words in (("dump", "m.onnx"), ("get", "m.onnx", "w", "--raw"), ("merge", "m.onnx"),
                  ("convert", "m.onnx", "--to", "onnx"), ("convert", "m.onnx", "--to", "npz"),
                  ("convert", "m.onnx", "--to", "samediff-fb")):
        refused(*words, "-f", "-o", side)
for main in ("m.onnx", "./m.onnx", "hard.onnx", "soft.onnx"):
    refused("dump", "m.onnx", "-f", "-o", main)
    refused("get", "m.onnx", "w", "--raw", "-f", "-o", main)
    refused("view", "m.onnx", "--form", "html", "-f", "-o", main)
    allowed("m.onnx", "convert", "m.onnx", "-f", "-o", main)
    allowed("m.onnx", "strip", "m.onnx", "--callstack", "-f", "-o", main)
for text in ("r.txt", "./r.txt"):
    allowed("r.txt", "undump", "r.txt", "-f", "-o", text)
refused("split", "s.onnx", "--max-size", "50", "-f", "-o", "s")  # would be written
refused("split", "p.onnx", "--max-size", "50", "-f", "-o", "p")  # would be removed
refused("convert", "m.onnx", "-f", "--external", "w.bin", "--threshold", "0", "-o", "n.onnx")
for container in ("c.samediff", "./c.samediff"):
    refused("tag", "export", "c.samediff", "one", "-f", "-o", container)
    refused("convert", "c.samediff", "-f", "-o", container)
for folder in ("below", "./below/", "../over/below"):
    refused("convert", "below/saved", "-f", "--to", "tf-saved-model", "-o", folder)
for main in ("m.onnx", "./m.onnx", "hard.onnx", "soft.onnx", "w.bin", "soft.bin"):
    refused("rules", "interpret", "m.onnx", "-f", "-o", main)
    refused("rules", "interpret", "./m.onnx", "--binary", "-f", "-o", main)
refused("rules", "interpret", "below/saved", "-f", "-o", "below/saved/saved_model.pb")
for rules in ("v.txt", "./v.txt"):
    refused("rules", "export", "v.txt", "-f", "-o", rules)
    refused("rules", "interpret", "m.onnx", "--vocabulary", "v.txt", "-f", "-o", rules)
allowed("below/saved", "convert", "below/saved", "-f", "--to", "tf-saved-model", "-o", "below/saved")
allowed("q.cpb", "split", "q.cpb", "--max-size", "60", "-f", "-o", "q")
allowed("q.pb", "merge", "q", "-o", "q.pb")
allowed("c.samediff", "tag", "add", "c.samediff", "three", "c.samediff")
for failure in failures:
    print("overwrite:", failure, file=sys.stderr)
sys.exit(1 if failures else 0)
