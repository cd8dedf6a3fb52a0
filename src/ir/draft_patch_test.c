/* draft_patch_test.c - lists of ops that are replaced, ops that move, graphs
 * that come */
#include "ir/draft.h"

#include "support/sketch.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_model  base, result;
    struct tn_draft  draft;
};

static void set_up(struct bench *b, const struct tn_dialect *dialect)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_model_init(&b->base, &b->memory);
    tn_model_init(&b->result, &b->memory);
    b->base.dialect = dialect;
    sketch_graph(&b->base, TN_GRAPH_MAIN, "graph",
                 "a = Add(x); b = Neg(a); c = Mul(b)", &b->error);
    sketch_graph(&b->base, TN_GRAPH_FUNCTION, "functions[0]", "o = Exp(p)",
                 &b->error);
    assert_int_equal(
        tn_draft_init(&b->draft, &b->arena, &b->base, dialect, &b->error),
        TN_OK);
}

static void tear_down(struct bench *b)
{
    tn_draft_done(&b->draft);
    tn_model_done(&b->result);
    tn_model_done(&b->base);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void has_order(struct bench *b, const char *names)
{
    assert_int_equal(tn_draft_commit(&b->draft, &b->result, &b->error), TN_OK);
    for (uint32_t i = 0; names[i]; i++) {
        struct tn_bytes name = tn_model_op(&b->result, i).name;
        assert_int_equal(name.size, 1);
        assert_int_equal(name.data[0], names[i]);
    }
}

static const struct {
    uint32_t    op, before;
    const char *order;
} moves[] = {
    { 0, TN_NONE, "bca" }, { 2, 0, "cab" },       { 1, 0, "bac" },
    { 0, 2, "bac" },       { 2, TN_NONE, "abc" }, { 0, 1, "abc" },
};

static void ops_move(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        struct bench b;

        set_up(&b, &sketch_dialect);
        assert_int_equal(
            tn_draft_move_op(&b.draft, moves[i].op, moves[i].before, &b.error),
            TN_OK);
        has_order(&b, moves[i].order);
        tear_down(&b);
    }
}

static void places_must_be_of_the_graph(void **state)
{
    static const uint32_t wrong[][2] = {
        { 0, 0 }, { 0, 3 }, { 9, 0 }, { 0, 9 }
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct bench b;

        set_up(&b, &sketch_dialect);
        assert_int_equal(
            tn_draft_move_op(&b.draft, wrong[i][0], wrong[i][1], &b.error),
            TN_INVALID);
        tear_down(&b);
    }
}

static void lists_are_replaced(void **state)
{
    static const char *const two[] = { "x", "" }, *const one[] = { "z" };
    struct bench b;

    (void)state;
    set_up(&b, &sketch_dialect);
    assert_int_equal(tn_draft_set_inputs(&b.draft, 1, two, 2, 0, &b.error),
                     TN_OK);
    assert_int_equal(tn_draft_set_outputs(&b.draft, 1, one, 1, &b.error),
                     TN_OK);
    assert_int_equal(tn_draft_set_operator(&b.draft, 1, tn_text("Gelu"),
                                           tn_text("other"), &b.error),
                     TN_OK);
    assert_int_equal(tn_draft_commit(&b.draft, &b.result, &b.error), TN_OK);
    struct tn_op_info op = tn_model_op(&b.result, 1);
    assert_int_equal(op.input_count, 2);
    assert_int_equal(tn_op_input(&b.result, 1, 1), TN_NONE);
    assert_int_equal(op.output_count, 1);
    assert_true(tn_bytes_is(op.type, "Gelu"));
    assert_true(tn_bytes_is(op.domain, "other"));
    tear_down(&b);
}

/* ONNX, as far as drafts ask. */
static const struct tn_dialect with_graphs = {
    .name          = "onnx",
    .next_attr     = sketch_next_attr,
    .names_outputs = true,
};

static void adds_graph(struct bench *b, uint32_t op, const char *attr,
                       bool in_list, uint32_t number)
{
    uint32_t graph;

    assert_int_equal(tn_draft_add_graph(&b->draft, op, attr, "inner", in_list,
                                        &graph, &b->error),
                     TN_OK);
    assert_int_equal(graph, number);
}

static const struct tn_attr_value *value_of(const struct bench *b, uint32_t op,
                                            uint32_t slot)
{
    const struct tn_op *row = tn_model_op_at(&b->result, op);

    assert_true(slot < row->attr_count);
    return tn_list_at(&b->result.attrs, struct tn_attr_slot,
                      (uint64_t)row->first_attr + slot)
        ->value;
}

/* A graph in an op, one in an op of that graph, and a list of two; ops that go
 * before them change their paths and no number. */
static void graphs_are_added(void **state)
{
    const char *const       inputs[] = { "b" }, *const outputs[] = { "d" };
    const struct tn_op_spec spec     = { .name         = "d",
                                         .type         = "If",
                                         .inputs       = inputs,
                                         .input_count  = 1,
                                         .outputs      = outputs,
                                         .output_count = 1 };
    struct bench b;
    uint32_t     op;

    (void)state;
    set_up(&b, &with_graphs);
    adds_graph(&b, 1, "body", false, 2);
    assert_int_equal(
        tn_draft_add_op(&b.draft, 2, TN_NONE, &spec, &op, &b.error), TN_OK);
    adds_graph(&b, op, "then_branch", false, 3);
    adds_graph(&b, 2, "list", true, 4);
    adds_graph(&b, 2, "list", true, 5);
    assert_int_equal(tn_draft_remove_op(&b.draft, 0, &b.error), TN_OK);
    assert_int_equal(tn_draft_commit(&b.draft, &b.result, &b.error), TN_OK);
    assert_int_equal(b.result.graphs.count, 6);
    assert_string_equal(tn_model_graph_at(&b.result, 2)->path,
                        "graph.node[0].attribute[0].g");
    assert_string_equal(tn_model_graph_at(&b.result, 3)->path,
                        "graph.node[0].attribute[0].g.node[0].attribute[0].g");
    assert_string_equal(tn_model_graph_at(&b.result, 5)->path,
                        "graph.node[1].attribute[0].graphs[1]");
    assert_int_equal(tn_model_graph_at(&b.result, 3)->depth, 2);
    assert_int_equal(tn_model_graph_at(&b.result, 3)->parent_graph, 2);
    assert_int_equal(value_of(&b, 0, 0)->of.ints[0], 2);
    assert_int_equal(value_of(&b, 1, 0)->count, 2);
    assert_int_equal(value_of(&b, 1, 0)->of.ints[1], 5);
    tear_down(&b);
}

/* With its op, with its attribute, or when another takes its place; numbers of
 * those that stay follow. */
static void graphs_go_with_what_holds_them(void **state)
{
    struct bench b;

    (void)state;
    for (int way = 0; way < 3; way++) {
        set_up(&b, &with_graphs);
        adds_graph(&b, 1, "body", false, 2);
        adds_graph(&b, 2, "body", false, 3);
        if (way == 0)
            assert_int_equal(tn_draft_remove_op(&b.draft, 1, &b.error), TN_OK);
        else if (way == 1)
            assert_int_equal(
                tn_draft_remove_attr(&b.draft, 1, "body", &b.error), TN_OK);
        else
            adds_graph(&b, 1, "body", false, 4);
        assert_int_equal(tn_draft_commit(&b.draft, &b.result, &b.error), TN_OK);
        assert_int_equal(b.result.graphs.count, way == 2 ? 4 : 3);
        assert_int_equal(value_of(&b, way == 0 ? 1 : 2, 0)->of.ints[0], 2);
        if (way == 2)
            assert_int_equal(value_of(&b, 1, 0)->of.ints[0], 3);
        tear_down(&b);
    }
}

static void graphs_are_so_deep(void **state)
{
    const struct tn_op_spec spec = { .name = "n", .type = "If" };
    struct bench            b;
    uint32_t                op = 0;

    (void)state;
    set_up(&b, &with_graphs);
    for (uint32_t depth = 1; depth <= 200; depth++) {
        adds_graph(&b, op, "body", false, depth + 1);
        assert_int_equal(
            tn_draft_add_op(&b.draft, depth + 1, TN_NONE, &spec, &op, &b.error),
            TN_OK);
    }
    assert_int_equal(
        tn_draft_add_graph(&b.draft, op, "body", "g", false, NULL, &b.error),
        TN_LIMIT);
    tear_down(&b);
}

static void graphs_are_refused(void **state)
{
    int64_t              gone  = 2;
    struct tn_attr_value value = { .kind    = TN_ATTR_GRAPH,
                                   .count   = 1,
                                   .of.ints = &gone };
    struct bench         b;

    (void)state;
    set_up(&b, &sketch_dialect); /* attributes are no graphs there */
    assert_int_equal(
        tn_draft_add_graph(&b.draft, 0, "body", "g", false, NULL, &b.error),
        TN_UNSUPPORTED);
    tear_down(&b);
    set_up(&b, &with_graphs);
    assert_int_equal(
        tn_draft_add_graph(&b.draft, 9, "body", "g", false, NULL, &b.error),
        TN_INVALID);
    tear_down(&b);
    set_up(&b, &with_graphs); /* an attribute that names a graph of another op */
    adds_graph(&b, 1, "body", false, 2);
    assert_int_equal(tn_draft_set_attr(&b.draft, 2, "body", &value, &b.error),
                     TN_OK);
    assert_int_equal(tn_draft_remove_op(&b.draft, 1, &b.error), TN_OK);
    assert_int_equal(tn_draft_commit(&b.draft, &b.result, &b.error),
                     TN_INVALID);
    tear_down(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_move),
        cmocka_unit_test(places_must_be_of_the_graph),
        cmocka_unit_test(lists_are_replaced),
        cmocka_unit_test(graphs_are_added),
        cmocka_unit_test(graphs_go_with_what_holds_them),
        cmocka_unit_test(graphs_are_so_deep),
        cmocka_unit_test(graphs_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
