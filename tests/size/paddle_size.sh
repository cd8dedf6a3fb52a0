#!/bin/sh
# paddle_size.sh TENON: 6 GiB of parameters in 64 MiB, 100,000 tensors at once.
#
# A sparse combined file of 6 GiB passes every verb of the release build under
# `ulimit -d 65536`, is split, merged and turned round without filling its holes,
# and comes back as it was.
set -eu
. "$(dirname "$0")/common.sh"
"$tenon" formats | grep -q paddle-params ||
    { echo "skipped: a release build of before"; exit 77; }

/usr/bin/python3 - <<'END'
import struct
half = 3 << 30
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])
def var(name, dtype, dims):
    return (f'vars {{ name: "{name}" persistable: true type {{ type: LOD_TENSOR '
            f'lod_tensor {{ tensor {{ data_type: {dtype} '
            + " ".join(f"dims: {d}" for d in dims) + " } } } }\n")
ENDS = """
vars { name: "feed" type { type: FEED_MINIBATCH } persistable: true }
vars { name: "fetch" type { type: FETCH_LIST } persistable: true }
vars { name: "x" type { type: LOD_TENSOR lod_tensor { tensor { data_type: FP32 } } } }
ops { outputs { parameter: "Out" arguments: "x" } type: "feed"
      attrs { name: "col" type: INT i: 0 } }
ops { inputs { parameter: "X" arguments: "x" } type: "fetch"
      attrs { name: "col" type: INT i: 0 } }
"""
def program(file, variables):
    with open(file, "w") as out:
        out.write("blocks { idx: 0 parent_idx: -1\n")
        out.writelines(variables)
        out.write(ENDS + "}\nversion { version: 0 }\n")
def head(dtype, dims):
    desc = bytes([8, dtype]) + b"".join(b"\x10" + varint(d) for d in dims)
    return struct.pack("<IQIi", 0, 0, 0, len(desc)) + desc

program("big.pdmodel.txt", [var(n, "UINT8", [3, 1 << 30]) for n in "ba"])
with open("big.pdiparams", "wb") as out:
    for name in b"ab":
        out.write(head(20, [3, 1 << 30]))
        start = out.tell()
        out.write(b"first " + bytes([name]))
        out.seek(start + half - 7)
        out.write(b"last  " + bytes([name]))

count = 100000
program("many.pdmodel.txt", [var(f"t{i:06}", "FP32", [4]) for i in range(count)])
with open("many.pdiparams", "wb") as out:
    for i in range(count):
        out.write(head(5, [4]) + struct.pack("<4f", i, 1, 2, 3))
END
on_disk big.pdiparams

echo "# 6 GiB in one file"
small convert -q big.pdmodel.txt -o one.pdmodel
small info one.pdmodel >/dev/null
small check one.pdmodel >/dev/null
same_words one.pdmodel
mkdir apart seed
small convert -q one.pdmodel -o apart/__model__
small convert -q apart -o seed/__model__ --layout seed
small convert -q seed -o back.pdmodel --layout shipped
for f in one.pdiparams apart seed back.pdiparams; do on_disk $f; done
same_words seed
same_words back.pdmodel
[ "$(stat -c %s back.pdiparams)" = "$(stat -c %s big.pdiparams)" ] ||
    fail "another length"
cmp one.pdmodel back.pdmodel

echo "# 6 GiB as other containers"
small convert -q one.pdmodel -o w.safetensors 2>/dev/null
small convert -q w.safetensors -o w.pdiparams 2>/dev/null
on_disk w.safetensors
on_disk w.pdiparams
[ "$(stat -c %s w.pdiparams)" = "$(stat -c %s big.pdiparams)" ] ||
    fail "another length of bare records"

echo "# 100,000 tensors"
small convert -q many.pdmodel.txt -o many.pdmodel --force
begin=$(date +%s%N)
[ "$("$tenon" ls many.pdmodel | wc -l)" = 100000 ] || fail "not all listed"
took=$((($(date +%s%N) - begin) / 1000000))
echo "listed in $took ms"
[ $took -lt 2000 ] || fail "listing 100,000 tensors took $took ms"
echo ok
