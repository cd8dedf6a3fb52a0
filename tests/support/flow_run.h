/*
 * flow_run.h - what a net with control flow computes, in either form
 *
 * Values are numbers; a list of tensors is a number, too, that every write
 * changes.  Operators that steer control flow have their meaning, all others
 * mix the numbers that they take.  One function serves both forms: a value is
 * computed when it is asked for, in the round of each frame around it, and is
 * dead when no round gives it.
 */
#ifndef TN_TESTS_FLOW_RUN_H
#define TN_TESTS_FLOW_RUN_H

#include "base/buffer.h"
#include "map/flow/flow_guard.h"

#define FLOW_DEPTH  24
#define FLOW_ROUNDS 64

struct flow_run {
    const struct tn_net *net;
    uint64_t             steps; /* left; none: the run is given up            */
    uint32_t             rounds[FLOW_DEPTH];
    uint32_t             depth;
    uint64_t            *inside; /* by value: variables of the running Loop   */
};

struct flow_value {
    bool     is_live;
    uint64_t number;
};

static inline struct flow_value flow_live(uint64_t number)
{
    return (struct flow_value){ true, number };
}

static inline struct flow_value flow_of(struct flow_run *run, uint32_t value);

static inline uint64_t flow_mix(uint64_t a, uint64_t b)
{
    a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15) + b;
    return a ^ a >> 29;
}

/* ---- operators ---------------------------------------------------------- */

static inline uint64_t flow_constant(const struct tn_net      *net,
                                     const struct tn_elements *elements)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer out;
    uint64_t         number = 0;

    tn_buffer_init(&out, net->arena->memory, &error);
    if (tn_payload_stream(elements, 0, 1, net->arena->memory, &out.sink,
                          &error) == TN_OK)
        memcpy(&number, out.data, out.size < 8 ? out.size : 8);
    tn_buffer_done(&out);
    return number;
}

/* `in` are the numbers of the inputs, 0 where there is none. */
static inline uint64_t flow_compute(const struct tn_net_node *node,
                                    const uint64_t in[8], uint32_t output)
{
    struct tn_bytes type  = node->op->type;
    uint64_t        mixed = type.size;

    if (tn_bytes_is(type, "Less") || tn_bytes_is(type, "less"))
        return in[0] < in[1];
    if (tn_bytes_is(type, "LogicalAnd") || tn_bytes_is(type, "boolean_and"))
        return in[0] && in[1];
    if (tn_bytes_is(type, "AddV2") || tn_bytes_is(type, "add"))
        return in[0] + in[1];
    if (tn_bytes_is(type, "Mul"))
        return in[0] * in[1];
    if (tn_bytes_is(type, "Odd"))
        return in[0] & 1;
    if (tn_bytes_is(type, "Few"))
        return in[0] & 3;
    if (tn_bytes_is(type, "create_list"))
        return 0;
    if (tn_bytes_is(type, "write_list"))
        return flow_mix(in[3], in[2]);
    if (tn_bytes_is(type, "gather_list"))
        return in[2];
    for (uint32_t i = 0; i < node->input_count; i++)
        mixed = flow_mix(mixed, in[i]);
    return flow_mix(mixed, output);
}

static inline struct flow_value flow_plain(struct flow_run          *run,
                                           const struct tn_net_node *node,
                                           uint32_t                  output)
{
    uint64_t in[8] = { 0 };

    for (uint32_t i = 0; i < node->input_count && i < 8; i++) {
        if (node->inputs[i] == TN_NONE)
            continue;
        struct flow_value value = flow_of(run, node->inputs[i]);
        if (!value.is_live)
            return value;
        in[i] = value.number;
    }
    return flow_live(flow_compute(node, in, output));
}

/* ---- dataflow ----------------------------------------------------------- */

/* In a round of the frame around an Exit its value lives: in the last one. */
static inline struct flow_value flow_exit(struct flow_run *run, uint32_t value)
{
    struct flow_value found = { false, 0 };

    if (run->depth == FLOW_DEPTH)
        run->steps = 0;
    for (uint32_t k = 0; run->steps && !found.is_live && k < FLOW_ROUNDS; k++) {
        run->rounds[run->depth++] = k;
        found                     = flow_of(run, value);
        run->depth--;
    }
    return found;
}

static inline struct flow_value flow_one_frame_up(struct flow_run *run,
                                                  uint32_t         value)
{
    if (!run->depth) { /* an Enter that is asked for outside of its frame */
        run->steps = 0;
        return (struct flow_value){ false, 0 };
    }
    uint32_t          round   = run->rounds[--run->depth];
    struct flow_value found   = flow_of(run, value);
    run->rounds[run->depth++] = round;
    return found;
}

static inline struct flow_value flow_merge_of(struct flow_run          *run,
                                              const struct tn_net_node *node,
                                              uint32_t id, uint32_t output)
{
    struct tn_flow_merge merge = tn_flow_merge(run->net, id);
    struct flow_value    found = { false, 0 };

    if (merge.is_loop && run->depth) {
        uint32_t *round = &run->rounds[run->depth - 1];
        if (!*round)
            return flow_of(run, merge.enter);
        --*round; /* what NextIteration got in the round before */
        const struct tn_net_node next =
            tn_net_node(run->net, tn_net_value(run->net, merge.next).producer);
        found = flow_of(run, next.inputs[0]);
        ++*round;
        return found;
    }
    for (uint32_t i = 0; i < node->input_count && !found.is_live; i++) {
        found = flow_of(run, node->inputs[i]);
        if (output)
            found.number = i;
    }
    return found;
}

static inline struct flow_value flow_switch(struct flow_run          *run,
                                            const struct tn_net_node *node,
                                            uint32_t                  output)
{
    struct flow_value condition = flow_of(run, node->inputs[1]);

    if (!condition.is_live || (condition.number != 0) != output)
        return (struct flow_value){ false, 0 };
    return flow_of(run, node->inputs[0]);
}

/* ---- structure ---------------------------------------------------------- */

static inline uint32_t flow_graph(const struct tn_net_node *node,
                                  const char               *name)
{
    return (uint32_t)tn_net_attr(node, name)->of.ints[0];
}

static inline uint32_t flow_end(const struct tn_net *net, uint32_t graph,
                                uint32_t index, bool is_output)
{
    const struct tn_net_graph *g = tn_net_graph(net, graph);

    return *tn_list_at(is_output ? &g->outputs : &g->inputs, uint32_t, index);
}

/* Runs the rounds of a Loop; what it gives is one of its variables, or of all
 * rounds together what one of its outputs gave. */
static inline struct flow_value flow_loop(struct flow_run          *run,
                                          const struct tn_net_node *node,
                                          uint32_t                  output)
{
    const struct tn_net *net       = run->net;
    uint32_t             body      = flow_graph(node, "body");
    uint32_t             variables = node->input_count - 2;
    uint64_t             most = UINT64_MAX, next[10], list = 0;

    if (node->inputs[0] != TN_NONE)
        most = flow_of(run, node->inputs[0]).number;
    next[0] =
        node->inputs[1] == TN_NONE || flow_of(run, node->inputs[1]).number;
    for (uint32_t i = 0; i < variables; i++)
        next[1 + i] = flow_of(run, node->inputs[2 + i]).number;
    for (uint64_t k = 0; k < most && next[0] && run->steps; k++) {
        run->inside[flow_end(net, body, 0, false)] = k;
        for (uint32_t i = 0; i <= variables; i++)
            run->inside[flow_end(net, body, 1 + i, false)] = next[i];
        for (uint32_t i = 0; i <= variables; i++)
            next[i] = flow_of(run, flow_end(net, body, i, true)).number;
        if (output >= variables)
            list = flow_mix(
                list,
                flow_of(run, flow_end(net, body, output + 1, true)).number);
        if (k == FLOW_ROUNDS)
            run->steps = 0;
    }
    return flow_live(output < variables ? next[1 + output] : list);
}

/* A Loop in a Loop must not lose the variables of the one around it. */
static inline struct flow_value flow_structure(struct flow_run          *run,
                                               const struct tn_net_node *node,
                                               uint32_t                  output)
{
    if (tn_bytes_is(node->op->type, "Loop"))
        return flow_loop(run, node, output);
    bool is_then = flow_of(run, node->inputs[0]).number != 0;
    return flow_of(
        run, flow_end(run->net,
                      flow_graph(node, is_then ? "then_branch" : "else_branch"),
                      output, true));
}

/* ---- any value ---------------------------------------------------------- */

static inline bool flow_is_structure_node(const struct tn_net_node *node)
{
    return tn_bytes_is(node->op->type, "If") ||
           tn_bytes_is(node->op->type, "Loop");
}

static inline struct flow_value flow_of(struct flow_run *run, uint32_t value)
{
    struct tn_net_value v = tn_net_value(run->net, value);

    if (!run->steps || !--run->steps)
        return (struct flow_value){ false, 0 };
    if (v.constant)
        return flow_live(flow_constant(run->net, v.constant));
    if (v.producer == TN_NONE)
        return flow_live(run->inside[value]);
    struct tn_net_node node = tn_net_node(run->net, v.producer);
    switch (tn_flow_kind(node.op)) {
    case TN_FLOW_SWITCH: return flow_switch(run, &node, v.output);
    case TN_FLOW_MERGE: return flow_merge_of(run, &node, v.producer, v.output);
    case TN_FLOW_ENTER: return flow_one_frame_up(run, node.inputs[0]);
    case TN_FLOW_EXIT: return flow_exit(run, node.inputs[0]);
    case TN_FLOW_COND:
    case TN_FLOW_IDENTITY: return flow_of(run, node.inputs[0]);
    default: break;
    }
    return flow_is_structure_node(&node) ? flow_structure(run, &node, v.output)
                                         : flow_plain(run, &node, v.output);
}

/* All outputs of the main graph as one number; false: it takes too long, or one
 * of them is dead. */
static inline bool flow_run(const struct tn_net *net, uint64_t seed,
                            uint64_t *result)
{
    struct tn_error error = TN_ERROR_INIT;
    struct flow_run run   = { .net = net, .steps = 2000000 };
    struct tn_arena arena;

    tn_arena_init(&arena, net->arena->memory);
    run.inside = tn_new(&arena, uint64_t, net->values.count + 1, &error);
    const struct tn_net_graph *g = tn_net_graph(net, 0);
    for (uint64_t i = 0; run.inside && i < g->inputs.count; i++)
        run.inside[*tn_list_at(&g->inputs, uint32_t, i)] = seed + i;
    bool is_live = run.inside != NULL;
    *result      = 0;
    for (uint64_t i = 0; is_live && i < g->outputs.count; i++) {
        struct flow_value of =
            flow_of(&run, *tn_list_at(&g->outputs, uint32_t, i));
        *result = flow_mix(*result, of.number);
        is_live = of.is_live && run.steps;
    }
    tn_arena_done(&arena);
    return is_live;
}

#endif
