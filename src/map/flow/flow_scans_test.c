/* flow_scans_test.c - what loops stack becomes lists, and frames lie in frames
 */
#include "map/flow/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/net_text.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    int64_t          graphs[4];
};

static void set_up(struct bench *b)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "nd4j", &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static uint32_t add_op(struct tn_net *net, uint32_t graph, const char *type,
                       uint32_t input, const char *name)
{
    uint32_t           output = tn_net_add_value(net, graph, tn_text(name));
    struct tn_net_node node   = { .name         = tn_text(name),
                                  .op           = tn_net_own_op(net, type),
                                  .graph        = graph,
                                  .inputs       = &input,
                                  .input_count  = 1,
                                  .outputs      = &output,
                                  .output_count = 1,
                                  .source       = TN_NONE };

    if (output != TN_NONE)
        tn_net_add_node(net, &node);
    return output;
}

/* Loop(count, ) {(i, go) -> (go, ...)} with one output; gives the body. */
static uint32_t add_loop(struct bench *b, uint32_t graph, uint32_t count,
                         const char *name, uint32_t *output)
{
    struct tn_net *net = &b->net;
    uint32_t       body =
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text(name), graph);
    uint32_t inputs[] = { count, TN_NONE };

    *output = tn_net_add_value(net, graph, tn_text(name));
    if (body == TN_NONE || *output == TN_NONE)
        return TN_NONE;
    b->graphs[body]         = body;
    struct tn_net_attr attr = {
        tn_text("body"),
        { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &b->graphs[body] }
    };
    struct tn_net_node node = { .name         = tn_text(name),
                                .op           = tn_net_own_op(net, "Loop"),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = 2,
                                .outputs      = output,
                                .output_count = 1,
                                .attrs        = &attr,
                                .attr_count   = 1,
                                .source       = TN_NONE };
    tn_net_add_node(net, &node);
    uint32_t go = tn_net_add_value(net, body, tn_text("go"));
    tn_net_add_input(net, body, tn_net_add_value(net, body, tn_text("i")),
                     tn_bytes(NULL, 0));
    tn_net_add_input(net, body, go, tn_bytes(NULL, 0));
    tn_net_add_output(net, body, go, tn_bytes(NULL, 0));
    return body;
}

/* s <- [f(i) for i in 0..n] */
static void fill_stacking(struct bench *b)
{
    struct tn_net *net = &b->net;
    uint32_t       n   = tn_net_add_value(net, 0, tn_text("n"));
    uint32_t       stacked;

    tn_net_add_input(net, 0, n, tn_bytes(NULL, 0));
    uint32_t body = add_loop(b, 0, n, "s", &stacked);
    if (body == TN_NONE)
        return;
    uint32_t i = *tn_list_at(&tn_net_graph(net, body)->inputs, uint32_t, 0);
    uint32_t y = add_op(net, body, "f", i, "y");
    tn_net_add_output(net, body, y, tn_bytes(NULL, 0));
    tn_net_add_output(net, 0, stacked, tn_bytes(NULL, 0));
    if (y != TN_NONE)
        tn_net_set_dtype(net, y, TN_INT32);
}

static void what_is_stacked_is_written_to_a_list(void **state)
{
    static const char want[] =
        "list,flow:create_list(rounds) "
        "flow_2:Loop(n,,flow)[i,go,flow_1| y:f(i) "
        "flow_3:write_list(list,i,y,flow_1) ->go,flow_3] "
        "s:gather_list(list,every,flow_2) ->s";
    struct bench     b;
    struct tn_buffer text;

    (void)state;
    set_up(&b);
    fill_stacking(&b);
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    tn_buffer_init(&text, &b.memory, &b.error);
    net_text_graph(&text, &b.net, 0);
    assert_string_equal(tn_buffer_string(&text), want);
    tn_buffer_done(&text);
    for (uint32_t i = 0; i < b.net.nodes.count; i++) {
        const struct tn_net_node   *node = tn_net_node(&b.net, i);
        const struct tn_attr_value *held = tn_net_attr(node, "importDataType");
        if (tn_bytes_is(node->op->type, "create_list"))
            assert_true(held && held->of.ints[0] == TN_INT32);
    }
    assert_int_equal(tn_flow_lower(&b.net), TN_OK);
    tear_down(&b);
}

static void expect_text(struct bench *b, const char *want)
{
    struct tn_buffer text;

    tn_buffer_init(&text, &b->memory, &b->error);
    net_text_graph(&text, &b->net, 0);
    assert_string_equal(tn_buffer_string(&text), want);
    tn_buffer_done(&text);
}

static void what_is_written_to_a_list_is_stacked_again(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    fill_stacking(&b);
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    assert_int_equal(tn_flow_stack(&b.net), TN_OK);
    expect_text(&b, "s:Loop(n,)[i,go| y:f(i) ->go,y] ->s");
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
        char         want[256];
        set_up(&b);
        fill_stacking(&b);
        assert_int_equal(tn_flow_scans(&b.net), TN_OK);
        for (uint32_t v = 0; v < b.net.values.count; v++)
            if (tn_bytes_is(tn_net_value(&b.net, v)->name, cases[i].wants)) {
                add_op(&b.net, tn_net_value(&b.net, v)->graph, "g", v, "z");
                break;
            }
        assert_int_equal(tn_flow_stack(&b.net), TN_OK);
        snprintf(want, sizeof want,
                 "list,flow:create_list(rounds) flow_2:Loop(n,,flow)[i,go,"
                 "flow_1| y:f(i) flow_3:write_list(list,i,y,flow_1)%s "
                 "->go,flow_3] s:gather_list(list,every,flow_2) %s->s",
                 cases[i].in_body, cases[i].more);
        expect_text(&b, want);
        tear_down(&b);
    }
}

/* How many frames a value of the flat graph lies in. */
static unsigned frames_around(const struct tn_net *net, uint32_t value)
{
    unsigned frames = 0;

    for (int steps = 0; value != TN_NONE && steps < 64; steps++) {
        uint32_t producer = tn_net_value(net, value)->producer;
        if (producer == TN_NONE)
            break;
        const struct tn_net_node *node = tn_net_node(net, producer);
        frames += tn_bytes_is(node->op->type, "enter");
        value = node->input_count ? node->inputs[0] : TN_NONE;
    }
    return frames;
}

/* The counter of the inner loop begins with a constant: it must have entered
 * the outer frame, or the inner one would not lie in it. */
static void constants_enter_every_frame(void **state)
{
    struct bench b;
    uint32_t     outer, inner, depths[3] = { 0 };

    (void)state;
    set_up(&b);
    uint32_t n = tn_net_add_value(&b.net, 0, tn_text("n"));
    tn_net_add_input(&b.net, 0, n, tn_bytes(NULL, 0));
    uint32_t first  = add_loop(&b, 0, n, "outer", &outer);
    uint32_t second = add_loop(&b, first, n, "inner", &inner);
    uint32_t i =
        *tn_list_at(&tn_net_graph(&b.net, second)->inputs, uint32_t, 0);
    tn_net_add_output(&b.net, second, add_op(&b.net, second, "f", i, "y"),
                      tn_bytes(NULL, 0));
    tn_net_add_output(&b.net, first, inner, tn_bytes(NULL, 0));
    tn_net_add_output(&b.net, 0, outer, tn_bytes(NULL, 0));
    assert_int_equal(tn_flow_scans(&b.net), TN_OK);
    assert_int_equal(tn_flow_lower(&b.net), TN_OK);
    for (uint32_t k = 0; k < b.net.nodes.count; k++) {
        const struct tn_net_node *node = tn_net_node(&b.net, k);
        if (node->is_removed || !tn_bytes_is(node->op->type, "merge"))
            continue;
        unsigned depth = frames_around(&b.net, node->inputs[0]);
        assert_in_range(depth, 1, 2);
        depths[depth]++;
    }
    assert_int_equal(depths[1], 3); /* counter, condition, list */
    assert_int_equal(depths[2], 3);
    tear_down(&b);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t limit = 64; limit < 1 << 17; limit += 211) {
        struct bench b;
        set_up(&b);
        fill_stacking(&b);
        b.memory.limit        = b.memory.used + limit;
        enum tn_status status = tn_flow_scans(&b.net);
        if (status == TN_OK)
            status = tn_flow_stack(&b.net);
        assert_true(status == TN_OK || status == TN_LIMIT);
        b.memory.limit = UINT64_MAX;
        tear_down(&b);
        if (status == TN_OK)
            return;
    }
    fail_msg("never enough");
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
