#!/usr/bin/python3
"""tag_kill.py TENON: the command is killed while it changes a container.

A container of 24 MiB in 12 parameters.  `tag add`, `rm` and `compact` are
killed (SIGKILL) at some time between their start and their end, again and
again.  Whatever the time: the file opens with the old tags or with the new
ones, every tag that was there has the elements that it had, `check` finds at
most a torn tail, and the next change goes through and leaves a clean file.
Several writers at once lose nothing.
"""
import hashlib
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../corpus/fuzz"))
import make_samediff as make  # noqa: E402

TENON = os.path.abspath(sys.argv[1])
ROUNDS = 12
PARAMS, SIZE = 12, 2 << 20
BUSY = 10


def fail(what):
    sys.exit(f"tag_kill: {what}")


def run(*words, codes=(0,)):
    done = subprocess.run([TENON, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode not in codes:
        fail(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return done


def tags(path):
    lines = run("tag", "ls", path).stdout.splitlines()[1:]
    return [line.split()[0] for line in lines]


def sums(path, tag):
    return run("hash", path, "--tag", tag).stdout


def digest(path, size):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read(size)).digest()


# --- files -------------------------------------------------------------------

def make_model(seed):
    names = [f"w{i}" for i in range(PARAMS)]
    graph = {"variables": [make.variable(i + 1, name, "VARIABLE",
                                         shape=[SIZE // 4])
                           for i, name in enumerate(names)], "nodes": [],
             "placeholders": [], "metadataKeys": ["nd4j.format.version"],
             "metadataValues": ["1"]}
    with tempfile.TemporaryDirectory() as work:
        flat = make.flat(graph, work)
    noise = [hashlib.shake_128(f"{seed} {name}".encode()).digest(SIZE)
             for name in names]
    with open("model.sdnb", "wb") as out:
        out.write(make.sdnb(flat, list(zip(names, noise))))


def make_changed(path, count, seed):
    """Other elements for some parameters, as safetensors."""
    head = ",".join(f'"w{i}":{{"dtype":"F32","shape":[{SIZE // 4}],'
                    f'"data_offsets":[{i * SIZE},{(i + 1) * SIZE}]}}'
                    for i in range(count))
    text = ("{" + head + "}").encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.write(hashlib.shake_128(seed).digest(SIZE * count))


# --- killing -----------------------------------------------------------------

def kill_after(words, seconds):
    """True when it was over before."""
    child = subprocess.Popen([TENON, *words], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    try:
        code = child.wait(seconds)
        if code:
            fail(f"{' '.join(words)}: exit {code}")
        return True
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
        return False


def check(path):
    """Clean, or with a torn tail and nothing else."""
    done = run("check", path, codes=(0, 1))
    wrong = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    if any("zip-torn-tail" not in line and "no-nodes" not in line
           for line in wrong):
        fail("check:\n" + done.stdout)
    return not any("zip-torn-tail" in line for line in wrong)


def survive(words, was, old, new, kept, is_append):
    """One kind of change, killed at times from its start to its end."""
    size, untouched = os.path.getsize(was), digest(was, -1)
    wanted = {tag: sums(was, tag) for tag in kept}
    shutil.copy(was, "c.samediff")
    begin = time.monotonic()
    run(*words)
    whole = time.monotonic() - begin
    torn = done = 0
    for index in range(ROUNDS):
        shutil.copy(was, "c.samediff")
        is_over = kill_after(words, whole * (index + 0.5) / ROUNDS)
        found = tags("c.samediff")
        if found != new and (is_over or found != old):
            fail(f"{words[1]} killed: tags {found}")
        if is_append and digest("c.samediff", size) != untouched:
            fail(f"{words[1]} killed: old bytes changed")
        for tag, want in wanted.items():
            if sums("c.samediff", tag) != want:
                fail(f"{words[1]} killed: {tag} is another")
        torn += not check("c.samediff")
        done += found == new
        if found == old != new or words[1] == "compact":
            run(*words)
        if tags("c.samediff") != new or not check("c.samediff"):
            fail(f"{words[1]} again: not clean")
    leftovers = [name for name in os.listdir(".") if name.startswith(".")]
    print(f"{words[1]}: {ROUNDS} kills, {torn} torn, {done} done before, "
          f"{len(leftovers)} files left")
    for name in leftovers:
        os.unlink(name)


# --- several at once ---------------------------------------------------------

def race(*more):
    shutil.copy("two.samediff", "c.samediff")
    children = {f"r{i}": subprocess.Popen(
        [TENON, "tag", "add", "--quiet", "c.samediff", f"r{i}",
         "changed.safetensors", *more], stderr=subprocess.DEVNULL)
        for i in range(3)}
    if more:
        children["compact"] = subprocess.Popen(
            [TENON, "tag", "compact", "--quiet", "c.samediff", *more])
    codes = {name: child.wait() for name, child in children.items()}
    added = {name for name, code in codes.items() if code == 0} - {"compact"}
    if set(codes.values()) - {0, BUSY} or not added:
        fail(f"at once: exit codes {codes}")
    if more and BUSY in codes.values():
        fail(f"waiting: exit codes {codes}")
    found = tags("c.samediff")
    if found[:2] != ["one", "two"] or set(found[2:]) != added:
        fail(f"at once: {found}, but {added} were added")
    if not check("c.samediff"):
        fail("at once: not clean")
    print(f"at once {' '.join(more)}: {len(added)} of 3 added")


def main():
    if not shutil.which("flatc"):
        print("skipped: no flatc")
        return 77
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        make_model("first")
        make_changed("changed.safetensors", 4, b"next")
        make_changed("second.safetensors", 2, b"second")
        run("tag", "add", "-q", "two.samediff", "one", "model.sdnb")
        run("tag", "add", "-q", "two.samediff", "two", "second.safetensors")
        survive(("tag", "add", "c.samediff", "next", "changed.safetensors"),
                "two.samediff", ["one", "two"], ["one", "two", "next"],
                ["one", "two"], True)
        survive(("tag", "rm", "c.samediff", "one"), "two.samediff",
                ["one", "two"], ["two"], ["two"], True)
        shutil.copy("two.samediff", "loose.samediff")
        run("tag", "rm", "-q", "loose.samediff", "one")
        survive(("tag", "compact", "c.samediff"), "loose.samediff", ["two"],
                ["two"], ["two"], False)
        race()
        race("--wait")
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
