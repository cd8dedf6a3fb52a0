"""The rows of remote: files on a server of this machine, against curl for the same bytes.

nginx serves them on 127.0.0.1, started as tests/remote does, and is ended by its id."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "remote"))
import places  # noqa: E402
import servers  # noqa: E402

SHARDS, BLOCK = 8, 64 << 10
WIDE = 300_000_000  # bytes of the tensor


def wide_file(files):
    """One tensor of WIDE bytes behind a short one."""
    length = WIDE // files.part
    path = files.path(f"wide-{length}.safetensors")
    if not os.path.exists(path):
        first = servers.noise(1 << 20, 1)
        servers.safetensors(path + ".new", {"small": first[:4096], "wide": (first * (length // len(first) + 1))[:length]})
        os.rename(path + ".new", path)
    return path, length


def shard_files(folder):
    names = [f"model-{i + 1:05}-of-{SHARDS:05}.safetensors" for i in range(SHARDS)]
    for i, name in enumerate(names):
        servers.safetensors(os.path.join(folder, name), {f"layer.{i}.{k}": servers.noise(200_000, 10 * i + k) for k in range(4)})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": {f"layer.{i}.{k}": name for i, name in enumerate(names) for k in range(4)}}, file)


def told(files, *arguments):
    """Requests and bytes of a job."""
    done = subprocess.run([files.tenon, *arguments, "--verbose"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"(\d+) requests \(.*\), (\d+) bytes, ", done.stderr)
    return int(found[1]), int(found[2])


def few_requests(bench, files, at, size):
    def row(title, job, limit, met):
        requests, fetched = told(files, *job)
        bench.row(title, f"{requests} requests", "-", "-", "-", f"{fetched:,} bytes", limit, met(requests, fetched))

    row(f"info, {SHARDS} shards at a URL", ["info", f"{at}/model.safetensors.index.json"], f"<= {SHARDS + 1} requests",
        lambda requests, _: requests <= SHARDS + 1)
    row(f"info, {size(os.path.getsize(files.made('big', 'onnx')))} of weights at a URL", ["info", f"{at}/big.onnx"], "<= 2 MB",
        lambda _, fetched: fetched <= 2_000_000)
    name, _, length = files.tensors("big")[7]
    _, opened = told(files, "info", f"{at}/big.onnx")
    most = opened + length + length // 100 + BLOCK
    row(f"get, {size(length)} of it", ["get", f"{at}/big.onnx", name, "--raw", "--force", "-o", "/dev/null"],
        "opening, its bytes + 1 % + 64 KiB", lambda _, fetched: fetched <= most)


def throughput(bench, files, job, at, secure, path, length):
    begin, out = os.path.getsize(path) - length, files.path("out.safetensors")
    url, curl = f"{at}/wide.safetensors", ["curl", "-s", "-S", "--noproxy", "*"]
    over_tls = f"{secure}/wide.safetensors"

    def clear():
        if os.path.exists(out):
            os.remove(out)

    ranged = [*curl, "-r", f"{begin}-{begin + length - 1}"]
    pairs = (
        ("get", [files.tenon, "get", url, "wide", "--raw", "-o", "-"], [*ranged, url], "/dev/null"),
        ("get over TLS", [files.tenon, "get", over_tls, "wide", "--raw", "-o", "-"], [*ranged, over_tls], "/dev/null"),
        ("copy", [files.tenon, "convert", "-q", url, "-o", out], [*curl, url, "-o", out], None),
        ("hash", [files.tenon, "hash", "-q", url], ["sh", "-c", f"curl -s -S --noproxy '*' {url} | openssl dgst -sha256"], "/dev/null"),
    )
    for what, ours, theirs, to in pairs:
        for clock, how in (("wall", "on the clock"), ("cpu", "on the processors")):
            made = job("tenon", ours, clock, out=to, before=clear)
            peer = job("curl" if what != "hash" else "curl, openssl", theirs, clock, out=to, before=clear)
            bench.measure([peer, made])
            bench.compare_speed(f"{what}, {length // 1_000_000} MB of a URL, {how}", made, peer, 0.9 if clock == "wall" else None)
    clear()


def remote(bench, files, job, size):
    if not shutil.which("curl") or not shutil.which("nginx", path=servers.search_path()):
        bench.missing.append("nginx or curl")
        return
    for name in [key for key in os.environ if key.lower().endswith("_proxy")]:
        del os.environ[name]
    path, length = wide_file(files)
    with tempfile.TemporaryDirectory(prefix="tenon-bench-") as folder:
        www = os.path.join(folder, "www")
        os.makedirs(www)
        shard_files(www)
        os.symlink(path, os.path.join(www, "wide.safetensors"))
        os.symlink(files.made("big", "onnx"), os.path.join(www, "big.onnx"))
        port = places.four_ports()
        os.environ["CURL_CA_BUNDLE"] = os.path.join(folder, "ca.pem")
        for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
            os.environ.pop(name, None)
        with servers.Server("sh", os.path.join(servers.HERE, "nginx.sh"), folder, str(port), PATH=servers.search_path()):
            at = f"http://127.0.0.1:{port}"
            subprocess.run(["curl", "-s", "--retry", "9", "--retry-connrefused", "-o", "/dev/null", f"{at}/big.onnx", "-r", "0-0"], check=True)
            few_requests(bench, files, at, size)
            throughput(bench, files, job, at, f"https://localhost:{port + 1}", path, length)
