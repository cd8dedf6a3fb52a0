"""queries.py TENON ROOT: the queries of docs/fleet.md give what is in a folder
of known models, in SQLite and, where it is installed, in DuckDB."""
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

TENON, ROOT = os.path.abspath(sys.argv[1]), sys.argv[2]
failures = []


def expect(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"failed: {what}\n  found  {found}\n  wanted {wanted}")


def safetensors(path, tensors, dtype="F32"):
    header, offset = {}, 0
    size = {"F32": 4, "U8": 1}[dtype]
    for name, data in tensors.items():
        header[name] = {"dtype": dtype, "shape": [len(data) // size],
                        "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text +
                   b"".join(tensors.values()))


def floats(*values):
    return struct.pack(f"<{len(values)}f", *values)


def queries():
    """By the paragraph before each."""
    with open(os.path.join(ROOT, "docs/fleet.md"), encoding="utf-8") as file:
        text = file.read()
    return re.findall(r"\n([^\n]+)\n\n```sql\n(.*?)```", text, re.S)


def catalog(*arguments):
    subprocess.run([TENON, "catalog", "-q", "--hash", "--statistics", "--scan",
                    *arguments], check=True, timeout=60)


def make(place):
    os.mkdir("models")
    base, head = floats(1, 2, 3, 4), floats(5, 6)
    safetensors("models/step1.safetensors", {"base": base, "head": head})
    safetensors("models/step2.safetensors", {"base": base,
                                             "head": floats(7, float("nan"))})
    safetensors("models/copy.safetensors", {"base": base, "head": head})
    safetensors("models/bytes.safetensors", {"b": b"abc"}, "U8")
    with open("models/broken.safetensors", "wb") as file:
        file.write(b"\xff" * 20)
    with open("models/evil.pkl", "wb") as file:
        file.write(b"\x80\x02cos\nsystem\nU\x02ls\x85R.")
    os.mkdir("models/graph")
    subprocess.run([TENON, "undump",
                    os.path.join(ROOT, "examples/tiny.onnx.textproto"), "-o",
                    "models/graph/tiny.onnx"], check=True)
    with open("models/graph/model.sig", "w") as file:
        file.write("{}")
    catalog("models", "-o", "yesterday.sqlite")
    os.remove("models/bytes.safetensors")
    safetensors("models/new.safetensors", {"n": floats(0)})
    safetensors("models/step2.safetensors", {"base": base,
                                             "head": floats(8, float("nan"))})
    catalog("models", "-o", "models.sqlite")
    catalog("models", "-o", "models.ndjson")


WANTED = {
    "Which checkpoints share weights": [
        ("models/copy.safetensors", "models/step1.safetensors", 2, 24),
        ("models/copy.safetensors", "models/step2.safetensors", 1, 16),
        ("models/step1.safetensors", "models/step2.safetensors", 1, 16)],
    "How many bytes does a series": [(3 * 24 + 4 + 256, 16 + 8 + 8 + 4 + 256)],
    "Which files are broken": [("models/broken.safetensors", "malformed")],
    "Which contain pickles": [("models/evil.pkl", "dangerous", 1)],
    "Which files are the same": [
        ("models/copy.safetensors models/step1.safetensors", 2)],
    "Which element types": [("float32", 11, 316), ("int64", 1, 16)],
    "What are the largest": [
        ("models/graph/tiny.onnx", "filters", "float32", "[4,1,3,3]", 144)],
    "What changed since": [
        ("models/bytes.safetensors", "gone"), ("models/new.safetensors", "new"),
        ("models/step2.safetensors", "changed")],
    "Where are NaNs": [("models/step2.safetensors", "head", 1, 0)],
    "Which models have a graph": [("models/graph/tiny.onnx", "onnx", 6)],
    "Which have no signature file": [
        ("models/copy.safetensors",), ("models/new.safetensors",),
        ("models/step1.safetensors",), ("models/step2.safetensors",)],
}
DUCK = """
import { createRequire } from 'node:module';
const R = createRequire(process.env.TN_ENGINES + '/x');
let m; try { m = R('@duckdb/node-api'); } catch { process.exit(77); }
const c = await (await m.DuckDBInstance.create(':memory:')).connect();
const r = await c.runAndReadAll(process.argv[2]);
console.log(JSON.stringify(r.getRows().map(x => x.map(String))));
"""


def judge_duckdb(sql):
    with open("duck.mjs", "w") as file:
        file.write(DUCK)
    engines = os.environ.get("TN_ENGINES", os.path.join(ROOT, "build/engines"))
    if not shutil.which("node"):
        return print("DuckDB: skipped, no node")
    done = subprocess.run(["node", "duck.mjs", sql], capture_output=True,
                          text=True, timeout=60,
                          env=dict(os.environ, TN_ENGINES=engines))
    if done.returncode == 77:
        return print("DuckDB: skipped, not installed")
    expect(done.returncode, 0, f"DuckDB: {done.stderr}")
    expect(json.loads(done.stdout or "[]"),
           [["float32", "11", "316"], ["int64", "1", "16"]], "DuckDB")


def main():
    place = tempfile.mkdtemp(prefix="tenon-queries-")
    os.chdir(place)
    try:
        make(place)
        ran = 0
        base = sqlite3.connect("models.sqlite")
        for title, sql in queries():
            if "read_ndjson" in sql:
                judge_duckdb(sql)
                continue
            statements = [s for s in sql.split(";") if s.strip()]
            for statement in statements[:-1]:
                base.execute(statement)
            rows = base.execute(statements[-1]).fetchall()
            wanted = [v for k, v in WANTED.items() if title.startswith(k)]
            expect(len(wanted), 1, f"an expectation for {title!r}")
            width = len(wanted[0][0])
            found = [tuple(row[:width]) for row in rows]
            expect(found[:1] if "largest" in title else found, wanted[0], title)
            ran += 1
        expect(ran >= 10, True, "ten queries")
        if shutil.which("sqlite3"):
            said = subprocess.run(
                ["sqlite3", "models.sqlite", "pragma integrity_check; "
                 "select count(*) from tensors"], capture_output=True,
                text=True)
            expect(said.stdout.split(), ["ok", "12"], "the sqlite3 command")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(f"queries: {ran} run,", "failed" if failures else "all as expected")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
