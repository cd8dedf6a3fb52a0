/*
 * farmhash.c - FarmHash's Fingerprint64
 *
 * Up to 64 bytes are mixed at once, by one of six formulas that depend on the
 * length.  Longer inputs go through a state of seven words, 64 bytes at a time
 * as long as more follow; the last 64 bytes, which overlap those before them,
 * finish it.  So the length need not be known in advance; only the last two
 * blocks are kept.
 */
#include "codec/farmhash.h"

#include <string.h>

#include "base/cursor.h"

#define K0 UINT64_C(0xc3a5c85c97cb3127)
#define K1 UINT64_C(0xb492b66fbe98f273)
#define K2 UINT64_C(0x9ae16a3b2f90404f)

#define BLOCK TN_FARMHASH_BLOCK

static uint64_t turn(uint64_t x, unsigned bits) /* 1 to 63 */
{
    return x >> bits | x << (64 - bits);
}

static uint64_t fold(uint64_t x)
{
    return x ^ x >> 47;
}

static uint64_t join(uint64_t u, uint64_t v, uint64_t by)
{
    uint64_t a = fold((u ^ v) * by);

    return fold((v ^ a) * by) * by;
}

/* ---- up to 64 bytes ------------------------------------------------------ */

static uint64_t hash_to_16(const uint8_t *at, size_t size)
{
    uint64_t by = K2 + 2 * (uint64_t)size;

    if (size >= 8) {
        uint64_t a = tn_load64(at) + K2, b = tn_load64(at + size - 8);
        return join(turn(b, 37) * by + a, (turn(a, 25) + b) * by, by);
    }
    if (size >= 4)
        return join(size + ((uint64_t)tn_load32(at) << 3),
                    tn_load32(at + size - 4), by);
    if (size == 0)
        return K2;
    uint64_t y = at[0] + ((uint64_t)at[size / 2] << 8);
    uint64_t z = size + ((uint64_t)at[size - 1] << 2);
    return fold(y * K2 ^ z * K0) * K2;
}

/* The formulas for 17 to 64 bytes begin with these: the first 16 and the last
 * 16 bytes. */
struct ends {
    uint64_t a, first, second; /* two words that are joined                  */
};

static struct ends mix_ends(const uint8_t *at, size_t size, uint64_t first_by,
                            uint64_t by)
{
    uint64_t a = tn_load64(at) * first_by, b = tn_load64(at + 8);
    uint64_t c = tn_load64(at + size - 8) * by;
    uint64_t d = tn_load64(at + size - 16) * K2;

    return (struct ends){ a, turn(a + b, 43) + turn(c, 30) + d,
                          a + turn(b + K2, 18) + c };
}

static uint64_t hash_to_32(const uint8_t *at, size_t size)
{
    uint64_t    by = K2 + 2 * (uint64_t)size;
    struct ends m  = mix_ends(at, size, K1, by);

    return join(m.first, m.second, by);
}

static uint64_t hash_to_64(const uint8_t *at, size_t size)
{
    uint64_t    by = K2 + 2 * (uint64_t)size;
    struct ends m  = mix_ends(at, size, K2, by);
    uint64_t    z  = join(m.first, m.second, by);
    uint64_t    e = tn_load64(at + 16) * by, f = tn_load64(at + 24);
    uint64_t    g = (m.first + tn_load64(at + size - 32)) * by;
    uint64_t    h = (z + tn_load64(at + size - 24)) * by;

    return join(turn(e + f, 43) + turn(g, 30) + h, e + turn(f + m.a, 18) + g,
                by);
}

static uint64_t hash_short(const uint8_t *at, size_t size)
{
    return size <= 16   ? hash_to_16(at, size)
           : size <= 32 ? hash_to_32(at, size)
                        : hash_to_64(at, size);
}

/* ---- more ---------------------------------------------------------------- */

static void mix_half(uint64_t to[2], const uint8_t *at, uint64_t a, uint64_t b)
{
    uint64_t last = tn_load64(at + 24);

    a += tn_load64(at);
    b          = turn(b + a + last, 21);
    uint64_t c = a;
    a += tn_load64(at + 8) + tn_load64(at + 16);
    b += turn(a, 44);
    to[0] = a + last;
    to[1] = b + c;
}

/* `weight` is 1, for the last block 9. */
static void mix_block(struct tn_farmhash_state *s, const uint8_t *at,
                      uint64_t by, uint64_t weight)
{
    s->x = turn(s->x + s->y + s->v[0] + tn_load64(at + 8), 37) * by;
    s->y = turn(s->y + s->v[1] + tn_load64(at + 48), 42) * by;
    s->x ^= s->w[1] * weight;
    s->y += s->v[0] * weight + tn_load64(at + 40);
    s->z = turn(s->z + s->w[0], 33) * by;
    mix_half(s->v, at, s->v[1] * by, s->x + s->w[0]);
    mix_half(s->w, at + 32, s->z + s->w[1], s->y + tn_load64(at + 16));
    uint64_t x = s->x;
    s->x       = s->z;
    s->z       = x;
}

static void begin(struct tn_farmhash_state *s, const uint8_t *first)
{
    uint64_t seed = 81, y = seed * K1 + 113;

    *s = (struct tn_farmhash_state){ .x = seed * K2 + tn_load64(first),
                                     .y = y,
                                     .z = fold(y * K2 + 113) * K2 };
}

/* `last` are the last 64 bytes, of which `fresh` were in no block yet. */
static uint64_t end(struct tn_farmhash_state *s, const uint8_t *last,
                    size_t fresh)
{
    uint64_t by = K1 + 2 * (s->z & 0xff);

    s->w[0] += fresh - 1;
    s->v[0] += s->w[0];
    s->w[0] += s->v[0];
    mix_block(s, last, by, 9);
    return join(join(s->v[0], s->w[0], by) + fold(s->y) * K0 + s->z,
                join(s->v[1], s->w[1], by) + s->x, by);
}

/* ---- bytes of any number ------------------------------------------------ */

static enum tn_status hash_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    uint64_t before = sink->offset;

    (void)error;
    tn_farmhash_add((struct tn_farmhash *)sink, bytes);
    sink->offset = before; /* the caller counts */
    return TN_OK;
}

static const struct tn_sink_ops hash_ops = { .write  = hash_write,
                                             .splice = tn_sink_look };

void tn_farmhash_init(struct tn_farmhash *hash)
{
    *hash = (struct tn_farmhash){ .sink = { .ops = &hash_ops } };
}

/* Whole blocks that are not the last; the last of them is kept. */
static void take_blocks(struct tn_farmhash *hash, const uint8_t *at,
                        size_t count)
{
    if (!hash->is_begun)
        begin(&hash->state, at);
    hash->is_begun = true;
    for (size_t i = 0; i < count; i++)
        mix_block(&hash->state, at + i * BLOCK, K1, 1);
    memcpy(hash->held, at + (count - 1) * BLOCK, BLOCK);
}

void tn_farmhash_add(struct tn_farmhash *hash, struct tn_bytes bytes)
{
    hash->sink.offset += bytes.size;
    while (bytes.size) {
        if (hash->held_size == BLOCK) {
            take_blocks(hash, hash->held + BLOCK, 1);
            hash->held_size = 0;
        }
        size_t room = BLOCK - hash->held_size;
        size_t size = bytes.size < room ? bytes.size : room;
        if (room == BLOCK && bytes.size > BLOCK) {
            size = (bytes.size - 1) / BLOCK * BLOCK; /* some are to follow */
            take_blocks(hash, bytes.data, size / BLOCK);
        } else {
            memcpy(hash->held + BLOCK + hash->held_size, bytes.data, size);
            hash->held_size += size;
        }
        bytes = tn_bytes(bytes.data + size, bytes.size - size);
    }
}

uint64_t tn_farmhash_finish(struct tn_farmhash *hash)
{
    if (!hash->is_begun)
        return hash_short(hash->held + BLOCK, hash->held_size);
    return end(&hash->state, hash->held + hash->held_size, hash->held_size);
}

uint64_t tn_farmhash64(struct tn_bytes bytes)
{
    struct tn_farmhash hash;

    tn_farmhash_init(&hash);
    tn_farmhash_add(&hash, bytes);
    return tn_farmhash_finish(&hash);
}
