/*
 * tf_uses.h - which nodes of a graph nobody uses, without keeping the graph
 *
 * Names of nodes and of what they use, each once, with two marks.  Past a
 * number of nodes it gives up: the answer would be of no help, and a graph of
 * millions must open at the speed of its bytes.
 */
#ifndef TN_FORMAT_TF_USES_H
#define TN_FORMAT_TF_USES_H

#include "ir/model_tables.h"

struct tn_tf_uses;

/* NULL on failure. */
struct tn_tf_uses *tn_tf_uses_open(struct tn_memory *memory,
                                   struct tn_error  *error);
void               tn_tf_uses_close(struct tn_tf_uses *uses);

/* There is a node of that name; closes *uses and sets it to NULL when there
 * are too many.  `name` is borrowed. */
void tn_tf_uses_node(struct tn_tf_uses **uses, struct tn_bytes name,
                     struct tn_error *error);

/* Somebody uses an output of that node, or waits for it. */
void tn_tf_uses_use(struct tn_tf_uses *uses, struct tn_bytes name,
                    struct tn_error *error);

/* Nodes that nobody uses, in the order of the file, at most `limit`. */
struct tn_io_list tn_tf_uses_io(const struct tn_tf_uses *uses,
                                struct tn_arena *arena, uint64_t limit,
                                struct tn_error *error);

#endif
