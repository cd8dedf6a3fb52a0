#!/bin/sh
# source_archive.sh ROOT: a source archive that is made of another one has the
# same files, also in the repository of another project.
set -eu
cd "$1"
git rev-parse HEAD >/dev/null 2>&1 || {
    echo "skipped: not a clone"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
make_archive() { /usr/bin/python3 -B tools/wheel_backend.py sdist "$1" >/dev/null; }
make_archive "$folder/first"
git init -q "$folder"
tar -xzf "$folder"/first/*.tar.gz -C "$folder"
tar -tzf "$folder"/first/*.tar.gz >"$folder/wanted"
cd "$folder"/tenon-*
mkdir build
touch build/made
make_archive out
tar -tzf out/*.tar.gz | diff "$folder/wanted" -
