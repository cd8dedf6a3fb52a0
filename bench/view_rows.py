"""The rows of pictures: what `tenon view` takes beside opening the model, what its
page takes in a browser, and the library that other viewers lay graphs out with."""
import json
import os
import resource
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE = 600 # seconds for one script: dagre may take longer
SPARE = 0.030 # seconds that a small picture may take whatever its size


def node_script(bench, name, *pages):
    """What a script of node prints, or None where a browser or a package is
    missing.  TN_ENGINES is the folder that tests/engines/install made."""
    folder = os.path.join(os.path.dirname(HERE), "build", "engines")
    environment = {"TN_ENGINES": folder, **os.environ}
    deep = lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, -1))
    try: # dagre calls itself along a graph: it needs a large stack
        done = subprocess.run(["node", "--stack-size=900000",
                               os.path.join(HERE, name), *pages],
                              env=environment, text=True, preexec_fn=deep,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return [f"inner_wall={PATIENCE}"]
    except FileNotFoundError:
        done = None
    if done and done.returncode == 0:
        return done.stdout.splitlines()
    bench.missing.append(f"{name}: node, a browser or a package")
    return None


def page_rows(bench, pages):
    """Pages as they open: (path, milliseconds, MiB) and what is allowed."""
    lines = node_script(bench, "view_page.mjs", *(path for path, *_ in pages))
    for line, (_, title, interactive, memory) in zip(lines or [], pages):
        facts = json.loads(line)
        bench.row(f"page of {title}: interactive", f"{facts['ready_ms']} ms",
                  f"{facts['tab_mib']} MiB", "-", "-",
                  f"search {facts['search_ms']} ms",
                  f"<= {interactive} ms, < {memory} MiB",
                  facts["ready_ms"] <= interactive and
                  facts["tab_mib"] < memory)
        bench.row(f"page of {title}: moved", f"{facts['fps']} frames/s", "-",
                  "-", "-", "", ">= 30 frames/s", facts["fps"] >= 30)
        bench.row(f"page of {title}: file", f"{facts['file_mb']} MB", "-", "-",
                  "-", "", "< 25 MB", facts["file_mb"] < 25)


def peer_rows(bench, view, page, title, least):
    """Time to a first picture: ours with writing the page, theirs the layout."""
    lines = node_script(bench, "peer_dagre.mjs", page)
    shown = node_script(bench, "view_page.mjs", page)
    if not lines or not shown:
        return
    facts = dict(word.split("=") for word in lines[-1].split())
    ours = view.time() + json.loads(shown[0])["drawn_ms"] / 1000
    theirs = float(facts["inner_wall"])
    bench.row(f"first picture of {title}", f"{ours:.2f} s", "-",
              "dagre, layout alone", f"{theirs:.2f} s",
              f"{theirs / ours:.0f}x faster", f">= {least}x faster",
              theirs / ours >= least)


def views(bench, files, job, seconds, size):
    pages = []
    for part, most in ((100, 3), (1, 2.5)):
        path = files.made("small", "onnx", part=part)
        out = files.path(f"view-{part * files.part}.html")
        opened = job("open", [bench.program("in_process"), "graph", path],
                     "inner wall")
        view = job("view", [files.tenon, "view", path, "-o", out, "--force",
                            "--quiet"], "wall")
        bench.measure([opened, view])
        title = f"{opened.nodes:,} nodes"
        spare = SPARE if part > 1 else 0
        ratio = (view.time() - spare) / opened.time()
        bench.row(f"view, {title}", seconds(view.time()), size(view.memory),
                  opened.name, f"{seconds(opened.time())}, "
                  f"{size(opened.memory)}", f"{ratio:.2f}x",
                  f"<= {most:g}x" + (" + 30 ms" if spare else ""),
                  ratio <= most)
        pages.append((out, title, 300 if part > 1 else 2000, 400))
    page_rows(bench, pages)
    # Dagre takes minutes for ten thousand nodes: two thousand say it all.
    path = files.made("small", "onnx", part=max(1, 500 // files.part))
    out = files.path("view-peer.html")
    view = job("view", [files.tenon, "view", path, "-o", out, "--force",
                        "--quiet"], "wall")
    bench.measure([view])
    peer_rows(bench, view, out, "some 2,000 nodes", 20)
