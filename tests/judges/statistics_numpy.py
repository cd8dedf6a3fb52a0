#!/usr/bin/python3
"""statistics_numpy.py TENON - numpy judges `tenon ls --stats`

Tensors of every type that numpy has, of several sizes and distributions, with
NaNs, infinities and zeros, in npz and safetensors; one is so large that it is
read in parts.  Types that numpy lacks (bfloat16, float8, int4) are judged by
tally_test.c.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: wants python3-numpy")
    sys.exit(77)

TENON = os.path.realpath(sys.argv[1])


def tensors():
    random = np.random.default_rng(18)
    yield "large", random.standard_normal(3_000_001, dtype=np.float32)
    yield "far", 1e6 + random.random(70_000)
    odd = random.standard_normal(5000).astype(np.float32)
    odd[[3, 1999]], odd[7], odd[9], odd[::50] = np.nan, np.inf, -np.inf, 0
    yield "odd", odd
    yield "half", (random.standard_normal(9999) * 1e-4).astype(np.float16)
    yield "nothing", np.zeros((0, 3), np.float32)
    yield "zeros", np.zeros((40, 3), np.float32)
    yield "one", np.float64(-2.5)
    yield "truths", random.random(777) < 0.3
    for kind in "bBhHiIqQ":
        limits = np.iinfo(kind)
        yield "all_" + kind, random.integers(limits.min, limits.max, 3333,
                                             dtype=kind, endpoint=True)
        yield "few_" + kind, random.integers(0, 9, (11, 13), dtype=kind)
    yield "complex", random.standard_normal(999) * (1 + 2j)
    yield "fortran", np.asfortranarray(random.random((30, 40)))
    yield "words", np.array(["", "one", "three", "häß"], dtype="U8")


def edges(of):
    """The bins that the header promises for numbers from min to max."""
    low, high = float(of.min()), float(of.max())
    if low == high == 0:
        return 0.0, 1.0, 1
    least = 0 if of.dtype.kind in "bui" else -1000
    exponent = max(int(np.frexp(max(abs(low), abs(high)))[1]) - 1 - 24, least)
    while np.floor(high / 2.0**exponent) - np.floor(low / 2.0**exponent) > 31:
        exponent += 1
    width = 2.0**exponent
    first = np.floor(low / width)
    return first * width, width, int(np.floor(high / width) - first) + 1


def judge(name, array, found):
    subject = "values"
    if array.dtype.kind == "c":
        array, subject = np.abs(array), "magnitudes"
    if array.dtype.kind == "U":
        array, subject = np.char.str_len(np.char.encode(array, "utf-8")), "lengths"
    exact, array = array, np.asarray(array, np.float64).ravel()
    finite = array[np.isfinite(array)]
    assert found["of"] == subject, found["of"]
    assert found["nans"] == np.isnan(array).sum()
    assert found["infinities"] == np.isinf(array).sum()
    assert found["zeros"] == (exact == 0).sum()
    if finite.size == 0:
        assert found["min"] is None and found["histogram"]["counts"] == []
        return
    kind = exact.dtype.type if exact.dtype.kind == "f" else np.float64
    assert kind(found["min"]) == kind(finite.min()), (found["min"], finite.min())
    assert kind(found["max"]) == kind(finite.max())
    scale = np.abs(finite).max()
    assert abs(found["mean"] - finite.mean()) <= 1e-13 * scale
    assert abs(found["deviation"] - finite.std()) <= 1e-12 * scale
    low, width, count = edges(finite if kind == exact.dtype.type else
                              finite.astype(exact.dtype) if
                              exact.dtype.kind in "bui" else finite)
    bins = found["histogram"]
    assert (bins["low"], bins["width"]) == (low, width), (bins, low, width)
    places = np.floor(finite / width) - low / width
    assert bins["counts"] == np.bincount(places.astype(int),
                                         minlength=count).tolist()


NAMES = {"f2": "F16", "f4": "F32", "f8": "F64", "i1": "I8", "i2": "I16",
         "i4": "I32", "i8": "I64", "u1": "U8", "u2": "U16", "u4": "U32",
         "u8": "U64", "b1": "BOOL"}


def save_safetensors(path, arrays):
    head, data = {}, b""
    for name, array in arrays.items():
        kind = NAMES.get(array.dtype.str[1:])
        if kind:
            body = np.ascontiguousarray(array).tobytes()
            head[name] = {"dtype": kind, "shape": list(array.shape),
                          "data_offsets": [len(data), len(data) + len(body)]}
            data += body
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def stats(path, workers):
    return json.loads(subprocess.run(
        [TENON, "ls", "--stats", "--json", "--workers", workers, path],
        check=True, stdout=subprocess.PIPE).stdout)["tensors"]


with tempfile.TemporaryDirectory() as folder:
    arrays = {name: np.asarray(array) for name, array in tensors()}
    np.savez(folder + "/a.npz", **arrays)
    save_safetensors(folder + "/a.safetensors", arrays)
    judged = 0
    for file in ("a.npz", "a.safetensors"):
        rows = stats(folder + "/" + file, "1")
        assert rows == stats(folder + "/" + file, "3"), "workers matter"
        for row in rows:
            name = row["name"].removesuffix(".npy")
            try:
                judge(name, arrays[name], row["statistics"])
            except AssertionError as error:
                sys.exit(f"{file}: {name}: {error}: {row['statistics']}")
            judged += 1
    assert judged == 2 * len(arrays) - 2, judged
    print(f"{judged} tensors judged")
