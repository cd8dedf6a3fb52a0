"""Neural network model files of any format, and protobuf messages of any size.

    with tenon.open("model.onnx") as model:
        print(model.format, model.inputs, model.metadata)
        weights = model.tensors["w"].numpy()        # no copy where possible
        model.convert("model.safetensors")

    with tenon.safe_open("weights.gguf", framework="pt") as file:
        tensor = file.get_tensor("blk.0.attn_q.weight")
    tenon.save_file({"w": array}, "weights.npz")

docs/python.md is the tutorial.  For splitters and mergers of large protobuf
messages (tenon.ComposableSplitter, tenon.Merger) see docs/splitting.md.
"""
from __future__ import annotations

from tenon import _api  # fails at once where there is no library

MYPY = False
if MYPY:
    from typing import Any

    from tenon.fleet import (Catalog, CatalogFile, ScanFinding, catalog,
                             scan)
    from tenon.interpreting import Interpreter, OpDescriptors
    from tenon.known import (GraphDefSplitter, ModelProtoSplitter,
                             SavedModelSplitter)
    from tenon.messages import (ChunkedField, ChunkedMessage, FieldTag,
                                Message, Schema)
    from tenon.models import (Change, Conversion, Edit, Finding, Graph, Loss,
                              Model, Node, Patch, Plan, PlanPass, PlanRow,
                              Signature, Statistics, Tensor, Tensors, Value,
                              View, check, formats)
    from tenon.native import (BusyError, CancelledError, Error, ExistsError,
                              InvalidError, LimitError, MalformedError,
                              MissingFileError, MissingTensorError,
                              NoMemoryError, NotFoundError, Remote, Request,
                              SystemError, TruncatedError, UnsupportedError)
    from tenon.saving import (SafeFile, SafeSlice, SafetensorError, safe_open,
                              save_file)
    from tenon.splitting import (ComposableSplitter, Format, LazyMerger,
                                 Merger, MergeWarning, Splitter, Version,
                                 VersionDef)
    from tenon.verbs import (Rule, RuleExample, RuleFinding, Rules, Split,
                             Stripped, Tag, TagChange, Tagging, Tags, apply,
                             dump, merge, split, strip, undump)
    open = Model.open

__version__ = (_api.library.tn_version() or b"").decode()

# Imported when it is first used.
_LATER = {
    "fleet": ["Catalog", "CatalogFile", "ScanFinding", "catalog", "scan"],
    "interpreting": ["Interpreter", "OpDescriptors"],
    "known": ["GraphDefSplitter", "ModelProtoSplitter", "SavedModelSplitter"],
    "messages": ["ChunkedField", "ChunkedMessage", "FieldTag", "Message",
                 "Schema"],
    "models": ["Change", "Conversion", "Edit", "Finding", "Graph", "Loss",
               "Model", "Node", "Patch", "Plan", "PlanPass", "PlanRow",
               "Signature", "Statistics", "Tensor", "Tensors", "Value",
               "View", "check", "formats"],
    "native": ["BusyError", "CancelledError", "Error", "ExistsError",
               "InvalidError", "LimitError", "MalformedError",
               "MissingFileError", "MissingTensorError", "NoMemoryError",
               "NotFoundError", "Remote", "Request", "SystemError", "TruncatedError", "UnsupportedError"],
    "saving": ["SafeFile", "SafeSlice", "SafetensorError", "safe_open",
               "save_file"],
    "splitting": ["ComposableSplitter", "Format", "LazyMerger", "Merger",
                  "MergeWarning", "Splitter", "Version", "VersionDef"],
    "verbs": ["Rule", "RuleExample", "RuleFinding", "Rules", "Split",
              "Stripped", "Tag", "TagChange", "Tagging", "Tags", "apply",
              "dump", "merge", "split", "strip", "undump"],
}

__all__ = ["BusyError", "CancelledError", "Catalog", "CatalogFile", "Change",
           "ChunkedField", "ChunkedMessage", "ComposableSplitter",
           "Conversion", "Edit", "Error", "ExistsError", "FieldTag", "Finding",
           "Format", "Graph", "GraphDefSplitter", "Interpreter",
           "InvalidError", "LazyMerger", "LimitError", "Loss",
           "MalformedError", "MergeWarning", "Merger", "Message",
           "MissingFileError", "MissingTensorError", "Model",
           "ModelProtoSplitter", "NoMemoryError", "Node", "NotFoundError",
           "OpDescriptors", "Patch", "Plan", "PlanPass", "PlanRow", "Remote",
           "Request", "Rule",
           "RuleExample", "RuleFinding", "Rules", "SafeFile", "SafeSlice",
           "SafetensorError", "SavedModelSplitter", "ScanFinding", "Schema",
           "Signature", "Split", "Splitter", "Statistics", "Stripped",
           "SystemError", "Tag", "TagChange", "Tagging", "Tags", "Tensor",
           "Tensors", "TruncatedError", "UnsupportedError", "Value", "Version",
           "VersionDef", "View", "apply", "catalog", "check", "dump",
           "formats", "merge", "open", "safe_open", "save_file", "scan",
           "split", "strip", "undump"]


def __getattr__(name: str) -> Any:
    import importlib
    if name == "open":
        value = importlib.import_module("tenon.models").Model.open
        globals()[name] = value
        return value
    for module, names in _LATER.items():
        if name in names:
            value = getattr(importlib.import_module("tenon." + module), name)
            globals()[name] = value
            return value
        if name == module:
            return importlib.import_module("tenon." + module)
    if name in ("numpy", "torch", "arrays", "dask"):
        return importlib.import_module("tenon." + name)
    raise AttributeError(f"module 'tenon' has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted([*globals(), *__all__])
