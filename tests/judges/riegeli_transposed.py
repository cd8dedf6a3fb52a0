#!/usr/bin/env python3
"""A second reader of Riegeli files judges what we write.

    riegeli_transposed.py TENON GENERATE [DATA]

It shares no code with the library: chunks are unpacked here, by the facts of
the format, with the system's codecs.  First it proves itself on Google's files
(DATA/riegeli, where they are); then records that `tenon split` transposed must
be those that it wrote one after the other.
"""
import ctypes
import ctypes.util
import glob
import os
import subprocess
import sys
import tempfile

BLOCK, BLOCK_HEADER, CHUNK_HEADER = 65536, 24, 40


# --- codecs -------------------------------------------------------------------

def library(name):
    found = ctypes.util.find_library(name)
    return ctypes.CDLL(found) if found else None


CODECS = {"b": library("brotlidec"), "z": library("zstd"),
          "s": library("snappy")}


class Missing(Exception):
    """The codec is not installed here."""


def unpack(kind, packed):
    if kind == 0:
        return packed
    size, at = varint(packed, 0)
    packed, out = packed[at:], ctypes.create_string_buffer(size + 1)
    codec = CODECS[chr(kind)]
    if codec is None:
        raise Missing(chr(kind))
    length = ctypes.c_size_t(size)
    if chr(kind) == "b":
        good = codec.BrotliDecoderDecompress(
            ctypes.c_size_t(len(packed)), packed, ctypes.byref(length), out) == 1
    elif chr(kind) == "z":
        codec.ZSTD_decompress.restype = ctypes.c_size_t
        length.value = codec.ZSTD_decompress(
            out, length, packed, ctypes.c_size_t(len(packed)))
        good = True
    else:
        good = codec.snappy_uncompress(packed, ctypes.c_size_t(len(packed)),
                                       out, ctypes.byref(length)) == 0
    assert good and length.value == size, "the codec refuses"
    return out.raw[:size]


# --- varints ------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def put_varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value, self.at = varint(self.data, self.at)
        return value

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def take(self, size):
        assert self.at + size <= len(self.data), "a buffer ends too early"
        self.at += size
        return self.data[self.at - size:self.at]

    def rest(self):
        return self.take(len(self.data) - self.at)


# --- chunks -------------------------------------------------------------------

def simple(data, count):
    reader = Reader(data)
    kind = reader.take(1)[0]
    sizes = Reader(unpack(kind, reader.take(reader.number())))
    values = Reader(unpack(kind, reader.rest()))
    return [values.take(sizes.number()) for _ in range(count)]


class Machine:
    """The states of a transposed chunk, and its buffers."""

    def __init__(self, data):
        reader = Reader(data)
        kind = reader.take(1)[0]
        head = Reader(unpack(kind, reader.take(reader.number())))
        bucket_count, buffer_count = head.numbers(2)
        bucket_sizes = head.numbers(bucket_count)
        buffer_sizes = head.numbers(buffer_count)
        self.count = head.number()
        self.tags = head.numbers(self.count)
        self.nexts = head.numbers(self.count)
        self.subtypes = [head.take(1)[0] if tag >= 8 and tag % 8 == 0 else None
                         for tag in self.tags]
        self.places = [head.number() if self.reads_buffer(i) else None
                       for i in range(self.count)]
        self.first = head.number()
        assert head.rest() == b"", "the header is longer than it says"
        plain = Reader(b"".join(unpack(kind, reader.take(size))
                                for size in bucket_sizes))
        self.buffers = [Reader(plain.take(size)) for size in buffer_sizes]
        assert plain.rest() == b"", "the buckets hold more than the buffers"
        self.transitions = unpack(kind, reader.rest())

    def reads_buffer(self, state):
        tag = self.tags[state]
        if tag < 8:
            return tag == 1
        if tag % 8 == 0:
            return self.subtypes[state] < 10
        return tag % 8 in (1, 2, 5)

    def is_implicit(self, state):
        return self.nexts[state] >= self.count

    def act(self, state, out):
        tag = self.tags[state]
        buffer = (self.buffers[self.places[state]]
                  if self.places[state] is not None else None)
        if tag == 0:
            return
        if tag == 1:
            out.put(buffer.take(self.buffers[-1].number()))
            out.begin_record()
        elif tag == 2:
            position, inner = out.stack.pop()
            out.put(put_varint(inner) + put_varint(out.length - position))
        elif tag == 3:
            assert not out.stack, "a record begins inside a submessage"
            out.begin_record()
        else:
            assert tag >= 8, "no such state"
            self.put_field(state, tag, buffer, out)

    def put_field(self, state, tag, buffer, out):
        kind, subtype = tag % 8, self.subtypes[state]
        if kind == 6:
            out.stack.append((out.length, tag - 4))
            return
        content = b""
        if kind == 0 and subtype < 10:
            raw = buffer.take(subtype + 1)
            content = bytes(b | 0x80 for b in raw[:-1]) + raw[-1:]
        elif kind == 0:
            assert subtype <= 137, "no such subtype"
            content = bytes([subtype - 10])
        elif kind in (1, 5):
            content = buffer.take(8 if kind == 1 else 4)
        elif kind == 2:
            begin = buffer.at
            length = buffer.number()
            content = buffer.data[begin:buffer.at] + buffer.take(length)
        else:
            assert kind in (3, 4), "no such wire type"
        out.put(put_varint(tag) + content)


class Output:
    """Grows towards the front."""

    def __init__(self):
        self.pieces, self.length, self.stack, self.begins = [], 0, [], []

    def put(self, piece):
        self.pieces.append(piece)
        self.length += len(piece)

    def begin_record(self):
        self.begins.append(self.length)

    def records(self):
        whole, last, records = b"".join(reversed(self.pieces)), 0, []
        for begin in self.begins:
            records.append(whole[self.length - begin:self.length - last])
            last = begin
        assert last == self.length, "bytes before the first record"
        return records[::-1]


def transposed(data, count):
    machine, out, used = Machine(data), Output(), 0
    state = machine.first
    again = 1 if machine.is_implicit(state) else 0
    while True:
        machine.act(state, out)
        state = machine.nexts[state] % machine.count
        if again:
            again -= 0 if machine.is_implicit(state) else 1
            continue
        if used == len(machine.transitions):
            break
        step = machine.transitions[used]
        used += 1
        state += step >> 2
        again = (step & 3) + (1 if machine.is_implicit(state) else 0)
    assert not out.stack and len(out.begins) == count, "not all records"
    assert all(b.at == len(b.data) for b in machine.buffers), "bytes are left"
    return out.records()


# --- files --------------------------------------------------------------------

def gather(file, at, size):
    """So many bytes without the blocks in between, and where they end."""
    out = b""
    while len(out) < size:
        if at % BLOCK == 0:
            at += BLOCK_HEADER
        part = min(size - len(out), BLOCK - at % BLOCK)
        assert at + part <= len(file), "the file ends in a chunk"
        out += file[at:at + part]
        at += part
    return out, at


def records_of(path, kinds=None):
    with open(path, "rb") as opened:
        file = opened.read()
    at, records = 0, []
    while at < len(file):
        begin = at
        header, at = gather(file, at, CHUNK_HEADER)
        size, kind = int.from_bytes(header[8:16], "little"), chr(header[24])
        count = int.from_bytes(header[25:32], "little")
        data, at = gather(file, at, size)
        if kind in "rt":
            chunk = (transposed if kind == "t" else simple)(data, count)
            decoded = int.from_bytes(header[32:40], "little")
            assert sum(map(len, chunk)) == decoded, "not the size it says"
            records += chunk
        if kinds is not None:
            kinds.add(kind)
        at = max(at, begin + count)
        assert kind in "rstmp", f"a chunk of type {kind}"
    return records


# --- judging ------------------------------------------------------------------

EXAMPLE = bytes.fromhex(
    "0021" "0203" "0407" "010307" "08" "1e08081208080302" "040e0e010f0f000b"
    "01000b00" "01010200" "00" "07" "051601" "027a7a03616263" "0407")
EXAMPLE_RECORDS = [bytes.fromhex("089601" "1203616263" "1a020801"),
                   bytes.fromhex("0805" "12027a7a" "1a020807")]


def judge_google(data):
    wanted = []
    for path in sorted(glob.glob(os.path.join(data, "riegeli/records/r*.bin"))):
        with open(path, "rb") as opened:
            wanted.append(opened.read())
    paths = glob.glob(os.path.join(data, "riegeli/transposed-*.riegeli"))
    for path in sorted(paths):
        try:
            assert records_of(path) == wanted, path
        except Missing as codec:
            print(f"skipped: no library for {codec}: {path}")
            continue
        print(f"Google's {os.path.basename(path)}: {len(wanted)} records")


def judge_ours(tenon, generate):
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.pb")
        subprocess.run([generate, "graph", "-o", graph, "--scale", "1/500"],
                       check=True)

        def split(name, *options):
            prefix = os.path.join(folder, name)
            subprocess.run([tenon, "split", "-q", "-m", "20000", graph, "-o",
                            prefix, *options], check=True)
            return prefix + ".cpb"

        plain = records_of(split("plain", "-c", "none"))
        for codec in ("none", "zstd:1", "brotli:2", "snappy"):
            kinds = set()
            path = split(codec.replace(":", "-"), "-c", codec, "--transpose")
            try:
                ours = records_of(path, kinds)
            except Missing as missing:
                print(f"skipped: no library for {missing}: ours, {codec}")
                continue
            assert "t" in kinds, f"{codec}: nothing was transposed"
            assert ours[:-1] == plain[:-1], f"{codec}: other records"
            print(f"ours, {codec}: {len(ours)} records")


def main():
    tenon, generate = sys.argv[1:3]
    data = sys.argv[3] if len(sys.argv) > 3 else ""
    assert transposed(EXAMPLE, 2) == EXAMPLE_RECORDS, "this judge is wrong"
    if os.path.isdir(os.path.join(data, "riegeli")):
        judge_google(data)
    else:
        print("skipped: wants real models")
    judge_ours(tenon, generate)


main()
