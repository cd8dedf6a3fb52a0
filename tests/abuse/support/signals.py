"""signals.py ACTION - commands that are stopped, and what is left of them"""
import fcntl
import glob
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import zlib

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start(*arguments):
    return subprocess.Popen(("tenon",) + arguments, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def temporary():
    return [name for name in os.listdir(".") if ".tenon-" in name]


def wait_for(what, seconds=30):
    until = time.monotonic() + seconds
    while not what():
        if time.monotonic() > until:
            sys.exit("it does not begin")
        time.sleep(0.01)


def splat(name, type_, value):
    with open(name, "w") as f:
        f.write('''node { name: "c" op: "Const" attr { key: "dtype" value { type: %s } }
  attr { key: "value" value { tensor { dtype: %s %s
    tensor_shape { dim { size: 1048576 } dim { size: 8388608 } } } } } }''' % (type_, type_, value))


def ends_by(process, number, what):
    try:
        code = process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        return "%s: %s does not end it" % (what, number.name)
    if code != -number:
        return "%s: ended with %d, not by %s" % (what, code, number.name)
    return None


def every_verb():
    """Each verb waits for a pipe that says nothing; tag waits for a lock, too."""
    os.mkfifo("pipe")
    silent = os.open("pipe", os.O_RDWR)  # opens at once, and never ends
    subprocess.run(("tenon", "tag", "add", "held.samediff", "one", "tiny.onnx"), check=True,
                   stdout=subprocess.DEVNULL)
    held = open("held.samediff", "rb+")
    fcntl.flock(held, fcntl.LOCK_EX)
    jobs = {
        "info": ("pipe",), "ls": ("pipe",), "get": ("pipe", "w", "-o", "x.npy"), "check": ("pipe",),
        "hash": ("pipe",), "dump": ("pipe", "-o", "x.txt"), "undump": ("pipe", "-o", "x.onnx"),
        "convert": ("pipe", "-o", "x.onnx"), "split": ("pipe", "-o", "x"),
        "merge": ("pipe", "-o", "x.pb"), "tag": ("add", "--wait", "held.samediff", "two", "tiny.onnx"),
        "view": ("pipe", "-o", "x.html"), "diff": ("pipe", "tiny.onnx"),
        "edit": ("pipe", "--rename", "a=b", "-o", "x.onnx"), "apply": ("pipe", "pipe", "-o", "x.onnx"),
        "scan": ("pipe",), "catalog": ("-T", "pipe", "-o", "x.ndjson"),
        "strip": ("pipe", "--callstack", "-o", "x.onnx"),
        "simplify": ("pipe", "-o", "x.onnx"), "rules": ("check", "pipe"),
    }
    at_once = {"formats", "completion"}  # they read nothing
    listed = subprocess.run(("tenon", "--help"), capture_output=True, text=True).stdout
    failures = []
    for verb in re.findall(r"^  (\w+)  ", listed.split("Verbs")[1], re.M):
        if verb not in jobs and verb not in at_once:
            failures.append("no case for %s" % verb)
    running = [(verb, number, start(verb, *arguments))
               for verb, arguments in jobs.items() for number in SIGNALS]
    time.sleep(1.5)
    for verb, number, process in running:
        if process.poll() is not None:
            failures.append("%s ended by itself with %d" % (verb, process.returncode))
        else:
            process.send_signal(number)
    failures += [ends_by(process, number, verb) for verb, number, process in running]
    os.close(silent)
    return failures


def at_work():
    """In the middle of it: nothing is left, and what was there stays."""
    splat("ones.pbtxt", "DT_FLOAT", "float_val: 1")
    failures = []
    with open("kept", "w") as f:
        f.write("old")
    for arguments in (("get", "ones.pbtxt", "c", "--text", "-o", "kept", "--force"),
                      ("hash", "ones.pbtxt"), ("ls", "--stats", "ones.pbtxt"),
                      ("convert", "ones.pbtxt", "--to", "npz", "-n", "-o", "new.npz")):
        for number in SIGNALS:
            process = start(*arguments, "--max-expand", "1P")
            if "--force" in arguments:
                wait_for(temporary)
            time.sleep(0.3)
            process.send_signal(number)
            failures.append(ends_by(process, number, " ".join(arguments)))
            if temporary():
                failures.append("%s left %s" % (arguments[0], temporary()))
                for name in temporary():
                    os.unlink(name)
    if open("kept").read() != "old":
        failures.append("the old file is gone")
    if glob.glob("new*"):
        failures.append("a new file is there")
    return failures


def packed_npz(name, units):
    """One deflated member of `units` times 64 MiB of zeros.  Its checksum is wrong, which
    nobody sees who does not unpack all of it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    unit = packer.compress(bytes(64 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % (units << 24)
    npy = b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(npy) + packer.flush(zlib.Z_FULL_FLUSH) + unit * units + b"\3\0"
    extra = struct.pack("<HHQQ", 1, 16, len(npy) + (units << 26), len(data))
    both = struct.pack("<HHHHIIIHH", 0, 8, 0, 33, 1, 0xffffffff, 0xffffffff, 5, len(extra))
    entry = struct.pack("<IH", 0x04034b50, 45) + both + b"w.npy" + extra + data
    directory = (struct.pack("<IHH", 0x02014b50, 45, 45) + both + bytes(14) + b"w.npy" + extra)
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(directory), len(entry), 0)
    with open(name, "wb") as f:
        f.write(entry + directory + end)


def text_heavy(name, size):
    """An ONNX model with a weight that packs badly and slowly."""
    def field(number, data):
        return varint(number << 3 | 2) + varint(len(data)) + data

    def varint(value):
        low = value & 127
        return bytes([low]) if value < 128 else bytes([low | 128]) + varint(value >> 7)

    weight = (b"\x08" + varint(size) + b"\x10\x03" + field(8, b"w") +
              field(9, os.urandom(size // 2).hex().encode()))
    with open(name, "wb") as f:
        f.write(b"\x08\x08" + field(8, b"\x10\x0d") + field(7, field(2, b"g") + field(5, weight)))


def worked(process):
    """Seconds of processor time so far: a busy machine does not change them."""
    with open("/proc/%d/stat" % process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children_worked():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def one_step():
    """In one long step: an entry that is unpacked, a chunk that is packed.  The library is
    asked to stop there, too; a second signal does not wait for it.  Nothing is left."""
    packed_npz("packed.npz", 512)
    text_heavy("heavy.onnx", 48 << 20)
    failures = []
    os.mkdir("one")
    for arguments in (("get", "packed.npz", "w", "-o", "one/x.npy"),
                      ("convert", "packed.npz", "-o", "one/x.npz"),
                      ("convert", "packed.npz", "--to", "tf-checkpoint", "-o", "one/x.index"),
                      ("split", "heavy.onnx", "--max-size", "40M", "--compress", "brotli:11", "-o", "one/x"),
                      ("split", "heavy.onnx", "--max-size", "40M", "--compress", "zstd:19", "-o", "one/x")):
        for numbers in ((signal.SIGINT,), (signal.SIGTERM, signal.SIGTERM)):
            process = start(*arguments, "--max-expand", "1P")
            wait_for(lambda: len(os.listdir("one")) >= 2)
            time.sleep(0.15)
            begin = worked(process)
            for number in numbers:
                process.send_signal(number)
                time.sleep(0.02)
            before = children_worked()
            failures.append(ends_by(process, numbers[0], " ".join(arguments)))
            after = children_worked() - before - begin
            if after > 1.9:
                failures.append("%s: %.1f s of work until it ended" % (" ".join(arguments), after))
            if os.listdir("one"):
                failures.append("%s left %s" % (" ".join(arguments), os.listdir("one")))
                for name in os.listdir("one"):
                    os.unlink("one/" + name)
    return failures


def killed():
    """Killed in the middle; a writer that lives keeps its files."""
    splat("ones.pbtxt", "DT_FLOAT", "float_val: 1")
    slow = ("get", "ones.pbtxt", "c", "--text", "--max-expand", "1P", "-o")
    dead = start(*slow, "dead.txt")
    wait_for(temporary)
    wait_for(lambda: len(temporary()) >= 2)
    dead.kill()
    dead.wait()
    left = set(temporary())
    living = start(*slow, "living.txt")
    wait_for(lambda: len([name for name in temporary() if "living" in name]) >= 2)
    failures = []
    if left & set(temporary()):
        failures.append("still there: %s" % (left & set(temporary())))
    theirs = set(temporary())
    subprocess.run(("tenon", "convert", "tiny.onnx", "-o", "other.onnx"), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if set(temporary()) != theirs or living.poll() is not None:
        failures.append("a living writer lost %s" % (theirs - set(temporary())))
    living.send_signal(signal.SIGINT)
    failures.append(ends_by(living, signal.SIGINT, "get"))
    return failures


def growing():
    """check, again and again, while another process adds versions."""
    subprocess.run(("tenon", "tag", "add", "grows.samediff", "t", "tiny.onnx"), check=True,
                   stdout=subprocess.DEVNULL)
    writer = subprocess.Popen(("sh", "-c", """for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        tenon tag add --wait grows.samediff v$i tiny.onnx
        tenon tag rm --wait grows.samediff v$i; done"""), stdout=subprocess.DEVNULL)
    failures, runs = [], 0
    while writer.poll() is None or runs == 0:
        done = subprocess.run(("tenon", "check", "grows.samediff"), capture_output=True, text=True)
        runs += 1
        if "torn" in done.stdout + done.stderr or done.returncode not in (0, 1):
            failures.append("run %d: %s" % (runs, done.stdout + done.stderr))
    if writer.returncode:
        failures.append("the writer failed")
    return failures


failures = [failure for failure in
            {"every_verb": every_verb, "growing": growing, "at_work": at_work, "one_step": one_step, "killed": killed}[sys.argv[1]]()
            if failure]
for failure in failures:
    print("signals:", failure, file=sys.stderr)
sys.exit(1 if failures else 0)
