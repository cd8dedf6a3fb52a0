"""The rows of what conversions make: nodes, load time and latency in ONNX Runtime
of our ONNX against the original that went to nd4j and back, against itself
simplified, and against what another converter made of the same model.

Both models run in one process, in turns, on one thread; with the optimiser and
without.  Without ../shared or ONNX Runtime there are no rows.
"""
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(SOURCE, "tests", "judges"),
                os.path.join(SOURCE, "tests", "engines")]

REAL = ("basic-pitch", "bert-qa-small", "conv-qdq-external/model", "dtln-1",
        "face-rfb-320", "imagenet-qdq", "magika", "nested-loops",
        "ppocr-rec-v4", "scan-rnn", "silero-vad", "crop-and-resize-loop")

# Ours of, theirs, in ../shared/data, and how many nodes ours may have.
PEERS = (
    ("slim-320, onnxsim",
     "onnx/pairs/slim-320/version-slim-320_without_postprocessing.onnx",
     "onnx/pairs/slim-320/version-slim-320_simplified.onnx", 95),
    ("PP-OCR v2 det, Paddle2ONNX", "paddle/pairs/ppocrv2-det/inference.pdmodel",
     "paddle/pairs/ppocrv2-det/ch_PP-OCRv2_det_infer.onnx", 136),
    ("basic-pitch, tf2onnx", "tensorflow/saved_model/basic-pitch",
     "onnx/basic-pitch.onnx", 246),
)


def write(files, *words):
    subprocess.run([files.tenon, *words, "--quiet", "--force"], check=True,
                   stderr=subprocess.DEVNULL)


def renamed(path, theirs, to):
    """The model with the names of the other's inputs, for one set of values."""
    import onnx
    model = onnx.load(path)
    names = [end.name for end in onnx.load(theirs).graph.input]
    for end, name in zip(model.graph.input, names):
        for node in model.graph.node:
            for index, value in enumerate(node.input):
                if value == end.name:
                    node.input[index] = name
        end.name = name
    onnx.save(model, to)
    return to


def compare(bench, engine, title, ours, theirs, against, inputs, most,
            most_nodes=None):
    import onnx
    import simplified
    counts = [simplified.count(onnx.load(path, load_external_data=False).graph)
              for path in (ours, theirs)]
    bench.row(f"nodes, {title}", f"{counts[0]}", "-", against, f"{counts[1]}",
              f"{counts[0] / counts[1]:.2f}x",
              f"<= {most_nodes}" if most_nodes else "<= 1.1x",
              counts[0] <= (most_nodes or 1.1 * counts[1]))
    for level, name in (("all", ""), ("disabled", ", without optimiser")):
        (load, run), (their_load, their_run) = engine.time(
            [ours, theirs], inputs, 60, level)
        for what, mine, other in (("load", load, their_load),
                                  ("latency", run, their_run)):
            bench.row(f"{what}{name}, {title}", f"{mine:.2f} ms", "-", against,
                      f"{other:.2f} ms", f"{mine / other:.2f}x", f"<= {most}x",
                      mine <= most * other)


def round_trips(bench, files, engine, data, scratch):
    import simplify_floor
    for name in REAL:
        source = os.path.join(data, "onnx", name + ".onnx")
        inputs = simplify_floor.recorded(source, os.path.dirname(data))
        simple, middle, back = (os.path.join(scratch, "converted" + suffix)
                                for suffix in (".simple.onnx", ".fb", ".onnx"))
        write(files, "simplify", source, "-o", simple)
        write(files, "convert", source, "-o", middle)
        write(files, "convert", middle, "-o", back)
        compare(bench, engine, f"{name} simplified", simple, source,
                "as it was", inputs, 1.05)
        compare(bench, engine, f"{name} to .fb and back", back, simple,
                "simplified", inputs, 1.05)


def peers(bench, files, engine, data, scratch):
    import simplify_floor
    for title, source, theirs, most_nodes in PEERS:
        theirs = os.path.join(data, theirs)
        ours = os.path.join(scratch, "converted.ours.onnx")
        verb = "simplify" if source.endswith(".onnx") else "convert"
        write(files, verb, os.path.join(data, source), "-o", ours)
        ours = renamed(ours, theirs, ours)
        inputs = {name: array if array.ndim != 4 or array.shape[2] > 1 else
                  array.repeat(320, 2).repeat(320, 3)
                  for name, array in
                  simplify_floor.random_inputs(theirs).items()}
        compare(bench, engine, title, ours, theirs, title.split(", ")[1],
                inputs, 1.0, most_nodes)


def converted(bench, files):
    data = os.environ.get("TENON_TEST_DATA") or \
        os.path.join(SOURCE, "..", "shared", "data")
    os.environ.setdefault("TN_ENGINES", os.path.join(SOURCE, "build", "engines"))
    if not os.path.isdir(data) or not os.path.isdir(
            os.path.join(os.environ["TN_ENGINES"], "node_modules")):
        print("  converted: wants ../shared and ONNX Runtime", file=sys.stderr)
        return
    import engine as engines
    scratch = os.path.dirname(files.path("converted"))
    with engines.OnnxRuntime.find(300) as engine:
        round_trips(bench, files, engine, data, scratch)
        peers(bench, files, engine, data, scratch)
