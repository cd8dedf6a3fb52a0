/*
 * sizes.h - new shapes that only repeat sizes of what is reshaped
 *
 * A model for any batch asks a value for its shape, takes sizes out of it, puts
 * others beside them, and reshapes by that.  Where such a size is that of what
 * is reshaped, in the same place, a constant says it: 0.
 *
 * Each size that is not known has a number of its own, and goes with it through
 * operators.  Two dimensions of one name are two sizes: a runtime does not hold
 * callers to names.
 */
#ifndef TN_MAP_SIZES_H
#define TN_MAP_SIZES_H

#include "map/lang/infer.h"

/* How many shapes became constants.  Shapes must have been inferred. */
uint64_t tn_simplify_sizes(struct tn_net *net, struct tn_infer *facts);

#endif
