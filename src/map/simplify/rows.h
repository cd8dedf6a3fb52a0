/*
 * rows.h - products of matrices that were made of more axes
 *
 * Frameworks that multiply matrices alone make one of [batch, steps, width],
 * [batch * steps, width], compute with its rows, and give it its axes back.
 * MatMul takes any number of axes, so nothing need be reshaped:
 *
 *   Reshape -> MatMul, Add, LayerNormalization, ... -> Reshape
 *
 * A runtime finds no attention and no skipped layer between such Reshapes.
 */
#ifndef TN_MAP_ROWS_H
#define TN_MAP_ROWS_H

#include "map/simplify/sizing.h"

/* How many nodes take all axes now.  `is_output`: values that graphs give. */
uint64_t tn_lift_rows(struct tn_sizing *s, const bool *is_output,
                      struct tn_arena *arena);

#endif
