#!/bin/sh
# python_install.sh BUILD: `import tenon` works after an install under any
# prefix, without environment variables; nothing is written outside of DESTDIR;
# and an uninstall takes everything back.
set -eu
build=$(realpath "$1")
root=$(dirname "$build")
[ -f "$build/src/libtenon.so" ] || { echo "skipped: no release build in $build"; exit 77; }
system=/usr/bin/python3
[ -x $system ] || { echo "skipped: no $system"; exit 77; }
folder=$(mktemp -d)
manifest=$build/install_manifest.txt
[ ! -f "$manifest" ] || cp "$manifest" "$folder/manifest"

finish() {
    rm -f "$manifest"
    [ ! -f "$folder/manifest" ] || cp "$folder/manifest" "$manifest"
    rm -rf "$folder"
}
trap finish EXIT

fail() { echo "$*"; exit 1; }

# As people do it, but for the build: that is there.  Options of the make that
# runs all tests are not meant for this one.
unset MAKEFLAGS MAKELEVEL MFLAGS

put() { # PREFIX PYTHON [DESTDIR]
    make -s -C "$root" -o release install PREFIX="$1" PYTHON="$2" \
        DESTDIR="${3:-}" >"$folder/said" 2>&1 ||
        { cat "$folder/said"; fail "install under $1 failed"; }
}

take() { # [DESTDIR]
    make -s -C "$root" uninstall DESTDIR="${1:-}"
}

look='import tenon; tenon.Schema.builtin("onnx"); print(tenon.__file__)'

finds() { # PREFIX COMMAND...
    prefix=$1
    shift
    found=$(cd / && env -i "$@" -B -c "$look") || fail "no tenon from $prefix"
    [ "$found" = "$prefix/lib/python3/dist-packages/tenon/__init__.py" ] ||
        fail "found $found, wanted what is in $prefix"
}

misses() {
    ! (cd / && env -i "$@" -B -c 'import tenon' 2>/dev/null) ||
        fail "still found after it was removed"
}

# A virtual environment has folders of its own: nothing else is touched.
$system -m venv --without-pip "$folder/venv"
python=$folder/venv/bin/python3

# A prefix that no Python knows.
put "$folder/any" "$python"
finds "$folder/any" "$python"
# Another one after it, of the kind that breaks scripts: the last install counts.
put "$folder/öther place, it's" "$python"
finds "$folder/öther place, it's" "$python"
take
misses "$python"
[ -z "$(find "$folder/öther place, it's" -type f -o -type l)" ] ||
    fail "left behind: $(find "$folder/öther place, it's" -type f)"

# The prefix that Python's own folders are under, as /usr/local is.
put "$folder/venv" "$python"
finds "$folder/venv" "$python"
take
misses "$python"

# ~/.local, with the Python of the system.  That wins over what was installed
# for everybody, which stays.
HOME=$folder/home
export HOME
mkdir "$HOME"
sites=$($system -c 'import site; print(*site.getsitepackages())')
everybody=$(cat $(printf '%s/tenon.pth ' $sites) 2>/dev/null || :)
put "$HOME/.local" $system
finds "$HOME/.local" HOME="$HOME" $system
grep -q '^\.\./' "$HOME"/.local/lib/python3*/*-packages/tenon.pth ||
    fail "a path that breaks when the tree is moved"
take
[ ! -f "$HOME"/.local/lib/python3*/*-packages/tenon.pth ] ||
    fail "still found after it was removed"
[ "$everybody" = "$(cat $(printf '%s/tenon.pth ' $sites) 2>/dev/null || :)" ] ||
    fail "what was installed for everybody is gone"

# Staged: everything is in DESTDIR, and works from there as it will later.
before=$(ls -d $(printf '%s/tenon* ' $sites) 2>/dev/null || :)
for prefix in /usr /usr/local /opt/tenon; do
    put $prefix $system "$folder/a stage"
    staged="$folder/a stage$prefix"
    (cd / && env -i PYTHONPATH="$staged/lib/python3/dist-packages" $system -B \
        -c "$look" >/dev/null) || fail "no tenon in $staged"
    take "$folder/a stage"
done
[ "$before" = "$(ls -d $(printf '%s/tenon* ' $sites) 2>/dev/null || :)" ] ||
    fail "something was written outside of DESTDIR"
put /usr/local $system "$folder/a stage"
[ -f "$folder/a stage"/usr/local/lib/python3.*/dist-packages/tenon.pth ] ||
    [ -f "$folder/a stage"/usr/local/lib/python3.*/site-packages/tenon.pth ] ||
    fail "/usr/local is not found by $system"
echo "import tenon: any prefix, /usr, /usr/local, ~/.local, DESTDIR"
