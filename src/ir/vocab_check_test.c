/* vocab_check_test.c - what a vocabulary makes of a graph, rule by rule */
#include "ir/vocab_testing.h"

static const char vocabulary[] =
    "vocabulary test 1\n"
    "types two = {int8 float32}\n"
    "domain \"\"\n"
    "op Add@1 (A int8, B? int8) -> (C int8)\n"
    "    axis? int\n"
    "op Add@5 (A int8, B int8) -> (C int8)\n"
    "op Cat@1 (A+ int8) -> (C int8, D? int8, E? int8) outputs{1 3}\n"
    "    axis int\n"
    "op Gone@1 () -> (C int8)\n"
    "op Gone@3 deprecated@3\n"
    "op Lax@1 () -> (C int8) loose\n"
    "op Old@1 legacy\n"
    "op Pack@1 (v N*int8, w *Ts) -> (C int8)\n"
    "    N int = 2 >= 1\n"
    "    Ts list(type) = [] in {two}\n"
    "    mode string = \"a\" in {\"a\" \"b\"}\n"
    "domain preview open\n"
    "op Try@1 (A int8) -> (C int8)\n";

/* ---- one op, judged ----------------------------------------------------- */

static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    (void)scope;
    return tn_bytes_is(domain, "absent") ? -1 : *(const int64_t *)context;
}

static struct tn_bytes called;

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    (void)context;
    (void)scope;
    (void)op;
    return called.size > 0;
}

static void judge(const struct testing_node *node, int64_t version, int times,
                  struct tn_memory *memory, struct testing_heard *heard,
                  struct tn_error *error)
{
    struct tn_report    report = { .each = testing_hear, .context = heard };
    struct tn_model     model;
    struct tn_vocab     vocab;
    struct testing_file file;
    struct tn_vocab_use use = { .vocab       = &vocab,
                                .context     = &version,
                                .version     = version_of,
                                .is_call     = is_call,
                                .file        = "",
                                .free_prefix = "__",
                                .attr_word   = "attribute",
                                .unknown     = TN_LEVEL_ERROR,
                                .deprecated  = TN_LEVEL_ERROR };

    testing_file_init(&file);
    tn_model_init(&model, memory);
    model.dialect = &testing_by_values;
    tn_model_add_graph(&model, TN_GRAPH_MAIN, "graph", "node", error);
    for (int i = 0; i < times && !tn_failed(error); i++)
        testing_add(&model, 0, &file, node, 100, error);
    if (!tn_failed(error) && tn_vocab_load(&vocab, &model.arena,
                                           tn_text(vocabulary), error) == TN_OK)
        tn_vocab_check(&model, &use, &report, error);
    tn_model_done(&model);
}

/* ---- claims ------------------------------------------------------------- */

static const struct {
    struct testing_node node;
    int64_t             version;
    int                 count;
    const char         *rule, *where;
    uint64_t            offset;
} cases[] = {
    { { "", "Add", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "", "Add", "a", "c", "axis=i1" }, 4, 0, "", "", 0 },
    { { "", "Add", "a-", "c", "" }, 4, 0, "", "", 0 },
    { { "", "Add", "a", "c", "" }, 5, 1, "wrong-arity", "graph.node[0]", 100 },
    { { "", "Add", "abc", "c", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "", "" }, 1, 1, "wrong-arity", "graph.node[0]", 100 },
    { { "", "Add", "-b", "c", "" },
      1,
      1,
      "missing-input",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "-", "" },
      1,
      1,
      "missing-input",
      "graph.node[0]",
      100 },
    { { "", "Sub", "ab", "c", "" }, 1, 1, "unknown-op", "graph.node[0]", 100 },
    { { "", "Add", "ab", "c", "" }, 0, 1, "unknown-op", "graph.node[0]", 100 },
    { { "vendor", "Sub", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "preview", "Sub", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "preview", "Try", "ab", "c", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Gone", "", "c", "" }, 2, 0, "", "", 0 },
    { { "", "Gone", "", "c", "" },
      3,
      1,
      "deprecated-op",
      "graph.node[0]",
      100 },
    { { "", "Old", "abc", "", "x=i1" },
      1,
      1,
      "deprecated-op",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "c", "axis=i1;bias=i2" },
      1,
      1,
      "unknown-attribute",
      "graph.node[0].attribute[1]",
      113 },
    { { "", "Add", "ab", "c", "__bias=i2" }, 1, 0, "", "", 0 },
    { { "", "Lax", "", "c", "bias=i2" }, 1, 0, "", "", 0 },
    { { "", "Add", "ab", "c", "axis=sx" },
      1,
      1,
      "wrong-attribute-type",
      "graph.node[0].attribute[0]",
      105 },
    { { "", "Add", "ab", "c", "axis=?" }, 1, 0, "", "", 0 },
    { { "", "Cat", "abcd", "x", "axis=i0" }, 1, 0, "", "", 0 },
    { { "", "Cat", "abcd", "x", "" },
      1,
      1,
      "missing-attribute",
      "graph.node[0]",
      100 },
    { { "", "Cat", "", "x", "axis=i0" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Cat", "a", "xy", "axis=i0" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Cat", "a", "xyz", "axis=i0" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abc", "x", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "abc", "x", "N=i3" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abc", "x", "N=i4294967299" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "abc", "x", "N=i9223372036854775807" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "abcde", "x", "N=i3;Ts=t2" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abcd", "x", "N=i3;Ts=t2" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "a", "x", "N=?" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "Ts=e" }, 1, 0, "", "", 0 },
    { { "", "Pack", "", "x", "N=i0" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      102 },
    { { "", "Pack", "abc", "x", "Ts=T" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      103 },
    { { "", "Pack", "ab", "x", "mode=sb" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "mode=sc" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      105 },
};

static void says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct testing_heard heard = { 0 };
        struct tn_memory     memory;

        tn_memory_init(&memory, NULL, 0);
        judge(&cases[i].node, cases[i].version, 1, &memory, &heard, &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(memory.used, 0);
        if (heard.count != cases[i].count ||
            strcmp(heard.rule, cases[i].rule) != 0 ||
            strcmp(heard.where, cases[i].where) != 0 ||
            heard.offset != cases[i].offset)
            fail_msg("case %d, %s: %d findings, first %s at %s (%d): %s",
                     (int)i, cases[i].node.type, heard.count, heard.rule,
                     heard.where, (int)heard.offset, heard.what);
    }
}

/* What is remembered of good attributes hides no bad one. */
static void says_it_every_time(void **state)
{
    static const struct testing_node nodes[] = {
        { "", "Pack", "ab", "x", "mode=sc" },
        { "", "Add", "ab", "c", "axis=sx" },
        { "", "Cat", "ab", "x", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct tn_error      error = TN_ERROR_INIT;
        struct testing_heard heard = { 0 };
        struct tn_memory     memory;

        tn_memory_init(&memory, NULL, 0);
        judge(&nodes[i], 1, 2500, &memory, &heard, &error);
        assert_int_equal(heard.count, 2500);
    }
}

static void leaves_calls_alone(void **state)
{
    static const struct testing_node node  = { "", "Sub", "ab", "c", "x=i1" };
    struct tn_error                  error = TN_ERROR_INIT;
    struct testing_heard             heard = { 0 };
    struct tn_memory                 memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    called = tn_text("Sub");
    judge(&node, 1, 1, &memory, &heard, &error);
    called = tn_bytes(NULL, 0);
    assert_int_equal(heard.count, 0);
}

static enum tn_status judge_sample(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    static const struct testing_node node  = { "", "Pack", "abcde", "x",
                                               "N=i3;Ts=t2;mode=sa" };
    struct testing_heard             heard = { 0 };

    (void)input;
    judge(&node, 1, 3, memory, &heard, error);
    return error->status;
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_sample, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(says_it_every_time),
        cmocka_unit_test(leaves_calls_alone),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
