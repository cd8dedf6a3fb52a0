/* view_layout_test.c - boxes do not overlap, producers are above consumers */
#include "view/view_layout.h"

#include <stdlib.h>

#include "support/hostile.h"

enum { MOST = 3000 };

static struct tn_view_item items[MOST];
static struct tn_view_edge edges[2 * MOST];

static void prepare(struct tn_view_sheet *sheet, uint32_t count)
{
    *sheet = (struct tn_view_sheet){ items, count, edges, 0, 0, 0 };
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct tn_view_item){ .repeat = 1,
                                          .w      = 60 + (int32_t)(i % 7) * 20,
                                          .h      = i % 3 ? 30 : 44 };
}

static void connect(struct tn_view_sheet *sheet, uint32_t from, uint32_t to)
{
    edges[sheet->edge_count++] = (struct tn_view_edge){
        .from = from, .to = to, .weight = 1, .lane = -1
    };
}

static void lay_out(struct tn_view_sheet *sheet)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_view_layouter layouter;

    tn_memory_init(&memory, NULL, 0);
    tn_view_layouter_init(&layouter, &memory, &error);
    tn_view_layout(&layouter, sheet);
    tn_view_layouter_done(&layouter);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(memory.used, 0);
}

static void check_places(const struct tn_view_sheet *sheet)
{
    for (uint32_t i = 0; i < sheet->item_count; i++) {
        const struct tn_view_item *a = &items[i];
        assert_true(a->x >= 0 && a->x + a->w <= sheet->width);
        assert_true(a->y >= 0 && a->y + a->h <= sheet->height);
        for (uint32_t k = 0; k < i; k++) {
            const struct tn_view_item *b = &items[k];
            assert_true(a->layer != b->layer || a->x + a->w <= b->x ||
                        b->x + b->w <= a->x);
        }
    }
}

/* A vertical part of an edge crosses no box of the layers between its ends. */
static void check_lanes(const struct tn_view_sheet *sheet)
{
    for (uint32_t i = 0; i < sheet->edge_count; i++) {
        const struct tn_view_edge *edge = &edges[i];
        if (edge->lane < 0)
            continue;
        uint32_t a = items[edge->from].layer, b = items[edge->to].layer;
        for (uint32_t k = 0; k < sheet->item_count; k++)
            if (items[k].layer > a && items[k].layer < b)
                assert_true(edge->lane <= items[k].x ||
                            edge->lane >= items[k].x + items[k].w);
    }
}

static void test_chain_is_straight(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, 50);
    for (uint32_t i = 0; i + 1 < 50; i++)
        connect(&sheet, i, i + 1);
    lay_out(&sheet);
    check_places(&sheet);
    for (uint32_t i = 0; i < 50; i++) {
        int32_t off = 2 * items[i].x + items[i].w - 2 * items[0].x - items[0].w;
        assert_int_equal(items[i].layer, i);
        assert_true(off >= -2 && off <= 2); /* one below the other */
    }
}

static void test_residual_passes_by(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, 5);
    for (uint32_t i = 0; i + 1 < 5; i++)
        connect(&sheet, i, i + 1);
    connect(&sheet, 0, 4);
    lay_out(&sheet);
    check_places(&sheet);
    check_lanes(&sheet);
    assert_true(edges[4].lane >= 0 && edges[4].kind == TN_VIEW_LINE);
}

/* Lines of different boxes are not one on top of the other, and a short one
 * is inside of a long one. */
static void test_lanes_can_be_followed(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, 16);
    for (uint32_t i = 0; i + 1 < 16; i++)
        connect(&sheet, i, i + 1);
    for (uint32_t i = 0; i < 5; i++)
        connect(&sheet, i, 15 - i);
    connect(&sheet, 0, 8); /* the same value as that of the first: may share */
    lay_out(&sheet);
    check_places(&sheet);
    check_lanes(&sheet);
    for (uint32_t i = 15; i < 20; i++)
        for (uint32_t k = 15; k < i; k++)
            assert_true(abs(edges[i].lane - edges[k].lane) >= 6);
}

static void test_cycles_end(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, 4);
    for (uint32_t i = 0; i < 4; i++)
        connect(&sheet, i, (i + 1) % 4);
    lay_out(&sheet);
    check_places(&sheet);
    prepare(&sheet, 0);
    lay_out(&sheet);
}

static void test_wide_layers_are_wrapped(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, MOST);
    for (uint32_t i = 1; i < MOST; i++)
        connect(&sheet, 0, i);
    lay_out(&sheet);
    check_places(&sheet);
    assert_true(sheet.width < 20000);
}

static void test_any_graph(void **state)
{
    unsigned seed = 7;

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        struct tn_view_sheet sheet;
        uint32_t             count = 2 + round * 3;
        prepare(&sheet, count);
        for (uint32_t i = 0; i < 2 * count; i++) {
            seed          = seed * 1103515245u + 12345u;
            uint32_t from = (seed >> 8) % count;
            seed          = seed * 1103515245u + 12345u;
            uint32_t to   = (seed >> 8) % count;
            if (from < to || (round % 4 == 0 && from != to))
                connect(&sheet, from, to);
        }
        lay_out(&sheet);
        check_places(&sheet);
        check_lanes(&sheet);
    }
}

/* Edges that are too long for lines end at one place of a box, beside its
 * lines. */
static void test_stubs_share_a_place(void **state)
{
    enum { LENGTH = 60 };
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, LENGTH);
    for (uint32_t i = 0; i + 1 < LENGTH; i++)
        connect(&sheet, i, i + 1);
    for (uint32_t i = 30; i < 40; i++)
        connect(&sheet, 0, i);
    lay_out(&sheet);
    int32_t place = edges[LENGTH - 1].out;
    for (uint32_t i = LENGTH - 1; i < sheet.edge_count; i++) {
        assert_int_equal(edges[i].kind, TN_VIEW_STUB);
        assert_int_equal(edges[i].out, place);
    }
    assert_int_equal(edges[0].kind, TN_VIEW_LINE);
    assert_true(place - edges[0].out >= 8);
}

/* An input that nothing uses is above, other boxes without edges below. */
static void test_unused_inputs_are_above(void **state)
{
    struct tn_view_sheet sheet;

    (void)state;
    prepare(&sheet, 4);
    connect(&sheet, 0, 1);
    items[2].class = TN_VIEW_CLASS_DATA;
    lay_out(&sheet);
    assert_int_equal(items[2].layer, 0);
    assert_int_equal(items[3].layer, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_is_straight),
        cmocka_unit_test(test_residual_passes_by),
        cmocka_unit_test(test_lanes_can_be_followed),
        cmocka_unit_test(test_cycles_end),
        cmocka_unit_test(test_wide_layers_are_wrapped),
        cmocka_unit_test(test_stubs_share_a_place),
        cmocka_unit_test(test_unused_inputs_are_above),
        cmocka_unit_test(test_any_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
