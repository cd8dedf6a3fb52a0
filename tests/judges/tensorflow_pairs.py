#!/usr/bin/env python3
"""Complex numbers of TensorFlow, which become pairs of reals: tensorflow -> onnx -> ONNX Runtime.

    tensorflow_pairs.py TENON [--only PATTERN] [--shared DIR]

Each case is an operator on complex arrays, which Complex makes of two fed ones
or which are constants; what it gives is fetched as it is, a pair along the last
axis, and by Real and Imag.  numpy says what it must be.
"""
import fnmatch
import os
import sys
import tempfile

import graphdef
import numpy as np
import proof

graphdef.TYPES.update({"complex64": 8, "complex128": 18})
RANDOM = np.random.default_rng(17)
TOLERANCE = {"float32": 1e-4, "float64": 1e-6}


def complexes(*dims, kind="complex64"):
    return (RANDOM.normal(size=dims) + 1j * RANDOM.normal(size=dims)).astype(kind)


def reals(*dims, kind="float32"):
    return RANDOM.normal(size=dims).astype(kind)


def cut(x, *sizes):
    """As long as is asked for along the last axes: cut, or zeros behind."""
    for i, size in enumerate(sizes):
        axis = x.ndim - len(sizes) + i
        have = x.shape[axis]
        x = np.take(x, range(min(have, size)), axis)
        x = np.concatenate([x, np.zeros([*x.shape[:axis], size - x.shape[axis], *x.shape[axis + 1:]], x.dtype)], axis)
    return x


def spectra():
    """Fourier's: sizes even and odd, cut and with zeros behind, batches, both widths."""
    for dims in ((8,), (3, 5), (2, 3, 4)):
        x = complexes(*dims)
        yield "FFT", [x], {}, np.fft.fft(x)
        yield "IFFT", [x], {}, np.fft.ifft(x)
    x = complexes(2, 4, 6, 5)
    for axes, ending in (((-2, -1), "2D"), ((-3, -2, -1), "3D")):
        yield "FFT" + ending, [x], {}, np.fft.fftn(x, axes=axes)
        yield "IFFT" + ending, [x], {}, np.fft.ifftn(x, axes=axes)
    for kind, other in (("float32", "complex64"), ("float64", "complex128")):
        for size in (6, 7, 4, 9):
            attrs = {"Treal": kind, "Tcomplex": other}
            for dims in ((6,), (2, 7)):
                x = reals(*dims, kind=kind)
                yield "RFFT", [x, np.int32([size])], attrs, np.fft.rfft(x, size)
            for dims in ((4,), (3, 5)):
                x = complexes(*dims, kind=other)
                yield "IRFFT", [x, np.int32([size])], attrs, np.fft.irfft(cut(x, size // 2 + 1), size)
    x = reals(2, 5, 6)
    yield "RFFT2D", [x, np.int32([5, 6])], {}, np.fft.rfft2(x, (5, 6))
    yield "RFFT2D", [x, np.int32([4, 8])], {}, np.fft.rfft2(x, (4, 8))
    y = complexes(2, 5, 4)
    yield "IRFFT2D", [y, np.int32([5, 6])], {}, np.fft.irfft(np.fft.ifft(y, axis=-2), 6)
    x = reals(3, 4, 5)
    yield "RFFT3D", [x, np.int32([3, 4, 5])], {}, np.fft.rfftn(x, (3, 4, 5))
    y = complexes(3, 4, 3)
    yield "IRFFT3D", [y, np.int32([3, 4, 5])], {}, np.fft.irfft(np.fft.ifft2(y, axes=(-3, -2)), 5)


def numbers():
    """One and two at a time."""
    x, y, row = complexes(2, 3), complexes(2, 3), complexes(3)
    yield "ComplexAbs", [x], {}, np.abs(x)
    yield "Angle", [x], {}, np.angle(x)
    yield "Real", [x], {}, x.real
    yield "Imag", [x], {}, x.imag
    yield "Conj", [x], {}, x.conj()
    for op, wanted in (("Neg", -x), ("Square", x * x), ("Exp", np.exp(x)), ("Log", np.log(x)), ("Reciprocal", 1 / x), ("Identity", x)):
        yield op, [x], {"T": "complex64"}, wanted
    for op, by in (("Add", np.add), ("AddV2", np.add), ("Sub", np.subtract), ("Mul", np.multiply), ("Div", np.divide), ("RealDiv", np.divide)):
        yield op, [x, y], {"T": "complex64"}, by(x, y)
        yield op, [x, row], {"T": "complex64"}, by(x, row)
    yield "AddN", [x, y, x], {"N": 3, "T": "complex64"}, x + y + x
    yield "Cast", [x], {"SrcT": "complex64", "DstT": "complex128"}, x.astype("complex128")
    yield "Cast", [x], {"SrcT": "complex64", "DstT": "float32"}, x.real
    yield "Cast", [reals(2, 3)], {"SrcT": "float32", "DstT": "complex64"}, None
    a, b = complexes(2, 3, 4), complexes(2, 4, 5)
    yield "BatchMatMulV2", [a, b], {"T": "complex64"}, a @ b
    yield "BatchMatMulV2", [a, a], {"T": "complex64", "adj_y": True}, a @ a.conj().transpose(0, 2, 1)
    yield "MatMul", [a[0], a[1]], {"T": "complex64", "transpose_b": True}, a[0] @ a[1].T


def arrays():
    """Moved around; axes from both ends."""
    x, y = complexes(2, 3, 4), complexes(2, 3, 4)
    one = {"T": "complex64"}
    for axis in (0, 1, -1, -2):
        yield "ConcatV2", [x, y, np.int32(axis)], {"N": 2, "T": "complex64"}, np.concatenate([x, y], axis)
        yield "Pack", [x, y], {"N": 2, "T": "complex64", "axis": axis}, np.stack([x, y], axis)
        yield "ExpandDims", [x, np.int32(axis)], one, np.expand_dims(x, axis)
        yield "Sum", [x, np.int32([axis])], one, x.sum(axis)
        yield "Mean", [x, np.int32([axis])], {"T": "complex64", "keep_dims": True}, x.mean(axis, keepdims=True)
        yield "ReverseV2", [x, np.int32([axis])], one, np.flip(x, axis)
        yield "GatherV2", [x, np.int32([1, 0]), np.int32(axis)], {"Tparams": "complex64", "Tindices": "int32", "Taxis": "int32"}, np.take(x, [1, 0], axis)
    yield "Reshape", [x, np.int32([6, 4])], one, x.reshape(6, 4)
    yield "Reshape", [x, np.int32([-1])], one, x.reshape(-1)
    yield "Transpose", [x, np.int32([2, 0, 1])], one, x.transpose(2, 0, 1)
    yield "ConjugateTranspose", [x, np.int32([2, 0, 1])], one, x.transpose(2, 0, 1).conj()
    yield "Tile", [x, np.int32([1, 2, 1])], one, np.tile(x, [1, 2, 1])
    yield "Pad", [x, np.int32([[0, 1], [2, 0], [0, 0]])], one, np.pad(x, [[0, 1], [2, 0], [0, 0]])
    yield "Slice", [x, np.int32([0, 1, 0]), np.int32([-1, 2, 3])], {"T": "complex64", "Index": "int32"}, x[:, 1:3, 0:3]
    yield "StridedSlice", [x, np.int32([0, -1]), np.int32([0, 0]), np.int32([1, 1])], \
        {"T": "complex64", "Index": "int32", "shrink_axis_mask": 2, "begin_mask": 1, "end_mask": 1}, x[:, -1]
    yield "StridedSlice", [x, np.int32([0, 3]), np.int32([0, 0]), np.int32([1, -2])], \
        {"T": "complex64", "Index": "int32", "ellipsis_mask": 1}, x[..., 3:0:-2]
    yield "Squeeze", [x[:1]], {"T": "complex64", "squeeze_dims": [0]}, x[0]
    yield "Squeeze", [x[:, :, :1]], {"T": "complex64", "squeeze_dims": [-1]}, x[:, :, 0]
    yield "SelectV2", [np.array([True, False, True, True]), x, y], one, np.where([True, False, True, True], x, y)


def place(graph, prefix, i, array, feeds, is_fixed):
    name = f"{prefix}/in{i}"
    if array.dtype.kind != "c":
        is_fed = array.dtype.kind == "f" and not is_fixed
        made = graph.placeholder(name, array) if is_fed else graph.constant(name, array)
        if is_fed:
            feeds[name] = array
        return made
    if is_fixed:
        return graph.constant(name, array)
    parts = []
    for part, numbers_of in (("re", array.real), ("im", array.imag)):
        parts.append(graph.placeholder(f"{name}/{part}", np.ascontiguousarray(numbers_of)))
        feeds[parts[-1]] = np.ascontiguousarray(numbers_of)
    kinds = {"T": str(array.real.dtype), "Tout": str(array.dtype)}
    graph.add("Complex", name, parts, kinds)
    return name


def prove(case, index, is_fixed, engine, scratch, tenon):
    op, inputs, attrs, want = case
    want = inputs[0].astype("complex64") if want is None else want
    graph, feeds = graphdef.Graph(), {}
    names = [place(graph, "r", i, np.asarray(array), feeds, is_fixed) for i, array in enumerate(inputs)]
    graph.add(op, "r", names, attrs)
    is_pair = np.iscomplexobj(want)
    if is_pair:
        kind = attrs.get("DstT") or attrs.get("Tcomplex") or "complex64"
        part = "float64" if kind == "complex128" else "float32"
        graph.add("Real", "re", ["r"], {"T": kind, "Tout": part})
        graph.add("Imag", "im", ["r"], {"T": kind, "Tout": part})
    source, back = (os.path.join(scratch, f"model{index}{ending}") for ending in (".pb", ".onnx"))
    graph.write(source)
    outputs = ["r", "re", "im"] if is_pair else ["r"]
    proof.convert_directly(tenon, source, back, "--outputs", ",".join(name + ":0" for name in outputs),
                           *(["--inputs", ",".join(feeds)] if feeds else []))
    got = engine.run(back, feeds, optimize="disabled")
    near = TOLERANCE[str(got["r:0"].dtype)]
    if not is_pair:
        return proof.compare("r", got["r:0"], want.astype(got["r:0"].dtype), near, near)
    for name, part in (("re:0", want.real), ("im:0", want.imag)):
        proof.compare(name, got[name], part.astype(got[name].dtype), near, near)
    pair = np.stack([want.real, want.imag], -1)
    return proof.compare("r:0", got["r:0"], pair.astype(got["r:0"].dtype), near, near)


def main():
    arguments = proof.parse(__doc__.splitlines()[0])
    cases = [*spectra(), *numbers(), *arrays()]
    count = failed = 0
    with proof.engines.OnnxRuntime.find() as engine, tempfile.TemporaryDirectory(prefix="tenon-pairs-") as scratch:
        for index, case in enumerate(cases):
            name = f"{case[0]}.{index}"
            if not fnmatch.fnmatch(name, arguments.only or "*"):
                continue
            for is_fixed in (False, True):
                count += 1
                try:
                    prove(case, index, is_fixed, engine, scratch, arguments.tenon)
                except (proof.Unmapped, proof.Differs, proof.engines.EngineError) as error:
                    failed += 1
                    print(f"{name}{' of constants' if is_fixed else ''}: {proof.told(error)}")
    print(f"Complex numbers of TensorFlow: {count} cases, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
