"""forms.py TENON ROOT: the forms of a catalog say the same, as readers that are
not ours understand them: Python's sqlite3 and json, flatc for the metadata of
Arrow, and apache-arrow where it is installed."""
import json
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

TENON, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = []


def expect(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"failed: {what}\n  found  {str(found)[:2000]}\n"
              f"  wanted {str(wanted)[:2000]}")


def safetensors(path, tensors):
    header, offset = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape,
                        "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text +
                   b"".join(data for _, _, data in tensors.values()))


def make():
    """More rows than a batch of Arrow has, and every kind of value."""
    os.mkdir("models")
    for i in range(6):
        safetensors(f"models/m{i}.safetensors",
                    {f"layer.{k}.\u00e9": ("F32", [k % 4, 2],
                                           struct.pack("<f", k / 3) *
                                           (k % 4 * 2))
                     for k in range(900)})
    safetensors("models/nan.safetensors",
                {"n": ("F32", [], struct.pack("<f", float("nan")))})
    with open("models/cut.safetensors", "wb") as file:
        file.write(struct.pack("<Q", 99) + b"{}")
    with open("models/words \"x\"", "w") as file:
        file.write("words")
    shutil.copy("models/m0.safetensors", b"models/\xff.safetensors")


def catalog(*arguments):
    subprocess.run([TENON, "catalog", "-q", "--hash", "--statistics", "--scan",
                    *arguments], check=True, timeout=100)


def plain(value):
    """A number is its text: readers differ in what they make of large ones."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, str) else repr(
        float(value))


def from_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [{k: plain(v) for k, v in json.loads(line).items()}
                for line in lines]


def from_sqlite(path):
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    found = []
    for row in base.execute("select * from files order by file"):
        found.append(("file", row))
        found += [("tensor", t) for t in base.execute(
            "select * from tensors where file = ? order by tensor",
            [row["file"]])]
    rows = []
    for kind, row in found:
        values = {k: row[k] for k in row.keys()
                  if row[k] is not None and k != "id"}
        if "shape" in values:
            values["shape"] = json.loads(values["shape"])
        rows.append({"row": kind, **{k: plain(v) for k, v in values.items()}})
    return rows


READER = """
import { createRequire } from 'node:module'; import fs from 'node:fs';
const R = createRequire(process.env.TN_ENGINES + '/x');
let a; try { a = R('apache-arrow'); } catch { process.exit(77); }
const t = a.tableFromIPC(fs.readFileSync(process.argv[2])), out = [];
const plain = v => v === null ? null : typeof v === 'string' ? v
  : typeof v === 'object' ? [...v].map(plain) : Number(v);
for (const r of t) { const o = {};
  for (const f of t.schema.fields) if (r[f.name] !== null) o[f.name] = plain(r[f.name]);
  out.push(JSON.stringify(o)); }
fs.writeFileSync(process.argv[3], out.join('\\n') + '\\n');
"""


def from_arrow(path):
    with open("reader.mjs", "w") as file:
        file.write(READER)
    if not shutil.which("node"):
        return None
    done = subprocess.run(
        ["node", "reader.mjs", path, "out.ndjson"], timeout=100,
        env=dict(os.environ, TN_ENGINES=os.environ.get(
            "TN_ENGINES", os.path.join(ROOT, "build/engines"))))
    if done.returncode == 77:
        return None
    expect(done.returncode, 0, f"apache-arrow reads {path}")
    return from_lines("out.ndjson") if done.returncode == 0 else []


def metadata(path, fields):
    """What flatc reads in the first message of a stream."""
    if not shutil.which("flatc"):
        return print("flatc: skipped, not installed")
    with open(path, "rb") as file:
        mark, size = struct.unpack("<II", file.read(8))
        expect(mark, 2**32 - 1, "a message begins with ff ff ff ff")
        with open("message.bin", "wb") as out:
            out.write(file.read(size))
    subprocess.run(["flatc", "--json", "--raw-binary", "--strict-json",
                    "--defaults-json", os.path.join(ROOT, "schemas/arrow.fbs"),
                    "--", "message.bin"], check=True, capture_output=True)
    with open("message.json") as file:
        message = json.load(file)
    expect(message["version"], "V5", "the version of Arrow's metadata")
    names = [f["name"] for f in message["header"]["fields"]]
    expect(fields <= set(names), True, f"flatc: columns {names}")
    shape = next(f for f in message["header"]["fields"]
                 if f["name"] == "shape")
    expect((shape["type_type"], shape["children"][0]["type_type"]),
           ("List", "Int"), "flatc: shape is a list of integers")


def main():
    place = tempfile.mkdtemp(prefix="tenon-forms-")
    os.chdir(place)
    try:
        make()
        catalog("models", "-o", "a.ndjson")
        catalog("models", "-j", "1", "-o", "a.sqlite")
        catalog("models", "-j", "3", "-o", "a.arrow")
        catalog("a.ndjson", "-o", "a.arrows")
        catalog("models", "-o", "again.arrow")
        lines = from_lines("a.ndjson")
        expect(len(lines), 10 + 7 * 900 + 1, "rows")
        expect(from_sqlite("a.sqlite") == lines, True, "SQLite and lines")
        with open("a.arrow", "rb") as one, open("again.arrow", "rb") as two:
            expect(one.read() == two.read(), True, "the same bytes of Arrow")
        metadata("a.arrows", set().union(*lines[:2]))
        judged = 0
        for path in ("a.arrow", "a.arrows"):
            rows = from_arrow(path)
            if rows is None:
                print("apache-arrow: skipped, not installed")
                break
            expect(rows == lines, True, f"{path} and lines")
            judged += 1
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(f"forms: {len(lines)} rows, {judged} files of Arrow judged,",
          "failed" if failures else "all the same")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
