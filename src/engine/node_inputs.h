/*
 * node_inputs.h - facts about the inputs of one node
 *
 * From the caller, from the node's own attributes, and from the definition of
 * its operator.
 */
#ifndef TN_ENGINE_NODE_INPUTS_H
#define TN_ENGINE_NODE_INPUTS_H

#include <tenon/interpret.h>

#include "base/memory.h"
#include "ir/vocab.h"
#include "map/dl4j/map_node.h"

struct tn_node_input {
    const struct tn_vocab_arg *arg; /* its declaration; NULL if there is none */
    struct tn_native_type      type;
    struct tn_bytes            tensor; /* its value; no data: unknown         */
    const char                *value; /* of an assumed one: the same as text  */
};

/* A node and the definition of its operator. */
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

/* The node's attribute, or its default; NULL if it has neither. */
const struct tn_attr_value *tn_node_value(const struct tn_node_known *known,
                                          struct tn_bytes             name);

/* The length of the lists of inputs that this attribute counts.  Without the
 * attribute it follows from the number of inputs; false if it cannot. */
bool tn_node_count(const struct tn_node_known *known, struct tn_bytes attr,
                   uint32_t *count);

/* Element types that an argument may have: bits by enum tn_dtype; 0: any. */
uint64_t tn_node_types(const struct tn_node_known *known,
                       const struct tn_vocab_arg  *arg);

/* Inputs of one type variable have one type: what is known of one holds for the
 * others. */
void tn_node_share_types(const struct tn_node_known *known,
                         struct tn_node_input       *inputs);

#endif
