"""The verbs of the command that go from file to file, as functions.

    tenon.dump("model.onnx", "model.json", form="json")
    tenon.strip("model.onnx", "small.onnx", training=True)
    tenon.split("model.pb", "chunks", max_size=1 << 30)
    tenon.apply("model.onnx", "fix.patch", "fixed.onnx")

    tenon.Tags("versions.sdz").add("v2", model)     # tenon tag
    tenon.Rules().check()                           # tenon rules

Verbs of one model are methods of tenon.Model.  An output appears when it is
complete, and replaces an old file only with replace=True.  `max_expand` is that
of tenon.open().
"""
from __future__ import annotations

import ctypes
import os
from typing import (Any, Iterator, List, NamedTuple, Optional, Sequence,
                    Tuple, Union)

from tenon import _api, models, native
from tenon._api import library
from tenon.models import Conversion, Finding, Loss, Model
from tenon.native import AnyPath, Progress, decoded

_FORMS = {"text": _api.TN_DUMP_TEXT, "json": _api.TN_DUMP_JSON}
_RULES = {"c++": _api.TN_SPLIT_CPP, "python": _api.TN_SPLIT_PYTHON}


def _target(path: AnyPath, replace: bool, dry_run: bool = False) -> Any:
    return _api.tn_target(native.path(path), bool(replace), bool(dry_run))


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


# ---- dump and undump ------------------------------------------------------------


def dump(path: AnyPath, out: AnyPath, *, form: str = "text",
         schema: Optional[AnyPath] = None, type: Optional[str] = None,
         strict: bool = False, json_names: bool = False,
         replace: bool = False, max_expand: int = 0,
         progress: Optional[Progress] = None) -> List[Loss]:
    """Writes a whole file as protobuf text, or as JSON ("json"), so that
    undump() can restore it; what it could not restore is returned, or an error
    with `strict`.  `schema` is a descriptor set, or a .bfbs of flatc, and `type`
    the full name of the message, for files of other formats."""
    watch, losses = native.Watch(progress), models.Losses()
    options = models._sized(
        _api.tn_dump_options, form=native.chosen(_FORMS, form, "form"),
        schema=None if schema is None else native.path(schema),
        type=models._or_none(type), is_strict=bool(strict),
        use_json_names=bool(json_names))
    watch.call("tn_dump", native.path(path),
               ctypes.byref(watch.options(max_expand)),
               ctypes.byref(options), ctypes.byref(_target(out, replace)),
               losses.callback(watch), None)
    return losses.found


def undump(path: AnyPath, out: AnyPath, *, schema: Optional[AnyPath] = None,
           type: Optional[str] = None, format: Optional[str] = None,
           replace: bool = False, max_expand: int = 0,
           progress: Optional[Progress] = None) -> None:
    """Makes the file again of which dump() made a text; `format` is that of
    the result, if the text does not tell."""
    watch = native.Watch(progress)
    options = models._sized(
        _api.tn_dump_options,
        schema=None if schema is None else native.path(schema),
        type=models._or_none(type))
    watch.call("tn_undump", native.path(path),
               ctypes.byref(watch.options(max_expand,
                                          from_=models._or_none(format))),
               ctypes.byref(options), ctypes.byref(_target(out, replace)))


# ---- split and merge ------------------------------------------------------------


class Split(NamedTuple):
    """What split() and merge() did.  path is the file or folder that was
    written, chunks is 1 if nothing had to be divided."""
    path: str
    message_size: int
    chunks: int
    warning: str


def split(path: AnyPath, prefix: AnyPath, *, max_size: int = 0,
          rules: str = "c++", records: Optional[str] = None,
          schema: Optional[AnyPath] = None, type: Optional[str] = None,
          version: int = 1, separates_bytes: bool = False, max_bytes: int = 0,
          max_metadata: int = 0, max_file: int = 0, replace: bool = False,
          max_expand: int = 0, progress: Optional[Progress] = None) -> Split:
    """Divides a message of any size into chunks: PREFIX.cpb, or PREFIX.pb if
    it need not be divided; a folder with a SavedModel becomes a folder.
    docs/splitting.md explains `rules`, `records` and `version`.  Classes for
    splitters of your own are tenon.ComposableSplitter and others."""
    watch, done = native.Watch(progress), _api.tn_split_summary()
    layout = _api.tn_split_format(
        version=native.whole(version, 32, "a version"),
        separates_bytes=bool(separates_bytes),
        max_bytes=native.whole(max_bytes, 64, "max_bytes"),
        max_metadata=native.whole(max_metadata, 64, "max_metadata"),
        max_file=native.whole(max_file, 64, "max_file"))
    options = models._sized(
        _api.tn_split_options,
        schema=None if schema is None else native.path(schema),
        type=models._or_none(type), rules=native.chosen(_RULES, rules, "rules"),
        max_size=native.whole(max_size, 64, "max_size"),
        records=models._or_none(records), format=layout)
    watch.call("tn_split", native.path(path),
               ctypes.byref(watch.options(max_expand)),
               ctypes.byref(options), ctypes.byref(_target(prefix, replace)),
               ctypes.byref(done))
    suffix = "" if done.is_folder else ".cpb" if done.is_chunked else ".pb"
    return Split(os.fsdecode(native.path(prefix)) + suffix, done.message_size,
                 done.chunks, _text(done.warning))


def merge(path: AnyPath, out: AnyPath, *, schema: Optional[AnyPath] = None,
          type: Optional[str] = None, replace: bool = False,
          max_expand: int = 0, progress: Optional[Progress] = None) -> Split:
    """Joins chunks into one message.  `path` is a file, a prefix, or a folder
    with a SavedModel."""
    watch, done = native.Watch(progress), _api.tn_split_summary()
    options = models._sized(
        _api.tn_split_options,
        schema=None if schema is None else native.path(schema),
        type=models._or_none(type))
    watch.call("tn_merge_file", native.path(path),
               ctypes.byref(watch.options(max_expand)), ctypes.byref(options),
               ctypes.byref(_target(out, replace)), ctypes.byref(done))
    return Split(os.fsdecode(native.path(out)), done.message_size, done.chunks,
                 _text(done.warning))


# ---- strip ------------------------------------------------------------------------


class Stripped(NamedTuple):
    """What strip() removed: attributes or fields, operators, tensors."""
    path: str
    format: str
    fields: int
    operators: int
    tensors: int
    bytes_read: int
    bytes_written: int
    losses: List[Loss]


def strip(path: AnyPath, out: AnyPath, *, callstack: bool = True,
          training: bool = False, replace: bool = False,
          dry_run: bool = False, max_expand: int = 0,
          progress: Optional[Progress] = None) -> Stripped:
    """Writes a model without source paths and stack traces (`callstack`), and
    without what only training needs (`training`)."""
    watch, losses = native.Watch(progress), models.Losses()
    done = _api.tn_strip_summary()
    options = models._sized(_api.tn_strip_options, callstack=bool(callstack),
                            training=bool(training),
                            loss=losses.callback(watch))
    watch.call("tn_strip", native.path(path),
               ctypes.byref(watch.options(max_expand)),
               ctypes.byref(options),
               ctypes.byref(_target(out, replace, dry_run)),
               ctypes.byref(done))
    return Stripped(os.fsdecode(native.path(out)), _text(done.format),
                    done.fields, done.ops, done.tensors, done.bytes_read,
                    done.bytes_written, losses.found)


# ---- apply ------------------------------------------------------------------------


def apply(path: AnyPath, patch: AnyPath, out: AnyPath, *,
          format: Optional[str] = None, replace: bool = False,
          settings: models.Settings = None, force_invalid: bool = False,
          dry_run: bool = False, max_expand: int = 0,
          progress: Optional[Progress] = None) -> Conversion:
    """Runs a patch of Model.patch() or `tenon diff --patch`, or a script of
    `tenon edit`, on a model, and writes the result."""
    with Model.open(path, progress=progress, max_expand=max_expand) as model, \
            model.edit() as edit:
        edit.run_file(patch)
        with edit.commit() as made:
            return made._write("tn_edit_write", out, format, replace, settings,
                               False, force_invalid, dry_run, progress, None)


# ---- tag --------------------------------------------------------------------------


class Tag(NamedTuple):
    """A version in a tagged SameDiff container.  states, shared, bytes and
    updater are known with details=True."""
    name: str
    is_newest: bool
    is_listed: bool
    parameters: int
    states: int
    shared: int
    bytes: int
    updater: str


class TagChange(NamedTuple):
    """A difference between two tags.  kind is "only-left", "only-right",
    "type", "values" or "file"."""
    kind: str
    name: str


class Tagging(NamedTuple):
    """What adding or removing a tag did, in arrays and in bytes of the file."""
    arrays: int
    shared: int
    copied: int
    new_bytes: int
    size_before: int
    size_after: int
    losses: List[Loss]


_TAG_CHANGES = ["only-left", "only-right", "type", "values", "file"]


class Tags:
    """The versions in a tagged SameDiff container.  tenon.open(path, tag=NAME)
    opens one of them; what did not change is stored once.

    Changes are on disk when a call returns; with wait=True a call waits for
    other writers, else that is a BusyError."""

    def __init__(self, path: AnyPath, max_expand: int = 0) -> None:
        self.path = os.fsdecode(native.path(path))
        self._max_expand = native.whole(max_expand, 64, "max_expand")

    def __repr__(self) -> str:
        return f"<tenon.Tags of {self.path!r}>"

    def list(self, details: bool = False,
             progress: Optional[Progress] = None) -> "List[Tag]":
        """All tags, the oldest first."""
        watch: native.Watch = native.Watch(progress)
        found: "List[Tag]" = []

        def each(_context: Any, row: Any) -> None:
            t = row.contents
            found.append(Tag(decoded(t.name), t.is_newest, t.is_listed,
                             t.parameters, t.states, t.shared, t.bytes,
                             decoded(t.updater)))

        watch.call("tn_tag_list", native.path(self.path),
                   ctypes.byref(watch.options(self._max_expand)), bool(details),
                   _api.tn_on_tag(watch.guard(each)), None)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter([tag.name for tag in self.list()])

    def diff(self, left: str, right: str,
             progress: Optional[Progress] = None) -> "List[TagChange]":
        """What differs between two tags."""
        watch: native.Watch = native.Watch(progress)
        found: "List[TagChange]" = []

        def each(_context: Any, row: Any) -> None:
            found.append(TagChange(_TAG_CHANGES[row.contents.kind],
                                   decoded(row.contents.name)))

        watch.call("tn_tag_diff", native.path(self.path),
                   models._encode(left), models._encode(right),
                   ctypes.byref(watch.options(self._max_expand)),
                   _api.tn_on_tag_change(watch.guard(each)), None)
        return found

    def _change(self, call: str, words: Sequence[Any], replace: bool,
                wait: bool, dry_run: bool, progress: Optional[Progress],
                map_options: Any = None) -> Tagging:
        watch, losses = native.Watch(progress), models.Losses()
        done = _api.tn_tag_summary()
        options = models._sized(
            _api.tn_tag_options, can_replace=bool(replace),
            is_dry_run=bool(dry_run), can_wait=bool(wait),
            loss=losses.callback(watch))
        if map_options is not None:
            options.map = ctypes.pointer(map_options)
        watch.call(call, native.path(self.path), *words,
                   ctypes.byref(options), ctypes.byref(watch.options(self._max_expand)),
                   ctypes.byref(done))
        return Tagging(done.arrays, done.shared, done.copied, done.new_bytes,
                       done.size_before, done.size_after, losses.found)

    def add(self, name: str, model: Model, *, replace: bool = False,
            wait: bool = False, dry_run: bool = False,
            progress: Optional[Progress] = None,
            **conversion: Any) -> Tagging:
        """Adds a model as the newest tag; the file is made if there is none.
        A model of another dialect is converted, with options of
        Model.convert(); one without a graph has new tensors for the graph of
        the newest tag."""
        if not isinstance(model, Model):
            raise TypeError(f"a tag is made of a Model, not of {model!r}")
        options, _kept = models._map_options(**conversion)
        with model._reading():
            return self._change("tn_tag_add", [models._encode(name),
                                               model._expect_open()],
                                replace, wait, dry_run, progress, options)

    def remove(self, name: str, *, wait: bool = False, dry_run: bool = False,
               progress: Optional[Progress] = None) -> Tagging:
        """Removes a tag; its bytes stay until compact()."""
        return self._change("tn_tag_remove", [models._encode(name)], False,
                            wait, dry_run, progress)

    def compact(self, *, wait: bool = False, dry_run: bool = False,
                progress: Optional[Progress] = None) -> Tagging:
        """Rewrites the file without what no tag needs."""
        return self._change("tn_tag_compact", [], False, wait, dry_run,
                            progress)

    def repair(self, progress: Optional[Progress] = None
               ) -> "Tuple[bool, List[Finding]]":
        """Removes a commit that was cut short, or rebuilds the file from what
        is intact: whether there was something to do, and what is lost."""
        watch: native.Watch = native.Watch(progress)
        found: "List[Finding]" = []
        is_changed = ctypes.c_bool()
        watch.call("tn_tag_repair", native.path(self.path),
                   ctypes.byref(watch.options(self._max_expand)),
                   models._on_finding(watch, found), None,
                   ctypes.byref(is_changed))
        return is_changed.value, found


# ---- rules ------------------------------------------------------------------------


class Rule(NamedTuple):
    """A rule: how an operator of one dialect becomes others of another."""
    file: str
    line: int
    source: str
    target: str
    type: str
    domain: str
    since: int
    until: int
    text: str
    is_native: bool
    is_reversed: bool


class RuleFinding(NamedTuple):
    """A mistake in a file of rules."""
    file: str
    line: int
    column: int
    what: str


class RuleExample(NamedTuple):
    """An example under a rule.  why is None if it holds."""
    file: str
    line: int
    text: str
    why: Optional[str]


_EXPLAINED = ["rule", "reads", "drops", "gives", "unset", "defect"]


class Rules(native.Closing):
    """Files of rules (rules/README.md), or those of the library; a sequence of
    Rule.  One thread at a time may use it."""

    def __init__(self, *files: AnyPath) -> None:
        self._handle = None
        paths = (ctypes.c_char_p * len(files))(*map(native.path, files))
        self._remote = native.remote()
        self._handle = native.make(
            "tn_rulebook_open", paths, len(files),
            ctypes.byref(native.for_urls(self._remote)))

    def close(self) -> None:
        handle, self._handle = self._handle, None
        library.tn_rulebook_close(handle)

    def _open(self) -> Any:
        if not self._handle:
            raise ValueError("the rules are closed")
        return self._handle

    def __len__(self) -> int:
        return int(library.tn_rulebook_count(self._open()))

    def _row(self, index: int) -> Rule:
        row = library.tn_rulebook_rule(self._open(), index)
        return Rule(_text(row.file), row.line, decoded(row.from_),
                    decoded(row.to), decoded(row.op_type), decoded(row.domain),
                    row.since, row.until, decoded(row.text), row.is_native,
                    row.is_reversed)

    def __getitem__(self, index: int) -> Rule:
        return self._row(range(len(self))[index])

    def __iter__(self) -> Iterator[Rule]:
        return map(self._row, range(len(self)))

    def explain(self, index: int) -> List[Tuple[str, str]]:
        """What a rule reads, drops and gives: ("reads", "input X"), ..."""
        watch = native.Watch()
        found: List[Tuple[str, str]] = []

        def each(_context: Any, kind: int, what: Optional[bytes]) -> None:
            found.append((_EXPLAINED[kind], _text(what)))

        watch.call("tn_rulebook_explain", self._open(),
                   range(len(self))[index],
                   _api.tn_on_explain(watch.guard(each)), None)
        return found

    def makes(self, index: int) -> List[str]:
        """Names of the operators that a rule makes."""
        watch, found = native.Watch(), []

        def each(_context: Any, name: Any) -> None:
            found.append(decoded(name))

        function: Any = library.tn_rulebook_makes
        watch.call("tn_rulebook_makes", self._open(), range(len(self))[index],
                   function.argtypes[2](watch.guard(each)), None)
        return found

    def check(self) -> List[RuleFinding]:
        """Attributes that are dropped, operators that do not exist, names that
        are not bound."""
        watch, found = native.Watch(), []

        def each(_context: Any, row: Any) -> None:
            f = row.contents
            found.append(RuleFinding(_text(f.file), f.line, f.column,
                                     _text(f.what)))

        function: Any = library.tn_rulebook_check
        failure = native.Failure(offset=native.NOWHERE)
        function(self._open(), function.argtypes[1](watch.guard(each)), None,
                 ctypes.byref(failure))
        if failure.status != _api.TN_OK:
            raise native.error_of(failure)
        watch.settle()
        return found

    def test(self) -> List[RuleExample]:
        """The examples under the rules, and whether they hold."""
        watch, found = native.Watch(), []

        def each(_context: Any, row: Any) -> None:
            f = row.contents
            found.append(RuleExample(_text(f.file), f.line, decoded(f.text),
                                     None if f.why is None else _text(f.why)))

        function: Any = library.tn_rulebook_test
        watch.call("tn_rulebook_test", self._open(),
                   ctypes.byref(_api.tn_rule_examples()),
                   function.argtypes[2](watch.guard(each)), None)
        return found
