#!/usr/bin/env python3
"""Every operator with rules to nd4j: one node alone, and the model of it.

    interpret_sweep.py TENON [--all] [--only PATTERN] [--shared DIR] [--verbose]

A case is one node with its inputs.  As a model it is converted to a .fb, which
the evaluator of libnd4j's semantics reads; as a node, with what is known of its
inputs, it is interpreted.  The ops, their arguments, what they read and what
they make must be equal.  Cases are those of onnx_sweep_cases.py and
tensorflow_table.py: some of each operator, or --all.

`tenon rules ls --json` says which operators there are: one without a case that
was equal is a failure, unless WITHOUT says why.

Then each operator is a node that says as little as it can (bare_nodes.py), of
Paddle's as well.  It must become ops, too; what was assumed must be told so
that the node with that told becomes the same ops and nothing is left to assume
(of a third of them, or --all).
"""
import argparse
import base64
import collections
import fnmatch
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile

import numpy

import bare_nodes
import graphdef
import onnx_sweep
import onnx_sweep_cases
import proof
import shipped_rules
from tensorflow_table import CASES, K

OF_EACH = 1
# `convert` refuses these in a model of one node, since they are parts of loops,
# conditions and lists.  As nodes they become what their rules make.
PARTS = {"Switch", "Merge", "Enter", "Exit", "NextIteration"} | {
    f"TensorArray{which}V3" for which in
    ("Write", "Read", "Gather", "Scatter", "Split", "Size", "Concat")}
# Every rule of these refuses.
REFUSED = {"StringConcat", "StringSplit", "RegexFullMatch"}
# No case can be made: the sweep of ONNX says why.
WITHOUT = {("onnx", op) for op in onnx_sweep.NO_CASES}

# Bare nodes that no rule takes, and what the refusal says.
BARE = {
    ("onnx", "ImageDecoder"): "nd4j cannot decode images",
    ("onnx", "RegexFullMatch"): "nd4j has no regular expressions",
    ("onnx", "StringConcat"): "nd4j has no kernel that joins strings",
    ("onnx", "StringSplit"): "nd4j splits strings only into sparse arrays",
    # Lists that begin empty or lose items: nd4j's have no such operations.
    ("paddle", "create_array"): "has no rule: create_array (as onnx's SequenceEmpty",
    ("paddle", "array_erase"): "has no rule: array_erase (as onnx's SequenceErase",
    # It changes a list that an operator before it made.
    ("paddle", "write_to_array"): "before the block that writes it",
    # No file has it: rules make it for themselves, of values that they know.
    ("paddle", "crf_step"): "which is unknown",
}

Op = collections.namedtuple("Op", "name inputs outputs lists")
IR_TYPES = ("UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL"
            " FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128 BFLOAT16").split()


# --- what is known of inputs, as text -----------------------------------------------

def element(value):
    if isinstance(value, (str, bytes, numpy.str_)):
        text = value.decode() if isinstance(value, bytes) else str(value)
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    return repr(value.item() if hasattr(value, "item") else value)


def known(name, kind, dims, array=None):
    dims = "" if dims is None else "[" + ",".join(
        "?" if size is None else str(size) for size in dims) + "]"
    text = f'"{name}":{kind}{dims}'
    if array is None:
        return text
    return text + "=[" + ",".join(map(element, array.reshape(-1))) + "]"


# --- ops on either side --------------------------------------------------------------

def value_of(arg):
    kind = arg.get("argType", "FLOAT")
    if kind == "DOUBLE":
        return float(arg.get("doubleValue", 0))
    if kind == "STRING":
        return arg.get("stringValue", "")
    if kind == "BOOL":
        return int(arg.get("boolValue", False))
    if kind == "DATA_TYPE":
        return shipped_rules.TYPES[IR_TYPES.index(arg["dataTypeValue"])]
    return int(arg.get("int64Value", 0))


def described(text):
    """Ops of an OpDescriptorList, and constants by name."""
    ops, constants = [], {}
    for op in json.loads(text).get("opList", []):
        lists = {kind: [] for kind in shipped_rules.LISTS}
        inputs, outputs = [], []
        for arg in op.get("argDescriptor", []):
            kind = arg.get("argType", "FLOAT")
            if kind == "INPUT_TENSOR":
                tensor = arg.get("inputValue", {})
                inputs.append(tensor.get("name", ""))
                if "data_type" in tensor or "dataType" in tensor:
                    constants[inputs[-1]] = tensor
            elif kind == "OUTPUT_TENSOR":
                outputs.append(arg.get("outputValue", {}).get("name", ""))
            else:
                lists[{"DOUBLE": "t", "INT64": "i", "BOOL": "b", "DATA_TYPE": "d",
                       "STRING": "s"}[kind]].append(value_of(arg))
        ops.append(Op(op["name"], inputs, outputs, lists))
    return ops, constants


def elements_of(tensor):
    """The bytes or texts of a constant."""
    raw = tensor.get("raw_data", tensor.get("rawData"))
    if raw is not None:
        return base64.b64decode(raw)
    texts = tensor.get("string_data", tensor.get("stringData", []))
    return [base64.b64decode(text) for text in texts]


def same_constant(ours, tensor):
    theirs = elements_of(tensor)
    dims = [int(size) for size in tensor.get("dims", [])]
    if list(ours.shape) != dims:
        return False
    if isinstance(theirs, list):
        return [str(one).encode() if not isinstance(one, bytes) else one
                for one in ours.reshape(-1)] == theirs
    return ours.tobytes() == theirs


def same_lists(ours, theirs):
    for kind in shipped_rules.LISTS:
        if len(ours[kind]) != len(theirs[kind]):
            return f"{kind}: {ours[kind]} and {theirs[kind]}"
        for a, b in zip(ours[kind], theirs[kind]):
            if a != b and not (kind == "t" and a != a and b != b):
                return f"{kind}: {ours[kind]} and {theirs[kind]}"
    return ""


def difference(graph, ops, constants, given):
    """What is not equal; "" when nothing is."""
    written = list(graph.nodes.values())
    made = {name for node in written for name in node.outputs}
    copies = [op for op in ops if op.name == "identity"
              and op.outputs[0] not in made]
    ops = [op for op in ops if op not in copies]
    if [node.op for node in written] != [op.name for op in ops]:
        return f"ops: {[n.op for n in written]} and {[op.name for op in ops]}"
    for node, op in zip(written, ops):
        if node.inputs != op.inputs or node.outputs != op.outputs:
            return (f"{op.name}: {node.inputs} -> {node.outputs} and "
                    f"{op.inputs} -> {op.outputs}")
        why = same_lists(shipped_rules.lists_of(node), op.lists)
        if why:
            return f"{op.name}: {why}"
    read = {name for node in written for name in node.inputs}
    for name in read & set(graph.arrays) - given:
        if name not in constants or \
                not same_constant(graph.arrays[name], constants[name]):
            return f"constant {name}"
    for op in copies:
        if op.outputs[0] not in graph.vars:
            return f"no value {op.outputs[0]}"
    return "" if written or copies else "nothing at all"


# --- cases -------------------------------------------------------------------------------

class Onnx:
    framework, ending = "onnx", ".onnx"

    @staticmethod
    def ops():
        return set(onnx_sweep_cases.FORMS) | {case.op for case in MORE_ONNX}

    @staticmethod
    def cases(op):
        return [case for case in MORE_ONNX if case.op == op] + [
            case for case in onnx_sweep_cases.cases_of(op)
            if not case.steps and all(
                item is None or item.kind in onnx_sweep_cases.PLAIN
                for item in case.inputs)]

    @staticmethod
    def write(case, path):
        """The model; of its node the bytes, the inputs and their names."""
        import onnx
        if isinstance(case, OnnxNode):
            return case.write(path)
        onnx_sweep.model_of([case], path)
        model = onnx.load(path)
        node = next(node for node in model.graph.node if node.op_type == case.op)
        texts, given = [], set()
        for at, item in enumerate(case.inputs):
            if item is None:
                continue
            given.add(f"0_{at}")
            texts.append(known(f"0_{at}", item.kind, item.array.shape,
                               item.array if item.is_held else None))
        return node.SerializeToString(), case.opset, texts, given


class TensorFlow:
    framework, ending = "tensorflow", ".pb"

    @staticmethod
    def ops():
        return {case.op for case in [*CASES.values(), *MORE]}

    @staticmethod
    def cases(op):
        return [case for case in [*CASES.values(), *MORE] if case.op == op]

    @staticmethod
    def write(case, path):
        graph = graphdef.Graph()
        texts, names = [], []
        for at, (array, is_fixed, dtype) in enumerate(case.inputs):
            name = f"r/in{at}"
            dims = array.shape
            if case.is_open:
                dims = None if case.is_open == "rank" else \
                    [None] * array.ndim if case.is_open == "sizes" else \
                    [None, *array.shape[1:]][:array.ndim]
            if is_fixed:
                graph.constant(name, array, dtype)
                dims = array.shape
            else:
                graph.placeholder(name, array, dims)
            texts.append(known(name, dtype or graphdef.type_name(array), dims,
                               array if is_fixed else None))
            names.append(name)
        node = graph.add(case.op, "r", names, case.attrs)
        graph.write(path)
        return node.SerializeToString(), 0, texts, set(names)


# --- operators that other tables leave out --------------------------------------------

class Node:
    """A node of TensorFlow that nobody computes here."""
    is_open = False

    def __init__(self, op, inputs, **attrs):
        self.op, self.attrs, self.name = op, attrs, op
        self.inputs = [(x.array, True, None) if isinstance(x, K)
                       else (x, False, None) for x in inputs]


class Resource:
    kind = "V"

    def __str__(self):
        return "resource"


class Handle:
    """Stands for a tensor that is a resource."""
    shape, ndim, dtype = (), 0, Resource()


SQUARE = numpy.eye(2, dtype="f4")[None] + 1
IMAGE, LINE = numpy.ones((1, 2, 2, 3), "f4"), numpy.ones(3, "f4")
NORM = [IMAGE, LINE, LINE, LINE, LINE]
TRUE, SHAPE = numpy.array(True), K([2, 3])
SEED, HANDLE = K([1, 2]), Handle()
MORE = [
    Node("BatchCholesky", [SQUARE]), Node("BatchMatrixDeterminant", [SQUARE]),
    Node("BatchMatrixInverse", [SQUARE]),
    Node("BatchMatrixSetDiag", [SQUARE, numpy.ones((1, 2), "f4")]),
    Node("BatchMatrixSolveLs", [SQUARE, SQUARE, K(0.0, "float64")]),
    Node("CheckNumericsV2", [LINE], message="m"), Node("Copy", [LINE]),
    Node("CopyHost", [LINE]),
    Node("DrawBoundingBoxes", [IMAGE, numpy.ones((1, 1, 4), "f4")]),
    Node("FusedBatchNorm", NORM, is_training=False),
    Node("FusedBatchNormV2", NORM, is_training=False),
    Node("FusedBatchNormV3", NORM, is_training=False),
    Node("_FusedBatchNormEx", NORM, is_training=False),
    Node("Multinomial", [numpy.ones((2, 3), "f4"), K(4)], seed=1, seed2=2),
    Node("RandomShuffle", [LINE], seed=1, seed2=2),
    Node("RandomStandardNormal", [SHAPE], dtype="float32", seed=1, seed2=2),
    Node("RandomUniform", [SHAPE], dtype="float32", seed=1, seed2=2),
    Node("RandomUniformInt", [SHAPE, K(1), K(9)], seed=1, seed2=2),
    Node("SegmentProdV2", [LINE, K([0, 0, 1]), K(2)]),
    Node("StatelessRandomUniform", [SHAPE, SEED], dtype="float32"),
    Node("StatelessRandomUniformV2",
         [SHAPE, K(numpy.array([7], "u8"), "uint64"),
          K(numpy.array([1, 2], "u8"), "uint64"), K(1)], dtype="float32"),
    Node("Switch", [LINE, TRUE]), Node("Merge", [LINE, LINE]),
    Node("Enter", [LINE], frame_name="f"), Node("Exit", [LINE]),
    Node("NextIteration", [LINE]), Node("LoopCond", [TRUE]),
    Node("Assign", [LINE, LINE]),
    Node("TensorArrayV3", [K(2)], dtype="float32"),
    *(Node(f"TensorArray{which}V3", [HANDLE, *inputs, numpy.float32(0)], **attrs)
      for which, inputs, attrs in [
          ("Write", [K(0), LINE], {}), ("Read", [K(0)], {"dtype": "float32"}),
          ("Gather", [K([0])], {"dtype": "float32"}),
          ("Scatter", [K([0]), LINE[None]], {}),
          ("Split", [LINE, K(numpy.array([1, 2]), "int64")], {}), ("Size", [], {}),
          ("Concat", [], {"dtype": "float32"})]),
]


class OnnxNode:
    """A node of ONNX whose inputs are sequences or of types of their own."""
    opset = 20

    def __init__(self, op, inputs, outputs=1, **attributes):
        self.op, self.name, self.inputs = op, op, inputs
        self.outputs = [f"r{at}" for at in range(outputs)]
        self.attributes = attributes

    def ends(self):
        from onnx import helper
        for at, kind in enumerate(self.inputs):
            if kind == "seq":
                yield helper.make_tensor_sequence_value_info(f"x{at}", 1, None)
            else:
                yield helper.make_tensor_value_info(
                    f"x{at}", onnx_sweep_cases.NUMBERS[kind[0]], kind[1])

    def write(self, path):
        import onnx
        from onnx import helper
        ends = list(self.ends())
        names = [end.name for end in ends]
        node = helper.make_node(self.op, names, self.outputs, name="n",
                                **self.attributes)
        graph = helper.make_graph([node], "g", ends, [
            onnx.ValueInfoProto(name=name) for name in self.outputs])
        model = helper.make_model(graph, opset_imports=[
            helper.make_opsetid("", self.opset)])
        model.ir_version = 9
        onnx.save(model, path)
        texts = [known(name, *kind) for name, kind in zip(names, self.inputs)
                 if kind != "seq"]
        return node.SerializeToString(), self.opset, texts, set(names)


FLOATS, TEXTS = ("float32", [2, 3]), ("string", [2])
MORE_ONNX = [
    OnnxNode("SequenceConstruct", [FLOATS, FLOATS]),
    OnnxNode("SequenceAt", ["seq", ("int64", [])]),
    OnnxNode("SequenceLength", ["seq"]),
    OnnxNode("ConcatFromSequence", ["seq"], axis=0),
    OnnxNode("SplitToSequence", [FLOATS], axis=0),
    OnnxNode("Optional", [FLOATS]), OnnxNode("OptionalGetElement", [FLOATS]),
    OnnxNode("OptionalHasElement", [FLOATS]),
    OnnxNode("StringConcat", [TEXTS, TEXTS]),
    OnnxNode("StringSplit", [TEXTS], outputs=2),
    OnnxNode("RegexFullMatch", [TEXTS], pattern="a"),
]


# --- trying -------------------------------------------------------------------------------

def attempt(source, case, folder, arguments, judge):
    """(state, why): equal, refused, differs, apart."""
    model, node, target = (os.path.join(folder, name) for name in
                           ("model" + source.ending, "node", "model.fb"))
    try:
        message, opset, texts, given = source.write(case, model)
    except (KeyError, ValueError, OverflowError) as error:
        return "apart", repr(error)
    if sum(map(len, texts)) > 60000 or any("\n" in t or "\t" in t for t in texts):
        return "apart", "too large for a line"
    for these in [[], ["--outputs", "r"]] if source is TensorFlow else [[]]:
        try:
            proof.convert(arguments.tenon, model, target, *these)
            break
        except proof.Unmapped as error:
            refusal = proof.told(error)
    else:
        if case.op not in PARTS:
            return "refused", refusal
        target = None
    with open(node, "wb") as file:
        file.write(message)
    code, printed = proof.Converter.of(arguments.tenon, os.getpid()).run(
        ["interpret", node, str(opset), " ".join(texts)])
    if code:
        return "differs", printed.strip()
    if not target:
        made = {op.name for op in described(printed)[0]}
        makes = arguments.makes[source.framework, case.op]
        return ("equal", "") if made and made <= makes else \
            ("differs", f"{made}, and its rules make {makes}")
    with open(target, "rb") as file:
        graph = judge.Graph(memoryview(file.read()),
                            judge.Remarks(False, False, True))
    why = difference(graph, *described(printed), given)
    return ("differs", why) if why else ("equal", "")


def chosen(cases, arguments):
    if arguments.all:
        return cases
    step = max(1, len(cases) // OF_EACH)
    return cases[::step][:OF_EACH]


def shard(jobs, arguments):
    judge = proof.Nd4j.find(arguments.shared).judge
    found = []
    with tempfile.TemporaryDirectory(prefix="tenon-proof-") as folder:
        for source, op in jobs:
            cases, seen = source.cases(op), 0
            for case in chosen(cases, arguments):
                state, why = attempt(source, case, folder, arguments, judge)
                found.append((source.framework, op, case.name, state, why))
                seen += state == "equal"
            # The ones that were chosen may all be refused.
            for case in cases if not seen else []:
                state, why = attempt(source, case, folder, arguments, judge)
                if state == "equal":
                    found.append((source.framework, op, case.name, state, why))
                    break
    return found


# --- nodes that say nothing ------------------------------------------------------------

def interpret(arguments, node, inputs):
    """The ops and what was assumed, or None and the refusal."""
    code, printed = proof.Converter.of(arguments.tenon, os.getpid()).run(
        ["interpret", node, "0", inputs])
    if code:
        return None, printed.strip()
    ops = json.loads(printed)["opList"]
    return ops, ops[0].pop("assumed", "")


def try_bare(dialect, op, text, node, arguments):
    with open(node, "w", encoding="utf-8") as file:
        file.write(text)
    ops, said = interpret(arguments, node, "")
    expected = BARE.get((dialect, op))
    if ops is None or expected:
        is_right = expected and ops is None and expected in said
        return ("refused", "") if is_right else ("differs", f"{said}: {text}")
    attributes = [word for word in said.split() if not re.search(r":\w", word)]
    if not said:
        return "bare", ""
    if not arguments.all and len(op) % 3:
        return "assumed", said  # time: the others are for --all
    again, left = interpret(arguments, node, " ".join(
        word for word in said.split() if word not in attributes))
    if again != ops or left.split() != attributes:
        return "differs", f"{said} told, and left: {left}"
    return "assumed", said


def bare_shard(jobs, arguments):
    with tempfile.TemporaryDirectory(prefix="tenon-proof-") as folder:
        return [(dialect, op, "bare", *try_bare(
            dialect, op, text, os.path.join(folder, "node"), arguments))
            for dialect, op, text in jobs]


def bare_jobs(arguments):
    makes = with_rules(arguments.tenon, {"paddle": "onnx"})
    for dialect in ("onnx", "tensorflow", "paddle"):
        names = {op for framework, op in makes if framework == dialect
                 and fnmatch.fnmatch(op, arguments.only)}
        nodes = bare_nodes.bare_nodes(dialect, names)
        yield from ((dialect, op, nodes[op]) for op in sorted(names))


def with_rules(tenon, over=None):
    """What all rules of an operator make that lead to nd4j, by framework and
    operator; `over`: frameworks that get there by another one."""
    over = over or {}
    printed = subprocess.run([tenon, "rules", "ls", "--json"], check=True,
                             stdout=subprocess.PIPE).stdout
    makes = collections.defaultdict(set)
    for rule in json.loads(printed)["rules"]:
        if rule["to"] == over.get(rule["from"], "nd4j"):
            makes[rule["from"], rule["operator"]].update(rule["makes"])
    return makes


def missing(ruled, equal, found):
    """Operators that nothing was shown of."""
    lacking = []
    refused = {row[:2] for row in found if row[3] == "refused"}
    for pair in sorted(set(ruled) - equal - WITHOUT):
        if pair[1] not in REFUSED or pair not in refused:
            print("no case of", *pair, "was equal")
            lacking.append(pair)
    return lacking


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tenon")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="*")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not proof.Nd4j.find(arguments.shared):
        print("skipped: wants real models: the judges beside them")
        return 77
    ruled = arguments.makes = with_rules(arguments.tenon)
    jobs = []
    for source in (Onnx, TensorFlow):
        names = {op for framework, op in ruled if framework == source.framework}
        jobs += [(source, op) for op in sorted(source.ops() & names)
                 if fnmatch.fnmatch(op, arguments.only)]
    with multiprocessing.Pool(2) as pool:
        found = sum(pool.starmap(shard, [(jobs[i::8], arguments)
                                         for i in range(8)]), [])
        jobs = list(bare_jobs(arguments))
        bare = sum(pool.starmap(bare_shard, [(jobs[i::8], arguments)
                                             for i in range(8)]), [])
    counts = collections.Counter(row[3] for row in found)
    equal = {(row[0], row[1]) for row in found if row[3] == "equal"}
    failures = [row for row in found if row[3] == "differs"]
    for row in failures + ([r for r in found if r[3] != "equal"]
                           if arguments.verbose else []):
        print(*row)
    if arguments.only == "*":
        failures += missing(ruled, equal, found)
    print(f"{len(equal)} operators, nodes:", dict(counts))
    wrong = [row for row in bare if row[3] == "differs"]
    for row in wrong + (bare if arguments.verbose else []):
        print(*row)
    print(f"{len(bare)} bare nodes:",
          dict(collections.Counter((row[0], row[3]) for row in bare)))
    failures += wrong
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
