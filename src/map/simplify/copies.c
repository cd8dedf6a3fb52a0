/* copies.c - removes nodes that return a value that exists already */
#include "map/simplify/copies.h"

#include "map/net/net_build.h"

struct copying {
    struct tn_net            *net;
    const struct tn_copy_ops *ops;
    const bool               *is_output; /* by value                          */
    uint32_t                 *shapes;    /* by value: its sizes; TN_NONE: not
                                            requested yet */
    uint64_t value_count;
};

static bool is_op(const struct tn_net_node *node, const char *type)
{
    return type && !node->op->domain.size && tn_bytes_is(node->op->type, type);
}

/* Whether a cast returns its input unchanged. */
static bool is_idle(const struct tn_net *net, const struct tn_net_node *node)
{
    const struct tn_net_type *from = tn_net_value(net, node->inputs[0]).type;
    const struct tn_net_type *to   = tn_net_value(net, node->outputs[0]).type;

    return from->dtype != TN_UNDEFINED && from->dtype == to->dtype &&
           from->wrap == TN_NET_TENSOR && to->wrap == TN_NET_TENSOR;
}

/* The value that the node's only output is a copy of; TN_NONE: none. */
static uint32_t original_of(struct copying *c, const struct tn_net_node *node)
{
    uint32_t from = node->inputs[0], to = node->outputs[0];

    if (is_op(node, c->ops->identity) ||
        (is_op(node, c->ops->cast) && is_idle(c->net, node)))
        return from;
    if (!is_op(node, c->ops->shape) || node->attr_count)
        return TN_NONE;
    uint32_t known = c->shapes[from];
    if (known == TN_NONE)
        c->shapes[from] = to;
    /* A value of an inner graph cannot be used by another graph. */
    return known != TN_NONE && tn_net_value(c->net, known).graph == node->graph
               ? known
               : TN_NONE;
}

static bool remove_copy(struct copying *c, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(c->net, id);

    if (node.is_removed || node.input_count != 1 || node.output_count != 1 ||
        node.inputs[0] == TN_NONE || node.outputs[0] == TN_NONE ||
        node.inputs[0] >= c->value_count || c->is_output[node.outputs[0]])
        return false;
    uint32_t original = original_of(c, &node);
    if (original == TN_NONE)
        return false;
    tn_net_replace(c->net, node.outputs[0], original);
    tn_net_remove(c->net, id);
    return true;
}

uint64_t tn_remove_copies(struct tn_net *net, const struct tn_copy_ops *ops)
{
    struct copying  c     = { .net         = net,
                              .ops         = ops,
                              .value_count = net->values.count };
    uint64_t        count = 0;
    struct tn_arena arena;

    if (tn_net_has_controls(net))
        return 0;
    tn_arena_init(&arena, net->arena->memory);
    c.is_output = tn_net_find_outputs(net, &arena);
    c.shapes    = tn_new(&arena, uint32_t, c.value_count, net->error);
    for (uint64_t i = 0; c.shapes && i < c.value_count; i++)
        c.shapes[i] = TN_NONE;
    for (uint32_t g = 0; c.is_output && c.shapes && g < net->graphs.count;
         g++) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count && tn_net_goes_on(net); i++)
            count += remove_copy(&c, *tn_list_at(nodes, uint32_t, i));
    }
    tn_arena_done(&arena);
    tn_net_forget_uses(net);
    return count;
}
