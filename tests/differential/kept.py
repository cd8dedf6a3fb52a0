"""kept.py - a case in a folder: model, what is fed, and what must come out

    model.onnx or model.pb, feeds.npz, bounds.json (of each output in their order how far
    it may be off, and what else is known), wants.npz where the model itself does
    not say what is right
"""
import json
import os

import numpy

from bench import proof


def load_arrays(path):
    if not os.path.exists(path):
        return {}
    with numpy.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def save(folder, feeds, bounds, wants=None):
    proof.engines.save(os.path.join(folder, "feeds.npz"), feeds)
    with open(os.path.join(folder, "bounds.json"), "w") as file:
        json.dump(bounds, file)
    if wants is not None:
        proof.engines.save(os.path.join(folder, "wants.npz"), wants)


def load(folder):
    """Feeds, bounds and wants."""
    with open(os.path.join(folder, "bounds.json")) as file:
        bounds = json.load(file)
    return (load_arrays(os.path.join(folder, "feeds.npz")), bounds,
            load_arrays(os.path.join(folder, "wants.npz")))
