/* draft_test.c - what an edit may do, and what the result then says */
#include "ir/draft.h"

#include "support/sketch.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena; /* of the draft; outlives the result */
    struct tn_model  base, result;
    struct tn_draft  draft;
};

/* x -> a -> b -> c, with a function f and a graph inside b. */
static void set_up(struct bench *bench)
{
    bench->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&bench->memory, NULL, 0);
    tn_arena_init(&bench->arena, &bench->memory);
    tn_model_init(&bench->base, &bench->memory);
    tn_model_init(&bench->result, &bench->memory);
    bench->base.dialect = &sketch_dialect;
    sketch_graph(&bench->base, TN_GRAPH_MAIN, "graph",
                 "a = Add(x); b = If(a); c = Mul(b)", &bench->error);
    uint32_t inner = sketch_graph(&bench->base, TN_GRAPH_SUBGRAPH,
                                  "graph.node[1].attribute[0].g", "i = Neg(a)",
                                  &bench->error);
    tn_model_graph_at(&bench->base, inner)->parent_graph = 0;
    tn_model_graph_at(&bench->base, inner)->parent_node  = 1;
    tn_model_graph_at(&bench->base, inner)->parent_slot  = 0;
    uint32_t f = sketch_graph(&bench->base, TN_GRAPH_FUNCTION, "functions[0]",
                              "o = Exp(p)", &bench->error);
    tn_model_graph_at(&bench->base, f)->name =
        sketch_name(&bench->base, "f", &bench->error);
    tn_model_resolve(&bench->base);
    assert_int_equal(tn_draft_init(&bench->draft, &bench->arena, &bench->base,
                                   &sketch_dialect, &bench->error),
                     TN_OK);
}

static void commit(struct bench *bench)
{
    assert_int_equal(
        tn_draft_commit(&bench->draft, &bench->result, &bench->error), TN_OK);
}

static void tear_down(struct bench *bench)
{
    tn_draft_done(&bench->draft);
    tn_model_done(&bench->result);
    tn_model_done(&bench->base);
    tn_arena_done(&bench->arena);
    assert_int_equal(bench->memory.used, 0);
}

static void has_op(const struct tn_model *model, uint32_t op, const char *name,
                   const char *type)
{
    assert_true(tn_bytes_is(tn_model_op(model, op).name, name));
    assert_true(tn_bytes_is(tn_model_op(model, op).type, type));
}

static const struct tn_op_spec spec = {
    .name         = "n",
    .type         = "Relu",
    .inputs       = (const char *const[]){ "a" },
    .input_count  = 1,
    .outputs      = (const char *const[]){ "n" },
    .output_count = 1,
};

static void nothing_changed_is_the_same(void **state)
{
    struct bench bench;

    (void)state;
    set_up(&bench);
    commit(&bench);
    assert_int_equal(tn_model_op_count(&bench.result), 5);
    assert_int_equal(tn_model_graph_count(&bench.result), 3);
    has_op(&bench.result, 0, "a", "Add");
    has_op(&bench.result, 4, "o", "Exp");
    assert_string_equal(tn_model_graph(&bench.result, 1).path,
                        "graph.node[1].attribute[0].g");
    assert_false(tn_model_graph_at(&bench.result, 0)->is_touched);
    /* The inner graph reads `a` of the outer one. */
    uint32_t             a    = tn_op_input(&bench.result, 3, 0);
    struct tn_value_info info = tn_model_value_info(&bench.result, a);
    assert_int_equal(info.kind, TN_VALUE_OUTER);
    assert_int_equal(info.producer, 0);
    tear_down(&bench);
}

static void an_inserted_op_moves_the_others(void **state)
{
    struct bench bench;
    uint32_t     op;

    (void)state;
    set_up(&bench);
    assert_int_equal(
        tn_draft_add_op(&bench.draft, 0, 1, &spec, &op, &bench.error), TN_OK);
    assert_int_equal(op, 5);
    assert_int_equal(tn_draft_set_input(&bench.draft, 1, 0, "n", &bench.error),
                     TN_OK);
    commit(&bench);
    has_op(&bench.result, 0, "a", "Add");
    has_op(&bench.result, 1, "n", "Relu");
    has_op(&bench.result, 2, "b", "If");
    struct tn_value_info n =
        tn_model_value_info(&bench.result, tn_op_input(&bench.result, 2, 0));
    assert_int_equal(n.producer, 1);
    assert_string_equal(tn_model_graph(&bench.result, 1).path,
                        "graph.node[2].attribute[0].g");
    assert_true(tn_model_graph_at(&bench.result, 0)->is_touched);
    assert_true(tn_model_op_at(&bench.result, 2)->first_attr != TN_NONE);
    assert_true(tn_model_op_at(&bench.result, 0)->first_attr == TN_NONE);
    tear_down(&bench);
}

static void an_op_can_come_first_or_last(void **state)
{
    struct bench bench;

    (void)state;
    set_up(&bench);
    tn_draft_add_op(&bench.draft, 0, 0, &spec, NULL, &bench.error);
    tn_draft_add_op(&bench.draft, 0, TN_NONE, &spec, NULL, &bench.error);
    commit(&bench);
    has_op(&bench.result, 0, "n", "Relu");
    has_op(&bench.result, 4, "n", "Relu");
    tear_down(&bench);
}

static void a_removed_op_takes_its_graph_along(void **state)
{
    struct bench bench;

    (void)state;
    set_up(&bench);
    assert_int_equal(tn_draft_remove_op(&bench.draft, 1, &bench.error), TN_OK);
    commit(&bench);
    assert_int_equal(tn_model_graph_count(&bench.result), 2);
    assert_int_equal(tn_model_op_count(&bench.result), 3);
    has_op(&bench.result, 1, "c", "Mul");
    struct tn_value_info b =
        tn_model_value_info(&bench.result, tn_op_input(&bench.result, 1, 0));
    assert_int_equal(b.kind, TN_VALUE_UNDEFINED);
    tear_down(&bench);
}

static void attributes_are_set_replaced_and_removed(void **state)
{
    struct bench         bench;
    int64_t              axis  = 3;
    struct tn_attr_value value = { .kind    = TN_ATTR_INT,
                                   .count   = 1,
                                   .of.ints = &axis };
    struct tn_attr      *attr;

    (void)state;
    set_up(&bench);
    tn_draft_set_attr(&bench.draft, 0, "axis", &value, &bench.error);
    tn_draft_set_attr(&bench.draft, 0, "gone", &value, &bench.error);
    axis = 4;
    tn_draft_set_attr(&bench.draft, 0, "axis", &value, &bench.error);
    assert_int_equal(
        tn_draft_remove_attr(&bench.draft, 0, "gone", &bench.error), TN_OK);
    axis = 5; /* the draft has its own copy */
    commit(&bench);
    assert_int_equal(tn_op_attr_count(&bench.result, 0), 1);
    assert_int_equal(
        tn_attr_find(&attr, &bench.result, 0, "axis", &bench.error), TN_OK);
    assert_int_equal(tn_attr_get(attr)->of.ints[0], 4);
    tn_attr_close(attr);
    tear_down(&bench);
}

static void functions_are_copied_and_removed(void **state)
{
    struct bench bench;
    uint32_t     copy;

    (void)state;
    set_up(&bench);
    assert_int_equal(tn_draft_copy_function(&bench.draft, &bench.base, 2, NULL,
                                            &copy, &bench.error),
                     TN_INVALID); /* the name is taken */
    bench.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_draft_copy_function(&bench.draft, &bench.base, 2, "g",
                                            &copy, &bench.error),
                     TN_OK);
    assert_int_equal(tn_draft_remove_function(&bench.draft, 2, &bench.error),
                     TN_OK);
    commit(&bench);
    assert_int_equal(tn_model_function_count(&bench.result), 1);
    assert_true(tn_bytes_is(tn_model_graph(&bench.result, 2).name, "g"));
    assert_true(tn_model_graph_at(&bench.result, 2)->is_touched);
    tear_down(&bench);
}

static void tensors_are_added_replaced_and_removed(void **state)
{
    struct bench       bench;
    uint64_t           dims[]   = { 2 };
    struct tn_elements elements = { .shape = { TN_INT8, 1, dims } };

    (void)state;
    set_up(&bench);
    tn_draft_add_tensor(&bench.draft, 0, "w", &elements, &bench.error);
    tn_draft_add_tensor(&bench.draft, 0, "v", &elements, &bench.error);
    assert_int_equal(
        tn_draft_add_tensor(&bench.draft, 0, "w", &elements, &bench.error),
        TN_INVALID);
    bench.error          = (struct tn_error)TN_ERROR_INIT;
    elements.shape.dtype = TN_FLOAT16;
    tn_draft_replace_tensor(&bench.draft, 0, "w", &elements, &bench.error);
    assert_int_equal(tn_draft_remove_tensor(&bench.draft, 0, "v", &bench.error),
                     TN_OK);
    commit(&bench);
    assert_int_equal(tn_model_tensor_count(&bench.result), 1);
    assert_int_equal(tn_tensor_dtype(tn_model_find(&bench.result, "w")),
                     TN_FLOAT16);
    assert_null(tn_model_find(&bench.result, "v"));
    tear_down(&bench);
}

static void mistakes_are_refused(void **state)
{
    struct bench bench;

    (void)state;
    set_up(&bench);
    assert_int_equal(tn_draft_remove_op(&bench.draft, 77, &bench.error),
                     TN_INVALID);
    bench.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_draft_add_op(&bench.draft, 9, TN_NONE, &spec, NULL, &bench.error),
        TN_INVALID);
    bench.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_draft_add_op(&bench.draft, 0, 4, &spec, NULL, &bench.error),
        TN_INVALID); /* op 4 is in another graph */
    bench.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_draft_set_input(&bench.draft, 0, 5, "z", &bench.error),
                     TN_INVALID);
    bench.error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(tn_draft_remove_function(&bench.draft, 0, &bench.error),
                     TN_INVALID);
    bench.error = (struct tn_error)TN_ERROR_INIT;
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_is_the_same),
        cmocka_unit_test(an_inserted_op_moves_the_others),
        cmocka_unit_test(an_op_can_come_first_or_last),
        cmocka_unit_test(a_removed_op_takes_its_graph_along),
        cmocka_unit_test(attributes_are_set_replaced_and_removed),
        cmocka_unit_test(functions_are_copied_and_removed),
        cmocka_unit_test(tensors_are_added_replaced_and_removed),
        cmocka_unit_test(mistakes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
