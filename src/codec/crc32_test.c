/* crc32_test.c - the check value, whole, in pieces, and over zeros */
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

static void zeros_need_not_be_read(void **state)
{
    static const uint8_t zeros[70000];
    static const size_t  counts[] = { 0, 1, 2, 7, 8, 255, 4096, 69999, 70000 };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint32_t crc = 0; crc < 0xf0000000u; crc += 0x0fedcba9u)
            assert_int_equal(tn_crc32_zeros(crc, counts[i]),
                             tn_crc32(crc, zeros, counts[i]));
    uint32_t half = tn_crc32_zeros(7, UINT64_C(1) << 40);
    assert_int_equal(tn_crc32_zeros(half, UINT64_C(1) << 40),
                     tn_crc32_zeros(7, UINT64_C(2) << 40));
}

static void parts_join(void **state)
{
    static const char text[] = "123456789";

    (void)state;
    for (size_t at = 0; at <= 9; at++)
        assert_int_equal(tn_crc32_join(tn_crc32(0, text, at),
                                       tn_crc32(0, text + at, 9 - at), 9 - at),
                         0xcbf43926);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_check_value),
        cmocka_unit_test(nothing_changes_nothing),
        cmocka_unit_test(zeros_need_not_be_read),
        cmocka_unit_test(parts_join),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
