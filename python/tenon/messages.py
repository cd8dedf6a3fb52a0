"""Schemas, plain messages, and the ChunkedMessage that says how chunks join."""
import collections
import functools
import weakref

from tenon import native

# ---- varints -----------------------------------------------------------------


def _varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7


def _fields(data):
    """(number, value) of each field: a number, or bytes."""
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        value, at = _read_varint(data, at)
        if tag & 7 == 2:
            at += value
            value = data[at - value:at]
        yield tag >> 3, value


# ---- schemas and messages ----------------------------------------------------


def _files(file, seen):
    """A file and all that it imports, those first."""
    if file.name not in seen:
        seen.add(file.name)
        for needed in file.dependencies:
            yield from _files(needed, seen)
        yield file.serialized_pb


class Schema:
    """Message types: what `protoc --include_imports --descriptor_set_out`
    writes."""

    def __init__(self, descriptor_set):
        data = bytes(descriptor_set)  # borrowed only until it was read
        self._own(native.make("tn_schema_open", native.Bytes.of(data)))

    @classmethod
    def builtin(cls, name):
        """One that the library carries: "onnx", "tensorflow",
        "proto_splitter"."""
        schema = cls.__new__(cls)
        schema._own(native.make("tn_schema_builtin", name.encode()))
        return schema

    @classmethod
    def of(cls, message):
        """That of a message of google.protobuf, or of a plain one."""
        if isinstance(message, Message):
            return message.schema
        files = _files(message.DESCRIPTOR.file, set())
        return cls(b"".join(b"\n" + _varint(len(file)) + file
                            for file in files))

    def _own(self, handle):
        self.handle = handle
        weakref.finalize(self, native.library.tn_schema_close, handle)


class Message:
    """A serialized message: its bytes, and the schema that has its type."""

    def __init__(self, schema, type_name, data=b""):
        self.schema = schema
        self.type_name = type_name
        self._data = bytes(data)

    def SerializeToString(self):
        return self._data

    def MergeFromString(self, data):
        # Protobuf's own rule: two messages in a row are the two merged.
        self._data += data
        return len(data)


def type_name(message):
    return (message.type_name if isinstance(message, Message)
            else message.DESCRIPTOR.full_name)


def is_message(chunk):
    return hasattr(chunk, "SerializeToString")


def serialized(chunk):
    """The bytes of a chunk: a message, or bytes."""
    if is_message(chunk):
        return chunk.SerializeToString()
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return bytes(chunk)
    raise TypeError(f"a chunk is a message or bytes, not {chunk!r}")


# ---- how chunks join ---------------------------------------------------------


class ChunkedField(collections.namedtuple("ChunkedField",
                                          "field_tag message")):
    """A part of a message.

    field_tag  steps to its place: ("field", number), then ("index", number)
               or ("map_key", key); empty: the message itself
    message    its ChunkedMessage
    """


def _map_key(data):
    for kind, value in _fields(data):
        if kind == 1:
            return value.decode()
        if kind == 2:
            return bool(value)
        if kind in (5, 6) and value >= 2**63:
            return value - 2**64
        return value
    return None


def _field_tag(data):
    for kind, value in _fields(data):
        if kind == 2:
            return "map_key", _map_key(value)
        return "field" if kind == 1 else "index", value
    return None


def _chunked_field(data):
    tags, message = [], b""
    for number, value in _fields(data):
        if number == 1:
            tags.append(_field_tag(value))
        elif number == 3:
            message = value
    return ChunkedField(tags, ChunkedMessage(message))


class ChunkedMessage:
    """Which chunk holds a message, and which are merged into it.

    chunk_index     the chunk of the message itself, or None
    chunked_fields  list of ChunkedField, in the order in which they were added
    """

    def __init__(self, data):
        self._data = bytes(data)

    @functools.cached_property
    def chunk_index(self):
        return dict(_fields(self._data)).get(1)

    @functools.cached_property
    def chunked_fields(self):
        return [_chunked_field(value) for number, value
                in _fields(self._data) if number == 2]

    def SerializeToString(self):
        return self._data
