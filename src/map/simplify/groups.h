/*
 * groups.h - convolutions of parts of the channels, side by side, are one
 *
 *     Concat(Conv(Slice(X, 0..8), W0), Conv(Slice(X, 8..16), W1), ...)
 *         = Conv(X, [W0, W1, ...]; group: n)
 *
 * which is what a dialect without groups takes such a convolution apart to.
 */
#ifndef TN_MAP_GROUPS_H
#define TN_MAP_GROUPS_H

#include "map/lang/infer.h"

/* How many Concats became a convolution.  Types must have been inferred; nodes
 * are no longer in order, and what nobody needs any more is still there. */
uint64_t tn_join_groups(struct tn_net *net, struct tn_infer *facts);

#endif
