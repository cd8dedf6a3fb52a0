/* share_test.c - equal nodes that become one, and nodes that only look equal */
#include "map/simplify/share.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

static bool is_pure(const struct tn_net_op *op)
{
    return !tn_bytes_is(op->type, "Random");
}

/* Equals, equals of equals, other inputs, another order, one that is an output,
 * and an operator that gives something else each time. */
static void fill(struct tn_net *net)
{
    net_add_io(net, 0, "x,z -> y,o");
    net_add_line(net, 0, "a = F x,z");
    net_add_line(net, 0, "b = F x,z");
    net_add_line(net, 0, "c = F z,x");
    net_add_line(net, 0, "d = G a");
    net_add_line(net, 0, "e = G b");
    net_add_line(net, 0, "r = Random x");
    net_add_line(net, 0, "s = Random x");
    net_add_line(net, 0, "o = G b");
    net_add_line(net, 0, "y = H d,e,c,r,s");
}

#define LEFT                                                                   \
    "a:F(x,z) c:F(z,x) d:G(a) r:Random(x) s:Random(x) o:G(a) "                 \
    "y:H(d,d,c,r,s) ->y,o"

static enum tn_status run(struct tn_net *net)
{
    tn_share(net, is_pure);
    return tn_failed(net->error) ? net->error->status : tn_net_order(net, NULL);
}

static void equal_nodes_become_one(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    fill(&b.net);
    assert_int_equal(tn_share(&b.net, is_pure), 2);
    tn_net_order(&b.net, NULL);
    assert_net(&b, LEFT);
    tear_down(&b);
}

/* A whole chain comes before the one that it is equal to: each node of it is
 * the only one that takes what is before it, until that is what both take. */
static void chains_become_one(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    net_add_io(&b.net, 0, "x -> y");
    net_add_line(&b.net, 0, "a = F x");
    net_add_line(&b.net, 0, "c = G a");
    net_add_line(&b.net, 0, "e = K c");
    net_add_line(&b.net, 0, "b = F x");
    net_add_line(&b.net, 0, "d = G b");
    net_add_line(&b.net, 0, "f = K d");
    net_add_line(&b.net, 0, "y = H e,f");
    assert_int_equal(tn_share(&b.net, is_pure), 3);
    tn_net_order(&b.net, NULL);
    assert_net(&b, "a:F(x) c:G(a) e:K(c) y:H(e,e) ->y");
    tear_down(&b);
}

/* Inside of a graph what is around it is taken. */
static void graphs_around_count(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    net_add_io(&b.net, 0, "x -> y,o");
    uint32_t inner =
        tn_net_add_graph(&b.net, TN_GRAPH_SUBGRAPH, tn_text("inner"), 0);
    net_add_line(&b.net, 0, "a = F x");
    net_add_line(&b.net, 0, "y = G a");
    net_add_line(&b.net, 0, "o = H x");
    net_add_line(&b.net, inner, "b = F x");
    net_add_line(&b.net, inner, "c = G b");
    assert_int_equal(tn_share(&b.net, is_pure), 1);
    tear_down(&b);
}

/* Many that differ, so that slots are searched for. */
static void many_stay_apart(void **state)
{
    enum { COUNT = 500 };
    struct bench b;
    char         line[64];

    (void)state;
    set_up(&b, "onnx");
    net_add_io(&b.net, 0, "x -> y");
    net_add_line(&b.net, 0, "v0 = F x");
    for (int i = 1; i < COUNT; i++) {
        snprintf(line, sizeof line, "v%d = F v%d", i, i - 1);
        net_add_line(&b.net, 0, line);
        snprintf(line, sizeof line, "w%d = F v%d", i, i - 1);
        net_add_line(&b.net, 0, line);
    }
    assert_int_equal(tn_share(&b.net, is_pure), COUNT - 1);
    tear_down(&b);
}

/* The main graph of another dialect does not give more to graphs inside. */
static void graphs_may_stay_apart(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    net_add_io(&b.net, 0, "x -> y");
    uint32_t inner =
        tn_net_add_graph(&b.net, TN_GRAPH_SUBGRAPH, tn_text("inner"), 0);
    net_add_line(&b.net, 0, "a = F x");
    net_add_line(&b.net, 0, "y = G a");
    net_add_line(&b.net, inner, "b = F x");
    net_add_line(&b.net, inner, "c = F x");
    net_add_line(&b.net, inner, "d = G b,c");
    assert_int_equal(tn_share_inside(&b.net, is_pure), 1);
    tear_down(&b);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, run, LEFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_nodes_become_one),
        cmocka_unit_test(chains_become_one),
        cmocka_unit_test(graphs_around_count),
        cmocka_unit_test(graphs_may_stay_apart),
        cmocka_unit_test(many_stay_apart),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
