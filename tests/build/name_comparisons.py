#!/usr/bin/env python3
"""name_comparisons.py SOURCE: no code tells formats or dialects by their names.

What is special about a dialect is a row of src/ir/dialect_facts.c, what is
special about a format a field of its struct tn_format, and one format is told
from another by its address (src/format/registry.h).  A comparison with the text
of a name is found here, and so is a format that is looked up by such a text.
"""
import pathlib
import re
import sys

COMPARE = re.compile(r"\b(strn?(?:case)?cmp|memcmp|tn_bytes_(?:is|equal|"
                     r"starts_with)|tn_text_(?:is|ends_with|starts_with)|"
                     r"starts_with|tn_format_named|tn_find_format)\s*\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# Or a text, in which "//" begins no comment.
COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|\'"\'|/\*.*?\*/|//[^\n]*', re.S)

# The beginnings of families: "paddle-state" and "paddle-pir", "tf-graph".
FAMILIES = {"paddle-", "tf-", "samediff-", "onnx-"}

# Words of a grammar that happen to be called like a format.
ALLOWED = {
    # the first line of rules/paddle_pir.table
    ("src/format/paddle/paddle_pir_rules.c", "paddle-pir"),
}


def names_of(root):
    """Formats and dialects, from where they are declared."""
    names = set()
    for path in (root / "src/format").glob("*/*.c"):
        for row in re.finditer(r"const struct tn_(?:format|dialect) tn_\w+ = "
                               r"\{(.*?)\n\};", path.read_text(), re.S):
            names.update(re.findall(r'\.(?:name|dialect)\s*=\s*"([^"]+)"',
                                    row[1]))
    facts = (root / "src/ir/dialect_facts.c").read_text()
    names.update(re.findall(r'\.name\s*=\s*"([^"]+)"', facts))
    return names


def arguments(text, at):
    """What is between the parenthesis that opens before `at` and its end."""
    depth, end = 1, at
    while depth and end < len(text):
        if text.startswith("'\"'", end):
            end += 3
        elif text[end] == '"':
            end = STRING.match(text, end).end()
        else:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
    return text[at:end]


def blank(match):
    if match[0][0] != "/":
        return match[0]
    return re.sub(r"[^\n]", " ", match[0])


def comparisons(text, names):
    """(line, name) of each comparison with a name."""
    text = COMMENT.sub(blank, text)
    for call in COMPARE.finditer(text):
        for literal in STRING.findall(arguments(text, call.end())):
            if literal in names or literal in FAMILIES:
                yield text.count("\n", 0, call.start()) + 1, literal


def is_product(path):
    return not re.search(r"_(test|fuzz|testing|judge)\.[ch]$", path.name)


def prove(names):
    """The search finds what it is for, and nothing else."""
    found = """
        if (strcmp(model->format, "onnx") == 0)
        if (!strncmp(format->name, "paddle", 6))
        is = tn_bytes_is(file->from,
                         "tensorflow");
        f = tn_format_named("samediff-fb");
        if (tn_bytes_starts_with(format, "tf-"))
    """
    silent = """
        /* strcmp(model->format, "onnx") */
        if (strcmp(name, "onnx.ModelProto") == 0)
        tn_vocab_builtin("onnx"); strcmp(a, b);
    """
    assert [name for _, name in comparisons(found, names)] == [
        "onnx", "paddle", "tensorflow", "samediff-fb", "tf-"], names
    assert not list(comparisons(silent, names))


def main():
    root = pathlib.Path(sys.argv[1])
    names = names_of(root)
    assert len(names) >= 20, names
    prove(names)
    bad = 0
    files = sorted(path for part in ("src", "cli")
                   for path in (root / part).rglob("*.[ch]")
                   if is_product(path))
    for path in files:
        short = str(path.relative_to(root))
        for line, name in comparisons(path.read_text(), names):
            if (short, name) not in ALLOWED:
                print(f'{short}:{line}: compares with the name "{name}"')
                bad += 1
    print(f"{len(files)} files, {len(names)} names, {bad} comparisons")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
