#!/usr/bin/env python3
"""make_tflite.py FOLDER - seeds for tfl_fuzz, made by flatc from JSON: operators,
subgraphs, quantisation, sparse tensors, strings, data after the FlatBuffer"""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")


def tensor(name, shape, kind="FLOAT32", **more):
    return {"name": name, "shape": shape, "type": kind, **more}


def model(tensors, operators, codes, buffers, **more):
    graph = {"tensors": tensors, "inputs": [0], "outputs": [1],
             "operators": operators, "name": "main"}
    return {"version": 3, "operator_codes": codes,
            "subgraphs": [graph] + more.pop("graphs", []),
            "buffers": [{}] + buffers, **more}


def code(number, **more):
    return {"deprecated_builtin_code": min(number, 127),
            "builtin_code": number, **more}


SPARSE = {"traversal_order": [0, 1, 2, 3], "block_map": [0, 1],
          "dim_metadata": [
              {"dense_size": 2},
              {"format": "SPARSE_CSR",
               "array_segments_type": "Uint8Vector",
               "array_segments": {"values": [0, 1, 2]},
               "array_indices_type": "Uint16Vector",
               "array_indices": {"values": [1, 0]}},
              {"dense_size": 2}, {"dense_size": 2}]}
ADD = {"inputs": [0, 2], "outputs": [1], "builtin_options_type": "AddOptions",
       "builtin_options": {"fused_activation_function": "RELU"}}
SEEDS = {
    "add": (model([tensor("x", [2]), tensor("y", [2]),
                   tensor("w", [2], buffer=1)], [ADD], [code(0)],
                  [{"data": [0] * 8}]), b""),
    "outside": (model([tensor("x", [2]), tensor("y", [2]),
                       tensor("w", [2], buffer=1)], [ADD], [code(0)],
                      [{"offset": 512, "size": 8}]), b"\0" * 1024),
    "sparse": (model([tensor("x", [4, 4]), tensor("y", [4, 4]),
                      tensor("w", [4, 4], "INT8", buffer=1,
                             sparsity=SPARSE)], [ADD], [code(0)],
                     [{"data": list(range(8))}]), b""),
    "words": (model([tensor("x", [2], "STRING"), tensor("y", [2], "STRING"),
                     tensor("", [2], "STRING", buffer=1)],
                    [{"inputs": [0, -1, 2], "outputs": [1],
                      "custom_options": [1, 2, 3]}],
                    [code(32, custom_code="Mine")],
                    [{"data": [2, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 18, 0, 0,
                               0, 97, 98]}]), b""),
    "blocks": (model([tensor("x", [4], "INT8"), tensor("x", [4], "INT8"),
                      tensor("w", [4], "INT4", buffer=1, quantization={
                          "details_type": "BlockwiseQuantization",
                          "details": {"scales": 3, "zero_points": -1,
                                      "block_size": 2}}),
                      tensor("s", [2], "FLOAT16", buffer=2),
                      tensor("c", [2, 2], "INT8", buffer=3, quantization={
                          "scale": [1, 2], "zero_point": [0, 1],
                          "quantized_dimension": 1})],
                     [ADD], [code(0)],
                     [{"data": [1, 2]}, {"data": [0] * 4},
                      {"data": [1, 2, 3, 4]}]), b""),
    "flow": (model([tensor("x", [1], "BOOL"), tensor("y", [1], "BOOL")],
                   [{"inputs": [0, 0], "outputs": [1],
                     "builtin_options_type": "IfOptions",
                     "builtin_options": {"then_subgraph_index": 1,
                                         "else_subgraph_index": 1}}],
                   [code(118), code(206)], [],
                   graphs=[{"tensors": [tensor("a", [1], "BOOL",
                                               is_variable=True)],
                            "inputs": [0], "outputs": [0]}],
                   metadata=[{"name": "min_runtime_version", "buffer": 0}],
                   signature_defs=[{"inputs": [{"name": "i"}],
                                    "outputs": [{"name": "o"}],
                                    "signature_key": "s",
                                    "subgraph_index": 1}]), b""),
}


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        for name, (text, tail) in SEEDS.items():
            path = os.path.join(work, name + ".json")
            with open(path, "w") as file:
                json.dump(text, file)
            subprocess.run(["flatc", "--binary", "-o", work,
                            os.path.join(ROOT, "schemas/tflite.fbs"), path],
                           check=True)
            with open(os.path.join(work, name + ".tflite"), "rb") as file:
                data = file.read()
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data + tail)


main()
