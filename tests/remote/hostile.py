#!/usr/bin/env python3
"""hostile.py TENON: servers that write their answers byte by byte, as no
library would: interim answers without end, lines that contradict each other,
connections that are cut, versions that change, redirects to anywhere.

Each ends in the right bytes, or in an error with a reason, within a bound of
time; and in no message is a secret.
"""
import json
import os
import re
import socket
import sys
import tempfile
import threading
import time

from servers import noise, run, safetensors

SECONDS = 25  # for three attempts with a timeout of two seconds each
TAG = '"v1"'
DATE = "Wed, 18 Nov 2026 10:00:00 GMT"


class Request:
    def __init__(self, line, headers):
        self.method, self.target = line.split()[:2]
        self.fault = self.target.split("/")[1].split("?")[0]
        self.headers = headers
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", headers.get("range", ""))
        self.range = found.groups() if found else None


class Server:
    """One file, by the rules of a table; a thread for each connection."""

    def __init__(self, data, faults, family=socket.AF_INET):
        self.data, self.faults = data, faults
        self.hits, self.requests = {}, []
        self.socket = socket.socket(family)
        self.socket.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1",
                          0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        self.is_over = False
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.is_over:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            connection.settimeout(60)
            threading.Thread(target=self.serve, args=(connection,),
                             daemon=True).start()

    def serve(self, connection):
        try:
            with connection, connection.makefile("rb") as lines:
                while self.answer(connection, lines):
                    pass
        except OSError:
            pass

    def answer(self, connection, lines):
        line = lines.readline().decode("latin-1")
        headers = {}
        while True:
            text = lines.readline().decode("latin-1").strip()
            if not text:
                break
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        if len(line.split()) < 2 or "/" not in line.split()[1]:
            return False
        request = Request(line, headers)
        self.hits[request.fault] = self.hits.get(request.fault, 0) + 1
        request.hit = self.hits[request.fault]
        self.requests.append(request)
        fault = self.faults.get(request.fault)
        if not fault:
            connection.sendall(b"HTTP/1.1 404 Not Found\r\n"
                               b"Content-Length: 0\r\n\r\n")
            return True
        return fault(self, connection, request) is not False

    def reset(self):
        self.hits, self.requests = {}, []

    def close(self):
        self.is_over = True
        self.socket.close()


def span(server, request):
    size = len(server.data)
    first, last = request.range or ("0", "")
    if not first:
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last or size - 1), size - 1)


def part(server, connection, request, headers=None, body=None, status=206,
         version="HTTP/1.1"):
    """A right answer, but for what is said otherwise; None drops a header."""
    first, last = span(server, request)
    if body is None:
        body = server.data[first:last + 1]
    lines = {"ETag": TAG, "Content-Length": str(len(body)),
             "Content-Range": f"bytes {first}-{last}/{len(server.data)}"}
    lines.update(headers or {})
    head = f"{version} {status} Some Words\r\n" + "".join(
        f"{k}: {v}\r\n" for k, v in lines.items() if v is not None) + "\r\n"
    connection.sendall(head.encode("latin-1") + body)


def whole(server, connection, request, headers=None, version="HTTP/1.1"):
    part(server, connection, request,
         {"Content-Range": None, **(headers or {})}, server.data, 200, version)


def say(text):
    """Always the same bytes, and the end."""
    def fault(_server, connection, _request):
        connection.sendall(text.encode("latin-1"))
        return False
    return fault


def with_headers(**headers):
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    return lambda s, c, r: part(s, c, r, named)


def later(headers, body=None, status=206):
    """Right the first time, then otherwise."""
    def fault(s, c, r):
        if r.hit == 1:
            return part(s, c, r)
        return part(s, c, r, headers, body, status)
    return fault


def slow_headers(_server, connection, _request):
    connection.sendall(b"HTTP/1.1 206 Partial Content\r\n")
    for _ in range(200):
        connection.sendall(b"X: y\r\n")
        time.sleep(0.2)
    return False


def slow_start(server, connection, request):
    """A byte of the head at a time: slow, but fast enough."""
    if request.hit > 1:
        return part(server, connection, request)
    first, last = span(server, request)
    head = (f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nContent-Range: bytes {first}-"
            f"{last}/{len(server.data)}\r\nContent-Length: {last - first + 1}"
            "\r\n\r\n").encode()
    for i in range(len(head)):
        connection.sendall(head[i:i + 1])
        time.sleep(0.002)
    connection.sendall(server.data[first:last + 1])
    return True


def interim_for_ever(_server, connection, _request):
    for _ in range(20000):
        connection.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    return False


def interim(server, connection, request):
    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n"
                       b"HTTP/1.1 103 Early Hints\r\nETag: \"other\"\r\n"
                       b"Content-Range: bytes 5-9/10\r\n\r\n")
    part(server, connection, request)


def cut(server, connection, request):
    """The connection is kept, and closed when the next request comes."""
    if request.hit % 2 == 0:
        return False
    return part(server, connection, request)


def cut_in_head(server, connection, request):
    if request.hit == 2:
        connection.sendall(b"HTTP/1.1 206 Partial Content\r\nETag: ")
        return False
    return part(server, connection, request)


def closing(server, connection, request):
    part(server, connection, request, {"Connection": "close"})
    return False


def half(server, connection, request):
    """Each answer ends in the middle; what came is not asked for again."""
    first, last = span(server, request)
    body = server.data[first:last + 1]
    head = (f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nContent-Range: bytes {first}-"
            f"{last}/{len(server.data)}\r\nContent-Length: {len(body)}"
            "\r\n\r\n").encode()
    connection.sendall(head + body[:max(1, len(body) * 3 // 4)])
    return len(body) < 2


def two_answers(server, connection, request):
    """Behind the answer lies another one, which nobody asked for."""
    part(server, connection, request)
    first, last = span(server, request)
    part(server, connection, request, body=bytes(last - first + 1))


def junk_behind(server, connection, request):
    part(server, connection, request)
    connection.sendall(b"junk" * 1000)


def http_1_0(server, connection, request):
    part(server, connection, request, version="HTTP/1.0")
    return False


def http_1_0_without_length(server, connection, request):
    part(server, connection, request, {"Content-Length": None},
         version="HTTP/1.0")
    return False


def http_1_0_cut(server, connection, request):
    first, last = span(server, request)
    part(server, connection, request, {"Content-Length": None},
         server.data[first:(first + last) // 2], version="HTTP/1.0")
    return False


def chunks(body, size=1000):
    return b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + size]), body[i:i + size])
                    for i in range(0, len(body), size)) + b"0\r\n"


def chunked(trailer, keeps=True, extra=b"", **headers):
    def fault(server, connection, request):
        first, last = span(server, request)
        lines = {"ETag": TAG, "Transfer-Encoding": "chunked",
                 "Content-Range":
                 f"bytes {first}-{last}/{len(server.data)}"}
        lines.update({k.replace("_", "-"): v for k, v in headers.items()})
        connection.sendall(
            ("HTTP/1.1 206 P\r\n" + "".join(f"{k}: {v}\r\n" for k, v in
                                            lines.items()) + "\r\n").encode() +
            chunks(server.data[first:last + 1] + extra) + trailer)
        return keeps
    return fault


def redirect(where, status=302, **headers):
    def fault(server, connection, request):
        text = where(server, request) if callable(where) else where
        lines = "".join(f"{k.replace('_', '-')}: {v}\r\n"
                        for k, v in headers.items())
        connection.sendall(f"HTTP/1.1 {status} Found\r\nLocation: {text}\r\n"
                           f"{lines}Content-Length: 0\r\n\r\n"
                           .encode("latin-1"))
    return fault


def growing(server, request):
    return request.target + "a" * 900


def good(server, connection, request):
    size = len(server.data)
    if request.range and request.range[0] and int(request.range[0]) >= size:
        connection.sendall(b"HTTP/1.1 416 No\r\nContent-Range: bytes */%d\r\n"
                           b"Content-Length: 0\r\n\r\n" % size)
        return
    part(server, connection, request)


def only_get(server, connection, request):
    if request.method != "GET":
        connection.sendall(b"HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n")
        return
    part(server, connection, request)


def shrunk(server, connection, request):
    if request.hit == 1:
        return part(server, connection, request)
    connection.sendall(b"HTTP/1.1 416 No\r\nContent-Range: bytes */70000\r\n"
                       b"ETag: " + TAG.encode() +
                       b"\r\nContent-Length: 0\r\n\r\n")
    return True


def without_version(server, connection, request):
    part(server, connection, request, {"ETag": None})


def by_date(server, connection, request):
    part(server, connection, request, {"ETag": None, "Last-Modified": DATE})


def other_date(server, connection, request):
    part(server, connection, request,
         {"ETag": None, "Last-Modified": DATE.replace(
             "10:00:00", f"10:00:{request.hit:02}")})


def weak_and_date(server, connection, request):
    part(server, connection, request,
         {"ETag": "W/" + TAG, "Last-Modified": DATE})


def weak_later(server, connection, request):
    tag = TAG if request.hit == 1 else "W/" + TAG
    part(server, connection, request, {"ETag": tag})


def backwards(server, connection, request):
    """The last bytes first: what was asked for is not what came."""
    size = len(server.data)
    length = span(server, request)[1] - span(server, request)[0] + 1
    part(server, connection, request,
         {"Content-Range": f"bytes {size - length}-{size - 1}/{size}"},
         server.data[-length:])


def several(server, connection, request):
    first, last = span(server, request)
    body = (b"\r\n--B\r\nContent-Type: application/octet-stream\r\n"
            b"Content-Range: bytes %d-%d/%d\r\n\r\n" %
            (first, last, len(server.data)) + server.data[first:last + 1] +
            b"\r\n--B--\r\n")
    part(server, connection, request,
         {"Content-Type": "multipart/byteranges; boundary=B"}, body)


def refused(status, body=b"", **headers):
    lines = "".join(f"{k.replace('_', '-')}: {v}\r\n"
                    for k, v in headers.items())

    def fault(_server, connection, _request):
        connection.sendall(f"HTTP/1.1 {status} No\r\n{lines}Content-Length: "
                           f"{len(body)}\r\n\r\n".encode() + body)
    return fault


def refused_for_ever(_server, connection, _request):
    connection.sendall(b"HTTP/1.1 403 No\r\n\r\n")
    for _ in range(10000):
        connection.sendall(b"x" * 65536)
    return False


# What it does, and what must come of it: "ok", or the reason.
FAULTS = {
    "good": (good, "ok"),
    "loris": (slow_headers, "unreachable"),
    "slow-start": (slow_start, "ok"),
    "interim": (interim, "ok"),
    "interim-for-ever": (interim_for_ever, "remote-limit"),
    "cut": (cut, "ok"),
    "cut-in-head": (cut_in_head, "ok"),
    "closing": (closing, "ok"),
    "half": (half, "unreachable"),
    "two-answers": (two_answers, "ok|bad-answer"),
    "junk-behind": (junk_behind, "ok|bad-answer"),
    "only-get": (only_get, "ok"),
    "http-1.0": (http_1_0, "ok"),
    "http-1.0-without-length": (http_1_0_without_length, "ok"),
    "http-1.0-cut": (http_1_0_cut, "unreachable"),
    "chunked": (chunked(b"\r\n"), "ok"),
    "trailers": (chunked(b'ETag: "x"\r\nContent-Range: bytes 1-2/3\r\n'
                         b"Content-Encoding: gzip\r\n\r\n"), "ok"),
    "chunked-long": (chunked(b"\r\n", extra=b"x"), "bad-answer"),
    "chunked-without-end": (chunked(b"", keeps=False), "ok"),
    "chunked-and-length": (chunked(b"\r\n", Content_Length="5"),
                           "bad-answer"),
    "coded-transfer": (chunked(b"\r\n", Transfer_Encoding="gzip, chunked"),
                       "bad-answer"),
    "whole": (whole, "no-ranges"),
    "no-ranges-but-part": (with_headers(Accept_Ranges="none"), "ok"),
    "no-version": (without_version, "no-ranges"),
    "date": (by_date, "ok"),
    "other-date": (other_date, "remote-changed"),
    "weak-and-date": (weak_and_date, "ok"),
    "weak-later": (weak_later, "remote-changed"),
    "tag-gone": (later({"ETag": None}), "remote-changed"),
    "tag-changed": (later({"ETag": '"v2"'}), "remote-changed"),
    "tag-changed-412": (later({"Content-Range": None}, b"", 412),
                        "remote-changed"),
    "grown": (later({"Content-Range": "bytes 65536-65536/9000000"}, b"x"),
              "remote-changed|bad-answer"),
    "shrunk": (shrunk, "remote-changed|bad-answer"),
    "not-modified": (later({"Content-Range": None}, b"", 304), "bad-answer"),
    "no-content": (later({"Content-Range": None}, b"", 204),
                   "bad-answer|no-ranges"),
    "whole-later": (later({"Content-Range": None}, b"x" * 100, 200),
                    "no-ranges"),
    "html-later": (later({"Content-Range": None, "ETag": None},
                         b"<html>log in</html>", 200),
                   "remote-changed|no-ranges"),
    "backwards": (backwards, "bad-answer"),
    "several": (several, "bad-answer"),
    "tag-twice": (say("HTTP/1.1 206 P\r\nETag: \"a\"\r\nETag: \"b\"\r\n"
                      "Content-Range: bytes 0-0/9\r\nContent-Length: 1\r\n\r\n"
                      "x"), "bad-answer"),
    "range-twice": (say("HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes "
                        "0-0/9\r\nContent-Range: bytes 0-0/8\r\n"
                        "Content-Length: 1\r\n\r\nx"), "bad-answer"),
    "length-twice": (say("HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range: bytes"
                         " 0-1/9\r\nContent-Length: 2\r\nContent-Length: 1"
                         "\r\n\r\nxy"), "bad-answer"),
    "length-negative": (with_headers(Content_Length="-5"),
                        "bad-answer|unreachable"),
    "length-huge": (with_headers(Content_Length="18446744073709551616"),
                    "bad-answer|unreachable"),
    "range-overflow": (with_headers(
        Content_Range="bytes 0-18446744073709551615/18446744073709551616"),
        "bad-answer"),
    "range-reversed": (with_headers(Content_Range="bytes 65535-0/1000"),
                       "bad-answer"),
    "range-beyond": (with_headers(Content_Range="bytes 0-65535/100"),
                     "bad-answer"),
    "range-of-words": (with_headers(Content_Range="words 0-65535/1000000"),
                       "bad-answer"),
    "tag-long": (with_headers(ETag='"' + "a" * 5000 + '"'), "bad-answer"),
    "tag-zero": (with_headers(ETag='"a\0b"'), "bad-answer|unreachable"),
    "folded": (say("HTTP/1.1 206 P\r\nETag: \"a\"\r\nContent-Range:\r\n  bytes "
                   "0-0/9\r\nContent-Length: 1\r\n\r\nx"),
               "bad-answer|unreachable"),
    "line-long": (with_headers(X="a" * 90000), "remote-limit"),
    "no-status": (say("hello\r\n\r\n"), "bad-answer|unreachable"),
    "status-99": (say("HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n"),
                  "bad-answer|unreachable"),
    "status-999": (say("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"),
                   "bad-answer"),
    "upgrade": (say("HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n"
                    "Connection: upgrade\r\n\r\n\0\0\0"),
                "bad-answer|unreachable"),
    "asks-for-login": (refused(401, WWW_Authenticate='Basic realm="x"'),
                       "access-denied"),
    "asks-for-payment": (refused(402), "bad-answer"),
    "teapot": (refused(418, b"short and stout"), "bad-answer"),
    "legal": (refused(451), "bad-answer"),
    "refused-for-ever": (refused_for_ever, "access-denied"),
    "empty-range": (refused(416, Content_Range="bytes */5"), "bad-answer"),
    "redirect-nowhere": (redirect(""), "bad-answer"),
    "redirect-loop": (redirect(lambda s, r: r.target), "remote-limit"),
    "redirect-growing": (redirect(growing), "remote-limit|bad-answer"),
    "redirect-long": (redirect("/" + "a" * 9000), "bad-answer"),
    "redirect-login": (redirect("http://user:hush@127.0.0.1/x"), "bad-answer"),
    "redirect-gopher": (redirect("gopher://127.0.0.1:70/x"), "bad-answer"),
    "redirect-backslash": (redirect("http:\\\\127.0.0.1\\x"), "bad-answer"),
    "redirect-relative": (redirect("../good/x"), "ok"),
    "redirect-host": (redirect(lambda s, r: f"//127.0.0.1:{s.port}/good/x"),
                      "ok"),
    "redirect-query": (redirect(lambda s, r: "/good/x?sig=hush"), "ok"),
    "redirect-fragment": (redirect(lambda s, r: "/good/x#hush"), "ok"),
    "redirect-308": (redirect("/good/x", 308), "ok"),
    "redirect-300": (redirect("/good/x", 300), "bad-answer"),
}


def reason_of(done):
    try:
        model = json.loads(done.stdout)["models"][0]
        return model["error"]["reason"] if "error" in model else "ok"
    except (ValueError, KeyError, IndexError):
        return (done.stdout + done.stderr).decode()[-300:]


def check(tenon, server, name, want, weights, bad):
    url = f"http://127.0.0.1:{server.port}/{name}/model.safetensors?k=hush"
    server.reset()
    before = time.monotonic()
    got = run(tenon, "get", url, "w", "--raw", "--verbose", "-o", "-")
    seconds = time.monotonic() - before
    server.reset()
    told = run(tenon, "info", "--json", url)
    reason = reason_of(told)
    if got.returncode == 0 and got.stdout != weights:
        bad.append(f"{name}: it gave {len(got.stdout)} other bytes")
    if want == "ok" and got.returncode:
        bad.append(f"{name}: {len(got.stdout)} bytes, "
                   f"{got.stderr.decode()[-300:]}")
    if "ok" not in want and (got.returncode == 0 or got.stdout):
        bad.append(f"{name}: it gave {len(got.stdout)} bytes")
    if got.returncode not in range(10):
        bad.append(f"{name}: ended with {got.returncode}")
    if reason not in want.split("|"):
        bad.append(f"{name}: {reason}, not {want}: {got.stderr.decode()[-200:]}")
    if seconds > SECONDS:
        bad.append(f"{name}: took {seconds:.1f} s")
    if b"hush" in got.stderr + told.stderr + told.stdout:
        bad.append(f"{name}: a secret is shown: {got.stderr.decode()[-300:]}")


class Always(dict):
    """One behaviour for all paths."""

    def __init__(self, fault):
        super().__init__()
        self.fault = fault

    def get(self, _key, _default=None):
        return self.fault


def check_links(tenon, data, weights, bad):
    """A hub whose redirects lead to servers of others, in one step or two,
    with links that work once; the identity is told on one of the steps."""
    way = {}

    def far(server, connection, request):
        if "once" in way["mode"]:
            if request.target in way["used"]:
                return refused(403)(server, connection, request)
            way["used"].add(request.target)
        if request.target.startswith("/step"):
            where = f"http://localhost:{server.port}/file?n={len(way['used'])}"
            return redirect(where)(server, connection, request)
        way["count"] += 1
        tag = f'"far-{way["count"] if "moving" in way["mode"] else 1}"'
        return part(server, connection, request, {"ETag": tag})

    def hub(server, connection, request):
        if request.target.startswith("/old/"):
            where = request.target.replace("/old/", "/new/", 1)
            return redirect(where, 307)(server, connection, request)
        way["hub"] += 1
        step = "step" if "step" in way["mode"] else "file"
        told = {"X_Repo_Commit": "a" * 40, "X_Linked_ETag": '"one"'}
        if "other" in way["mode"] and way["hub"] > 1:
            told["X_Linked_ETag"] = '"two"'
        if "silent" in way["mode"] and way["hub"] > 1:
            del told["X_Linked_ETag"]
        where = f"http://localhost:{store.port}/{step}?sig=hush{way['hub']}"
        return redirect(where, **told)(server, connection, request)

    store, front = Server(data, Always(far)), Server(data, Always(hub))
    for mode, owner, is_right in (
            ("", "new", True), ("once", "new", True), ("", "old", True),
            ("once", "old", True), ("step", "new", True),
            ("step once", "new", True), ("once silent", "new", True),
            ("once other", "new", False), ("once moving", "new", False)):
        way.update(mode=mode, used=set(), count=0, hub=0)
        store.reset()
        got = run(tenon, "get", f"hf://{owner}/it/x.safetensors", "w", "--raw",
                  "--verbose", "-o", "-", HF_TOKEN="hf_hush",
                  HF_ENDPOINT=f"http://127.0.0.1:{front.port}")
        if is_right != (got.returncode == 0) or (
                got.stdout != (weights if is_right else b"")):
            bad.append(f"links {mode}, {owner}: {len(got.stdout)} bytes, "
                       f"{got.stderr.decode()[-300:]}")
        if b"hush" in got.stderr or any("authorization" in r.headers
                                        for r in store.requests):
            bad.append(f"links {mode}, {owner}: a secret is told")
    store.close()
    front.close()


def main():
    tenon = os.path.abspath(sys.argv[1])
    only = sys.argv[2:] or FAULTS
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        weights = noise(300001, 2)
        # A header that the first answer does not hold.
        safetensors(path, {"a": noise(300000, 1), "w": weights}, 100000)
        with open(path, "rb") as file:
            data = file.read()
    server = Server(data, {name: fault for name, (fault, _) in FAULTS.items()})
    for name in only:
        check(tenon, server, name, FAULTS[name][1], weights, bad)
    server.close()
    check_links(tenon, data, weights, bad)
    for line in bad:
        print(line)
    print(f"{len(FAULTS)} faults, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
