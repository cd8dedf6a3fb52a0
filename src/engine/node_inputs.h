/*
 * node_inputs.h - what is known of the inputs of one node
 *
 * By the caller, by the node's own attributes, and by the definition of its
 * operator.
 */
#ifndef TN_ENGINE_NODE_INPUTS_H
#define TN_ENGINE_NODE_INPUTS_H

#include <tenon/interpret.h>

#include "base/memory.h"
#include "ir/vocab.h"
#include "map/dl4j/map_node.h"

struct tn_node_input {
    const struct tn_vocab_arg *arg; /* how it is declared; NULL: nobody says  */
    struct tn_native_type      type;
    struct tn_bytes            tensor; /* its value; no data: not known       */
    const char                *value; /* of an assumed one: the same as text  */
};

/* A node and how its operator is defined. */
struct tn_node_known {
    const struct tn_map_node          *node;
    const struct tn_vocab_op          *definition; /* NULL: not known         */
    const struct tn_interpret_context *context;    /* may be NULL             */
};

/* One for each input of the node, in the arena. */
enum tn_status tn_node_inputs(const struct tn_node_known *known,
                              struct tn_arena            *arena,
                              struct tn_node_input      **inputs,
                              struct tn_error            *error);

/* The attribute that the node has, or its default; NULL: neither. */
const struct tn_attr_value *tn_node_value(const struct tn_node_known *known,
                                          struct tn_bytes             name);

/* How many inputs each list has that is counted by that attribute.  Without the
 * attribute this follows from the number of inputs; false: it does not. */
bool tn_node_count(const struct tn_node_known *known, struct tn_bytes attr,
                   uint32_t *count);

/* Element types that an argument may have: bits by enum tn_dtype; 0: any. */
uint64_t tn_node_types(const struct tn_node_known *known,
                       const struct tn_vocab_arg  *arg);

/* Inputs of one variable are of one type: where it is known of one, it is of
 * the others. */
void tn_node_share_types(const struct tn_node_known *known,
                         struct tn_node_input       *inputs);

#endif
