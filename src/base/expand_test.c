/* expand_test.c - what a file may expand to */
#include "base/expand.h"
#include "support/hostile.h"

static void bounds(void **state)
{
    static const struct {
        uint64_t asked, size, most;
    } cases[] = {
        { 0, 0, UINT64_C(1) << 30 },
        { 0, 1, (UINT64_C(1) << 30) + 1024 },
        { 0, UINT64_C(1) << 40, (UINT64_C(1) << 50) + (UINT64_C(1) << 30) },
        { 0, UINT64_MAX / 1024, UINT64_MAX },
        { 0, UINT64_MAX, UINT64_MAX },
        { 1, UINT64_MAX, 1 },
        { UINT64_MAX, 0, UINT64_MAX },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(tn_expand_most(cases[i].asked, cases[i].size),
                         cases[i].most);
}

static void refusals_say_both_numbers(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(tn_expand_check(7, 7, &error), TN_OK);
    assert_false(tn_expand_is_refused(&error));
    assert_int_equal(tn_expand_check(8, 7, &error), TN_LIMIT);
    assert_string_equal(error.what, "expands to 8 bytes or more, 7 are "
                                    "allowed; --max-expand allows more");
    assert_true(tn_expand_is_refused(&error));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),
        cmocka_unit_test(refusals_say_both_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
