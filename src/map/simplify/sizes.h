/*
 * sizes.h - new shapes that only repeat sizes of what is reshaped
 *
 * A model for any batch asks a value for its shape, takes sizes out of it, puts
 * others beside them, and reshapes by that.  Where such a size is that of what
 * is reshaped, in the same place, a constant says it: 0.
 * A Reshape or Expand to the sizes that are there already goes, and so do those
 * around products of matrices (rows.h).
 */
#ifndef TN_MAP_SIZES_H
#define TN_MAP_SIZES_H

#include "map/lang/infer.h"

/* How many nodes have changed.  Shapes must have been inferred. */
uint64_t tn_simplify_sizes(struct tn_net *net, struct tn_infer *facts);

#endif
