"""strange.py TENON [KILLS]: catalogs of folders that nobody would want.

Broken, empty and unreadable files, loops of links, pipes, sockets, huge sparse
files, names that are not UTF-8, names that differ by case; runs that are killed
and go on; two runs at once; a full disk; catalogs that were damaged.
"""
import http.server
import json
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

TENON = os.path.abspath(sys.argv[1])
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
failures = []


def expect(claim, what):
    if not claim:
        failures.append(what)
        print("failed:", what)


def run(*arguments, **more):
    return subprocess.run([TENON, "catalog", *arguments], capture_output=True,
                          timeout=100, **more)


def safetensors(path, tensors, cut=None):
    header, offset = {}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(data)],
                        "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    body = struct.pack("<Q", len(text)) + text + b"".join(tensors.values())
    with open(path, "wb") as file:
        file.write(body[:cut])


def make(folder):
    """Two hundred files of every kind."""
    dice = random.Random(1)
    os.makedirs(folder + "/deep/deeper", exist_ok=True)
    for i in range(120):
        below = ["", "deep/", "deep/deeper/"][i % 3]
        safetensors(f"{folder}/{below}m{i:03}.safetensors",
                    {f"t{k}": dice.randbytes(dice.randrange(1, 60))
                     for k in range(dice.randrange(1, 40))})
    for i in range(30):
        safetensors(f"{folder}/deep/cut{i}.safetensors",
                    {"a": bytes(100), "b": bytes(50)}, cut=i * 9)
    for i in range(20):
        open(f"{folder}/empty{i}.onnx", "w").close()
    for i in range(15):
        with open(f"{folder}/words{i}.txt", "w") as file:
            file.write("no model\n" * i)
    safetensors(f"{folder}/Same.safetensors", {"upper": b"1"})
    safetensors(f"{folder}/same.safetensors", {"lower": b"2"})
    safetensors(os.fsencode(folder) + b"/bad\xff\xfename.safetensors",
                {"x": b"3"})
    safetensors(folder + "/bad\\xffname.safetensors", {"y": b"4"})
    safetensors(folder + "/new\nline \"quote\".safetensors", {"z": b"5"})
    os.symlink("m000.safetensors", folder + "/link.safetensors")
    os.symlink("nowhere", folder + "/broken_link.safetensors")
    os.symlink("loop_b", folder + "/loop_a")
    os.symlink("loop_a", folder + "/loop_b")
    os.symlink("..", folder + "/deep/up")
    os.mkfifo(folder + "/pipe.onnx")
    plug = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(folder)  # names of sockets are short
    plug.bind("socket.onnx")
    os.chdir(here)
    plug.close()
    with open(folder + "/sparse.safetensors", "wb") as file:
        header = json.dumps({"w": {"dtype": "U8", "shape": [1 << 36],
                                   "data_offsets": [0, 1 << 36]}}).encode()
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + (1 << 36))
    with open(folder + "/zeros.onnx", "wb") as file:
        file.truncate(1 << 38)
    os.mkdir(folder + "/locked")
    safetensors(folder + "/locked/in.safetensors", {"q": b"6"})
    safetensors(folder + "/secret.safetensors", {"q": b"7"})
    deep = folder + "/d" * 70
    os.makedirs(deep)


def rows_of(path):
    """What a catalog says, without ids."""
    if path.endswith(".ndjson"):
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    expect(base.execute("pragma integrity_check").fetchone()[0] == "ok",
           f"{path}: integrity")
    found = []
    for row in base.execute("select * from files order by file"):
        row = {k: row[k] for k in row.keys() if row[k] is not None}
        number = row.pop("id")
        found.append({"row": "file", **row})
        for tensor in base.execute(
                "select * from tensor where file_id = ? order by tensor",
                [number]):
            values = {k: tensor[k] for k in tensor.keys()
                      if tensor[k] is not None}
            del values["file_id"]
            values["shape"] = json.loads(values["shape"])
            found.append({"row": "tensor", "file": row["file"],
                          **({"etag": row["etag"]} if "etag" in row else {}),
                          "format": row["format"], **values})
    base.close()
    return found


def same(left, right, what):
    as_text = [[json.dumps(row, sort_keys=True) for row in rows]
               for rows in (left, right)]
    expect(as_text[0] == as_text[1], what)


def everything(place):
    """All kinds of files are rows, the same in every form and every order."""
    models = place + "/models"
    make(models)
    for path in ("locked", "secret.safetensors"):
        os.chmod(f"{models}/{path}", 0)
    began = time.time()
    done = run("--hash", "--max-expand", "1M", models, "-o",
               place + "/all.ndjson")
    expect(done.returncode == 0, f"catalog: {done.stderr.decode()}")
    expect(time.time() - began < 60, "files that are mostly holes take long")
    rows = rows_of(place + "/all.ndjson")
    by = {row["file"][len(models) + 1:]: row for row in rows
          if row["row"] == "file"}
    status = {name: row["status"] for name, row in by.items()}
    expect(list(by) == sorted(by, key=str.encode), "order of the paths")
    for name, wanted in {
            "m000.safetensors": "ok", "Same.safetensors": "ok",
            "same.safetensors": "ok", "bad\\xff\\xfename.safetensors": "ok",
            "bad\\x5cxffname.safetensors": "ok",
            "new\nline \"quote\".safetensors": "ok",
            "link.safetensors": "ok", "broken_link.safetensors": "not found",
            "loop_a": "not found", "pipe.onnx": "invalid",
            "socket.onnx": "invalid", "sparse.safetensors": "limit",
            "empty3.onnx": "malformed", "words3.txt": "other"}.items():
        expect(status.get(name) == wanted, f"{name}: {status.get(name)}")
    expect("deep/up" not in status, "a link to a folder was followed")
    expect(any("d/d/d" in name and row["status"] == "limit"
               for name, row in by.items()), "folders that are too deep")
    if os.geteuid() != 0:
        expect(status.get("secret.safetensors") == "i/o", "unreadable file")
        expect(status.get("locked/") == "i/o", "unreadable folder")
    run("--hash", "--max-expand", "1M", models, "-j", "1", "-o",
        place + "/all.sqlite")
    same(rows, rows_of(place + "/all.sqlite"), "SQLite says the same")
    os.chmod(models + "/locked", 0o700)
    os.chmod(models + "/secret.safetensors", 0o600)
    return models


def killed(place, models, form):
    """Killed at any moment, the next run goes on, and the rows are the same."""
    dice = random.Random(form)
    whole, out = f"{place}/whole.{form}", f"{place}/killed.{form}"
    options = ["--hash", "--max-expand", "1M", models]
    began = time.time()
    run(*options, "-o", whole)
    length = time.time() - began
    interrupted = 0
    for _ in range(KILLS):
        child = subprocess.Popen([TENON, "catalog", "-q", *options, "-o", out])
        try:
            child.wait(dice.random() * length)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            interrupted += 1
        if os.path.exists(out):
            same(rows_of(whole), rows_of(out), f"{form}: rows after a kill")
            os.remove(out)
    done = run(*options, "-o", out)
    expect(done.returncode == 0, f"{form}: {done.stderr.decode()}")
    same(rows_of(whole), rows_of(out), f"{form}: rows after {interrupted} kills")
    expect(not os.path.exists(out + ".part"), f"{form}: .part is left")
    print(f"{form}: {interrupted} of {KILLS} runs were killed")
    # An update in place is killed, too.
    for i in range(KILLS):
        changed = f"{models}/m{i:03}.safetensors" if i % 3 == 0 else None
        if changed:
            safetensors(changed, {"changed": bytes([i])})
        child = subprocess.Popen([TENON, "catalog", "-q", *options, "-o", out])
        try:
            child.wait(dice.random() * length / 4)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        rows_of(out)
    run(*options, "-o", out)
    run("--force", *options, "-o", whole)
    same(rows_of(whole), rows_of(out), f"{form}: rows of an update")


def together(place, models):
    """Two runs at once: one works, the other is told so, or comes later."""
    for form in ("sqlite", "ndjson"):
        out = f"{place}/both.{form}"
        pair = [subprocess.Popen([TENON, "catalog", "-q", models, "-o", out],
                                 stderr=subprocess.PIPE) for _ in range(2)]
        codes = sorted(child.wait() for child in pair)
        said = b"".join(child.stderr.read() for child in pair)
        expect(codes in ([0, 0], [0, 10]), f"{form}: codes {codes}: {said}")
        single = f"{place}/single.{form}"
        run(models, "-o", single)
        same(rows_of(single), rows_of(out), f"{form}: two runs at once")


def full(place, models):
    """No space: the catalog that was there is whole, and the error is told."""
    for form in ("sqlite", "ndjson", "arrow"):
        out = f"{place}/full.{form}"
        run("--force", models + "/deep", "-o", out)
        before = rows_of(out) if form != "arrow" else None

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        done = run("--force", models, "-o", out, preexec_fn=limit)
        expect(done.returncode == 7, f"{form}: full: {done.returncode} "
               f"{done.stderr.decode()}")
        if before:
            same(before, rows_of(out), f"{form}: a full disk lost rows")
        done = run("--force", models, "-o", out)
        expect(done.returncode == 0, f"{form}: after a full disk")


def damaged(place, models):
    """Catalogs of strangers: refused or read, never a crash, never a change."""
    dice = random.Random(5)
    small = models + "/deep/deeper"
    for form in ("sqlite", "ndjson"):
        good = f"{place}/good.{form}"
        run(small, "-o", good)
        with open(good, "rb") as file:
            bytes_ = file.read()
        for i in range(40 if KILLS > 4 else 12):
            bad = f"{place}/bad.{form}"
            data = bytearray(bytes_)
            if i % 2:
                data = data[:dice.randrange(len(data))]
            for _ in range(1 + i % 5):
                if data:
                    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
            with open(bad, "wb") as file:
                file.write(data)
            for suffix in ("", ".part"):
                if suffix:
                    os.replace(bad, bad + suffix)
                done = run(small, "-o", bad)
                expect(done.returncode in (0, 3, 7, 9),
                       f"{form} {i}: {done.returncode} {done.stderr}")
                if suffix:
                    expect(done.returncode == 0, f"{form} {i}: .part")
                elif done.returncode:
                    with open(bad, "rb") as file:
                        expect(form == "sqlite" or file.read() == data,
                               f"{form} {i}: it was changed")
                if not suffix:
                    with open(bad, "wb") as file:
                        file.write(data)
            for name in (bad, bad + ".part", bad + "-journal"):
                if os.path.exists(name):
                    os.remove(name)
    # A database with a trigger that would do harm.
    base = sqlite3.connect(f"{place}/good.sqlite")
    base.execute("create trigger t after update on files begin "
                 "delete from files; end")
    base.execute("create trigger u after insert on files begin "
                 "delete from tensor; end")
    base.execute("delete from tensor")
    base.commit()
    base.close()
    run("--hash", small, "-o", f"{place}/good.sqlite")
    run("--hash", small, "-o", f"{place}/fresh.sqlite")
    same(rows_of(f"{place}/fresh.sqlite"), rows_of(f"{place}/good.sqlite"),
         "triggers did not run")


def left_over(place, models):
    """What killed runs left harms no rows that nobody asked to change."""
    first, second = f"{place}/first", f"{place}/second"
    for folder in (first, second):
        os.makedirs(folder)
        for i in range(3):
            safetensors(f"{folder}/{i}.safetensors", {"t": bytes([i])})
    out = f"{place}/left.ndjson"
    run(first, second, "-o", out)
    before = rows_of(out)
    shutil.copy(out, out + ".part")
    safetensors(f"{first}/0.safetensors", {"t": b"another"})
    run(first, "-o", out)
    same([row for row in before if row["file"].startswith(second)],
         [row for row in rows_of(out) if row["file"].startswith(second)],
         "rows of a folder that was not named are lost")

    # The journal of a database that is there no longer.
    out = f"{place}/left.sqlite"
    run(models, "-o", out)
    subprocess.run([sys.executable, "-c", "import os, sqlite3, sys\n"
                    "base = sqlite3.connect(sys.argv[1])\n"
                    "base.execute('pragma cache_size = 2')\n"
                    "base.execute('update files set made_by = hex(file)')\n"
                    "base.execute('update tensor set name = hex(name)')\n"
                    "os._exit(0)", out], check=True)
    expect(os.path.getsize(out + "-journal") > 512, "there is no journal")
    os.remove(out)
    run(first, "-o", out)
    run(first, "-o", f"{place}/right.sqlite")
    same(rows_of(f"{place}/right.sqlite"), rows_of(out),
         "an old journal was played back")


class Odd(http.server.SimpleHTTPRequestHandler):
    """ETags that are not UTF-8."""

    def end_headers(self):
        self._headers_buffer.append(b'ETag: "a\xff"\r\n')
        super().end_headers()

    def log_message(self, *_):
        pass


def odd_etags(place):
    """They are text in every form, and are known again."""
    safetensors(place + "/odd.safetensors", {"t": b"1"})
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), lambda *a: Odd(*a, directory=place))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/odd.safetensors"
    for form in ("sqlite", "ndjson"):
        out = f"{place}/odd.{form}"
        run(url, "-o", out)
        expect(rows_of(out)[0].get("etag") == "a\\xff", f"{form}: ETag")
        said = run("--json", url, "-o", out).stdout
        expect(json.loads(said)["kept"] == 1, f"{form}: ETag: {said}")
    server.shutdown()


class Asked(http.server.BaseHTTPRequestHandler):
    """Another file for every query."""

    def do_GET(self):
        name = self.path.partition("?")[2] or "none"
        header = json.dumps({name[:9]: {"dtype": "U8", "shape": [0],
                                        "data_offsets": [0, 0]}}).encode()
        body = struct.pack("<Q", len(header)) + header
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"1"')
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def queries(place):
    """Where a query says which file it is, each has its row; a signature does
    not, and none is shown."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/get"
    out = place + "/asked.ndjson"
    asked = [url, f"{url}?id=1&key=hunter2", f"{url}?id=2&key=hunter2",
             f"{url}?id=2&key=hunter2#part", f"{url}/s?X-Amz-Signature=hunter2"]
    done = run(*asked, "-o", out)
    expect(done.returncode == 0, f"queries: {done.stderr.decode()}")
    rows = rows_of(out)
    names = [row["name"] for row in rows if row["row"] == "tensor"]
    expect(sorted(names) == ["X-Amz-Sig", "id=1&key=", "id=2&key=", "none"],
           f"queries: {names}")
    with open(out, encoding="utf-8") as file:
        expect("hunter2" not in file.read(), "a query is shown")
    before = rows
    run(*reversed(asked), "-o", out)
    same(before, rows_of(out), "the same queries, once more")
    done = run(url, "-o", f"{url}.sqlite?key=hunter2")
    expect(done.returncode == 5 and b"in place" in done.stderr and
           b"hunter2" not in done.stderr,
           f"a database on a server: {done.returncode} {done.stderr}")
    server.shutdown()
    server.server_close()


def main():
    place = tempfile.mkdtemp(prefix="tenon-strange-")
    try:
        models = everything(place)
        for form in ("sqlite", "ndjson"):
            killed(place, models, form)
        together(place, models)
        full(place, models)
        damaged(place, models)
        left_over(place, models)
        odd_etags(place)
        queries(place)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print("strange:", "failed" if failures else "all as it should be",
          f"({KILLS} kills of each form)")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
