/* flow_scans_test.c - what loops stack becomes lists, and frames lie in frames
 */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

/* s <- [f(i) for i in 0..n] */
static void fill_stacking(struct tn_net *net)
{
    static const char *const body[] = { "y = f i", NULL };

    net_add_io(net, 0, "n -> s");
    net_add_subgraph(net, 0, "i,go -> go,y", body);
    net_add_line(net, 0, "s = Loop n,_ body={1}");
    tn_net_set_dtype(net, net_line_find(net, "y"), TN_INT32);
}

static void what_is_stacked_is_written_to_a_list(void **state)
{
    static const char want[] =
        "list,flow:create_list(rounds) "
        "flow_2:Loop(n,,flow)[i,go,flow_1| y:f(i) "
        "flow_3:write_list(list,i,y,flow_1) ->go,flow_3] "
        "s:gather_list(list,every,flow_2) ->s";
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    fill_stacking(&b.net);
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    assert_net(&b, want);
    for (uint32_t i = 0; i < b.net.nodes.count; i++) {
        const struct tn_net_node    node = tn_net_node(&b.net, i);
        const struct tn_attr_value *held = tn_net_attr(&node, "importDataType");
        if (tn_bytes_is(node.op->type, "create_list"))
            assert_true(held && held->of.ints[0] == TN_INT32);
    }
    assert_int_equal(tn_flow_lower(&b.net), TN_OK);
    tear_down(&b);
}

static void what_is_written_to_a_list_is_stacked_again(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    fill_stacking(&b.net);
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    assert_int_equal(tn_flow_stack(&b.net), TN_OK);
    assert_net(&b, "s:Loop(n,)[i,go| y:f(i) ->go,y] ->s");
    tear_down(&b);
}

/* Somebody else may want the list, its flow, or what the loop makes of it. */
static void a_list_that_others_see_stays(void **state)
{
    static const struct {
        const char *wants, *in_body, *more;
    } cases[] = {
        { "list", "", "z:g(list) " },     { "flow", "", "z:g(flow) " },
        { "flow_2", "", "z:g(flow_2) " }, { "flow_3", " z:g(flow_3)", "" },
        { "flow_1", " z:g(flow_1)", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;
        char         line[32], want[256];
        set_up(&b, "nd4j");
        fill_stacking(&b.net);
        assert_int_equal(tn_flow_scans(&b.net), TN_OK);
        uint32_t wanted = net_line_find(&b.net, cases[i].wants);
        snprintf(line, sizeof line, "z = g %s", cases[i].wants);
        net_add_line(&b.net, tn_net_value(&b.net, wanted).graph, line);
        assert_int_equal(tn_flow_stack(&b.net), TN_OK);
        snprintf(want, sizeof want,
                 "list,flow:create_list(rounds) flow_2:Loop(n,,flow)[i,go,"
                 "flow_1| y:f(i) flow_3:write_list(list,i,y,flow_1)%s "
                 "->go,flow_3] s:gather_list(list,every,flow_2) %s->s",
                 cases[i].in_body, cases[i].more);
        assert_net(&b, want);
        tear_down(&b);
    }
}

/* How many frames a value of the flat graph lies in. */
static unsigned frames_around(const struct tn_net *net, uint32_t value)
{
    unsigned frames = 0;

    for (int steps = 0; value != TN_NONE && steps < 64; steps++) {
        uint32_t producer = tn_net_value(net, value).producer;
        if (producer == TN_NONE)
            break;
        const struct tn_net_node node = tn_net_node(net, producer);
        frames += tn_bytes_is(node.op->type, "enter");
        value = node.input_count ? node.inputs[0] : TN_NONE;
    }
    return frames;
}

/* The counter of the inner loop begins with a constant: it must have entered
 * the outer frame, or the inner one would not lie in it. */
static void constants_enter_every_frame(void **state)
{
    static const char *const outer[] = { "inner = Loop n,_ body={2}", NULL };
    static const char *const inner[] = { "y = f j", NULL };
    struct bench             b;
    uint32_t                 depths[3] = { 0 };

    (void)state;
    set_up(&b, "nd4j");
    net_add_io(&b.net, 0, "n -> outer");
    net_add_subgraph(&b.net, 0, "i,go -> go,inner", outer);
    net_add_subgraph(&b.net, 1, "j,on -> on,y", inner);
    net_add_line(&b.net, 0, "outer = Loop n,_ body={1}");
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    assert_int_equal(tn_flow_lower(&b.net), TN_OK);
    for (uint32_t k = 0; k < b.net.nodes.count; k++) {
        const struct tn_net_node node = tn_net_node(&b.net, k);
        if (node.is_removed || !tn_bytes_is(node.op->type, "merge"))
            continue;
        unsigned depth = frames_around(&b.net, node.inputs[0]);
        assert_in_range(depth, 1, 2);
        depths[depth]++;
    }
    assert_int_equal(depths[1], 3); /* counter, condition, list */
    assert_int_equal(depths[2], 3);
    tear_down(&b);
}

static enum tn_status there_and_back(struct tn_net *net)
{
    enum tn_status status = tn_flow_scans(net);

    return status == TN_OK ? tn_flow_stack(net) : status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("nd4j", fill_stacking, there_and_back,
                       "s:Loop(n,)[i,go| y:f(i) ->go,y] ->s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stacked_is_written_to_a_list),
        cmocka_unit_test(what_is_written_to_a_list_is_stacked_again),
        cmocka_unit_test(a_list_that_others_see_stays),
        cmocka_unit_test(constants_enter_every_frame),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
