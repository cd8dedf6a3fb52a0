#!/usr/bin/env python3
"""takers.py TENON: stores and web servers that take files, and lie about it.

Each fault is tried with a file of one request and with one of several parts.
When the command says that a file was written, the server has it, whole; when it
says that it was not, nothing can be seen there, no upload is left open unless
the server refuses to end it, and what was there before is as it was.  No other
host gets credentials.
"""
import hashlib
import os
import re
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from servers import noise, run, safetensors

SECONDS = 30


def md5(data):
    return '"' + hashlib.md5(data).hexdigest() + '"'


def error(code):
    return f"<Error><Code>{code}</Code></Error>".encode()


class Taker(BaseHTTPRequestHandler):
    """A store: objects, and uploads that are under way.  server.fault(step,
    count, request) may answer instead, and returns whether it did."""
    protocol_version = "HTTP/1.1"

    def say(self, status, body=b"", head=(), length=True):
        self.send_response(status)
        for name, value in dict(head).items():
            self.send_header(name, value)
        if length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def hang_up(self, text=b""):
        if text:
            self.wfile.write(text)
            self.wfile.flush()
        self.close_connection = True

    def step(self):
        query = self.query
        if self.command == "POST":
            return "begin" if "uploads" in query else "complete"
        if self.command == "PUT":
            return "part" if "partNumber" in query else "put"
        if self.command == "DELETE":
            return "abort" if "uploadId" in query else "remove"
        if self.command == "HEAD":
            at = urlsplit(self.path).path
            return "bucket" if at.count("/") < 2 or at.endswith("/") else "head"
        return "get"

    def work(self):
        s = self.server
        url = urlsplit(self.path)
        self.query = parse_qs(url.query, keep_blank_values=True)
        self.key = unquote(url.path)
        self.body = b""
        step = self.step()
        self.number = s.counts[step] = s.counts.get(step, 0) + 1
        s.requests.append((step, self.path, dict(self.headers)))
        self.body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if not s.fault(step, self.number, self):
            getattr(self, step)()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = work

    def there(self):
        return self.server.objects.get(self.key)

    def denied(self):
        return self.headers["If-None-Match"] == "*" and self.there() is not None

    def bucket(self):
        self.say(200)

    def head(self):
        found = self.there()
        if found is None:
            self.say(404)
            return
        meta = self.server.meta.get(self.key)
        self.say(200, found, {"ETag": md5(found), **(
            {"x-amz-meta-tenon-upload": meta} if meta else {})})

    def get(self):
        found = self.there()
        if "list-type" in self.query:
            keys = [k.split("/", 2)[2] for k in self.server.objects]
            prefix = self.query.get("prefix", [""])[0]
            inner = "".join(f"<Contents><Key>{k}</Key></Contents>"
                            for k in sorted(keys) if k.startswith(prefix))
            self.say(200, f"<ListBucketResult>{inner}</ListBucketResult>"
                     .encode())
            return
        if found is None:
            self.say(404, error("NoSuchKey"))
            return
        first, last = self.headers["Range"][6:].split("-")
        first = int(first) if first else len(found) - int(last)
        last = min(int(last or len(found)), len(found) - 1)
        self.say(206, found[first:last + 1], {
            "ETag": md5(found),
            "Content-Range": f"bytes {first}-{last}/{len(found)}"})

    def keep(self, data, meta):
        self.server.objects[self.key] = data
        self.server.meta[self.key] = meta

    def put(self):
        if self.denied():
            self.say(412, error("PreconditionFailed"))
            return
        self.keep(self.body, self.headers["x-amz-meta-tenon-upload"])
        self.say(200, b"", {"ETag": md5(self.body), **self.sum()})

    def sum(self):
        told = self.headers["x-amz-checksum-crc32c"]
        return {"x-amz-checksum-crc32c": told} if told else {}

    def begin(self):
        name = f"u{len(self.server.begun)}"
        self.server.begun.append(name)
        self.server.uploads[name] = {}
        self.server.uploads[name]["meta"] = \
            self.headers["x-amz-meta-tenon-upload"]
        self.say(200, "<InitiateMultipartUploadResult><UploadId>"
                 f"{name}</UploadId></InitiateMultipartUploadResult>".encode())

    def upload(self):
        return self.server.uploads.get(self.query["uploadId"][0])

    def part(self):
        if self.upload() is None:
            self.say(404, error("NoSuchUpload"))
            return
        number = int(self.query["partNumber"][0])
        self.upload()[number] = self.body
        self.say(200, b"", {"ETag": md5(self.body), **self.sum()})

    def complete_here(self):
        """Whether the parts that are named are those that are there."""
        upload = self.upload()
        named = re.findall(rb"<PartNumber>(\d+)</PartNumber><ETag>([^<]*)<",
                           self.body)
        data = []
        for number, tag in named:
            got = upload.get(int(number))
            if got is None or md5(got).encode() != tag:
                return False
            data.append(got)
        if not data or len(data) != len(upload) - 1:
            return False
        self.keep(b"".join(data), upload["meta"])
        del self.server.uploads[self.query["uploadId"][0]]
        return True

    def complete(self):
        if self.upload() is None:
            self.say(404, error("NoSuchUpload"))
        elif self.denied():
            self.say(412, error("PreconditionFailed"))
        elif not self.complete_here():
            self.say(400, error("InvalidPart"))
        else:
            self.say(200, b"<CompleteMultipartUploadResult><ETag>&quot;x-2"
                     b"&quot;</ETag></CompleteMultipartUploadResult>")

    def abort(self):
        self.server.uploads.pop(self.query["uploadId"][0], None)
        self.say(204)

    def remove(self):
        self.server.objects.pop(self.key, None)
        self.say(204)

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Store:
    def __init__(self, fault):
        s = self.server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
        s.daemon_threads, s.fault = True, fault
        s.objects, s.meta, s.uploads, s.begun = {}, {}, {}, []
        s.requests, s.counts = [], {}
        threading.Thread(target=s.serve_forever, args=(0.02,),
                         daemon=True).start()
        self.port = s.server_port

    def __enter__(self):
        return self.server

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


# ---- faults --------------------------------------------------------------------


def at(step, answer, times=99, after=0):
    """Another answer to a step, so many times, after some right ones."""
    def fault(got, count, request):
        if got != step or not after < count <= after + times:
            return False
        answer(request)
        return True
    return fault


def status(number, code="", **head):
    named = {k.replace("_", "-"): v for k, v in head.items()}
    return lambda r: r.say(number, error(code) if code else b"", named)


def text(body, number=200, **head):
    return lambda r: r.say(number, body.encode("latin-1"), head)


def does(step, then):
    """The store does its work, and then says something else."""
    def answer(request):
        kept, request.say = request.say, lambda *_a, **_k: None
        getattr(request, step)()
        request.say = kept
        then(request)
    return answer


def silent(request):
    time.sleep(8)
    request.hang_up()


def drip(request):
    """A space now and then, which keeps the connection alive, and the truth
    at the end."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                        b"\r\n")
    for _ in range(3):
        request.wfile.write(b"1\r\n \r\n")
        request.wfile.flush()
        time.sleep(0.3)
    good = request.complete_here()
    body = (b"<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"
            if good else error("InternalError"))
    request.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


def short_put(request):
    request.keep(request.body[:-7], request.headers["x-amz-meta-tenon-upload"])
    request.say(200, b"", {"ETag": md5(request.body), **request.sum()})


def forget(request):
    """A page says yes to everything, and nothing happens."""
    request.say(200, b"<html>welcome</html>")


def early(request):
    request.say(413, b"", {"Connection": "close"})
    request.close_connection = True


HANG = lambda r: r.hang_up()
HTML = text("<html>log in</html>")
BOMB = text('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
DONE = "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"

# For files in several parts: what comes of it; True: it is written, False: not,
# None: either, if it is true.
PARTS = {
    "good": (lambda *_: False, True),
    "begin-no-id": (at("begin", text("<a><b/></a>")), False),
    "begin-empty-id": (at("begin", text("<a><UploadId></UploadId></a>")), False),
    "begin-long-id": (at("begin", text("<a><UploadId>" + "u" * 5000 +
                                       "</UploadId></a>")), False),
    "begin-odd-id": (at("begin", text("<a><UploadId>../&amp;x=y\n#?</UploadId>"
                                      "</a>")), False),
    "begin-empty": (at("begin", text("")), False),
    "begin-html": (at("begin", HTML), False),
    "begin-bomb": (at("begin", BOMB), False),
    "begin-error": (at("begin", lambda r: r.say(200, error("Busy"))), False),
    "begin-busy": (at("begin", status(503, "SlowDown"), 2), True),
    "begin-busy-ever": (at("begin", status(503, "SlowDown")), False),
    "begin-denied": (at("begin", status(403, "AccessDenied")), False),
    "begin-hang": (at("begin", HANG, 2), True),
    "begin-silent": (at("begin", silent, 1), True),
    "begin-huge": (at("begin", lambda r: r.say(200, b" " * (34 << 20))), False),
    "part-no-tag": (at("part", status(200)), False),
    "part-tag-xml": (at("part", status(200, ETag='"<x>&"')), False),
    "part-tag-long": (at("part", status(200, ETag='"' + "x" * 4000 + '"')),
                      False),
    "part-tag-wrong": (at("part", does("part", status(200, ETag='"other"'))),
                       False),
    "part-tag-twice": (at("part", does("part", lambda r: r.hang_up(
        b'HTTP/1.1 200 OK\r\nETag: "a"\r\nETag: "b"\r\nContent-Length: 0\r\n'
        b'\r\n'))), False),
    "part-sum-wrong": (at("part", does("part", lambda r: r.say(
        200, b"", {"ETag": md5(r.body), "x-amz-checksum-crc32c": "AAAAAA=="}))),
        False),
    "part-sum-wrong-once": (at("part", does("part", lambda r: r.say(
        200, b"", {"ETag": md5(r.body), "x-amz-checksum-crc32c": "AAAAAA=="})),
        1), None),
    "part-busy": (at("part", status(503, "SlowDown"), 2), True),
    "part-reset": (at("part", HANG, 2), True),
    "part-silent": (at("part", silent, 1), True),
    "part-lost": (at("part", does("part", HANG), 2), True),
    "part-digest": (at("part", status(400, "BadDigest"), 1), True),
    "part-digest-ever": (at("part", status(400, "BadDigest")), False),
    "part-409": (at("part", status(409, "OperationAborted"), 1), True),
    "part-403": (at("part", status(403, "AccessDenied"), 1, 1), False),
    "part-404": (at("part", status(404, "NoSuchUpload"), 1, 1), False),
    "part-412": (at("part", status(412, "PreconditionFailed"), 1, 1), False),
    "part-413": (at("part", early), False),
    "part-507": (at("part", status(507)), False),
    "part-102": (at("part", lambda r: r.hang_up(
        b"HTTP/1.1 102 Processing\r\n\r\n" * 3), 1), True),
    "part-continue": (at("part", lambda r: (
        r.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n"), r.part()), 9), True),
    "part-html": (at("part", HTML), False),
    "part-redirect": (at("part", status(307, Location="AWAY")), False),
    "complete-error": (at("complete", lambda r: r.say(
        200, error("InternalError")), 2), True),
    "complete-error-ever": (at("complete", lambda r: r.say(
        200, error("InternalError"))), False),
    "complete-error-done": (at("complete", does("complete", lambda r: r.say(
        200, error("InternalError")))), None),
    "complete-empty": (at("complete", text("")), False),
    "complete-empty-done": (at("complete", does("complete", text(""))), None),
    "complete-html": (at("complete", HTML), False),
    "complete-half": (at("complete", text(DONE[:-5])), False),
    "complete-bomb": (at("complete", BOMB), False),
    "complete-lie": (at("complete", text(DONE)), False),
    "complete-drip": (at("complete", drip, 1), True),
    "complete-hang": (at("complete", HANG), False),
    "complete-hang-done": (at("complete", does("complete", HANG)), True),
    "complete-silent-done": (at("complete", does("complete", silent)), True),
    "complete-busy-done": (at("complete", does("complete", status(
        503, "SlowDown"))), True),
    "complete-409": (at("complete", status(
        409, "ConditionalRequestConflict"), 1), True),
    "complete-409-ever": (at("complete", status(
        409, "ConditionalRequestConflict")), False),
    "complete-412": (at("complete", status(412, "PreconditionFailed")), False),
    "complete-404": (at("complete", status(404, "NoSuchUpload")), False),
    "complete-400": (at("complete", status(400, "InvalidPart")), False),
    "complete-501": (at("complete", status(501, "NotImplemented")), False),
    "complete-204": (at("complete", status(204)), False),
    "complete-304": (at("complete", status(304)), False),
    "complete-redirect": (at("complete", status(307, Location="AWAY")), False),
    "size-wrong": (at("head", status(200, Content_Length="5")), False),
    "head-404-ever": (at("head", status(404)), False),
    "head-500-ever": (at("head", status(500)), False),
    "head-403-ever": (at("head", status(403)), True),
    "abort-500": (lambda *a: at("part", status(403), 1)(*a) or
                  at("abort", status(500))(*a), "open"),
    "abort-silent": (lambda *a: at("part", status(403), 1)(*a) or
                     at("abort", silent)(*a), "open"),
    "abort-404": (lambda *a: at("part", status(403), 1)(*a) or
                  at("abort", status(404, "NoSuchUpload"))(*a), "open"),
    "abort-redirect": (lambda *a: at("part", status(403), 1)(*a) or
                       at("abort", status(307, Location="AWAY"))(*a), "open"),
}

# For files in one request.
ONE = {
    "good": (lambda *_: False, True),
    "busy": (at("put", status(503, "SlowDown"), 2), True),
    "busy-ever": (at("put", status(503, "SlowDown")), False),
    "hang": (at("put", HANG, 2), True),
    "hang-done": (at("put", does("put", HANG)), True),
    "hang-ever": (at("put", HANG), False),
    "silent-done": (at("put", does("put", silent), 1), True),
    "sum-wrong": (at("put", does("put", lambda r: r.say(
        200, b"", {"x-amz-checksum-crc32c": "AAAAAA=="}))), False),
    "short": (at("put", short_put), False),
    "page": (at("put", forget), False),
    "page-for-all": (lambda s, n, r: forget(r) or True, False),
    "page-without-length": (lambda s, n, r: s in ("put", "head") and (
        r.say(200, head={"Connection": "close"}, length=False) or r.hang_up()
        or True), False),
    "head-without-length": (lambda s, n, r: s == "head" and r.there() and (
        r.say(200, head={"Connection": "close", "x-amz-meta-tenon-upload":
                         r.server.meta[r.key] or ""}, length=False) or
        r.hang_up() or True), True),
    "accepted": (at("put", status(202)), False),
    "no-content": (at("put", does("put", status(204))), True),
    "304": (at("put", status(304)), False),
    "400": (at("put", status(400, "BadDigest")), False),
    "401": (at("put", status(401)), False),
    "403": (at("put", status(403, "AccessDenied")), False),
    "404": (at("put", status(404, "NoSuchBucket")), False),
    "405": (at("put", status(405)), False),
    "409": (at("put", status(409, "Conflict")), False),
    "411": (at("put", status(411)), False),
    "412": (at("put", status(412)), False),
    "413": (at("put", early), False),
    "417": (at("put", status(417)), False),
    "423": (at("put", status(423)), False),
    "507": (at("put", status(507)), False),
    "301": (at("put", status(301, Location="AWAY")), False),
    "302": (at("put", status(302, Location="AWAY")), False),
    "303": (at("put", status(303, Location="AWAY")), False),
    "307": (at("put", status(307, Location="AWAY")), False),
    "308": (at("put", status(308, Location="AWAY")), False),
    "307-file": (at("put", status(307, Location="file:///tmp/x")), False),
    "307-loop": (at("put", lambda r: r.say(307, b"", {"Location": r.path})),
                 False),
    "region-ring": (at("put", status(301, "PermanentRedirect",
                                     x_amz_bucket_region="xx-north-9")), False),
    "size-wrong": (at("head", status(200, Content_Length="5"), 99, 1), False),
    "garbage": (at("put", lambda r: r.hang_up(b"\0\1\2\3" * 100)), False),
    "0.9": (at("put", lambda r: r.hang_up(b"ok\n")), False),
    "endless": (at("put", lambda r: [r.wfile.write(b"HTTP/1.1 100 C\r\n\r\n")
                                     for _ in range(20000)]), False),
    "headers": (at("put", lambda r: r.hang_up(
        b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 90000 + b"\r\n\r\n")), False),
}


# Also tried where a file is replaced.
FORCED = ("good", "412", "short", "page-for-all", "page", "page-without-length",
          "complete-lie", "complete-412", "part-403")

# ---- judging -------------------------------------------------------------------


class Judge:
    def __init__(self, tenon, folder):
        self.tenon, self.folder, self.bad = tenon, folder, []
        self.sizes = {"one": 30000, "parts": 9000000}
        self.want = {}
        for name, size in self.sizes.items():
            path = f"{folder}/{name}.safetensors"
            safetensors(f"{folder}/x", {"b": noise(size, 3)})
            run(tenon, "convert", f"{folder}/x", "--to", "safetensors", "-o",
                path)
            with open(path, "rb") as file:
                self.want[name] = file.read()

    def away(self):
        """Another host: whatever comes there is noted, and believed."""
        return Store(lambda *_: False)

    def check(self, kind, name, fault, want, place, force=False):
        """`place`: "s3" or "web"."""
        tried = f"{place}, {kind}, {name}{', --force' if force else ''}"
        old = b"what was there before"
        with self.away() as away:
            def moved(step, count, request):
                kept = request.say
                host = f"http://localhost:{away.server_port}{request.path}"

                def say(number, body=b"", head=(), length=True):
                    head = {k: host if v == "AWAY" else v
                            for k, v in dict(head).items()}
                    kept(number, body, head, length)
                request.say = say
                return fault(step, count, request)

            with Store(moved) as store:
                key = "/models/d/x.safetensors"
                at_url = f"http://127.0.0.1:{store.server_port}"
                if force:
                    store.objects[key] = old
                url = (f"s3:/{key}" if place == "s3" else f"{at_url}{key}")
                work = tempfile.mkdtemp(dir=self.folder)
                before = time.monotonic()
                done = run(self.tenon, "convert",
                           f"{self.folder}/{kind}.safetensors", "-o", url,
                           *["--force"] * force, AWS_ENDPOINT_URL=at_url,
                           AWS_ACCESS_KEY_ID="AKIDTENON",
                           AWS_SECRET_ACCESS_KEY="hush", TMPDIR=work)
                seconds = time.monotonic() - before
                found = store.objects.get(key)
                self.judge(tried, done, found, self.want[kind], want,
                           old if force else None, seconds, store, away,
                           os.listdir(work))

    def judge(self, tried, done, found, right, want, old, seconds, store, away,
              left):
        is_said = done.returncode == 0
        can_undo = old is None
        for holds, words in (
                (done.returncode in range(13), "ended badly"),
                (not is_said or found == right, "says that it is written"),
                (is_said or found in (None, old) or
                 (found == right and b"may have been written" in done.stderr) or
                 not can_undo,
                 f"is left: {found and len(found)} bytes"),
                (want is None or is_said == (want is True),
                 f"{done.returncode}"),
                (want == "open" or not store.uploads,
                 f"uploads are left: {list(store.uploads)}"),
                (seconds < SECONDS, f"took {seconds:.1f} s"),
                (b"hush" not in done.stderr + done.stdout, "a secret"),
                (not any("uthorization" in name for _, _, head in away.requests
                         for name in head), "credentials went away"),
                (not away.objects and not away.uploads, "it was written away"),
                (not left, "files are left")):
            if not holds:
                self.bad.append(f"{tried}: {words}: "
                                f"{done.stderr.decode()[-300:]}")


def tries(only):
    """Kind, name, fault, what comes of it, place, --force."""
    for kind, table in (("parts", PARTS), ("one", ONE)):
        for name, (fault, want) in table.items():
            if only and name not in only:
                continue
            yield kind, name, fault, want, "s3", False
            if kind == "one": # web servers know neither checksums nor regions
                web = None if name.startswith(("sum", "region")) else want
                yield kind, name, fault, web, "web", False
            if name in FORCED:
                yield kind, name, fault, None, "s3", True
            if name in FORCED and kind == "one":
                yield kind, name, fault, None, "web", True


def main():
    tenon, only = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        j = Judge(tenon, folder)
        all_tries = list(tries(only))
        # Most of the time is waiting.
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda t: j.check(*t), all_tries))
    for line in j.bad:
        print(line)
    print(f"{len(PARTS) + len(ONE)} faults, {len(all_tries)} uploads, "
          f"{len(j.bad)} wrong")
    return 1 if j.bad else 0


if __name__ == "__main__":
    sys.exit(main())
