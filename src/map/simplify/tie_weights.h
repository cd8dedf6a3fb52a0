/*
 * tie_weights.h - equal weights are stored once
 */
#ifndef TN_MAP_TIE_WEIGHTS_H
#define TN_MAP_TIE_WEIGHTS_H

#include "map/net/net.h"

/* Constants of one graph with the same type, shape and elements become one.
 * How many are no longer needed.  Elements are read only of those that begin
 * alike. */
uint64_t tn_tie_weights(struct tn_net *net);

#endif
