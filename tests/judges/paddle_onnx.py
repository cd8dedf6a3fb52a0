#!/usr/bin/env python3
"""Every rule from Paddle to ONNX: small programs, run on both sides.

    paddle_onnx.py TENON [--only PATTERN] [--shared DIR]

A program is made, run by `judges/paddle_eval.py`, which follows Paddle's own
kernels, converted, and run by ONNX Runtime.  A rule of
rules/paddle_onnx.rules that carries nothing in any of them is a failure.
"""
import contextlib
import importlib.util
import io
import os
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
import paddle_flows
import paddle_quantized
import proof
from paddle_cases import CASES

ROOT = os.path.join(proof.HERE, "../..")
TYPES = {"bool": 0, "int16": 1, "int32": 2, "int64": 3, "float16": 4,
         "float32": 5, "float64": 6, "uint8": 20, "int8": 21}
LOD_TENSOR, FEED, FETCH, ARRAY = 7, 9, 10, 13
STEP_SCOPES = 11


# --- programs ----------------------------------------------------------------

def schema():
    """The module that protoc makes of our schema."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", "-I", os.path.join(ROOT, "schemas"),
                        f"--python_out={folder}", "paddle.proto"], check=True)
        sys.path.insert(0, folder)
        import paddle_pb2
        sys.path.remove(folder)
    return paddle_pb2


def put_attr(op, name, value):
    """Of the type that Paddle's makers give it."""
    attr = op.attrs.add(name=name)
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(value, list) and not value:
        attr.type = 4 if name in ("max_sizes", "scale") else 3
    elif isinstance(value, list):
        kind, items = {int: (3, attr.ints), float: (4, attr.floats), str: (5, attr.strings)}[type(first)]
        if name == "int64_values":
            kind, items = 11, attr.longs
        attr.type = kind
        items.extend(value)
    elif isinstance(value, paddle_flows.Block):
        attr.type, attr.block_idx = 8, value
    elif isinstance(value, bool):
        attr.type, attr.b = 6, value
    elif isinstance(value, int):
        attr.type, attr.i = 0, value
    elif isinstance(value, float):
        attr.type, attr.f = 1, value
    else:
        attr.type, attr.s = 2, value


class Program:
    """Operators between feeds and fetches: one, or what the case says."""

    def __init__(self, pb, made, is_open):
        self.pb, self.case, self.is_open = pb, made, is_open
        self.program = pb.ProgramDesc()
        self.program.version.version = 3000000
        self.block = self.program.blocks.add(idx=0, parent_idx=-1)
        self.feeds, self.stored, self.fetches, self.lods = {}, {}, [], {}
        self.var("feed", FEED, persistable=True)
        self.var("fetch", FETCH, persistable=True)
        if made.build:
            made.build(self)
        else:
            self.build()

    def var(self, name, kind=LOD_TENSOR, array=None, persistable=False):
        var = self.block.vars.add(name=name, persistable=persistable)
        var.type.type = kind
        if array is not None:
            tensor = var.type.lod_tensor.tensor
            tensor.data_type = TYPES[str(array.dtype)]
            is_known = persistable or not self.is_open
            tensor.dims.extend(array.shape if is_known else [-1] * array.ndim)
        elif kind == LOD_TENSOR:
            var.type.lod_tensor.tensor.data_type = TYPES["float32"]

    def output(self, name, slot):
        """A result: of floats, until type_outputs() knows better."""
        self.var(name)
        if slot in ("Indices", "Index", "Counts"):
            self.block.vars[-1].type.lod_tensor.tensor.data_type = TYPES["int64"]

    def declare(self, name, dtype="float32", dims=(1,), is_array=False):
        """A variable of the block at hand."""
        var = self.block.vars.add(name=name)
        var.type.type = ARRAY if is_array else LOD_TENSOR
        desc = var.type.tensor_array if is_array else var.type.lod_tensor
        desc.tensor.data_type = TYPES[dtype]
        desc.tensor.dims.extend(dims)
        return name

    @contextlib.contextmanager
    def inside(self):
        """Operators go to a new block."""
        outside = self.block
        self.block = self.program.blocks.add(idx=len(self.program.blocks), parent_idx=outside.idx)
        yield paddle_flows.Block(self.block.idx)
        self.block = outside

    def fetch(self, name):
        self.op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": len(self.fetches)})
        self.fetches.append(name)

    def declare_scopes(self, names):
        for name in names:
            if all(var.name != name for var in self.block.vars):
                self.var(name, STEP_SCOPES)

    def op(self, kind, inputs, outputs, attrs=None):
        self.declare_scopes(outputs.get("Scope", []) + outputs.get("StepScopes", []))
        op = self.block.ops.add(type=kind)
        # Backwards: the order in a file says nothing.
        for slot, names in reversed(inputs.items()):
            op.inputs.add(parameter=slot, arguments=names)
        for slot, names in reversed(outputs.items()):
            op.outputs.add(parameter=slot, arguments=names)
        for name, value in (attrs or {}).items():
            put_attr(op, name, value)

    def place(self, name, array, is_stored=False, lod=None):
        self.var(name, array=array, persistable=is_stored)
        if lod:
            self.lods[f"{name}@lod"] = np.array(lod, "i8")
            self.block.vars[-1].type.lod_tensor.lod_level = 1
        (self.stored if is_stored else self.feeds)[name] = array
        if not is_stored:
            self.op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": len(self.feeds) - 1})

    def build(self):
        made = self.case
        inputs = {slot: [f"{slot}_{i}" for i in range(len(arrays))]
                  for slot, arrays in made.inputs.items()}
        outputs = {slot: [f"out_{slot}_{i}" for i in range(count)]
                   for slot, count in made.outputs.items()}
        for slot, names in inputs.items():
            for name, array in zip(names, made.inputs[slot]):
                self.place(name, array, slot in made.fixed, made.lods.get(slot))
        for slot, names in outputs.items():
            for name in names:
                self.output(name, slot)
        self.op(made.op, inputs, outputs, {"op_role": 0, **made.attrs})
        for slot, names in outputs.items():
            for name in names if slot not in made.drops else []:
                self.fetch(name)

    def type_outputs(self, want):
        """Variables say what they hold."""
        for var in self.block.vars:
            if var.name in want:
                desc = var.type.lod_tensor.tensor
                desc.data_type = TYPES[str(want[var.name].dtype)]

    def record(self, array):
        desc = self.pb.VarType.TensorDesc(data_type=TYPES[str(array.dtype)],
                                          dims=array.shape).SerializeToString()
        return (struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc + array.tobytes())

    def write(self, folder):
        with open(os.path.join(folder, "model.pdmodel"), "wb") as file:
            file.write(self.program.SerializeToString())
        with open(os.path.join(folder, "model.pdiparams"), "wb") as file:
            for name in sorted(self.stored):
                file.write(self.record(self.stored[name]))
        np.savez(os.path.join(folder, "in.npz"), **self.feeds, **self.lods)

    def ends(self):
        """Options that make inputs of offsets, too."""
        return ["--inputs", ",".join([*self.feeds, *self.lods])] if self.lods else []


# --- both sides --------------------------------------------------------------

class Judge:
    def __init__(self, shared):
        path = os.path.join(shared, "judges", "paddle_eval.py")
        spec = importlib.util.spec_from_file_location("paddle_eval", path)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def run(self, folder):
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            status = self.module.main([
                os.path.join(folder, "model.pdmodel"), "--inputs",
                os.path.join(folder, "in.npz"), "--outputs",
                os.path.join(folder, "out.npz")])
        if status:
            raise proof.Differs(f"the judge: {told.getvalue().strip()[-150:]}")
        return dict(np.load(os.path.join(folder, "out.npz")))


# Modules, which no process can send to another, but every child has.
SIDES = {}


# Programs that are run again with dims that nobody knows.
OPEN = re.compile("""argsort|concat|elementwise|expand|fill|flatten|gather|.*interp|is_empty|layer_norm
    |lookup|matmul|meshgrid|mul|multiclass|norm|pad|pixel|prelu|prior|reduce|reshape|shape|slice|split[.]
    |pool2d[.].*even|sequence|stack|strided|tile|top_k|unsqueeze|unstack|yolo""", re.X)


def prove(test, engine, scratch, arguments):
    name, *how = test.split("@")
    program = Program(SIDES["schema"], CASES[name], is_open="open" in how)
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        program.write(folder)
        if program.case.expect:
            arrays = [array for slot in program.case.inputs.values() for array in slot]
            want = {program.fetches[0]: program.case.expect(*arrays)}
        else:
            want = SIDES["judge"].run(folder)
        program.type_outputs(want)
        program.write(folder)
        source = os.path.join(folder, "model.pdmodel")
        back = os.path.join(folder, "model.onnx")
        if "pir" in how:
            os.mkdir(os.path.join(folder, "pir"))  # its parameters are called as ours are
            source = os.path.join(folder, "pir", "model.json")
            proof.convert(arguments.tenon, os.path.join(folder, "model.pdmodel"), source)
        if not how:
            note_rules(arguments, source, back, *program.ends())
        proof.convert(arguments.tenon, source, back, *program.ends())
        hold_graph(program.case, back)
        got = engine.run(back, {**program.feeds, **program.lods}, optimize="disabled")
        if "pir" in how:  # where outputs may have other names
            got = dict(zip(program.fetches, got.values()))
        for name in program.fetches if not program.case.expect else [program.fetches[0]]:
            array = got[name] * 0 if program.case.only_shapes else got[name]
            wanted = want[name] * 0 if program.case.only_shapes else want[name]
            proof.compare(name, array, wanted, 1e-4, 1e-5)
    return 1


def hold_graph(case, path):
    import onnx
    why = case.graph and case.graph.hold(onnx.load(path))
    if why:
        raise proof.Differs(why)


def note_rules(arguments, source, target, *options):
    """Which rules carry the program."""
    told = subprocess.run([arguments.tenon, "convert", "--plan", *options, source, "-o", target], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=False)
    with open(arguments.used, "a") as file:
        file.writelines(line + "\n" for line in re.findall(r"paddle_onnx\.rules:(\d+)", told.stdout))


def unused(path):
    """Rules that carried nothing."""
    with open(path) as file:
        used = {int(line) for line in file}
    with open(os.path.join(ROOT, "rules/paddle_onnx.rules")) as file:
        for number, line in enumerate(file, 1):
            if re.match(r"[a-z]\w*\(", line) and number not in used:
                yield f"rules/paddle_onnx.rules:{number}: no program for {line.split('(')[0]}"


def rarer():
    """Operators of that section of the table of PIR's names."""
    with open(os.path.join(ROOT, "rules/paddle_pir.names")) as file:
        section = file.read().split("# ---- rarer ones")[1]
    return set(re.findall(r"^op \S+ = (\S+)", section, re.M))


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.exists(os.path.join(arguments.shared, "judges/paddle_eval.py")):
        print("skipped: wants real models")
        return 77
    SIDES.update(schema=schema(), judge=Judge(arguments.shared))
    CASES.update(paddle_flows.CASES)
    CASES.update(paddle_quantized.CASES)
    tests = [*CASES, *(f"{name}@open" for name in CASES if OPEN.match(name)),
             *(f"{name}@pir" for name in paddle_flows.CASES if name not in paddle_flows.NOT_PIR),
             *(f"{name}@pir" for name in rarer() if name in CASES)]
    with tempfile.NamedTemporaryFile() as used:
        arguments.used = used.name
        results = proof.run(prove, sorted(tests), arguments)
        missing = [] if arguments.only else list(unused(used.name))
    for row in [*proof.rows(results), *missing]:
        print(row)
    print(proof.summary("Rules from Paddle", results)[0])
    return bool(missing) or any(result.state != "passed" for result in results)


if __name__ == "__main__":
    sys.exit(main())
