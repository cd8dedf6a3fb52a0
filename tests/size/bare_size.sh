#!/bin/sh
# bare_size.sh TENON: 6 GiB of bare tensors, in 64 MiB.
#
# A sparse safetensors file of 6 GiB, one of several files, and an npz of the
# same size pass every verb of the release build under `ulimit -d 65536`, and
# come back as they were; holes stay holes.
set -eu
. "$(dirname "$0")/common.sh"

# Two tensors of 3 GiB, each with a word at its first and last elements.
/usr/bin/python3 - <<'END'
import json, struct
half = 3 << 30
header = json.dumps({name: {"dtype": "U8", "shape": [3, 1 << 30],
                            "data_offsets": [i * half, (i + 1) * half]}
                     for i, name in enumerate("ab")},
                    separators=(",", ":")).encode()
header += b" " * (-len(header) % 8)
with open("big.safetensors", "wb") as out:
    out.write(struct.pack("<Q", len(header)) + header)
    for i, name in enumerate(b"ab"):
        start = 8 + len(header) + i * half
        out.seek(start)
        out.write(b"first " + bytes([name]))
        out.seek(start + half - 7)
        out.write(b"last  " + bytes([name]))
END
on_disk big.safetensors

# Header, length and words are the same; what is between them are holes.
same_file() {
    cmp -n 4096 big.safetensors "$1" || fail "$1: another header"
    [ "$(stat -c %s "$1")" = "$(stat -c %s big.safetensors)" ] ||
        fail "$1: another length"
    on_disk "$1"
    same_words "$1"
}

echo "# 6 GiB safetensors"
small info big.safetensors >/dev/null
small check big.safetensors >/dev/null
same_words big.safetensors
small convert -q big.safetensors -o again.safetensors
same_file again.safetensors
rm again.safetensors

echo "# in two files"
small convert -q big.safetensors -o m.safetensors.index.json --shard-size 4GiB
[ "$(ls m-*.safetensors | wc -l)" = 2 ] || fail "not two files"
for file in m-*; do on_disk "$file"; done
small check m.safetensors.index.json >/dev/null
same_words m.safetensors.index.json
rm m[-.]*

echo "# 6 GiB npz"
small convert -q big.safetensors -o big.npz
on_disk big.npz
small info big.npz >/dev/null
same_words big.npz
small check big.npz | grep -q "6.0 GiB verified" || fail "check big.npz"
small convert -q big.npz -o back.safetensors
same_file back.safetensors
echo "bare tensors of any size passed"
