#!/usr/bin/env python3
"""ways.py TENON: ways that stores, hubs and servers have of their own.

What no standard asks for, but is met every day: stores that refuse a range of
an empty object, that name the region only in a document, profiles that name the
store; revisions with a slash; letters that nobody encoded; signatures for whole
folders.
"""
import json
import os
import struct
import sys
import tempfile
import time
from email.utils import formatdate

from lists import Front
from servers import HERE, run


def tiny(name="w", value=b"abcd"):
    header = json.dumps({name: {"dtype": "U8", "shape": [len(value)],
                                "data_offsets": [0, len(value)]}}).encode()
    return struct.pack("<Q", len(header)) + header + value


DATE = "Sun, 18 Nov 2001 10:00:00 GMT"


class Judge:
    def __init__(self, tenon, folder):
        self.tenon, self.folder, self.bad, self.count = tenon, folder, [], 0

    def claim(self, holds, text):
        self.count += 1
        if not holds:
            self.bad.append(text)

    def run(self, *arguments, **environment):
        done = run(self.tenon, *arguments, **environment)
        self.claim(b"hush" not in done.stdout + done.stderr,
                   f"{arguments}: a secret is told: {done}")
        return done

    def is_read(self, url, what, **environment):
        done = self.run("get", url, "w", "--raw", "-o", "-", **environment)
        self.claim(done.stdout == b"abcd", f"{what}: {done}")

    def is_refused(self, url, words, what, code=7, **environment):
        done = self.run("get", url, "w", "--raw", "-o", "-", **environment)
        self.claim(done.returncode == code and words in done.stderr and
                   not done.stdout, f"{what}: {done}")


# ---- stores --------------------------------------------------------------------


def refusal(code, more=""):
    return (f"<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code>{more}"
            "<RequestId>1</RequestId></Error>").encode()


def empty_objects(j):
    """There is no range of an empty object: the answer says nothing else."""
    listed = ("<ListBucketResult><EncodingType>url</EncodingType>"
              "<IsTruncated>false</IsTruncated>" + "".join(
                  f"<Contents><Key>p/{name}</Key><Size>{size}</Size></Contents>"
                  for name, size in (("_SUCCESS", 0), ("a.safetensors", 9),
                                     ("sub/.keep", 0))) + "</ListBucketResult>")

    def store(request):
        if "list-type" in request.path:
            return 200, [], listed.encode()
        if ".safetensors" in request.path:
            return 200, [("ETag", '"a"')], tiny()
        if request.headers.get("Range"):
            return 416, [], refusal("InvalidRange")
        return 200, [("ETag", '"e"')], body[0]

    body = [b""]
    with Front(store) as front:
        there = {"AWS_ENDPOINT_URL": front.at}
        done = j.run("scan", "--json", "s3://models/p/", **there)
        j.claim(done.returncode == 0 and b'"files": 3' in done.stdout,
                f"scan of empty objects: {done}")
        done = j.run("catalog", "s3://models/p/", "-o", "-", **there)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        j.claim([row["status"] for row in rows if row["row"] == "file"] ==
                ["other", "ok", "other"], f"catalog: {rows}")
        for url in ("s3://models/p/x.onnx", f"{front.at}/x.onnx"):
            done = j.run("info", url, **there)
            j.claim(done.returncode == 6 and b"empty file" in done.stderr,
                    f"an empty object: {done}")
        # A server that refuses ranges in this way is one that has none.
        body[0] = tiny()
        j.is_read(f"{front.at}/x.onnx", "a short file without ranges")
        body[0] = tiny(value=bytes(100000))
        j.is_refused(f"{front.at}/x.onnx", b"whole files",
                     "a long file without ranges", 5)


def regions(j):
    """The region of a bucket, in a header or only in the document."""
    for status, headers, body in (
            (400, [], refusal("AuthorizationHeaderMalformed",
                              "<Region>eu-west-9</Region>")),
            (400, [("x-amz-bucket-region", "eu-west-9")], refusal("X")),
            (301, [("x-amz-bucket-region", "eu-west-9")],
             refusal("PermanentRedirect"))):
        def store(request, answer=(status, headers, body)):
            if "/eu-west-9/s3/" in request.headers.get("Authorization", ""):
                return 200, [("ETag", '"a"')], tiny()
            return answer
        with Front(store) as front:
            j.is_read("s3://models/x.safetensors", f"region by {status}",
                      AWS_ENDPOINT_URL=front.at, AWS_ACCESS_KEY_ID="A",
                      AWS_SECRET_ACCESS_KEY="hush")
    for word in ("", "../x", "a b", "x" * 200, "us-east-1"):
        with Front(lambda _, w=word: (400, [], refusal(
                "AuthorizationHeaderMalformed", f"<Region>{w}</Region>"))) as f:
            j.is_refused("s3://models/x.safetensors", b"HeaderMalformed",
                         f"region {word}", AWS_ENDPOINT_URL=f.at,
                         AWS_ACCESS_KEY_ID="A", AWS_SECRET_ACCESS_KEY="hush")
            j.claim(len(f.server.requests) <= 2, f"region {word}: a ring")


def profiles(j):
    """Where a profile has its store."""
    config = f"{j.folder}/config"
    with Front(lambda _: (200, [("ETag", '"a"')], tiny())) as right, \
            Front(lambda _: (404, [], b"")) as wrong:
        for text, more in (
                (f"[default]\nendpoint_url = {right.at}/\n", {}),
                (f"[profile w]\nendpoint_url = {right.at}\n[default]\n"
                 f"endpoint_url = {wrong.at}\n", {"AWS_PROFILE": "w"}),
                (f"[default]\nservices = m\nendpoint_url = {wrong.at}\n"
                 f"[services m]\ns3 =\n  endpoint_url = {right.at}\n", {}),
                (f"[default]\nendpoint_url = {wrong.at}\n",
                 {"AWS_ENDPOINT_URL": right.at})):
            with open(config, "w", encoding="utf-8") as file:
                file.write(text)
            j.is_read("s3://models/x.safetensors", f"profile {text}",
                      AWS_CONFIG_FILE=config, **more)
        j.claim(not wrong.server.requests[:1] or
                "models" not in wrong.server.requests[0][0],
                "a store was asked that is not meant")


# ---- hubs ----------------------------------------------------------------------


def revisions(j):
    """A revision with a slash is one; so is a dataset a repository."""
    commit = "c" * 40
    prefixes = {"hf://o/r@refs/pr/7": "/o/r/resolve/refs%2Fpr%2F7/",
                "hf://o/r@refs%2Fpr%2F7": "/o/r/resolve/refs%2Fpr%2F7/",
                "hf://o/r@a%2fb": "/o/r/resolve/a%2Fb/",
                "hf://o/r": "/o/r/resolve/main/",
                "hf://datasets/o/r@v": "/datasets/o/r/resolve/v/",
                "hf://spaces/o/r": "/spaces/o/r/resolve/main/"}

    def hub(request):
        if request.path.startswith("/api/"):
            if "/revision/" in request.path:
                return 200, [], json.dumps({"sha": commit}).encode()
            return 200, [], json.dumps([
                {"type": "file", "path": "d/x.safetensors", "size": 9}]).encode()
        return 200, [("ETag", '"a"')], tiny()

    for place, path in prefixes.items():
        with Front(hub) as front:
            there = {"HF_ENDPOINT": front.at}
            j.is_read(f"{place}/d/x.safetensors", place, **there)
            asked = front.server.requests[0][0]
            j.claim(asked == f"{path}d/x.safetensors", f"{place}: {asked}")
            done = j.run("catalog", f"{place}/d/", "-o", "-", **there)
            j.claim(b'"status": "ok"' in done.stdout, f"{place}: {done}")
            asked = [r[0] for r in front.server.requests]
            kind = path.split("/resolve/")[0]
            api = kind if kind.count("/") == 3 else f"/models{kind}"
            revision = path.split("/")[-2]
            j.claim(f"/api{api}/revision/{revision}" in asked and
                    any(a.startswith(f"/api{api}/tree/{commit}/d")
                        for a in asked), f"{place}: {asked}")


# ---- servers -------------------------------------------------------------------


def letters(j):
    """What nobody encoded is encoded: letters, spaces, in redirects as well."""
    def server(request):
        if request.path == "/from":
            return 302, [("Location", "/tö/ö b.x".encode().decode("latin-1"))], b""
        return 200, [("ETag", '"a"')], tiny()

    for name, asked in (("/größe/a b.x", "/gr%C3%B6%C3%9Fe/a%20b.x"),
                        ("/a%20b|{}.x?q=ä b", "/a%20b%7C%7B%7D.x?q=%C3%A4%20b"),
                        ("/from", "/t%C3%B6/%C3%B6%20b.x")):
        with Front(server) as front:
            j.is_read(front.at + name, name)
            j.claim(front.server.requests[-1][0] == asked,
                    f"{name}: {front.server.requests[-1][0]}")
    with Front(server) as front:
        j.is_refused(f"{front.at}/a\\b", b"backslash", "a backslash", 11)
        j.is_refused(f"{front.at}/a\tb", b"control", "a tab", 11)
        j.is_refused("http://ä.example/x", b"xn--", "a host", 11)
        j.claim(not front.server.requests, "a refused URL was asked for")


def folder_signatures(j):
    """A signature for a folder goes to all files of the model; one for a file
    goes to no other."""
    index = json.dumps({"metadata": {}, "weight_map": {
        "w": "d/part 1.safetensors"}}).encode()
    named = json.dumps({"metadata": {}, "weight_map": {
        "w": "../part.safetensors"}}).encode()

    def server(request):
        if "sig=hush" not in request.path:
            return 403, [], refusal("AuthenticationFailed")
        if "named" in request.path:
            return 200, [("ETag", '"i"')], named
        return 200, [("ETag", '"a"')], index if "index" in request.path else tiny()

    for query, is_covered in (
            ("sv=1&sr=c&sig=hush", True), ("sr=d&sdd=2&sig=hush#x", True),
            ("ss=b&srt=sco&sig=hush", True), ("sr=b&sig=hush", False),
            ("X-Amz-Signature=1&sig=hush", False)):
        with Front(server) as front:
            url = f"{front.at}/m/model.safetensors.index.json?{query}"
            if is_covered:
                j.is_read(url, query)
            else:
                j.is_refused(url, b"for one file", query)
                j.claim("sig=" not in front.server.requests[-1][0],
                        f"{query}: the signature of a file is given away")
            done = j.run("get", f"{front.at}/m/named.index.json?{query}", "w")
            j.claim(done.returncode not in (0, 7) or
                    "/part." not in front.server.requests[-1][0],
                    f"{query}: {done}")


def dates(j):
    """Without ETags, a catalog knows files by date and size, but not by a date
    within which they may still change."""
    now = [DATE, 0]

    def server(request):
        body = tiny(value=b"abcd" + bytes(now[1]))
        return 200, [("Last-Modified", now[0])] if now[0] else [], body

    with Front(server) as front:
        for date, more, kept in ((DATE, 0, 0), (DATE, 0, 1), (DATE, 1, 0),
                                 (DATE.replace("10:", "11:"), 1, 0),
                                 (DATE.replace("10:", "11:"), 1, 1),
                                 (formatdate(usegmt=True), 1, 0),
                                 (formatdate(time.time() + 9, usegmt=True), 1,
                                  0), ("soon", 1, 0), ("soon", 1, 0),
                                 ("", 1, 0), ("", 1, 0)):
            now[:] = [date, more]
            done = j.run("catalog", "--json", f"{front.at}/x.safetensors",
                         "-o", f"{j.folder}/dates.ndjson")
            j.claim(done.returncode == 0 and
                    json.loads(done.stdout)["kept"] == kept,
                    f"{date}, {more}: {done}")


def texts(j):
    """Lists, maps, scripts, rules: what an option reads may be at a URL, and is
    read without credentials if these are not to be sent."""
    model, other = f"{j.folder}/m.safetensors", f"{j.folder}/o.safetensors"
    tiny_onnx = f"{j.folder}/tiny.onnx"
    for path, name in ((model, "w"), (other, "v")):
        with open(path, "wb") as file:
            file.write(tiny(name))
    j.run("undump", os.path.join(HERE, "../../examples/tiny.onnx.textproto"),
          "-o", tiny_onnx)
    netrc = f"{j.folder}/netrc"
    with open(netrc, "w", encoding="utf-8") as file:
        file.write("machine 127.0.0.1 login me password hush\n")
    rules = "rules onnx -> nd4j 1\nmine::Op(x) => identity(x)\n"
    out = ("--force", "-o", f"{j.folder}/out")
    manifest = j.run("hash", model).stdout.decode()
    for text, *words in (
            (f"{model}\n\n{other}", "catalog", "-T", "URL"),
            (manifest, "hash", model, "-c", "URL"),
            ("w x\n", "edit", model, "--rename-from", "URL", *out),
            ("w v\n", "edit", model, "--weights-by-map", f"{other} URL", *out),
            ("rename w=x\n", "edit", model, "--script", "URL", *out),
            ("filters f\n", "convert", tiny_onnx, "--to", "gguf", "--names", "URL", *out),
            (rules, "convert", tiny_onnx, "--rules", "URL", "--to", "samediff",
             *out),
            (rules, "rules", "check", "URL"), (rules, "rules", "ls", "URL"),
            (rules, "rules", "coverage", tiny_onnx, "URL"),
            ('op_type: "Relu" input: "x" output: "y"', "rules", "interpret",
             "URL"),
            ("look\t1\nrectify\t2\n", "view", tiny_onnx, "--data", "URL",
             "--form", "svg", *out)):
        with Front(lambda _, t=text: (200, [("ETag", '"t"')], t.encode())) as f:
            words = [w.replace("URL", f"{f.at}/t.rules") for w in words]
            for more in ((), ("--anonymous",)):
                f.server.requests.clear()
                done = j.run(*words, *more, NETRC=netrc)
                sent = ["Authorization" in r[1] for r in f.server.requests]
                j.claim(done.returncode == 0 and sent and
                        set(sent) == {not more}, f"{words}: {sent}, {done}")
    with Front(lambda _: (404, [], b"")) as front:
        for words in (["catalog", "-T"], ["hash", model, "-c"],
                      ["rules", "interpret"]):
            done = j.run(*words, f"{front.at}/list")
            j.claim(done.returncode == 6 and b"/list" in done.stderr and
                    b"404" in done.stderr, f"{words}: {done}")


def cut_urls(j):
    """A URL that a path library normalised is told from a missing file."""
    for url in ("http:/127.0.0.1/x.onnx", "s3:/models/x", "hf:/o/r/x"):
        j.is_refused(url, b"behind its scheme", url, 11)


def main():
    tenon = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        j = Judge(tenon, folder)
        for part in (empty_objects, regions, profiles, revisions, letters,
                     folder_signatures, dates, texts, cut_urls):
            if not sys.argv[2:] or part.__name__ in sys.argv[2:]:
                part(j)
    for line in j.bad:
        print(line)
    print(f"{j.count} claims, {len(j.bad)} wrong")
    return 1 if j.bad else 0


if __name__ == "__main__":
    sys.exit(main())
