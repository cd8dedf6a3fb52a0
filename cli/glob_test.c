/* glob_test.c - what patterns match, and that hostile ones end in time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "glob.h"

static const struct {
    const char *pattern, *name;
    bool        is_match;
} cases[] = {
    { "", "", true },
    { "", "a", false },
    { "a", "", false },
    { "*", "", true },
    { "**", "anything", true },
    { "conv*", "conv1.weight", true },
    { "conv*", "deconv1.weight", false },
    { "*conv*", "deconv1.weight", true },
    { "*.bias", "a/b.bias", true },
    { "*.bias", "a.bias.2", false },
    { "a*b*c", "aXbYbZc", true },
    { "a*b*c", "aXbYbZ", false },
    { "layer.?.w", "layer.3.w", true },
    { "layer.?.w", "layer.12.w", false },
    { "[ab]c", "bc", true },
    { "[!ab]c", "bc", false },
    { "[^ab]c", "xc", true },
    { "layer.[0-3]", "layer.2", true },
    { "layer.[0-3]", "layer.4", false },
    { "[]]", "]", true },
    { "[a", "[a", true }, /* a bracket that never closes is itself */
    { "w[0]", "w0", true },
    { "w\\[0\\]", "w[0]", true },
    { "\\*", "*", true },
    { "\\*", "x", false },
    { "a\\", "a\\", true },
};

static void matches_as_the_shell_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tn_bytes name = { (const uint8_t *)cases[i].name,
                                 strlen(cases[i].name) };
        if (cli_glob(cases[i].pattern, name) != cases[i].is_match)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].name);
    }
}

static void matches_names_with_any_byte(void **state)
{
    static const uint8_t bytes[] = { 'a', 0, 0xff, 'b' };
    struct tn_bytes      name    = { bytes, sizeof(bytes) };

    (void)state;
    assert_true(cli_glob("a??b", name));
    assert_true(cli_glob("a*b", name));
    assert_false(cli_glob("a", name));
}

/* With a naive matcher this takes longer than the sun will shine. */
static void ends_in_time(void **state)
{
    static char     name[2000];
    struct tn_bytes view = { (const uint8_t *)name, sizeof(name) };

    (void)state;
    memset(name, 'a', sizeof(name));
    assert_false(cli_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", view));
}

static void any_of_several(void **state)
{
    char           *patterns[] = { "x*", "*y" };
    struct tn_bytes name       = { (const uint8_t *)"my", 2 };

    (void)state;
    assert_true(cli_glob_any(patterns, 2, name));
    assert_false(cli_glob_any(patterns, 1, name));
    assert_true(cli_glob_any(patterns, 0, name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_as_the_shell_does),
        cmocka_unit_test(matches_names_with_any_byte),
        cmocka_unit_test(ends_in_time),
        cmocka_unit_test(any_of_several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
