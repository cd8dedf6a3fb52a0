/*
 * share.h - replaces equal nodes by one
 *
 * Two nodes of one graph are equal if they have the same operator, equal
 * attributes and the same inputs, and always return the same.  Nodes are
 * visited in order, so users of two equal values are found equal in the same
 * pass.  A value that an enclosing graph computes is not computed again in an
 * inner one.
 */
#ifndef TN_MAP_SHARE_H
#define TN_MAP_SHARE_H

#include "map/net/net.h"

/* Whether nodes of the operator may be shared: they always return the same, and
 * have no effects.  Asked once for each operator. */
typedef bool tn_may_share(const struct tn_net_op *op);

/* Returns the number of removed nodes; equal small constants become one, too.
 * Nodes that make outputs of graphs stay. */
uint64_t tn_share(struct tn_net *net, tn_may_share *may_share);

/* The same, but inner graphs do not use more values of enclosing ones: if a
 * loop becomes frames, each value that it takes costs a node. */
uint64_t tn_share_inside(struct tn_net *net, tn_may_share *may_share);

#endif
