/* graph_check_test.c - what a check of any graph must say, and where */
#include "ir/graph_check.h"

#include "support/sketch.h"

struct heard {
    int  count;
    char rule[32];
    char where[120];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    assert_int_equal(level, TN_LEVEL_ERROR);
    if (heard->count++ == 0) {
        snprintf(heard->rule, sizeof heard->rule, "%s", rule);
        snprintf(heard->where, sizeof heard->where, "%s", finding->where);
    }
    return 0;
}

static const struct {
    const char *graph;
    bool        is_ordered;
    int         count;
    const char *rule, *where; /* of the first finding */
} cases[] = {
    { "a = Add(x, x); b = Mul(a, x)", true, 0, "", "" },
    { "a = Add(x, ghost)", true, 1, "dangling-input", "graph.node[0]" },
    { "a = Add(x); b = Mul(a, g, h)", true, 2, "dangling-input",
      "graph.node[1]" },
    { "a = Add(x); a = Mul(x)", true, 1, "duplicate-name", "graph.node[1]" },
    { "x = Add(a)", true, 2, "dangling-input", "graph.node[0]" },
    { "b = Mul(a); a = Add(x)", true, 1, "not-topological", "graph.node[0]" },
    { "b = Mul(a); a = Add(x)", false, 0, "", "" },
    { "a = Add(a)", false, 1, "cycle", "graph.node[0]" },
    { "a = Add(c); b = Add(a); c = Add(b)", false, 1, "cycle",
      "graph.node[1]" },
    { "m = Merge(x, n); b = Add(m); n = Loop(b)", false, 0, "", "" },
    { "a = Add(b); b = Add(a); c = Add(d); d = Add(c)", false, 2, "cycle",
      "graph.node[1]" },
};

static void says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct heard     heard = { 0 };
        struct tn_report report = { .each = hear, .context = &heard };
        struct tn_memory memory;
        struct tn_model  model;

        tn_memory_init(&memory, NULL, 0);
        tn_model_init(&model, &memory);
        model.dialect =
            cases[i].is_ordered ? &sketch_ordered : &sketch_dialect;
        uint32_t graph =
            tn_model_add_graph(&model, TN_GRAPH_MAIN, "graph", "node", &error);
        sketch_input(&model, graph, "x", &error);
        char  copy[256], *save = NULL;
        snprintf(copy, sizeof copy, "%s", cases[i].graph);
        for (char *line = strtok_r(copy, ";", &save); line;
             line       = strtok_r(NULL, ";", &save))
            sketch_op(&model, graph, line, &error);
        assert_int_equal(tn_graph_check(&model, &report, &error), TN_OK);
        if (heard.count != cases[i].count ||
            strcmp(heard.rule, cases[i].rule) != 0 ||
            strcmp(heard.where, cases[i].where) != 0)
            fail_msg("'%s': %d findings, first %s at %s", cases[i].graph,
                     heard.count, heard.rule, heard.where);
        tn_model_done(&model);
        assert_int_equal(memory.used, 0);
    }
}

/* A chain as long as a stack would not bear. */
static void is_not_recursive(void **state)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct heard     heard  = { 0 };
    struct tn_report report = { .each = hear, .context = &heard };
    struct tn_memory memory;
    struct tn_model  model;
    char             line[64];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_model_init(&model, &memory);
    model.dialect = &sketch_dialect;
    uint32_t graph =
        tn_model_add_graph(&model, TN_GRAPH_MAIN, "graph", "node", &error);
    sketch_input(&model, graph, "v200000", &error);
    for (int i = 0; i < 200000; i++) { /* each waits for the next one */
        snprintf(line, sizeof line, "v%d = Add(v%d)", i, i + 1);
        sketch_op(&model, graph, line, &error);
    }
    assert_int_equal(tn_graph_check(&model, &report, &error), TN_OK);
    assert_int_equal(heard.count, 0);
    tn_model_done(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(is_not_recursive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
