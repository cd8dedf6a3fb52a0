/* diff_buckets_test.c - items come out in order, however many have one key */
#include "diff/diff_buckets.h"

#include <stdlib.h>

#include "support/hostile.h"

static void items_of_a_key_come_in_order(void **state)
{
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_memory       memory;
    struct tn_diff_buckets buckets;
    uint32_t               taken[6];

    (void)state;
    memset(taken, 0xff, sizeof taken);
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_diff_buckets_init(&buckets, &memory, 6, &error), TN_OK);
    for (uint32_t i = 6; i-- > 0;)
        tn_diff_buckets_add(&buckets, i % 2 + 1, i);
    assert_int_equal(tn_diff_buckets_count(&buckets, 1), 3);
    assert_int_equal(tn_diff_buckets_first(&buckets, 1, taken), 0);
    assert_int_equal(tn_diff_buckets_first(&buckets, 1, taken), 0);
    taken[0] = 9;
    taken[2] = 9;
    assert_int_equal(tn_diff_buckets_first(&buckets, 1, taken), 4);
    assert_int_equal(tn_diff_buckets_first(&buckets, 2, taken), 1);
    taken[4] = 9;
    assert_int_equal(tn_diff_buckets_first(&buckets, 1, taken), UINT32_MAX);
    assert_int_equal(tn_diff_buckets_first(&buckets, 3, taken), UINT32_MAX);
    tn_diff_buckets_done(&buckets);
    assert_int_equal(memory.used, 0);
}

/* Would take hours if each were looked for from the beginning. */
static void a_million_equal_items_are_linear(void **state)
{
    enum { MANY = 1000000 };
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_memory       memory;
    struct tn_diff_buckets buckets;
    uint32_t              *taken = malloc(MANY * sizeof *taken);

    (void)state;
    assert_non_null(taken);
    memset(taken, 0xff, MANY * sizeof *taken);
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(tn_diff_buckets_init(&buckets, &memory, MANY, &error),
                     TN_OK);
    for (uint32_t i = MANY; i-- > 0;)
        tn_diff_buckets_add(&buckets, 7, i);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(tn_diff_buckets_first(&buckets, 7, taken), i);
        taken[i] = i;
    }
    tn_diff_buckets_done(&buckets);
    free(taken);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_of_a_key_come_in_order),
        cmocka_unit_test(a_million_equal_items_are_linear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
