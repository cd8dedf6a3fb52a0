"""Models from Python, judged by numpy and torch.

    pytest tests/python/test_models.py        TENON_LIBRARY names the library

The files are made here, by hand or by numpy and torch, not by this package.
"""
import copy
import gc
import inspect
import io
import json
import mmap
import os
import pickle
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import types
import weakref

import numpy as np
import pytest

import tenon
import tenon.numpy

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.path.join(os.path.dirname(HERE), "corpus")
ONNX = os.path.join(CORPUS, "onnx")
torch = None
try:
    import torch
    import tenon.torch
except ImportError:
    pass
needs_torch = pytest.mark.skipif(torch is None, reason="no torch")


def write_safetensors(path, arrays, metadata=None, pad=8):
    header, body = {}, b""
    names = {"float32": "F32", "int64": "I64", "float16": "F16",
             "bool": "BOOL", "uint8": "U8"}
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, data) in arrays.items():
        header[name] = {"dtype": names.get(dtype, dtype), "shape": shape,
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8 + pad - 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def plain(array):
    return str(array.dtype), list(array.shape), array.tobytes()


@pytest.fixture
def weights(tmp_path):
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    return write_safetensors(tmp_path / "w.safetensors", {
        "w": plain(w), "b": plain(np.arange(3)),
        "flags": plain(np.array([True, False])),
        "empty": ("float32", [0, 4], b"")}, {"author": "me", "a": "b=c"})


def onnx_model(path):
    """x + w, by the onnx package."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"], name="add"),
         helper.make_node("Softmax", ["y"], ["z"], name="soft", axis=1)],
        "g", [helper.make_tensor_value_info("x", 1, ["batch", 4])],
        [helper.make_tensor_value_info("z", 1, ["batch", 4])],
        [numpy_helper.from_array(np.arange(4, dtype=np.float32), "w")])
    onnx.save(helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13)]), str(path))
    return path


# ---- what a model is ----------------------------------------------------------------


def test_facts(weights):
    with tenon.open(weights) as model:
        assert (model.format, model.dialect) == ("safetensors", "")
        assert model.metadata == {"author": "me", "a": "b=c"}
        assert list(model.tensors) == ["w", "b", "flags", "empty"]
        assert len(model.tensors) == 4 and "w" in model.tensors
        assert "nothing" not in model.tensors
        assert list(model.tensors.rows())[0] == ("w", "float32", (3, 4))
        tensor = model.tensors["w"]
        assert (tensor.dtype, tensor.shape, tensor.nbytes) == (
            "float32", (3, 4), 48)
        assert tensor.read() == np.arange(12, dtype=np.float32).tobytes()
        assert "4 tensors" in repr(model)
        assert "<table>" in model._repr_html_()
        with pytest.raises(KeyError):
            model.tensors["nothing"]
        assert {f.rule for f in model.check()} == {"unaligned"}
    with pytest.raises(ValueError, match="closed"):
        model.format
    assert model._repr_html_() is None and "closed" in repr(model)


def test_graph(tmp_path):
    with tenon.open(onnx_model(tmp_path / "m.onnx")) as model:
        assert model.dialect == "onnx"
        assert model.inputs == [tenon.Value("x", "float32", ("batch", 4))]
        assert [v.name for v in model.outputs] == ["z"]
        assert model.operators == {"Add": 1, "Softmax": 1}
        nodes = list(model.graph.nodes)
        assert [(n.name, n.type) for n in nodes] == [("add", "Add"),
                                                     ("soft", "Softmax")]
        assert nodes[0].inputs == ["x", "w"] and nodes[0].outputs == ["y"]
        assert nodes[1].attributes == {"axis": 1}
        assert nodes[1].path == "graph.node[1]"
        assert model.graph.nodes[-1].name == "soft"
        assert "iframe" in model.view()._repr_html_()


def test_subgraphs_and_attributes():
    """Every attribute of every model of the corpus can be decoded."""
    subgraphs = tensors = 0
    for name in sorted(os.listdir(ONNX)):
        if not name.endswith(".onnx"):
            continue
        try:
            model = tenon.open(os.path.join(ONNX, name))
        except tenon.Error:
            continue
        with model:
            for graph in model.graphs:
                for node in graph:
                    try:
                        values = node.attributes
                    except tenon.Error:
                        continue
                    for value in values.values():
                        subgraphs += isinstance(value, tenon.Graph)
                        if isinstance(value, tenon.Tensor):
                            tensors += 1
                            if value.dtype != "string":
                                assert value.numpy().shape == value.shape
    assert subgraphs and tensors


# ---- elements -------------------------------------------------------------------------


def test_numpy_is_a_view(weights):
    model = tenon.open(weights)
    tensor = model.tensors["w"]
    array = tensor.numpy()
    assert not array.flags.writeable
    assert tensor.buffer().is_mapped
    same = [np.asarray(tensor), np.from_dlpack(tensor), tensor.numpy()]
    assert {a.__array_interface__["data"][0] for a in same} == {
        array.__array_interface__["data"][0]}
    assert np.array_equal(array, np.arange(12).reshape(3, 4))
    written = tensor.numpy(writable=True)
    copied = tensor.numpy(copy=True)
    written[0, 0] = 99
    assert array[0, 0] == 99
    copied[0, 0] = 5  # the caller's own
    assert array[0, 0] == 99
    del written, same, tensor
    before = weights.read_bytes()
    model.close()
    del model
    gc.collect()
    assert array[0, 0] == 99 and array[2, 3] == 11
    assert weights.read_bytes() == before
    assert tenon.open(weights).tensors["w"].numpy()[0, 0] == 0
    assert tenon.open(weights).tensors["empty"].numpy().shape == (0, 4)


def test_memoryview_outlives_everything(weights):
    view = tenon.open(weights).tensors["w"].data
    gc.collect()
    os.unlink(weights)
    assert view.nbytes == 48 and not view.readonly
    assert view.tobytes() == np.arange(12, dtype=np.float32).tobytes()


@needs_torch
def test_torch_has_the_same_address(weights):
    model = tenon.open(weights)
    tensor = model.tensors["w"]
    made = [tensor.torch(), torch.from_dlpack(tensor)]
    address = tensor.numpy().__array_interface__["data"][0]
    assert {t.data_ptr() for t in made} == {address}
    made[0][1, 1] = -5  # torch knows no read-only tensors: no crash
    assert made[1][1, 1] == -5
    assert model.tensors["flags"].torch().tolist() == [True, False]
    assert model.tensors["empty"].torch().shape == (0, 4)
    model.close()
    del model, tensor
    gc.collect()
    assert made[1].sum() == 66 - 5 - 5


def test_capsule_that_nobody_takes(weights):
    tensor = tenon.open(weights).tensors["w"]
    for _ in range(100):
        tensor.__dlpack__()
    assert tensor.__dlpack_device__() == (1, 0)


class Refuses:
    """What takes no capsule, as libraries do that lack a type: the capsule goes
    while their exception is on its way."""

    def __init__(self, tensor):
        capsule = tensor.__dlpack__()
        raise BufferError(f"no type for {type(capsule).__name__}")


def test_refused_capsules_keep_their_exception(weights, capfd):
    tensor = tenon.open(weights).tensors["flags"]
    for _ in range(10):
        with pytest.raises(BufferError, match="no type for PyCapsule"):
            Refuses(tensor)
    takers = [np.from_dlpack] + ([torch.from_dlpack] if torch else [])
    for take in takers:  # some of them have no bool
        try:
            assert take(tensor).tolist() in ([True, False], [1, 0])
        except (RuntimeError, BufferError) as error:
            assert "nsupported" in str(error)
    assert capfd.readouterr().err == ""


def test_dlpack_copies_and_devices(weights):
    tensor = tenon.open(weights).tensors["w"]
    with pytest.raises(BufferError, match="on the CPU"):
        tensor.__dlpack__(dl_device=(2, 0))

    class Copied:
        def __dlpack__(self, **_):
            return tensor.__dlpack__(copy=True, max_version=(1, 0),
                                     dl_device=(1, 0))

        def __dlpack_device__(self):
            return tensor.__dlpack_device__()
    copied = np.from_dlpack(Copied())
    assert copied.ctypes.data != tensor.numpy().ctypes.data
    assert np.array_equal(copied, tensor.numpy())
    with pytest.raises(BufferError, match="copy=True"):
        tensor.buffer().__dlpack__(copy=True)


def test_array_protocol_of_numpy_2(weights):
    tensor = tenon.open(weights).tensors["w"]
    shared = tensor.__array__(copy=False)
    assert shared.ctypes.data == tensor.numpy().ctypes.data
    assert not shared.flags.writeable
    copied = tensor.__array__(copy=True)
    assert copied.ctypes.data != shared.ctypes.data and copied.flags.writeable
    assert tensor.__array__(np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="without a copy"):
        tensor.__array__(np.float64, copy=False)


def test_single_elements(tmp_path):
    tenon.save_file({"pi": np.float32(3.25), "no": np.zeros((1, 1), bool),
                     "two": np.arange(2)}, tmp_path / "s.safetensors")
    tensors = tenon.open(tmp_path / "s.safetensors").tensors
    assert float(tensors["pi"]) == 3.25 and int(tensors["pi"]) == 3
    assert tensors["pi"].item() == 3.25
    assert bool(tensors["pi"]) and not tensors["no"]
    with pytest.raises(ValueError, match="2 elements, not one"):
        bool(tensors["two"])


class Alarm(Exception):
    pass


def ring(*_):
    raise Alarm


@pytest.mark.parametrize("what", ["values", "progress", "file"])
def test_signals_while_c_calls_python(tmp_path, capfd, what):
    """What a handler raises is lost where nothing can catch it, as when C calls
    Python next."""
    path = tmp_path / "large.safetensors"
    tenon.save_file({"w": np.zeros(8_000_000, np.float32)}, path)
    handler = signal.signal(signal.SIGALRM, ring)
    with open(path, "rb") as file:
        model = tenon.open(file if what == "file" else path)
        run = {"values": model.statistics,
               "progress": lambda: model.statistics(
                   progress=lambda *_: None),
               "file": model.hash}[what]
        try:
            for i in range(10):
                with pytest.raises(Alarm):
                    signal.setitimer(signal.ITIMER_REAL, 0.001 * (i + 1))
                    run()
                    time.sleep(1)  # it was done before
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert capfd.readouterr().err == ""


def test_unaligned(tmp_path):
    path = write_safetensors(tmp_path / "u.safetensors", {
        "x": ("uint8", [1], b"\1"),
        "w": plain(np.arange(3, dtype=np.float32))})
    tensor = tenon.open(path).tensors["w"]
    assert tensor.numpy().tolist() == [0, 1, 2]
    assert not tensor.buffer().is_mapped
    assert tensor.buffer().address % 4 == 0
    assert tensor.buffer(unaligned=True).is_mapped


@pytest.mark.parametrize("index", [
    (slice(1, 3), slice(None)), 1, -1, (slice(None), 2), slice(None, None, 2),
    (Ellipsis, slice(1, 3)), (0, 0), slice(-2, None), slice(None, None, -1),
    slice(-2**70, 2**70, 2**70)])
def test_slices(tmp_path, index):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.savez_compressed(tmp_path / "a.npz", w=array)  # cannot be mapped
    write_safetensors(tmp_path / "a.safetensors", {"w": plain(array)})
    for name in ("a.npz", "a.safetensors"):
        with tenon.open(tmp_path / name) as model:
            assert np.array_equal(model.tensors["w"][index], array[index])
            for far in (7, -4, 2**70, (0, -2**70)):
                with pytest.raises(IndexError, match="axis|index-sized"):
                    model.tensors["w"][far]


def test_parts_are_what_numpy_makes_of_them(tmp_path):
    """Numbers where it has numbers, also where only a part is read."""
    arrays = {"m": np.arange(12, dtype=np.int16).reshape(3, 4),
              "s": np.array(3.5, np.float32)}
    np.savez_compressed(tmp_path / "m.npz", **arrays)
    tenon.save_file(arrays, tmp_path / "m.safetensors")
    with open(tmp_path / "m.safetensors", "rb") as file:
        for source in (tmp_path / "m.npz", tmp_path / "m.safetensors", file):
            model = tenon.open(source)
            for name, index in (
                    ("m", (1, 2)), ("m", (1, 2, ...)), ("m", (-1, -1)),
                    ("m", 1), ("m", (None, 2, 3)), ("m", [2, 0]),
                    ("m", (slice(None, None, -1), 0)), ("s", ()),
                    ("s", ...), ("m", np.array([True, False, True]))):
                part, wanted = model.tensors[name][index], arrays[name][index]
                assert type(part) is type(wanted), (source, name, index)
                assert np.array_equal(part, wanted) and \
                    part.dtype == wanted.dtype
            assert [row.tolist() for row in model.tensors["m"]] == \
                arrays["m"].tolist()
            with pytest.raises(TypeError):
                list(model.tensors["s"])


def test_arrays_of_safe_open_are_the_callers(weights):
    with tenon.safe_open(weights) as file:
        first = file.get_tensor("w")
        first += 1
        assert file.get_tensor("w")[0, 0] == 0
        part = file.get_slice("w")[1:, ::2]
        part *= 2
        assert part.tolist() == [[8, 12], [16, 20]]
        assert file.get_slice("w")[1, 1] == 5
        assert file.get_slice("w")[::-1, [1]][0, 0] == 9
        assert type(file.get_slice("w")[0, 0]) is np.float32
        assert file.get_tensor("w")[1, 0] == 4


def test_tensors_without_a_name_have_their_path(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper
    graph = helper.make_graph(
        [helper.make_node("Constant", [], [name], value=numpy_helper.from_array(
            np.array([number], np.float32))) for number, name in
         enumerate("ab")], "g", [],
        [helper.make_tensor_value_info(name, 1, [1]) for name in "ab"])
    onnx.save(helper.make_model(graph), str(tmp_path / "m.onnx"))
    with tenon.open(tmp_path / "m.onnx") as model:
        assert "" not in model.tensors
        assert [row[0] for row in model.tensors.rows()] == list(model.tensors)
        assert [tensor.item() for tensor in model.tensors.values()] == [0, 1]
        assert list(model.tensors) == [t.path for t in model.tensors()]
        assert list(model.statistics()) == list(model.hash()) == \
            list(model.tensors)
        tenon.save_file(dict(model.tensors), tmp_path / "m.npz")


def test_nodes_are_equal_to_themselves(tmp_path):
    model = tenon.open(onnx_model(tmp_path / "m.onnx"))
    node, again = model.graph.nodes[0], tenon.open(tmp_path / "m.onnx")
    assert node in model.graph.nodes and len({node, *model.graph}) == 2
    assert model.graph.nodes.index(model.graph.nodes[1]) == 1
    assert node != again.graph.nodes[0] and model.graph == model.graphs[0]


def test_what_an_edit_has_is_listed(tmp_path):
    with tenon.open(onnx_model(tmp_path / "m.onnx")).edit() as edit:
        assert {"rename", "set_attr", "commit"} <= set(dir(edit))
        with pytest.raises(AttributeError, match="actions"):
            edit.no_such_action("a")
        edit.set_metadata("key", "before")
        edit.set_opset(14)
        edit.set_metadata("other", "after")
        edit.commit().write(tmp_path / "m14.onnx")
    texts = tenon.open(tmp_path / "m14.onnx").metadata
    assert texts["key"] == "before" and texts["other"] == "after"


def test_types_that_numpy_has_not(tmp_path, monkeypatch):
    path = write_safetensors(tmp_path / "t.safetensors", {
        "b": ("BF16", [2], b"\x80\x3f\x00\x40"),
        "f": ("F8_E4M3", [2], b"\x38\x40")})
    with tenon.open(path) as model:
        assert model.tensors["b"].dtype == "bfloat16"
        assert model.tensors["b"].numpy().tolist() == [0x3f80, 0x4000]
        assert model.tensors["f"].numpy().dtype == np.uint8
        if torch:
            assert model.tensors["b"].torch().tolist() == [1, 2]
        # ml_dtypes registers types of its own; this stands in for it.
        stand_in = types.ModuleType("ml_dtypes")
        stand_in.bfloat16 = np.dtype([("bfloat16", "<u2")])
        monkeypatch.setitem(sys.modules, "ml_dtypes", stand_in)
        assert model.tensors["b"].numpy().dtype == stand_in.bfloat16
        assert np.asarray(model.tensors["b"]).dtype == stand_in.bfloat16
        assert model.tensors["f"].numpy().dtype == np.uint8


def test_strings(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx import helper
    tensor = helper.make_tensor("s", 8, [2], [b"one", b"two"])
    graph = helper.make_graph([], "g", [], [], [tensor])
    onnx.save(helper.make_model(graph), str(tmp_path / "s.onnx"))
    with tenon.open(tmp_path / "s.onnx") as model:
        assert model.tensors["s"].strings() == [b"one", b"two"]
        assert model.tensors["s"].numpy().tolist() == [b"one", b"two"]
        assert np.asarray(model.tensors["s"]).tolist() == [b"one", b"two"]


# ---- verbs ----------------------------------------------------------------------------


def test_convert_hash_diff_edit(weights, tmp_path):
    with tenon.open(weights) as model:
        done = model.convert(tmp_path / "w.npz")
        assert done.format == "npz" and done.bytes_written > 0
        with np.load(tmp_path / "w.npz") as file:
            assert np.array_equal(file["w"], model.tensors["w"].numpy())
        with tenon.open(tmp_path / "w.npz") as other:
            assert other.hash() == model.hash()
            assert other.hash()["w"] == model.tensors["w"].hash()
            parts = {change.part for change in model.diff(other)}
            assert "tensor" not in parts
        with pytest.raises(tenon.ExistsError):
            model.convert(tmp_path / "w.npz")
        with pytest.raises(tenon.Error) as info:
            model.convert(tmp_path / "w.nothing")
        assert info.value.reason == "unknown-target-format"
        with model.edit() as edit:
            edit.rename_tensor("w=weight")
            edit.set_metadata("author", "you")
            assert "rename-tensor" in edit.actions()
            with edit.commit() as changed:
                changed.write(tmp_path / "changed.safetensors")
        with tenon.open(tmp_path / "changed.safetensors") as again:
            assert "weight" in again.tensors and "w" not in again.tensors
            assert again.metadata["author"] == "you"
            changes = model.diff(again)
            assert any(c.part == "tensor" and c.kind == "renamed"
                       and c.new_name == "weight" for c in changes)


def test_errors(tmp_path, weights):
    with pytest.raises(tenon.Error):
        tenon.open(tmp_path / "nothing.onnx")
    data = weights.read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(data[:-4])
    with pytest.raises(tenon.MalformedError) as info:
        tenon.open(tmp_path / "cut.safetensors")
    assert info.value.what and isinstance(info.value, ValueError)
    findings = tenon.check(tmp_path / "cut.safetensors")
    assert "error" in {f.severity for f in findings}
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(tenon.Error) as info:
        tenon.open(tmp_path / "empty")
    assert info.value.status and info.value.offset is None
    with pytest.raises(tenon.Error):
        tenon.open(tmp_path)


def test_threads_share_slices_and_hashes(tmp_path):
    arrays = {f"t{i}": np.full((50, i + 1), i, np.float32) for i in range(40)}
    path = tmp_path / "many.npz"
    np.savez(path, **arrays)
    wrong = []

    def read(model, begin):
        for i in range(200):
            name = f"t{(begin + 7 * i) % 40}"
            tensor = model.tensors[name]
            if (tensor.numpy() != arrays[name]).any() or \
                    (tensor[10:20] != arrays[name][10:20]).any():
                wrong.append(name)
        wrong.extend(set(arrays) ^ set(model.hash()))

    with tenon.open(path) as model:
        threads = [threading.Thread(target=read, args=(model, i))
                   for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_progress_is_a_function(weights):
    for wrong in (5, "print"):
        with pytest.raises(TypeError, match="progress"):
            tenon.open(weights).hash(progress=wrong)


def test_progress_and_cancelling(tmp_path):
    path = tmp_path / "big.npy"
    np.save(path, np.zeros(64 << 20, np.uint8))

    class Stop(Exception):
        pass

    def fail(doing, done, total):
        raise Stop(doing)

    with tenon.open(path) as model:
        seen = []
        model.hash(progress=lambda *row: seen.append(row) and None)
        # A call that takes less than a tenth of a second may not ask.
        for stopper, error in ((fail, Stop),
                               (lambda *_: True, tenon.CancelledError)):
            try:
                for _ in range(50):
                    model.hash(progress=stopper)
            except error:
                pass
            else:
                pytest.skip("too fast to be asked")


def test_progress_of_a_new_file_has_a_total(tmp_path):
    """The arrays that are written, since there is no file to be read."""
    seen = []
    tenon.save_file({"x": np.zeros(64 << 20, np.uint8)},
                    tmp_path / "x.safetensors",
                    progress=lambda *row: seen.append(row) and None)
    assert {total for _, _, total in seen if total} <= {64 << 20}
    if not any(done for _, done, _ in seen):
        pytest.skip("too fast to be asked")
    assert {total for _, done, total in seen if done} == {64 << 20}


def test_interrupt(tmp_path):
    """Ctrl-C ends a long call, and nothing is left behind."""
    script = f"""if True:
        import tenon, threading, os, signal, time
        edit = tenon.Edit.new("safetensors")
        data = bytes(32 << 20)
        edit.add("x", "uint8", [len(data)], data, graph=None)
        model = edit.commit()
        threading.Timer(1, os.kill, [os.getpid(), signal.SIGINT]).start()
        try:
            while True:
                model.convert({str(tmp_path / 'out.safetensors')!r},
                              replace=True)
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run([sys.executable, "-c", script], text=True,
                          capture_output=True, timeout=120)
    assert done.stdout == "interrupted\n", done.stderr
    assert [n for n in os.listdir(tmp_path) if n.startswith(".")] == []


def test_outputs_of_an_edit_follow_its_nodes(tmp_path):
    """In TensorFlow they are what nobody uses, also before it is written."""
    with tenon.Edit.new("tf-graph") as edit:
        edit.run("add-op x Placeholder - -> x\nset-attr x dtype type float32\n"
                 "set-attr x shape shape 2\n"
                 "add-op y Relu - x -> y\nset-attr y T type float32\n")
        first = edit.commit()
        assert [value.name for value in first.outputs] == ["y"]
        with first.edit() as more:
            more.run("add-op z Neg - y -> z\nset-attr z T type float32\n")
            second = more.commit()
    assert [value.name for value in second.outputs] == ["z"]
    second.convert(tmp_path / "z.onnx")
    with tenon.open(tmp_path / "z.onnx") as made:
        assert [node.type for node in made.graph] == ["Relu", "Neg"]
    second.write(tmp_path / "z.pb")
    with tenon.open(tmp_path / "z.pb") as made:
        assert [value.name for value in made.outputs] == ["z"]


@pytest.mark.parametrize("format", ["onnx", "safetensors", "gguf"])
def test_texts_of_an_edit_go_everywhere(tmp_path, format):
    """What an edit sets is in the next file, whatever its format, or is told
    to be lost; what it removes is neither."""
    first = tmp_path / ("first." + format)
    with tenon.Edit.new(format) as edit:  # made from nothing
        edit.add("w", "float32", [32], np.ones(32, np.float32))
        edit.set_metadata("kept", "1")
        edit.set_metadata("gone", "2")
        if format == "onnx":
            edit.act("producer", "somebody")
            edit.act("graph-name", "main")
            edit.set_opset(18)  # begins with a model that was made
        edit.commit().write(first)
    with tenon.open(first) as model:
        assert model.metadata["kept"] == "1" and model.metadata["gone"] == "2"
        with model.edit() as edit:
            edit.set_metadata("gone", None)
            edit.set_metadata("new", "3")
            made = edit.commit()
    for end in ("onnx", "samediff") if format == "onnx" else ():
        assert_texts(made, tmp_path / ("to." + end))
    for end in ("safetensors", "gguf"):
        assert_texts(made, tmp_path / ("to." + end))
    lost = " ".join(loss.what for loss in
                    made.convert(tmp_path / "to.npz").losses)
    assert "kept" in lost and "new" in lost and "gone" not in lost
    if format == "onnx":
        graph = tenon.open(tmp_path / "to.samediff").metadata
        assert graph["onnx.producer_name"] == "somebody"
        assert graph["onnx.graph_name"] == "main"


def assert_texts(model, path):
    model.convert(path)
    found = tenon.open(path).metadata
    assert (found["kept"], found["new"], "gone" in found) == ("1", "3", False)


# ---- safetensors' interface -------------------------------------------------------------

SUFFIXES = [".safetensors", ".npz", ".gguf", ".pdparams", ".pt", ".index"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_save_and_load(tmp_path, suffix):
    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3),
              "half": np.ones(32, np.float16),
              "t": np.arange(6, dtype=np.float32).reshape(2, 3).T}
    path = tmp_path / ("m" + suffix)
    tenon.numpy.save_file(arrays, path)
    tenon.numpy.save_file(arrays, path)  # replaces it
    loaded = tenon.numpy.load_file(path)
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert np.array_equal(loaded[name], array)
        assert loaded[name].flags.writeable
    with tenon.safe_open(path, framework="np") as file:
        assert file.keys() == sorted(arrays)
        part = file.get_slice("w")
        assert part.get_shape() == [2, 3] and part.get_dtype() == "F32"
        assert part[1:, :2].tolist() == [[3, 4]]
        with pytest.raises(KeyError):
            file.get_tensor("nothing")
    assert [n for n in os.listdir(tmp_path) if n.startswith(".")] == []


def test_the_end_of_a_path_in_capitals(tmp_path):
    tenon.save_file({"w": np.ones(3)}, tmp_path / "W.SAFETENSORS")
    assert tenon.open(tmp_path / "W.SAFETENSORS").format == "safetensors"


def test_judges_read_what_is_saved(tmp_path):
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    tenon.save_file({"w": w}, tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as file:
        assert np.array_equal(file["w"], w)
    tenon.save_file({"w": w}, tmp_path / "m.safetensors", {"k": "v"})
    data = (tmp_path / "m.safetensors").read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    assert header["__metadata__"] == {"k": "v"}
    assert data[8 + size:][slice(*header["w"]["data_offsets"])] == w.tobytes()
    with tenon.safe_open(tmp_path / "m.safetensors") as file:
        assert file.metadata() == {"k": "v"}


@needs_torch
def test_torch_files(tmp_path):
    tensors = {"w": torch.arange(6.).reshape(2, 3).T,
               "b": torch.ones(3, dtype=torch.bfloat16),
               "n": torch.tensor(5), "m": torch.tensor([True, False])}
    tenon.torch.save_file(tensors, tmp_path / "m.pt")
    loaded = torch.load(str(tmp_path / "m.pt"), weights_only=True)
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype
        assert torch.equal(loaded[name], tensor)
    torch.save(tensors, str(tmp_path / "theirs.pt"))
    ours = tenon.torch.load_file(tmp_path / "theirs.pt")
    for name, tensor in tensors.items():
        assert torch.equal(ours[name], tensor)
    tenon.torch.save_file(tensors, tmp_path / "m.safetensors")
    with tenon.safe_open(tmp_path / "m.safetensors", framework="pt") as file:
        assert torch.equal(file.get_tensor("w"), tensors["w"])
        assert torch.equal(file.get_slice("w")[1:], tensors["w"][1:])


@needs_torch
def test_numbers_that_torch_has_no_type_for(tmp_path):
    """Debian's torch has no unsigned types but uint8."""
    arrays = {"a": np.array([[1, 2], [3, 65535]], np.uint16),
              "b": np.array([4, 2**32 - 1], np.uint32),
              "c": np.array([5, 2**63 - 1], np.uint64),
              "e": np.zeros((0, 2), np.uint16)}
    for name in ("m.npz", "m.safetensors"):
        tenon.save_file(arrays, tmp_path / name)
        for key, tensor in tenon.torch.load_file(tmp_path / name).items():
            assert tensor.tolist() == arrays[key].tolist()
        with tenon.safe_open(tmp_path / name, framework="pt") as file:
            assert file.get_slice("a")[1:, 1].tolist() == [65535]
    tenon.save_file({"c": np.array([2**63], np.uint64)}, tmp_path / "c.npz")
    if not hasattr(torch, "uint64"):
        with pytest.raises(OverflowError):
            tenon.torch.load_file(tmp_path / "c.npz")


def test_refusals_name_formats_and_types(tmp_path):
    array = {"w": np.ones(2, np.complex128)}
    with pytest.raises(ValueError, match="npz.*safetensors.*, not 'onnx'"):
        tenon.save_file(array, tmp_path / "w", format="onnx")
    with pytest.raises(ValueError, match=r"w\.h5': use format=.*safetensors"):
        tenon.save_file(array, tmp_path / "w.h5")
    with pytest.raises(tenon.InvalidError, match="'w' has the type complex128"):
        tenon.save_file(array, tmp_path / "w.safetensors")
    with tenon.Edit.new("onnx") as edit:
        with pytest.raises(tenon.InvalidError, match="graph has to be named"):
            edit.add("w", "int8", [1], b"1", graph=None)
        with pytest.raises(ValueError, match="constant, trained"):
            edit.add("w", "int8", [1], b"1", kind="variable")
        edit.add("w", "int8", [1], b"1")  # nothing was added yet


def test_refusals(tmp_path):
    if torch:
        with pytest.raises(TypeError, match="sparse"):
            tenon.save_file({"s": torch.eye(3).to_sparse_csr()},
                            tmp_path / "m.npz")
    for wrong in ([1], {"a": [1, 2]}, {3: np.ones(1)}):
        with pytest.raises(TypeError):
            tenon.save_file(wrong, tmp_path / "m.npz")
    with pytest.raises(ValueError):
        tenon.save_file({}, tmp_path / "m.nothing")
    with pytest.raises(ValueError):
        tenon.safe_open(tmp_path / "m.npz", framework="tf")
    with pytest.raises(TypeError):
        tenon.save_file({"o": np.array([object()])}, tmp_path / "m.npz")
    assert os.listdir(tmp_path) == []


# ---- many, and for long -------------------------------------------------------------------


def test_threads_share_a_model(tmp_path):
    arrays = {f"t{i}": np.full(10000, i, np.float32) for i in range(40)}
    np.savez_compressed(tmp_path / "m.npz", **arrays)
    model, wrong = tenon.open(tmp_path / "m.npz"), []

    def work(seed):
        for i in range(40):
            name = f"t{(i * 7 + seed) % 40}"
            if not np.array_equal(model.tensors[name].numpy(), arrays[name]):
                wrong.append(name)

    threads = [threading.Thread(target=work, args=[i]) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def memory():
    with open("/proc/self/status") as file:
        text = file.read()
    return int(re.search(r"VmRSS:\s*(\d+)", text)[1])


def test_nothing_leaks(tmp_path):
    w = np.ones(1 << 18, np.float32)
    np.savez_compressed(tmp_path / "m.npz", w=w)
    path = write_safetensors(tmp_path / "m.safetensors", {"w": plain(w)})

    def rounds(count):
        for _ in range(count):
            for name in ("m.npz", path.name):
                with tenon.open(tmp_path / name) as model:
                    tensor = model.tensors["w"]
                    assert tensor.numpy()[5] == 1
                    assert np.from_dlpack(tensor)[5] == 1
                    assert tensor.data[3] == 0x3f
                    list(model.tensors.rows())

    rounds(20)
    gc.collect()
    before, maps = memory(), len(open("/proc/self/maps").readlines())
    rounds(100)
    gc.collect()
    assert memory() - before < 8 << 10, "kB more than before"
    assert len(open("/proc/self/maps").readlines()) - maps < 20


def test_many_names(tmp_path):
    count = 20000
    header = {f"layer.{i}.weight": {"dtype": "U8", "shape": [1],
                                    "data_offsets": [i, i + 1]}
              for i in range(count)}
    text = json.dumps(header).encode()
    (tmp_path / "m.safetensors").write_bytes(
        struct.pack("<Q", len(text)) + text + bytes(count))
    with tenon.open(tmp_path / "m.safetensors") as model:
        assert list(model.tensors) == list(header)
        assert sum(1 for _ in model.tensors.rows()) == count


def test_module_is_the_command(tmp_path):
    command = os.environ.get("TENON_COMMAND")
    if not command:
        pytest.skip("TENON_COMMAND is not set")
    done = subprocess.run([sys.executable, "-m", "tenon", "--version"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "tenon" in done.stdout


# ---- what strangers try --------------------------------------------------------------------


class Ranges:
    """Bytes by ranges, as an object store has them."""

    def __init__(self, data):
        self.data, self.size, self.is_gone = data, len(data), False
        self.read = 0

    def read_at(self, offset, size):
        if self.is_gone:
            raise ConnectionError("gone")
        self.read += size
        return self.data[offset:offset + size]


def test_file_objects(weights, tmp_path):
    wanted = np.arange(12).reshape(3, 4)
    data = weights.read_bytes()
    with open(weights, "rb") as file:
        for source in (file, io.BytesIO(data), Ranges(data)):
            with tenon.open(source) as model:
                assert np.array_equal(model.tensors["w"].numpy(), wanted)
                assert model.tensors["w"][1:, 2].tolist() == [6, 10]
            with tenon.safe_open(source) as safe:
                assert np.array_equal(safe.get_tensor("w"), wanted)
    for how in ({"mode": "rb", "open": lambda self: io.BytesIO(data)},
                {"open": lambda self, mode: {"rb": io.BytesIO(data)}[mode]}):
        later = type("OpenFile", (), {"fs": None, **how})()  # fsspec's, UPath's
        assert tenon.open(later).tensors["w"][2, 3] == 11
    source = Ranges(data)
    model = tenon.open(source)
    source.is_gone = True
    for call in (lambda: model.tensors["w"].numpy(), model.hash,
                 model.tensors["w"].read, lambda: model.view(stats=True),
                 lambda: model.diff(tenon.open(weights)),
                 lambda: tenon.open(weights).diff(model),
                 lambda: model.convert(tmp_path / "x.npz")):
        with pytest.raises(ConnectionError, match="gone"):
            call()
    source.is_gone = False
    with model.edit() as edit:
        edit.rename_tensor("w=v")
        made = edit.commit()
    del model, edit
    gc.collect()
    made.write(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as file:
        assert np.array_equal(file["v"], wanted)
    with pytest.raises(ValueError, match="no file"):
        tenon.open(io.BytesIO(data)).check()
    with pytest.raises(EOFError):
        tenon.open(type("Short", (Ranges,), {
            "read_at": lambda *_: b""})(data))
    with pytest.raises(TypeError):
        tenon.open(io.StringIO("text"))
    with open(weights) as text, pytest.raises(TypeError, match="'rb'"):
        tenon.open(text)
    with open(weights, "rb") as file, mmap.mmap(
            file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        assert tenon.open(pages).tensors["w"][2, 3] == 11
    source = Ranges(data)
    source.size = np.int64(source.size)
    assert tenon.open(source).tensors["w"][2, 3] == 11
    with pytest.raises(ValueError, match="BytesIO") as info:
        tenon.open(data * 1000)  # bytes are a path
    assert len(str(info.value)) < 500


def test_nothing_waits_for_the_collector(weights):
    """Files are closed, and what callers gave is let go of, with its last
    user, as of numpy and of files of Python."""
    source, given = Ranges(weights.read_bytes()), []

    def ask(*_):
        return None
    gc.collect()
    gc.disable()
    try:
        opened = os.listdir("/proc/self/fd")
        for _ in range(10):
            tenon.open(weights).tensors["w"].numpy()
            tenon.safe_open(weights).get_tensor("w")
            with pytest.raises(KeyError):
                tenon.open(weights).tensors["no"]
        assert tenon.open(source).tensors["w"][0, 1] == 1
        tenon.open(weights).hash(progress=ask)
        given = [weakref.ref(source), weakref.ref(ask)]
        del source, ask
        assert [ref() for ref in given] == [None, None]
        assert len(os.listdir("/proc/self/fd")) == len(opened)
    finally:
        gc.enable()


def test_what_may_expand_is_the_callers(tmp_path, monkeypatch):
    """A value that fills a tensor; every call that reads takes max_expand."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.pbtxt").write_text(
        'node { name: "c" op: "Const" attr { key: "dtype" value { type: '
        'DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT '
        'tensor_shape { dim { size: 100000 } } float_val: 2 } } } }')
    np.savez_compressed("c.npz", c=np.zeros(100000))
    for source in ("c.pbtxt", "c.npz"):
        with pytest.raises(tenon.LimitError, match="1000 are allowed"):
            tenon.safe_open(source, max_expand=1000).get_tensor("c")
        for most in (0, 1 << 20):
            with tenon.open(source, max_expand=most) as model:
                assert model.tensors["c"].numpy().size == 100000
                model.hash()
        with pytest.raises(ValueError, match="max_expand is from 0"):
            tenon.open(source, max_expand=-1)
    with tenon.open("c.pbtxt", max_expand=1000) as model:
        for call in (model.hash, model.statistics, model.tensors["c"].hash,
                     lambda: model.tensors["c"].save("c.npy"),
                     lambda: model.convert("d.npz"),
                     lambda: model.view(stats=True),
                     lambda: model.diff(tenon.open("c.pbtxt"))):
            with pytest.raises(tenon.LimitError) as info:
                call()
            assert info.value.reason == "expansion-limit"
    for function in (tenon.open, tenon.check, tenon.scan, tenon.catalog,
                     tenon.dump, tenon.undump, tenon.split, tenon.merge,
                     tenon.strip, tenon.apply, tenon.Tags, tenon.safe_open):
        assert "max_expand" in inspect.signature(function).parameters


def test_parts_alone_are_read(tmp_path):
    array = np.arange(1 << 22, dtype=np.float32).reshape(1024, 4096)
    source = Ranges(write_safetensors(tmp_path / "m.safetensors",
                                      {"w": plain(array)}).read_bytes())
    with tenon.open(source) as model, tenon.safe_open(source) as safe:
        before = source.read
        for part in (model.tensors["w"], safe.get_slice("w")):
            assert np.array_equal(part[10:20, :], array[10:20])
            assert np.array_equal(part[np.int64(7)], array[7])
            assert np.array_equal(part[..., 5:7][3], array[3, 5:7])
        assert source.read - before < array.nbytes


def test_closing_while_others_work(weights):
    wrong = []

    def work(model):
        try:
            for _ in range(5):
                assert model.tensors["w"].numpy().sum() == 66
        except ValueError:
            pass  # it is closed
        except BaseException as error:
            wrong.append(error)

    for _ in range(100):
        model = tenon.open(weights)
        thread = threading.Thread(target=work, args=[model])
        thread.start()
        model.close()
        thread.join()
    assert wrong == []


def test_handles_are_not_copied(weights):
    with tenon.open(weights) as model:
        made = tenon.Interpreter().interpret('op_type: "Relu" input: "x"')
        for copier in (copy.copy, copy.deepcopy, pickle.dumps):
            for owner in (model, model.tensors["w"].buffer(), made):
                with pytest.raises(TypeError, match="pickled or copied"):
                    copier(owner)
        array = pickle.loads(pickle.dumps(model.tensors["w"].numpy()))
        assert array.sum() == 66


def test_errors_of_files(tmp_path):
    with pytest.raises(FileNotFoundError) as info:
        tenon.open(tmp_path / "nothing.npz")
    assert isinstance(info.value, tenon.SystemError)
    again = pickle.loads(pickle.dumps(info.value))
    assert type(again) is tenon.MissingFileError
    assert str(again) == str(info.value) and again.reason == info.value.reason
    with pytest.raises(OSError):
        tenon.save_file({"w": np.ones(1)}, tmp_path / "no" / "w.npz")


def test_metadata_is_whole(tmp_path):
    path, wanted = tmp_path / "m.safetensors", {"a=b": "c=d", "long": "ü" * 999}
    tenon.save_file({"w": np.ones(2, np.float32)}, path, wanted)
    assert tenon.safe_open(path).metadata() == wanted
    with tenon.open(path) as model, model.edit() as edit:
        assert model.metadata == wanted
        edit.set_metadata("a=b", None)
        edit.set_metadata("long", "short")
        edit.set_metadata("new", "")
        with edit.commit() as changed:
            assert changed.metadata == {"long": "short", "new": ""}
            changed.write(tmp_path / "m.gguf")
    assert tenon.safe_open(tmp_path / "m.gguf").metadata() == {
        "long": "short", "new": ""}


def test_names_that_are_no_text(weights):
    tensors = tenon.open(weights).tensors
    for name in ("\udc80", "w\0", ""):
        assert name not in tensors
        with pytest.raises(KeyError):
            tensors[name]
    assert bytes(tensors["b"]) == np.arange(3).tobytes()


def test_nothing_is_lost_silently(tmp_path):
    with pytest.raises(TypeError, match="mask"):
        tenon.save_file({"m": np.ma.masked_array([1, 2], [0, 1])},
                        tmp_path / "m.npz")
    both = {"w": np.ones(2, np.float32), "u": np.ones(2, np.uint8)}
    for tensors in (both, {"b": np.ones(2, bool)}):
        with pytest.raises(tenon.Error):
            tenon.save_file(tensors, tmp_path / "m.gguf")
    with pytest.raises(ValueError):
        tenon.save_file({"": np.ones(1)}, tmp_path / "m.npz")
    with pytest.raises(TypeError):
        tenon.save_file({"w": np.ones(1)}, tmp_path / "m.safetensors", {"k": 1})
    assert os.listdir(tmp_path) == []


KINDS = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32,
         np.int64, np.uint8, np.bool_]


@pytest.mark.parametrize("suffix", [".safetensors", ".npz", ".pt", ".pdparams",
                                    ".index"])
def test_every_type(tmp_path, suffix):
    arrays = {kind.__name__: np.arange(6).reshape(2, 3).astype(kind)
              for kind in KINDS}
    arrays.update(scalar=np.array(3.5), empty=np.zeros((0, 3), np.float32),
                  swapped=np.arange(3, dtype=">i4"), back=np.arange(5)[::-1],
                  column=np.asfortranarray(np.ones((2, 3))),
                  same=np.broadcast_to(np.float32(2), (2, 2)))
    arrays["вес/ü"] = np.ones(1, np.float32)
    name = b"\xff " if suffix != ".index" else b"x "  # it names its other file
    path = os.fsencode(tmp_path) + b"/" + name + suffix.encode()
    tenon.numpy.save_file(arrays, path)
    loaded = tenon.numpy.load_file(path)
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        assert loaded[name].shape == array.shape, name
        assert loaded[name].dtype == array.dtype.newbyteorder("<"), name
        assert np.array_equal(loaded[name], array), name


def test_bytes_instead_of_files():
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    data = tenon.numpy.save({"w": w}, {"k": "v"})
    assert np.array_equal(tenon.numpy.load(data)["w"], w)
    with tenon.safe_open(io.BytesIO(data)) as file:
        assert file.metadata() == {"k": "v"}


def test_scan(tmp_path, weights):
    assert tenon.scan(weights) == []

    class Bad:
        def __reduce__(self):
            return os.system, ("true",)

    (tmp_path / "bad.pkl").write_bytes(pickle.dumps(Bad()))
    found = tenon.scan(tmp_path / "bad.pkl")
    assert [f.verdict for f in found] == ["dangerous"]
    assert "system" in found[0].what


def test_inputs_outputs_and_opset(tmp_path):
    with tenon.open(onnx_model(tmp_path / "m.onnx")) as model:
        with model.edit() as edit:
            edit.set_inputs([tenon.Value("x", "float32", ("n", 4))])
            edit.set_outputs([tenon.Value("z", "float32", (None, 4)),
                              tenon.Value("y", "float32", None)])
            edit.set_opset(17)
            edit.commit().write(tmp_path / "n.onnx")
    with tenon.open(tmp_path / "n.onnx") as model:
        assert model.inputs[0].shape == ("n", 4)
        assert [v.name for v in model.outputs] == ["z", "y"]
        assert ("opset", "ai.onnx 17") in model.facts


def test_signatures(tmp_path):
    source = os.path.join(CORPUS, "fuzz", "tfl_fuzz", "add")
    with tenon.open(source) as model, model.edit() as edit:
        inputs = [v._replace(key="a" + str(i))
                  for i, v in enumerate(model.inputs)]
        outputs = [v._replace(key="sum") for v in model.outputs]
        edit.set_signature(tenon.Signature("add", "", inputs, outputs))
        edit.set_signature(tenon.Signature("other", "", inputs, outputs))
        edit.remove_signature("other")
        with pytest.raises(tenon.NotFoundError):
            edit.remove_signature("other")
        with edit.commit() as made:
            assert list(made.signatures)[-1] == "add"
            made.write(tmp_path / "m.tflite")
    with tenon.open(tmp_path / "m.tflite") as model:
        signature = model.signatures["add"]
        assert [v.name for v in signature.inputs] == [v.name for v in inputs]
        assert [v.key for v in signature.outputs] == ["sum"]
        assert [f for f in model.check() if f.severity == "error"] == []


def test_catalogs_and_scans(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    write_safetensors(folder / "a.safetensors",
                      {"w": plain(np.arange(6, dtype=np.float32)
                                  .reshape(2, 3))})
    (folder / "evil.pkl").write_bytes(b"\x80\x02cos\nsystem\nU\x02ls\x85R.")
    seen = []
    out = tmp_path / "all.ndjson"
    done = tenon.catalog(folder, out, hashes=True, each=seen.append)
    assert (done.files, done.models, done.tensors, done.bytes) == (2, 1, 1, 24)
    assert [f.status for f in seen][0] == "ok" and not seen[0].kept
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    tensor = next(row for row in rows if row["row"] == "tensor")
    with tenon.open(folder / "a.safetensors") as model:
        assert tensor["sha256"] == model.hash()["w"]
    assert tensor["shape"] == [2, 3]
    assert tenon.catalog([folder], out, hashes=True).kept == 2
    with pytest.raises(tenon.InvalidError):
        tenon.catalog(folder, tmp_path / "all.txt")
    with pytest.raises(ValueError):
        tenon.catalog(folder, out, form="parquet")
    assert tenon.scan(folder)[0].verdict == "dangerous"


# ---- instead of safetensors --------------------------------------------------------


def test_safe_open_by_name(weights):
    """Arguments and exceptions are called what safetensors calls them."""
    with tenon.safe_open(filename=weights, framework="np",
                         device="cpu") as file:
        with pytest.raises(tenon.SafetensorError) as caught:
            file.get_tensor("nothing")
        assert isinstance(caught.value, KeyError)
        assert "'nothing'" in str(caught.value)
        with pytest.raises(KeyError):
            file.get_slice("nothing")
    with pytest.raises(tenon.SafetensorError):
        tenon.safe_open(filename=str(weights) + ".none", framework="np")


def test_offset_keys_are_in_the_order_of_the_bytes(tmp_path):
    header = (b'{"late":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},'
              b'"zero":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}')
    path = tmp_path / "m.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(6))
    with tenon.safe_open(path) as file:
        assert file.keys() == ["late", "zero"]
        assert file.offset_keys() == ["zero", "late"]


def test_models_of_torch(tmp_path):
    torch = pytest.importorskip("torch")
    import tenon.torch as ours

    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = torch.nn.Embedding(5, 3)
            self.head = torch.nn.Linear(3, 5)
            self.head.weight = self.embed.weight

    path = tmp_path / "tied.safetensors"
    model, other = Tied(), Tied()
    ours.save_model(model, path, {"author": "me"})
    data = path.read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    assert set(header) == {"__metadata__", "embed.weight", "head.bias"}
    assert header["__metadata__"] == {"author": "me",
                                      "head.weight": "embed.weight"}
    assert torch.equal(ours.load_file(path)["head.weight"], model.head.weight)
    assert ours.load_model(other, path) == ([], [])
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[name])
    ours.save_file({"embed.weight": torch.zeros(5, 3),
                    "more": torch.zeros(1)}, path)
    with pytest.raises(RuntimeError) as caught:
        ours.load_model(other, path)
    assert "head.bias" in str(caught.value) and "more" in str(caught.value)
    assert ours.load_model(other, path, strict=False) == (["head.bias"],
                                                          ["more"])
    assert not other.embed.weight.any()
