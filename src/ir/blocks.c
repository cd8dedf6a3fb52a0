/*
 * blocks.c - the elements of quantised blocks
 *
 * A decoder first makes small integers of a block and then multiplies, both
 * with vector types of the compiler, which uses the instructions that the
 * processor has.  On x86-64 each decoder is compiled twice, once for processors
 * with AVX2.
 *
 * In what follows `d` is the scale of a block, `m` its minimum, `q` integers.
 */
#include "ir/blocks.h"

#include <string.h>
#include <strings.h>

#include "base/little.h"
#include "ir/block_grids.h"

#define EACH inline __attribute__((always_inline))

static const struct tn_block_type types[TN_BLOCK_COUNT] = {
#define X(name, text, elements, bytes, ...)                                    \
    { text, elements, bytes, { __VA_ARGS__ } },
    TN_BLOCK_MAP(X)
#undef X
};

const struct tn_block_type *tn_block_type(unsigned kind)
{
    return kind < TN_BLOCK_COUNT ? &types[kind] : NULL;
}

unsigned tn_block_find(const char *name)
{
    unsigned kind = 0;

    while (kind < TN_BLOCK_COUNT && strcasecmp(types[kind].name, name) != 0)
        kind++;
    return kind;
}

void tn_block_reverse(unsigned kind, uint8_t *blocks, size_t count)
{
    const struct tn_block_type *type = &types[kind];

    for (uint8_t *at = blocks; count; count--) {
        for (unsigned i = 0; i < 6 && type->layout[i]; i += 2)
            for (unsigned k = 0; k < type->layout[i + 1]; k++) {
                unsigned size = type->layout[i];
                for (unsigned a = 0, b = size - 1; a < b; a++, b--) {
                    uint8_t byte = at[a];
                    at[a]        = at[b];
                    at[b]        = byte;
                }
                at += size;
            }
    }
}

/* ---- numbers ------------------------------------------------------------ */

static EACH float of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A half of these bits.  Its exponent is moved by a product, which is exact and
 * right for subnormal numbers, too. */
static EACH float half_of(uint32_t bits)
{
    uint32_t sign = (bits & 0x8000) << 16, rest = (bits & 0x7fff) << 13;

    if ((bits & 0x7c00) == 0x7c00)
        return of_bits(sign | 0x7f800000 | rest);
    float value = of_bits(rest) * 0x1p112f;
    return sign ? -value : value;
}

static EACH float half(const uint8_t *at)
{
    return half_of(tn_load16(at));
}

/* ---- integers times a scale --------------------------------------------- */

/* What was stored in pieces of `step` bytes is also loaded in such pieces:
 * processors wait for a load that is wider than the stores before it. */
static EACH void times(float *y, const int8_t *q, unsigned count, unsigned step,
                       float d)
{
    for (unsigned i = 0; i < count; i += step)
        for (unsigned k = 0; k < step; k++)
            y[i + k] = d * (float)q[i + k];
}

static EACH void times_plus(float *y, const int8_t *q, unsigned count,
                            unsigned step, float d, float m)
{
    for (unsigned i = 0; i < count; i += step)
        for (unsigned k = 0; k < step; k++) {
            float product = d * (float)q[i + k];
            y[i + k]      = product + m;
        }
}

/* Low halves of 16 bytes, then high ones. */
static EACH void nibbles(int8_t *q, const uint8_t *bytes, int8_t less)
{
    for (unsigned i = 0; i < 16; i++)
        q[i] = (int8_t)((bytes[i] & 15) - less);
    for (unsigned i = 0; i < 16; i++)
        q[i + 16] = (int8_t)((bytes[i] >> 4) - less);
}

/* Eight bytes, the first of them the lowest of a number. */
static EACH void store8(void *to, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(to, &bytes, sizeof bytes);
}

static EACH uint64_t load8(const void *from)
{
    uint64_t bytes;

    memcpy(&bytes, from, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

#define ONES UINT64_C(0x0101010101010101)

/* The bits of a byte as bytes 0 and 1. */
static EACH uint64_t spread_bits(unsigned bits)
{
    uint64_t apart = bits * ONES & UINT64_C(0x8040201008040201);

    return (apart + 0x7f * ONES) >> 7 & ONES;
}

/* As nibbles(), with a fifth bit each. */
static EACH void nibbles5(int8_t *q, const uint8_t *bytes, const uint8_t *high,
                          uint8_t less)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t all   = load8(bytes + 8 * (i % 2)) >> 4 * (i / 2) & 15 * ONES;
        uint64_t fifth = spread_bits(high[i]) << 4;
        store8(q + 8 * i,
               (((all | fifth) | 0x80 * ONES) - less * ONES) ^ 0x80 * ONES);
    }
}

static EACH void decode_Q4_0(const uint8_t *b, float *y)
{
    int8_t q[32];

    nibbles(q, b + 2, 8);
    times(y, q, 32, 16, half(b));
}

static EACH void decode_Q4_1(const uint8_t *b, float *y)
{
    int8_t q[32];

    nibbles(q, b + 4, 0);
    times_plus(y, q, 32, 16, half(b), half(b + 2));
}

static EACH void decode_Q5_0(const uint8_t *b, float *y)
{
    int8_t q[32];

    nibbles5(q, b + 6, b + 2, 16);
    times(y, q, 32, 8, half(b));
}

static EACH void decode_Q5_1(const uint8_t *b, float *y)
{
    int8_t q[32];

    nibbles5(q, b + 8, b + 4, 0);
    times_plus(y, q, 32, 8, half(b), half(b + 2));
}

/* Integers that are stored as they are; in a copy, which floats cannot
 * alias. */
static EACH void times_bytes(float *y, const uint8_t *bytes, float d)
{
    int8_t q[32];

    memcpy(q, bytes, sizeof q);
    times(y, q, 32, 16, d);
}

static EACH void decode_Q8_0(const uint8_t *b, float *y)
{
    times_bytes(y, b + 2, half(b));
}

static EACH void decode_Q8_1(const uint8_t *b, float *y)
{
    times_bytes(y, b + 4, half(b));
}

static EACH void decode_Q8_K(const uint8_t *b, float *y)
{
    float d = of_bits(tn_load32(b));

    for (unsigned g = 0; g < 8; g++)
        times_bytes(y + 32 * g, b + 4 + 32 * g, d);
}

/* Eight numbers of two bits as bytes. */
static EACH uint64_t spread_pairs(unsigned code)
{
    uint64_t x = code;

    x = (x | x << 24) & UINT64_C(0x000000ff000000ff);
    x = (x | x << 12) & UINT64_C(0x000f000f000f000f);
    return (x | x << 6) & (3 * ONES);
}

/* Each byte less one; bytes are below 128, and nothing is borrowed. */
static EACH uint64_t minus_one(uint64_t bytes)
{
    return ((bytes | 0x80 * ONES) - ONES) ^ 0x80 * ONES;
}

/* Bit by bit: 1 is d, 0 is -d. */
static EACH void decode_Q1_0(const uint8_t *b, float *y)
{
    int8_t q[128];

    for (unsigned i = 0; i < 16; i++) /* -1 is 0xff, and 1 is 0xff ^ 0xfe */
        store8(q + 8 * i, (0xff * ONES) ^ (0xfe * spread_bits(b[2 + i])));
    times(y, q, 128, 8, half(b));
}

static EACH void decode_Q2_0(const uint8_t *b, float *y)
{
    int8_t q[64];

    for (unsigned i = 0; i < 8; i++) {
        uint64_t x = spread_pairs(tn_load16(b + 2 + 2 * i));
        store8(q + 8 * i, minus_one(x));
    }
    times(y, q, 64, 8, half(b));
}

/* ---- blocks of 256 with scales of their parts --------------------------- */

/* Runs of 32 elements over the same 32 bytes, two bits each. */
static EACH void pairs(int8_t *q, const uint8_t *bytes, int8_t less)
{
    for (unsigned s = 0; s < 4; s++)
        for (unsigned i = 0; i < 32; i++)
            q[32 * s + i] = (int8_t)((bytes[i] >> 2 * s & 3) - less);
}

static EACH void decode_Q2_K(const uint8_t *b, float *y)
{
    float  d = half(b + 80), m = half(b + 82);
    int8_t q[256];

    pairs(q, b + 16, 0);
    pairs(q + 128, b + 48, 0);
    for (unsigned g = 0; g < 16; g++) {
        float low = m * (float)(b[g] >> 4);
        times_plus(y + 16 * g, q + 16 * g, 16, 16, d * (float)(b[g] & 15),
                   -low);
    }
}

static EACH void decode_Q3_K(const uint8_t *b, float *y)
{
    const uint8_t *high = b, *sixths = b + 96;
    float          d = half(b + 108);
    int8_t         q[256];

    pairs(q, b + 32, 0);
    pairs(q + 128, b + 64, 0);
    for (unsigned s = 0; s < 8; s++)
        for (unsigned i = 0; i < 32; i++)
            q[32 * s + i] =
                (int8_t)(q[32 * s + i] - 4 + (high[i] >> s & 1) * 4);
    for (unsigned g = 0; g < 16; g++) {
        int low = g < 8 ? sixths[g] & 15 : sixths[g - 8] >> 4;
        int top = sixths[8 + (g & 3)] >> 2 * (g >> 2) & 3;
        times(y + 16 * g, q + 16 * g, 16, 16,
              d * (float)((low | top << 4) - 32));
    }
}

/* Scale and minimum of part g: six bits each, eight of both in 12 bytes. */
static EACH void sixths(const uint8_t *s, unsigned g, float *scale,
                        float *minimum)
{
    unsigned low =
        g < 4 ? s[g] & 63u : (s[g + 4] & 15u) | ((unsigned)s[g - 4] >> 6 << 4);
    unsigned more =
        g < 4 ? s[g + 4] & 63u : (unsigned)(s[g + 4] >> 4 | s[g] >> 6 << 4);

    *scale *= (float)low;
    *minimum *= (float)more;
}

static EACH void decode_Q4_K(const uint8_t *b, float *y)
{
    float  d = half(b), m = half(b + 2);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        const uint8_t *bytes = b + 16 + 32 * (g / 2);
        float          scale = d, low = m;
        sixths(b + 4, g, &scale, &low);
        for (unsigned i = 0; i < 32; i++)
            q[i] = (int8_t)(bytes[i] >> 4 * (g % 2) & 15);
        times_plus(y + 32 * g, q, 32, 32, scale, -low);
    }
}

static EACH void decode_Q5_K(const uint8_t *b, float *y)
{
    float  d = half(b), m = half(b + 2);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        const uint8_t *bytes = b + 48 + 32 * (g / 2), *high = b + 16;
        float          scale = d, low = m;
        sixths(b + 4, g, &scale, &low);
        for (unsigned i = 0; i < 32; i++)
            q[i] = (int8_t)((bytes[i] >> 4 * (g % 2) & 15) | (high[i] >> g & 1)
                                                                 << 4);
        times_plus(y + 32 * g, q, 32, 32, scale, -low);
    }
}

static EACH void decode_Q6_K(const uint8_t *b, float *y)
{
    const int8_t *scales = (const int8_t *)b + 192;
    float         d      = half(b + 208);
    int8_t        q[32];

    for (unsigned r = 0; r < 8; r++) {
        const uint8_t *low  = b + 64 * (r / 4) + 32 * (r % 2);
        const uint8_t *high = b + 128 + 32 * (r / 4);
        for (unsigned i = 0; i < 32; i++)
            q[i] = (int8_t)(((low[i] >> 4 * (r % 4 / 2) & 15) |
                             (high[i] >> 2 * (r % 4) & 3) << 4) -
                            32);
        times(y + 32 * r, q, 16, 16, d * (float)scales[2 * r]);
        times(y + 32 * r + 16, q + 16, 16, 16, d * (float)scales[2 * r + 1]);
    }
}

/* ---- three values an element -------------------------------------------- */

static EACH void decode_TQ2_0(const uint8_t *b, float *y)
{
    int8_t q[256];

    pairs(q, b, 1);
    pairs(q + 128, b + 32, 1);
    times(y, q, 256, 32, half(b + 64));
}

/* Digits of base 3: a byte times 3^k modulo 256 has digit k on top. */
static EACH void digits(int8_t *q, const uint8_t *bytes, unsigned size,
                        unsigned runs)
{
    for (unsigned k = 0, power = 1; k < runs; k++, power *= 3)
        for (unsigned i = 0; i < size; i++)
            q[size * k + i] =
                (int8_t)(((unsigned)(uint8_t)(bytes[i] * power) * 3 >> 8) - 1u);
}

static EACH void decode_TQ1_0(const uint8_t *b, float *y)
{
    int8_t q[256];

    digits(q, b, 32, 5);
    digits(q + 160, b + 32, 16, 5);
    digits(q + 240, b + 48, 4, 4);
    times(y, q, 256, 16, half(b + 52));
}

/* ---- nibbles that are codes --------------------------------------------- */

static const int8_t nl_values[16] = {
    -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113
};

typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));

/* Elements of a table of 16 by their indices. */
#if defined(__clang__)
static EACH sixteen_bytes shuffle(sixteen_bytes table, sixteen_bytes index)
{
    for (unsigned i = 0; i < 16; i++)
        index[i] = table[index[i]];
    return index;
}
#define SHUFFLE(table, index) shuffle(table, index)
#else
#define SHUFFLE(table, index) __builtin_shuffle(table, index)
#endif

/* Twice the values of a float of four bits; there is no -0. */
static const int8_t fp4_values[16] = { 0, 1,  2,  3,  4,  6,  8,  12,
                                       0, -1, -2, -3, -4, -6, -8, -12 };

/* Of 16 bytes, as nibbles() has them. */
static EACH void look_up(int8_t *q, const uint8_t *bytes, const int8_t *values)
{
    sixteen_bytes all, low, high, table;

    memcpy(&table, values, sizeof table);
    memcpy(&all, bytes, sizeof all);
    low  = SHUFFLE(table, all & 15);
    high = SHUFFLE(table, all >> 4);
    memcpy(q, &low, sizeof low);
    memcpy(q + 16, &high, sizeof high);
}

static EACH void decode_IQ4_NL(const uint8_t *b, float *y)
{
    int8_t q[32];

    look_up(q, b + 2, nl_values);
    times(y, q, 32, 16, half(b));
}

static EACH void decode_IQ4_XS(const uint8_t *b, float *y)
{
    float    d    = half(b);
    unsigned high = tn_load16(b + 2);
    int8_t   q[32];

    for (unsigned g = 0; g < 8; g++) {
        unsigned low = (unsigned)b[4 + g / 2] >> 4 * (g % 2) & 15;
        unsigned s   = low | (high >> 2 * g & 3) << 4;
        look_up(q, b + 8 + 16 * g, nl_values);
        times(y + 32 * g, q, 32, 16, d * (float)((int)s - 32));
    }
}

/* Half of 2^(e - 127). */
static EACH float half_power(unsigned e)
{
    return of_bits(e < 2 ? UINT32_C(0x00200000) << e : (uint32_t)(e - 1) << 23);
}

static EACH void decode_MXFP4(const uint8_t *b, float *y)
{
    int8_t q[32];

    look_up(q, b + 1, fp4_values);
    times(y, q, 32, 16, half_power(b[0]));
}

/* An unsigned float of seven bits: four of exponent, three of mantissa. */
static EACH float ue4m3(unsigned x)
{
    unsigned e = x >> 3 & 15, m = x & 7;

    if ((x & 127) == 127)
        return 0;
    return e ? of_bits((e + 120) << 23 | m << 20) : (float)m * 0x1p-9f;
}

static EACH void decode_NVFP4(const uint8_t *b, float *y)
{
    int8_t q[32]; /* of two parts: low halves of both, high halves of both */

    for (unsigned s = 0; s < 4; s++) {
        float d = 0.5f * ue4m3(b[s]);
        if (s % 2 == 0)
            look_up(q, b + 4 + 8 * s, fp4_values);
        times(y + 16 * s, q + 8 * (s % 2), 8, 8, d);
        times(y + 16 * s + 8, q + 16 + 8 * (s % 2), 8, 8, d);
    }
}

/* ---- codes of several elements ------------------------------------------ */

/*
 * An entry of a grid is eight elements of two bits, or four of three.  They are
 * spread over the bytes of a number and become values there, all at once; then
 * each gets its sign.
 */
static EACH uint32_t spread_threes(unsigned code)
{
    uint32_t x = code;

    x = (x | x << 10) & 0x003f003fu;
    return (x | x << 5) & 0x07070707u;
}

/* 8, 25, 43. */
static EACH uint64_t iq2_values(unsigned code)
{
    uint64_t x = spread_pairs(code);

    return 8 * ONES + 17 * x + (x >> 1 & ONES);
}

/* 4, 12, 20, 28, 36, 44, 52, 62. */
static EACH uint64_t iq3_xxs_values(unsigned low, unsigned high)
{
    uint64_t x = spread_threes(low) | (uint64_t)spread_threes(high) << 32;

    return 4 * ONES + 8 * x + 2 * (x & x >> 1 & x >> 2 & ONES);
}

/* 1, 3, 5 .. 15. */
static EACH uint64_t iq3_s_values(unsigned low, unsigned high)
{
    uint64_t x = spread_threes(low) | (uint64_t)spread_threes(high) << 32;

    return ONES + 2 * x;
}

/* Seven bits of signs; the eighth makes the number of them even. */
static EACH unsigned even_signs(unsigned s)
{
    return s | (unsigned)__builtin_parity(s) << 7;
}

/* -v is ~v + 1, in each byte, because no v is 0. */
static EACH void signed_values(int8_t *q, uint64_t values, unsigned signs)
{
    uint64_t minus = spread_bits(signs);

    store8(q, (values ^ ((minus << 8) - minus)) + minus);
}

static EACH void decode_IQ2_XXS(const uint8_t *b, float *y)
{
    float  d = half(b);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        const uint8_t *at = b + 2 + 8 * g;
        uint32_t       s  = tn_load32(at + 4);
        for (unsigned l = 0; l < 4; l++)
            signed_values(q + 8 * l, iq2_values(tn_iq2xxs_grid[at[l]]),
                          even_signs(s >> 7 * l & 127));
        times(y + 32 * g, q, 32, 8, d * (0.5f + (float)(s >> 28)) * 0.25f);
    }
}

/* A scale of four bits for 16 elements: of the low bits, then the high ones. */
static EACH void times_halves(float *y, const int8_t *q, float d,
                              unsigned scales)
{
    times(y, q, 16, 8, d * (0.5f + (float)(scales & 15)) * 0.25f);
    times(y + 16, q + 16, 16, 8, d * (0.5f + (float)(scales >> 4)) * 0.25f);
}

static EACH void decode_IQ2_XS(const uint8_t *b, float *y)
{
    float  d = half(b);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        for (unsigned l = 0; l < 4; l++) {
            unsigned s = tn_load16(b + 2 + 8 * g + 2 * l);
            signed_values(q + 8 * l, iq2_values(tn_iq2xs_grid[s & 511]),
                          even_signs(s >> 9));
        }
        times_halves(y + 32 * g, q, d, b[66 + g]);
    }
}

static EACH void decode_IQ2_S(const uint8_t *b, float *y)
{
    float  d = half(b);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        for (unsigned l = 0; l < 4; l++) {
            unsigned high = (unsigned)b[66 + g] << (8 - 2 * l) & 0x300;
            signed_values(q + 8 * l,
                          iq2_values(tn_iq2s_grid[b[2 + 4 * g + l] | high]),
                          b[34 + 4 * g + l]);
        }
        times_halves(y + 32 * g, q, d, b[74 + g]);
    }
}

static EACH void decode_IQ3_XXS(const uint8_t *b, float *y)
{
    float  d = half(b);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        const uint8_t *at = b + 2 + 8 * g;
        uint32_t       s  = tn_load32(b + 66 + 4 * g);
        for (unsigned l = 0; l < 4; l++)
            signed_values(q + 8 * l,
                          iq3_xxs_values(tn_iq3xxs_grid[at[2 * l]],
                                         tn_iq3xxs_grid[at[2 * l + 1]]),
                          even_signs(s >> 7 * l & 127));
        times(y + 32 * g, q, 32, 8, d * (0.5f + (float)(s >> 28)) * 0.5f);
    }
}

static EACH void decode_IQ3_S(const uint8_t *b, float *y)
{
    float  d = half(b);
    int8_t q[32];

    for (unsigned g = 0; g < 8; g++) {
        const uint8_t *at   = b + 2 + 8 * g;
        unsigned       high = b[66 + g];
        unsigned       s    = (unsigned)b[106 + g / 2] >> 4 * (g % 2) & 15;
        for (unsigned l = 0; l < 4; l++)
            signed_values(
                q + 8 * l,
                iq3_s_values(
                    tn_iq3s_grid[at[2 * l] | (high << (8 - 2 * l) & 256)],
                    tn_iq3s_grid[at[2 * l + 1] | (high << (7 - 2 * l) & 256)]),
                b[74 + 4 * g + l]);
        times(y + 32 * g, q, 32, 8, d * (float)(1 + 2 * s));
    }
}

/* Eight of -1, 0 and 1, with an eighth added or subtracted. */
static EACH void times_shifted(float *y, unsigned code, float d, float delta)
{
    int8_t q[8];

    store8(q, minus_one(spread_pairs(code)));
    for (unsigned i = 0; i < 8; i++) {
        float sum = (float)q[i] + delta;
        y[i]      = d * sum;
    }
}

static EACH void decode_IQ1_S(const uint8_t *b, float *y)
{
    float d = half(b);

    for (unsigned g = 0; g < 8; g++) {
        unsigned high  = tn_load16(b + 34 + 2 * g);
        float    scale = d * (float)(2 * (high >> 12 & 7) + 1);
        float    delta = high & 0x8000 ? -0.125f : 0.125f;
        for (unsigned l = 0; l < 4; l++) {
            unsigned index = b[2 + 4 * g + l] | (high >> 3 * l & 7) << 8;
            times_shifted(y + 32 * g + 8 * l, tn_iq1s_grid[index], scale,
                          delta);
        }
    }
}

/* The scale of the block is in the upper four bits of four numbers. */
static EACH void decode_IQ1_M(const uint8_t *b, float *y)
{
    unsigned bits = 0;

    for (unsigned i = 0; i < 4; i++)
        bits |= (unsigned)tn_load16(b + 48 + 2 * i) >> 12 << 4 * i;
    float d = half_of(bits);
    for (unsigned g = 0; g < 8; g++) {
        unsigned scales =
            (unsigned)tn_load16(b + 48 + g / 2 * 2) >> 6 * (g % 2);
        for (unsigned l = 0; l < 4; l++) {
            unsigned high = (unsigned)b[32 + 2 * g + l / 2] >> 4 * (l % 2) & 15;
            unsigned index = b[4 * g + l] | (high & 7) << 8;
            unsigned s     = scales >> 3 * (l / 2) & 7;
            times_shifted(y + 32 * g + 8 * l, tn_iq1s_grid[index],
                          d * (float)(2 * s + 1), high & 8 ? -0.125f : 0.125f);
        }
    }
}

/* ---- many blocks -------------------------------------------------------- */

typedef void decoder(const uint8_t *blocks, size_t count, float *to);

#define DECODE_MANY(name, elements, bytes)                                     \
    for (; count; count--, blocks += (bytes), to += (elements))                \
        decode_##name(blocks, to);

#define X(name, text, elements, bytes, ...)                                    \
    static void name##_plainly(const uint8_t *blocks, size_t count, float *to) \
    {                                                                          \
        DECODE_MANY(name, elements, bytes)                                     \
    }
TN_BLOCK_MAP(X)
#undef X

static decoder *const plain[TN_BLOCK_COUNT] = {
#define X(name, ...) name##_plainly,
    TN_BLOCK_MAP(X)
#undef X
};

void tn_block_decode_plainly(unsigned kind, const uint8_t *blocks, size_t count,
                             float *to)
{
    plain[kind](blocks, count, to);
}

#if defined(__x86_64__)

#define X(name, text, elements, bytes, ...)                                    \
    __attribute__((target("avx2"))) static void name##_by_avx2(                \
        const uint8_t *blocks, size_t count, float *to)                        \
    {                                                                          \
        DECODE_MANY(name, elements, bytes)                                     \
    }
TN_BLOCK_MAP(X)
#undef X

static decoder *const by_avx2[TN_BLOCK_COUNT] = {
#define X(name, ...) name##_by_avx2,
    TN_BLOCK_MAP(X)
#undef X
};

void tn_block_decode(unsigned kind, const uint8_t *blocks, size_t count,
                     float *to)
{
    if (__builtin_cpu_supports("avx2"))
        by_avx2[kind](blocks, count, to);
    else
        plain[kind](blocks, count, to);
}

#else

void tn_block_decode(unsigned kind, const uint8_t *blocks, size_t count,
                     float *to)
{
    plain[kind](blocks, count, to);
}

#endif
