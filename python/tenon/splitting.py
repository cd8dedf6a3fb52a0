"""Splitters, to be written by whoever knows a message, and the merger."""
import abc
import collections
import ctypes
import operator
import os
import warnings
import weakref

from tenon import filling, native
from tenon.messages import (ChunkedField, ChunkedMessage, Message, Schema,
                            field_tags, is_message, serialized, type_name)

# ---- versions and formats ----------------------------------------------------


class VersionDef(collections.namedtuple(
        "VersionDef", "splitter_version join_version bad_consumers")):
    """Who may join chunks: what a splitter writes into a file, and a merger
    looks at.

    splitter_version  of the splitter, for information; also `producer`
    join_version      of the oldest merger that will do; also `min_consumer`
    bad_consumers     versions of mergers that will not
    """

    def __new__(cls, splitter_version=None, join_version=None,
                bad_consumers=(), *, producer=None, min_consumer=None):
        numbers = (cls._one("producer", splitter_version, producer, 1),
                   cls._one("min_consumer", join_version, min_consumer, 0))
        bad = native.listed(bad_consumers, "bad_consumers")
        for number in (*numbers, *bad):
            if isinstance(number, bool) or not isinstance(number, int):
                raise TypeError(f"a version is a number, not {number!r}")
            if not -2**31 <= number < 2**31:
                raise ValueError(f"the version {number} has more than 32 bits")
        return super().__new__(cls, *numbers, tuple(bad))

    @staticmethod
    def _one(name, number, other, default):
        if number is not None and other is not None:
            raise ValueError(f"{name} is said twice")
        number = other if number is None else number
        return default if number is None else number

    @classmethod
    def of(cls, version):
        """One of these, a tuple, or a VersionDef of TensorFlow."""
        if isinstance(version, tuple):
            return cls(*version)
        if not hasattr(version, "bad_consumers"):
            raise TypeError(f"a VersionDef is wanted, not {version!r}")
        names = (("splitter_version", "join_version")
                 if hasattr(version, "splitter_version")
                 else ("producer", "min_consumer"))
        return cls(*(getattr(version, name) for name in names),
                   version.bad_consumers)

    @property
    def producer(self):
        return self.splitter_version

    @property
    def min_consumer(self):
        return self.join_version


Version = VersionDef

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


def _own_version(layout):
    """What a splitter writes that says nothing else."""
    is_two = layout is not None and layout.version == 2
    return VersionDef(2, 1) if is_two else VersionDef(1, 0)


_JOINS = 1  # TN_JOIN_NEWEST: the version of the library's merger


class MergeWarning(UserWarning):
    """Other mergers make something else of the same chunks, or this one does
    not join them."""


# ---- the library's splitter --------------------------------------------------


def _close(splitter, message, _kept):
    native.library.tn_splitter_close(splitter)
    native.library.tn_message_close(message)


class _Native:
    """A splitter of the library, the message it splits, and all the bytes
    that it borrows."""

    def __init__(self, schema, name, data, layout=None, scalars="text"):
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
            if not isinstance(layout, Format):
                raise TypeError(f"a tenon.Format is wanted, not {layout!r}")
            self.call("format", ctypes.byref(native.SplitFormat(
                native.whole(layout.version, 32, "the version of a format"),
                bool(layout.separate_bytes),
                native.whole(layout.max_bytes, 64, "max_bytes"),
                native.whole(layout.max_metadata, 64, "max_metadata"),
                native.whole(layout.max_file, 64, "max_file"))))
        self.call("scalars", native.chosen(native.SCALARS, scalars,
                                           "the form of numbers"))

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

    def tags(self, tags):
        """Field tags as a ChunkedField has them."""
        view = native.Bytes()
        self.at("tags", tags, ctypes.byref(view))
        return field_tags(view.copy())

    def known(self, name, tags, rule):
        """What a splitter that knows its message takes out there."""
        native.make(f"tn_splitter_{name}_child", self.handle,
                    native.steps(tags), len(tags), ctypes.byref(rule))

    def by_size(self, tags, max_size):
        child = self.handle
        if tags:
            child = native.make("tn_splitter_child", self.handle,
                                native.steps(tags), len(tags))
        native.call("tn_splitter_by_size", child,
                    native.whole(max_size, 64, "a size"))

    def add(self, is_message, data, tags, index):
        self._kept.append(data)
        kind = native.CHUNK_MESSAGE if is_message else native.CHUNK_BYTES
        self.call("add_chunk", kind, native.Bytes.of(data),
                  native.steps(tags), len(tags), _index(index))

    def adopt(self, chunks, chunked_message):
        """Takes a result that was made elsewhere."""
        kept = [serialized(chunk) for chunk in chunks]
        joined = serialized(chunked_message)
        self._kept += [kept, joined]
        types = [native.CHUNK_MESSAGE if is_message(chunk)
                 else native.CHUNK_BYTES for chunk in chunks]
        self.call("adopt", (ctypes.c_int * len(types))(*types),
                  (native.Bytes * len(kept))(*map(native.Bytes.of, kept)),
                  len(kept), native.Bytes.of(joined))

    def set_version(self, version):
        if version.join_version > _JOINS or _JOINS in version.bad_consumers:
            warnings.warn(f"{version} leaves out this package's own merger, "
                          f"which is of version {_JOINS}", MergeWarning,
                          stacklevel=5)
        bad = (ctypes.c_int32 * len(version.bad_consumers))(
            *version.bad_consumers)
        self.call("version", ctypes.byref(native.SplitVersion(
            version.splitter_version, version.join_version, bad, len(bad))))

    def chunk_count(self):
        return native.library.tn_splitter_chunk_count(self.handle)

    def chunks(self):
        size = native.library.tn_splitter_chunk_size
        return [native.read("tn_splitter_chunk_read", self.handle,
                            size(self.handle, i), i)
                for i in range(self.chunk_count())]

    def chunked_message(self):
        view = native.library.tn_splitter_chunked_message(self.handle)
        return ChunkedMessage(view.copy())

    def write(self, prefix, writer_options, replace):
        target = native.Target(native.path(prefix), bool(replace))
        written = ctypes.c_char_p()
        records = _records(writer_options)
        self.call("write", ctypes.byref(target), records,
                  ctypes.byref(written))
        return os.fsdecode(written.value)

    def write_memory(self, writer_options):
        view = native.Bytes()
        is_chunked = ctypes.c_bool()
        records = _records(writer_options)
        self.call("write_memory", records, ctypes.byref(view),
                  ctypes.byref(is_chunked))
        return view.copy(), is_chunked.value


def _records(options):
    return None if options is None or options == "" else native.text(
        options, "writer_options")


def _index(index):
    if index is None:
        return native.AT_END
    if operator.index(index) < 0:
        raise ValueError("a chunk cannot be put before chunk 0")
    return native.whole(index, 64, "an index")


def _identity(path):
    """Of a file as it is now; None: there is none."""
    try:
        now = os.stat(path)
    except OSError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


# ---- splitters ---------------------------------------------------------------


class Splitter(abc.ABC):
    """What every splitter can."""

    @property
    def version_def(self):
        """The VersionDef that is written: the splitter's version, the oldest
        of a merger that can join what it makes, and versions of mergers that
        cannot."""
        return VersionDef(1, 0)

    @property
    def version(self):
        return VersionDef.of(self.version_def)

    @abc.abstractmethod
    def split(self):
        """(chunks, chunked_message); asking again gives the same."""

    @abc.abstractmethod
    def write(self, file_prefix, writer_options=None, replace=False):
        """Writes PREFIX.cpb, or PREFIX.pb when there is nothing but the
        message itself, and returns that path.

        `writer_options` are those of the records file, such as "brotli:6" or
        "uncompressed".  Files that are in the way are an Error, unless they
        may be replaced, or this splitter wrote them."""


class _Listed:
    """Chunks as `build_chunks` sees them, and whether it did more to them than
    to add some."""

    def __init__(self, proto):
        """`proto` is None when the message itself makes no chunk."""
        self.chunks = [] if proto is None else [proto]
        self.message = ChunkedMessage(
            chunk_index=None if proto is None else 0)
        self._first = self.chunks, self.message
        self._added = list(self.chunks)  # those chunks, as they should be
        self._places = [None] * len(self.chunks)  # the field of each
        self._fields = []  # in the order of the list

    def add(self, chunk, tags, index):
        place = len(self._added)
        if index is not None and index < place:
            place = index
        field = ChunkedField(tags, ChunkedMessage(chunk_index=place))
        self._added.insert(place, chunk)
        self._places.insert(place, field)
        self._fields.append(field)
        self.chunks.insert(place, chunk)
        self.message.chunked_fields.append(field)
        self._number(place + 1)

    def _number(self, begin):
        """Chunks behind one that was put before them have moved up."""
        for place in range(begin, len(self._places)):
            if self._places[place] is not None:
                self._places[place].message.chunk_index = place
            elif self.message is self._first[1]:
                self.message.chunk_index = place

    def is_changed(self):
        chunks, message = self._first
        return (self.chunks is not chunks or self.message is not message or
                not _are(self.chunks, self._added) or
                not _are(message.chunked_fields, self._fields) or
                self._is_renumbered())

    def _is_renumbered(self):
        base = (self._places.index(None) if None in self._places else None)
        return (self.message.chunk_index != base or
                any(field is not None and
                    (field.message.chunk_index != place or
                     field.message.chunked_fields)
                    for place, field in enumerate(self._places)))


def _are(left, right):
    """The same objects."""
    return len(left) == len(right) and all(map(operator.is_, left, right))


def _type_at(descriptor, tags):
    """The full name of the message type that tags lead to from a descriptor
    of google.protobuf; None: not a message, or not in the descriptor."""
    for kind, number in tags:
        if kind == "field" and descriptor is not None:
            field = descriptor.fields_by_number.get(number)
            descriptor = field and field.message_type
            if descriptor and descriptor.GetOptions().map_entry:
                descriptor = descriptor.fields_by_name["value"].message_type
    return descriptor and descriptor.full_name


class ComposableSplitter(Splitter):
    """A splitter that can use others for messages inside its own.

    Override `build_chunks`.  There, a message of google.protobuf is taken
    apart by changing it: what remains in it afterwards is the initial chunk.
    Chunks are serialized after that too.  A plain Message stays as it is; the
    methods `take`, `hollow`, `slice`, `clear` and `by_size` move parts of it
    out.

    self._chunks           the chunks so far: messages and bytes
    self._chunked_message  the ChunkedMessage that says where they belong
    self.version_def       the VersionDef that is written; can be set

    `add_chunk` keeps the first two; `build_chunks` may also change or replace
    them itself.  Those of a child are its root's.  Of a plain Message they are
    there after the split.

    proto_as_initial_chunk  False: the message itself makes no chunk, for
                            splitters that add all of it in parts
    parent_splitter         hands all chunks to that splitter, which alone can
                            split and write
    fields_in_parent        field tags from the parent's message to this one
    format                  a Format; without a parent
    scalars                 how numbers are written as chunks of their own:
                            "text", which TensorFlow reads, or "numpy", the
                            bytes of tobytes(); without a parent
    """

    def __init__(self, proto, *, proto_as_initial_chunk=True,
                 parent_splitter=None, fields_in_parent=None, format=None,
                 scalars="text"):
        if not is_message(proto) and (proto is not None or
                                      parent_splitter is None):
            raise TypeError(f"a splitter takes a message, not {proto!r}")
        if parent_splitter is not None and not isinstance(
                parent_splitter, ComposableSplitter):
            raise TypeError("a parent is a ComposableSplitter, not "
                            f"{parent_splitter!r}")
        self._proto = proto
        self._format = format
        self._scalars = scalars
        self.proto_as_initial_chunk = proto_as_initial_chunk
        self.parent_splitter = parent_splitter
        self.fields_in_parent = native.listed(
            () if fields_in_parent is None else fields_in_parent,
            "fields_in_parent")
        self._added = []
        self._sizes = []  # (tags, size): what the library cuts at the end
        self._result = None
        self._said_version = None
        self._written = {}
        self._has_begun = self._is_built = False
        if parent_splitter is not None and (format is not None or
                                            scalars != "text"):
            raise ValueError("a child hands its chunks to its parent: give "
                             "that the format, and the form of numbers")
        if parent_splitter is None:
            # Chunks of a protobuf message are only tried at first, on an
            # empty one, so that add_chunk can say at once what is wrong.
            data = proto.SerializeToString() if self._is_plain() else b""
            self._native = self._new_native(data)
            self._listed = _Listed(
                proto if proto_as_initial_chunk else None)

    @property
    def version_def(self):
        return self._said_version or _own_version(self._format)

    @version_def.setter
    def version_def(self, version):
        self._said_version = VersionDef.of(version)

    @property
    def _chunks(self):
        return self._root()._seen().chunks

    @_chunks.setter
    def _chunks(self, chunks):
        self._root()._seen().chunks = chunks

    @property
    def _chunked_message(self):
        return self._root()._seen().message

    @_chunked_message.setter
    def _chunked_message(self, message):
        self._root()._seen().message = message

    @abc.abstractmethod
    def build_chunks(self):
        """Calls add_chunk for each chunk of `self._proto`."""

    def add_chunk(self, chunk, field_tags, index=None):
        """Adds a chunk for a place in the message, given by names or numbers
        of fields, indices of repeated fields and keys of maps.

        `chunk` is a message; or bytes, for a field that is no message: those
        of a string or bytes field, of a number its decimal text, of an enum
        the name, of a bool "true" or "false".  What no merger could read is
        an Error.  With `index` it is put before that chunk."""
        root, tags = self._from_root(field_tags)
        is_later = is_message(chunk) and not root._is_plain()
        data = b"" if is_later else serialized(chunk)
        places = None if root._is_plain() else root._native.tags(tags)
        if is_later:
            root._refuse_other_type(chunk, tags, places)
        root._native.add(is_message(chunk), data, tags, index)
        root._added.append((chunk, tags, index))
        if places is not None:
            root._listed.add(chunk, places, index)

    def split(self):
        self._refuse_child("split")
        self._build()
        if self._result is None:
            chunks = (self._listed.chunks if self._is_as_listed()
                      else self._native.chunks())
            self._result = chunks, self._native.chunked_message()
            self._listed.chunks, self._listed.message = self._result
        return self._result

    def write(self, file_prefix, writer_options=None, replace=False):
        self._refuse_child("write")
        self._build()
        name = os.path.abspath(file_prefix)
        path, identity = self._written.get(name, ("", None))
        is_own = identity is not None and _identity(path) == identity
        path = self._native.write(file_prefix, writer_options,
                                  replace or is_own)
        self._written[name] = path, _identity(path)
        return path

    def write_memory(self, writer_options=None):
        """(data, is_chunked): what `write` writes, as bytes; is_chunked says
        whether they would be PREFIX.cpb, else they are the message itself."""
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
        self._plain().at("slice", self._tags(field_tags),
                         native.whole(begin, 64, "the begin of a slice"),
                         native.whole(end, 64, "the end of a slice"),
                         _index(index))

    def clear(self, field_tags):
        """Removes a field without making a chunk of it."""
        self._plain().at("clear", self._tags(field_tags))

    def by_size(self, max_size):
        """Takes out as much as is needed so that no message chunk is longer
        than that."""
        self._plain().by_size(self._tags([]), max_size)

    def count(self, field_tags):
        """How many elements a field has, 0 or 1 for a singular one."""
        return self._plain().ask("count", self._tags(field_tags))

    def size(self, field_tags):
        """How many bytes a message has by now."""
        return self._plain().ask("size", self._tags(field_tags))

    # ---- within ----

    def _is_plain(self):
        return isinstance(self._proto, Message)

    def _new_native(self, data):
        return _Native(Schema.of(self._proto), type_name(self._proto), data,
                       self._format, self._scalars)

    def _from_root(self, field_tags):
        splitter, tags = self, native.listed(field_tags,
                                             "a path of field tags")
        while splitter.parent_splitter is not None:
            tags = splitter.fields_in_parent + tags
            splitter = splitter.parent_splitter
        return splitter, tags

    def _root(self):
        return self._from_root([])[0]

    def _tags(self, field_tags):
        return self._from_root(field_tags)[1]

    def _plain(self):
        root = self._root()
        if not root._is_plain():
            raise TypeError("this is for a tenon.Message; a message of "
                            "google.protobuf is changed directly")
        return root._native

    def _seen(self):
        if self._is_plain() and self._result is None:
            raise AttributeError("the library takes a tenon.Message apart: "
                                 "its chunks are there after the split")
        return self._listed

    def _refuse_child(self, verb):
        if self.parent_splitter is not None:
            raise ValueError(f"a child hands its chunks to its parent: {verb} "
                             "that")

    def _refuse_other_type(self, chunk, tags, places):
        """Nothing in a chunk says of which type it is: a wrong one would be
        merged into fields that happen to have the same numbers."""
        wanted = _type_at(self._proto.DESCRIPTOR, places)
        if wanted and wanted != type_name(chunk):
            raise TypeError(f"a chunk for {list(tags)} is a {wanted}, not a "
                            f"{type_name(chunk)}")

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
        if not self._is_plain() and self._listed.is_changed():
            self._native = self._new_native(b"")
            self._set_version()
            self._native.adopt(self._listed.chunks, self._listed.message)
        else:
            if not self._is_plain():
                self._native = self._build_from_proto()
            self._set_version()
            for tags, max_size in self._sizes:
                self._native.by_size(tags, max_size)
            self._native.call("split")
        self._is_built = True

    def _set_version(self):
        """A class may also say its version_def as an attribute of its own."""
        version = VersionDef.of(self.version_def)
        if version != _own_version(self._format):
            self._native.set_version(version)

    def _build_from_proto(self):
        """All that was added, now that the message has become the base."""
        result = self._new_native(serialized(self._proto))
        if self.proto_as_initial_chunk:
            result.call("keep_base")
        for chunk, tags, index in self._added:
            result.add(is_message(chunk), serialized(chunk), tags, index)
        return result

    def _is_as_listed(self):
        """The library made neither more chunks nor others."""
        return (not self._is_plain() and not self._sizes and
                self._native.chunk_count() == len(self._listed.chunks))


# ---- merging -----------------------------------------------------------------


def _warn(text, level=3):
    if text:
        warnings.warn(text.decode("utf-8", "replace"), MergeWarning,
                      stacklevel=level)


def _merge_into(message, merged):
    """Fills a message with one of the library, which is closed."""
    try:
        text = native.library.tn_message_warning(merged)
        if isinstance(message, Message):
            size = native.library.tn_message_size(merged)
            message.MergeFromString(
                native.read("tn_message_read", merged, size))
        else:
            filling.fill(message, merged)
    finally:
        native.library.tn_message_close(merged)
    _warn(text, 4)
    return message


class _Merging:
    """A merger of the library, and all that it borrows."""

    def __init__(self, name, message, scalars, *arguments):
        form = native.chosen(native.SCALARS, scalars, "the form of numbers")
        schema = Schema.of(message)
        remote = native.remote()
        self.handle = native.make(name, schema.handle,
                                  type_name(message).encode(), *arguments,
                                  ctypes.byref(native.for_urls(remote)))
        # Holds on to what is borrowed until the merger is closed.
        self.close = weakref.finalize(self, _close_merger, self.handle,
                                      (schema, arguments, remote))
        native.library.tn_merger_scalars(self.handle, form)

    def merge(self, paths=()):
        all_steps = [native.steps(path)
                     for path in native.listed(paths, "the paths")]
        chosen = (native.Path * len(all_steps))(
            *(native.Path(steps, len(steps)) for steps in all_steps))
        return native.make("tn_merger_merge", self.handle, chosen, len(chosen))

    def version(self):
        version = native.library.tn_merger_version(self.handle)
        return VersionDef(version.producer, version.min_consumer,
                          version.bad_consumers[:version.bad_consumer_count])


def _close_merger(handle, _kept):
    native.library.tn_merger_close(handle)


class Merger:
    """Joins the chunks of any splitter.

    Messages of google.protobuf are filled field by field, whatever their size:
    no more than a portion, or one string or bytes field, is read at once.
    `scalars` is the form of numbers that are chunks, which a file does not
    say: "text", or "numpy"."""

    @staticmethod
    def read(prefix, message, paths=(), scalars="text"):
        """Merges PREFIX.cpb, or else PREFIX.pb, into a message, and returns
        it.  `paths`, lists of field tags, choose parts; others are not
        read."""
        merging = _Merging("tn_merger_open", message, scalars,
                           native.path(prefix))
        try:
            return _merge_into(message, merging.merge(paths))
        finally:
            merging.close()

    @staticmethod
    def read_memory(data, message, scalars="text"):
        """The same for what write_memory made."""
        kept = native.octets(data)
        merging = _Merging("tn_merger_open_bytes", message, scalars,
                           native.Bytes.of(kept))
        try:
            return _merge_into(message, merging.merge())
        finally:
            merging.close()

    @staticmethod
    def merge(chunks, chunked_message, message, scalars="text", sort=False):
        """The same for chunks in memory.  Fields are merged in the order in
        which the ChunkedMessage lists them, as TensorFlow's Merge does it;
        `sort` has them sorted first, as they are when a file is read."""
        kept = [serialized(chunk)
                for chunk in native.listed(chunks, "the chunks")]
        joined = serialized(chunked_message)
        views = (native.Bytes * len(kept))(*map(native.Bytes.of, kept))
        merging = _Merging("tn_merger_open_chunks", message, scalars, views,
                           len(kept), native.Bytes.of(joined))
        try:
            if sort:
                native.library.tn_merger_sort(merging.handle)
            return _merge_into(message, merging.merge())
        finally:
            merging.close()


class LazyMerger:
    """A chunked file of which parts are merged when they are asked for.

        with tenon.LazyMerger("config", ModelConfig()) as config:
            layer = config.get(["hidden_layers", 3], Layer())

    `message` only says what type the file is of; it stays as it is.

    version_def  who wrote the file, and for whom
    """

    def __init__(self, prefix, message, scalars="text"):
        self._merging = _Merging("tn_merger_open", message, scalars,
                                 native.path(prefix))
        self.version_def = self._merging.version()

    def get(self, field_tags=(), message=None):
        """What lies at a place, with everything in it: merged into `message`,
        which is returned, or as bytes: those of a string or bytes field, a
        number as a chunk of it would be, or a serialized message.  Chunks that
        are for other places are not read."""
        if not self._merging.close.alive:
            raise ValueError("the merger is closed")
        if message is not None:
            Schema.of(message)  # anything else is refused before it is read
        found = native.make("tn_merger_get", self._merging.handle,
                            native.steps(field_tags), len(field_tags))
        if message is not None:
            return _merge_into(message, found)
        try:
            _warn(native.library.tn_message_warning(found))
            size = native.library.tn_message_size(found)
            return native.read("tn_message_read", found, size)
        finally:
            native.library.tn_message_close(found)

    def close(self):
        self._merging.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
