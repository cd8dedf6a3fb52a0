#!/usr/bin/python3
"""Real and made files of PyTorch: every tensor has the elements that torch gave it.

    pytorch.py TENON SHARED

Converts each file of SHARED/data/pytorch to npz and compares the SHA-256 of every tensor with
the recorded one.  Where Debian's python3-torch is installed, what we write as .pt is loaded by
torch with weights_only=True and compared.
"""
import csv
import hashlib
import os
import subprocess
import sys
import tempfile

import numpy

# torch 1.13 knows no more types, and our npz has a name for each of these.
DENSE = ("tensor", "param")


def expected(folder):
    """file -> [(name, sha256)], of the tensors that are stored element by element"""
    files = {}
    with open(os.path.join(folder, "expected.tsv"), encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row.get("kind", "tensor") in DENSE:
                files.setdefault(row["file"], []).append((row["name"], row["sha256_le_c_order"]))
    return files


def convert(tenon, path, out):
    done = subprocess.run([tenon, "convert", "-q", "-f", path, "-o", out], capture_output=True, text=True)
    if done.returncode:
        print(f"{path}: {done.stderr.strip()}")
    return done.returncode == 0


def compare(tenon, folder, scratch):
    count, wrong = 0, 0
    for file, tensors in expected(folder).items():
        out = os.path.join(scratch, "out.npz")
        if not convert(tenon, os.path.join(folder, file), out):
            wrong += len(tensors)
            continue
        arrays = numpy.load(out)
        for name, digest in tensors:
            count += 1
            key = name or "tensor[0]"
            if key not in arrays or hashlib.sha256(arrays[key].tobytes()).hexdigest() != digest:
                print(f"{file}: {name}: other elements")
                wrong += 1
    return count, wrong


def leaves(value, path=""):
    import torch
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, f"{path}.{key}" if path else str(key))


def bits(tensor):
    import torch
    tensor = tensor.resolve_conj().resolve_neg().contiguous()
    return bytes(tensor.reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b""


def torch_loads(tenon, folder, scratch):
    import torch
    count, wrong = 0, 0
    for name in ("views", "dtypes", "tied", "checkpoint"):
        path = os.path.join(folder, f"{name}.pt")
        between, out = os.path.join(scratch, "between.npz"), os.path.join(scratch, "out.pt")
        if not convert(tenon, path, between) or not convert(tenon, between, out):
            return count, wrong + 1
        ours, theirs = torch.load(out, weights_only=True), torch.load(path)
        for key, value in leaves(theirs):
            if value.dtype == torch.bfloat16:  # numpy has none: two bytes of no type
                continue
            count += 1
            if ours[key].dtype != value.dtype or ours[key].shape != value.shape or bits(ours[key]) != bits(value):
                print(f"{name}: {key}: torch loads other elements")
                wrong += 1
    return count, wrong


def main(tenon, shared):
    folder = os.path.join(shared, "data", "pytorch")
    if not os.path.isdir(folder):
        print("skipped: wants real models: files of PyTorch")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        count, wrong = 0, 0
        for part in (folder, os.path.join(folder, "real")):
            here = compare(tenon, part, scratch)
            count, wrong = count + here[0], wrong + here[1]
        print(f"{count} tensors, {wrong} wrong")
        try:
            import torch  # noqa: F401
        except ImportError:
            print("skipped: torch as a judge wants python3-torch")
            return 1 if wrong else 0
        count, more = torch_loads(tenon, folder, scratch)
        print(f"torch loads {count} tensors, {more} wrong")
        return 1 if wrong or more else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
