/* length_test.c - sizes of complex numbers, large, small and none */
#include "base/length.h"

#include "support/hostile.h"

static void lengths_are_right(void **state)
{
    (void)state;
    assert_true(tn_length(3, 4) == 5);
    assert_true(tn_length(-3, 4) == 5);
    assert_true(tn_length(0, 0) == 0);
    assert_true(tn_length(0, -2) == 2);
    assert_true(tn_length(3e300, 4e300) == 5e300);
    assert_true(fabs(tn_length(3e-300, 4e-300) / 5e-300 - 1) < 1e-15);
    assert_true(isinf(tn_length(INFINITY, 1)));
    assert_true(isinf(tn_length(1, -INFINITY)));
    assert_true(isnan(tn_length(INFINITY, NAN)));
    assert_true(isnan(tn_length(NAN, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lengths_are_right) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
