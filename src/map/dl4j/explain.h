/*
 * explain.h - what a mapper reads, ignores and sets, and its known mistakes
 *
 * Some rules that Deeplearning4j ships are known to give results that differ
 * from the framework's; they are listed here.
 */
#ifndef TN_MAP_EXPLAIN_H
#define TN_MAP_EXPLAIN_H

#include "ir/vocab.h"
#include "map/dl4j/mapper.h"

/* `target` and `definition` may be NULL: then there are fewer lines. */
enum tn_status tn_map_explain(const struct tn_mapper        *mapper,
                              const struct tn_op_descriptor *target,
                              const struct tn_vocab_op      *definition,
                              struct tn_memory *memory, tn_on_explain *on,
                              void *context, struct tn_error *error);

/* Whether an attribute follows from the inputs: the type of one, or the length
 * of a list of them. */
bool tn_map_is_implied(const struct tn_vocab_op *op, struct tn_bytes name);

/* The known defect `index` of a shipped mapper; NULL if there are no more. */
const char *tn_map_defect(struct tn_bytes framework, struct tn_bytes op_type,
                          unsigned index);

/* The same, only for defects that change results and cannot be detected in a
 * node. */
const char *tn_map_unseen_defect(struct tn_bytes framework,
                                 struct tn_bytes op_type, unsigned index);

#endif
