#!/usr/bin/env python3
"""Writes the seeds of mapper_fuzz: choices of a node, a constant and rules.

    tests/corpus/fuzz/make_mapper.py    writes tests/corpus/fuzz/mapper_fuzz/*
"""
import pathlib
import random

folder = pathlib.Path(__file__).parent / "mapper_fuzz"
folder.mkdir(exist_ok=True)
for number in range(24):
    chance = random.Random(number)
    length = chance.choice((30, 60, 120))
    choices = bytes(chance.randrange(256) for _ in range(length))
    (folder / f"choices{number:02}").write_bytes(choices)
