/*
 * nd4j_args.h - arguments of nd4j ops: by name in a net, by place in a file
 *
 * A call in a SameDiff file has no named arguments but a list for each kind of
 * value; kernels find theirs by counting.  rules/nd4j.ops says which argument
 * sits where.  Rules speak of names alone, so a net that was loaded from a file
 * is unpacked, and a net that goes into one is packed:
 *
 *   conv2d {kH: 3, kW: 3, ...}  <->  conv2d {opType: "CUSTOM", opNum: hash,
 *                                            iArgs: [3, 3, ...]}
 */
#ifndef TN_MAP_ND4J_ARGS_H
#define TN_MAP_ND4J_ARGS_H

#include "map/net/net.h"

/* Named attributes become opType, opNum, iArgs, tArgs, bArgs, dArgs, sArgs,
 * dimensions, scalar and outputTypes.  A hole before a slot that is taken gets
 * the vocabulary's default, or is refused.  Results that a kernel always has
 * get a value.  Nodes that nd4j does not know (the caller allowed them) keep
 * their name and lose their attributes.  Fails into net->error. */
enum tn_status tn_nd4j_pack(struct tn_net *net);

/* The way back.  An op is what its number says, when its name is another one's.
 * An argument in a slot that has no name is refused, unless it is what nothing
 * would be: 0, false. */
enum tn_status tn_nd4j_unpack(struct tn_net *net);

#endif
