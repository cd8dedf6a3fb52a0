/*
 * map_node.h - a node as the rules of the import IR see it
 *
 * Inputs and outputs are identified by name, as in the framework's own message.
 * A node comes from a model (here) or from a net (map/lang/lang_dl4j.c).
 */
#ifndef TN_MAP_MAP_NODE_H
#define TN_MAP_MAP_NODE_H

#include <tenon/graph.h>

#include "base/memory.h"

/* Paddle has no message for constants; it uses ONNX's. */
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
    const struct tn_bytes *inputs; /* data inputs only; "": not given */
    uint32_t               input_count;
    const struct tn_bytes *outputs; /* ONNX, Paddle: as in the node; "": not
                                       used                                   */
    uint32_t                  output_count;
    const struct tn_bytes    *slots; /* Paddle: by input, its parameter       */
    const struct tn_map_attr *attrs;
    uint32_t                  attr_count;
};

/* Takes a node from a model, which was opened with its graph and must outlive
 * the node.  MALFORMED: the node has no op type, or an input of TensorFlow is
 * neither NODE nor NODE:NUMBER. */
enum tn_status tn_map_node_take(struct tn_map_node    *node,
                                enum tn_framework      framework,
                                const struct tn_model *model, uint32_t op,
                                struct tn_arena *arena, struct tn_error *error);

static inline bool tn_map_node_has_input(const struct tn_map_node *node,
                                         struct tn_bytes           name)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tn_bytes_equal(node->inputs[i], name))
            return true;
    return false;
}

/* NULL if the node has no attribute of that name. */
const struct tn_map_attr *tn_map_node_attr(const struct tn_map_node *node,
                                           struct tn_bytes           name);

/* "tensorflow", "onnx", "paddle" */
const char *tn_framework_name(enum tn_framework framework);

/* The framework of that name; false if there is none. */
bool tn_framework_named(struct tn_bytes name, enum tn_framework *framework);

#endif
