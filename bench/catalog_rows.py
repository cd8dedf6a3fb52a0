"""The rows of catalog: many files of many tensors, against opening the same files."""
import json
import os
import shutil
import struct

FILES, TENSORS = 10_000, 100


def folder(files, part):
    """1/part of the files, and a list of them."""
    count = max(FILES // part // files.part, 1)
    root = files.path(f"fleet-{count}")
    if not os.path.exists(root):
        shutil.rmtree(root + ".new", ignore_errors=True)
        header = json.dumps({
            f"model.layers.{k // 8}.block.{k % 8}.weight":
            {"dtype": "F32", "shape": [2, 2], "data_offsets": [16 * k, 16 * k + 16]} for k in range(TENSORS)}).encode()
        for i in range(count):
            os.makedirs(f"{root}.new/{i // 100:03}", exist_ok=True)
            with open(f"{root}.new/{i // 100:03}/{i:05}.safetensors", "wb") as out:
                out.write(struct.pack("<Q", len(header)) + header + struct.pack("<I", i) * (4 * TENSORS))
        os.rename(root + ".new", root)
    with open(root + ".list", "w") as out:
        out.writelines(f"{root}/{i // 100:03}/{i:05}.safetensors\n" for i in range(count))
    return root, count


def catalog(bench, files, job, seconds, size):
    target = {form: files.path(f"fleet.{form}") for form in ("sqlite", "ndjson", "arrow")}

    def clear():
        for path in target.values():
            if os.path.exists(path):
                os.remove(path)

    root, count = folder(files, 1)
    opening = job("opening", [bench.program("open_many"), root + ".list"], "wall")
    jobs = [opening] + [job(form, [files.tenon, "catalog", "-q", "-j", "1", root, "-o", path], "wall", before=clear)
                        for form, path in target.items()]
    bench.measure(jobs)
    for made, most in zip(jobs[1:], (5, 4.5, 9)):
        bench.compare(f"catalog: {count:,} files, {count * TENSORS:,} tensors, as {made.name}", made, opening, most=most)

    grown = []
    for part in (16, 4, 1):
        root, count = folder(files, part)
        grown.append((count, job(f"1/{part}", [files.tenon, "catalog", "-q", root, "-o", target["sqlite"]], "wall", before=clear)))
    bench.measure([j for _, j in grown])
    (few, first), rest = grown[0], grown[1:]
    for count, made in rest:
        ratio = made.time() / first.time() * few / count
        bench.row(f"catalog: {count:,} files", seconds(made.time()), size(made.memory), f"{few:,} files",
                  f"{seconds(first.time())}, {size(first.memory)}", f"a file: time {ratio:.2f}x, memory in all {made.memory / first.memory:.2f}x",
                  "linear: <= 1.5x; memory bounded: <= 1.5x", ratio <= 1.5 and made.memory <= 1.5 * first.memory)
