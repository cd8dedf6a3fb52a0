/*
 * block_loops.c - decoding quantised blocks: ours, and a bare loop of the formula
 *
 *   block_loops ours|bare TYPE ELEMENTS
 *
 * Both decode the same blocks, which fit into the cache, until so many elements
 * were made, on one thread.  Prints what stopwatch.h says, and the elements as
 * `nodes`.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/blocks.h"
#include "stopwatch.h"

enum { BLOCKS = 512 };

static float half(const uint8_t *at)
{
    uint32_t bits = (uint32_t)(at[0] | at[1] << 8), rest = bits & 0x3ff;
    uint32_t exponent = bits >> 10 & 31, sign = (bits & 0x8000) << 16;
    float    value;

    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)rest * 0x1p-24f;
    bits = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | rest << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void bare_q4_0(const uint8_t *b, float *y)
{
    float d = half(b);

    for (int i = 0; i < 16; i++) {
        y[i]      = d * (float)((b[2 + i] & 15) - 8);
        y[i + 16] = d * (float)((b[2 + i] >> 4) - 8);
    }
}

static void bare_q5_0(const uint8_t *b, float *y)
{
    float d = half(b);

    for (int i = 0; i < 16; i++) {
        int low  = (b[6 + i] & 15) | (b[2 + i / 8] >> i % 8 & 1) << 4;
        int high = b[6 + i] >> 4 | (b[4 + i / 8] >> i % 8 & 1) << 4;
        y[i]      = d * (float)(low - 16);
        y[i + 16] = d * (float)(high - 16);
    }
}

static void bare_q8_0(const uint8_t *b, float *y)
{
    float d = half(b);

    for (int i = 0; i < 32; i++)
        y[i] = d * (float)(int8_t)b[2 + i];
}

static void bare_q4_K(const uint8_t *b, float *y)
{
    const uint8_t *s = b + 4;
    float          d = half(b), m = half(b + 2);

    for (int g = 0; g < 8; g++) {
        int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) | s[g - 4] >> 6 << 4;
        int low   = g < 4 ? s[g + 4] & 63 : s[g + 4] >> 4 | s[g] >> 6 << 4;
        float ds = d * (float)scale, ms = m * (float)low;
        for (int i = 0; i < 32; i++)
            y[32 * g + i] =
                ds * (float)(b[16 + 32 * (g / 2) + i] >> 4 * (g % 2) & 15) - ms;
    }
}

static void bare_q6_K(const uint8_t *b, float *y)
{
    float d = half(b + 208);

    for (int r = 0; r < 8; r++)
        for (int i = 0; i < 32; i++) {
            int low  = b[64 * (r / 4) + 32 * (r % 2) + i] >> 4 * (r % 4 / 2) & 15;
            int high = b[128 + 32 * (r / 4) + i] >> 2 * (r % 4) & 3;
            y[32 * r + i] = d * (float)(int8_t)b[192 + 2 * r + i / 16] *
                            (float)((low | high << 4) - 32);
        }
}

static void bare_iq4_nl(const uint8_t *b, float *y)
{
    static const int8_t values[16] = { -127, -104, -83, -65, -49, -35, -22, -10,
                                       1,    13,   25,  38,  53,  69,  89,  113 };
    float d = half(b);

    for (int i = 0; i < 16; i++) {
        y[i]      = d * (float)values[b[2 + i] & 15];
        y[i + 16] = d * (float)values[b[2 + i] >> 4];
    }
}

static const struct {
    unsigned kind;
    void (*decode)(const uint8_t *block, float *y);
} loops[] = {
    { TN_BLOCK_Q4_0, bare_q4_0 }, { TN_BLOCK_Q5_0, bare_q5_0 },
    { TN_BLOCK_Q8_0, bare_q8_0 }, { TN_BLOCK_Q4_K, bare_q4_K },
    { TN_BLOCK_Q6_K, bare_q6_K }, { TN_BLOCK_IQ4_NL, bare_iq4_nl },
};

static void decode_barely(unsigned kind, const uint8_t *blocks, float *y)
{
    const struct tn_block_type *type = tn_block_type(kind);

    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        for (unsigned k = 0; loops[i].kind == kind && k < BLOCKS; k++)
            loops[i].decode(blocks + k * type->bytes, y + k * type->elements);
}

int main(int argc, char **argv)
{
    static uint8_t blocks[BLOCKS * TN_BLOCK_BYTES_MAX];
    static float   y[BLOCKS * TN_BLOCK_ELEMENTS_MAX];
    unsigned       kind = argc == 4 ? tn_block_find(argv[2]) : TN_BLOCK_COUNT;
    long           made = 0, wanted = argc == 4 ? atol(argv[3]) : 0;

    if (kind == TN_BLOCK_COUNT) {
        fprintf(stderr, "usage: block_loops ours|bare TYPE ELEMENTS\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof blocks; i++) /* no subnormal scales */
        blocks[i] = (uint8_t)(0x20 | (i * 2654435761u >> 13 & 0x1f));
    struct stopwatch watch = stopwatch_start();
    for (; made < wanted; made += BLOCKS * (long)tn_block_type(kind)->elements) {
        if (strcmp(argv[1], "ours") == 0)
            tn_block_decode(kind, blocks, BLOCKS, y);
        else
            decode_barely(kind, blocks, y);
    }
    stopwatch_print(watch, made);
    return 0;
}
