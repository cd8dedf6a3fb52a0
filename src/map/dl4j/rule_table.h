/*
 * rule_table.h - the functions that rules name, and what they work with
 *
 * A function reads attributes and inputs of one node and emits arguments.  The
 * table lists what each accepts and returns, so that a rule that cannot work is
 * refused when it is loaded.
 */
#ifndef TN_MAP_RULE_TABLE_H
#define TN_MAP_RULE_TABLE_H

#include "ir/vocab.h"
#include "map/dl4j/map_tensor.h"
#include "map/dl4j/mapper.h"

/* What a function accepts, as bits: kinds of attributes, and inputs, which
 * count as tensors. */
#define TN_FROM_INT        (1u << 0)
#define TN_FROM_FLOAT      (1u << 1)
#define TN_FROM_BOOL       (1u << 2)
#define TN_FROM_STRING     (1u << 3)
#define TN_FROM_DTYPE      (1u << 4)
#define TN_FROM_SHAPE      (1u << 5)
#define TN_FROM_TENSOR     (1u << 6)
#define TN_FROM_OTHER      (1u << 7)
#define TN_FROM_LIST(bits) ((bits) << 8)
#define TN_FROM_ANY        0xffffu

/* What it returns, as bits by enum tn_arg_type. */
#define TN_GIVES(type) (1u << TN_ARG_##type)

/* Finds the value of an input, in the arena; *is_known is false if it is
 * unknown.  A failure means that a known value cannot be read. */
typedef enum tn_status tn_map_constant(void *context, struct tn_bytes name,
                                       struct tn_map_tensor *tensor,
                                       bool *is_known, struct tn_arena *arena,
                                       struct tn_error *error);

/* What is known about the inputs of a node. */
struct tn_map_context {
    bool is_strict; /* a rule that needs an unknown value fails, else it gets 0
                     */
    tn_map_constant *constant; /* NULL: no value is known                     */
    void            *context;
};

/* A tensor that a rule made, and its bytes in the descriptor. */
struct tn_map_made {
    const uint8_t       *bytes; /* tn_arg.tensor.data                         */
    struct tn_map_tensor tensor;
};

/* The application of one rule to one node: what a function sees. */
struct tn_rule_call {
    const struct tn_map_node      *node;
    const struct tn_vocab_op      *definition; /* NULL: not known         */
    const struct tn_mapper        *mapper;
    const struct tn_map_rule      *rule;
    const struct tn_op_descriptor *target;
    const struct tn_map_context   *context; /* may be NULL                */
    struct tn_list                *args;    /* struct tn_arg                 */
    struct tn_list                *made;    /* struct tn_map_made, or NULL   */
    struct tn_arena               *arena;
    struct tn_error               *error;
};

struct tn_map_function {
    const char *name;
    bool        places_tensors;
    unsigned    from, to;
    /* One of these is set: called for each pair of the rule, or for the rule as
     * a whole, or a function of the caller. */
    enum tn_status (*each)(struct tn_rule_call      *call,
                           const struct tn_map_pair *pair);
    enum tn_status (*run)(struct tn_rule_call *call);
    tn_rule_function *custom;
    void             *context;
};

/* All functions; each table ends with a row without a name. */
extern const struct tn_map_function tn_map_functions_of_tensors[];
extern const struct tn_map_function tn_map_functions_of_attributes[];

/* By the name in a rule file; NULL if there is none. */
const struct tn_map_function *tn_map_function_find(struct tn_bytes name);

/* By position, NULL at the end: for callers that need all. */
const struct tn_map_function *tn_map_function_at(unsigned index);

/* The function that connects attributes by name, for short notations. */
#define TN_MAP_COPY    "valuemapping"
#define TN_MAP_TENSORS "ndarraymapping"

#endif
