#!/bin/sh
# documents.sh BINARY [--update] [FILE...] - what documents show is what happens
#
# A block that begins with ```console holds commands behind "$ ", each followed
# by what it prints.  They run in a folder with tiny.onnx, bad.onnx (a name is
# misspelt) and tiny.manifest; --update writes what they print.  FILEs are
# relative to the project; without any: docs/json.md.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath "${1:?usage: documents.sh BINARY [--update] [FILE...]}")
shift
update=
[ "${1:-}" = --update ] && update=1 && shift
[ $# -eq 0 ] && set -- docs/json.md

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work"
ln -s "$binary" "$scratch/bin/tenon"
PATH=$scratch/bin:$PATH
LC_ALL=C.UTF-8
export PATH LC_ALL
cd "$scratch/work" || exit 1

text=$root/examples/tiny.onnx.textproto
tenon undump "$text" -o tiny.onnx || exit 1
sed 's/input: "scores"/input: "scoers"/' "$text" |
    tenon undump - -o bad.onnx || exit 1
tenon hash tiny.onnx >tiny.manifest || exit 1

# The document, with the output of each command as it is now.
replay() {
    awk '
        /^```console$/ { in_block = 1; print; next }
        /^```$/ { in_block = 0 }
        !in_block { print; next }
        /^\$ / {
            print
            command = substr($0, 3) " 2>&1"
            while ((command | getline line) > 0) print line
            close(command)
        }' "$1"
}

status=0
for file in "$@"; do
    replay "$root/$file" >"$scratch/now"
    if [ -n "$update" ]; then
        cp "$scratch/now" "$root/$file"
    elif diff -u --label "$file" --label "now" "$root/$file" "$scratch/now"; then
        echo "$file: $(grep -c '^\$ ' "$root/$file") commands compared"
    else
        status=1
    fi
done
exit $status
