/* copies_test.c - copies that go, and copies that somebody needs */
#include "map/simplify/copies.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

static const struct tn_copy_ops ops = { "identity", "cast", "shape_of" };

static void set_dtype(struct tn_net *net, const char *name, enum tn_dtype dtype)
{
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_bytes_is(tn_net_value(net, i).name, name))
            tn_net_set_dtype(net, i, dtype);
}

/* A copy of a copy, an output, casts of one type and of two, shapes asked for
 * once and twice. */
static void fill(struct tn_net *net)
{
    net_add_io(net, 0, "x -> y,s,o");
    net_add_line(net, 0, "a = identity x");
    net_add_line(net, 0, "b = identity a");
    net_add_line(net, 0, "c = cast b");
    net_add_line(net, 0, "d = cast c");
    net_add_line(net, 0, "p = shape_of d");
    net_add_line(net, 0, "q = shape_of d");
    net_add_line(net, 0, "r = shape_of y");
    net_add_line(net, 0, "y = F d,p,q");
    net_add_line(net, 0, "s = F r,q");
    net_add_line(net, 0, "o = identity x");
    set_dtype(net, "x", TN_FLOAT32);
    set_dtype(net, "a", TN_FLOAT32);
    set_dtype(net, "b", TN_FLOAT32);
    set_dtype(net, "c", TN_FLOAT32);
    set_dtype(net, "d", TN_INT32);
}

#define LEFT                                                                   \
    "d:cast(x) p:shape_of(d) y:F(d,p,p) r:shape_of(y) s:F(r,p) "               \
    "o:identity(x) ->y,s,o"

static enum tn_status run(struct tn_net *net)
{
    tn_remove_copies(net, &ops);
    return tn_failed(net->error) ? net->error->status : tn_net_order(net, NULL);
}

static void test_copies(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    fill(&b.net);
    assert_int_equal(tn_remove_copies(&b.net, &ops), 4);
    tn_net_order(&b.net, NULL);
    assert_net(&b, LEFT);
    tear_down(&b);
}

/* What has to run before something else stays. */
static void test_controls(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    fill(&b.net);
    tn_net_set_controls(&b.net, 1, (uint32_t[]){ 0 }, 1);
    assert_int_equal(tn_remove_copies(&b.net, &ops), 0);
    tear_down(&b);
}

/* A dialect that has no such operators. */
static void test_none(void **state)
{
    static const struct tn_copy_ops none = { NULL, NULL, NULL };
    struct bench                    b;

    (void)state;
    set_up(&b, "nd4j");
    fill(&b.net);
    assert_int_equal(tn_remove_copies(&b.net, &none), 0);
    tear_down(&b);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("nd4j", fill, run, LEFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
