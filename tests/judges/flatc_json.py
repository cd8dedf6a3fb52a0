#!/usr/bin/python3
"""flatc judges our FlatBuffers: dump, undump, the builder and the schemas.

    flatc_json.py TENON [COUNT [SEED]]

Random buffers of random schemas that flatc wrote are dumped by us and read as
flatc reads them; what we write from that dump, flatc reads as the same.  The
same goes for real files and for the schemas that are installed, which also
compile as C++ and Java.  The verifier of the C++ library accepts what we
write.  Skipped (77) without flatc.
"""
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import random_flat

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = pathlib.Path(os.environ.get("TENON_TEST_DATA", ROOT.parent / "shared/data"))
TENON = sys.argv[1]
FLATC = ["flatc", "--no-warnings", "--allow-non-utf8"]


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True)
    if done.returncode != 0:
        sys.exit(f"FAIL: {' '.join(map(str, command))}\n"
                 f"{done.stdout.decode(errors='replace')}"
                 f"{done.stderr.decode(errors='replace')}")
    return done.stdout


def load_flatc(path):
    """flatc's JSON has bare nan and inf."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape")
    return json.loads(text.replace(": nan", ": NaN"))


def same(a, b):
    """Equal, but for the digits of floats that flatc leaves out."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-6)
    return a == b


def flatc_reads(work, schema, root, binary):
    """What flatc says that a binary holds."""
    run(*FLATC, "--json", "--strict-json", "--raw-binary", "--root-type", root,
        "-o", work / "read", schema, "--", binary)
    return load_flatc(work / "read" / (binary.stem + ".json"))


def judge(work, schema, bfbs, root, binary):
    """dump and undump of a file that is a `root`, against flatc."""
    ours, again = work / "ours.json", work / "again.bin"
    choice = ["--type", root] + (["--schema", bfbs] if bfbs else [])
    run(TENON, "dump", "--json", *choice, binary, "-o", ours, "--force")
    theirs = flatc_reads(work, schema, root, binary)
    text = json.loads(ours.read_text(encoding="utf-8"))
    if not same(text, theirs):
        sys.exit(f"FAIL: {binary}: dump is not what flatc reads\n{schema}")
    run(TENON, "undump", *choice, ours, "-o", again, "--force")
    if not same(flatc_reads(work, schema, root, again), theirs):
        sys.exit(f"FAIL: {binary}: flatc reads something else after undump")
    if run(TENON, "dump", "--json", *choice, again) != ours.read_bytes():
        sys.exit(f"FAIL: {binary}: a dump of the undump is another")
    return again


def judge_random(work, count, seed):
    for number in range(count):
        maker = random_flat.Maker(random.Random(seed * 1000 + number))
        schema = work / "made.fbs"
        schema.write_text(maker.make_schema())
        run(*FLATC, "-b", "--schema", "--bfbs-builtins", "-o", work, schema)
        for _ in range(2):
            value = work / "made.json"
            value.write_text(json.dumps(maker.table(maker.root(), 0)))
            run(*FLATC, "-b", "-o", work, schema, value)
            binary = next(p for p in work.glob("made.*")
                          if p.suffix not in (".fbs", ".bfbs", ".json"))
            judge(work, schema, work / "made.bfbs",
                  "random.made." + maker.root(), binary)
            binary.unlink()
    print(f"{2 * count} random buffers of {count} random schemas")


def judge_real(work):
    files = [p for folder in ("models", "libnd4j")
             for p in sorted((DATA / "samediff" / folder).glob("*"))
             if p.stat().st_size < 300000]
    schema = ROOT / "schemas/samediff_classic.fbs"
    for file in files:
        judge(work, schema, None, "sd.graph.FlatGraphM2", file)
    print(f"{len(files)} real files" if files else "skipped: wants real models")


def compile_schemas(work):
    schemas = sorted((ROOT / "schemas").glob("*.fbs"))
    out = work / "code"
    run(*FLATC, "--java", "--cpp", "-o", out, *schemas)
    headers = sorted(out.glob("*_generated.h"))
    assert len(headers) == len(schemas)
    assert list(out.rglob("FlatGraph.java"))
    if not shutil.which("g++") or \
            not pathlib.Path("/usr/include/flatbuffers").is_dir():
        print("skipped: C++ of the schemas, no compiler or headers")
        return
    source = work / "all.cpp"
    source.write_text("".join(f'#include "{h}"\n' for h in headers))
    run("g++", "-std=c++17", "-fsyntax-only", "-I", out, source)
    print(f"{len(schemas)} schemas as C++ and Java")


VERIFIER = """
#include "samediff_array_generated.h"
#include "sample_flat_any_generated.h"
#include <fstream>
#include <iterator>
#include <vector>
int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        std::ifstream file(argv[i], std::ios::binary);
        std::vector<char> raw{std::istreambuf_iterator<char>(file), {}};
        std::vector<uint64_t> even((raw.size() + 7) / 8);
        memcpy(even.data(), raw.data(), raw.size());
        flatbuffers::Verifier v((const uint8_t *)even.data(), raw.size());
        bool good = argv[1][0] == 'A'
            ? v.VerifyBuffer<sample::flat::All>("SMPL")
            : argv[1][0] == 'F' ? v.VerifyBuffer<sd::graph::FlatArray>("SDAR")
            : v.VerifyBuffer<sample::flat::Mixed>();
        if (!good)
            return i;
    }
    return 0;
}
"""

ALL = """{"a_bool": true, "text": "hello", "point": {"x": 1, "y": 2, "n": 3},
"wide": {"bytes": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}, "a_double": 1.25,
"leaf": {"text": "x"}, "any_type": "Leaf", "any": {"number": 1},
"longs": [1, 2], "texts": ["a", ""], "leaves": [{}, {"text": "l"}],
"bytes": [1], "doubles": [1.5], "points": [{"x": 1, "y": 2, "n": 3}],
"needy": [{"name": "b", "id": 1}], "nested": {"text": "in", "number": 1}}"""
MIXED = """{"one_type": "Words", "one": "hello", "many_type": ["Leaf", "Point",
"Words", "Mixed"], "many": [{"text": "q"}, {"x": 1, "y": 2, "n": 3}, "w", {}]}"""
ARRAY = '{"shape": [1, 2, 1, 8192, 1, 99], "buffer": [0, 0, -128, 63, 0, 0, 0, 64]}'


def judge_verifier(work):
    """Whatever flatc can read, the C++ verifier may still refuse."""
    if not shutil.which("g++") or \
            not pathlib.Path("/usr/include/flatbuffers").is_dir():
        print("skipped: the C++ verifier")
        return
    support, out = ROOT / "tests/support", work / "verifier"
    for schema in (support / "sample_flat.fbs", support / "sample_flat_any.fbs",
                   ROOT / "schemas/samediff_array.fbs"):
        run(*FLATC, "--cpp", "-o", out, schema)
    run(*FLATC, "-b", "--schema", "--bfbs-builtins", "-o", out,
        support / "sample_flat_any.fbs", support / "sample_flat.fbs")
    (out / "verify.cpp").write_text(VERIFIER)
    run("g++", "-std=c++17", "-I", out, out / "verify.cpp", "-o", out / "verify")
    for root, text in (("All", ALL), ("Mixed", MIXED), ("FlatArray", ARRAY)):
        schema = {"All": ["--schema", out / "sample_flat.bfbs"],
                  "Mixed": ["--schema", out / "sample_flat_any.bfbs"],
                  "FlatArray": []}[root]
        (out / "in.json").write_text(text)
        run(TENON, "undump", "--type", root, *schema, out / "in.json", "-o",
            out / "out.bin", "--force")
        run(out / "verify", root, out / "out.bin")
    broken = bytearray((out / "out.bin").read_bytes())
    broken[0:4] = b"\xff\xff\xff\x7f"  # a root that is not there
    (out / "broken.bin").write_bytes(broken)
    assert subprocess.run([out / "verify", "F", out / "broken.bin"]).returncode
    print("the C++ verifier accepts what is written")


def main():
    if not shutil.which("flatc"):
        print("skipped: no flatc")
        sys.exit(77)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        compile_schemas(work)
        judge_random(work, count, seed)
        judge_real(work)
        judge_verifier(work)


main()
