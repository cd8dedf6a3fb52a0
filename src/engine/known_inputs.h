/*
 * known_inputs.h - facts about a node's inputs, as text
 *
 *   x:float32[2,?,3] axes:int64[2]=[0,1] "odd name":string="text"
 *
 *   text  := { item [,] }
 *   item  := name ':' type [ '[' dims ']' ] [ '=' value ]
 *   dims  := [ (number | '?') { ',' (number | '?') } ]
 *   value := one | '[' [ one { ',' one } ] ']'
 *   one   := number | true | false | nan | inf | "text"
 *
 * A name extends to the last colon before its type, or is in quotes.
 */
#ifndef TN_ENGINE_KNOWN_INPUTS_H
#define TN_ENGINE_KNOWN_INPUTS_H

#include <tenon/interpret.h>

#include "base/memory.h"
#include "map/dl4j/map_node.h"

struct tn_known_input {
    struct tn_bytes       name;
    struct tn_native_type type;
    bool                  has_value;
    struct tn_attr_value  value; /* INT, DOUBLE or STRING                     */
};

struct tn_known_inputs {
    struct tn_known_input *items;
    uint32_t               count;
};

/* The result is in the arena.  The error for a mistake has its byte offset. */
enum tn_status tn_known_inputs_read(struct tn_known_inputs *inputs,
                                    struct tn_arena        *arena,
                                    struct tn_bytes         text,
                                    struct tn_error        *error);

/* A context that also knows these inputs; keep it as long as `around`. */
struct tn_known_context {
    struct tn_interpret_context        around;
    const struct tn_interpret_context *before; /* may be NULL                 */
    struct tn_known_inputs             inputs;
    enum tn_framework                  framework;
    struct tn_arena                   *arena;
    struct tn_error                   *error;
};
enum tn_status tn_known_context_fill(struct tn_known_context           *known,
                                     const struct tn_interpret_context *before,
                                     enum tn_framework framework,
                                     struct tn_arena  *arena,
                                     struct tn_error  *error);

/* Fails if inputs were described that the node does not have. */
enum tn_status tn_known_context_check(const struct tn_known_context *known,
                                      const struct tn_map_node      *node,
                                      struct tn_error               *error);

#endif
