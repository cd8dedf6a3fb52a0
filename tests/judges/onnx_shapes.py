#!/usr/bin/python3
"""Rules of shapes against the models' own words and the reference.

    onnx_shapes.py INFER_TYPES [nd4j] [-v]

With nd4j: what rules/nd4j.shapes says of the outputs of what the models become
must be what the models declare.  Without, rules/onnx.shapes: for every model of Debian's libonnx-testdata: what our rules say of an output
must be what the model declares, in type, rank and known dims; and where
`onnx.shape_inference` knows type or rank of a value, so must we, and the same.
Exits 77 when python3-onnx or the models are missing.
"""
import glob
import subprocess
import sys

try:
    import onnx
    from onnx import TensorProto, shape_inference
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

DATA = "/usr/share/libonnx-testdata/data"

NAMES = {
    TensorProto.FLOAT: "float32", TensorProto.UINT8: "uint8",
    TensorProto.INT8: "int8", TensorProto.UINT16: "uint16",
    TensorProto.INT16: "int16", TensorProto.INT32: "int32",
    TensorProto.INT64: "int64", TensorProto.STRING: "string",
    TensorProto.BOOL: "bool", TensorProto.FLOAT16: "float16",
    TensorProto.DOUBLE: "float64", TensorProto.UINT32: "uint32",
    TensorProto.UINT64: "uint64", TensorProto.COMPLEX64: "complex64",
    TensorProto.COMPLEX128: "complex128", TensorProto.BFLOAT16: "bfloat16",
}

# Models whose declarations are not what their nodes give, and why.
WRONG = {
    "test_compress_0": "the declared output is that of the data of the test",
    "test_compress_1": "as above", "test_compress_default_axis": "as above",
    "test_compress_negative_axis": "as above",
    "test_optional_get_element": "nd4j has no optionals: what is inside goes "
                                 "by the type of the input",
    "test_optional_get_element_sequence": "as above",
}


def said(type_proto):
    """(type, dims or None); a dim that is not known is None."""
    prefix = ""
    if type_proto.HasField("sequence_type"):
        prefix, type_proto = "seq:", type_proto.sequence_type.elem_type
    elif type_proto.HasField("optional_type"):
        prefix, type_proto = "optional:", type_proto.optional_type.elem_type
        if type_proto.HasField("sequence_type"):
            type_proto = type_proto.sequence_type.elem_type
    if not type_proto.HasField("tensor_type"):
        return None, None
    tensor = type_proto.tensor_type
    kind = NAMES.get(tensor.elem_type)
    if not tensor.HasField("shape"):
        return kind and prefix + kind, None
    dims = [d.dim_value if d.HasField("dim_value") else None
            for d in tensor.shape.dim]
    return kind and prefix + kind, dims


def ours(tool, target, paths):
    """path -> name -> (type or None, dims or None)"""
    out = subprocess.run([tool, "onnx"] + target, input="\n".join(paths) + "\n",
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    found, values = {}, None
    for line in out.splitlines():
        if line.startswith("= "):
            values = found[line[2:]] = {}
        elif line.startswith("! "):
            print(line)
        elif line.startswith("- "):
            pass  # an op that no rule carries: others count those
        else:
            name, kind, dims = line.split("\t")
            values[name] = (
                None if kind.endswith("?") else kind,
                None if dims == "?" else
                [None if d == "?" else int(d) for d in dims[1:-1].split()])
    return found


def contradicts(mine, theirs):
    """Why the two cannot both be right; None when they can."""
    if mine[0] and theirs[0] and mine[0] != theirs[0]:
        return f"{mine[0]}, not {theirs[0]}"
    if mine[1] is None or theirs[1] is None:
        return None
    if len(mine[1]) != len(theirs[1]):
        return f"{mine[1]}, not {theirs[1]}"
    if any(a is not None and b is not None and a != b
           for a, b in zip(*(mine[1], theirs[1]))):
        return f"{mine[1]}, not {theirs[1]}"
    return None


def reference(model):
    """What the reference infers, without what the model declares."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    try:
        done = shape_inference.infer_shapes(bare, data_prop=True)
    except Exception:  # it crashes on some of its own tests
        return []
    return list(done.graph.value_info)


def main():
    is_loud = "-v" in sys.argv
    target = ["nd4j"] if "nd4j" in sys.argv else []
    paths = sorted(glob.glob(DATA + "/*/*/model.onnx"))
    if not paths:
        print("no models in " + DATA)
        return 77
    found = ours(sys.argv[1], target, paths)
    values = known = ranked = 0
    bad, gaps = [], []
    for path in paths:
        model = onnx.load(path)
        name = path.split("/")[-2]
        mine = found[path]
        claims = [(o, True) for o in model.graph.output]
        claims += [] if target else [(v, False) for v in reference(model)]
        for info, is_declared in claims:
            if info.name not in mine:
                continue
            theirs = said(info.type)
            values += 1
            known += mine[info.name][0] is not None
            ranked += mine[info.name][1] is not None
            why = contradicts(mine[info.name], theirs)
            if why and name not in WRONG:
                bad.append(f"{name}: {info.name}: {why}")
            elif theirs[0] and not mine[info.name][0]:
                gaps.append(f"{name}: {info.name}: no type, {theirs[0]}")
            elif theirs[1] is not None and mine[info.name][1] is None:
                gaps.append(f"{name}: {info.name}: no rank, {theirs[1]}")
    for line in bad + (gaps if is_loud else []):
        print(line)
    print(f"{values} values of {len(paths)} models: type of {known}, rank of "
          f"{ranked}; {len(bad)} contradictions")
    least = (0.98, 0.98) if target else (0.98, 0.97)
    return 1 if bad or known < least[0] * values or \
        ranked < least[1] * values else 0


sys.exit(main())
