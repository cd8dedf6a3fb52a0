#!/bin/sh
# version_two.sh TENON - bytes past every limit, in pieces and several files
#
# One tensor of 3 GiB (a hole, so that it costs no disk) is split into chunks of
# 1 GiB in files of 2 GiB and joined again, in 64 MiB of memory: all of it goes
# by reference.  A hundred thousand tiny chunks take less than 80 MiB.  Exits 77
# when there is no release build.
set -eu

tenon=${1:?usage: version_two.sh TENON}
[ -x "$tenon" ] || { echo "skipped: no release build"; exit 77; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/tenon-two-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# TensorProto { dtype: DT_UINT8 tensor_content: 3 GiB of zeros, and a one }
printf '\010\004\042\201\200\200\200\014' >tensor.pb
truncate -s $((8 + 3221225472)) tensor.pb
printf '\001' >>tensor.pb

(
    ulimit -d 65536
    "$tenon" split -q tensor.pb -t tensorflow.TensorProto -o two -c none \
        --format-version 2 --max-size 1GiB --max-file 2GiB --separate-bytes
    "$tenon" merge -q two.cpb -t tensorflow.TensorProto -o again.pb
) || fail "3 GiB in 64 MiB"
cmp tensor.pb again.pb || fail "what was joined is not what was split"
for file in two*.cpb; do
    [ "$(stat -c %s "$file")" -le 2147483648 ] || fail "$file is too long"
done
[ "$(ls two*.cpb | wc -l)" -ge 3 ] || fail "too few files: $(ls two*.cpb)"
rm -f tensor.pb again.pb two*

# GraphDef of nodes without anything, each of them a chunk.
awk 'BEGIN { for (i = 0; i < 100000; i++)
    printf "node { name: \"n%07d\" op: \"NoOp\" }\n", i }' >nodes.pbtxt
"$tenon" undump -q nodes.pbtxt -t tensorflow.GraphDef -o nodes.pb
(
    ulimit -d 81920
    "$tenon" split -q nodes.pb --from tf-graph -o nodes2 -m 30 -c none \
        --format-version 2 --rules python
    "$tenon" merge -q nodes2.cpb -t tensorflow.GraphDef -o again.pb
) || fail "tiny chunks"
cmp nodes.pb again.pb || fail "tiny chunks are joined to something else"
echo "version 2: 3 GiB in 64 MiB, 100000 chunks in 80 MiB"
