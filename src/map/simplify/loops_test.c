/* loops_test.c - loops that count, and those that only look like it */
#include "map/simplify/loops.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

/* i = 0; while (i < n and go) { v = f(v, i); i = i + 1; } */
static void fill_by(struct tn_net *net, int64_t step, bool uses_counter)
{
    static const int64_t zero = 0;

    net_add_io(net, 0, uses_counter ? "n,go,x -> y,i0" : "n,go,x -> y");
    tn_net_add_ints(net, 0, tn_text("zero"), TN_INT64, &zero, 0, NULL);
    tn_net_add_ints(net, 0, tn_text("by"), TN_INT64, &step, 0, NULL);
    tn_net_set_scalar(net, net_line_find(net, "n"), TN_INT64);
    net_add_line(net, 0, "l = Less zero,n");
    net_add_line(net, 0, "c = And l,go");
    net_add_line(net, 0, "i0,y,g0 = Loop _,c,zero,x,go body={1}");
    net_add_subgraph(net, 0, "t,k,i,v,g -> c1,i1,v1,g",
                     (const char *[]){ "i1 = Add i,by", "l1 = Less i1,n",
                                       "c1 = And l1,g", "v1 = F v,i", NULL });
    tn_net_set_scalar(net, net_line_find(net, "i"), TN_INT64);
}

static void fill(struct tn_net *net)
{
    fill_by(net, 1, false);
}

#define COUNTED "y:Loop(n,go,x)[t,k,v| v1:F(v,t) ->go,v1] ->y"

static enum tn_status change(struct tn_net *net)
{
    tn_simplify_loops(net);
    if (!tn_failed(net->error)) {
        tn_net_prune(net);
        tn_net_forget_uses(net);
        tn_net_order(net, NULL);
    }
    return net->error->status;
}

static void test_counted(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    assert_int_equal(change(&b.net), TN_OK);
    assert_net(&b, COUNTED);
    tear_down(&b);
}

/* By two, or with a counter that somebody wants: the condition stays. */
static void test_not_counted(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bench b;

        set_up(&b, "onnx");
        fill_by(&b.net, i ? 1 : 2, i);
        assert_int_equal(change(&b.net), TN_OK);
        assert_int_equal(count_nodes(&b.net, "Loop"), 1);
        assert_int_equal(count_nodes(&b.net, "Add"), 1);
        tear_down(&b);
    }
}

/* The number of a round is from 0 to that of all. */
static void test_round(void **state)
{
    static const struct {
        const char *less, *chosen;
        bool        goes;
    } cases[] = {
        { "c = Less t,zero", "k = Where c,m,t", true },
        { "c = Less t,zero", "k = Where c,t,m", false },
        { "c = Less t,one", "k = Where c,m,t", false },
        { "c = Less v,zero", "k = Mod t,n", true },
        { "c = Less v,zero", "k = Mod t,one", false },
    };
    static const int64_t zero = 0, one = 1;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        net_add_io(&b.net, 0, "n,m,go,x -> y");
        tn_net_add_ints(&b.net, 0, tn_text("zero"), TN_INT64, &zero, 0, NULL);
        tn_net_add_ints(&b.net, 0, tn_text("one"), TN_INT64, &one, 0, NULL);
        net_add_line(&b.net, 0, "y = Loop n,go,x body={1}");
        net_add_subgraph(&b.net, 0, "t,g,v -> g,w",
                         (const char *[]){ cases[i].less, cases[i].chosen,
                                           "w = F v,k,c", NULL });
        assert_int_equal(change(&b.net), TN_OK);
        assert_int_equal(count_nodes(&b.net, "Where") +
                             count_nodes(&b.net, "Mod"),
                         !cases[i].goes);
        tear_down(&b);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, COUNTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_not_counted),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
