/*
 * net_text.h - a net as text, for tests that hold it against what they expect
 *
 *   a:Add(x,y) i:If(c)[then_branch{...;->p} else_branch{...;->q}] ->i
 */
#ifndef TN_TESTS_NET_TEXT_H
#define TN_TESTS_NET_TEXT_H

#include "base/buffer.h"
#include "map/net/net.h"

static struct tn_bytes net_text_what(const struct tn_net       *net,
                                     const struct tn_net_value *value)
{
    if (value->producer == TN_NONE)
        return tn_text("const");
    return tn_net_node(net, value->producer).op->type;
}

/* As lay-out would call it. */
static void net_text_value(struct tn_buffer *to, const struct tn_net *net,
                           uint32_t id)
{
    const struct tn_net_value value = tn_net_value(net, id);
    unsigned                  same  = 0;

    tn_buffer_add(to, value.name);
    if (!value.is_inner)
        return;
    struct tn_bytes what = net_text_what(net, &value);
    for (uint32_t i = 0; i < id; i++) {
        const struct tn_net_value other = tn_net_value(net, i);
        same += other.is_inner && tn_bytes_equal(other.name, value.name) &&
                tn_bytes_equal(net_text_what(net, &other), what);
    }
    tn_buffer_format(to, "/%.*s", TN_FMT(what));
    if (same)
        tn_buffer_format(to, "_%u", same);
}

static void net_text_values(struct tn_buffer *to, const struct tn_net *net,
                            const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            tn_buffer_byte(to, ',');
        if (values[i] != TN_NONE)
            net_text_value(to, net, values[i]);
    }
}

static void net_text_graph(struct tn_buffer *to, const struct tn_net *net,
                           uint32_t graph);

static void net_text_node(struct tn_buffer *to, const struct tn_net *net,
                          const struct tn_net_node *node)
{
    net_text_values(to, net, node->outputs, node->output_count);
    tn_buffer_byte(to, ':');
    tn_buffer_add(to, node->op->type);
    tn_buffer_byte(to, '(');
    net_text_values(to, net, node->inputs, node->input_count);
    tn_buffer_byte(to, ')');
    for (uint32_t i = 0; i < node->attr_count; i++) {
        if (node->attrs[i].value.kind != TN_ATTR_GRAPH)
            continue;
        tn_buffer_byte(to, '[');
        net_text_graph(to, net, (uint32_t)node->attrs[i].value.of.ints[0]);
        tn_buffer_byte(to, ']');
    }
    tn_buffer_byte(to, ' ');
}

static void net_text_graph(struct tn_buffer *to, const struct tn_net *net,
                           uint32_t graph)
{
    if (graph >= net->graphs.count) {
        tn_buffer_text(to, "no graph");
        return;
    }
    const struct tn_net_graph *g = tn_net_graph(net, graph);
    if (graph && g->inputs.count) {
        net_text_values(to, net, g->inputs.items, (uint32_t)g->inputs.count);
        tn_buffer_text(to, "| ");
    }
    for (uint64_t i = 0; i < g->nodes.count; i++) {
        const struct tn_net_node node =
            tn_net_node(net, *tn_list_at(&g->nodes, uint32_t, i));
        if (!node.is_removed)
            net_text_node(to, net, &node);
    }
    tn_buffer_text(to, "->");
    net_text_values(to, net, g->outputs.items, (uint32_t)g->outputs.count);
}

#endif
