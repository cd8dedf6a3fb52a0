#!/usr/bin/python3
"""account.py TENON [--full DATA [SECONDS STATE]]: nothing vanishes without a word.

A source that is rich in everything (sources.py; with --full also every model
under DATA, for so many seconds, and from where STATE says that the last run
stopped) is converted to every format that can be written.  Every text of the
source, read by protoc's Python classes, by flatc or from a header, must be found
in the bytes of the result, or be covered by a line of the list of losses: by the
name of its field, of a field around it, or of what it belongs to.  Whoever says
that nothing is lost must pass --strict, and whoever loses something must not,
and must then write nothing.
"""
import ast
import collections
import functools
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

from google.protobuf import text_format

import sources

# What a text is that neither is found nor told, and why that is no loss.  Between
# dialects rules make new nodes: an operator's type and the names of inner values
# are theirs.  A function is put where it is called, and its names go.
BETWEEN = [
    ("onnx", r"\.(node|node_def)\[\d+\]\.(op_type|input|output|domain|name)",
     "rules make nodes of their own"),
    ("onnx", r"\.attribute\[\d+\]\.name$", "attributes are the other op's"),
    ("onnx", r"\.attribute\[\d+\]\.(t|tensors\[\d+\])\.name$",
     "a constant is called as its node's output is"),
    ("onnx", r"\.attribute\[\d+\]\.t\.string_data\[\d+\]$",
     "elements of a constant, which the suites hold"),
    ("onnx", r"\.g\.(name$|(input|output|value_info)\[\d+\]\.(name|type))",
     "a graph in a node: its names are its own"),
    ("onnx", r"^functions\[\d+\]\.(name|domain|input|output|opset_import)",
     "a function is put where it is called"),
    ("onnx", r"^opset_import|\.opset_import", "the versions of its operators"),
    ("onnx", r"\.initializer\[\d+\]\.external_data\[",
     "where elements lay, which are taken in"),
    ("onnx", r"\.(value_info|initializer)\[\d+\]\.(name|type)",
     "inner values get new names and types"),
    ("tensorflow", r"\.?(node|node_def)\[\d+\]\.(op|input|name|attr\[\w+\])",
     "rules make nodes of their own"),
    ("tensorflow", r"function\[\d+\]\.(signature\.(name|input_arg|output_arg)"
     r"(\[\d+\]\.name)?$|ret)", "a function is put where it is called"),
    ("tensorflow", r"function\[\d+\]\.signature\.control_output\[\d+\]$",
     "the names of control_ret, which is told (FunctionDef.control_ret)"),
    ("tensorflow", r"signature_def\[serving_default\]\.(inputs|outputs)",
     "the ends of the graph"),
    ("paddle", r"\.ops\[\d+\]\.(type|inputs|outputs)", "rules make nodes"),
    ("paddle", r"\.attrs\[\w*\]\.name$", "attributes are the other op's"),
    ("paddle", r"\.vars\[\d+\]\.name$", "inner values get new names"),
    ("nd4j", r"\.(opName|outputNames|name|inputPaired)", "rules make nodes"),
    ("nd4j", r"^nodes\[\d+\]\.(properties\[\d+\]\.s|extraStrings)\[\d+\]$",
     "rules read what attributes say; frames of loops are graphs of a Loop; "
     "those that no rule reads are told"),
]

# Of a SavedModel that becomes a GraphDef: variables are constants there.
FROZEN = [
    (r"\.op$", ("VarHandleOp", "VariableV2", "ReadVariableOp",
                "ResourceGather", "ResourceGatherNd", "VariableShape"),
     "a constant, and operators on tensors"),
    (r"\.attr\[(container|shared_name|allowed_devices|debug_name)\]\.",
     None, "where a variable is kept; a constant is where it stands"),
    (r"\.(attr\[Tin\]\.list\.type\[\d+\]|input_arg\[\d+\]\.type)$",
     (("ListValue.type", 20), ("ArgDef.type", 20)),
     "the handle of a variable, that a function is no longer called with"),
    (r"\.attr\[_read_only_resource_inputs\]", None,
     "which arguments are such handles"),
]

# Between dialects, numbers and enums that are not looked for one by one, and who
# holds them instead.  Every other number must be told.
SUITES = "what operators compute is held by the suites of docs/conformance.md"
ENDS = "inputs and outputs are held by tests/judges/contract.py"
WEIGHTS = "elements, types and shapes of weights are held by the suites"
VERSION = "what the operators mean depends on it, which the suites hold"
MEANT = {
    "onnx": {"ModelProto.ir_version": VERSION,
             "OperatorSetIdProto.version": VERSION,
             "AttributeProto.type": SUITES, "AttributeProto.i": SUITES,
             "AttributeProto.f": SUITES, "AttributeProto.ints": SUITES,
             "AttributeProto.floats": SUITES, "AttributeProto.s": SUITES,
             "AttributeProto.strings": SUITES,
             "Tensor.elem_type": ENDS, "Dimension.dim_value": ENDS,
             "TensorProto.dims": WEIGHTS, "TensorProto.data_type": WEIGHTS,
             "TensorProto.data_location": WEIGHTS,
             "TensorProto.raw_data": WEIGHTS, "TensorProto.float_data": WEIGHTS,
             "TensorProto.int32_data": WEIGHTS,
             "TensorProto.int64_data": WEIGHTS,
             "TensorProto.string_data": WEIGHTS,
             "TensorProto.double_data": WEIGHTS,
             "TensorProto.uint64_data": WEIGHTS},
    "tensorflow": {"SavedModel.saved_model_schema_version": VERSION,
                   "GraphDef.version": VERSION,
                   "VersionDef.producer": VERSION,
                   "VersionDef.min_consumer": VERSION,
                   "VersionDef.bad_consumers": VERSION,
                   "MetaInfoDef.stripped_default_attrs": VERSION,
                   "AttrValue.type": SUITES, "AttrValue.b": SUITES,
                   "AttrValue.i": SUITES, "AttrValue.f": SUITES,
                   "AttrValue.s": SUITES, "ListValue.type": SUITES,
                   "ListValue.b": SUITES, "ListValue.i": SUITES,
                   "ListValue.f": SUITES, "ListValue.s": SUITES,
                   "Dim.size": SUITES, "TensorShapeProto.unknown_rank": SUITES,
                   "ArgDef.type": SUITES, "OpDef.is_stateful": SUITES,
                   "TensorInfo.dtype": ENDS, "TensorProto.dtype": WEIGHTS,
                   "TensorProto.tensor_content": WEIGHTS,
                   "TensorProto.half_val": WEIGHTS,
                   "TensorProto.float_val": WEIGHTS,
                   "TensorProto.double_val": WEIGHTS,
                   "TensorProto.int_val": WEIGHTS,
                   "TensorProto.string_val": WEIGHTS,
                   "TensorProto.int64_val": WEIGHTS,
                   "TensorProto.bool_val": WEIGHTS,
                   "TensorProto.scomplex_val": WEIGHTS,
                   "TensorProto.uint32_val": WEIGHTS,
                   "TensorProto.uint64_val": WEIGHTS,
                   "TensorProto.version_number": WEIGHTS},
    "paddle": {"BlockDesc.idx": SUITES, "BlockDesc.parent_idx": SUITES,
               "BlockDesc.forward_block_idx": SUITES,
               "Version.version": VERSION, "VarType.type": ENDS,
               "TensorDesc.data_type": ENDS, "TensorDesc.dims": ENDS,
               "VarDesc.persistable": WEIGHTS, "Attr.type": SUITES,
               "Attr.i": SUITES, "Attr.f": SUITES, "Attr.ints": SUITES,
               "Attr.floats": SUITES, "Attr.b": SUITES, "Attr.bools": SUITES,
               "Attr.l": SUITES, "Attr.longs": SUITES, "Attr.block_idx": SUITES,
               "Attr.float64s": SUITES, "Attr.float64": SUITES},
}

# SameDiff has no messages with names: by the end of the path.
MEANT_FLAT = re.compile(
    r"^(variables|nodes)\[\d+\]\.(id|dtype|opType|opNum|shape|"
    r"dimNames|outputTypes|output|outputNames|inputPaired|extra\w+|device|"
    r"variabletype|ndarray|properties|dimensions|scalar)\b|"
    r"^updaterState\[\d+\]\.updaterStateValues\[")

# What every SameDiff file says of how it is executed; anything else is told.
USUAL = {("configuration.id", -1), ("configuration.timestats", True),
         ("configuration.outputMode", "VARIABLE_SPACE")}

# A tagged container counts operations and variables anew.
COUNTED = re.compile(r"^(nodes|variables)\[\d+\]\.(id\b|inputPaired\[)")

# Of a container, which has no place in another one.
CONTAINER = {"SavedModel.saved_model_schema_version":
             "how the folder is laid out"}

# A program of Paddle 3 is JSON in short words: `#` is an operator or a type, `N`
# the name of an attribute, `TT` a type, `%` a value; rules read those.  A
# parameter's name, `A[3]`, must be found.
MEANT_PIR = re.compile(
    r"^base_code\.(magic|version|trainable)$|"  # of the container
    r"^program\.regions\[\d+\]\.(#|blocks\[.*(\.#|\.N|\.TT\.D\b.*|\.%))$")
# Texts of attributes that operators are defined by, which rules read; any other
# must be found, or its attribute told.
READ = {"onnx": {"activations", "auto_pad", "coordinate_transformation_mode",
                 "direction", "equation", "keep_aspect_ratio_policy", "mode",
                 "nearest_mode", "padding_mode", "reduction"},
        "paddle": {"data_format", "data_layout", "dtype", "interp_method",
                   "padding_algorithm", "pooling_type"}}
MEANT_PIR_NUMBERS = re.compile(r"^program\.regions\[.*\.(A|OA|DA|QA)\[\d+\]$|"
                               r"^program\.regions\[.*\.(id|AT|TT|I|O)\b")

# Formats that are written beside another name, and how the main file is called.
NAMES = {"tf-saved-model": "out_model", "tf-checkpoint": "out.index",
         "onnx": "out.onnx", "tf-meta-graph": "out.meta", "tf-graph": "out.pb",
         "safetensors": "out.safetensors", "gguf": "out.gguf",
         "tflite": "out.tflite",
         "pytorch": "out.pt", "npz": "out.npz",
         "paddle": "out.pdmodel", "paddle-text": "out.pdmodel.txt",
         "paddle-params": "out.pdiparams", "paddle-state": "out.pdparams",
         "paddle-pir": "out.json", "samediff": "out.samediff",
         "samediff-fb": "out.fb", "sdnb": "out.sdnb", "sdz": "out.sdz"}


# Stands for what is no text: it is never found, and must be told elsewhere.
ROLE = "\1role"

# Numbers and flags that another dialect has no field for.
FLAGS = {"LoDTensorDesc.lod_level", "VarDesc.need_check_feed",
         "VarDesc.is_parameter", "VarDesc.stop_gradient", "OpDesc.is_target",
         "NodeDeviceConfigurationProto.pipeline_stage"}


# ---- what a source says ------------------------------------------------------

def items_of(field, value, here):
    """(path, one) of everything that a field holds."""
    if field.message_type is not None and \
            field.message_type.GetOptions().map_entry:
        return [("%s[%s]" % (here, key), value[key]) for key in sorted(value)]
    if field.label == field.LABEL_REPEATED:
        return [("%s[%d]" % (here, i), one) for i, one in enumerate(value)]
    return [(here, value)]


def leaf(kind, one):
    """A text, a role that must be told, or a number: (Message.field, value)."""
    if isinstance(one, str):
        return one
    if isinstance(one, bytes) and not kind.endswith(("raw_data", "content")) \
            and re.fullmatch(rb"[\t\n\r -\x7e]+", one):
        return one.decode()
    return ROLE if kind in FLAGS and one else (kind, one)


def protobuf_leaves(message, path=""):
    """(path, Message.field ..., value) of all that a parsed message says."""
    for field, value in message.ListFields():
        here = "%s.%s" % (path, field.name) if path else field.name
        kind = "%s.%s" % (message.DESCRIPTOR.name, field.name)
        is_map = field.message_type is not None and \
            field.message_type.GetOptions().map_entry
        for at, one in items_of(field, value, here):
            if is_map:
                yield at + ".key", (kind,), at[at.rindex("[") + 1:-1]
            if hasattr(one, "ListFields"):
                for deep, kinds, text in protobuf_leaves(one, at):
                    yield deep, (kind,) + kinds, text
            else:
                yield at, (kind,), leaf(kind, one)


# Names of enums that flatc prints; roles are asked for by themselves.
ENUMS = re.compile(r"\.(dtype|byteOrder|variabletype|opType|outputTypes\[\d+\]|"
                   r"outputMode|extraTypes\[\d+\])$")


def json_texts(value, path=""):
    if isinstance(value, list) and path.endswith("ndarray.shape") and value:
        # nd4j's: rank, dimensions; then strides and order, which are layout
        value = value[:value[0] + 1]
    if isinstance(value, dict):
        for key, one in value.items():
            yield from json_texts(one, "%s.%s" % (path, key) if path else key)
    elif isinstance(value, list):
        for i, one in enumerate(value):
            yield from json_texts(one, "%s[%d]" % (path, i))
    elif isinstance(value, str) and path.endswith(".variabletype"):
        if value == "VARIABLE":
            yield path, (), ROLE
    elif isinstance(value, str) and not ENUMS.search(path):
        yield path, (), value
    else:
        yield path, (), (re.sub(r"\[\d+\]", "[]", path), value)


def flat_texts(path, work):
    subprocess.run(["flatc", "--no-warnings", "--json", "--strict-json",
                    "--raw-binary", "-o", work,
                    sources.make_samediff.SCHEMA, "--", path], check=True)
    name = os.path.splitext(os.path.basename(path))[0] + ".json"
    with open(os.path.join(work, name)) as text:
        return json_texts(json.load(text))


def texts_of(format_name, path, work):
    """All texts of a source, by somebody else's reader."""
    if format_name in sources.PROTOS:
        main = path
        if os.path.isdir(path):
            main = os.path.join(path, "saved_model.pb")
        with open(main, "rb") as file:
            data = file.read()
        kind = sources.message_class(format_name)
        message = text_format.Parse(data, kind()) \
            if format_name == "paddle-text" else kind.FromString(data)
        yield from protobuf_leaves(message)
        if os.path.isdir(path):
            for folder, _, files in os.walk(path):
                for name in files:
                    whole = os.path.relpath(os.path.join(folder, name), path)
                    if not whole.startswith("variables/") and \
                            name != "saved_model.pb":
                        yield "file." + whole, (), whole
    elif format_name == "samediff-fb":
        yield from flat_texts(path, work)
    elif format_name == "paddle-pir":
        with open(path) as file:
            yield from json_texts(json.load(file))
    elif format_name == "safetensors":
        with open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size))
        for key, value in header.pop("__metadata__", {}).items():
            yield "__metadata__." + key, (), key
            yield "__metadata__." + key, (), value
        for key in header:
            yield "tensor." + key, (), key
    elif format_name == "npz":
        for name in zipfile.ZipFile(path).namelist():
            yield "tensor." + name, (), name[:-len(".npy")]


# ---- shapes of tensors without a graph ---------------------------------------

def npy_shape(data):
    head = data[10:10 + int.from_bytes(data[8:10], "little")].decode("latin-1")
    return ast.literal_eval(head.strip())["shape"]


def entry_shape(value):
    """Of a BundleEntryProto: shape = 2 { dim = 2 { size = 1 } }."""
    dims, at = [], 0
    while at < len(value):
        tag, at = varint(value, at)
        if tag & 7 == 5:
            at += 4
            continue
        size, at = varint(value, at)
        if tag & 7 == 0:
            continue
        body, inner = value[at:at + size], 0
        at += size
        while tag >> 3 == 2 and inner < len(body):
            key, inner = varint(body, inner)
            length, inner = varint(body, inner)
            if key == 18:
                dims.append(varint(body, inner + 1)[0] if length else 0)
                inner += length
    return tuple(dims)


def shapes_of(path):
    """Shape by name of the files that say it in a way of their own; else None."""
    if path.endswith(".safetensors"):
        with open(path, "rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8),
                                                         "little")))
        return {name: tuple(one["shape"]) for name, one in header.items()
                if name != "__metadata__"}
    if path.endswith(".npz"):
        with zipfile.ZipFile(path) as archive:
            return {name[:-len(".npy")]: npy_shape(archive.read(name))
                    for name in archive.namelist()}
    if path.endswith(".index"):
        with open(path, "rb") as file:
            return {key.decode(): entry_shape(value)
                    for key, value in table_entries(file.read()) if key}
    return None


def lost_shapes(path, out, lost):
    """Tensors whose shape is another one in the result, and nobody says so."""
    before, after = shapes_of(path), shapes_of(out)
    told = " ".join(loss["where"] + " " + loss["what"] for loss in lost)
    if before is None or after is None:
        return
    for name, shape in before.items():
        if after.get(name, None if name in told else ()) not in (shape, None):
            yield "tensor.%s: the shape was %s and is %s" % (
                name, shape, after.get(name))


@functools.lru_cache(maxsize=1)
def source_texts(format_name, path, work):
    """The same for every target."""
    return list(texts_of(format_name, path, work))


# ---- what a result says ------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def block_entries(data, offset, size):
    """(key, value) of a block of a LevelDB table; keys share their beginnings."""
    end = offset + size - 4
    end -= 4 * int.from_bytes(data[end:end + 4], "little")
    key = b""
    while offset < end:
        shared, offset = varint(data, offset)
        fresh, offset = varint(data, offset)
        length, offset = varint(data, offset)
        key = key[:shared] + data[offset:offset + fresh]
        yield key, data[offset + fresh:offset + fresh + length]
        offset += fresh + length


TABLE = bytes.fromhex("57fb808b247547db")


def table_entries(data):
    """(key, value) of a LevelDB table that is not compressed."""
    _, at = varint(data, len(data) - 48)
    _, at = varint(data, at)
    offset, at = varint(data, at)
    size, at = varint(data, at)
    for _, handle in block_entries(data, offset, size):
        begin, at = varint(handle, 0)
        yield from block_entries(data, begin, varint(handle, at)[0])


def unpacked(data, depth=0):
    """The bytes, those of the entries if they are a zip, whole keys of a table."""
    yield data
    if data.endswith(TABLE):
        for key, _ in table_entries(data):
            yield key
    if depth < 3 and zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for entry in archive.infolist():
                yield entry.filename.encode()
                yield from unpacked(archive.read(entry), depth + 1)


def result_bytes(folder):
    parts = []
    for root, _, files in os.walk(folder):
        for name in sorted(files):
            parts.append(os.path.relpath(os.path.join(root, name),
                                         folder).encode())
            with open(os.path.join(root, name), "rb") as file:
                parts += unpacked(file.read())
    return b"\0".join(parts)


def result_leaves(tenon, dialect, target, out, work):
    """How often which number is in the result, for a format of the source's own
    dialect; None for what nobody else reads."""
    path, name = out, target
    if dialect == "nd4j":
        path, name = os.path.join(work, "again.fb"), "samediff-fb"
        if target == name:
            path = out
        elif run(tenon, "-q", "--force", out, "-o", path).returncode != 0:
            return None
    elif target not in sources.PROTOS and target != "paddle-pir":
        return None
    return collections.Counter(
        text for _, _, text in texts_of(name, path, work)
        if isinstance(text, tuple))


def is_in(text, found):
    data = text.encode()
    escaped = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    spellings = {data, json.dumps(text)[1:-1].encode(), escaped,
                 escaped.replace(b"'", b"\\'")}
    return any(one in found for one in spellings)


# ---- one conversion ----------------------------------------------------------

def run(tenon, *words):
    return subprocess.run([tenon, "convert", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def is_graph_path(dialect, path):
    """Whether "the graph is left behind" speaks of it."""
    starts = {"onnx": ("graph", "functions", "opset_import"),
              "tensorflow": ("graph_def", "meta_graphs[0].graph_def", "node",
                             "library", "versions", "meta_graphs[1]"),
              "paddle": ("blocks", "op_version_map"),
              "nd4j": ("nodes", "variables", "placeholders", "configuration")}
    if dialect == "tensorflow" and path.startswith("meta_graphs"):
        return ".graph_def" in path
    if path.startswith("program."):
        return dialect == "paddle"  # a program of Paddle 3
    return path.startswith(starts.get(dialect, ("-",)))


@functools.lru_cache(maxsize=4)
def about_keys(reasons):
    for what in reasons:
        match = re.search(r"texts about the model: (.*)", what)
        if match:
            return set(re.split(r", (?:and )?", match.group(1)))
    return set()


# The field that a key of about.h stands for.
ABOUT = {"onnx.producer_name": r"^producer_name", "onnx.doc_string": r"^doc_string",
         "onnx.producer_version": r"^producer_version", "onnx.domain": r"^domain",
         "onnx.model_version": r"^model_version",
         "onnx.graph_name": r"^graph\.name",
         "onnx.graph_doc_string": r"^graph\.doc_string",
         "onnx.graph_metadata": r"^graph\.metadata_props",
         "tensorflow.version": r"meta_info_def\.tensorflow_version",
         "tensorflow.git_version": r"meta_info_def\.tensorflow_git_version",
         "tensorflow.meta_graph_version": r"meta_info_def\.meta_graph_version",
         "tensorflow.signature": r"signature_def\[serving_default\]\.key",
         "tensorflow.tags": r"meta_graphs\[0\]\.meta_info_def\.tags|^meta_info_def\.tags"}


def is_told(path, kinds, text, lost, dialect):
    keys = about_keys(tuple({loss["what"]: 1 for loss in lost}))
    for key in keys:
        pattern = next((ABOUT[k] for k in ABOUT if key.startswith(k)), None)
        if pattern and re.search(pattern, path):
            return True
        if not pattern and ("metadata" in path):
            return True
    for loss in lost:
        what, where = loss["what"], loss["where"]
        if "the graph is left behind" in what and is_graph_path(dialect, path):
            return True
        if any(re.search(r"\b%s\b" % re.escape(kind), what) for kind in kinds):
            return True
        if where and (path == where or path.startswith(where + ".") or
                      path.startswith(where + "[")):
            return True
        if isinstance(text, str) and len(text) > 3 and \
                (text in where or text in what):
            return True
        if (path.startswith(("tensor.", "updaterState")) or
                re.search(r"ops\[\d+\]\.A\[3\]$", path)) and \
                "the names are left behind" in what:
            return True
        if path.startswith("file.") and "a file of the SavedModel" in what:
            return True
        if "trainingConfig" in path and "training configuration" in what:
            return True
        if "updaterState" in path and "what the updater keeps" in what:
            return True
        if "lossVariables" in path and "loss variable" in what:
            return True
        if re.match(r"graph\.input\[\d+\]\.name", path) and \
                "a tensor that no output needs" in what:
            return True  # an input that is a weight, as before IR 4
        if "scope_name" in path and "the scope of an operation" in what:
            return True
        if path.startswith("configuration") and "to be executed" in what:
            return True
        if "variabletype" in path and "the role of a trained" in what:
            return True
        if "controlDep" in path and "control dependencies" in what:
            return True
    return False


def told_owners(named, lost):
    """The nodes, attributes and functions that are told by their name."""
    names = {loss["where"] for loss in lost}
    for loss in lost:
        if "attributes " in loss["what"]:
            names.update(re.findall(r"([^ ,]+) \(\d", loss["what"]))
    values = {loss["where"] for loss in lost if loss["kind"] == "value"}
    return tuple({prefix for prefix, name in named
                  if name in (values if prefix.endswith(".ndarray") else names)})


def owners(texts):
    """Paths of things with a name, which stand for all that is in them."""
    for path, _, text in texts:
        match = re.match(r"(.*(?:node|node_def|function|initializer|attrs)"
                         r"\[\d+\])\.(?:name|signature\.name)$", path)
        if match:
            yield match.group(1), text
        match = re.match(r"(program\..*\.A\[\d+\])\.N$", path)
        if match:
            yield match.group(1), text
        match = re.match(r"(variables\[\d+\])\.name$", path)
        if match:
            yield match.group(1) + ".ndarray", text
        match = re.match(r"(.*signature_def\[(\w+)\])", path)
        if match:
            yield match.group(1), match.group(2)


def is_frozen(source, target, path, text):
    if isinstance(text, str) and re.search(r"ReadVariableOp(_\d+)?:value:0$", text):
        text = "ReadVariableOp"  # in a function, by the name of its output
        path += ".op"
    return (source, target) == ("tf-saved-model", "tf-graph") and any(
        re.search(pattern, path) and (texts is None or text in texts)
        for pattern, texts, _ in FROZEN)


def is_exempt(dialect, target, path):
    if MEANT_PIR.search(path):
        return True
    if target == "paddle-pir" and re.search(
            r"\.(type|parameter)$|^blocks\[0\]\.(vars\[[01]\]\.name|"
            r"ops\[\d\]\.(in|out)puts\[0\]\.arguments)", path):
        return True  # PIR has operators and slots of its own, no feed and fetch
    return any(dialect == name and re.search(pattern, path)
               for name, pattern, _ in BETWEEN)


def flags_of_pir(tenon, source, target, out, work):
    """Flags have other words in PIR: those that come back from it are there."""
    back = os.path.join(work, "back", "model.pdmodel")
    shutil.rmtree(os.path.dirname(back), ignore_errors=True)
    os.makedirs(os.path.dirname(back))
    if target != "paddle-pir" or source == target or \
            run(tenon, "-q", out, "-o", back).returncode != 0:
        return set()
    return {kinds[-1] for _, kinds, text in texts_of("paddle", back, work)
            if text == ROLE}


def read_by_rules(dialect, texts):
    """Where the texts of attributes begin that rules read."""
    named = re.compile(r"\.(attribute|attrs|A)\[\d+\]\.(name|N)$")
    return tuple(at[:at.rindex(".")] + (".AT." if at.endswith(".N") else ".s")
                 for at, _, text in texts
                 if text in READ.get(dialect, ()) and named.search(at))


def weights_that_are_inputs(texts):
    """Before IR 4 an initializer was an input, too; its name is an inner one."""
    weights = {text for at, _, text in texts
               if re.match(r"graph\.initializer\[\d+\]\.name$", at)}
    return {at for at, _, text in texts if text in weights and
            re.match(r"graph\.input\[\d+\]\.name$", at)}


def is_long(number, found):
    """As text, where it is long enough not to be there by chance."""
    return isinstance(number, int) and abs(number) > 99999 and \
        str(number).encode() in found


# Numbers that become texts with a key (src/format/about.h).
TEXTS = {"ModelProto.model_version": "onnx.model_version"}


def is_text(number, found):
    """As the text of its key: in JSON, or as a string of a FlatBuffer beside the
    key's own."""
    key, text = TEXTS.get(number[0]), str(number[1])
    if key is None:
        return False
    as_json = json.dumps({key: text}, separators=(",", ":"))[1:-1]
    as_flat = [struct.pack("<I", len(one)) + one.encode() + b"\0"
               for one in (key, text)]
    return as_json.encode() in found or all(one in found for one in as_flat)


def is_number_kept(dialect, target, path, number, numbers, is_between, found):
    """In the result, as often as in the source; or one that another test holds,
    where rules make other operators of those that are there."""
    if number[0] in CONTAINER or (is_between and not number[1]):
        return True  # zero, false or nothing: what a field says that is not set
    if target == "samediff" and COUNTED.search(path):
        return True
    if is_between and (number in USUAL or is_text(number, found) or
                       is_long(number[1], found)):
        return True
    if numbers is not None:
        numbers[number] -= 1
        return numbers[number] >= 0
    if dialect == "nd4j":
        return MEANT_FLAT.search(path) is not None
    if MEANT_PIR.search(path) or MEANT_PIR_NUMBERS.search(path):
        return True
    return number[0] in MEANT.get(dialect, {})


def is_valid(tenon, path):
    """What `check` refuses, such as files of attackers, says nothing for sure."""
    return subprocess.run([tenon, "check", "-q", "--skip-data", path],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def unreadable(report):
    """What a program cannot tell from the list of losses."""
    lost = report["lost"]
    if sum(loss["count"] for loss in lost) != report["losses"]:
        yield "the list does not have as many as are counted"
    for loss in lost:
        if len(loss["places"]) != loss["count"] or \
                loss["places"][0] != loss["where"]:
            yield "not all places are there: %s" % loss["what"]
        if loss["kind"] == "other":
            yield "no kind: %s" % loss["what"]


def account(tenon, source, path, formats, target, work):
    """Problems of one conversion; None: it was refused."""
    folder = os.path.join(work, "result")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    out = os.path.join(folder, NAMES[target])
    done = run(tenon, "--json", path, "-o", out, "--to", target)
    if done.returncode != 0:
        if os.listdir(folder):
            return ["refused, and something is written"]
        return None
    report = json.loads(done.stdout)
    problems = list(unreadable(report))
    problems += lost_shapes(path, out, report["lost"])
    lost = [dict(loss, where=place) for loss in report["lost"]
            for place in loss["places"]]
    found = result_bytes(folder)
    dialect = formats[source]["dialect"]
    is_between = formats[target]["dialect"] != dialect
    texts = source_texts(source, path, work)
    told = told_owners(owners(texts), lost)
    has_others = is_between or \
        (source == "paddle-pir") != (target == "paddle-pir")
    flags = flags_of_pir(tenon, source, target, out, work)
    numbers = None if has_others else \
        result_leaves(tenon, dialect, target, out, work)
    inputs, seen = weights_that_are_inputs(texts), {}
    read = read_by_rules(dialect, texts) if has_others else ()
    for at, kinds, text in texts:
        if isinstance(text, tuple):
            # What is told is not looked for: it must not use up numbers of
            # what is kept.
            if not at.startswith(told) and \
                    not is_frozen(source, target, at, text) and \
                    not (numbers is not None and
                         is_told(at, kinds, "", lost, dialect)) and \
                    not is_number_kept(dialect, target, at, text, numbers,
                                       has_others, found) and \
                    not is_told(at, kinds, "", lost, dialect):
                problems.append("%s: neither kept nor told: %s" % (at, text))
            continue
        if not text or at in inputs or (text == ROLE and not has_others) or \
                (text == ROLE and kinds and kinds[-1] in flags) or \
                at.startswith(told) or is_frozen(source, target, at, text) or \
                (read and at.startswith(read)) or (has_others and is_exempt(dialect, target, at)):
            continue
        if text not in seen:
            seen[text] = text != ROLE and is_in(text, found)
        if seen[text] or is_told(at, kinds, text, lost, dialect):
            continue
        problems.append("%s: neither found nor told: %r" %
                        (at, str(text)[:60]))
    if not path.startswith(work):  # every kind of loss is in one that is made
        return problems if problems and is_valid(tenon, path) else []
    shutil.rmtree(folder)
    os.makedirs(folder)
    strict = run(tenon, "-q", "--strict", path, "-o", out, "--to", target)
    if (strict.returncode == 0) != (report["losses"] == 0):
        problems.append("--strict exits with %d for %d losses" %
                        (strict.returncode, report["losses"]))
    if strict.returncode != 0 and os.listdir(folder):
        problems.append("--strict fails, and something is written")
    return problems


# ---- all of them -------------------------------------------------------------

def list_formats(tenon):
    out = subprocess.run([tenon, "formats", "--json"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return {one["name"]: one for one in json.loads(out)["formats"]}


def models_under(tenon, data):
    """Every model of a folder, with its format; parts of folders but once."""
    for root, folders, files in sorted(os.walk(data)):
        if "saved_model.pb" in files:
            folders[:] = []
            yield root
            continue
        for name in sorted(files):
            if name.endswith((".onnx", ".pb", ".pdmodel", ".fb",
                              ".safetensors", "inference.json")):
                yield os.path.join(root, name)


def format_of(tenon, path):
    done = subprocess.run([tenon, "info", "--json", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["models"][0]["format"]


def without_done(todo, state):
    """What the last run did not come to; all of it, when it came to the end."""
    done = set()
    if state and os.path.exists(state):
        with open(state) as lines:
            done = set(lines.read().split("\n"))
    left = [(name, path) for name, path in todo if path not in done]
    if not left and done:
        os.remove(state)
        left = todo
    return left


def note_done(state, path):
    if state:
        with open(state, "a") as to:
            to.write(path + "\n")


def account_all(tenon, todo, work, deadline, state):
    """(conversions, refused, sources, failures)"""
    formats = list_formats(tenon)
    writable = [n for n in formats if formats[n]["can_write"]]
    unnamed = [n for n in writable if n not in NAMES]
    if unnamed:
        print("FAILED: no name for %s here" % ", ".join(unnamed))
        return 0, 0, 0, 1
    done = refused = count = failed = 0
    for source, path in todo:
        if time.time() > deadline:
            print("out of time before %s" % path)
            break
        count += 1
        for target in writable:
            problems = account(tenon, source, path, formats, target, work)
            if problems is None:
                refused += 1
                continue
            done += 1
            failed += bool(problems)
            for problem in problems:
                print("FAILED: %s -> %s: %s" % (path if path[:4] != "/tmp"
                                                else source, target, problem))
        if not path.startswith(work):
            note_done(state, path)
    return done, refused, count, failed


def main():
    tenon = os.path.abspath(sys.argv[1])
    if not (shutil.which("protoc") and shutil.which("flatc")):
        print("skipped: no protoc, or no flatc")
        return 77
    work = tempfile.mkdtemp()
    is_full = "--full" in sys.argv[2:3]
    deadline = time.time() + float(sys.argv[4]) if len(sys.argv) > 4 \
        else float("inf")
    state = sys.argv[5] if len(sys.argv) > 5 else None
    try:
        todo = []
        for source, make in sources.MAKERS.items():
            folder = os.path.join(work, source)
            os.makedirs(folder)
            todo.append((source, make(folder, tenon)))
        if is_full:
            models = ((format_of(tenon, path), path)
                      for path in models_under(tenon, sys.argv[3]))
            todo += without_done(
                [(name, path) for name, path in models
                 if name in sources.PROTOS or name in sources.MAKERS], state)
            todo.sort(key=lambda one: os.path.getsize(one[1])
                      if not one[1].startswith(work) else -1)
        done, refused, count, failed = account_all(tenon, todo, work, deadline,
                                                   state)
    finally:
        shutil.rmtree(work)
    print("%d sources, %d conversions accounted for, %d refused, %d failed" %
          (count, done, refused, failed))
    return failed != 0 or (not is_full and done < 84)


if __name__ == "__main__":
    sys.exit(main())
