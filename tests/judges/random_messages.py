"""Writes random messages of the sample schema, as no serialiser writes them.

usage: random_messages.py DESC TYPE COUNT FOLDER

Fields come in any order and any number of times, packed or not, with unknown
numbers and wrong wire types among them; all of it parses.  The same arguments
give the same files.
"""
import os
import random
import struct
import sys

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import FieldDescriptor as F

VARINTS = {F.TYPE_INT32, F.TYPE_INT64, F.TYPE_UINT32, F.TYPE_UINT64,
           F.TYPE_SINT32, F.TYPE_SINT64, F.TYPE_BOOL, F.TYPE_ENUM}
FOURS = {F.TYPE_FLOAT, F.TYPE_FIXED32, F.TYPE_SFIXED32}
EIGHTS = {F.TYPE_DOUBLE, F.TYPE_FIXED64, F.TYPE_SFIXED64}
# Their JSON has rules of its own about what they may hold.
SPECIAL = {"any", "anys", "duration", "timestamp", "field_mask", "struct",
           "value", "list_value", "null_value"}


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number, wire):
    return varint(number << 3 | wire)


def delimited(number, body):
    return tag(number, 2) + varint(len(body)) + body


class Maker:
    def __init__(self, pool, seed):
        self.pool = pool
        self.random = random.Random(seed)

    def integer(self, field):
        r = self.random
        if field.type == F.TYPE_ENUM:
            return r.choice([0, 1, 1, 2, 9, 2**64 - 2])
        if field.type == F.TYPE_BOOL:
            return r.choice([0, 1, 1, 5])
        narrow = field.type in (F.TYPE_INT32, F.TYPE_UINT32, F.TYPE_SINT32)
        return r.choice([0, 1, r.getrandbits(7), r.getrandbits(31),
                         2**64 - 1, r.getrandbits(32 if narrow else 64)])

    def real(self, size):
        r = self.random
        value = r.choice([0.0, -0.0, 1.5, r.uniform(-9, 9), float("inf"),
                          float("nan"), r.uniform(0, 1) * 1e-30, 1 / 3])
        return struct.pack("<f" if size == 4 else "<d", value)

    def element(self, field):
        if field.type in VARINTS:
            return varint(self.integer(field))
        size = 4 if field.type in FOURS else 8
        if field.type in (F.TYPE_FLOAT, F.TYPE_DOUBLE):
            return self.real(size)
        return self.random.randbytes(size)

    def value(self, field, depth):
        r = self.random
        if field.type == F.TYPE_GROUP:
            return (tag(field.number, 3) +
                    self.message(field.message_type, depth + 1) +
                    tag(field.number, 4))
        if field.type == F.TYPE_MESSAGE:
            return delimited(field.number,
                             self.message(field.message_type, depth + 1))
        if field.type == F.TYPE_STRING:
            return delimited(field.number, r.choice(
                [b"", b"a", b"it's \"x\"\n", "\u20ac\\".encode()]))
        if field.type == F.TYPE_BYTES:
            return delimited(field.number, r.randbytes(r.randrange(6)))
        if field.label == F.LABEL_REPEATED and r.random() < 0.5:
            return delimited(field.number, b"".join(
                self.element(field) for _ in range(r.randrange(4))))
        wire = 0 if field.type in VARINTS else 5 if field.type in FOURS else 1
        return tag(field.number, wire) + self.element(field)

    def unknown(self):
        r = self.random
        number = r.choice([90, 91, 1000])
        return r.choice([
            tag(number, 0) + varint(r.getrandbits(64)),
            tag(number, 5) + r.randbytes(4),
            tag(number, 1) + r.randbytes(8),
            delimited(number, r.randbytes(r.randrange(5))),
            delimited(number, tag(3, 0) + varint(r.getrandbits(9))),
            tag(number, 3) + tag(7, 0) + varint(1) + tag(number, 4),
        ])

    def message(self, kind, depth=0):
        r = self.random
        fields = [f for f in kind.fields if f.name not in SPECIAL]
        if kind.is_extendable:
            fields += self.pool.FindAllExtensions(kind)
        if depth > 2:
            fields = [f for f in fields if f.message_type is None]
        out = [self.value(r.choice(fields), depth)
               for _ in range(r.randrange(8)) if fields]
        out += [self.unknown() for _ in range(r.choice([0, 0, 0, 2]))]
        r.shuffle(out)
        return b"".join(out)


def main():
    desc, name, count, folder = sys.argv[1:]
    files = descriptor_pb2.FileDescriptorSet()
    with open(desc, "rb") as f:
        files.ParseFromString(f.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    kind = pool.FindMessageTypeByName(name)
    for i in range(int(count)):
        with open(os.path.join(folder, f"{i}.pb"), "wb") as f:
            f.write(Maker(pool, i).message(kind))


main()
