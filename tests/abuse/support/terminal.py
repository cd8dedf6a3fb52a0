"""terminal.py - every verb on a terminal, over names that would steer it

Runs `tenon` under a pseudo terminal on models whose every name, text and path
is hostile, and looks at each byte that comes out.  Our own colours and the
line of progress are taken away first; they are none of those that the names
try.  A verb of `tenon --help` without a case here is a failure.
"""
import os
import pty
import re
import select
import subprocess
import sys
import time

EVIL = ("\x1b]0;owned\x07 \x1b[2J \x9b8m \x85 \x7f \u202e \u202a \u202b \u202c \u202d"
        " \u2066 \u2067 \u2068 \u2069 \u200e \u200f \u061c \r\b \U000e0041 end")
RAW = EVIL.encode() + b" \x9b7m \x9d0;t\x9c \xff"
OURS = re.compile(rb"\x1b\[(?:0|1|2|31|33|32|36)m|\r\x1b\[K")
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f"
                     "\u2028-\u202e\u2066-\u2069\U000e0000-\U000e0fff]")


def octal(data):
    return "".join("\\%03o" % byte for byte in data)


def on_terminal(arguments):
    """What a person would see; stdin is at its end."""
    pid, screen = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execvp("tenon", [b"tenon"] + arguments)
    seen, until = b"", time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([screen], [], [], 1)[0]:
            continue
        try:
            piece = os.read(screen, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    else:
        os.kill(pid, 9)
    os.close(screen)
    return seen, os.waitpid(pid, 0)[1]


def harm_in(seen):
    plain = OURS.sub(b"", seen).replace(b"\r\n", b"\n")
    try:
        text = plain.decode()
    except UnicodeDecodeError as error:
        return "bytes that are no text: %r" % plain[error.start:error.start + 8]
    found = HARMFUL.search(text)
    if found:
        return "%r in %r" % (found.group(), text[max(0, found.start() - 40):found.start() + 10])
    return None


def make_models():
    evil, raw = octal(EVIL.encode()), octal(RAW)
    with open("m.txt", "w") as f:
        f.write('''ir_version: 8 producer_name: "%(r)s" domain: "%(e)s" doc_string: "%(r)s"
opset_import { domain: "%(e)s" version: 17 } opset_import { version: 17 }
metadata_props { key: "%(e)s" value: "%(r)s" }
graph { name: "%(r)s" doc_string: "%(e)s"
  node { op_type: "%(e)s" name: "n%(r)s" domain: "%(e)s" input: "w%(e)s" input: "s" output: "y"
         doc_string: "%(e)s" attribute { name: "a%(e)s" type: STRING s: "%(r)s" } }
  node { op_type: "Relu" name: "r%(e)s" input: "gone%(e)s" output: "z%(e)s" }
  initializer { name: "w%(e)s" data_type: 1 dims: 1 float_data: 1 }
  initializer { name: "twice" data_type: 1 dims: 1 float_data: 1 }
  initializer { name: "x%(e)s" data_type: 1 dims: 1 data_location: EXTERNAL
                external_data { key: "location" value: "f%(e)s" } }
  initializer { name: "s" data_type: 8 dims: 2 string_data: "%(e)s" string_data: "%(r)s" }
  input { name: "i%(e)s" type { tensor_type { elem_type: 1 shape { dim { dim_param: "%(e)s" } } } } }
  output { name: "z%(e)s" type { tensor_type { elem_type: 1 shape { dim { dim_param: "%(e)s" } } } } }
}''' % {"e": evil, "r": raw})
    with open("t.pbtxt", "w") as f:
        f.write('''node { name: "%(r)s" op: "%(e)s" input: "no%(e)s" device: "%(e)s"
  attr { key: "a%(e)s" value { s: "%(r)s" } } }
node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "value" value { tensor { dtype: DT_STRING tensor_shape { dim { size: 1 } }
    string_val: "%(r)s" } } } }''' % {"e": evil, "r": raw})
    with open("v.txt", "w") as f:
        f.write('''ir_version: 8 opset_import { version: 17 } graph { name: "%(e)s"
  node { op_type: "Relu" name: "r%(e)s" input: "i%(e)s" output: "z%(e)s" }
  node { op_type: "Mul" name: "m%(e)s" input: "z%(e)s" input: "w%(e)s" output: "o%(e)s" }
  initializer { name: "w%(e)s" data_type: 1 dims: 2 float_data: 1 float_data: 2 }
  input { name: "i%(e)s" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
  output { name: "o%(e)s" type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } }
}''' % {"e": evil})
    with open("evil.rules", "wb") as f:
        f.write(b'onnx "' + RAW + b'" => nd4j ' + RAW + b'\n')
    with open("evil.json", "wb") as f:
        f.write(b'{"graph": {"' + RAW + b'": 1}}')
    with open("evil.txt", "wb") as f:
        f.write(b"graph { " + RAW + b": 1 }")
    run = lambda *a: subprocess.run(("tenon",) + a, check=True, stdout=subprocess.DEVNULL)
    run("undump", "m.txt", "-o", "m.onnx")
    run("undump", "v.txt", "-o", "v.onnx")
    run("undump", "t.pbtxt", "-o", "t.pb")
    run("convert", "v.onnx", "-o", "v.fb")
    run("convert", "v.onnx", "-o", "v.npz")
    run("convert", "v.onnx", "-o", "v.safetensors")
    run("tag", "add", "v.samediff", "first", "v.onnx")
    os.link("v.onnx", RAW.replace(b"/", b"") + b".onnx")


def cases():
    e, raw = EVIL.encode(), RAW.replace(b"/", b"")
    models = [b"m.onnx", b"v.onnx", b"t.pb", b"v.fb", b"v.npz", b"v.safetensors", b"v.samediff",
              raw + b".onnx"]
    for model in models:
        for verb in ([b"info", b"--all"], [b"info", b"--json"], [b"ls"], [b"ls", b"--json"],
                     [b"ls", b"--ops"], [b"ls", b"--layout", b"table"], [b"check"],
                     [b"ls", b"--stats"], [b"ls", b"--wide"], [b"check", b"--all"],
                     [b"hash", b"--wide"],
                     [b"check", b"--json"], [b"hash"], [b"hash", b"--json"], [b"dump"],
                     [b"dump", b"--json"], [b"dump", b"--json-names"],
                     [b"get", b"--text", b"", b"w" + e], [b"get", b"--text", b"", b"s"],
                     [b"get", b"--text", b"", b"c"], [b"get", b"--text", b"", raw],
                     [b"convert", b"--plan", b"-o", b"plan.onnx"],
                     [b"convert", b"--plan", b"-o", b"plan.fb"],
                     [b"convert", b"--plan", b"--json", b"-o", b"plan.fb"],
                     [b"convert", b"-n", b"-o", b"n.fb"], [b"convert", b"-n", b"-o", b"n.onnx"],
                     [b"convert", b"-n", b"-o", b"n.npz"], [b"convert", b"-n", b"--json", b"-o", b"n.pdmodel"],
                     [b"convert", b"-n", b"-o", b"n.onnx", b"--inputs", raw],
                     [b"convert", b"-n", b"-o", b"n.onnx", b"--external", raw],
                     [b"convert", b"-n", b"-o", b"-", b"--to", b"paddle-pir"],
                     [b"convert", b"-o", raw + b"/x.fb"],
                     [b"rules", b"coverage"], [b"rules", b"coverage", b"--json"],
                     [b"split", b"-n", b"-o", raw], [b"merge", b"-n", b"-o", raw + b"/x"],
                     [b"view", b"-n", b"-o", raw], [b"view", b"-n", b"--json", b"-o", raw],
                     [b"strip", b"-n", b"--callstack", b"-o", raw],
                     [b"simplify", b"-f", b"-o", b"small.onnx"],
                     [b"simplify", b"-n", b"--json", b"-o", raw],
                     [b"tag", b"ls"], [b"tag", b"log"]):
            yield [word if word else model for word in verb] if b"" in verb else verb + [model]
    yield []  # the models of the folder
    for other in models:
        yield [b"scan", other]
        yield [b"scan", b"--json", other]
        yield [b"scan", b"--sarif", other]
        yield [b"catalog", b"-o", b"-", other]
        yield [b"catalog", b"--scan", b"--json", b"-n", b"-o", b"c.ndjson", other]
        yield [b"diff", b"m.onnx", other]
        yield [b"diff", b"--all", other, b"v.onnx"]
        yield [b"diff", b"--json", b"v.onnx", other]
        yield [b"edit", other, b"-n", b"-o", b"e.onnx", b"--rename", b"w" + e + b"=" + raw]
        yield [b"edit", other, b"-n", b"-o", raw, b"--remove-tensor", raw]
    yield [b"edit", b"v.onnx", b"-n", b"-o", b"e.onnx", b"--rename-from", b"evil.txt"]
    yield [b"apply", b"v.onnx", b"evil.txt", b"-n", b"-o", b"e.onnx"]
    yield [b"apply", b"v.onnx", raw, b"-n", b"-o", raw]
    yield [b"tag", b"add", b"v.samediff", raw, b"v.onnx"]
    yield [b"tag", b"add", b"v.samediff", b"second", b"m.onnx"]
    yield [b"tag", b"rm", b"v.samediff", raw]
    yield [b"tag", b"diff", b"v.samediff", b"first", raw]
    yield [b"tag", b"export", b"v.samediff", raw, b"-o", b"x.fb"]
    yield [b"undump", b"evil.json", b"-o", b"x.onnx"]
    yield [b"undump", b"evil.txt", b"-o", b"x.onnx"]
    yield [b"undump", raw, b"-o", raw]
    for action in (b"ls", b"check", b"test", b"export"):
        yield [b"rules", action, b"evil.rules"]
        yield [b"rules", action, b"--json", b"evil.rules"]
    yield [b"rules", b"explain", raw]
    yield [b"rules", b"extract", b"evil.rules"]
    yield [b"convert", b"v.onnx", b"-o", b"x.fb", b"--rules", b"evil.rules"]
    yield [b"formats"]
    yield [b"completion", b"bash"]
    yield [b"completion", raw]
    yield [b"catalog", raw, b"-o", raw]
    yield [b"catalog", raw, b"-o", b"-"]
    yield [raw]
    yield [b"info", b"--" + raw]
    yield [b"info", b"--from", raw, b"v.onnx"]
    yield [b"info", b"--tag", raw, b"v.samediff"]
    yield [b"info", b"--max-mem", raw, b"v.onnx"]
    yield [b"get", b"m.onnx", b"s", b"--slice", raw, b"--text"]
    yield [b"hash", b"-c", b"evil.txt", b"v.onnx"]
    yield [b"dump", b"--type", raw, b"v.onnx"]


def main():
    make_models()
    failures, count, verbs = 0, 0, set()
    for arguments in cases():
        seen, status = on_terminal(arguments)
        verbs.add(b"".join(arguments[:1]).decode("utf-8", "replace"))
        harm = harm_in(seen)
        if harm is None and (os.WIFSIGNALED(status) or not seen and os.WEXITSTATUS(status)):
            harm = "ended with %#x and said %r" % (status, seen[:80])
        if harm:
            print("terminal: %r: %s" % (arguments, harm), file=sys.stderr)
            failures += 1
        count += 1
    listed = subprocess.run(("tenon", "--help"), capture_output=True, text=True).stdout
    for verb in re.findall(r"^  (\w+)  ", listed.split("Verbs")[1], re.M):
        if verb not in verbs:
            print("terminal: no case for '%s'" % verb, file=sys.stderr)
            failures += 1
    print("terminal: %d runs" % count)
    sys.exit(1 if failures or count < 200 else 0)


main()
