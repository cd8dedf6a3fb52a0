"""old_opsets.py - models of opsets 1 to 6, which ONNX Runtime does not run

A random graph is made for opset 7, of nodes that were there before in a form that says
the same; that one runs.  What is converted is the same graph as it was written then:

    fits(node, opset, values)       # was there such a node?
    lowered(model, opset, values)   # the model, as it was written
"""
import onnx
from onnx import helper

NEWER = 7
# Since when a node means what it does in opset 7, arithmetic apart.
SINCE = {
    1: ("Constant Transpose Squeeze Unsqueeze Slice Gather Flatten Shape Size Softmax LogSoftmax "
        "Hardmax ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceProd "
        "ReduceSumSquare ReduceLogSumExp ReduceLogSum ArgMax ArgMin Conv ConvTranspose MaxPool "
        "AveragePool GlobalAveragePool GlobalMaxPool MatMul LRN LpNormalization Identity Not "
        "DepthToSpace SpaceToDepth Softplus Softsign"),
    2: "Pad Split LpPool GlobalLpPool",
    4: "Concat",
    5: "Reshape",
    6: ("Cast Tile Abs Neg Relu LeakyRelu Elu Selu HardSigmoid Tanh Sigmoid Exp Log Sqrt "
        "Reciprocal Floor Ceil Clip InstanceNormalization"),
}
FIRST = {op: since for since, ops in SINCE.items() for op in ops.split()}
ARITHMETIC = ("Add", "Sub", "Mul", "Div", "Pow")


def is_tail(dims, other):
    """Whether the second argument is spread over the first by its last dims alone, which
    is what a broadcast of old and that of opset 7 have in common."""
    return tuple(dims[len(dims) - len(other):]) == tuple(other)


def fits(node, opset, values):
    if node.op_type in ARITHMETIC:
        x, y = (values[name].dims for name in node.input)
        return opset >= 6 and len(y) <= len(x) and is_tail(x, y)
    if any(one.name == "count_include_pad" for one in node.attribute):
        return False
    return FIRST.get(node.op_type, NEWER) <= opset


def lower_arithmetic(node, values):
    x, y = (values[name].dims for name in node.input)
    if x == y:
        return
    node.attribute.append(helper.make_attribute("broadcast", 1))
    if y and len(x) % 2:        # it may be told, too
        node.attribute.append(helper.make_attribute("axis", len(x) - len(y)))


def lowered(model, opset, values):
    made = onnx.ModelProto()
    made.CopyFrom(model)
    made.opset_import[0].version = opset
    made.ir_version = 3
    for node in made.graph.node:
        if node.op_type in ARITHMETIC:
            lower_arithmetic(node, values)
    return made
