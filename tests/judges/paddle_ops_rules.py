#!/usr/bin/python3
"""paddle_ops_rules.py TENON SHARED: no operator is lost on the way to PIR

Every operator of the table of operators is put into a program of its own, with
the slots that the table names, and goes to .json and back.  It must come back
with its type, slots and attributes.  One that Paddle 3 has must go there under
its own name there; the others are listed here, with the reason.
"""
import os
import re
import subprocess
import sys
import tempfile

TENON, SHARED = map(os.path.realpath, sys.argv[1:3])
TABLE = os.path.join(SHARED, "formats/paddle-ops.md")

# Paddle 3 has no such operator: kept as legacy.NAME, which comes back.
ABSENT = """anchor_generator gap generate_proposals lod_reset lookup_table
multiclass_nms sequence_expand sequence_softmax""".split()
# Operators with blocks, and what chooses between their results.
FLOW = "conditional_block select_input while".split()
# Not of a ProgramDesc.
OTHERS = ["full_int_array"]

# What the short table does not say.
SLOTS = {
    "meshgrid": "X* → Out*",
    "roi_align": "X, ROIs → Out",
    "sequence_conv": "X, Filter → Out",
    "sequence_expand": "X, Y → Out",
    "top_k_v2": "X → Out, Indices",
    "top_k": "X → Out, Indices",
    "deformable_conv": "Input, Offset, Filter, Mask → Output",
    "read_from_array": "X, I → Out",
    "tensor_array_to_tensor": "X → Out, OutIndex",
    "conv3d": "Input, Filter → Output",
    "grid_sampler": "X, Grid → Output",
    "box_clip": "Input, ImInfo → Output",
    "collect_fpn_proposals": "MultiLevelRois*, MultiLevelScores* → FpnRois",
    "distribute_fpn_proposals": "FpnRois → MultiFpnRois*, RestoreIndex",
    "matrix_nms": "BBoxes, Scores → Out, Index",
    "crf_decoding": "Emission, Transition → ViterbiPath",
    "gru_unit": "Input, HiddenPrev, Weight → Gate, ResetHiddenPrev, Hidden",
    "quantize_linear": "X, Scale, ZeroPoint → Y",
    "dequantize_linear": "X, Scale, ZeroPoint → Y",
    "prelu": "X, Alpha → Out",
    "depthwise_conv2d": "Input, Filter → Output",
    "nearest_interp": "X → Out",
    "bilinear_interp": "X → Out",
    "bilinear_interp_v2": "X → Out",
}

# Attributes without which an operator says nothing.
ATTRS = {
    "flatten2": [("axis", "INT", "i: 1")],
    "pool2d": [("pooling_type", "STRING", 's: "max"'),
               ("ksize", "INTS", "ints: 2 ints: 2")],
    "split": [("num", "INT", "i: 2")],
    "cast": [("in_dtype", "INT", "i: 5"), ("out_dtype", "INT", "i: 3")],
    "fill_constant": [("shape", "LONGS", "longs: 2"), ("dtype", "INT", "i: 5"),
                      ("value", "FLOAT", "f: 0.5"),
                      ("str_value", "STRING", 's: "0.5"')],
    "fill_constant_batch_size_like":
        [("shape", "INTS", "ints: -1 ints: 2"), ("dtype", "INT", "i: 5"),
         ("value", "FLOAT", "f: 0.5"), ("str_value", "STRING", 's: "0.5"')],
    "assign_value": [("shape", "INTS", "ints: 2"), ("dtype", "INT", "i: 5"),
                     ("fp32_values", "FLOATS", "floats: 1 floats: 2")],
    "reverse": [("axis", "INTS", "ints: 0")],
    "expand": [("expand_times", "INTS", "ints: 2")],
    "expand_v2": [("shape", "INTS", "ints: 2")],
    "reshape2": [("shape", "INTS", "ints: -1")],
    "transpose2": [("axis", "INTS", "ints: 1 ints: 0")],
    "slice": [("axes", "INTS", "ints: 0"), ("starts", "INTS", "ints: 0"),
              ("ends", "INTS", "ints: 1")],
    "sequence_conv": [("contextLength", "INT", "i: 3")],
    "im2sequence": [("kernels", "INTS", "ints: 2 ints: 2")],
    "pad": [("paddings", "INTS", "ints: 0 ints: 1")],
    "pad3d": [("paddings", "INTS", "ints: 0 ints: 1")],
}


def names_of_table():
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("## Top 80"):text.index("## Interpolation")]
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|") or cells[0] in ("#", "---", "op [PIR]"):
            continue
        is_top = cells[0].isdigit()
        words = re.sub(r"\[[^]]*\]|\([^)]*\)", "", cells[1 if is_top else 0])
        for name in filter(None, map(str.strip, re.split("[,/]", words))):
            rows[name] = cells[2] if is_top and "→" in cells[2] else None
    return rows


def slots_of(name, told):
    told = SLOTS.get(name) or told or "X → Out"
    told = re.sub(r"\([^)]*\)|…\S*", "", told)
    return [[slot.strip() for slot in side.split(",")
             if slot.strip() and "?" not in slot] for side in told.split("→")]


def variable(name):
    return (f'vars {{ name: "{name}" type {{ type: LOD_TENSOR lod_tensor {{ '
            "tensor { data_type: FP32 dims: 2 dims: 2 } } } }\n")


class Program:
    """All operators in one program, each between its own feeds and fetches."""

    def __init__(self):
        self.variables, self.ops, self.ends = "", "", {"feed": 0, "fetch": 0}

    def end(self, kind, name):
        self.variables += variable(name)
        outer, inner = ("X", "Out") if kind == "feed" else ("Out", "X")
        ends = [f'{{ parameter: "{outer}" arguments: "{kind}" }}',
                f'{{ parameter: "{inner}" arguments: "{name}" }}']
        if kind == "fetch":
            ends.reverse()
        col = self.ends[kind]
        self.ends[kind] += 1
        return (f'ops {{ inputs {ends[0]} outputs {ends[1]} type: "{kind}" '
                f'attrs {{ name: "col" type: INT i: {col} }} }}\n')

    def add(self, name, told):
        before, op, behind = "", "", ""
        for side, slots in zip(("inputs", "outputs"), slots_of(name, told)):
            for slot in slots:
                plain = slot.strip("*")
                values = [f"{name}.{plain}.{side}.{i}"
                          for i in range(2 if "*" in slot else 1)]
                op += f'{side} {{ parameter: "{plain}" ' + "".join(
                    f'arguments: "{value}" ' for value in values) + "}\n"
                for value in values:
                    if side == "inputs":
                        before += self.end("feed", value)
                    else:
                        behind += self.end("fetch", value)
        for attr, kind, value in ATTRS.get(name, []):
            op += f'attrs {{ name: "{attr}" type: {kind} {value} }}\n'
        self.ops += before + f'ops {{ {op} type: "{name}" }}\n' + behind

    def text(self):
        return ("blocks { idx: 0 parent_idx: -1\n" + self.variables + self.ops +
                "}\n")


def ops_of(text):
    """Type, slots without arguments' names, and attributes that were told."""
    found = []
    for op in re.findall(r"^  ops \{\n(.*?)^  \}", text, re.M | re.S):
        kind = re.search(r'^    type: "([^"]*)"', op, re.M).group(1)
        if kind in ("feed", "fetch"):
            continue
        slots = {side: {slot: body.count("arguments:") for slot, body in re.findall(
            side + r' \{\n      parameter: "([^"]*)"\n(.*?)    \}', op, re.S)}
                 for side in ("inputs", "outputs")}
        attrs = {attr: " ".join(body.split()) for attr, body in re.findall(
            r'attrs \{\n      name: "([^"]*)"\n(.*?)    \}', op, re.S)}
        found.append((kind, slots, attrs))
    return found


def tenon(*arguments):
    return subprocess.run([TENON, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def survives(was, now):
    (kind, slots, attrs), (kind2, slots2, attrs2) = was, now
    return kind == kind2 and all(
        slots2[side].get(slot) == count
        for side in slots for slot, count in slots[side].items()) and all(
            attrs2.get(attr) == value for attr, value in attrs.items())


def judge(rows):
    program = Program()
    for name, told in rows:
        program.add(name, told)
    with open("a.pdmodel.txt", "w", encoding="utf-8") as out:
        out.write(program.text())
    for source, target in ("a.pdmodel.txt", "a.json"), ("a.json", "b.pdmodel.txt"):
        run = tenon("convert", "--force-invalid", source, "-o", target)
        if run.returncode:
            return [run.stderr.strip()]
    with open("a.json", encoding="utf-8") as file:
        json = file.read()
    faults = [f"{name}: is there a rule?" for name, _ in rows
              if (f'"legacy.{name}"' in json) != (name in ABSENT)]
    was, now = (ops_of(tenon("dump", file).stdout)
                for file in ("a.pdmodel.txt", "b.pdmodel.txt"))
    if not len(rows) == len(was) == len(now):
        return faults + [f"{len(was)} operators came back as {len(now)}"]
    return faults + [f"{a} came back as {b}" for a, b in zip(was, now)
                     if not survives(a, b)]


def main():
    if not os.path.exists(TABLE):
        print("skipped: wants real models")
        return 77
    rows = [row for row in sorted(names_of_table().items())
            if row[0] not in FLOW + OTHERS]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        faults = judge(rows)
    print("\n".join(faults + [f"{len(rows)} operators, {len(faults)} faults"]))
    return 1 if faults or len(rows) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
