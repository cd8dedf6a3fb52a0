/* diff_match_test.c - which op is which, for pairs of small graphs */
#include "diff/diff_match.h"

#include <stdlib.h>
#include <time.h>

#include "support/sketch.h"

struct bench {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_model      left, right;
    struct tn_diff_match match;
};

static void begin(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_model_init(&b->left, &b->memory);
    tn_model_init(&b->right, &b->memory);
    b->left.dialect = b->right.dialect = &sketch_dialect;
    b->left.wants_graph = b->right.wants_graph = true;
}

static void set_up(struct bench *b, const char *left, const char *right)
{
    begin(b);
    sketch_graph(&b->left, TN_GRAPH_MAIN, "graph", left, &b->error);
    sketch_graph(&b->right, TN_GRAPH_MAIN, "graph", right, &b->error);
    assert_int_equal(tn_diff_match_init(&b->match, &b->left, &b->right, NULL,
                                        &b->memory, &b->error),
                     TN_OK);
}

static void tear_down(struct bench *b)
{
    tn_diff_match_done(&b->match);
    tn_model_done(&b->left);
    tn_model_done(&b->right);
    assert_int_equal(b->memory.used, 0);
}

/* The matches of the left's ops: "a=a b=n c=-". */
static void describe(const struct bench *b, char *to, size_t size)
{
    size_t at = 0;

    to[0] = '\0';
    for (uint32_t op = 0; op < b->left.ops.count; op++) {
        uint32_t        right = b->match.ops[0][op];
        struct tn_bytes from  = tn_model_op(&b->left, op).name;
        struct tn_bytes name  = right == TN_NONE
                                    ? tn_text("-")
                                    : tn_model_op(&b->right, right).name;
        at += (size_t)snprintf(to + at, size - at, "%s%.*s=%.*s", op ? " " : "",
                               TN_FMT(from), TN_FMT(name));
        if (right != TN_NONE)
            assert_int_equal(b->match.ops[1][right], op);
    }
}

static const struct {
    const char *claim, *left, *right, *matches;
} cases[] = {
    { "equal graphs", "a = Add(x); b = Mul(a)", "a = Add(x); b = Mul(a)",
      "a=a b=b" },
    { "a new name", "a = Add(x); b = Mul(a); c = Neg(b)",
      "a = Add(x); n = Mul(a); c = Neg(n)", "a=a b=n c=c" },
    { "all names are new", "a = Add(x); b = Mul(a); c = Neg(b)",
      "p = Add(x); q = Mul(p); r = Neg(q)", "a=p b=q c=r" },
    { "one op more", "a = Add(x); c = Neg(a)",
      "a = Add(x); b = Mul(a); c = Neg(b)", "a=a c=c" },
    { "one op less", "a = Add(x); b = Mul(a); c = Neg(b)",
      "a = Add(x); c = Neg(a)", "a=a b=- c=c" },
    { "another operator", "a = Add(x); b = Mul(a); c = Neg(b)",
      "a = Add(x); b = Div(a); c = Neg(b)", "a=a b=b c=c" },
    { "another order", "a = Add(x); b = Mul(y); c = Neg(a)",
      "b = Mul(y); a = Add(x); c = Neg(a)", "a=a b=b c=c" },
    { "numbers that shift",
      "n0 = Add(x); n1 = Mul(n0); n2 = Mul(n1); n3 = Neg(n2); n4 = Exp(n3)",
      "n0 = Add(x); n1 = Abs(n0); n2 = Mul(n1); n3 = Mul(n2); n4 = Neg(n3); "
      "n5 = Exp(n4)",
      "n0=n0 n1=n2 n2=n3 n3=n4 n4=n5" },
    { "twins keep their names", "a = Relu(x); b = Relu(x); c = Relu(x)",
      "c = Relu(x); b = Relu(x)", "a=- b=b c=c" },
    { "neighbours in the middle of changes",
      "a = Add(x); b = Mul(a); c = Neg(b); d = Exp(c); e = Abs(d)",
      "p = Sub(x); q = Mul(p); r = Neg(q); s = Exp(r); t = Cos(s)",
      "a=- b=q c=r d=s e=-" },
    { "cycles", "a = Add(x, c); b = Mul(a); c = Loop(b)",
      "a = Add(x, c); b = Mul(a); c = Loop(b)", "a=a b=b c=c" },
    { "an op that feeds itself", "a = Add(a); b = Neg(a)",
      "a = Add(a); b = Neg(a)", "a=a b=b" },
    { "nothing", "a = Add(x)", "", "a=-" },
    { "nothing in common", "a = Add(x); b = Mul(a)", "p = Neg(x)", "a=- b=-" },
};

static void matches_are_those_that_people_see(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        char         text[512];

        set_up(&bench, cases[i].left, cases[i].right);
        describe(&bench, text, sizeof text);
        if (strcmp(text, cases[i].matches) != 0)
            fail_msg("%s: %s, not %s", cases[i].claim, text, cases[i].matches);
        tear_down(&bench);
    }
}

/* Functions by name, then by what they consist of; subgraphs by their place. */
static void graphs_are_matched(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    struct tn_model *models[2] = { &b.left, &b.right };
    for (int side = 0; side < 2; side++) {
        sketch_graph(models[side], TN_GRAPH_MAIN, "graph", "a = If(x)",
                     &b.error);
        uint32_t inner = sketch_graph(models[side], TN_GRAPH_SUBGRAPH,
                                      "graph.node[0].attribute[0].g",
                                      "i = Neg(x)", &b.error);
        tn_model_graph_at(models[side], inner)->parent_graph = 0;
        tn_model_graph_at(models[side], inner)->parent_node  = 0;
        for (int f = 0; f < 2; f++) {
            const char *name = f == 0 ? "same" : side ? "new" : "old";
            uint32_t    graph =
                sketch_graph(models[side], TN_GRAPH_FUNCTION, "functions[0]",
                             f == 0 ? "o = Exp(p)" : "o = Cos(p)", &b.error);
            tn_model_graph_at(models[side], graph)->name =
                sketch_name(models[side], name, &b.error);
            tn_model_graph_at(models[side], graph)->parent_graph = TN_NONE;
            tn_model_graph_at(models[side], graph)->parent_node  = TN_NONE;
        }
    }
    assert_int_equal(tn_diff_match_init(&b.match, &b.left, &b.right, NULL,
                                        &b.memory, &b.error),
                     TN_OK);
    for (uint32_t g = 0; g < 4; g++)
        assert_int_equal(b.match.graphs[0][g], g);
    for (uint32_t op = 0; op < 4; op++)
        assert_int_equal(b.match.ops[0][op], op);
    tear_down(&b);
}

/* A chain, or ops that are all equal, with or without names. */
static void many(struct tn_model *model, uint32_t count, bool is_chain,
                 const char *prefix, struct tn_error *error)
{
    uint32_t graph =
        tn_model_add_graph(model, TN_GRAPH_MAIN, "graph", "node", error);
    uint32_t x =
        tn_model_value(model, graph, sketch_name(model, "x", error), error);
    char name[32];

    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = tn_model_add_op(model, graph, error);
        snprintf(name, sizeof name, "%s%u", prefix, i);
        tn_model_op_at(model, op)->name = sketch_name(model, name, error);
        tn_model_op_at(model, op)->type = sketch_name(model, "Relu", error);
        tn_model_add_input(model, x, error);
        uint32_t y = tn_model_value(model, graph,
                                    tn_model_op_at(model, op)->name, error);
        tn_model_add_output(model, y, error);
        tn_model_define(model, y, TN_VALUE_OUTPUT, op, 0);
        x = is_chain ? y : x;
        tn_model_graph_at(model, graph)->op_count++;
    }
}

/* Neither time nor memory grows faster than the graph. */
static void equal_ops_are_linear(void **state)
{
    enum { MANY = 300000, BYTES_A_NODE = 400 };

    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct bench b;

        begin(&b);
        many(&b.left, MANY, kind % 2 == 0, "a", &b.error);
        many(&b.right, MANY - 1, kind % 2 == 0, kind < 2 ? "a" : "b", &b.error);
        uint64_t before = b.memory.used;
        clock_t  start  = clock();
        assert_int_equal(tn_diff_match_init(&b.match, &b.left, &b.right, NULL,
                                            &b.memory, &b.error),
                         TN_OK);
        assert_true((clock() - start) / CLOCKS_PER_SEC < 30);
        assert_true(b.memory.used - before < (uint64_t)MANY * BYTES_A_NODE);
        uint32_t matched = 0;
        for (uint32_t i = 0; i < MANY; i++)
            matched += b.match.ops[0][i] != TN_NONE;
        assert_int_equal(matched, MANY - 1);
        tear_down(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_those_that_people_see),
        cmocka_unit_test(graphs_are_matched),
        cmocka_unit_test(equal_ops_are_linear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
