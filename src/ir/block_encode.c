/* block_encode.c - floats as quantised blocks */
#include "ir/block_encode.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/little.h"
#include "base/number.h"

bool tn_block_can_encode(unsigned kind)
{
    return kind == TN_BLOCK_Q4_0 || kind == TN_BLOCK_Q4_1 ||
           kind == TN_BLOCK_Q5_0 || kind == TN_BLOCK_Q5_1 ||
           kind == TN_BLOCK_Q8_0;
}

/* ---- numbers -------------------------------------------------------------- */

/* Rounds to the nearest half, ties to even. */
static uint16_t half_bits(float value)
{
    uint32_t bits = tn_float_bits(value);
    uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;

    if (rest > 0x7f800000)
        return (uint16_t)(sign | 0x7e00);
    if (rest >= 0x47800000) /* 65536 */
        return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) { /* subnormal: the sum rounds at the right bit */
        float sum = tn_float_of_bits(rest) + 0.5f;
        return (uint16_t)(sign | (tn_float_bits(sum) - 0x3f000000));
    }
    rest += 0xfff + (rest >> 13 & 1); /* may carry into the exponent */
    return (uint16_t)(sign | ((rest - 0x38000000) >> 13));
}

static void store_half(uint8_t *to, float value)
{
    tn_store_little(to, half_bits(value), 2);
}

/* Cuts off the fraction, and limits the number to 0 to `most`. */
static unsigned whole(float value, unsigned most)
{
    if (!(value > 0))
        return 0;
    return value >= (float)most ? most : (unsigned)value;
}

static float inverse(float d)
{
    return d != 0 ? 1.0f / d : 0.0f;
}

/* The element of the largest magnitude, with its sign; the first of several. */
static float furthest(const float *x)
{
    float most = 0, found = 0;

    for (unsigned i = 0; i < 32; i++) {
        if (fabsf(x[i]) > most) {
            most  = fabsf(x[i]);
            found = x[i];
        }
    }
    return found;
}

static void find_bounds(const float *x, float *low, float *high)
{
    *low = *high = x[0];
    for (unsigned i = 1; i < 32; i++) {
        *low  = x[i] < *low ? x[i] : *low;
        *high = x[i] > *high ? x[i] : *high;
    }
}

/* ---- blocks --------------------------------------------------------------- */

/* Low halves of 16 bytes, then high ones; fifth bits apart. */
static void store_nibbles(uint8_t *to, uint8_t *fifths, const unsigned *q)
{
    for (unsigned i = 0; i < 16; i++)
        to[i] = (uint8_t)((q[i] & 15) | (q[i + 16] & 15) << 4);
    if (!fifths)
        return;
    uint32_t bits = 0;
    for (unsigned i = 0; i < 32; i++)
        bits |= (uint32_t)(q[i] >> 4 & 1) << i;
    tn_store_little(fifths, bits, 4);
}

/* Around zero: `most` + 1 steps, of which half are negative. */
static void encode_signed(const float *x, unsigned most, uint8_t *block)
{
    float    half_range = (float)(most / 2 + 1);
    float    d          = furthest(x) / -half_range;
    float    id         = inverse(d);
    bool     has_fifth  = most > 15;
    unsigned q[32];

    for (unsigned i = 0; i < 32; i++) {
        float quotient = x[i] * id;
        q[i]           = whole(quotient + (half_range + 0.5f), most);
    }
    store_half(block, d);
    store_nibbles(block + (has_fifth ? 6 : 2), has_fifth ? block + 2 : NULL, q);
}

/* Steps from the smallest element on. */
static void encode_from_minimum(const float *x, unsigned most, uint8_t *block)
{
    float    low, high;
    bool     has_fifth = most > 15;
    unsigned q[32];

    find_bounds(x, &low, &high);
    float d  = (high - low) / (float)most;
    float id = inverse(d);
    for (unsigned i = 0; i < 32; i++) {
        float difference = x[i] - low;
        float quotient   = difference * id;
        q[i]             = whole(quotient + 0.5f, most);
    }
    store_half(block, d);
    store_half(block + 2, low);
    store_nibbles(block + (has_fifth ? 8 : 4), has_fifth ? block + 4 : NULL, q);
}

static void encode_bytes(const float *x, uint8_t *block)
{
    float d  = fabsf(furthest(x)) / 127.0f;
    float id = inverse(d);

    store_half(block, d);
    for (unsigned i = 0; i < 32; i++) {
        float quotient = x[i] * id;
        block[2 + i]   = (uint8_t)(int8_t)roundf(quotient);
    }
}

void tn_block_encode(unsigned kind, const float *from, size_t count,
                     uint8_t *blocks)
{
    unsigned bytes = tn_block_type(kind)->bytes;

    for (; count; count--, from += 32, blocks += bytes) {
        switch (kind) {
        case TN_BLOCK_Q4_0: encode_signed(from, 15, blocks); break;
        case TN_BLOCK_Q5_0: encode_signed(from, 31, blocks); break;
        case TN_BLOCK_Q4_1: encode_from_minimum(from, 15, blocks); break;
        case TN_BLOCK_Q5_1: encode_from_minimum(from, 31, blocks); break;
        default: encode_bytes(from, blocks); break;
        }
    }
}

/* ---- streams -------------------------------------------------------------- */

/* Blocks that are encoded at a time. */
#define BATCH 64

struct quantising {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    unsigned        kind;
    unsigned        used; /* bytes of `pending`                               */
    uint64_t        done; /* elements                                         */
    uint8_t         pending[BATCH * 32 * sizeof(float)];
};

static enum tn_status encode_pending(struct quantising *q,
                                     struct tn_error   *error)
{
    unsigned count = q->used / (unsigned)sizeof(float);
    float    x[BATCH * 32];
    uint8_t  blocks[BATCH * 34];
    size_t   size = count / 32 * (size_t)tn_block_type(q->kind)->bytes;

    for (unsigned i = 0; i < count; i++) {
        x[i] = tn_float_of_bits(tn_load32(q->pending + i * sizeof(float)));
        if (!isfinite(x[i]))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "element %" PRIu64 " is %s, which %s does not "
                                "have",
                                q->done + i, isnan(x[i]) ? "NaN" : "infinite",
                                tn_block_type(q->kind)->name);
    }
    tn_block_encode(q->kind, x, count / 32, blocks);
    q->done += count;
    q->used = 0;
    return tn_sink_write(q->to, tn_bytes(blocks, size), error);
}

static enum tn_status quantise(struct tn_sink *sink, struct tn_bytes bytes,
                               struct tn_error *error)
{
    struct quantising *q = (struct quantising *)sink;

    while (bytes.size) {
        size_t n = tn_min_size(bytes.size, sizeof q->pending - q->used);
        memcpy(q->pending + q->used, bytes.data, n);
        q->used += (unsigned)n;
        bytes.data += n;
        bytes.size -= n;
        if (q->used == sizeof q->pending)
            TN_TRY(encode_pending(q, error));
    }
    return TN_OK;
}

enum tn_status tn_payload_quantise(const struct tn_elements *elements,
                                   unsigned kind, struct tn_memory *memory,
                                   struct tn_sink *to, struct tn_error *error)
{
    static const struct tn_sink_ops ops = { .write = quantise };
    struct quantising *q = tn_memory_resize(memory, NULL, 0, sizeof *q, error);
    uint64_t           count, bytes;

    if (!q)
        return error->status;
    *q = (struct quantising){ .sink = { .ops = &ops }, .to = to, .kind = kind };
    if (!tn_block_can_encode(kind) ||
        !tn_shape_count(&elements->shape, &count) ||
        !tn_payload_block_bytes(&elements->shape, kind, &bytes))
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "a shape or a type that cannot be quantised so");
    else if (tn_payload_stream(elements, 0, count, memory, &q->sink, error) ==
             TN_OK)
        encode_pending(q, error);
    tn_memory_free(memory, q, sizeof *q);
    return error->status;
}
