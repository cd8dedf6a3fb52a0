#!/bin/sh
# zip_judges.sh ZIP_TOOL - unzip, zip, Python and Java read what we write, and
# we what they write
set -eu
LC_ALL=C.UTF-8 # unzip shows names in the locale's letters, and compares those
export LC_ALL

tool=$1
for judge in zip unzip /usr/bin/python3; do
    command -v $judge >/dev/null || { echo "skipped: no $judge"; exit 77; }
done
command -v jar >/dev/null && jar=jar || jar=
[ -n "$jar" ] || echo "skipped: no jar"
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"

fail() {
    echo "zip_judges: $1" >&2
    exit 1
}

# accept FILE [NAME...]: every judge opens it without a word of complaint.
accept() {
    file=$1
    shift
    unzip -tq "$file" "$@" >said 2>&1 || fail "unzip -t $file: $(tail -3 said)"
    ! grep -v 'No errors detected' said | grep -i -E 'warning|error' || fail "unzip -t $file warns"
    /usr/bin/python3 - "$file" "$@" <<'P' || fail "python: $file"
import struct, sys, zipfile
path, names = sys.argv[1], sys.argv[2:]
zip = zipfile.ZipFile(path)
assert names or zip.testzip() is None
for name in names:
    zip.read(name)
with open(path, "rb") as file:
    for info in zip.infolist():
        assert info.date_time == (1980, 1, 1, 0, 0, 0), info
        assert not info.flag_bits & 8, info
        file.seek(info.header_offset)
        head = file.read(30)
        assert head[:4] == b"PK\3\4", info
        n, m = struct.unpack("<HH", head[26:])
        data = info.header_offset + 30 + n + m
        if info.compress_type == 0 and info.file_size:
            assert data % 64 == 0, (info, data)
            assert info.file_size < 1 << 20 or data % 4096 == 0, (info, data)
P
    [ -z "$jar" ] || jar tf "$file" >jar.out 2>&1 || fail "jar tf $file"
}

seq 1 20000 >numbers
head -c 3000000 /dev/urandom >noise
: >empty
printf 'fp32\n' >tags
ours="tags.txt=tags fp32/graph.fb=numbers fp32/params/0.fb=noise
fp32/params/1.fb=empty fp32/numbers.txt=numbers fp32/größe.fb=tags"

"$tool" create a.zip $ours
accept a.zip
[ "$(unzip -p a.zip fp32/numbers.txt | cksum)" = "$(cksum <numbers)" ] ||
    fail "unzip gets other numbers"
"$tool" cat a.zip fp32/params/0.fb | cmp - noise || fail "cat"

# The same bytes again, and through a pipe, where nothing can be patched.
"$tool" create - $ours | cat >piped.zip
cmp a.zip piped.zip || fail "a pipe gets other bytes"

# A commit, a drop, and everything anew.
head -c 500000 /dev/urandom >more
size=$(wc -c <a.zip)
cp a.zip grown.zip
"$tool" grow grown.zip int8/params/0.fb=more tags.txt=numbers
cmp -n "$size" a.zip grown.zip || fail "a commit changed old bytes"
accept grown.zip
unzip -p grown.zip tags.txt | cmp - numbers || fail "the old tags.txt"
"$tool" drop grown.zip fp32/params/0.fb
accept grown.zip
[ "$(unzip -Z1 grown.zip | wc -l)" = 6 ] || fail "not six entries"
"$tool" anew grown.zip
accept grown.zip
[ "$(wc -c <grown.zip)" -lt "$size" ] || fail "dropped bytes are still there"
"$tool" verify grown.zip

# More than 65535 entries.
"$tool" many many.zip 70000
accept many.zip
[ "$("$tool" list many.zip own | wc -l)" = 70000 ] || fail "not 70000 entries"
[ -z "$jar" ] || [ "$(wc -l <jar.out)" = 70000 ] || fail "jar: not 70000"

# More than 4 GiB; the file has holes where the entry has.
truncate -s 5G hole
"$tool" create large.zip before.fb=tags hole.fb=hole after.fb=numbers
accept large.zip before.fb after.fb
[ "$(du -k large.zip | cut -f1)" -lt 2000 ] || fail "holes were filled"
"$tool" verify large.zip
"$tool" grow large.zip later.fb=numbers
accept large.zip later.fb
unzip -p large.zip later.fb | cmp - numbers || fail "later.fb"
/usr/bin/python3 - large.zip <<'P' || fail "python: 5 GiB"
import sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
assert zip.getinfo("hole.fb").file_size == 5 << 30
assert zip.getinfo("hole.fb").CRC == int("%08x" % zip.getinfo("hole.fb").CRC, 16)
import zlib
crc, block = 0, bytes(1 << 24)
for _ in range((5 << 30) >> 24):
    crc = zlib.crc32(block, crc)
assert crc == zip.getinfo("hole.fb").CRC, "crc of a hole"
P

# understand FILE NAME PATH: what others wrote.
understand() {
    "$tool" list "$1" >listed || fail "list $1"
    "$tool" verify "$1" || fail "verify $1"
    "$tool" cat "$1" "$2" | cmp - "$3" || fail "cat $1 $2"
}

mkdir -p folder/inner
cp numbers noise folder/inner
zip -q -r zip.zip folder
understand zip.zip folder/inner/noise noise
zip -q -0 -r stored.zip folder
understand stored.zip folder/inner/numbers numbers
zip -q - folder/inner/numbers folder/inner/noise | cat >descriptors.zip
understand descriptors.zip folder/inner/numbers numbers
cp stored.zip comment.zip
echo "a comment" | zip -q -z comment.zip >/dev/null
understand comment.zip folder/inner/noise noise
/usr/bin/python3 - <<'P'
import io, sys, zipfile
class Pipe(io.RawIOBase):
    def __init__(self): self.file = open("python-pipe.zip", "wb")
    def writable(self): return True
    def write(self, data): return self.file.write(data)
for path, to in ("python.zip", "python.zip"), ("python-pipe.zip", Pipe()):
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as zip:
        zip.write("numbers")
        with zip.open("noise", "w", force_zip64=True) as file:
            file.write(open("noise", "rb").read())
P
understand python.zip noise noise
understand python-pipe.zip noise noise
understand python-pipe.zip numbers numbers
if [ -n "$jar" ]; then
    jar cf java.zip folder
    understand java.zip folder/inner/noise noise
    jar cf0 java0.zip folder
    understand java0.zip folder/inner/numbers numbers
fi

# What others wrote can be taken over: rebuilt it has no descriptors and grows.
for file in descriptors.zip python-pipe.zip zip.zip; do
    "$tool" rebuild $file
    "$tool" grow $file one=tags
    understand $file one tags
    accept $file
done
echo "zip_judges: all agree"
