/* tie_weights_test.c - equal weights are one, others stay what they are */
#include "map/simplify/tie_weights.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

enum { MANY = 200 };

/* A weight whose last element is that one. */
static void add_weight(struct tn_net *net, const char *name,
                       enum tn_dtype dtype, uint64_t count, int64_t last)
{
    int64_t items[MANY] = { 0 };

    items[count - 1] = last;
    tn_net_add_ints(net, 0, tn_text(name), dtype, items, 1, &count);
}

static void fill(struct tn_net *net)
{
    net_add_io(net, 0, "x -> y,b");
    add_weight(net, "w", TN_INT64, MANY, 1);
    add_weight(net, "same", TN_INT64, MANY, 1);
    add_weight(net, "other", TN_INT64, MANY, 2);
    add_weight(net, "typed", TN_INT32, MANY, 1);
    add_weight(net, "small", TN_INT64, 2, 1);
    add_weight(net, "little", TN_INT64, 2, 1);
    net_add_line(net, 0, "a = F x,w,same,other");
    net_add_line(net, 0, "y = F a,typed,small,little");
    net_add_line(net, 0, "b = F a");
}

#define TIED "a:F(x,w,w,other) y:F(a,typed,small,little) b:F(a) ->y,b"

static void test_weights(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    assert_int_equal(tn_tie_weights(&b.net), 1);
    assert_net(&b, TIED);
    tear_down(&b);
}

/* An output keeps its name. */
static void test_outputs(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    add_weight(&b.net, "w", TN_INT64, MANY, 1);
    add_weight(&b.net, "same", TN_INT64, MANY, 1);
    net_add_io(&b.net, 0, "x -> y,same");
    net_add_line(&b.net, 0, "y = F x,w");
    tn_tie_weights(&b.net);
    assert_net(&b, "y:F(x,w) ->y,same");
    tear_down(&b);
}

static enum tn_status change(struct tn_net *net)
{
    tn_tie_weights(net);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, TIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
