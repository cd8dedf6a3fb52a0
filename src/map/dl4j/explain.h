/*
 * explain.h - what a mapper reads, drops and gives, and what is wrong with it
 *
 * Some of the rules that Deeplearning4j ships are known to give other results
 * than the framework does; the list of those is here.
 */
#ifndef TN_MAP_EXPLAIN_H
#define TN_MAP_EXPLAIN_H

#include "ir/vocab.h"
#include "map/dl4j/mapper.h"

/* target and definition may be NULL: then less is said. */
enum tn_status tn_map_explain(const struct tn_mapper        *mapper,
                              const struct tn_op_descriptor *target,
                              const struct tn_vocab_op      *definition,
                              struct tn_memory *memory, tn_on_explain *on,
                              void *context, struct tn_error *error);

/* Whether an attribute is the type of an input, which that has anyway, or the
 * length of a list of inputs. */
bool tn_map_is_implied(const struct tn_vocab_op *op, struct tn_bytes name);

/* The known defect `index` of a shipped mapper; NULL: there are no more. */
const char *tn_map_defect(struct tn_bytes framework, struct tn_bytes op_type,
                          unsigned index);

/* The same of those that change results and that no node shows by itself. */
const char *tn_map_unseen_defect(struct tn_bytes framework,
                                 struct tn_bytes op_type, unsigned index);

#endif
