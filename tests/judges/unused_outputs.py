#!/usr/bin/env python3
"""Operators of several outputs, each subset of which is used.

    unused_outputs.py TENON [--only PATTERN] [--shared DIR]

A kernel tells its outputs apart by counting, so each must keep its place in
every dialect, used or not.  Rows of the tables of single operators are
converted once for each subset of its outputs.
The results run on ONNX Runtime and on the evaluator of libnd4j's semantics, and
are held against the original engine, numpy or the evaluator of Paddle's.

An operator of several outputs that a vocabulary has and a rule takes, but of
which no row is tried, is a failure.  TN_OPS=all tries every row of the tables.
"""
import collections
import fnmatch
import itertools
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import graphdef
import onnx_cases
import onnx_versions
import paddle_flows
import paddle_onnx
import proof
import tensorflow_ops
from paddle_cases import CASES as PADDLE
from tensorflow_table import CASES as TENSORFLOW, DIRECT

ROWS_OF_AN_OP = None if os.environ.get("TN_OPS") == "all" else 1
TOGETHER = 40
ROOT = os.path.join(proof.HERE, "../..")
CORPUS = os.path.join(ROOT, "tests/corpus/contract")

# Whose outputs are no results that somebody could leave unused.
ELSEWHERE = {
    ("tensorflow", "Switch"): "control flow, which becomes If and Loop before rules",
    ("tensorflow", "Merge"): "control flow, which becomes If and Loop before rules",
    ("tensorflow", "TensorArrayV3"): "a handle and its flow; see tensorflow_lists.py",
    ("tensorflow", "TensorArrayConcatV3"): "see tensorflow_lists.py",
    **{("tensorflow", op): "each output alone: tensorflow_beyond.py" for op in (
        "QuantizeDownAndShrinkRange", "QuantizeV2", "QuantizedBiasAdd", "QuantizedConv2D", "QuantizedMatMul", "QuantizedMaxPool",
        "QuantizedRelu", "QuantizedRelu6", "QuantizedReluX", "QuantizedReshape", "RequantizationRange", "Requantize",
        "StringSplitV2")},
    **{("tensorflow", op): "where numbers by chance begin, which ONNX does not say" for op in (
        "StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")},
    ("nd4j", "create_list"): "a handle and its flow",
    ("onnx", "Scan"): "of opset 8 in a newer one, which is refused",
    ("onnx", "StringSplit"): "refused, whatever is used; see onnx_versions.py",
    ("paddle", "crf_edges"): "never in a file: made of crf_decoding, which has one output",
    ("paddle", "crf_best"): "never in a file: made of crf_decoding, which has one output",
}


def subsets(count):
    """Every one of up to seven outputs, which is all that operators name; of a
    longer list each alone, each pair, all."""
    sizes = range(1, count + 1) if count <= 7 else (1, 2, count)
    return [one for size in sizes for one in itertools.combinations(range(count), size)]


def some(rows, count_of):
    """The first rows, and the one with the most outputs before all."""
    rows = sorted(rows, key=lambda row: -count_of(row))
    return rows[:ROWS_OF_AN_OP]


# --- which operators there are -----------------------------------------------

def vocabulary(dialect):
    """Operators that may have more than one output: what their outputs are."""
    found = {}
    with open(os.path.join(ROOT, f"rules/{dialect}.ops")) as file:
        for line in file:
            head = re.match(r"op (\w+)(?:@\d+)? .*-> \((.*)\)", line)
            if head and re.search(r"[,*+]", re.sub(r"\w+\([^)]*\)", "", head[2])):
                found[head[1]] = head[2]
    return found


def optional_outputs(op):
    """Of an operator of ONNX: which outputs a file may leave out."""
    return [arg.split()[0].endswith("?") for arg in vocabulary("onnx")[op].split(", ")]


def only_refused():
    """Operators of TensorFlow whose rule only says why not."""
    with open(os.path.join(ROOT, "rules/tensorflow_onnx.rules")) as file:
        return {("tensorflow", op) for op in re.findall(r"^(\w+)\(.*\) -> \(.*\) \{ refuse ", file.read(), re.M)}


def demanded(tenon):
    """(dialect, operator) that rules take and that may have several outputs.
    Files of TFLite name all outputs of an operator; tflite_sweep.py has those."""
    told = subprocess.run([tenon, "rules", "ls", "--json"], stdout=subprocess.PIPE, check=True).stdout
    several = {dialect: vocabulary(dialect) for dialect in ("tensorflow", "onnx", "nd4j", "paddle")}
    return {(rule["from"], rule["operator"]) for rule in json.loads(told)["rules"]
            if rule["operator"] in several.get(rule["from"], ())} - only_refused()


# --- TensorFlow: all rows of a graph, direct and by way of .fb -----------------

Row = collections.namedtuple("Row", "name op case used")


def tensorflow_rows():
    several, ops = vocabulary("tensorflow"), collections.defaultdict(list)
    for case in [*TENSORFLOW.values(), *DIRECT.values()]:
        if case.op in several:
            ops[case.op].append(case)
    for op, cases in ops.items():
        for case in some(cases, lambda case: len(case.wants())):
            known = [at for at, want in enumerate(case.wants()) if want is not None]
            for used in subsets(len(known)):
                used = tuple(known[at] for at in used)
                yield Row(f"tensorflow/{case.name}:{','.join(map(str, used))}", op, case, used)


def tensorflow_graph(rows, path):
    """Feeds, what each row must give, and the options that name the ends."""
    graph, feeds, wants = graphdef.Graph(), {}, {}
    for index, row in enumerate(rows):
        fed, want = tensorflow_ops.place(graph, f"r{index}", row.case)
        feeds.update(fed)
        wants[index] = {}
        for at in row.used:
            array = want[f"r{index}:{at}"]
            node = graph.node("Identity", f"r{index}_use{at}", [f"r{index}:{at}"])
            node.attr["T"].type = graphdef.TYPES[graphdef.type_name(array)]
            wants[index][f"r{index}_use{at}"] = array
    graph.write(path)
    ends = ["--outputs", ",".join(name for want in wants.values() for name in want)]
    return feeds, wants, ends + (["--inputs", ",".join(feeds)] if feeds else [])


def prove_tensorflow(rows, bench):
    feeds, wants, ends = tensorflow_graph(rows, bench.path(".pb"))
    proof.convert(bench.tenon, bench.path(".pb"), bench.path(".onnx"), *ends)
    if rows[0].case.is_direct:
        got = bench.engine.run(bench.path(".onnx"), feeds, optimize="disabled")
        for row, want in zip(rows, wants.values()):
            tensorflow_ops.hold(got, want, row.case)
        return
    proof.convert(bench.tenon, bench.path(".pb"), bench.path(".fb"), *ends)
    proof.convert(bench.tenon, bench.path(".fb"), bench.path(".back.onnx"))
    ways = [bench.engine.run(bench.path(ending), feeds, optimize="disabled")
            for ending in (".onnx", ".back.onnx")]
    graph = bench.nd4j()
    for row, want in zip(rows, wants.values()):
        said = None if row.case.skips_judge else bench.judged(graph, feeds, list(want))
        for got in [*ways, said] if said else ways:
            tensorflow_ops.hold(got, want, row.case)


# Graphs as files, and what they give for x of [2, 6].
FILES = {
    "split-one-of-three-used.pbtxt": ("y", lambda x: np.maximum(x[:, :2], 0)),
    "split-two-of-three-used.pbtxt": ("z", lambda x: x[:, :2] + x[:, 2:4]),
    "splitv-one-of-two-used.pbtxt": ("y", lambda x: np.maximum(x[:, :2], 0)),
}


def prove_file(file, bench):
    name, want = FILES[file]
    x = np.arange(-6, 6, dtype="f4").reshape(2, 6)
    source = os.path.join(CORPUS, file)
    proof.convert(bench.tenon, source, bench.path(".onnx"))
    proof.convert(bench.tenon, source, bench.path(".fb"))
    proof.convert(bench.tenon, bench.path(".fb"), bench.path(".back.onnx"))
    for ending in (".onnx", ".back.onnx"):
        got = bench.engine.run(bench.path(ending), {"x": x})
        proof.compare(name, got[name], want(x), 1e-6, 1e-6)
    return 1


# --- ONNX: rows of an opset, unused outputs named or left out ------------------

def onnx_rows():
    ops = collections.defaultdict(list)
    for case in onnx_cases.CASES:
        if case.outputs > 1 and not onnx_versions.refusal_of(case):
            ops[case.op, case.opset if ROWS_OF_AN_OP is None else case.is_edge].append(case)
    for (op, _), cases in ops.items():
        may_miss = optional_outputs(op)
        for case in some(cases, lambda case: case.outputs):
            for used in subsets(case.outputs):
                for way in ("named", "absent") if any(may_miss) else ("named",):
                    yield Row(f"onnx/{case.name}:{','.join(map(str, used))} {way}", op, case, used)


def onnx_model(rows, path):
    import onnx
    feeds = onnx_versions.model_of([row.case for row in rows], path)
    model = onnx.load(path)
    kept = {f"{index}_out{at}" for index, row in enumerate(rows) for at in row.used}
    ends = [end for end in model.graph.output if end.name in kept]
    del model.graph.output[:]
    model.graph.output.extend(ends)
    for node, row in zip(model.graph.node, rows):
        if row.name.endswith("absent"):
            may_miss = optional_outputs(row.op)
            node.output[:] = ["" if name not in kept and at < len(may_miss) and may_miss[at] else name
                              for at, name in enumerate(node.output)]
    onnx.save(model, path)
    return feeds


def prove_onnx(rows, bench):
    feeds = onnx_model(rows, bench.path(".onnx"))
    want = bench.engine.run(bench.path(".onnx"), feeds)
    proof.convert(bench.tenon, bench.path(".onnx"), bench.path(".fb"))
    proof.convert(bench.tenon, bench.path(".fb"), bench.path(".back.onnx"))
    got = bench.engine.run(bench.path(".back.onnx"), feeds)
    graph = bench.nd4j()
    for index, row in enumerate(rows):
        names = [f"{index}_out{at}" for at in row.used]
        said = bench.judged(graph, feeds, names)
        for given in (got, said) if said else (got,):
            for name in names:
                proof.compare(name, given[name], want[name], 1e-3, 1e-4)


def onnx_can_say(rows, bench):
    """Those that the engine runs as they stand."""
    try:
        bench.engine.run(bench.path(".onnx"), onnx_model(rows, bench.path(".onnx")))
        return rows
    except proof.engines.EngineError:
        return sum((onnx_can_say(half, bench) for half in onnx_versions.halves(rows)), [])


# --- nd4j: calls that a rule of the test's own makes ----------------------------

def f(*dims, seed=3):
    return np.random.RandomState(seed + len(dims)).uniform(-2, 2, dims).astype("f4")


def spd(size):
    made = f(size, size)
    return (made @ made.T + size * np.eye(size)).astype("f4")


# is_signless: its outputs have the signs that the kernel happens to find.  want: what
# numpy gives for a call that the evaluator does not cover.
Call = collections.namedtuple("Call", "call inputs outputs tolerance is_signless want", defaults=[1e-4, False, None])
TWICE = np.array([3, 1, 3, 2, 1, 7], "i4")

# The call in the words of rules, with inputs x0, x1...
ND4J = {
    "split": [Call("split(const(1, int32), x0; numSplit: 3)", [f(2, 6)], 3)],
    "split_v": [Call("split_v(x0, const([1, 3, 2], int32), const(1, int32); dimensions: 1, numSplit: 3)", [f(2, 6)], 3)],
    "unstack": [Call("unstack(x0; dimensions: 1, num: 3)", [f(2, 3)], 3)],
    "top_k": [Call("top_k(x0; k: 2, needSort: true)", [f(3, 5)], 2)],
    "unique": [Call("unique(x0)", [TWICE], 2)],
    "unique_with_counts": [Call("unique_with_counts(x0)", [TWICE], 3)],
    "listdiff": [Call("listdiff(x0, x1)", [TWICE, np.array([1, 2], "i4")], 2)],
    "dynamic_partition": [Call("dynamic_partition(x0, x1; numPartitions: 3)",
                               [f(4, 2), np.array([2, 0, 2, 1], "i4")], 3)],
    "shapes_of": [Call("shapes_of(x0, x1, x2)", [f(2, 3), f(4), f(1, 2, 3)], 3)],
    "identity_n": [Call("identity_n(x0, x1, x2)", [f(2), f(3), f(4)], 3)],
    "toggle_bits": [Call("toggle_bits(x0, x1)", [TWICE, TWICE + np.int32(2)], 2)],
    "fused_batch_norm": [Call("fused_batch_norm(x0, x1, x2; dataFormat: 0, isTraining: 1, epsilon: 0.001)",
                              [f(2, 3, 3, 4), f(4), f(4, seed=5)], 3)],
    "qr": [Call("qr(x0; fullMatrices: false)", [f(4, 3)], 2, 1e-3, True, np.linalg.qr)],
    "lu": [Call("lu(x0)", [spd(3)], 2)],
    "svd": [Call("svd(x0; fullUV: false, calcUV: true, switchNum: 16)", [f(4, 3)], 3, 1e-3, True)],
    "gruCell": [Call("gruCell(x0, x1, x2, x3, x4, x5)",
                     [f(2, 3), f(2, 4), f(7, 8), f(7, 4), f(8), f(4, seed=5)], 4)],
    "lstmBlockCell": [Call("lstmBlockCell(x0, x1, x2, x3, x4, x5, x6, x7; peephole: 0, forgetBias: 1.0, clippingCellValue: 0.0)",
                           [f(2, 3), f(2, 4), f(2, 4, seed=5), f(7, 16), f(4), f(4), f(4), f(16)], 7)],
    "lstmBlock": [Call("lstmBlock(const(3, int64), x0, x1, x2, x3, x4, x5, x6, x7; peephole: 0, dataFormat: 0,"
                       " forgetBias: 1.0, clippingCellValue: 0.0)",
                       [f(3, 2, 3), f(2, 4), f(2, 4, seed=5), f(7, 16), f(4), f(4), f(4), f(16)], 7)],
    "lstmLayer": [Call("lstmLayer(x0, x1, x2, x3; dataFormat: 0, directionMode: 0, gateAct: 2, cellAct: 0, outAct: 0,"
                       " hasBiases: true, hasSeqLen: false, hasInitH: false, hasInitC: false, hasPH: false,"
                       " retFullSeq: true, retLastH: true, retLastC: true, cellClip: 0.0)",
                       [f(3, 2, 3), f(3, 16), f(4, 16), f(16)], 3)],
}


def nd4j_rows():
    for op, calls in ND4J.items():
        for number, call in enumerate(calls):
            for used in subsets(call.outputs):
                yield Row(f"nd4j/{op}.{number}:{','.join(map(str, used))}", op, call, used)


def nd4j_model(row, path):
    """An operator of the test's own; the rule that makes the call of it."""
    import onnx
    from onnx import helper
    inputs = [f"x{at}" for at in range(len(row.case.inputs))]
    outputs = [f"y{at}" for at in range(row.case.outputs)]
    with open(path(".rules"), "w") as file:
        file.write(f"rules onnx -> nd4j 1\ntest::Call({', '.join(inputs)}) -> ({', '.join(outputs)})"
                   f" {{\n    {', '.join(outputs)} <- {row.case.call}\n}}\n")
    ends = [helper.make_tensor_value_info(name, onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)
            for name, array in zip(inputs, row.case.inputs)]
    graph = helper.make_graph([helper.make_node("Call", inputs, outputs, name="call", domain="test")], "g", ends,
                              [onnx.ValueInfoProto(name=outputs[at]) for at in row.used])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("test", 1)]),
              path(".onnx"))
    return dict(zip(inputs, row.case.inputs))


def prove_nd4j(rows, bench):
    for row in rows:
        feeds = nd4j_model(row, bench.path)
        proof.convert(bench.tenon, bench.path(".onnx"), bench.path(".fb"), "--rules", bench.path(".rules"))
        proof.convert(bench.tenon, bench.path(".fb"), bench.path(".back.onnx"))
        names = [f"y{at}" for at in row.used]
        want = bench.judged(bench.nd4j(), feeds, names)
        if row.case.want:
            want = dict(zip(names, (row.case.want(*row.case.inputs)[at] for at in row.used)))
        if want is None:
            raise proof.Differs("the evaluator does not cover it")
        got = bench.engine.run(bench.path(".back.onnx"), feeds)
        same = np.abs if row.case.is_signless else np.asarray
        for name in names:
            proof.compare(name, same(got[name]), same(want[name]), row.case.tolerance, row.case.tolerance)


# --- Paddle: fetches of a program ------------------------------------------------

def paddle_program(name):
    return paddle_onnx.Program(paddle_onnx.SIDES["schema"], PADDLE[name], is_open=False)


def paddle_rows():
    several, ops = vocabulary("paddle"), collections.defaultdict(list)
    for name in PADDLE:
        program = paddle_program(name)
        kinds = {op.type for block in program.program.blocks for op in block.ops}
        for op in several.keys() & kinds:
            ops[op].append((name, len(program.fetches)))
    for op, found in ops.items():
        for name, count in some(found, lambda row: row[1]):
            for used in subsets(count):
                yield Row(f"paddle/{name}:{','.join(map(str, used))}", op, name, used)


def paddle_wants(program, folder, bench):
    """What all fetches must be: as the evaluator says, or numpy of the first and
    for the others what the whole program gives."""
    program.write(folder)
    if not program.case.expect:
        return paddle_onnx.SIDES["judge"].run(folder)
    arrays = [array for slot in program.case.inputs.values() for array in slot]
    first = {program.fetches[0]: program.case.expect(*arrays)}
    program.type_outputs(first)
    program.write(folder)
    proof.convert(bench.tenon, os.path.join(folder, "model.pdmodel"), os.path.join(folder, "whole.onnx"),
                  *program.ends())
    whole = bench.engine.run(os.path.join(folder, "whole.onnx"), {**program.feeds, **program.lods})
    return {**whole, **first}


def drop_fetches(program, used):
    """Only those are fetched."""
    kept = [program.fetches[at] for at in used]
    for at in reversed(range(len(program.block.ops))):
        op = program.block.ops[at]
        if op.type == "fetch" and op.inputs[0].arguments[0] not in kept:
            del program.block.ops[at]
    for column, op in enumerate(op for op in program.block.ops if op.type == "fetch"):
        op.attrs[0].i = column
    return kept


def prove_paddle(rows, bench):
    for row in rows:
        program = paddle_program(row.case)
        with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
            want = paddle_wants(program, folder, bench)
            kept = drop_fetches(program, row.used)
            program.type_outputs(want)
            program.write(folder)
            source, back = (os.path.join(folder, name) for name in ("model.pdmodel", "model.onnx"))
            proof.convert(bench.tenon, source, back, *program.ends())
            got = bench.engine.run(back, {**program.feeds, **program.lods}, optimize="disabled")
            if list(got) != kept:
                raise proof.Differs(f"outputs {list(got)}, not {kept}")
            zero = 0 if program.case.only_shapes else 1
            for name in kept:
                proof.compare(name, got[name] * zero, want[name] * zero, 1e-4, 1e-5)


# --- all of them -------------------------------------------------------------------

class Bench:
    def __init__(self, engine, scratch, arguments):
        self.engine, self.scratch, self.tenon = engine, scratch, arguments.tenon
        self.judge = proof.Nd4j.find(arguments.shared)

    def path(self, ending):
        return os.path.join(self.scratch, "model" + ending)

    def nd4j(self):
        """The .fb file, read by the evaluator; None: there is none."""
        return self.judge.load(self.path(".fb")) if self.judge else None

    def judged(self, graph, feeds, names):
        """What libnd4j would give; None: the evaluator has no such op."""
        return self.judge.run(None, feeds, names, graph) if graph else None


# Rows hold functions, which no process can send to another, but every child has.
GROUPS = []
PROOFS = {"tensorflow": prove_tensorflow, "onnx": prove_onnx, "nd4j": prove_nd4j, "paddle": prove_paddle}


def results_of(rows, bench):
    """All together; when that fails, each half."""
    if not rows:
        return []
    dialect = rows[0].name.split("/")[0]
    result = proof.judged(lambda test: PROOFS[dialect](rows, bench) or 1, rows[0].name)
    if result.state == "passed" or len(rows) == 1:
        return [result._replace(test=row.name) for row in rows]
    return sum((results_of(half, bench) for half in onnx_versions.halves(rows)), [])


def shard(part, arguments):
    found = []
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-outputs-") as scratch:
        bench = Bench(engine, scratch, arguments)
        if part == 0:
            found += [proof.judged(prove_file, file, bench) for file in FILES]
        for rows in GROUPS[part::2]:
            able = onnx_can_say(rows, bench) if rows[0].name.startswith("onnx/") else rows
            found += results_of(able, bench)
            names = {row.name for row in able}
            found += [proof.Result(row.name, "not run", "", 0) for row in rows if row.name not in names]
    return found


def grouped(rows):
    """Rows that may stand in one model, not too many at once."""
    kinds = collections.defaultdict(list)
    for row in rows:
        opset = row.case.opset if row.name.startswith("onnx/") else 0
        opset = "direct" if getattr(row.case, "is_direct", False) else opset
        kinds[row.name.split("/")[0], opset].append(row)
    for alike in kinds.values():
        for first in range(0, len(alike), TOGETHER):
            yield alike[first:first + TOGETHER]


def all_rows(has_paddle, has_judge):
    yield from tensorflow_rows()
    yield from onnx_rows()
    if has_judge:
        yield from nd4j_rows()
    if has_paddle:
        yield from paddle_rows()


def missing(arguments, rows, skipped):
    tried = {(row.name.split("/")[0], row.op) for row in rows}
    for dialect, op in sorted(demanded(arguments.tenon) - tried - set(ELSEWHERE)):
        if dialect not in skipped:
            yield f"{dialect}: {op} has several outputs and a rule, and no row here tries it"


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    warnings.simplefilter("ignore")
    proof.engines.OnnxRuntime.find()
    graphdef.schema()
    has_paddle = os.path.exists(os.path.join(arguments.shared, "judges/paddle_eval.py"))
    has_judge = proof.Nd4j.find(arguments.shared) is not None
    if has_paddle:
        PADDLE.update(paddle_flows.CASES)
        paddle_onnx.SIDES.update(schema=paddle_onnx.schema(), judge=paddle_onnx.Judge(arguments.shared))
    rows = list(all_rows(has_paddle, has_judge))
    skipped = {*(() if has_paddle else ("paddle",)), *(() if has_judge else ("nd4j",))}
    lacking = list(missing(arguments, rows, skipped))
    rows = [row for row in rows if fnmatch.fnmatch(row.name, arguments.only or "*")]
    GROUPS.extend(grouped(rows))
    with multiprocessing.Pool(2) as pool:
        parts = pool.starmap(shard, [(part, arguments) for part in range(2)])
    results = sorted(sum(parts, []))
    for row in [*proof.rows(results), *lacking]:
        print(row)
    print(proof.summary("subsets of outputs", results)[0])
    return bool(lacking) or any(result.state not in ("passed", "not run") for result in results)


if __name__ == "__main__":
    sys.exit(main())
