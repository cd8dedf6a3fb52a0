/*
 * widths.h - sizes that were made integers of 32 bits for a while
 *
 * TensorFlow counts in int32 where ONNX takes and gives int64: a shape is cast,
 * sizes are taken out of it and put together, and what comes out is cast again.
 * Sizes are the same numbers in 64 bits, so both casts can go where nothing but
 * such operators is between them.
 */
#ifndef TN_MAP_WIDTHS_H
#define TN_MAP_WIDTHS_H

#include "map/lang/infer.h"

/* How many nodes count in 64 bits now.  Types must have been inferred. */
uint64_t tn_widen_sizes(struct tn_net *net, struct tn_infer *facts);

#endif
