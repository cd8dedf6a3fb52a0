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
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

import sources

# What a text is that neither is found nor told, and why that is no loss.  Between
# dialects rules make new nodes: an operator's type and the names of inner values
# are theirs.  A function is put where it is called, and its names go.
BETWEEN = [
    ("onnx", r"\.(node|node_def)\[\d+\]\.(op_type|input|output|domain|name)",
     "rules make nodes of their own"),
    ("onnx", r"\.attribute\[\d+\]\.name$", "attributes are the other op's"),
    ("onnx", r"\.attribute\[\d+\]\.(s|strings\[\d+\]|t\.string_data\[\d+\])$",
     "rules read what attributes say"),
    ("onnx", r"\.g\.(name$|(input|output|value_info)\[\d+\]\.(name|type))",
     "a graph in a node: its names are its own"),
    ("onnx", r"^functions\[\d+\]\.(name|domain|input|output|opset_import)",
     "a function is put where it is called"),
    ("onnx", r"^opset_import|\.opset_import", "the versions of its operators"),
    ("onnx", r"\.(value_info|initializer)\[\d+\]\.(name|type)",
     "inner values get new names and types"),
    ("tensorflow", r"\.?(node|node_def)\[\d+\]\.(op|input|name|attr\[\w+\])",
     "rules make nodes of their own"),
    ("tensorflow", r"function\[\d+\]\.(signature\.(name|input_arg|output_arg)"
     r"(\[\d+\]\.name)?$|ret)", "a function is put where it is called"),
    ("tensorflow", r"signature_def\[serving_default\]\.(inputs|outputs)",
     "the ends of the graph"),
    ("paddle", r"\.ops\[\d+\]\.(type|inputs|outputs)", "rules make nodes"),
    ("paddle", r"\.attrs\[\w*\]\.name$", "attributes are the other op's"),
    ("paddle", r"\.vars\[\d+\]\.name$", "inner values get new names"),
    ("nd4j", r"\.(opName|outputNames|name|inputPaired)", "rules make nodes"),
]

# Of a SavedModel that becomes a GraphDef: variables are constants there.
FROZEN = [
    (r"\.op$", ("VarHandleOp", "VariableV2", "ReadVariableOp",
                "ResourceGather", "ResourceGatherNd", "VariableShape"),
     "a constant, and operators on tensors"),
    (r"\.attr\[(container|shared_name|allowed_devices|debug_name)\]\.",
     None, "where a variable is kept; a constant is where it stands"),
]

# Formats that are written beside another name, and how the main file is called.
NAMES = {"tf-saved-model": "out_model", "tf-checkpoint": "out.index",
         "onnx": "out.onnx", "tf-meta-graph": "out.meta", "tf-graph": "out.pb",
         "safetensors": "out.safetensors", "npz": "out.npz",
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

def protobuf_texts(message, path=""):
    """(path, Message.field ..., text) of every string, in a parsed message."""
    for field, value in message.ListFields():
        here = "%s.%s" % (path, field.name) if path else field.name
        kind = "%s.%s" % (message.DESCRIPTOR.name, field.name)
        if field.message_type is not None and \
                field.message_type.GetOptions().map_entry:
            items = [("%s[%s]" % (here, key), value[key])
                     for key in sorted(value)]
            for at, _ in items:
                key = at[at.rindex("[") + 1:-1]
                yield at + ".key", (kind,), key
        elif field.label == field.LABEL_REPEATED:
            items = [("%s[%d]" % (here, i), one)
                     for i, one in enumerate(value)]
        else:
            items = [(here, value)]
        for at, one in items:
            if hasattr(one, "ListFields"):
                for deep, kinds, text in protobuf_texts(one, at):
                    yield deep, (kind,) + kinds, text
            elif isinstance(one, str):
                yield at, (kind,), one
            elif isinstance(one, bytes) and field.name not in (
                    "raw_data", "tensor_content"):
                if re.fullmatch(rb"[\t\n\r -\x7e]+", one):  # else elements
                    yield at, (kind,), one.decode()
            elif kind in FLAGS:
                yield at, (kind,), ROLE
            elif isinstance(one, int) and 7000000 < one < 8000000:
                yield at, (kind,), one  # a marker, too


# Names of enums that flatc prints; roles are asked for by themselves.
ENUMS = re.compile(r"\.(dtype|byteOrder|variabletype|opType|outputTypes\[\d+\]|"
                   r"outputMode|extraTypes\[\d+\])$")


def json_texts(value, path=""):
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
            message = sources.message_class(format_name).FromString(
                file.read())
        yield from protobuf_texts(message)
        if os.path.isdir(path):
            for folder, _, files in os.walk(path):
                for name in files:
                    whole = os.path.relpath(os.path.join(folder, name), path)
                    if not whole.startswith("variables/") and \
                            name != "saved_model.pb":
                        yield "file." + whole, (), whole
    elif format_name == "samediff-fb":
        yield from flat_texts(path, work)
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


# ---- what a result says ------------------------------------------------------

def unpacked(data, depth=0):
    """The bytes, and those of the entries if they are a zip."""
    yield data
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


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def is_in(text, found):
    if isinstance(text, int):
        return any(data in found for data in (
            varint(text), str(text).encode(), text.to_bytes(4, "little")))
    data = text.encode()
    spellings = {data, json.dumps(text)[1:-1].encode(),
                 data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')}
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
              "nd4j": ("nodes", "variables", "placeholders")}
    if dialect == "tensorflow" and path.startswith("meta_graphs"):
        return ".graph_def" in path
    return path.startswith(starts.get(dialect, ("-",)))


def about_keys(lost):
    for loss in lost:
        match = re.search(r"texts about the model: (.*)", loss["what"])
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
    keys = about_keys(lost)
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
        if path.startswith(("tensor.", "updaterState")) and \
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
    return tuple({prefix for prefix, name in named if name in names})


def owners(texts):
    """Paths of things with a name, which stand for all that is in them."""
    for path, _, text in texts:
        match = re.match(r"(.*(?:node|node_def|function|initializer|attrs)"
                         r"\[\d+\])\.(?:name|signature\.name)$", path)
        if match:
            yield match.group(1), text
        match = re.match(r"(.*signature_def\[(\w+)\])", path)
        if match:
            yield match.group(1), match.group(2)


def is_frozen(source, target, path, text):
    return (source, target) == ("tf-saved-model", "tf-graph") and any(
        re.search(pattern, path) and (texts is None or text in texts)
        for pattern, texts, _ in FROZEN)


def is_exempt(dialect, target, path):
    if target == "paddle-pir" and re.search(
            r"\.(type|parameter)$|^blocks\[0\]\.(vars\[[01]\]\.name|"
            r"ops\[\d\]\.(in|out)puts\[0\]\.arguments)", path):
        return True  # PIR has operators and slots of its own, no feed and fetch
    return any(dialect == name and re.search(pattern, path)
               for name, pattern, _ in BETWEEN)


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
    lost = [dict(loss, where=place) for loss in report["lost"]
            for place in loss["places"]]
    found = result_bytes(folder)
    dialect = formats[source]["dialect"]
    is_between = formats[target]["dialect"] != dialect
    texts = list(texts_of(source, path, work))
    told = told_owners(owners(texts), lost)
    has_others = is_between or target == "paddle-pir"
    for at, kinds, text in texts:
        if not text or (text == ROLE and not is_between) or \
                at.startswith(told) or is_frozen(source, target, at, text) or \
                (has_others and is_exempt(dialect, target, at)):
            continue
        if is_told(at, kinds, text, lost, dialect) or is_in(text, found):
            continue
        problems.append("%s: neither found nor told: %r" %
                        (at, str(text)[:60]))
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
                              ".safetensors")):
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
        done, refused, count, failed = account_all(tenon, todo, work, deadline,
                                                   state)
    finally:
        shutil.rmtree(work)
    print("%d sources, %d conversions accounted for, %d refused, %d failed" %
          (count, done, refused, failed))
    return failed != 0 or (not is_full and done < 84)


if __name__ == "__main__":
    sys.exit(main())
