#!/usr/bin/env python3
"""SavedModels, converted and run: saved_model -> onnx, and by way of nd4j (.fb).

    saved_models.py TENON [--only PATTERN] [--shared DIR]

The main signature of each computes what can be said in a line, or is a model
that is there as ONNX too; its names are those of the ends.  What cannot be
converted must be refused, with the operator that is in the way.
"""
import argparse
import os
import sys

import numpy
import onnx

import proof
import whole_models

FLOAT = numpy.float32


def sum_down(value):
    """value + (value - 1) + ... while it is above 0."""
    return FLOAT(sum(range(1, int(value) + 1)))


# Folder, inputs, output, what it computes.
SMALL = {
    "half_plus_two": ("half_plus_two/00000123", {"x": [[2], [-8], [0.5]]}, "y",
                      lambda x: x / 2 + 2),
    "half_plus_two_pbtxt": ("half_plus_two_pbtxt/00000123",
                            {"x": [[2], [-8], [0.5]]}, "y",
                            lambda x: x / 2 + 2),
    "VarsAndArithmetic": ("VarsAndArithmeticObjectGraph",
                          {"a": 2, "b": 5.5}, "output_0",
                          lambda a, b: (a + 1) * (b + 2) / 3 + 5),
    "while_loop": ("while_loop", {"value": 9}, "output_0", sum_down),
    "x_plus_y": ("x_plus_y_v2_debuginfo", {"x": 2, "y": 5.25}, "output_0",
                 lambda x, y: x + y),
}

# The same outputs under the names that each of the two gives them.
PITCH = {"contour": "StatefulPartitionedCall:0",
         "note": "StatefulPartitionedCall:1",
         "onset": "StatefulPartitionedCall:2"}

# What the message must name.
REFUSED = {"tftrt_2.0_saved_model": "TRTEngineOp",
           "StaticHashTableModule": "LookupTableFindV2",
           "CyclicModule": "has no signature",
           "OptimizerSlotVariableModule": "has no signature"}


def run(test, inputs, engine, scratch, arguments, folder):
    source = os.path.join(arguments.folder, folder)
    middle = os.path.join(scratch, "model.fb")
    back = os.path.join(scratch, "model.onnx")
    proof.convert(arguments.tenon, source, middle)
    proof.convert(arguments.tenon, middle, back)
    through = engine.run(back, inputs)
    proof.convert(arguments.tenon, source, back)
    if onnx.load(back).functions:
        raise proof.Differs("functions are left behind")
    outputs = engine.run(back, inputs)
    for name, array in through.items():
        proof.compare(name, outputs[name], array, 1e-4, 1e-5)
    return outputs, proof.computing(back)


def prove_small(test, *context):
    folder, inputs, name, formula = SMALL[test]
    inputs = {key: numpy.array(value, FLOAT) for key, value in inputs.items()}
    outputs, ops = run(test, inputs, *context, folder)
    if list(outputs) != [name]:
        raise proof.Differs(f"outputs {list(outputs)}, not {name}")
    want = numpy.asarray(formula(**inputs), FLOAT)
    proof.compare(name, outputs[name], want, 1e-5, 1e-6)
    return ops


def prove_pitch(test, engine, scratch, arguments):
    recorded = whole_models.Run(os.path.join(
        arguments.shared, "data/onnx/expected/basic-pitch.run.tsv"))
    (array,) = recorded.inputs.values()
    outputs, ops = run(test, {"input_2": array}, engine, scratch, arguments,
                       test)
    recorded.hold({PITCH[name]: value for name, value in outputs.items()})
    return ops


def prove_refused(test, *context):
    try:
        run(test, {}, *context, test)
    except proof.Unmapped as error:
        if REFUSED[test] in str(error):
            return 1
        raise proof.Differs(f"refused for another reason: {error}") from error
    raise proof.Differs("it was converted")


def prove(test, *context):
    if test in SMALL:
        return prove_small(test, *context)
    return (prove_refused if test in REFUSED else prove_pitch)(test, *context)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--only")
    parser.add_argument("--shared", default="../shared")
    arguments = parser.parse_args()
    arguments.folder = os.path.join(arguments.shared,
                                    "data/tensorflow/saved_model")
    if not os.path.isdir(arguments.folder):
        print("skipped: wants real models")
        return 77
    tests = sorted([*SMALL, *REFUSED, "basic-pitch"])
    results = proof.run(prove, tests, arguments)
    line, _ = proof.summary("SavedModels", results)
    print(line + "\n\n" + proof.table(results))
    return 0 if all(result.state == "passed" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
