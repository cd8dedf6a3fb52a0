#!/usr/bin/python3
"""Every nd4j operator that ONNX becomes has a rule from nd4j to ONNX.

    way_back.py SOURCE

And the list at the head of onnx_nd4j.rules names those that it writes.
"""
import os
import re
import sys

# Names that are functions of the language as well as operators.
BOTH = set("range reverse fill size rank floor ceil log exp sqrt abs split all "
           "any round unique cast".split())

# Control flow has a way back of its own, in C.
FLOW = set("switch merge enter exit next_iteration loop_cond".split())


def read(source, name):
    with open(os.path.join(source, "rules", name), encoding="utf-8") as file:
        return file.read()


def code_of(text):
    """Without comments, examples and texts."""
    text = re.sub(r'"[^"\n]*"', '""', re.sub(r"#.*", "", text))
    return re.sub(r"^ *example .*$", "", text, flags=re.M)


def written(text, vocabulary):
    """Operators of nd4j that a file calls, if its own macros are not meant."""
    code = code_of(text)
    macros = set(re.findall(r"^(?:macro|def|table) (\w+)", code, re.M))
    bodies = re.sub(r"^\w+(?:@[\d.]+)?\(", "", code, flags=re.M)
    called = set(re.findall(r"\b([A-Za-z_]\w*)\(", bodies))
    return (called & vocabulary) - macros


def listed(text):
    head = text[:text.index("\ntable ")]
    lines = [line[19:] for line in head.split("\n") if line.startswith("#   ")]
    return set(" ".join(lines).split())


def main(source):
    vocabulary = set(re.findall(r"^op (\S+)", read(source, "nd4j.ops"), re.M))
    back = code_of(read(source, "nd4j_onnx.rules"))
    heads = set(re.findall(r"^(\w+)\(", back, re.M)) | FLOW
    onnx = read(source, "onnx_nd4j.rules")
    heads |= set(re.findall(r"<=>\s+(\w+)\(", code_of(onnx)))
    wrong = []
    own = written(onnx, vocabulary)
    wrong += [f"onnx_nd4j.rules writes {op}, which has no way back"
              for op in sorted(own - heads)]
    wrong += [f"onnx_nd4j.rules writes {op}, which its head does not list"
              for op in sorted(own - listed(onnx) - BOTH)]
    wrong += [f"onnx_nd4j.rules lists {op} and does not write it"
              for op in sorted(listed(onnx) - own)]
    print("\n".join(wrong) or f"{len(own)} operators have a way back")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
