/*
 * flow_fuzz.c - nets with odd but valid control flow, in both forms
 *
 * Every byte is a choice: what the next node is, which of the values that can
 * be seen it takes, how many graphs lie in each other.  So each input is a net
 * of If and Loop: branches that give what they got, loops that run no round,
 * outputs that nobody wants, values from three graphs further out.
 *
 *   u8   1: nd4j, whose loops may also stack what each round gives; else
 *        tensorflow
 *   u8[] choices; when they run out, the last graph is closed
 *
 * Claims: the net computes the same as structure, as dataflow, and as the
 * structure that is found in the dataflow again; nothing is refused.
 */
#include <assert.h>
#include <stdint.h>

#include "base/cursor.h"
#include "map/flow/flow.h"
#include "map/net/net_build.h"
#include "support/flow_run.h"

#define DEPTH_MAX   4
#define NODES_MAX   40
#define SEEN_MAX    64
#define OUTPUTS_MAX 3
#define MEMORY      (UINT64_C(64) << 20)

struct making {
    struct tn_net   *net;
    struct tn_cursor choices;
    uint32_t         seen[SEEN_MAX]; /* values that the graph may use         */
    uint32_t         seen_count;
    uint32_t         nodes, depth;
    bool             may_stack;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t choose(struct making *m, uint32_t count)
{
    return tn_more(&m->choices) ? tn_u8(&m->choices) % count : 0;
}

static uint32_t see(struct making *m, uint32_t value)
{
    if (m->seen_count < SEEN_MAX)
        m->seen[m->seen_count++] = value;
    return value;
}

static uint32_t any_value(struct making *m)
{
    return m->seen[choose(m, m->seen_count)];
}

static uint32_t add_op(struct making *m, uint32_t graph, const char *type,
                       const uint32_t *inputs, uint32_t count)
{
    uint32_t output = tn_net_add_value(m->net, graph, tn_text("v"));

    tn_net_add_node(m->net,
                    &(struct tn_net_node){ .name  = tn_text("n"),
                                           .op    = tn_net_own_op(m->net, type),
                                           .graph = graph,
                                           .inputs       = inputs,
                                           .input_count  = count,
                                           .outputs      = &output,
                                           .output_count = 1,
                                           .source       = TN_NONE });
    m->nodes++;
    return output;
}

static uint32_t add_number(struct making *m, uint32_t graph,
                           enum tn_dtype dtype, int64_t number)
{
    return tn_net_add_ints(m->net, graph, tn_text("c"), dtype, &number, 0,
                           NULL);
}

/* A condition: of a value, a constant, or (in a loop) of the round. */
static uint32_t add_condition(struct making *m, uint32_t graph)
{
    uint32_t value = any_value(m);

    if (choose(m, 4) == 0)
        return add_number(m, graph, TN_BOOL, choose(m, 2));
    return add_op(m, graph, "Odd", &value, 1);
}

static void fill_graph(struct making *m, uint32_t graph);

static uint32_t begin_graph(struct making *m, uint32_t parent)
{
    return tn_net_add_graph(m->net, TN_GRAPH_SUBGRAPH, tn_text("g"), parent);
}

static void give(struct making *m, uint32_t graph, uint32_t value)
{
    tn_net_add_output(m->net, graph, value, tn_text(""));
}

/* The node and the outputs that somebody may use; some nobody does. */
static void add_structure(struct making *m, uint32_t graph, const char *type,
                          const uint32_t *inputs, uint32_t input_count,
                          uint32_t output_count, const char *const *names,
                          const int64_t *graphs, uint32_t graph_count)
{
    uint32_t           outputs[2 * OUTPUTS_MAX];
    struct tn_net_attr attrs[2];

    for (uint32_t i = 0; i < graph_count; i++) {
        int64_t *kept = tn_new(m->net->arena, int64_t, 1, m->net->error);
        if (!kept)
            return;
        *kept    = graphs[i];
        attrs[i] = (struct tn_net_attr){
            tn_text(names[i]),
            { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = kept }
        };
    }
    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] =
            choose(m, 5) == 4
                ? TN_NONE
                : see(m, tn_net_add_value(m->net, graph, tn_text(type)));
    tn_net_add_node(m->net,
                    &(struct tn_net_node){ .name  = tn_text(type),
                                           .op    = tn_net_own_op(m->net, type),
                                           .graph = graph,
                                           .inputs       = inputs,
                                           .input_count  = input_count,
                                           .outputs      = outputs,
                                           .output_count = output_count,
                                           .attrs        = attrs,
                                           .attr_count   = graph_count,
                                           .source       = TN_NONE });
}

static void add_if(struct making *m, uint32_t graph)
{
    static const char *const names[]   = { "then_branch", "else_branch" };
    uint32_t                 condition = add_condition(m, graph);
    uint32_t                 count     = 1 + choose(m, OUTPUTS_MAX);
    uint32_t                 seen      = m->seen_count;
    int64_t                  graphs[2];

    for (int side = 0; side < 2; side++) {
        uint32_t branch = begin_graph(m, graph);
        graphs[side]    = branch;
        fill_graph(m, branch);
        for (uint32_t i = 0; i < count; i++)
            give(m, branch, any_value(m));
        m->seen_count = seen;
    }
    add_structure(m, graph, "If", &condition, 1, count, names, graphs, 2);
}

static uint32_t add_body_input(struct making *m, uint32_t body,
                               enum tn_dtype dtype)
{
    uint32_t value = tn_net_add_value(m->net, body, tn_text("b"));

    if (value == TN_NONE)
        return value;
    tn_net_set_scalar(m->net, value, dtype);
    tn_net_add_input(m->net, body, value, tn_text(""));
    return see(m, value);
}

/* What decides whether there is another round: always the number of rounds, and
 * sometimes more. */
static uint32_t add_end_of_round(struct making *m, uint32_t body,
                                 uint32_t round, uint32_t go)
{
    uint32_t pair[2] = { round, add_number(m, body, TN_INT64, choose(m, 4)) };

    if (choose(m, 3) == 0)
        return go;
    pair[0] = add_op(m, body, m->may_stack ? "less" : "Less", pair, 2);
    if (choose(m, 2))
        return pair[0];
    pair[1] = add_condition(m, body);
    return add_op(m, body, m->may_stack ? "boolean_and" : "LogicalAnd", pair,
                  2);
}

static void add_loop(struct making *m, uint32_t graph)
{
    static const char *const names[]   = { "body" };
    uint32_t                 variables = choose(m, OUTPUTS_MAX + 1);
    uint32_t                 scans = m->may_stack ? choose(m, OUTPUTS_MAX) : 0;
    uint32_t                 few   = any_value(m);
    uint32_t                 inputs[2 + OUTPUTS_MAX] = {
                        choose(m, 2) ? add_op(m, graph, "Few", &few, 1)
                                     : add_number(m, graph, TN_INT64, choose(m, 4)),
        choose(m, 2) ? TN_NONE : add_condition(m, graph),
    };

    for (uint32_t i = 0; i < variables; i++)
        inputs[2 + i] = any_value(m);
    uint32_t seen  = m->seen_count;
    uint32_t body  = begin_graph(m, graph);
    uint32_t round = add_body_input(m, body, TN_INT64);
    uint32_t go    = add_body_input(m, body, TN_BOOL);
    for (uint32_t i = 0; i < variables; i++)
        add_body_input(m, body, TN_INT32);
    fill_graph(m, body);
    give(m, body, add_end_of_round(m, body, round, go));
    for (uint32_t i = 0; i < variables + scans; i++)
        give(m, body, any_value(m));
    m->seen_count = seen;
    add_structure(m, graph, "Loop", inputs, 2 + variables, variables + scans,
                  names, (const int64_t[]){ body }, 1);
}

static void fill_graph(struct making *m, uint32_t graph)
{
    uint32_t count = choose(m, 5);

    m->depth++;
    for (uint32_t i = 0;
         i < count && m->nodes < NODES_MAX && !tn_failed(m->net->error); i++) {
        uint32_t kind    = choose(m, m->depth < DEPTH_MAX ? 6 : 3);
        uint32_t pair[2] = { any_value(m), any_value(m) };
        if (kind == 0)
            see(m, add_number(m, graph, TN_INT64, choose(m, 9)));
        else if (kind < 3)
            see(m, add_op(m, graph, kind == 1 ? "F" : "G", pair, kind));
        else if (kind < 5)
            add_if(m, graph);
        else
            add_loop(m, graph);
    }
    m->depth--;
}

/* At least one output of the whole is something that was computed. */
static void make_net(struct making *m)
{
    tn_net_add_graph(m->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    for (int i = 0; i < 2; i++) {
        uint32_t value = tn_net_add_value(m->net, 0, tn_text("x"));
        if (value == TN_NONE)
            return;
        tn_net_set_scalar(m->net, value, TN_INT32);
        tn_net_add_input(m->net, 0, value, tn_text(""));
        see(m, value);
    }
    fill_graph(m, 0);
    give(m, 0, m->seen[m->seen_count - 1]);
    for (uint32_t i = 0; i < 2; i++)
        give(m, 0, any_value(m));
}

/* Twice with different inputs: most conditions then hold once. */
static bool run_twice(const struct tn_net *net, uint64_t results[2])
{
    return flow_run(net, 1, &results[0]) && flow_run(net, 100, &results[1]);
}

static void assert_same(const struct tn_net *net, const uint64_t wanted[2])
{
    uint64_t results[2];

    assert(net->error->status == TN_OK);
    if (run_twice(net, results))
        assert(results[0] == wanted[0] && results[1] == wanted[1]);
}

static bool ran_out(const struct tn_net *net)
{
    return net->error->status == TN_LIMIT || net->error->status == TN_NO_MEMORY;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT, none = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    struct making    m = { .net = &net,
                           .choices =
                               tn_cursor_bytes(tn_bytes(data, size), 0, &none) };
    uint64_t         wanted[2];

    tn_memory_init(&memory, NULL, MEMORY);
    tn_arena_init(&arena, &memory);
    m.may_stack = choose(&m, 2);
    tn_net_init(&net, &arena, m.may_stack ? "nd4j" : "tensorflow", &error);
    make_net(&m);
    if (tn_net_order(&net, NULL) == TN_OK && run_twice(&net, wanted)) {
        if (m.may_stack && tn_flow_scans(&net) != TN_LIMIT)
            assert_same(&net, wanted);
        if (!ran_out(&net) && (tn_flow_lower(&net), !ran_out(&net)))
            assert_same(&net, wanted);
        if (!ran_out(&net) && (tn_flow_raise(&net), !ran_out(&net)))
            assert_same(&net, wanted);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
