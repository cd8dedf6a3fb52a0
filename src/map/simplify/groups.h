/*
 * groups.h - joins convolutions of parts of the channels to one with groups
 *
 *     Concat(Conv(Slice(X, 0..8), W0), Conv(Slice(X, 8..16), W1), ...)
 *         = Conv(X, [W0, W1, ...]; group: n)
 *
 * A dialect without groups expresses such a convolution by the left side.
 */
#ifndef TN_MAP_GROUPS_H
#define TN_MAP_GROUPS_H

#include "map/lang/infer.h"

/* Returns the number of Concats that became a convolution.  Types must have
 * been inferred.  Afterwards nodes are not in order, and nodes that are no
 * longer needed are still there. */
uint64_t tn_join_groups(struct tn_net *net, struct tn_infer *facts);

#endif
