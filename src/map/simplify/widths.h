/*
 * widths.h - sizes that are temporarily cast to 32 bits
 *
 * TensorFlow computes sizes in int32, ONNX in int64: a shape is cast, sizes are
 * taken out of it and joined, and the result is cast back.  The numbers are the
 * same in 64 bits, so both casts can be removed if only such operators are
 * between them.
 */
#ifndef TN_MAP_WIDTHS_H
#define TN_MAP_WIDTHS_H

#include "map/lang/infer.h"

/* Returns the number of nodes that now use 64 bits.  Types must have been
 * inferred. */
uint64_t tn_widen_sizes(struct tn_net *net, struct tn_infer *facts);

#endif
