"""random_tensorflow_flow.py - conditions and loops for random graphs of TensorFlow

    step = flow_step(maker, name)       # or None: there is nothing to choose from

A flow is a Step whose operator is If, StatelessIf, While or StatelessWhile, which call
functions, or one of the first TensorFlow: Switch ("SwitchMerge") and Enter ("Frame"),
which are nodes of the graph.  Bodies are chains of operators of one argument that
bring no two numbers further apart, and a sum.
"""
import collections

import graphdef
import numpy

Flow = collections.namedtuple("Flow", "kind chains count")
SMOOTH = {"Tanh": numpy.tanh, "Neg": numpy.negative, "Abs": numpy.abs,
          "Relu": lambda x: numpy.maximum(x, 0), "Identity": lambda x: x,
          "Sigmoid": lambda x: 1 / (1 + numpy.exp(-x.astype("f8")))}
CHOICES = ("If", "StatelessIf", "SwitchMerge")
DATAFLOW = ("SwitchMerge", "Frame")
FUNCTIONS = ("If", "StatelessIf", "While", "StatelessWhile")
ERROR = 2e-5


def chain(rng):
    return [rng.choice(sorted(SMOOTH)) for _ in range(rng.randint(1, 3))]


def through(ops, x):
    for op in ops:
        x = SMOOTH[op](x).astype(x.dtype)
    return x


def turned(flow, x, by):
    """A loop: x is what the chain makes of x and another value, so many times."""
    for _ in range(flow.count):
        x = numpy.tanh(through(flow.chains[0], x + by)).astype(x.dtype)
    return x


def wanted(flow, arrays):
    if flow.kind in CHOICES:
        return through(flow.chains[0 if arrays[0] else 1], arrays[1])
    return turned(flow, arrays[1], arrays[2])


def error_of(flow, errors):
    if flow.kind in CHOICES:
        return errors[1] + 4 * ERROR
    return errors[1] + flow.count * (errors[2] + 5 * ERROR)


# --- functions -----------------------------------------------------------------------

class Function(graphdef.Graph):
    """A function of the library: nodes name outputs as `node:arg:0`."""

    def __init__(self, library, name, inputs):
        super().__init__()
        self.function = library.function.add()
        self.function.signature.name = name
        for arg, kind in inputs:
            self.function.signature.input_arg.add(name=arg, type=graphdef.TYPES[kind])

    def output(self, op, name):
        """How the first output of a node is called."""
        return f"{name}:{graphdef.vocabulary()[op][1][0][0]}:0"

    def end(self, outputs):
        for arg, kind, value in outputs:
            self.function.signature.output_arg.add(name=arg, type=graphdef.TYPES[kind])
            self.function.ret[arg] = value
        self.function.node_def.extend(self.proto.node)


def put_chain(graph, ops, name, x, output=lambda op, name: name):
    for at, op in enumerate(ops):
        node = f"{name}_{at}"
        graph.add(op, node, [x], {"T": "float32"})
        x = output(op, node)
    return x


def put_choice(graph, step, names):
    flow = step.attrs
    for word, ops in zip(("then", "else"), flow.chains):
        body = Function(graph.proto.library, f"{step.name}_{word}", [("x", "float32")])
        body.end([("y", "float32", put_chain(body, ops, "op", "x", body.output))])
    graph.add(flow.kind, step.name, names,
              {"Tcond": "bool", "Tin": ["float32"], "Tout": ["float32"],
               "then_branch": f"{step.name}_then", "else_branch": f"{step.name}_else"})


def put_while(graph, step, names):
    flow, library = step.attrs, graph.proto.library
    variables = [("i", "int32"), ("n", "int32"), ("x", "float32"), ("by", "float32")]
    cond = Function(library, f"{step.name}_cond", variables)
    cond.add("Less", "less", ["i", "n"], {"T": "int32"})
    cond.end([("go", "bool", "less:z:0")])
    body = Function(library, f"{step.name}_body", variables)
    body.constant("one", numpy.array(1, "i4"))
    body.add("AddV2", "next", ["i", "one:output:0"], {"T": "int32"})
    body.add("AddV2", "sum", ["x", "by"], {"T": "float32"})
    last = put_chain(body, [*flow.chains[0], "Tanh"], "op", "sum:z:0", body.output)
    body.end([("i_", "int32", "next:z:0"), ("n_", "int32", "n"), ("x_", "float32", last),
              ("by_", "float32", "by")])
    graph.constant(f"{step.name}/zero", numpy.array(0, "i4"))
    graph.add(flow.kind, f"{step.name}/loop", [f"{step.name}/zero", *names],
              {"T": [kind for _, kind in variables], "cond": f"{step.name}_cond",
               "body": f"{step.name}_body"})
    graph.add("Identity", step.name, [f"{step.name}/loop:2"], {"T": "float32"})


# --- nodes of the first TensorFlow -----------------------------------------------------

def put_switch(graph, step, names):
    flow, name = step.attrs, step.name
    graph.add("Switch", f"{name}/switch", [names[1], names[0]], {"T": "float32"})
    ends = [put_chain(graph, ops, f"{name}/{word}", f"{name}/switch{side}")
            for word, side, ops in (("else", "", flow.chains[1]), ("then", ":1", flow.chains[0]))]
    graph.add("Merge", name, ends, {"T": "float32", "N": 2})


def put_frame(graph, step, names):
    flow, name = step.attrs, step.name
    graph.constant(f"{name}/zero", numpy.array(0, "i4"))
    graph.constant(f"{name}/one", numpy.array(1, "i4"))
    frame = {"frame_name": name, "parallel_iterations": 10}
    given = {"i": (f"{name}/zero", "int32", False), "x": (names[1], "float32", False),
             "n": (names[0], "int32", True), "by": (names[2], "float32", True),
             "one": (f"{name}/one", "int32", True)}
    for word, (source, kind, is_constant) in given.items():
        graph.add("Enter", f"{name}/enter_{word}", [source],
                  {"T": kind, "is_constant": is_constant, **frame})
    for word, kind in (("i", "int32"), ("x", "float32")):
        graph.add("Merge", f"{name}/merge_{word}",
                  [f"{name}/enter_{word}", f"{name}/next_{word}"], {"T": kind, "N": 2})
    graph.add("Less", f"{name}/less", [f"{name}/merge_i", f"{name}/enter_n"], {"T": "int32"})
    graph.add("LoopCond", f"{name}/cond", [f"{name}/less"], {})
    for word, kind in (("i", "int32"), ("x", "float32")):
        graph.add("Switch", f"{name}/switch_{word}",
                  [f"{name}/merge_{word}", f"{name}/cond"], {"T": kind})
    graph.add("AddV2", f"{name}/count", [f"{name}/switch_i:1", f"{name}/enter_one"], {"T": "int32"})
    graph.add("AddV2", f"{name}/sum", [f"{name}/switch_x:1", f"{name}/enter_by"], {"T": "float32"})
    last = put_chain(graph, [*flow.chains[0], "Tanh"], f"{name}/op", f"{name}/sum")
    graph.add("NextIteration", f"{name}/next_i", [f"{name}/count"], {"T": "int32"})
    graph.add("NextIteration", f"{name}/next_x", [last], {"T": "float32"})
    graph.add("Exit", name, [f"{name}/switch_x"], {"T": "float32"})


PUT = {"If": put_choice, "StatelessIf": put_choice, "SwitchMerge": put_switch,
       "While": put_while, "StatelessWhile": put_while, "Frame": put_frame}


def put(graph, step, names):
    PUT[step.op](graph, step, names)
