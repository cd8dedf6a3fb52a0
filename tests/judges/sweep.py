"""sweep.py - every operator in every way that its definition allows: the run, and its table

A sweep makes cases of one operator each, puts many of them into one model, and
gives each case a verdict:

    right      the engines agree with what it must give
    refused    the conversion said that it cannot, and why
    no kernel  the result is valid, and the engine has no kernel for the type
    wrong      anything else, which fails the run

When a model of many cases fails, its two halves are tried.
"""
import collections
import multiprocessing
import os
import re
import sys
import tempfile

import proof

Verdict = collections.namedtuple("Verdict", "op state reason")
STATES = ("right", "refused", "no kernel", "wrong")
TOGETHER = 64
NO_KERNEL = re.compile(r"NOT_IMPLEMENTED|Could not find an implementation|"
                       r"Unsupported data type|does not support double")


# --- running -------------------------------------------------------------------

def verdict_of(case, error):
    """What a failure of one case alone means."""
    why = proof.told(error)
    if isinstance(error, proof.Unmapped):
        return Verdict(case.op, "refused", plain_reason(why))
    if isinstance(error, proof.engines.EngineError) and NO_KERNEL.search(why):
        found = re.search(r"implementation for (\w+)", why)
        return Verdict(case.op, "no kernel", found[1] if found else "a type")
    return Verdict(case.op, "wrong", f"{case.name}: {why}")


COUNTED = r"\S+ \((?:as \S+ \S+; )?\d+(?: nodes?)?\)"


def plain_reason(why):
    """What a refusal says of its first operator, as a sentence of its own: without
    names and places in graphs and in files of rules, which move."""
    why = re.sub(r"; begin behind (it|them): --inputs \S+$", "", why)
    why = re.sub(r"^(unsupported: )?(\S+: )?(?=cannot convert)", "", why)
    why = re.sub(r"^cannot convert to \w+: ", "", why)
    if re.match(r"(an operator has|\d+ operators have) no rule: ", why):
        return "the operator has no rule"
    why = re.sub(r"^\d+ operators cannot be converted: ", "", why)
    why = re.sub(rf"^{COUNTED}: (.*?)(; {COUNTED}: .*)?$", r"\1", why)
    why = re.sub(r"^no rule fits its use here: .* \(\w+\.rules:\d+: (.*)\)$", r"\1", why)
    why = re.sub(r"^(no rule fits its use here): .*", r"\1", why)
    why = re.sub(r"; (the|a) [a-z ]+ of '\S*' is (unknown|not fully known|known only when the model runs)$", "", why)
    why = re.sub(r"^(needs [a-z ]+ of) '\S*', which", r"\1 an input, which", why)
    return re.sub(r"\b(graph\.)?node\[\d+\](\.\w+\[\d+\])?:? ?", "", why)


def prove(cases, travel, *context):
    """Verdicts by name: all together; when that cannot be, half and half."""
    try:
        wrong = travel(cases, *context)
        if not wrong or len(cases) == 1:
            return {case.name: Verdict(case.op, "wrong", f"{case.name}: {wrong[case.name]}")
                    if case.name in wrong else Verdict(case.op, "right", "")
                    for case in cases}
    except (proof.Unmapped, proof.Differs, proof.engines.EngineError) as error:
        if len(cases) == 1:
            return {cases[0].name: verdict_of(cases[0], error)}
        wrong = {}
    if wrong:  # the others are right; those go alone, for what they say then
        made = prove([case for case in cases if case.name not in wrong], travel, *context) \
            if len(wrong) < len(cases) else {}
        for case in cases:
            if case.name in wrong:
                made.update(prove([case], travel, *context))
        return made
    half = len(cases) // 2
    return {**prove(cases[:half], travel, *context),
            **prove(cases[half:], travel, *context)}


# The cases of this run: filled before processes are made, which all have them
# then.  Expressions cannot be sent from one to another.
CHOSEN = []


def shard(part, jobs, travel, arguments):
    """Every jobs-th chunk of the cases."""
    chosen = CHOSEN
    chunks = [chosen[i:i + TOGETHER] for i in range(0, len(chosen), TOGETHER)]
    verdicts = {}
    with proof.engines.OnnxRuntime.find() as engine, \
            tempfile.TemporaryDirectory(prefix="tenon-sweep-") as scratch:
        for chunk in chunks[part::jobs]:
            verdicts.update(prove(chunk, travel, engine, scratch, arguments))
    converter = proof.Converter.of(arguments.tenon, os.getpid())
    if converter:
        converter.stop()
    return verdicts


def chosen_cases(cases, arguments):
    """All; those of the operators asked for; or of each operator every n-th."""
    if arguments.only:
        wished = arguments.only.split(",")
        chosen = [case for case in cases if case.op in wished or case.name in wished]
        if not chosen:
            sys.exit(f"no case matches --only {arguments.only}")
        return chosen
    if not arguments.slice:
        return cases
    seen = collections.Counter()
    made = []
    for case in cases:
        if seen[case.op] % arguments.slice == 0:
            made.append(case)
        seen[case.op] += 1
    return made


def run(chosen, travel, arguments, jobs=2):
    """The verdict of each of the cases, by its name."""
    CHOSEN[:] = chosen
    proof.engines.OnnxRuntime.find()
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        parts = pool.starmap(shard, [(part, jobs, travel, arguments) for part in range(jobs)])
    return {name: verdict for part in parts for name, verdict in part.items()}


# --- the table -------------------------------------------------------------------

def counts(verdicts):
    """Of each operator: cases by state, and reasons with how often."""
    rows = {}
    for op, state, reason in verdicts.values():
        states, reasons = rows.setdefault(op, (collections.Counter(), collections.Counter()))
        states[state] += 1
        if state in ("refused", "no kernel"):
            reasons[(state, reason)] += 1
    return dict(sorted(rows.items()))


def joined(reasons):
    """Types that the target lacks, in one reason."""
    made, lacking = collections.Counter(), collections.Counter()
    for (state, reason), count in reasons.items():
        found = re.fullmatch(r"(\w+ has no element type) (\w+)", reason)
        if found:
            lacking[found[1]] += count
            made[(state, found[1])] += 0
        else:
            made[(state, reason)] += count
    types = sorted(r.rsplit(" ", 1)[1] for _, r in reasons if " has no element type " in r)
    return {(state, f"{reason} {', '.join(types)}" if reason in lacking else reason): count or lacking[reason]
            for (state, reason), count in made.items()}


def told_reasons(reasons):
    reasons = joined(reasons)
    words = [f"{reason if state == 'refused' else 'no kernel: ' + reason} ({count})"
             for (state, reason), count in sorted(reasons.items(), key=lambda r: (-r[1], r[0]))]
    more = [f"{len(words) - 4} more reasons"] if len(words) > 4 else []
    return "; ".join(words[:4] + more).replace("|", "\\|")


def table(rows):
    lines = ["| operator | cases | right | refused | no kernel | why |", "|---|---|---|---|---|---|"]
    for op, (states, reasons) in rows.items():
        lines.append(f"| {op} | {sum(states.values())} | {states['right']} | {states['refused']} | "
                     f"{states['no kernel']} | {told_reasons(reasons)} |")
    return "\n".join(lines) + "\n"


def total(title, verdicts):
    states = collections.Counter(verdict.state for verdict in verdicts.values())
    told = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
    return f"{title}: {len(verdicts)} cases of {len({v.op for v in verdicts.values()})} operators ({told})"


def said_counts(section):
    """Operator to its row of the table, as numbers."""
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|", section, re.M)
    return {row[0]: tuple(map(int, row[1:])) for row in rows}


def merged(title, section, some):
    """The section with the rows of some operators instead of those it has."""
    def rows_of(text):
        return {line.split(" | ")[0]: line for line in text.splitlines() if re.match(r"\| \w+ \| \d", line)}
    rows = dict(sorted({**rows_of(section), **rows_of(some)}.items()))
    body = "\n".join([*some.splitlines()[:2], *rows.values()])
    sums = [sum(column) for column in zip(*said_counts(body).values())]
    return (f"\n{title}: {sums[0]} cases of {len(rows)} operators ({sums[1]} right, {sums[2]} refused, "
            f"{sums[3]} no kernel).\n\n{body}\n\n")


def held_against(report, rows, cases, is_whole):
    """Where the report says something else: the numbers of cases, if all are
    known, and the verdicts when all cases ran."""
    said = said_counts(report.parts()[1])
    many = collections.Counter(case.op for case in cases or [])
    for op in sorted({*said, *many}) if cases else []:
        if said.get(op, (0,))[0] != many[op]:
            yield f"{op}: the report says {said.get(op, (0,))[0]} cases, there are {many[op]}: run the whole sweep with --update"
    for op, (states, _) in rows.items() if is_whole else []:
        found = (sum(states.values()), *(states[state] for state in STATES[:3]))
        if said.get(op) != found:
            yield f"{op}: {found}, not {said.get(op)} as the report says"


def parse(description, *flags):
    import argparse
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("tenon")
    parser.add_argument("--only", help="operators or cases, with commas between")
    parser.add_argument("--slice", type=int, default=0, metavar="N",
                        help="of each operator every N-th case")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--report", help="docs/conformance.md")
    parser.add_argument("--update", action="store_true",
                        help="write the report instead of holding against it")
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser.parse_args()


def conclude(title, name, cases, verdicts, missing, arguments):
    """Prints what is wrong; writes or checks the report.  The exit code."""
    wrong = sorted(verdict.reason for verdict in verdicts.values() if verdict.state == "wrong")
    faults = [*wrong, *missing]
    rows = counts(verdicts)
    is_whole = not arguments.only and not arguments.slice
    if arguments.report:
        report = proof.Report(arguments.report, name)
        if arguments.update and is_whole:
            report.update(f"\n{total(title, verdicts)}.\n\n{table(rows)}\n")
        elif arguments.update and arguments.only:
            report.update(merged(title, report.parts()[1], table(rows)))
    if arguments.report and not arguments.only:
        faults += held_against(report, rows, cases, is_whole)
    if not arguments.report:
        print(table(rows))
    print("\n".join(faults))
    print(total(title, verdicts))
    return 1 if faults else 0
