/*
 * reshape_runs.h - which axes become which when an array is reshaped
 *
 *   [n, 8, 8, 16] to [n, 64, 2, 8]     0 -> 0;  1, 2 -> 1;  3 -> 2, 3
 *
 * Axes that follow each other make a run, and become the axes of another run
 * with as many elements.  Runs are as short as what is known of sizes allows.
 */
#ifndef TN_MAP_RESHAPE_RUNS_H
#define TN_MAP_RESHAPE_RUNS_H

#include "map/net/net.h"

struct tn_axis_run {
    uint32_t from, from_count; /* axes before                                 */
    uint32_t to, to_count;     /* and after                                   */
};

/* `target` are the dims that a Reshape is asked for, 0 for a copy and -1 for
 * what is left.  How many runs there are, at most as many as axes before; 0 if
 * it cannot be said.  All axes are in one. */
uint32_t tn_reshape_runs(const struct tn_net_type *from,
                         const struct tn_net_type *to, const int64_t *target,
                         struct tn_axis_run *runs);

#endif
