#!/usr/bin/python3
"""on_terminal.py TENON - what a person at a terminal sees

Runs the command on pseudo terminals of several widths: no line is wider than
the terminal, names are shortened in the middle, and pipes get what they always
get.  Then the pager: which one, when there is none, when it ends early, when
the user presses Ctrl-C; exit codes, and no process is left.
"""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

TENON = os.path.realpath(sys.argv[1])
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\]")
failed = 0


def claim(text, holds, detail=""):
    global failed
    if not holds:
        failed += 1
        print(f"FAILED: {text}\n{detail}")


class Terminal:
    """One command on a terminal of its own."""

    def __init__(self, arguments, columns=80, rows=24, **variables):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                       "TERM": "xterm", "HOME": "/nonexistent",
                       "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        for name, value in variables.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        ready, begin = os.pipe()
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.read(ready, 1)  # until the terminal has its size
            os.execve(TENON, ["tenon"] + arguments, environment)
        self.resize(columns, rows)
        os.write(begin, b"x")
        os.close(begin)
        os.close(ready)
        self.seen = b""

    def resize(self, columns, rows=24):
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds, until=None):
        """Until the end, the time, or a text that is waited for."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if until is not None and until in self.seen:
                return True
            if not select.select([self.screen], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(self.screen, 65536)
            except OSError:
                return until is None
            self.seen += piece
        return False

    def type(self, text):
        os.write(self.screen, text.encode())

    def end(self, seconds=30):
        """The exit code, negative for a signal; None if it did not end."""
        self.read(seconds)
        for _ in range(100):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.screen)
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.screen)
        return None

    def quit(self):
        """Less may drop what is typed while it handles a signal."""
        for _ in range(20):
            try:
                self.type("q")
            except OSError:
                break
            if self.read(1):
                break
        return self.end()

    def text(self):
        return self.seen.decode().replace("\r\n", "\n")

    def lines(self):
        return ESCAPE.sub("", self.text()).split("\n")


def width(line):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else
               2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def run(arguments, **variables):
    terminal = Terminal(arguments, **variables)
    code = terminal.end()
    return terminal, code


def piped(arguments):
    return subprocess.run([TENON] + arguments, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


# ---- models ------------------------------------------------------------------

LONG = ["model/encoder/layers/%d/attention/self/query/kernel/with/a/long/path" % i
        for i in range(60)]
WIDE = ["編碼器/層/%d/注意力/權重/很長的名字/" % i * 3 for i in range(3)]
MARKED = ["e\u0301\u0302" * 50, "नमस्ते/" * 20, "ไม้/" * 30]


def save_tensors(path, names):
    head = {name: {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
            for name in names}
    at = 0
    for entry in head.values():
        entry["data_offsets"] = [at, at + 8]
        at += 8
    text = json.dumps(head, ensure_ascii=False).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + bytes(at))


def save_graph(path, count):
    """A chain of nodes in the wrong order, and one name twice."""
    nodes = [f'node {{ op_type: "Relu" name: "n{i}" input: "v{i}" '
             f'output: "v{i + 1}" }}' for i in range(count)]
    text = ('ir_version: 3 opset_import { version: 9 } graph { name: "g" ' +
            " ".join(reversed(nodes)) +
            ' node { op_type: "Add" name: "last" input: "v%d" input: "w" '
            'output: "out" }' % count +
            ' initializer { name: "w" data_type: 1 dims: 1 float_data: 1 }'
            ' input { name: "v0" type { tensor_type { elem_type: 1 shape {'
            ' dim { dim_value: 1 } } } } }'
            ' input { name: "w" type { tensor_type { elem_type: 1 shape {'
            ' dim { dim_value: 1 } } } } }'
            ' output { name: "out" type { tensor_type { elem_type: 1 shape {'
            ' dim { dim_value: 1 } } } } } }')
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([TENON, "undump", path + ".txt", "-o", path], check=True)


# ---- claims ------------------------------------------------------------------

def tables_fit():
    for columns in (40, 80, 200):
        for words in (["ls", "n.safetensors"], ["ls", "-l", "n.safetensors"],
                      ["ls", "--stats", "n.safetensors"],
                      ["ls", "--ops", "-l", "g.onnx"], ["info", "g.onnx"],
                      ["info", "-a", "n.safetensors"], ["hash", "n.safetensors"],
                      ["check", "g.onnx"], ["formats"], ["rules", "ls"],
                      ["diff", "n.safetensors", "o.safetensors"],
                      ["diff", "g.onnx", "h.onnx"],
                      ["convert", "--plan", "h.onnx", "-o", "x.fb"], []):
            terminal, code = run(words, columns=columns, TENON_PAGER="cat")
            claim(f"{words} at {columns} columns ends", code in (0, 1), code)
            for line in terminal.lines():
                claim(f"{words} at {columns} columns fits",
                      width(line) <= columns, f"{width(line)}: {line}")
    terminal, _ = run(["ls", "n.safetensors"], columns=60, TENON_PAGER="cat")
    line = terminal.lines()[1]
    claim("a name is shortened in the middle", re.match(
        r"model/enc[^ ]*…[^ ]*long/path ", line), line)
    terminal, _ = run(["ls", "--wide", "n.safetensors"], columns=40,
                      TENON_PAGER="cat")
    claim("--wide shows all", LONG[7] in terminal.text(), terminal.text()[:300])
    terminal = Terminal(["ls", "n.safetensors"], TENON_PAGER="cat")
    terminal.resize(50)
    terminal.end()
    claim("a terminal that became narrower",
          all(width(l) <= 80 for l in terminal.lines()))


def pipes_stay():
    for words in (["ls", "n.safetensors"], ["check", "g.onnx"],
                  ["hash", "n.safetensors"]):
        text = piped(words)
        claim(f"{words} into a pipe is whole", "…" not in text and
              "\x1b" not in text, text[:200])
    lines = piped(["check", "g.onnx"]).split("\n")
    claim("a finding a line", sum("[not-topological]" in l for l in lines) > 20)


def colours():
    terminal, _ = run(["ls", "g.onnx"], TENON_PAGER="cat")
    claim("colours on a terminal", "\x1b[" in terminal.text())
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": None}):
        terminal, _ = run(["ls", "g.onnx"], TENON_PAGER="cat", **variables)
        claim(f"no colours with {variables}", "\x1b" not in terminal.text())


def findings_are_grouped():
    terminal, code = run(["check", "g.onnx"], columns=100, TENON_PAGER="cat")
    text = " ".join(terminal.text().split())
    claim("check exits with 1", code == 1, code)
    claim("findings of a rule are one line", re.search(
        r"not-topological: \d+ nodes, first graph\.node\[\d+\]", text), text)
    claim("and --all lists them", "--all lists them" in text, text)
    terminal, _ = run(["check", "--all", "g.onnx"], columns=100,
                      TENON_PAGER="cat")
    claim("--all lists them", terminal.text().count("[not-topological]") > 20)
    kinds = re.findall(r"^  (error|warning|note) ", "\n".join(
        run(["check", "g.onnx"], TENON_PAGER="cat")[0].lines()), re.M)
    claim("errors come first", kinds == sorted(
        kinds, key=["error", "warning", "note"].index), kinds)


def info_leads():
    terminal, _ = run(["info", "g.onnx"], TENON_PAGER="cat")
    text = "\n".join(terminal.lines())
    order = [text.find(t) for t in ("g.onnx", "Inputs", "Outputs", "Parameters",
                                    "Properties", "Operators")]
    claim("inputs, outputs, parameters come first",
          -1 not in order and order == sorted(order), text)
    claim("an initializer is no input", not re.search(r"^  w ", text, re.M), text)
    claim("but it is counted", "and 1 with default values" in text, text)


def models_are_listed():
    terminal, code = run([], TENON_PAGER="cat")
    claim("tenon alone lists models", code == 0 and "n.safetensors" in
          terminal.text() and "g.onnx" in terminal.text(), terminal.text())


def progress():
    """A tensor that takes minutes; holes of a file cost no disk."""
    size = 512 << 30
    head = json.dumps({"w": {"dtype": "U8", "shape": [size],
                             "data_offsets": [0, size]}}).encode()
    try:
        with open("huge.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(head)) + head)
            file.truncate(8 + len(head) + size)
    except OSError:
        return print("skipped: wants sparse files of 512 GiB")
    terminal = Terminal(["hash", "huge.safetensors"])
    claim("rate and time left", terminal.read(30, until=b" left"),
          repr(terminal.seen[-200:]))
    claim("a line of progress", re.search(
        r"hashing  [\d.]+ [KMG]iB of 512.0 GiB  \d+%  [\d.]+ [KMG]iB/s  "
        r"[\d:]+ (s )?left", terminal.text()), repr(terminal.seen[-200:]))
    terminal.resize(30)
    terminal.seen = b""
    terminal.read(0.5)
    claim("a narrow terminal has a short line", all(
        width(l) < 30 for l in ESCAPE.sub("\r", terminal.seen.decode()).split(
            "\r")), repr(terminal.seen[-200:]))
    terminal.type("\x03")
    code = terminal.end()
    claim("Ctrl-C ends it", code == -signal.SIGINT, code)
    os.unlink("huge.safetensors")


# ---- the pager ---------------------------------------------------------------

MARK = "sh -c 'echo PAGED; cat'"


def pagers():
    text = lambda words, **v: run(words, **v)[0].text()
    words = ["ls", "n.safetensors"]
    claim("TENON_PAGER is used", "PAGED" in text(words, TENON_PAGER=MARK))
    claim("PAGER is used", "PAGED" in text(words, PAGER=MARK))
    claim("TENON_PAGER is stronger",
          "PAGED" not in text(words, PAGER=MARK, TENON_PAGER="cat"))
    claim("an empty one is none", "PAGED" not in text(words, PAGER=MARK,
                                                      TENON_PAGER=""))
    claim("--no-pager", "PAGED" not in text(words + ["--no-pager"], PAGER=MARK))
    claim("--no-pager before the verb",
          "PAGED" not in text(["--no-pager"] + words, PAGER=MARK))
    claim("a dumb terminal has none", "PAGED" not in text(words, PAGER=MARK,
                                                          TERM="dumb"))
    claim("help is paged", "PAGED" in text(["ls", "--help"], PAGER=MARK))
    claim("get is paged", "PAGED" in text(["get", "g.onnx", "w"], PAGER=MARK))
    claim("dump is paged", "PAGED" in text(["dump", "g.onnx"], PAGER=MARK))
    claim("LESS is FRX", "LESS=FRX" in text(
        words, PAGER="sh -c 'echo LESS=$LESS; cat >/dev/null'"))
    claim("LESS is the user's", "LESS=R." in text(
        words, PAGER="sh -c 'echo LESS=$LESS.; cat >/dev/null'", LESS="R"))
    claim("colours go through", "\x1b[" in text(words, PAGER=MARK))
    narrow, _ = run(words, columns=50, TENON_PAGER=MARK)
    claim("tables fit behind a pager", all(width(l) <= 50 for l in narrow.lines()))
    claim("a pipe has none", "PAGED" not in subprocess.run(
        [TENON] + words, stdout=subprocess.PIPE, env=dict(
            os.environ, PAGER=MARK, TENON_PAGER=MARK)).stdout.decode())


def pager_missing():
    for name in ("no-such-pager", "no-such-pager -x", "/nonexistent/less"):
        terminal, code = run(["ls", "g.onnx"], PAGER=name)
        claim(f"{name}: the output is there", code == 0 and
              "1 tensor" in terminal.text(), terminal.text())
        claim(f"{name}: it is said", "cannot run the pager" in terminal.text(),
              terminal.text())
    terminal, code = run(["ls", "g.onnx"], PATH="/nonexistent")
    claim("no less, no complaint", code == 0 and "pager" not in terminal.text() and
          "1 tensor" in terminal.text(), terminal.text())


def pager_ends_early():
    for pager in ("true", "head -n 1", "false"):
        terminal, code = run(["ls", "n.safetensors"], TENON_PAGER=pager)
        claim(f"left early by {pager}: ls", code == 0 and
              "annot" not in terminal.text(), (code, terminal.text()))
        terminal, code = run(["check", "--all", "g.onnx"], TENON_PAGER=pager)
        claim(f"left early by {pager}: check says no", code == 1,
              (code, terminal.text()))
        terminal, code = run(["dump", "large.onnx"], TENON_PAGER=pager)
        claim(f"left early by {pager}: dump", code == 0 and
              "annot" not in terminal.text(), (code, terminal.text()[-200:]))
    terminal, code = run(["dump", "missing.onnx"], TENON_PAGER="cat -u")
    claim("a file that is not there", code == 7 and "cannot open" in
          terminal.text(), (code, terminal.text()))


PROMPT = b"\n:\x1b[K"


def less():
    if subprocess.run(["less", "--version"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        return print("skipped: wants less")
    terminal, code = run(["ls", "g.onnx"], rows=40)
    claim("less ends by itself", code == 0 and "1 tensor" in terminal.text(),
          terminal.text())
    terminal = Terminal(["ls", "n.safetensors"])
    claim("less waits", terminal.read(20, until=PROMPT), repr(terminal.seen[-40:]))
    claim("for the user", os.waitpid(terminal.pid, os.WNOHANG)[0] == 0)
    claim("q ends it", terminal.quit() == 0)
    terminal = Terminal(["dump", "large.onnx"])
    terminal.read(20, until=PROMPT)
    terminal.type("\x03")
    time.sleep(0.3)
    claim("Ctrl-C leaves the pager to the user",
          os.waitpid(terminal.pid, os.WNOHANG)[0] == 0)
    code = terminal.quit()
    claim("and then ends by the signal", code in (-signal.SIGINT, 0), code)


def no_process_is_left():
    """Children of the terminals were ours; a pager would be init's now."""
    time.sleep(0.2)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                ours = FOLDER.encode() in file.read()
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                name = file.read()
        except OSError:
            continue
        claim("no process is left", not (ours and int(pid) != os.getpid()), name)


with tempfile.TemporaryDirectory() as FOLDER:
    os.chdir(FOLDER)
    save_tensors("n.safetensors", LONG + WIDE + MARKED)
    save_tensors("o.safetensors", LONG[3:] + [LONG[0] + "/new"])
    save_graph("g.onnx", 30)
    save_graph("h.onnx", 1)
    save_graph("large.onnx", 20000)
    os.environ["PWD"] = FOLDER
    for test in (tables_fit, pipes_stay, colours, findings_are_grouped,
                 info_leads, models_are_listed, progress, pagers, pager_missing,
                 pager_ends_early, less, no_process_is_left):
        test()
    os.chdir("/")
print("terminal:", f"{failed} failed" if failed else "all claims hold")
sys.exit(failed > 0)
