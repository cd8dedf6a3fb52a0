#!/usr/bin/env python3
"""Random models before and after conversion, by seed.

    differential.py TENON [--source onnx|tensorflow] [--first SEED] [--count N]
                          [--seconds S] [--state FILE] [--found DIR] [--complete]
                          [--again] [--also FILE ...]
                          [--report docs/conformance.md [--update]]

Models of ONNX go to nd4j and back in both of its containers, and must compute in
ONNX Runtime what they computed before; graphs of TensorFlow go to ONNX, and must
compute there what numpy says.  What fails is made smaller and kept in
--found, with its seed; every failure is counted by operator and cause.  With
--state a run goes on where the last one stopped, and counts on; with --again the seeds
in --found are tried once more, and counted anew.  --also adds the counts of other
runs to the report.
"""
import argparse
import collections
import glob
import json
import multiprocessing
import os
import re
import shutil
import sys
import time

import bench
import causes
import onnx_source
import tables
import tensorflow_source

Outcome = collections.namedtuple("Outcome", "seed state operator cause why features",
                                 defaults=[()])
CHUNK = 100
SHORT = 20      # where the time is given: what is not done by then is done again
SOURCES = {"onnx": onnx_source, "tensorflow": tensorflow_source}


# --- one seed ----------------------------------------------------------------------

def keep(folder, seed, case, fault, source):
    """The case, so that somebody can look at it."""
    place = os.path.join(folder, f"{source}-{seed}")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    text = SOURCES[source].keep(place, case)
    with open(os.path.join(place, "why.txt"), "w") as file:
        file.write(f"seed {seed}\n{fault.kind}: {fault.why}\n{text[:20000]}\n")


def refused_operator(why):
    """The first that a refusal lists: the operator that had no rule, which may be
    what rules made of one of the model's."""
    found = re.search(r"cannot convert to \w+: (?:an operator has no rule: |\d+ operators [^:]*: )?"
                      r"(\S+) \((?:as \w+'s (\S+); )?\d+ nodes?\)", why)
    return found[2] or found[1] if found else "?"


def outcome_for(place, seed, case, fault, arguments):
    """What a seed's model came to; faults are looked into."""
    if isinstance(fault, bench.NotRun):
        return Outcome(seed, "not run", "", "", str(fault))
    if fault is None:
        return Outcome(seed, "agrees", "", "", "")
    source, operator = SOURCES[arguments.source], "any"
    if fault.kind == "refused":
        operator = refused_operator(fault.why)
    elif fault.kind != "ends":
        case = source.shrink(place, case, fault)
        try:
            fault = source.judge(place, case) or fault
        except bench.NotRun:
            pass
        operator = source.operators_of(case)
    return outcome_of(seed, case, operator, fault, arguments)


def outcome_of(seed, case, operator, fault, arguments):
    cause = causes.cause_of(fault.kind, operator, fault.why)
    if cause is None and arguments.found:
        keep(arguments.found, seed, case, fault, arguments.source)
    return Outcome(seed, "listed" if cause else "differs", operator,
                   cause or f"{fault.kind}: {fault.why}", fault.why)


def try_chunk(job):
    first, count, arguments = job
    source, seeds = SOURCES[arguments.source], range(first, first + count)
    with bench.Bench(arguments.tenon, arguments.options) as place:
        cases = [source.make(seed) for seed in seeds]
        faults = source.judge_all(place, cases)
        made = [outcome_for(place, *one, arguments)._replace(
            features=source.features_of(one[1])) for one in zip(seeds, cases, faults)]
        return made, place.counts


# --- many of them --------------------------------------------------------------------

class State:
    """What was tried: the next seed, and counts."""

    def __init__(self, path, first):
        self.path, self.next = path, first
        self.states, self.rows = collections.Counter(), collections.Counter()
        self.features = collections.Counter()
        self.first, self.others = first, []
        if path and os.path.exists(path):
            kept = self.load(path)
            self.next, self.first = kept["next"], kept["first"]

    def load(self, path):
        with open(path) as file:
            kept = json.load(file)
        self.states.update(kept["states"])
        self.features.update(kept.get("features", {}))
        for *key, count in kept["rows"]:
            self.count_again(*key, count)
        return kept

    def also(self, path):
        """What another run counted."""
        kept = self.load(path)
        self.others.append((kept["first"], kept["next"] - 1))

    def count_again(self, state, operator, cause, count):
        """Rows of runs before; causes may have been found since."""
        kind, _, why = cause.partition(": ")
        known = causes.cause_of(kind, operator, why) if state == "differs" else None
        if known:
            self.states["differs"] -= count
            self.states["listed"] += count
            state, cause = "listed", known
        self.rows[state, operator, cause] += count

    def add(self, made):
        outcomes, counts = made
        self.features.update(counts)
        for outcome in outcomes:
            self.features.update(outcome.features)
            self.next = outcome.seed + 1
            self.count(outcome)
        self.save()

    def count(self, outcome):
        self.states[outcome.state] += 1
        if outcome.state in ("listed", "differs"):
            self.rows[outcome.state, outcome.operator, outcome.cause] += 1
        elif outcome.state == "not run":
            self.rows["not run", "", outcome.why] += 1

    def take_back(self, told):
        """One that differed in such a way; false: there is none."""
        for key, count in self.rows.items():
            if key[0] == "differs" and key[2] == told and count:
                self.rows[key] -= 1
                self.states["differs"] -= 1
                return True
        return False

    def save(self):
        if not self.path:
            return
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        with open(self.path + ".new", "w") as file:
            json.dump({"first": self.first, "next": self.next,
                       "states": dict(self.states), "features": dict(self.features),
                       "rows": [[*key, count] for key, count in sorted(self.rows.items())
                                if count]},
                      file, indent=1)
        os.replace(self.path + ".new", self.path)


def again(state, arguments):
    """The seeds of what was kept, with what the converter is now."""
    for folder in sorted(glob.glob(os.path.join(arguments.found, f"{arguments.source}-*"))):
        with open(os.path.join(folder, "why.txt")) as file:
            told = file.read().splitlines()[1]
        if not state.take_back(told):
            continue
        seed = int(folder.rsplit("-", 1)[1])
        shutil.rmtree(folder)
        state.count(try_chunk((seed, 1, arguments))[0][0])
    state.save()


def jobs(state, arguments):
    """Chunks of seeds, until as many or as long as asked for."""
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    left, seed = (1 << 60) if arguments.count is None else arguments.count, state.next
    while left > 0 and (end is None or time.monotonic() < end):
        count = min(SHORT if arguments.seconds else CHUNK, left)
        yield seed, count, arguments
        seed, left = seed + count, left - count


def run(arguments):
    state = State(arguments.state, arguments.first)
    with multiprocessing.Pool(arguments.jobs) as pool:
        waiting, todo = collections.deque(), jobs(state, arguments)
        for job in todo:
            waiting.append(pool.apply_async(try_chunk, (job,)))
            if len(waiting) > arguments.jobs:
                state.add(waiting.popleft().get())
        while waiting:
            state.add(waiting.popleft().get())
    return state


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tenon")
    parser.add_argument("--source", default="onnx", choices=sorted(SOURCES))
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, help="how many models")
    parser.add_argument("--seconds", type=float, help="how long")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--state", help="a file: goes on where the last run stopped")
    parser.add_argument("--found", help="a folder for what fails")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--again", action="store_true",
                        help="the seeds in --found once more, counted anew")
    parser.add_argument("--also", nargs="*", default=[], help="states of other runs")
    parser.add_argument("--complete", action="store_true",
                        help="also fails when a feature was in no model")
    parser.add_argument("--rules", help="rules that go before ours")
    arguments = parser.parse_args()
    arguments.options = ["--rules", arguments.rules] if arguments.rules else []
    if arguments.count is None and not arguments.seconds:
        arguments.count = 0 if arguments.again or arguments.also else 300
    return arguments


def main():
    arguments = parse()
    bench.proof.engines.OnnxRuntime.find()
    started = time.monotonic()
    state = run(arguments)
    if arguments.again:
        again(state, arguments)
    for path in arguments.also:
        state.also(path)
    seconds = time.monotonic() - started
    print(tables.summary(arguments.source, state))
    print(tables.rows(state))
    print(tables.features(SOURCES[arguments.source], state))
    print(f"{seconds:.0f} s")
    if arguments.update:
        tables.update(arguments.report, arguments.source, SOURCES[arguments.source], state)
    missing = tables.missing(SOURCES[arguments.source], state)
    if arguments.complete and missing:
        print(f"no model had: {', '.join(missing)}")
        return 1
    return 1 if state.states["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
