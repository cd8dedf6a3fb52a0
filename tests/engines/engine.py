"""engine.py - ONNX Runtime for the judges: models in, arrays out

    from engine import OnnxRuntime, EngineError
    with OnnxRuntime.find() as engine:          # exits 77 when there is none
        outputs = engine.run("model.onnx", {"x": array})

One process serves many models; when the engine dies it is started again.
TN_ENGINES names the folder that tests/engines/install made.
"""
import json
import os
import select
import subprocess
import sys
import tempfile
import zipfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))


class EngineError(Exception):
    """The engine refused the model, failed or died."""


class OnnxRuntime:
    def __init__(self, modules, seconds=60):
        self.modules, self.seconds = modules, seconds
        self.process = None
        self.folder = tempfile.TemporaryDirectory(prefix="tenon-engine-")

    @classmethod
    def find(cls, seconds=60):
        modules = os.path.join(os.environ.get("TN_ENGINES", ""), "node_modules")
        if not os.path.isdir(os.path.join(modules, "onnxruntime-node")):
            print("skipped: ONNX Runtime is not installed (no network?)")
            sys.exit(77)
        return cls(modules, seconds)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()
        self.folder.cleanup()

    def start(self):
        self.process = subprocess.Popen(
            ["node", os.path.join(HERE, "onnxruntime.js"), self.modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, job):
        if not self.process or self.process.poll() is not None:
            self.start()
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.stop()
            raise EngineError("the engine died" if ready
                              else f"no answer within {self.seconds} s")
        return json.loads(line)

    def run(self, model, inputs, optimize="all"):
        """All outputs by name.  `optimize`: "disabled" runs every node."""
        feed = os.path.join(self.folder.name, "in.npz")
        made = os.path.join(self.folder.name, "out.npz")
        save(feed, inputs)
        answer = self.ask({"model": model, "inputs": feed, "outputs": made,
                           "optimize": optimize})
        if not answer["ok"]:
            raise EngineError(answer["why"])
        with numpy.load(made) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def time(self, models, inputs, rounds=50, optimize="all"):
        """Milliseconds to load and to run, for each."""
        feed = os.path.join(self.folder.name, "in.npz")
        save(feed, inputs)
        answer = self.ask({"time": models, "inputs": feed, "rounds": rounds,
                           "optimize": optimize})
        if not answer["ok"]:
            raise EngineError(answer["why"])
        return [(row["load"], row["run"]) for row in answer["times"]]

    def optimize(self, model, to, level="basic"):
        """Writes the graph as the engine's optimiser leaves it."""
        answer = self.ask({"model": model, "optimized": to, "optimize": level})
        if not answer["ok"]:
            raise EngineError(answer["why"])


def save(path, arrays):
    """A .npz; numpy's own savez cannot take every name."""
    with zipfile.ZipFile(path, "w") as file:
        for name, array in arrays.items():
            with file.open(name + ".npy", "w") as entry:
                numpy.lib.format.write_array(entry, plain(array),
                                             allow_pickle=False)


def plain(array):
    """As npz.js reads it: strings as such, C order, little-endian."""
    array = numpy.asarray(array)
    if array.dtype == object:
        array = array.astype(str)
    order = array.dtype.newbyteorder("<")
    return numpy.array(array, dtype=order, order="C")
