/*
 * tally.c - counts and moments of elements, while they stream past
 *
 * Elements are decoded into blocks of doubles that stay in the first cache.  A
 * block is walked several times: for what is not finite, for its extremes, for
 * its mean, for the distances from that mean, for the bins.  Distances from the
 * mean of the block itself lose no digits, and neither do the formulas of Chan,
 * Golub and LeVeque, by which means and distances of blocks are joined.
 *
 * Elements of one byte have at most 256 values: it is counted how often each
 * occurs, and everything else is computed from that at the end.
 */
#include "ir/tally.h"

#include <float.h>
#include <math.h>

#include "base/length.h"
#include "base/arith.h"
#include "base/little.h"
#include "ir/small_float.h"

/* A multiple of LANES; 8 KiB. */
#define BLOCK 1024

/* No bin is narrower than this part of the largest magnitude, so that the
 * number of a bin fits into 32 bits. */
#define FINEST_BITS 24

/* The reciprocal of a width must be a normal number, too. */
#define LEAST_EXPONENT (-1000)

/* ---- bins --------------------------------------------------------------- */

static int64_t bin_of(double value, int exponent)
{
    return (int64_t)floor(value * tn_power_of_two(-exponent));
}

/* The exponent for bins from `min` to `max`, not below `exponent`. */
static int widen(const struct tn_bins *bins, double min, double max,
                 int exponent)
{
    double magnitude = fmax(fabs(min), fabs(max));

    if (magnitude > 0 && ilogb(magnitude) - FINEST_BITS > exponent)
        exponent = ilogb(magnitude) - FINEST_BITS;
    if (exponent < bins->least)
        exponent = bins->least;
    while (bin_of(max, exponent) - bin_of(min, exponent) >= TN_STATISTICS_BINS)
        exponent++;
    return exponent;
}

/* floor(value / 2^shift) */
static int64_t shift_down(int64_t value, int shift)
{
    int64_t divisor = INT64_C(1) << (shift > 62 ? 62 : shift);

    return value >= 0 ? value / divisor : -((-value - 1) / divisor) - 1;
}

static void add_bins(struct tn_bins *to, const struct tn_bins *from)
{
    int shift = to->exponent - from->exponent;

    for (int i = 0; i < TN_STATISTICS_BINS; i++)
        if (from->counts[i] > 0)
            to->counts[shift_down(from->first + i, shift) - to->first] +=
                from->counts[i];
}

/* Makes room for all elements from `min` to `max`, those that are in the bins
 * among them. */
static void fit_bins(struct tn_bins *bins, double min, double max)
{
    struct tn_bins old      = *bins;
    int            exponent = widen(bins, min, max, bins->exponent);
    int64_t        first    = bin_of(min, exponent);

    if (exponent == old.exponent && first == old.first)
        return;
    bins->exponent = exponent;
    bins->first    = first;
    memset(bins->counts, 0, sizeof bins->counts);
    add_bins(bins, &old);
}

/* ---- moments ------------------------------------------------------------ */

/* Of a part of the elements, all finite. */
struct part {
    uint64_t count;
    double   min, max, mean, squares;
};

static void join_part(struct tn_tally *tally, const struct part *part)
{
    double before = (double)tally->finite, added = (double)part->count;
    double all = before + added, apart = part->mean - tally->mean;

    if (tally->finite == 0) {
        tally->min     = part->min;
        tally->max     = part->max;
        tally->mean    = part->mean;
        tally->squares = part->squares;
    } else {
        tally->min = fmin(tally->min, part->min);
        tally->max = fmax(tally->max, part->max);
        tally->mean += apart * (added / all);
        tally->squares +=
            part->squares + apart * apart * (before / all) * added;
    }
    tally->finite += part->count;
    fit_bins(&tally->bins, tally->min, tally->max);
}

/* ---- blocks ------------------------------------------------------------- */

/* Four lanes of any processor: two instructions where registers are short.
 * Sums are kept per lane, so that they do not depend on the processor. */
#define LANES 4
typedef double   four_doubles __attribute__((vector_size(32)));
typedef int64_t  four_masks __attribute__((vector_size(32)));
typedef int32_t  four_numbers __attribute__((vector_size(16)));
typedef float    four_floats __attribute__((vector_size(16)));
typedef uint16_t four_shorts __attribute__((vector_size(8)));

#define INLINE static inline __attribute__((always_inline))

struct block {
    size_t      count;
    double      values[BLOCK] __attribute__((aligned(32)));
    int32_t     bins[BLOCK] __attribute__((aligned(32)));
    struct part part;
    uint64_t    zeros;
    bool        is_finite; /* all of it is                                   */
};

/* Not a function: vectors as arguments are passed in different ways. */
#define CHOOSE(mask, yes, no)                                                  \
    ((four_doubles)(((mask) & (four_masks)(yes)) |                             \
                    (~(mask) & (four_masks)(no))))

/* Fills the lanes beyond the last element with it, which changes no extreme. */
INLINE size_t round_up(struct block *block)
{
    size_t n = block->count;

    for (; n % LANES != 0; n++)
        block->values[n] = block->values[block->count - 1];
    return n;
}

INLINE void find_extremes(struct block *block)
{
    const four_masks    exponent = { 0x7ff0000000000000, 0x7ff0000000000000,
                                     0x7ff0000000000000, 0x7ff0000000000000 };
    const four_doubles *v        = (const four_doubles *)block->values;
    size_t              n = round_up(block), extra = n - block->count;
    four_doubles        min = v[0], max = v[0], zero = { 0 };
    four_masks          zeros = { 0 }, bad = { 0 };

    for (size_t i = 0; i < n / LANES; i++) {
        min = CHOOSE(v[i] < min, v[i], min);
        max = CHOOSE(v[i] > max, v[i], max);
        zeros -= v[i] == zero;
        bad |= ((four_masks)v[i] & exponent) == exponent;
    }
    block->part.min = fmin(fmin(min[0], min[1]), fmin(min[2], min[3]));
    block->part.max = fmax(fmax(max[0], max[1]), fmax(max[2], max[3]));
    block->zeros    = (uint64_t)(zeros[0] + zeros[1] + zeros[2] + zeros[3]);
    if (block->values[n - 1] == 0)
        block->zeros -= extra;
    block->is_finite = !(bad[0] | bad[1] | bad[2] | bad[3]);
}

INLINE double add_lanes(const four_doubles *a, const four_doubles *b)
{
    four_doubles sums = *a + *b;

    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* Two sums at a time: a second addition can begin before the first one is
 * done. */
INLINE void find_moments(struct block *block)
{
    const four_doubles *v = (const four_doubles *)block->values;
    size_t              n = block->count, pairs = n / (2 * LANES);
    four_doubles        sums = { 0 }, others = { 0 };

    for (size_t i = 0; i < pairs; i++) {
        sums += v[2 * i];
        others += v[2 * i + 1];
    }
    double sum = add_lanes(&sums, &others);
    for (size_t i = pairs * 2 * LANES; i < n; i++)
        sum += block->values[i];
    double       mean  = sum / (double)n;
    four_doubles means = { mean, mean, mean, mean };
    sums = others = (four_doubles){ 0 };
    for (size_t i = 0; i < pairs; i++) {
        four_doubles one = v[2 * i] - means, other = v[2 * i + 1] - means;
        sums += one * one;
        others += other * other;
    }
    sum = add_lanes(&sums, &others);
    for (size_t i = pairs * 2 * LANES; i < n; i++)
        sum += (block->values[i] - mean) * (block->values[i] - mean);
    block->part.mean    = mean;
    block->part.squares = sum;
}

/* The number of a bin is floor(value / width), counted from `first`. */
INLINE void find_bins(struct block *block, const struct tn_bins *bins)
{
    const four_doubles *v      = (const four_doubles *)block->values;
    four_numbers       *to     = (four_numbers *)block->bins;
    double              scale  = tn_power_of_two(-bins->exponent);
    four_doubles        scales = { scale, scale, scale, scale };
    four_doubles        one    = { 1, 1, 1, 1 };
    int32_t             first  = (int32_t)bins->first;
    four_numbers        firsts = { first, first, first, first };
    size_t              n      = round_up(block) / LANES;

    for (size_t i = 0; i < n; i++) {
        four_doubles scaled = v[i] * scales;
        four_doubles whole  = __builtin_convertvector(
            __builtin_convertvector(scaled, four_numbers), four_doubles);
        four_masks above = whole > scaled;
        whole -= (four_doubles)(above & (four_masks)one);
        to[i] = __builtin_convertvector(whole, four_numbers) - firsts;
    }
}

/* In four tables, so that equal elements one after the other do not wait for
 * each other. */
static void count_bins(const struct block *block, struct tn_bins *bins)
{
    uint32_t counts[LANES][TN_STATISTICS_BINS] = { 0 };
    size_t   i                                 = 0;

    for (; i + LANES <= block->count; i += LANES) {
        counts[0][block->bins[i]]++;
        counts[1][block->bins[i + 1]]++;
        counts[2][block->bins[i + 2]]++;
        counts[3][block->bins[i + 3]]++;
    }
    for (; i < block->count; i++)
        counts[0][block->bins[i]]++;
    for (size_t k = 0; k < LANES; k++)
        for (i = 0; i < TN_STATISTICS_BINS; i++)
            bins->counts[i] += counts[k][i];
}

/* ---- floats as doubles --------------------------------------------------- */

/* Four little-endian numbers of `size` bytes. */
INLINE void load_four(void *to, const uint8_t *from, size_t size)
{
    uint8_t *bytes = to;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
        memcpy(to, from, LANES * size);
        return;
    }
    for (size_t i = 0; i < LANES * size; i++)
        bytes[i / size * size + size - 1 - i % size] = from[i];
}

INLINE void decode_singles(double *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        four_floats floats;

        load_four(&floats, from + 4 * i, 4);
        *(four_doubles *)(to + i) =
            __builtin_convertvector(floats, four_doubles);
    }
}

INLINE void decode_doubles(double *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += LANES)
        load_four(to + i, from + 8 * i, 8);
}

INLINE void decode_bfloats(double *to, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        four_shorts codes;

        load_four(&codes, from + 2 * i, 2);
        four_numbers words = __builtin_convertvector(codes, four_numbers) << 16;
        *(four_doubles *)(to + i) =
            __builtin_convertvector((four_floats)words, four_doubles);
    }
}

/* The exponent of float16 moves by a multiplication, which also makes its
 * subnormal numbers right; the largest exponent stays the largest. */
INLINE void decode_halves(double *to, const uint8_t *from, size_t count)
{
    const float       scale  = (float)tn_power_of_two(127 - 15);
    const four_floats scales = { scale, scale, scale, scale };

    for (size_t i = 0; i < count; i += LANES) {
        four_shorts codes;

        load_four(&codes, from + 2 * i, 2);
        four_numbers words = __builtin_convertvector(codes, four_numbers);
        four_numbers rest  = (words & 0x7fff) << 13;
        four_numbers odd   = rest >= (0x7c00 << 13);
        four_numbers moved = (four_numbers)((four_floats)rest * scales);
        moved |= odd & 0x7f800000;
        moved |= (words & 0x8000) << 16;
        *(four_doubles *)(to + i) =
            __builtin_convertvector((four_floats)moved, four_doubles);
    }
}

/* False for other types.  `count` is a multiple of LANES. */
INLINE bool decode_floats(enum tn_dtype dtype, double *to, const uint8_t *from,
                          size_t count)
{
    switch (dtype) {
    case TN_FLOAT32: decode_singles(to, from, count); return true;
    case TN_FLOAT64: decode_doubles(to, from, count); return true;
    case TN_BFLOAT16: decode_bfloats(to, from, count); return true;
    case TN_FLOAT16: decode_halves(to, from, count); return true;
    default: return false;
    }
}

/* ---- all of it where registers are long ---------------------------------- */

#if defined(__x86_64__)
#define WITH_AVX2 __attribute__((target("avx2")))

WITH_AVX2 static void extremes_by_avx2(struct block *block)
{
    find_extremes(block);
}

WITH_AVX2 static void moments_by_avx2(struct block *block)
{
    find_moments(block);
}

WITH_AVX2 static void bins_by_avx2(struct block         *block,
                                   const struct tn_bins *bins)
{
    find_bins(block, bins);
}

WITH_AVX2 static bool floats_by_avx2(enum tn_dtype dtype, double *to,
                                     const uint8_t *from, size_t count)
{
    return decode_floats(dtype, to, from, count);
}

static bool has_avx2(const struct tn_tally *tally)
{
    return !tally->is_plain && __builtin_cpu_supports("avx2");
}
#else
#define extremes_by_avx2 find_extremes
#define moments_by_avx2  find_moments
#define bins_by_avx2     find_bins
#define floats_by_avx2   decode_floats
#define has_avx2(tally)  ((void)(tally), false)
#endif

/* Leaves only what is finite in the block. */
static void take_out(struct tn_tally *tally, struct block *block)
{
    size_t kept = 0;

    for (size_t i = 0; i < block->count; i++) {
        double value = block->values[i];

        if (value != value)
            tally->nans++;
        else if (isinf(value))
            tally->infinities++;
        else
            block->values[kept++] = value;
    }
    block->count = kept;
}

static void examine(const struct tn_tally *tally, struct block *block)
{
    if (has_avx2(tally))
        extremes_by_avx2(block);
    else
        find_extremes(block);
}

static void add_block(struct tn_tally *tally, struct block *block)
{
    if (block->count == 0)
        return;
    examine(tally, block);
    if (!block->is_finite) {
        take_out(tally, block);
        if (block->count == 0)
            return;
        examine(tally, block);
    }
    block->part.count = block->count;
    tally->zeros += block->zeros;
    if (has_avx2(tally))
        moments_by_avx2(block);
    else
        find_moments(block);
    join_part(tally, &block->part);
    if (has_avx2(tally))
        bins_by_avx2(block, &tally->bins);
    else
        find_bins(block, &tally->bins);
    count_bins(block, &tally->bins);
}

/* ---- elements as doubles ------------------------------------------------ */

static double magnitude(enum tn_dtype dtype, const uint8_t *p)
{
    enum tn_dtype part      = dtype == TN_COMPLEX64 ? TN_FLOAT32 : TN_FLOAT64;
    double        real      = tn_element_double(part, p);
    double        imaginary = tn_element_double(part, p + tn_dtype_size(part));

    return tn_length(real, imaginary);
}

static double number(enum tn_dtype dtype, const uint8_t *p)
{
    return tn_element_kind(dtype) == TN_ELEMENT_COMPLEX
               ? magnitude(dtype, p)
               : tn_element_double(dtype, p);
}

static void decode(const struct tn_tally *tally, double *to,
                   const uint8_t *from, size_t count)
{
    enum tn_dtype dtype = tally->dtype;
    size_t        size = tn_dtype_size(dtype), whole = count - count % LANES;
    bool is_done = has_avx2(tally) ? floats_by_avx2(dtype, to, from, whole)
                                   : decode_floats(dtype, to, from, whole);

    for (size_t i = is_done ? whole : 0; i < count; i++)
        to[i] = number(dtype, from + i * size);
}

/* In four tables, as with bins; `size` is less than 4 GiB. */
static void count_codes(uint64_t codes[256], const uint8_t *bytes, size_t size)
{
    uint32_t counts[LANES][256] = { 0 };
    size_t   i                  = 0;

    for (; i + LANES <= size; i += LANES) {
        counts[0][bytes[i]]++;
        counts[1][bytes[i + 1]]++;
        counts[2][bytes[i + 2]]++;
        counts[3][bytes[i + 3]]++;
    }
    for (; i < size; i++)
        counts[0][bytes[i]]++;
    for (size_t k = 0; k < LANES; k++)
        for (i = 0; i < 256; i++)
            codes[i] += counts[k][i];
}

/* ---- the sink ----------------------------------------------------------- */

static void add_elements(struct tn_tally *tally, const uint8_t *at,
                         size_t count)
{
    unsigned     size = tn_dtype_size(tally->dtype);
    struct block block;

    for (size_t n; count > 0; count -= n, at += n * size) {
        n           = (size_t)tn_min(count, BLOCK);
        block.count = n;
        decode(tally, block.values, at, n);
        add_block(tally, &block);
    }
}

/* The rest of an element that began in the bytes before. */
static void add_cut(struct tn_tally *tally, struct tn_bytes *bytes)
{
    unsigned size = tn_dtype_size(tally->dtype);

    while (tally->cut_size < size && bytes->size > 0) {
        tally->cut[tally->cut_size++] = *bytes->data++;
        bytes->size--;
    }
    if (tally->cut_size < size)
        return;
    add_elements(tally, tally->cut, 1);
    tally->cut_size = 0;
}

static enum tn_status add_bytes(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct tn_tally *tally = (struct tn_tally *)sink;
    unsigned         size  = tn_dtype_size(tally->dtype);

    (void)error;
    if (size == 1) {
        for (size_t n; bytes.size > 0; bytes.size -= n, bytes.data += n) {
            n = (size_t)tn_min(bytes.size, UINT32_MAX);
            count_codes(tally->codes, bytes.data, n);
        }
        return TN_OK;
    }
    if (tally->cut_size > 0)
        add_cut(tally, &bytes);
    add_elements(tally, bytes.data, bytes.size / size);
    if (bytes.size % size > 0) {
        tally->cut_size = (unsigned)(bytes.size % size);
        memcpy(tally->cut, bytes.data + bytes.size - tally->cut_size,
               tally->cut_size);
    }
    return TN_OK;
}

static bool is_whole(enum tn_dtype dtype)
{
    enum tn_element_kind kind = tn_element_kind(dtype);

    return kind != TN_ELEMENT_FLOAT && kind != TN_ELEMENT_COMPLEX;
}

void tn_tally_init(struct tn_tally *tally, enum tn_dtype dtype)
{
    static const struct tn_sink_ops ops = { .write = add_bytes };

    *tally = (struct tn_tally){ .sink = { .ops = &ops }, .dtype = dtype };
    tally->bins.least    = is_whole(dtype) ? 0 : LEAST_EXPONENT;
    tally->bins.exponent = tally->bins.least;
}

/* `count` times the same, finite or not. */
static void add_repeated(struct tn_tally *tally, double value, uint64_t count)
{
    struct part part = { count, value, value, value, 0 };

    if (value != value) {
        tally->nans += count;
    } else if (isinf(value)) {
        tally->infinities += count;
    } else {
        tally->zeros += value == 0 ? count : 0;
        join_part(tally, &part);
        tally->bins
            .counts[bin_of(value, tally->bins.exponent) - tally->bins.first] +=
            count;
    }
}

void tn_tally_add_length(struct tn_tally *tally, uint64_t length)
{
    add_repeated(tally, (double)length, 1);
}

/* ---- joining and the end ------------------------------------------------ */

void tn_tally_join(struct tn_tally *tally, const struct tn_tally *next)
{
    struct part part = { next->finite, next->min, next->max, next->mean,
                         next->squares };

    tally->zeros += next->zeros;
    tally->nans += next->nans;
    tally->infinities += next->infinities;
    for (unsigned i = 0; i < 256; i++)
        tally->codes[i] += next->codes[i];
    if (next->finite == 0)
        return;
    join_part(tally, &part);
    add_bins(&tally->bins, &next->bins);
}

/* In the order of codes, although the order of values would be more exact:
 * doubles have more digits than 256 values of 8 bits need. */
static void add_codes(struct tn_tally *tally)
{
    for (unsigned i = 0; i < 256; i++) {
        uint8_t code = (uint8_t)i;

        if (tally->codes[i] > 0)
            add_repeated(tally, tn_element_double(tally->dtype, &code),
                         tally->codes[i]);
    }
    memset(tally->codes, 0, sizeof tally->codes);
}

static void show_bins(const struct tn_tally *tally, struct tn_statistics *to)
{
    const struct tn_bins *bins    = &tally->bins;
    bool                  is_zero = tally->min == 0 && tally->max == 0;

    to->width = is_zero ? 1 : tn_power_of_two(bins->exponent);
    to->low   = is_zero ? 0 : (double)bins->first * to->width;
    to->low   = fmax(to->low, -DBL_MAX); /* not -2^1024                       */
    for (unsigned i = 0; i < TN_STATISTICS_BINS; i++) {
        to->bins[i] = bins->counts[i];
        if (bins->counts[i] > 0)
            to->bin_count = i + 1;
    }
}

static enum tn_statistics_of subject(enum tn_dtype dtype)
{
    switch (tn_element_kind(dtype)) {
    case TN_ELEMENT_NONE: return TN_OF_LENGTHS;
    case TN_ELEMENT_COMPLEX: return TN_OF_MAGNITUDES;
    default: return TN_OF_VALUES;
    }
}

void tn_tally_finish(struct tn_tally *tally, struct tn_statistics *result)
{
    add_codes(tally);
    *result = (struct tn_statistics){
        .of         = subject(tally->dtype),
        .count      = tally->finite + tally->nans + tally->infinities,
        .zeros      = tally->zeros,
        .nans       = tally->nans,
        .infinities = tally->infinities,
        .finite     = tally->finite,
        .min        = (double)NAN,
        .max        = (double)NAN,
        .mean       = (double)NAN,
        .deviation  = (double)NAN,
    };
    if (tally->finite == 0)
        return;
    result->min       = tally->min + 0.0; /* 0 rather than -0              */
    result->max       = tally->max + 0.0;
    result->mean      = tally->mean;
    result->deviation = sqrt(tally->squares / (double)tally->finite);
    show_bins(tally, result);
}
