/* loops.c - removes states of loops that are not needed */
#include "map/simplify/loops.h"

#include "map/flow/flow_loop.h"
#include "map/net/net_build.h"

struct loop {
    struct tn_flow_loop of;
    struct tn_net      *net;
    const bool         *is_used; /* by value: by a node, or as an output      */
};

static struct tn_net_node node_of(const struct loop *l)
{
    return tn_net_node(l->net, l->of.node);
}

static uint32_t state_count(const struct loop *l)
{
    return node_of(l).input_count - 2;
}

/* The initial value of a state, and its final one. */
static uint32_t before(const struct loop *l, uint32_t state)
{
    return node_of(l).inputs[state + 2];
}

static uint32_t after(const struct loop *l, uint32_t state)
{
    return node_of(l).outputs[state];
}

/* The value of a state in the body, and its value for the next round. */
static uint32_t inside(const struct loop *l, uint32_t state)
{
    return tn_flow_loop_in(&l->of, state + 2);
}

static uint32_t next(const struct loop *l, uint32_t state)
{
    return tn_flow_loop_out(&l->of, state + 1);
}

/* One number of 64 bits, as the runtime counts. */
static bool is_counter(const struct tn_net *net, uint32_t value)
{
    const struct tn_net_type *type = tn_net_value(net, value).type;

    return type->dtype == TN_INT64 && type->wrap == TN_NET_TENSOR &&
           type->has_rank && type->rank == 0;
}

/* ---- counting ----------------------------------------------------------- */

/* Less(count, most), or that and something else. */
struct condition {
    uint32_t count, most, rest; /* TN_NONE: nothing else                      */
};

static bool read_condition(const struct tn_net *net, uint32_t value,
                           struct condition *c)
{
    uint32_t less = tn_flow_maker(net, value, "Less", 2);
    uint32_t both = tn_flow_maker(net, value, "And", 2);
    uint32_t rest = TN_NONE;

    for (unsigned i = 0; both != TN_NONE && less == TN_NONE && i < 2; i++) {
        less = tn_flow_maker(net, tn_net_node(net, both).inputs[i], "Less", 2);
        rest = tn_net_node(net, both).inputs[1 - i];
    }
    if (less == TN_NONE)
        return false;
    *c = (struct condition){ tn_net_node(net, less).inputs[0],
                             tn_net_node(net, less).inputs[1], rest };
    return true;
}

/* Whether it is this number of the round that `value` compares. */
static bool is_counted_by(const struct loop *l, uint32_t state, uint32_t value)
{
    return next(l, state) == value && is_counter(l->net, inside(l, state)) &&
           tn_flow_counts_rounds(&l->of, state);
}

/* The initial condition of the loop, besides 0 < most; false if it is another
 * one. */
static bool read_start(const struct loop *l, uint32_t start, uint32_t most,
                       uint32_t *rest)
{
    struct condition c;
    double           number;

    if (read_condition(l->net, start, &c) && c.most == most &&
        tn_flow_is_number(l->net, c.count, 0)) {
        *rest = c.rest;
        return true;
    }
    /* Of a constant, 0 < most has been computed. */
    *rest = tn_flow_is_number(l->net, start, 1) ? TN_NONE : start;
    return start != TN_NONE && tn_flow_constant(l->net, most, &number) &&
           number > 0;
}

/* Whether the body can see the value that the node takes. */
static bool is_outside(const struct loop *l, uint32_t value)
{
    uint32_t graph = tn_net_value(l->net, value).graph;

    for (uint32_t g = l->of.body; g != TN_NONE;
         g          = tn_net_graph(l->net, g)->parent)
        if (g == graph)
            return g != l->of.body;
    return false;
}

static uint32_t make_true(struct tn_net *net, uint32_t graph)
{
    static const int64_t yes = 1;

    return tn_net_add_ints(net, graph, tn_text(""), TN_BOOL, &yes, 0, NULL);
}

/* The state that equals the number of the round: its value in the body, or
 * TN_NONE. */
static uint32_t count_by_itself(struct loop *l)
{
    struct tn_net     *net  = l->net;
    struct tn_net_node node = node_of(l);
    struct condition   c;
    uint32_t           rest, state = 0;

    if (node.inputs[0] != TN_NONE ||
        !read_condition(net, tn_flow_loop_out(&l->of, 0), &c) ||
        !is_counter(net, c.most) || !is_outside(l, c.most))
        return TN_NONE;
    while (state < state_count(l) && !is_counted_by(l, state, c.count))
        state++;
    if (state == state_count(l) ||
        !read_start(l, node.inputs[1], c.most, &rest))
        return TN_NONE;
    uint32_t *inputs =
        tn_new(net->arena, uint32_t, node.input_count, net->error);
    if (!inputs)
        return TN_NONE;
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    inputs[0] = c.most;
    inputs[1] = rest == TN_NONE ? make_true(net, node.graph) : rest;
    tn_net_set_inputs(net, l->of.node, inputs, node.input_count);
    /* While it runs, the initial condition is true. */
    *tn_list_at(&tn_net_graph(net, l->of.body)->outputs, uint32_t, 0) =
        c.rest == TN_NONE ? tn_flow_loop_in(&l->of, 1) : c.rest;
    uint32_t round   = tn_flow_loop_in(&l->of, 0);
    uint32_t counter = inside(l, state);
    tn_net_set_type(net, round, tn_net_value(net, counter).type);
    tn_net_replace(net, counter, round);
    return counter;
}

/* Whether it only limits the number of the round to the number of rounds, or
 * counts from the end if it is below 0: then it is always the number itself. */
static bool is_round_again(const struct loop *l, const struct tn_net_node *node)
{
    uint32_t round = tn_flow_loop_in(&l->of, 0);
    uint32_t most  = node_of(l).inputs[0];

    if (node->is_removed || node->op->domain.size)
        return false;
    if (tn_bytes_is(node->op->type, "Mod") && node->input_count == 2)
        return most != TN_NONE && node->inputs[0] == round &&
               node->inputs[1] == most;
    if (!tn_bytes_is(node->op->type, "Where") || node->input_count != 3 ||
        node->inputs[2] != round)
        return false;
    uint32_t less = tn_flow_maker(l->net, node->inputs[0], "Less", 2);
    return less != TN_NONE && tn_net_node(l->net, less).inputs[0] == round &&
           tn_flow_is_number(l->net, tn_net_node(l->net, less).inputs[1], 0);
}

static bool drop_copies_of_round(struct loop *l)
{
    struct tn_net        *net         = l->net;
    const struct tn_list *nodes       = &tn_net_graph(net, l->of.body)->nodes;
    bool                  has_dropped = false;

    for (uint64_t i = 0; i < nodes->count; i++) {
        uint32_t                 id   = *tn_list_at(nodes, uint32_t, i);
        const struct tn_net_node node = tn_net_node(net, id);
        if (!is_round_again(l, &node))
            continue;
        tn_net_replace(net, node.outputs[0], tn_flow_loop_in(&l->of, 0));
        tn_net_remove(net, id);
        has_dropped = true;
    }
    return has_dropped;
}

/* ---- states ------------------------------------------------------------- */

/* Whether the body returns it unchanged. */
static bool stays(const struct loop *l, uint32_t state)
{
    return before(l, state) != TN_NONE && after(l, state) != TN_NONE &&
           next(l, state) == inside(l, state) &&
           is_outside(l, before(l, state));
}

/* Nothing uses it, neither in the body nor after the loop. */
static bool is_idle(const struct loop *l, uint32_t state, bool was_counted)
{
    uint32_t result = after(l, state);

    if (result != TN_NONE && l->is_used[result])
        return false;
    return was_counted || !l->is_used[inside(l, state)];
}

/* `counter` is the value in the body of a state that equals the number of the
 * round. */
static bool drop_states(struct loop *l, uint32_t counter)
{
    bool has_dropped = false;

    for (uint32_t i = state_count(l); i-- > 0 && !tn_failed(l->net->error);) {
        uint32_t given = before(l, i), result = after(l, i);
        uint32_t state     = inside(l, i);
        bool     is_passed = stays(l, i);
        if (!is_passed && !is_idle(l, i, state == counter))
            continue;
        tn_flow_loop_drop(&l->of, i);
        if (is_passed) {
            tn_net_replace(l->net, state, given);
            tn_net_replace(l->net, result, given);
        }
        has_dropped = true;
    }
    return has_dropped;
}

/* ---- all of them -------------------------------------------------------- */

static bool simplify_loop(struct loop *l)
{
    uint32_t counter     = count_by_itself(l);
    bool     has_dropped = drop_states(l, counter);

    return drop_copies_of_round(l) || has_dropped || counter != TN_NONE;
}

static bool *find_used(struct tn_net *net, struct tn_arena *arena)
{
    bool *is_used = tn_net_find_outputs(net, arena);

    for (uint32_t i = 0; is_used && i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                is_used[node.inputs[k]] = true;
    }
    return is_used;
}

uint64_t tn_simplify_loops(struct tn_net *net)
{
    struct loop     l     = { .net = net };
    uint64_t        count = 0;
    struct tn_arena arena;

    if (net->graphs.count < 2)
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    l.is_used     = find_used(net, &arena);
    uint32_t last = (uint32_t)net->nodes.count;
    for (uint32_t i = 0; l.is_used && i < last && tn_net_goes_on(net); i++)
        if (tn_flow_loop(&l.of, net, i) && !tn_net_node(net, i).control_count)
            count += simplify_loop(&l);
    if (count && !tn_failed(net->error)) {
        tn_net_prune(net);
        tn_net_forget_uses(net);
        tn_net_order(net, NULL);
    }
    tn_arena_done(&arena);
    return count;
}
