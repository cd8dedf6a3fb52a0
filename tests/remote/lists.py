#!/usr/bin/env python3
"""lists.py TENON: what stores, hubs and web servers say is in a folder.

Names of anything, pages without an end, documents that are none.  What comes
of each list is the files that are there, or an error with a reason; names stay
within the folder; the hub's token stays with the hub.
"""
import json
import os
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from servers import run

SECONDS = 20
BAD = "bad-answer"


class Answers(BaseHTTPRequestHandler):
    """`script` has what it says: status, headers and body of a path."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers)))
        status, headers, body = self.server.script(self)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass


class Front:
    def __init__(self, script):
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.server.script, self.server.requests = script, []
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.02,),
                         daemon=True).start()
        self.at = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def names_of(tenon, url, folder, **environment):
    """Paths that a catalog of the folder has, or the reason of the failure."""
    out = os.path.join(tempfile.mkdtemp(dir=folder), "names.ndjson")
    done = run(tenon, "catalog", "--names", "--json", url, "-o", out,
               "--max-mem", "1GiB", **environment)
    if done.returncode not in range(12):
        return f"ended with {done.returncode}", done
    rows = []
    if os.path.exists(out):
        with open(out, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    if done.returncode and not rows:
        reason = {4: "remote-limit", 6: "missing-file", 7: BAD}.get(
            done.returncode, done.stderr.decode()[-200:])
        if b"denies access" in done.stderr:
            reason = "access-denied"
        return reason, done
    errors = [row.get("error", "") for row in rows if row["status"] != "named"]
    return [row["file"] for row in rows if row["status"] == "named"] + \
        [f"error: {e}" for e in errors], done


# ---- stores --------------------------------------------------------------------


def contents(*keys, size="5", etag="&quot;e&quot;"):
    return "".join(f"<Contents><Key>{key}</Key><Size>{size}</Size><ETag>{etag}"
                   "</ETag></Contents>" for key in keys)


def listed(inner, encoded="<EncodingType>url</EncodingType>", more=""):
    truncated = "true" if more else "false"
    return (f"<?xml version=\"1.0\"?><ListBucketResult>{encoded}<IsTruncated>"
            f"{truncated}</IsTruncated>{more}{inner}</ListBucketResult>")


def token(text):
    return f"<NextContinuationToken>{text}</NextContinuationToken>"


BOMB = ("<?xml version=\"1.0\"?><!DOCTYPE z [<!ENTITY a \"aaaaaaaaaa\">" +
        "".join(f"<!ENTITY {chr(98 + i)} \"{('&' + chr(97 + i) + ';') * 10}\">"
                for i in range(9)) +
        "]><ListBucketResult>&j;</ListBucketResult>")

# Document, or a function of the number of the request; what comes of it:
# names below p/, or a reason.
STORES = {
    "good": (listed(contents("p/a.onnx", "p/b%20c.onnx", "p/d%2Be.onnx")),
             ["a.onnx", "b c.onnx", "d+e.onnx"]),
    "plain": (listed(contents("p/a%20b", "p/ä"), ""), ["a%20b", "ä"]),
    "nothing": (listed(""), []),
    "bomb": (BOMB, BAD),
    "entity": (listed("&unknown;"), BAD),
    "entity-of-file": ("<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">"
                       "]><ListBucketResult>&e;</ListBucketResult>", BAD),
    "no-end": (listed(contents("p/a"))[:-5], BAD),
    "deep": ("<ListBucketResult>" + "<a>" * 100000, BAD),
    "wrong-order": ("<ListBucketResult><Contents></ListBucketResult>"
                    "</Contents>", BAD),
    "other-root": ("<Error><Code>InternalError</Code></Error>", BAD),
    "error-cut": ("<Error><Code>InternalEr", BAD),
    "error-odd": ("<Error><Code>\x1b[31m</Code></Error>", BAD),
    "page": ("<html><body>log in</body></html>", BAD),
    "json": ('{"Contents": []}', BAD),
    "empty": ("", BAD),
    "zeros": ("\0" * 1000, BAD),
    "two-roots": (listed(contents("p/a")) + listed(contents("p/b")),
                  [BAD, ["a"], ["a", "b"]]),
    "comment": (listed("<!-- <Contents> -->" + contents("p/a")), ["a"]),
    "huge": (listed("x" * (33 << 20)), "remote-limit"),
    "huge-name": (listed(contents("p/" + "n" * 5000)), BAD),
    "zero-in-name": (listed(contents("p/a%00b")), BAD),
    "half-encoded": (listed(contents("p/a%2")), BAD),
    "no-hex": (listed(contents("p/a%zz")), BAD),
    "outside": (listed(contents("q/a")), BAD),
    "prefix-cut": (listed(contents("p")), BAD),
    "absolute": (listed(contents("/etc/passwd")), BAD),
    "up": (listed(contents("p/../../etc/passwd", "p/a")),
           ["../../etc/passwd", "a"]),
    "up-encoded": (listed(contents("p/%2E%2E/x")), ["../x"]),
    "here": (listed(contents("p/./x")), ["./x"]),
    "twice-slash": (listed(contents("p//x")), ["/x"]),
    "escape": (listed(contents("p/%1B%5B31mred%0Ax")), ["\x1b[31mred\nx"]),
    "not-utf-8": (listed(contents("p/%FF%FE")), ["\\xff\\xfe"]),
    "reference": (listed(contents("p/&#x41;&#66;"), ""), ["AB"]),
    "reference-zero": (listed(contents("p/&#0;"), ""), BAD),
    "reference-huge": (listed(contents("p/&#x110000;"), ""), BAD),
    "reference-half": (listed(contents("p/&#xd800;"), ""), BAD),
    "twice": (listed(contents("p/a", "p/a")), [["a"], ["a", "a"]]),
    "folder": (listed(contents("p/sub/", "p/", "p/a")), ["a"]),
    "size-negative": (listed(contents("p/a", size="-5")), ["a"]),
    "size-huge": (listed(contents("p/a", size="9" * 40)), ["a"]),
    "size-2-63": (listed(contents("p/a", size=str(2 ** 63))), ["a"]),
    "tag-long": (listed(contents("p/a", etag="e" * 100000)), ["a"]),
    "tag-odd": (listed(contents("p/a", etag="&lt;x&gt;")), ["a"]),
    "no-name": (listed("<Contents><Size>5</Size></Contents>"), BAD),
    "more-without-token": (listed(contents("p/a"), more=" "), BAD),
    "token-empty": (listed(contents("p/a"), more=token("")), BAD),
    "token-long": (listed(contents("p/a"), more=token("t" * 9000)), BAD),
    "token-odd": (lambda n: listed(contents(f"p/{n}"), more=token(
        f"&amp;prefix=q%2F#?\n{n}") if n < 3 else ""), ["1", "2", "3"]),
    "token-same": (lambda n: listed(contents("p/a"), more=token("t")), BAD),
    "token-same-empty": (lambda n: listed("", more=token("t")), BAD),
    "token-ring": (lambda n: listed(contents("p/a"), more=token("tu"[n % 2])),
                   [BAD, "remote-limit"]),
    "pages-of-nothing": (lambda n: listed("", more=token(f"t{n}")),
                         "remote-limit"),
    "pages": (lambda n: listed(contents(f"p/{n:03}"), more=token(f"t{n}")
                               if n < 30 else ""),
              [f"{n:03}" for n in range(1, 31)]),
}


def check_stores(tenon, folder, bad, pool):
    def check(name):
        document, want = STORES[name]
        count = [0]

        def script(_request):
            count[0] += 1
            text = document(count[0]) if callable(document) else document
            return 200, [("Content-Type", "application/xml")], text.encode()

        with Front(script) as front:
            before = time.monotonic()
            got, done = names_of(tenon, "s3://models/p/", folder,
                                 AWS_ENDPOINT_URL=front.at)
            judge("store", name, got, want, done, "s3://models/p/",
                  time.monotonic() - before, bad)

    list(pool.map(check, STORES))


def judge(kind, name, got, want, done, prefix, seconds, bad):
    if isinstance(got, list):
        got = [n[len(prefix):] if n.startswith(prefix) else n for n in got]
    wanted = want if want and isinstance(want, list) and (
        isinstance(want[0], list) or want[0] == BAD) else [want]
    if got not in wanted and not (got == want == []):
        bad.append(f"{kind}, {name}: {got!r:.300}, not {want!r:.100}")
    if seconds > SECONDS:
        bad.append(f"{kind}, {name}: took {seconds:.1f} s")
    if any(c < 32 and c != 10 for c in done.stderr):
        bad.append(f"{kind}, {name}: control characters {done.stderr[-200:]}")
    if b"hush" in done.stderr + done.stdout:
        bad.append(f"{kind}, {name}: a secret is told")


# ---- hubs ----------------------------------------------------------------------

SHA = "a" * 40


def files(*names, **more):
    return json.dumps([{"type": "file", "path": n, "size": 5, "oid": "o",
                        **more} for n in names])


HUBS = {
    "good": (files("a.onnx", "s/b.onnx"), ["a.onnx", "s/b.onnx"]),
    "lfs-null": (files("a", lfs=None), ["a"]),
    "lfs-list": (files("a", lfs=[1]), BAD),
    "lfs-oid-number": (files("a", lfs={"oid": 5}), BAD),
    "object": ('{"error": "no"}', BAD),
    "text": ("no list", BAD),
    "empty": ("", BAD),
    "half": (files("a")[:-3], BAD),
    "more-behind": (files("a") + "[]", BAD),
    "marked": ("\ufeff" + files("a"), [BAD, ["a"]]),
    "deep": ("[" * 100000, BAD),
    "deep-in-file": ('[{"x":' + "[" * 100000, [BAD, "remote-limit"]),
    "up": (files("../../x"), BAD),
    "absolute": (files("/etc/passwd"), BAD),
    "here": (files("./x"), BAD),
    "zero": (files("a\0b"), BAD),
    "escape": (files("\x1b[31m"), [BAD, ["\x1b[31m"]]),
    "no-name": ('[{"type": "file"}]', BAD),
    "name-number": ('[{"type": "file", "path": 5}]', BAD),
    "name-null": ('[{"type": "file", "path": null}]', BAD),
    "no-type": ('[{"path": "a"}]', []),
    "other-type": (files("a", type="submodule"), []),
    "size-text": (files("a", size="5"), [BAD, ["a"]]),
    "size-fraction": (files("a", size=1.5), ["a"]),
    "size-negative": (files("a", size=-5), ["a"]),
    "size-huge": (files("a", size=10 ** 40), ["a"]),
    "twice": ('[{"type": "file", "path": "a", "path": "b"}]', [BAD, ["b"]]),
    "half-pair": ('[{"type": "file", "path": "\\ud800"}]',
                  [BAD, ["\\xed\\xa0\\x80"], ["\ufffd"]]),
    "long": (files("n" * 5000), BAD),
}

# The document of a revision.
REVISIONS = {
    "none": (404, "", "missing-file"), "empty": (200, "", BAD),
    "no-sha": (200, "{}", BAD), "list": (200, "[]", BAD),
    "short": (200, '{"sha": "abc"}', BAD),
    "upper": (200, json.dumps({"sha": "A" * 40}), BAD),
    "path": (200, json.dumps({"sha": "../" * 13 + "x"}), BAD),
    "number": (200, '{"sha": 5}', BAD),
    "denied": (403, "", "access-denied"),
}


def hub_script(document, status=200, revision=None, link=None):
    def script(request):
        if "/revision/" in request.path:
            return status, [], (revision if revision is not None else
                                json.dumps({"sha": SHA})).encode()
        headers = [("Content-Type", "application/json")]
        if link:
            headers.append(("Link", link(request)))
        return 200, headers, document.encode()
    return script


def check_hubs(tenon, folder, bad, pool):
    def check(name, script, want):
        with Front(script) as front:
            before = time.monotonic()
            got, done = names_of(tenon, "hf://acme/m/", folder,
                                 HF_ENDPOINT=front.at, HF_TOKEN="hf_hush")
            judge("hub", name, got, want, done, "hf://acme/m/",
                  time.monotonic() - before, bad)

    list(pool.map(lambda name: check(name, hub_script(HUBS[name][0]),
                                     HUBS[name][1]), HUBS))
    for name, (status, text, want) in REVISIONS.items():
        check(f"revision {name}", hub_script(files("a"), status, text), want)
    with Front(hub_script(files("b"))) as other:
        away = other.at.replace("127.0.0.1", "localhost")
        for name, link, want in (
                ("away", lambda r: f'<{away}/x>; rel="next"', BAD),
                ("same", lambda r: f'<{r.path}>; rel="next"',
                 [BAD, "remote-limit"]),
                ("file", lambda r: '<file:///etc/passwd>; rel="next"',
                 "invalid"),
                ("user", lambda r: '<http://hush:hush@localhost/>; rel="next"',
                 "invalid"),
                ("data", lambda r: '<data:,[]>; rel="next"', "invalid")):
            check(f"next {name}", hub_script(files("a"), link=link),
                  want if want != "invalid" else [BAD])
        check("redirected", lambda r: (
            302, [("Location", f"{away}{r.path}")], b""), ["b"])
        for path, headers in other.server.requests:
            if "Authorization" in headers or "authorization" in headers:
                bad.append(f"hub: the token went to another host: {path}")


# ---- pages ---------------------------------------------------------------------


def page(*links):
    return "<html><body>" + "".join(f'<a href="{link}">x</a>'
                                    for link in links) + "</body></html>"


PAGES = {
    "good": (page("a.onnx", "./b.onnx", "/p/c.onnx", "d%20e.onnx"),
             ["a.onnx", "b.onnx", "c.onnx", "d%20e.onnx"]),
    "other-kind": ('[{"name": "a.onnx", "type": "file"}]', ["a.onnx"]),
    "other-kind-up": ('[{"name": "../a", "type": "file"}]', BAD),
    "others": (page("../x", "/x", "//evil/x", "http://evil/x", "?C=N", "#top",
                    "javascript:alert(1)", "mailto:a@b", "data:,x", "a.onnx"),
               ["a.onnx"]),
    "up-encoded": (page("%2e%2e/x", "%2e%2e%2fx", "..", ".", "a%2fb", "a%00b"),
                   []),
    "no-quotes": ("<a href=a.onnx>x</a>", []),
    "capitals": ("<A HREF='a.onnx'>x</A>", ["a.onnx"]),
    "unfinished": ('<a href="a.onnx">x</a><a href="b', ["a.onnx"]),
    "attributes": ('<a class="x" data-href="no" href="a.onnx">x</a>',
                   ["a.onnx"]),
    "references": (page("a&amp;b"), ["a%26b"]),
    "reference-unknown": (page("a&x;b", "c"), [BAD, ["c"], []]),
    "twice": (page("a", "a"), [["a"], ["a", "a"]]),
    "many": (page(*(f"{i:06}" for i in range(2000))),
             [f"{i:06}" for i in range(2000)]),
}


def check_pages(tenon, folder, bad):
    for name, (document, want) in PAGES.items():
        with Front(lambda r, d=document: (
                (200, [("Content-Type", "text/html")], d.encode())
                if r.path == "/p/" else (200, [], b"x"))) as front:
            before = time.monotonic()
            got, done = names_of(tenon, f"{front.at}/p/", folder)
            judge("page", name, got, want, done, f"{front.at}/p/",
                  time.monotonic() - before, bad)

    def nested(request):
        """Each folder has itself in it."""
        return 200, [], page("again/", "a.onnx").encode()

    def empty_folders(request):
        if request.path == "/p/":
            return 200, [], page(*(f"{i:04}/" for i in range(300)),
                                 "z/").encode()
        return 200, [], page(*["a.onnx"] * request.path.endswith("z/")).encode()

    for name, script, want in (
            ("nested", nested, "remote-limit"),
            ("empty folders", empty_folders, ["z/a.onnx"])):
        with Front(script) as front:
            got, done = names_of(tenon, f"{front.at}/p/", folder)
            judge("page", name, got, want, done, f"{front.at}/p/", 0, bad)


def main():
    tenon, bad = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as folder:
        with ThreadPoolExecutor(6) as pool:
            check_stores(tenon, folder, bad, pool)
            check_hubs(tenon, folder, bad, pool)
        check_pages(tenon, folder, bad)
    for line in bad:
        print(line)
    print(f"{len(STORES)} stores, {len(HUBS) + len(REVISIONS) + 6} hubs, "
          f"{len(PAGES) + 2} pages; {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
