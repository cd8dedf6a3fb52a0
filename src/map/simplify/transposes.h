/*
 * transposes.h - fewer Transposes in a graph of ONNX
 *
 * A graph that was channels last has one before and one behind each
 * convolution.  Most meet an opposite one, once they are moved over what is
 * between: operators that work on every element alone, or along axes that can
 * be called otherwise.
 */
#ifndef TN_MAP_TRANSPOSES_H
#define TN_MAP_TRANSPOSES_H

#include "map/lang/infer.h"

/* Types of values are known, and facts of the net are open.  Returns how many
 * nodes were made again for another order of axes; if there are any, the net
 * has to be put in order.  There are never more Transposes than before. */
uint64_t tn_move_transposes(struct tn_net *net, struct tn_infer *facts);

/* Inputs and outputs of rank 4 and 5 of the main graph get their channels as
 * the second axis instead of the last: each has a Transpose now, which may meet
 * another.  Returns how many; if there are any, the net has to be put in
 * order. */
uint64_t tn_channels_first(struct tn_net *net);

#endif
