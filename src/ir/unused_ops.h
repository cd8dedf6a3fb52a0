/*
 * unused_ops.h - the outputs of a graph that does not list them
 *
 * In a TensorFlow graph every op that no other op uses is an output.
 */
#ifndef TN_IR_UNUSED_OPS_H
#define TN_IR_UNUSED_OPS_H

#include "ir/model_tables.h"

/* More inputs or outputs than this help no user, and a hostile graph could
 * consist of them. */
#define TN_UNUSED_OPS_LIMIT 65536

/* The names of ops that no other op of the graph uses, at most so many. */
struct tn_io_list tn_unused_ops(struct tn_model *model, uint32_t graph,
                                struct tn_error *error);

/* After an edit: they become the outputs of the graph, with the types of those
 * that were there before. */
void tn_unused_ops_refresh(struct tn_model *model, uint32_t graph,
                           struct tn_error *error);

#endif
