"""Splitters, to be written by whoever knows a message, and the merger."""
import abc
import collections
import ctypes
import os
import weakref

from tenon import native
from tenon.messages import (ChunkedMessage, Message, Schema, is_message,
                            serialized, type_name)

Version = collections.namedtuple(
    "Version", "splitter_version join_version bad_consumers")

Format = collections.namedtuple(
    "Format", "version max_bytes max_metadata max_file separate_bytes",
    defaults=(1, 0, 0, 0, False))
Format.__doc__ = """How chunks are laid out in files.

Version 1, the default, is one file, which TensorFlow's merger reads.  Version
2 takes a merger that knows it, such as this one:

max_bytes       longest chunk of bytes: a field may have several; 0: no limit
max_metadata    longest record of metadata, in bytes; 0: what protobuf can read
max_file        longest file: more are called PREFIX.00001-of-00002.cpb and so
                on; 0: no limit
separate_bytes  chunks of bytes are in PREFIX.bytes.cpb, messages are packed in
                columns
"""

# ---- the library's splitter --------------------------------------------------


def _close(splitter, message, _kept):
    native.library.tn_splitter_close(splitter)
    native.library.tn_message_close(message)


class _Native:
    """A splitter of the library, the message it splits, and all the bytes
    that it borrows."""

    def __init__(self, schema, name, data, layout=None):
        kept = [schema, data]
        message = native.make("tn_message_bytes", schema.handle,
                              name.encode(), native.Bytes.of(data))
        try:
            self.handle = native.make("tn_splitter_open", message)
        except native.Error:
            native.library.tn_message_close(message)
            raise
        self._kept = kept
        # Holds on to what is borrowed until both are closed, in this order.
        weakref.finalize(self, _close, self.handle, message, kept)
        if layout is not None:
            self.call("format", ctypes.byref(native.SplitFormat(
                layout.version, layout.separate_bytes, layout.max_bytes,
                layout.max_metadata, layout.max_file)))

    def call(self, name, *arguments):
        native.call("tn_splitter_" + name, self.handle, *arguments)

    def at(self, name, tags, *arguments):
        """A call about a place in the message."""
        self.call(name, native.steps(tags), len(tags), *arguments)

    def ask(self, name, tags):
        """One that answers with a number."""
        number = ctypes.c_uint64()
        self.at(name, tags, ctypes.byref(number))
        return number.value

    def add(self, is_message, data, tags, index):
        self._kept.append(data)
        kind = native.CHUNK_MESSAGE if is_message else native.CHUNK_BYTES
        self.call("add_chunk", kind, native.Bytes.of(data),
                  native.steps(tags), len(tags), _index(index))

    def chunks(self):
        count = native.library.tn_splitter_chunk_count(self.handle)
        size = native.library.tn_splitter_chunk_size
        return [native.read("tn_splitter_chunk_read", self.handle,
                            size(self.handle, i), i) for i in range(count)]

    def chunked_message(self):
        view = native.library.tn_splitter_chunked_message(self.handle)
        return ChunkedMessage(ctypes.string_at(view.data, view.size)
                              if view.size else b"")

    def write(self, prefix, writer_options, replace):
        target = native.Target(os.fsencode(prefix), replace)
        written = ctypes.c_char_p()
        records = writer_options.encode() if writer_options else None
        self.call("write", ctypes.byref(target), records,
                  ctypes.byref(written))
        return os.fsdecode(written.value)

    def write_memory(self, writer_options):
        view = native.Bytes()
        is_chunked = ctypes.c_bool()
        records = writer_options.encode() if writer_options else None
        self.call("write_memory", records, ctypes.byref(view),
                  ctypes.byref(is_chunked))
        data = ctypes.string_at(view.data, view.size) if view.size else b""
        return data, is_chunked.value


def _index(index):
    if index is None:
        return native.AT_END
    if index < 0:
        raise ValueError("a chunk cannot be put before chunk 0")
    return index


# ---- splitters ---------------------------------------------------------------


class Splitter(abc.ABC):
    """What every splitter can."""

    @property
    def version(self):
        """The splitter's version, the oldest of a merger that can join what
        it makes, and versions of mergers that cannot."""
        return Version(1, 0, ())

    @abc.abstractmethod
    def split(self):
        """(chunks, chunked_message); asking again gives the same."""

    @abc.abstractmethod
    def write(self, prefix, writer_options=None, replace=False):
        """Writes PREFIX.cpb, or PREFIX.pb when there is nothing but the
        message itself, and returns that path.

        `writer_options` are those of the records file, such as "brotli:6" or
        "uncompressed".  Files that are in the way are an Error, unless they
        may be replaced."""

    @abc.abstractmethod
    def write_memory(self, writer_options=None):
        """(data, is_chunked): the same as bytes; is_chunked says whether they
        would be PREFIX.cpb, else they are the message itself."""


class ComposableSplitter(Splitter):
    """A splitter that can use others for messages inside its own.

    Override `build_chunks`.  There, a message of google.protobuf is taken
    apart by changing it: what remains in it afterwards is the initial chunk.
    Chunks are serialized after that too.  A plain Message stays as it is; the
    methods `take`, `hollow`, `slice`, `clear` and `by_size` move parts of it
    out.

    proto_as_initial_chunk  False: the message itself makes no chunk, for
                            splitters that add all of it in parts
    parent_splitter         hands all chunks to that splitter, which alone can
                            split and write
    fields_in_parent        field tags from the parent's message to this one
    format                  a Format; without a parent
    """

    def __init__(self, proto, *, proto_as_initial_chunk=True,
                 parent_splitter=None, fields_in_parent=None, format=None):
        self._proto = proto
        self._format = format
        self.proto_as_initial_chunk = proto_as_initial_chunk
        self.parent_splitter = parent_splitter
        self.fields_in_parent = list(fields_in_parent or [])
        self._added = []
        self._result = None
        self._has_begun = self._is_built = False
        if parent_splitter is not None and format is not None:
            raise ValueError("a child hands its chunks to its parent: give "
                             "that the format")
        if parent_splitter is None:
            # Chunks of a protobuf message are only tried at first, on an
            # empty one, so that add_chunk can say at once what is wrong.
            data = proto.SerializeToString() if self._is_plain() else b""
            self._native = _Native(Schema.of(proto), type_name(proto), data,
                                   format)

    @property
    def version(self):
        is_two = self._format is not None and self._format.version == 2
        return Version(2, 1, ()) if is_two else Version(1, 0, ())

    @abc.abstractmethod
    def build_chunks(self):
        """Calls add_chunk for each chunk of `self._proto`."""

    def add_chunk(self, chunk, field_tags, index=None):
        """Adds a chunk for a place in the message, given by names or numbers
        of fields, indices of repeated fields and keys of maps.

        `chunk` is a message; or bytes, for a field that is no message: those
        of a string or bytes field, and of a number its decimal text.  With
        `index` it is put before that chunk."""
        root, tags = self._from_root(field_tags)
        is_later = is_message(chunk) and not root._is_plain()
        data = b"" if is_later else serialized(chunk)
        root._native.add(is_message(chunk), data, tags, index)
        root._added.append((chunk, tags, index))

    def split(self):
        self._refuse_child("split")
        self._build()
        if self._result is None:
            is_as_added = (not self._is_plain() and
                           (self._format is None or not self._has_pieces()))
            chunks = (self._chunks_in_order() if is_as_added
                      else self._native.chunks())
            self._result = chunks, self._native.chunked_message()
        return self._result

    def write(self, prefix, writer_options=None, replace=False):
        self._refuse_child("write")
        self._build()
        return self._native.write(prefix, writer_options, replace)

    def write_memory(self, writer_options=None):
        self._refuse_child("write")
        self._build()
        return self._native.write_memory(writer_options)

    # ---- plain messages ----

    def take(self, field_tags, index=None):
        """Moves a message, string or bytes field into a chunk of its own."""
        self._plain().at("take", self._tags(field_tags), _index(index))

    def hollow(self, field_tags, index=None):
        """The same, but an empty field stays in its place: merged again, the
        message has the bytes that it had."""
        self._plain().at("hollow", self._tags(field_tags), _index(index))

    def slice(self, field_tags, begin, end, index=None):
        """Moves elements [begin, end) of a repeated field or map into a chunk
        that is merged into the message they are a field of."""
        self._plain().at("slice", self._tags(field_tags), begin, end,
                         _index(index))

    def clear(self, field_tags):
        """Removes a field without making a chunk of it."""
        self._plain().at("clear", self._tags(field_tags))

    def by_size(self, max_size):
        """Takes out as much as is needed so that no message chunk is longer
        than that."""
        self._plain().call("by_size", max_size)

    def count(self, field_tags):
        """How many elements a field has, 0 or 1 for a singular one."""
        return self._plain().ask("count", self._tags(field_tags))

    def size(self, field_tags):
        """How many bytes a message has by now."""
        return self._plain().ask("size", self._tags(field_tags))

    # ---- within ----

    def _is_plain(self):
        return isinstance(self._proto, Message)

    def _from_root(self, field_tags):
        splitter, tags = self, list(field_tags)
        while splitter.parent_splitter is not None:
            tags = splitter.fields_in_parent + tags
            splitter = splitter.parent_splitter
        return splitter, tags

    def _tags(self, field_tags):
        return self._from_root(field_tags)[1]

    def _plain(self):
        root = self._from_root([])[0]
        if not root._is_plain():
            raise TypeError("this is for a tenon.Message; a message of "
                            "google.protobuf is changed directly")
        return root._native

    def _refuse_child(self, verb):
        if self.parent_splitter is not None:
            raise ValueError(f"a child hands its chunks to its parent: {verb} "
                             "that")

    def _build(self):
        """Once: half a set of chunks must not pass for a whole one."""
        if self._is_built:
            return
        if self._has_begun:
            raise RuntimeError("build_chunks is running, or has failed")
        self._has_begun = True
        if self._is_plain() and self.proto_as_initial_chunk:
            self._native.call("keep_base")
        self.build_chunks()
        if not self._is_plain():
            self._native = self._build_from_proto()
        self._native.call("split")
        self._is_built = True

    def _build_from_proto(self):
        """All that was added, now that the message has become the base."""
        proto = self._proto
        result = _Native(Schema.of(proto), type_name(proto),
                         proto.SerializeToString(), self._format)
        if self.proto_as_initial_chunk:
            result.call("keep_base")
        for chunk, tags, index in self._added:
            result.add(is_message(chunk), serialized(chunk), tags, index)
        return result

    def _has_pieces(self):
        """Bytes were cut: there are more chunks than were added."""
        added = len(self._added) + bool(self.proto_as_initial_chunk)
        count = native.library.tn_splitter_chunk_count(self._native.handle)
        return count != added

    def _chunks_in_order(self):
        chunks = [self._proto] if self.proto_as_initial_chunk else []
        for chunk, _, index in self._added:
            chunks.insert(len(chunks) if index is None else index, chunk)
        return chunks


# ---- merging -----------------------------------------------------------------


def _merge_into(message, merged):
    try:
        size = native.library.tn_message_size(merged)
        message.MergeFromString(native.read("tn_message_read", merged, size))
    finally:
        native.library.tn_message_close(merged)
    return message


class Merger:
    """Joins the chunks of any splitter."""

    @staticmethod
    def read(prefix, message, paths=()):
        """Merges PREFIX.cpb, or else PREFIX.pb, into a message, and returns
        it.  `paths`, lists of field tags, choose parts; others are not
        read."""
        schema = Schema.of(message)
        all_steps = [native.steps(path) for path in paths]
        chosen = (native.Path * len(all_steps))(
            *(native.Path(steps, len(steps)) for steps in all_steps))
        return _merge_into(message, native.make(
            "tn_merge_read", schema.handle, type_name(message).encode(),
            os.fsencode(prefix), chosen, len(chosen)))

    @staticmethod
    def read_memory(data, message):
        """The same for what write_memory made."""
        schema = Schema.of(message)
        return _merge_into(message, native.make(
            "tn_merge_bytes", schema.handle, type_name(message).encode(),
            native.Bytes.of(data)))

    @staticmethod
    def merge(chunks, chunked_message, message):
        """The same for chunks in memory."""
        schema = Schema.of(message)
        kept = [serialized(chunk) for chunk in chunks]
        views = (native.Bytes * len(kept))(*map(native.Bytes.of, kept))
        joined = serialized(chunked_message)
        return _merge_into(message, native.make(
            "tn_merge", schema.handle, type_name(message).encode(), views,
            len(kept), native.Bytes.of(joined)))


class LazyMerger:
    """A chunked file of which parts are merged when they are asked for.

        with tenon.LazyMerger("config", ModelConfig()) as config:
            layer = config.get(["hidden_layers", 3], Layer())

    `message` only says what type the file is of; it stays as it is."""

    def __init__(self, prefix, message):
        self._schema = Schema.of(message)
        self._handle = native.make(
            "tn_merger_open", self._schema.handle,
            type_name(message).encode(), os.fsencode(prefix))
        # Holds on to the schema until the merger is closed.
        self._close = weakref.finalize(self, _close_merger, self._handle,
                                       self._schema)

    def get(self, field_tags=(), message=None):
        """What lies at a place, with everything in it: merged into `message`,
        which is returned, or as bytes: those of a string or bytes field, or a
        serialized message.  Chunks that are for other places are not read."""
        if not self._close.alive:
            raise ValueError("the merger is closed")
        found = native.make("tn_merger_get", self._handle,
                            native.steps(field_tags), len(field_tags))
        if message is not None:
            return _merge_into(message, found)
        try:
            size = native.library.tn_message_size(found)
            return native.read("tn_message_read", found, size)
        finally:
            native.library.tn_message_close(found)

    def close(self):
        self._close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _close_merger(handle, _schema):
    native.library.tn_merger_close(handle)
