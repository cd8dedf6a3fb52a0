#!/usr/bin/env python3
"""Every operator of Paddle in every way: judges/paddle_eval.py, and paddle -> onnx -> ONNX Runtime.

    paddle_sweep.py TENON [--only OPS] [--slice N] [--report FILE [--update]] [--shared DIR]

The cases are made by paddle_ways.py; verdicts and their table: sweep.py.  Many
go into one program.  An operator of the rule set without a case fails the run.
"""
import os
import sys
import tempfile

import numpy as np
import paddle_cases
import paddle_onnx
import paddle_ways as ways
import proof
import sweep

TOLERANCE = {"float16": (1e-2, 1e-2), "float32": (1e-4, 1e-5), "float64": (1e-4, 1e-5)}


class NoProgram(Exception):
    """The evaluator of Paddle does not take it."""


def build(program, cases):
    """All cases side by side; what each of them gives, by its name."""
    made = {}
    for index, case in enumerate(cases):
        inputs = {slot: [f"r{index}_{slot}_{i}" for i in range(len(arrays))] for slot, arrays in case.inputs.items()}
        outputs = {slot: [f"r{index}_out_{slot}_{i}" for i in range(count)] for slot, count in case.outputs.items()}
        for slot, names in inputs.items():
            for name, array in zip(names, case.inputs[slot]):
                program.place(name, array, slot in case.fixed, case.lods.get(slot))
        for slot, names in outputs.items():
            for name in names:
                program.output(name, slot)
        program.op(case.op, inputs, outputs, {"op_role": 0, **case.attrs})
        made[case] = [name for slot, names in outputs.items() if slot not in case.drops for name in names]
        for name in made[case]:
            program.fetch(name)
    return made


def program_of(cases):
    holder = paddle_cases.Case("", {}, build=lambda program: None)
    program = paddle_onnx.Program(paddle_onnx.SIDES["schema"], holder, is_open=False)
    return program, build(program, cases)


def expected(cases, program, fetched, folder):
    """By the evaluator, or by the case's own expression of its first output."""
    if all(case.expect for case in cases):
        with np.errstate(all="ignore"):
            return {fetched[case][0]: np.asarray(case.expect(*(a for arrays in case.inputs.values() for a in arrays)))
                    for case in cases}
    program.write(folder)
    try:
        with np.errstate(all="ignore"):
            return paddle_onnx.SIDES["judge"].run(folder)
    except Exception as error:  # whatever numpy says of arguments that do not fit
        raise NoProgram(str(error)) from error


def hold(case, names, got, want):
    for name in names if not case.expect else names[:1]:
        found, array = got[name], want[name]
        if case.only_shapes:
            found, array = found * 0, array * 0
        if case.attrs.get("sorted") is False:  # the same ones in any order
            found, array = np.sort(found, None), np.sort(array, None)
        proof.compare("output", found, array, *TOLERANCE.get(str(array.dtype), (0, 0)))


def travel(cases, engine, scratch, arguments):
    """The cases that came out wrong, and how."""
    if len({bool(case.expect) for case in cases}) > 1:
        return {**travel([c for c in cases if c.expect], engine, scratch, arguments),
                **travel([c for c in cases if not c.expect], engine, scratch, arguments)}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        program, fetched = program_of(cases)
        want = expected(cases, program, fetched, folder)
        program.type_outputs(want)
        program.write(folder)
        back = os.path.join(folder, "model.onnx")
        proof.convert(arguments.tenon, os.path.join(folder, "model.pdmodel"), back, *program.ends())
        got = engine.run(back, {**program.feeds, **program.lods}, optimize="disabled")
    failures = {}
    for case, names in fetched.items():
        try:
            hold(case, names, got, want)
        except proof.Differs as error:
            failures[case.name] = f"{error}: {described(case)}"
    return failures


def described(case):
    ends = ", ".join(f"{slot}={[f'{a.dtype}{list(a.shape)}' for a in arrays]}" for slot, arrays in case.inputs.items())
    return f"{case.op}({ends}; {case.attrs})"


def valid(cases, folder):
    """Those that the evaluator takes, one by one where a program of many fails."""
    judged = [case for case in cases if not case.expect]
    if judged:
        try:
            program, fetched = program_of(judged)
            expected(judged, program, fetched, folder)
        except (NoProgram, KeyError):
            if len(judged) == 1:
                return [case for case in cases if case.expect]
            half = len(cases) // 2
            return valid(cases[:half], folder) + valid(cases[half:], folder)
    return cases


def programs(arguments):
    """The cases of this run that are programs of Paddle."""
    made, chosen = [], sweep.chosen_cases(ways.all_cases(), arguments)
    with tempfile.TemporaryDirectory(prefix="tenon-sweep-") as folder:
        for i in range(0, len(chosen), sweep.TOGETHER):
            made += valid(chosen[i:i + sweep.TOGETHER], folder)
    return made


def uncovered(cases):
    have = {case.op for case in cases}
    for op in sorted(ways.carried() - have - set(ways.EXCEPTIONS)):
        yield f"{op}: no case"
    for op in sorted(set(ways.EXCEPTIONS) & have):
        yield f"{op}: is an exception, and has cases"


def main():
    arguments = sweep.parse(__doc__.splitlines()[0])
    if not os.path.exists(os.path.join(arguments.shared, "judges/paddle_eval.py")):
        print("skipped: wants real models")
        return 77
    paddle_onnx.SIDES.update(schema=paddle_onnx.schema(), judge=paddle_onnx.Judge(arguments.shared))
    cases = programs(arguments)
    verdicts = sweep.run(cases, travel, arguments)
    missing = [] if arguments.only else list(uncovered(cases))
    known = None if arguments.slice else cases
    return sweep.conclude("Paddle, swept", "paddle sweep", known, verdicts, missing, arguments)


if __name__ == "__main__":
    sys.exit(main())
