/* byte_view_test.c - what views of bytes begin with, end with and hold */
#include "base/byte_view.h"

#include "support/hostile.h"

static const struct row {
    const char *name, *text, *part;
    bool        starts, ends, contains;
} rows[] = {
    { "itself", "abc", "abc", true, true, true },
    { "the beginning", "abc", "ab", true, false, true },
    { "the end", "abc", "bc", false, true, true },
    { "the middle", "abcd", "bc", false, false, true },
    { "both ends", "abxab", "ab", true, true, true },
    { "longer by one", "abc", "abcd", false, false, false },
    { "nothing of it", "abc", "x", false, false, false },
    { "a false start", "aab", "ab", false, true, true },
    { "nothing", "abc", "", true, true, true },
    { "nothing in nothing", "", "", true, true, true },
    { "something in nothing", "", "a", false, false, false },
};

static void parts_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row   = &rows[i];
        struct tn_bytes   text  = tn_text(row->text);
        bool              found = tn_bytes_contains(text, tn_text(row->part));

        if (tn_bytes_starts_with(text, row->part) != row->starts ||
            tn_bytes_ends_with(text, row->part) != row->ends ||
            tn_text_ends_with(row->text, row->part) != row->ends ||
            found != row->contains)
            fail_msg("%s: '%s' in '%s'", row->name, row->part, row->text);
    }
}

static void a_view_of_no_memory_is_empty(void **state)
{
    struct tn_bytes none = tn_bytes(NULL, 0);

    (void)state;
    assert_true(tn_bytes_starts_with(none, ""));
    assert_true(tn_bytes_ends_with(none, ""));
    assert_true(tn_bytes_is(none, ""));
    assert_false(tn_bytes_starts_with(none, "a"));
    assert_false(tn_bytes_contains(none, tn_text("a")));
}

static void shorter_comes_first(void **state)
{
    static const char *const sorted[] = { "", "a", "a\x01", "ab", "b", "\xff" };

    (void)state;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            int order =
                tn_bytes_compare(tn_text(sorted[i]), tn_text(sorted[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_found),
        cmocka_unit_test(a_view_of_no_memory_is_empty),
        cmocka_unit_test(shorter_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
