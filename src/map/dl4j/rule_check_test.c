/* rule_check_test.c - rules that contradict what the framework or nd4j declare
 * are refused where they stand */
#include "map/dl4j/rule_table.h"
#include "map/dl4j/run_mapper.h"

#include "support/import_bench.h"

#define RULE(function, to, from)                                               \
    "mappings { frameworkName: 'tensorflow' opName: 'op' "                     \
    "inputFrameworkOpName: 'Op'\n"                                             \
    "rule { ruleName: '" function "'\n"                                        \
    "  inputToOutput { key: '" to "' value: '" from "' } } }"
#define AT "line 3, column 3: "

static const struct {
    const char *rules, *what; /* NULL: good                                   */
} rows[] = {
    { RULE("valuemapping", "n", "i"), NULL },
    { RULE("valuemapping", "real", "f"), NULL },
    { RULE("valuemapping", "flag", "flag"), NULL },
    { RULE("valuemapping", "text", "s"), NULL },
    { RULE("valuemapping", "type", "t"), NULL },
    { RULE("ndarraymapping", "a", "x"), NULL },
    { RULE("ndarrayinputtonumericalattribute", "n", "y"), NULL },
    { RULE("ndarrayinputtonumericalattribute", "n", "v"), NULL },
    { RULE("listnumbertolistnumber", "n", "is"), NULL },
    { RULE("listnumbertolistnumber", "n", "sh"), NULL },
    { RULE("datatypetoint", "n", "t"), NULL },

    { RULE("valuemapping", "n", "none"),
      AT "'Op' has no attribute or input 'none'" },
    { RULE("ndarraymapping", "a", "none"), AT "'Op' has no input 'none'" },
    { RULE("ndarraymapping", "a", "i"), AT "'Op' has no input 'i'" },
    { RULE("datatypetoint", "n", "i"),
      AT "datatypetoint cannot read 'i' of 'Op'" },
    { RULE("datatypetoint", "n", "ts"),
      AT "datatypetoint cannot read 'ts' of 'Op'" },
    { RULE("stringequals", "n", "fn"),
      AT "stringequals cannot read 'fn' of 'Op'" },
    { RULE("stringequals", "n", "x"),
      AT "stringequals cannot read 'x' of 'Op'" },
    { RULE("valuemapping", "none", "i"),
      AT "nd4j's 'op' has no argument 'none'" },
    { RULE("datatypetoint", "a", "t"),
      AT "datatypetoint cannot give 'a' of nd4j's 'op'" },
    { RULE("ndarraymapping", "n", "x"),
      AT "ndarraymapping cannot give 'n' of nd4j's 'op'" },
    { "op { tensorflow_mapping {\n input_mappings { a: 'x' }\n"
      "  output_mappings { out: 'z' } } }",
      NULL },
    { "op { tensorflow_mapping {\n input_mappings { a: 'x' }\n"
      "  output_mappings { n: 'z' } } }",
      "line 3, column 21: nd4j's 'op' has no output 'n'" },
    { "op { tensorflow_mapping {\n input_mappings { a: 'x' }\n"
      "  output_mappings { output_mapping { more: 'z' } } } }",
      "line 3, column 38: nd4j's 'op' has no output 'more'" },
};

static enum tn_status check(struct import_bench *b, bool knows_target,
                            bool knows_definition)
{
    const struct tn_mapper *mapper = tn_mappers_at(&b->mappers, 0);

    return tn_mapper_check(
        mapper, knows_target ? tn_dl4j_ops_find(&b->ops, mapper->target) : NULL,
        knows_definition
            ? tn_vocab_find(&b->vocabs[TN_FRAMEWORK_TENSORFLOW], tn_text(""),
                            mapper->op_type, 1, &b->error)
            : NULL,
        &b->error);
}

static void read_row(struct import_bench *b, size_t row)
{
    import_set_up(b, NULL);
    import_read_ops(b, import_nd4j_ops);
    import_read_rules(b, rows[row].rules);
    if (tn_failed(&b->error))
        fail_msg("row %zu: %s", row, b->error.what);
}

static void rules_are_held_to_both_sides(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct import_bench b;
        const char         *want = rows[i].what ? rows[i].what : "";
        read_row(&b, i);
        assert_int_equal(check(&b, true, true), *want ? TN_MALFORMED : TN_OK);
        if (strcmp(b.error.what, want) != 0)
            fail_msg("row %zu: %s, not %s", i, b.error.what, want);
        if (*want)
            assert_string_equal(b.error.file, "a.rules");
        import_tear_down(&b);
    }
}

static void what_is_not_known_is_not_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct import_bench b;
        bool is_of_nd4j = rows[i].what && strstr(rows[i].what, "nd4j's");
        read_row(&b, i);
        assert_int_equal(check(&b, false, false), TN_OK);
        if (rows[i].what) {
            assert_int_equal(check(&b, !is_of_nd4j, is_of_nd4j), TN_OK);
            assert_int_equal(check(&b, is_of_nd4j, !is_of_nd4j), TN_MALFORMED);
        }
        import_tear_down(&b);
    }
}

/* A function of the caller's reads and gives what it likes. */
static enum tn_status anything(void *context, struct tn_rule_call *call,
                               struct tn_error *error)
{
    (void)context;
    (void)call;
    return error->status;
}

static void functions_of_the_caller_are_not_checked(void **state)
{
    struct tn_map_function mine   = { .name = "mine", .custom = anything };
    struct tn_map_pair     pair   = { tn_text("no"), tn_text("no"), { 0 } };
    struct tn_map_rule     rule   = { .function   = &mine,
                                      .pairs      = &pair,
                                      .pair_count = 1 };
    struct tn_mapper       mapper = { .rules = &rule, .rule_count = 1 };
    struct import_bench    b;

    (void)state;
    read_row(&b, 0);
    assert_int_equal(tn_mapper_check(&mapper,
                                     tn_dl4j_ops_find(&b.ops, tn_text("op")),
                                     NULL, &b.error),
                     TN_OK);
    import_tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_held_to_both_sides),
        cmocka_unit_test(what_is_not_known_is_not_checked),
        cmocka_unit_test(functions_of_the_caller_are_not_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
