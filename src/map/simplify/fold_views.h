/*
 * fold_views.h - moves, clips or quantises large constants without loading them
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

/* For weights that stay quantised: if only a Transpose uses the result of a
 * weight's DequantizeLinear, the weight is stored transposed instead.  Returns
 * the number of removed Transposes; nodes are in order afterwards. */
uint64_t tn_fold_quantized(struct tn_net *net, struct tn_infer *facts);

/* Weights that tn_fold_as_view() quantised become floats again if the other
 * input of their operator is not quantised, because runtimes compute with
 * integers only if both are.  Returns the number of removed
 * DequantizeLinears. */
uint64_t tn_fold_trained(struct tn_net *net, struct tn_infer *facts);

/* The same, and all with a scale for each index of an axis, which no operator
 * of opset 12 can say. */
uint64_t tn_fold_trained_scales(struct tn_net *net, struct tn_infer *facts);

#endif
