"""cluster.py TENON LIBRARY ROOT: tenon.dask on a scheduler and three workers, against a
store of objects; a worker is killed on the way.

What comes out must be what one process gives, byte for byte.  Everything runs on
127.0.0.1, and ends with the test.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TENON, LIBRARY, ROOT = (os.path.abspath(p) for p in sys.argv[1:4])
os.environ["TENON_LIBRARY"] = LIBRARY
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests/remote")]
from servers import clean_environment, free_ports, node, noise, safetensors, skip  # noqa: E402

MODELS = 60
failures = []


def expect(claim, what):
    if not claim:
        failures.append(what)
        print("failed:", what)


class Cluster:
    """A scheduler and workers, as processes."""

    def __init__(self, place, environment, workers=3):
        self.place, self.count, self.processes = place, workers, []
        self.environment = dict(
            environment, PYTHONPATH=os.path.join(ROOT, "python"),
            TENON_LIBRARY=LIBRARY, DASK_TEMPORARY_DIRECTORY=place,
            DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="10",
            DASK_DISTRIBUTED__ADMIN__LOG_LENGTH="10")
        self.log = open(place + "/dask.log", "w")

    def start(self, *arguments):
        process = subprocess.Popen(
            ["timeout", "240", "/usr/bin/python3", "-m", *arguments],
            env=self.environment, cwd=self.place, stdout=self.log,
            stderr=self.log, start_new_session=True)
        self.processes.append(process)
        return process

    def __enter__(self):
        from distributed import Client
        port = free_ports(1)[0]
        address = f"tcp://127.0.0.1:{port}"
        self.start("distributed.cli.dask_scheduler", "--host", "127.0.0.1",
                   "--port", str(port), "--no-dashboard", "--no-show")
        self.workers = [
            self.start("distributed.cli.dask_worker", address, "--nthreads",
                       "1", "--no-nanny", "--no-dashboard", "--host",
                       "127.0.0.1", "--memory-limit", "0", "--local-directory",
                       self.place, "--name", f"w{i}")
            for i in range(self.count)]
        self.client = Client(address, timeout=60)
        self.client.wait_for_workers(self.count, timeout=60)
        return self

    def has_tasks(self, name):
        """Whether the scheduler waits for that worker."""
        workers = self.client.scheduler_info()["workers"]
        waiting = self.client.processing()
        return any(waiting.get(address) for address, worker in workers.items()
                   if worker["name"] == name)

    def kill_one(self, is_done):
        """Without a word, as a machine that loses its power, and with tasks
        that it has not answered: while it stands still, the work that waits for
        it cannot end before the kill."""
        name = f"w{len(self.workers) - 1}"
        group = self.workers.pop().pid
        os.killpg(group, signal.SIGSTOP)
        while not is_done.is_set():
            if self.has_tasks(name):
                os.killpg(group, signal.SIGCONT)
                time.sleep(0.005)  # in the middle of one, most likely
                os.killpg(group, signal.SIGSTOP)
                if self.has_tasks(name):
                    self.killed = True
                    break
            time.sleep(0.005)
        os.killpg(group, signal.SIGKILL)

    def kill_during(self, work):
        """Does the work, and kills a worker in the middle of it."""
        self.killed = False
        is_done = threading.Event()
        killer = threading.Thread(target=self.kill_one, args=[is_done])
        killer.start()
        try:
            result = work()
        finally:
            is_done.set()
            killer.join()
        expect(self.killed, "the work was done before the kill")
        return result

    def __exit__(self, *_):
        self.client.close()
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        self.log.close()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make(place):
    """Models, one of them with shards, a broken one, and a pickle."""
    os.makedirs(place + "/models/deep")
    for i in range(MODELS):
        below = "deep/" if i % 2 else ""
        safetensors(f"{place}/models/{below}m{i:02}.safetensors",
                    {f"t{k}": noise(2000 + i, i * 10 + k) for k in range(5)})
    with open(place + "/models/broken.safetensors", "wb") as file:
        file.write(b"\xff" * 30)
    with open(place + "/models/evil.pkl", "wb") as file:
        file.write(b"\x80\x02cos\nsystem\nU\x02ls\x85R.")


def on_files(place, cluster):
    """Each job once, with a worker that dies while the catalog is made."""
    import tenon
    import tenon.dask
    models, client = place + "/models", cluster.client
    forged = models + "/!.ndjson"  # says that a pickle is none
    with open(forged, "w", encoding="utf-8") as rows:
        rows.write('{"row": "file", "file": "%s/evil.pkl", "status": "other", '
                   '"verdict": "clean"}\n' % models)
    tenon.catalog(models, place + "/one.ndjson", hashes=True)
    done = cluster.kill_during(lambda: tenon.dask.catalog(
        models, place + "/many.ndjson", client=client, hashes=True,
        together=2))
    expect(done.files == MODELS + 3, f"catalog: {done}")
    expect(read(place + "/one.ndjson") == read(place + "/many.ndjson"),
           "the catalog of a cluster is that of one process")
    os.remove(forged)
    done = tenon.dask.catalog(models, place + "/many.ndjson", client=client,
                              hashes=True)
    expect(done.removed == 1 and b"!.ndjson" not in
           read(place + "/many.ndjson"), f"a file that is gone: {done}")
    good = models + "/**/*.safetensors"
    checked = tenon.dask.check(good, client=client)
    bad = [r.path for r in checked if r.error or r.value]
    expect(len(checked) == MODELS + 1 and
           bad == [models + "/broken.safetensors"], f"check: {bad}")
    scanned = {r.path: r for r in tenon.dask.scan(models, client=client)}
    expect(scanned[models + "/evil.pkl"].value[0][0] == "dangerous", "scan")
    hashed = tenon.dask.hash(good, client=client)
    with tenon.open(models + "/m00.safetensors") as model:
        expect(dict((r.path, r.value) for r in hashed)[
            models + "/m00.safetensors"] == model.hash(), "hash")
    return good


def conversions(place, cluster, good):
    """Files appear whole; what an earlier attempt wrote stays."""
    import tenon
    import tenon.dask
    done = cluster.kill_during(lambda: tenon.dask.convert(
        good, place + "/npz", ".npz", client=cluster.client))
    expect(sum(not r.error for r in done) == MODELS, "convert")
    again = tenon.dask.convert(good, place + "/npz", ".npz",
                               client=cluster.client)
    expect([r[:2] for r in again] == [r[:2] for r in done], "convert again")
    for result in done:
        if result.error:
            continue
        with tenon.open(result.path) as model:
            model.convert(place + "/alone.npz", replace=True)
        expect(read(place + "/alone.npz") == read(result.value),
               f"{result.value}: other bytes")
    left = [name for folder, _, names in os.walk(place + "/npz")
            for name in names if not name.endswith(".npz")]
    expect(all(".tenon-" in name for name in left), f"left behind: {left}")


def on_shards(place, cluster):
    """The files of one model."""
    import tenon
    import tenon.dask
    whole = {f"w{i}": noise(5000, i) for i in range(12)}
    safetensors(place + "/whole.safetensors", whole)
    subprocess.run([TENON, "split", "-q", place + "/whole.safetensors", "-o",
                    place + "/sharded", "--max-size", "21000"], check=True)
    index = place + "/sharded.safetensors.index.json"
    parts = tenon.dask.shards(index)
    expect(len(parts) >= 3, f"shards: {parts}")
    joined = {}
    for result in tenon.dask.hash(parts, client=cluster.client):
        joined.update(result.value)
    with tenon.open(place + "/whole.safetensors") as model:
        expect(joined == model.hash(), "hashes of shards are those of the model")


def on_store(place, cluster, engines, environment):
    """The same at s3://, listed and read there, and written there."""
    import tenon
    import tenon.dask
    url = "s3://models/fleet/"
    for folder, _, names in os.walk(place + "/models"):
        for name in names:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, place + "/models")
            if not name.endswith(".safetensors") or key.startswith("broken"):
                continue
            done = subprocess.run([TENON, "convert", "-q", path, "-o",
                                   url + key], env=environment,
                                  capture_output=True, timeout=60)
            if done.returncode:
                return expect(False, f"upload: {done.stderr.decode()}")
            if "m1" in name:
                break
    tenon.catalog(url, place + "/store-one.ndjson", hashes=True)
    done = cluster.kill_during(lambda: tenon.dask.catalog(
        url, place + "/store-many.ndjson", client=cluster.client, hashes=True,
        together=2))
    expect(done.models > 3 and done.models == done.files, f"store: {done}")
    expect(read(place + "/store-one.ndjson") ==
           read(place + "/store-many.ndjson"),
           "the catalog of a store, by a cluster and by one process")
    wrote = tenon.dask.convert(url, "s3://models/npz", ".npz",
                               client=cluster.client)
    again = tenon.dask.convert(url, "s3://models/npz", ".npz",
                               client=cluster.client)
    expect(wrote == again and not any(r.error for r in wrote),
           f"convert in the store: {[r.error for r in wrote if r.error][:2]}")
    return None


def main():
    try:
        import distributed  # noqa: F401
    except ImportError:
        skip("python3-distributed is missing")
    engines = os.environ.get("TN_ENGINES", "")
    place = tempfile.mkdtemp(prefix="tenon-cluster-")
    keys = {"AWS_ACCESS_KEY_ID": "AKIDTENON", "AWS_REGION": "us-east-1",
            "AWS_SECRET_ACCESS_KEY": "SECRETTENON"}
    began = time.time()
    try:
        make(place)
        has_store = (shutil.which("node") and
                     os.path.isdir(f"{engines}/node_modules/s3rver"))
        if has_store:
            ports = list(map(str, free_ports(2)))
            keys["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{ports[1]}"
            os.environ.update(keys)
            with node("s3_store.cjs", place + "/s3", *ports, ENGINES=engines):
                environment = clean_environment(**keys)
                with Cluster(place, environment) as cluster:
                    run_all(place, cluster)
                with Cluster(place, environment) as cluster:
                    on_store(place, cluster, engines, environment)
        else:
            print("store: skipped, s3rver is not installed")
            with Cluster(place, clean_environment()) as cluster:
                run_all(place, cluster)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(f"cluster: {time.time() - began:.1f} s,",
          "failed" if failures else "all as by one process")
    sys.exit(1 if failures else 0)


def names():
    """A store may have keys that lead anywhere; what is written may not."""
    import tenon.dask
    got = tenon.dask._targets(["s3://m/a/x.onnx", "s3://m/../../etc/y.onnx",
                               "s3://m//z.onnx", "s3://m/./b.onnx",
                               "s3://m/c.onnx"], "/out/", ".npz")
    expect(got == {"s3://m/a/x.onnx": "/out/a/x.npz",
                   "s3://m/c.onnx": "/out/c.npz"}, f"names: {got}")


def run_all(place, cluster):
    names()
    good = on_files(place, cluster)
    conversions(place, cluster, good)
    on_shards(place, cluster)


if __name__ == "__main__":
    main()
