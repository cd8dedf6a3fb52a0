#!/usr/bin/env python3
"""stores.py TENON: s3:// at a store that verifies signatures, hf:// at a hub.

The store needs s3rver, @smithy/signature-v4 and @aws-crypto/sha256-js in the
node_modules of $ENGINES; without them only the hub and a web server are tried.
"""
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from servers import (clean_environment, fetch, fetch_json, free_ports, node,
                     noise, run, safetensors, skip)

TENSORS = {"b": noise(3000000, 1)}


def check(tenon, bad, url, is_good, **environment):
    done = run(tenon, "get", url, "b", "--raw", "-o", "-", **environment)
    holds = (done.stdout == TENSORS["b"] and done.returncode == 0
             if is_good else done.returncode == 7 and not done.stdout)
    secrets = [value for name, value in environment.items()
               if "SECRET" in name or "TOKEN" in name]
    if not holds or any(s.encode() in done.stderr for s in secrets):
        bad.append(f"{url}: {done.returncode} {done.stderr.decode()[-300:]}")


def hub_folders(tenon, bad, folder):
    """Folders are listed, page by page; links that expire are found again."""
    at = os.path.join(folder, "acme", "shards")
    os.makedirs(at)
    index = {}
    for i in range(3):
        safetensors(f"{at}/model-0000{i + 1}-of-00003.safetensors",
                    {f"t{i}": noise(1500000, i)})
        index[f"t{i}"] = f"model-0000{i + 1}-of-00003.safetensors"
    with open(f"{at}/model.safetensors.index.json", "w",
              encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": index}, file)
    want = run(tenon, "hash", f"{at}/model.safetensors.index.json").stdout
    with node("hub.mjs", folder, ONCE="1", PAGE="2") as server:
        for url in ("hf://acme/shards/", "hf://acme/shards@v1/",
                    "hf://acme/shards", "hf://acme/shards@v1",
                    "hf://acme/shards/model.safetensors.index.json"):
            done = run(tenon, "hash", url,
                       HF_ENDPOINT=f"http://127.0.0.1:{server.line[1]}")
            if done.stdout != want or not want:
                bad.append(f"{url}: {done.stderr.decode()[-300:]}")
        rows = fetch_json(f"http://127.0.0.1:{server.line[1]}/__log")
        if len([r for r in rows if "/revision/" in r["url"]]) != 4:
            bad.append("the revision is not resolved once for each folder")
        if not any("cursor=" in r["url"] for r in rows):
            bad.append("only the first page was asked for")
        if not any(r["at"] == "hub" and "/resolve/" + "a" * 40 in r["url"]
                   for r in rows):
            bad.append("files are not of the commit")
    shutil.rmtree(at)


def hub(tenon, bad, folder):
    for owner in ("acme", "gated"):
        os.makedirs(f"{folder}/{owner}/m")
        safetensors(f"{folder}/{owner}/m/x.safetensors", TENSORS)
    hub_folders(tenon, bad, folder)
    with node("hub.mjs", folder) as server:
        at = f"http://127.0.0.1:{server.line[1]}"
        check(tenon, bad, "hf://acme/m/x.safetensors", True, HF_ENDPOINT=at)
        check(tenon, bad, "hf://acme/m@v1/x.safetensors", True, HF_ENDPOINT=at,
              HF_TOKEN="hf_tenon")
        check(tenon, bad, "hf://gated/m/x.safetensors", False, HF_ENDPOINT=at)
        check(tenon, bad, "hf://gated/m/x.safetensors", False, HF_ENDPOINT=at,
              HF_TOKEN="hf_other")
        check(tenon, bad, "hf://gated/m/x.safetensors", True, HF_ENDPOINT=at,
              HF_TOKEN="hf_tenon")
        if any(row["at"] == "cdn" and row.get("auth")
               for row in fetch_json(f"{at}/__log")):
            bad.append("the token went to another host")


class Taker(BaseHTTPRequestHandler):
    """A web server that takes files, but for the first shard, and that late.

    It tells a checksum that nobody asked for, and wrong sizes of "grown"."""
    protocol_version = "HTTP/1.1"
    files = {}

    def answer(self, status, size=0):
        self.send_response(status)
        self.send_header("x-amz-checksum-crc32c", "AAAAAA==")
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def do_HEAD(self):
        found = self.files.get(self.path)
        self.answer(404 if found is None else 200,
                    len(found or b"") + ("grown" in self.path))

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if "00001-of" in self.path:
            time.sleep(0.5)
            self.answer(403)
            return
        self.files[self.path] = body
        self.answer(201)

    def do_DELETE(self):
        self.files.pop(self.path, None)
        self.answer(204)

    def log_message(self, *_):
        pass


def refused(tenon, bad, folder):
    """Files that were taken meanwhile go when another one is refused."""
    source = f"{folder}/refused.safetensors"
    safetensors(source, {f"t{i}": noise(3000, i) for i in range(4)})
    with ThreadingHTTPServer(("127.0.0.1", 0), Taker) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        done = run(tenon, "convert", source, "--shard-size", "4000", "-o",
                   f"{at}/m/model.safetensors.index.json")
        if done.returncode != 7 or Taker.files:
            bad.append(f"refused: {done}, left: {list(Taker.files)}")
        for name, code, *options in (
                ("grown", 7, "--to", "safetensors"), ("unnamed", 6),
                ("good", 0, "--to", "safetensors"),
                ("json", 0, "--to", "safetensors", "--json")):
            done = run(tenon, "convert", source, *options, "-o",
                       f"{at}/{name}.safetensors?sig=hunter2")
            if (done.returncode != code or
                    b"hunter2" in done.stderr + done.stdout):
                bad.append(f"a URL with a query: {done}")
        server.shutdown()


class Silent(BaseHTTPRequestHandler):
    """A web server that takes a file and hangs up instead of answering: the
    first time ("once"), or always.  It takes none ("none"), nor answers any
    question ("mute"), or has another file then ("other")."""
    protocol_version = "HTTP/1.1"
    files, puts = {}, 0

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True

    def do_GET(self):
        found = self.files.get(self.path)
        if "mute" in self.path and Silent.puts:
            self.hang_up()
        elif found is None:
            self.answer(404)
        elif "Range" not in self.headers:
            self.answer(200, found, ETag='"1"')
        else:
            first, last = self.headers["Range"][len("bytes="):].split("-")
            last = min(int(last), len(found) - 1)
            self.answer(206, found[int(first):last + 1], ETag='"1"',
                        Content_Range=f"bytes {first}-{last}/{len(found)}")

    do_HEAD = do_GET

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Silent.puts += 1
        if self.headers["If-None-Match"] == "*" and self.path in self.files:
            if "always" not in self.path:
                self.answer(412)
                return
        elif "none" not in self.path:
            self.files[self.path] = body[:-1] if "other" in self.path else body
        self.hang_up()

    def do_DELETE(self):
        self.files.pop(self.path, None)
        self.answer(204)

    def log_message(self, *_):
        pass


def unanswered(tenon, bad, folder):
    """Whether a file was written is found out when no answer says so."""
    source = f"{folder}/unanswered.safetensors"
    safetensors(source, {"b": noise(9000000, 6)})
    run(tenon, "convert", source, "-o", f"{folder}/written.safetensors")
    with open(f"{folder}/written.safetensors", "rb") as file:
        data = file.read()
    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}"
        for name, code, left, *options in (
                ("once", 0, data), ("always", 0, data),
                ("always", 0, data, "--force"), ("none", 7, None),
                ("mute-always", 7, data), ("other", 9, data[:-1])):
            Silent.puts = 0
            done = run(tenon, "convert", source, *options, "--to",
                       "safetensors", "-o", f"{at}/{name}")
            doubt = b"may have been written" in done.stderr
            if (done.returncode != code or
                    Silent.files.get(f"/{name}") != left or
                    doubt != name.startswith("mute") or Silent.puts < 2):
                bad.append(f"no answer, {name} {options}: {done}, "
                           f"{Silent.puts} requests")
        server.shutdown()


class Store:
    """Writing to the store, and what it logged."""

    def __init__(self, tenon, bad, at, folder):
        self.tenon, self.bad, self.at, self.folder = tenon, bad, at, folder
        self.keys = {"AWS_ENDPOINT_URL": at, "TMPDIR": folder,
                     "AWS_ACCESS_KEY_ID": "AKIDTENON",
                     "AWS_SECRET_ACCESS_KEY": "SECRETTENON"}

    def claim(self, holds, text):
        if not holds:
            self.bad.append(text)

    def run(self, *arguments, **more):
        fetch(f"{self.at}/__log", "DELETE")
        return run(self.tenon, *arguments, **dict(self.keys, **more))

    def log(self):
        return fetch_json(f"{self.at}/__log")

    def write(self, code, source, url, *options, fault="", named=None):
        """Copies a model there; nothing is left under way, or here."""
        fetch(f"{self.at}/__fault?{fault}", "POST")
        done = self.run("convert", source, "-o", url, *options)
        rows = self.log()
        fetch(f"{self.at}/__fault", "POST")
        text = f"{url} {fault} {options}: {done.returncode} {done.stderr}"
        self.claim(done.returncode == code, text)
        self.claim(fetch(f"{self.at}/__uploads") == "[]", f"{text}: uploads")
        self.claim(not [n for n in os.listdir(self.folder)
                        if n.startswith("tenon-")], f"{text}: files are left")
        if named is not None:
            found = self.run("info", "--json", url).returncode == 0
            self.claim(found == named, f"{text}: there is {found}")
        return rows

    def same(self, source, url):
        here = self.run("hash", source).stdout
        there = self.run("hash", url).stdout
        self.claim(here and here == there, f"{url} has other tensors")


def writing(tenon, bad, at, folder):
    s = Store(tenon, bad, at, folder)
    small, large = f"{folder}/small.safetensors", f"{folder}/large.safetensors"
    safetensors(small, {"b": noise(30000, 3)})
    safetensors(large, {"b": noise(9000000, 4), "c": noise(11000000, 5)})
    to = "s3://models/new/ä b+%41.safetensors"
    rows = s.write(0, small, to)
    s.same(small, to)
    puts = [r for r in rows if r["method"] == "PUT"]
    s.claim(len(puts) == 1 and puts[0]["none"] == "*" and puts[0]["sum"], rows)
    s.claim(not any(r["method"] == "PUT" for r in s.write(9, large, to)),
            "a file that exists was written to")
    s.same(small, to)
    rows = s.write(0, large, to, "--force")
    s.same(large, to)
    s.claim(not any(r.get("none") for r in rows) and
            len({r["url"] for r in rows if r["method"] == "PUT" and r["sum"]})
            == 3,
            f"--force: {rows}")
    for source, kind in ((small, "put"), (large, "parts")):
        for fault, code in (("busy=2", 0), ("lost=1", 0), ("lost=9", 0), ("badsum=1", 7),
                            ("late=2", 0), ("late=9", 7), ("deny=1", 7),
                            ("nocopy=9", 7), ("region=9", 0)):
            name = f"s3://models/{kind}/{fault}.safetensors"
            if fault in (("late=9", "deny=1") if kind == "put" else
                         ("lost=9",)): # of parts alone, of one request alone
                continue
            s.write(code, source, name, fault=fault, named=code == 0)
    s.write(6, small, "s3://no-such-bucket/x.safetensors")
    s.write(5, small, "hf://acme/m/x.safetensors")
    s.write(11, small, "s3://models/folder/", "--to", "safetensors")
    denied = s.run("convert", small, "-o", "s3://models/denied.safetensors",
                   AWS_SECRET_ACCESS_KEY="wrong")
    s.claim(denied.returncode == 7 and b"wrong" not in denied.stderr, denied)
    several(s, small)
    interrupted(s, large)


def several(s, source):
    """Shards come before the index that names them; none after a failure."""
    tensors = {f"t{i}": noise(3000, i) for i in range(4)}
    safetensors(source, tensors)
    split = ("--shard-size", "4000")
    to = "s3://models/shards/model.safetensors.index.json"
    rows = s.write(0, source, to, *split)
    names = [r["url"] for r in rows if r["method"] == "PUT"]
    s.claim(len(names) > 2 and names[-1].endswith("index.json"), names)
    s.same(source, to)
    s.same(source, "s3://models/shards/")
    s.write(9, source, to, *split)
    # One of the shards is there, of something else: it stays, alone.
    s.write(0, source, "s3://models/half/model-00002-of-00004.safetensors")
    s.write(9, source, "s3://models/half/model.safetensors.index.json", *split)
    listed = s.run("info", "s3://models/half/")
    s.claim(b"00002" in listed.stdout and b"00001" not in listed.stdout and
            listed.returncode == 0, f"half: {listed}")


def interrupted(s, source):
    """Ctrl-C while a part is not answered: the upload is aborted."""
    fetch(f"{s.at}/__fault?stall=9", "POST")
    fetch(f"{s.at}/__log", "DELETE")
    process = subprocess.Popen(
        [s.tenon, "convert", source, "-o", "s3://models/int.safetensors"],
        stderr=subprocess.DEVNULL,
        env=dict(clean_environment(**s.keys), TENON_TIMEOUT="30"))
    for _ in range(200):
        if any(r["method"] == "PUT" for r in s.log()):
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.wait(20)
    s.claim(process.returncode == -signal.SIGINT, process.returncode)
    # The command waits for answers no longer than a second or two; a store that
    # is busy meanwhile has the request all the same.
    for _ in range(100):
        left = fetch(f"{s.at}/__uploads")
        if left == "[]":
            break
        time.sleep(0.1)
    s.claim(left == "[]", f"Ctrl-C left an upload: {left}")
    s.claim(not [n for n in os.listdir(s.folder) if n.startswith("tenon-")],
            "Ctrl-C left files")
    fetch(f"{s.at}/__fault", "POST")


def store(tenon, bad, folder, path):
    ports = [str(port) for port in free_ports(2)]
    with node("s3_store.cjs", folder, *ports, MAXKEYS="2"):
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        at = f"http://127.0.0.1:{ports[1]}"
        subprocess.run(
            ["curl", "-s", "--noproxy", "*", "--aws-sigv4",
             "aws:amz:us-east-1:s3", "--user", "AKIDTENON:SECRETTENON", "-H",
             f"x-amz-content-sha256: {digest}", "-T", path,
             f"{at}/models/d/x.safetensors"], check=True, timeout=60)
        url = "s3://models/d/x.safetensors"
        keys = {"AWS_ENDPOINT_URL": at, "AWS_ACCESS_KEY_ID": "AKIDTENON"}
        check(tenon, bad, url, True, AWS_SECRET_ACCESS_KEY="SECRETTENON",
              **keys)
        check(tenon, bad, url, False, AWS_SECRET_ACCESS_KEY="wrong", **keys)
        check(tenon, bad, url, False, AWS_ENDPOINT_URL=at)
        profile = os.path.join(folder, "credentials")
        with open(profile, "w", encoding="utf-8") as file:
            file.write("[default]\naws_access_key_id = no\n[p]\n"
                       "aws_access_key_id = AKIDTENON\n"
                       "aws_secret_access_key = SECRETTENON\n")
        check(tenon, bad, url, True, AWS_ENDPOINT_URL_S3=at, AWS_PROFILE="p",
              AWS_SHARED_CREDENTIALS_FILE=profile)
        work = os.path.join(folder, "work")
        os.makedirs(work)
        writing(tenon, bad, at, work)


def main():
    tenon, bad = os.path.abspath(sys.argv[1]), []
    if not shutil.which("node"):
        skip("no node")
    engines = os.environ.get("TN_ENGINES", "")
    with tempfile.TemporaryDirectory() as folder:
        hub(tenon, bad, folder)
        refused(tenon, bad, folder)
        unanswered(tenon, bad, folder)
        if os.path.isdir(f"{engines}/node_modules/s3rver"):
            store(tenon, bad, f"{folder}/s3",
                  f"{folder}/acme/m/x.safetensors")
    for line in bad:
        print(line)
    print(f"{len(bad)} claims do not hold")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
