/* run_mapper.h - applies a mapper: from one node to one op descriptor */
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
 * Its `args` are what the rules emitted, in their order; its lists are the
 * arguments of the call.  Inputs are those of the node, in the node's order,
 * after the mapper's overrides: tensor rules only declare which is which. */
enum tn_status tn_map_run(const struct tn_map_job *job,
                          struct tn_op_descriptor *out, struct tn_arena *arena,
                          struct tn_error *error);

/* The same for ops that were declared elsewhere: their inputs and outputs may
 * have other names. */
enum tn_status tn_mapper_check_loosely(const struct tn_mapper        *mapper,
                                       const struct tn_op_descriptor *target,
                                       const struct tn_vocab_op *definition,
                                       struct tn_error          *error);

/* Fails, with the place of the rule, if a rule contradicts the definition of
 * the framework's op or of the target.  What is unknown is not checked. */
enum tn_status tn_mapper_check(const struct tn_mapper        *mapper,
                               const struct tn_op_descriptor *target,
                               const struct tn_vocab_op      *definition,
                               struct tn_error               *error);

#endif
