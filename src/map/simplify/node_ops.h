/* node_ops.h - is a node one of these operators of ONNX's own? */
#ifndef TN_MAP_NODE_OPS_H
#define TN_MAP_NODE_OPS_H

#include "map/net/net.h"

static inline bool tn_node_is(const struct tn_net_node *node, const char *op)
{
    return !node->op->domain.size && tn_bytes_is(node->op->type, op);
}

static inline bool tn_node_is_among(const struct tn_net_node *node,
                                    const char *const *ops, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tn_node_is(node, ops[i]))
            return true;
    return false;
}

#define TN_NODE_IS_AMONG(node, ops)                                            \
    tn_node_is_among(node, ops, sizeof(ops) / sizeof((ops)[0]))

#endif
