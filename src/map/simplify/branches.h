/*
 * branches.h - an If whose condition is a constant is one of its graphs
 */
#ifndef TN_MAP_BRANCHES_H
#define TN_MAP_BRANCHES_H

#include "map/net/net.h"

/* The nodes of the graph take the place of the If.  How many there were; the
 * nodes of the net are in order again. */
uint64_t tn_choose_branches(struct tn_net *net);

#endif
