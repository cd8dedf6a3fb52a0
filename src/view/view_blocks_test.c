/* view_blocks_test.c - equal parts are one block, others are not */
#include "view/view_blocks.h"

#include "view/view_testing.h"

static const char *root_text(const struct tn_picture *p, char *to, size_t size)
{
    const struct tn_view_block *root = tn_picture_block(p, 0);

    to[0] = 0;
    for (uint32_t i = 0; i < root->item_count; i++) {
        const struct tn_view_item *item =
            tn_picture_item(p, root->first_item + i);
        size_t used = strlen(to);
        snprintf(to + used, size - used, "%s%.*s x%u", i ? " | " : "",
                 TN_FMT(tn_picture_text(p, item->label)), item->repeat);
    }
    return to;
}

#define PART(n, from)                                                          \
    n "/a = Conv(" from "); " n "/b = Relu(" n "/a); " n "/c = Add(" n         \
      "/b, " from ")"

#define LAYERS PART("l0", "x") "; " PART("l1", "l0/c") "; " PART("l2", "l1/c")

static const struct {
    const char *ops, *root;
} rows[] = {
    { "a = Conv(x)", "Conv x1" },
    { LAYERS, "l x3" },
    /* Another operator in the last one: it leaves the run. */
    { LAYERS "; l3/a = Conv(l2/c); l3/b = Tanh(l3/a); l3/c = Add(l3/b, l2/c)",
      "l x3 | l3 x1" },
    /* The same operators, wired otherwise. */
    { LAYERS "; l3/a = Conv(l2/c); l3/b = Relu(l3/a); l3/c = Add(l3/b, l3/a)",
      "l x3 | l3 x1" },
};

static void equal_parts_are_folded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_view_bench b;
        char                 text[256];
        tn_view_bench_begin(&b, rows[i].ops);
        tn_view_bench_draw(&b);
        assert_string_equal(root_text(&b.picture, text, sizeof text),
                            rows[i].root);
        tn_view_bench_end(&b);
    }
}

/* Copies share one block: what is stored does not grow with their number. */
static void copies_cost_nothing(void **state)
{
    uint64_t counts[2];

    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        struct tn_view_bench b;
        char                 line[96];
        tn_view_bench_begin(&b, "s = Conv(x)");
        for (unsigned i = 0; i < (round ? 400u : 4u); i++) {
            snprintf(line, sizeof line,
                     i ? "l%u/a = Relu(l%u/b)" : "l%u/a = Relu(s)", i, i - 1);
            sketch_op(&b.model, 0, line, &b.error);
            snprintf(line, sizeof line, "l%u/b = Tanh(l%u/a)", i, i);
            sketch_op(&b.model, 0, line, &b.error);
        }
        tn_view_bench_draw(&b);
        counts[round] = b.picture.blocks.count + b.picture.items.count +
                        b.picture.edges.count;
        tn_view_bench_end(&b);
    }
    assert_int_equal(counts[0], counts[1]);
}

static void hostile_graphs_become_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_VIEW_HOSTILE; i++) {
        struct tn_view_bench b;
        tn_view_bench_begin(&b, tn_view_hostile[i]);
        tn_view_bench_draw(&b); /* checks what holds for every picture */
        tn_view_bench_end(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_parts_are_folded),
        cmocka_unit_test(copies_cost_nothing),
        cmocka_unit_test(hostile_graphs_become_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
