#!/usr/bin/python3
"""Makes tests/corpus/onnx: small models, each with one thing to find.

    make_corpus.py FOLDER

Writes the files and MANIFEST: a row per file with the findings that `check`
must report, each as rule@offset.  The offset is where the offending message
begins, found by looking for its bytes.
"""
import os
import struct
import sys

from onnx import AttributeProto, ModelProto, TensorProto, helper

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING

# number: (name, bits of one element)
TYPES = {
    1: ("float", 32), 2: ("uint8", 8), 3: ("int8", 8), 4: ("uint16", 16),
    5: ("int16", 16), 6: ("int32", 32), 7: ("int64", 64), 9: ("bool", 8),
    10: ("float16", 16), 11: ("double", 64), 12: ("uint32", 32),
    13: ("uint64", 64), 14: ("complex64", 64), 15: ("complex128", 128),
    16: ("bfloat16", 16), 17: ("float8e4m3fn", 8), 18: ("float8e4m3fnuz", 8),
    19: ("float8e5m2", 8), 20: ("float8e5m2fnuz", 8), 21: ("uint4", 4),
    22: ("int4", 4), 23: ("float4e2m1", 4), 24: ("float8e8m0", 8),
    25: ("uint2", 2), 26: ("int2", 2),
}
SIGNED = {"int8", "int16", "int32", "int64"}


def value(name, kind=FLOAT, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, shape)


def tensor(name, dims=(2,), kind=FLOAT, raw=b"\0\0\0\0\0\0\x80\x3f"):
    t = TensorProto(name=name, data_type=kind)
    t.dims.extend(dims)
    if raw is not None:
        t.raw_data = raw
    return t


def model(nodes=None, tensors=(), inputs=None, outputs=None, ir=8, opsets=None):
    if nodes is None:
        nodes = [helper.make_node("Relu", ["x"], ["y"], name="n")]
    graph = helper.make_graph(
        nodes, "g", [value("x")] if inputs is None else inputs,
        [value("y")] if outputs is None else outputs, list(tensors))
    opsets = [("", 17)] if opsets is None else opsets
    m = helper.make_model(graph, opset_imports=[
        helper.make_opsetid(d, v) for d, v in opsets])
    m.ir_version = ir
    return m


def external(name, *entries, dims=(2,), kind=FLOAT):
    t = tensor(name, dims, kind, None)
    t.data_location = TensorProto.EXTERNAL
    for key, text in entries:
        t.external_data.add(key=key, value=text)
    return t


def packed(number, count, raw):
    """The typed field of a tensor: what onnx.helper would put there."""
    name, bits = TYPES[number]
    if bits < 8:
        return [b for b in raw]
    size = bits // 8
    if name in ("float", "complex64"):
        return list(struct.unpack("<%df" % (len(raw) // 4), raw))
    if name in ("double", "complex128"):
        return list(struct.unpack("<%dd" % (len(raw) // 8), raw))
    return [int.from_bytes(raw[i:i + size], "little", signed=name in SIGNED)
            for i in range(0, len(raw), size)]


def typed_field(number):
    name = TYPES[number][0]
    if name in ("float", "complex64"):
        return "float_data"
    if name in ("double", "complex128"):
        return "double_data"
    if name == "int64":
        return "int64_data"
    return "uint64_data" if name in ("uint32", "uint64") else "int32_data"


def elements(number, count):
    """Bytes with every bit in use, and values that are no NaN."""
    name, bits = TYPES[number]
    if name in ("float", "complex64"):
        n = count * bits // 32
        return struct.pack("<%df" % n, *[1.5 * i - 2 for i in range(n)])
    if name in ("double", "complex128"):
        n = count * bits // 64
        return struct.pack("<%dd" % n, *[0.25 * i - 1 for i in range(n)])
    if name == "bool":
        return bytes(i % 2 for i in range(count))
    size = (count * bits + 7) // 8
    raw = bytearray((37 * i + 129) % 256 for i in range(size))
    if count * bits % 8:
        raw[-1] &= (1 << count * bits % 8) - 1
    return bytes(raw)


def every_type(is_raw):
    tensors = []
    for number, (name, _) in TYPES.items():
        raw = elements(number, 5)
        t = TensorProto(name=name, data_type=number)
        t.dims.append(5)
        if is_raw:
            t.raw_data = raw
        else:
            getattr(t, typed_field(number)).extend(packed(number, 5, raw))
        tensors.append(t)
    t = TensorProto(name="string", data_type=STRING)
    t.dims.append(3)
    t.string_data.extend([b"one", b"", "dr\u00e9i".encode()])
    tensors.append(t)
    return model(tensors=tensors, ir=13)


def subgraph(name="then", nodes=None, output="b"):
    if nodes is None:
        nodes = [helper.make_node("Identity", ["x"], [output])]
    return helper.make_graph(nodes, name, [], [value(output)])


def branch(**attributes):
    graphs = {"then_branch": subgraph(), "else_branch": subgraph("else")}
    graphs.update(attributes)
    return helper.make_node("If", ["c"], ["y"], name="if", **graphs)


def if_model(**attributes):
    return model([branch(**attributes)],
                 inputs=[value("x"), value("c", TensorProto.BOOL, ())])


def function(name, nodes=None, domain="my", outputs=("b",)):
    if nodes is None:
        nodes = [helper.make_node("Relu", ["a"], ["b"])]
    return helper.make_function(domain, name, ["a"], list(outputs), nodes,
                                [helper.make_opsetid("", 17),
                                 helper.make_opsetid("my", 1)])


def function_model(*functions):
    m = model([helper.make_node("F", ["x"], ["y"], domain="my")],
              opsets=[("", 17), ("my", 1)])
    m.functions.extend(functions)
    return m


def sparse(indices, shape, dims=(2, 3), values=(1.0, 2.0)):
    v = helper.make_tensor("s", FLOAT, [len(values)], values)
    i = helper.make_tensor("s_indices", INT64, shape, indices)
    return helper.make_sparse_tensor(v, i, list(dims))


def sparse_model(*tensors):
    m = model()
    m.graph.sparse_initializer.extend(tensors)
    return m


def everything():
    """One of each: what a reader must come through without a finding."""
    nodes = [
        helper.make_node("F", ["x"], ["f"], domain="my", name="call"),
        helper.make_node("Constant", [], ["k"], value=tensor("")),
        helper.make_node("Cast", ["x"], ["z"], to=int(FLOAT)),
        helper.make_node("If", ["c"], ["y"], then_branch=subgraph(),
                         else_branch=subgraph("else")),
    ]
    m = model(nodes, [tensor("w")], ir=8, opsets=[("", 17), ("my", 1)],
              inputs=[value("x"), value("c", TensorProto.BOOL, ()),
                      value("w")])
    m.graph.sparse_initializer.append(sparse([0, 4], [2]))
    m.graph.value_info.append(value("z"))
    note = m.graph.quantization_annotation.add(tensor_name="w")
    note.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w")
    m.functions.append(function("F"))
    m.metadata_props.add(key="model_author", value="tenon")
    m.doc_string = "every part\nof a model"
    m.domain, m.model_version = "org.example", 0x0001000200000159
    info = m.training_info.add()
    info.algorithm.CopyFrom(helper.make_graph(
        [helper.make_node("Identity", ["w"], ["w2"])], "step", [],
        [value("w2")]))
    info.update_binding.add(key="w", value="w2")
    return m


def without(message, *fields):
    for field in fields:
        message.ClearField(field)
    return message


def changed(message, **fields):
    for field, content in fields.items():
        setattr(message, field, content)
    return message


def duplicate_attribute():
    node = helper.make_node("Cast", ["x"], ["y"], to=1)
    node.attribute.append(helper.make_attribute("to", 6))
    return node


def with_attribute(**fields):
    """Names that begin with __ are nobody's: no operator has them."""
    node = helper.make_node("Relu", ["x"], ["y"])
    node.attribute.append(AttributeProto(**fields))
    return node


def cases():
    """(file, model, [(rule, offending message)])"""
    relu = helper.make_node("Relu", ["x"], ["y"], name="n")
    yield "everything", everything(), []
    yield "dtypes-raw", every_type(True), []
    yield "dtypes-typed", every_type(False), []

    # the model
    yield "no-ir-version", without(model(), "ir_version"), [
        ("missing-ir-version", None)]
    yield "future-ir", model(ir=99), [("newer-ir", None)]
    yield "no-opset", without(model(), "opset_import"), [
        ("missing-opset", None), ("unknown-domain", relu)]
    yield "opset-zero", model(opsets=[("", 0)]), [
        ("bad-opset-version", helper.make_opsetid("", 0)),
        ("unknown-op", relu)]
    yield "opset-twice", model(opsets=[("", 17), ("ai.onnx", 16)]), [
        ("duplicate-opset", helper.make_opsetid("ai.onnx", 16))]
    m = model()
    m.metadata_props.add(key="a", value="1")
    m.metadata_props.add(key="a", value="2")
    yield "metadata-twice", m, [("duplicate-metadata", m.metadata_props[1])]

    # graphs and their ends
    m = model()
    m.graph.name = ""
    yield "graph-without-name", m, [("missing-name", m.graph)]
    yield "input-twice", model(inputs=[value("x"), value("x", INT64)]), [
        ("duplicate-name", value("x", INT64)),
        ("type-mismatch", value("x", INT64))]
    yield "input-is-made", model(inputs=[value("x"), value("y", FLOAT, (3,))]), [
        ("duplicate-name", value("y", FLOAT, (3,))),
        ("declared-size", value("y", FLOAT, (3,)))]
    yield "output-dangles", model(outputs=[value("q")]), [
        ("dangling-output", value("q"))]
    m = model()
    m.graph.input[0].ClearField("type")
    yield "input-without-type", m, [("missing-type", m.graph.input[0])]
    m = model()
    m.graph.input[0].type.tensor_type.ClearField("shape")
    yield "input-without-shape", m, [
        ("missing-shape", m.graph.input[0].type.tensor_type)]
    yield "input-of-no-type", model(inputs=[value("x", 77)]), [
        ("unknown-enum", value("x", 77).type.tensor_type)]
    yield "minus-one", model(inputs=[value("x", FLOAT, (-1,))]), [
        ("negative-dimension",
         value("x", FLOAT, (-1,)).type.tensor_type.shape.dim[0])]

    # nodes
    yield "input-dangles", model([helper.make_node("Add", ["x", "q"], ["y"])]), [
        ("dangling-input", helper.make_node("Add", ["x", "q"], ["y"]))]
    late = helper.make_node("Relu", ["t"], ["y"])
    yield "not-sorted", model([late, helper.make_node("Relu", ["x"], ["t"])]), [
        ("not-topological", late)]
    first = helper.make_node("Add", ["x", "b"], ["a"])
    second = helper.make_node("Relu", ["a"], ["b"])
    yield "cycle", model([first, second], outputs=[value("b")]), [
        ("not-topological", first), ("cycle", second)]
    again = helper.make_node("Abs", ["x"], ["y"])
    yield "made-twice", model([relu, again]), [("duplicate-name", again)]
    node = helper.make_node("", ["x"], ["y"])
    yield "node-without-type", model([node]), [("missing-op-type", node)]
    node = helper.make_node("Foo", [], [], name="alone", domain="my")
    yield "node-without-ends", model(
        [relu, node], opsets=[("", 17), ("my", 1)]), [("no-ends", node)]
    node = helper.make_node("Foo", ["x"], ["y"], domain="com.vendor")
    yield "domain-not-imported", model([node]), [("unknown-domain", node)]

    # element types
    node = helper.make_node("Add", ["x", "i"], ["y"])
    yield "type-mixed", model(
        [node], inputs=[value("x"), value("i", INT64)]), [
            ("type-mismatch", node)]
    node = helper.make_node("Sqrt", ["i"], ["y"])
    yield "type-not-taken", model([node], inputs=[value("i", INT64)]), [
        ("type-not-allowed", node)]
    node = helper.make_node("Cast", ["x"], ["y"], to=INT64)
    yield "type-declared-otherwise", model([node]), [("type-mismatch", node)]
    node = helper.make_node("Cast", ["x"], ["y"], to="FLOAT")
    yield "type-by-name", model([node], opsets=[("", 5)]), []
    node = helper.make_node("Mul", ["h", "x"], ["y"])
    yield "type-follows", model(
        [helper.make_node("Shape", ["x"], ["s"]),
         helper.make_node("Neg", ["s"], ["h"]), node]), [
             ("type-mismatch", node)]

    # attributes
    node = duplicate_attribute()
    yield "attribute-twice", model([node]), [
        ("duplicate-attribute", node.attribute[1])]
    first = helper.make_node("Cast", ["x"], ["h"], to=1)
    again = helper.make_node("Cast", ["h"], ["y"], to=6)
    again.attribute.append(first.attribute[0])
    twice = model([first, again], outputs=[value("y", TensorProto.INT32)])
    yield "attribute-twice-known", twice, [
        ("duplicate-attribute", twice.SerializeToString().rindex(
            first.attribute[0].SerializeToString()))]
    rows = [
        ("attribute-without-name", dict(i=1, type=2), "missing-name"),
        ("attribute-without-type", dict(name="__a", i=1), "missing-type"),
        ("attribute-type-unknown", dict(name="__a", i=1), "unknown-enum"),
        ("attribute-of-two-values", dict(name="__a", i=1, f=2.0, type=2),
         "several-values"),
        ("attribute-elsewhere", dict(name="__a", f=1.0, type=2), "wrong-field"),
        ("attribute-without-tensor", dict(name="__a", type=4), "missing-value"),
        ("reference-outside", dict(name="__a", ref_attr_name="b", type=2),
         "stray-reference"),
    ]
    for name, fields, rule in rows:
        node = with_attribute(**fields)
        if rule == "unknown-enum":
            # a closed enum: the number goes behind the message by hand
            node.attribute[0].MergeFromString(b"\xa0\x01\x63")
        yield name, model([node]), [(rule, node.attribute[0])]
    yield "attribute-ir1", model([with_attribute(name="__a", i=1)], ir=1,
                                 opsets=[]), []

    # tensors
    rows = [
        ("tensor-too-short", tensor("w", raw=b"\0" * 7), "wrong-size"),
        ("tensor-too-long", tensor("w", raw=b"\0" * 9), "wrong-size"),
        ("tensor-without-data", tensor("w", raw=None), "missing-data"),
        ("tensor-without-type", without(tensor("w"), "data_type"),
         "missing-type"),
        ("tensor-type-unknown", tensor("w", kind=99), "unknown-enum"),
        ("tensor-minus-one", tensor("w", dims=(-1,)), "negative-dimension"),
        ("tensor-huge", tensor("w", dims=(1 << 40, 1 << 40)), "wrong-size"),
        ("tensor-in-two-fields", changed(tensor("w")), "several-values"),
        ("tensor-in-wrong-field", tensor("w", raw=None), "wrong-field"),
        ("tensor-of-nothing", tensor("w", dims=(0,)), "wrong-size"),
        ("tensor-segment", tensor("w"), "segment"),
        ("tensor-without-name", tensor(""), "missing-name"),
        ("strings-raw", tensor("w", kind=STRING), "wrong-field"),
        ("typed-too-short", tensor("w", raw=None), "wrong-size"),
    ]
    for name, t, rule in rows:
        if name == "tensor-in-two-fields":
            t.float_data.extend([1, 2])
        if name == "tensor-in-wrong-field":
            t.int64_data.extend([1, 2])
        if name == "tensor-segment":
            t.segment.begin = 1
        if name == "typed-too-short":
            t.float_data.append(1)
        yield name, model(tensors=[t]), [(rule, t)]
    yield "tensor-empty-raw", model(tensors=[tensor("w", (0,), raw=b"")]), []
    t = tensor("w", raw=b"\1" * 8)
    yield "tensor-twice", model(tensors=[tensor("w"), t]), [
        ("duplicate-name", t)]
    t = tensor("y")
    yield "tensor-is-made", model(tensors=[t]), [("duplicate-name", t)]
    yield "ir3-not-an-input", model(tensors=[tensor("w")], ir=3), [
        ("initializer-not-input", tensor("w"))]
    t = tensor("w", (1,), 22, b"\1")
    yield "int4-in-ir8", model(tensors=[t]), [("ir-too-old", t)]

    # sparse tensors
    yield "sparse-tuples", sparse_model(sparse([0, 1, 1, 2], [2, 2])), []
    rows = [
        ("sparse-descending", sparse([4, 0], [2])),
        ("sparse-twice", sparse([0, 1, 0, 1], [2, 2])),
        ("sparse-outside", sparse([0, 6], [2])),
        ("sparse-outside-tuple", sparse([0, 0, 1, 3], [2, 2])),
        ("sparse-one-index", sparse([0], [1])),
        ("sparse-without-dims", sparse([0, 1], [2], dims=())),
        ("sparse-zero-dim", sparse([0, 1], [2], dims=(2, 0))),
    ]
    for name, t in rows:
        yield name, sparse_model(t), [("bad-sparse", t)]

    # graphs in nodes
    yield "if", if_model(), []
    g = subgraph(nodes=[helper.make_node("Identity", ["q"], ["b"])])
    yield "subgraph-dangles", if_model(then_branch=g), [
        ("dangling-input", g.node[0])]
    g = subgraph(nodes=[helper.make_node("Relu", ["x"], ["c"]),
                        helper.make_node("Identity", ["c"], ["b"])])
    yield "subgraph-redefines", if_model(then_branch=g), [
        ("redefined-name", g.node[0])]
    g = subgraph(nodes=[helper.make_node("Identity", ["y"], ["b"])])
    yield "subgraph-too-early", if_model(then_branch=g), [
        ("not-topological", g)]
    g = helper.make_graph([], "then", [], [value("x", INT64)])
    yield "subgraph-outer-output", if_model(then_branch=g), [
        ("dangling-output", g.output[0])]

    # operators
    n = helper.make_node("Gelu", ["x"], ["y"])
    yield "op-unknown", model([n]), [("unknown-op", n)]
    yield "op-known", model([n], opsets=[("", 20)], ir=9), []
    n = helper.make_node("Upsample", ["x"], ["y"])
    yield "op-deprecated", model([n]), [("deprecated-op", n)]
    n = helper.make_node("Affine", ["x"], ["y"])
    yield "op-legacy", model([n]), [("deprecated-op", n)]
    n = helper.make_node("Relu", ["x", "x"], ["y"])
    yield "op-arity", model([n]), [("wrong-arity", n)]
    n = helper.make_node("Relu", [""], ["y"])
    yield "op-empty-input", model([n]), [("missing-input", n)]
    n = helper.make_node("Cast", ["x"], ["y"])
    yield "op-without-attribute", model([n]), [("missing-attribute", n)]
    n = helper.make_node("Cast", ["x"], ["y"], to=1, surplus=1, __note=1)
    yield "op-attribute", model([n]), [("unknown-attribute", n.attribute[1])]
    n = helper.make_node("Cast", ["x"], ["y"], to=1.5)
    yield "op-attribute-type", model([n]), [
        ("wrong-attribute-type", n.attribute[0])]
    n = helper.make_node("Gelu", ["a"], ["b"])
    f = function("F", [n])
    f.opset_import[0].version = 20
    yield "op-function-imports", function_model(f), []
    # types in graphs that nodes run, and what is said twice
    HALF = TensorProto.FLOAT16
    g = subgraph(nodes=[helper.make_node("Cast", ["x"], ["b"], to=HALF)])
    g.output[0].type.tensor_type.elem_type = HALF
    m = if_model(then_branch=g)
    yield "type-branches", m, [("type-mismatch", m.graph.node[0])]
    g = subgraph("else", [helper.make_node("Cast", ["x"], ["b"], to=HALF)])
    yield "type-branch-declared", if_model(else_branch=g), [
        ("type-mismatch", g.node[0])]
    body = helper.make_graph(
        [helper.make_node("Add", ["v", "i"], ["w"])], "body",
        [value("i", INT64, ()), value("o", TensorProto.BOOL, ()), value("v")],
        [value("o", TensorProto.BOOL, ()), value("w")])
    m = model([helper.make_node("Loop", ["", "", "x"], ["y"], body=body)])
    yield "type-in-loop", m, [("type-mismatch", body.node[0])]
    f = function("F", [helper.make_node("Constant", [], ["k"], value_int=1),
                       helper.make_node("Mul", ["a", "k"], ["b"])])
    yield "type-in-function", function_model(f), [("type-mismatch", f.node[1])]
    g = subgraph()
    g.output.append(value("b", FLOAT))
    yield "branch-of-two", if_model(then_branch=g), [("argument-count", g)]
    m = function_model(function("F"))
    m.graph.node[0].input.append("x")
    yield "call-with-two", m, [("argument-count", m.graph.node[0])]
    m = model()
    m.graph.value_info.append(value("y", INT64))
    yield "type-said-twice", m, [("type-mismatch", m.graph.value_info[0])]
    m = model()
    m.graph.value_info.append(value("y", shape=(2, 2)))
    yield "rank-said-twice", m, [("rank-mismatch", m.graph.value_info[0])]
    node = helper.make_node("Relu", ["x"], ["y"], name="scalar")
    yield "rank-scalar", model([node], outputs=[value("y", shape=())]), [
        ("rank-mismatch", node)]

    # functions
    yield "function", function_model(function("F")), []
    f = function("F", [helper.make_node("F", ["a"], ["b"], domain="my")])
    yield "function-recursive", function_model(f), [("recursive-function", f)]
    f = function("F", outputs=("q",))
    yield "function-without-output", function_model(f), [
        ("dangling-output", f)]
    f = function("F", [helper.make_node("Abs", ["a"], ["b"])])
    yield "function-twice", function_model(function("F"), f), [
        ("duplicate-function", f)]
    f = function("F", [helper.make_node("G", ["a"], ["b"], domain="other")])
    yield "function-domain", function_model(f), [
        ("unknown-domain", f.node[0])]

    # external data; w.bin is eight bytes
    location = ("location", "w.bin")
    yield "external", model(tensors=[external("w", location)]), []
    # without a length: what the shape needs, however long the file is
    yield "external-no-length", model(
        tensors=[external("w", location, dims=(1,))]), []
    yield "external-shared", model(tensors=[
        external("w", location), external("v", location)]), []
    rows = [
        ("external-no-location", [("offset", "0")], "missing-location"),
        ("external-missing", [("location", "gone.bin")], "missing-file"),
        ("external-absolute", [("location", "/etc/hostname")],
         "unsafe-location"),
        ("external-parent", [("location", "../onnx/w.bin")],
         "unsafe-location"),
        ("external-beyond", [location, ("offset", "4"), ("length", "8")],
         "bad-external-range"),
        ("external-negative", [location, ("offset", "-4")],
         "bad-external-range"),
        ("external-wraps", [location, ("offset", "18446744073709551615"),
                            ("length", "8")], "bad-external-range"),
        ("external-no-number", [location, ("length", "0x8")],
         "bad-external-range"),
        ("external-short", [location, ("length", "4")], "wrong-size"),
        ("external-rest", [location, ("offset", "4")], "bad-external-range"),
        ("external-key", [location, ("colour", "red")], "unknown-key"),
    ]
    for name, entries, rule in rows:
        t = external("w", *entries)
        # what does not fit is pointed at in the side file
        at = {"external-short": 0}.get(name, t)
        yield name, model(tensors=[t]), [(rule, at)]
    t = external("w", ("location", "3gib.bin"), dims=(3 << 30,),
                 kind=TensorProto.UINT8)
    yield "external-3gib", model(tensors=[t]), [("missing-file", t)]
    t = external("w", location)
    t.raw_data = b"\0" * 8
    yield "external-and-raw", model(tensors=[t]), [("several-values", t)]
    t = external("w", location, dims=(1,), kind=STRING)
    yield "external-strings", model(tensors=[t]), [("wrong-field", t)]
    yield "external-overlap", model(tensors=[
        external("w", location, ("length", "8")),
        external("v", location, ("offset", "4"), ("length", "4"), dims=(1,)),
    ]), [("overlapping-range", 4)]


def find(data, message):
    """Where the only copy of a message begins, behind its length."""
    body = message.SerializeToString()
    size, prefix = len(body), b""
    while size >= 0x80:
        prefix += bytes([size & 0x7f | 0x80])
        size >>= 7
    prefix += bytes([size])
    assert data.count(prefix + body) == 1, message
    return data.index(prefix + body) + len(prefix)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    rows = []
    for name, m, findings in cases():
        data = m.SerializeToString()
        ModelProto.FromString(data)
        words = []
        for rule, message in findings:
            if message is None:
                words.append("%s@-" % rule)
            elif isinstance(message, int):
                words.append("%s@%d" % (rule, message))
            else:
                words.append("%s@%d" % (rule, find(data, message)))
        with open(os.path.join(folder, name + ".onnx"), "wb") as f:
            f.write(data)
        rows.append("%s.onnx\tonnx\t%s" % (name, " ".join(words) or "good"))
    with open(os.path.join(folder, "w.bin"), "wb") as f:
        f.write(bytes(range(8)))
    t = tensor("input", (2,))
    with open(os.path.join(folder, "input_0.pb"), "wb") as f:
        f.write(t.SerializeToString())
    rows.append("input_0.pb\tonnx-tensor\tgood")
    with open(os.path.join(folder, "MANIFEST"), "w") as f:
        f.write("# file, format, findings of `check` as rule@offset; made by "
                "tests/onnx/make_corpus.py; Apache-2.0\n")
        f.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
