/*
 * loops.h - removes states of loops that are not needed
 *
 * A Loop of ONNX may have an input for the number of its runs.  A loop that was
 * a `while` counts by itself:
 *
 *   Loop(none, And(Less(0, n), c), 0, ...)     with i, c', ... in its body,
 *                        which returns And(Less(i + 1, n), c'), i + 1, ...
 *
 * is Loop(n, c, ...), whose body returns c' and knows i.  A state that does not
 * change is a value of the enclosing graph, and i mod n is i.
 */
#ifndef TN_MAP_LOOPS_H
#define TN_MAP_LOOPS_H

#include "map/net/net.h"

/* Returns the number of loops that changed. */
uint64_t tn_simplify_loops(struct tn_net *net);

#endif
