/*
 * map_node.h - a node of a framework, taken out of its bytes
 *
 * A tensorflow.NodeDef, an onnx.NodeProto or an OpDesc of Paddle, as far as
 * rules look at it.  Names and strings are views of the bytes; the rest is in
 * the arena.  A tensor in an attribute stays encoded: kind TN_ATTR_OTHER, with
 * the bytes of the framework's TensorProto.
 */
#ifndef TN_MAP_MAP_NODE_H
#define TN_MAP_MAP_NODE_H

#include <tenon/graph.h>

#include "base/memory.h"

/* Constants of Paddle, which has no message for them, are ONNX's. */
enum tn_framework {
    TN_FRAMEWORK_TENSORFLOW,
    TN_FRAMEWORK_ONNX,
    TN_FRAMEWORK_PADDLE,
    TN_FRAMEWORK_COUNT,
};

struct tn_map_attr {
    struct tn_bytes      name;
    struct tn_attr_value value;
};

struct tn_map_node {
    enum tn_framework      framework;
    struct tn_bytes        name, op_type, domain;
    const struct tn_bytes *inputs; /* data only; "" is one not given       */
    uint32_t               input_count;
    const struct tn_bytes *outputs; /* ONNX, Paddle: as the node has them;
                                       "" is one that nobody wants         */
    uint32_t                  output_count;
    const struct tn_bytes    *slots; /* Paddle: by input, its parameter       */
    const struct tn_map_attr *attrs;
    uint32_t                  attr_count;
};

enum tn_status tn_map_node_read(struct tn_map_node *node,
                                enum tn_framework   framework,
                                struct tn_bytes bytes, struct tn_arena *arena,
                                struct tn_error *error);

/* The node's own; NULL: it has none of that name. */
const struct tn_map_attr *tn_map_node_attr(const struct tn_map_node *node,
                                           struct tn_bytes           name);

/* "tensorflow", "onnx", "paddle" */
const char *tn_framework_name(enum tn_framework framework);

/* The one of that name; false: there is none. */
bool tn_framework_named(struct tn_bytes name, enum tn_framework *framework);

#endif
