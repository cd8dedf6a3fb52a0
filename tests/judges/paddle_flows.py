"""paddle_flows.py - programs with blocks and arrays, for paddle_onnx.py"""
import numpy as np
from paddle_cases import Case, f, ints

CASES = {}
# There `if` has a condition of one element, numbers have no dims, and there are no
# sequences beside tensors.
NOT_PIR = {"flow.declared", "flow.all_true", "flow.vectors", "flow.along", "flow.element", "flow.joined", "flow.reset", "flow.made"}


class Block(int):
    """An attribute that names a block."""


def flow(build):
    """A case: the function makes the program."""
    CASES["flow." + build.__name__] = Case("flow", {}, build=build)
    return build


def element(p):
    """A slice of an array; the judge has none."""
    p.place("x", f(2, 3))
    constant(p, "zero", 0)
    p.declare("list", is_array=True, dims=())
    p.op("write_to_array", {"X": ["x"], "I": ["zero"]}, {"Out": ["list"]})
    p.declare("first", dims=(2, 3))
    p.op("slice", {"Input": ["list"]}, {"Out": ["first"]}, {"axes": [0], "starts": [0], "ends": [1], "decrease_axis": [0]})
    p.fetch("first")


CASES["flow.element"] = Case("flow", {}, build=element, expect=lambda: f(2, 3))


def constant(p, name, value, dtype="int64", dims=(1,)):
    p.declare(name, dtype, dims)
    p.op("fill_constant", {}, {"Out": [name]}, {"shape": list(dims), "dtype": {"bool": 0, "int64": 3, "float32": 5}[dtype],
                                                "value": float(value), "str_value": str(value)})
    return name


def less(p, x, y, out):
    p.op("less_than", {"X": [x], "Y": [y]}, {"Out": [out]})


def loop(p, condition, names, scope="scopes"):
    """The attribute is filled in by who made the block."""
    return {"Condition": [condition], "X": names}, {"Out": names, "StepScopes": [scope]}


@flow
def counting(p):
    """x doubles until i is n; what a round makes for itself is forgotten."""
    p.place("x", f(2, 3))
    p.place("n", ints(5))
    constant(p, "i", 0)
    p.declare("going", "bool")
    less(p, "i", "n", "going")
    with p.inside() as body:
        p.declare("twice", dims=(2, 3))
        p.op("scale", {"X": ["x_now"]}, {"Out": ["twice"]}, {"scale": 2.0})
        p.op("assign", {"X": ["twice"]}, {"Out": ["x_now"]})
        p.op("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0})
        less(p, "i", "n", "going")
    p.declare("x_now", dims=(2, 3))
    p.op("assign", {"X": ["x"]}, {"Out": ["x_now"]})
    p.op("while", *loop(p, "going", ["i", "x_now"]), {"sub_block": body, "is_test": True})
    p.fetch("x_now")
    p.fetch("i")


@flow
def never(p):
    """A loop that does not begin leaves everything as it was."""
    p.place("x", f(2, 3))
    p.place("n", ints(0))
    constant(p, "i", 0)
    p.declare("going", "bool")
    less(p, "i", "n", "going")
    with p.inside() as body:
        p.op("increment", {"X": ["x_now"]}, {"Out": ["x_now"]}, {"step": 1.0})
        p.op("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0})
        less(p, "i", "n", "going")
    p.declare("x_now", dims=(2, 3))
    p.op("assign", {"X": ["x"]}, {"Out": ["x_now"]})
    p.op("while", *loop(p, "going", ["i", "x_now"]), {"sub_block": body})
    p.fetch("x_now")


@flow
def rewritten(p):
    """A block reads a name as it stands when the block runs."""
    p.place("x", f(2, 3))
    p.place("yes", np.array([True]))
    p.declare("y", dims=(2, 3))
    p.op("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 3.0})
    p.op("scale", {"X": ["y"]}, {"Out": ["y"]}, {"scale": 1.0, "bias": 1.0})
    p.declare("z", dims=(2, 3))
    p.op("assign", {"X": ["x"]}, {"Out": ["z"]})
    with p.inside() as block:
        p.op("elementwise_add", {"X": ["y"], "Y": ["z"]}, {"Out": ["z"]})
    p.op("conditional_block", {"Cond": ["yes"], "Input": ["y", "z"]}, {"Out": ["z"], "Scope": ["scope"]},
         {"sub_block": block, "is_scalar_condition": True})
    p.op("scale", {"X": ["y"]}, {"Out": ["y"]}, {"scale": -1.0})
    p.fetch("z")
    p.fetch("y")


@flow
def fed_over(p):
    """An input is written over, outside and inside a block."""
    p.place("x", f(2, 3))
    p.place("i", ints(0))
    p.place("n", ints(3))
    p.op("scale", {"X": ["x"]}, {"Out": ["x"]}, {"scale": 3.0})
    p.declare("going", "bool")
    less(p, "i", "n", "going")
    with p.inside() as body:
        p.op("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0})
        p.op("elementwise_add", {"X": ["x"], "Y": ["x"]}, {"Out": ["x"]})
        less(p, "i", "n", "going")
    p.op("while", *loop(p, "going", ["i", "x"]), {"sub_block": body})
    p.declare("out", dims=(2, 3))
    p.op("assign", {"X": ["x"]}, {"Out": ["out"]})
    p.fetch("out")


@flow
def declared(p):
    """Nothing says how many dims a shape that is fed has, but the program."""
    p.place("x", f(2, 3, 4))
    p.place("to", ints(4, 3, 2, dtype="i4"))
    p.block.vars[-1].type.lod_tensor.tensor.dims[:] = [-1]
    p.declare("y", dims=(-1, 3, -1))
    p.declare("was", dims=(0, 2, 3, 4))
    p.op("reshape2", {"X": ["x"], "Shape": ["to"]}, {"Out": ["y"], "XShape": ["was"]}, {"shape": []})
    p.declare("z", dims=(-1, -1))
    p.op("flatten_contiguous_range", {"X": ["y"]}, {"Out": ["z"]}, {"start_axis": 1, "stop_axis": -1})
    p.fetch("z")


def choose(p, yes):
    """What paddle.static.nn.cond() makes."""
    p.place("x", f(2, 3))
    p.place("yes", np.array([yes]))
    p.declare("no", "bool")
    p.op("logical_not", {"X": ["yes"]}, {"Out": ["no"]})
    for name, op in (("yes", "exp"), ("no", "abs")):
        p.declare(f"{name}_out", dims=(2, 3))
        with p.inside() as block:
            p.declare(f"{name}_made", dims=(2, 3))
            p.op(op, {"X": ["x"]}, {"Out": [f"{name}_made"]})
            p.op("assign", {"X": [f"{name}_made"]}, {"Out": [f"{name}_out"]})
        p.op("conditional_block", {"Cond": [name], "Input": ["x"]}, {"Out": [f"{name}_out"], "Scope": ["scope"]},
             {"sub_block": block, "is_scalar_condition": True})
    p.declare("mask", "int32")
    p.op("cast", {"X": ["yes"]}, {"Out": ["mask"]}, {"in_dtype": 0, "out_dtype": 2})
    p.declare("out", dims=(2, 3))
    p.op("select_input", {"X": ["no_out", "yes_out"], "Mask": ["mask"]}, {"Out": ["out"]})
    p.fetch("out")


@flow
def chosen(p):
    choose(p, True)


@flow
def not_chosen(p):
    choose(p, False)


@flow
def all_true(p):
    """A condition of many elements."""
    p.place("x", f(2, 3))
    p.place("y", f(2, 3, seed=4))
    p.declare("more", "bool", (2, 3))
    less(p, "x", "y", "more")
    p.declare("out", dims=(2, 3))
    p.op("assign", {"X": ["x"]}, {"Out": ["out"]})
    with p.inside() as block:
        p.op("assign", {"X": ["y"]}, {"Out": ["out"]})
    p.op("conditional_block", {"Cond": ["more"], "Input": ["y"]}, {"Out": ["out"], "Scope": ["scope"]}, {"sub_block": block})
    p.fetch("out")


@flow
def arrays(p):
    """Elements are added, replaced and read."""
    p.place("x", f(2, 3))
    constant(p, "zero", 0)
    constant(p, "one", 1)
    p.declare("list", is_array=True, dims=())
    p.declare("doubled", dims=(2, 3))
    p.op("scale", {"X": ["x"]}, {"Out": ["doubled"]}, {"scale": 2.0})
    p.op("write_to_array", {"X": ["x"], "I": ["zero"]}, {"Out": ["list"]})
    p.op("write_to_array", {"X": ["doubled"], "I": ["one"]}, {"Out": ["list"]})
    p.op("write_to_array", {"X": ["doubled"], "I": ["zero"]}, {"Out": ["list"]})
    for name in ("second", "joined", "stacked"):
        p.declare(name, dims=(2, 3))
    p.op("read_from_array", {"X": ["list"], "I": ["one"]}, {"Out": ["second"]})
    p.declare("count", "int64")
    p.op("lod_array_length", {"X": ["list"]}, {"Out": ["count"]})
    p.declare("sizes", "int32")
    p.op("tensor_array_to_tensor", {"X": ["list"]}, {"Out": ["joined"], "OutIndex": ["sizes"]}, {"axis": 1})
    p.op("tensor_array_to_tensor", {"X": ["list"]}, {"Out": ["stacked"], "OutIndex": ["sizes"]}, {"axis": 0, "use_stack": True})
    for name in ("second", "count", "joined", "stacked"):
        p.fetch(name)


@flow
def collecting(p):
    """A loop that writes an element in every round, as decoders do."""
    p.place("x", f(2, 3))
    p.place("n", ints(4))
    constant(p, "i", 0)
    p.declare("list", is_array=True, dims=())
    p.declare("x_now", dims=(2, 3))
    p.op("create_array", {}, {"Out": ["list"]}, {"dtype": 5})
    p.op("write_to_array", {"X": ["x"], "I": ["i"]}, {"Out": ["list"]})
    p.op("assign", {"X": ["x"]}, {"Out": ["x_now"]})
    p.declare("going", "bool")
    less(p, "i", "n", "going")
    with p.inside() as body:
        p.declare("last", dims=(2, 3))
        p.declare("next", dims=(2, 3))
        p.op("read_from_array", {"X": ["list"], "I": ["i"]}, {"Out": ["last"]})
        p.op("elementwise_add", {"X": ["last"], "Y": ["x"]}, {"Out": ["next"]})
        p.op("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0})
        p.op("write_to_array", {"X": ["next"], "I": ["i"]}, {"Out": ["list"]})
        less(p, "i", "n", "going")
    p.op("while", *loop(p, "going", ["i", "list"]), {"sub_block": body})
    p.declare("all", dims=(-1, 2, 3))
    p.declare("sizes", "int32")
    p.op("tensor_array_to_tensor", {"X": ["list"]}, {"Out": ["all"], "OutIndex": ["sizes"]}, {"axis": 0, "use_stack": True})
    p.fetch("all")


@flow
def nested(p):
    """A block in a block writes what is two outside; the inner one only sometimes."""
    p.place("x", f(2, 3))
    p.place("n", ints(5))
    constant(p, "i", 0)
    constant(p, "two", 2)
    p.declare("sum", dims=(2, 3))
    p.op("fill_zeros_like", {"X": ["x"]}, {"Out": ["sum"]})
    p.declare("going", "bool")
    less(p, "i", "n", "going")
    with p.inside() as body:
        p.declare("small", "bool")
        less(p, "i", "two", "small")
        with p.inside() as inner:
            p.declare("more", dims=(2, 3))
            p.op("elementwise_add", {"X": ["sum"], "Y": ["x"]}, {"Out": ["more"]})
            p.op("assign", {"X": ["more"]}, {"Out": ["sum"]})
        p.op("conditional_block", {"Cond": ["small"], "Input": ["sum"]}, {"Out": ["sum"], "Scope": ["scope"]},
             {"sub_block": inner, "is_scalar_condition": True})
        p.op("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0})
        less(p, "i", "n", "going")
    p.op("while", *loop(p, "going", ["i", "sum"]), {"sub_block": body})
    p.fetch("sum")


@flow
def vectors(p):
    """Before 2.5 nothing has no dims: what a program declares as [1] is that."""
    p.place("x", f(3, 4))
    p.place("v", f(5))
    for kind in ("sum", "mean", "max", "min", "prod"):
        p.declare(kind)
        p.op(f"reduce_{kind}", {"X": ["x"]}, {"Out": [kind]}, {"reduce_all": True, "dim": [0]})
    p.declare("average")
    p.op("mean", {"X": ["x"]}, {"Out": ["average"]})
    p.declare("item")
    p.op("slice", {"Input": ["v"]}, {"Out": ["item"]}, {"axes": [0], "starts": [1], "ends": [2], "decrease_axis": [0]})
    p.declare("count", "int64")
    p.op("size", {"Input": ["x"]}, {"Out": ["count"]})
    p.declare("product")
    p.op("matmul_v2", {"X": ["v"], "Y": ["v"]}, {"Out": ["product"]})
    p.declare("empty", "bool")
    p.op("is_empty", {"X": ["x"]}, {"Out": ["empty"]})
    p.declare("place", "int64")
    p.op("arg_max", {"X": ["v"]}, {"Out": ["place"]}, {"axis": 0, "dtype": 3})
    for name in ("sum", "mean", "max", "min", "prod", "average", "item", "count", "product", "empty", "place"):
        p.fetch(name)


@flow
def numbers(p):
    """Since 2.5 they are numbers."""
    p.place("x", f(3, 4))
    p.declare("sum", dims=())
    p.op("reduce_sum", {"X": ["x"]}, {"Out": ["sum"]}, {"reduce_all": True, "dim": [0]})
    p.fetch("sum")


def ragged(p):
    """Offsets go along with rows."""
    p.place("x", f(6, 4), lod=[0, 2, 5, 6])
    p.place("w", f(4, 3))
    p.declare("h", dims=(-1, 3))
    p.op("mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["h"]})
    p.declare("t", dims=(-1, 3))
    p.op("tanh", {"X": ["h"]}, {"Out": ["t"]})
    p.declare("out", dims=(-1, 3))


@flow
def along(p):
    ragged(p)
    p.op("sequence_pool", {"X": ["t"]}, {"Out": ["out"]}, {"pooltype": "SUM"})
    p.fetch("out")


@flow
def reset(p):
    """By what a tensor holds, by an attribute, by the sequences of another."""
    ragged(p)
    p.place("from", ints(0, 1, 6, dtype="i4"))
    for name in ("a", "b", "c", "a_out", "b_out", "c_out"):
        p.declare(name, dims=(-1, 3))
    p.op("lod_reset", {"X": ["t"], "Y": ["from"]}, {"Out": ["a"]})
    p.op("lod_reset", {"X": ["t"]}, {"Out": ["b"]}, {"target_lod": [0, 3, 6]})
    p.op("lod_reset", {"X": ["a"], "Y": ["x"]}, {"Out": ["c"]})
    for name in "abc":
        p.op("sequence_pool", {"X": [name]}, {"Out": [name + "_out"]}, {"pooltype": "MAX"})
        p.fetch(name + "_out")


@flow
def made(p):
    """Sequences of columns of images, and of what was padded."""
    p.place("x", f(2, 1, 4, 5))
    p.place("n", ints(2, 3))
    p.place("y", f(2, 3, 2))
    for name in ("rows", "out", "flat", "wide", "last"):
        p.declare(name, dims=(-1, 2))
    p.op("im2sequence", {"X": ["x"]}, {"Out": ["rows"]}, {"kernels": [4, 1]})
    p.op("sequence_pool", {"X": ["rows"]}, {"Out": ["out"]}, {"pooltype": "AVERAGE"})
    p.op("sequence_unpad", {"X": ["y"], "Length": ["n"]}, {"Out": ["flat"]})
    p.op("sequence_reshape", {"X": ["flat"]}, {"Out": ["wide"]}, {"new_dim": 1})
    p.op("sequence_pool", {"X": ["wide"]}, {"Out": ["last"]}, {"pooltype": "LAST"})
    p.fetch("out")
    p.fetch("last")


@flow
def joined(p):
    """Sequences of two inputs behind each other, and what they are then."""
    p.place("a", f(5, 3), lod=[0, 2, 5])
    p.place("b", f(4, 3, seed=1), lod=[0, 3, 4])
    for name in ("both", "out"):
        p.declare(name, dims=(-1, 3))
    p.op("sequence_concat", {"X": ["a", "b"]}, {"Out": ["both"]})
    p.op("sequence_pool", {"X": ["both"]}, {"Out": ["out"]}, {"pooltype": "LAST"})
    p.fetch("both")
    p.fetch("out")
