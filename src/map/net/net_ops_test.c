/* net_ops_test.c - equal ops of a net are one, and different ones are not */
#include "map/net/net_build.h"

#include "support/net_bench.h"

static const struct {
    const char *type, *domain;
} rows[] = {
    { "Add", "" }, { "Add", "own" },
    { "Sub", "" }, { "Addo", "wn" }, /* the same letters, parted elsewhere */
    { "", "Add" }, { "", "" },
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct tn_net_op *op_of(struct tn_net *net, uint32_t row)
{
    char type[8], domain[8];

    strcpy(type, rows[row].type); /* gone when the net is asked */
    strcpy(domain, rows[row].domain);
    return tn_net_op(net, tn_text(type), tn_text(domain));
}

/* Each op twice; all have the net's own texts. */
static enum tn_status make_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    const struct tn_net_op *ops[2 * ROWS];
    struct tn_arena         arena;
    struct tn_net           net;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "onnx", error);
    for (uint32_t i = 0; i < 2 * ROWS; i++) {
        ops[i] = op_of(&net, i % ROWS);
        assert_non_null(ops[i]); /* even when there is no memory */
    }
    for (uint32_t i = 0; i < 2 * ROWS && !tn_failed(error); i++) {
        assert_true(tn_bytes_is(ops[i]->type, rows[i % ROWS].type));
        assert_true(tn_bytes_is(ops[i]->domain, rows[i % ROWS].domain));
        for (uint32_t k = 0; k < i; k++)
            assert_int_equal(ops[i] == ops[k], i % ROWS == k % ROWS);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void equal_ops_are_one(void **state)
{
    (void)state;
    tn_survives_no_memory(make_all, tn_bytes(NULL, 0));
}

static void an_id_finds_its_op(void **state)
{
    struct bench b;

    (void)state;
    set_up_empty(&b, "onnx");
    uint32_t id = tn_net_op_id(&b.net, tn_text("Add"), tn_text(""));
    assert_ptr_equal(tn_net_op_at(&b.net, id), tn_net_own_op(&b.net, "Add"));
    assert_int_equal(tn_net_op_at(&b.net, TN_NONE)->type.size, 0);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_ops_are_one),
        cmocka_unit_test(an_id_finds_its_op),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
