/* byte_find_test.c - a byte that is there, twice there, or not */
#include "base/byte_view.h"

#include "support/hostile.h"

static void the_first_one_is_found(void **state)
{
    struct tn_bytes text = tn_bytes("a:b:\0c", 6);

    (void)state;
    assert_ptr_equal(tn_bytes_find(text, ':'), text.data + 1);
    assert_ptr_equal(tn_bytes_find(text, 0), text.data + 4);
    assert_ptr_equal(tn_bytes_find(text, 'c'), text.data + 5);
    assert_null(tn_bytes_find(text, 'd'));
}

static void nothing_is_found_in_no_memory(void **state)
{
    (void)state;
    assert_null(tn_bytes_find(tn_bytes(NULL, 0), 0));
    assert_null(tn_bytes_find(tn_bytes("", 0), 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_one_is_found),
        cmocka_unit_test(nothing_is_found_in_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
