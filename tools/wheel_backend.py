"""Makes the wheel and the source archive of the Python package.

    /usr/bin/python3 tools/wheel_backend.py wheel|sdist FOLDER

It is also what pyproject.toml names as build backend, so that `pip install .`
and `pip wheel .` work; it needs nothing but CMake, a compiler and this Python.

The wheel has the package, the command, and libtenon with the libraries that it
needs: zlib, zstd and snappy lie beside it, all others are inside of it.  Nothing
in it depends on a version of Python, and nothing on a glibc newer than 2.34.
The same sources give the same bytes.

TENON_WHEEL_ARCH=arm64 makes the wheel for another processor (tools/cross).
"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import io
import gzip

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
GLIBC = (2, 34)
BESIDE = ("libz.so.1", "libzstd.so.1", "libsnappy.so.1")
PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}


def run(*words, **options):
    try:
        return subprocess.run(words, check=True, text=True, cwd=TOP,
                              stdout=subprocess.PIPE, **options).stdout
    except subprocess.CalledProcessError as error:
        sys.stderr.write(error.stdout)  # what the compiler says
        raise


def version():
    with open(os.path.join(TOP, "include/tenon/version.h")) as file:
        return re.search(r'TN_VERSION_STRING "(.*)"', file.read())[1]


def date():
    """Seconds since 1970 that files in archives carry."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", 1577836800))


def metadata():
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: tenon\nVersion: {version()}\n"
            "Summary: Opens, checks, converts and shows neural-network model "
            "files of any size\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\n"
            "Classifier: License :: OSI Approved :: Apache Software License\n"
            "Classifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Programming Language :: Python :: 3\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


# ---- building ----------------------------------------------------------------


class Build:
    """A build tree for one processor, and the tools for its programs."""

    def __init__(self, arch):
        self.processor = PROCESSORS[arch]
        self.folder = os.path.join(TOP, "build", "dist-" + arch)
        self.settings = []
        self.prefix = ""
        self.libraries = ["/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu"]
        if arch != machine():
            triplet, root = run("tools/cross", arch, "--root").split()[-2:]
            self.prefix = triplet + "-"
            self.libraries = [f"{root}/usr/lib/{triplet}",
                              f"{root}/lib/{triplet}"]
            self.settings = ["--toolchain", "cmake/cross.cmake",
                             "-DTN_CROSS=" + triplet, "-DTN_CROSS_ROOT=" + root]
        elif self.processor != "x86_64":
            self.libraries = [folder.replace("x86_64", self.processor)
                              for folder in self.libraries]

    def make(self, *targets):
        os.makedirs(self.folder, exist_ok=True)
        flags = "-O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 " \
                "-fstack-protector-strong -ffunction-sections " \
                "-fno-asynchronous-unwind-tables " \
                f"-ffile-prefix-map={TOP}=. " \
                f"-ffile-prefix-map={self.folder}=build"
        run("cmake", "-G", "Ninja", "-S", TOP, "-B", self.folder,
            "-DCMAKE_BUILD_TYPE=Release", "-DTN_TESTS=OFF",
            "-DCMAKE_C_FLAGS_RELEASE=" + flags,
            "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections",
            "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--gc-sections",
            "-DTN_PACK_RELOCATIONS=OFF", *self.settings)  # glibc 2.36
        run("cmake", "--build", self.folder, "--target", *targets)

    def strip(self, source, target):
        """Without symbols; those are in TARGET.debug then."""
        objcopy = self.prefix + "objcopy"
        run(objcopy, "--only-keep-debug", source, target + ".debug")
        run(objcopy, "--strip-all", "--add-gnu-debuglink=" + target + ".debug",
            source, target)

    def library(self, name):
        for folder in self.libraries:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return os.path.realpath(path)
        raise SystemExit(f"no {name} in {self.libraries}")

    def check_glibc(self, path):
        said = run(self.prefix + "objdump", "-p", path)
        for found in re.findall(r"GLIBC_(\d+)\.(\d+)", said):
            if tuple(map(int, found)) > GLIBC:
                raise SystemExit(f"{path} needs glibc {'.'.join(found)}")
        for found in re.findall(r"GLIBC_ABI_\w+", said):
            raise SystemExit(f"{path} needs a glibc with {found}")


def machine():
    return {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]


def collect(build, stage):
    """The files of the wheel: (name in it, path, may be run)."""
    build.make("libtenon_bundled", "tenon_command", "libtenon")
    run("cmake", "--install", build.folder, "--prefix", "/usr",
        env={**os.environ, "DESTDIR": stage, "PYTHON": "true"})
    package = os.path.join(stage, "usr/lib/python3/dist-packages/tenon")
    os.remove(os.path.join(package, "library"))
    files = []
    for folder, _, names in os.walk(package):
        for name in names:
            path = os.path.join(folder, name)
            files.append(("tenon/" + os.path.relpath(path, package), path,
                          False))
    soname = next(name for name in os.listdir(build.folder + "/bundled")
                  if re.fullmatch(r"libtenon\.so\.\d+\.\d+", name))
    stripped = os.path.join(stage, soname)
    build.strip(os.path.join(build.folder, "bundled", soname), stripped)
    files.append(("tenon/" + soname, stripped, True))
    for name in BESIDE:
        files.append(("tenon/" + name, build.library(name), True))
    command = os.path.join(stage, "tenon-command")
    build.strip(os.path.join(build.folder, "tenon"), command)
    files.append((f"tenon-{version()}.data/scripts/tenon", command, True))
    for _, path, is_program in files:
        if is_program:
            build.check_glibc(path)
    info = f"tenon-{version()}.dist-info/"
    files.append((info + "LICENSE", os.path.join(TOP, "LICENSE"), False))
    files.append((info + "NOTICES",
                  os.path.join(build.folder, "generated/NOTICES"), False))
    return files


# ---- archives ----------------------------------------------------------------


def add(archive, name, data, is_program=False):
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    entry.create_system = 3
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = Build(os.environ.get("TENON_WHEEL_ARCH", machine()))
    tag = f"py3-none-manylinux_{GLIBC[0]}_{GLIBC[1]}_{build.processor}"
    info = f"tenon-{version()}.dist-info/"
    name = f"tenon-{version()}-{tag}.whl"
    target = os.path.join(wheel_directory, name)
    with tempfile.TemporaryDirectory() as stage:
        files = sorted(collect(build, stage))
        with zipfile.ZipFile(target + ".new", "w") as archive:
            record = ""
            for entry, path, is_program in files:
                with open(path, "rb") as file:
                    record += add(archive, entry, file.read(), is_program)
            record += add(archive, info + "METADATA", metadata().encode())
            record += add(archive, info + "WHEEL",
                          ("Wheel-Version: 1.0\nGenerator: tenon\n"
                           f"Root-Is-Purelib: false\nTag: {tag}\n").encode())
            record += info + "RECORD,,\n"
            add(archive, info + "RECORD", record.encode())
        for debug in ("libtenon", "tenon-command"):
            for file in os.listdir(stage):
                if file.startswith(debug) and file.endswith(".debug"):
                    shutil.copy(os.path.join(stage, file), build.folder)
    os.replace(target + ".new", target)
    return name


def tracked():
    """What git tracks; nothing without git, or in the repository of another
    project."""
    try:
        if run("git", "rev-parse", "--show-prefix",
               stderr=subprocess.DEVNULL).strip():
            return []
        names = run("git", "ls-files", "-z", stderr=subprocess.DEVNULL)
        return sorted(name for name in names.split("\0") if name)
    except (OSError, subprocess.CalledProcessError):
        return []


def sources(out):
    """What belongs to the project: what git tracks, or all that is there but
    what was made, such as the folder `out`."""
    found = tracked()
    if found:
        return found
    made = [os.path.realpath(out), os.path.join(TOP, "build")]
    for folder, folders, names in os.walk(TOP):
        folders[:] = [f for f in folders if f not in (".git", "__pycache__")
                      and os.path.join(folder, f) not in made]
        found += [os.path.relpath(os.path.join(folder, name), TOP)
                  for name in names if name != "PKG-INFO"]
    return sorted(found)


def write_sources(path, more=()):
    """All sources as PATH.tar.gz, below tenon-VERSION/."""
    root = f"tenon-{version()}/"
    with open(path + ".new", "wb") as file, \
            gzip.GzipFile("", "wb", 9, file, mtime=date()) as packed, \
            tarfile.open(fileobj=packed, mode="w",
                         format=tarfile.PAX_FORMAT) as archive:
        for name in sources(os.path.dirname(os.path.abspath(path))):
            entry = archive.gettarinfo(os.path.join(TOP, name), root + name)
            entry.mtime = date()
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = "root"
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            if entry.isreg():
                with open(os.path.join(TOP, name), "rb") as source:
                    archive.addfile(entry, source)
            else:
                archive.addfile(entry)
        for name, data in more:
            entry = tarfile.TarInfo(root + name)
            entry.mtime, entry.size, entry.mode = date(), len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    os.replace(path + ".new", path)


def build_sdist(sdist_directory, config_settings=None):
    name = f"tenon-{version()}.tar.gz"
    write_sources(os.path.join(sdist_directory, name),
                  [("PKG-INFO", metadata().encode())])
    return name


def main(words):
    if len(words) != 2 or words[0] not in ("wheel", "sdist"):
        sys.exit(__doc__.split("\n\n")[1])
    os.makedirs(words[1], exist_ok=True)
    make = {"wheel": build_wheel, "sdist": build_sdist}[words[0]]
    print(os.path.join(words[1], make(words[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
