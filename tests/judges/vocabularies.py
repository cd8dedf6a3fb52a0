"""vocabularies.py - what rules/*.ops and rules/*.shapes say of operators

    for name, told in vocabulary("paddle")["pool2d"].attributes.items(): told.default
"""
import collections
import functools
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

# count: "1", "?" or "*"; words: of an enumeration.
Argument = collections.namedtuple("Argument", "name type count")
Attribute = collections.namedtuple("Attribute", "kind default words is_optional")


class Operator:
    """types: element types by variable, attributes by name."""

    def __init__(self, name, inputs):
        self.name, self.inputs = name, inputs
        self.types, self.attributes = {}, {}


def arguments(text):
    for part in filter(None, re.split(r",\s*(?![^(]*\))", text.strip())):
        name, kind = part.split(None, 1)
        is_many = name[-1] in "*+" or "*" in kind
        yield Argument(name.rstrip("?*+"), kind.split("*")[-1].strip("~&"),
                       "*" if is_many else "?" if name.endswith("?") else "1")


def members(text, sets):
    """Element types; nothing around them."""
    return [kind for word in text.split() if "(" not in word
            for kind in sets.get(word, [word])]


def attribute(line):
    """A line of a vocabulary as (name, Attribute)."""
    found = re.match(r"    (\w+)(\??) (\S+)(?: @\S+)?(?: = (.*?))?(?: in \{(.*?)\})?(?: >= \S+)?$",
                     line)
    if not found:
        return None
    return found[1], Attribute(found[3], found[4], found[5],
                               bool(found[2]) or found[4] is not None)


@functools.lru_cache(None)
def vocabulary(dialect, newest=None):
    """Operators of the dialect's own domain, the newest version of each."""
    made, sets, last, is_ours = {}, {}, None, True
    with open(os.path.join(ROOT, f"rules/{dialect}.ops"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        line = line.split("  #")[0].rstrip()
        if named := re.match(r"types (\w+) = \{(.*)\}", line):
            sets[named[1]] = members(named[2], sets)
        elif line.startswith("domain "):
            is_ours = line.split()[1] in ("ai.onnx", '""', dialect)
        elif head := re.match(r"op (\w+)(?:@(\d+))? \((.*?)\) -> ", line):
            last = Operator(head[1], list(arguments(head[3])))
            if is_ours and not (newest and int(head[2]) > newest):
                made[head[1]] = last
        elif line.startswith("op "):
            last = None
        elif last and (told := re.match(r"    \$(\w+) in \{(.*)\}", line)):
            last.types[told[1]] = members(told[2], sets)
        elif last and (told := attribute(line)):
            note(last, *told, sets)
    return made


def note(operator, name, told, sets):
    if told.kind == "type":
        operator.types[name] = members(told.words, sets) if told.words else sets.get("any", [])
        return
    words = re.findall(r'"([^"]*)"', told.words or "")
    operator.attributes[name] = told._replace(words=words)


@functools.lru_cache(None)
def broadcasting(dialect):
    """Operators whose dims follow from those of two arrays."""
    with open(os.path.join(ROOT, f"rules/{dialect}.shapes"), encoding="utf-8") as file:
        return set(re.findall(r"^(\w+)(?:@[\d.]+)?\(\w+, \w+[^)]*\) : .*\bbroadcast\(", file.read(), re.M))


def rules(name):
    with open(os.path.join(ROOT, "rules", name), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(None)
def ruled(name):
    return set(re.findall(r"^([A-Za-z_]\w*)(?:@[\d.]+)?\(", rules(name), re.M))


def default_of(told):
    """The value that a default stands for."""
    if told.kind.startswith("list("):
        inner = told._replace(kind=told.kind[5:-1])
        return [default_of(inner._replace(default=word))
                for word in re.findall(r'"[^"]*"|[^\s\[\]]+', told.default)]
    if told.kind == "string":
        return told.default[1:-1]
    if told.kind == "bool":
        return told.default == "true"
    return {"int": int, "float": float}[told.kind](told.default)
