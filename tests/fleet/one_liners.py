"""one_liners.py TENON ROOT [slurm]: the commands of docs/fleet.md for GNU
parallel and, with `slurm`, for an array of Slurm make the catalog that one
process makes."""
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TENON, ROOT = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path.insert(0, os.path.join(ROOT, "tests/remote"))
from servers import noise, safetensors, skip  # noqa: E402


def commands(program):
    with open(os.path.join(ROOT, "docs/fleet.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```sh\n(.*?)```", file.read(), re.S)
    return next(block for block in blocks if program in block)


def shell(script, **more):
    return subprocess.run(["sh", "-e", "-c", script], check=True, timeout=200,
                          env=dict(os.environ, PARALLEL_HOME=os.getcwd(),
                                   **more))


def slurm_configuration(place, nodes):
    """Three nodes on this machine, which listen on 127.0.0.1 alone."""
    host = socket.gethostname().split(".")[0]
    ports = iter(range(16817, 16900))
    lines = ["ClusterName=t", f"SlurmctldHost={host}(127.0.0.1)",
             "SlurmUser=root", f"SlurmctldPort={next(ports)}",
             "AuthType=auth/munge", f"AuthInfo=socket={place}/munge.sock",
             "CryptoType=crypto/munge", f"StateSaveLocation={place}/state",
             f"SlurmdSpoolDir={place}/spool/%n",
             f"SlurmctldPidFile={place}/slurmctld.pid",
             f"SlurmdPidFile={place}/slurmd-%n.pid",
             f"SlurmctldLogFile={place}/slurmctld.log",
             f"SlurmdLogFile={place}/slurmd-%n.log",
             "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none",
             "SelectType=select/cons_tres",
             "SelectTypeParameters=CR_Core", "ReturnToService=2",
             "SlurmdTimeout=10", "MpiDefault=none", "JobRequeue=1",
             "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny"]
    lines += [f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 "
              f"Port={next(ports)} CPUs=1 RealMemory=500"
              for i in range(1, nodes + 1)]
    lines.append(f"PartitionName=p Nodes=n[1-{nodes}] Default=YES "
                 "MaxTime=INFINITE State=UP")
    with open(place + "/slurm.conf", "w") as file:
        file.write("\n".join(lines) + "\n")


def slurm_start(place, nodes=3):
    os.makedirs(place + "/spool")
    os.makedirs(place + "/state")
    os.chmod(place, 0o755)
    with open(place + "/munge.key", "wb") as file:
        file.write(os.urandom(128))
    os.chmod(place + "/munge.key", 0o600)
    subprocess.run(["munged", "--force", f"--key-file={place}/munge.key",
                    f"--socket={place}/munge.sock",
                    f"--pid-file={place}/munged.pid",
                    f"--log-file={place}/munged.log",
                    f"--seed-file={place}/munge.seed"], check=True)
    slurm_configuration(place, nodes)
    conf = place + "/slurm.conf"
    subprocess.run(["slurmctld", "-f", conf], check=True)
    for i in range(1, nodes + 1):
        os.makedirs(f"{place}/spool/n{i}")
        subprocess.run(["slurmd", "-f", conf, "-N", f"n{i}"], check=True)
    os.environ["SLURM_CONF"] = conf


def slurm_stop(place):
    for path in glob.glob(place + "/*.pid"):
        with open(path) as file:
            subprocess.run(["kill", file.read().strip()], check=False)


def slurm_array():
    """The array, with its last line run when all of it is done."""
    block = commands("sbatch").replace("0-99", "0-5").replace("% 100", "% 6")
    *first, last = block.strip().splitlines()
    shell("\n".join(first))
    deadline = time.time() + 150
    while time.time() < deadline:
        left = subprocess.run(["squeue", "-h"], capture_output=True,
                              text=True).stdout
        if not left.strip():
            break
        time.sleep(1)
    shell(last)


def main():
    wants_slurm = sys.argv[3:] == ["slurm"]
    for tool in (["sbatch", "slurmctld", "munged"] if wants_slurm
                 else ["parallel"]):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    if wants_slurm and os.geteuid() != 0:
        skip("a cluster of Slurm is started by root")
    place = tempfile.mkdtemp(prefix="tenon-lines-")
    os.chdir(place)
    os.makedirs("bin")
    os.makedirs("parts")
    os.makedirs("models/deep")
    os.symlink(TENON, "bin/tenon")
    os.environ["PATH"] = f"{place}/bin:{os.environ['PATH']}"
    for i in range(24):
        safetensors(f"models/{'deep/' if i % 2 else ''}m {i:02}.safetensors",
                    {f"t{k}": noise(500, i * 5 + k) for k in range(4)})
    try:
        if wants_slurm:
            slurm_start(place + "/slurm")
            slurm_array()
        else:
            shell(commands("| parallel"))
        shell("tenon catalog -q --hash models -o alone.sqlite")
        dump = [subprocess.run(
            ["sqlite3", f"{name}.sqlite", "select file, status, sha256, name "
             "from files left join tensor on id = file_id order by 1, tensor"],
            check=True, capture_output=True).stdout
            for name in ("models", "alone")]
        is_good = dump[0] == dump[1] and dump[0].count(b"\n") == 24 * 4
    finally:
        slurm_stop(place + "/slurm")
        shutil.rmtree(place, ignore_errors=True)
    print("one_liners:", "the same catalog" if is_good else
          f"another catalog: {dump[0][:300]}")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
