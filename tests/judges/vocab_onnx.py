#!/usr/bin/python3
"""rules/onnx.ops against the schemas that Debian's python3-onnx carries.

    vocab_onnx.py rules/onnx.ops

Every schema of every version must be there and say the same; prints how many
were compared.  Exits 77 when python3-onnx is not installed.
"""
import re
import struct
import sys

try:
    import onnx
    from onnx import defs
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

# Where later releases of ONNX corrected a schema in place.
CORRECTED = {
    ("GridSample", 16): "the grid has a type of its own, the output that of "
                        "the input",
    ("Erf", 13): "later releases say that it takes floats only",
}
NAMES = {"float": "float32", "double": "float64"}


def split_args(text):
    """Commas outside parentheses."""
    parts, depth, word = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(word.strip())
            word = ""
        else:
            word += c
    return parts + [word.strip()] if word.strip() else parts


class Reader:
    """A second reader of the format, with nothing in common with ours."""

    def __init__(self, path):
        self.sets, self.ops = {}, {}
        domain = op = None
        for line in open(path, encoding="utf-8"):
            line = line.rstrip("\n")
            if line.startswith("types "):
                name, members = re.fullmatch(r"types (\w+) = \{(.*)\}",
                                             line).groups()
                self.sets[name] = self.plain(members.split())
            elif line.startswith("domain "):
                domain = line.split()[1]
                domain = "" if domain == "ai.onnx" else domain
            elif line.startswith("op "):
                op = self.head(domain, line)
            elif line.startswith("facts "):
                op = None  # of sizes; schemas have none
            elif op is None:
                continue
            elif line.startswith("    $"):
                name, types = re.fullmatch(r"    \$(\w+) in \{(.*)\}",
                                           line).groups()
                op["variables"][name] = self.types(types.split())
            elif line.startswith("    "):
                m = re.fullmatch(r"    (\w+)(\??) (\S+)(?: = (.*?))?(?: in \{.*\})?", line)
                op["attrs"][m.group(1)] = m.groups()[1:]

    def plain(self, words):
        found = set()
        for word in words:
            found |= self.sets.get(word, {word})
        return found

    def types(self, words):
        found = set()
        for word in words:
            m = re.fullmatch(r"((?:\w+\()*(?:map\(\w+,)?)?(\w+)(\)*)", word)
            front, name, back = m.groups()
            for t in self.plain([name]):
                inner = t if "map(" in front else "tensor(%s)" % t
                found.add(front + inner + back)
        return found

    def head(self, domain, line):
        m = re.fullmatch(r"op (\w+)@(\d+)(?: \((.*)\) -> \((.*?)\))?(.*)", line)
        name, since, ins, outs, flags = m.groups()
        op = {"ins": split_args(ins or ""), "outs": split_args(outs or ""),
              "flags": flags.split(), "variables": {}, "attrs": {}}
        self.ops[domain, name, int(since)] = op
        return op


def type_name(text):
    """As the schemas write it -> as we do."""
    text = text.replace(" ", "")
    return re.sub(r"\b(float|double)\b", lambda m: NAMES[m.group(1)], text)


def check_args(op, key, schema_args, least, most, problems):
    ours = op[key]
    if len(ours) != len(schema_args):
        problems.append("%d %s, not %d" % (len(ours), key, len(schema_args)))
        return
    low, high = 0, len(ours)
    for i, (text, theirs) in enumerate(zip(ours, schema_args)):
        m = re.fullmatch(r"([\w.]+)([?*+]?) (~?)(\$?)([^\s[]+)(?:\[[^]]*\])?", text)
        name, mark, mixed, variable, kind = m.groups()
        option = str(theirs.option).rsplit(".", 1)[-1]
        wanted = {"": "Single", "?": "Optional"}.get(mark, "Variadic")
        if name != theirs.name or option != wanted:
            problems.append("%s: %s %s, not %s %s" % (
                key, name, wanted, theirs.name, option))
        if wanted == "Variadic" and bool(mixed) == theirs.isHomogeneous:
            problems.append("%s: %s mixed or not" % (key, name))
        stated = kind if variable else "tensor(%s)" % kind
        if stated != type_name(theirs.typeStr):
            problems.append("%s: %s is %s, not %s" % (
                key, name, stated, theirs.typeStr))
        low = i + 1 if mark in ("", "+") else i if mark == "*" else low
        high = 2 ** 31 - 1 if mark and mark in "*+" else high
    if (low, high) != (least, most):
        problems.append("%s: from %d to %d, not %d to %d" % (
            key, low, high, least, most))


def default_of(attribute):
    value = attribute.default_value
    if value is None or value.type == 0:
        return None
    return onnx.helper.get_attribute_value(value)


def same_default(kind, text, theirs):
    if text is None or theirs is None:
        return (text is None) == (theirs is None)
    if kind == "float":
        return struct.pack("f", float(text)) == struct.pack("f", theirs)
    if kind == "int":
        return int(text) == theirs
    if kind == "string":
        return text == '"%s"' % theirs.decode()
    items = text.strip("[]").split()
    return items == [('"%s"' % t.decode()) if isinstance(t, bytes) else str(t)
                     for t in theirs]


def check_attrs(op, schema, problems):
    if set(op["attrs"]) != set(schema.attributes):
        problems.append("attributes %s" % (
            set(op["attrs"]) ^ set(schema.attributes)))
        return
    for name, (optional, kind, default) in op["attrs"].items():
        theirs = schema.attributes[name]
        word = str(theirs.type).rsplit(".", 1)[-1].lower()
        word = re.sub(r"^(int|float|string|tensor|graph)s$", r"list(\1)", word)
        if kind != word:
            problems.append("%s is %s, not %s" % (name, kind, word))
        if (not optional and default is None) != theirs.required:
            problems.append("%s: required or not" % name)
        if not same_default(kind, default, default_of(theirs)):
            problems.append("%s = %s, not %s" % (
                name, default, default_of(theirs)))


def check_variables(op, schema, problems):
    for theirs in schema.type_constraints:
        wanted = {type_name(t) for t in theirs.allowed_type_strs}
        ours = op["variables"].get(theirs.type_param_str)
        if ours is None or set(ours) != wanted:
            problems.append("$%s: %s" % (
                theirs.type_param_str, sorted((ours or set()) ^ wanted)))


def compare(vocab, schema):
    op = vocab.ops.get((schema.domain, schema.name, schema.since_version))
    if op is None:
        return ["missing"]
    problems = []
    deprecated = any(f.startswith("deprecated@") for f in op["flags"])
    if deprecated != schema.deprecated:
        problems.append("deprecated or not")
    if not deprecated:
        check_args(op, "ins", schema.inputs, schema.min_input,
                   schema.max_input, problems)
        check_args(op, "outs", schema.outputs, schema.min_output,
                   schema.max_output, problems)
        check_attrs(op, schema, problems)
        check_variables(op, schema, problems)
    return problems


def main():
    vocab = Reader(sys.argv[1])
    schemas = defs.get_all_schemas_with_history()
    newest = {}
    for schema in schemas:
        newest[schema.domain] = max(newest.get(schema.domain, 0),
                                    schema.since_version)
    bad = 0
    for schema in schemas:
        problems = compare(vocab, schema)
        reason = CORRECTED.get((schema.name, schema.since_version))
        if bool(problems) and not reason:
            bad += 1
        for problem in problems:
            print("%s %s@%d: %s%s" % (
                schema.domain or "ai.onnx", schema.name, schema.since_version,
                problem, " (%s)" % reason if reason else ""))
        if reason and not problems:
            bad += 1
            print("%s@%d no longer differs" % (
                schema.name, schema.since_version))
    known = {(s.domain, s.name, s.since_version) for s in schemas}
    for (domain, name, since), op in vocab.ops.items():
        if (since <= newest.get(domain, 0) and "legacy" not in op["flags"]
                and (domain, name, since) not in known):
            bad += 1
            print("%s %s@%d: python3-onnx has no such operator" % (
                domain or "ai.onnx", name, since))
    print("%d schemas of onnx %s compared with %d operators: %d differences "
          "not explained" % (len(schemas), onnx.__version__, len(vocab.ops),
                             bad))
    return 1 if bad or len(schemas) < 400 else 0


sys.exit(main())
