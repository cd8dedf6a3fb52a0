/* net_rows_test.c - rows are narrow, and a look says what is in them */
#include "map/net/net_build.h"

#include "support/hostile.h"

/* A million nodes are 76 MB with what they take and make, and not more. */
_Static_assert(sizeof(struct tn_net_node_row) <= 40, "a node");
_Static_assert(sizeof(struct tn_net_value_row) <= 20, "a value");

/* Two nets as a conversion has them: rules make the second of the first. */
struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net, next;
    uint32_t         x, y, z, add; /* y = Add(x, x); z is nobody's           */
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "onnx", &b->error);
    tn_net_init(&b->next, &b->arena, "nd4j", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    b->x   = tn_net_add_value(&b->net, 0, tn_text("x"));
    b->y   = tn_net_add_value(&b->net, 0, tn_text("y"));
    b->z   = tn_net_add_value(&b->net, 0, tn_text("z"));
    b->add = tn_net_add_node(
        &b->net, &(struct tn_net_node){ .name   = tn_text("sum"),
                                        .op     = tn_net_own_op(&b->net, "Add"),
                                        .inputs = (uint32_t[]){ b->x, b->x },
                                        .input_count  = 2,
                                        .outputs      = &b->y,
                                        .output_count = 1,
                                        .source       = 7 });
    assert_int_equal(b->error.status, TN_OK);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_net_done(&b->next);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void a_look_says_all_of_a_node(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    const struct tn_net_node add = tn_net_node(&b.net, b.add);
    assert_true(tn_bytes_is(add.name, "sum"));
    assert_true(tn_bytes_is(add.op->type, "Add"));
    assert_int_equal(add.inputs[1], b.x);
    assert_int_equal(add.outputs[0], b.y);
    assert_int_equal(add.source, 7);
    assert_int_equal(add.control_count + add.attr_count, 0);
    assert_int_equal(tn_net_value(&b.net, b.y).producer, b.add);
    assert_ptr_equal(tn_net_value(&b.net, b.y).type, &tn_net_unknown);
    tear_down(&b);
}

/* Each list may change; the others stay what they were. */
static void lists_change_one_by_one(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    tn_net_set_outputs(&b.net, b.add, (uint32_t[]){ b.y, TN_NONE, b.z }, 3);
    tn_net_set_controls(&b.net, b.add, &b.add, 1);
    tn_net_set_inputs(&b.net, b.add, &b.x, 1);
    const struct tn_net_node add = tn_net_node(&b.net, b.add);
    assert_int_equal(add.input_count, 1);
    assert_int_equal(add.inputs[0], b.x);
    assert_int_equal(add.output_count, 3);
    assert_int_equal(add.outputs[2], b.z);
    assert_int_equal(add.control_count, 1);
    assert_int_equal(add.controls[0], b.add);
    assert_int_equal(tn_net_value(&b.net, b.z).producer, b.add);
    assert_int_equal(tn_net_value(&b.net, b.z).output, 2);
    tear_down(&b);
}

/* A value is made by a node, or it is a constant, or neither. */
static void a_value_has_one_maker(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t two = tn_net_add_ints(&b.net, 0, tn_text("two"), TN_INT32,
                                   (int64_t[]){ 3, 4 }, 1, (uint64_t[]){ 2 });
    const struct tn_elements *elements = tn_net_value(&b.net, two).constant;
    tn_net_copy_constant(&b.net, b.y, two);
    assert_ptr_equal(tn_net_value(&b.net, b.y).constant, elements);
    assert_int_equal(tn_net_value(&b.net, b.y).producer, TN_NONE);
    assert_int_equal(tn_net_value(&b.net, b.y).type->dims[0], 2);
    tn_net_set_producer(&b.net, b.y, b.add, 0);
    assert_null(tn_net_value(&b.net, b.y).constant);
    assert_int_equal(tn_net_value(&b.net, b.y).producer, b.add);
    tn_net_set_producer(&b.net, b.y, TN_NONE, 0);
    assert_int_equal(tn_net_value(&b.net, b.y).producer, TN_NONE);
    tear_down(&b);
}

static void a_node_moves_with_what_it_makes(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    uint32_t body =
        tn_net_add_graph(&b.net, TN_GRAPH_SUBGRAPH, tn_text("body"), 0);
    tn_net_move_node(&b.net, b.add, body);
    assert_int_equal(tn_net_node(&b.net, b.add).graph, body);
    assert_int_equal(tn_net_value(&b.net, b.y).graph, body);
    assert_int_equal(tn_net_value(&b.net, b.x).graph, 0);
    assert_int_equal(tn_net_graph(&b.net, body)->nodes.count, 1);
    tear_down(&b);
}

/* What rows refer to is the same in both nets; new names are the second's. */
static void rows_go_from_net_to_net(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    tn_net_set_scalar(&b.net, b.y, TN_FLOAT32);
    tn_net_take_over(&b.next, &b.net);
    tn_net_add_graph(&b.next, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    uint32_t copy                    = tn_net_add_nameless(&b.next, 0);
    *tn_net_value_row(&b.next, copy) = *tn_net_value_row(&b.net, b.y);
    const struct tn_net_value before = tn_net_value(&b.net, b.y);
    const struct tn_net_value after  = tn_net_value(&b.next, copy);
    assert_true(tn_bytes_is(before.name, "y"));
    assert_true(tn_bytes_is(after.name, "y"));
    assert_ptr_equal(before.type, after.type);
    uint32_t other = tn_net_add_value(&b.next, 0, tn_text("y"));
    assert_true(tn_bytes_is(tn_net_value(&b.next, other).name, "y_1"));
    tear_down(&b);
}

/* An op of a net that has nothing to do with this one is found again by what it
 * is called. */
static void ops_of_others_are_told_by_name(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    tn_net_own_op(&b.next, "Neg");
    const struct tn_net_op *mul = tn_net_own_op(&b.next, "Mul");
    tn_net_set_op(&b.net, b.add, mul);
    const struct tn_net_op *ours = tn_net_node(&b.net, b.add).op;
    assert_ptr_not_equal(ours, mul);
    assert_true(tn_bytes_is(ours->type, "Mul"));
    tear_down(&b);
}

static void no_node_has_more_than_a_row_counts(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    tn_net_set_outputs(&b.net, b.add, &b.y, UINT32_C(1) << 29);
    assert_int_equal(b.error.status, TN_LIMIT);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_says_all_of_a_node),
        cmocka_unit_test(lists_change_one_by_one),
        cmocka_unit_test(a_value_has_one_maker),
        cmocka_unit_test(a_node_moves_with_what_it_makes),
        cmocka_unit_test(rows_go_from_net_to_net),
        cmocka_unit_test(ops_of_others_are_told_by_name),
        cmocka_unit_test(no_node_has_more_than_a_row_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
