/* pairs_test.c - claims about the map from two numbers to one */
#include "ir/pairs.h"

#include "support/hostile.h"

static void finds_what_was_added(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_pairs  pairs;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_pairs_init(&pairs, &memory);
    assert_int_equal(tn_pairs_find(&pairs, 1, 2), UINT32_MAX);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(tn_pairs_add(&pairs, i % 7, i, i, &error), i);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(tn_pairs_find(&pairs, i % 7, i), i);
        assert_int_equal(tn_pairs_find(&pairs, i % 7 + 7, i), UINT32_MAX);
    }
    assert_int_equal(tn_pairs_add(&pairs, 0, 0, 99, &error), 0);
    assert_int_equal(pairs.count, 10000);
    tn_pairs_done(&pairs);
    assert_int_equal(memory.used, 0);
}

static void stops_at_the_limit(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_pairs  pairs;

    (void)state;
    tn_memory_init(&memory, NULL, 4096);
    tn_pairs_init(&pairs, &memory);
    uint32_t i = 0;
    while (tn_pairs_add(&pairs, 0, i, i, &error) != UINT32_MAX)
        i++;
    assert_int_equal(error.status, TN_LIMIT);
    assert_int_equal(tn_pairs_find(&pairs, 0, i - 1), i - 1);
    tn_pairs_done(&pairs);
    assert_int_equal(memory.used, 0);
}

/* Where a key lies must follow from the seed: else a file can choose pairs
 * that all want the same place. */
static void seeds_place_differently(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_pairs  a, b;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_pairs_init(&a, &memory);
    tn_pairs_init(&b, &memory);
    a.seed = UINT64_C(0x243f6a8885a308d3);
    b.seed = UINT64_C(0x13198a2e03707345);
    for (uint32_t i = 1; i < 1000; i++) {
        tn_pairs_add(&a, i, i * 8, i, &error);
        tn_pairs_add(&b, i, i * 8, i, &error);
    }
    assert_int_equal(a.room, b.room);
    assert_memory_not_equal(a.values, b.values,
                            (size_t)a.room * sizeof *a.values);
    tn_pairs_done(&a);
    tn_pairs_done(&b);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(seeds_place_differently),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
