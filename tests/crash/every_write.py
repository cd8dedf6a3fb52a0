#!/usr/bin/python3
"""every_write.py TENON DIE_AT COPY_FUNCTION: a writer dies before each of its writes.

Every writer of the command, and an edit by the library, replaces files that are
there.  die_at kills it before the first system call that changes the disk,
before the second, and so on, until one run comes to its end.  Whatever the
step: what stands under the names is the old state or the new one, byte for
byte.  Where several files are replaced, which no system does in one step, the
main name may be gone meanwhile; then the old files stand in a folder
.NAME.tenon-XXXXXX-old, and moving them back gives the old state.

A container that grows in place must open with the old versions or with the new
ones, each with the elements that it has, and take the next change.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CORPUS = os.path.join(ROOT, "tests", "corpus")
TENON, DIE_AT, COPY_FUNCTION = map(os.path.abspath, sys.argv[1:4])
KILLED, NO_TRACING = 77, 78
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"  # which looks by tracing, too

# What is made, and by which words; the main file is named first.
WRITERS = [
    ("o.onnx", "convert src/tiny.onnx"),
    ("o.onnx", "convert src/tiny.onnx --external o.bin --threshold 1"),
    ("o.safetensors", "convert src/tiny.onnx"),
    ("o.safetensors.index.json", "convert src/tiny.onnx --shard-size 100"),
    ("o.npz", "convert src/tiny.onnx"),
    ("o.fb", "convert src/tiny.onnx"),
    ("o.sdnb", "convert src/dense.fb"),
    ("o.sdnb", "convert src/dense.fb --shard-size 300"),
    ("o.sdz", "convert src/dense.fb"),
    ("o.sdz", "convert src/dense.fb --shard-size 300"),
    ("o.samediff", "convert src/dense.fb"),
    ("o.pb", "convert src/graph.pb"),
    ("o.pbtxt", "convert src/graph.pb"),
    ("o.meta", "convert src/graph.meta"),
    ("o.index", "convert src/tiny.onnx"),
    ("o", "convert src/saved --to tf-saved-model"),
    ("o", "convert src/saved --to tf-saved-model --image-format"),
    ("o.pdmodel", "convert src/train.pdmodel.txt"),
    ("o.pdmodel.txt", "convert src/train.pdmodel.txt"),
    ("o.pdparams", "convert src/train.pdmodel.txt"),
    ("o.pdiparams", "convert src/train.pdmodel.txt"),
    ("o.json", "convert src/plain.json"),
    ("o.cpb", "split src/tiny.onnx -m 100"),
    ("o.cpb", "split src/large.onnx -m 100 --format-version 2 --max-file 1024"),
    ("o.onnx", "merge src/chunks.cpb"),
    ("o.onnx", "undump src/tiny.textproto"),
    ("o.textproto", "dump src/tiny.onnx"),
    ("o.npy", "get src/tiny.onnx filters"),
    ("o.onnx", "strip src/tiny.onnx --training"),
    ("o", "strip src/saved --callstack"),
    ("o.fb", "tag export src/two.samediff one"),
]

# What changes a container where it lies.
CHANGES = ["tag add c.samediff three src/second.fb", "tag rm c.samediff one",
           "tag compact c.samediff"]


def fail(what):
    sys.exit(f"every_write: {what}")


def run(*words, step=None):
    """None: it was killed."""
    tracer = [] if step is None else [DIE_AT, str(step)]
    done = subprocess.run([*tracer, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode == KILLED and tracer:
        return None
    if done.returncode == NO_TRACING and tracer:
        print("skipped: processes cannot be traced here")
        sys.exit(77)
    if done.returncode:
        fail(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def tenon(*words, **how):
    return run(TENON, *words, **how)


# --- files -------------------------------------------------------------------

def make_sources():
    os.mkdir("src")
    shutil.copy(os.path.join(ROOT, "examples", "tiny.onnx.textproto"),
                "src/tiny.textproto")
    tenon("undump", "src/tiny.textproto", "-o", "src/tiny.onnx")
    with open("src/tiny.textproto") as file:
        text = file.read()
    with open("src/large.textproto", "w") as file:
        file.write(f'{text} metadata_props {{ value: "{"long " * 800}" }}\n')
    tenon("undump", "src/large.textproto", "-o", "src/large.onnx")
    tenon("split", "src/tiny.onnx", "-m", "100", "-o", "src/chunks")
    for name, at in (("dense.fb", "fuzz/convert_fuzz/dense.fb"),
                     ("second.fb", "fuzz/convert_fuzz/if.fb"),
                     ("graph.pb", "fuzz/tf_graph_fuzz/constants"),
                     ("functions.pb", "fuzz/tf_graph_fuzz/functions"),
                     ("graph.meta", "fuzz/tf_graph_fuzz/meta"),
                     ("plain.json", "fuzz/paddle_pir_fuzz/plain.json"),
                     ("train.pdmodel.txt", "paddle/train.pdmodel.txt"),
                     ("train.pdiparams", "paddle/train.pdiparams")):
        shutil.copy(os.path.join(CORPUS, at), os.path.join("src", name))
    os.mkdir("src/saved")
    shutil.copy(os.path.join(CORPUS, "fuzz/tf_saved_model_fuzz/signature"),
                "src/saved/saved_model.pb")
    tenon("tag", "add", "src/two.samediff", "one", "src/dense.fb")
    tenon("tag", "add", "src/two.samediff", "two", "src/second.fb")


def visible(folder="."):
    """{path: bytes} of everything that has its name."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders
                      if not name.startswith(".") and name != "src"]
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if not name.startswith("."):
                with open(os.path.join(place, name), "rb") as file:
                    found[path] = file.read()
    return found


def clear():
    for name in os.listdir("."):
        if name == "src":
            continue
        if os.path.isdir(name):
            shutil.rmtree(name)
        else:
            os.remove(name)


def put(files):
    for path, data in files.items():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def move_back(main):
    """What a commit had put aside; False: nothing."""
    aside = [name for name in os.listdir(".")
             if name.startswith(f".{main}.tenon-") and name.endswith("-old")]
    for folder in aside:
        shutil.copytree(folder, ".", dirs_exist_ok=True)
    return len(aside) == 1


# --- writers -----------------------------------------------------------------

def hold(words, main, old, new, step):
    """What stands there after it was killed."""
    now = visible()
    if now in (old, new):
        return
    if not old:
        if main in now and now != new:
            fail(f"{words}: step {step}: '{main}' is there, not all of it")
        return
    if main in now or len(new) < 2:
        fail(f"{words}: step {step}: neither old nor new: {sorted(now)}")
    now = visible() if move_back(main) else {}
    if any(now.get(path) != data for path, data in old.items()):
        fail(f"{words}: step {step}: the old files are not put aside")


def survive(command, main, words, old, new):
    steps = 0
    while True:
        clear()
        put(old)
        if run(*command, step=steps) is not None:
            break
        hold(words, main, old, new, steps)
        steps += 1
    if visible() != new:
        fail(f"{words}: not what it made before")
    if steps < 3:
        fail(f"{words}: {steps} steps, which is too few to be true")
    return steps


def writer(main, words, command):
    """Onto nothing, and onto files of all the names that it makes."""
    clear()
    run(*command)
    new = visible()
    if not new:
        fail(f"{words}: nothing was made")
    old = {path: b"old " + path.encode() for path in new}
    steps = survive(command, main, words, {}, new)
    return steps + survive(command, main, words, old, new)


def out_of(main, words):
    first, *rest = words.split()
    out = main.removesuffix(".cpb") if first == "split" else main
    quiet = [] if first in ("dump", "get") else ["--quiet"]
    return [TENON, first, *rest, *quiet, "--force", "-o", out]


# --- containers --------------------------------------------------------------

def versions():
    """What each version of the container holds."""
    tags = [line.split()[0]
            for line in tenon("tag", "ls", "c.samediff").splitlines()[1:]]
    return {tag: tenon("hash", "c.samediff", "--tag", tag) for tag in tags}


def change(words):
    command = [TENON, *words.split(), "--quiet"]
    shutil.copy("src/two.samediff", "c.samediff")
    old = versions()
    run(*command)
    new = versions()
    steps = 0
    while True:
        clear()
        shutil.copy("src/two.samediff", "c.samediff")
        if run(*command, step=steps) is not None:
            break
        if versions() not in (old, new):
            fail(f"{words}: step {steps}: neither old nor new versions")
        tenon("tag", "add", "c.samediff", "next", "src/dense.fb", "--quiet")
        if "next" not in versions():
            fail(f"{words}: step {steps}: the next change is lost")
        steps += 1
    if steps < 2:
        fail(f"{words}: {steps} steps, which is too few to be true")
    return steps


def main():
    steps = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_sources()
        for name, words in WRITERS:
            steps += writer(name, words, out_of(name, words))
        steps += writer("o.pb", "an edit", [COPY_FUNCTION, "src/functions.pb",
                                            "twice", "src/graph.pb", "o.pb"])
        for words in CHANGES:
            steps += change(words)
        os.chdir("/")
    print(f"every_write: {len(WRITERS) + 1 + len(CHANGES)} writers, "
          f"killed {steps} times")


if __name__ == "__main__":
    main()
