#!/usr/bin/env python3
"""Makes the corpus of pt_fuzz: pickles as torch.save() writes them, without torch.

    make_pytorch.py FOLDER
"""
import collections
import os
import pickle
import sys


def name(module, word):
    return b"c" + module.encode() + b"\n" + word.encode() + b"\n"


def text(word):
    return b"X" + len(word).to_bytes(4, "little") + word.encode()


def number(value):
    return b"J" + value.to_bytes(4, "little", signed=True)


def numbers(values):
    return b"(" + b"".join(number(value) for value in values) + b"t"


EMPTY = name("collections", "OrderedDict") + b")R"


def storage(kind, key, count, location="cpu"):
    return b"(" + text("storage") + name("torch", kind) + text(key) + text(location) + number(count) + b"tQ"


def tensor(where, start, sizes, strides, function="_rebuild_tensor_v2", rest=b""):
    return (name("torch._utils", function) + b"(" + where + number(start) + numbers(sizes) + numbers(strides) + b"\x89" +
            EMPTY + rest + b"tR")


def pickled(value):
    return b"\x80\x02" + value + b"."


def files():
    row = tensor(storage("FloatStorage", "0", 16), 0, [4, 4], [4, 1])
    turned = tensor(storage("FloatStorage", "0", 16), 1, [3, 4], [1, 4])
    state = pickled(EMPTY + b"(" + text("a.weight") + row + text("b") + turned + b"u")
    wrapped = name("torch._utils", "_rebuild_parameter") + b"(" + row + b"\x88" + EMPTY + b"tR"
    module = (name("net", "Net") + b")\x81}(" + text("_parameters") + b"}" + text("w") + wrapped + b"s" + text("_modules") +
              b"}ub")
    layout = name("torch.serialization", "_get_layout") + b"(" + text("torch.sparse_coo") + b"tR"
    sparse = name("torch._utils", "_rebuild_sparse_tensor") + b"(" + layout + b"(" + row + turned + numbers([4, 4]) + b"ttR"
    yield "state", b"\x01" + state
    yield "state-stream", b"\x02" + state
    yield "state-big", b"\x43" + state
    yield "module", b"\x01" + pickled(module)
    yield "sparse", b"\x01" + pickled(sparse)
    yield "meta", b"\x01" + pickled(tensor(storage("HalfStorage", "9", 3, "meta"), 0, [3], [1]))
    yield "untyped", b"\x01" + pickled(tensor(
        b"(" + text("storage") + name("torch.storage", "UntypedStorage") + text("1") + text("cpu") + number(64) + b"tQ",
        0, [8], [1], "_rebuild_tensor_v3", name("torch", "bfloat16")))
    for protocol in range(5):
        value = {"a": [1, (2.5, None)], ("k", 2): {True}, 3: b"x" * 300, "d": collections.OrderedDict(x=2 ** 80)}
        yield f"protocol-{protocol}", b"\x01" + pickle.dumps(value, protocol)
    yield "itself", b"\x01" + pickled(b"}q\x00(" + text("w") + row + text("me") + b"](h\x00h\x00eu")
    yield "conjugate", b"\x01" + pickled(tensor(storage("ComplexFloatStorage", "0", 8), 0, [2, 4], [1, 2], rest=b"}" + text("conj") + b"\x88s"))
    yield "shared", b"\x01" + pickled(b"]q\x00(h\x00h\x00e")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for path, data in files():
        with open(os.path.join(folder, path), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
