"""Makes what a release consists of, below FOLDER (build/release).

    /usr/bin/python3 tools/release.py static|dist|deb [FOLDER]

static  the command without any shared library, its symbols beside it
dist    the source archive, a bill of materials (CycloneDX), and the SHA-256 of
        everything that is in the folder
deb     the Debian packages

The same sources give the same bytes, in whatever folder they are built.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

import wheel_backend as wheel

# Debian's package, what the project calls itself, its licence, where it goes.
COMPONENTS = (
    ("libssl-dev", "openssl", "Apache-2.0", "required"),
    ("libdeflate-dev", "libdeflate", "MIT", "required"),
    ("zlib1g-dev", "zlib", "Zlib", "required"),
    ("libbrotli-dev", "brotli", "MIT", "required"),
    ("libzstd-dev", "zstd", "BSD-3-Clause", "required"),
    ("libsnappy-dev", "snappy", "BSD-3-Clause", "required"),
    ("libc6-dev", "glibc", "LGPL-2.1-or-later", "required"),
)


def static(folder):
    build = wheel.Build(wheel.machine())
    build.make("tenon_alone")
    target = os.path.join(folder,
                          f"tenon-{wheel.version()}-linux-{build.processor}")
    build.strip(os.path.join(build.folder, "static/tenon"), target)
    os.chmod(target, 0o755)
    print(target)


def bill_of_materials():
    """CycloneDX 1.4, without the date and the serial number of a build."""
    components = []
    for package, name, licence, scope in COMPONENTS:
        found = wheel.run("dpkg-query", "-W", "-f", "${Version}", package)
        components.append({
            "type": "library", "bom-ref": name, "name": name, "version": found,
            "scope": scope, "licenses": [{"license": {"id": licence}}],
            "purl": f"pkg:deb/debian/{package}@{found}"})
    version = wheel.version()
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": "tenon", "name": "tenon",
            "version": version,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "purl": f"pkg:generic/tenon@{version}"}},
        "components": components,
        "dependencies": [{"ref": "tenon",
                          "dependsOn": [row[1] for row in COMPONENTS]}],
    }


def dist(folder):
    name = f"tenon-{wheel.version()}"
    wheel.write_sources(os.path.join(folder, name + "-source.tar.gz"))
    with open(os.path.join(folder, name + ".cdx.json"), "w") as file:
        json.dump(bill_of_materials(), file, indent=2)
        file.write("\n")
    with open(os.path.join(folder, "SHA256SUMS"), "w") as file:
        for entry in sorted(os.listdir(folder)):
            path = os.path.join(folder, entry)
            if entry != "SHA256SUMS" and os.path.isfile(path):
                file.write(f"{digest(path)}  {entry}\n")
    with open(os.path.join(folder, "SHA256SUMS")) as file:
        print(file.read(), end="")


def digest(path):
    state = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            state.update(block)
    return state.hexdigest()


def deb(folder):
    """Builds in a folder of its own, from what the source archive has."""
    scratch = os.path.join(wheel.TOP, "build/debian")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    archive = os.path.join(scratch, "sources.tar.gz")
    wheel.write_sources(archive)
    subprocess.run(["tar", "-xzf", archive, "-C", scratch], check=True)
    tree = os.path.join(scratch, f"tenon-{wheel.version()}")
    subprocess.run(["dpkg-buildpackage", "-us", "-uc", "-b"], cwd=tree,
                   check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ,
                        "SOURCE_DATE_EPOCH": str(wheel.date())})
    for entry in sorted(os.listdir(scratch)):
        if entry.endswith((".deb", ".changes", ".buildinfo")):
            shutil.copy(os.path.join(scratch, entry), folder)
            print(os.path.join(folder, entry))
    shutil.rmtree(scratch)


def main(words):
    jobs = {"static": static, "dist": dist, "deb": deb}
    if not words or words[0] not in jobs or len(words) > 2:
        sys.exit(__doc__.split("\n\n")[1])
    folder = words[1] if len(words) > 1 else os.path.join(wheel.TOP,
                                                          "build/release")
    os.makedirs(folder, exist_ok=True)
    jobs[words[0]](folder)


if __name__ == "__main__":
    main(sys.argv[1:])
