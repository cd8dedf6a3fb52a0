#!/usr/bin/env python3
"""places.py TENON: files beside a URL, folders, credentials, TLS, proxies.

nginx serves the files; its log tells which requests were made, and whether
credentials went where they do not belong.
"""
import json
import os
import pickle
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import hostile
from figures import field, varint
from servers import (Server, HERE, clean_environment, node, noise, run,
                     safetensors, search_path, skip)

WEIGHTS = noise(40000, 5)


def external_onnx(path, location):
    """A model with one tensor, whose elements are in another file."""
    entries = b"".join(
        field(13, field(1, key) + field(2, value)) for key, value in (
            (b"location", location.encode()), (b"offset", b"0"),
            (b"length", str(len(WEIGHTS)).encode())))
    tensor = (b"\x08" + varint(len(WEIGHTS)) + b"\x10\x02" + field(8, b"w") +
              entries + b"\x70\x01")
    with open(path, "wb") as file:
        file.write(b"\x08\x08" + field(8, b"\x10\x11") +
                   field(7, field(2, b"g") + field(5, tensor)))


def four_ports():
    """Four in a row, or as good as that."""
    for port in range(28080, 60000, 7):
        sockets = []
        try:
            for i in range(4):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port + i))
            return port
        except OSError:
            continue
        finally:
            for s in sockets:
                s.close()
    raise SystemExit("no free ports")


class Judge:
    def __init__(self, tenon, folder, port):
        self.tenon, self.folder, self.port = tenon, folder, port
        self.plain = f"http://127.0.0.1:{port}"
        self.secure = f"https://localhost:{port + 1}"
        self.bad, self.count = [], 0

    def log(self):
        """Lines since the last call."""
        path = os.path.join(self.folder, "access.log")
        time.sleep(0.05)
        with open(path, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
        with open(path, "w", encoding="utf-8"):
            pass
        return lines

    def claim(self, holds, text):
        self.count += 1
        if not holds:
            self.bad.append(text)

    def reason(self, want, url, *options, **environment):
        done = run(self.tenon, "info", "--json", url, *options, **environment)
        try:
            model = json.loads(done.stdout)["models"][0]
            got = model["error"]["reason"] if "error" in model else "ok"
        except (ValueError, KeyError, IndexError):
            got = done.stderr.decode()[-300:]
        self.claim(got == want, f"{url} {options}: {got}, not {want}")
        return done

    def weights(self, url, *options, **environment):
        done = run(self.tenon, "get", url, "w", "--raw", "-o", "-", *options,
                   **environment)
        self.claim(done.stdout == WEIGHTS,
                   f"get {url}: {done.stderr.decode()[-300:]}")


def siblings(j, www):
    external_onnx(f"{www}/out.onnx", "data/w x.bin")
    external_onnx(f"{www}/up.onnx", "../secret.bin")
    external_onnx(f"{www}/gone.onnx", "gone.bin")
    external_onnx(f"{www}/named.onnx", f"{j.plain}/data/w%20x.bin")
    os.makedirs(f"{www}/data")
    with open(f"{www}/data/w x.bin", "wb") as file:
        file.write(WEIGHTS)
    j.weights(f"{j.plain}/out.onnx")
    j.weights(f"{j.plain}/dated/out.onnx")
    j.log()
    for name, word in (("up.onnx", b".."), ("gone.onnx", b"gone.bin")):
        done = run(j.tenon, "get", f"{j.plain}/{name}", "w", "--raw", "-o", "-")
        j.claim(done.returncode != 0 and word in done.stderr, f"{name}: {done}")
    j.claim(not any("secret" in row[1] for row in j.log()),
            "a file above the folder was asked for")
    for url in (f"{j.plain}/named.onnx", f"{www}/named.onnx"):
        done = run(j.tenon, "get", url, "w", "--raw", "-o", "-")
        j.claim(done.returncode == 11 and
                b"--allow-remote-external" in done.stderr, f"{url}: {done}")
        j.claim(not any("/data/" in row[1] for row in j.log()),
                f"{url}: a URL that a file names was asked for")
        j.weights(url, "--allow-remote-external")
        j.log()
    netrc = os.path.join(j.folder, "netrc")
    external_onnx(f"{www}/steals.onnx",
                  f"http://localhost:{j.port + 2}/auth/data/w%20x.bin")
    done = run(j.tenon, "get", f"{j.plain}/steals.onnx", "w", "--raw", "-o",
               "-", "--allow-remote-external", NETRC=netrc)
    j.claim(done.returncode != 0, "a URL in a file got credentials")
    j.claim(all(row[3] == "-" for row in j.log() if row[0] != str(j.port)),
            "a URL in a file got credentials")


def folders(j, www):
    os.makedirs(f"{www}/shards")
    for i in range(2):
        safetensors(f"{www}/shards/model-{i + 1:05}-of-00002.safetensors",
                    {f"t{i}": noise(1000, i)})
    with open(f"{www}/shards/model.safetensors.index.json", "w",
              encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": {
            f"t{i}": f"model-{i + 1:05}-of-00002.safetensors"
            for i in range(2)}}, file)
    j.reason("ok", f"{j.plain}/shards/")
    os.makedirs(f"{www}/nothing")
    j.reason("missing-file", f"{j.plain}/nothing/")
    j.reason("missing-file", f"{j.plain}/no.onnx")
    saved = os.path.join(os.environ.get("TENON_TEST_DATA") or os.path.join(
        HERE, "../../../shared/data"), "tensorflow/saved_model")
    name = "VarsAndArithmeticObjectGraph"
    if os.path.isdir(f"{saved}/{name}"):
        shutil.copytree(f"{saved}/{name}", f"{www}/{name}")
        here = run(j.tenon, "hash", f"{www}/{name}").stdout.split()
        there = run(j.tenon, "hash", f"{j.plain}/{name}/").stdout.split()
        j.claim(here[:1] == there[:1] and here, f"{name}: {here} {there}")


def tree(folder):
    """What is in it, by relative names."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(at, name), "rb") as file:
                found[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    return found


def several_files(j, www):
    """A model of several files is whole at a URL that nothing lists, too: it is
    read as in a folder, and a copy of a SavedModel has its variables, assets
    and other files."""
    shared = os.environ.get("TENON_TEST_DATA") or os.path.join(HERE, "../../../shared/data")
    for name in ("paddle/textline-ori/inference.json", "paddle/textline-ori/inference.pdiparams",
                 "samediff/synthetic/sharded/model.shard0-of-3.sdnb",
                 "samediff/synthetic/sharded/model.shard2-of-3.sdnb"):
        folder = os.path.dirname(name)
        if not os.path.isdir(f"{shared}/{folder}"):
            continue
        if not os.path.isdir(f"{www}/{folder}"):
            shutil.copytree(f"{shared}/{folder}", f"{www}/{folder}")
        here, there = (run(j.tenon, "hash", f"{at}/{name}").stdout for at in (www, j.plain))
        j.claim(here and here == there, f"{name}: {len(here)} bytes of hashes here, {len(there)} there")
    for name in ("StaticHashTableModule", "x_plus_y_v2_debuginfo"):
        source = f"{shared}/tensorflow/saved_model/{name}"
        if not os.path.isdir(source):
            continue
        shutil.copytree(source, f"{www}/whole/{name}")
        want = f"{j.folder}/{name}-here"
        run(j.tenon, "convert", f"{www}/whole/{name}", "-o", f"{want}/")
        for at in (f"{j.plain}/whole/{name}/", f"{j.plain}/index/whole/{name}/",
                   f"{j.plain}/whole/{name}/saved_model.pb"):
            out = f"{j.folder}/{name}-there"
            done = run(j.tenon, "convert", at, "-o", f"{out}/")
            j.claim(done.returncode == 0 and len(tree(want)) > 3 and tree(want) == tree(out),
                    f"a copy of {at} has {sorted(tree(out))}: {done.stderr}")
            shutil.rmtree(out, ignore_errors=True)
        done = run(j.tenon, "split", f"{j.plain}/whole/{name}/", "-o", f"{j.folder}/{name}-split/")
        j.claim(done.returncode == 5 and not os.path.exists(f"{j.folder}/{name}-split"),
                f"split of a folder that is not listed: {done}")


def listings(j, www):
    """Folders whose files have names of their own are listed by their page."""
    os.makedirs(f"{www}/other")
    safetensors(f"{www}/other/my net.safetensors", {"w": WEIGHTS})
    for way in ("index", "json"):
        j.weights(f"{j.plain}/{way}/other/")
    j.reason("missing-file", f"{j.plain}/other/")


class Runs:
    def __reduce__(self):
        return os.system, ("true",)


def scanning(j, www):
    """All files of a folder are looked into, not only a model among them."""
    os.makedirs(f"{www}/hidden/a/b c")
    safetensors(f"{www}/hidden/model.safetensors", {"w": WEIGHTS})
    with open(f"{www}/hidden/a/b c/x.pkl", "wb") as file:
        file.write(pickle.dumps(Runs()))
    for folder in (f"{www}/hidden", f"{j.plain}/index/hidden/",
                   f"{j.plain}/json/hidden/"):
        done = run(j.tenon, "scan", "--json", folder)
        told = json.loads(done.stdout)
        files = {row["file"].rsplit("/", 1)[1] for row in told["findings"]}
        j.claim(done.returncode == 1 and files == {"x.pkl"} and
                b'"files": 2' in done.stdout, f"scan {folder}: {done}")
    done = run(j.tenon, "scan", f"{j.plain}/hidden/")
    j.claim(done.returncode == 7, f"scan without a list: {done}")


def writing(j, www):
    model = f"{www}/other/my net.safetensors"
    url = f"{j.plain}/put/a%20b.safetensors"
    for options, code in (((), 0), ((), 9), (("--force",), 0)):
        done = run(j.tenon, "convert", model, "-o", url, *options)
        j.claim(done.returncode == code, f"PUT {options}: {done}")
        j.weights(f"{www}/put/a b.safetensors")
    for place, code in ((f"{j.plain}/no/x.safetensors", 7),
                        (f"{j.plain}/put/", 11),
                        (f"{j.plain}/redir/x.safetensors", 7)):
        done = run(j.tenon, "convert", model, "-o", place, "--to",
                   "safetensors")
        j.claim(done.returncode == code and not os.path.exists(
            f"{www}/no/x.safetensors"), f"PUT {place}: {done}")
    external_onnx(f"{www}/whole.onnx", "data/w x.bin")
    done = run(j.tenon, "convert", f"{www}/whole.onnx", "-o",
               f"{j.plain}/put/whole.onnx", "--external", "whole.bin")
    rows = [row[1].split()[1] for row in j.log() if row[1].startswith("PUT")]
    j.claim(done.returncode == 0 and
            rows[-2:] == ["/put/whole.bin", "/put/whole.onnx"],
            f"the file that names others is not last: {rows} {done}")


class ByQuery(BaseHTTPRequestHandler):
    """Files that the query names, each of them in its first version."""
    protocol_version = "HTTP/1.1"
    folder = ""

    def do_GET(self):
        name = self.path.split("?")[1].split("&")[0]
        with open(f"{self.folder}/{name}.safetensors", "rb") as file:
            data = file.read()
        first, last = self.headers["Range"].split("=")[1].split("-")
        begin = int(first) if first else len(data) - int(last)
        data, size = data[begin:int(last) + 1 if first else None], len(data)
        self.send_response(206)
        self.send_header("ETag", '"v1"')
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Range",
                         f"bytes {begin}-{begin + len(data) - 1}/{size}")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def two_queries(j, folder):
    """Two files at one path are not mistaken for each other."""
    ByQuery.folder = j.folder
    with ThreadingHTTPServer(("127.0.0.1", 0), ByQuery) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for i, name in enumerate(("one", "two")):
            data = noise(300000, i)
            safetensors(f"{j.folder}/{name}.safetensors", {"w": data})
            done = run(j.tenon, "get",
                       f"http://127.0.0.1:{server.server_port}/x?{name}", "w",
                       "--raw", "-o", "-", TENON_CACHE=folder)
            j.claim(done.returncode == 0 and done.stdout == data,
                    f"cache: {name}: {done.stderr}")
        server.shutdown()


def two_stores(j, folder):
    """Nor two stores that have a bucket and key of one name."""
    for i, name in enumerate(("one", "two")):
        data = noise(300000, 10 + i)
        store = f"{j.folder}/store-{name}/models"
        os.makedirs(store)
        safetensors(f"{store}/x.safetensors", {"w": data})
        with open(f"{store}/x.safetensors", "rb") as file:
            served = hostile.Server(file.read(), {"models": hostile.good})
        done = run(j.tenon, "get", "s3://models/x.safetensors", "w", "--raw",
                   "-o", "-", TENON_CACHE=folder,
                   AWS_ENDPOINT_URL=f"http://127.0.0.1:{served.port}")
        j.claim(done.returncode == 0 and done.stdout == data,
                f"cache: store {name}: {done.stderr}")
        served.close()


def cache(j, www):
    """What was fetched once is read from disk, if it is whole."""
    folder = os.path.join(j.folder, "cache")
    path = f"{www}/kept.safetensors"
    url = f"{j.plain}/kept.safetensors"
    safetensors(path, {"a": noise(3000000, 7), "w": WEIGHTS,
                       "z": noise(3000000, 8)})

    def requests(**more):
        j.log()
        j.weights(url, TENON_CACHE=folder, **more)
        return len(j.log())

    def files():
        return [os.path.join(at, name) for at, _, names in os.walk(folder)
                for name in names]

    first = requests()
    j.claim(first > 1 and requests() == 1, f"cache: {first} requests before")
    j.claim(len(files()) >= 2, "cache: nothing is kept")
    for name in files():
        with open(name, "r+b") as file:
            file.seek(100)
            file.write(b"broken")
    j.claim(requests() == first and requests() == 1,
            "cache: broken files are not fetched again")
    several = [subprocess.Popen(
        [j.tenon, "hash", url], stdout=subprocess.PIPE,
        env=dict(clean_environment(), TENON_CACHE=folder)) for _ in range(4)]
    told = {process.communicate(timeout=60)[0] for process in several}
    j.claim(len(told) == 1 and told != {b""}, f"cache: processes: {told}")
    safetensors(path, {"w": WEIGHTS[::-1]})
    done = run(j.tenon, "get", url, "w", "--raw", "-o", "-",
               TENON_CACHE=folder)
    j.claim(done.stdout == WEIGHTS[::-1], "cache: an old version was read")
    safetensors(path, {"a": noise(900000, 9), "w": WEIGHTS})
    requests(TENON_CACHE_SIZE="50000")
    j.claim(sum(os.path.getsize(n) for n in files()) <= 50000,
            f"cache: larger than it may be: {files()}")
    j.weights(url, TENON_CACHE="/proc/none")
    two_queries(j, folder)
    two_stores(j, folder)


def credentials(j):
    netrc = os.path.join(j.folder, "netrc")
    j.log()
    j.reason("access-denied", f"{j.plain}/auth/out.onnx")
    j.claim(all(row[3] == "-" for row in j.log()), "credentials from nowhere")
    j.reason("ok", f"{j.plain}/auth/out.onnx", NETRC=netrc)
    j.reason("access-denied", f"{j.plain}/auth/out.onnx", "--anonymous",
             NETRC=netrc)
    j.reason("ok", f"{j.plain}/same/out.onnx", NETRC=netrc)
    j.log()
    j.reason("access-denied", f"{j.plain}/redir/out.onnx", NETRC=netrc)
    rows = j.log()
    j.claim(any(row[0] == str(j.port + 2) for row in rows) and
            all(row[3] == "-" for row in rows if row[0] == str(j.port + 2)),
            f"credentials followed a redirect: {rows}")
    # Without encryption to another machine: nginx plays the proxy.
    away = "http://models.example/auth/out.onnx"
    j.reason("access-denied", away, NETRC=netrc, http_proxy=j.plain)
    j.claim(all(row[3] == "-" for row in j.log()), "credentials in the clear")
    j.reason("ok", away, "--credentials-over-http", NETRC=netrc,
             http_proxy=j.plain)
    done = run(j.tenon, "info", f"http://tenon:hunter2@127.0.0.1:{j.port}/x")
    j.claim(done.returncode == 11 and b"hunter2" not in done.stderr,
            f"a password in a URL: {done}")
    for proxy in ("http://tenon:hunter2@[bad", "tenon:hunter2@[bad",
                  "socks9://tenon:h'un@ter2@127.0.0.1:1",
                  "http://tenon:hunter2@127.0.0.1:1"):
        done = run(j.tenon, "info", f"{j.plain}/out.onnx", http_proxy=proxy)
        j.claim(done.returncode == 7 and b"un@" not in done.stderr and
                b"hunter" not in done.stderr, f"a proxy's password: {done}")
    done = run(j.tenon, "info", "--verbose", f"{j.plain}/no.onnx?Sig=hunter2")
    j.claim(done.returncode == 6 and b"hunter2" not in done.stderr,
            f"a signature was printed: {done}")


def encryption(j):
    authority = os.path.join(j.folder, "ca.pem")
    other = os.path.join(j.folder, "other-ca.pem")
    j.reason("ok", f"{j.secure}/out.onnx", SSL_CERT_FILE=authority)
    j.weights(f"{j.secure}/out.onnx", CURL_CA_BUNDLE=authority)
    j.reason("unreachable", f"{j.secure}/out.onnx", SSL_CERT_FILE=other)
    j.reason("unreachable", f"https://localhost:{j.port + 3}/out.onnx",
             SSL_CERT_FILE=authority)
    j.reason("bad-answer", f"{j.secure}/down/out.onnx",
             SSL_CERT_FILE=authority)


class Wrapped(hostile.Server):
    """hostile.Server over TLS; `then` is what it does with a connection."""

    def __init__(self, data, faults, certificate, key, then=None):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.then = then
        super().__init__(data, faults)

    def serve(self, connection):
        try:
            if self.then:
                self.then(connection)
                return
            with self.context.wrap_socket(connection,
                                          server_side=True) as inner:
                super().serve(inner)
        except OSError:
            pass


def cut_short(server, connection, request):
    """Ends without saying that it ends, where the end tells the length."""
    first, last = hostile.span(server, request)
    hostile.part(server, connection, request, {"Content-Length": None,
                                               "Connection": "close"},
                 server.data[first:(first + last) // 2])
    connection.shutdown(socket.SHUT_RDWR)
    return False


def bad_encryption(j):
    """Certificates of another host or of nobody, connections that end."""
    new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes".split()

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=j.folder, check=True,
                       capture_output=True)

    openssl("req", "-x509", *new, "-keyout", "self.key", "-out", "self.pem",
            "-days", "30", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost")
    for name, subject in (("else", "DNS:models.example"), ("none", "")):
        with open(f"{j.folder}/{name}.ext", "w", encoding="utf-8") as file:
            file.write(f"subjectAltName={subject}\n" if subject else
                       "basicConstraints=CA:FALSE\n")
        openssl("req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr",
                "-subj", "/CN=models.example")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey",
                "ca.key", "-CAcreateserial", "-days", "30", "-extfile",
                f"{name}.ext", "-out", f"{name}.pem")
    with open(f"{j.folder}/www/out.onnx", "rb") as file:
        data = file.read() + noise(70000, 1)
    faults = {"good": hostile.good, "cut": cut_short}
    for name, path, want, then in (
            ("srv", "good/none.onnx", "not-a-model|unknown-format|", None),
            ("srv", "cut/x.onnx", "unreachable", None),
            ("self", "good/x.onnx", "unreachable", None),
            ("else", "good/x.onnx", "unreachable", None),
            ("none", "good/x.onnx", "unreachable", None),
            ("srv", "good/x.onnx", "unreachable", lambda c: c.close()),
            ("srv", "good/x.onnx", "unreachable",
             lambda c: c.sendall(b"HTTP/1.1 200 OK\r\n\r\n")),
            ("srv", "good/x.onnx", "unreachable", lambda c: c.sendall(
                b"\x16\x03\x03\xff\xff" + b"\0" * 70000)),
            ("srv", "good/x.onnx", "unreachable", lambda c: time.sleep(8))):
        server = Wrapped(data, faults, f"{j.folder}/{name}.pem",
                         f"{j.folder}/{name}.key", then)
        before = time.monotonic()
        done = run(j.tenon, "info", "--json",
                   f"https://localhost:{server.port}/{path}",
                   SSL_CERT_FILE=f"{j.folder}/ca.pem")
        got = hostile.reason_of(done)
        j.claim(got in want.split("|"), f"TLS, {name} {path}: {got}")
        j.claim(time.monotonic() - before < 20, f"TLS, {name} {path}: long")
        j.claim(name == "srv" or not server.requests,
                f"TLS, {name}: a request was sent")
        server.close()


def limits(j, www):
    j.reason("remote-limit", f"{j.plain}/out.onnx", "--max-fetch", "100")
    j.reason("no-transport", f"{j.plain}/out.onnx", TENON_LIBCURL="/none.so")
    # Ctrl-C while a server says nothing.
    with node("faults.mjs", f"{www}/out.onnx") as server:
        out = os.path.join(j.folder, "written.onnx")
        process = subprocess.Popen(
            [j.tenon, "convert",
             f"http://127.0.0.1:{server.line[0]}/stallhead/x.onnx", "-o", out],
            stderr=subprocess.DEVNULL,
            env=dict(clean_environment(), TENON_TIMEOUT="30"))
        time.sleep(1)
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(20)
        j.claim(time.monotonic() - before < 3 and
                process.returncode == -signal.SIGINT,
                f"Ctrl-C: {process.returncode}")
        j.claim(not os.path.exists(out), "Ctrl-C left a file")


def main():
    tenon = os.path.abspath(sys.argv[1])
    path = search_path()
    for program in ("nginx", "node", "openssl"):
        if not shutil.which(program, path=path):
            skip(f"no {program}")
    with tempfile.TemporaryDirectory() as folder:
        port = four_ports()
        www = os.path.join(folder, "www")
        os.makedirs(www)
        with Server("sh", os.path.join(HERE, "nginx.sh"), folder, str(port),
                    PATH=path):
            for _ in range(100):
                if socket.socket().connect_ex(("127.0.0.1", port)) == 0:
                    break
                time.sleep(0.05)
            j = Judge(tenon, folder, port)
            with open(os.path.join(folder, "netrc"), "w",
                      encoding="utf-8") as file:
                for host in ("127.0.0.1", "localhost", "models.example"):
                    file.write(f"machine {host} login tenon password secret\n")
            siblings(j, www)
            folders(j, www)
            several_files(j, www)
            listings(j, www)
            scanning(j, www)
            writing(j, www)
            cache(j, www)
            credentials(j)
            encryption(j)
            bad_encryption(j)
            limits(j, www)
    for line in j.bad:
        print(line)
    print(f"{j.count} claims, {len(j.bad)} do not hold")
    return 1 if j.bad else 0


if __name__ == "__main__":
    sys.exit(main())
