"""onnx_schemas.py - definitions of ONNX's operators, as rules/onnx.ops has them

    for schema in SCHEMAS["Clip"]: schema.since, schema.inputs, schema.types
"""
import collections
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(HERE, "..", "..", "rules")

# count: "1", "?" (may be left out), "*" or "+" (any number)
Argument = collections.namedtuple("Argument", "name type count")


class Schema:
    """One version of an operator; types: {"T": names of element types}."""

    def __init__(self, name, since, inputs, outputs):
        self.name, self.since = name, since
        self.inputs, self.outputs = inputs, outputs
        self.types, self.attributes, self.needed = {}, set(), set()

    def input(self, index):
        """The argument that input `index` is one of; None: too many."""
        if index < len(self.inputs):
            return self.inputs[index]
        is_open = self.inputs and self.inputs[-1].count in "*+"
        return self.inputs[-1] if is_open else None

    def output(self, index):
        return self.outputs[min(index, len(self.outputs) - 1)]


def arguments(text):
    """'X $T, B? $T': of types in brackets only the first word counts."""
    found = []
    for part in re.split(r",\s*(?![^(]*\))", text.strip()):
        if part:
            name, kind = re.sub(r"\[.*", "", part).split(None, 1)
            count = name[-1] if name[-1] in "?*+" else "1"
            found.append(Argument(name.rstrip("?*+"), kind.strip("~$ "), count))
    return found


def expanded(text, sets):
    """The element types of '{floats int32 seq(floats)}'; no sequences."""
    found = []
    for word in text.split():
        if "(" not in word:
            found += sets.get(word, [word])
    return found


def schemas():
    """{operator: its versions, oldest first}"""
    found, sets, domain, last = {}, {}, None, None
    with open(os.path.join(RULES, "onnx.ops"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        if match := re.match(r"types (\w+) = \{(.*)\}", line):
            sets[match[1]] = expanded(match[2], sets)
        elif line.startswith("domain "):
            domain, last = line.split()[1], None
        elif match := re.match(r"op (\w+)@(\d+) \((.*)\) -> \((.*?)\)( \S.*)?$",
                               line):
            last = None
            if domain == "ai.onnx":
                last = Schema(match[1], int(match[2]), arguments(match[3]),
                              arguments(match[4]))
                found.setdefault(match[1], []).append(last)
        elif line.startswith("op "):
            last = None
        elif last and (match := re.match(r"    \$(\w+) in \{(.*)\}", line)):
            last.types[match[1]] = expanded(match[2], sets)
        elif last and (match := re.match(r"    (\w+)(\??) \S+( =)?", line)):
            last.attributes.add(match[1])
            if not match[2] and not match[3]:
                last.needed.add(match[1])
    return found


SCHEMAS = schemas()


def ruled(*files):
    """Operators that a file of rules takes."""
    found = set()
    for name in files:
        with open(os.path.join(RULES, name), encoding="utf-8") as file:
            found |= set(re.findall(r"^([A-Z]\w*)(?:@[\d.]+)?\(", file.read(),
                                    re.M))
    return found
