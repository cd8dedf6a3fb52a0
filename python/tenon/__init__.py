"""Protobuf messages of any size, taken apart into chunks and joined again.

A splitter is a class that knows one type of message; the merger knows all:

    class ConfigSplitter(tenon.ComposableSplitter):
        def build_chunks(self):
            for i, layer in enumerate(self._proto.hidden_layers):
                self.add_chunk(layer, ["hidden_layers", i])
            self._proto.ClearField("hidden_layers")

    ConfigSplitter(config).write("config")       # config.cpb
    tenon.Merger.read("config", ModelConfig())

Messages are those of google.protobuf, or `tenon.Message`: serialized bytes
with a schema, for which nothing but this package is needed.  docs/splitting.md
is the tutorial.  `tenon.Model` opens models of any format, and edits how
SameDiff models are trained (tenon/models.py).
"""
from tenon.interpreting import Interpreter, OpDescriptors
from tenon.native import Error
from tenon.messages import (ChunkedField, ChunkedMessage, FieldTag, Message,
                            Schema)
from tenon.models import Edit, Model, Tensor, formats
from tenon.splitting import (ComposableSplitter, Format, LazyMerger, Merger,
                             MergeWarning, Splitter, Version, VersionDef)
from tenon.known import (GraphDefSplitter, ModelProtoSplitter,
                         SavedModelSplitter)

__all__ = ["ChunkedField", "ChunkedMessage", "ComposableSplitter", "Edit",
           "Error", "FieldTag", "Format", "GraphDefSplitter", "Interpreter",
           "LazyMerger", "MergeWarning", "Merger", "Message", "Model",
           "ModelProtoSplitter", "OpDescriptors", "SavedModelSplitter",
           "Schema", "Splitter", "Tensor", "Version",
           "VersionDef", "formats"]
