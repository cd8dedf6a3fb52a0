"""Messages of google.protobuf, filled field by field.

protobuf's libraries parse no more than 2 GiB at once.  A message may be longer
than that: it is read in portions, each of whole fields, and a field that is
longer than a portion is looked into.
"""
import ctypes

from tenon import native
from tenon.messages import varint

# Bytes that are read at once; a longer string or bytes field is one portion.
PORTION = 8 << 20

# What protobuf parses at once.
_MOST = 2**31 - 1

# No number has more bytes.
_NUMBER = 16

_LEN = 2  # the wire type of bytes and messages


def fill(target, merged):
    """Merges a message of the library into one of google.protobuf.  After a
    failure one that was empty is empty again."""
    was_empty = not target.ListFields()
    try:
        _fill(target, merged, 0, native.library.tn_message_size(merged))
    except Exception:
        if was_empty:
            target.Clear()
        raise


def _read(merged, begin, end):
    return native.read("tn_message_read", merged, end - begin, offset=begin)


def _parts(merged, begin, end):
    """(begin, part) for all that lies between: runs of fields, long fields."""
    while begin < end:
        part = native.MessagePart()
        native.call("tn_message_part", merged, begin, end, PORTION,
                    ctypes.byref(part))
        yield begin, part
        begin = part.end


def _fill(target, merged, begin, end):
    for at, part in _parts(merged, begin, end):
        if part.field:
            _fill_long(target, merged, at, part)
        else:
            target.MergeFromString(_read(merged, at, part.end))


def _fill_long(target, merged, begin, part):
    field = target.DESCRIPTOR.fields_by_number.get(part.field)
    if field is None or part.wire != _LEN:
        _fill_whole(target, merged, begin, part)
    elif field.message_type is None:
        _fill_value(target, field, merged, begin, part)
    elif field.message_type.GetOptions().map_entry:
        _fill_entry(target, field, merged, begin, part)
    elif field.label == field.LABEL_REPEATED:
        _fill(getattr(target, field.name).add(), merged, part.body, part.end)
    else:
        child = getattr(target, field.name)
        child.SetInParent()
        _fill(child, merged, part.body, part.end)


def _fill_whole(target, merged, begin, part):
    """A field that cannot be looked into: its type is not known, or a group."""
    if part.end - begin > _MOST:
        raise ValueError(
            f"field {part.field} of {target.DESCRIPTOR.full_name} has "
            f"{part.end - begin} bytes, and protobuf cannot parse it in parts")
    target.MergeFromString(_read(merged, begin, part.end))


def _fill_value(target, field, merged, begin, part):
    is_repeated = field.label == field.LABEL_REPEATED
    if field.cpp_type != field.CPPTYPE_STRING and not is_repeated:
        _fill_whole(target, merged, begin, part)  # not as its type has it
    elif field.cpp_type != field.CPPTYPE_STRING:
        for piece in _packed(field, merged, part):
            target.MergeFromString(_head(part, len(piece)) + piece)
    elif part.end - begin <= _MOST:
        target.MergeFromString(_read(merged, begin, part.end))
    elif is_repeated:
        getattr(target, field.name).append(_value(field, merged, part))
    else:
        setattr(target, field.name, _value(field, merged, part))


def _value(field, merged, part):
    data = _read(merged, part.body, part.end)
    return data.decode() if field.type == field.TYPE_STRING else data


def _head(part, size):
    return varint(part.field << 3 | _LEN) + varint(size)


def _packed(field, merged, part):
    """Packed numbers, in pieces of whole ones."""
    width = {field.TYPE_DOUBLE: 8, field.TYPE_FIXED64: 8,
             field.TYPE_SFIXED64: 8, field.TYPE_FLOAT: 4,
             field.TYPE_FIXED32: 4, field.TYPE_SFIXED32: 4}.get(field.type)
    at = part.body
    while at < part.end:
        data = _read(merged, at, min(part.end, at + max(PORTION, _NUMBER)))
        if at + len(data) < part.end:
            size = len(data)
            if width:
                size -= size % width
            while not width and size and data[size - 1] >= 0x80:
                size -= 1
            data = data[:size] if size else data
        yield data
        at += len(data)


# ---- maps --------------------------------------------------------------------


def _fill_entry(target, field, merged, begin, part):
    """An entry that is long; it takes the place of an earlier one with the same
    key."""
    entries = getattr(target, field.name)
    value = field.message_type.fields_by_number[2]
    parts = list(_parts(merged, part.body, part.end))
    entry = field.message_type._concrete_class()
    for at, inner in parts:
        if inner.field != 2:
            entry.MergeFromString(_read(merged, at, inner.end))
    values = [inner for _, inner in parts if inner.field == 2]
    if value.message_type is not None:
        if entry.key in entries:
            del entries[entry.key]
        message = entries[entry.key]
        message.MergeFrom(entry.value)
        for inner in values:
            _fill(message, merged, inner.body, inner.end)
    elif values and value.cpp_type == value.CPPTYPE_STRING:
        entries[entry.key] = _value(value, merged, values[-1])
    else:
        _fill_whole(target, merged, begin, part)
