/* paddle_ranks_test.c - ranks that are taken, and types that stay */
#define _GNU_SOURCE
#include "map/net/net_load.h"
#include "map/tidy/paddle_tidy.h"
#include "support/paddle_net.h"

static const char program[] =
    MAIN(TENSOR("x", "FP32", "dims: -1 dims: 3")
             TENSOR("y", "FP32", "dims: 7 dims: -1 dims: 2")
                 TENSOR("n", "FP32", "") FEED("x", "0") UNARY("relu", "x", "y")
                     UNARY("relu", "y", "n") FETCH("n"));

static uint32_t value_named(const struct tn_net *net, const char *name)
{
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_bytes_is(tn_net_value(net, i).name, name))
            return i;
    return TN_NONE;
}

/* The rank alone: a size may be that of one batch.  Without dims nothing is
 * said. */
static void test_ranks(void **state)
{
    struct bench b;

    (void)state;
    open_program(&b, program);
    assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
    assert_int_equal(tn_paddle_ranks(&b.net), 1);
    uint32_t                  y    = value_named(&b.net, "y");
    uint32_t                  n    = value_named(&b.net, "n");
    const struct tn_net_type *type = tn_net_value(&b.net, y).type;
    assert_true(type->has_rank);
    assert_int_equal(type->rank, 3);
    assert_int_equal(type->dims[0], -1);
    assert_false(tn_net_value(&b.net, n).type->has_rank);
    tear_down(&b);
}

/* What is known is not asked for. */
static void test_known(void **state)
{
    struct bench b;

    (void)state;
    open_program(&b, program);
    assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
    uint32_t y = value_named(&b.net, "y");
    tn_net_set_type(&b.net, y,
                    &(struct tn_net_type){ .dtype    = TN_FLOAT32,
                                           .has_rank = true,
                                           .rank     = 1,
                                           .dims     = (int64_t[]){ 5 } });
    assert_int_equal(tn_paddle_ranks(&b.net), 0);
    assert_int_equal(tn_net_value(&b.net, y).type->dims[0], 5);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
