#!/bin/sh
# any_size.sh GENERATE TENON: models larger than memory limits, in 64 MiB.
#
# A 6 GiB inline ONNX file, a 5 GiB external-data model and a GraphDef past
# 2 GiB, all sparse on disk, pass every verb of the release build under
# `ulimit -d 65536`; a graph of a million nodes passes under 250 MiB, and
# `check` of it under 270.  A 5 GiB
# SavedModel is taken apart and put together again in 64 MiB, one of a million
# nodes in 250 MiB.
set -eu
generate=$(realpath "$1") tenon=$(realpath -m "$2")
[ -x "$tenon" ] || { echo "skipped: no release build at $tenon"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

small() { (ulimit -d 65536; exec "$tenon" "$@" --workers 2); }
large() { (ulimit -d 256000; exec "$tenon" "$@" --workers 2); }
# Sizes of all values are compared as well, in 28 bytes a node.
judging() { (ulimit -d 276480; exec "$tenon" "$@" --workers 2); }

fail() { echo "FAILED: $*" >&2; exit 1; }

# Blocks on disk, in MiB: holes must stay holes.
on_disk() { du -sm "$1" | cut -f 1; }

# ls lists exactly what the generator says it wrote: name, bytes.
same_tensors() {
    small ls "$2" | cut -f 1,4 | sort >listed
    sort "$1" >expected
    diff -u expected listed || fail "ls $2"
}

# The marker at the start of a tensor arrives through `get`.
same_marker() {
    text=$(small get "$1" "$2" --slice "$3" --raw -o - | head -c 15)
    case "$text" in "tensor "*) ;; *) fail "get $1 $2: '$text'" ;; esac
}

every_verb() { # model, name of a tensor, slice of its first elements
    small info "$1" >info.txt || fail "info $1"
    small check "$1" >check.txt || { cat check.txt; fail "check $1"; }
    small hash "$1" >"$4" || fail "hash $1"
    same_marker "$1" "$2" "$3"
}

echo "# 6 GiB inline ONNX"
"$generate" sparse-onnx -o inline.onnx --list | cut -f 1,5 >tensors
name=$(head -n 1 tensors | cut -f 1)
same_tensors tensors inline.onnx
every_verb inline.onnx "$name" "0,:8" inline.hash
mkdir out
small convert inline.onnx -o out/model.onnx --external weights.bin
[ "$(on_disk out)" -lt 64 ] || fail "holes were filled in: $(on_disk out) MiB"
every_verb out/model.onnx "$name" "0,:8" external.hash
cmp inline.hash external.hash || fail "conversion changed the tensors"
# One name changes in half of that memory, and the rest is copied.
(ulimit -d 32768; exec "$tenon" edit -q out/model.onnx -o edited.onnx --rename "$name=other")
small ls edited.onnx | cut -f 1 | grep -qx other || fail "edit"
same_marker edited.onnx other "0,:8"
rm -rf out inline.onnx edited.onnx weights.bin

echo "# 5 GiB external ONNX"
"$generate" sparse-external -o external --list | cut -f 1,5 >tensors
name=$(head -n 1 tensors | cut -f 1)
same_tensors tensors external/model.onnx
every_verb external/model.onnx "$name" "0,:8" before.hash
mkdir again
small convert external/model.onnx -o again/model.onnx --external other.bin
[ "$(on_disk again)" -lt 64 ] || fail "holes were filled in"
small check again/model.onnx >check.txt || { cat check.txt; fail "check again"; }
same_marker again/model.onnx "$name" "0,:8"
rm -rf again external

echo "# a GraphDef past 2 GiB"
"$generate" sparse-graph -o graph.pb --list | cut -f 1,5 >tensors
name=$(head -n 1 tensors | cut -f 1)
same_tensors tensors graph.pb
every_verb graph.pb "$name" "0,:8" before.hash
small convert graph.pb -o again.pb
[ "$(on_disk again.pb)" -lt 64 ] || fail "holes were filled in"
every_verb again.pb "$name" "0,:8" after.hash
cmp before.hash after.hash || fail "conversion changed the tensors"
rm -f graph.pb again.pb

echo "# a SavedModel of 5 GiB, in chunks"
"$generate" sparse-saved -o saved.pb --list | cut -f 1,5 >tensors
name=$(head -n 1 tensors | cut -f 1)
small hash saved.pb >before.hash
small split saved.pb -o parts --compress none || fail "split saved.pb"
[ "$(on_disk parts.cpb)" -lt 1024 ] || fail "holes were filled in"
same_tensors tensors parts.cpb
same_marker parts.cpb "$name" "0,:8"
small merge parts.cpb -o again.pb || fail "merge parts.cpb"
[ "$(on_disk again.pb)" -lt 1024 ] || fail "holes were filled in"
small hash again.pb >after.hash
cmp before.hash after.hash || fail "splitting and merging changed the tensors"
rm -f parts.cpb again.pb

echo "# a SavedModel folder of 5 GiB"
mkdir folder
mv saved.pb folder/saved_model.pb
mkdir folder/assets && echo word >folder/assets/words.txt
if small convert folder -o plain 2>refusal; then
    fail "convert wrote a message that TensorFlow cannot read"
fi
grep -q -e "--image-format writes it in chunks" refusal ||
    fail "no advice: $(cat refusal)"
[ ! -e plain ] || fail "a refusal left something behind"
small convert folder -o image --image-format -c none || fail "convert --image-format"
[ -f image/saved_model.cpb ] && [ ! -e image/saved_model.pb ] ||
    fail "convert --image-format wrote $(ls image)"
cmp folder/assets/words.txt image/assets/words.txt || fail "assets"
same_tensors tensors image
small check image >check.txt || { cat check.txt; fail "check image"; }
rm -rf folder image

echo "# a graph of 55 MB, in chunks, by brotli"
"$generate" graph -o graph.pb --scale 1/6
for size in 4MiB 16MiB 48MiB; do
    small split graph.pb -o parts -m $size -c brotli:6 ||
        fail "split graph.pb, $size"
    "$tenon" split graph.pb -o other -m $size -c brotli:6 --workers 1 ||
        fail "split graph.pb, $size, one worker"
    cmp parts.cpb other.cpb || fail "little memory makes other bytes"
    small merge parts.cpb -o again.pb || fail "merge parts.cpb, $size"
    [ "$(wc -c <again.pb)" = "$(wc -c <graph.pb)" ] || fail "merged, $size"
    rm -f parts.cpb other.cpb again.pb
done
rm -f graph.pb

echo "# a SavedModel of a million nodes, in chunks"
"$generate" saved-graph -o saved.pb
large ls --ops saved.pb >ops
for codec in none zstd:1; do
    large split saved.pb -o parts -m 64MiB -c $codec ||
        fail "split saved.pb, $codec"
    large merge parts.cpb -o again.pb || fail "merge parts.cpb, $codec"
    large ls --ops again.pb | cmp - ops || fail "$codec: other nodes"
    rm -f parts.cpb again.pb
done
rm -f saved.pb

echo "# a million nodes"
for kind in small graph; do
    "$generate" $kind -o million
    large info million >info.txt || fail "info $kind"
    large ls --ops million | wc -l | grep -qx 1000000 || fail "ls --ops $kind"
    judging check million >check.txt || { cat check.txt; fail "check $kind"; }
    case $kind in small) again=again.onnx ;; graph) again=again.pb ;; esac
    large convert million -o $again || fail "convert $kind"
    cmp million $again || fail "rewriting $kind changed it"
    rm -f million $again
done
echo "all sizes passed"
