"""bare_nodes.py - the least that a node of each operator can say, as protobuf text

    for op, text in bare_nodes("onnx", {"Relu", "Add"}).items(): ...

A NodeProto, NodeDef or OpDesc with the inputs and outputs that the operator must
have, called as rules/*.ops calls them, and with the attributes that have no
default.  Attributes of TensorFlow that only tell types of inputs or how many
there are of them are left out as well.  Nothing tells a type, rank or shape.
"""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")

# Values that cannot be made up from the kind of an attribute: of any operator, or
# of one.
VALUES = {
    "to": 1, "equation": "ij,jk->ik", "padding": "SAME",
    "kernel_shape": [2, 2], "axis": 0, "strides": [1, 1, 1, 1],
    "ksize": [1, 2, 2, 1], "block_size": 2, "blocksize": 2, "num_split": 2,
    "rates": [1, 1, 1, 1], "ksizes": [1, 2, 2, 1], "N": 2,
}
CUBES = {"ksize": [1, 2, 2, 2, 1], "strides": [1] * 5}
SQUARES, LIST = {"ksize": [2, 2]}, {"axis": [0, 1]}
SPECIAL = {
    "BitShift": {"direction": "LEFT"}, "RoiAlign": {"sampling_ratio": 2},
    "TfIdfVectorizer": {"max_gram_length": 1, "max_skip_count": 0, "min_gram_length": 1,
                        "mode": "TF", "ngram_counts": [0], "ngram_indexes": [0, 1],
                        "pool_int64s": [1, 2]},
    **dict.fromkeys(["AvgPool3D", "MaxPool3D", "Conv3D", "Conv3DBackpropInputV2"], CUBES),
    "assign_value": {"shape": [2], "dtype": 5, "fp32_values": [1.0, 2.0]},
    "fill": {"value": [1.0, 2.0], "shape": [2]},
    "pad3d": {"paddings": [1] * 6}, "pool3d": {"ksize": [2, 2, 2]},
    "max_pool3d_with_index": {"ksize": [2, 2, 2]},
    **dict.fromkeys(["pool2d", "max_pool2d_with_index", "unpool"], SQUARES),
    **dict.fromkeys(["flip", "reverse", "transpose", "transpose2"], LIST),
    **dict.fromkeys(["fused_elemwise_activation", "fused_elemwise_add_activation"],
                    {"functor_list": ["relu", "elementwise_add"]}),
    **dict.fromkeys(["dropout", "rrelu", "batch_norm", "sync_batch_norm",
                     "fake_quantize_moving_average_abs_max", "fake_quantize_range_abs_max"],
                    {"is_test": True}),
    "expand_as_v2": {"target_shape": [2, 3]}, "roi_align": {"sampling_ratio": 2},
    "_FusedBatchNormEx": {"is_training": False},
}
# Inputs that a definition leaves open, and without which the node means nothing.
NEEDED = {
    "NonMaxSuppression": ["max_output_boxes_per_class"], "Optional": ["input"],
    "STFT": ["frame_length"], "batch_norm": ["Scale", "Bias"],
    "sync_batch_norm": ["Scale", "Bias"], "Resize": ["scales"],
    "roi_align": ["RoisNum"], "fusion_repeated_fc_relu": ["Bias"],
    "fused_embedding_eltwise_layernorm": ["Embs"], "rnn": ["WeightList"],
}
# How many of a list: two, as a rule.
COUNTS = {"PreState": 1, "WeightList": 4, "side_input": 0}


class Definition:
    """inputs: (name, count); attributes: name to (kind, words), those without a
    default; told: of TensorFlow, what inputs tell."""

    def __init__(self, domain, name, inputs, outputs):
        self.domain, self.name = domain, name
        self.inputs, self.outputs = inputs, outputs
        self.attributes, self.told = {}, set()


def arguments(text):
    """(name, is it needed, what it is), of "X $T[r], B? $T"."""
    for part in filter(None, re.split(r",\s*(?![^(\[]*[)\]])", text.strip())):
        name, kind = part.split(None, 1)
        yield name.rstrip("?*+"), name[-1] not in "?*", kind


def definitions(dialect):
    """The newest of each operator, by domain and name."""
    found, domain, last = {}, "", None
    with open(os.path.join(ROOT, f"rules/{dialect}.ops"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            line = line.split("  #")[0].rstrip()
            if line.startswith("domain "):
                domain = line.split()[1].strip('"')
                domain = "" if domain in ("ai.onnx", "paddle") else domain
            elif head := re.match(r"op (\S+?)(?:@\d+)? \((.*?)\) -> \((.*?)\)", line):
                last = Definition(domain, head[1], list(arguments(head[2])),
                                  list(arguments(head[3])))
                last.told = {word for _, _, kind in last.inputs for word in
                             re.findall(r"\w+(?=\*)|(?<=\$)\w+|(?<=\*)\w+", kind)}
                found[domain, head[1]] = last
            elif line.startswith(("op ", "facts ")):
                last = None
            elif last and (told := re.match(r"    (\w+)(\??) (\S+)(.*)", line)):
                is_needed = not told[2] and " = " not in told[4] and told[1] not in last.told
                if is_needed or told[1] in SPECIAL.get(last.name, ()):
                    last.attributes[told[1]] = told[3], re.findall(r'"([^"]*)"', told[4])
    return found


def made_up(op, name, kind, words):
    if name in SPECIAL.get(op.name, ()):
        return SPECIAL[op.name][name]
    if words:
        return words[0]
    if name in VALUES:
        return VALUES[name]
    one = {"int": 1, "float": 1.0, "string": "a", "bool": True, "type": "DT_FLOAT"}
    if kind.startswith("list("):
        return [one[kind[5:-1]]] * 2
    return one[kind]


def inputs_of(op):
    """(argument, name) of each input."""
    for name, is_needed, kind in op.inputs:
        if is_needed or name in NEEDED.get(op.name, ()) or op.name in BODIES:
            is_list = "*" in kind or name in COUNTS or not is_needed and name in ("Embs", "Bias") \
                and op.name not in ("batch_norm", "sync_batch_norm")
            count = COUNTS.get(name, 2 if is_list or op.name.lower() == "einsum" else 1)
            yield from ((name, f"{name}{at}" if count > 1 else name) for at in range(count))


def literal(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if str(value).startswith("DT_") else \
        f'"{value}"' if isinstance(value, str) else repr(value)


def quoted(name):
    return f'"{name}"'


# --- the three kinds of node ----------------------------------------------------------

def onnx_attribute(name, kind, value):
    if kind == "graph":
        return f'attribute {{ name: "{name}" type: GRAPH g {{ {GRAPHS[name]} }} }}'
    if kind == "tensor":
        return (f'attribute {{ name: "{name}" type: TENSOR t {{ dims: 1 data_type: 1 '
                'float_data: 1 } }')
    field, number = {"int": ("i", "INT"), "float": ("f", "FLOAT"),
                     "string": ("s", "STRING")}[kind.removeprefix("list(").rstrip(")")]
    if isinstance(value, list):
        field, number = {"i": "ints", "f": "floats", "s": "strings"}[field], number + "S"
    values = value if isinstance(value, list) else [value]
    return (f'attribute {{ name: "{name}" type: {number} '
            + " ".join(f"{field}: {literal(one)}" for one in values) + " }")


def info(name, kind, rank0=True):
    return (f'{{ name: "{name}" type {{ tensor_type {{ elem_type: {kind} '
            + ("shape { } " if rank0 else "") + "} } }")


GRAPHS = {
    "then_branch": 'name: "t" node { op_type: "Identity" input: "cond" output: "t" } '
                   'output { name: "t" }',
    "else_branch": 'name: "e" node { op_type: "Not" input: "cond" output: "e" } '
                   'output { name: "e" }',
}
BODIES = {
    "Loop": 'name: "b" node { op_type: "Identity" input: "c" output: "d" } '
            'node { op_type: "Neg" input: "v" output: "w" } '
            f'input {info("i", 7)} input {info("c", 9)} input {info("v", 1, False)} '
            f'output {info("d", 9)} output {info("w", 1, False)}',
    "Scan": 'name: "b" node { op_type: "Neg" input: "v" output: "w" } '
            f'input {info("v", 1, False)} output {info("w", 1, False)}',
}


def onnx_node(op):
    parts = [f'op_type: "{op.name}"'] + [f'domain: "{op.domain}"'] * bool(op.domain)
    last = max((at for at, (name, is_needed, _) in enumerate(op.inputs)
                if is_needed or name in NEEDED.get(op.name, ())), default=-1)
    given = list(inputs_of(op))
    for name, _, _ in op.inputs[:last + 1]:
        parts += [f'input: "{one}"' for argument, one in given if argument == name] or \
            ['input: ""']
    parts += [f'output: "{name}_"' for name, is_needed, _ in op.outputs
              if is_needed or op.name in ("Loop", "Scan")]
    for name, (kind, words) in op.attributes.items():
        if name == "body":
            GRAPHS["body"] = BODIES[op.name]
        parts.append(onnx_attribute(name, kind, None if kind in ("graph", "tensor")
                                    else made_up(op, name, kind, words)))
    return " ".join(parts)


def tensorflow_value(kind, value):
    inner = kind.removeprefix("list(").rstrip(")")
    field = {"int": "i", "float": "f", "string": "s", "bool": "b", "type": "type"}[inner]
    if isinstance(value, list):
        return "list { " + " ".join(f"{field}: {literal(one)}" for one in value) + " }"
    return f"{field}: {literal(value)}"


def tensorflow_node(op):
    parts = [f'name: "r" op: "{op.name}"']
    parts += [f'input: "{name}"' for _, name in inputs_of(op)]
    for name, (kind, words) in op.attributes.items():
        if kind in ("func", "list(func)", "shape", "list(shape)", "tensor", "list(type)"):
            continue
        value = tensorflow_value(kind, made_up(op, name, kind, words))
        parts.append(f'attr {{ key: "{name}" value {{ {value} }} }}')
    return " ".join(parts)


def paddle_attribute(name, kind, value):
    inner = kind.removeprefix("list(").rstrip(")")
    field, number = {"int": ("i", "INT"), "float": ("f", "FLOAT"), "bool": ("b", "BOOLEAN"),
                     "string": ("s", "STRING")}[inner]
    if isinstance(value, list):
        field, number = {"i": "ints", "f": "floats", "b": "bools",
                         "s": "strings"}[field], number + "S"
    values = value if isinstance(value, list) else [value]
    return (f'attrs {{ name: "{name}" type: {number} '
            + " ".join(f"{field}: {literal(one)}" for one in values) + " }")


def paddle_node(op):
    parts = [f'type: "{op.name}"']
    given = list(inputs_of(op))
    for slot in dict.fromkeys(slot for slot, _ in given):
        names = " ".join(f'arguments: "{name.lower()}"' for one, name in given if one == slot)
        parts.append(f'inputs {{ parameter: "{slot}" {names} }}')
    parts += [f'outputs {{ parameter: "{name}" arguments: "{name.lower()}_" }}'
              for name, is_needed, _ in op.outputs if is_needed]
    parts += [paddle_attribute(name, kind, made_up(op, name, kind, words))
              for name, (kind, words) in op.attributes.items()]
    return " ".join(parts)


NODES = {"onnx": onnx_node, "tensorflow": tensorflow_node, "paddle": paddle_node}


def bare_nodes(dialect, operators):
    """{operator: text}"""
    return {name: NODES[dialect](op) for (_, name), op in definitions(dialect).items()
            if name in operators}
