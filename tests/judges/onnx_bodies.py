#!/usr/bin/python3
"""Types and ranks in the graphs that nodes run, against the reference.

    onnx_bodies.py TENON

Makes models with If, Loop, Scan, SequenceMap and functions, each right and with
one type or rank changed, and compares the verdict of `tenon check` with that of
onnx.shape_inference in its strict mode.  Where the reference does not look, the
row says so.  Exits 77 when python3-onnx is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import onnx
    from onnx import TensorProto, helper, shape_inference
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

F32, F16 = TensorProto.FLOAT, TensorProto.FLOAT16
I64, I32, BOOL = TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL
RULES = {"argument-count", "type-mismatch", "type-not-allowed", "rank-mismatch",
         "rank-not-allowed"}


def value(name, kind=F32, shape=(2,)):
    return helper.make_tensor_value_info(name, kind, shape)


def sequence(name, kind=F32):
    return helper.make_tensor_sequence_value_info(name, kind, None)


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, outputs, **attributes)


def constant(name, kind=F32, shape=(2,)):
    count = 1
    for dim in shape:
        count *= dim
    return node("Constant", [], [name], value=helper.make_tensor(
        "", kind, shape, [1] * count))


def model(nodes, inputs, outputs, infos=(), tensors=(), functions=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(tensors),
                              value_info=list(infos))
    m = helper.make_model(graph, opset_imports=[
        helper.make_opsetid("", 17), helper.make_opsetid("my", 1)])
    m.functions.extend(functions)
    m.ir_version = 8
    return m


def branches(then, other, result=F32, shape=(2,), after="Relu"):
    """If, whose result goes to another operator."""
    def branch(name, kind, dims):
        return helper.make_graph([constant(name, kind, dims)], name, [],
                                 [value(name, kind, dims)])
    return model(
        [node("If", ["c"], ["r"], then_branch=branch("a", *then),
              else_branch=branch("b", *other)),
         node(after, ["r"], ["y"])],
        [value("c", BOOL, ())], [value("y", result, shape)])


def outer(kind=F32, shape=(2,)):
    """Branches that use a value from around them."""
    def branch(name):
        return helper.make_graph(
            [constant(name + "k", F32), node("Conv" if len(shape) > 2 else
                                             "Add", ["x", name + "k"], [name])],
            name, [], [value(name)])
    return model([node("If", ["c"], ["y"], then_branch=branch("a"),
                       else_branch=branch("b"))],
                 [value("c", BOOL, ()), value("x", kind, shape)], [value("y")])


def loop(number=I64, condition=BOOL, carried=F32, initial=F32, gives=F32,
         asks=BOOL, scan=F32, scan_shape=(2,), result=F32, results=F32,
         rank=2, cond=()):
    body = helper.make_graph(
        [constant("on", asks, ()), node("Cast", ["v"], ["w"], to=gives),
         constant("s", scan, scan_shape)], "body",
        [value("i", number, ()), value("o", condition, ()),
         value("v", carried)],
        [value("on", asks, ()), value("w", gives), value("s", scan,
                                                         scan_shape)])
    return model([node("Loop", ["m", "c", "x"], ["y", "z"], body=body)],
                 [value("m", I64, ()), value("c", BOOL, cond),
                  value("x", initial)],
                 [value("y", result), value("z", results, [None] * rank)])


def carry(step, carried=None, result=None, after="Relu", initial=(2,)):
    """A Loop around one operator, and one behind it."""
    body = helper.make_graph(
        [constant("on", BOOL, ())] + step, "body",
        [value("i", I64, ()), value("o", BOOL, ()), value("v", F32, carried)],
        [value("on", BOOL, ()), value("w", F32, None)])
    return model([node("Loop", ["m", "c", "x"], ["y"], body=body),
                  node(after, ["y"], ["z"])],
                 [value("m", I64, ()), value("c", BOOL, ()),
                  value("x", F32, initial)],
                 [value("z", F32, None)],
                 infos=[value("y", F32, result)] if result else [])


def carry_optional(kind=F32):
    """A Loop whose value begins as an optional sequence without a value."""
    none = helper.make_optional_type_proto(helper.make_sequence_type_proto(
        helper.make_tensor_type_proto(F32, None)))
    made = [node("OptionalHasElement", ["v"], ["has"]),
            node("If", ["has"], ["s"],
                 then_branch=helper.make_graph(
                     [node("OptionalGetElement", ["v"], ["a"])], "then", [],
                     [sequence("a")]),
                 else_branch=helper.make_graph(
                     [node("SequenceEmpty", [], ["b"], dtype=F32)], "other",
                     [], [sequence("b")])),
            constant("k", kind), constant("on", BOOL, ()),
            node("SequenceInsert", ["s", "k"], ["w"]) if kind == F32 else
            node("SequenceConstruct", ["k"], ["w"])]
    body = helper.make_graph(
        made, "body", [value("i", I64, ()), value("o", BOOL, ()),
                       helper.make_value_info("v", none)],
        [value("on", BOOL, ()), sequence("w", kind)])
    return model([node("Optional", [], ["x"],
                       type=none.optional_type.elem_type),
                  node("Loop", ["m", "c", "x"], ["y"], body=body)],
                 [value("m", I64, ()), value("c", BOOL, ())],
                 [sequence("y", kind)])


def scan_step(step):
    """A Scan around one operator."""
    body = helper.make_graph(
        step, "body", [value("v", F32, None), value("e", F32, None)],
        [value("w", F32, None)])
    return model([node("Scan", ["x", "d"], ["y"], body=body,
                       num_scan_inputs=1)],
                 [value("x"), value("d", F32, (3, 2))],
                 [value("y", F32, None)])


KEEP = [node("Relu", ["v"], ["w"])]
FLATTEN = [node("Flatten", ["v"], ["w"])]
POOL = [node("GlobalMaxPool", ["v"], ["w"])]


def scan(state=F32, element=F32, element_shape=(2,), initial=F32, data=F32,
         gives=F32, data_shape=(3, 2), result=F32, results=F32, rank=2):
    body = helper.make_graph(
        [node("Cast", ["v"], ["w"], to=gives), node("Identity", ["e"], ["f"])],
        "body", [value("v", state), value("e", element, element_shape)],
        [value("w", gives), value("f", element, element_shape)])
    return model([node("Scan", ["x", "d"], ["y", "z"], body=body,
                       num_scan_inputs=1)],
                 [value("x", initial), value("d", data, data_shape)],
                 [value("y", result), value("z", results, [None] * rank)])


def each(element=F32, given=F32, more=F32, more_given=F32, result=F32):
    body = helper.make_graph(
        [node("Identity", ["e"], ["f"])], "body",
        [value("e", element, None), value("m", more, None)],
        [value("f", element, None)])
    return model([node("SequenceMap", ["s", "a"], ["y"], body=body)],
                 [sequence("s", given), value("a", more_given)],
                 [sequence("y", result)])


def function(name, nodes, inputs=("a",), outputs=("b",)):
    return helper.make_function("my", name, list(inputs), list(outputs), nodes,
                                [helper.make_opsetid("", 17),
                                 helper.make_opsetid("my", 1)])


def calls(*kinds, result=F32, shape=(2,), nodes=None, depth=1):
    """A function that adds a constant to what it is called with."""
    inner = nodes or [constant("k"), node("Add", ["a", "k"], ["b"])]
    functions = [function("F0", inner)]
    for i in range(1, depth):
        functions.append(function("F%d" % i, [
            node("F%d" % (i - 1), ["a"], ["b"], domain="my")]))
    last = "F%d" % (depth - 1)
    return model(
        [node(last, ["x%d" % i], ["y%d" % i], domain="my")
         for i in range(len(kinds))],
        [value("x%d" % i, kind, shape) for i, kind in enumerate(kinds)],
        [value("y%d" % i, result, shape) for i in range(len(kinds))],
        functions=functions)


def ends(info=F32, info_shape=(2,), output=F32, output_shape=(2,)):
    """A result with a value_info."""
    return model([node("Relu", ["x"], ["y"])], [value("x")],
                 [value("y", output, output_shape)],
                 infos=[value("y", info, info_shape)])


def custom_ends(**kinds):
    """The same of an operator that nobody knows."""
    m = ends(**kinds)
    m.graph.node[0].domain = "my"
    return m


def default(kind=F32, shape=(2,)):
    """An input with an initial value."""
    return model([node("Relu", ["x"], ["y"])], [value("x", kind, shape)],
                 [value("y")], tensors=[helper.make_tensor("x", F32, [2],
                                                           [1, 2])])


def arity(name, inputs, outputs, body_inputs, body_outputs, **attributes):
    """A node that runs a graph of so many inputs and outputs."""
    def graph(prefix):
        kinds = [I64, BOOL] + [F32] * 9 if name == "Loop" else [F32] * 9
        shapes = [(), ()] + [(2,)] * 9 if name == "Loop" else [(2,)] * 9
        given = [value(prefix + "i%d" % i, kinds[i], shapes[i])
                 for i in range(body_inputs)]
        nodes, made = [], []
        for i in range(body_outputs):
            kind, dims = (BOOL, ()) if name == "Loop" and i == 0 else (F32, (2,))
            nodes.append(constant(prefix + "o%d" % i, kind, dims))
            made.append(value(prefix + "o%d" % i, kind, dims))
        return helper.make_graph(nodes, prefix, given, made)
    kinds = {"If": [(BOOL, ())], "Loop": [(I64, ()), (BOOL, ())] + [
        (F32, (2,))] * 4}.get(name, [(F32, (2,)), (F32, (3, 2))])
    bodies = ["then_branch", "else_branch"] if name == "If" else ["body"]
    attributes.update((key, graph(key)) for key in bodies)
    return model(
        [node(name, ["x%d" % i for i in range(inputs)],
              ["y%d" % i for i in range(outputs)], **attributes)],
        [value("x%d" % i, *kinds[i]) for i in range(inputs)],
        [value("y%d" % i, F32, None) for i in range(outputs)])


def called(inputs, outputs):
    """A call of a function of two inputs and two outputs."""
    f = function("F", [node("Relu", ["a"], ["c"]), node("Relu", ["b"], ["d"])],
                 ("a", "b"), ("c", "d"))
    return model([node("F", ["x%d" % i for i in range(inputs)],
                       ["y%d" % i for i in range(outputs)], domain="my")],
                 [value("x%d" % i) for i in range(inputs)],
                 [value("y%d" % i) for i in range(outputs)], functions=[f])


UNSEEN = "the reference does not compare it"
RUN = "only an engine that runs the loop says so"
LATE = "the reference of this release does not follow functions"

# name, model, whether it is right, why the reference does not say so
CASES = [
    ("if", branches((F32, (2,)), (F32, (2,))), True, ""),
    ("if-ranks-differ", branches((F32, (2,)), (F32, (2, 2)), shape=None), True,
     ""),
    ("if-types-differ", branches((F32, (2,)), (F16, (2,))), False, ""),
    ("if-result-declared", branches((F16, (2,)), (F16, (2,))), False, ""),
    ("if-rank-declared", branches((F32, (2,)), (F32, (2,)), shape=(2, 2)),
     False, ""),
    ("if-result-not-taken", branches((BOOL, (2,)), (BOOL, (2,)), BOOL), False,
     UNSEEN),
    ("if-outer", outer(), True, ""),
    ("if-outer-type", outer(F16), False, UNSEEN),
    ("loop", loop(), True, ""),
    ("loop-number", loop(number=I32), False, ""),
    ("loop-condition", loop(condition=F32), False, ""),
    ("loop-condition-rank", loop(cond=(1,)), False, ""),
    ("loop-asks", loop(asks=F32), False, UNSEEN),
    ("loop-initial", loop(initial=I64), False, ""),
    ("loop-carried", loop(carried=I64), False, ""),
    ("loop-gives", loop(gives=I64, result=I64), False, ""),
    ("loop-result", loop(result=I64), False, ""),
    ("loop-scan", loop(scan=I64), False, ""),
    ("loop-scan-result", loop(results=I64), False, ""),
    ("loop-scan-rank", loop(rank=3), False, ""),
    ("loop-scan-shape", loop(scan_shape=(2, 2)), False, ""),
    ("loop-keeps-rank", carry(KEEP), True, ""),
    ("loop-changes-rank", carry(FLATTEN, after="GlobalMaxPool"), True, ""),
    ("loop-changes-declared-rank", carry(FLATTEN, (2,)), True, ""),
    ("loop-begins-otherwise", carry(KEEP, (2, 2)), True, ""),
    ("loop-first-round", carry(POOL), False, RUN),
    ("loop-rank-after", carry(KEEP, after="GlobalMaxPool"), False, RUN),
    ("loop-flat-after", carry(FLATTEN, after="GlobalMaxPool", initial=(2, 2)),
     True, ""),
    ("loop-rank-declared", carry(KEEP, result=(2, 2)), False, UNSEEN),
    ("loop-optional", carry_optional(), True, ""),
    ("loop-optional-type", carry_optional(F16), False, UNSEEN),
    ("scan-keeps-rank", scan_step(KEEP), True, ""),
    ("scan-changes-rank", scan_step(FLATTEN), False, ""),
    ("scan", scan(), True, ""),
    ("scan-state", scan(state=I64), False, ""),
    ("scan-initial", scan(initial=I64), False, ""),
    ("scan-gives", scan(gives=I64, result=I64), False, ""),
    ("scan-result", scan(result=I64), False, ""),
    ("scan-element", scan(element=I64), False, ""),
    ("scan-data", scan(data=I64), False, ""),
    ("scan-data-rank", scan(data_shape=(3, 2, 2)), False, ""),
    ("scan-element-rank", scan(element_shape=(2, 2), rank=3), False, ""),
    ("scan-results", scan(results=I64), False, ""),
    ("scan-results-rank", scan(rank=3), False, ""),
    ("sequence-map", each(), True, ""),
    ("sequence-map-element", each(element=I64, result=I64), False, ""),
    ("sequence-map-given", each(given=I64), False, ""),
    ("sequence-map-more", each(more=I64), False, ""),
    ("sequence-map-result", each(result=I64), False, ""),
    ("function", calls(F32), True, ""),
    ("function-deep", calls(F32, F32, depth=30), True, ""),
    ("function-type", calls(F16, result=F16), False, LATE),
    ("function-second-call", calls(F32, F16), False, LATE),
    ("function-deep-type", calls(F32, F16, depth=30), False, LATE),
    ("function-result", calls(F32, result=F16), False, LATE),
    ("function-rank", calls(F32, nodes=[
        node("GlobalMaxPool", ["a"], ["b"])]), False, LATE),
    ("if-outputs", arity("If", 1, 2, 0, 2), True, ""),
    ("if-few-outputs", arity("If", 1, 2, 0, 1), False, ""),
    ("if-many-outputs", arity("If", 1, 1, 0, 2), False, ""),
    ("if-inputs", arity("If", 1, 1, 1, 1), False, ""),
    ("loop-ends", arity("Loop", 4, 3, 4, 4), True, ""),
    ("loop-few-inputs", arity("Loop", 4, 3, 3, 4), False, ""),
    ("loop-many-inputs", arity("Loop", 3, 3, 4, 4), False, ""),
    ("loop-few-outputs", arity("Loop", 4, 3, 4, 3), False, ""),
    ("loop-many-outputs", arity("Loop", 4, 2, 4, 4), False, ""),
    ("scan-ends", arity("Scan", 2, 2, 2, 2, num_scan_inputs=1), True, ""),
    ("scan-few-inputs", arity("Scan", 2, 2, 1, 2, num_scan_inputs=1), False,
     ""),
    ("scan-many-outputs", arity("Scan", 2, 1, 2, 2, num_scan_inputs=1), False,
     ""),
    ("function-many-inputs", called(3, 2), False, UNSEEN),
    ("function-many-outputs", called(2, 3), False, UNSEEN),
    ("ends", ends(), True, ""),
    ("ends-info-type", ends(info=F16), False, UNSEEN),
    ("ends-info-rank", ends(info_shape=(2, 2)), False, UNSEEN),
    ("ends-output-type", ends(output=F16), False, ""),
    ("ends-output-rank", ends(output_shape=(2, 2)), False, ""),
    ("ends-scalar", ends(output_shape=()), False, ""),
    ("ends-custom", custom_ends(), True, ""),
    ("ends-custom-type", custom_ends(info=F16), False, UNSEEN),
    ("ends-custom-rank", custom_ends(info_shape=(2, 2)), False, UNSEEN),
    ("default", default(), True, ""),
    ("default-type", default(F16), False, ""),
    ("default-rank", default(shape=(2, 1)), False, ""),
]


def reference_says(m):
    try:
        shape_inference.infer_shapes(m, check_type=True, strict_mode=True)
    except Exception as e:  # of types that differ between releases
        return str(e).splitlines()[-1]
    return ""


def we_say(tenon, m, folder):
    path = os.path.join(folder, "m.onnx")
    onnx.save(m, path)
    done = subprocess.run([tenon, "check", "--json", path],
                          capture_output=True, text=True, timeout=60)
    found = json.loads(done.stdout)["files"][0]["findings"]
    found = [f for f in found if f["rule"] != "missing-shape"]
    strange = [f for f in found if f["severity"] == "error" and
               f["rule"] not in RULES]
    assert not strange, strange
    return ["%s: %s" % (f["rule"], f["what"]) for f in found]


def main(tenon):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, m, is_right, unseen in CASES:
            ours = we_say(tenon, m, folder)
            theirs = reference_says(m)
            is_agreed = bool(theirs) != is_right or (unseen and not theirs)
            if bool(ours) == is_right or not is_agreed:
                failed += 1
                print("%s: should be %s\n  ours: %s\n  reference: %s" % (
                    name, "right" if is_right else "wrong", ours, theirs))
    print("%d models, %d wrong" % (len(CASES), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
