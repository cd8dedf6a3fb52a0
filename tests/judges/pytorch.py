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


def compare(tenon, folder, scratch, between=None):
    """`between`: by way of a file of that suffix, where tied tensors are stored once"""
    count, wrong = 0, 0
    for file, tensors in expected(folder).items():
        out = os.path.join(scratch, "out.npz")
        path = os.path.join(folder, file)
        if between:
            stored = os.path.join(scratch, "between" + between)
            if not convert(tenon, path, stored):
                wrong += 1
            # complex128 is left behind
            tensors = [row for row in tensors if "complex128" not in row[0] and "c128" not in row[0]]
            path = stored
        if not convert(tenon, path, out):
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
    import pickle
    values = {"a": torch.arange(6).reshape(2, 3).t(), "b": torch.ones(3, dtype=torch.bfloat16)}
    for protocol in range(6):  # a pickle alone becomes an archive
        path, out = os.path.join(scratch, "alone.pkl"), os.path.join(scratch, "out.pt")
        with open(path, "wb") as alone:
            pickle.dump(values, alone, protocol=protocol)
        ours = torch.load(out, weights_only=True) if convert(tenon, path, out) else {}
        for key, value in values.items():
            count += 1
            if key not in ours or ours[key].dtype != value.dtype or bits(ours[key]) != bits(value):
                print(f"alone, protocol {protocol}: {key}: torch loads other elements")
                wrong += 1
    return count, wrong


def old_tar(path, array):
    """What torch wrote in 2016, and reads still: two tensors of one storage."""
    import io
    import pickle
    import struct
    import tarfile
    import torch
    parts = {name: io.BytesIO() for name in ("sys_info", "pickle", "tensors", "storages")}
    pickle.dump({"protocol_version": 1000, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, parts["sys_info"], 2)
    pickle.dump(1, parts["storages"], 2)
    pickle.dump((11, "cpu", torch.FloatStorage), parts["storages"], 2)
    parts["storages"].write(struct.pack("<q", array.size) + array.tobytes())
    pickle.dump([(12, 11, 2, 4)], parts["storages"], 2)
    tensors = (21, 11, (2, 3), (3, 1), 0), (22, 11, (3,), (2,), 1), (23, 12, (2,), (1,), 1)
    pickle.dump(len(tensors), parts["tensors"], 2)
    for key, storage, sizes, strides, start in tensors:
        pickle.dump((key, storage, torch.FloatTensor), parts["tensors"], 2)
        numbers = (*sizes, *strides, start)
        parts["tensors"].write(struct.pack(f"<i4x{len(numbers)}q", len(sizes), *numbers))

    class Key(int):
        pass

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            return int(value) if isinstance(value, Key) else None
    Pickler(parts["pickle"], 2).dump({"w": Key(21), "deep": [Key(22), Key(23), 3]})
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as out:
        for name, data in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data.getvalue())
            out.addfile(info, io.BytesIO(data.getvalue()))


def objects():
    import argparse
    import collections
    import torch
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(5, 4)).sum().backward()
    optimizer.step()
    w, x = torch.randn(6, 4), torch.randn(10)
    yield "state", model.state_dict()
    yield "checkpoint", {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3,
                         "args": argparse.Namespace(lr=0.1), "rng": torch.get_rng_state()}
    yield "lightning", {"state_dict": model.state_dict(), "hyper_parameters": {"lr": 1e-3, "sizes": [1, 2]},
                        "callbacks": {"Checkpoint{'monitor': 'loss'}": {"best": torch.tensor(1.5)}}}
    yield "tied", {"emb": w, "head": w, "t": w.t(), "slice": w[2:4], "column": w[:, 1], "expanded": w[0].expand(3, 4),
                   "reshaped": w.view(4, 6), "own": torch.randn(2)}
    yield "overlapping", {"a": x[:6], "b": x[4:], "c": x[:6].view(2, 3).t(), "d": x[:6].view(2, 3).t()}
    yield "types", {"half": torch.randn(3).half(), "complex": torch.randn(2, 2, dtype=torch.complex64), "bool": torch.tensor([True, False]),
                    "int8": torch.arange(5, dtype=torch.int8), "empty": torch.zeros(0, 3), "scalar": torch.tensor(7)}
    yield "containers", [torch.ones(2), (torch.zeros(1), {"k": torch.arange(2), 5: torch.ones(1)})]
    yield "many", collections.OrderedDict((f"layer.{i}", torch.full((2,), float(i))) for i in range(300))


def quoted(text):
    """A string of Python 2 in protocol 0."""
    return b"S" + repr(text)[1:].encode() + b"\n"


def python2_array(array):
    """numpy's array, as Python 2 pickled it without being told a protocol."""
    dims = b"".join(b"I%d\n" % dim for dim in array.shape)
    order = b"|" if array.itemsize == 1 else b">" if array.dtype.byteorder == ">" else b"<"
    return (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\nt" + quoted(b"b") + b"tR(I1\n(" + dims + b"tcnumpy\ndtype\n(" +
            quoted(array.dtype.str[1:].encode()) + b"I0\nI1\ntR(I3\n" + quoted(order) + b"NNNI-1\nI-1\nI0\ntbI00\n" + quoted(array.tobytes()) + b"tb")


def torch_makes(tenon, scratch):
    """What torch writes here, in every form that it has, has the elements that torch had."""
    import pickle
    import torch
    count, wrong = 0, 0
    files = []
    for name, value in objects():
        for kind, how in (("zip", {}), ("stream", {"_use_new_zipfile_serialization": False}), ("protocol4", {"pickle_protocol": 4}),
                          ("protocol1", {"pickle_protocol": 1, "_use_new_zipfile_serialization": False})):
            path = os.path.join(scratch, f"{name}.{kind}.pt")
            torch.save(value, path, **how)
            files.append((path, value))
            first = os.path.join(scratch, f"{name}.zip.pt")
            if subprocess.run([tenon, "diff", first, path], stdout=subprocess.DEVNULL).returncode:
                print(f"{os.path.basename(path)}: differs from {name}.zip.pt")
                wrong += 1
        for protocol in (0, 1, 2, 4):
            path = os.path.join(scratch, f"{name}.{protocol}.pkl")
            with open(path, "wb") as out:
                pickle.dump(value, out, protocol)
            files.append((path, value))
    path = os.path.join(scratch, "python2.pkl")
    arrays = {"real": numpy.linspace(-3, 3, 35).reshape(5, 7), "bytes": numpy.arange(256, dtype="u1"), "big": numpy.arange(9, dtype=">f4"), "empty": numpy.zeros((0, 3), "f4"),
              "long": numpy.random.default_rng(5).integers(0, 256, 200001).astype("u1")}
    with open(path, "wb") as out:
        out.write(b"(dp0\n" + b"".join(quoted(name.encode()) + python2_array(array) + b"s" for name, array in arrays.items()) + b".")
    files.append((path, {name: torch.from_numpy(array.astype(array.dtype.newbyteorder("="))) for name, array in arrays.items()}))
    path = os.path.join(scratch, "old.tar.pt")
    old_tar(path, numpy.arange(6, dtype=numpy.float32))
    files.append((path, torch.load(path)))
    for path, value in files:
        for between in (None, ".safetensors", ".pt"):
            source, out = path, os.path.join(scratch, "made.npz")
            if between:
                source = os.path.join(scratch, "made" + between)
                if not convert(tenon, path, source):
                    wrong += 1
                    continue
            if not convert(tenon, source, out):
                wrong += 1
                continue
            arrays = numpy.load(out)
            for key, tensor in leaves(value):
                count += 1
                if key not in arrays or arrays[key].shape != tuple(tensor.shape) or arrays[key].tobytes() != bits(tensor):
                    print(f"{os.path.basename(path)} by {between}: {key}: other elements")
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
            for between in (None, ".safetensors"):
                here = compare(tenon, part, scratch, between)
                count, wrong = count + here[0], wrong + here[1]
        print(f"{count} tensors, {wrong} wrong")
        try:
            import torch  # noqa: F401
        except ImportError:
            print("skipped: torch as a judge wants python3-torch")
            return 1 if wrong else 0
        count, more = torch_loads(tenon, folder, scratch)
        print(f"torch loads {count} tensors, {more} wrong")
        count, made = torch_makes(tenon, scratch)
        print(f"torch makes {count} tensors, {made} wrong")
        return 1 if wrong or more or made else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
