/* diff_side_test.c - what the hashes of an op depend on, and what not */
#include "diff/diff_side.h"

#include "support/sketch.h"

struct bench {
    struct tn_error     error;
    struct tn_memory    memory;
    struct tn_model     model;
    struct tn_diff_side side;
};

static void set_up(struct bench *b, const char *text)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_model_init(&b->model, &b->memory);
    b->model.dialect     = &sketch_dialect;
    b->model.wants_graph = true;
    sketch_graph(&b->model, TN_GRAPH_MAIN, "graph", text, &b->error);
    assert_int_equal(
        tn_diff_side_init(&b->side, &b->model, &b->memory, &b->error), TN_OK);
}

static void tear_down(struct bench *b)
{
    tn_diff_side_done(&b->side);
    tn_model_done(&b->model);
    assert_int_equal(b->memory.used, 0);
}

static void names_do_not_count(void **state)
{
    struct bench a, b;

    (void)state;
    set_up(&a, "a = Add(x); b = Mul(a); c = Neg(b)");
    set_up(&b, "p = Add(y); q = Mul(p); r = Neg(q)");
    for (uint32_t op = 0; op < 3; op++) {
        assert_true(a.side.above[op] == b.side.above[op]);
        assert_true(a.side.below[op] == b.side.below[op]);
    }
    tear_down(&a);
    tear_down(&b);
}

/* A change is seen below it and not above it, and the other way round. */
static void hashes_see_in_one_direction(void **state)
{
    struct bench a, b;

    (void)state;
    set_up(&a, "a = Add(x); b = Mul(a); c = Neg(b)");
    set_up(&b, "a = Add(x); b = Div(a); c = Neg(b)");
    assert_true(a.side.above[0] == b.side.above[0]);
    assert_true(a.side.below[0] != b.side.below[0]);
    assert_true(a.side.above[2] != b.side.above[2]);
    assert_true(a.side.below[2] == b.side.below[2]);
    assert_true(a.side.local[0] == b.side.local[0]);
    tear_down(&a);
    tear_down(&b);
}

/* Files need not be in order, and hostile ones have cycles. */
static void any_order_and_cycles_end(void **state)
{
    struct bench a, b, c;

    (void)state;
    set_up(&a, "a = Add(x); b = Mul(a); c = Neg(b)");
    set_up(&b, "c = Neg(b); b = Mul(a); a = Add(x)");
    assert_int_equal(b.side.order[0], 2);
    assert_true(a.side.above[2] == b.side.above[0]);
    assert_true(a.side.below[0] == b.side.below[2]);
    set_up(&c, "a = Add(b); b = Mul(a); c = Neg(c)");
    assert_int_equal(c.side.op_count, 3);
    tear_down(&a);
    tear_down(&b);
    tear_down(&c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_do_not_count),
        cmocka_unit_test(hashes_see_in_one_direction),
        cmocka_unit_test(any_order_and_cycles_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
