#!/usr/bin/env python3
"""Real models, before and after: nodes, size, load time and latency.

    real_models.py TENON [--only PATTERN] [--shared DIR] [--keep FOLDER]
                   [--report docs/conformance.md [--update]] [--no-times]

Every model of ../shared that has a graph, and what PyTorch exports
(torch_models.py, with Debian's python3-torch).  A model of ONNX is simplified,
another becomes ONNX; both go to nd4j (.fb) and back.  All compute what the
original computes: what ONNX Runtime gives, or what is recorded of it.

Held are counts and sizes; times are told, and where they are worse than they may
be, measured again up to three times, since the machine has other things to do.
--keep FOLDER keeps exported models there, and takes them from there.
"""
import fnmatch
import functools
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy

import dl4j_models
import opencv_suite
import proof
import saved_models
import simplified
import simplify_floor
import tensorflow_suite
import whole_models

BACK, SLOWER, LARGER = 1.1, 1.05, 1.05
TIMES = True

# Counted with what another converter made of the same model.
PEERS = {
    "paddle/pairs/ppocrv2-det": "paddle/pairs/ppocrv2-det/ch_PP-OCRv2_det_infer.onnx",
    "tensorflow/saved_model/basic-pitch": "onnx/basic-pitch.onnx",
    "onnx/pairs/slim-320/version-slim-320_without_postprocessing":
        "onnx/pairs/slim-320/version-slim-320_simplified.onnx",
}

# What nd4j has no way to say.
NOT_ND4J = {"paddle/face-detect", "torch/gru", "torch/speech"}

# Why something is not as it should be; a row with a reason may be so.
CONSTANT = "an output that is a constant: we leave a node that makes it, other readers expect one"
ZERO = "adding 0.0 makes 0.0 of -0.0, and stays"
EXCUSES = {
    "samediff/*_named": ZERO,
    "samediff/tensor_array_stack_*": ZERO,
    "samediff/a*": CONSTANT,
    "samediff/identity_n_2": CONSTANT,
    "samediff/reduce_all_rank2_d0_keep": CONSTANT,
    "tensorflow/opencv/l2_normalize_3d": "axes of what has no known rank are computed while it runs",
    "tensorflow/opencv/resize_bilinear_*": "nd4j's own is for images of known size",
}


class Model:
    """What is known of one before anything is converted."""

    def __init__(self, name, source, inputs=None, run=None, options=()):
        self.name, self.source, self.options = name, source, options
        self.inputs, self.run = inputs, run
        if run:
            self.inputs = run.inputs

        self.is_onnx = source.endswith(".onnx")
        self.is_nd4j = name.startswith("samediff/")


# ---- which there are ------------------------------------------------------------

def onnx_models(shared):
    data = os.path.join(shared, "data")
    for path in sorted(glob.glob(os.path.join(data, "**", "*.onnx"),
                                 recursive=True)):
        name = os.path.relpath(path, data).removesuffix(".onnx")
        if name.startswith("reports/") or "partners/basicpitch" in name or \
                "partners/dtln" in name:  # the same as others
            continue
        yield Model(name.removesuffix("/model"), path)


def runs(shared, kind):
    """Models that have a recorded run, and that; on noise some leave the range
    in which engines agree, and have a smoother one."""
    folder = os.path.join(shared, "data", kind, "expected")
    for path in sorted(glob.glob(os.path.join(folder, "*.run.tsv"))):
        name = os.path.basename(path).removesuffix(".run.tsv")
        smooth = os.path.join(folder, name + ".smooth.run.tsv")
        if "." not in name:
            yield name, whole_models.Run(smooth if os.path.exists(smooth)
                                         else path)


def tensorflow_models(shared):
    for name, run in runs(shared, "tensorflow"):
        yield Model(f"tensorflow/{name}",
                    whole_models.source_of(shared, "tensorflow", name), run=run,
                    options=("--inputs", ",".join(run.inputs),
                             "--outputs", ",".join(run.outputs)))
    folder = os.path.join(shared, "data", "tensorflow", "saved_model")
    for name, (inner, inputs, _, _) in saved_models.SMALL.items():
        fed = {key: numpy.array(value, "f4") for key, value in inputs.items()}
        yield Model(f"tensorflow/saved_model/{name}",
                    os.path.join(folder, inner), inputs=fed)
    yield Model("tensorflow/saved_model/basic-pitch",
                os.path.join(folder, "basic-pitch"))


def paddle_models(shared):
    for name, run in runs(shared, "paddle"):
        yield Model(f"paddle/{name}",
                    whole_models.source_of(shared, "paddle", name), run=run)
    pairs = os.path.join(shared, "data", "paddle", "pairs")
    for name in sorted(os.listdir(pairs)) if os.path.isdir(pairs) else ():
        if os.path.isdir(os.path.join(pairs, name)):
            yield Model(f"paddle/pairs/{name}",
                        os.path.join(pairs, name, "inference.pdmodel"))


def nd4j_models(shared):
    for name, path in sorted(dl4j_models.models(shared).items()):
        if name in dl4j_models.HOLLOW | dl4j_models.UNMAPPED:
            continue
        test = dl4j_models.suite_test(shared, name)
        inputs = test and dl4j_models.without_index(
            tensorflow_suite.load(f"{test}/inputs.npz"))
        yield Model(f"samediff/{name}", path, inputs=inputs)


def opencv_models(shared):
    """Of the graphs of OpenCV's tests those that are more than a layer."""
    folder = os.path.join(shared, "data", "tensorflow", "opencv")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name, "model.pb")
        if os.path.exists(path) and opencv_suite.placeholders(path)[1] >= 20:
            yield Model(f"tensorflow/opencv/{name}", path)


def export(folder):
    """By another process: there may be no PyTorch."""
    done = subprocess.run(
        [sys.executable, "-B", "-W", "ignore",
         os.path.join(proof.HERE, "torch_models.py"), folder],
        stderr=subprocess.PIPE, text=True, check=False)
    for line in done.stderr.strip().splitlines()[-5:]:
        print(f"PyTorch: {line}")


def torch_models(folder):
    if not glob.glob(os.path.join(folder, "*.onnx")):
        export(folder)
    for path in sorted(glob.glob(os.path.join(folder, "*.onnx"))):
        name = os.path.basename(path).removesuffix(".onnx")
        with numpy.load(path.removesuffix(".onnx") + ".npz") as arrays:
            yield Model(f"torch/{name}", path, inputs=dict(arrays))


# ---- counting -------------------------------------------------------------------

def graph_of(path):
    import onnx
    return onnx.load(path, load_external_data=False).graph


def size_of(path):
    """With the weights beside it, as far as they belong to one model."""
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(folder, name))
                   for folder, _, names in os.walk(path) for name in names)
    beside = path.removesuffix("pdmodel") + "pdiparams"
    size = os.path.getsize(path)
    return size + (os.path.getsize(beside) if beside != path and
                   os.path.exists(beside) else 0)


def source_nodes(model, tenon):
    if model.is_onnx:
        return simplified.count(graph_of(model.source))
    done = subprocess.run([tenon, "info", "--json", model.source], check=True,
                          capture_output=True, text=True)
    counts = json.loads(done.stdout)["models"][0]["operators"]
    return sum(row["count"] for row in counts
               if row["type"] not in ("Const", "Placeholder", "feed", "fetch"))


# ---- what comes out -------------------------------------------------------------

def tell(tenon, *words):
    done = subprocess.run([tenon, *words, "--quiet", "--force"], text=True,
                          capture_output=True, check=False, timeout=300)
    if done.returncode:
        raise proof.Unmapped(done.stderr.strip() or f"exit {done.returncode}")


def written(model, scratch, tenon):
    """The files: as ONNX, and what came from nd4j; None where it was there."""
    after, middle, back = (os.path.join(scratch, name) for name in
                           ("after.onnx", "middle.fb", "back.onnx"))
    verb = "simplify" if model.is_onnx else "convert"
    tell(tenon, verb, model.source, "-o", after, *model.options)
    proof.valid(tenon, after, ())
    if model.is_nd4j:
        return after, None  # where it was
    try:
        source = model.source if model.is_onnx else after
        tell(tenon, "convert", source, "-o", middle)
    except proof.Unmapped:
        if model.name not in NOT_ND4J:
            raise
        return after, None
    tell(tenon, "convert", middle, "-o", back)
    proof.valid(tenon, back, ())
    return after, back


def fed(model, path, shared, engine):
    """Arrays for the inputs, under the names that `path` has."""
    if model.inputs is not None:
        return model.inputs
    if "/opencv/" in model.name:
        return fed_by_opencv(model, path, engine)
    inputs = simplify_floor.recorded(model.source, shared) if model.is_onnx \
        else None
    if inputs is not None:
        return inputs
    return {name: array if array.ndim != 4 or array.shape[2] > 1
            else array.repeat(160, 2).repeat(160, 3)
            for name, array in simplify_floor.random_inputs(path).items()}


def fed_by_opencv(model, path, engine):
    """The recorded array in the order of axes in which all of it agrees."""
    folder = os.path.dirname(model.source)
    holders = opencv_suite.taken(path, opencv_suite.placeholders(model.source)[0])
    array = numpy.load(os.path.join(folder, "in.npy"))
    want = numpy.load(os.path.join(folder, "out.npy")).astype("f4")
    for tried in opencv_suite.feeds(array, holders):
        try:
            got = engine.run(path, tried)
        except proof.engines.EngineError:
            continue
        if any(opencv_suite.agrees(array, want) for array in got.values()):
            return tried
    raise proof.Differs("not what TensorFlow computes")


def is_rounding(path):
    return any(node.op_type == "QuantizeLinear" for node in graph_of(path).node)


def hold(got, want, is_near):
    if list(got) != list(want):
        raise proof.Differs(f"outputs {list(got)}, not {list(want)}")
    for name, array in want.items():
        if is_near:
            whole_models.hold_nearly(name, got[name], array)
    if not is_near:
        simplified.hold_outputs(got, want)


def hold_all(model, after, back, inputs, engine, shared):
    """After computes what was recorded or what the original computes, and back
    what after does."""
    first = engine.run(after, inputs, optimize="disabled")
    if model.run:
        model.run.hold(first)
    elif model.is_onnx:
        hold(first, engine.run(model.source, inputs, optimize="disabled"),
             is_rounding(model.source))
    else:
        hold_otherwise(model, first, inputs, shared)
    if back:
        hold(engine.run(back, inputs, optimize="disabled"), first,
             is_rounding(after))


def hold_otherwise(model, got, inputs, shared):
    short = os.path.basename(model.name)
    if short in saved_models.SMALL and "saved_model" in model.name:
        _, _, name, formula = saved_models.SMALL[short]
        want = numpy.asarray(formula(**inputs), "f4")
        proof.compare(name, got[name], want, 1e-5, 1e-6)
    judge = proof.Nd4j.find(shared)
    if model.name.startswith("samediff/") and judge:
        want = judge.run(model.source, inputs, list(got))
        for name, array in (want or {}).items():
            proof.compare(name, got[name], array, 1e-4, 1e-5)


def beside_peer(model, after, engine, scratch, shared, inputs):
    """The peer's file with our names of inputs; it computes the same."""
    import onnx
    if model.name not in PEERS:
        return None
    path = os.path.join(scratch, "peer.onnx")
    theirs = onnx.load(os.path.join(shared, "data", PEERS[model.name]))
    names = [end.name for end in graph_of(after).input]
    for end, name in zip(theirs.graph.input, names):
        for node in theirs.graph.node:
            for index, value in enumerate(node.input):
                if value == end.name:
                    node.input[index] = name
        end.name = name
    onnx.save(theirs, path)
    want = list(engine.run(path, inputs, optimize="disabled").values())
    got = list(engine.run(after, inputs, optimize="disabled").values())
    if sorted(array.shape for array in got) != \
            sorted(array.shape for array in want):
        raise proof.Differs("the peer's outputs have other shapes")
    for array in want:
        if not any(array.shape == other.shape and
                   numpy.allclose(array, other, 1e-3, 1e-4) for other in got):
            raise proof.Differs("the peer's outputs have other values")
    return path


# ---- time -----------------------------------------------------------------------

def is_slower(rows):
    return any(later[i] > SLOWER * earlier[i]
               for earlier, later in zip(rows, rows[1:]) for i in (0, 1))


def times_of(paths, inputs, engine):
    """Milliseconds to load and to run, the least of some tries: fewer of what
    takes long, where little else matters."""
    best = engine.time(paths, inputs, 8)
    tries = 3 if max(load + run for load, run in best) < 30 else 1
    while tries and is_slower(best):
        now = engine.time(paths, inputs, 20 if tries > 1 else 10)
        best = [(min(a[0], b[0]), min(a[1], b[1])) for a, b in zip(best, now)]
        tries -= 1
    return best


def each(function, files):
    return [function(path) if path else None for path in files]


def nodes_of(path):
    return simplified.count(graph_of(path))


def prove(test, engine, scratch, arguments):
    model = MODELS[test]
    engine.seconds = 300
    after, back = written(model, scratch, arguments.tenon)
    inputs = fed(model, after, arguments.shared, engine)
    hold_all(model, after, back, inputs, engine, arguments.shared)
    peer = beside_peer(model, after, engine, scratch, arguments.shared, inputs)
    before = peer or (model.source if model.is_onnx else None)
    floor = os.path.join(scratch, "floor.onnx")
    engine.optimize(model.source if model.is_onnx else after, floor)
    files = [before, after, back]
    there = [path for path in files if path]
    times = dict(zip(there, times_of(there, inputs, engine))) if TIMES else {}
    return {
        "nodes": [source_nodes(model, arguments.tenon),
                  *each(nodes_of, [peer, floor, after, back])],
        "size": each(size_of, [before or model.source, after, back]),
        "load": [times.get(path, (None,))[0] for path in files],
        "run": [times.get(path, (None,))[-1] for path in files],
    }


# ---- the table ------------------------------------------------------------------

HEAD = """
| model | nodes | another converter | ONNX Runtime's basic level | ours | to nd4j and back | KB | | | load, ms | | | latency, ms | | | |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
| | | | | | | before | after | and back | before | after | and back | before | after | and back | |
"""


def cell(number):
    return "" if number is None else \
        str(number) if isinstance(number, int) else f"{number:.2f}"


def worse(told):
    """What is not as it should be, in words."""
    _, peer, floor, after, back = told["nodes"]
    found = []
    if after > floor:
        found.append("nodes")
    if peer and after > peer:
        found.append("nodes beside the other converter's")
    if back and back > BACK * after:
        found.append("nodes that came back")
    if told["size"][1] > LARGER * told["size"][0] + 512:
        found.append("size")
    return found


def slower(told):
    for name, title in (("load", "load"), ("run", "latency")):
        numbers = [number for number in told[name] if number is not None]
        for earlier, later in zip(numbers, numbers[1:]):
            if later > SLOWER * earlier:
                yield f"{title} {later / earlier:.2f}x"


def reason(name, told):
    return "; ".join(why for pattern, why in EXCUSES.items()
                     if worse(told) and fnmatch.fnmatch(name, pattern))


def row(name, told):
    cells = [*told["nodes"],
             *each(lambda size: round(size / 1024, 1), told["size"]),
             *told["load"], *told["run"]]
    return f"| {name} | " + " | ".join(cell(number) for number in cells) + \
        f" | {reason(name, told)} |"


def counts(line):
    """Its model, and the nodes that we leave."""
    words = [word.strip() for word in line.split("|")]
    return words[1], [int(word or 0) for word in words[5:7]]


def more_than_told(rows, path):
    said = dict(counts(line)
                for line in proof.Report(path, "real models").parts()[1].splitlines()
                if line.startswith("| ") and "/" in line.split("|")[1])
    for line in rows:
        name, now = counts(line)
        if name in said and any(a > b for a, b in zip(now, said[name])):
            yield f"more than {said[name]}: {line}"


def geometric(numbers):
    return float(numpy.exp(numpy.mean(numpy.log(numbers))))


def ratios(results):
    """Of all models: what came out, by what went in."""
    said = []
    for name, title in (("size", "size"), ("load", "load time"),
                        ("run", "latency")):
        for to, what in ((1, "after / before"), (2, "to nd4j and back / after")):
            pairs = [result.ops[name][to - 1:to + 1] for result in results]
            found = [b / a for a, b in pairs if a and b]
            if found:
                said.append(f"| {title}, {what} | {len(found)} | "
                            f"{geometric(found):.2f} | {max(found):.2f} |")
    return "\n| geometric means | models | ratio | largest |\n" \
        "|---|---|---|---|\n" + "\n".join(said) + "\n"


@functools.cache
def scratch_folder():
    return tempfile.TemporaryDirectory(prefix="tenon-real-")


MODELS = {}


def is_wanted(name, arguments):
    return fnmatch.fnmatch(name, arguments.only or "*")


def collect(arguments):
    folder = arguments.keep or scratch_folder().name
    for models in (onnx_models, tensorflow_models, opencv_models, paddle_models,
                   nd4j_models):
        MODELS.update((model.name, model) for model in models(arguments.shared))
    MODELS.update((model.name, model) for model in torch_models(folder))


def main():
    global TIMES
    if "--no-times" in sys.argv:
        sys.argv.remove("--no-times")
        TIMES = False
    arguments = proof.parse(__doc__.splitlines()[0])
    if not os.path.isdir(os.path.join(arguments.shared, "data")):
        print("skipped: wants real models")
        return 77
    collect(arguments)
    results = proof.run(prove, sorted(MODELS), arguments, 1 if TIMES else 2)
    wrong, rows = 0, []
    for result in results:
        if result.state not in ("passed", "no ops"):
            wrong += 1
            print(f"{result.test}: {result.state}: {result.reason}")
            continue
        rows.append(row(result.test, result.ops))
        print(rows[-1])
        found = worse(result.ops)
        wrong += bool(found) and not reason(result.test, result.ops)
        for what in (*found, *slower(result.ops)):
            print(f"    {result.test}: {what}")
    good = [result for result in results if isinstance(result.ops, dict)]
    print(ratios(good))
    changed = []
    if arguments.report and arguments.update:
        proof.Report(arguments.report, "real models").update(
            HEAD + "\n".join(rows) + "\n" + ratios(good) + "\n")
    elif arguments.report:
        changed = list(more_than_told(rows, arguments.report))
        print("\n".join(changed))
    print(f"{len(rows)} models, {wrong} of them not as they should be")
    return 1 if wrong or changed or len(rows) < 50 and not arguments.only else 0


if __name__ == "__main__":
    sys.exit(main())
