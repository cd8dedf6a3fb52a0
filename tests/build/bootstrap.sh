#!/bin/sh
# bootstrap.sh ROOT: tools/bootstrap says what it installs and why, waits for a
# package manager that is busy, and gives up when something else is wrong.
# Everything that it would ask the system is a script here.
set -eu
root=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
fail() { echo "$*"; cat "$folder/said"; exit 1; }
fake() { # NAME, the script on standard input
    { echo '#!/bin/sh'; cat; } >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}
fake id <<'end'
echo 0
end
fake sleep <<'end'
echo "$1" >>"$FOLDER/slept"
end
fake dpkg-query <<'end'
[ "$4" = "${MISSING:-cmake}" ] || echo 'ii '
end
fake npm <<'end'
end
fake apt-get <<'end'
echo "$*" >>"$FOLDER/asked"
case "$*" in
*update*) [ -f "$FOLDER/updated" ] || {
    [ "$(wc -l <"$FOLDER/asked")" -ge 4 ] && : >"$FOLDER/updated"
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7"
    exit 100
} ;;
*) [ ! -f "$FOLDER/broken" ] || { echo "E: the disk is full"; exit 100; }
   [ -f "$FOLDER/updated" ] || { echo "E: Unable to locate package"; exit 100; } ;;
esac
end
export FOLDER="$folder" PATH="$folder/bin:$PATH"

"$root/tools/bootstrap" build >"$folder/said" 2>&1 || fail "did not wait"
grep -qx 'installing to build (.*): cmake' "$folder/said" ||
    fail "does not say what it installs, and why"
[ "$(wc -l <"$folder/slept")" -ge 2 ] || fail "did not wait"
tail -n 1 "$folder/asked" | grep -q 'install .*cmake' || fail "not installed"

MISSING=python3 "$root/tools/bootstrap" package >"$folder/said" 2>&1
grep -q ": python3\$" "$folder/said" || fail "packages are made without Python"

: >"$folder/broken"
rm "$folder/asked"
! "$root/tools/bootstrap" build >"$folder/said" 2>&1 || fail "no failure"
grep -q 'the disk is full' "$folder/said" || fail "does not say what is wrong"
[ "$(wc -l <"$folder/asked")" -le 3 ] || fail "waited for nothing"
echo "bootstrap: what and why, a busy package manager, a broken one"
