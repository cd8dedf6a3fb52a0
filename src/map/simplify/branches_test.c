/* branches_test.c - an If that is decided, and those that are not */
#include "map/simplify/branches.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

/* y = if c then -x else exp(x), with c as it is given; -1: an input. */
static void fill(struct tn_net *net, int64_t condition)
{
    net_add_io(net, 0, condition < 0 ? "x,c -> y" : "x -> y");
    if (condition >= 0)
        tn_net_add_ints(net, 0, tn_text("c"), TN_BOOL, &condition, 0, NULL);
    net_add_line(net, 0, "y = If c then_branch={1} else_branch={2}");
    net_add_subgraph(net, 0, " -> p", (const char *[]){ "p = Neg x", NULL });
    net_add_subgraph(net, 0, " -> q", (const char *[]){ "q = Exp x", NULL });
}

static void fill_true(struct tn_net *net)
{
    fill(net, 1);
}

static const struct {
    int64_t     condition;
    uint64_t    chosen;
    const char *net;
} cases[] = {
    { 1, 1, "p:Neg(x) ->p" },
    { 0, 1, "q:Exp(x) ->q" },
    { -1, 0, "y:If(c)[p:Neg(x) ->p][q:Exp(x) ->q] ->y" },
};

static void test_conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        fill(&b.net, cases[i].condition);
        assert_int_equal(tn_choose_branches(&b.net), cases[i].chosen);
        assert_net(&b, cases[i].net);
        tear_down(&b);
    }
}

/* The graph of an If in a graph of an If: both go. */
static void test_inside(void **state)
{
    static const int64_t one = 1;
    struct bench         b;

    (void)state;
    set_up(&b, "onnx");
    net_add_io(&b.net, 0, "x -> y");
    tn_net_add_ints(&b.net, 0, tn_text("c"), TN_BOOL, &one, 0, NULL);
    net_add_line(&b.net, 0, "y = If c then_branch={1} else_branch={1}");
    net_add_subgraph(
        &b.net, 0, " -> p",
        (const char *[]){ "p = If c then_branch={2} else_branch={2}", NULL });
    net_add_subgraph(&b.net, 1, " -> q", (const char *[]){ "q = Exp x", NULL });
    assert_int_equal(tn_choose_branches(&b.net), 2);
    assert_net(&b, "q:Exp(x) ->q");
    tear_down(&b);
}

static enum tn_status change(struct tn_net *net)
{
    tn_choose_branches(net);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill_true, change, "p:Neg(x) ->p");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
