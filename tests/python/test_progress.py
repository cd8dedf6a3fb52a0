"""Every function that takes `progress`: it is asked, goes on, stops, passes on
what the callback raises, and leaves no file.

The library asks ten times a second.  Here the clock goes on by a second
whenever the library looks at it, so it asks wherever it can."""
import inspect
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tenon

CLOCK = """
#define _GNU_SOURCE
#include <stdatomic.h>
#include <time.h>
static atomic_long seconds;
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){ .tv_sec = atomic_fetch_add(&seconds, 1) };
    return 0;
}
"""

# Each makes its files in the working folder, and writes to out/.
CALLS = {
    "Model.open": lambda p: tenon.open("m.onnx", progress=p),
    "Model.check": lambda p: model().check(progress=p),
    "Model.hash": lambda p: model().hash(progress=p),
    "Model.convert": lambda p: model().convert("out/c.sdz", progress=p),
    "Model.write": lambda p: edited().write("out/w.onnx", progress=p),
    "Model.simplify": lambda p: model().simplify("out/s.onnx", progress=p),
    "Model.plan": lambda p: model().plan("out/c.sdz", progress=p),
    "Model.statistics": lambda p: model().statistics(progress=p),
    "Model.diff": lambda p: model().diff(other(), progress=p),
    "Model.patch": lambda p: model().patch(other(), "out/d.patch", progress=p),
    "Model.diff_view": lambda p: model().diff_view(other(), progress=p),
    "Model.edit": lambda p: narrow(model().edit(progress=p)),
    "Model.view": lambda p: model().view(stats=True, progress=p),
    "Model.svg": lambda p: model().svg("out/v.svg", progress=p),
    "Edit.new": lambda p: named(tenon.Edit.new("onnx", progress=p)),
    "Tensor.buffer": lambda p: packed().buffer(copy=True, progress=p),
    "Tensor.numpy": lambda p: packed().numpy(copy=True, progress=p),
    "Tensor.torch": lambda p: packed().torch(copy=True, progress=p),
    "Tensor.save": lambda p: packed().save("out/w.txt", "text", progress=p),
    "apply": lambda p: tenon.apply("m.onnx", "m.patch", "out/a.onnx", progress=p),
    "catalog": lambda p: tenon.catalog("in", "out/c.ndjson", progress=p),
    "check": lambda p: tenon.check("m.onnx", progress=p),
    "dump": lambda p: tenon.dump("m.onnx", "out/m.txt", progress=p),
    "merge": lambda p: tenon.merge("parts", "out/m.onnx", progress=p),
    "save_file": lambda p: tenon.save_file(
        {"x": np.zeros(1 << 20, "u1")}, "out/x.safetensors", progress=p),
    "scan": lambda p: tenon.scan("in", progress=p),
    "split": lambda p: tenon.split("m.onnx", "out/s", max_size=64 << 10,
                                   progress=p),
    "strip": lambda p: tenon.strip("m.onnx", "out/s.onnx", progress=p),
    "undump": lambda p: tenon.undump("m.textproto", "out/u.onnx", progress=p),
    "Tags.list": lambda p: tenon.Tags("t.samediff").list(True, progress=p),
    "Tags.diff": lambda p: tenon.Tags("t.samediff").diff("v1", "v2", progress=p),
    "Tags.add": lambda p: tenon.Tags("out/t.samediff").add("v1", model(),
                                                           progress=p),
    "Tags.remove": lambda p: tenon.Tags(tags()).remove("v1", progress=p),
    "Tags.compact": lambda p: tenon.Tags(tags()).compact(progress=p),
    "Tags.repair": lambda p: tenon.Tags(tags()).repair(progress=p),
}
# Stopped, these leave what the next call goes on with.
LEAVES = {"catalog": {"c.ndjson.part"}}
SHAPE = (64, 1 << 10)


def model():
    return tenon.open("m.onnx")


def other():
    return tenon.open("other.onnx")


def edited():
    with model().edit() as edit:
        edit.set_metadata("author", "me")
        return edit.commit()


def narrow(edit):
    edit.run("float16\n")
    edit.commit()


def named(edit):
    edit.add("w", "float32", SHAPE, np.ones(SHAPE, "f4"))
    edit.run("list-inputs x float32 64,1024\nlist-outputs y float32 64,1024\n"
             "add-op n Add - x w -> y\nfloat16\n")
    edit.commit()


def packed():
    return tenon.open("w.npz").tensors["w"]


def tags():
    """A copy of its own, which was not changed in the end."""
    shutil.copy("t.samediff", "own.samediff")
    return "own.samediff"


def make():
    for name, value in (("m", 1), ("other", 2)):
        with tenon.Edit.new("onnx") as edit:
            for i in range(4):
                edit.add(f"w{i}", "float32", SHAPE,
                         np.full(SHAPE, value + i, "f4"))
                edit.run(f"add-op n{i} Add - x{i} w{i} -> x{i + 1}\n")
            edit.run("list-inputs x0 float32 64,1024\n"
                     "list-outputs x4 float32 64,1024\n")
            edit.commit().write(name + ".onnx")
    tenon.dump("m.onnx", "m.textproto")
    tenon.split("m.onnx", "parts", max_size=64 << 10)
    model().patch(other(), "m.patch")
    np.savez_compressed("w.npz", w=np.arange(1 << 18, dtype="f4"))
    os.mkdir("in")
    for file in ("m.onnx", "other.onnx", "w.npz"):
        shutil.copy(file, "in")
    for tag, of in (("v1", model()), ("v2", other())):
        tenon.Tags("t.samediff").add(tag, of)


def run(name, progress):
    """What the call raises, and what it wrote."""
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    try:
        CALLS[name](progress)
        error = None
    except BaseException as raised:
        error = raised
    return error, set(os.listdir("out")) - LEAVES.get(name, set())


def expect(what, *rest):
    if not what:
        sys.exit(" ".join(map(str, rest)))


class Own(Exception):
    pass


def one(name):
    seen = []

    def watch(doing, done, total):
        expect(doing and (done <= total or not total), name, doing, done, total)
        if seen and seen[-1][0] == doing and seen[-1][2] == total:
            expect(done >= seen[-1][1], name, "goes back")
        seen.append((doing, done, total))

    for _ in range(20):  # other threads may be done before the caller looks
        error, _ = run(name, watch)
        expect(error is None, name, "fails:", repr(error))
        if seen:
            break
    expect(seen, name, "does not ask")
    half = len(seen) // 2 + 1
    for at in sorted({1, half, len(seen)}):
        for raised in (None, Own, KeyboardInterrupt) if at == half else (None,):
            count = 0

            def stop(*_):
                nonlocal count
                count += 1
                if count == at and raised:
                    raise raised()
                return count == at

            error, files = run(name, stop)
            if count < at:
                expect(error is None, name, repr(error))
                continue
            expect(type(error) is (raised or tenon.CancelledError), name,
                   "raises", repr(error))
            expect(not files, name, "leaves", files)
            if os.path.exists("own.samediff"):
                with open("own.samediff", "rb") as own, \
                        open("t.samediff", "rb") as old:
                    expect(own.read() == old.read(), name, "changes its file")


def takes_progress():
    """Names of all public functions and methods that have the parameter."""
    for word in tenon.__all__:
        thing = getattr(tenon, word)
        members = {word: thing}
        if inspect.isclass(thing):
            members = {f"{word}.{name}": getattr(thing, name)
                       for name in vars(thing) if not name.startswith("_")}
        for name, member in members.items():
            if callable(member) and not inspect.isclass(member) and \
                    name != "open" and \
                    "progress" in inspect.signature(member).parameters:
                yield name


def test_no_function_is_missing():
    assert set(takes_progress()) == set(CALLS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("progress")
    (folder / "clock.c").write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "clock.so",
                    folder / "clock.c"], check=True)
    again(folder, "make()")
    return folder


def again(folder, what, **environment):
    done = subprocess.run(
        [sys.executable, "-B", "-c",
         f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
         f"from test_progress import *; {what}"],
        cwd=folder, env={**os.environ, **environment}, text=True,
        capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", CALLS)
def test_is_asked_and_stopped(folder, name):
    if name == "Tensor.torch":
        pytest.importorskip("torch")
    again(folder, f"one({name!r})", LD_PRELOAD=str(folder / "clock.so"))
