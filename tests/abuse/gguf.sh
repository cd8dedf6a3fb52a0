# gguf.sh - GGUF files that lie about counts, lengths, dimensions and places
#
# The shapes of known attacks on readers.  With 64 MiB to spend: what a claim
# costs must not follow what it claims.

limit="--max-mem 64MiB"

# gguf NAME PYTHON: a file of what the expression makes; u32, u64, text, head
# and tensor are defined.
gguf() {
    python3 - "$1" "$2" <<'END'
import struct, sys
u32 = lambda n: struct.pack("<I", n & 0xffffffff)
u64 = lambda n: struct.pack("<Q", n & (1 << 64) - 1)
text = lambda s: u64(len(s)) + s.encode()
head = lambda tensors, pairs: b"GGUF" + u32(3) + u64(tensors) + u64(pairs)
def tensor(name, dims, kind, offset, rank=None):
    return text(name) + u32(len(dims) if rank is None else rank) + \
        b"".join(map(u64, dims)) + u32(kind) + u64(offset)
def pad(b, n=32):
    return b + bytes(-len(b) % n)
open(sys.argv[1], "wb").write(eval(sys.argv[2]))
END
}

no_verb() {
    for verb in info ls hash; do
        refuses tenon $verb $limit "$1"
    done
    refuses tenon dump $limit "$1" -o -
    refuses tenon convert $limit "$1" -f -o out.npz
    exits 1 tenon check $limit "$1"
}

claim "GGUF: counts that the file has no room for"
gguf tensors.gguf "head(1 << 62, 0)"
no_verb tensors.gguf
gguf pairs.gguf "head(0, -1)"
no_verb pairs.gguf
gguf billion.gguf "head(10 ** 9, 0) + bytes(4096)"
no_verb billion.gguf

claim "GGUF: lengths of keys, texts and arrays that wrap"
gguf key.gguf "head(0, 1) + u64(-1) + bytes(64)"
no_verb key.gguf
gguf text.gguf "head(0, 1) + text('k') + u32(8) + u64(-8) + bytes(64)"
no_verb text.gguf
gguf array.gguf "head(0, 1) + text('k') + u32(9) + u32(10) + u64(1 << 61)"
no_verb array.gguf
gguf strings.gguf "head(0, 1) + text('k') + u32(9) + u32(8) + u64(1 << 40) + bytes(64)"
no_verb strings.gguf

claim "GGUF: arrays in arrays, 20000 deep"
gguf deep.gguf "head(0, 1) + text('k') + u32(9) + 20000 * (u32(9) + u64(1))"
no_verb deep.gguf

claim "GGUF: dimensions whose product or bytes wrap, also to zero"
gguf zero.gguf "pad(head(1, 0) + tensor('a', [1 << 32, 1 << 32], 0, 0)) + bytes(64)"
no_verb zero.gguf
gguf small.gguf "pad(head(1, 0) + tensor('a', [(1 << 60) + 1, 16], 24, 0)) + bytes(64)"
no_verb small.gguf
gguf bytes.gguf "pad(head(1, 0) + tensor('a', [1 << 62], 0, 0)) + bytes(64)"
no_verb bytes.gguf
gguf minus.gguf "pad(head(1, 0) + tensor('a', [-16], 0, 0)) + bytes(64)"
no_verb minus.gguf

claim "GGUF: the sum of padded sizes wraps"
gguf sum.gguf "pad(head(2, 0) + tensor('a', [(1 << 63) - 32], 24, 0) + tensor('b', [(1 << 63) - 32], 24, 1 << 63)) + bytes(64)"
no_verb sum.gguf

claim "GGUF: more dimensions than four"
gguf rank.gguf "pad(head(1, 0) + tensor('a', [1], 0, 0, 0xffffffff)) + bytes(64)"
no_verb rank.gguf

claim "GGUF: an alignment that is none, or that wraps what is padded"
for n in 0 3 4294967295; do
    gguf align.gguf "pad(head(1, 1) + text('general.alignment') + u32(4) + u32($n) + tensor('a', [4], 0, 0)) + bytes(64)"
    no_verb align.gguf
done
gguf align.gguf "pad(head(1, 1) + text('general.alignment') + u32(4) + u32(1 << 31) + tensor('a', [4], 0, 0)) + bytes(64)"
no_verb align.gguf

claim "GGUF: tensors outside of the file, at offsets that wrap, on top of each other"
gguf past.gguf "pad(head(1, 0) + tensor('a', [1 << 30], 0, 0)) + bytes(64)"
no_verb past.gguf
gguf wrap.gguf "pad(head(1, 0) + tensor('a', [16], 0, -32)) + bytes(64)"
no_verb wrap.gguf
gguf over.gguf "pad(head(2, 0) + tensor('a', [16], 0, 0) + tensor('b', [8], 0, 32)) + bytes(64)"
no_verb over.gguf

claim "GGUF: types that are not there, half blocks"
for n in 4 31 43 -1; do
    gguf type.gguf "pad(head(1, 0) + tensor('a', [32], $n, 0)) + bytes(64)"
    no_verb type.gguf
done
gguf half.gguf "pad(head(1, 0) + tensor('a', [16, 2], 8, 0)) + bytes(64)"
no_verb half.gguf

claim "GGUF: a hundred thousand keys and names are not compared pair by pair"
gguf many.gguf "pad(head(100000, 100000) + b''.join(text('k%d' % i) + u32(0) + b'1' for i in range(100000)) + b''.join(tensor('t%d' % i, [0], 0, 0) for i in range(100000)))"
seconds=20
survives tenon check many.gguf --no-data
accepts tenon ls many.gguf
seconds=60

claim "GGUF: a shard that names others leaves its folder for none"
mkdir -p inner
gguf inner/a-00001-of-00002.gguf "head(0, 2) + text('split.no') + u32(2) + b'\\0\\0' + text('split.count') + u32(2) + b'\\2\\0'"
gguf b.gguf "head(0, 0)"
ln -s ../b.gguf inner/a-00002-of-00002.gguf
refuses tenon info inner/a-00001-of-00002.gguf
