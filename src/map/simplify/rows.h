/*
 * rows.h - products of values that were reshaped to matrices
 *
 * Frameworks that can only multiply matrices reshape [batch, steps, width] to
 * [batch * steps, width], compute with the rows, and reshape the result back.
 * MatMul takes any number of axes, so the Reshapes are not needed:
 *
 *   Reshape -> MatMul, Add, LayerNormalization, ... -> Reshape
 *
 * Runtimes do not recognise attention or skip layers between such Reshapes.
 */
#ifndef TN_MAP_ROWS_H
#define TN_MAP_ROWS_H

#include "map/simplify/sizing.h"

/* Returns the number of nodes that now take all axes.  `is_output`: the outputs
 * of graphs. */
uint64_t tn_lift_rows(struct tn_sizing *s, const bool *is_output,
                      struct tn_arena *arena);

#endif
