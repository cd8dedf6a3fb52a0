#!/bin/sh
# run.sh [NAME...] - what `make deb wheel static dist` made, tried as strangers
# would: by name, or all of them
#
#   static   the command alone, in an empty file system
#   wheel    in an empty virtual environment and with --target, without network
#   deb      installed, used, compiled against, upgraded and removed in a minimal
#            Debian of its own; lintian has nothing to say
#   arm64    the wheel of another processor, by a Python of that processor
#   same     two builds in different folders are the same to the bit
#
# As root.  Everything is below a temporary folder.
set -eu
unset MAKEFLAGS # of the make that called this, whose jobs are not for others
script=$(realpath "$0")
cd "$(dirname "$0")/../.."
top=$PWD
version=$(sed -n 's/.*TN_VERSION_STRING "\(.*\)"/\1/p' include/tenon/version.h)
processor=$(uname -m)
release=$top/build/release
scratch=$(mktemp -d)
trap 'umount "$scratch/debian/proc" 2>/dev/null || :; rm -rf "$scratch"' EXIT
passed=0 failed=0
fail() { echo "$*" >&2; exit 1; }
model() { build/tenon undump examples/tiny.onnx.textproto -o "$1" --force >/dev/null; }

try_static() {
    make -s static
    root=$scratch/empty
    mkdir -p "$root"
    model "$root/tiny.onnx"
    cp "$release/tenon-$version-linux-$processor" "$root/tenon"
    ! readelf -d "$root/tenon" | grep -q NEEDED || fail "needs a library"
    chroot "$root" /tenon info /tiny.onnx | grep -q Softmax
    chroot "$root" /tenon convert /tiny.onnx -o /tiny.fb
    chroot "$root" /tenon check /tiny.fb
    said=$(chroot "$root" /tenon info http://127.0.0.1:9/tiny.onnx 2>&1 || :)
    case "$said" in *"static build"*) ;; *) fail "of a URL it says: $said" ;; esac
}

# The lines of the README, as they stand there.
readme_lines() {
    sed -n '/^```python/,/^```/p' README.md | sed '/^```/d'
}

try_wheel() {
    make -s wheel
    file=$(ls "$release"/tenon-"$version"-py3-none-manylinux_*_"$processor".whl)
    /usr/bin/python3 -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install -q --no-index "$file"
    /usr/bin/python3 -m pip install -q --no-index --no-deps \
        --break-system-packages --root-user-action ignore \
        --target "$scratch/target" "$file"
    mkdir "$scratch/lines"
    model "$scratch/lines/tiny.onnx"
    readme_lines >"$scratch/lines/readme.py"
    [ -s "$scratch/lines/readme.py" ] || fail "the README has no Python"
    (cd "$scratch/lines" && "$scratch/venv/bin/python" readme.py)
    rm "$scratch/lines/tiny.safetensors"
    (cd "$scratch/lines" && PYTHONPATH=$scratch/target /usr/bin/python3 readme.py)
    "$scratch/venv/bin/tenon" info "$scratch/lines/tiny.onnx" | grep -q Softmax
    (cd "$scratch/lines" && "$scratch/venv/bin/python" -m tenon check tiny.onnx)
}

try_arm64() {
    make -s wheel ARCH=arm64
    root=$(tools/cross arm64 --root)
    root=${root##* }
    top=$(dirname "$root")
    mkdir "$scratch/arm64" "$scratch/debs" "$scratch/unpacked"
    # Each of this machine's settings would be for its own packages.
    (cd "$scratch/debs" && apt-get -q -o APT::Architecture=arm64 \
        -o APT::Architectures::=arm64 -o Dir::State="$top/apt" \
        -o Dir::State::status="$top/apt/status" -o Dir::Cache="$top/apt/cache" \
        -o APT::Sandbox::User=root download python3.11-minimal \
        libpython3.11-minimal libpython3.11-stdlib libffi8 libexpat1 libc6 \
        >/dev/null)
    for file in "$scratch"/debs/*.deb; do
        dpkg-deb -x "$file" "$scratch/arm64"
    done
    /usr/bin/python3 -m zipfile -e \
        "$release"/tenon-"$version"-py3-none-manylinux_*_aarch64.whl \
        "$scratch/unpacked"
    here=$scratch/arm64 libraries=
    for folder in "$here/lib" "$here/usr/lib" "$root/usr/lib" "$root/lib"; do
        libraries=$libraries:$folder/aarch64-linux-gnu
    done
    run="qemu-aarch64 -L $here -E LD_LIBRARY_PATH=${libraries#:}"
    command=$scratch/unpacked/tenon-$version.data/scripts/tenon
    chmod +x "$command" # as pip does
    model "$scratch/tiny.onnx"
    $run "$command" info "$scratch/tiny.onnx" | grep -q Softmax
    readme_lines >"$scratch/readme.py"
    (cd "$scratch" && PYTHONHOME=$here/usr $run -E PYTHONPATH="$scratch/unpacked:$here/usr/lib/python3.11/lib-dynload" \
        "$here/usr/bin/python3.11" readme.py)
}

# An older version of a package, with the same files, for an upgrade.
older() {
    dpkg-deb -R "$1" "$scratch/older"
    sed -i "/^Version:\|^Depends:/s/$version/$version~older/" "$scratch/older/DEBIAN/control"
    dpkg-deb --root-owner-group -b "$scratch/older" "$scratch/debian/older/" >/dev/null
    rm -r "$scratch/older"
}

inside() { chroot "$scratch/debian" env -u TMPDIR LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

try_deb() {
    make -s deb
    # The packages say nothing about debug symbols that lintian could want.
    lintian -I --pedantic --fail-on error,warning,info,pedantic \
        "$release"/tenon_"$version"_*.changes
    debootstrap --variant=minbase bookworm "$scratch/debian" \
        "$(mirror)" >"$scratch/debootstrap.log" 2>&1 ||
        { tail "$scratch/debootstrap.log"; exit 1; }
    rm -f "$scratch/debian/etc/apt/sources.list" # this machine's instead
    cp /etc/apt/sources.list "$scratch/debian/etc/apt/" 2>/dev/null || :
    cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d /etc/apt/trusted.gpg.d \
        "$scratch/debian/etc/apt/" 2>/dev/null || :
    cp /etc/resolv.conf "$scratch/debian/etc/" 2>/dev/null || :
    mount -t proc proc "$scratch/debian/proc"
    mkdir "$scratch/debian/packages" "$scratch/debian/tree"
    cp "$release"/*"$version"*.deb "$scratch/debian/packages/"
    cp -r examples debian "$scratch/debian/tree/"
    # There is no terminal in there.
    echo 'Dpkg::Use-Pty "0";' >"$scratch/debian/etc/apt/apt.conf.d/99-no-pty"
    mkdir "$scratch/debian/older"
    for file in "$release"/*"$version"*.deb; do
        case "$file" in *-dbgsym_*) ;; *) older "$file" ;; esac
    done
    inside apt-get -qq update
    install="apt-get -qq install -y --no-install-recommends"
    inside sh -c "$install /packages/tenon_*.deb" >/dev/null
    inside sh -c 'cd /tree && debian/tests/command'
    inside apt-get -qq purge -y tenon >/dev/null
    # All of them, older ones first: the upgrade is what the tests run with.
    inside sh -c "$install gcc libc6-dev pkg-config /older/*.deb" >/dev/null
    inside sh -c 'dpkg -s libtenon0.2 | grep -q "^Version: .*~older"'
    inside sh -c "$install /packages/tenon_*.deb /packages/libtenon0.2_*.deb \
        /packages/libtenon-dev_*.deb /packages/python3-tenon_*.deb /packages/tenon-doc_*.deb" >/dev/null
    for package in tenon libtenon0.2 libtenon-dev python3-tenon tenon-doc; do
        inside dpkg -s $package | grep -qx "Version: $version" || fail "$package was not upgraded"
    done
    inside sh -c 'cd /tree && debian/tests/command && debian/tests/library && debian/tests/python'
    inside sh -c 'tenon --version && python3 -c "import tenon" && python3 -m tenon --version' >/dev/null
    inside sh -c 'apt-get -qq purge -y tenon libtenon0.2 libtenon-dev python3-tenon tenon-doc' >/dev/null
    left=$(inside find /usr /etc -xdev -iname '*tenon*')
    [ -z "$left" ] || fail "left behind: $left"
    umount "$scratch/debian/proc"
}

# Where this machine's packages come from.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
        /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed -n -e 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' -e 's/^URIs: *\([^ ]*\).*/\1/p' |
        head -n 1
}

try_same() {
    mkdir "$scratch/same"
    /usr/bin/python3 -B tools/wheel_backend.py sdist "$scratch/same" >/dev/null
    for at in one some/where/else; do
        mkdir -p "$scratch/same/$at"
        tar -xzf "$scratch/same/tenon-$version.tar.gz" --strip-components 1 \
            -C "$scratch/same/$at"
        (cd "$scratch/same/$at" &&
            /usr/bin/python3 -B tools/wheel_backend.py wheel out &&
            /usr/bin/python3 -B tools/wheel_backend.py sdist out &&
            /usr/bin/python3 -B tools/release.py static out &&
            /usr/bin/python3 -B tools/release.py dist out) >/dev/null
    done
    diff "$scratch/same/one/out/SHA256SUMS" \
        "$scratch/same/some/where/else/out/SHA256SUMS"
    cat "$scratch/same/one/out/SHA256SUMS"
}

# A process each: a shell that is asked whether something fails goes on in it.
if [ "${1:-}" = --one ]; then
    "try_$2"
    exit
fi
[ $# -gt 0 ] || set -- static wheel deb arm64 same
[ -x build/tenon ] || make -s
for name; do
    if "$script" --one "$name"; then
        echo "$name: works"
        passed=$((passed + 1))
    else
        echo "$name: FAILED"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
