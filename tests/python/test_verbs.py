"""Every verb of the command from Python: what it writes is what the command
writes."""
import inspect
import os
import re
import subprocess
import time

import numpy as np
import pytest

import tenon

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
COMMAND = os.environ["TENON_COMMAND"]


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], check=True, text=True,
                          capture_output=True).stdout


@pytest.fixture
def tiny(tmp_path):
    path = tmp_path / "tiny.onnx"
    command("undump", os.path.join(TOP, "examples/tiny.onnx.textproto"), "-o",
            path)
    return path


# Which function of the package does what a verb does.
VERBS = {
    "info": tenon.open, "ls": tenon.Model.statistics, "view": tenon.Model.view,
    "get": tenon.Tensor.save, "check": tenon.check, "hash": tenon.Model.hash,
    "scan": tenon.scan, "catalog": tenon.catalog, "diff": tenon.Model.diff,
    "apply": tenon.apply, "dump": tenon.dump, "undump": tenon.undump,
    "convert": tenon.Model.convert, "split": tenon.split,
    "merge": tenon.merge, "tag": tenon.Tags, "strip": tenon.strip,
    "edit": tenon.Model.edit, "simplify": tenon.Model.simplify,
    "rules": tenon.Rules, "formats": tenon.formats,
}
WITHOUT = {"completion"}  # of the shell alone


def test_no_verb_is_missing():
    listed = set(re.findall(r"^  ([a-z]+) {2,}", command("--help"), re.M))
    assert len(listed) > 20
    assert listed - WITHOUT == set(VERBS)
    assert all(callable(function) for function in VERBS.values())


def test_options_of_convert_are_those_of_the_command():
    """All but --plan, which is plan()."""
    names = {"nchw": "channels_first", "shape": "shapes", "to": "format",
             "plan": None, "keep-quantized": "keep_quantized"}
    ours = inspect.signature(tenon.Model.convert).parameters
    help = command("convert", "--help")
    own = help[:help.index("Options for reading")] \
        if "Options for reading" in help else help
    listed = [name for name in (
        "to", "strict", "plan", "inputs", "outputs", "shape", "signature",
        "rules", "only-rules", "allow", "fold", "simplify", "opset", "nchw",
        "keep-quantized", "via", "force-invalid", "receipt")]
    for name in listed:
        assert "--" + name in own
        word = names.get(name, name.replace("-", "_"))
        assert word is None or word in ours, name


def test_dump_and_undump(tiny, tmp_path):
    assert tenon.dump(tiny, tmp_path / "a.textproto") == []
    command("dump", tiny, "-o", tmp_path / "b.textproto")
    assert (tmp_path / "a.textproto").read_bytes() == \
        (tmp_path / "b.textproto").read_bytes()
    tenon.undump(tmp_path / "a.textproto", tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == tiny.read_bytes()
    tenon.dump(tiny, tmp_path / "a.json", form="json", json_names=True)
    assert '"irVersion"' in (tmp_path / "a.json").read_text()
    with pytest.raises(tenon.ExistsError):
        tenon.dump(tiny, tmp_path / "a.json", form="json")
    tenon.dump(tiny, tmp_path / "a.json", form="json", replace=True)
    with pytest.raises(ValueError):
        tenon.dump(tiny, tmp_path / "c", form="yaml")
    with pytest.raises(tenon.MissingFileError):
        tenon.dump(tmp_path / "none", tmp_path / "d")


def test_split_and_merge(tiny, tmp_path):
    done = tenon.split(tiny, tmp_path / "parts", max_size=200)
    assert done.path == str(tmp_path / "parts.cpb") and done.chunks > 1
    assert done.message_size == os.path.getsize(tiny)
    tenon.merge(tmp_path / "parts", tmp_path / "again.onnx")
    assert (tmp_path / "again.onnx").read_bytes() == tiny.read_bytes()
    whole = tenon.split(tiny, tmp_path / "whole")
    assert whole.path.endswith(".pb") and whole.chunks == 1
    second = tenon.split(tiny, tmp_path / "two", max_size=200, version=2,
                         max_file=1024)
    assert os.path.exists(second.path)
    tenon.merge(tmp_path / "two", tmp_path / "two.onnx")
    assert (tmp_path / "two.onnx").read_bytes() == tiny.read_bytes()


def test_sets_of_tensors_are_divided_by_convert(tmp_path):
    path = tmp_path / "w.safetensors"
    parts = tmp_path / "p.safetensors.index.json"
    tenon.save_file({"a": np.zeros(100), "b": np.ones(100)}, path)
    with pytest.raises(tenon.UnsupportedError, match="shard-size"):
        tenon.split(path, tmp_path / "p")
    with tenon.open(path) as model:
        model.convert(parts, settings={"shard-size": 1000})
        assert len(list(tmp_path.glob("p-*.safetensors"))) == 2
        assert tenon.open(parts).diff(model) == []


def test_strip(tmp_path):
    text = tmp_path / "told.textproto"
    text.write_text('ir_version: 8 opset_import { version: 17 } graph { '
                    'name: "g" node { op_type: "Relu" input: "x" output: "y" '
                    'name: "n" doc_string: "/home/me/net.py:12" } '
                    'input { name: "x" type { tensor_type { elem_type: 1 } } } '
                    'output { name: "y" type { tensor_type { elem_type: 1 } } '
                    '} }')
    tenon.undump(text, tmp_path / "told.onnx", format="onnx")
    done = tenon.strip(tmp_path / "told.onnx", tmp_path / "small.onnx")
    assert (done.format, done.fields, done.operators) == ("onnx", 1, 0)
    data = (tmp_path / "small.onnx").read_bytes()
    assert b"net.py" not in data and done.bytes_written == len(data)
    tenon.save_file({"w": np.ones(3, np.float32)}, tmp_path / "m.npz")
    with pytest.raises(tenon.UnsupportedError):
        tenon.strip(tmp_path / "m.npz", tmp_path / "n.npz")


def test_patch_and_apply(tiny, tmp_path):
    with tenon.open(tiny) as model:
        with model.edit() as edit:
            edit.rename("image=picture")
            edit.replace("filters", "float32", [4, 1, 3, 3],
                         np.arange(36, dtype="f4"))
            edit.commit().write(tmp_path / "new.onnx")
        with tenon.open(tmp_path / "new.onnx") as new:
            patch = model.patch(new, tmp_path / "p.patch")
            assert patch.actions >= 2 and not patch.is_whole
            assert patch.tensors == 1
            page = model.diff_view(new)
            assert "<html" in page.html[:2000].lower()
    done = tenon.apply(tiny, tmp_path / "p.patch", tmp_path / "patched.onnx")
    assert done.format == "onnx"
    with tenon.open(tmp_path / "patched.onnx") as left, \
            tenon.open(tmp_path / "new.onnx") as right:
        assert left.diff(right) == []
    command("apply", tiny, tmp_path / "p.patch", "-o", tmp_path / "c.onnx")
    assert (tmp_path / "c.onnx").read_bytes() == \
        (tmp_path / "patched.onnx").read_bytes()
    dry = tenon.apply(tiny, tmp_path / "p.patch", tmp_path / "dry.onnx",
                      dry_run=True)
    assert dry.bytes_written and not (tmp_path / "dry.onnx").exists()


def test_written_edits_keep_what_was_wrong_before(tmp_path):
    """What the model had wrong already is no reason to refuse an edit, as for
    the command; what the edit makes wrong is one."""
    text = (tmp_path / "bad.textproto")
    text.write_text('ir_version: 8 opset_import { version: 17 } graph { '
                    'name: "g" node { op_type: "Relu" input: "gone" '
                    'output: "y" name: "n" } output { name: "y" type { '
                    'tensor_type { elem_type: 1 } } } }')
    tenon.undump(text, tmp_path / "bad.onnx", format="onnx")
    with tenon.open(tmp_path / "bad.onnx") as model:
        with model.edit() as edit:
            edit.set_metadata("author", "me")
            edit.commit().write(tmp_path / "still.onnx")
        with model.edit() as edit:
            edit.remove_op("n")
            made = edit.commit()
            with pytest.raises(tenon.InvalidError) as caught:
                made.write(tmp_path / "worse.onnx")
            assert caught.value.reason == "invalid-result"
            made.write(tmp_path / "worse.onnx", force_invalid=True)
    with tenon.open(tmp_path / "still.onnx") as model:
        assert model.metadata["author"] == "me"


def test_simplify_and_plan(tiny, tmp_path):
    with tenon.open(tiny) as model:
        done = model.simplify(tmp_path / "s.onnx")
        assert done.format == "onnx"
        command("simplify", tiny, "-o", tmp_path / "c.onnx")
        assert (tmp_path / "s.onnx").read_bytes() == \
            (tmp_path / "c.onnx").read_bytes()
        with pytest.raises(ValueError):
            model.simplify(tmp_path / "t.onnx", fold="some")
        plan = model.plan("x.fb")
        assert plan.way == "onnx -> nd4j" and plan.missing == []
        assert {row.type for row in plan.rows} >= {"Conv", "Gemm"}
        assert all(row.rule for row in plan.rows)
        assert plan.passes and not (tmp_path / "x.fb").exists()
        receipt = tmp_path / "r.json"
        model.convert(tmp_path / "x.fb", receipt=receipt)
        assert receipt.read_text().count("\n") >= 5


def test_plan_of_what_has_no_rule(tmp_path):
    with tenon.Edit.new("onnx") as edit:
        edit.run('add-op s Swirl - x -> y\nlist-inputs x float32 2\n'
                 'list-outputs y float32 2\n')
        model = edit.commit()
    plan = model.plan("x.fb")
    assert [row.type for row in plan.missing] == ["Swirl"]
    assert plan.missing[0].rule is None and plan.missing[0].why
    assert model.plan("x.fb", allow=["Swirl"]).missing == []


def test_statistics_and_get(tmp_path):
    values = np.linspace(-1, 2, 16, dtype=np.float32).reshape(4, 4)
    tenon.save_file({"w": values, "z": np.zeros(3, np.int8)},
                    tmp_path / "m.safetensors")
    with tenon.open(tmp_path / "m.safetensors") as model:
        rows = model.statistics()
        assert list(rows) == ["w", "z"]
        assert rows["w"].min == -1 and rows["w"].max == 2
        assert rows["w"].elements == 16 and sum(rows["w"].bins) == 16
        assert rows["w"].mean == pytest.approx(values.astype("f8").mean())
        assert rows["w"].deviation == pytest.approx(values.astype("f8").std())
        assert rows["z"].zeros == 3
        assert list(model.statistics(["z"])) == ["z"]
        assert model.tensors["z"].statistics() == rows["z"]
        model.tensors["w"].save(tmp_path / "w.npy")
        assert (np.load(tmp_path / "w.npy") == values).all()
        model.tensors["w"].save(tmp_path / "part.npy", slice="1:3,::2")
        assert (np.load(tmp_path / "part.npy") == values[1:3, ::2]).all()
        model.tensors["w"].save(tmp_path / "w.raw", "raw")
        assert (tmp_path / "w.raw").read_bytes() == values.tobytes()
        with pytest.raises(tenon.ExistsError):
            model.tensors["w"].save(tmp_path / "w.raw", "raw")
        with pytest.raises(KeyError):
            model.statistics(["nothing"])


def test_tags(tiny, tmp_path):
    path = tmp_path / "versions.sdz"
    tags = tenon.Tags(path)
    with tenon.open(tiny) as model:
        made = tags.add("v1", model)
        assert made.arrays >= 4 and made.shared == 0
        assert tags.add("v2", model).new_bytes == 0
        with pytest.raises(tenon.ExistsError):
            tags.add("v2", model)
    assert list(tags) == ["v1", "v2"]
    rows = tags.list(details=True)
    assert rows[1].is_newest and rows[1].shared == rows[1].parameters
    with tenon.open(path, tag="v1") as model:
        assert model.dialect == "nd4j"
        with model.edit() as edit:
            edit.replace("filters.bias", "float32", [4],
                         np.full(4, 9, "f4"))
            tags.add("v3", edit.commit())
    assert [(c.kind, c.name) for c in tags.diff("v1", "v3")] == [
        ("values", "filters.bias")]
    before = os.path.getsize(path)
    tags.remove("v1")
    assert list(tags) == ["v2", "v3"]
    assert tags.compact().size_after < before
    assert tags.repair() == (False, [])
    with pytest.raises(tenon.NotFoundError):
        tags.remove("v1")
    with pytest.raises(tenon.InvalidError):
        with tenon.open(tiny) as model:
            tags.add("a/b", model)


def test_rules(tmp_path):
    own = tmp_path / "own.rules"
    own.write_text("rules onnx -> nd4j 1\n\nAdd(a, b) => add(a, b)\n"
                   "  example Add(x, y) => add(x, y)\n")
    with tenon.Rules(own) as rules:
        assert len(rules) == 1
        assert (rules[0].type, rules[0].source, rules[0].target) == (
            "Add", "onnx", "nd4j")
        assert rules.makes(0) == ["add"]
        assert {kind for kind, _ in rules.explain(0)} >= {"reads", "gives"}
        assert rules.check() == []
        assert [example.why for example in rules.test()] == [None]
        with pytest.raises(IndexError):
            rules[1]
    with pytest.raises(ValueError):
        rules.check()
    own.write_text("rules onnx -> nd4j 1\nAdd(a, b) => nosuchop(a, b)\n")
    with tenon.Rules(own) as rules:
        assert "nosuchop" in rules.check()[0].what
    own.write_text("rules onnx -> nd4j 1\nAdd(a, b\n")
    with pytest.raises(tenon.Error) as caught:
        tenon.Rules(own)
    assert caught.value.reason == "bad-rules"
    with tenon.Rules() as rules:
        assert len(rules) > 500


def test_views(tiny, tmp_path):
    with tenon.open(tiny) as model:
        model.svg(tmp_path / "t.svg")
        assert (tmp_path / "t.svg").read_text().startswith("<svg")
        (tmp_path / "n.tsv").write_text("look\t3\n")
        assert model.view(stats=True, data=tmp_path / "n.tsv").html


class Slow:
    """A file whose bytes come late, once it has been opened."""

    def __init__(self, data):
        self.data, self.size, self.is_slow = data, len(data), False

    def read_at(self, offset, size):
        if self.is_slow:
            time.sleep(0.2)
        return self.data[offset:offset + size]


@pytest.mark.parametrize("verb", [
    lambda model, **how: model.hash(**how),
    lambda model, **how: model.statistics(**how),
    lambda model, **how: model.tensors["b"].save("o.txt", "text", **how),
    lambda model, **how: model.convert("o.npz", **how),
    lambda model, **how: model.tensors["b"].numpy(**how),
    lambda model, **how: model.diff(tenon.open("other.safetensors"), **how),
], ids=["hash", "statistics", "get", "convert", "numpy", "diff"])
def test_calls_are_stopped(verb, tmp_path, monkeypatch):
    """A callback that says so ends the call, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    tenon.save_file({"a": np.ones(1 << 18, "f4"), "b": np.ones(1 << 19, "f4")},
                    "m.safetensors")
    tenon.save_file({"a": np.ones(1 << 18, "f4"),
                     "b": np.zeros(1 << 19, "f4")}, "other.safetensors")
    slow = Slow((tmp_path / "m.safetensors").read_bytes())
    with tenon.open(slow) as model:
        slow.is_slow = True
        with pytest.raises(tenon.CancelledError):
            verb(model, progress=lambda *_: True)
    assert sorted(os.listdir(".")) == ["m.safetensors", "other.safetensors"]
