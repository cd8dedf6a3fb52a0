#!/bin/sh
# sdnb_size.sh TENON: SDNB and SDZ of 6 GiB, in 64 MiB.
#
# A sparse SDNB file of 6 GiB passes every verb of the release build under
# `ulimit -d 65536`, becomes shards and a zip and comes back; holes stay holes.
set -eu
. "$(dirname "$0")/common.sh"

# Two variables of 3 GiB, each with a word at its first and last elements.
PYTHONPATH=$here/../corpus/fuzz /usr/bin/python3 -B - <<'END'
import struct, tempfile
import make_samediff as make
half = 3 << 30
graph = {"variables": [make.variable(i + 1, name, "CONSTANT", "UINT8",
                                     shape=[3, 1 << 30])
                       for i, name in enumerate("ab")],
         "nodes": [], "placeholders": [],
         "metadataKeys": ["nd4j.format.version"], "metadataValues": ["1"]}
with tempfile.TemporaryDirectory() as work:
    buffer = make.flat(graph, work)
start = 32 + len(buffer)
tail = make.manifest([("a", start, half), ("b", start + half, half)])
with open("big.sdnb", "wb") as out:
    out.write(b"SDNB" + struct.pack(">iqqq", 1, start + 2 * half, len(tail),
                                    32) + buffer)
    for i, name in enumerate(b"ab"):
        out.seek(start + i * half)
        out.write(b"first " + bytes([name]))
        out.seek(start + (i + 1) * half - 7)
        out.write(b"last  " + bytes([name]))
    out.write(tail)
END
on_disk big.sdnb

echo "# 6 GiB SDNB"
small info big.sdnb >/dev/null
small check big.sdnb >/dev/null || true # a graph without operations
same_words big.sdnb && on_disk big.sdnb
small convert big.sdnb -o same.sdnb 2>/dev/null
cmp -n 4096 big.sdnb same.sdnb || fail "another file"
same_words same.sdnb && on_disk same.sdnb
rm same.sdnb

echo "# in shards"
small convert big.sdnb -o parts.sdnb --shard-size 1GiB 2>/dev/null
[ "$(ls parts.shard*-of-3.sdnb | wc -l)" = 3 ] || fail "three shards"
[ ! -e parts.sdnb ] || fail "a file beside its shards"
same_words parts.shard0-of-3.sdnb && on_disk parts.shard0-of-3.sdnb

echo "# in a zip"
small convert parts.shard1-of-3.sdnb -o big.sdz 2>/dev/null
same_words big.sdz && on_disk big.sdz
rm parts.*
small convert big.sdz -o again.sdnb 2>/dev/null
same_words again.shard2-of-3.sdnb && on_disk again.shard2-of-3.sdnb

echo "# and not where it has no room"
code=0
small convert big.sdnb -o big.fb 2>message || code=$?
[ $code = 4 ] || fail "2 GiB of classic: exit $code"
[ ! -e big.fb ] || fail "half a file"
echo "ok"
