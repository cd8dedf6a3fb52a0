"""tables.py - what the differential tester tells, and writes into a report"""
import bench


def ranges(state):
    """Which seeds: those of one run, or of several."""
    return ", ".join(f"{first} to {last}" for first, last in
                     [(state.first, state.next - 1), *state.others])


def summary(source, state):
    counts = state.states
    return (f"{sum(counts.values())} random models of {source} "
            f"(seeds {ranges(state)}): {counts['agrees']} agree, "
            f"{counts['listed']} are listed with their cause, "
            f"{counts['differs']} differ without one, "
            f"{counts['not run']} the engine does not run as they stand")


def rows(state):
    lines = ["| | operator | cause | count |", "|---|---|---|---|"]
    order = sorted(state.rows.items(), key=lambda row: (row[0][0], -row[1], row[0]))
    for (kind, operator, cause), count in order:
        if not count:
            continue
        told = cause.replace("|", "\\|")
        lines.append(f"| {kind} | {operator} | {told} | {count} |")
    return "\n".join(lines) + "\n"


def operators(state):
    return {name[3:]: count for name, count in state.features.items() if name.startswith("op ")}


def missing(source, state):
    return [name for name in source.FEATURES if not state.features[name]]


def features(source, state):
    """How many models had what."""
    made = operators(state)
    had = ", ".join(f"{name} {state.features[name]}" for name in source.FEATURES)
    judged = ", ".join(f"{name} {state.features[name]}" for name in
                       ("evaluated", "not covered by the evaluator"))
    return f"Models that had it: {had}. {len(made)} operators: " + \
        ", ".join(f"{name} {count}" for name, count in sorted(made.items())) + \
        f". Of the .fb files between: {judged}.\n"


def update(path, source, module, state):
    report = bench.proof.Report(path, f"differential {source}")
    report.update(f"\n{summary(source, state)}.\n\n{rows(state)}\n{features(module, state)}\n")
