/* about_test.c - texts with keys: each once, in UTF-8 */
#include "format/about.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct {
    const char *name, *key, *value;
    uint64_t    items, others; /* after it was added                          */
} cases[] = {
    { "a text",              "licence", "MIT",      1, 0 },
    { "another",             "author",  "Jane",     2, 0 },
    { "a key alone",         "empty",   "",         3, 0 },
    { "the same key again",  "licence", "GPL",      3, 1 },
    { "no key",              "",        "x",        3, 2 },
    { "neither",             "",        "",         3, 3 },
    { "a key, no UTF-8",     "\xff",    "x",        3, 4 },
    { "a value, no UTF-8",   "raw",     "\xc0\x80", 3, 5 },
};
/* clang-format on */

static void each_key_is_kept_once(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_about  about;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_about_init(&about, &arena, &error);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tn_about_add(&about, tn_text(cases[i].key), tn_text(cases[i].value));
        if (about.items.count != cases[i].items ||
            about.others != cases[i].others)
            fail_msg("%s", cases[i].name);
    }
    tn_about_add_text(&about, "a field that is not set", tn_text(""));
    tn_about_add_number(&about, "zero", 0);
    tn_about_add_number(&about, "version", -7);
    assert_int_equal(about.items.count, 4);
    assert_true(tn_bytes_is(tn_about_find(&about, "licence"), "MIT"));
    assert_true(tn_bytes_is(tn_about_find(&about, "version"), "-7"));
    assert_int_equal(tn_about_find(&about, "zero").size, 0);
    assert_int_equal(error.status, TN_OK);
    tn_about_done(&about);
    tn_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(
        each_key_is_kept_once) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
