#!/usr/bin/env python3
"""The ONNX backend suite: onnx -> nd4j (.fb) -> onnx -> ONNX Runtime.

    onnx_suite.py TENON [--only PATTERN] [--shared DIR] [--report FILE] ...

The tests are Debian's libonnx-testdata.  One that ONNX Runtime does not pass as
it stands is not run.  With ../shared the .fb files are also run by the
evaluator of libnd4j's semantics, for the ops that it covers; --judged FILE
lists those that passed there.
"""
import os
import shutil
import sys

import proof

SUITE = "/usr/lib/python3/dist-packages/onnx/backend/test/data/node"
RELATIVE, ABSOLUTE = 1e-3, 1e-5


def tensor(path):
    import onnx
    import onnx.numpy_helper
    message = onnx.TensorProto()
    with open(path, "rb") as file:
        message.ParseFromString(file.read())
    return onnx.numpy_helper.to_array(message)


def case(test):
    """The model's path, its inputs and outputs by name."""
    import onnx
    path = os.path.join(SUITE, test, "model.onnx")
    data = os.path.join(SUITE, test, "test_data_set_0")
    graph = onnx.load(path).graph

    def named(ends, word):
        return {end.name: tensor(os.path.join(data, f"{word}_{index}.pb"))
                for index, end in enumerate(ends)}

    return path, named(graph.input, "input"), named(graph.output, "output")


def hold(outputs, want):
    for name, array in want.items():
        if name not in outputs:
            raise proof.Differs(f"no output '{name}'")
        proof.compare(name, outputs[name], array, RELATIVE, ABSOLUTE)


class NotRun(Exception):
    pass


def original(test, engine):
    """None: the engine does not pass it as it stands."""
    try:
        path, inputs, want = case(test)
        hold(engine.run(path, inputs), want)
        return path, inputs, want
    except Exception: # whatever it is, the test says nothing about us
        return None


def prove(test, engine, scratch, arguments):
    known = original(test, engine)
    if not known:
        raise NotRun
    path, inputs, want = known
    middle = os.path.join(scratch, "model.fb")
    back = os.path.join(scratch, "model.onnx")
    proof.convert(arguments.tenon, path, middle)
    proof.convert(arguments.tenon, middle, back)
    if arguments.keep:
        folder = os.path.join(arguments.keep, test)
        os.makedirs(folder, exist_ok=True)
        shutil.copy(middle, folder)
        shutil.copy(back, folder)
    hold(engine.run(back, inputs), want)
    judge = proof.Nd4j.find(arguments.shared)
    outputs = judge.run(middle, inputs, list(want)) if judge else None
    if outputs is not None:
        hold(outputs, want)
        if arguments.judged:
            with open(arguments.judged, "a") as file:
                file.write(test + "\n")
    return proof.computing(back, idle=())


def prove_or_not(test, engine, scratch, arguments):
    try:
        return prove(test, engine, scratch, arguments)
    except NotRun:
        return -1


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.isdir(SUITE):
        print("skipped: libonnx-testdata is not installed")
        return 77
    if arguments.judged:
        open(arguments.judged, "w").close()
    results = proof.run(prove_or_not, sorted(os.listdir(SUITE)), arguments)
    results = [result._replace(state="not run") if result.ops == -1 else result
               for result in results]
    return proof.conclude("ONNX backend suite", results, arguments, "onnx")


if __name__ == "__main__":
    sys.exit(main())
