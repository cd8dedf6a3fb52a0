/* output_name_test.c - names of values in the bodies of functions */
#include "ir/output_name.h"

#include "support/hostile.h"

static const struct {
    const char *name, *node, *argument; /* NULL: it says none                 */
    bool        is_one, is_list;
} rows[] = {
    { "", "", NULL, false, false },
    { "arg", "arg", NULL, false, false },
    { "node:out", "node", "out", false, true },
    { "node:out:2", "node", "out", true, false },
    { "scope/node:out:2", "scope/node", "out", true, false },
    { "node:out:2:3", "node", "out", true, false },
    { "node:", "node", "", false, true },
    { "node::", "node", "", true, false },
    { ":out:0", "", "out", true, false },
    { ":", "", "", false, true },
};

static void parts_of_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_bytes       name = tn_text(rows[i].name);
        struct tn_output_name got  = tn_output_name_parse(name);
        if (!tn_bytes_is(got.node, rows[i].node) ||
            (got.argument.data != NULL) != (rows[i].argument != NULL) ||
            (rows[i].argument &&
             !tn_bytes_is(got.argument, rows[i].argument)) ||
            got.is_one != rows[i].is_one ||
            tn_output_name_is_list(name) != rows[i].is_list)
            fail_msg("'%s': node '%.*s', argument '%.*s'", rows[i].name,
                     TN_FMT(got.node), TN_FMT(got.argument));
    }
}

static void a_view_without_data(void **state)
{
    struct tn_output_name got = tn_output_name_parse(tn_bytes(NULL, 0));

    (void)state;
    assert_int_equal(got.node.size, 0);
    assert_null(got.argument.data);
    assert_false(got.is_one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_names),
        cmocka_unit_test(a_view_without_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
