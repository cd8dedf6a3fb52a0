/* net_type_test.c - equal types are one, and different ones are not */
#include "map/net/net_build.h"

#include "support/net_bench.h"

static const int64_t small[] = { 2, 3 }, other[] = { 2, -1 },
                     many[20] = { 1, 2, 3 };

static const struct tn_net_type types[] = {
    { .dtype = TN_FLOAT32 },
    { .dtype = TN_INT64 },
    { .dtype = TN_FLOAT32, .wrap = TN_NET_SEQUENCE },
    { .dtype = TN_FLOAT32, .has_rank = true },
    { .dtype = TN_FLOAT32, .has_rank = true, .rank = 1, .dims = small },
    { .dtype = TN_FLOAT32, .has_rank = true, .rank = 2, .dims = small },
    { .dtype = TN_FLOAT32, .has_rank = true, .rank = 2, .dims = other },
    { .dtype = TN_FLOAT32, .has_rank = true, .rank = 20, .dims = many },
};
enum { TYPES = sizeof types / sizeof types[0] };

/* Each type on two values. */
static enum tn_status set_all(struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_net   net;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    for (uint32_t i = 0; i < 2 * TYPES && !tn_failed(error); i++)
        if (tn_net_add_value(&net, 0, tn_text("v")) != TN_NONE)
            tn_net_set_type(&net, i, &types[i % TYPES]);
    for (uint32_t i = 0; i < 2 * TYPES && !tn_failed(error); i++)
        for (uint32_t k = 0; k < i; k++)
            assert_int_equal(tn_net_value(&net, i).type ==
                                 tn_net_value(&net, k).type,
                             i % TYPES == k % TYPES);
    for (uint32_t i = 0; i < TYPES && !tn_failed(error); i++) {
        const struct tn_net_type *kept = tn_net_value(&net, i).type;
        assert_int_equal(kept->dtype, types[i].dtype);
        assert_int_equal(kept->rank, types[i].rank);
        if (kept->rank)
            assert_memory_equal(kept->dims, types[i].dims,
                                kept->rank * sizeof *kept->dims);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void equal_types_are_one(void **state)
{
    (void)state;
    tn_survives_no_memory(set_all, tn_bytes(NULL, 0));
}

/* What others share does not change with one of them. */
static void one_value_changes_alone(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    for (uint32_t i = 0; i < 2; i++) {
        tn_net_add_value(&b.net, 0, tn_text("v"));
        tn_net_set_type(&b.net, i, &types[5]);
    }
    tn_net_set_dtype(&b.net, 0, TN_INT32);
    assert_int_equal(tn_net_value(&b.net, 0).type->dtype, TN_INT32);
    assert_int_equal(tn_net_value(&b.net, 0).type->rank, 2);
    assert_int_equal(tn_net_value(&b.net, 1).type->dtype, TN_FLOAT32);
    tn_net_set_scalar(&b.net, 1, TN_BOOL);
    assert_true(tn_net_value(&b.net, 1).type->has_rank);
    assert_int_equal(tn_net_value(&b.net, 1).type->rank, 0);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_types_are_one),
        cmocka_unit_test(one_value_changes_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
