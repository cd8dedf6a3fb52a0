/*
 * one_node.h - a model that has nothing but one node
 *
 * Rules carry models, not nodes.  So a node that is to be interpreted becomes
 * the only one of a model: what it reads are inputs, or constants where their
 * values are known, and what it makes are outputs.
 */
#ifndef TN_ENGINE_ONE_NODE_H
#define TN_ENGINE_ONE_NODE_H

#include <tenon/interpret.h>

#include "base/buffer.h"
#include "ir/vocab.h"
#include "map/dl4j/map_node.h"

struct tn_one_node {
    struct tn_bytes                    bytes; /* as it was given              */
    const struct tn_map_node          *node;  /* the same, read               */
    const struct tn_vocab_op          *definition; /* NULL: not known         */
    const struct tn_interpret_context *context;
    bool assumes_types; /* what nothing tells is float32, where it may be     */
    const char *output; /* the only one that is wanted; NULL: all             */

    /* Filled in. */
    bool lacks_types; /* of an input nothing told the element type            */
    struct tn_bytes *names; /* by input: what the model calls it             */
};

/* Appends the model: a GraphDef or a ModelProto.  What is filled in lives in
 * the arena. */
enum tn_status tn_one_node_write(struct tn_one_node *one,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error);

/* What the node calls what the model calls so. */
struct tn_bytes tn_one_node_name(const struct tn_one_node *one,
                                 struct tn_bytes           name);

#endif
