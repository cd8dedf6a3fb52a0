"""The seeds of remote_answer_fuzz, header lines of a server's answers, and of
remote_list_fuzz, lists of files.

    make_remote.py    writes remote_answer_fuzz/ and remote_list_fuzz/ beside
                      this file
"""
import os

DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
SEEDS = {
    "good": ["HTTP/1.1 206 Partial Content", 'ETag: "v"',
             "Content-Range: bytes 100-199/1000", "Content-Length: 100"],
    "weak": ["HTTP/2 206", 'etag: W/"v"', f"last-modified: {DATE}",
             "content-range: bytes 100-150/*"],
    "busy": ["HTTP/1.1 503 x", f"Retry-After: {DATE}"],
    "redirect": ["HTTP/1.1 302 Found", "Location: ../../x?y=//z",
                 'X-Linked-ETag: "a"'],
    "dots": ["HTTP/1.1 302 x", "Location: https://[::1]:65535/./a/../..//b/."],
    "lies": ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK",
             "Content-Encoding: gzip", "Content-Length: 99999999999999999999"],
}

LISTS = {
    "store": """<?xml version="1.0"?><ListBucketResult xmlns="x"><Prefix>d/</Prefix>
<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
<NextContinuationToken>a&amp;b</NextContinuationToken>
<Contents><Key>d/a+b%2Bc</Key><ETag>&quot;e-2&quot;</ETag><Size>99</Size></Contents>
<CommonPrefixes><Prefix>d/f/</Prefix></CommonPrefixes></ListBucketResult>""",
    "hub": """[{"type":"directory","oid":"t","size":0,"path":"d/f"},
{"type":"file","oid":"g","size":9,"path":"d/a.onnx",
"lfs":{"oid":"s","size":9,"pointerSize":130}}]""",
    "nginx": '[{"name":"a","type":"file","mtime":"x","size":5}]',
    "page": """<html><a href="../">up</a><a href="?C=N">N</a><A HREF='a%20b'>a</A>
<a href="/m/c&amp;d">c</a><a href="d/">d</a><a href="http://h/x">x</a></html>""",
}

here = os.path.dirname(os.path.realpath(__file__))


def write(folder, name, data):
    folder = os.path.join(here, folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


for name, lines in SEEDS.items():
    write("remote_answer_fuzz", name,
          "".join(line + "\r\n" for line in lines + [""]).encode())
for name, text in LISTS.items():
    write("remote_list_fuzz", name, text.encode())
