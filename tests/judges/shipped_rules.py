"""shipped_rules.py - Deeplearning4j's own rules held against ours

Both give a call of an nd4j op: its name, its inputs, and lists of arguments in
the order that kernels get them.  They must be equal: the same op, the same
inputs, and in each list the same number of the same values.  Where ours differs
because the shipped mapper is wrong, docs/nd4j-corrections.md says so in the table
under DIFFERENCES; every other difference is an error, and so is a row of that
table that explains nothing.
"""
import collections
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
CORRECTIONS = os.path.join(HERE, "..", "..", "docs", "nd4j-corrections.md")
DIFFERENCES = "## Where our rules differ from the shipped ones on purpose"

# Numbers of types: those of rules, and those of files.
TYPES = {1: 5, 2: 11, 3: 7, 4: 12, 5: 8, 6: 9, 7: 10, 8: 50, 9: 1, 10: 3, 11: 6,
         12: 13, 13: 14, 16: 17}
LISTS = "itbds"

# What a mapper makes of a node, and what we wrote for it.
Shipped = collections.namedtuple("Shipped", "op inputs lists")
Difference = collections.namedtuple("Difference", "slot ours theirs")


def value_of(kind, text):
    if kind == "t":
        return float(text)
    if kind == "s":
        return text
    return TYPES[int(text)] if kind == "d" else int(text)


def read_shipped(op, lines):
    """Of the lines of one descriptor; see tests/tools/print_descriptor.h."""
    inputs, lists = [], {kind: [] for kind in LISTS}
    for kind, _, _, text in lines:
        if kind == "x":
            inputs.append(text or None)
        else:
            lists[kind].append(value_of(kind, text))
    return Shipped(op, inputs, lists)


def interpret(tool, shared, rules, text, head):
    """Rows of `head` words, each with the Shipped that follows it."""
    files = [os.path.join(shared, "data/import", name) for name in
             ("nd4j-op-def.pbtxt", rules)]
    done = subprocess.run([tool, *files], input=text, text=True, check=True,
                          stdout=subprocess.PIPE)
    rows = []
    for line in done.stdout.splitlines():
        words = line.split("\t")
        if len(words) == head:
            rows.append((words, []))
        else:
            rows[-1][1].append(words)
    return [(words, read_shipped(words[-2], lines)) for words, lines in rows]


def lists_of(node):
    """Kernels with a number have axes and an operand of their own in a file;
    as descriptors they are integers and reals."""
    lists = {"i": list(node.iargs), "t": list(node.targs),
             "b": [int(flag) for flag in node.bargs], "d": list(node.dargs),
             "s": list(node.sargs)}
    if node.type not in ("CUSTOM", "LOGIC"):
        lists["i"] += list(node.dims)
        if node.scalar is not None:
            lists["t"].insert(0, float(node.scalar.reshape(-1)[0]))
    return lists


def same_value(kind, ours, theirs):
    if kind == "t" and None not in (ours, theirs):
        return abs(ours - theirs) <= 1e-6 * max(1, abs(theirs))
    return ours == theirs


def same_inputs(ours, theirs, same_name):
    return len(ours) == len(theirs) and all(
        b is None or same_name(a, b) for a, b in zip(ours, theirs))


def differences(node, theirs, same_name):
    """All of one node, first that of the op: then nothing else counts."""
    if node.op != theirs.op:
        return [Difference("op", node.op, theirs.op)]
    found = []
    if not same_inputs(node.inputs, theirs.inputs, same_name):
        found.append(Difference("in", node.inputs, theirs.inputs))
    ours = lists_of(node)
    for kind in LISTS:
        left, right = ours[kind], theirs.lists[kind]
        for at in range(max(len(left), len(right))):
            a = left[at] if at < len(left) else None
            b = right[at] if at < len(right) else None
            if not same_value(kind, a, b):
                found.append(Difference(f"{kind}{at}", a, b))
    return found


class Corrections:
    """The rows of one framework in the table of differences."""

    def __init__(self, framework):
        with open(CORRECTIONS, encoding="utf-8") as file:
            part = file.read().split(DIFFERENCES)[1].split("\n## ")[0]
        self.rows, self.used = {}, set()
        for line in part.splitlines():
            words = [word.strip() for word in line.strip("|").split("|")]
            if len(words) == 6 and words[0] == framework:
                for op_type in words[1].split():
                    for slot in words[2].split():
                        self.rows[op_type, slot] = line

    def explains(self, op_type, difference):
        kind = re.sub(r"\d+$", "", difference.slot)
        for slot in (difference.slot, kind):
            if (op_type, slot) in self.rows:
                self.used.add((op_type, slot))
                return True
        return False

    def judge(self, op_type, found):
        """(word, why) for the differences of a node."""
        if not found:
            return "same", ""
        left = [d for d in found if not self.explains(op_type, d)]
        if left:
            d = left[0]
            return "differs", f"{d.slot}: ours {d.ours}, theirs {d.theirs}"
        return "corrected", " ".join(d.slot for d in found)

    def idle(self, used):
        """What explained nothing, as lines."""
        return [f"docs/nd4j-corrections.md: {op_type} {slot}: nothing differs"
                " there any more"
                for op_type, slot in sorted(set(self.rows) - used)]


def report(rows, complaints, is_verbose):
    """Exit code; rows are (test, op type, word, why)."""
    counts = collections.Counter(row[2] for row in rows)
    print("descriptors of", len(rows), "nodes:", dict(counts))
    for row in rows:
        if row[2] == "differs" or is_verbose:
            print("| " + " | ".join(row) + " |")
    for line in complaints:
        print(line)
    return 1 if counts["differs"] or complaints or not counts["same"] else 0
