"""Schemas, plain messages, and the ChunkedMessage that says how chunks join."""
import collections
import weakref

from tenon import native

# ---- varints -----------------------------------------------------------------


def varint(number):
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


class Schema(native.Uncopied):
    """Message types: what `protoc --include_imports --descriptor_set_out`
    writes."""

    def __init__(self, descriptor_set):
        data = native.octets(descriptor_set)  # borrowed only until it was read
        self._own(native.make("tn_schema_open", native.Bytes.of(data)))

    @classmethod
    def builtin(cls, name):
        """One that the library carries: "onnx", "tensorflow",
        "proto_splitter"."""
        schema = cls.__new__(cls)
        schema._own(native.make("tn_schema_builtin",
                                native.text(name, "the name of a schema")))
        return schema

    @classmethod
    def of(cls, message):
        """That of a message of google.protobuf, or of a plain one."""
        if isinstance(message, Message):
            return message.schema
        if not hasattr(message, "DESCRIPTOR"):
            raise TypeError(f"a message is wanted, not {message!r}")
        files = _files(message.DESCRIPTOR.file, set())
        return cls(b"".join(b"\n" + varint(len(file)) + file
                            for file in files))

    def __copy__(self):  # it does not change
        return self

    def __deepcopy__(self, _memo):
        return self

    def _own(self, handle):
        self.handle = handle
        weakref.finalize(self, native.library.tn_schema_close, handle)


class Message:
    """A serialized message: its bytes, and the schema that has its type."""

    def __init__(self, schema, type_name, data=b""):
        if not isinstance(schema, Schema):
            raise TypeError(f"a tenon.Schema is wanted, not {schema!r}")
        native.text(type_name, "the type of a message")
        self.schema = schema
        self.type_name = (type_name if isinstance(type_name, str)
                          else type_name.decode())
        self._data = native.octets(data)

    def SerializeToString(self):
        return self._data

    def MergeFromString(self, data):
        # Protobuf's own rule: two messages in a row are the two merged.
        data = native.octets(data)
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
        try:
            return chunk.SerializeToString()
        except Exception as error:
            size = getattr(chunk, "ByteSize", int)()
            if size < 2**31:
                raise
            raise ValueError(
                f"{size} bytes are left of a {type_name(chunk)}, and protobuf "
                "serializes no more than 2 GiB: make more chunks of it"
            ) from error
    if isinstance(chunk, (bytes, bytearray, memoryview)):
        return bytes(chunk)
    raise TypeError(f"a chunk is a message or bytes, not {chunk!r}")


# ---- how chunks join ---------------------------------------------------------


class FieldTag(tuple):
    """One step to a place: ("field", number), ("index", number) or
    ("map_key", key).  `key_type` is the member of MapKey that a key is in."""

    def __new__(cls, kind, value, key_type=None):
        tag = super().__new__(cls, (kind, value))
        tag.key_type = key_type
        return tag


class _Tags(list):
    """Steps to a place, with protobuf's way to add one."""

    def add(self, **step):
        """add(field=2), add(index=0) or add(map_key="k")"""
        if len(step) != 1 or not step.keys() <= {"field", "index", "map_key"}:
            raise TypeError("a step is one of field, index and map_key")
        (kind, value), = step.items()
        if kind != "map_key":
            native.whole(value, 64, f"the {kind} of a step")
        elif not isinstance(value, (str, int)):
            raise TypeError(f"a key is text or a number, not {value!r}")
        self.append(FieldTag(kind, value))
        return self[-1]


class ChunkedField(collections.namedtuple("ChunkedField",
                                          "field_tag message")):
    """A part of a message.

    field_tag  steps to its place: ("field", number), then ("index", number)
               or ("map_key", key); empty: the message itself
    message    its ChunkedMessage
    """


class _ChunkedFields(list):
    """ChunkedFields, with protobuf's way to add one."""

    def add(self, field_tag=(), message=None):
        """Adds one, which is returned; it can be filled in afterwards."""
        if message is not None and not is_message(message):
            raise TypeError(f"a ChunkedMessage is wanted, not {message!r}")
        tags = _Tags(native.listed(field_tag, "a path of field tags"))
        if not all(is_message(tag) or isinstance(tag, tuple) and
                   len(tag) == 2 for tag in tags):
            raise TypeError(f"{field_tag!r} are no field tags")
        self.append(ChunkedField(tags, ChunkedMessage() if message is None
                                 else message))
        return self[-1]


_KEY_TYPES = (None, "s", "boolean", "ui32", "ui64", "i32", "i64")


def _map_key(data):
    for kind, value in _fields(data):
        if kind == 1:
            value = value.decode()
        elif kind == 2:
            value = bool(value)
        elif kind in (5, 6) and value >= 2**63:
            value -= 2**64
        return FieldTag("map_key", value, _KEY_TYPES[kind])
    return FieldTag("map_key", None)


def _field_tag(data):
    for kind, value in _fields(data):
        if kind == 2:
            return _map_key(value)
        return FieldTag("field" if kind == 1 else "index", value)
    return None


def field_tags(data):
    """Those of a serialized ChunkedField."""
    return [_field_tag(value) for number, value in _fields(data)
            if number == 1]


def _chunked_field(data):
    message = b""
    for number, value in _fields(data):
        if number == 3:
            message = value
    return ChunkedField(field_tags(data), ChunkedMessage(message))


def _number(field, value):
    return varint(field << 3) + varint(value & 2**64 - 1)


def _body(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def _serialized_key(tag):
    """A key that nobody gave a type has the widest that fits."""
    key, key_type = tag[1], getattr(tag, "key_type", None)
    if key is None:
        return b""
    if key_type is None:
        key_type = ("s" if isinstance(key, str) else
                    "boolean" if isinstance(key, bool) else
                    "ui64" if key >= 2**63 else "i64")
    number = _KEY_TYPES.index(key_type)
    return (_body(number, key.encode()) if number == 1
            else _number(number, int(key)))


def _serialized_tag(tag):
    if is_message(tag):
        return tag.SerializeToString()
    if tag[0] == "map_key":
        return _body(2, _serialized_key(tag))
    return _number(1 if tag[0] == "field" else 3, tag[1])


def _serialized_field(field):
    if is_message(field):
        return field.SerializeToString()
    return (b"".join(_body(1, _serialized_tag(tag))
                     for tag in field.field_tag) +
            _body(3, field.message.SerializeToString()))


def _chunk_number(index):
    return None if index is None else native.whole(index, 64, "a chunk_index")


class ChunkedMessage:
    """Which chunk holds a message, and which are merged into it.

    chunk_index     the chunk of the message itself, or None
    chunked_fields  list of ChunkedField, in the order in which they were added

    Both can be changed; fields and steps may be protobuf's own messages.
    """

    def __init__(self, data=b"", chunk_index=None):
        # Parsed when somebody looks: there may be a million fields.
        self._data = native.octets(data)
        self._fields = None
        self._chunk_index = _chunk_number(chunk_index)
        if chunk_index is not None:
            self._fields = _ChunkedFields()

    @property
    def chunk_index(self):
        self._parse()
        return self._chunk_index

    @chunk_index.setter
    def chunk_index(self, index):
        self._parse()
        self._chunk_index = _chunk_number(index)

    @property
    def chunked_fields(self):
        self._parse()
        return self._fields

    @chunked_fields.setter
    def chunked_fields(self, fields):
        self._parse()
        self._fields = _ChunkedFields(native.listed(fields, "the fields"))

    def _parse(self):
        if self._fields is not None:
            return
        self._fields = _ChunkedFields()
        for number, value in _fields(self._data):
            if number == 1:
                self._chunk_index = value
            elif number == 2:
                self._fields.append(_chunked_field(value))

    def SerializeToString(self):
        if self._fields is None:
            return self._data
        begin = (b"" if self._chunk_index is None
                 else _number(1, self._chunk_index))
        return begin + b"".join(_body(2, _serialized_field(field))
                                for field in self._fields)
