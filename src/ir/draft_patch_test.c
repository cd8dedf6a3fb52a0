/* draft_patch_test.c - lists of ops that are replaced, and ops that move */
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_move),
        cmocka_unit_test(places_must_be_of_the_graph),
        cmocka_unit_test(lists_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
