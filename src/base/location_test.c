/* location_test.c - failing at a line and column of a file */
#include "base/location.h"

#include "support/hostile.h"

static void a_failure_says_where(void **state)
{
    struct tn_location place = { "my.rules", 40, 3, 7 };
    struct tn_error    error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(
        tn_location_fail(&error, &place, TN_MALFORMED, "no op '%s'", "Foo"),
        TN_MALFORMED);
    assert_string_equal(error.what, "line 3, column 7: no op 'Foo'");
    assert_string_equal(error.file, "my.rules");
    assert_int_equal(error.offset, 40);
    assert_int_equal(error.reason, TN_REASON_BAD_RULES);
}

static void a_text_without_a_file_has_lines_too(void **state)
{
    struct tn_location place = { .line = 1, .column = 1 };
    struct tn_error    error = TN_ERROR_INIT;

    (void)state;
    tn_location_fail(&error, &place, TN_MALFORMED, "empty");
    assert_string_equal(error.file, "");
    assert_string_equal(error.what, "line 1, column 1: empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_says_where),
        cmocka_unit_test(a_text_without_a_file_has_lines_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
