"""The rows of zips: 4 GiB of noise in 200 stored entries."""
import os
import subprocess

ENTRIES = 200
TWENTY = 20 << 20


def noise(files):
    """As hard to compress as weights are."""
    path = files.path(f"noise-{files.part}.bin")
    if not os.path.exists(path):
        with open(path + ".new", "wb") as to:
            for _ in range((4 << 30) // files.part >> 22):
                to.write(os.urandom(1 << 22))
        os.rename(path + ".new", path)
    return path


def forget(*paths):
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)
    os.sync()


def made(bench, files):
    path = files.path(f"noise-{files.part}.zip")
    if not os.path.exists(path):
        subprocess.run([bench.program("zip_jobs"), "create", noise(files), path,
                        str(ENTRIES)], check=True, stdout=subprocess.DEVNULL)
    return path


def create(bench, files, job):
    source, out = noise(files), files.path("out.zip")
    jobs = [job("cat", ["cat", source], "wall", out=out,
                before=lambda: forget(out)),
            job("create", [bench.program("zip_jobs"), "create", source, out,
                           str(ENTRIES)], "wall", before=lambda: forget(out))]
    if bench.has("peer_libzip"):
        jobs.append(job("libzip", [bench.program("peer_libzip"), "create",
                                   source, out, str(ENTRIES)], "wall",
                        before=lambda: forget(out), is_slow=True))
    bench.measure(jobs)
    forget(out)
    title = f"zip, {os.path.getsize(source) / 2**30:.2g} GiB, crc included"
    bench.compare(title, jobs[1], jobs[0], most=1.25)
    for peer in jobs[2:]:
        bench.compare(title, jobs[1], peer)


def read(bench, files, job):
    path, name = made(bench, files), f"fp32/params/{ENTRIES // 2}.fb"
    listing = subprocess.run(["unzip", "-l", path, name], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    length = next(line.split()[0] for line in listing.splitlines()
                  if line.endswith(name))
    floor = job("pread", [bench.program("floors"), "read", path, "4096",
                          length])
    ours = job("open, read", [bench.program("zip_jobs"), "read", path, name])
    listed = job("open", [bench.program("zip_jobs"), "list", path])
    peers = [job("libzip", [bench.program("peer_libzip"), *words])
             for words in (("list", path), ("read", path, name))
             if bench.has("peer_libzip")]
    bench.measure([floor, ours, listed] + peers)
    bench.compare("zip, one of 200 entries", ours, floor, most=1.25)
    if peers:
        bench.compare("zip, one of 200 entries", ours, peers[1])
        bench.compare("zip, list 200 entries", listed, peers[0])


def append(bench, files, job):
    """Each on a copy of its own, which grows by 20 MiB a round."""
    source, path = noise(files), made(bench, files)
    copies = [files.path(f"grows-{i}.zip") for i in range(3)]
    for copy in copies:
        subprocess.run(["cp", "--reflink=auto", path, copy], check=True)
    os.sync()
    floor = job("append + fdatasync", [bench.program("zip_jobs"),
                                       "floor-append", copies[0], source,
                                       str(TWENTY)], "wall")
    ours = job("append", [bench.program("zip_jobs"), "append", copies[1],
                          source, str(TWENTY)], "wall")
    jobs = [floor, ours]
    if bench.has("peer_libzip"):
        jobs.append(job("libzip", [bench.program("peer_libzip"), "append",
                                   copies[2], source, str(TWENTY)], "wall",
                        before=lambda: subprocess.run(
                            ["cp", "--reflink=auto", path, copies[2]],
                            check=True), is_slow=True))
    bench.measure(jobs)
    bench.compare("zip, append 20 MiB, durable", ours, floor, most=3)
    for peer in jobs[2:]:
        bench.compare("zip, append 20 MiB, durable", ours, peer, least=50)
    forget(*copies)


def verify(bench, files, job):
    path = made(bench, files)
    for workers in ("1", "2"):
        plural = "" if workers == "1" else "s"
        floor = job(f"read + crc32, {workers} thread{plural}",
                    [bench.program("zip_jobs"), "floor-crc32", path, workers],
                    "wall")
        ours = job("verify", [bench.program("zip_jobs"), "verify", path,
                              workers], "wall")
        bench.measure([floor, ours])
        bench.compare(f"zip, every crc, {workers} worker{plural}", ours, floor,
                      most=1 / 0.8)


def zips(bench, files, job):
    for group in create, read, append, verify:
        group(bench, files, job)
