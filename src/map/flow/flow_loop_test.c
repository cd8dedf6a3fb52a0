/* flow_loop_test.c - what a Loop counts, loses and collects */
#include "map/flow/flow_loop.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

/* A Loop with a counter, something that is computed, and a scan. */
static void fill_by(struct tn_net *net, const char *begin, const char *sum)
{
    static const int64_t zero = 0, one = 1;

    net_add_io(net, 0, "m,x -> y,s");
    tn_net_add_ints(net, 0, tn_text("zero"), TN_INT64, &zero, 0, NULL);
    tn_net_add_ints(net, 0, tn_text("one"), TN_INT64, &one, 0, NULL);
    net_add_line(net, 0, begin);
    net_add_line(net, 0, "n,y,s = Loop m,_,start,x body={1}");
    net_add_subgraph(net, 0, "t,go,i,v -> go,next,w,e",
                     (const char *[]){ "copy = Identity i", sum, "w = F v,i",
                                       "e = G w", NULL });
}

static void fill(struct tn_net *net)
{
    fill_by(net, "start = Identity zero", "next = Add copy,one");
}

static struct tn_flow_loop open_loop(struct tn_net *net)
{
    struct tn_flow_loop loop;
    uint32_t            y = net_line_find(net, "y");

    assert_true(tn_flow_loop(&loop, net, tn_net_value(net, y).producer));
    assert_false(tn_flow_loop(&loop, net, 0));
    assert_true(tn_flow_loop(&loop, net, tn_net_value(net, y).producer));
    return loop;
}

static void test_rounds(void **state)
{
    static const struct {
        const char *begin, *sum;
        bool        counts;
    } cases[] = {
        { "start = Identity zero", "next = Add copy,one", true },
        { "start = Identity zero", "next = Add one,i", true },
        { "start = Identity one", "next = Add copy,one", false },
        { "start = Identity zero", "next = Sub copy,one", false },
        { "start = Identity zero", "next = Add t,one", false },
        { "start = Identity x", "next = Add copy,one", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        fill_by(&b.net, cases[i].begin, cases[i].sum);
        struct tn_flow_loop loop = open_loop(&b.net);
        assert_int_equal(tn_flow_counts_rounds(&loop, 0), cases[i].counts);
        assert_false(tn_flow_counts_rounds(&loop, 1));
        assert_true(tn_flow_is_round(&loop, net_line_find(&b.net, "t")));
        assert_int_equal(tn_flow_is_round(&loop, net_line_find(&b.net, "copy")),
                         cases[i].counts);
        assert_false(tn_flow_is_round(&loop, net_line_find(&b.net, "w")));
        tear_down(&b);
    }
}

static void test_constants(void **state)
{
    struct bench b;
    double       number;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    assert_true(tn_flow_is_number(&b.net, net_line_find(&b.net, "one"), 1));
    assert_false(tn_flow_is_number(&b.net, net_line_find(&b.net, "one"), 0));
    assert_false(tn_flow_constant(&b.net, net_line_find(&b.net, "x"), &number));
    assert_false(tn_flow_constant(&b.net, TN_NONE, &number));
    assert_int_equal(tn_flow_behind(&b.net, net_line_find(&b.net, "copy")),
                     net_line_find(&b.net, "i"));
    assert_true(tn_flow_maker(&b.net, net_line_find(&b.net, "w"), "F", 2) !=
                TN_NONE);
    assert_int_equal(tn_flow_maker(&b.net, net_line_find(&b.net, "w"), "F", 3),
                     TN_NONE);
    assert_int_equal(tn_flow_maker(&b.net, net_line_find(&b.net, "w"), "G", 1),
                     TN_NONE);
    tear_down(&b);
}

static enum tn_status drop(struct tn_net *net)
{
    struct tn_flow_loop loop = open_loop(net);

    tn_flow_loop_drop(&loop, 0);
    return net->error->status;
}

#define DROPPED                                                                \
    "start:Identity(zero) y,s:Loop(m,,x)[t,go,v| copy:Identity(i) "            \
    "next:Add(copy,one) w:F(v,i) e:G(w) ->go,w,e] ->y,s"

static void test_drop(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    struct tn_net_graph *body = tn_net_graph(&b.net, 1);
    /* What the model says of outputs stays with them. */
    for (uint64_t i = 0; i < body->outputs.count; i++) {
        const struct tn_net_type **type = tn_list_push(
            &body->output_types, const struct tn_net_type *, &b.error);
        assert_non_null(type);
        *type =
            tn_net_value(&b.net, *tn_list_at(&body->outputs, uint32_t, i)).type;
    }
    assert_int_equal(drop(&b.net), TN_OK);
    assert_net(&b, DROPPED);
    assert_int_equal(body->output_types.count, body->outputs.count);
    tear_down(&b);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, drop, DROPPED);
}

/* `each` of every round comes behind all results. */
static void test_stack(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    struct tn_flow_loop loop = open_loop(&b.net);
    uint32_t            all  = tn_net_add_value(&b.net, 0, tn_text("all"));
    tn_flow_loop_stack(&loop, 0, net_line_find(&b.net, "v"), all);
    assert_net(&b, "start:Identity(zero) y,s,all:Loop(m,,x)[t,go,v| "
                   "copy:Identity(i) next:Add(copy,one) w:F(v,i) e:G(w) "
                   "->go,w,e,v] ->y,s");
    tear_down(&b);
}

static void test_where_graphs_run(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    net_add_io(&b.net, 0, "c,x -> y,z");
    net_add_line(&b.net, 0, "y = If c then_branch={1} else_branch={1}");
    net_add_line(&b.net, 0, "z = Loop _,c,x body={2}");
    net_add_subgraph(&b.net, 0, " -> p", (const char *[]){ "p = F x", NULL });
    net_add_subgraph(&b.net, 0, "t,g,v -> g,v", NULL);
    assert_true(tn_flow_runs_with(&b.net, 0, 0));
    assert_true(tn_flow_runs_with(&b.net, 0, 1));
    assert_false(tn_flow_runs_with(&b.net, 0, 2));
    assert_false(tn_flow_runs_with(&b.net, 1, 0));
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_where_graphs_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
