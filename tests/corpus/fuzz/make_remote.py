"""The seeds of remote_answer_fuzz: header lines of a server's answers.

    make_remote.py    writes remote_answer_fuzz/ beside this file
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

folder = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                      "remote_answer_fuzz")
os.makedirs(folder, exist_ok=True)
for name, lines in SEEDS.items():
    with open(os.path.join(folder, name), "wb") as file:
        file.write("".join(line + "\r\n" for line in lines + [""]).encode())
