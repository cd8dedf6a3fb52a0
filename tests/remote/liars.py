#!/usr/bin/env python3
"""liars.py TENON: servers that lie about what they send.

Sizes, ranges and versions that do not fit, statuses that bring no file, lines
in odd forms, codings, connections that are reset or have more to say, redirects
to anywhere.  Each ends in the right bytes, or in an error with a reason, in
time and in few requests; no message has a secret or a control character.
"""
import json
import os
import re
import socket
import struct
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from hostile import (DATE, TAG, Server, chunks, good, later, part, reason_of,
                     redirect, refused, span, whole, with_headers)
from servers import noise, run, safetensors

SECONDS = 25
BAD = "bad-answer|unreachable"

# ---- one file, read ------------------------------------------------------------


def honest(size):
    """Never more than so many bytes, and honest about it."""
    def fault(server, connection, request):
        first, last = span(server, request)
        last = min(last, first + size - 1)
        part(server, connection, request, {
            "Content-Range": f"bytes {first}-{last}/{len(server.data)}"},
            server.data[first:last + 1])
    return fault


def raw_head(status="HTTP/1.1 206 P", lines=(), end="\r\n", body=True):
    """A right answer with another first line, more lines, other ends."""
    def fault(server, connection, request):
        first, last = span(server, request)
        data = server.data[first:last + 1]
        head = [status, f"ETag: {TAG}", f"Content-Length: {len(data)}",
                f"Content-Range: bytes {first}-{last}/{len(server.data)}"]
        text = end.join([*head, *lines]) + end + end
        connection.sendall(text.encode("latin-1") + (data if body else b""))
    return fault


def first_raw(*lines):
    """Lines right behind the status line."""
    return raw_head("\r\n".join(("HTTP/1.1 206 P", *lines)))


def delayed(extra):
    """More bytes, when the answer is over and done with."""
    def fault(server, connection, request):
        part(server, connection, request)
        time.sleep(0.03)
        connection.sendall(extra)
    return fault


def eager(server, connection, request):
    """The next answer lies ready before it is asked for."""
    part(server, connection, request)
    part(server, connection, request, body=b"\0" * 65536, headers={
        "Content-Range": f"bytes 65536-131071/{len(server.data)}",
        "Content-Length": "65536"})


def total(number):
    def fault(server, connection, request):
        first, last = span(server, request)
        part(server, connection, request,
             {"Content-Range": f"bytes {first}-{last}/{number}"})
    return fault


def totals_differ(server, connection, request):
    first, last = span(server, request)
    size = len(server.data) + request.hit - 1
    part(server, connection, request,
         {"Content-Range": f"bytes {first}-{last}/{size}"})


def total_forgotten(server, connection, request):
    first, last = span(server, request)
    size = len(server.data) if request.hit == 1 else "*"
    part(server, connection, request,
         {"Content-Range": f"bytes {first}-{last}/{size}"})


def no_total_and_suffix_lies(server, connection, request):
    """The size is asked for by the last bytes, which are not the last."""
    first, last = span(server, request)
    if request.range and not request.range[0]:
        first, last = 1000, 1999
    part(server, connection, request, {
        "Content-Range": f"bytes {first}-{last}/*"},
        server.data[first:last + 1])


def chunks_of(text):
    def fault(server, connection, request):
        first, last = span(server, request)
        connection.sendall(
            (f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nTransfer-Encoding: chunked\r\n"
             f"Content-Range: bytes {first}-{last}/{len(server.data)}\r\n\r\n"
             ).encode() + text(server.data[first:last + 1]))
        return False
    return fault


def trailers_without_end(_server, connection, _request):
    connection.sendall(
        f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nTransfer-Encoding: chunked\r\n"
        "Content-Range: bytes 0-0/9\r\n\r\n1\r\nx\r\n0\r\n".encode())
    for _ in range(100000):
        connection.sendall(b"X-Trailer: " + b"y" * 500 + b"\r\n")
    return False


def drops(times, at):
    """The connection is reset after some bytes of the body, so many times."""
    def fault(server, connection, request):
        if request.hit > times:
            return part(server, connection, request)
        first, last = span(server, request)
        head = (f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nContent-Range: bytes {first}"
                f"-{last}/{len(server.data)}\r\nContent-Length: "
                f"{last - first + 1}\r\n\r\n").encode()
        connection.sendall(head + server.data[first:min(last, first + at) + 1])
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
        return False
    return fault


def other_after_reset(server, connection, request):
    """The second half of a broken answer is of another version."""
    first, last = span(server, request)
    if request.hit == 1:
        return drops(9, 1000)(server, connection, request)
    return part(server, connection, request, {"ETag": '"v2"'},
                bytes(last - first + 1))


def cookie(server, connection, request):
    """Whoever keeps cookies sends them back."""
    if "cookie" in request.headers:
        return refused(400)(server, connection, request)
    return part(server, connection, request,
                {"Set-Cookie": "id=hush; Path=/", "Alt-Svc": 'h2="evil:443"',
                 "Refresh": "0; url=http://evil/",
                 "Strict-Transport-Security": "max-age=99999999"})


def coded(name):
    return with_headers(Content_Encoding=name)


def two_lines(name, *values):
    """The same header, several times."""
    return first_raw(*(f"{name}: {value}" for value in values))


def location_twice(_server, connection, _request):
    connection.sendall(b"HTTP/1.1 302 F\r\nLocation: /good/x\r\nLocation: "
                       b"/whole/x\r\nContent-Length: 0\r\n\r\n")


def two_steps(server, connection, request):
    where = "/ring/b" if request.target.endswith("a") else "/ring/a"
    return redirect(where)(server, connection, request)


def stalls_behind_location(_server, connection, _request):
    connection.sendall(b"HTTP/1.1 302 F\r\nLocation: /good/x\r\n"
                       b"Content-Length: 100\r\n\r\nhalf")
    time.sleep(20)
    return False


def floods_behind_location(_server, connection, _request):
    connection.sendall(b"HTTP/1.1 302 F\r\nLocation: /good/x\r\n\r\n")
    for _ in range(10000):
        connection.sendall(b"x" * 65536)
    return False


def moves_later(server, connection, request):
    """The first answer is here, the others are of another place."""
    if request.hit == 1:
        return part(server, connection, request)
    return redirect("/elsewhere/x")(server, connection, request)


def elsewhere(server, connection, request):
    return part(server, connection, request, {"ETag": '"other"'},
                bytes(span(server, request)[1] - span(server, request)[0] + 1))


def answers_small(status, **headers):
    """A short document instead of the file."""
    def fault(server, connection, request):
        whole_headers = {k.replace("_", "-"): v for k, v in headers.items()}
        part(server, connection, request,
             {"Content-Range": None, **whole_headers}, b"[0,0]", status)
    return fault


def busy(after, times=99, status=503):
    def fault(server, connection, request):
        if request.hit > times:
            return part(server, connection, request)
        return refused(status, Retry_After=after)(server, connection, request)
    return fault


def ends_in(pause):
    """Everything comes, but the connection stays open behind an answer that
    says that its end is the end."""
    def fault(server, connection, request):
        first, last = span(server, request)
        connection.sendall(
            (f"HTTP/1.1 206 P\r\nETag: {TAG}\r\nConnection: close\r\n"
             f"Content-Range: bytes {first}-{last}/{len(server.data)}\r\n\r\n"
             ).encode() + server.data[first:last + 1])
        time.sleep(pause)
        return False
    return fault


READING = {
    # Sizes and ranges that do not fit.
    "honest-1": (honest(1), "unreachable"),
    "honest-100": (honest(100), "unreachable"),
    "honest-50000": (honest(50000), "ok"),
    "total-0": (total("0"), BAD),
    "total-short": (total("65535"), BAD),
    "total-2-63": (total(str(2 ** 63)), "bad-answer|remote-limit"),
    "total-19-digits": (total("9" * 19), "bad-answer|remote-limit"),
    "total-2-64": (total(str(2 ** 64)), BAD),
    "total-negative": (total("-1"), BAD),
    "total-plus": (total("+5"), BAD),
    "total-hex": (total("0x100000"), BAD),
    "total-none": (total(""), BAD),
    "totals-differ": (totals_differ, "remote-changed"),
    "total-forgotten": (total_forgotten, "ok"),
    "suffix-lies": (no_total_and_suffix_lies, "bad-answer|remote-changed"),
    "range-star": (with_headers(Content_Range="bytes */1000000"), BAD),
    "range-space": (with_headers(Content_Range="bytes 0 - 65535/1000000"), BAD),
    "range-equals": (with_headers(Content_Range="bytes=0-65535/1000000"), BAD),
    "range-list": (with_headers(
        Content_Range="bytes 0-1,5-65535/1000000"), BAD),
    "range-empty": (with_headers(Content_Range=""), BAD),
    "range-everything": (lambda s, c, r: part(s, c, r, {
        "Content-Range": f"bytes 0-{len(s.data) - 1}/{len(s.data)}"}, s.data),
        "bad-answer"),
    "several-with-range": (lambda s, c, r: part(
        s, c, r, {"Content-Type": "multipart/byteranges; boundary=x"}), BAD),
    "type-twice": (two_lines("Content-Type", "multipart/byteranges; boundary=x",
                             "application/octet-stream"), BAD),
    "range-in-200": (lambda s, c, r: part(s, c, r, status=200), "bad-answer"),
    "length-plus": (with_headers(Content_Length="+65536"), BAD),
    "length-list": (with_headers(Content_Length="65536, 65536"), BAD),
    "length-words": (with_headers(Content_Length="many"), BAD),
    "length-empty": (with_headers(Content_Length=""), BAD),
    "length-zero": (with_headers(Content_Length="0"), BAD),
    # Statuses that are not those of a file or a part.
    "created": (answers_small(201), BAD),
    "accepted": (answers_small(202), BAD),
    "foreign": (answers_small(203), "unknown-format"),
    "reset-content": (answers_small(205), BAD),
    "multi-status": (answers_small(207), BAD),
    "im-used": (answers_small(226, IM="feed"), BAD),
    "created-later": (later({"Content-Range": None}, b"x", 201),
                      "bad-answer"),
    "use-proxy": (refused(305, Location="http://127.0.0.1:9/"), BAD),
    "choices": (refused(300), BAD),
    "bad-request": (refused(400), BAD),
    "timeout": (refused(408), "server-busy"),
    "conflict": (refused(409), BAD),
    "gone": (refused(410), "missing-file"),
    "too-early": (refused(425), BAD + "|server-busy"),
    "misdirected": (refused(421), BAD),
    "not-implemented": (refused(501), BAD),
    "version": (refused(505), BAD),
    "no-space": (refused(507), BAD),
    "proxy-login": (refused(407, Proxy_Authenticate="Basic"), "access-denied"),
    "negotiate": (refused(401, WWW_Authenticate="Negotiate, NTLM"),
                  "access-denied"),
    "busy-negative": (busy("-5"), "server-busy"),
    "busy-huge": (busy("9" * 30), "server-busy"),
    "busy-words": (busy("soon", 2), "ok"),
    "busy-past": (busy(DATE.replace("2026", "1999"), 2), "ok"),
    "busy-far": (busy("Fri, 31 Dec 9999 23:59:59 GMT"), "server-busy"),
    "busy-500": (busy("0", 2, 500), "ok"),
    "busy-504": (busy("0", 2, 504), "ok"),
    # Lines.
    "line-feeds": (raw_head(end="\n"), "ok|bad-answer|unreachable"),
    "carriage-returns": (raw_head(end="\r"), "bad-answer|unreachable|"
                         "remote-limit"),
    "no-reason": (raw_head("HTTP/1.1 206"), "ok"),
    "long-reason": (raw_head("HTTP/1.1 206 " + "a" * 200000), "remote-limit"),
    "four-digits": (raw_head("HTTP/1.1 2060 P"), BAD),
    "plus-status": (raw_head("HTTP/1.1 +206 P"), BAD),
    "two-spaces": (raw_head("HTTP/1.1  206 P"), "ok|bad-answer|unreachable"),
    "version-2-on-1": (raw_head("HTTP/2 206"), "ok|bad-answer|unreachable"),
    "version-1.2": (raw_head("HTTP/1.2 206 P"), BAD + "|ok"),
    "icy": (raw_head("ICY 206 OK"), BAD),
    "blank-before": (raw_head("\r\nHTTP/1.1 206 P"), BAD + "|ok"),
    "status-as-header": (first_raw("HTTP/1.1 206: no"), BAD + "|ok"),
    "space-before-colon": (first_raw('ETag : "other"'), BAD + "|ok"),
    "no-colon": (first_raw("what is this"), BAD + "|ok"),
    "folded-tag": (first_raw("X-A: b", " ETag: folded"), BAD + "|ok"),
    "tag-carriage-return": (raw_head(
        lines=('ETag: "a\rRange: bytes=0-1"',)), BAD),
    "tag-control": (with_headers(ETag='"a\x1b[31mb\x01"'), BAD),
    "tag-star": (with_headers(ETag="*"), "ok|no-ranges|bad-answer"),
    "tag-empty": (with_headers(ETag=""), "no-ranges"),
    "tag-no-quotes": (with_headers(ETag="v1"), "ok"),
    "tag-quotes-inside": (with_headers(ETag='"a"b"'), "ok|bad-answer"),
    "tag-bytes": (with_headers(ETag='"\xe9\xff"'), "ok|bad-answer"),
    "tag-list": (with_headers(ETag='"v1", "v2"'), "ok|bad-answer"),
    "tag-weak-small": (with_headers(ETag='w/"v1"'), "ok|no-ranges"),
    "date-twice": (two_lines("Last-Modified", DATE,
                             DATE.replace("2026", "2025")), BAD),
    "flood-below-limit": (raw_head(lines=[f"X-{i}: {'a' * 500}"
                                          for i in range(100)]), "ok"),
    "flood-above-limit": (raw_head(lines=[f"X-{i}: {'a' * 500}"
                                          for i in range(200)]),
                          "remote-limit"),
    "cookie": (cookie, "ok"),
    # Codings.
    "coded-br": (coded("br"), "bad-answer"),
    "coded-deflate": (coded("deflate"), "bad-answer"),
    "coded-zstd": (coded("zstd"), "bad-answer"),
    "coded-unknown": (coded("x-secret"), "bad-answer"),
    "coded-twice": (two_lines("Content-Encoding", "identity", "gzip"),
                    "bad-answer"),
    "coded-identity": (coded("identity"), "ok"),
    "coded-empty": (coded(""), "ok"),
    "transfer-identity": (with_headers(Transfer_Encoding="identity"),
                          "bad-answer"),
    "transfer-twice": (two_lines("Transfer-Encoding", "chunked", "gzip"),
                       BAD),
    "chunk-negative": (chunks_of(lambda b: b"-5\r\nhello\r\n0\r\n\r\n"), BAD),
    "chunk-words": (chunks_of(lambda b: b"zz\r\nhello\r\n0\r\n\r\n"), BAD),
    "chunk-huge": (chunks_of(lambda b: b"ffffffffffffffff\r\n" + b), BAD),
    "chunk-short": (chunks_of(lambda b: chunks(b[:-1]) + b"\r\n"), BAD),
    "chunk-extended": (chunks_of(lambda b: b"%x;%s\r\n%s\r\n0\r\n\r\n" % (
        len(b), b"n=" + b"v" * 3000, b)), "ok|bad-answer|unreachable"),
    "chunk-extension-without-end": (chunks_of(
        lambda b: b"1;" + b"v" * 3000000), BAD + "|remote-limit"),
    "chunk-no-lines": (chunks_of(lambda b: b"%x\n%s\n0\n\n" % (len(b), b)),
                       "ok|bad-answer|unreachable"),
    "trailers-without-end": (trailers_without_end, "remote-limit|bad-answer"),
    "open-end": (ends_in(0.2), "ok"),
    # Connections.
    "more-later": (delayed(b"HTTP/1.1 206 P\r\nContent-Length: 1\r\n\r\nx"),
                   "ok|bad-answer"),
    "junk-later": (delayed(b"junk"), "ok|bad-answer"),
    "eager": (eager, "ok|bad-answer"),
    "reset-twice": (drops(2, 1000), "ok"),
    "reset-for-ever": (drops(999, 10), "unreachable"),
    "reset-then-other": (other_after_reset, "remote-changed"),
    # Redirects.
    "location-twice": (location_twice, BAD),
    "ring": (two_steps, "remote-limit"),
    "stalls-behind-location": (stalls_behind_location, "ok|unreachable"),
    "floods-behind-location": (floods_behind_location, "ok|unreachable"),
    "moves-later": (moves_later, "remote-changed"),
    "to-ftp": (redirect("ftp://127.0.0.1/x"), "bad-answer"),
    "to-data": (redirect("data:application/octet-stream,x"), BAD),
    "to-s3": (redirect("s3://models/x"), "bad-answer"),
    "to-hub": (redirect("hf://a/b/c"), "bad-answer"),
    "to-dict": (redirect("dict://127.0.0.1:11211/stat"), "bad-answer"),
    "to-port-0": (redirect("http://127.0.0.1:0/x"), BAD),
    "to-port-huge": (redirect("http://127.0.0.1:99999/x"), BAD),
    "to-no-host": (redirect("http:///x"), BAD),
    "to-half-address": (redirect("http://[::1/x"), BAD),
    "to-zero-byte": (redirect("http://127.0.0.1%00.example/x"), BAD),
    "to-spaces": (redirect("/good/a b"), "ok"),
    "to-bytes": (redirect("/good/\xe9"), "ok"),
    "to-letters": (redirect("/good/\xc3\xa4?x=\xc3\xb6 {}"), "ok"),
    "to-other-letters": (redirect("http://\xc3\xa4.example/x"), BAD),
    "to-carriage-return": (redirect("/good/x\rHost: evil"), BAD),
    "to-user": (redirect("http://hush:hush@localhost/"), BAD),
    "to-closed-port": (redirect(lambda s, r: "http://127.0.0.1:1/x"),
                       "unreachable"),
    "to-tls-there": (redirect(lambda s, r: f"https://127.0.0.1:{s.port}/good/x"
                              ), "unreachable"),
    "307": (redirect("/good/x", 307), "ok"),
    "303": (redirect("/good/x", 303), "ok"),
    "304-first": (refused(304), BAD),
}


def check_reading(tenon, data, faults, name, want, weights, bad):
    server = Server(data, faults)
    url = f"http://127.0.0.1:{server.port}/{name}/model.safetensors?k=hush"
    before = time.monotonic()
    got = run(tenon, "get", url, "w", "--raw", "--verbose", "-o", "-")
    seconds = time.monotonic() - before
    count = len(server.requests)
    server.reset()
    told = run(tenon, "info", "--json", url)
    server.close()
    reason = reason_of(told)
    all_told = got.stderr + told.stderr + told.stdout
    for holds, text in (
            (got.returncode in range(10), f"ended with {got.returncode}"),
            (got.returncode or got.stdout == weights,
             f"{len(got.stdout)} other bytes"),
            ("ok" in want.split("|") or got.returncode, "accepted"),
            (want != "ok" or not got.returncode,
             f"refused: {got.stderr.decode()[-300:]}"),
            (reason in want.split("|"), f"{reason}, not {want}: "
             f"{got.stderr.decode()[-250:]}"),
            (seconds < SECONDS, f"took {seconds:.1f} s"),
            (count < 500, f"{count} requests"),
            (b"hush" not in all_told, f"a secret: {all_told[-300:]}"),
            (not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", got.stderr),
             f"control characters: {got.stderr[-300:]}")):
        if not holds:
            bad.append(f"{name}: {text}")


def no_head(status):
    """Links that are signed for GET know no other method."""
    def fault(server, connection, request):
        if request.method == "HEAD":
            connection.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: 0"
                               "\r\n\r\n".encode())
            return
        part(server, connection, request)
    return fault


def catalog(tenon, data, faults, bad):
    """All of them in one table: each has its row, and those that are models
    have the same tensors."""
    good_ones = {f"no-head-{n}": no_head(n) for n in (400, 403, 405, 501)}
    server = Server(data, {**faults, **good_ones})
    urls = {name: f"http://127.0.0.1:{server.port}/{name}/model.safetensors"
            for name in [*READING, *good_ones]}
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/all.ndjson"
        before = time.monotonic()
        done = run(tenon, "catalog", "--hash", "-j", "8", *urls.values(), "-o",
                   out, seconds=200)
        seconds = time.monotonic() - before
        with open(out, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
    server.close()
    status = {r["file"]: r["status"] for r in rows if r["row"] == "file"}
    hashes = {}
    for row in rows:
        if row["row"] == "tensor" and status[row["file"]] == "ok":
            hashes.setdefault(row["file"], []).append(row.get("sha256"))
    if done.returncode or set(status) != set(urls.values()):
        bad.append(f"catalog: {done.returncode}, {len(status)} files")
    if len({tuple(h) for h in hashes.values()}) != 1 or seconds > 100:
        bad.append(f"catalog: other tensors, or {seconds:.1f} s")
    for name, url in urls.items():
        want = READING[name][1] if name in READING else "ok"
        if "|" not in want and (want == "ok") != (status.get(url) == "ok"):
            bad.append(f"catalog: {name} is {status.get(url)}")


def read_all(tenon, only, bad):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.safetensors")
        weights = noise(300001, 2)
        safetensors(path, {"a": noise(300000, 1), "w": weights}, 100000)
        with open(path, "rb") as file:
            data = file.read()
    faults = {name: fault for name, (fault, _) in READING.items()}
    faults.update(good=good, whole=whole, elsewhere=elsewhere)
    # Most of the time is waiting.
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda name: check_reading(
            tenon, data, faults, name, READING[name][1], weights, bad),
            [name for name in READING if not only or name in only]))
    if not only:
        catalog(tenon, data, faults, bad)


def main():
    tenon = os.path.abspath(sys.argv[1])
    bad = []
    read_all(tenon, sys.argv[2:], bad)
    for line in bad:
        print(line)
    print(f"{len(READING)} faults, {len(bad)} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
