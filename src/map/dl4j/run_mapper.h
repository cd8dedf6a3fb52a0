/* run_mapper.h - a mapper at work: one node in, one op descriptor out */
#ifndef TN_MAP_RUN_MAPPER_H
#define TN_MAP_RUN_MAPPER_H

#include "ir/vocab.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/mapper.h"
#include "map/dl4j/rule_table.h"

struct tn_map_job {
    const struct tn_mapper        *mapper;
    const struct tn_op_descriptor *target;
    const struct tn_vocab_op      *definition; /* NULL: not known         */
    const struct tn_map_node      *node;
    const struct tn_map_context   *context; /* may be NULL                */
    struct tn_list *made; /* struct tn_map_made; NULL: not wanted             */
};

/* Everything the descriptor points to is in the arena, or lives as long as the
 * target's declaration does.
 *
 * Its `args` are what the rules gave, in their order; its lists are what the op
 * is called with.  Inputs are the node's own, in the node's order, after the
 * mapper's overrides: rules that place tensors only declare which is which. */
enum tn_status tn_map_run(const struct tn_map_job *job,
                          struct tn_op_descriptor *out, struct tn_arena *arena,
                          struct tn_error *error);

/* The same against ops that were declared elsewhere: their inputs and outputs
 * may have other names. */
enum tn_status tn_mapper_check_loosely(const struct tn_mapper        *mapper,
                                       const struct tn_op_descriptor *target,
                                       const struct tn_vocab_op *definition,
                                       struct tn_error          *error);

/* Rules that contradict the framework's definition or the target's: refused at
 * the rule.  What is not known is not checked. */
enum tn_status tn_mapper_check(const struct tn_mapper        *mapper,
                               const struct tn_op_descriptor *target,
                               const struct tn_vocab_op      *definition,
                               struct tn_error               *error);

#endif
