"""causes.py - differences that are not ours, each with its cause

A row: the kind of the fault, the operators of the smallest graph that shows it
(a pattern), a pattern of its words, and the cause.  What no row names is ours
until somebody has found out.
"""
import collections
import fnmatch
import re

Cause = collections.namedtuple("Cause", "kind operators words text")

CAUSES = [
    Cause("refused", "*", r"no rule carries \w+ from onnx to nd4j: .*: (.*)",
          r"refused: \1"),
]


def cause_of(kind, operators, why):
    """The text of the cause; None: nobody knows it."""
    for cause in CAUSES:
        match = re.search(cause.words, why)
        if cause.kind == kind and fnmatch.fnmatch(operators, cause.operators) and match:
            return match.expand(cause.text)
    return None
