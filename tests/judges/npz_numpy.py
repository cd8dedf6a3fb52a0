#!/usr/bin/python3
"""npz_numpy.py TENON: numpy reads what we write, and we read what it writes.

Every type of numpy's that a tensor can hold, in both byte orders and both axis
orders, stored and deflated; and what must be refused.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy to judge")
    sys.exit(77)

TENON = os.path.realpath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
REAL = os.path.join(os.environ.get("TENON_TEST_DATA") or
                    os.path.join(HERE, "../../../shared/data"),
                    "tensorflow/import-suite/*/*.npz")
TYPES = "?bBhHiIlLefdFD"


def tenon(*words):
    return subprocess.run([TENON, *words], check=True,
                          stdout=subprocess.PIPE).stdout


def arrays():
    random = np.random.default_rng(7)
    found = {
        "/abs/W": np.float32(3), "/abs/w": np.zeros((0, 3)),
        "text": np.array([["a", "bcd"], ["", "\u00e9\U0001F600"]]),
        "bytes": np.array([b"ab", b"", b"c\0d"]),
        "five axes": random.integers(0, 9, (2, 1, 3, 2, 2)).astype("f4"),
        "five axes back": random.integers(0, 9, (2, 1, 3, 2, 2)).astype(">f4").T,
    }
    found["text back"] = np.asfortranarray(found["text"])
    for kind in TYPES:
        top = 2 if kind == "?" else 100
        a = random.integers(0, top, (3, 4)).astype(kind)
        swapped = a.dtype.newbyteorder(">")
        found[f"{ord(kind)}/plain"] = a
        found[f"{ord(kind)}/fortran"] = np.asfortranarray(a)
        found[f"{ord(kind)}/big"] = a.astype(swapped)
        found[f"{ord(kind)}/both"] = np.asfortranarray(a).astype(swapped)
    return found


def same(a, b):
    if a.dtype.kind == "U":
        b = np.char.decode(b, "utf-8")
    return (a.shape == b.shape and a.dtype.newbyteorder("=")
            == b.dtype.newbyteorder("=") or a.dtype.kind in "US") \
        and np.array_equal(a, b)


def judge_round_trip(folder):
    wanted = arrays()
    for save in np.savez, np.savez_compressed:
        save(folder + "/in.npz", **wanted)
        tenon("check", folder + "/in.npz")
        tenon("convert", "-q", "-f", folder + "/in.npz", "-o",
              folder + "/out.npz")
        with np.load(folder + "/out.npz") as got:
            assert got.files == list(wanted), got.files
            for name, array in wanted.items():
                assert same(array, got[name]), (name, array, got[name])
        assert (tenon("hash", folder + "/in.npz")
                == tenon("hash", folder + "/out.npz"))


def judge_single(folder):
    for number, (name, array) in enumerate(arrays().items()):
        path = f"{folder}/{number}.npy"
        np.save(path, array)
        listed = tenon("ls", path).decode().split("\t")
        assert listed[0] == str(number), listed
        tenon("get", path, str(number), "-o", path + ".out.npy")
        assert same(array, np.load(path + ".out.npy")), name


def judge_real(folder):
    """Every ninetieth of the files that others wrote."""
    files = sorted(glob.glob(REAL))[::90]
    if not files:
        print("skipped: wants real models")
    for path in files:
        tenon("convert", "-q", "-f", path, "-o", folder + "/real.npz")
        with np.load(path) as a, np.load(folder + "/real.npz") as b:
            assert a.files == b.files, path
            for name in a.files:
                assert same(a[name], b[name]), (path, name)


def judge_nothing(folder):
    np.savez(folder + "/none.npz")
    assert tenon("ls", folder + "/none.npz") == b""


def judge_refusals(folder):
    refused = {
        "object": (np.array([{"a": 1}, None], dtype=object), "pickle"),
        "structure": (np.zeros(2, dtype=[("x", "f4")]), "structures"),
        "date": (np.array(["2020-01-01"], dtype="M8[D]"), "M8[D]"),
        "wide": (np.zeros(1, dtype="U20000"), "80000 bytes"),
    }
    for name, (array, word) in refused.items():
        path = f"{folder}/{name}.npz"
        np.savez(path, bad=array)
        done = subprocess.run([TENON, "info", path], capture_output=True)
        said = done.stderr.decode()
        assert done.returncode == 5, (name, done.returncode, said)
        assert "bad.npy" in said and word in said, said
        # Among others it hides none of them, and its loss is told.
        np.savez(path, good=np.arange(2.0), bad=array)
        facts = json.loads(tenon("info", "--json", path))["models"][0]["facts"]
        said = [fact["value"] for fact in facts if fact["key"] == "unread_array"]
        assert len(said) == 1 and word in said[0], facts
        assert tenon("get", path, "good") == b"0 1\n"
        strict = subprocess.run([TENON, "convert", "--strict", path, "-o",
                                 folder + "/strict.npz"], capture_output=True)
        assert strict.returncode == 5 and b"'bad'" in strict.stderr, strict
        found = json.loads(subprocess.run([TENON, "check", "--json", path],
                                          stdout=subprocess.PIPE).stdout)
        assert "unsupported-array" in json.dumps(found), found


def judge_folders(folder):
    """An archiver writes entries for folders: they are nothing."""
    with zipfile.ZipFile(folder + "/tree.npz", "w") as archive:
        archive.writestr("a/", "")
        with archive.open("a/w.npy", "w") as entry:
            np.save(entry, np.arange(3.0))
    assert tenon("ls", "-1", folder + "/tree.npz") == b"a/w\n"
    tenon("check", folder + "/tree.npz")
    tenon("convert", "-q", "--strict", folder + "/tree.npz", "-o",
          folder + "/tree.safetensors")


with tempfile.TemporaryDirectory() as scratch:
    judge_round_trip(scratch)
    judge_single(scratch)
    judge_real(scratch)
    judge_nothing(scratch)
    judge_refusals(scratch)
    judge_folders(scratch)
print("numpy agrees")
