/*
 * sizes.h - new shapes that only repeat sizes of the value that is reshaped
 *
 * A model for any batch size computes the shape of a value, takes sizes out of
 * it, joins them with others, and reshapes to the result.  If such a size is
 * that of the reshaped value at the same position, a constant can replace it:
 * 0. A Reshape or Expand to the sizes that a value already has is removed, and
 * so are those around products of matrices (rows.h), and an Expand before an
 * operator that broadcasts to the same sizes without it.
 */
#ifndef TN_MAP_SIZES_H
#define TN_MAP_SIZES_H

#include "map/lang/infer.h"

/* Returns the number of changed nodes.  Shapes must have been inferred. */
uint64_t tn_simplify_sizes(struct tn_net *net, struct tn_infer *facts);

#endif
