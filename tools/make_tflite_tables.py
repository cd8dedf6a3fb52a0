#!/usr/bin/env python3
"""Writes src/format/tflite/tfl_tables.c: what operators of TFLite have as options.

Reads schemas/tflite.fbs.  The schema does not say which table of options belongs
to which operator; mostly the names do, and OPTIONS lists the others.

    tools/make_tflite_tables.py > src/format/tflite/tfl_tables.c
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Operators whose table has another name; "": no table at all.
OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2D", "MAX_POOL_2D": "Pool2D", "L2_POOL_2D": "Pool2D",
    "L2_NORMALIZATION": "L2Norm", "CONCATENATION": "Concatenation",
    "MEAN": "Reducer", "SUM": "Reducer", "REDUCE_PROD": "Reducer",
    "REDUCE_MAX": "Reducer", "REDUCE_MIN": "Reducer", "REDUCE_ANY": "Reducer",
    "REDUCE_ALL": "Reducer", "MAXIMUM": "MaximumMinimum",
    "MINIMUM": "MaximumMinimum", "CONV_3D_TRANSPOSE": "Conv3D",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNN",
    "RANDOM_STANDARD_NORMAL": "Random", "RANDOM_UNIFORM": "Random",
    "MULTINOMIAL": "Random", "STABLEHLO_COMPOSITE": "StableHLOComposite",
    "RELU_0_TO_1": "", "PLACEHOLDER_FOR_GREATER_OP_CODES": "",
}
# Fields that nothing reads any more are no attributes.
UNUSED = {"ResizeBilinearOptions": ("new_height", "new_width")}
SCALARS = {"bool": "BOOL", "byte": "I8", "int": "I32", "uint": "U32",
           "long": "I64", "float": "F32"}
VECTORS = {"int": "I32S", "long": "I64S", "float": "F32S", "bool": "BOOLS",
           "ubyte": "BYTES"}


def read_schema():
    text = open(os.path.join(ROOT, "schemas/tflite.fbs")).read()
    text = re.sub(r"//[^\n]*", "", text)
    enums, unions, tables = {}, {}, {}
    for kind, name, base, body in re.findall(
            r"(enum|union|table)\s+(\w+)\s*(?::\s*(\w+)\s*)?\{([^}]*)\}", text):
        if kind == "table":
            tables[name] = [read_field(f, UNUSED.get(name, ()))
                            for f in body.split(";") if f.strip()]
        else:
            words = [w.strip() for w in body.split(",")]
            if kind == "union":
                unions[name] = words
            else:
                enums[name] = (base, [(w.split("=")[0].strip(),
                                       int(w.split("=")[1])) for w in words])
    return enums, unions, tables


def read_field(text, unused):
    found = re.match(r"\s*(\w+)\s*:\s*(\[?\w+\]?)\s*(?:=\s*(\S+))?\s*(\(.*\))?",
                     text)
    name, kind, default, _ = found.groups()
    return name, kind, default, name in unused


def field_row(slot, field, enums):
    name, kind, default, _ = field
    is_list = kind.startswith("[")
    base = kind.strip("[]")
    names = "0"
    whole = real = "0"
    if base == "TensorType":
        word = "TYPE"
        whole = str(dict(enums[base][1])[default]) if default else "0"
    elif base in enums:
        word = "ENUMS" if is_list else "ENUM"
        names = "TN_TFL_" + base
        whole = str(dict(enums[base][1])[default]) if default else "0"
    elif name.endswith("subgraph_index") or name == "subgraph":
        word = "SUBGRAPH"
    elif name in ("branch_subgraph_indices", "called_computations"):
        word = "SUBGRAPHS"
    elif base == "string":
        word = "STRING"
    elif is_list:
        word = VECTORS[base]
    else:
        word = SCALARS[base]
        whole = {"true": "1", "false": "0", None: "0"}.get(default, default)
    return '    { "%s", %d, TN_TFL_%s, %s, %s },' % (name, slot, word, names,
                                                     whole)


def main():
    enums, unions, tables = read_schema()
    used = [e for e in enums if e not in ("TensorType", "BuiltinOperator",
                                          "DimensionType",
                                          "CustomOptionsFormat")]
    used.append("CustomOptionsFormat")
    out = ["/*",
           " * tfl_tables.c - operators of TFLite and their options",
           " *",
           " * Made by tools/make_tflite_tables.py from schemas/tflite.fbs.",
           " */",
           '#include "format/tflite/tfl_tables.h"', "",
           "/* ---- enumerations -------------------------------------------"
           "------------ */", ""]
    out.append("enum {\n    TN_TFL_NO_NAMES,")
    out += ["    TN_TFL_%s," % e for e in used]
    out.append("};\n")
    for e in used:
        assert [v for _, v in enums[e][1]] == list(range(len(enums[e][1]))), e
        out.append("static const char *const names_%s[] = {" % e)
        out += ['    "%s",' % n for n, _ in enums[e][1]]
        out.append("};\n")
    out.append("const struct tn_tfl_names tn_tfl_names[] = {\n    { NULL, 0, 0 },")
    sizes = {"byte": 1, "int": 4, "uint": 4}
    out += ["    { names_%s, %d, %d }," % (e, len(enums[e][1]),
                                          sizes[enums[e][0]]) for e in used]
    out.append("};\n")
    out.append("/* ---- tables of options ------------------------------------"
               "-------------- */\n")
    members = [(1, i + 1, t) for i, t in enumerate(unions["BuiltinOptions"])]
    members += [(2, i + 1, t) for i, t in enumerate(unions["BuiltinOptions2"])]
    for _, _, table in members:
        fields = [(i, f) for i, f in enumerate(tables[table]) if not f[3]]
        if fields:
            out.append("static const struct tn_tfl_field fields_%s[] = {" % table)
            out += [field_row(i, f, enums) for i, f in fields]
            out.append("};\n")
    out.append("/* The first is that of operators without options. */")
    out.append("const struct tn_tfl_options tn_tfl_options[] = {")
    out.append('    { "", 0, 0, 0, NULL },')
    for which, tag, table in members:
        count = sum(not f[3] for f in tables[table])
        out.append('    { "%s", %d, %d, %d, %s },' %
                   (table, which, tag, count,
                    "fields_" + table if count else "NULL"))
    out.append("};\n")
    out.append("const uint32_t tn_tfl_options_count =\n"
               "    sizeof tn_tfl_options / sizeof *tn_tfl_options;\n")
    out.append("/* ---- operators ---------------------------------------------"
               "------------- */\n")
    by_name = {t[:-len("Options")].lower(): i + 1
               for i, (_, _, t) in enumerate(members)}
    out.append("const struct tn_tfl_builtin tn_tfl_builtins[] = {")
    ops = enums["BuiltinOperator"][1]
    assert [v for _, v in ops] == list(range(len(ops)))
    for name, _ in ops:
        word = OPTIONS.get(name, name.replace("_", "")).lower()
        index = by_name.get(word, 0)
        out.append('    { "%s", %d },%s' %
                   (name, index,
                    " /* %s */" % members[index - 1][2] if index else ""))
    out.append("};\n")
    out.append("const uint32_t tn_tfl_builtin_count =\n"
               "    sizeof tn_tfl_builtins / sizeof *tn_tfl_builtins;")
    print("\n".join(out))


main()
