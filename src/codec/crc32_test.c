/* crc32_test.c - the check value, whole and in pieces */
#include "codec/crc32.h"
#include "support/hostile.h"

static void knows_the_check_value(void **state)
{
    (void)state;
    assert_int_equal(tn_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(tn_crc32(tn_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void nothing_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(tn_crc32(0, NULL, 0), 0);
    assert_int_equal(tn_crc32(0xcbf43926, NULL, 0), 0xcbf43926);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_check_value),
        cmocka_unit_test(nothing_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
