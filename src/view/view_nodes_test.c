/* view_nodes_test.c - nodes take what the model says, however odd it is */
#include "view/view_nodes.h"

#include "view/view_testing.h"

static uint32_t node_of(const struct tn_picture *p, const char *name)
{
    for (uint32_t i = 0; i < tn_picture_node_count(p); i++)
        if (tn_bytes_is(tn_picture_node_name(p, i), name))
            return i;
    return TN_NONE;
}

static void find(struct tn_view_bench *b, const char *ops)
{
    tn_view_bench_begin(b, ops);
    tn_view_find_nodes(&b->picture);
    assert_int_equal(b->error.status, TN_OK);
}

/* Also a value that is made later in the file, and one that nothing makes. */
static void uses_lead_to_makers(void **state)
{
    struct tn_view_bench b;

    (void)state;
    find(&b, "a = Add(b, x, a); b = Relu(a)");
    uint32_t a = node_of(&b.picture, "a");
    assert_int_equal(tn_picture_use_count(&b.picture, a), 3);
    assert_int_equal(tn_picture_use(&b.picture, a, 0)->from,
                     node_of(&b.picture, "b"));
    assert_int_equal(tn_picture_use(&b.picture, a, 1)->from, TN_NONE);
    assert_int_equal(tn_picture_use(&b.picture, a, 2)->from, a);
    tn_view_bench_end(&b);
}

/* Names make no difference to what a node looks like; its operator, its inputs
 * and what a comparison says do. */
static void looks_are_of_the_work(void **state)
{
    static const uint8_t states[] = { 0, 0, 0, 0, TN_VIEW_ADDED };
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b,
                        "a = Relu(x); b = Relu(a); c = Neg(b); d = Relu(c, c); "
                        "e = Relu(d)");
    b.picture.op_states = states;
    tn_view_find_nodes(&b.picture);
    uint64_t look = tn_picture_node(&b.picture, node_of(&b.picture, "a"))->look;
    assert_true(look ==
                tn_picture_node(&b.picture, node_of(&b.picture, "b"))->look);
    for (const char *name = "c\0d\0e\0"; *name; name += 2)
        assert_true(
            look !=
            tn_picture_node(&b.picture, node_of(&b.picture, name))->look);
    tn_view_bench_end(&b);
}

/* Arithmetic on shapes and constants is small, and what takes data is not. */
static void small_nodes_are_marked(void **state)
{
    struct tn_view_bench b;
    uint32_t             order[8];

    (void)state;
    find(&b,
         "c = Constant(); s = Shape(x); g = Gather(s, c); r = Reshape(x, g)");
    for (uint32_t i = 0; i < tn_picture_node_count(&b.picture); i++)
        order[i] = i;
    tn_view_mark_small(&b.picture, order, tn_picture_node_count(&b.picture));
    for (const char *name = "c\0s\0g\0r\0"; *name; name += 2)
        assert_int_equal(
            tn_picture_node(&b.picture, node_of(&b.picture, name))->is_small,
            *name != 'r');
    tn_view_bench_end(&b);
}

/* A matrix that several take is a node, a vector is not; and a copy of either
 * belongs to what takes it. */
static void shared_weights_are_nodes(void **state)
{
    static uint64_t      dims[][2] = { { 64, 64 }, { 1, 4096 } };
    struct tn_view_bench b;
    uint32_t             order[16];

    (void)state;
    tn_view_bench_begin(&b, "a = MatMul(x, w); b = Identity(w); "
                            "c = MatMul(a, b); d = Add(c, v); "
                            "e = Identity(v); f = Add(d, e)");
    for (uint32_t i = 0; i < 2; i++) {
        tn_view_bench_tensor(&b, i ? "v" : "w", 1);
        tn_list_at(&b.model.tensors, struct tn_tensor, i)->elements.shape =
            (struct tn_shape){ TN_FLOAT32, 2, dims[i] };
    }
    tn_view_find_nodes(&b.picture);
    uint32_t count = tn_picture_node_count(&b.picture);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    tn_view_mark_small(&b.picture, order, count);
    assert_int_equal(count, 7);
    assert_int_equal(
        tn_picture_node(&b.picture, node_of(&b.picture, "w"))->kind,
        TN_VIEW_WEIGHTS);
    for (const char *name = "b\0c\0e\0f\0"; *name; name += 2)
        assert_int_equal(
            tn_picture_node(&b.picture, node_of(&b.picture, name))->is_small,
            *name == 'b' || *name == 'e');
    tn_view_bench_end(&b);
}

static void a_node_takes_many_values(void **state)
{
    enum { MANY = 100000 };
    struct tn_view_bench b;
    char                 name[16];

    (void)state;
    tn_view_bench_begin(&b, "a = Relu(x)");
    uint32_t op                        = tn_model_add_op(&b.model, 0, &b.error);
    tn_model_op_at(&b.model, op)->name = sketch_name(&b.model, "c", &b.error);
    tn_model_op_at(&b.model, op)->type =
        sketch_name(&b.model, "Concat", &b.error);
    tn_model_graph_at(&b.model, 0)->op_count++;
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, i % 2 ? "a" : "v%u", i);
        tn_model_add_input(&b.model,
                           tn_model_value(&b.model, 0,
                                          sketch_name(&b.model, name, &b.error),
                                          &b.error),
                           &b.error);
    }
    tn_view_bench_draw(&b);
    uint32_t c = node_of(&b.picture, "c");
    assert_int_equal(tn_picture_use_count(&b.picture, c), MANY);
    assert_int_equal(tn_picture_use(&b.picture, c, 1)->from,
                     node_of(&b.picture, "a"));
    assert_int_equal(tn_picture_block(&b.picture, 0)->edge_count, 1);
    assert_int_equal(tn_picture_edge(&b.picture, 0)->weight, MANY / 2);
    tn_view_bench_end(&b);
}

/* What a file says about every value is its type. */
static bool describe(const struct tn_model *model, uint32_t graph,
                     struct tn_bytes name, struct tn_arena *arena,
                     struct tn_value_about *to, struct tn_error *error)
{
    static const int64_t dims[] = { -1, 8 };

    (void)model, (void)graph, (void)arena, (void)error;
    *to = (struct tn_value_about){ .dtype    = TN_INT8,
                                   .has_rank = tn_bytes_is(name, "a"),
                                   .rank     = 2,
                                   .dims     = dims };
    return !tn_bytes_is(name, "x");
}

static void described_values_have_types(void **state)
{
    static const char *const rows[][2] = { { "a", "int8 [?, 8]" },
                                           { "b", "int8" },
                                           { "x", "" } };
    struct tn_dialect        dialect   = sketch_dialect;
    struct tn_view_bench     b;

    (void)state;
    dialect.describe_value = describe;
    tn_view_bench_begin(&b, "a = Relu(x); b = Neg(a)");
    b.model.dialect = &dialect;
    tn_view_find_nodes(&b.picture);
    for (size_t i = 0; i < 3; i++) {
        uint32_t value = tn_model_find_value(
            &b.model, 0, sketch_name(&b.model, rows[i][0], &b.error));
        assert_true(tn_bytes_is(
            tn_picture_text(&b.picture, b.picture.types[value]), rows[i][1]));
    }
    tn_view_bench_end(&b);
}

/* Ops that stand for inputs and outputs are called like these, and an output
 * that has such an op has no box of its own. */
static void ports_have_names(void **state)
{
    struct tn_io         out = { .name = tn_text("b"), .dtype = TN_INT8 };
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b, "a = Placeholder(); b = Relu(a); c = fetch(b)");
    tn_model_graph_at(&b.model, 0)->outputs =
        (struct tn_io_list){ .items = &out, .count = 1 };
    tn_view_find_nodes(&b.picture);
    assert_int_equal(tn_picture_node_count(&b.picture), 3);
    const struct tn_view_node *port    = tn_picture_node(&b.picture, 0);
    const struct tn_view_node *sink    = tn_picture_node(&b.picture, 2);
    const char *const          texts[] = { "a", "Placeholder", "b", "int8" };
    const uint32_t told[] = { port->title, port->detail, sink->title,
                              sink->detail };
    for (size_t i = 0; i < 4; i++)
        assert_true(
            tn_bytes_is(tn_picture_text(&b.picture, told[i]), texts[i]));
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_lead_to_makers),
        cmocka_unit_test(looks_are_of_the_work),
        cmocka_unit_test(small_nodes_are_marked),
        cmocka_unit_test(shared_weights_are_nodes),
        cmocka_unit_test(a_node_takes_many_values),
        cmocka_unit_test(described_values_have_types),
        cmocka_unit_test(ports_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
