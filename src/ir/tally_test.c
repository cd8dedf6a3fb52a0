/* tally_test.c - statistics against a plain loop, and in parts against whole */
#include "ir/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/little.h"
#include "base/number.h"
#include "support/hostile.h"

#define MANY 5000

static struct tn_statistics tally_of(enum tn_dtype dtype, const void *bytes,
                                     size_t size, size_t piece, bool is_plain)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_tally      tally;
    struct tn_statistics result;

    tn_tally_init(&tally, dtype);
    tally.is_plain = is_plain;
    for (size_t i = 0; i < size; i += piece)
        assert_int_equal(
            tn_sink_write(&tally.sink,
                          tn_bytes((const uint8_t *)bytes + i,
                                   size - i < piece ? size - i : piece),
                          &error),
            TN_OK);
    tn_tally_finish(&tally, &result);
    return result;
}

/* A mean may be near zero: its error is judged by the size of the elements. */
static void assert_near(double a, double b, const struct tn_statistics *of)
{
    double size = fmax(fabs(of->min), fabs(of->max));

    assert_true(fabs(a - b) <= 1e-13 * size);
}

static void assert_same(const struct tn_statistics *a,
                        const struct tn_statistics *b)
{
    assert_int_equal(a->of, b->of);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->zeros, b->zeros);
    assert_int_equal(a->nans, b->nans);
    assert_int_equal(a->infinities, b->infinities);
    assert_int_equal(a->finite, b->finite);
    assert_int_equal(a->bin_count, b->bin_count);
    assert_memory_equal(a->bins, b->bins, sizeof a->bins);
    if (a->finite == 0)
        return;
    assert_true(a->min == b->min && a->max == b->max);
    assert_true(a->low == b->low && a->width == b->width);
    assert_near(a->mean, b->mean, b);
    assert_near(a->deviation, b->deviation, b);
}

/* ---- against a plain loop ----------------------------------------------- */

/* Sums of long doubles, in two passes; bins as the header promises them. */
static struct tn_statistics plainly(const double *values, size_t count)
{
    struct tn_statistics s   = { .count = count,
                                 .min   = (double)INFINITY,
                                 .max   = -(double)INFINITY };
    long double          sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        s.nans += isnan(values[i]) != 0;
        s.infinities += isinf(values[i]) != 0;
        s.zeros += values[i] == 0;
        if (!isfinite(values[i]))
            continue;
        s.finite++;
        s.min = fmin(s.min, values[i]);
        s.max = fmax(s.max, values[i]);
        sum += (long double)values[i];
    }
    s.mean = (double)(sum / (long double)s.finite);
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            squares += ((long double)values[i] - sum / (long double)s.finite) *
                       ((long double)values[i] - sum / (long double)s.finite);
    s.deviation = sqrt((double)(squares / (long double)s.finite));
    return s;
}

static void count_plainly(struct tn_statistics *s, const double *values,
                          size_t count)
{
    double largest = fmax(fabs(s->min), fabs(s->max));

    s->width = exp2(ilogb(largest) - 24);
    while (floor(s->max / s->width) - floor(s->min / s->width) >= 32)
        s->width *= 2;
    s->low = floor(s->min / s->width) * s->width;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            s->bins[(int)(floor(values[i] / s->width) -
                          floor(s->min / s->width))]++;
    s->bin_count =
        (unsigned)(floor(s->max / s->width) - floor(s->min / s->width)) + 1;
}

static double chance(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Sums of uniform numbers, now and then of another size, zero, NaN or
 * infinite; `offset` is what makes a naive variance lose all its digits. */
static void make(double *values, size_t count, double offset, double scale,
                 uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        double kind = chance(&seed);

        values[i] = offset + scale * (chance(&seed) + chance(&seed) - 1);
        if (kind < 0.01)
            values[i] *= 100 * chance(&seed);
        else if (kind < 0.03)
            values[i] = kind < 0.02 ? 0 : -0.0;
        else if (kind < 0.032 && scale > 1)
            values[i] = kind < 0.031 ? (double)NAN : -(double)INFINITY;
    }
}

static void equals_a_plain_loop(void **state)
{
    static const struct {
        double offset, scale;
        size_t count;
    } cases[] = {
        { 0, 0.02, MANY }, { 1e6, 1e-3, MANY },   { 0, 1e30, MANY },
        { -3, 5, 1 },      { 0, 1e-38, 1023 },    { 7, 2, 1025 },
        { 0, 100, 3 },     { 1e-9, 1e-20, 4096 },
    };
    static double values[MANY];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = cases[i].count;
        make(values, n, cases[i].offset, cases[i].scale, i);
        struct tn_statistics expected = plainly(values, n);
        count_plainly(&expected, values, n);
        struct tn_statistics is =
            tally_of(TN_FLOAT64, values, n * 8, n * 8, false);
        assert_same(&is, &expected);
        is = tally_of(TN_FLOAT64, values, n * 8, n * 8, true);
        assert_same(&is, &expected);
        is = tally_of(TN_FLOAT64, values, n * 8, 13, false);
        assert_same(&is, &expected);
    }
}

/* ---- every type ---------------------------------------------------------- */

/* All codes of a type, in its own bytes, against the same as float64. */
static void knows_every_type(void **state)
{
    static uint8_t bytes[65536 * TN_ELEMENT_MAX];
    static double  values[65536];

    (void)state;
    for (unsigned d = 1; d < TN_DTYPE_COUNT; d++) {
        enum tn_dtype dtype = (enum tn_dtype)d;
        unsigned      size  = tn_dtype_size(dtype);
        unsigned      bits  = tn_dtype_bits(dtype);
        size_t        count = bits < 16 ? (size_t)1 << bits : 65536;
        uint64_t      seed  = d;

        if (bits == 0 || tn_element_kind(dtype) == TN_ELEMENT_COMPLEX)
            continue;
        for (size_t i = 0; i < count; i++) {
            uint64_t code = size <= 2 ? i : (uint64_t)(chance(&seed) * 0x1p53);
            tn_store_little(bytes + i * size, code, size);
            values[i] = tn_element_double(dtype, bytes + i * size);
        }
        struct tn_statistics is =
            tally_of(dtype, bytes, count * size, 4096, false);
        struct tn_statistics expected =
            tally_of(TN_FLOAT64, values, count * 8, 4096, true);
        if (expected.width < 1 && tn_element_kind(dtype) != TN_ELEMENT_FLOAT) {
            assert_true(is.width == 1); /* floats have narrower ones         */
            assert_true(is.bin_count == count || dtype == TN_BOOL);
            memcpy(expected.bins, is.bins, sizeof is.bins);
            expected.width     = is.width;
            expected.bin_count = is.bin_count;
        }
        assert_int_equal(is.of, TN_OF_VALUES);
        assert_same(&is, &expected);
    }
}

static void takes_complex_numbers_by_size(void **state)
{
    const float numbers[] = {
        3, 4, 0, 0, (float)NAN, (float)INFINITY, -6, 8, (float)-INFINITY, 1
    };
    struct tn_statistics s =
        tally_of(TN_COMPLEX64, numbers, sizeof numbers, 5, false);

    (void)state;
    assert_int_equal(s.of, TN_OF_MAGNITUDES);
    assert_int_equal(s.nans, 1);
    assert_int_equal(s.infinities, 1);
    assert_int_equal(s.zeros, 1);
    assert_true(s.min == 0 && s.max == 10 && s.mean == 5);
}

static void takes_strings_by_length(void **state)
{
    struct tn_tally      tally;
    struct tn_statistics s;

    (void)state;
    tn_tally_init(&tally, TN_STRING);
    tn_tally_add_length(&tally, 5);
    tn_tally_add_length(&tally, 0);
    tn_tally_add_length(&tally, 4);
    tn_tally_finish(&tally, &s);
    assert_int_equal(s.of, TN_OF_LENGTHS);
    assert_true(s.count == 3 && s.zeros == 1 && s.max == 5 && s.mean == 3);
    assert_true(s.low == 0 && s.width == 1 && s.bin_count == 6);
}

/* ---- odd ones ------------------------------------------------------------ */

static void has_an_answer_for_nothing(void **state)
{
    double               odd[]    = { (double)NAN, (double)INFINITY };
    double               zeros[7] = { 0 };
    struct tn_statistics s        = tally_of(TN_FLOAT64, odd, 0, 8, false);

    (void)state;
    assert_true(s.count == 0 && s.bin_count == 0 && isnan(s.min));
    s = tally_of(TN_FLOAT64, odd, sizeof odd, 8, false);
    assert_true(s.count == 2 && s.finite == 0 && isnan(s.mean));
    zeros[3] = -0.0;
    s        = tally_of(TN_FLOAT64, zeros, sizeof zeros, 8, false);
    assert_true(s.zeros == 7 && s.deviation == 0 && s.low == 0 && s.width == 1);
    assert_true(s.bin_count == 1 && s.bins[0] == 7 && !signbit(s.min));
}

/* From one end of float64 to the other. */
static void holds_the_largest_range(void **state)
{
    double values[] = { -1.7e308, 5e-324, 1.7e308, 0, -5e-324, 1 };
    struct tn_statistics s =
        tally_of(TN_FLOAT64, values, sizeof values, 8, false);
    uint64_t sum = 0;

    (void)state;
    for (unsigned i = 0; i < TN_STATISTICS_BINS; i++)
        sum += s.bins[i];
    assert_int_equal(sum, 6);
    assert_true(s.min == -1.7e308 && s.max == 1.7e308);
    assert_true(s.width >= 0x1p1019 && isfinite(s.low));
}

static void joins_parts(void **state)
{
    static double values[MANY];

    (void)state;
    for (size_t cut = 0; cut <= MANY; cut += 499) {
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_tally      first, second;
        struct tn_statistics joined;
        make(values, MANY, 10, 4, cut);
        tn_tally_init(&first, TN_FLOAT64);
        tn_tally_init(&second, TN_FLOAT64);
        tn_sink_write(&first.sink, tn_bytes(values, cut * 8), &error);
        tn_sink_write(&second.sink, tn_bytes(values + cut, (MANY - cut) * 8),
                      &error);
        tn_tally_join(&first, &second);
        tn_tally_finish(&first, &joined);
        struct tn_statistics whole =
            tally_of(TN_FLOAT64, values, sizeof values, sizeof values, false);
        assert_same(&joined, &whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_plain_loop),
        cmocka_unit_test(knows_every_type),
        cmocka_unit_test(takes_complex_numbers_by_size),
        cmocka_unit_test(takes_strings_by_length),
        cmocka_unit_test(has_an_answer_for_nothing),
        cmocka_unit_test(holds_the_largest_range),
        cmocka_unit_test(joins_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
