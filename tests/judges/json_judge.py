"""Compares JSON of messages with python3-protobuf's json_format.

usage: json_judge.py DESC TYPE LIST

LIST has a line per message: the binary file, a tab, our JSON of it.  For each:
our JSON parses to the same message, and holds what json_format prints.
"""
import json
import math
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format
from google.protobuf import message_factory


def load_type(desc, name):
    files = descriptor_pb2.FileDescriptorSet()
    with open(desc, "rb") as f:
        files.ParseFromString(f.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    kind = pool.FindMessageTypeByName(name)
    return message_factory.MessageFactory(pool).GetPrototype(kind), pool


def plain_keys(ours, theirs):
    """json_format forgets the brackets around a repeated extension's name."""
    return {k if k in theirs else k.strip("[]").split(".")[-1]: v
            for k, v in ours.items()}


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, dict) and isinstance(b, dict):
        a = plain_keys(a, b)
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def drop_unknown(message):
    message.DiscardUnknownFields()
    return message.SerializeToString(deterministic=True)


def judge(kind, pool, binary, text):
    ours = kind()
    theirs = kind()
    theirs.ParseFromString(open(binary, "rb").read())
    json_text = open(text, encoding="utf-8").read()
    # This first: it also settles maps that have a key twice.
    expected = json_format.MessageToDict(
        theirs, preserving_proto_field_name=True, descriptor_pool=pool)
    if not same(json.loads(json_text), expected):
        return "is not what json_format prints"
    if '"[' in json_text:
        return None  # nor does it read repeated extensions
    json_format.Parse(json_text, ours, descriptor_pool=pool)
    if drop_unknown(ours) != drop_unknown(theirs):
        return "parses to another message"
    return None


def main():
    kind, pool = load_type(sys.argv[1], sys.argv[2])
    bad = count = skipped = 0
    for line in open(sys.argv[3], encoding="utf-8"):
        binary, text = line.rstrip("\n").split("\t")
        count += 1
        try:
            problem = judge(kind, pool, binary, text)
        except UnicodeDecodeError:
            skipped += 1  # a string that is not UTF-8: python refuses it
            continue
        except Exception as error:  # the judge's words are the report
            problem = f"{type(error).__name__}: {error}"
        if problem:
            bad += 1
            print(f"{binary}: {problem}")
    print(f"{sys.argv[2]}: {count} compared, {bad} differ, {skipped} skipped")
    sys.exit(1 if bad else 0)


main()
