"""causes.py - differences that are not ours, each with its cause

A row: the kind of the fault, the operators of the smallest graph that shows it
(a pattern), a pattern of its words, and the cause.  What no row names is ours
until somebody has found out.
"""
import collections
import fnmatch
import re

Cause = collections.namedtuple("Cause", "kind operators words text")

OPEN = r"is not known|an? open |of open size|over an open size|of (an )?unknown|must be known"

CAUSES = [
    Cause("refused", "*", OPEN,
          "refused: the target needs a size, a rank or a number that the model leaves open"),
    Cause("refused", "ConcatFromSequence", "the rule is for another",
          "refused: nd4j stacks and joins lists along the first axis alone"),
    Cause("refused", "Scan", "there is no rule",
          "refused: results stacked elsewhere than in front, of a rank that nothing tells"),
    Cause("refused", "*", r"cannot be \w+ \[bad-attribute-value\]",
          "refused: a type that TensorFlow's own definition does not allow there"),
    Cause("refused", "*", "the rule is for other arguments",
          "refused: the rules of that operator want other arguments"),
    Cause("engine", "*", "Could not find an implementation for",
          "the engine: no kernel for that type in the opset that another operator needs"),
    # It says so of originals, too, and then they are not run.
    Cause("engine", "*", r"Type Error: Type \(tensor\(float",
          "the engine: the casts that ONNX Runtime itself puts around kernels of float16 do not fit"),
]


def cause_of(kind, operators, why):
    """The text of the cause; None: nobody knows it."""
    for cause in CAUSES:
        match = re.search(cause.words, why)
        if cause.kind == kind and fnmatch.fnmatch(operators, cause.operators) and match:
            return match.expand(cause.text)
    return None
