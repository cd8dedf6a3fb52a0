"""Texts about a model: which formats have a place for which, in every way to set
and to read them."""
import json
import os
import shutil
import subprocess

import pytest

import tenon

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
COMMAND = os.environ["TENON_COMMAND"]

# By format: the file, what it is made of, and what may be set.
TEXTS = ("metadata", "doc", "producer")
PLACES = {
    "onnx": ("a.onnx", "tiny", "metadata doc producer"),
    "safetensors": ("a.safetensors", "tiny", "metadata"),
    "gguf": ("a.gguf", "tiny", "metadata"),
    "sdnb": ("a.sdnb", "tiny", "metadata"),
    "sdz": ("a.sdz", "tiny", "metadata"),
    "samediff": ("a.samediff", "tiny", "metadata"),
    "samediff-fb": ("a.fb", "tiny", ""),
    "tflite": ("a.tflite", "tflite", "metadata doc"),
    "tf-saved-model": ("a", "tensorflow", ""),
    "tf-graph": ("a.pb", "tensorflow", ""),
    "tf-meta-graph": ("a.meta", "tensorflow", ""),
    "tf-checkpoint": ("a.index", "tiny", ""),
    "pytorch": ("a.pt", "tiny", ""),
    "npz": ("a.npz", "tiny", ""),
    "paddle": ("a.pdmodel", "paddle", ""),
    "paddle-text": ("a.pdmodel.txt", "paddle", ""),
    "paddle-pir": ("a.json", "paddle", ""),
    "paddle-params": ("a.pdiparams", "tiny", ""),
    "paddle-state": ("a.pdparams", "tiny", ""),
}
SAVED = """
saved_model_schema_version: 1
meta_graphs { meta_info_def { tags: "serve" } graph_def {
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
} signature_def { key: "serving_default" value { method_name: "tensorflow/serving/predict"
  inputs { key: "x" value { name: "x:0" dtype: DT_FLOAT tensor_shape { dim { size: 2 } } } }
  outputs { key: "y" value { name: "y:0" dtype: DT_FLOAT tensor_shape { dim { size: 2 } } } } } } }
"""
PROGRAM = """
blocks { idx: 0 parent_idx: -1
  vars { name: "feed" type { type: FEED_MINIBATCH } persistable: true }
  vars { name: "fetch" type { type: FETCH_LIST } persistable: true }
  vars { name: "x" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 } } } }
  vars { name: "y" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 dims: 2 } } } }
  ops { type: "feed" inputs { parameter: "X" arguments: "feed" }
        outputs { parameter: "Out" arguments: "x" } attrs { name: "col" type: INT i: 0 } }
  ops { type: "relu" inputs { parameter: "X" arguments: "x" }
        outputs { parameter: "Out" arguments: "y" } }
  ops { type: "fetch" inputs { parameter: "X" arguments: "y" }
        outputs { parameter: "Out" arguments: "fetch" } attrs { name: "col" type: INT i: 0 } }
}
version { version: 0 }
"""


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], text=True,
                          capture_output=True)


def command(*words):
    done = run(*words)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of every format that is written, by its name."""
    folder = tmp_path_factory.mktemp("texts")
    (folder / "saved_model").mkdir()
    (folder / "saved_model" / "saved_model.pbtxt").write_text(SAVED)
    (folder / "paddle.pdmodel.txt").write_text(PROGRAM)
    sources = {"tiny": folder / "tiny.onnx",
               "tensorflow": folder / "saved_model",
               "paddle": folder / "paddle.pdmodel.txt",
               "tflite": os.path.join(TOP, "tests/corpus/fuzz/tfl_fuzz/add")}
    command("undump", os.path.join(TOP, "examples/tiny.onnx.textproto"), "-o",
            sources["tiny"])
    made = {}
    for name, (file, source, _) in PLACES.items():
        made[name] = folder / file
        command("convert", sources[source], "-o", made[name], "--to", name, "-q")
    return made


def of(name, text):
    return text in PLACES[name][2].split()


def texts_of(path):
    with tenon.open(path) as model:
        return said(model)


def said(model):
    """What C lists.  Python adds other facts about the model."""
    texts = model._texts()
    assert texts.items() <= model.metadata.items()
    return texts


def out_of(path, folder):
    (folder / "out").mkdir(exist_ok=True)
    return folder / "out" / path.name


KEYS = {"metadata": "author", "doc": {"onnx": "onnx.doc_string",
                                      "tflite": "tflite.description"},
        "producer": {"onnx": "onnx.producer_name"}}


def key_of(name, text):
    return KEYS[text] if text == "metadata" else KEYS[text][name]


def options(text, value):
    return ["--" + text, "author=" + value] if text == "metadata" else \
        ["--" + text, value]


def removal(text):
    return ["--remove-metadata", "author"] if text == "metadata" else \
        ["--" + text, ""]


def test_no_format_is_missing():
    written = {row["name"] for row in tenon.formats() if row["can_write"]}
    assert written == set(PLACES)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", PLACES)
def test_is_set_read_undone_and_removed(models, tmp_path, name, text):
    path = models[name]
    out, undo = out_of(path, tmp_path), tmp_path / "undo.patch"
    words = ["edit", path, "-o", out, "--patch-out", undo, "-q"]
    done = run(*words, *options(text, "A. Person"))
    if not of(name, text):
        assert done.returncode == 5, done.stderr
        assert f"{name} has no place for {text}" in done.stderr
        assert not out.exists() and not undo.exists()
        return
    assert done.returncode == 0, done.stderr

    assert texts_of(out)[key_of(name, text)] == "A. Person"
    assert "A. Person" in command("info", out)
    told = json.loads(command("info", out, "--json"))
    assert "A. Person" in json.dumps(told["models"][0]["facts"])
    assert run("check", out).returncode == run("check", path).returncode

    back = out_of(path, tmp_path / "out")
    command("apply", out, undo, "-o", back, "-q")
    assert texts_of(back) == texts_of(path)
    assert command("diff", path, back) == ""
    assert command("hash", path).split()[0] == command("hash", back).split()[0]

    less = out_of(path, tmp_path / "out" / "out")
    command("edit", out, "-o", less, "-q", *removal(text))
    assert key_of(name, text) not in texts_of(less)


@pytest.mark.parametrize(
    "name", [name for name in PLACES if of(name, "metadata")])
def test_metadata_by_python(models, tmp_path, name):
    """Set, changed and removed in edits of edits, before anything is written."""
    path = models[name]
    before = texts_of(path)
    with tenon.open(path) as model, model.edit() as edit:
        edit.set_metadata("kept", "1")
        edit.set_metadata("gone", "2")
        first = edit.commit()
        assert {**before, "kept": "1", "gone": "2"} == said(first)
        with first.edit() as again:
            again.set_metadata("kept", "\u00e4\n3")
            again.remove_metadata("gone")
            second = again.commit()
            assert {**before, "kept": "\u00e4\n3"} == said(second)
            second.write(out_of(path, tmp_path))
    assert texts_of(out_of(path, tmp_path)) == {**before, "kept": "\u00e4\n3"}

    with tenon.open(path) as model, model.edit() as edit:
        edit.remove_metadata("gone")
        with pytest.raises(tenon.Error, match="the metadata has no key 'gone'"):
            edit.commit().write(tmp_path / path.name)
        with pytest.raises(tenon.Error, match="at least one byte"):
            edit.set_metadata("", "x")
    assert not (tmp_path / path.name).exists()


@pytest.mark.parametrize("to", [name for name in PLACES if of(name, "metadata")])
@pytest.mark.parametrize(
    "name", [name for name in PLACES if of(name, "metadata")])
def test_metadata_survives_conversion(models, tmp_path, name, to):
    """Also what an edit set that was never written."""
    if to not in ("safetensors", "gguf") and name in ("safetensors", "gguf"):
        pytest.skip("tensors are no graph")
    if to == "tflite" and name != to:
        pytest.skip("there are no rules for this")
    with tenon.open(models[name]) as model, model.edit() as edit:
        edit.set_metadata("author", "me")
        edited = edit.commit()
        target = tmp_path / PLACES[to][0]
        edited.convert(target, format=to)
    assert texts_of(target)["author"] == "me"


def test_losses_are_told(models, tmp_path):
    for name in PLACES:
        if not of(name, "metadata"):
            continue
        told = out_of(models[name], tmp_path)
        command("edit", models[name], "-o", told, "-q", "--metadata",
                "author=me")
        for to in ("npz", "samediff-fb"):
            if to == "samediff-fb" and name in ("safetensors", "gguf"):
                continue
            with tenon.open(told) as model:
                done = model.convert(tmp_path / ("lost-" + PLACES[to][0]),
                                     format=to, replace=True)
            assert any("author" in loss.what for loss in done.losses), name


@pytest.mark.parametrize("name,key,why", [
    ("gguf", "general.alignment", "follows from how the file is written"),
    ("sdnb", "nd4j.format.type", "follows from how the file is written"),
    ("sdz", "shard.index", "follows from how the file is written"),
    ("tflite", "min_runtime_version", "are no text, and are not edited"),
])
def test_keys_that_are_not_edited(models, tmp_path, name, key, why):
    path = models[name]
    if name == "tflite":
        path = tmp_path / "a.tflite"
        shutil.copy(os.path.join(TOP, "tests/corpus/fuzz/tfl_fuzz/flow"), path)
    for change in (["--metadata", key + "=1"], ["--remove-metadata", key]):
        done = run("edit", path, "-o", out_of(path, tmp_path), *change)
        assert done.returncode != 0 and why in done.stderr
        assert not out_of(path, tmp_path).exists()
