/* arith_test.c - arithmetic at the edges of 64 bits */
#include "base/arith.h"

#include "support/hostile.h"

#define MAX  UINT64_MAX
#define HALF (UINT64_C(1) << 63)
#define ROOT (UINT64_C(1) << 32)

static void sums_and_products(void **state)
{
    static const struct {
        uint64_t a, b;
        bool     has_sum, has_product;
        uint64_t sum, product;
    } rows[] = {
        { 0, 0, true, true, 0, 0 },
        { 0, MAX, true, true, MAX, 0 },
        { 1, MAX, false, true, 0, MAX },
        { 2, HALF - 1, true, true, HALF + 1, MAX - 1 },
        { 2, HALF, true, false, HALF + 2, 0 }, /* the product wraps to 0 */
        { HALF, HALF, false, false, 0, 0 },    /* so does the sum         */
        { ROOT, ROOT, true, false, 2 * ROOT, 0 },
        { ROOT - 1, ROOT + 1, true, true, 2 * ROOT, MAX },
        { MAX, MAX, false, false, 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t out;
        assert_int_equal(tn_add(rows[i].a, rows[i].b, &out), rows[i].has_sum);
        if (rows[i].has_sum)
            assert_true(out == rows[i].sum);
        assert_int_equal(tn_mul(rows[i].a, rows[i].b, &out),
                         rows[i].has_product);
        if (rows[i].has_product)
            assert_true(out == rows[i].product);
        assert_int_equal(tn_mul(rows[i].b, rows[i].a, &out),
                         rows[i].has_product);
    }
}

static void ranges(void **state)
{
    static const struct {
        uint64_t offset, length, size;
        bool     is_inside;
    } rows[] = {
        { 0, 0, 0, true },      { 0, 1, 0, false },       { 5, 0, 5, true },
        { 6, 0, 5, false },     { 2, 3, 5, true },        { 2, 4, 5, false },
        { 3, MAX, 5, false }, /* adds up to 2 */
        { MAX, 3, 5, false },   { MAX, MAX, MAX, false }, { 0, MAX, MAX, true },
        { 1, MAX, MAX, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(
            tn_inside(rows[i].offset, rows[i].length, rows[i].size),
            rows[i].is_inside);
}

static void alignment(void **state)
{
    static const struct {
        uint64_t value, step;
        bool     fits;
        uint64_t result;
    } rows[] = {
        { 0, 64, true, 0 },
        { 1, 64, true, 64 },
        { 64, 64, true, 64 },
        { 65, 64, true, 128 },
        { 77, 1, true, 77 },
        { MAX, 1, true, MAX },
        { MAX - 63, 64, true, MAX - 63 },
        { MAX - 62, 64, false, 0 },
        { MAX, 4096, false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t out;
        assert_int_equal(tn_align(rows[i].value, rows[i].step, &out),
                         rows[i].fits);
        if (rows[i].fits)
            assert_true(out == rows[i].result);
    }
    assert_true(tn_min(MAX, 3) == 3 && tn_max(MAX, 3) == MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products),
        cmocka_unit_test(ranges),
        cmocka_unit_test(alignment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
