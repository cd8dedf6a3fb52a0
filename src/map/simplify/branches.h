/*
 * branches.h - replaces an If by one of its graphs if the condition is constant
 */
#ifndef TN_MAP_BRANCHES_H
#define TN_MAP_BRANCHES_H

#include "map/net/net.h"

/* Replaces each such If by the nodes of the graph that it would run.  Returns
 * the number of Ifs; the nodes of the net are in order afterwards. */
uint64_t tn_choose_branches(struct tn_net *net);

#endif
