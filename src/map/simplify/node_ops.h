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

/* The number that an attribute is; without it, or where it is something else,
 * `otherwise`. */
static inline int64_t tn_node_int(const struct tn_net_node *node,
                                  const char *name, int64_t otherwise)
{
    const struct tn_attr_value *attr = tn_net_attr(node, name);

    return attr && attr->kind == TN_ATTR_INT && attr->count == 1
               ? attr->of.ints[0]
               : otherwise;
}

#define TN_NODE_IS_AMONG(node, ops)                                            \
    tn_node_is_among(node, ops, sizeof(ops) / sizeof((ops)[0]))

#endif
