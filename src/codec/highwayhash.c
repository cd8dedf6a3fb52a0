/*
 * highwayhash.c - HighwayHash64, four lanes of 64 bits
 *
 * A packet of 32 bytes is four little-endian lanes.  Each step multiplies
 * halves of the lanes and then mixes pairs of lanes byte by byte; with AVX2 the
 * four lanes are one register.
 */
#include "codec/highwayhash.h"

#include "base/cursor.h"

static const uint64_t first_m0[4] = { UINT64_C(0xdbe6d5d5fe4cce2f),
                                      UINT64_C(0xa4093822299f31d0),
                                      UINT64_C(0x13198a2e03707344),
                                      UINT64_C(0x243f6a8885a308d3) };
static const uint64_t first_m1[4] = { UINT64_C(0x3bd39e10cb0ef593),
                                      UINT64_C(0xc0acf169b5f18a8c),
                                      UINT64_C(0xbe5466cf34e90c6c),
                                      UINT64_C(0x452821e638d01377) };

static uint64_t swap_halves(uint64_t x)
{
    return x >> 32 | x << 32;
}

/* ---- one packet at a time ----------------------------------------------- */

/* Where byte i of a mixed pair of lanes comes from; the later rows are the same
 * table for the vector path. */
static const uint8_t mix_from[32] = {
    3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7,
    3, 12, 2, 5, 14, 1, 15, 0, 11, 4, 10, 13, 9, 6, 8, 7,
};

static void add_mixed(uint64_t to[2], const uint64_t from[2])
{
    uint64_t mixed[2] = { 0, 0 };

    for (unsigned i = 0; i < 16; i++) {
        unsigned byte = mix_from[i];
        uint64_t bits = from[byte / 8] >> 8 * (byte % 8) & 0xff;
        mixed[i / 8] |= bits << 8 * (i % 8);
    }
    to[0] += mixed[0];
    to[1] += mixed[1];
}

static void step(struct tn_highwayhash_state *s, const uint64_t packet[4])
{
    for (unsigned i = 0; i < 4; i++) {
        s->v1[i] += s->m0[i] + packet[i];
        s->m0[i] ^= (s->v1[i] & UINT32_MAX) * (s->v0[i] >> 32);
        s->v0[i] += s->m1[i];
        s->m1[i] ^= (s->v0[i] & UINT32_MAX) * (s->v1[i] >> 32);
    }
    add_mixed(s->v0, s->v1);
    add_mixed(s->v0 + 2, s->v1 + 2);
    add_mixed(s->v1, s->v0);
    add_mixed(s->v1 + 2, s->v0 + 2);
}

void tn_highwayhash_packets_plainly(struct tn_highwayhash_state *state,
                                    const uint8_t *at, size_t count)
{
    for (; count; count--, at += TN_HIGHWAYHASH_PACKET) {
        uint64_t packet[4] = { tn_load64(at), tn_load64(at + 8),
                               tn_load64(at + 16), tn_load64(at + 24) };
        step(state, packet);
    }
}

/* ---- the vector path ---------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static __m256i load_lanes(const void *at)
{
    return _mm256_loadu_si256(at);
}

WITH_AVX2 static __m256i times(__m256i low, __m256i high)
{
    return _mm256_mul_epu32(low, _mm256_srli_epi64(high, 32));
}

WITH_AVX2 static void packets_by_avx2(struct tn_highwayhash_state *s,
                                      const uint8_t *at, size_t count)
{
    __m256i v0 = load_lanes(s->v0), v1 = load_lanes(s->v1);
    __m256i m0 = load_lanes(s->m0), m1 = load_lanes(s->m1);
    __m256i mix = load_lanes(mix_from);

    for (; count; count--, at += TN_HIGHWAYHASH_PACKET) {
        v1 = _mm256_add_epi64(v1, _mm256_add_epi64(m0, load_lanes(at)));
        m0 = _mm256_xor_si256(m0, times(v1, v0));
        v0 = _mm256_add_epi64(v0, m1);
        m1 = _mm256_xor_si256(m1, times(v0, v1));
        v0 = _mm256_add_epi64(v0, _mm256_shuffle_epi8(v1, mix));
        v1 = _mm256_add_epi64(v1, _mm256_shuffle_epi8(v0, mix));
    }
    _mm256_storeu_si256((void *)s->v0, v0);
    _mm256_storeu_si256((void *)s->v1, v1);
    _mm256_storeu_si256((void *)s->m0, m0);
    _mm256_storeu_si256((void *)s->m1, m1);
}

void tn_highwayhash_packets(struct tn_highwayhash_state *state,
                            const uint8_t *at, size_t count)
{
    if (__builtin_cpu_supports("avx2"))
        packets_by_avx2(state, at, count);
    else
        tn_highwayhash_packets_plainly(state, at, count);
}

#else

void tn_highwayhash_packets(struct tn_highwayhash_state *state,
                            const uint8_t *at, size_t count)
{
    tn_highwayhash_packets_plainly(state, at, count);
}

#endif

/* ---- bytes of any number ------------------------------------------------ */

static enum tn_status hash_write(struct tn_sink *sink, struct tn_bytes bytes,
                                 struct tn_error *error)
{
    struct tn_highwayhash *hash   = (struct tn_highwayhash *)sink;
    uint64_t               before = sink->offset;

    (void)error;
    tn_highwayhash_add(hash, bytes);
    sink->offset = before; /* the caller counts */
    return TN_OK;
}

static const struct tn_sink_ops hash_ops = { .write  = hash_write,
                                             .splice = tn_sink_look };

void tn_highwayhash_init(struct tn_highwayhash *hash, const uint64_t key[4])
{
    *hash = (struct tn_highwayhash){ .sink = { .ops = &hash_ops } };
    for (unsigned i = 0; i < 4; i++) {
        hash->state.m0[i] = first_m0[i];
        hash->state.m1[i] = first_m1[i];
        hash->state.v0[i] = first_m0[i] ^ key[i];
        hash->state.v1[i] = first_m1[i] ^ swap_halves(key[i]);
    }
}

void tn_highwayhash_add(struct tn_highwayhash *hash, struct tn_bytes bytes)
{
    hash->sink.offset += bytes.size;
    if (hash->held_size) {
        size_t room = sizeof hash->held - hash->held_size;
        size_t size = bytes.size < room ? bytes.size : room;
        if (size)
            memcpy(hash->held + hash->held_size, bytes.data, size);
        hash->held_size += size;
        if (hash->held_size < sizeof hash->held)
            return;
        tn_highwayhash_packets(&hash->state, hash->held, 1);
        hash->held_size = 0;
        bytes           = tn_bytes(bytes.data + size, bytes.size - size);
    }
    size_t count = bytes.size / TN_HIGHWAYHASH_PACKET;
    if (count)
        tn_highwayhash_packets(&hash->state, bytes.data, count);
    hash->held_size = bytes.size % TN_HIGHWAYHASH_PACKET;
    if (hash->held_size)
        memcpy(hash->held, bytes.data + count * TN_HIGHWAYHASH_PACKET,
               hash->held_size);
}

static uint64_t rotate_halves(uint64_t x, unsigned bits)
{
    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);

    low  = low << bits | low >> (32 - bits); /* bits is 1 to 31 */
    high = high << bits | high >> (32 - bits);
    return (uint64_t)high << 32 | low;
}

/* The length of the last, incomplete packet is hashed, too. */
static void take_rest(struct tn_highwayhash_state *s, const uint8_t *rest,
                      size_t n)
{
    uint8_t packet[TN_HIGHWAYHASH_PACKET] = { 0 };
    size_t  whole                         = n - n % 4;

    for (unsigned i = 0; i < 4; i++) {
        s->v0[i] += (uint64_t)n << 32 | n;
        s->v1[i] = rotate_halves(s->v1[i], (unsigned)n);
    }
    memcpy(packet, rest, whole);
    if (n >= 16) {
        memcpy(packet + 28, rest + n - 4, 4);
    } else if (n % 4) {
        packet[16] = rest[whole];
        packet[17] = rest[whole + n % 4 / 2];
        packet[18] = rest[n - 1];
    }
    tn_highwayhash_packets_plainly(s, packet, 1);
}

uint64_t tn_highwayhash_finish(struct tn_highwayhash *hash)
{
    struct tn_highwayhash_state *s = &hash->state;

    if (hash->held_size)
        take_rest(s, hash->held, hash->held_size);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t turned[4] = { swap_halves(s->v0[2]), swap_halves(s->v0[3]),
                               swap_halves(s->v0[0]), swap_halves(s->v0[1]) };
        step(s, turned);
    }
    return s->v0[0] + s->v1[0] + s->m0[0] + s->m1[0];
}

uint64_t tn_highwayhash64(const uint64_t key[4], struct tn_bytes bytes)
{
    struct tn_highwayhash hash;

    tn_highwayhash_init(&hash, key);
    tn_highwayhash_add(&hash, bytes);
    return tn_highwayhash_finish(&hash);
}
