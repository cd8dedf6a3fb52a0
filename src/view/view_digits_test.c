/* view_digits_test.c - whole numbers as text, up to the largest */
#include "view/view_digits.h"

#include "support/hostile.h"

static void numbers_are_digits(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&buffer, &memory, &error);
    tn_view_add_uint64(&buffer, 0);
    tn_buffer_byte(&buffer, ' ');
    tn_view_add_uint64(&buffer, UINT64_MAX);
    tn_buffer_byte(&buffer, ' ');
    tn_view_add_int64(&buffer, INT64_MIN);
    tn_buffer_byte(&buffer, ' ');
    tn_view_add_int64(&buffer, -1);
    tn_view_add_int64(&buffer, 10);
    assert_string_equal(tn_buffer_string(&buffer),
                        "0 18446744073709551615 -9223372036854775808 -110");
    tn_buffer_done(&buffer);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
