/* net_attrs_test.c - equal lists of attributes are one, and others are not */
#include "map/net/net_build.h"

#include "support/net_bench.h"

static const int64_t         one[] = { 1 }, two[] = { 1, 2 };
static const float           half[]  = { 0.5f };
static const struct tn_bytes words[] = { { (const uint8_t *)"same", 4 } };

#define ATTR(text, what, n, ...)                                               \
    {                                                                          \
        { (const uint8_t *)text, sizeof text - 1 },                            \
        {                                                                      \
            .kind = what, .count = n, __VA_ARGS__                              \
        }                                                                      \
    }

static const struct tn_net_attr lists[][2] = {
    { ATTR("axis", TN_ATTR_INT, 1, .of.ints = one) },
    { ATTR("axes", TN_ATTR_INT, 1, .of.ints = one) },
    { ATTR("axis", TN_ATTR_INT, 1, .is_list = true, .of.ints = one) },
    { ATTR("axis", TN_ATTR_INT, 2, .is_list = true, .of.ints = two) },
    { ATTR("axis", TN_ATTR_BOOL, 1, .of.ints = one) },
    { ATTR("axis", TN_ATTR_FLOAT, 1, .of.floats = half) },
    { ATTR("axis", TN_ATTR_STRING, 1, .of.strings = words) },
    { ATTR("axis", TN_ATTR_INT, 1, .of.ints = one),
      ATTR("mode", TN_ATTR_STRING, 1, .of.strings = words) },
    { ATTR("mode", TN_ATTR_STRING, 1, .of.strings = words),
      ATTR("axis", TN_ATTR_INT, 1, .of.ints = one) },
};
enum { LISTS = sizeof lists / sizeof lists[0] };

static enum tn_status keep_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_net   net;
    uint32_t        kept[2 * LISTS];

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    for (uint32_t i = 0; i < 2 * LISTS && !tn_failed(error); i++) {
        const struct tn_net_attr *list = lists[i % LISTS];
        kept[i] = tn_net_keep_attrs(&net, list, list[1].name.size ? 2 : 1);
        if (tn_failed(error))
            break;
        assert_true(tn_net_list_at(&net, kept[i]).is_common);
        for (uint32_t k = 0; k < i; k++)
            assert_int_equal(kept[i] == kept[k], i % LISTS == k % LISTS);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void equal_lists_are_one(void **state)
{
    (void)state;
    tn_survives_no_memory(keep_all, tn_bytes(NULL, 0));
}

/* A list that holds a graph is that of its node. */
static void graphs_are_like_no_other(void **state)
{
    static const struct tn_net_attr body =
        ATTR("body", TN_ATTR_GRAPH, 1, .of.ints = one);
    struct bench b;

    (void)state;
    set_up_empty(&b, "onnx");
    uint32_t first = tn_net_keep_attrs(&b.net, &body, 1);
    assert_false(tn_net_list_at(&b.net, first).is_common);
    assert_int_not_equal(tn_net_keep_attrs(&b.net, &body, 1), first);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_lists_are_one),
        cmocka_unit_test(graphs_are_like_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
