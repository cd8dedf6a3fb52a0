/*
 * lang_shape.h - what functions over shapes have in common
 */
#ifndef TN_MAP_LANG_SHAPE_H
#define TN_MAP_LANG_SHAPE_H

#include "map/lang/lang_builtin.h"

/* The dim that two become; unknown with 2 or more is that one.  False: they do
 * not fit. */
bool tn_shape_broadcast_dim(struct tn_item a, struct tn_item b,
                            struct tn_item *out);

/* The shape that two become; none after a refusal. */
struct tn_item tn_shape_broadcast(const struct tn_call *call, struct tn_item a,
                                  struct tn_item b);

/* einsum_dims() and strided(), of the table of lang_shape.c. */
struct tn_item tn_shape_einsum(const struct tn_call *call);
struct tn_item tn_shape_strided(const struct tn_call *call);

#endif
