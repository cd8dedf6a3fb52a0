/* name_table_test.c - tables of names: lines, patterns, mistakes */
#include "format/name_table.h"

#include "support/hostile.h"

static const char table_text[] =
    "# comment\n"
    "\n"
    "model.embed_tokens.weight\ttoken_embd.weight\r\n"
    "  model.layers.*.self_attn.q_proj.*   blk.*.attn_q.*\n"
    "h*x y*z\n"
    "model.embed_tokens.weight second";

static const struct {
    const char *name, *becomes;
} rows[] = {
    { "model.embed_tokens.weight", "token_embd.weight" },
    { "model.layers.12.self_attn.q_proj.weight", "blk.12.attn_q.weight" },
    { "model.layers.12.self_attn.q_proj.weight.x",
      "model.layers.12.self_attn.q_proj.weight.x" },
    { "model.layers..self_attn.q_proj.bias",
      "model.layers..self_attn.q_proj.bias" },
    { "h12x", "y12z" },
    { "hx", "hx" },
    { "other", "other" },
    { "", "" },
};

static const struct {
    const char *text;
    const char *what; /* NULL: it is fine */
} lines[] = {
    { "a b", NULL },
    { "", NULL },
    { "a b\nc", "line 2: expected two names, OLD NEW" },
    { "a b c", "line 1: expected two names, OLD NEW" },
    { "a.* b", "line 1: 1 and 0 '*'" },
    { "a.*.*.*.*.*.*.*.*.* b*********", "line 1: 9 and 9 '*'" },
};

static void names_are_mapped(void **state)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_name_table table;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_name_table_init(&table, &memory);
    assert_int_equal(tn_name_table_parse(&table, tn_text(table_text), &error),
                     TN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_bytes to =
            tn_name_table_map(&table, tn_text(rows[i].name), &error);
        if (!tn_bytes_is(to, rows[i].becomes))
            fail_msg("%s: %.*s", rows[i].name, TN_FMT(to));
    }
    tn_name_table_done(&table);
    assert_int_equal(memory.used, 0);
}

static void mistakes_have_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct tn_memory     memory;
        struct tn_name_table table;
        tn_memory_init(&memory, NULL, 0);
        tn_name_table_init(&table, &memory);
        tn_name_table_parse(&table, tn_text(lines[i].text), &error);
        if (lines[i].what ? !strstr(error.what, lines[i].what)
                          : error.status != TN_OK)
            fail_msg("%s: %s", lines[i].text, error.what);
        tn_name_table_done(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_mapped),
        cmocka_unit_test(mistakes_have_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
