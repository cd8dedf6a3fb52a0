/* utf8_test.c - what is UTF-8, wherever in a text it stands */
#include "support/hostile.h"

#include "base/utf8.h"

static const struct {
    const char *name, *bytes;
    bool        is_valid;
} cases[] = {
    { "two bytes", "\xc3\xa9", true },
    { "three bytes", "\xe2\x82\xac", true },
    { "four bytes", "\xf0\x9f\x8e\x89", true },
    { "the last character", "\xf4\x8f\xbf\xbf", true },
    { "a stray continuation", "\x80", false },
    { "slash, overlong", "\xc0\xaf", false },
    { "overlong in three", "\xe0\x80\xaf", false },
    { "a surrogate", "\xed\xa0\x80", false },
    { "past the last character", "\xf4\x90\x80\x80", false },
    { "no such first byte", "\xff", false },
    { "cut short", "\xe2\x82", false },
};

/* ASCII goes by in words of eight: every case before, across and behind their
 * borders. */
static void cases_hold_everywhere(void **state)
{
    enum { LONGEST = 20 };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t before = 0; before <= LONGEST; before++)
            for (size_t behind = 0; behind <= LONGEST; behind++) {
                uint8_t text[2 * LONGEST + 4];
                size_t  size = strlen(cases[i].bytes);
                memset(text, 'a', sizeof text);
                memcpy(text + before, cases[i].bytes, size);
                struct tn_bytes all = tn_bytes(text, before + size + behind);
                if (tn_utf8_is_valid(all) != cases[i].is_valid)
                    fail_msg("%s, %zu before, %zu behind", cases[i].name,
                             before, behind);
            }
}

static void ascii_is_valid(void **state)
{
    static const uint8_t text[] = "0123456789abcdef\0\x7f";

    (void)state;
    for (size_t size = 0; size < sizeof text; size++)
        assert_true(tn_utf8_is_valid(tn_bytes(text, size)));
}

static void codes_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        uint8_t  bytes[4];
        unsigned size = tn_utf8_put(bytes, code);
        if (code >= 0xd800 && code < 0xe000)
            continue; /* surrogates are no characters */
        assert_int_equal(tn_utf8_check(bytes, bytes + size), size);
        assert_int_equal(tn_utf8_code(bytes, size), code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_hold_everywhere),
        cmocka_unit_test(ascii_is_valid),
        cmocka_unit_test(codes_are_read_as_they_are_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
