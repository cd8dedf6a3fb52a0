#!/usr/bin/python3
"""The same ONNX files in Python: peer_onnx.py load|check|external PATH [OUT]"""
import sys
import time

import onnx
import onnx.checker


def load(path, _out):
    onnx.load(path)


def check(path, _out):
    onnx.checker.check_model(path)


def external(path, out):
    onnx.save_model(onnx.load(path), out, save_as_external_data=True,
                    location=out.rsplit("/", 1)[-1] + ".data")


def main():
    job, path, out = (sys.argv[1:] + [None])[:3]
    wall, cpu = time.perf_counter(), time.process_time()
    {"load": load, "check": check, "external": external}[job](path, out)
    print(f"inner_wall={time.perf_counter() - wall:.6f} "
          f"inner_cpu={time.process_time() - cpu:.6f} nodes=0")


main()
