"""The rows of rules: a million ONNX nodes become nd4j's, in linear time and
memory, and a handful in little more than it takes to open the rules."""
import os

PARTS = (16, 4, 1)
HANDFUL = 100000
RULES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                     "rules", "onnx_nd4j.rules")


def growth(bench, jobs, verb, title, seconds, size):
    first = jobs[0]
    for job in jobs[1:]:
        nodes = job.nodes / first.nodes
        time = job.time() / first.time() / nodes
        memory = job.memory / first.memory / nodes
        bench.row(f"{verb}, {job.nodes:,} {title}", seconds(job.time()),
                  size(job.memory), f"{first.nodes:,} nodes",
                  f"{seconds(first.time())}, {size(first.memory)}",
                  f"a node: time {time:.2f}x, memory {memory:.2f}x",
                  "linear: <= 1.5x", time <= 1.5 and memory <= 1.5)


def maps(bench, files, job, seconds, size):
    def ours(part):
        path = files.made("small", "onnx", part=part)
        return job("map", [bench.program("in_process"), "map", path],
                   "inner wall") # the source is checked on all cores

    jobs = [ours(part) for part in PARTS]
    few = ours(max(1, HANDFUL // files.part))
    whole = job("convert", [bench.program("in_process"), "convert",
                            files.made("small", "onnx")], "inner wall")
    # On the clock, like what it is compared with.
    opened = job("open", [bench.program("in_process"), "graph",
                          files.made("small", "onnx")], "inner wall")
    simple = [job("simplify", [bench.program("in_process"), "simplify",
                               files.made("small", "onnx", part=part)],
                  "inner wall") for part in PARTS]
    rules = job("rules", [bench.program("in_process"), "rules", RULES])
    peers, parsing = [], [bench.program("peer_protobuf"), "arena", "onnx",
                          files.made("small", "onnx")]
    if bench.has("peer_protobuf"):
        # On the clock beside what uses all cores.
        peers += [job("libprotobuf arena, parsing", parsing, "inner wall")]
    bench.measure(jobs + simple + [few, opened, rules, whole] + peers)
    growth(bench, jobs, "map", "ONNX nodes to nd4j", seconds, size)
    growth(bench, simple, "simplify", "ONNX nodes", seconds, size)
    bench.compare(f"simplify, {simple[-1].nodes:,} ONNX nodes", simple[-1],
                  opened, most=3)
    if peers:
        bench.compare(f"map, {jobs[-1].nodes:,} ONNX nodes to nd4j", jobs[-1],
                      peers[0], most=1)
    file_size = os.path.getsize(files.made("small", "onnx"))
    more = jobs[-1].memory - opened.memory
    bench.row(f"map, {jobs[-1].nodes:,} ONNX nodes to nd4j",
              seconds(jobs[-1].time()), size(jobs[-1].memory),
              "opening the same", size(opened.memory),
              f"{more / file_size:.2f} bytes more for a byte of the file",
              "< 0.5", more / file_size < 0.5)
    bench.row(f"map, {jobs[-1].nodes:,} ONNX nodes to nd4j",
              seconds(jobs[-1].time()), size(jobs[-1].memory), "the file",
              size(file_size),
              f"{jobs[-1].memory / file_size:.2f} bytes for a byte", "-", None)
    if peers:
        bench.compare(f"convert, {whole.nodes:,} ONNX nodes to .fb", whole,
                      peers[0], most=2)
    each = whole.memory / whole.nodes
    bench.row(f"convert, {whole.nodes:,} ONNX nodes to .fb",
              seconds(whole.time()), size(whole.memory), "-", "-",
              f"{each:.0f} bytes a node", "< 400", each < 400)
    bench.row(f"rules read, {rules.nodes} of ONNX to nd4j",
              seconds(rules.time()), size(rules.memory), "-", "-", "-",
              "< 20 ms", rules.time() < 20e-3)
    bench.row(f"rules opened, and {few.nodes} nodes mapped", seconds(few.time()),
              size(few.memory), "-", "-", "-", "< 50 ms", few.time() < 50e-3)
