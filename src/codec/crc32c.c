/*
 * crc32c.c - CRC-32C, by the processor's instruction or by tables
 *
 * Polynomial 0x82f63b78 (reflected), first and last xor 0xffffffff.
 *
 * The instruction takes eight bytes a cycle but answers three cycles later, so
 * three streams run side by side.  Joining them means to move a checksum over
 * n zero bytes: to multiply it by x^(8n) modulo the polynomial.  A carry-less
 * product of two reflected 32-bit numbers, reduced by one more crc32 step, is
 * their product times x^33; hence the constants x^(8n - 33).
 */
#include "codec/crc32c.h"

#include <string.h>

#include "base/cursor.h"

/* The checksum is linear: the entry of a byte is the sum of the entries of its
 * bits.  a to h are those of bits 0 to 7. */
#define BIT(i, n, value) ((i) >> (n)&1 ? UINT32_C(value) : 0)
#define ENTRY(i, a, b, c, d, e, f, g, h)                                       \
    BIT(i, 0, a) ^ BIT(i, 1, b) ^ BIT(i, 2, c) ^ BIT(i, 3, d) ^ BIT(i, 4, e) ^ \
        BIT(i, 5, f) ^ BIT(i, 6, g) ^ BIT(i, 7, h)
#define FOUR(i, ...)                                                           \
    ENTRY(i, __VA_ARGS__), ENTRY((i) + 1, __VA_ARGS__),                        \
        ENTRY((i) + 2, __VA_ARGS__), ENTRY((i) + 3, __VA_ARGS__)
#define ROW(i, ...)                                                            \
    FOUR(i, __VA_ARGS__), FOUR((i) + 4, __VA_ARGS__),                          \
        FOUR((i) + 8, __VA_ARGS__), FOUR((i) + 12, __VA_ARGS__)
#define FOUR_ROWS(i, ...)                                                      \
    ROW(i, __VA_ARGS__), ROW((i) + 16, __VA_ARGS__),                           \
        ROW((i) + 32, __VA_ARGS__), ROW((i) + 48, __VA_ARGS__)
#define SIXTEEN_ROWS(...)                                                      \
    {                                                                          \
        FOUR_ROWS(0, __VA_ARGS__), FOUR_ROWS(64, __VA_ARGS__),                 \
            FOUR_ROWS(128, __VA_ARGS__), FOUR_ROWS(192, __VA_ARGS__)           \
    }

/* tables[k][b]: the checksum of byte b followed by k zero bytes. */
/* clang-format off */
static const uint32_t tables[8][256] = {
    SIXTEEN_ROWS(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf,
                 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
    SIXTEEN_ROWS(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8,
                 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
    SIXTEEN_ROWS(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5,
                 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
    SIXTEEN_ROWS(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6,
                 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
    SIXTEEN_ROWS(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91,
                 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
    SIXTEEN_ROWS(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f,
                 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
    SIXTEEN_ROWS(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53,
                 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
    SIXTEEN_ROWS(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da,
                 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};
/* clang-format on */

static uint32_t step_byte(uint32_t crc, uint8_t byte)
{
    return tables[0][(crc ^ byte) & 0xff] ^ crc >> 8;
}

static uint32_t step_eight(uint32_t crc, const uint8_t *at)
{
    uint32_t low = tn_load32(at) ^ crc, high = tn_load32(at + 4);

    return tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^
           tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
           tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
           tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
}

uint32_t tn_crc32c_tables(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *at = data;

    crc = ~crc;
    for (; size >= 8; at += 8, size -= 8)
        crc = step_eight(crc, at);
    for (; size; at++, size--)
        crc = step_byte(crc, *at);
    return ~crc;
}

/* Product of two polynomials modulo ours; bit 31 is x^0. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (uint32_t bit = UINT32_C(1) << 31; bit; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = b >> 1 ^ (b & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    return product;
}

uint32_t tn_crc32c_zeros(uint32_t crc, uint64_t count)
{
    uint32_t power = UINT32_C(1) << 23; /* x^8: one byte */

    crc = ~crc;
    for (; count; count >>= 1) {
        if (count & 1)
            crc = multiply(crc, power);
        power = multiply(power, power);
    }
    return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>

#define WITH_SSE __attribute__((target("sse4.2,pclmul")))

/* Three streams of `bytes` each; the constants move over one and over two. */
struct stride {
    size_t   bytes;
    uint32_t over_one, over_two;
};

static const struct stride long_stride  = { 4096, 0x82f89c77, 0x54a86326 };
static const struct stride short_stride = { 256, 0xb9e02b86, 0xdd7e3b0c };

static uint64_t load(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

WITH_SSE static uint32_t moved(uint64_t crc, uint32_t constant)
{
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)crc),
                                           _mm_cvtsi32_si128((int)constant), 0);

    return (uint32_t)_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

WITH_SSE static uint64_t three_streams(uint64_t crc, const uint8_t *at,
                                       const struct stride *stride)
{
    const uint8_t *end = at + stride->bytes;
    uint64_t       a = crc, b = 0, c = 0;

    for (; at < end; at += 8) {
        a = _mm_crc32_u64(a, load(at));
        b = _mm_crc32_u64(b, load(at + stride->bytes));
        c = _mm_crc32_u64(c, load(at + 2 * stride->bytes));
    }
    return moved(a, stride->over_two) ^ moved(b, stride->over_one) ^ c;
}

WITH_SSE static uint32_t by_instruction(uint32_t crc, const uint8_t *at,
                                        size_t size)
{
    uint64_t c = ~crc;

    for (; size >= 3 * long_stride.bytes; size -= 3 * long_stride.bytes) {
        c = three_streams(c, at, &long_stride);
        at += 3 * long_stride.bytes;
    }
    for (; size >= 3 * short_stride.bytes; size -= 3 * short_stride.bytes) {
        c = three_streams(c, at, &short_stride);
        at += 3 * short_stride.bytes;
    }
    for (; size >= 8; at += 8, size -= 8)
        c = _mm_crc32_u64(c, load(at));
    for (; size; at++, size--)
        c = _mm_crc32_u8((uint32_t)c, *at);
    return ~(uint32_t)c;
}

uint32_t tn_crc32c(uint32_t crc, const void *data, size_t size)
{
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
        return by_instruction(crc, data, size);
    return tn_crc32c_tables(crc, data, size);
}

#else

uint32_t tn_crc32c(uint32_t crc, const void *data, size_t size)
{
    return tn_crc32c_tables(crc, data, size);
}

#endif
