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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(stops_at_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
