#!/usr/bin/env python3
"""Writes the seeds of flow_fuzz: choices that make nets of either dialect.

    tests/corpus/fuzz/make_flow.py    writes tests/corpus/fuzz/flow_fuzz/*

The second list holds nets that were once refused or computed wrongly: a
condition that is the same in every round, a constant behind two conditions, a
loop in a branch that is not taken.
"""
import pathlib
import random

folder = pathlib.Path(__file__).parent / "flow_fuzz"
folder.mkdir(exist_ok=True)


def write(name, number, seed, lengths):
    chance = random.Random(seed)
    length = chance.choice(lengths)
    choices = bytes(chance.randrange(256) for _ in range(length))
    (folder / name).write_bytes(bytes([number & 1]) + choices)


for number in range(24):
    write(f"choices{number:02}", number, number, (16, 40, 90, 160))
for number in (53, 88, 346, 599, 757, 911):
    write(f"odd{number:03}", number, 1000 + number, (20, 60, 120, 250))
write("odd2366", 2366, 502366, (20, 60, 120, 250, 400))
