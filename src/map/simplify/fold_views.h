/*
 * fold_views.h - large constants that are moved around, clipped or quantised
 *
 * A weight that is transposed, reshaped, sliced, split, joined, cast, clipped
 * or quantised while a model runs can be stored that way instead: as a view of
 * where it is (payload.h), which no step loads.
 */
#ifndef TN_MAP_FOLD_VIEWS_H
#define TN_MAP_FOLD_VIEWS_H

#include "map/lang/infer.h"

/* Makes constants of the outputs of the node; false if it is not one of
 * these, or its inputs are not constants.  The node stays, for the caller to
 * remove.  Shapes must have been inferred. */
bool tn_fold_as_view(struct tn_net *net, struct tn_infer *facts, uint32_t node);

/* Weights that stay in few bits: where a Transpose is all that takes what a
 * DequantizeLinear makes of one, the weight is stored in that order instead.
 * How many Transposes went; nodes are in order again. */
uint64_t tn_fold_quantized(struct tn_net *net, struct tn_infer *facts);

/* Weights that tn_fold_as_view() quantised and a DequantizeLinear makes floats
 * of: floats, where what they meet is not quantised.  Runtimes compute with
 * integers only where both are.  How many such nodes went. */
uint64_t tn_fold_trained(struct tn_net *net, struct tn_infer *facts);

/* The same, and all with a scale for each index of an axis, which no operator
 * of opset 12 can say. */
uint64_t tn_fold_trained_scales(struct tn_net *net, struct tn_infer *facts);

#endif
