/*
 * net_choices.h - nets with loops out of choices, for fuzzers of what changes
 * nets
 *
 *   u8   0: the graph ends; 1..n: an operator of the palette, then a u8 for its
 *        attribute and one for each input; n + 1: a constant; n + 2: a Loop
 *
 * An input is counted back from the newest value that the graph can see; 255 is
 * an input that is left out.  A Loop is
 *
 *   u8   variables, u8 scan outputs, then its inputs, the nodes of the body up
 *        to its end, and what the body gives
 */
#ifndef TN_TESTS_NET_CHOICES_H
#define TN_TESTS_NET_CHOICES_H

#include <assert.h>

#include "map/net/net_build.h"
#include "support/choices.h"

#define NET_CHOICES_SEEN  96
#define NET_CHOICES_NODES 120
#define NET_CHOICES_DEPTH 3
#define NET_CHOICES_IO    5

struct net_choice {
    const char *type;
    uint32_t    inputs, outputs;
    const char *attr; /* an integer: 0, 1, 2 or -1, but perm is 1, 0, 2 and
                         time_axis brings batch_axis; NULL: none              */
};

struct net_choices {
    struct tn_net           *net;
    struct tn_choices        choices;
    const struct net_choice *palette;
    uint32_t                 palette_count;
    uint32_t                 seen[NET_CHOICES_SEEN];
    uint32_t                 seen_count, nodes, depth;
};

static inline uint32_t net_choices_see(struct net_choices *m, uint32_t value)
{
    if (m->seen_count < NET_CHOICES_SEEN && value != TN_NONE)
        m->seen[m->seen_count++] = value;
    return value;
}

/* A value of a type, as an input of the main graph. */
static inline void net_choices_input(struct net_choices *m, const char *name,
                                     enum tn_dtype dtype, uint32_t rank,
                                     const int64_t *dims)
{
    uint32_t value = tn_net_add_value(m->net, 0, tn_text(name));

    if (value == TN_NONE)
        return;
    tn_net_set_type(
        m->net, value,
        &(struct tn_net_type){
            .dtype = dtype, .has_rank = true, .rank = rank, .dims = dims });
    tn_net_add_input(m->net, 0, value, tn_text(name));
    net_choices_see(m, value);
}

static inline uint32_t net_choices_value(struct net_choices *m)
{
    uint32_t back = tn_choose(&m->choices, 256);

    if (back == 255 || !m->seen_count)
        return TN_NONE;
    return m->seen[m->seen_count - 1 - back % m->seen_count];
}

static inline uint32_t net_choices_constant(struct net_choices *m,
                                            uint32_t            graph)
{
    static const int64_t lists[][2] = {
        { 0, 0 }, { 1, 1 }, { 2, 2 }, { -1, 0 },  { -INT64_MAX, 0 },
        { 4, 4 }, { 0, 4 }, { 8, 8 }, { 12, 12 }, { 16, 0 }
    };
    static const double reals[] = { 0, 1, 0.5 };
    uint32_t            kind    = tn_choose(&m->choices, 5);
    const int64_t      *list    = TN_CHOOSE(&m->choices, lists);
    uint64_t            count   = kind == 2 ? 2 : 1;
    double              real    = reals[(uint64_t)list[0] % 3];

    if (kind < 3)
        return tn_net_add_ints(m->net, graph, tn_text("k"), TN_INT64, list,
                               kind != 0, &count);
    if (kind == 3)
        return tn_net_add_ints(m->net, graph, tn_text("k"), TN_INT32, list, 0,
                               NULL);
    return tn_net_add_doubles(m->net, graph, tn_text("k"), TN_FLOAT32, &real, 0,
                              NULL);
}

static inline void net_choices_attr(struct net_choices *m, uint32_t node,
                                    const char *name)
{
    static const int64_t numbers[] = { 0, 1, 2, -1 }, perm[] = { 1, 0, 2 };
    bool                 is_list = strcmp(name, "perm") == 0;
    uint32_t             index   = tn_choose(&m->choices, 4);

    tn_net_set_attr(
        m->net, node, name,
        &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                 .count   = is_list ? 3 : 1,
                                 .is_list = is_list,
                                 .of.ints = is_list ? perm : &numbers[index] });
    if (strcmp(name, "time_axis") == 0)
        tn_net_set_attr(m->net, node, "batch_axis",
                        &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                 .count   = 1,
                                                 .of.ints = &numbers[!index] });
}

static inline uint32_t net_choices_node(struct net_choices *m, uint32_t graph,
                                        const char     *type,
                                        const uint32_t *inputs,
                                        uint32_t        input_count,
                                        uint32_t        output_count)
{
    uint32_t outputs[2 * NET_CHOICES_IO];

    for (uint32_t i = 0; i < output_count; i++)
        outputs[i] =
            net_choices_see(m, tn_net_add_value(m->net, graph, tn_text("v")));
    m->nodes++;
    return tn_net_add_node(
        m->net, &(struct tn_net_node){ .name   = tn_text("n"),
                                       .op     = tn_net_own_op(m->net, type),
                                       .graph  = graph,
                                       .inputs = inputs,
                                       .input_count  = input_count,
                                       .outputs      = outputs,
                                       .output_count = output_count,
                                       .source       = TN_NONE });
}

static inline void net_choices_op(struct net_choices *m, uint32_t graph,
                                  const struct net_choice *op)
{
    struct net_choices before = *m;
    uint32_t           inputs[2 * NET_CHOICES_IO];

    if (op->attr)
        tn_choose(&m->choices, 4);
    for (uint32_t i = 0; i < op->inputs; i++)
        inputs[i] = net_choices_value(m);
    uint32_t node =
        net_choices_node(m, graph, op->type, inputs, op->inputs, op->outputs);
    if (op->attr && node != TN_NONE)
        net_choices_attr(&before, node, op->attr);
}

static inline void net_choices_fill(struct net_choices *m, uint32_t graph);

static inline void net_choices_loop(struct net_choices *m, uint32_t graph)
{
    struct tn_net *net       = m->net;
    uint32_t       variables = tn_choose(&m->choices, NET_CHOICES_IO);
    uint32_t       scans     = tn_choose(&m->choices, NET_CHOICES_IO);
    uint32_t       inputs[2 + NET_CHOICES_IO];
    int64_t       *body = tn_new(net->arena, int64_t, 1, net->error);

    for (uint32_t i = 0; i < 2 + variables; i++)
        inputs[i] = net_choices_value(m);
    uint32_t seen = m->seen_count;
    uint32_t id = tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("b"), graph);
    if (!body || id == TN_NONE)
        return;
    *body = id;
    for (uint32_t i = 0; i < 2 + variables; i++) {
        uint32_t value = tn_net_add_value(net, id, tn_text("i"));
        if (value == TN_NONE)
            return;
        if (i < 2)
            tn_net_set_scalar(net, value, i ? TN_BOOL : TN_INT64);
        tn_net_add_input(net, id, value, tn_bytes(NULL, 0));
        net_choices_see(m, value);
    }
    net_choices_fill(m, id);
    for (uint32_t i = 0; i < 1 + variables + scans; i++) {
        uint32_t value = net_choices_value(m);
        tn_net_add_output(net, id, value == TN_NONE ? m->seen[0] : value,
                          tn_bytes(NULL, 0));
    }
    m->seen_count = seen;
    uint32_t node = net_choices_node(m, graph, "Loop", inputs, 2 + variables,
                                     variables + scans);
    if (node != TN_NONE)
        tn_net_set_attr(net, node, "body",
                        &(struct tn_attr_value){ .kind    = TN_ATTR_GRAPH,
                                                 .count   = 1,
                                                 .of.ints = body });
}

static inline void net_choices_fill(struct net_choices *m, uint32_t graph)
{
    m->depth++;
    while (m->nodes < NET_CHOICES_NODES && !tn_failed(m->net->error)) {
        uint32_t op = tn_choose(&m->choices, m->palette_count + 3);
        if (op == 0)
            break;
        if (op <= m->palette_count)
            net_choices_op(m, graph, &m->palette[op - 1]);
        else if (op == m->palette_count + 1)
            net_choices_see(m, net_choices_constant(m, graph));
        else if (m->depth < NET_CHOICES_DEPTH)
            net_choices_loop(m, graph);
    }
    m->depth--;
}

/* The last values are what the main graph gives. */
static inline void net_choices_end(struct net_choices *m)
{
    for (uint32_t i = 0; i < NET_CHOICES_IO && i < m->seen_count; i++)
        tn_net_add_output(m->net, 0, m->seen[m->seen_count - 1 - i],
                          tn_bytes(NULL, 0));
}

static inline bool net_choices_is_inside(const struct tn_net *net,
                                         uint32_t graph, uint32_t of)
{
    for (; graph != TN_NONE; graph = tn_net_graph(net, graph)->parent)
        if (graph == of)
            return true;
    return false;
}

/* Every value that is used is made by a node that is there, in the same graph
 * or in one around it, or is an input or a constant. */
static inline void net_choices_check_use(const struct tn_net *net,
                                         uint32_t graph, uint32_t value)
{
    const struct tn_net_value v = tn_net_value(net, value);

    assert(net_choices_is_inside(net, graph, v.graph));
    assert(v.producer == TN_NONE || !tn_net_node(net, v.producer).is_removed);
}

static inline void net_choices_check(const struct tn_net *net)
{
    for (uint32_t g = 0; g < net->graphs.count; g++) {
        const struct tn_net_graph *graph = tn_net_graph(net, g);
        for (uint64_t i = 0; i < graph->nodes.count; i++) {
            const struct tn_net_node node =
                tn_net_node(net, *tn_list_at(&graph->nodes, uint32_t, i));
            for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
                if (node.inputs[k] != TN_NONE)
                    net_choices_check_use(net, g, node.inputs[k]);
        }
        if (g)
            continue; /* outputs of bodies that are no longer there */
        for (uint64_t i = 0; i < graph->outputs.count; i++)
            net_choices_check_use(net, g,
                                  *tn_list_at(&graph->outputs, uint32_t, i));
    }
}

#endif
