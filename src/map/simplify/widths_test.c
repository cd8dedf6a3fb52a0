/* widths_test.c - sizes that were int32 between two casts, and those that stay
 */
#include "map/simplify/widths.h"

#include "support/facts_bench.h"
#include "support/net_lines.h"

/* The first size of x, and -1 beside it. */
static void fill_with(struct tn_net *net, const char *outputs, const char *also)
{
    static const int64_t dims[] = { -1, 4, -2 }, zero = 0, minus = -1;
    uint64_t             one = 1;

    net->version = 17;
    make_input(net, "x", TN_FLOAT32, dims);
    make_ints(net, "first", &zero, 1);
    tn_net_add_ints(net, 0, tn_text("rest"), TN_INT32, &minus, 1, &one);
    net_add_line(net, 0, "s = Shape x");
    net_add_line(net, 0, "c = Cast s to=#6");
    net_add_line(net, 0, "b = Gather c,first");
    net_add_line(net, 0, "k = Concat b,rest axis=#0");
    net_add_line(net, 0, "d = Cast k to=#7");
    net_add_line(net, 0, "y = Reshape x,d");
    if (also)
        net_add_line(net, 0, also);
    net_add_io(net, 0, outputs);
}

static void fill(struct tn_net *net)
{
    fill_with(net, " -> y", NULL);
}

/* The narrow list is an output: it stays what it is. */
static void fill_output(struct tn_net *net)
{
    fill_with(net, " -> y,k", NULL);
}

/* Another operator takes it, which is not known to take both. */
static void fill_shared(struct tn_net *net)
{
    fill_with(net, " -> y,z", "z = Foo k");
}

/* A row whose place is what `moved` makes of `m`, the place of the largest. */
static void fill_row(struct tn_net *net, const char *moved)
{
    static const int64_t dims[] = { -1, 4, -2 };

    net->version = 17;
    make_input(net, "x", TN_FLOAT32, dims);
    net_add_line(net, 0, "m = ArgMax x axis=#1 keepdims=#0");
    net_add_line(net, 0, moved);
    net_add_line(net, 0, "c = Cast a to=#6");
    net_add_line(net, 0, "y = Gather x,c");
    net_add_io(net, 0, " -> y");
}

/* A place in an array is less than a size, and has been moved before. */
static void fill_place(struct tn_net *net)
{
    fill_row(net, "a = Slice m,#0,#1");
}

/* What was computed of one may be larger. */
static void fill_computed(struct tn_net *net)
{
    fill_row(net, "a = Mul m,m");
}

#define WIDE                                                                   \
    "s:Shape(x) b:Gather(s,first) k:Concat(b,rest_1) y:Reshape(x,k) ->y"
#define NARROW                                                                 \
    "s:Shape(x) c:Cast(s) b:Gather(c,first) k:Concat(b,rest) d:Cast(k) "       \
    "y:Reshape(x,d) "

static const struct {
    void (*fill)(struct tn_net *);
    const char *net;
} cases[] = {
    { fill, WIDE },
    { fill_place, "m:ArgMax(x) a:Slice(m,#0,#1) y:Gather(x,a) ->y" },
    { fill_computed, "m:ArgMax(x) a:Mul(m,m) c:Cast(a) y:Gather(x,c) ->y" },
    { fill_output, NARROW "->y,k" },
    { fill_shared, NARROW "z:Foo(k) ->y,z" },
};

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        cases[i].fill(&b.net);
        run_with_facts(&b.net, tn_widen_sizes);
        assert_int_equal(b.error.status, TN_OK);
        assert_net(&b, cases[i].net);
        tear_down(&b);
    }
}

static enum tn_status change(struct tn_net *net)
{
    run_with_facts(net, tn_widen_sizes);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, WIDE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
