#!/bin/sh
# command_size.sh TENON - the stripped command of a release has less than 6 MB
# (docs/performance.md says what they are).
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/tenon" "$1"
size=$(wc -c <"$scratch/tenon")
echo "$size bytes"
[ "$size" -lt 6000000 ] || {
    echo "the stripped command has 6,000,000 bytes or more" >&2
    exit 1
}
