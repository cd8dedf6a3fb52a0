/*
 * transposes.h - fewer Transposes in a graph of ONNX
 *
 * A graph that had its channels last has a Transpose before and one after each
 * convolution.  Most of them cancel out when they are moved over the operators
 * between them, which work on each element alone, or along axes that can be
 * renumbered.
 */
#ifndef TN_MAP_TRANSPOSES_H
#define TN_MAP_TRANSPOSES_H

#include "map/lang/infer.h"

/* Types of values must be known, and facts of the net open.  Returns the number
 * of nodes that were replaced for another order of axes; if there are any, the
 * net has to be put in order.  The number of Transposes never grows. */
uint64_t tn_move_transposes(struct tn_net *net, struct tn_infer *facts);

/* Inputs and outputs of rank 4 and 5 of the main graph get their channels as
 * the second axis instead of the last: each has a Transpose now, which may meet
 * another.  Returns how many; if there are any, the net has to be put in
 * order. */
uint64_t tn_channels_first(struct tn_net *net);

#endif
