/*
 * loops.h - removes states of loops that are not needed
 *
 * A Loop of ONNX may have an input for the number of its runs.  A loop that was
 * a `while` counts by itself:
 *
 *   Loop(none, And(Less(0, n), c), 0, ...)     i, c', ... in the body, which
 * gives And(Less(i + 1, n), c'), i + 1, ...
 *
 * is Loop(n, c, ...), whose body gives c' and knows i.  A state that stays what
 * it was is a value of the graph outside, and i mod n is i.
 */
#ifndef TN_MAP_LOOPS_H
#define TN_MAP_LOOPS_H

#include "map/net/net.h"

/* Returns the number of loops that changed. */
uint64_t tn_simplify_loops(struct tn_net *net);

#endif
