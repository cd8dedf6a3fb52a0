"""The rows of `tenon diff`: two graphs of a million nodes beside opening them,
and weights beside reading both files."""
import os
import shutil
import subprocess


def changed(files, path, name, *actions):
    """The model after an edit, made once."""
    out = files.path(name)
    if not os.path.exists(out):
        subprocess.run([files.tenon, "edit", "--quiet", "--force-invalid", path,
                        "-o", out + ".new", *actions], check=True)
        os.rename(out + ".new", out)
    return out


def graphs(bench, files, job, path, other, title):
    program = bench.program("in_process")
    both = job("open both", [program, "both", path, other])
    ours = job("diff", [program, "diff", path, other])
    bench.measure([both, ours])
    bench.compare(f"diff, {title}", ours, both, most=2.5)


def weights(bench, files, job):
    path, copy = files.made("big", "onnx"), files.path("big-copy.onnx")
    if not os.path.exists(copy):
        shutil.copyfile(path, copy)
    read = job("cat both", ["cat", path, copy], "wall", out=files.path("out"))
    ours = job("diff", [files.tenon, "diff", "--quiet", path, copy], "wall")
    same = job("diff", [files.tenon, "diff", "--quiet", path, path], "wall")
    bench.measure([read, ours, same])
    bench.compare("diff, weights that are equal", ours, read, most=1.1)
    bench.compare("diff, a file and itself", same, read, most=0.1)


def rows(bench, files, job):
    path = files.made("small", "onnx")
    few = changed(files, path, "small-few.onnx", "--remove-op", "@250000",
                  "--set-op", "@500000 Neg")
    graphs(bench, files, job, path, path, "2 x 1,000,000 ONNX nodes, equal")
    graphs(bench, files, job, path, few, "2 x 1,000,000 ONNX nodes, 2 changed")
    path = files.made("graph", "pb")
    graphs(bench, files, job, path, path, "2 x 1,000,000 GraphDef nodes, equal")
    weights(bench, files, job)
