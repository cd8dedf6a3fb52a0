"""The rows of scan: a file that is nearly all pickle, and one that is nearly all weights."""
import collections
import os
import pickle
import struct
import sys
import types
import unittest.mock
import zipfile


def values(files):
    """A dict of numbers, texts and lists: no names, no calls."""
    path = files.path(f"values-{files.part}.pkl")
    if not os.path.exists(path):
        rows = {f"layer.{i}.name": [i, float(i), (i, "x"), None] for i in range(1_400_000 // files.part)}
        with open(path + ".new", "wb") as out:
            pickle.dump(rows, out, 2)
        os.rename(path + ".new", path)
    return path


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word


def tensors(files):
    """A state dict of very many tensors of one element: the pickle, without the archive."""
    path = files.path(f"tensors-{files.part}.pkl")
    if os.path.exists(path):
        return path
    rows = [b"\x80\x02ccollections\nOrderedDict\nq\x00)R("]
    for i in range(300_000 // files.part):
        names = ((b"ctorch._utils\n_rebuild_tensor_v2\nq\x01", text(b"storage") + b"q\x02", b"ctorch\nFloatStorage\nq\x03", text(b"cpu") + b"q\x04")
                 if i == 0 else (b"h\x01", b"h\x02", b"h\x03", b"h\x04"))
        rows.append(text(b"layer.%d.weight" % i) + b"r" + struct.pack("<I", 10 + i) + names[0] + b"((" + names[1] + names[2] + text(b"%d" % i) +
                    names[3] + b"K\x01tQK\x00K\x01\x85K\x01\x85\x89h\x00)RtR")
    with open(path + ".new", "wb") as out:
        out.write(b"".join(rows) + b"u.")
    os.rename(path + ".new", path)
    return path


def rows(files):
    """Small pickles in a row, as a program writes them that appends."""
    path = files.path(f"rows-{files.part}.pkl")
    if not os.path.exists(path):
        with open(path + ".new", "wb") as out:
            for i in range(300_000 // files.part):
                pickle.dump(collections.OrderedDict(loss=float(i), step=i), out, 4)
        os.rename(path + ".new", path)
    return path


class Storage:
    """What stands for elements outside of the pickle."""


class Tensor:
    """What torch.save() describes by a call."""

    def __init__(self, number):
        self.number = number

    def __reduce__(self):
        return rebuild, (Storage, str(self.number), 0, (64, 64), (64, 1), False, collections.OrderedDict())


def rebuild(*_):
    """Stands for torch._utils._rebuild_tensor_v2."""


def memoized(files, protocol):
    """A state dict as Python's pickler writes it, which puts everything into the memo."""
    path = files.path(f"memoized-{protocol}-{files.part}.pkl")
    if os.path.exists(path):
        return path
    state = collections.OrderedDict((f"layer.{i}.weight", Tensor(i)) for i in range(300_000 // files.part))
    modules = {name: types.ModuleType(name) for name in ("torch", "torch._utils")}
    for thing, module, name in ((rebuild, "torch._utils", "_rebuild_tensor_v2"), (Storage, "torch", "FloatStorage")):
        thing.__module__, thing.__qualname__, thing.__name__ = module, name, name
        setattr(modules[module], name, thing)
    with unittest.mock.patch.dict(sys.modules, modules), open(path + ".new", "wb") as out:
        pickle.dump(state, out, protocol)
    os.rename(path + ".new", path)
    return path


def weights(files):
    """An archive of torch.save(): a small pickle, and a gigabyte of elements."""
    path = files.path(f"weights-{files.part}.pt")
    if os.path.exists(path):
        return path
    count = (1 << 28) // files.part
    tensor = (b"\x80\x02ccollections\nOrderedDict\n)R(" + text(b"w") + b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") +
              b"ctorch\nFloatStorage\n" + text(b"0") + text(b"cpu") + b"J" + struct.pack("<i", count) + b"tQK\x00J" + struct.pack("<i", count) +
              b"\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtRu.")
    with zipfile.ZipFile(path + ".new", "w") as out:
        out.writestr("w/data.pkl", tensor)
        with out.open("w/data/0", "w", force_zip64=True) as data:
            for _ in range(64):
                data.write(os.urandom(count // 16))
        out.writestr("w/version", "3\n")
    os.rename(path + ".new", path)
    return path


def scan(bench, files, job):
    path = values(files)
    jobs = [job("bare", [bench.program("pickle_loop"), path], "wall"),
            job("scan", [files.tenon, "scan", "-q", path], "wall")]
    bench.measure(jobs)
    bench.compare("scan: a file that is a pickle of data, against a bare loop", jobs[1], jobs[0], most=1.25)
    path = tensors(files)
    jobs = [job("bare", [bench.program("pickle_loop"), path], "wall"),
            job("scan", [files.tenon, "scan", "-q", path], "wall")]
    bench.measure(jobs)
    bench.compare("scan: a pickle of 300,000 calls, which are followed, against a bare loop", jobs[1], jobs[0], most=1.25)
    for protocol in (2, 4):
        path = memoized(files, protocol)
        jobs = [job("bare", [bench.program("pickle_loop"), path], "wall"),
                job("scan", [files.tenon, "scan", "-q", path], "wall")]
        bench.measure(jobs)
        bench.compare(f"scan: a pickle that remembers everything, protocol {protocol}, against a bare loop", jobs[1], jobs[0], most=1.25)
    path = rows(files)
    jobs = [job("bare", [bench.program("pickle_loop"), path], "wall"),
            job("scan", [files.tenon, "scan", "-q", path], "wall")]
    bench.measure(jobs)
    bench.compare("scan: 300,000 pickles in a row, against a bare loop", jobs[1], jobs[0], most=2)
    path = weights(files)
    jobs = [job("cat", ["cat", path], "wall", out=os.devnull),
            job("scan", [files.tenon, "scan", "-q", path], "wall")]
    bench.measure(jobs)
    bench.compare("scan: weights of PyTorch, against cat", jobs[1], jobs[0], most=1.25)
