"""Servers of the tests of URLs: started on 127.0.0.1, ended by their id.

Each server is a program that prints a line when it is ready.  `with` ends it,
also when a test fails; a server that outlives its test is ended by `timeout`.
"""
import json
import os
import socket
import struct
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = "240"


def search_path():
    """Where servers are: installed, or unpacked by tests/engines/install."""
    engines = os.environ.get("TN_ENGINES", "")
    return f"{os.environ['PATH']}:/usr/sbin:{engines}/nginx/usr/sbin"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def skip(why):
    print("skipped:", why)
    sys.exit(77)


def clean_environment(**more):
    """Without proxies, certificates and credentials of the machine."""
    kept = {k: v for k, v in os.environ.items()
            if k in ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL") or
            k.startswith(("ASAN", "UBSAN", "LSAN", "TENON_"))}
    kept.update(TENON_TIMEOUT="2", TENON_ATTEMPTS="3", **more)
    return kept


class Server:
    def __init__(self, *command, **environment):
        self.command = ["timeout", SECONDS, *command]
        self.environment = environment

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.PIPE, text=True,
            env=dict(os.environ, **self.environment))
        self.line = self.process.stdout.readline().split()
        if not self.line:
            raise SystemExit(f"{self.command[2:]} did not start")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def node(script, *arguments, **environment):
    environment.setdefault("ENGINES", os.environ.get("TN_ENGINES", ""))
    return Server("node", os.path.join(HERE, script), *arguments, **environment)


def fetch(url, method="GET"):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, method=method)
    with opener.open(request, timeout=20) as answer:
        return answer.read().decode()


def fetch_json(url):
    return json.loads(fetch(url))


def run(tenon, *arguments, seconds=60, **environment):
    return subprocess.run([tenon, *arguments], capture_output=True,
                          env=clean_environment(**environment),
                          timeout=seconds)


def safetensors(path, tensors, padding=0):
    """Writes {name: bytes} as tensors of U8."""
    header, offset = {}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "U8", "shape": [len(data)],
                        "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    if padding:
        header["__metadata__"] = {"padding": "x" * padding}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for data in tensors.values():
            file.write(data)


def noise(size, seed):
    """Bytes that no part repeats."""
    import random
    return random.Random(seed).randbytes(size)
