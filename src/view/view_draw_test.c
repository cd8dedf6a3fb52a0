/* view_draw_test.c - what is open at first; the same model, the same picture */
#include "view/view_layout.h"
#include "view/view_testing.h"

/* Boxes that a reader sees: items of open blocks, and of the root. */
static uint32_t count_shown(const struct tn_picture *p, uint32_t block)
{
    const struct tn_view_block *row   = tn_picture_block(p, block);
    uint32_t                    count = row->item_count;

    for (uint32_t i = 0; i < row->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(p, row->first_item + i);
        assert_true(!item->is_open || (item->block && item->repeat == 1));
        if (item->is_open)
            count += count_shown(p, item->block);
    }
    return count;
}

static void add_scope(struct tn_view_bench *b, const char *scope, unsigned ops)
{
    static const char *const types[] = { "Conv", "Relu", "Add" };
    char                     line[96];

    for (unsigned i = 0; i < ops; i++) {
        snprintf(line, sizeof line,
                 i ? "%s/n%u = %s%u(%s/n%u)" : "%s/n%u = %s%u(x)", scope, i,
                 types[i % 3], i / 3, scope, i - 1);
        sketch_op(&b->model, 0, line, &b->error);
    }
}

/* The largest block is opened; of one that is too large, its parts. */
static void the_largest_block_is_open(void **state)
{
    (void)state;
    for (unsigned ops = 10; ops <= 90; ops += 80) {
        struct tn_view_bench b;
        tn_view_bench_begin(&b, "a/x = Neg(x); a/y = Abs(a/x)");
        add_scope(&b, "big", ops);
        tn_view_bench_draw(&b);
        assert_int_equal(count_shown(&b.picture, 0), b.picture.shown);
        assert_true(ops == 10 ? b.picture.shown == 2 + ops
                              : b.picture.shown > 2 && b.picture.shown <= 48);
        tn_view_bench_end(&b);
    }
}

/* Arithmetic on shapes that belongs to an operator stays hidden in it. */
static void arithmetic_is_closed(void **state)
{
    struct tn_view_bench b;
    char                 line[96];

    (void)state;
    tn_view_bench_begin(&b, "s0 = Shape(x)");
    for (unsigned i = 1; i < 12; i++) {
        snprintf(line, sizeof line, "s%u = Gather(s%u)", i, i - 1);
        sketch_op(&b.model, 0, line, &b.error);
    }
    sketch_op(&b.model, 0, "y = Expand(x, s11)", &b.error);
    tn_view_bench_draw(&b);
    assert_int_equal(b.picture.shown, 1);
    tn_view_bench_end(&b);
}

/* Producers are above, whatever the order of the file; twice the same. */
static void pictures_are_the_same_each_time(void **state)
{
    static const char    ops[] = "d = Add(b, c); c = Tanh(a); b = Relu(a); "
                                 "a = Conv(x); e = Neg(d); f = Mul(e, a)";
    struct tn_view_bench b[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        tn_view_bench_begin(&b[i], ops);
        tn_view_bench_draw(&b[i]);
    }
    const struct tn_view_block *root = tn_picture_block(&b[0].picture, 0);
    assert_int_equal(b[0].picture.items.count, b[1].picture.items.count);
    assert_memory_equal(b[0].picture.items.items, b[1].picture.items.items,
                        (size_t)b[0].picture.items.count *
                            sizeof(struct tn_view_item));
    assert_true(root->edge_count >= 6);
    for (uint32_t i = 0; i < root->edge_count; i++) {
        const struct tn_view_edge *edge =
            tn_picture_edge(&b[0].picture, root->first_edge + i);
        if (edge->from != TN_NONE && edge->to != TN_NONE)
            assert_true(
                tn_picture_item(&b[0].picture, root->first_item + edge->from)
                    ->layer <
                tn_picture_item(&b[0].picture, root->first_item + edge->to)
                    ->layer);
    }
    tn_view_bench_end(&b[0]);
    tn_view_bench_end(&b[1]);
}

/* Nothing to draw is a picture, too. */
static void nothing_is_drawn(void **state)
{
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b, "");
    tn_view_bench_draw(&b);
    assert_true(b.picture.is_treemap && b.picture.shown == 0);
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_block_is_open),
        cmocka_unit_test(arithmetic_is_closed),
        cmocka_unit_test(pictures_are_the_same_each_time),
        cmocka_unit_test(nothing_is_drawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
