/*
 * share.h - equal nodes become one
 *
 * Two nodes of one graph are the same when they are of one operator, with equal
 * attributes and the same inputs, and always give the same.  Nodes are looked
 * at in order, so that what takes two equal values is found equal in the same
 * pass.  What a graph around computes is not computed again inside of it.
 */
#ifndef TN_MAP_SHARE_H
#define TN_MAP_SHARE_H

#include "map/net/net.h"

/* Whether nodes of the operator may be shared: they always give the same, and
 * do nothing else.  Asked once for each operator. */
typedef bool tn_may_share(const struct tn_net_op *op);

/* How many nodes went; equal small constants become one, too.  Outputs of
 * graphs stay what makes them. */
uint64_t tn_share(struct tn_net *net, tn_may_share *may_share);

/* The same, but graphs inside of others take nothing more from around them:
 * where a loop becomes frames, each value that it takes costs a node. */
uint64_t tn_share_inside(struct tn_net *net, tn_may_share *may_share);

#endif
