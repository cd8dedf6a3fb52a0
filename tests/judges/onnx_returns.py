#!/usr/bin/env python3
"""Small graphs of open sizes that go to nd4j and come back: onnx -> nd4j -> onnx.

    onnx_returns.py TENON [--only PATTERN] [--shared DIR]

What is written as .fb gives in judges/nd4j_eval.py what ONNX Runtime gives for the
original, and so does what comes back, which has no more nodes than listed.
"""
import itertools
import os
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import proof

RANDOM = numpy.random.default_rng(8)
CASES = {}


def reals(*dims):
    return RANDOM.standard_normal(dims).astype("f4")


def case(name, most, nodes, feeds, constants=None, opset=16, is_open=True):
    """`nodes`: operator, inputs, attributes, and what it is called; each set of `feeds` is a run."""
    CASES[name] = most, nodes, feeds, constants or {}, opset, is_open


def model_of(nodes, feeds, constants, opset, is_open):
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype) if hasattr(helper, "np_dtype_to_tensor_dtype")
                                            else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[x.dtype], [f"{name}{i}" if is_open else n for i, n in enumerate(x.shape)])
              for name, x in feeds.items()]
    made = [helper.make_node(op, names, [out] if isinstance(out, str) else out, **attributes) for op, names, attributes, out in nodes]
    outputs = [onnx.ValueInfoProto(name=nodes[-1][-1])]
    outputs[0].type.tensor_type.elem_type = TensorProto.FLOAT
    graph = helper.make_graph(made, "g", inputs, outputs, [numpy_helper.from_array(numpy.asarray(x), name) for name, x in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


# As large as another image: one pixel of it is PyTorch's first, not the one in the middle.
for way in ("pytorch_half_pixel", "half_pixel", "asymmetric", "align_corners"):
    case(f"as-large-as-{way}", 6,
         [("Shape", ["y"], {}, "s"), ("Slice", ["s", "two", "four"], {}, "hw"), ("Shape", ["x"], {}, "t"), ("Slice", ["t", "zero", "two"], {}, "nc"),
          ("Concat", ["nc", "hw"], {"axis": 0}, "to"), ("Resize", ["x", "", "", "to"], {"mode": "linear", "coordinate_transformation_mode": way}, "z")],
         [{"x": reals(1, 2, 5, 7), "y": reals(1, 1, *size)} for size in ((10, 3), (1, 9), (4, 1), (1, 1))],
         {"zero": numpy.array([0]), "two": numpy.array([2]), "four": numpy.array([4])})

# Layers in both directions, over sequences of their own lengths.
for op, gates, more in (("GRU", 3, {"linear_before_reset": 1}), ("RNN", 1, {}), ("LSTM", 4, {})):
    case(f"two-ways-{op.lower()}", 5,
         [(op, ["x", "w", "r", "b", "lengths"], {"hidden_size": 4, "direction": "bidirectional", **more}, "z")],
         [{"x": reals(6, 3, 5), "lengths": numpy.array([6, 4, 1], "i4")}, {"x": reals(2, 1, 5), "lengths": numpy.array([2], "i4")}],
         {"w": reals(2, 4 * gates, 5), "r": reals(2, 4 * gates, 4), "b": reals(2, 8 * gates)})

# Sums of exponentials, also of infinities, and places counted from either end.
for keeps, axes in itertools.product((0, 1), ([1], [0, 2])):
    case(f"log-sum-exp-{len(axes)}-{keeps}", 1, [("ReduceLogSumExp", ["x"], {"axes": axes, "keepdims": keeps}, "z")],
         [{"x": reals(2, 3, 4)}, {"x": numpy.array([[[-numpy.inf, 2], [-numpy.inf, 500]]], "f4")}])
case("chosen-by-truth", 4, [("Greater", ["x", "zero"], {}, "m"), ("NonZero", ["m"], {}, "n"), ("Transpose", ["n"], {"perm": [1, 0]}, "i"), ("GatherND", ["x", "i"], {}, "z")],
     [{"x": reals(3, 4)}, {"x": -numpy.abs(reals(2, 5))}], {"zero": numpy.float32(0)})
case("tuples-from-both-ends", 1, [("GatherND", ["x", "i"], {}, "z")], [{"x": reals(3, 4, 2), "i": numpy.array([[0, -1], [-3, 3]])}], is_open=False)
for way in ("none", "add"):
    case(f"put-{way}", 1, [("ScatterND", ["x", "i", "u"], {"reduction": way}, "z")],
         [{"x": reals(3, 4), "i": numpy.array([[0, -1], [2, 3], [-2, 0]]), "u": reals(3)}], is_open=False)

# One node for all three results; the product stays one of integers of 32 bits.
case("quantized-while-it-runs", 9,
     [("DynamicQuantizeLinear", ["x"], {}, ("q", "s", "n")), ("MatMulInteger", ["q", "w", "n"], {}, "p"), ("Cast", ["p"], {"to": TensorProto.FLOAT}, "f"),
      ("Mul", ["f", "s"], {}, "y"), ("Add", ["y", "b"], {}, "z")],
     [{"x": reals(2, 3, 4)}, {"x": numpy.zeros((1, 2, 4), "f4")}], {"w": numpy.arange(-10, 10).reshape(4, 5).astype("i1"), "b": reals(5)})

# Into arrays without elements, too.
case("scattered", 24, [("Reshape", ["x", "three"], {}, "y"), ("Reshape", ["i", "three"], {}, "j"), ("ScatterElements", ["y", "j", "u"], {"axis": 0}, "z")],
     [{"x": reals(4, 3), "i": numpy.array([[0, -1, 2], [3, 1, -4]]), "u": reals(2, 3)}, {"x": reals(0, 3), "i": numpy.zeros((0, 3), "i8"), "u": reals(0, 3)}],
     {"three": numpy.array([-1, 3])})
case("scattered-rows", 2, [("Reshape", ["i", "one"], {}, "j"), ("ScatterND", ["x", "j", "u"], {}, "z")],
     [{"x": reals(4, 3), "i": numpy.array([[0], [-1]]), "u": reals(2, 3)}, {"x": reals(0, 3), "i": numpy.zeros((0, 1), "i8"), "u": reals(0, 3)}],
     {"one": numpy.array([-1, 1])})

# Whole factors, of lines and volumes, too.  PyTorch's way differs for one pixel alone, which an image is not that grew.
for mode, ways, ranks in (("nearest", ("asymmetric", "half_pixel"), (3, 4, 5)), ("linear", ("pytorch_half_pixel", "half_pixel", "align_corners", "asymmetric"), (3, 4))):
    for way in ways:
        for rank in ranks:
            case(f"grown-{mode}-{rank}-{way}", 1,
                 [("Resize", ["x", "", "by"], {"mode": mode, "coordinate_transformation_mode": way, "nearest_mode": "floor" if way == "asymmetric" else "round_prefer_floor"}, "z")],
                 [{"x": reals(*(2, 3, 1, 5, 4)[:rank])}, {"x": reals(*(1, 2, 4, 1, 3)[:rank])}], {"by": numpy.array((1, 1, 2, 3, 2)[:rank], "f4")})

# Transposed convolutions with groups, and lines, which nd4j has as images of one row.
case("transposed-groups", 2,
     [("Conv", ["x", "v"], {}, "c"), ("ConvTranspose", ["c", "w", "b"], {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]}, "z")],
     [{"x": reals(1, 3, 5, 4)}, {"x": reals(2, 3, 1, 7)}], {"v": reals(8, 3, 1, 1), "w": reals(8, 3, 4, 4), "b": reals(12)})
case("transposed-lines", 2,
     [("Conv", ["x", "v"], {}, "c"), ("ConvTranspose", ["c", "w"], {"group": 2, "strides": [2], "dilations": [2], "pads": [1, 2], "output_padding": [1]}, "z")],
     [{"x": reals(1, 3, 6)}, {"x": reals(2, 3, 9)}], {"v": reals(8, 3, 1), "w": reals(8, 3, 4)})
for counts in (0, 1):
    case(f"mean-of-lines-{counts}", 1, [("AveragePool", ["x"], {"kernel_shape": [3], "strides": [2], "pads": [1, 1], "count_include_pad": counts}, "z")],
         [{"x": reals(1, 2, 7)}, {"x": reals(2, 3, 4)}])

# Edges, repeated along two axes.
case("repeated-edges", 1, [("Pad", ["x", "p"], {"mode": "edge"}, "z")], [{"x": reals(1, 2, 5, 7)}, {"x": reals(2, 1, 1, 3)}],
     {"p": numpy.array([0, 0, 1, 2, 0, 0, 3, 1])})

# Of known size: by four rows and columns, or two; of lines and volumes, too.
for way in ("pytorch_half_pixel", "half_pixel", "asymmetric", "align_corners"):
    for mode, dims, by in (("cubic", (1, 2, 5, 7), (1, 1, 2, 3)), ("cubic", (1, 2, 8, 6), (1, 1, 0.5, 1.5)), ("linear", (1, 2, 9), (1, 1, 2)),
                           ("linear", (1, 2, 3, 4, 5), (1, 1, 2, 2, 2))):
        case(f"{mode}-{len(dims)}-{by[2]}-{way}", 1,
             [("Resize", ["x", "", "by"], {"mode": mode, "coordinate_transformation_mode": way, "cubic_coeff_a": -0.5 if by[2] == 2 else -0.75}, "z")],
             [{"x": reals(*dims)}], {"by": numpy.array(by, "f4")}, is_open=False)
    case(f"cubic-to-sizes-{way}", 1,
         [("Resize", ["x", "", "", "to"], {"mode": "cubic", "coordinate_transformation_mode": way}, "z")],
         [{"x": reals(1, 2, 7, 9)}], {"to": numpy.array([1, 2, 13, 5])}, is_open=False)

# Places that count from the end, and one that is outside.
case("one-of-many", 1, [("OneHot", ["i", "n", "v"], {"axis": 1}, "z")], [{"i": numpy.array([[0, 3, -1], [7, -4, 2]])}],
     {"n": numpy.array(4), "v": numpy.array([0.5, 2], "f4")})

# Boxes of one image and class; two of them share exactly half.
BOXES = numpy.array([[0, 0, 1, 2], [0, 0, 1, 1], [5, 5, 7, 7], [5, 5, 7, 7.25], [0, 3, 2, 4]], "f4")
SCORES = numpy.array([0.5, 0.9, 0.75, 0.875, 0.25], "f4")
for limit in (0.5, 0.25, 0.75, 0.0, 1.0):
    case(f"suppressed-at-{limit}", 5 if limit else 6,
         [("Unsqueeze", ["b", "zero"], {}, "b1"), ("Unsqueeze", ["s", "both"], {}, "s1"), ("NonMaxSuppression", ["b1", "s1", "most", "limit"], {}, "n"),
          ("Gather", ["n", "last"], {"axis": 1}, "at"), ("Cast", ["at"], {"to": TensorProto.FLOAT}, "z")],
         [{"b": BOXES, "s": SCORES}],
         {"zero": numpy.array([0]), "both": numpy.array([0, 1]), "last": numpy.array([2]), "most": numpy.array([9]), "limit": numpy.array([limit], "f4")})
# The first few of as many as there are.
for first, last, most in ((0, 3, 2), (1, 4, 2), (2, 100, 2)):
    case(f"from-{first}-to-{last}", most,
         [("Slice", ["x", "first", "last", "axis"], {}, "y"), ("Neg", ["y"], {}, "z")], [{"x": reals(2, n, 3)} for n in (5, 3, 2, 1)],
         {"first": numpy.array([first]), "last": numpy.array([last]), "axis": numpy.array([1])})


def prove(test, engine, scratch, arguments):
    most, nodes, feeds, constants, opset, is_open = CASES[test]
    source, middle, back = (os.path.join(scratch, name) for name in ("model.onnx", "model.fb", "back.onnx"))
    onnx.save(model_of(nodes, feeds[0], constants, opset, is_open), source)
    proof.convert(arguments.tenon, source, middle, "--fold", "all")
    proof.convert(arguments.tenon, middle, back, "--fold", "all")
    count = sum(node.op_type != "Constant" for node in onnx.load(back).graph.node)
    if count > most:
        raise proof.Differs(f"{count} nodes, not {most}")
    judge = proof.Nd4j.find(arguments.shared)
    for fed in feeds:
        want = engine.run(source, fed)
        said = judge.run(middle, fed, want) if judge else None
        for name, array in want.items():
            proof.compare(name, engine.run(back, fed)[name], array, 1e-4, 1e-5)
            if said:
                proof.compare(f"{name} in nd4j", said[name], array, 1e-4, 1e-5)
    return count


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    results = proof.run(prove, sorted(CASES), arguments)
    print(proof.summary("Graphs that come back", results)[0])
    print(proof.table(results))
    return 0 if all(result.state == "passed" for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
