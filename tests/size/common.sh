# common.sh - for scripts that run the release build on sparse files of many GiB:
# sets tenon and here, works in a folder of its own, and has functions for what
# all of them claim.  Source it as the first thing after `set -eu`.
tenon=$(realpath -m "$1")
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$tenon" ] || { echo "skipped: no release build at $tenon"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

small() { (ulimit -d 65536; exec "$tenon" "$@" --workers 2); }
fail() { echo "FAILED: $*" >&2; exit 1; }
on_disk() { [ "$(du -sm "$1" | cut -f 1)" -lt 64 ] || fail "holes of $1 filled"; }

# The words at both ends of tensors a and b are where they were, in any container.
same_words() {
    for name in a b; do
        [ "$(small get "$1" $name --slice 0,:7 --raw -o -)" = "first $name" ] ||
            fail "the start of $name in $1"
        [ "$(small get "$1" $name --slice=-1,-7: --raw -o -)" = "last  $name" ] ||
            fail "the end of $name in $1"
    done
}
