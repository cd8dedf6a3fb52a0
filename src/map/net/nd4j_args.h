/*
 * nd4j_args.h - arguments of nd4j ops: by name in a net, by position in a file
 *
 * A call in a SameDiff file has no named arguments but a list for each kind of
 * value; kernels find theirs by counting.  rules/nd4j.ops has the positions.
 * Rules only use names, so a net that was loaded from a file is unpacked, and a
 * net that will be written is packed:
 *
 *   conv2d {kH: 3, kW: 3, ...}  <->  conv2d {opType: "CUSTOM", opNum: hash,
 *                                            iArgs: [3, 3, ...]}
 */
#ifndef TN_MAP_ND4J_ARGS_H
#define TN_MAP_ND4J_ARGS_H

#include "map/net/net.h"

/* Named attributes become opType, opNum, iArgs, tArgs, bArgs, dArgs, sArgs,
 * dimensions, scalar and outputTypes.  A missing argument before one that is
 * given gets the vocabulary's default; without a default it is refused.
 * Outputs that a kernel always has get a value.  Nodes that nd4j does not know
 * (the caller allowed them) keep their name and lose their attributes.  Fails
 * into net->error. */
enum tn_status tn_nd4j_pack(struct tn_net *net);

/* The reverse.  If the name and the number of an op contradict each other, the
 * number counts.  An argument in a slot without a name is refused, unless its
 * value is 0 or false. */
enum tn_status tn_nd4j_unpack(struct tn_net *net);

#endif
