/*
 * tie_weights.h - stores equal weights once
 */
#ifndef TN_MAP_TIE_WEIGHTS_H
#define TN_MAP_TIE_WEIGHTS_H

#include "map/net/net.h"

/* Constants of one graph with the same type, shape and elements become one.
 * Returns the number that is no longer needed.  Elements are read only if the
 * first ones are equal. */
uint64_t tn_tie_weights(struct tn_net *net);

#endif
